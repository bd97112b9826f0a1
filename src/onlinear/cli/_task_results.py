"""``predict`` and ``evaluate`` for models of rows that are no classifiers: regressors, one-class, rankers."""

from __future__ import annotations

from sys import float_info
from typing import TYPE_CHECKING

import numpy as np

from ..exceptions import DataError
from ..model.stream import StreamLabels, plus, rows_of
from ..model.task_streams import LabelLists, errors_of, ranking_measures, targets_in
from ._errors import UsageError
from ._reading import cell, named_label, open_like, read_blocks
from ._task import share

if TYPE_CHECKING:
    from typing import TypeGuard

    from ..io import Batch
    from ..model.model import RowModel
    from ..model.one_class import OneClassModel
    from ..model.ranker import RankerModel
    from ..model.types import Array, Values

__all__ = ["Columns", "evaluate_rows"]


#: Labels of one-class data are told apart up to so many; more are not kinds of rows.
_MOST_LABELS = 20


def is_ranker(model: RowModel) -> TypeGuard[RankerModel]:
    """Whether a model ranks labels."""
    return bool(model.recipe.kind == "multilabel")


def is_one_class(model: RowModel) -> TypeGuard[OneClassModel]:
    """Whether a model knows one class only."""
    return bool(model.recipe.kind == "one-class")


def reach_of(model: OneClassModel) -> float:
    """The distance up to which a one-class model takes a row for one of its own."""
    return float(model.radius if model.cut is None else model.cut)


def reading_for(model: RowModel, given: Values) -> Values:
    """How files for a model are read: rankers may have several labels a row."""
    several = is_ranker(model) and not model.one_each
    return {**given, "multilabel": True} if several else given


# ---------------------------------------------------------------------- predicting


class Columns:
    """What ``predict`` writes for a model: a column of answers, and more when asked.

    Parameters
    ----------
    model : RowModel
        A regressor, a one-class model or a ranker.
    scores, proba, std : bool
        What was asked for.
    top : int or None
        Labels to write for each row, of a ranker.
    """

    def __init__(
        self, model: RowModel, *, scores: bool, proba: bool, std: bool, top: int | None = None
    ) -> None:
        owner = model.recipe.owner
        if top is not None and not is_ranker(model):
            raise UsageError(f"--top: a {owner} does not rank labels")
        if std:
            if is_ranker(model) or is_one_class(model):
                raise UsageError(f"--std: a {owner} has no standard deviation for its answers")
            model.with_variance()
        if proba and not is_ranker(model):
            raise UsageError(f"--proba: a {owner} has no probabilities")
        if scores and not (is_ranker(model) or is_one_class(model)):
            raise UsageError(f"--scores: the score of a {owner} is what it predicts; leave it out")
        self.model = model
        self.scores, self.proba, self.std, self.top = scores, proba, std, top

    def reading(self, given: Values) -> Values:
        """How files are read: rankers may have several labels a row."""
        return reading_for(self.model, given)

    def names(self) -> list[str]:
        """The names of the columns."""
        if not is_ranker(self.model):
            first = "inside" if is_one_class(self.model) else "prediction"
            return [first, *(["score"] if self.scores else []), *(["std"] if self.std else [])]
        labels = [cell(name) for name in self.model.labels.classes.ranked]
        scores = [f"score:{name}" for name in labels] if self.scores else []
        return ["labels", *scores, *([f"proba:{name}" for name in labels] if self.proba else [])]

    def lines(self, batch: Batch, blocks: Array) -> bytes:
        """The lines of a batch."""
        if is_ranker(self.model):
            columns = self._ranked(self.model, blocks)
        elif is_one_class(self.model):
            inside = reach_of(self.model) - blocks[:, 0]
            columns = [["1" if value >= 0 else "-1" for value in inside.tolist()]]
            if self.scores:
                columns.append([f"{value:.9g}" for value in inside.tolist()])
        else:
            columns = [[f"{value:.9g}" for value in blocks[:, 0].tolist()]]
            if self.std:
                columns.append([f"{value:.6g}" for value in self._deviations(batch).tolist()])
        return "".join(["\t".join(row) + "\n" for row in zip(*columns, strict=True)]).encode()

    def _deviations(self, batch: Batch) -> Array:
        variance = self.model.learner.read_rows(rows_of(batch), variances=True)
        out: Array = np.sqrt(variance[:, 0])
        return out

    def _ranked(self, model: RankerModel, blocks: Array) -> list[list[str]]:
        names = [cell(name, ",") for name in model.labels.classes.ranked]
        scores, chosen, probability = judged(model, blocks, self.top)
        order = np.argsort(-scores, axis=1, kind="stable")
        first = [
            ",".join([names[k] for k in ranked if row[k]])
            for ranked, row in zip(order.tolist(), chosen.tolist(), strict=True)
        ]
        columns = [first]
        if self.scores:
            columns += [[f"{value:.9g}" for value in column] for column in scores.T.tolist()]
        if self.proba:
            columns += [[f"{value:.6f}" for value in column] for column in probability.T.tolist()]
        return columns


def judged(model: RankerModel, blocks: Array, top: int | None = None) -> tuple[Array, Array, Array]:
    """Scores, chosen labels and probabilities of a ranker, a column for each of its classes, sorted.

    With `top`, so many labels are chosen for each row.
    """
    scores = np.ascontiguousarray(blocks[:, model.labels.order])
    probability = model.probabilities(scores)
    if top is not None:
        chosen = np.zeros(scores.shape, dtype=bool)
        best = np.argsort(-scores, axis=1, kind="stable")[:, :top]
        np.put_along_axis(chosen, best, values=True, axis=1)
    elif model.one_each:
        chosen = np.arange(scores.shape[1]) == np.argmax(scores, axis=1)[:, None]
    else:
        chosen = probability >= model.cut
    return scores, chosen, probability


