"""Writing a model: its description as JSON, its state as tensors, each made when it is written."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .. import __version__
from ..algorithms.index import RECIPES
from ..algorithms.table import recipe_named
from ..belief import Kernel
from ..exceptions import NotAvailableError
from ..model.model import Model, RowModel
from ..model.native import MEANS, Native
from .tensors import Later, write_tensors
from .values import label, plain
from .writing import written_aside

if TYPE_CHECKING:
    from .. import _core
    from ..model.types import PathLike, Values

__all__ = ["FORMAT", "describe", "save"]

FORMAT = 3  # 1: every weight is written; 2: no schema


# A sparse file is unpacked when it is loaded; this bounds what a small file can ask for.
MOST_UNPACKED = 1 << 28

VECTORS = ("calibration", "counters", "class_counts")
LEARNED = ("cut", "targets")


def vectors_of(numbers: Values) -> dict[str, list[float]]:
    """What a file holds of a state's short lists: those that are always there, and those that were learned where they were."""
    return {name: list(numbers[name]) for name in (*VECTORS, *LEARNED) if name in numbers}


def vectors_in(content: Values) -> dict[str, list[float]]:
    """The same out of a file, as numbers."""
    found = content["vectors"]
    return {name: [float(item) for item in found[name]] for name in (*VECTORS, *LEARNED) if name in found}


# The share of weights up to which the touched ones are named.
_FEW = 0.75


# Numbers of a state to copy out at a time: they stay in the cache until they are written.
_PART = 1 << 17


def save(model: Any, path: PathLike, *, extra: Mapping[str, object] | None = None) -> None:
    """Write `model` to `path`; the file appears whole or not at all.

    Parameters
    ----------
    model : Model or estimator
        What has been learned.
    path : str or path-like
        Where to.
    extra : mapping, optional
        Entries to add to the description, as a checkpoint does.
    """
    model = the_model(model)
    need_ours(model)
    parts = model.parts()
    if parts is not None:
        content, tensors = {**_common(model), **parts[0], **(extra or {})}, parts[1]
        with written_aside(Path(path)) as aside:
            write_tensors(aside, tensors, content)
        return
    learner = model.learner
    if getattr(learner.handle, "compact", False):
        raise NotAvailableError(
            "this model came from a compact file and only predicts; copy that file instead"
        )
    handle = learner.handle
    touched = _few_touched(handle)
    tensors = _state_tensors(learner) if touched is None else _touched_tensors(learner, touched)
    tensors.update(word_tensors(handle.words()))
    numbers = handle.state_numbers()
    content = {
        **describe(model),
        "touched": None if touched is None else {"blocks": touched.blocks, "start": touched.start},
        "scalars": {name: value for name, value in numbers.items() if isinstance(value, float)},
        "vectors": vectors_of(numbers),
        **(extra or {}),
    }
    with written_aside(Path(path)) as aside:
        write_tensors(aside, tensors, content)


def the_model(given: Any) -> Model:
    """A model, or that of an estimator."""
    found: Model = given if isinstance(given, Model) else given.model_
    return found


def need_ours(model: Model) -> None:
    """Refuse to write a model whose class a file could not name."""
    recipe = model.recipe
    known = recipe.owner == recipe.estimator and recipe.estimator in RECIPES
    if not known or recipe_named(recipe.estimator) is not type(recipe):
        raise NotAvailableError(
            f"{recipe.owner} is no class of this library, and a model file names one; pickle the model, "
            "or save one of the class it is derived from"
        )


def _common(model: Model) -> Values:
    """What a file says about every model."""
    return {
        "format": FORMAT,
        "library": __version__,
        "estimator": model.recipe.estimator,
        "parameters": {name: plain(value) for name, value in model.recipe.parameters().items()},
    }


def describe(model: RowModel) -> Values:
    """What a model file says about a model of rows besides its numbers."""
    model.settle_schema()
    learner, schema = model.learner, model.schema
    return {
        **_common(model),
        "classes": [label(name) for name in model.labels.names],
        "classes_dtype": model.labels.type,
        "dtype": learner.dtype,
        "n_features": learner.n_features,
        "feature_names": schema.names,
        "extras": model.extras(),
        "n_passes": model.n_passes,
        "input": schema.input,
        "schema": schema.described(),
    }


