"""Batches of a classifier that may bring something new: the first one, new classes, more columns.

A class is met in the row in which it comes, not at the head of its batch: how a stream is cut into batches must not show
in the bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from ..exceptions import DataError, NumericError
from .classifier import ClassifierModel
from .labels import Labels, distinct_labels, label_array
from .rows import Rows
from .undo import Undo

if TYPE_CHECKING:
    from .rounds import Rounds
    from .types import Array

__all__ = ["checked_batch", "learn_batch", "numbered"]


class ClassBatch(NamedTuple):
    """A checked batch and the classes it brings, each with the row in which it comes."""

    rows: Rows
    numbers: Array
    weights: Array | None
    dtype: str
    news: list[tuple[int, Array]]
    n_classes: int
    checked: bool

    def parts(self) -> Iterator[tuple[int, int, Array]]:
        """Stretches of rows, and the classes to be met before each; none where no row has a weight."""
        stops = [row for row, _ in self.news[1:]] + [self.rows.n_rows]
        for (start, new), stop in zip(self.news, stops, strict=bool(self.news)):
            yield start, stop, new


def learn_batch(model: ClassifierModel, batch: ClassBatch, undo: Undo, rounds: Rounds | None = None) -> None:
    """Learn a batch in the given order; `undo` leads back to before it was looked at."""
    first = model.native is None
    try:
        for start, stop, new in batch.parts():
            _learn_part(model, batch, start, stop, new, rounds)
    except BaseException as error:
        if first and not isinstance(error, NumericError):
            undo.back()
        raise
    finally:
        if model.native is None or not batch.news:
            undo.back()  # nothing had any weight, or the very first row was refused


def checked_batch(
    model: ClassifierModel,
    rows: Rows,
    labels: Array,
    classes: npt.ArrayLike | None,
    weights: Array | None,
    dtype: str,
) -> ClassBatch:
    """A batch checked in every way, before anything is changed for its sake; `dtype` is that of a new learner's state.

    The rows of the first batch are not looked at: when they are refused, everything is put back. Those that come
    before any class are not learned, so they are.
    """
    learner = model.native
    known = Labels() if learner is None else model.labels.copy()
    if classes is not None and learner is not None:
        _check_announced(labels, weights, known, label_array(classes).ravel())
    expected = _expected(model, labels, classes, weights, known)
    numbers = known.encode(labels) if known.names else None
    news: list[tuple[int, Array]] = []
    if numbers is None:
        stray = None if classes is None else known.stray(labels if weights is None else labels[weights > 0])
        if stray is not None:
            raise DataError(
                f"y contains {stray!r}, which is not among classes={np.asarray(classes).ravel().tolist()}"
            )
        numbers, news = numbered(labels, weights, known)
    idle = weights is not None and not weights.any()
    from_start = learner is None or idle or (news and news[0][0] == 0)
    if len(expected) or not from_start:  # from the first row on there is a part
        news.insert(0, (0, expected))
    if learner is None:
        if not news or news[0][0] > 0:
            model.inspect(rows, dtype)
        return ClassBatch(rows, numbers, weights, dtype, news, len(known.names), checked=True)
    if model.recipe.cost_matrix is not None and len(known.names) > len(model.labels.names):
        raise model.unknown_class(known.names[len(model.labels.names)])
    grows = len(known.names) > len(model.labels.names) or rows.n_columns > learner.n_features
    if grows or idle:
        model.inspect(rows, learner.dtype)
    return ClassBatch(rows, numbers, weights, learner.dtype, news, len(known.names), checked=grows)


def _expected(
    model: ClassifierModel,
    labels: Array,
    classes: npt.ArrayLike | None,
    weights: Array | None,
    known: Labels,
) -> Array:
    """The classes to be met before the first row; `known` learns of them."""
    expected: Array = labels[:0]
    if classes is not None:
        expected = known.unknown(label_array(classes).ravel())
        known.add(expected)
    if model.recipe.cost_matrix is not None and model.native is None:
        # The costs are for all classes at once.
        if classes is None:
            expected = known.unknown(labels if weights is None else labels[weights > 0])
        if len(expected):
            expected = model.costly(expected)[1]
        known.add(expected)
    return expected


def _learn_part(
    model: ClassifierModel, batch: ClassBatch, start: int, stop: int, new: Array, rounds: Rounds | None
) -> None:
    """Learn a stretch of rows, after meeting the classes it brings."""
    undo = Undo.of_growth(model) if model.grows(new, batch.rows.n_columns) else Undo.of_names(model)
    if rounds is not None and len(new):
        rounds.answered(model, batch.rows.part(start, start + 1))
    try:
        learner = model.meet(new, batch.rows.n_columns, batch.dtype, expected=batch.n_classes)
        class_weight, balanced = model.class_weights()
        learn = learner.learn_rows if rounds is None else partial(rounds.learn, model)
        learn(
            batch.rows.part(start, stop),
            batch.numbers[start:stop],
            None if batch.weights is None else batch.weights[start:stop],
            class_weight=class_weight,
            balanced=balanced,
            checked=batch.checked,
            first_row=start,
        )
    except BaseException as error:
        if not (isinstance(error, NumericError) and error.row is not None and error.row > start):
            undo.back()  # nothing was learned since
        raise


def _check_announced(labels: Array, weights: Array | None, known: Labels, classes: Array) -> None:
    """Refuse classes the caller did not announce, also those the model knows from before."""
    announced = set(classes.tolist())
    if announced.issuperset(known.names):
        return  # what is left to refuse is what nobody knows
    counted = labels if weights is None else labels[weights > 0]
    for label in distinct_labels(counted).tolist():
        if label not in announced:
            raise DataError(f"y contains {label!r}, which is not among classes={classes.tolist()}")


def numbered(labels: Array, weights: Array | None, known: Labels) -> tuple[Array, list[tuple[int, Array]]]:
    """Class numbers, and the classes not in `known` with the rows they come in; `known` learns of them.

    Rows of no weight bring no classes and may have any number.
    """
    if weights is None or weights.all():
        arrivals, rows = known.arrivals(labels)
        known.add(arrivals)
        encoded = known.encode(labels)
        numbers = encoded
    else:
        counted = np.flatnonzero(weights)
        arrivals, where = known.arrivals(labels[counted])
        known.add(arrivals)
        rows = counted[where]
        numbers = np.zeros(len(labels), dtype=np.int32)
        encoded = known.encode(labels[counted])
        if encoded is not None:
            numbers[counted] = encoded
    if encoded is None or numbers is None:
        raise DataError(
            "y changed while it was read: something else writes into it. Give a copy, as with y.copy()."
        )
    return numbers, [(int(row), arrivals[i : i + 1]) for i, row in enumerate(rows)]
