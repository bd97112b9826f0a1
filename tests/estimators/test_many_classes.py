"""Very many classes: each costs what it is worth to learn, and no more; where there is no room, it is said for what."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear import AROWClassifier, MultilabelRanker, _core
from onlinear.model.native import Native
from tests.cli.commands import onlinear as command
from tests.waiting import DEADLINE


def lines(labels: list[str]) -> bytes:
    """An svmlight file with these labels."""
    return "".join(f"{label} {i % 3 + 1}:1\n" for i, label in enumerate(labels)).encode()


class Counting(_core.ClassNumbers):
    """Class numbers that count the work."""

    texts = 0
    rows = 0

    def set_texts(self, numbers: Any) -> None:
        """Count the texts."""
        Counting.texts += len(numbers)
        super().set_texts(numbers)

    def add_texts(self, numbers: Any) -> None:
        """Count the texts."""
        Counting.texts += len(numbers)
        super().add_texts(numbers)

    def encode(self, labels: Any, ids: Any, out: Any, first: int = 0) -> None:
        """Count the rows."""
        Counting.rows += len(labels) - first
        super().encode(labels, ids, out, first)

    def first_unknown(self, labels: Any, ids: Any, numbers: Any, weights: Any, first: int, last: int) -> int:
        """Count the rows."""
        found: int = super().first_unknown(labels, ids, numbers, weights, first, last)
        Counting.rows += found - first + 1
        return found


@pytest.mark.parametrize("batch_size", [100, 5000])
@pytest.mark.parametrize("kind", ["{}", "class {}"], ids=["numbers", "words"])
def test_a_class_that_comes_costs_nothing_for_those_before_it(
    monkeypatch: pytest.MonkeyPatch, kind: str, batch_size: int
) -> None:
    """A new class in every row: every row and every text is looked at a few times, not once for each class."""
    n = 3000
    monkeypatch.setattr(_core, "ClassNumbers", Counting)
    Counting.texts = Counting.rows = 0
    labels = [kind.format(number).replace(" ", "_") for number in range(n)]

    model = AROWClassifier().fit_stream(
        onlinear.read(io.BytesIO(lines(labels)), format="svmlight", batch_size=batch_size)
    )

    assert len(model.classes_) == n
    assert Counting.texts <= n
    assert Counting.rows <= 5 * n


@pytest.mark.parametrize("model", [AROWClassifier(), MultilabelRanker()], ids=str)
def test_labels_of_several_readers_keep_apart(model: Any, tmp_path: Path) -> None:
    """Each reader numbers its texts as they come: batches of two files are the two files, one behind the other."""
    files = [lines(["a", "b", "c"] * 4), lines(["c", "a", "b"] * 4), lines(["d", "a"])]
    readers = [onlinear.read(io.BytesIO(text), format="svmlight") for text in files]
    together = model.fit_stream([batch for reader in readers for batch in reader])

    apart = type(model)()
    for text in files:
        apart.fit_stream(onlinear.read(io.BytesIO(text), format="svmlight"))

    assert together.digest() == apart.digest()
    assert together.classes_.tolist() == apart.classes_.tolist() == ["a", "b", "c", "d"]


def test_a_hundred_numbers_are_told_apart() -> None:
    """Few classes are compared, many looked up; the numbers are the same."""
    rng = np.random.default_rng(0)
    values = rng.permutation(np.arange(-50.0, 50.0)) / 4
    native = _core.ClassNumbers()
    for count, value in enumerate(values.tolist()):
        native.add(value, count)
        asked = np.concatenate([values, [0.1, np.nan, -0.0]])
        numbers = _core.numbers(len(asked))
        native.encode(asked, np.full(len(asked), -1, np.int32), numbers)
        known = dict(zip(values[: count + 1].tolist(), range(count + 1), strict=True))
        assert list(numbers) == [known.get(one, -1) for one in asked.tolist()]


def test_numbers_are_completed_up_to_the_first_class_not_met() -> None:
    """Rows of no weight bring none; rows behind it are left for later."""
    native = _core.ClassNumbers()
    native.add(1.0, 0)
    native.add_texts([-1, 7])
    labels = np.array([1.0, np.nan, 2.0, np.nan, 1.0])
    ids = np.array([-1, 1, -1, 0, -1], dtype=np.int32)
    weights = np.array([1.0, 1.0, 0.0, 1.0, 1.0])
    numbers = _core.numbers(5)

    assert native.first_unknown(labels, ids, numbers, None, 0, 5) == 2
    assert native.first_unknown(labels, ids, numbers, weights, 0, 5) == 3
    assert list(numbers) == [0, 7, -1, -1, -1]
    native.set_text(0, 9)
    assert native.first_unknown(labels, ids, numbers, weights, 3, 4) == 4
    assert native.first_unknown(labels, ids, numbers, weights, 3, 99) == 5
    assert list(numbers) == [0, 7, -1, 9, 0]
    with pytest.raises(ValueError, match="wrong length"):
        native.first_unknown(labels, ids, numbers, weights[:4], 0, 5)
    with pytest.raises(ValueError, match="wrong length"):
        native.first_unknown(labels, ids, _core.numbers(4), None, 0, 5)
    with pytest.raises(ValueError, match="a place without a text"):
        native.set_text(2, 0)


CRAMPED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
from onlinear.cli import entry
sys.exit(entry())
"""


