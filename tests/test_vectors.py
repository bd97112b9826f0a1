"""Our own golden vectors, run through the public surface as a stranger would run a folder of them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from onlinear.testing import vectors

FOLDER = Path(__file__).parent / "vectors"
# Combining models is not part of the library yet; the index is no vector.
NOT_YET = ("_merge", "_index")
FILES = [path for path in sorted(FOLDER.glob("*.json")) if not path.name.startswith(NOT_YET)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_the_library_replays_a_golden_vector(path: Path) -> None:
    """Scores, changes, states and probes are the vector's, to its tolerance, in float64."""
    vectors.check(path)


def test_a_folder_is_judged_with_a_line_per_file_and_a_closing_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What passes, what is wrong and what is unknown each get a line; the last line counts."""
    good = (FOLDER / "arow-full.json").read_text()
    (tmp_path / "good.json").write_text(good)
    (tmp_path / "wrong.json").write_text(re.sub(r'"r": ?[0-9.]+', '"r": 7.5', good, count=1))
    (tmp_path / "unknown.json").write_text(good.replace("arow/full", "nobody/full"))

    code = vectors.main([str(tmp_path)])

    lines = capsys.readouterr().out.splitlines()
    assert code == 1
    assert lines[-1] == "1 passed, 2 failed"
    assert lines[0] == "passed good"
    assert any("not built" in line for line in lines)
