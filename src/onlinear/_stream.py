"""Learning from a stream of batches, with classes numbered at the very row where they first appear.

A batch is whatever the reader found convenient; the model must not depend on where batches end. So a batch is
split at every row that brings a class not met before: the rows before it are learned without it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._learner import weights_of
from ._rows import SparseRows, refuse
from .exceptions import DataError, NumericError, ReadError

if TYPE_CHECKING:
    from .io._batch import Batch

__all__ = ["Counts", "StreamLabels", "StreamLearner", "label_value"]

Array = npt.NDArray[Any]

_UNKNOWN = -1
_EXACT = float(1 << 53)


@dataclass(slots=True)
class Counts:
    """What some rows did."""

    examples: int = 0
    mistakes: int = 0
    updates: int = 0
    refused: int = 0
    held_out: int = 0
    held_out_mistakes: int = 0

    def add(self, other: Counts) -> None:
        """Add another's counts."""
        self.examples += other.examples
        self.mistakes += other.mistakes
        self.updates += other.updates
        self.refused += other.refused
        self.held_out += other.held_out
        self.held_out_mistakes += other.held_out_mistakes


def label_value(number: float) -> int | float:
    """A numeric label as people write it: 1 for "1", "+1" and "1.0"."""
    return int(number) if number.is_integer() and abs(number) <= _EXACT else number


class StreamLabels:
    """The labels of batches as class numbers of a model.

    Numbers are compared as numbers, text as text. Where a stream has both, they are different classes.

    Parameters
    ----------
    names : list
        The model's classes in the order of their numbers.
    """

    def __init__(self, names: list[Any]) -> None:
        self._values = np.empty(0, dtype=np.float64)  # numeric classes, rising
        self._numbers = np.empty(0, dtype=np.int32)  # and the number of each
        self._by_text: dict[str, int] = {}
        self._by_id = np.empty(0, dtype=np.int32)  # of the reader's table of texts
        for number, name in enumerate(names):
            self.add(name, number)

    def add(self, name: Any, number: int) -> None:
        """Give a class its number."""
        if isinstance(name, str):
            self._by_text[name] = number
            self._by_id = self._by_id[:0]
            return
        place = int(np.searchsorted(self._values, float(name)))
        self._values = np.insert(self._values, place, float(name))
        self._numbers = np.insert(self._numbers, place, np.int32(number))

    def encode(self, batch: Batch) -> Array:
        """Class numbers as int32, -1 for classes not met before; rows without a label are refused."""
        labels, ids = batch.labels, batch.label_ids
        numbers = self._of_values(labels)
        is_text = ids >= 0
        if is_text.any():
            self._take_texts(batch.label_texts)
            numbers = np.where(is_text, self._by_id[np.maximum(ids, 0)], numbers)
        missing = np.isnan(labels) & ~is_text
        if missing.any():
            line = int(batch.lines[int(np.flatnonzero(missing)[0])])
            raise ReadError(
                f"{batch.source}:{line}: expected a label, found none. Every line needs one here.",
                batch.source,
                line,
            )
        return numbers

    def _of_values(self, labels: Array) -> Array:
        values, numbers = self._values, self._numbers
        if len(values) == 2:  # two comparisons beat a search
            second = labels == values[1]
            out: Array = np.where(second, numbers[1], numbers[0])
            strange = ~(second | (labels == values[0]))
            if strange.any():
                out[strange] = _UNKNOWN
            return out
        if len(values) == 0:
            return np.full(len(labels), _UNKNOWN, dtype=np.int32)
        place = np.minimum(np.searchsorted(values, labels), len(values) - 1)
        return np.where(values[place] == labels, numbers[place], np.int32(_UNKNOWN))

    def _take_texts(self, texts: list[str]) -> None:
        if len(self._by_id) < len(texts):
            get = self._by_text.get
            self._by_id = np.array([get(text, _UNKNOWN) for text in texts], dtype=np.int32)


