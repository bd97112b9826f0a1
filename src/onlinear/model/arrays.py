"""What users hold, as the arrays the core takes: rows, targets, label lists, weights."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ..exceptions import DataError
from .rows import DenseRows, Rows, SparseRows, refuse_masked

if TYPE_CHECKING:
    from .types import Array, MatrixLike

__all__ = [
    "check_sparse",
    "is_sparse",
    "label_lists",
    "quick_rows",
    "targets_of",
    "to_rows",
    "type_of_values",
    "weighty",
]


def targets_of(y: npt.ArrayLike, n: int) -> Array:
    """Regression targets as the core wants them; it refuses those that are not finite."""
    if y is None:
        raise DataError(f"y must hold a target for each of {n} rows, got None")
    refuse_masked(y, "y")
    try:
        targets = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"y must hold numbers: {error}") from None
    if targets.shape != (n,):
        raise DataError(f"y must have shape ({n},), got {targets.shape}")
    return targets


def label_lists(y: Iterable[Iterable[int]]) -> tuple[Array, Array]:
    """Lists of label numbers as the core wants them: all labels, and where each list starts."""
    try:
        lists = [np.asarray(list(labels)) for labels in y]
    except TypeError:
        raise DataError(f"y must hold a list of label numbers for each row, got {y!r}") from None
    for row, labels in enumerate(lists):
        if labels.size and (labels.ndim != 1 or labels.dtype.kind not in "iu"):
            raise DataError(
                f"the labels of row {row} must be a list of label numbers, got {labels.tolist()}", row
            )
    starts = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([labels.size for labels in lists], out=starts[1:])
    flat = np.concatenate(lists) if lists else np.empty(0)
    return np.ascontiguousarray(flat, dtype=np.int32), starts


def weighty(weights: Array | None, n: int) -> Array | int:
    """The rows that have a weight; their number where all of them have."""
    return n if weights is None or weights.all() else np.flatnonzero(weights)


@cache
def types_taken() -> tuple[tuple[np.dtype[Any], ...], tuple[np.dtype[Any], ...]]:
    """The types of values and of indices that the core takes as they are."""
    return (np.dtype(np.float32), np.dtype(np.float64)), (np.dtype(np.int32), np.dtype(np.int64))


def is_sparse(X: MatrixLike) -> bool:
    """Whether `X` is a scipy.sparse matrix or array, found without importing scipy."""
    return hasattr(X, "format") and hasattr(X, "tocsr")


def quick_rows(X: MatrixLike) -> Rows | None:
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


def check_sparse(X: MatrixLike) -> None:
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
        if (X.indptr[1:] < X.indptr[:-1]).any():  # which SciPy does not look at where the last of them is 0
            raise DataError(f"X is not a valid {X.format} matrix: indptr falls")
    if X.format == "coo":
        for axis, (name, index) in enumerate(zip(("row", "column"), (X.row, X.col), strict=True)):
            if len(index) != len(X.data) or (
                len(index) and not 0 <= index.min() <= index.max() < X.shape[axis]
            ):
                raise DataError(
                    f"X is not a valid coo matrix: a {name} index lies outside the shape {X.shape}"
                )


def to_rows(X: MatrixLike) -> Rows:
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


def type_of_values(X: MatrixLike) -> str:
    """The type that holds the values of a matrix: float64 where any of them would lose digits as float32."""
    given = getattr(X, "dtype", None)
    if given is None and not hasattr(X, "dtypes"):
        return "float64"  # lists of Python numbers
    if given is None:  # data frames: float64 as soon as one column is
        return "float64" if any(map(_is_wide, _column_types(X))) else "float32"
    return "float64" if _is_wide(given) else "float32"


def _is_wide(kind: Any) -> bool:
    """Whether numbers of a type, of NumPy's or of a data frame's, would lose digits as float32."""
    try:
        dtype = np.dtype(kind)
    except TypeError:
        return any(name in str(kind).lower() for name in ("float64", "double"))
    return bool(dtype.kind == "O" or (dtype.kind == "f" and dtype.itemsize >= 8))


def _column_types(X: MatrixLike) -> list[Any]:
    kinds = X.dtypes
    return list(kinds.values) if hasattr(kinds, "values") and not isinstance(kinds, dict) else list(kinds)
