"""Rows as the core wants them: CSR or dense arrays of float32 or float64, without copies where none is needed."""

from __future__ import annotations

import sys
from functools import cache
from typing import Any, NamedTuple, TypeAlias

from .._core import Fault
from .._numpy import Array, np
from ..exceptions import DataError, NumericError


@cache
def types_taken() -> tuple[tuple[np.dtype[Any], ...], tuple[np.dtype[Any], ...]]:
    """The types of values and of indices that the core takes as they are."""
    return (np.dtype(np.float32), np.dtype(np.float64)), (np.dtype(np.int32), np.dtype(np.int64))


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


Rows: TypeAlias = SparseRows | DenseRows


def is_sparse(X: Any) -> bool:
    """Whether `X` is a scipy.sparse matrix or array, found without importing scipy."""
    return hasattr(X, "format") and hasattr(X, "tocsr")


def quick_rows(X: Any) -> Rows | None:
    """Rows the core can use as they are, or None when `X` needs converting."""
    floats, integers = types_taken()
    if type(X) is np.ndarray:
        return DenseRows(X) if X.ndim == 2 and X.dtype in floats and is_regular(X) else None
    if getattr(X, "format", None) == "csr" and hasattr(X, "indptr"):
        data, indices, indptr = X.data, X.indices, X.indptr
        if data.dtype in floats and indices.dtype in integers and indptr.dtype in integers:
            n_rows, n_columns = X.shape
            if indptr.shape[0] != n_rows + 1:
                raise DataError(
                    f"indptr has {indptr.shape[0]} entries for {n_rows} rows; it needs one more than rows"
                )
            if data.shape[0] != indices.shape[0]:
                raise DataError(
                    f"data has {data.shape[0]} entries and indices {indices.shape[0]}; they must agree"
                )
            return SparseRows(regular(data), regular(indices), regular(indptr), n_rows, n_columns)
    return None


def is_regular(array: Array) -> bool:
    """Whether every element lies at a multiple of its size, as the core reads it."""
    return array.flags.aligned and not any(step % array.itemsize for step in array.strides)


def regular(array: Array) -> Array:
    """The array itself, or a copy whose elements lie one after the other at multiples of their size."""
    return array if array.flags.aligned and array.flags.c_contiguous else array.copy()


def refuse_masked(given: Any, name: str) -> None:
    """Refuse an array some of whose entries are masked: the numbers under a mask mean nothing."""
    masked = sys.modules.get("numpy.ma")
    if masked is not None and isinstance(given, masked.MaskedArray) and masked.is_masked(given):
        raise DataError(
            f"{name} has masked entries ({int(masked.getmaskarray(given).sum())} of {given.size}). Impute them, as with "
            f"{name}.filled(value), or drop their rows."
        )


def check_sparse(X: Any) -> None:
    """Look at the indices of sparse formats that SciPy will convert: its conversions trust them."""
    if not is_sparse(X):
        return
    if len(X.shape) != 2:
        raise DataError(
            f"X must have two dimensions, got {len(X.shape)}; use X.reshape(1, -1) for a single example"
        )
    if X.format in ("csc", "bsr") or (X.format == "csr" and quick_rows(X) is None):
        for name in ("indices", "indptr"):
            kind = getattr(X, name).dtype
            if kind.kind != "i":
                raise DataError(
                    f"X is not a valid {X.format} matrix: {name} must hold signed integers, got {kind}"
                )
        try:
            X.check_format(full_check=True)
        except (ValueError, IndexError) as error:
            raise DataError(f"X is not a valid {X.format} matrix: {error}") from None
    if X.format == "coo":
        for axis, (name, index) in enumerate(zip(("row", "column"), (X.row, X.col), strict=True)):
            if len(index) != len(X.data) or (
                len(index) and not 0 <= index.min() <= index.max() < X.shape[axis]
            ):
                raise DataError(
                    f"X is not a valid coo matrix: a {name} index lies outside the shape {X.shape}"
                )


def to_rows(X: Any) -> Rows:
    """Rows from anything two-dimensional and numeric; used where scikit-learn's validation is not wanted."""
    rows = quick_rows(X)
    if rows is not None:
        return rows
    floats, _ = types_taken()
    if is_sparse(X):
        check_sparse(X)
        csr = X.tocsr()
        data = csr.data if csr.data.dtype in floats else csr.data.astype(np.float64)
        return SparseRows(regular(data), regular(csr.indices), regular(csr.indptr), *csr.shape)
    refuse_masked(X, "X")
    x = np.asarray(X)
    if x.dtype in floats:
        x = x if is_regular(x) else x.copy()
    if x.dtype not in floats:
        try:
            x = x.astype(np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            raise DataError(f"X must be numeric, got dtype {x.dtype}") from error
    if x.ndim != 2:
        raise DataError(
            f"X must have two dimensions, got {x.ndim}; use X.reshape(1, -1) for a single example"
        )
    return DenseRows(x)


def refuse_dict(
    x: Any, fault: int, row: int, column: int, *, single_precision: bool = False, w: Any = None
) -> DataError:
    """The exception for a dict the core refused, which names the feature as the dict does."""
    kind = Fault(fault)
    dtype = "float32" if single_precision else "float64"
    name = _culprit(x, np.inf if kind != Fault.too_large else float(np.finfo(dtype).max))
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
        case _:
            message = f"row {row} was refused"
    numeric = kind in (Fault.margin_overflow, Fault.step_overflow, Fault.variance_overflow)
    error = NumericError if numeric else DataError
    return error(message, row, column if column >= 0 else None)
