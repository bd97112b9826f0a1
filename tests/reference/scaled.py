"""Beliefs whose features have running scales, in the features' own units.

The product divides rows by the scales s and holds s w. Here weights stay in the units of their features and it is the
prior that follows the scales: the precision of a weight that nothing was learned about is s^2 / a. Targets measured in
their typical size are here too, and the means of features that are centred: there `came` is the row as it came, of
which zeros have no size and a unit length has no units, and `x` what is left of it without the means.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .beliefs import Diagonal, Mean
from .rules import Array, Step

_DIGITS = 0.01


def _has_units(row: Array) -> bool:
    """Whether a row is neither empty nor of unit length."""
    return bool(row.any()) and abs(row @ row - 1) > _DIGITS


class RunningMeans:
    """The mean of every feature over all rows, or one that no single value decides."""

    def __init__(self, d: int, robust: bool = False) -> None:
        self.m: Array = np.zeros(d)
        self.rows, self.robust = 0, robust

    def see(self, x: Array, size: Array) -> Array:
        """Take one more row, and give what is left of it; `size` is the typical distance from the mean, or 0."""
        self.rows += 1
        gap = x - self.m
        if self.robust:
            gap = np.where((x != 0) & (size > 0), np.clip(gap, -30 * size, 30 * size), gap)
        self.m = self.m + (min(1.0, 3 / (self.rows + 2)) if self.robust else 1 / self.rows) * gap
        return x - self.m


class _Scaled(Mean):
    """The largest absolute value every feature has come with, 0 before the first; all blocks share it."""

    def __init__(self, n: int, blocks: int = 1, **options: Any) -> None:
        super().__init__(n, **options)
        self.s: Array = np.zeros(n // blocks)
        self.blocks = blocks
        self.held: Array = np.zeros(n)  # sum over rounds of s mu
        self.rounds = 0
        self.size: Array = np.zeros(
            n // blocks
        )  # of typical scales: the sizes, and of how many values they are
        self.count: Array = np.zeros(n // blocks)

    def divisors(self) -> Array:
        """The scale of every weight, 1 where there is none."""
        return np.tile(np.where(self.s == 0, 1.0, self.s), self.blocks)

    def touched(self) -> Array:
        """Whether anything was learned of each weight."""
        return self.mu != 0

    def see(self, x: Array, came: Array | None = None) -> None:
        """Let a row raise the scales to its values; one of unit length does not."""
        if not _has_units(x if came is None else came):
            return
        old, touched = self.divisors(), self.touched().reshape(self.blocks, -1).any(axis=0)
        # Weights learned from rows of unit length stand for the scale 1.
        least = np.where((self.s == 0) & touched & (x != 0), 1.0, self.s)
        self.s = np.maximum(least, np.abs(x))
        self.restate(old, self.divisors(), np.tile(touched, self.blocks))

    def see_typical(self, x: Array, came: Array | None = None) -> Array:
        """Let the typical sizes follow a row, and give the row as it is learned: no value beyond 5 sizes."""
        came = x if came is None else came
        if _has_units(came):
            old, touched = self.divisors(), self.touched().reshape(self.blocks, -1).any(axis=0)
            there, value = (came != 0) & (x != 0), np.abs(x)
            self.count = self.count + there
            share = np.minimum(1.0, 3 / (self.count + 2))
            moved = self.size + share * (np.minimum(value, 5 * self.size) - self.size)
            self.size = np.where(there, np.where(self.size == 0, value, moved), self.size)
            apart = (self.size > 1.1 * self.s) | (self.s > 1.1 * self.size)
            self.s = np.where(there & apart, self.size, self.s)
            self.restate(old, self.divisors(), np.tile(touched, self.blocks))
        return np.where(self.s > 0, np.clip(x, -5 * self.s, 5 * self.s), x)

    def restate(self, old: Array, new: Array, touched: Array) -> None:
        """Take the prior of the new scales instead of the old ones'."""
        raise NotImplementedError

    def tick(self) -> None:
        """Count a round into the average, which is of s mu."""
        self.held = self.held + self.divisors() * self.mu
        self.rounds += 1

    def average(self) -> Array:
        """Give the average in the units of the features."""
        return self.held / self.rounds / self.divisors()


class ScaledMean(_Scaled):
    """Sigma is 1 / s^2; the sum of the demands, mu / Sigma, stays when s grows, and mu when it falls."""

    def restate(self, old: Array, new: Array, touched: Array) -> None:
        """Keep the sum of the demands, or the weights."""
        self.mu = self.mu * np.minimum(old / new, 1.0) ** 2

    def variance(self, delta: Array) -> float:
        """Give delta' Sigma delta."""
        return float(np.sum((delta / self.divisors()) ** 2))

    def spread(self, delta: Array) -> Array:
        """Give Sigma delta."""
        return delta / self.divisors() ** 2

    def apply(self, delta: Array, step: Step) -> None:
        """Take a step on the mean."""
        self.mu = step.keep * self.mu + step.alpha * self.spread(delta)


class ScaledDiagonal(_Scaled, Diagonal):
    """The prior's share of every precision is s^2 / a; what was learned, and precision times mean, stay."""

    def touched(self) -> Array:
        """Whether anything was learned of each weight."""
        return (self.mu != 0) | (np.abs(self.sigma * self.divisors() ** 2 / self.prior - 1) > 1e-12)

    def restate(self, old: Array, new: Array, touched: Array) -> None:
        """Exchange the prior's share."""
        precision = np.where(
            touched,
            1 / self.sigma + (new**2 - old**2) / self.prior,
            np.where(new != old, new**2, old**2) / self.prior,
        )
        self.mu, self.sigma = self.mu / (self.sigma * precision), 1 / precision


class TypicalTargets:
    """A running centre of targets and their mean distance from it; none counts as further away than 30 of these."""

    def __init__(self) -> None:
        self.count, self.centre, self.size = 0, 0.0, 0.0

    @property
    def unit(self) -> float:
        """The size, 1 where there is none yet."""
        return self.size or 1.0

    def see(self, y: float) -> float:
        """Take one more target, and give it as it is learned."""
        self.count += 1
        gap = y - self.centre
        if self.count == 1:
            self.centre = y
        elif self.size == 0:
            self.size = abs(gap)
        else:
            share, sizes = 3 / (self.count + 2), float(np.clip(gap / self.size, -30, 30))
            self.centre += share * sizes * self.size
            self.size += share * (abs(sizes) - 1) * self.size
        return float(np.clip((y - self.centre) / self.unit, -30, 30))
