"""The passes of `fit`, and the rows that wait for the second of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from ..model.native import Report
    from ..model.types import Array

__all__ = ["Late", "Passes"]

#: One row in so many waits, where these are enough to fit probabilities on.
SHARE, FEWEST = 5, 100
#: So many of the others are looked at, then and at the end, for how far scores have moved and stretched.
MEASURED = 500


class Late(NamedTuple):
    """How rows that wait are learned, and those after them: probabilities are fitted to what is said of them."""

    #: Learns rows: new ones, which fit the map from scores to probabilities, or those seen before, which leave it.
    learn: Callable[[Array, bool], Report]
    #: Tells the map what centre and size the scores of some rows have by now.
    measure: Callable[[Array], None]
    #: Tells the map, at the end, which classes some known rows have.
    settle: Callable[[Array], None]


class Passes:
    """Makes the passes of one `fit`.

    With `late` a fifth of the rows waits for the end of the second pass: only rows that are new to a model show what its
    scores are worth, and the later they come, the nearer it is to the one that will predict. From then on all are learned
    in every pass; how far scores still stretch is measured on rows that are known, then and at the end. As many known rows
    as waited say at the end how many of each class there are.

    Parameters
    ----------
    learn : callable
        ``learn(order, first)`` learns rows in an order.
    late : Late, optional
        Where probabilities are fitted in several passes over shuffled rows.
    """

    def __init__(self, learn: Callable[[Array | None, bool], Report], late: Late | None = None) -> None:
        self._learn = learn
        self._late = late
        self._begun = False
        self._waiting: Array | None = None
        self._measured: Array | None = None
        self._known: Array = np.zeros(0, np.int64)

    @property
    def unfinished(self) -> bool:
        """Whether rows still wait."""
        return self._waiting is not None and self._measured is None

    def make(self, order: Array | None) -> tuple[Report, Array | None]:
        """Make one pass.

        Parameters
        ----------
        order : array of int or None
            All rows, in the order in which they are to come; None as they lie.

        Returns
        -------
        report : Report
            Its mistakes are those on the rows of the second value, its updates all.
        order : array of int or None
            The rows of the first pass; in a later one those that are known from an earlier one.
        """
        first, self._begun = not self._begun, True
        if first and self._late is not None and order is not None and len(order) // SHARE >= FEWEST:
            count = len(order) // SHARE
            order, self._waiting = order[:-count], order[-count:]
        if first or self._late is None or self._waiting is None or order is None:
            return self._learn(order, first), order
        if self._measured is not None:
            return self._late.learn(order, False), order
        order = order[~np.isin(order, self._waiting)]
        report = self._late.learn(order, False)
        self._measured = order[:MEASURED]
        self._known = order[: max(MEASURED, len(self._waiting))]
        self._late.measure(self._measured)
        late = self._late.learn(self._waiting, True)
        return report._replace(n_updates=report.n_updates + late.n_updates), order

    def end(self) -> None:
        """Say that no pass follows."""
        if self._late is not None and self._measured is not None:
            self._late.measure(self._measured)
            self._late.settle(self._known)
