"""From users' labels to class numbers: the same whatever the type, however far apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onlinear import _core
from onlinear.model.labels import Labels

I64 = np.iinfo(np.int64)


def labels_of(classes: list[int], dtype: str = "int64") -> Labels:
    """Labels met in the given order."""
    labels = Labels()
    labels.add(np.array(classes, dtype=dtype))
    return labels


@given(
    classes=st.lists(st.integers(I64.min, I64.max), min_size=1, max_size=8, unique=True),
    picks=st.lists(st.integers(0, 7), max_size=30),
)
def test_every_label_gets_the_number_of_its_class(classes: list[int], picks: list[int]) -> None:
    """Close together or at the ends of the range."""
    y = np.array([classes[pick % len(classes)] for pick in picks], dtype=np.int64)
    numbers = labels_of(classes).encode(y)

    assert numbers is not None
    assert numbers.dtype == np.int32
    assert [classes[number] for number in numbers] == y.tolist()


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize("classes", [[3, 1], [0, 1, 2], [-5, 70_000_000, 9]], ids=str)
def test_a_label_without_a_number_is_found(classes: list[int], dtype: str) -> None:
    """Below, above, between."""
    labels = labels_of(classes, dtype)
    for stray in (min(classes) - 1, max(classes) + 1, 2_000_000_000, -2_000_000_000, 8):
        assert labels.encode(np.array([*classes, stray], dtype=dtype)) is None
    assert labels.encode(np.array(classes, dtype=dtype)).tolist() == list(range(len(classes)))


def test_labels_that_do_not_lie_one_behind_the_other() -> None:
    """A column of a table is encoded like a copy of it."""
    y = np.arange(12).reshape(6, 2) % 3
    labels = labels_of([2, 0, 1])

    assert labels.encode(y[:, 1]).tolist() == labels.encode(y[:, 1].copy()).tolist()


@given(
    st.lists(
        st.lists(st.floats(-2, 2, allow_nan=False), min_size=3, max_size=3), min_size=1, max_size=10
    ).map(np.array)
)
def test_the_best_column_is_numpys(scores: np.ndarray) -> None:
    """The first of equals."""
    assert _core.best_columns(scores).tolist() == scores.argmax(axis=1).tolist()
    ties = np.round(scores)
    assert _core.best_columns(ties).tolist() == ties.argmax(axis=1).tolist()
