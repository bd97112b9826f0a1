"""Streams whose target moves, drawn once and kept: reproducible, and the same for every model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from ..estimators.random import generator
from ..exceptions import DataError, ParameterError
from ..model.parameters import check_number

if TYPE_CHECKING:
    from ..model.types import Array, Label, MatrixLike, Seed

__all__ = ["DriftStream", "abrupt", "four_phases", "gradual", "recurring"]


@dataclass(frozen=True, slots=True)
class DriftStream:
    """Examples in the order they come, and what was behind each."""

    X: MatrixLike  #: array or CSR matrix of shape (n, n_features)
    y: Array  #: classes, 0 and 1
    phase: Array  #: the stretch of time of every example, counted from 0
    concept: Array  #: what was behind it: the linear concept, or which of P1, P2, N1, N2

    def __len__(self) -> int:
        return len(self.y)

    def __iter__(self) -> Iterator[tuple[MatrixLike, Label]]:
        """Rows as matrices of one row, and their classes."""
        for i in range(len(self)):
            yield self.X[i : i + 1], self.y[i]

    def starts(self) -> list[int]:
        """Where the phases begin."""
        return changes(self.phase)


def changes(phase: Array) -> list[int]:
    """Where a run of equal numbers begins."""
    return [0, *(np.flatnonzero(np.diff(phase)) + 1).tolist()]


#: Class probabilities (P1, P2, N1, N2) at the start and the end of each phase; note the jump before the third.
_PHASES = np.array(
    [
        [[0.7, 0.0, 0.3, 0.0], [0.5, 0.0, 0.5, 0.0]],
        [[0.5, 0.0, 0.5, 0.0], [0.3, 0.2, 0.5, 0.0]],
        [[0.0, 0.5, 0.2, 0.3], [0.0, 0.5, 0.0, 0.5]],
        [[0.0, 0.5, 0.0, 0.5], [0.0, 0.3, 0.0, 0.7]],
    ]
)


def four_phases(
    X: MatrixLike,
    y: npt.ArrayLike,
    *,
    positive: Sequence[Label],
    negative: Sequence[Label],
    per_phase: int = 500,
    random_state: Seed = None,
) -> DriftStream:
    """The four-phase class mixture: the classes that stand for yes and no are exchanged one after the other.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, n_features)
        Labelled examples to draw from.
    y : array of shape (n,)
        Their classes.
    positive, negative : two classes each
        P1, P2 and N1, N2 of the paper.
    per_phase : int, default=500
        Examples in a phase.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    DriftStream
        ``4 * per_phase`` examples; class 1 is positive.

    Examples
    --------
    >>> import numpy as np
    >>> from onlinear.drift import four_phases
    >>> X, y = np.arange(40.0).reshape(20, 2), np.repeat([3, 7, 8, 9], 5)
    >>> stream = four_phases(X, y, positive=[3, 7], negative=[8, 9], per_phase=10, random_state=0)
    >>> len(stream), stream.starts()
    (40, [0, 10, 20, 30])
    """
    check_number("four_phases", "per_phase", per_phase, 1, whole=True)
    if len(positive) != 2 or len(negative) != 2:
        raise ParameterError(
            f"four_phases: positive and negative need two classes each, got {positive!r}, {negative!r}"
        )
    rng = generator(random_state)
    labels = np.asarray(y)
    pools = [_Pool(np.flatnonzero(labels == name), rng, name) for name in (*positive, *negative)]
    phase = np.repeat(np.arange(4), per_phase)
    source = np.array([rng.choice(4, p=chance) for chance in _chances(per_phase)])
    rows = [pools[each].draw() for each in source]
    chosen = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    return DriftStream(chosen[rows], (source < 2).astype(int), phase, source)


def _chances(per_phase: int) -> Array:
    """Class probabilities of every example: from a phase's start to its end in equal steps."""
    t = np.linspace(0.0, 1.0, per_phase)[None, :, None]
    start, end = _PHASES[:, :1], _PHASES[:, 1:]
    chances: Array = (start + (end - start) * t).reshape(-1, 4)
    return chances


class _Pool:
    """Examples of a class, drawn in random order and again from the start when all have been."""

    def __init__(self, rows: Array, rng: np.random.RandomState, name: Label) -> None:
        if not len(rows):
            raise DataError(f"four_phases: there is no example of class {name!r}")
        self._rows, self._rng, self._left = rows, rng, []

    _left: list[int]

    def draw(self) -> int:
        if not self._left:
            self._left = self._rng.permutation(self._rows).tolist()
        return self._left.pop()


