"""Where commands write: never over what they read, and whatever becomes of standard output."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import onlinear

from .commands import onlinear as run
from .commands import write_svmlight


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """Data, and a model of it."""
    data = write_svmlight(tmp_path / "train.svm", 200)
    assert run("train", data, "-q", "--save", tmp_path / "m.safetensors").code == 0
    return data, tmp_path / "m.safetensors"


@pytest.mark.parametrize(
    "words",
    [
        ["predict", "MODEL", "DATA", "-o", "DATA"],
        ["predict", "MODEL", "DATA", "-o", "MODEL"],
        ["evaluate", "MODEL", "DATA", "--plots", "DATA"],
        ["inspect", "MODEL", "--html", "MODEL"],
        ["convert", "MODEL", "MODEL", "--compact"],
        ["convert", "DATA", "DATA", "--to", "vw"],
        ["train", "DATA", "--save", "DATA"],
    ],
    ids=" ".join,
)
def test_nothing_is_written_over_what_is_read(words: list[str], files: tuple[Path, Path]) -> None:
    """By its name, or by another name of the same file."""
    data, model = files
    before = data.read_bytes(), model.read_bytes()
    other = data.parent / "another-name"
    for last in (words[-1], "other"):
        target = {"DATA": data, "MODEL": model}
        given = [target.get(word, word) for word in words]
        if last == "other":
            place = len(words) - 1 - next(i for i, word in enumerate(reversed(words)) if word in target)
            other.symlink_to(given[place])
            given[place] = other
        done = run(*given)
        assert done.code == 2, done.err
        assert "is one of the files to read" in done.err
        assert (data.read_bytes(), model.read_bytes()) == before


@pytest.mark.parametrize(
    "words", [["train", "DATA", "--save", "-"], ["convert", "MODEL", "-", "--compact"]], ids=" ".join
)
def test_a_model_needs_a_file(
    words: list[str], files: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is written aside and moved into place."""
    monkeypatch.chdir(files[0].parent)
    done = run(*({"DATA": files[0], "MODEL": files[1]}.get(word, word) for word in words))
    assert done.code == 2
    assert "needs a file" in done.err
    assert not Path("-").exists()


def test_rows_and_labels_go_into_pipes_and_devices(files: tuple[Path, Path]) -> None:
    """What comes out of a pipe is what would stand in the file."""
    data, model = files
    assert run("convert", data, data.with_suffix(".vw"), "-q").code == 0
    for target in ("-", "/dev/stdout"):
        assert run("convert", data, target, "--to", "vw", "-q").out == data.with_suffix(".vw").read_text()
    labels = run("predict", model, data).out
    assert run("predict", model, data, "-o", "/dev/stdout").out == labels
    assert run("predict", model, data, "-o", "/dev/null").out == ""
    done = _process("convert", data, "-", "--to", "vw", redirect=f"> {data.parent / 'redirected.vw'}")
    assert done.returncode == 0, done.stderr
    assert (data.parent / "redirected.vw").read_text() == data.with_suffix(".vw").read_text()


def test_a_model_is_known_by_what_it_is(files: tuple[Path, Path]) -> None:
    """Whatever its file is called."""
    other = files[1].rename(files[1].with_name("model.st"))
    assert run("convert", other, other.with_name("small.st"), "--compact").code == 0
    assert onlinear.load(other.with_name("small.st")).classes_.tolist() == [-1, 1]


def _process(*words: object, redirect: str = "", **environment: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.join([sys.executable, '-m', 'onlinear', *map(str, words)])} {redirect}"
    return subprocess.run(
        command, shell=True, capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def test_an_output_without_the_letters_shows_their_escapes(files: tuple[Path, Path]) -> None:
    """As the bars of a histogram."""
    done = _process("inspect", files[1], PYTHONIOENCODING="latin-1")
    assert done.returncode == 0, done.stderr
    assert "\\u2588" in done.stdout


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["demo", "--limit", 0], 2, "at least"),
        (["demo", "--limit", 300, "-o", "DATA"], 1, "file exists"),
    ],
    ids=["too few", "a file for a folder"],
)
def test_the_demonstration_says_what_is_wrong(
    words: list[object],
    code: int,
    told: str,
    files: tuple[Path, Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """In a line, like every command."""
    monkeypatch.chdir(files[0].parent)
    done = _process(*(files[0] if word == "DATA" else word for word in words))
    assert done.returncode == code, done.stderr
    assert told in done.stderr
    assert "Traceback" not in done.stderr
