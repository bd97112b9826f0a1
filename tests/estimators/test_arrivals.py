"""Which labels are new, and where they come: the same whatever their type and however far apart they lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onlinear.exceptions import DataError
from onlinear.model.labels import Labels, distinct_labels

KINDS = [
    "int8",
    "int16",
    "int32",
    "int64",
    ">i4",
    "uint8",
    "uint32",
    "uint64",
    "float32",
    "float64",
    "<U6",
    "bool",
]


@pytest.mark.parametrize("kind", KINDS)
@given(labels=st.lists(st.integers(0, 5), max_size=40), known=st.lists(st.integers(0, 5), max_size=3))
def test_labels_arrive_in_the_order_of_their_rows(kind: str, labels: list[int], known: list[int]) -> None:
    """The first row of each that has no number; what is known does not arrive."""
    y = np.array(labels, dtype=np.int64).astype(kind)
    before = Labels()
    before.add(np.unique(np.array(known, dtype=np.int64)).astype(kind))

    arrivals, rows = before.arrivals(y)

    values = y.tolist()
    first = {value: values.index(value) for value in values if value not in before.index}
    assert list(zip(arrivals.tolist(), rows.tolist(), strict=True)) == list(first.items())
    assert distinct_labels(y).tolist() == np.unique(y).tolist()
    assert distinct_labels(y).dtype == y.dtype


def test_labels_that_cannot_be_ordered_are_refused() -> None:
    """Said, not left to whoever sorts them."""
    with pytest.raises(DataError, match="cannot be ordered"):
        Labels().arrivals(np.array(["a", 1], dtype=object))


@pytest.mark.parametrize(
    "values",
    [
        [0, 1 << 16, 5],
        [0, (1 << 16) - 1, 5],
        [-(2**63), 2**63 - 1, 0],
        [2**63 - 1, 2**63 - 2, 2**63 - 1],
        [-(2**63), 1 - 2**63],
    ],
)
@pytest.mark.parametrize("strided", [False, True])
def test_labels_may_lie_anywhere(values: list[int], strided: bool) -> None:
    """Close together, at the ends of what a number can be, or as far apart as two numbers can."""
    y: Any = np.array(values * 3, dtype=np.int64)
    y = np.repeat(y, 2)[::2] if strided else y

    arrivals, rows = Labels().arrivals(y)

    assert arrivals.tolist() == list(dict.fromkeys(values))
    assert rows.tolist() == [values.index(value) for value in dict.fromkeys(values)]
    assert distinct_labels(y).tolist() == sorted(set(values))
