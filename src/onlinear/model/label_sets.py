"""Sets of labels: any number of them to an example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..exceptions import DataError
from .labels import Labels, flat_labels

if TYPE_CHECKING:
    from .types import Array

__all__ = ["LabelSets"]


@dataclass(slots=True)
class LabelSets:
    """Label lists: example i has ``labels[starts[i]:starts[i + 1]]``; `names` are all labels there are."""

    labels: Array
    starts: Array
    names: Array
    one_each: bool
    declared: Array | None = None  # labels known before any row, as an indicator array's columns

    @property
    def n(self) -> int:
        """How many examples."""
        return len(self.starts) - 1

    def announce(self, classes: Array, weights: Array | None) -> None:
        """Take the caller's word for the labels to come; others are then refused."""
        announced = set(classes.tolist())
        for label in np.unique(self._weighty(weights)[0]).tolist():
            if label not in announced:
                raise DataError(f"y contains {label!r}, which is not among classes={classes.tolist()}")
        before = [] if self.declared is None else self.declared.tolist()
        self.declared = np.unique(flat_labels([*before, *classes.tolist()]))

    def _weighty(self, weights: Array | None) -> tuple[Array, Array]:
        """The labels of examples that have a weight, and the example of each."""
        rows = np.repeat(np.arange(self.n), np.diff(self.starts))
        if weights is None:
            return self.labels, rows
        heavy = weights[rows] > 0
        return self.labels[heavy], rows[heavy]

    def brought(self, weights: Array | None) -> Array:
        """All labels there are: those declared, and those of examples that have a weight."""
        return self.names if weights is None or self.declared is not None else self._weighty(weights)[0]

    def arrivals(self, known: Labels, weights: Array | None) -> list[tuple[int, Array]]:
        """The labels not in `known`, with the examples that bring them; `known` learns of them.

        A label is met with the example that has it, not at the head of its batch: how a stream is cut must not
        show in the bits. Examples of no weight bring none. The first example with a weight is always listed for
        a model that knows nothing.
        """
        news: dict[int, Array] = {}
        if self.declared is not None:
            news[0] = known.unknown(self.declared)
            known.add(news[0])
        elif len(known) == 0:
            heavy = np.arange(self.n) if weights is None else np.flatnonzero(weights)
            if len(heavy):
                news[int(heavy[0])] = self.labels[:0]
        labels, rows = self._weighty(weights)
        fresh = known.unknown(labels)
        if len(fresh):
            distinct, first = np.unique(labels, return_index=True)
            at = rows[first[np.searchsorted(distinct, fresh)]]
            for row in np.unique(at).tolist():
                news[row] = fresh[at == row]
                known.add(news[row])
        return sorted(news.items())

    def between(self, start: int, stop: int, known: Labels) -> tuple[Array, Array]:
        """Label numbers of some examples, and where those of each begin."""
        part = self.labels[self.starts[start] : self.starts[stop]]
        numbers = known.encode(part)
        if numbers is None:  # labels of examples of no weight; any number will do
            numbers = np.array([known.index.get(label, 0) for label in part.tolist()], dtype=np.int32)
        lists = self.starts[start : stop + 1] - self.starts[start]
        return np.ascontiguousarray(numbers), np.ascontiguousarray(lists)
