"""Data frames, of pandas, polars or Arrow, as the doors of files read them: through narwhals.

A column means what it means in Parquet. A column of Python's objects is read cell by cell, as a line of JSON is.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from ..exceptions import DataError, ParameterError, ReadError
from ._columns import ColumnFeatures, Floats, TableRows, known_roles
from ._settings import Settings

if TYPE_CHECKING:
    from ..model.types import Array, Values

__all__ = ["FrameRows", "as_frame", "lacking_cells", "not_of_numbers", "of_numbers", "read_frame", "table_of"]

_IGNORE = 'Leave it out, as in X.drop(columns=["{name}"]), or convert it.'
_NO_TIMES = (
    "Take what matters of it as features of their own, such as the hour, and leave it out; or make text of it, and it "
    "is a category."
)


class FrameRows(NamedTuple):
    """The rows of a frame as CSR, and what there is to know about them.

    Attributes
    ----------
    indptr, indices, values : array
        The rows.
    words : dict of int to str
        Names of columns of features.
    schema : dict
        How rows became columns, as of a `Batch`.
    unknown : list of str
        Columns of the frame that are none of the model's.
    """

    indptr: Array
    indices: Array
    values: Array
    words: dict[int, str]
    schema: Values
    unknown: list[str]


def as_frame(X: Any) -> Any:
    """A frame that is held in memory as narwhals sees it; None for anything else."""
    if type(X) is np.ndarray or not (hasattr(X, "columns") or hasattr(X, "column_names")):
        return None
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except DuplicateError as error:
        raise DataError(f"X has columns of one name; rename one of them. {error}") from None
    return frame if isinstance(frame, nw.DataFrame) else None


def of_numbers(frame: Any) -> bool:
    """Whether every column holds numbers or truth: such a frame is a matrix with names.

    A column without any value holds whatever the others do.
    """
    return not_of_numbers(frame) is None and any(
        _kind(column) == "numeric" for column in frame.iter_columns()
    )


def not_of_numbers(frame: Any) -> Any:
    """The first column that holds something else; None where there is none."""
    others = (column for column in frame.iter_columns() if _kind(column) not in ("numeric", "undecided"))
    return next(others, None)


def table_of(X: Any) -> Any:
    """A frame as a table of Arrow, for `onlinear.read`."""
    frame = as_frame(X)
    if frame is None:
        raise ParameterError(
            f"read: a {type(X).__name__} is no data frame that is held in memory; collect it first"
        )
    try:
        return frame.to_arrow().select(list(map(str, frame.columns)))
    except ImportError as error:
        raise ReadError("reading a data frame needs pyarrow. Install onlinear[parquet].", "") from error
    except (ValueError, TypeError) as error:
        raise DataError(
            f"the data frame has a column of several kinds ({error}); give each column one, or give fit the frame"
        ) from error


def lacking_cells(frame: Any) -> Array:
    """Which cells of a frame are missing."""
    return np.column_stack([_lacking(column) for column in frame.iter_columns()])


def read_frame(frame: Any, settings: Settings) -> FrameRows:
    """The features of a frame's rows.

    Parameters
    ----------
    frame : narwhals.DataFrame
        As `as_frame` gives it.
    settings : Settings
        How a model reads; `known` are its columns.

    Raises
    ------
    DataError
        For a column or a cell that is no feature, by name and row.
    """
    names = [str(name) for name in frame.columns]
    columns = dict(zip(names, frame.iter_columns(), strict=True))
    if len(columns) < len(names):
        raise DataError("X has columns of one name, as 1 and '1'; rename one of them")
    roles, lacking, unknown = known_roles({name: _kind(column) for name, column in columns.items()}, settings)
    if lacking:
        raise DataError(
            f'X has no column "{lacking[0]}", which the model has learned from; it has {", ".join(names)}. Add it, empty '
            f"where there is none: X.assign({lacking[0]}=None)"
        )
    features = ColumnFeatures("frame", settings)
    rows = TableRows(len(frame))
    table = _Table(features, rows, dict(settings.known))
    for number, (name, column) in enumerate(columns.items()):
        roles[name] = table.add(number, name, column, roles[name])
    if rows.refused:
        row, (column_number, expected, found, remedy) = min(rows.refused.items())
        name = names[column_number - 1]
        raise DataError(
            f'column "{name}" of X, row {row}: expected {expected}, found {found}. {remedy}',
            row,
            column_number - 1,
        )
    indptr, indices, values = rows.compressed(np.ones(rows.n_rows, bool), features.bits)
    schema = settings.schema("frame") or {}
    if not features.older:
        schema = {**schema, "columns": roles, "open": False}
    return FrameRows(indptr, indices, values, features.names(), schema, unknown)


class _Table:
    """Adds columns to the rows of a table."""

    def __init__(self, features: ColumnFeatures, rows: TableRows, known: Mapping[str, str]) -> None:
        self._features = features
        self._rows = rows
        self._known = known

    def add(self, number: int, name: str, column: Any, role: str) -> str:
        """Add a column; returns what it was taken for."""
        kind = _kind(column)
        if role in ("label", "weight", "tag", "ignored", "undecided") or kind == "undecided":
            return role
        if role in ("unknown", "time"):
            remedy = _NO_TIMES if role == "time" else _IGNORE.format(name=name)
            raise DataError(f'column "{name}" of X has type {column.dtype}, which is no feature. {remedy}')
        if role == "text":
            self._features.add_texts(self._rows, self._texts(name, column, kind))
        elif kind == "objects":
            return self._add_objects(number, name, column, role)
        elif role == "numeric" and kind == "numeric":
            self._features.add_numbers(self._rows, number, name, *_numbers(column))
        elif role == "numeric":
            raise DataError(
                f'column "{name}" of X holds {column.dtype}, and numbers when the model learned from it. Convert it'
            )
        else:
            pairs = _categories(column)
            self._add_categories(number, name, pairs)
        return role

    def _add_categories(self, number: int, name: str, pairs: Iterable[tuple[int, Any]]) -> None:
        table: dict[Any, int] = {}
        parents, codes = [], []
        for row, value in pairs:
            parents.append(row)
            codes.append(table.setdefault((type(value), value), len(table)))
        self._features.add_categories(
            self._rows,
            number,
            name,
            np.array(parents, np.int64),
            np.array(codes, np.int64),
            [value for _, value in table],
            said=self._known.get(name) == "categorical",
        )

    def _texts(self, name: str, column: Any, kind: str) -> list[Any]:
        texts = [None if _is_missing(text) else text for text in column.to_list()]
        for row, text in enumerate(texts):
            if text is not None and not isinstance(text, str):
                raise DataError(f'column "{name}" of X must hold text, and row {row} is {text!r}', row)
        return texts

    def _add_objects(self, number: int, name: str, column: Any, role: str) -> str:
        """Add a column of objects; what it was taken for where all of them are of one kind."""
        numbers: list[tuple[int, float]] = []
        words: list[tuple[int, Any]] = []
        for row, value in enumerate(column.to_list()):
            if _is_missing(value):
                continue
            if isinstance(value, list | tuple | np.ndarray):
                words.extend((row, self._word(name, row, item)) for item in value)
            elif isinstance(value, str) or role == "categorical":
                words.append((row, value))
            elif isinstance(value, Number | np.bool_):
                numbers.append((row, float(value)))  # type: ignore[arg-type]
            else:
                raise self._refused(name, row, value)
        if words and role == "numeric":
            raise DataError(
                f'column "{name}" of X, row {words[0][0]}: {words[0][1]!r} is no number, and the model has learned numbers '
                "from it",
                words[0][0],
            )
        floats, valid = np.zeros(self._rows.n_rows), np.zeros(self._rows.n_rows, bool)
        for row, number_there in numbers:
            floats[row], valid[row] = number_there, True
        if numbers:
            self._features.add_numbers(self._rows, number, name, floats, valid)
        if words:
            self._add_categories(number, name, words)
        return "undecided" if bool(numbers) == bool(words) else "numeric" if numbers else "categorical"

    def _word(self, name: str, row: int, value: Any) -> str:
        if not isinstance(value, str):
            raise self._refused(name, row, value)
        return value

    @staticmethod
    def _refused(name: str, row: int, value: Any) -> DataError:
        is_time = isinstance(value, datetime.date | datetime.time | datetime.timedelta | np.datetime64)
        remedy = _NO_TIMES if is_time else "Give numbers of a list a column each, and flatten what is nested."
        return DataError(
            f'column "{name}" of X, row {row}: expected a number, a string or a list of strings, found {value!r}. {remedy}',
            row,
        )


def _kind(column: Any) -> str:
    """What a column is by its type: numeric, categorical, objects, time, unknown, or undecided where it is empty."""
    dtype = column.dtype
    if dtype.is_numeric() or dtype == nw.Boolean or _is_sparse(column):
        return "numeric"
    if column.null_count() == len(column):
        return "undecided"
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return "categorical"
    if dtype == nw.Object:
        return "objects"
    if dtype.is_temporal():
        return "time"
    if dtype in (nw.List, nw.Array):
        return "categorical" if dtype.inner == nw.String else "unknown"
    return "unknown"


def _is_sparse(column: Any) -> bool:
    """Whether a column holds numbers as pandas' sparse columns do, which narwhals does not know."""
    subtype = getattr(getattr(column.to_native(), "dtype", None), "subtype", None)
    return column.dtype == nw.Unknown and getattr(subtype, "kind", "O") in "fiub"


def _lacking(column: Any) -> Array:
    if _is_sparse(column):
        return np.isnan(np.asarray(column.to_native(), dtype=np.float64))
    missing: Array = column.is_null().to_numpy().astype(bool)
    return missing


def _numbers(column: Any) -> tuple[Floats, Array]:
    if _is_sparse(column):
        dense = np.asarray(column.to_native(), dtype=np.float64)
        return dense, ~_lacking(column)
    valid = ~_lacking(column)
    filled = column if valid.all() else column.fill_null(False if column.dtype == nw.Boolean else 0)
    return filled.cast(nw.Float64).to_numpy().astype(np.float64, copy=False), valid


def _categories(column: Any) -> Iterable[tuple[int, Any]]:
    """For each cell that is not missing its row and value; for lists, each of theirs."""
    for row, value in enumerate(column.to_list()):
        if isinstance(value, list | tuple | np.ndarray):
            yield from ((row, item) for item in value if not _is_missing(item))
        elif not _is_missing(value):
            yield row, value


def _is_missing(value: Any) -> bool:
    """None, pandas' NA and NaT, and NaN where it stands among objects."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value