# ---------------------------------------------------------------------- evaluating


def evaluate_rows(model: RowModel, files: list[str], reading: Values) -> Values:
    """Figures of a model on files.

    Parameters
    ----------
    model : RowModel
        A regressor, a one-class model or a ranker.
    files : list of str
        With answers; a one-class model needs none.
    reading : dict
        Options of reading that were given.
    """
    tally: _Sets | _Ball | _Targets = (
        _Sets(model) if is_ranker(model) else _Ball(model) if is_one_class(model) else _Targets()
    )
    labelled = None if is_one_class(model) else True
    rows = 0
    with open_like(model, files, reading_for(model, reading), labelled=labelled) as reader:
        for batch, blocks in read_blocks(model, reader):
            tally.add(batch, blocks)
            rows += batch.n_rows
        refused = reader.n_refused
    if rows == 0:
        raise DataError(f"{', '.join(files)}: no examples")
    return {"examples": rows, "refused": refused, **tally.figures(rows)}


class _Targets:
    """Errors of predictions, and how the targets vary."""

    def __init__(self) -> None:
        self.absolute = self.squared = self.largest = 0.0
        self.count, self.mean, self.spread = 0, 0.0, 0.0

    def add(self, batch: Batch, blocks: Array) -> None:
        targets = targets_in(batch)
        absolute, squared, largest = errors_of(blocks[:, 0], targets)
        self.absolute, self.squared = plus(self.absolute, absolute), plus(self.squared, squared)
        self.largest = max(self.largest, largest)
        # The mean and the squares around it, batch by batch, without losing digits to a far mean.
        n, both = len(targets), self.count + len(targets)
        with np.errstate(over="ignore", invalid="ignore"):  # targets may be too large to be squared
            mean = float(targets.mean())
            away = mean - self.mean
            self.spread += float(((targets - mean) ** 2).sum()) + away * away * self.count * n / both
        self.mean += away * n / both
        self.count = both

    def figures(self, rows: int) -> Values:
        squared = share(self.squared, rows)
        return {
            "mean_absolute_error": share(self.absolute, rows),
            "mean_squared_error": squared,
            "root_mean_squared_error": None if squared is None else float(np.sqrt(squared)),
            "largest_error": share(self.largest, 1),
            "r2": 1 - self.squared / self.spread
            if 0 < self.spread <= float_info.max > self.squared
            else None,
        }


class _Ball:
    """How many rows are rejected, and of which label."""

    def __init__(self, model: OneClassModel) -> None:
        self.reach = reach_of(model)
        self.rejected = 0
        self.by_label: dict[str, list[int]] = {}

    def add(self, batch: Batch, blocks: Array) -> None:
        outside = blocks[:, 0] > self.reach
        self.rejected += int(outside.sum())
        if not batch.has_labels or len(self.by_label) > _MOST_LABELS:
            return
        for label, out in zip(batch.y.tolist(), outside.tolist(), strict=True):
            seen = self.by_label.setdefault(named_label(label), [0, 0])
            seen[0] += 1
            seen[1] += out

    def figures(self, rows: int) -> Values:
        return {
            "rejection_rate": self.rejected / rows,
            "radius": self.reach,
            "by_label": {
                label: {"examples": count, "rejected": out, "rejection_rate": out / count}
                for label, (count, out) in sorted(self.by_label.items())
                if len(self.by_label) <= _MOST_LABELS
            },
        }


class _Sets:
    """How well labels are ranked, and sets of labels predicted."""

    def __init__(self, model: RankerModel) -> None:
        self.model = model
        self.labels = StreamLabels(model.labels.names)
        self.sums: dict[str, float] = {}
        self.exact = self.hits = self.said = self.true = self.unknown = 0

    def add(self, batch: Batch, blocks: Array) -> None:
        several = batch.label_indptr is not None
        starts = batch.label_indptr if several else np.arange(batch.n_rows + 1)
        encode = self.labels.encode_all if several else self.labels.encode
        lists = LabelLists(np.asarray(encode(batch)), np.asarray(starts, dtype=np.int64))
        scores, chosen, _ = judged(self.model, blocks)
        truth = lists.mask(np.arange(batch.n_rows), scores.shape[1])[:, self.model.labels.order]
        for name, value in ranking_measures(truth, scores).items():
            self.sums[name] = self.sums.get(name, 0.0) + value
        strange = np.flatnonzero(lists.numbers < 0)
        known = np.ones(batch.n_rows, dtype=bool)
        known[lists.rows_of(strange)] = False
        self.unknown += len(strange)
        self.exact += int(((chosen == truth).all(axis=1) & known).sum())
        self.hits += int((chosen & truth).sum())
        self.said += int(chosen.sum())
        self.true += int(truth.sum()) + len(strange)

    def figures(self, rows: int) -> Values:
        ranked = self.sums["ranked"]
        return {
            "ranking_loss": self.sums["ranking_loss"] / rows,
            "one_error": self.sums["one_error"] / ranked if ranked else None,
            "average_precision": self.sums["average_precision"] / rows,
            "subset_accuracy": self.exact / rows,
            "micro_f1": 2 * self.hits / max(self.said + self.true, 1),
            "unknown_labels": self.unknown,
        }
