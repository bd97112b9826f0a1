"""Class labels: from what users call them to the core's numbers, in order of arrival."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cached_property
from math import isfinite
from typing import TYPE_CHECKING, Any

from .. import _core
from ..exceptions import DataError
from .parameters import MOST_BITS, told
from .rows import refuse_masked

if TYPE_CHECKING:
    import numpy as np

    from .types import Array, Label, LabelsLike


class Classes:
    """The classes there were at one moment: whoever reads takes them once, and nothing changes under him."""

    def __init__(self, names: list[Label], type: str | None) -> None:
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
        import numpy as np

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
    def names(self) -> list[Label]:
        """The classes in the order of their numbers."""
        return self._names[: self.count]

    @cached_property
    def ranked(self) -> list[Label]:
        """The classes, sorted, as a list."""
        return [self._names[number] for number in self.ranking]

    @cached_property
    def sorted(self) -> Array:
        """The classes, sorted."""
        import numpy as np

        kind = "O" if self.dtype is None else self.dtype.kind
        if kind == "O":
            made = np.empty(self.count, dtype=object)
            made[:] = self.ranked
            return made
        return np.array(self.ranked, dtype=None if kind == "U" else self.dtype)

    @cached_property
    def order(self) -> Array:
        """The number of each sorted class."""
        import numpy as np

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
        self.names: list[Label] = []
        self.index: dict[Label, int] = {}
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
        twin.classes = Classes(twin.names, self.classes.type)
        return twin

    def rewind(self, mark: tuple[int, str | None]) -> None:
        """Forget the classes that came after a mark: how many there were, and their type then."""
        count, kind = mark
        for name in self.names[count:]:
            del self.index[name]
        self.names = self.names[:count]  # another list: somebody may be reading this one
        self.classes = Classes(self.names, kind)

    def arrivals(self, y: Array) -> tuple[Array, Array]:
        """The labels of `y` that have no number yet, in the order in which they come, and the row each comes in."""
        import numpy as np

        rows = first_rows(y)
        if rows is None:
            with _orderable():
                rows = np.sort(np.unique(y, return_index=True)[1])
        rows = rows[[label not in self.index for label in y[rows].tolist()]]
        return y[rows], rows

    def add(self, labels: Array | list[Label]) -> None:
        """Give numbers to labels not met before, in the given order; nothing changes where one of them is refused."""
        if len(labels) == 0:
            return  # nothing, of whatever type
        added = type_of(labels)
        fresh = [label for label in map(label_of, _plain(labels)) if label not in self.index]
        kind = _joined(self.classes.type, added)
        if kind[1] == "f" and (added != kind or self.classes.type not in (None, kind)):
            _need_exact([*self.names, *fresh], kind)
        for label in fresh:
            if label not in self.index:
                self.index[label] = len(self.names)
                self.names.append(label)
        self.classes = Classes(self.names, kind)

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

    def stray(self, y: Array) -> Label:
        """A label of `y` that has no number, or None."""
        return next((label for label in y.tolist() if label not in self.index), None)

    def unknown(self, y: Array) -> Array:
        """The distinct labels of `y` that have no number yet, sorted."""
        import numpy as np

        with _orderable():
            distinct = distinct_labels(y)
        fresh: Array = distinct[
            np.array([label not in self.index for label in distinct.tolist()], dtype=bool)
        ]
        return fresh

    def encode(self, y: Array) -> Array | None:
        """The numbers of `y` as int32, or None when it holds a label not met before."""
        import numpy as np

        dtype = self.classes.dtype
        if len(y) == 0:
            return np.empty(0, dtype=np.int32)
        if y.dtype.kind in "iub" and dtype is not None and dtype.kind in "iub":
            return self._encode_sorted(y)
        if y.dtype.kind == "f" and dtype is not None and dtype.kind == "f":
            return self._encode_sorted(y)
        if y.dtype.kind == "U" and dtype is not None and dtype.kind == "U" and len(y) > 64:
            return self._encode_sorted(y)
        try:
            return np.fromiter((self.index[label] for label in y.tolist()), dtype=np.int32, count=len(y))
        except (KeyError, TypeError):
            return None

    def _encode_sorted(self, y: Array) -> Array | None:
        import numpy as np

        known = self.classes
        classes = known.sorted
        if len(classes) == 0:
            return None
        whole = (np.int32, np.int64)  # which the core numbers itself
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
    import numpy as np

    if y.dtype not in (np.int32, np.int64):
        if y.dtype.kind not in "iub" or y.dtype.itemsize > 4:
            return None
        y = y.astype(np.int64)
    rows = _core.first_rows(np.ascontiguousarray(y))
    return None if rows is None else np.array(rows, dtype=np.intp)


def distinct_labels(y: Array) -> Array:
    """The distinct values of `y`, sorted."""
    import numpy as np

    rows = first_rows(y)
    return np.unique(y) if rows is None else np.sort(y[rows])


_ORDER = "<" if sys.byteorder == "little" else ">"


def type_of(labels: Array | list[Label]) -> str:
    """The type of an array of labels; that of a list, as a stream brings them, is known without making one."""
    if isinstance(labels, list):
        kinds = {type(label) for label in labels}
        if kinds == {str}:
            return f"{_ORDER}U{max(1, *map(len, labels))}"
        if kinds == {int} and all(abs(label) < 1 << 63 for label in labels):
            return f"{_ORDER}i8"
        if kinds == {float}:
            return f"{_ORDER}f8"
    import numpy as np

    return np.asarray(labels).dtype.str


def _joined(before: str | None, added: str) -> str:
    """The type that holds labels of both types; words and numbers are joined only as objects."""
    if before is None or before == added:
        return added
    if before[1] == added[1] == "U":
        return before if int(before[2:]) > int(added[2:]) else added
    import numpy as np

    a, b = np.dtype(before), np.dtype(added)
    numbers = a.kind in "iubf" and b.kind in "iubf"
    return np.result_type(a, b).str if numbers else np.dtype(object).str


# ---------------------------------------------------------------------- what may be a label


def label_array(y: LabelsLike) -> Array:
    """Labels as an array, which must hold each of them as it was given.

    NumPy makes words of numbers that stand among words, floats of whole numbers that stand among floats, and leaves out
    a NUL at the end of a word: by `learn_one` the same labels would be other classes.
    """
    import numpy as np

    refuse_masked(y, "y")
    kind = getattr(y, "dtype", None)
    if not isinstance(kind, np.dtype) and getattr(kind, "kind", "") in ("i", "u", "b"):
        y = y.tolist()  # whole numbers of a data frame that may be missing, which NumPy would make floats
    array = np.asarray(y)
    if array.dtype.kind not in _LABEL_KINDS:
        raise _no_label(array.ravel()[0] if array.size else array.dtype.type())
    if array.dtype == object:
        for label in {type(label): label for label in array.ravel().tolist()}.values():
            label_of(label)
    elif array.ndim == 1 and isinstance(y, list | tuple):
        if array.dtype.kind == "f" and {type(label) for label in y} == {int}:  # some of them past 2**63
            if min(y) < 0:
                raise inexact_labels(max(y))
            array = np.array(y, dtype=np.uint64)
        kept = array.tolist()
        if kept != list(y):
            for was, label in zip(y, kept, strict=True):
                if was == was and label != was:  # NaN is refused elsewhere
                    raise _changed(was, label)
    return array


def flat_labels(labels: Iterable[Label]) -> Array:
    """Labels as a flat array; mixed kinds are refused rather than turned into strings."""
    import numpy as np

    values = list(labels)
    array = label_array(values)
    if array.ndim != 1 or len({isinstance(value, str | bytes) for value in values}) > 1:
        raise mixed_labels()
    return array if values else np.empty(0, dtype=np.int64)


#: Kinds of arrays that hold labels: numbers, truth, words, and objects that may be any of them.
_LABEL_KINDS = "iubfUO"


def _plain(labels: Array | list[Label]) -> list[Label]:
    if isinstance(labels, list):
        return labels
    if labels.dtype.kind not in _LABEL_KINDS:
        raise _no_label(labels.ravel()[0])
    out: list[Label] = labels.tolist()
    return out


def label_of(label: Label) -> Label:
    """A label as models keep it; one that no model file can hold is refused when it comes, not when it is saved."""
    if isinstance(label, str):  # words and whole numbers without NumPy, which a command may not have imported
        if label[-1:] == "\0":
            raise _changed(label, label.rstrip("\0"))
        return label if type(label) is str else str.__str__(label)
    if isinstance(label, float):
        if not isfinite(label):
            raise DataError(
                f"y contains {label!r}; a label must be finite. Leave out rows whose label is missing."
            )
        return label if type(label) is float else float.__float__(label)
    if isinstance(label, int):
        if label.bit_length() > MOST_BITS:
            raise DataError(
                f"y contains {told(label)}; a label may have {MOST_BITS}, else the model's file could not be read. "
                "Make it a string, as with hex(label)."
            )
        return label
    import numpy as np

    if isinstance(label, np.generic) and not _is_time(label):
        plain = label.item()
        if isinstance(plain, bool | int | float | str):
            return label_of(plain)
    raise _no_label(label)


def _is_time(label: Label) -> bool:
    """Whether a label is one of NumPy's times, whose nanoseconds it gives as a plain number."""
    import numpy as np

    return isinstance(label, np.datetime64 | np.timedelta64)


