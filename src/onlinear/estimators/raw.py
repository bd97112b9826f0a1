"""Raw rows: data frames with words, lists of dicts and lists of texts, read as the doors of files read them.

What is an array stays one, and so does a frame that holds nothing but numbers, to a model that knows columns by number
or by name: that is scikit-learn's contract. To a model that has hashed names, every frame is raw.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..exceptions import DataError, ReadWarning
from ..io import Batch, Reader
from ..io._columns import Ints
from ..io._frames import as_frame, lacking_cells, not_of_numbers, of_numbers, read_frame
from ..io._notes import unknown_columns
from ..io._settings import Settings, TextSettings
from ..model.rows import SparseRows, refuse_dict
from ..model.schema import OLDER
from ..model.stream import rows_of

if TYPE_CHECKING:
    from ..model.model import RowModel
    from ..model.types import Array, MatrixLike

__all__ = ["RawRows", "filled", "raw_rows", "row_of_series"]

#: Words kept of one batch.
_MOST_WORDS = 1 << 20


class RawRows(SparseRows):
    """Rows that were read from what is no matrix."""

    __slots__ = ()


def raw_rows(X: MatrixLike, model: RowModel, *, learning: bool) -> SparseRows | None:
    """The columns of raw rows as a model has them; None where X is a matrix.

    Where rows are to be learned the model takes over how they became columns, and the words they bring.
    """
    if type(X) is np.ndarray and X.dtype.kind in "fiub":
        _need_columns(X, model)
        return None
    if isinstance(X, Batch | Reader):
        return _of_batch(X, model)
    documents = _documents(X)
    if documents is not None:
        return _of_texts(documents, model, learning)
    if isinstance(X, list | tuple):
        return _of_dicts(list(X), model, learning) if X and isinstance(X[0], Mapping) else None
    frame = as_frame(X)
    if frame is None or _is_matrix(frame, model):
        return None
    return _of_frame(frame, model, learning)


def filled(X: MatrixLike, matrix: Any) -> Any:
    """The matrix of a frame of numbers with its missing cells as what they are: no features."""
    if type(matrix) is not np.ndarray or not np.isnan(matrix).any():
        return matrix
    frame = as_frame(X)
    if frame is None:
        return matrix
    out = matrix.copy()
    out[lacking_cells(frame)] = 0.0
    return out


def row_of_series(x: Any, model: RowModel) -> Any:
    """A row of a frame as a dict, to a model of names; what is none as it is."""
    if getattr(x, "ndim", 0) == 1 and hasattr(x, "dropna") and hasattr(x, "to_dict") and hashes(model):
        return x.dropna().to_dict()
    return x


def hashes(model: RowModel) -> bool:
    """Whether a model knows features by their hashed names."""
    model.settle_schema()
    return model.schema.names is None and model.schema.hash is not None and _has_names(model)


def _has_names(model: RowModel) -> bool:
    """Older models say a hash even where columns are numbers."""
    if model.schema.hash != OLDER:
        return True
    learned = (model.schema.input or {}).get("format")
    return learned not in (None, "svmlight") or bool(model.native and model.native.handle.any_hashed)


def _is_matrix(frame: Any, model: RowModel) -> bool:
    """Whether a frame is a matrix to a model."""
    if hashes(model):
        return False
    if model.native is None:
        return of_numbers(frame) or not frame.columns
    words = not_of_numbers(frame)
    if words is not None:
        raise DataError(
            f'column "{words.name}" of X holds {words.dtype}, and the model has learned from columns of numbers alone. '
            "Give it those columns; a model that learns from words must do so from its first batch"
        )
    return True


def _settings(model: RowModel, *, learning: bool) -> Settings:
    """How a model reads rows."""
    schema = model.schema
    given, reading = schema.input or {}, schema.reading()
    text = {
        name: reading.pop(name, given.get(name))
        for name in ("analyzer", "ngram_range", "lowercase", "weighting", "norm")
    }
    if schema.text is None:
        text = {name: value for name, value in text.items() if value is not None}
    return Settings(
        **{"bits": schema.bits, "hash": "murmur", **reading},
        missing=tuple(given.get("missing") or ()),
        text_settings=TextSettings(bits=schema.bits, **text),
        max_names=_MOST_WORDS if learning else 0,
        known=tuple(schema.known().items()),
        open=schema.open or learning,
        allow_missing=learning or schema.hash == OLDER,
    )


def _need_columns(X: Array, model: RowModel) -> None:
    """Refuse an array where a model knows features by their hashed names."""
    if model.native is not None and X.ndim == 2 and X.shape[1] != model.native.n_features and hashes(model):
        raise DataError(
            f"X is an array of {X.shape[1]} columns without names, and the model knows features by their names. Give it a "
            "data frame, dicts, or files"
        )


def _of_batch(batch: Batch | Reader, model: RowModel) -> SparseRows:
    """What `onlinear.read` gives, where its columns are the model's."""
    if isinstance(batch, Reader):
        raise DataError(
            "a reader gives batches, one after the other: [model.predict(batch) for batch in reader]; `score` takes it as it is"
        )
    model.settle_schema()
    if batch.schema is not None:
        model.schema.need_alike(batch.schema)
    return rows_of(batch)


def _of_frame(frame: Any, model: RowModel, learning: bool) -> RawRows:
    settings = _settings(model, learning=learning)
    found = read_frame(frame, settings)
    fresh = [name for name in found.unknown if name not in model.schema.told]
    if fresh:
        model.schema.told.update(fresh)
        warnings.warn(unknown_columns(fresh), ReadWarning, stacklevel=_outside())
    if learning:
        model.take_schema(found.schema)
        model.new_words = found.words
    return _rows(found.values, found.indices, found.indptr, 1 << model.schema.bits)


