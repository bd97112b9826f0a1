"""Class labels: from what users call them to the core's numbers, in order of arrival."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from . import _core
from ._numpy import Array, np
from ._rows import types_taken
from .exceptions import DataError


class Classes:
    """The classes there were at one moment: whoever reads takes them once, and nothing changes under him."""

    def __init__(self, names: list[Any], type: str | None) -> None:
        self._names = names  # only ever added to
        self.count = len(names)
        self.type = type

    def among(self, n_blocks: int) -> Classes:
        """Those a learner of so many blocks knows: another thread may be about to bring it more."""
        if self.count <= n_blocks or self.count <= 2:
            return self
        return Classes(self._names[: max(n_blocks, 2)], self.type)

    @cached_property
    def dtype(self) -> np.dtype[Any] | None:
        """The type of the array that would hold them."""
        return None if self.type is None else np.dtype(self.type)

    @cached_property
    def ranking(self) -> list[int]:
        """The number of each sorted class, as a list."""
        numbers, names = range(self.count), self._names
        try:
            return sorted(numbers, key=names.__getitem__)
        except TypeError:  # words and numbers
            return sorted(numbers, key=lambda i: f"{type(names[i]).__name__}:{names[i]!r}")

    @property
    def names(self) -> list[Any]:
        """The classes in the order of their numbers."""
        return self._names[: self.count]

    @cached_property
    def ranked(self) -> list[Any]:
        """The classes, sorted, as a list."""
        return [self._names[number] for number in self.ranking]

    @cached_property
    def sorted(self) -> Array:
        """The classes, sorted."""
        kind = "O" if self.dtype is None else self.dtype.kind
        if kind == "O":
            made = np.empty(self.count, dtype=object)
            made[:] = self.ranked
            return made
        return np.array(self.ranked, dtype=None if kind in "US" else self.dtype)

    @cached_property
    def order(self) -> Array:
        """The number of each sorted class."""
        return np.array(self.ranking, dtype=np.intp)

    @cached_property
    def in_order(self) -> bool:
        """Whether the classes came sorted, so that numbers are positions."""
        return self.ranking == list(range(self.count))


class Labels:
    """Classes numbered as they come; `sorted` shows them in scikit-learn's order.

    Numbers never change once given, so weights stay where they are when a class appears later.
    """

    def __init__(self) -> None:
        self.names: list[Any] = []
        self.index: dict[Any, int] = {}
        #: The classes as they are now; replaced when they change.
        self.classes = Classes(self.names, None)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def type(self) -> str | None:
        """The type of the array that would hold them, as NumPy writes it."""
        return self.classes.type

    def copy(self) -> Labels:
        """An independent copy."""
        twin = Labels()
        twin.names, twin.index = list(self.names), dict(self.index)
        twin.classes = Classes(twin.names, self.type)
        return twin

    def mark(self) -> tuple[int, str | None]:
        """The present state, to come back to with `rewind`."""
        return len(self.names), self.type

    def rewind(self, mark: tuple[int, str | None]) -> None:
        """Forget the classes that came after a mark."""
        count, kind = mark
        for name in self.names[count:]:
            del self.index[name]
        self.names = self.names[:count]  # another list: somebody may be reading this one
        self.classes = Classes(self.names, kind)

    def arrivals(self, y: Array) -> tuple[Array, Array]:
        """The labels of `y` that have no number yet, in the order in which they come, and the row each comes in."""
        rows = first_rows(y)
        if rows is None:
            with _orderable():
                rows = np.sort(np.unique(y, return_index=True)[1])
        rows = rows[[label not in self.index for label in y[rows].tolist()]]
        return y[rows], rows

    def add(self, labels: Array | list[Any]) -> None:
        """Give numbers to labels not met before, in the given order."""
        if len(labels) == 0 and self.type is not None:
            return  # nothing, of whatever type
        for label in labels if isinstance(labels, list) else labels.tolist():
            if label not in self.index:
                self.index[label] = len(self.names)
                self.names.append(label)
        self.classes = Classes(self.names, _joined(self.type, type_of(labels)))

    @property
    def ranking(self) -> list[int]:
        """The number of each sorted class, as a list."""
        return self.classes.ranking

    @property
    def sorted(self) -> Array:
        """The classes, sorted."""
        return self.classes.sorted

    @property
    def order(self) -> Array:
        """The number of each sorted class."""
        return self.classes.order

    def stray(self, y: Array) -> Any:
        """A label of `y` that has no number, or None."""
        return next((label for label in y.tolist() if label not in self.index), None)

    def unknown(self, y: Array) -> Array:
        """The distinct labels of `y` that have no number yet, sorted."""
        with _orderable():
            distinct = distinct_labels(y)
        fresh: Array = distinct[
            np.array([label not in self.index for label in distinct.tolist()], dtype=bool)
        ]
        return fresh

    def encode(self, y: Array) -> Array | None:
        """The numbers of `y` as int32, or None when it holds a label not met before."""
        dtype = self.classes.dtype
        if y.dtype.kind in "iub" and dtype is not None and dtype.kind in "iub":
            return self._encode_sorted(y)
        if y.dtype.kind == "f" and dtype is not None and dtype.kind == "f":
            return self._encode_sorted(y)
        if y.dtype.kind in "US" and dtype is not None and dtype.kind == y.dtype.kind and len(y) > 64:
            return self._encode_sorted(y)
        try:
            return np.fromiter((self.index[label] for label in y.tolist()), dtype=np.int32, count=len(y))
        except (KeyError, TypeError):
            return None

    def _encode_sorted(self, y: Array) -> Array | None:
        known = self.classes
        classes = known.sorted
        if len(classes) == 0:
            return None
        whole = types_taken()[1]  # which the core numbers itself
        if y.dtype in whole and classes.dtype in whole:
            return _core.number_labels(
                np.ascontiguousarray(y), classes.astype(np.int64), known.order.astype(np.int32)
            )
        position = np.searchsorted(classes, y)
        position[position == len(classes)] = 0
        if not np.array_equal(classes[position], y):
            return None
        numbers: Array = known.order[position].astype(np.int32)
        return numbers


def mixed_labels() -> DataError:
    """What is wrong with labels that cannot be sorted."""
    return DataError(
        "y mixes labels that cannot be ordered, such as strings and numbers. Make all of them strings, "
        "or use fit_stream, which tells them apart."
    )


@contextmanager
def _orderable() -> Iterator[None]:
    """Say what is wrong with labels that cannot be sorted."""
    try:
        yield
    except TypeError:
        raise mixed_labels() from None


def first_rows(y: Array) -> Array | None:
    """The row in which each label comes for the first time, for whole numbers that do not lie far apart."""
    if y.dtype not in types_taken()[1]:
        if y.dtype.kind not in "iub" or y.dtype.itemsize > 4:
            return None
        y = y.astype(np.int64)
    rows = _core.first_rows(np.ascontiguousarray(y))
    return None if rows is None else np.array(rows, dtype=np.intp)


def distinct_labels(y: Array) -> Array:
    """The distinct values of `y`, sorted."""
    rows = first_rows(y)
    return np.unique(y) if rows is None else np.sort(y[rows])


_ORDER = "<" if sys.byteorder == "little" else ">"


def type_of(labels: Array | list[Any]) -> str:
    """The type of an array of labels; that of a list, as a stream brings them, is known without making one."""
    if isinstance(labels, list):
        kinds = {type(label) for label in labels}
        if kinds == {str}:
            return f"{_ORDER}U{max(1, *map(len, labels))}"
        if kinds == {int} and all(abs(label) < 1 << 63 for label in labels):
            return f"{_ORDER}i8"
        if kinds == {float}:
            return f"{_ORDER}f8"
    return np.asarray(labels).dtype.str


def _joined(before: str | None, added: str) -> str:
    """The type that holds labels of both types; words and numbers are joined only as objects."""
    if before is None or before == added:
        return added
    if before[1] == added[1] == "U":
        return before if int(before[2:]) > int(added[2:]) else added
    a, b = np.dtype(before), np.dtype(added)
    alike = any(a.kind in kinds and b.kind in kinds for kinds in ("iubf", "US"))
    return np.result_type(a, b).str if alike else np.dtype(object).str
