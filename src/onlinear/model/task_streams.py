"""Streams of rows for tasks other than classification: targets, no answers at all, sets of labels.

As in `_stream`, a model must not depend on where batches end, and rows of no weight bring nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..exceptions import DataError, ReadError
from .labels import Labels
from .stream import RowStream, StreamLabels, label_name, plus, refused_line
from .undo import Undo, all_or_nothing

if TYPE_CHECKING:
    from ..io._batch import Batch
    from .one_class import OneClassModel
    from .ranker import RankerModel
    from .types import Answers, Array, Label

__all__ = [
    "LabelLists",
    "OneClassStream",
    "RankingStream",
    "TargetStream",
    "errors_of",
    "ranking_measures",
    "targets_in",
]

# ---------------------------------------------------------------------- targets, and none


class _PlainStream(RowStream):
    """A task without classes: nothing but features is ever new."""

    def _meet_rows(self, batch: Batch, answers: Answers, start: int, stop: int) -> tuple[int, int]:
        if not self.started:
            start = first_with_weight(batch, start, stop)
            if start == stop:
                return stop, 0
            model = self.model
            with all_or_nothing(model):
                model.labels = Labels()
                model.start(batch.n_features, [], self.dtype)
                model.n_passes = 0
        return start, stop


class TargetStream(_PlainStream):
    """A regressor at the end of a stream; measures absolute and squared errors."""

    def numbers(self, batch: Batch) -> Array:
        """The targets of a batch."""
        return targets_in(batch)

    def _tally(self, answers: Array, rows: Array, scores: Array) -> dict[str, float]:
        absolute, squared, _ = errors_of(scores[:, 0], answers[rows])
        return {"absolute": absolute, "squared": squared}

    def _constant(self, answers: Array, rows: Array) -> float:
        always = 0.0 if self.baseline is None else self.baseline.answer
        return errors_of(np.float64(always), answers[rows])[0]

    def label_text(self, batch: Batch, row: int) -> str:
        """The target of a row."""
        return f"{batch.labels[row]:.6g}"

    def guess_text(self, batch: Batch, row: int) -> str:
        """The prediction for a row."""
        return f"{self.scores(batch, row, row + 1)[0, 0]:.6g}"


class OneClassStream(_PlainStream):
    """A one-class learner at the end of a stream; an example outside the ball is a mistake."""

    model: OneClassModel

    def numbers(self, batch: Batch) -> None:
        """There are no answers."""
        return

    def _lesson(self, answers: Answers, start: int, stop: int) -> tuple[None, None]:
        return None, None

    def _until(self, held_out: Array | None, start: int, end: int) -> int:
        """Held-out rows are compared with the radius of their moment, so they are not taken with others."""
        recipe = self.model.recipe
        if held_out is None or start >= end or not (recipe.by_share or recipe.max_radius is not None):
            return end
        other = np.flatnonzero(held_out[start:end] != held_out[start])
        return start + int(other[0]) if len(other) else end

    def _wrong(self, answers: Answers, rows: Array, scores: Array) -> int:
        return int((scores[:, 0] > self.model.radius).sum())

    def guess_text(self, batch: Batch, row: int) -> str:
        """How far a row lies from the centre."""
        return f"{self.scores(batch, row, row + 1)[0, 0]:.6g}"


def first_with_weight(batch: Batch, start: int, stop: int) -> int:
    """The first row from `start` that has a weight, or `stop`."""
    if batch.weight is None:
        return start
    heavy = np.flatnonzero(batch.weight[start:stop] > 0)
    return start + int(heavy[0]) if len(heavy) else stop


def errors_of(predicted: Array | np.float64, targets: Array) -> tuple[float, float, float]:
    """The sums of absolute and of squared errors, and the largest; each at most the largest number."""
    with np.errstate(over="ignore"):
        error = np.abs(predicted - targets)
        absolute, squared, largest = error.sum(), (error * error).sum(), error.max(initial=0.0)
    return plus(0.0, float(absolute)), plus(0.0, float(squared)), plus(0.0, float(largest))


def targets_in(batch: Batch) -> Array:
    """The labels of a batch as numbers; rows without one are refused by file and line.

    Raises
    ------
    ReadError
        If a row has no target, or one that is not a finite number.
    """
    bad = ~np.isfinite(batch.labels) | (batch.label_ids >= 0)
    if batch.label_indptr is not None or bad.any():
        row = 0 if batch.label_indptr is not None else int(np.flatnonzero(bad)[0])
        found = "several labels"
        if batch.label_indptr is None:
            ident = int(batch.label_ids[row])
            found = f'"{batch.label_texts[ident]}"' if ident >= 0 else "none"
        why = f"expected a number as target, found {found}. Regression needs one on every line."
        raise refused_line(batch, row, why)
    return batch.labels


# ---------------------------------------------------------------------- sets of labels


@dataclass(slots=True)
class LabelLists:
    """Label numbers of rows, those of row i from ``starts[i]`` to ``starts[i + 1]``; -1 is not met yet."""

    numbers: Array
    starts: Array

    def between(self, start: int, stop: int) -> Array:
        """The numbers of some rows, one row after the other."""
        part: Array = self.numbers[self.starts[start] : self.starts[stop]]
        return part

    def rows_of(self, places: Array) -> Array:
        """The rows that places in `numbers` belong to."""
        rows: Array = np.searchsorted(self.starts, places, side="right") - 1
        return rows

    def mask(self, rows: Array, n_labels: int) -> Array:
        """Which labels each of some rows has; unknown ones are left out."""
        out = np.zeros((len(rows), n_labels), dtype=bool)
        for i, row in enumerate(rows.tolist()):
            numbers = self.between(row, row + 1)
            out[i, numbers[numbers >= 0]] = True
        return out


class RankingStream(RowStream):
    """A label ranker at the end of a stream; measures how well labels are ranked."""

    model: RankerModel

    def __init__(
        self, model: RankerModel, *, dtype: str = "float32", skip: bool = False, measure: bool = False
    ) -> None:
        super().__init__(model, dtype=dtype, skip=skip, measure=measure)
        self.labels = StreamLabels(model.labels.names if self.started else [])

    def numbers(self, batch: Batch) -> LabelLists:
        """Label numbers of a batch; -1 stands for labels met on the way."""
        one_each = batch.label_indptr is None
        if self.started and one_each != self.model.one_each:
            form = "one label a row" if self.model.one_each else "sets of labels"
            raise ReadError(f"{batch.source}: the model has learned {form}, this is the other", batch.source)
        if batch.label_indptr is None:
            starts = np.arange(batch.n_rows + 1, dtype=np.int64)
            return LabelLists(np.asarray(self.labels.encode(batch)), starts)
        return LabelLists(np.asarray(self.labels.encode_all(batch)), batch.label_indptr.astype(np.int64))

    def _meet_rows(self, batch: Batch, answers: LabelLists, start: int, stop: int) -> tuple[int, int]:
        if not self.started:
            start = first_with_weight(batch, start, stop)
            if start == stop:
                return stop, 0
        new = self._first_new(batch, answers, start, stop)
        if new == start or not self.started:
            self._meet(batch, answers, start)
            new = self._first_new(batch, answers, start, stop)
        return start, new

    def _first_new(self, batch: Batch, answers: LabelLists, start: int, stop: int) -> int:
        """The first row with a weight that has a label not met before, or `stop`."""
        places = answers.starts[start] + np.flatnonzero(answers.between(start, stop) < 0)
        rows = answers.rows_of(places)
        if batch.weight is not None:
            rows = rows[batch.weight[rows] > 0]
        return int(rows[0]) if len(rows) else stop

    def _meet(self, batch: Batch, answers: LabelLists, row: int) -> None:
        """Give the labels of `row` their numbers, sorted as in a batch of one row."""
        places = range(answers.starts[row], answers.starts[row + 1])
        try:
            names = [label_name(batch, place) for place in places]
        except DataError as error:
            raise refused_line(batch, row, error) from None
        model = self.model
        known = len(model.labels) if self.started else 0
        self.brought = Undo.of_growth(model) if self.started else Undo.of_names(model)
        if self.started:
            model.meet(model.labels.unknown(_array(names)), 0, self.dtype)
        else:
            with all_or_nothing(model):
                model.meet(Labels().unknown(_array(names)), batch.n_features, self.dtype)
                model.one_each, model.n_passes = batch.label_indptr is None, 0
        for number, name in enumerate(model.labels.names[known:], start=known):
            self.labels.add(name, number)
        self.labels.encode_again(batch, answers.numbers)

    def _forget(self, batch: Batch, answers: LabelLists) -> None:
        """The labels of a refused row are as new as before."""
        self.labels = StreamLabels(self.model.labels.names if self.started else [])
        self.labels.encode_again(batch, answers.numbers)

    def _lesson(self, answers: LabelLists, start: int, stop: int) -> tuple[Array, Array]:
        numbers = np.maximum(answers.between(start, stop), 0)  # unknown ones are of rows of no weight
        lists = answers.starts[start : stop + 1] - answers.starts[start]
        return np.ascontiguousarray(numbers, dtype=np.int32), np.ascontiguousarray(lists)

    def _grow(self, n_features: int) -> None:
        self.model.learner.grow(n_features, len(self.model.labels))

    def _tally(self, answers: LabelLists, rows: Array, scores: Array) -> dict[str, float]:
        n_labels = len(self.model.labels)
        order = self.model.labels.order[:n_labels]
        return ranking_measures(answers.mask(rows, n_labels)[:, order], scores[:, order])

    def label_text(self, batch: Batch, row: int) -> str:
        """The labels of a row."""
        first, last = row, row + 1
        if batch.label_indptr is not None:
            first, last = int(batch.label_indptr[row]), int(batch.label_indptr[row + 1])
        return ",".join(batch.label_text(place) for place in range(first, last)) or "-"

    def guess_text(self, batch: Batch, row: int) -> str:
        """The label the model ranks first."""
        if not len(self.model.labels):
            return "-"
        order = self.model.labels.order
        best = order[int(np.argmax(self.scores(batch, row, row + 1)[0, order]))]
        return str(self.model.labels.names[best])

    def class_numbers(self, batch: Batch, answers: LabelLists, start: int, stop: int) -> Array:
        """All labels of some rows."""
        return answers.between(start, stop)


def _array(names: list[Label]) -> Array:
    """Labels as an array that keeps words and numbers apart."""
    if len({isinstance(name, str) for name in names}) < 2:
        return np.asarray(names) if names else np.empty(0, dtype=np.int64)
    mixed = np.empty(len(names), dtype=object)
    mixed[:] = names
    return mixed


def ranking_measures(relevant: Array, scores: Array) -> dict[str, float]:
    """Sums over examples of how well relevant labels are ranked above the others.

    Parameters
    ----------
    relevant : array of bool, shape (n, n_labels)
        The right labels.
    scores : array of shape (n, n_labels)
        The higher, the better a label is ranked.

    Returns
    -------
    dict
        ``ranking_loss`` (share of pairs in the wrong order, ties included), ``average_precision``,
        ``one_error`` over the ``ranked`` examples that have a relevant label.
    """
    n, k = relevant.shape
    if n == 0 or k == 0:
        return {"ranking_loss": 0.0, "average_precision": float(n), "one_error": 0.0, "ranked": 0.0}
    order = np.argsort(-scores, axis=1, kind="stable")
    ranked = np.take_along_axis(relevant, order, axis=1)
    sorted_scores = np.take_along_axis(scores, order, axis=1)
    # Equal scores share the last rank among them.
    last = np.ones((n, k), dtype=bool)
    last[:, :-1] = sorted_scores[:, :-1] != sorted_scores[:, 1:]
    rank = np.where(last, np.arange(k), k)
    rank = np.minimum.accumulate(rank[:, ::-1], axis=1)[:, ::-1]
    hits = np.take_along_axis(np.cumsum(ranked, axis=1), rank, axis=1)
    positive = ranked.sum(axis=1)
    usual = (positive > 0) & (positive < k)
    above = np.where(ranked, rank + 1 - hits, 0).sum(axis=1)
    precision = np.where(ranked, hits / (rank + 1), 0.0).sum(axis=1)
    some = positive > 0
    return {
        "ranking_loss": float((above[usual] / (positive * (k - positive))[usual]).sum()),
        "average_precision": float((precision[usual] / positive[usual]).sum() + (~usual).sum()),
        "one_error": float((some & ~relevant[np.arange(n), np.argmax(scores, axis=1)]).sum()),
        "ranked": float(some.sum()),
    }
