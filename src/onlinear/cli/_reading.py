"""Files for a model that is already there: read them the way its training data was read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._numpy import Array, np
from .._rows import SparseRows, refuse
from ..exceptions import ReadError

if TYPE_CHECKING:
    from ..io import Batch, Reader

__all__ = ["Scored", "known_rows", "load_model", "named_label", "open_like", "read_blocks", "score"]


def load_model(path: Path) -> tuple[Any, str]:
    """A model, and what kind it is: "classifier", "rows" (of another task) or "sequence"."""
    from .._base import OnlineClassifier
    from ..persistence import load

    model = load(path)
    if isinstance(model, OnlineClassifier):
        return model, "classifier"
    return model, "sequence" if hasattr(model, "predict_file") else "rows"


def open_like(model: Any, files: list[str], given: dict[str, Any], *, labelled: bool | None) -> Reader:
    """A reader with the settings of the model's training data, but for what the caller says."""
    from ..io import format_of_name, read

    remembered = dict(model.__dict__.get("input_") or {})
    remembered.pop("negative", None)  # for `inspect` alone
    if "format" in remembered and all(format_of_name(file) for file in files):
        del remembered["format"]
    settings = {**remembered, **given}
    if "ngram_range" in settings:
        settings["ngram_range"] = tuple(settings["ngram_range"])
    return read(files, labelled=labelled, **settings)


class Scored:
    """A batch with its scores, one column per block of the model, and what follows from them."""

    __slots__ = ("_model", "batch", "blocks", "scores")

    def __init__(self, model: Any, batch: Batch, blocks: Array) -> None:
        self._model = model
        self.batch = batch
        self.blocks = blocks
        self.scores: Array = model._oriented(blocks)

    @property
    def decided(self) -> Array:
        """Positions in ``classes_``."""
        out: Array = self._model._decide(self.scores)
        return out

    @property
    def probabilities(self) -> Array:
        """One column per class, sorted."""
        out: Array = self._model._probabilities(self.blocks)
        return out

    def std(self) -> Array:
        """The standard deviation of each margin."""
        model = self._model
        learner = model._need_variance()
        rows = known_rows(model, self.batch)
        variance = learner.handle.margin_variance_csr(*rows.arguments(), 1)
        if isinstance(variance, tuple):
            raise refuse(*variance, single_precision=learner.dtype == "float32")
        out: Array = np.sqrt(variance[:, 0])
        return out


def known_rows(model: Any, batch: Batch) -> SparseRows:
    """A batch's rows without the features the model has never met: they have no weight."""
    from .._learner import narrowed

    rows = SparseRows(batch.values, batch.indices, batch.indptr, batch.n_rows, batch.n_features)
    n_features = model._learner.handle.n_features
    if rows.n_columns > n_features:
        if len(rows.indices) == 0 or int(rows.indices.max()) < n_features:
            rows.n_columns = n_features
            return rows
        narrow = narrowed(rows, n_features, model._learner.handle.single_precision)
        assert isinstance(narrow, SparseRows)
        return narrow
    return rows


def score(model: Any, reader: Reader) -> Iterator[Scored]:
    """The batches of a reader with their scores."""
    for batch, blocks in read_blocks(model, reader):
        yield Scored(model, batch, blocks)


def read_blocks(model: Any, reader: Reader) -> Iterator[tuple[Batch, Array]]:
    """The batches of a reader with their scores, a column per block of the model."""
    learner = model._learner
    for batch in reader:
        out = learner.handle.read_csr(*known_rows(model, batch).arguments(), False, 1)
        if isinstance(out, tuple):
            fault, row, column = out
            line = int(batch.lines[row])
            error = refuse(fault, row, column, single_precision=learner.handle.single_precision)
            raise ReadError(f"{batch.source}:{line}: {error}", batch.source, line)
        yield batch, out


def named_label(name: Any) -> str:
    """A class as it is written to files: 1, not 1.0."""
    if isinstance(name, float) and name.is_integer() and abs(name) < 1e15:
        return str(int(name))
    return str(name)
