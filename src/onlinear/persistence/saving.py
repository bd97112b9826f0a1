"""Writing a model: its description as JSON, its state as tensors, each made when it is written."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any

from .. import _HOMES, __version__
from .._numpy import Array
from ..exceptions import NotAvailableError
from .tensors import Later, write_tensors
from .values import estimator_class, label, plain
from .writing import written_aside

__all__ = ["FORMAT", "describe", "save"]

FORMAT = 2  # 1: every weight is written


VECTORS = ("calibration", "counters", "class_counts")


# The share of weights up to which the touched ones are named.
_FEW = 0.75


# Numbers of a state to copy out at a time: they stay in the cache until they are written.
_PART = 1 << 17


def save(model: Any, path: Any, *, extra: Mapping[str, Any] | None = None) -> None:
    """Write `model` to `path`; the file appears whole or not at all.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this library.
    path : str or path-like
        Where to.
    extra : mapping, optional
        Entries to add to the description, as a checkpoint does.
    """
    if hasattr(model, "_write"):  # sequences have a form of their own
        model._write(path, dict(extra or {}))
        return
    need_ours(model)
    model._so_far()
    learner = model._ready()
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
        "vectors": {name: list(numbers[name]) for name in VECTORS},
        **(extra or {}),
    }
    with written_aside(Path(path)) as aside:
        write_tensors(aside, tensors, content)


def need_ours(model: Any) -> None:
    """Refuse to write a model whose class a file could not name."""
    name = type(model).__name__
    if name not in _HOMES or estimator_class(name) is not type(model):
        raise NotAvailableError(
            f"{name} is no class of this library, and a model file names one; pickle the model, "
            "or save one of the class it is derived from"
        )


def describe(model: Any) -> dict[str, Any]:
    """What a model file says about a model besides its numbers."""
    learner = model._learner
    names = model.__dict__.get("feature_names_in_")
    return {
        "format": FORMAT,
        "library": __version__,
        "estimator": type(model).__name__,
        "parameters": {name: plain(value) for name, value in model.get_params(deep=False).items()},
        "classes": [label(name) for name in model._labels.names],
        "classes_dtype": model._labels.type,
        "dtype": learner.dtype,
        "n_features": learner.n_features,
        "feature_names": None if names is None else [str(name) for name in names],
        "extras": model._extras(),
        "n_passes": model.__dict__.get("n_passes_"),
        "input": model.__dict__.get("input_"),
    }


def word_tensors(words: Mapping[int, str]) -> dict[str, Array | Later]:
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


def _state_pieces(handle: Any, name: str, rows: int, columns: int) -> Iterator[tuple[int, Any]]:
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


def _matrix_pieces(handle: Any, name: str, rows: int, columns: int) -> Iterator[tuple[int, Any]]:
    """The same for an array that lies in memory row by row."""
    step = max(1, _PART // max(columns, 1))
    for first in range(0, rows, step):
        yield 0, handle.state_part(name, (first, first + step), (0, columns)).cast("B")


def _few_touched(handle: Any) -> Any:
    """The weights learning has touched, where naming them takes less room than writing all; else None."""
    touched = handle.touched()
    if touched is None:
        return None
    weights = touched.slots * touched.blocks
    # A bit more or less is not worth the unpacking.
    return touched if touched.count + weights / 32 < _FEW * weights else None


def _touched_pieces(handle: Any, name: str, touched: Any) -> Iterator[tuple[int, Any]]:
    """The numbers of the touched weights, as many at a time as some columns have."""
    step = max(1, _PART // touched.blocks)
    for first in range(0, touched.slots, step):
        part = handle.touched_part(name, touched, (first, first + step))
        if part.nbytes:
            yield 0, part.cast("B")


def _touched_tensors(learner: Any, touched: Any) -> dict[str, Array | Later]:
    """The touched weights' numbers, each array made when it is written."""
    tensors: dict[str, Array | Later] = {
        name: Later(
            learner.dtype, (1, touched.count), 1, partial(_touched_pieces, learner.handle, name, touched)
        )
        for name in touched.start
    }
    bits = touched.bits
    tensors["touched"] = Later.whole("uint8", (len(bits),), bits)
    return tensors


def _state_tensors(learner: Any) -> dict[str, Array | Later]:
    """The state's arrays, each made when it is written."""
    from ..belief import Kernel

    handle = learner.handle
    # The tables of a kernel belief are small, and of float64 whatever the type of its rows.
    type = "float64" if isinstance(learner.belief, Kernel) else learner.dtype
    tensors: dict[str, Array | Later] = {}
    for name, rows, columns in handle.state_shapes():
        by_columns = 0 < rows < columns
        pieces = partial(_state_pieces if by_columns else _matrix_pieces, handle, name, rows, columns)
        tensors[name] = Later(type, (rows, columns), rows if by_columns else 1, pieces)
    return tensors
