"""Rows as the core takes them, CSR or dense, and what to say of those it refuses."""

from __future__ import annotations

import sys
from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .. import _core
from .._core import Fault
from ..exceptions import DataError, NumericError

if TYPE_CHECKING:
    from .types import Array


__all__ = ["DenseRows", "Rows", "SparseRows", "narrowed", "refuse", "refuse_dict", "refuse_masked"]


class SparseRows(NamedTuple):
    """CSR arrays, not trusted: the core checks every index before it uses one."""

    data: Array
    indices: Array
    indptr: Array
    n_rows: int
    n_columns: int

    def arguments(self) -> tuple[Any, ...]:
        """What the core takes."""
        return self.data, self.indices, self.indptr, self.n_columns

    def part(self, first: int, last: int) -> SparseRows:
        """Some of the rows, without a copy."""
        return SparseRows(
            self.data, self.indices, self.indptr[first : last + 1], last - first, self.n_columns
        )

    def taken(self, places: Array) -> SparseRows:
        """Some of the rows, in any order; they must have been checked."""
        import numpy as np

        starts, stops = self.indptr[places], self.indptr[places + 1]
        indptr = np.zeros(len(places) + 1, dtype=self.indptr.dtype)
        np.cumsum(stops - starts, out=indptr[1:])
        entries = np.repeat(starts - indptr[:-1], stops - starts) + np.arange(indptr[-1])
        return SparseRows(self.data[entries], self.indices[entries], indptr, len(places), self.n_columns)


class DenseRows(NamedTuple):
    """A two-dimensional array, of any strides."""

    x: Array

    @property
    def n_rows(self) -> int:
        """Rows there are."""
        return int(self.x.shape[0])

    @property
    def n_columns(self) -> int:
        """Columns there are."""
        return int(self.x.shape[1])

    def arguments(self) -> tuple[Any, ...]:
        """What the core takes."""
        return (self.x,)

    def part(self, first: int, last: int) -> DenseRows:
        """Some of the rows, without a copy."""
        return DenseRows(self.x[first:last])

    def taken(self, places: Array) -> DenseRows:
        """Some of the rows, in any order."""
        return DenseRows(self.x[places])


Rows: TypeAlias = SparseRows | DenseRows


def refuse_masked(given: object, name: str) -> None:
    """Refuse an array some of whose entries are masked: the numbers under a mask mean nothing."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(given, masked.MaskedArray) and masked.is_masked(given):
        raise DataError(
            f"{name} has masked entries ({int(masked.getmaskarray(given).sum())} of {given.size}). Impute them, as with "
            f"{name}.filled(value), or drop their rows."
        )


_LARGEST = {"float32": (2 - 2**-23) * 2.0**127, "float64": sys.float_info.max}


def refuse_dict(
    x: Any, fault: int, row: int, column: int, *, single_precision: bool = False, w: Any = None
) -> DataError:
    """The exception for a dict the core refused, which names the feature as the dict does."""
    kind = Fault(fault)
    dtype = "float32" if single_precision else "float64"
    name = _culprit(x, inf if kind != Fault.too_large else _LARGEST[dtype])
    what = f"feature {column}" if name is None else f"feature {name[0]!a}"
    match kind:
        case Fault.nan:
            message = f"{what} is NaN. Impute it, or leave it out."
        case Fault.infinite:
            message = f"{what} is infinite. Clip it, or leave it out."
        case Fault.too_large:
            message = f"{what} is too large for {dtype}. Scale the features, or use dtype='float64'."
        case Fault.bad_weight:
            message = f"w must be finite and not negative, got {w!r}"
        case _:
            error = refuse(fault, row, column, single_precision=single_precision)
            message = str(error).replace("; the rows before it were learned", "")
            return type(error)(message.replace(f"row {row}", "this example"), error.row, error.column)
    return DataError(message, row, column if column >= 0 else None)


def _culprit(x: Any, most: float) -> tuple[Any] | None:
    """The first key of a dict whose value is NaN, infinite or larger than `most`, in a tuple; None where none is found."""
    try:
        for key, value in x.items():
            if not isinstance(value, str) and not abs(float(value)) <= min(most, sys.float_info.max):
                return (key,)
    except Exception:  # something that is no dict, or can be read but once
        pass
    return None


def refuse(
    fault: int, row: int, column: int, *, single_precision: bool = False, learning: bool = True
) -> DataError:
    """The exception for a row the core refused."""
    kind = Fault(fault)
    where = f"row {row}" + (f", column {column}" if column >= 0 else "")
    dtype = "float32" if single_precision else "float64"
    match kind:
        case Fault.nan:
            message = f"X contains NaN at {where}. Impute it, or drop the row."
        case Fault.infinite:
            message = f"X contains infinity at {where}. Clip it, or drop the row."
        case Fault.too_large:
            message = f"X holds a value at {where} too large for {dtype}. Scale the features, or use dtype='float64'."
        case Fault.index_range:
            message = (
                f"row {row} has feature index {column}, outside the columns of X. Check indices and shape."
            )
        case Fault.indptr_order:
            message = f"indptr falls or leaves the arrays at row {row}. It must rise from 0 to the number of entries."
        case Fault.bad_label:
            message = f"the label of row {row} is not one of the classes"
        case Fault.bad_target:
            message = f"y contains NaN or infinity at row {row}. A target must be a finite number."
        case Fault.bad_weight:
            message = f"sample_weight of row {row} must be finite and not negative"
        case Fault.bad_cost:
            message = f"the cost of sequence {row} must be finite and not negative; the sequences before it were learned"
        case Fault.row_length:
            message = f"row {row} has more than a billion entries"
        case Fault.margin_overflow:
            message = f"the score of row {row} overflows {dtype}. Scale the features"
            message += "; the rows before it were learned." if learning else "."
        case Fault.step_overflow:
            other = (
                "use dtype='float64'"
                if single_precision
                else "where the algorithm has one, set min_variance: variances that noisy labels have driven to "
                "nothing make steps without bound"
            )
            message = (
                f"learning row {row} would make a weight overflow {dtype}. Scale the features, or {other}; "
                "the rows before it were learned."
            )
        case Fault.variance_overflow:
            other = " or dtype='float64'" if single_precision else ""
            message = (
                f"learning row {row} would make a variance overflow {dtype}. Scale the features, or use a smaller "
                f"initial_variance{other}; the rows before it were learned."
            )
        case Fault.too_many_means:
            message = (
                f"row {row} brings more features than the 65536 that center=True bears: a centred row has an entry for every "
                "feature so far. Use center=False, as for hashed words, where zeros say most; a StandardScaler before the "
                "model centres as many as the memory holds. The rows before it were learned."
            )
        case _:
            message = f"row {row} was refused"
    numeric = kind in (
        Fault.margin_overflow,
        Fault.step_overflow,
        Fault.variance_overflow,
        Fault.too_many_means,
    )
    error = NumericError if numeric else DataError
    return error(message, row, column if column >= 0 else None)


def narrowed(rows: Rows, n_features: int, single_precision: bool) -> Rows:
    """Rows without the features a learner has never met: they have no weight."""
    if isinstance(rows, DenseRows):
        return DenseRows(rows.x[:, :n_features])
    fault, row, column = _core.inspect_csr(*rows.arguments(), single_precision)
    if fault:
        raise refuse(fault, row, column, single_precision=single_precision, learning=False)
    kept = _core.narrow_csr(rows.data, rows.indices, rows.indptr, n_features)
    data, indices, indptr = (rows.data, rows.indices, rows.indptr) if kept is None else kept
    return SparseRows(data, indices, indptr, rows.n_rows, n_features)