def _no_label(label: Label) -> DataError:
    """What is wrong with a label that no model file can hold."""
    import numpy as np

    if isinstance(label, np.generic) and not _is_time(label):
        label = label.item()
    if isinstance(label, bytes):
        remedy = "Decode it, as with y.astype(str) or label.decode()"
    elif label is None or type(label).__name__ in ("NAType", "NaTType"):
        remedy = "Leave out rows whose label is missing"
    else:
        remedy = "Make it one, as with str(label)"
    said = "Complex data not supported: " if isinstance(label, complex) else ""  # in scikit-learn's words
    return DataError(
        f"{said}y contains {label!r}, of type {type(label).__name__}; a label must be a string or a number, else the "
        f"model could not be saved. {remedy}."
    )


def _changed(given: Label, label: Label) -> DataError:
    """What is wrong with a label that an array of labels cannot hold as it is."""
    if isinstance(given, bytes):
        return _no_label(given)
    if isinstance(given, str):
        return DataError(
            f"y contains {given!r}, which ends in NUL; arrays of text cannot tell it from {label!r}. Strip it."
        )
    return inexact_labels(given) if isinstance(label, float) else mixed_labels()


def inexact_labels(label: Label) -> DataError:
    """What is wrong with a whole number that would be joined with numbers of another type."""
    return DataError(
        f"y has the class {label!r} beside classes of another type of number, and no type holds all of them exactly. "
        "Give all labels one whole-numbered type, or make them strings."
    )


def _need_exact(names: list[Label], kind: str) -> None:
    """Refuse classes that the type of their array would change: two of them might become one."""
    import numpy as np

    for name, kept in zip(names, np.array(names, dtype=kind).tolist(), strict=True):
        if name != kept:
            raise inexact_labels(name)