def _documents(X: Any) -> list[str] | None:
    """A list, array or series of texts as a list; None for anything else."""
    if isinstance(X, list | tuple):
        return list(X) if X and all(isinstance(text, str) for text in X) else None
    if getattr(X, "ndim", 0) != 1 and type(X).__name__ != "Series":
        return None
    if getattr(getattr(X, "dtype", None), "kind", "O") not in "OUT":
        return None
    given = ["" if text is None or text != text else text for text in np.asarray(X).tolist()]
    return given if given and all(isinstance(text, str) for text in given) else None


def _of_texts(documents: list[str], model: RowModel, learning: bool) -> RawRows:
    schema = model.schema
    settings = _settings(model, learning=learning)
    fresh = model.native is None
    if not fresh:
        _need_texts(model, learning)
    _, words = settings.hashes("text")
    text = settings.text_settings._replace(hash=words)
    hasher = _core.text.Hasher(bits=schema.bits, max_names=settings.max_names, **text.native())
    try:
        values, indices, indptr = hasher.transform32(documents)
    except UnicodeEncodeError as error:
        row = next(i for i, document in enumerate(documents) if document is error.object)
        raise DataError(
            f"text {row} holds half a surrogate pair, which is no text; repair it where it was decoded", row
        ) from None
    if learning:
        described = settings.schema("text") or {}
        if schema.hash != OLDER and "text" not in schema.columns.values():
            described = {**described, "columns": {"text": "text"}, "open": False}
        elif schema.hash != OLDER:
            described = {**described, "columns": schema.columns, "open": schema.open}
        model.take_schema(described)
        model.new_words = {column: name for column, name, *_ in hasher.names()}
    return _rows(values, indices, indptr, 1 << schema.bits)


def _need_texts(model: RowModel, learning: bool) -> None:
    """Refuse texts where a model has learned from none, or from more than a text."""
    schema = model.schema
    if not hashes(model):
        raise DataError("X holds texts, and the model has learned from columns of numbers; give it those")
    given = schema.input or {}
    if schema.hash == OLDER:
        if not given.get("text") and given.get("format") not in ("text", "jsonl"):
            raise DataError("X holds texts, and the model has learned from names alone; give dicts of them")
        return
    features = schema.features()
    if "text" not in features.values() and not learning:
        raise DataError(
            "X holds texts, and the model has learned from names alone; give dicts or a frame of them"
        )
    others = [name for name, role in features.items() if role != "text"]
    texts = [name for name, role in features.items() if role == "text"]
    if not learning and not schema.open and (others or len(texts) > 1):
        raise DataError(
            f"X holds texts alone, and the model has learned from the columns {', '.join(features)}; give frames or dicts "
            "with them"
        )


def _of_dicts(dicts: list[Any], model: RowModel, learning: bool) -> RawRows:
    schema = model.schema
    names, schema_hash = schema.names, schema.hash_of_names
    reader = _core.DictRows(schema.bits, schema_hash, schema.max_features, learning)
    if names is not None:
        reader.name_columns(names)
    else:
        columns, text = schema.of_dicts()
        reader.use_columns(columns, **text)
    found = _read_dicts(reader, dicts)
    values, indices, indptr, n_columns = found
    if names is not None:
        if reader.fresh_names:
            raise DataError(
                f"a dict names {reader.fresh_names[0]!r}, which is none of the model's {len(names)} columns; learn_one "
                "takes new names"
            )
        n_columns = len(names)
    elif reader.any_hashed and not learning and not hashes(model):
        raise DataError(
            "X names features, and the model knows its columns by number; give it arrays, or dicts with numbers for keys"
        )
    if learning and reader.any_hashed:
        described: dict[str, Any] = {"hash": schema_hash, "bits": schema.bits, "open": True}
        if reader.any_cut:
            texts = [name for name, role in columns if role == "text"]
            described |= {
                "columns": dict.fromkeys(texts, "text"),
                "text": schema.text or TextSettings().described(),
            }
        model.take_schema(described)
        model.new_words = reader.words()
    return _rows(values, indices, indptr, n_columns)


def _read_dicts(reader: Any, dicts: list[Any]) -> tuple[Array, Ints, Ints, int]:
    """The entries of dicts; an error names the row."""
    try:
        found: tuple[Any, ...] = reader.read(dicts)
    except (ValueError, TypeError) as error:
        kind = DataError if isinstance(error, ValueError) else TypeError
        raise kind(f"row {reader.rows} of X: {error}") from error
    if len(found) == 3:
        row = reader.rows
        refused = refuse_dict(dicts[row], *found)
        raise DataError(f"row {row} of X: {refused}", row, refused.column)
    values, indices, indptr, n_columns = found
    return values, indices, indptr, n_columns


def _rows(values: Array, indices: Array, indptr: Array, n_columns: int) -> RawRows:
    kind = np.int64 if indices.dtype == np.int64 else np.int32
    return RawRows(
        values,
        indices.astype(kind, copy=False),
        indptr.astype(np.int64, copy=False),
        len(indptr) - 1,
        n_columns,
    )


def _outside() -> int:
    """How many frames up the caller of this library is, for warnings to name its line."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("onlinear"):
        frame, level = frame.f_back, level + 1
    return level
