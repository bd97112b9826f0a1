"""Class labels: from what users call them to the core's numbers, in order of arrival."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from .exceptions import DataError

Array = npt.NDArray[Any]

#: Types of labels that the core numbers itself.
_WHOLE = (np.dtype(np.int32), np.dtype(np.int64))

#: So many labels are looked for one by one.
_FEW = 8


class Labels:
    """Classes numbered as they come; `sorted` shows them in scikit-learn's order.

    Numbers never change once given, so weights stay where they are when a class appears later.
    """

    def __init__(self) -> None:
        self.names: list[Any] = []
        self.index: dict[Any, int] = {}
        self._sorted: Array | None = None
        self._order: Array | None = None
        self._dtype: np.dtype[Any] | None = None

    def __len__(self) -> int:
        return len(self.names)

    def copy(self) -> Labels:
        """An independent copy."""
        twin = Labels()
        twin.names, twin.index, twin._dtype = list(self.names), dict(self.index), self._dtype
        return twin

    def arrivals(self, y: Array) -> tuple[Array, Array]:
        """The labels of `y` that have no number yet, in the order in which they come, and the row each comes in."""
        new = self.unknown(y)
        if len(new) <= _FEW and y.dtype.kind in "iubf":  # a few comparisons beat a sort
            first = np.array([np.argmax(y == label) for label in new], dtype=np.intp)
        else:
            distinct, places = np.unique(y, return_index=True)
            first = places[np.searchsorted(distinct, new)]
        rows = np.sort(first)
        return y[rows], rows

    def add(self, labels: Array) -> None:
        """Give numbers to labels not met before, in the given order."""
        if len(labels) == 0 and self._dtype is not None:
            return  # nothing, of whatever type
        for label in labels.tolist():
            if label not in self.index:
                self.index[label] = len(self.names)
                self.names.append(label)
        if self._dtype is None:
            self._dtype = labels.dtype
        elif labels.dtype != self._dtype:
            alike = _alike(self._dtype, labels.dtype)
            self._dtype = np.result_type(self._dtype, labels.dtype) if alike else np.dtype(object)
        self._sorted = None

    def _sort(self) -> None:
        if self._dtype is not None and self._dtype.kind != "O":
            values = np.array(self.names, dtype=None if self._dtype.kind in "US" else self._dtype)
        else:
            values = np.empty(len(self.names), dtype=object)
            values[:] = self.names
        try:
            self._order = np.argsort(values, kind="stable")
        except TypeError:
            self._order = np.argsort(
                [f"{type(name).__name__}:{name!r}" for name in self.names], kind="stable"
            )
        self._sorted = values[self._order]

    @property
    def sorted(self) -> Array:
        """The classes, sorted."""
        if self._sorted is None:
            self._sort()
        assert self._sorted is not None
        return self._sorted

    @property
    def order(self) -> Array:
        """The number of each sorted class."""
        if self._sorted is None:
            self._sort()
        assert self._order is not None
        return self._order

    @property
    def in_order(self) -> bool:
        """Whether the classes came sorted, so that numbers are positions."""
        return bool(np.array_equal(self.order, np.arange(len(self.names))))

    def stray(self, y: Array) -> Any:
        """A label of `y` that has no number, or None."""
        return next((label for label in y.tolist() if label not in self.index), None)

    def unknown(self, y: Array) -> Array:
        """The distinct labels of `y` that have no number yet, sorted."""
        try:
            distinct = distinct_labels(y)
        except TypeError:
            raise DataError("y mixes labels that cannot be ordered, such as strings and numbers") from None
        fresh: Array = distinct[
            np.array([label not in self.index for label in distinct.tolist()], dtype=bool)
        ]
        return fresh

    def encode(self, y: Array) -> Array | None:
        """The numbers of `y` as int32, or None when it holds a label not met before."""
        if y.dtype.kind in "iub" and self._dtype is not None and self._dtype.kind in "iub":
            return self._encode_sorted(y)
        if y.dtype.kind == "f" and self._dtype is not None and self._dtype.kind == "f":
            return self._encode_sorted(y)
        if y.dtype.kind in "US" and len(y) > 64:
            return self._encode_sorted(y)
        try:
            return np.fromiter((self.index[label] for label in y.tolist()), dtype=np.int32, count=len(y))
        except (KeyError, TypeError):
            return None

    def _encode_sorted(self, y: Array) -> Array | None:
        classes = self.sorted
        if len(classes) == 0:
            return None
        if y.dtype in _WHOLE and classes.dtype in _WHOLE:
            return _core.number_labels(
                np.ascontiguousarray(y), classes.astype(np.int64), self.order.astype(np.int32)
            )
        position = np.searchsorted(classes, y)
        position[position == len(classes)] = 0
        if not np.array_equal(classes[position], y):
            return None
        numbers: Array = self.order[position].astype(np.int32)
        return numbers


def distinct_labels(y: Array) -> Array:
    """The distinct values of `y`, sorted; counted rather than sorted where they are small whole numbers."""
    if y.dtype.kind in "iu" and len(y) > 1000:
        low, high = int(y.min()), int(y.max())
        if high - low < 1 << 16:
            wide = y if y.dtype.itemsize == 8 else y.astype(np.int64)
            counted = np.bincount((wide - low).astype(np.int64))
            distinct: Array = np.flatnonzero(counted).astype(y.dtype) + y.dtype.type(low)
            return distinct
    return np.unique(y)


def _alike(a: np.dtype[Any], b: np.dtype[Any]) -> bool:
    numbers, words = "iubf", "US"
    return (a.kind in numbers and b.kind in numbers) or (a.kind in words and b.kind in words)
