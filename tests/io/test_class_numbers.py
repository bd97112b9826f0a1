"""Labels of a stream as class numbers: numbers compared as numbers, texts by their place in the reader's table."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onlinear
from onlinear import _core
from onlinear.exceptions import ReadError

VALUES = st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 1e300, math.nan])
LABELS = st.lists(st.tuples(VALUES, st.integers(-1, 3)), max_size=30)


@given(LABELS, st.dictionaries(st.sampled_from([-1.0, 0.0, 0.5, 1.0, 3.0]), st.integers(0, 9)), st.data())
def test_labels_are_numbered_as_by_a_dict(
    labels: list[tuple[float, int]], known: dict[float, int], data: st.DataObject
) -> None:
    """Whatever is not known is -1; what is before the first row asked for is left alone."""
    texts = data.draw(st.lists(st.integers(-1, 9), max_size=4))
    native = _core.ClassNumbers()
    for value, number in known.items():
        native.add(value, number)
    native.set_texts(texts)
    values = np.array([math.nan if i >= 0 else x for x, i in labels])
    ids = np.array([i for _, i in labels], dtype=np.int32)
    first = data.draw(st.integers(0, len(labels)))
    numbers = _core.numbers(len(labels))

    native.encode(values, ids, numbers, first)

    by_text = dict(enumerate(texts))
    expected = [by_text.get(i, -1) if i >= 0 else known.get(x, -1) for x, i in zip(values, ids, strict=True)]
    assert list(numbers) == [-1] * first + expected[first:]
    strange = {
        (i, 0.0 if i >= 0 else x) for x, i, n in zip(values, ids, numbers, strict=True) if n < 0 and x == x
    }
    strange |= {(i, 0.0) for i, n in zip(ids, numbers, strict=True) if n < 0 and i >= 0}
    missing = [row for row, (x, i) in enumerate(zip(values, ids, strict=True)) if i < 0 and x != x]
    assert _core.ClassNumbers.unlabelled(values, ids) == (missing[0] if missing else -1)
    if not missing:
        assert _core.ClassNumbers.strangers(values, ids, numbers) == len(strange)


@pytest.mark.parametrize("label", [str(2**53), str(2**53 + 1), "-9007199254740993", "1e300"])
@pytest.mark.parametrize(
    "model", [onlinear.PassiveAggressiveClassifier(), onlinear.MultilabelRanker()], ids=str
)
def test_classes_that_reading_cannot_tell_apart_are_refused(label: str, model: Any) -> None:
    """The line is named, and what was learned before it stays."""
    reader = onlinear.read(io.BytesIO(f"1 1:1\n2 2:1\n{label} 1:1\n".encode()), format="svmlight")

    with pytest.raises(ReadError, match=r"stream:3: class .* is too large.*as text"):
        model.fit_stream(reader)
    assert model.classes_.tolist() == [1, 2]


def test_the_largest_class_that_is_told_apart() -> None:
    """One below 2**53; regression takes any target."""
    text = f"{2**53 - 1} 1:1\n{2**53 - 2} 2:1\n".encode()
    model = onlinear.AROWClassifier().fit_stream(onlinear.read(io.BytesIO(text), format="svmlight"))
    assert model.classes_.tolist() == [2**53 - 2, 2**53 - 1]

    text = f"{2**60 + 1} 1:1\n".encode()
    regressor = onlinear.AROWRegressor().fit_stream(onlinear.read(io.BytesIO(text), format="svmlight"))
    assert regressor.n_seen_ == 1


@pytest.mark.parametrize("batch_size", [1, 2, 3, 5])
def test_labels_are_the_same_wherever_batches_end(batch_size: int) -> None:
    """A number beside words stays the number it is in a batch of numbers."""
    text = b"1 1:1\nspam 1:1\n+2.0 1:1\nham 1:1\n2 1:1\n"
    reader = onlinear.read(io.BytesIO(text), format="svmlight", batch_size=batch_size)

    assert [label for batch in reader for label in batch.y.tolist()] == [1.0, "spam", 2.0, "ham", 2.0]


@given(st.lists(st.tuples(st.integers(-1, 3), st.sampled_from([0.0, 1.0])), max_size=20), st.data())
def test_the_first_unknown_class_has_a_weight(rows: list[tuple[int, float]], data: st.DataObject) -> None:
    """Rows of no weight bring no class."""
    numbers = np.array([number for number, _ in rows], dtype=np.int32)
    weights = np.array([weight for _, weight in rows])
    first = data.draw(st.integers(0, len(rows)))
    last = data.draw(st.integers(first, len(rows)))
    for given_weights, counts in ((None, np.ones(len(rows))), (weights, weights)):
        found = [row for row in range(first, last) if numbers[row] < 0 and counts[row] > 0]
        assert _core.first_unknown(numbers, given_weights, first, last) == (found[0] if found else last)


@given(st.lists(st.integers(-1, 6), max_size=30))
def test_classes_are_counted(numbers: list[int]) -> None:
    """Those below zero are nobody's."""
    counts = _core.count_numbers(np.array(numbers, dtype=np.int32))
    assert counts == np.bincount([n for n in numbers if n >= 0], minlength=0).tolist()


def test_arrays_of_other_lengths_are_refused() -> None:
    """Nothing is read past the end of the shorter one."""
    native = _core.ClassNumbers()
    with pytest.raises(ValueError, match="ids has the wrong length"):
        native.encode(np.zeros(3), np.zeros(2, np.int32), _core.numbers(3))
    with pytest.raises(ValueError, match="out has the wrong length"):
        native.encode(np.zeros(3), np.zeros(3, np.int32), _core.numbers(2))
    with pytest.raises(ValueError, match="numbers has the wrong length"):
        _core.ClassNumbers.strangers(np.zeros(3), np.zeros(3, np.int32), np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="weights has the wrong length"):
        _core.first_unknown(np.zeros(3, np.int32), np.zeros(2), 0, 3)
