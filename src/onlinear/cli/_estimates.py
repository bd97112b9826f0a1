"""What an error that was told on the way is worth: in which order rows came, and what the final model gets wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from ..io._batch import Batch, joined
from ..model.stream import Counts

if TYPE_CHECKING:
    from ..model.stream import Baseline, RowStream
    from ..model.types import Array
    from ._task import Task

__all__ = ["HeldOut", "chosen", "early_rows", "forgotten", "in_long_runs"]

# ---------------------------------------------------------------------- rows held out

#: Held-out rows among the first that are answered once more at the end.
_EARLY = 500


def early_rows(share: float) -> int:
    """How many rows from the beginning have about as many held out as are answered once more at the end."""
    return int(_EARLY / share) if share else 0


def chosen(places: Array, seed: int, share: float) -> Array:
    """Whether each of some rows is held out: by its place and the seed, so that batches, orders and passes agree."""
    import numpy as np

    out: Array = _drawn(places, seed) < np.uint64(int(share * 2.0**64))
    return out


def _drawn(places: Array, seed: int) -> Array:
    """A number for each place, as if at random."""
    import numpy as np

    with np.errstate(over="ignore"):
        z = (
            np.asarray(places).astype(np.uint64) + np.uint64(seed) * np.uint64(0x9E3779B97F4A7C15)
        ) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    out: Array = z
    return out


class HeldOut:
    """The rows held out, kept to be answered by the final model.

    Past a bound a sample of them is kept, half as dense each time, and all of the first rows. Of sequences, whose
    features take more room, those are kept that come first.

    Parameters
    ----------
    seed : int
        That of the run.
    early : int
        Up to which place rows are early.
    """

    _MOST_ENTRIES = 1 << 22
    _MOST_TOKENS = 1 << 18
    _MOST_PIECES = 256

    def __init__(self, seed: int, early: int) -> None:
        self._seed, self._early = seed, early
        self._pieces: list[tuple[Any, Array, Array]] = []  # a batch, the rows of it, where they stood
        self._size = self._thinning = 0

    def add(self, batch: Any, places: Array, aside: Array) -> None:
        """Keep those rows of a batch that are held out."""
        import numpy as np

        rows = np.flatnonzero(aside)
        if not isinstance(batch, Batch):
            tokens = int(batch.starts[-1] - batch.starts[0])
            if len(rows) and self._size + tokens <= self._MOST_TOKENS:
                self._size += tokens
                self._pieces.append((batch, rows, places[rows]))
            return
        rows = rows[self._sampled(places[rows]) | (places[rows] < self._early)]
        if not len(rows):
            return
        self._put(batch, rows, places[rows])
        while self._size > self._MOST_ENTRIES and self._thinning < 60:
            self._thinning += 1
            pieces, self._pieces, self._size = self._pieces, [], 0
            for piece, some, where in pieces:
                kept = self._sampled(where) | (where < self._early)
                if kept.any():
                    self._put(piece, some[kept], where[kept])
        if len(self._pieces) > self._MOST_PIECES:
            whole = joined([piece for piece, _, _ in self._pieces])
            where = np.concatenate([where for _, _, where in self._pieces])
            self._pieces = [(whole, np.arange(whole.n_rows), where)]

    def _put(self, batch: Any, rows: Array, places: Array) -> None:
        import numpy as np

        piece = batch.rows_at(rows)
        self._size += len(piece.indices)
        self._pieces.append((piece, np.arange(len(rows)), places))

    def _sampled(self, places: Array) -> Array:
        import numpy as np

        out: Array = _drawn(places, self._seed) & np.uint64((1 << self._thinning) - 1) == 0
        return out

    def judged(self, learner: RowStream) -> tuple[Counts, Counts]:
        """How a model answers them as it stands: the sample of all, and all of the early ones."""
        every, early = Counts(), Counts()
        for batch, rows, places in self._pieces:
            sampled, first = self._sampled(places), places < self._early
            one = learner.judge(batch, rows[sampled])
            every.add(one)
            if first.any():
                early.add(one if (first == sampled).all() else learner.judge(batch, rows[first]))
        return every, early


def forgotten(task: Task, told: Counts | None, now: Counts | None) -> str | None:
    """What there is to say where the final model answers the first rows worse than was told of them; else None."""
    if told is None or now is None or told.held_out < _LEAST_HELD_OUT or now.held_out != told.held_out:
        return None
    (then_sum, then_of), (now_sum, now_of) = task.held_out(told), task.held_out(now)
    if not then_of or not now_of:
        return None
    then, last, rows = then_sum / then_of, now_sum / now_of, told.held_out
    chance = ((then * (1 - then) + last * (1 - last)) / rows) ** 0.5 if task.proportion else then / 2
    if last - then <= (max(3 * chance, 0.02) if task.proportion else chance):
        return None
    return (
        f"of the {rows:,} rows held out at the beginning the {task.measure} was {then:.4f} on the way, and by the final "
        f"model it is {last:.4f}: later rows are of another kind, and what was learned first is forgotten. {_REMEDY}"
    )


# ---------------------------------------------------------------------- the order of rows

_REMEDY = "Mix the rows (--shuffle; more of them at a time: --buffer), or judge by other data (--test)."

#: Of fewer rows held out nothing is said.
_LEAST_HELD_OUT = 30

#: Fewer changes than this from row to row are expected of a file too short, or of too few kinds, to tell anything.
_LEAST_EXPECTED = 20.0
#: How many times fewer changes than in random order are long runs; days and sessions make runs a few times longer.
_TOO_FEW = 5.0
#: The same of targets, whose squared steps are compared; that of a slow curve is hundreds of times smaller.
_TOO_SMALL = 20.0


def in_long_runs(baseline: Baseline | None) -> str | None:
    """What there is to say where neighbours are so alike that an error told on the way says little; None elsewhere."""
    remedy = (
        f"The progressive error tells how the next row of such an order is answered, not any row. {_REMEDY}"
    )
    if isinstance(baseline, _core.MajorityClass):
        changes, expected = baseline.changes, baseline.expected_changes
        if expected >= _LEAST_EXPECTED and changes * _TOO_FEW <= expected:
            return (
                f"labels come in long runs, as in a file sorted by class: {changes:,} changes from row to row, where "
                f"random order has {expected:,.0f}. {remedy}"
            )
    if isinstance(baseline, _core.MeanTarget):
        steps, expected = baseline.changes, baseline.expected_changes
        if baseline.seen > _LEAST_EXPECTED and expected > 0 and steps * _TOO_SMALL <= expected:
            return (
                "targets rise or fall slowly, as in a sorted file: the squared steps from row to row are "
                f"{steps / expected:.2g} of those in random order. {remedy}"
            )
    return None
