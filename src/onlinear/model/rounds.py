"""The record of rounds: what the core saw and did in each, for bounds, curves of error and honest evaluation.

A record has a row for every example, weightless ones included, so that it lies beside what was learned. The core fills
it; where none is asked for, nothing is done for it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..exceptions import NumericError, ParameterError
from .parameters import check_choice

if TYPE_CHECKING:
    from .model import RowModel
    from .rows import Rows
    from .types import Array, Values

__all__ = ["FIELDS", "Rounds"]

#: Every field by name, and its place in the core's table.
FIELDS: dict[str, int] = {name: place for place, name in enumerate(_core.round_fields)}

#: Fields that are classes, which a task without classes has not, and those that are true or false.
_CLASSES, _FLAGS = ("predicted", "rival"), ("mistake", "updated")

#: Fields for which every row is scored as a prediction scores it.
_ASKED = ("score", "predicted")


class Rounds:
    """The record of one call.

    Parameters
    ----------
    owner : str
        Who is asked for it.
    fields : str or iterable of str
        What is wanted of each round, in this order.
    has_classes : bool
        Whether the rounds are of a task with classes.
    of_stream : bool
        Whether it goes on from batch to batch.
    """

    def __init__(
        self, owner: str, fields: str | Iterable[str], *, has_classes: bool, of_stream: bool = False
    ) -> None:
        self.of_stream = of_stream
        try:
            self.fields = (fields,) if isinstance(fields, str) else tuple(fields)
        except TypeError:
            raise ParameterError(f"{owner}: record must be names of fields, got {fields!r}") from None
        known = tuple(name for name in FIELDS if has_classes or name not in _CLASSES)
        for name in self.fields:
            check_choice(owner, "record", name, known)
        if not self.fields or len(set(self.fields)) < len(self.fields):
            raise ParameterError(f"{owner}: record must name one field or more, each once, got {fields!r}")
        self._asks = any(name in _ASKED for name in self.fields)
        self._done: list[Array] = []
        self._table = np.empty((0, len(FIELDS)))
        self._reached = 0
        self._before: float | None = None
        self._several = False

    def begin(self, n_rows: int) -> None:
        """Get ready for a batch of so many rows."""
        self._table = np.full((n_rows, len(FIELDS)), np.nan)
        for name in _CLASSES:
            self._table[:, FIELDS[name]] = -1.0
        for name in ("step", "gain", "weight", "cost", *_FLAGS):
            self._table[:, FIELDS[name]] = 0.0
        self._reached, self._before = 0, None

    def answered(self, model: RowModel, row: Rows) -> None:
        """Keep what a model says of the next row, which brings it classes: those it could not have answered with."""
        if not self._asks:
            return
        if model.native is None:
            self._before = -1.0
            return
        ranking = model.labels.classes.ranking
        self._before = float(ranking[model.native.chosen(row, ranking)[0]])

    def learn(
        self,
        model: RowModel,
        rows: Rows,
        answers: Array | None,
        weights: Array | None,
        *,
        first_row: int = 0,
        **named: Any,
    ) -> None:
        """Have some rows of the batch learned, those from `first_row` on, as `Native.learn_rows` would."""
        where = self.part(model, first_row, rows.n_rows)
        try:
            model.learner.learn_rows(rows, answers, weights, first_row=first_row, **named, **where)
        except NumericError as error:  # the rows before stay learned
            self.learned(first_row, 0 if error.row is None else error.row - first_row)
            raise
        self.learned(first_row, rows.n_rows)

    def part(self, model: RowModel, start: int, n_rows: int) -> Values:
        """What the core is told: where the rounds of some rows of the batch are written, and how much is asked."""
        ranking = model.labels.classes.ranking if model.has_classes else []
        self._several = len(ranking) > 2
        return {"record": self._table[start : start + n_rows], "ranking": ranking, "asks": self._asks}

    def learned(self, start: int, n_rows: int) -> None:
        """Take note that these rows of the batch have been learned."""
        if n_rows:
            self._reached = start + n_rows
            if self._before is not None:
                self._table[start, FIELDS["predicted"]] = self._before
            part = self._table[start : self._reached]
            if self._several:  # the class of a row that does not count may not be known
                part[part[:, FIELDS["weight"]] == 0, FIELDS["score"]] = np.nan
        self._before = None

    def complete(self) -> None:
        """Take note that the whole batch has been learned, rows that were passed over included."""
        self._reached = len(self._table)

    def end(self, model: RowModel) -> None:
        """Keep the rounds of the batch, as far as it was learned."""
        table = self._table[: self._reached]
        out = np.zeros(len(table), dtype=self._dtype())
        for name in self.fields:
            column = table[:, FIELDS[name]]
            out[name] = self._classes(model, column) if name in _CLASSES else column
        self._done.append(out)
        self._table, self._reached = self._table[:0], 0

    def made(self) -> Array:
        """The record: a structured array with a row for each example."""
        out: Array = np.concatenate(self._done) if self._done else np.zeros(0, dtype=self._dtype())
        return out

    def _dtype(self) -> np.dtype[Any]:
        kinds = [object if n in _CLASSES else bool if n in _FLAGS else np.float64 for n in self.fields]
        return np.dtype(list(zip(self.fields, kinds, strict=True)))

    @staticmethod
    def _classes(model: RowModel, numbers: Array) -> Array:
        """Class numbers as classes; None for those there are not (yet)."""
        names = model.labels.names
        table = np.empty(len(names) + 1, dtype=object)
        table[: len(names)] = names
        places = numbers.astype(np.intp)
        out: Array = table[np.where(places < len(names), places, -1)]
        return out