def word_tensors(words: Mapping[int, str]) -> Values:
    if not words:
        return {}
    columns = sorted(words)
    encoded = [words[column].encode("utf-8", "surrogatepass") for column in columns]
    ends = array("q", accumulate(map(len, encoded)))
    text = b"".join(encoded)
    return {
        "words.column": Later.whole("int64", (len(columns),), array("q", columns)),
        "words.end": Later.whole("int64", (len(ends),), ends),
        "words.bytes": Later.whole("uint8", (len(text),), text),
    }


def _state_pieces(
    handle: _core.Learner, name: str, rows: int, columns: int
) -> Iterator[tuple[int, memoryview]]:
    """An array of a learner's state: some columns of all rows at a time.

    A model of several classes lies in memory feature by feature and in the file class by class; this way it is read
    once, not once for every class.
    """
    step = max(1, _PART // max(rows, 1))
    for first in range(0, columns, step):
        part = handle.state_part(name, (0, rows), (first, first + step)).cast("B")
        width = len(part) // rows
        for row in range(rows):
            yield row, part[row * width : (row + 1) * width]


def _matrix_pieces(
    handle: _core.Learner, name: str, rows: int, columns: int
) -> Iterator[tuple[int, memoryview]]:
    """The same for an array that lies in memory row by row."""
    step = max(1, _PART // max(columns, 1))
    for first in range(0, rows, step):
        yield 0, handle.state_part(name, (first, first + step), (0, columns)).cast("B")


def _few_touched(handle: _core.Learner) -> Any:
    """The weights learning has touched, where naming them takes less room than writing all; else None."""
    touched = handle.touched()
    if touched is None:
        return None
    weights = touched.slots * touched.blocks
    # A bit more or less is not worth the unpacking.
    return touched if touched.count + weights / 32 < _FEW * weights else None


def _touched_pieces(handle: _core.Learner, name: str, touched: Any) -> Iterator[tuple[int, memoryview]]:
    """The numbers of the touched weights, as many at a time as some columns have."""
    step = max(1, _PART // touched.blocks)
    for first in range(0, touched.slots, step):
        part = handle.touched_part(name, touched, (first, first + step))
        if part.nbytes:
            yield 0, part.cast("B")


def _touched_tensors(learner: Native, touched: Any) -> Values:
    """The touched weights' numbers, each array made when it is written."""
    tensors: Values = {
        name: Later(
            learner.dtype, (1, touched.count), 1, partial(_touched_pieces, learner.handle, name, touched)
        )
        for name in touched.start
    }
    for name, rows, columns in learner.handle.state_shapes():
        if name == MEANS:
            tensors[name] = _table(learner.handle, name, rows, columns)
        elif name not in tensors:  # a number for each feature, whatever was touched
            pieces = partial(_state_pieces, learner.handle, name, rows, columns)
            tensors[name] = Later(learner.dtype, (rows, columns), rows, pieces)
    bits = touched.bits
    tensors["touched"] = Later.whole("uint8", (len(bits),), bits)
    return tensors


def _state_tensors(learner: Native) -> Values:
    """The state's arrays, each made when it is written."""
    handle = learner.handle
    tensors: Values = {}
    for name, rows, columns in handle.state_shapes():
        if name == MEANS or isinstance(learner.belief, Kernel):
            tensors[name] = _table(handle, name, rows, columns)
            continue
        by_columns = 0 < rows < columns
        pieces = partial(_state_pieces if by_columns else _matrix_pieces, handle, name, rows, columns)
        tensors[name] = Later(learner.dtype, (rows, columns), rows if by_columns else 1, pieces)
    return tensors


def _table(handle: _core.Learner, name: str, rows: int, columns: int) -> Later:
    """A table of a state: small, and of float64 whatever the type of the weights."""
    return Later("float64", (rows, columns), 1, partial(_matrix_pieces, handle, name, rows, columns))