class StreamLearner:
    """A model at the end of a stream.

    Parameters
    ----------
    model : estimator
        It learns what comes; it may have learned before.
    dtype : {"float32", "float64"}
        Type of a new model's weights.
    skip : bool
        Whether a row the model must refuse, because a weight would overflow, is passed over instead of
        raising.
    """

    def __init__(self, model: Any, *, dtype: str = "float32", skip: bool = False) -> None:
        self.model = model
        self.dtype = model.dtype or dtype
        self.skip = skip
        started = model.__dict__.get("_learner") is not None
        self.labels = StreamLabels(model._labels.names if started else [])

    @property
    def started(self) -> bool:
        """Whether the model has met an example."""
        return self.model.__dict__.get("_learner") is not None

    def numbers(self, batch: Batch) -> Array:
        """Class numbers of a batch; -1 stands for classes met on the way."""
        if batch.label_indptr is not None:
            raise DataError(
                f"{batch.source}: rows with several labels need MultilabelRanker, not a classifier"
            )
        return self.labels.encode(batch)

    def learn(
        self,
        batch: Batch,
        numbers: Array,
        start: int = 0,
        stop: int | None = None,
        *,
        calibrate: bool = True,
        held_out: Array | None = None,
    ) -> Counts:
        """Learn the rows from `start` to `stop`; `numbers` is completed where classes are new.

        Parameters
        ----------
        batch : Batch
            What a reader yields.
        numbers : array of int32
            From `numbers`.
        start, stop : int
            Which rows.
        calibrate : bool
            Whether the rows are new to the model.
        held_out : array of bool, optional
            Rows to predict and not to learn.

        Returns
        -------
        Counts
        """
        stop = batch.n_rows if stop is None else stop
        done = Counts()
        while start < stop:
            new = np.flatnonzero(numbers[start:stop] < 0)
            if len(new) and new[0] == 0:
                self._meet(batch, numbers, start)
                new = np.flatnonzero(numbers[start:stop] < 0)
            end = start + int(new[0]) if len(new) else stop
            start = self._learn_known(batch, numbers, start, end, calibrate, held_out, done)
        return done

    def _meet(self, batch: Batch, numbers: Array, row: int) -> None:
        """Give the class of `row` a number, in the model and in the rest of the batch."""
        ident = int(batch.label_ids[row])
        if ident >= 0:
            name: Any = batch.label_texts[ident]
            same = batch.label_ids == ident
        else:
            name = label_value(float(batch.labels[row]))
            same = (batch.labels == batch.labels[row]) & (batch.label_ids < 0)
        labels = np.array([name])
        model = self.model
        model._meet(labels, batch.n_features, self.dtype)
        number = model._labels.index[name]
        self.labels.add(name, number)
        numbers[same] = number

    def _learn_known(
        self,
        batch: Batch,
        numbers: Array,
        start: int,
        stop: int,
        calibrate: bool,
        held_out: Array | None,
        done: Counts,
    ) -> int:
        """Learn rows whose classes are known; returns where to go on."""
        model = self.model
        learner = model._learner
        if batch.n_features > learner.handle.n_features:
            model._meet(numbers[:0].astype(object), batch.n_features)
        weight = None if batch.weight is None else batch.weight[start:stop]
        apart, scores = None, None
        if held_out is not None and held_out[start:stop].any():
            apart = held_out[start:stop]
            weight = np.where(apart, 0.0, 1.0 if weight is None else weight)
            scores = np.zeros((stop - start, learner.handle.n_blocks))
        weight = weights_of(weight, stop - start)
        class_weight, balanced = model._streaming_weights()
        learned, mistakes, updates, _, fault, row, column = learner.handle.learn_csr(
            batch.values,
            batch.indices,
            batch.indptr[start : stop + 1],
            batch.n_features,
            numbers[start:stop],
            weight,
            class_weight,
            balanced,
            None,
            calibrate,
            True,  # the reader has checked every number
            scores,
        )
        done.mistakes += mistakes
        done.updates += updates
        done.examples += learned
        if apart is not None and scores is not None:
            self._judge(apart[:learned], scores[:learned], numbers[start : start + learned], done)
        if not fault:
            return stop
        error = refuse(fault, row, column, single_precision=learner.handle.single_precision)
        if not self.skip or not isinstance(error, NumericError):
            line = int(batch.lines[start + row])
            raise ReadError(f"{batch.source}:{line}: {_without_row(str(error))}", batch.source, line)
        done.refused += 1
        return start + int(row) + 1

    def _judge(self, apart: Array, scores: Array, numbers: Array, done: Counts) -> None:
        """Count the mistakes on held-out rows, as scored just before they would have been learned."""
        guessed = self.guess(scores[apart])
        count = int(apart.sum())
        done.examples -= count
        done.held_out += count
        done.held_out_mistakes += int((guessed != numbers[apart]).sum())

    def guess(self, blocks: Array) -> Array:
        """The class numbers that scores stand for."""
        model = self.model
        out: Array = model._labels.order[model._decide(model._oriented(blocks))]
        return out

    def scores(self, batch: Batch, start: int, stop: int) -> Array:
        """Scores of some rows, a column per block."""
        rows = SparseRows(
            batch.values, batch.indices, batch.indptr[start : stop + 1], stop - start, batch.n_features
        )
        out: Array = self.model._learner.read_rows(rows)
        return out


def _without_row(message: str) -> str:
    """The message without its count of rows, which means nothing where lines are named."""
    import re

    return re.sub(r"\b(the score of|learning|at) row \d+\b", r"\1 this line", message)