def abrupt(
    n: int = 10_000,
    *,
    n_features: int = 20,
    n_concepts: int = 2,
    noise: float = 0.05,
    random_state: Seed = None,
) -> DriftStream:
    """Linear concepts of equal length, each replaced at once by the next.

    Parameters
    ----------
    n : int, default=10000
        Examples.
    n_features : int, default=20
        Features, independent Gaussians.
    n_concepts : int, default=2
        Concepts, each a random hyperplane.
    noise : float, default=0.05
        Share of labels that are wrong, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    DriftStream

    Examples
    --------
    >>> from onlinear.drift import abrupt
    >>> abrupt(90, n_concepts=3, random_state=0).starts()
    [0, 30, 60]
    """
    check_number("abrupt", "n_concepts", n_concepts, 1, whole=True)
    concept = np.arange(n) * n_concepts // max(n, 1)
    return _concepts("abrupt", n, concept, concept, n_features, noise, random_state)


def gradual(
    n: int = 10_000,
    *,
    n_features: int = 20,
    begin: float = 0.4,
    end: float = 0.6,
    noise: float = 0.05,
    random_state: Seed = None,
) -> DriftStream:
    """One linear concept that gives way to another: between `begin` and `end` the chance of the new one rises evenly.

    Parameters
    ----------
    n : int, default=10000
        Examples.
    n_features : int, default=20
        Features, independent Gaussians.
    begin, end : float, default=0.4, 0.6
        When the change begins and when it is complete, as shares of the stream.
    noise : float, default=0.05
        Share of labels that are wrong, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    DriftStream

    Examples
    --------
    >>> from onlinear.drift import gradual
    >>> gradual(100, begin=0.2, end=0.8, random_state=0).starts()
    [0, 20, 80]
    """
    check_number("gradual", "begin", begin, 0.0, 1.0)
    check_number("gradual", "end", end, begin, 1.0)
    rng = generator(random_state)
    time = np.arange(n) / max(n, 1)
    chance = np.clip((time - begin) / max(end - begin, 1e-12), 0.0, 1.0)
    concept = (rng.random_sample(n) < chance).astype(int)
    phase = (time >= begin).astype(int) + (time >= end)
    return _concepts("gradual", n, phase, concept, n_features, noise, rng)


def recurring(
    n: int = 10_000,
    *,
    period: int = 2_000,
    n_features: int = 20,
    n_concepts: int = 2,
    noise: float = 0.05,
    random_state: Seed = None,
) -> DriftStream:
    """Linear concepts that take turns of `period` examples each, and come back.

    Parameters
    ----------
    n : int, default=10000
        Examples.
    period : int, default=2000
        Examples in a turn.
    n_features : int, default=20
        Features, independent Gaussians.
    n_concepts : int, default=2
        Concepts, each a random hyperplane.
    noise : float, default=0.05
        Share of labels that are wrong, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    DriftStream

    Examples
    --------
    >>> from onlinear.drift import recurring
    >>> recurring(80, period=20, random_state=0).concept[::20].tolist()
    [0, 1, 0, 1]
    """
    check_number("recurring", "period", period, 1, whole=True)
    check_number("recurring", "n_concepts", n_concepts, 1, whole=True)
    turn = np.arange(n) // period
    return _concepts("recurring", n, turn, turn % n_concepts, n_features, noise, random_state)


def _concepts(
    owner: str, n: int, phase: Array, concept: Array, n_features: int, noise: float, random_state: Seed
) -> DriftStream:
    """Gaussian rows, each labelled by the hyperplane of its concept."""
    check_number(owner, "n", n, 1, whole=True)
    check_number(owner, "n_features", n_features, 1, whole=True)
    check_number(owner, "noise", noise, 0.0, 1.0)
    rng = generator(random_state)
    planes = rng.standard_normal((int(concept.max(initial=0)) + 1, n_features))
    X = rng.standard_normal((n, n_features))
    answers = np.sum(X * planes[concept], axis=1) > 0
    wrong = rng.random_sample(n) < noise
    return DriftStream(X, (answers ^ wrong).astype(int), phase, concept)
