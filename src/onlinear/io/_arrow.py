"""Parquet and Arrow files through pyarrow, a batch of rows at a time.

Columns mean what they mean in CSV: numbers are features named like the column, strings are categories, named
columns hold labels, weights, tags and text. Nulls are no features. Names are hashed to ``2**bits`` columns.
A row's line is its number, from 1.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import text as _text
from ..exceptions import ParameterError, ReadError
from ._batch import Batch, Buffers
from ._columns import IGNORE, NO_TIMES, ColumnFeatures, Floats, Ints, TableRows, ends, known_roles
from ._formats import USUAL_LABELS
from ._native import Item
from ._notes import Note, unknown_columns
from ._problem import Problem
from ._settings import Settings
from ._source import ByteStream

if TYPE_CHECKING:
    import pyarrow as pa


__all__ = ["ArrowReader"]

_ROWS = 8192


class _Labels(NamedTuple):
    """Labels of a batch, as in `Batch`, and the rows they belong to."""

    rows: Ints
    numbers: Floats
    ids: npt.NDArray[np.int32]


class ArrowReader:
    """Turns record batches into `Batch`.

    Parameters
    ----------
    format : {"parquet", "arrow"}
        What the files are.
    settings : Settings
        The rest of what the caller said.
    """

    def __init__(self, format: str, settings: Settings) -> None:
        self.format = format
        self._settings = settings
        self._schema = settings.schema(format)
        self._features = ColumnFeatures(format, settings)
        self._told: set[str] = set()
        self._label_ids: dict[str, int] = {}
        self._label_texts: list[str] = []
        self._roles: dict[str, str] = {}
        self._n_refused = 0

    def batches(self, stream: ByteStream) -> Generator[Item, None, None]:
        """Read one file to its end."""
        yield from self._read(self._records(stream), stream.name)

    def table(self, table: pa.Table, name: str) -> Generator[Item, None, None]:
        """Read a table that lies in memory."""
        yield from self._read(iter(table.to_batches(int(self._settings.batch_size or _ROWS))), name)

    def _read(self, batches: Iterator[pa.RecordBatch], name: str) -> Generator[Item, None, None]:
        first_row = 1
        for records in batches:
            if first_row == 1:
                self._roles, unknown = self._assign_roles(records.schema, name)
                self._describe()
                if unknown:
                    yield Item(None, 0, (), [Note(f"{name}: {unknown_columns(unknown)}", True)])
            yield from self._items(records, first_row, name)
            first_row += records.num_rows

    def names(self) -> dict[int, str]:
        """Return the reverse dictionary."""
        return self._features.names()

    def shared_columns(self) -> set[int]:
        """Return the columns on which several names fell."""
        return self._features.shared_columns()

    def negative_columns(self) -> set[int]:
        """Return the columns on which the name counts with a minus."""
        return self._features.negative_columns()

    def schema(self) -> dict[str, str]:
        """Return what each column was taken for."""
        return dict(self._roles)

    # The file

    def _records(self, stream: ByteStream) -> Iterator[pa.RecordBatch]:
        pa = _pyarrow(stream.name)
        size = int(self._settings.batch_size or _ROWS)
        try:
            yield from (
                _open_parquet(stream, size) if self.format == "parquet" else _open_arrow(pa, stream, size)
            )
        except pa.ArrowException as error:
            raise ReadError(
                f"{stream.name}: not a readable {self.format} file ({error}).", stream.name
            ) from error

    def _describe(self) -> None:
        """Say what columns were taken for."""
        if self._schema is not None and self._schema["hash"] != "older":
            self._schema = {**self._schema, "columns": dict(self._roles), "open": False}

    def _assign_roles(self, schema: pa.Schema, source: str) -> tuple[dict[str, str], list[str]]:
        settings = self._settings
        twice = next((name for name in schema.names if schema.names.count(name) > 1), None)
        if twice is not None:
            raise ReadError(f'{source}: two columns are called "{twice}". Rename one of them.', source)
        roles = {field.name: _role_of_type(field.type) for field in schema}
        roles, lacking, unknown = known_roles(roles, settings)
        if lacking:
            raise ReadError(
                f'{source}: no column is called "{lacking[0]}", which the model has learned from; there are '
                f"{', '.join(roles)}. Add it, or say allow_missing=True (--allow-missing) to go without.",
                source,
            )
        known = dict(settings.known)
        usual = (name for name in USUAL_LABELS if name in roles and name not in known)
        of_model = (name for name, role in roles.items() if role == "label")
        label = settings.label or next(of_model, None) or next(usual, None)
        if label is not None and settings.labelled is not False and (label in roles or settings.labelled):
            named = [(label, "label")]
        elif settings.labelled:
            raise ReadError(
                f'{source}: no column is called "label". Say which it is: label="..." (--label).', source
            )
        else:
            named = []
        for names, role in (
            (settings.numeric, "numeric"),
            (settings.categorical, "categorical"),
            (settings.text, "text"),
            (settings.ignore, "ignored"),
            ((settings.weight,) if settings.weight else (), "weight"),
            ((settings.tag,) if settings.tag else (), "tag"),
        ):
            named.extend((name, role) for name in names)
        for name, role in named:
            if name not in roles:
                raise ReadError(
                    f'{source}: no column is called "{name}"; there are {", ".join(roles)}.', source
                )
            roles[name] = role
        for field in schema:
            if roles[field.name] == "unknown":
                remedy = (
                    NO_TIMES.format(name=field.name)
                    if _is_time(field.type)
                    else IGNORE.format(name=field.name)
                )
                raise ReadError(
                    f'{source}: column "{field.name}" has type {field.type}, which is no feature. {remedy}',
                    source,
                )
        fresh = [name for name in unknown if roles[name] == "ignored" and name not in settings.ignore]
        fresh = [name for name in fresh if name not in self._told]
        self._told.update(fresh)
        return roles, fresh

    # The rows

    def _items(self, records: pa.RecordBatch, first_row: int, source: str) -> Iterator[Item]:
        rows = TableRows(records.num_rows)
        labels: _Labels | None = None
        weight: Floats | None = None
        tags: list[str] | None = None
        for number, name in enumerate(records.schema.names):
            column = records.column(number)
            match self._roles[name]:
                case "numeric":
                    self._add_numbers(rows, number, name, column)
                case "categorical":
                    self._add_categories(rows, number, name, column)
                case "text":
                    self._features.add_texts(rows, column.to_pylist())
                case "label":
                    labels = self._labels(rows, number, column)
                case "weight":
                    weight = _weights(rows, number, column)
                case "tag":
                    tags = ["" if tag is None else str(tag) for tag in column.to_pylist()]
        yield from self._finish(rows, labels, weight, tags, first_row, source)

    def _finish(
        self,
        rows: TableRows,
        labels: _Labels | None,
        weight: Floats | None,
        tags: list[str] | None,
        first_row: int,
        source: str,
    ) -> Iterator[Item]:
        problems = [
            Problem(source, first_row + row, column, expected, found, remedy)
            for row, (column, expected, found, remedy) in sorted(rows.refused.items())
        ]
        stop = self._stops_at(problems)
        kept = np.ones(rows.n_rows, bool)
        kept[list(rows.refused)] = False
        if stop is not None:
            kept[problems[stop].line - first_row :] = False
            problems = problems[: stop + 1]
        self._n_refused += len(problems)
        batch = self._batch(rows, kept, labels, weight, tags, first_row, source, len(problems))
        yield Item(batch, len(problems), problems)
        if stop is not None:
            raise problems[stop].error()

    def _stops_at(self, problems: list[Problem]) -> int | None:
        """Return the number of the problem that ends the reading, if one does."""
        if not problems:
            return None
        if self._settings.on_error == "stop":
            return 0
        limit = self._settings.max_errors
        if limit is None or self._n_refused + len(problems) <= limit:
            return None
        return limit - self._n_refused

    def _batch(
        self,
        rows: TableRows,
        kept: npt.NDArray[np.bool_],
        labels: _Labels | None,
        weight: Floats | None,
        tags: list[str] | None,
        first_row: int,
        source: str,
        n_refused: int,
    ) -> Batch | None:
        if not kept.any():
            return None
        place = np.cumsum(kept) - 1
        count = int(place[-1]) + 1
        indptr, indices, values = rows.compressed(kept, self._features.bits)
        if labels is None:
            labels = _no_labels(0 if self._settings.multilabel else rows.n_rows)
        chosen = kept[labels.rows]
        label_counts = np.bincount(place[labels.rows[chosen]], minlength=count)
        texts = self._label_texts
        return Batch(
            Buffers(
                indptr=indptr,
                indices=indices,
                values=values,
                labels=labels.numbers[chosen],
                label_ids=labels.ids[chosen],
                label_indptr=ends(label_counts) if self._settings.multilabel else None,
                weight=None if weight is None else weight[kept],
                lines=np.flatnonzero(kept) + first_row,
            ),
            label_table=lambda: texts,
            tags=None if tags is None else [tag for tag, keep in zip(tags, kept, strict=True) if keep],
            source=source,
            n_features=1 << self._features.bits,
            n_refused=n_refused,
            schema=self._schema,
        )

    # The columns

    def _add_numbers(self, rows: TableRows, number: int, name: str, column: pa.Array) -> None:
        import pyarrow as pa

        if pa.types.is_boolean(column.type):
            column = column.cast(pa.uint8())
        elif _is_string(column.type):
            raise ParameterError(
                f'read: column "{name}" holds strings, not numbers. Take it out of numeric=.'
            )
        valid = column.is_valid().to_numpy(zero_copy_only=False)
        floats = column.cast(pa.float64(), safe=False).fill_null(0).to_numpy(zero_copy_only=False)
        self._features.add_numbers(rows, number, name, floats, valid)

    def _add_categories(self, rows: TableRows, number: int, name: str, column: pa.Array) -> None:
        said = name in self._settings.categorical or (name, "categorical") in self._settings.known
        self._features.add_categories(rows, number, name, *_categories(column), said=said)

    def _labels(self, rows: TableRows, number: int, column: pa.Array) -> _Labels:
        import pyarrow as pa

        many = pa.types.is_list(column.type) or pa.types.is_large_list(column.type)
        if many and not self._settings.multilabel:
            raise ParameterError("read: rows have several labels. Use multilabel=True (--task multilabel).")
        parents, codes, values = _categories(column)
        decoded = [self._label(value) for value in values] or [(np.nan, -1)]
        numbers = np.array([number for number, _ in decoded], np.float64)[codes]
        ids = np.array([id for _, id in decoded], np.int32)[codes]
        bad = (ids < 0) & ~np.isfinite(numbers)
        rows.refuse(
            np.unique(parents[bad]),
            number,
            _shown(column),
            "a finite label",
            "Leave out rows without a label.",
        )
        if self._settings.multilabel:
            return _Labels(parents, numbers, ids)
        all_labels = _no_labels(rows.n_rows)
        all_labels.numbers[parents] = numbers
        all_labels.ids[parents] = ids
        if self._settings.labelled:
            absent = np.ones(rows.n_rows, bool)
            absent[parents] = False
            rows.refuse(
                np.flatnonzero(absent), number, _shown(column), "a label", "Leave out rows without a label."
            )
        return all_labels

    def _label(self, value: Any) -> tuple[float, int]:
        """Return a label as a number, or as the number of its text."""
        if not isinstance(value, str):
            return float(value), -1
        number = _text.parse_double(value.encode("utf-8"))
        if number is not None:
            return number, -1
        if value.lower().lstrip("+-") in ("nan", "inf", "infinity"):
            return np.nan, -1
        id = self._label_ids.setdefault(value, len(self._label_texts))
        if id == len(self._label_texts):
            self._label_texts.append(value)
        return np.nan, id


def _pyarrow(source: str) -> Any:
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError as error:
        raise ReadError(f"{source}: reading it needs pyarrow. Install onlinear[parquet].", source) from error
    return pyarrow


def _open_parquet(stream: ByteStream, size: int) -> Iterator[pa.RecordBatch]:
    from pyarrow.parquet import ParquetFile

    with contextlib.closing(ParquetFile(stream.seekable("Parquet"), pre_buffer=False)) as file:
        yield from file.iter_batches(batch_size=size, use_threads=False)


def _open_arrow(pa: Any, stream: ByteStream, size: int) -> Iterator[pa.RecordBatch]:
    if stream.peek(6).startswith(b"ARROW1"):
        opened = pa.ipc.open_file(stream.seekable("Arrow"))
        batches = (opened.get_batch(i) for i in range(opened.num_record_batches))
    else:
        opened = pa.ipc.open_stream(stream.readable())
        batches = iter(opened)
    with opened:
        for records in batches:
            for start in range(0, records.num_rows, size):
                yield records.slice(start, size)


def _is_string(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or _is_view(kind))


def _is_time(kind: pa.DataType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_temporal(kind))


def _is_view(kind: pa.DataType) -> bool:
    """Whether a type is that of strings as polars writes them."""
    import pyarrow as pa

    return hasattr(pa.types, "is_string_view") and bool(pa.types.is_string_view(kind))


def _role_of_type(kind: pa.DataType) -> str:
    import pyarrow as pa

    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind) or types.is_boolean(kind) or types.is_decimal(kind):
        return "numeric"
    if types.is_dictionary(kind):
        return "unknown" if types.is_temporal(kind.value_type) else "categorical"
    if types.is_list(kind) or types.is_large_list(kind):
        kind = kind.value_type
    if _is_string(kind):
        return "categorical"
    return "ignored" if types.is_null(kind) else "unknown"


def _categories(column: pa.Array) -> tuple[Ints, Ints, list[Any]]:
    """Return for each value that is not null its row and its number in the list of different values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        parents = pc.list_parent_indices(column).to_numpy(zero_copy_only=False)
        column = pc.list_flatten(column)
    else:
        parents = np.arange(len(column))
    if _is_view(column.type):  # which has no dictionaries yet
        column = column.cast(pa.large_string())
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    valid = column.is_valid().to_numpy(zero_copy_only=False)
    codes = column.indices.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    return parents[valid].astype(np.int64), codes[valid], column.dictionary.to_pylist()


def _shown(column: pa.Array) -> Callable[[int], object]:
    """What messages say of a cell."""
    return lambda row: column[row].as_py()


def _weights(rows: TableRows, number: int, column: pa.Array) -> Floats:
    import pyarrow as pa

    weight = column.cast(pa.float64(), safe=False).fill_null(np.nan).to_numpy(zero_copy_only=False)
    bad = ~(np.isfinite(weight) & (weight >= 0))
    rows.refuse(
        np.flatnonzero(bad), number, _shown(column), "a weight", "Weights are numbers that are not negative."
    )
    out: Floats = np.array(weight, np.float64)
    return out


def _no_labels(count: int) -> _Labels:
    return _Labels(np.arange(count), np.full(count, np.nan), np.full(count, -1, np.int32))