def test_too_many_classes_for_memory_are_told_of_by_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """Features, classes, bytes, and what to do; the model stays as it was."""
    model = AROWClassifier().partial_fit(np.eye(4), [0, 1, 2, 0])
    before = model.digest()
    monkeypatch.setattr(Native, "handle", _WithoutRoom(model.model_.learner.handle))
    with pytest.raises(
        MemoryError,
        match=r"20 weights \(4 features, 4 classes, 16 bytes each\) need at least .* GiB; use fewer features "
        r"\(hash them to fewer bits\) or fewer classes, or dtype='float32'",
    ):
        model.partial_fit(np.eye(4), [3, 0, 1, 2])
    monkeypatch.undo()
    assert model.digest() == before
    assert model.classes_.tolist() == [0, 1, 2]


class _WithoutRoom:
    """A native learner for which there is no more memory."""

    def __init__(self, native: Any) -> None:
        self._native = native

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def grow(self, n_features: int, n_classes: int) -> None:
        """Find none."""
        raise MemoryError("std::bad_alloc")


@pytest.mark.skipif("not sys.platform.startswith('linux')", reason="needs a limit on memory")
def test_the_command_says_in_which_line_there_was_no_room(tmp_path: Path) -> None:
    """One line, with the file, the line, the sizes and the remedy."""
    import subprocess
    import sys

    text = "".join(f"{number} | word{number}\n" for number in range(20_000))
    (tmp_path / "words.vw").write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", CRAMPED, "train", "words.vw", "-q"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=DEADLINE,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("onlinear: out of memory. words.vw:3: ")
    assert "1048576 features" in done.stderr
    assert "use fewer features (hash them to fewer bits) or fewer classes" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_file_with_very_many_columns_is_read(tmp_path: Path) -> None:
    """Names of columns are compared by hashing: one with all before it would take many minutes."""
    n = 500_000
    header = ",".join(f"c{i}" for i in range(n))
    (tmp_path / "wide.csv").write_text(f"label,{header}\na,{'1,' * (n - 1)}1\n")
    (batch,) = onlinear.read(tmp_path / "wide.csv")
    assert batch.n_rows == 1
    assert batch.values.sum() == n  # names that share a column add up there

    (tmp_path / "twice.csv").write_text(f"label,{header},c3\n")
    done = command("train", tmp_path / "twice.csv", "-q")
    assert done.code == 1
    assert '"c3" twice' in done.err
