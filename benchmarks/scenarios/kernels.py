"""Kernels: evaluations beside NumPy's matrix product, and a budget that keeps an example's price."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import learners
from benchmarks.data import SEED
from benchmarks.protocol import (
    Arena,
    Clock,
    Contestant,
    Measurement,
    Scenario,
    Turn,
    best_pass,
    own_peak_mb,
    within,
)

ROWS, POINTS, FEATURES = 4096, 2048, 256
BUDGET = 256
STRETCH = 2000  # examples in a measured stretch of the stream

Matrix = NDArray[np.float64]


def cloud(rows: int, seed: int, features: int = FEATURES) -> Matrix:
    """Return Gaussian rows."""
    return np.random.default_rng([SEED, seed]).standard_normal((rows, features))


def matrix_product(name: str) -> Contestant:
    """Return NumPy's product of all rows with all points, at full size and on one thread."""

    def start(arena: Arena) -> Turn:
        X, points = cloud(ROWS, 0), cloud(POINTS, 1)

        def turn() -> Measurement:
            clock, _ = best_pass(arena.passes, lambda: None, lambda _: X @ points.T)
            return Measurement(clock.cpu, clock.wall, own_peak_mb(), examples=ROWS, nonzeros=X.size)

        return turn

    return Contestant(name, "limit", start)


def evaluations(name: str, kernel: str) -> Contestant:
    """Return a model that keeps `POINTS` examples and scores `ROWS` others: kernels, sums and the way through Python."""

    def start(arena: Arena) -> Turn:
        from onlinear import KernelClassifier

        X, points = cloud(ROWS, 0), cloud(POINTS, 1)
        model = KernelClassifier(rule="pa1", kernel=kernel, gamma=0.5, fit_intercept=False)
        model.partial_fit(points, np.arange(POINTS) % 2, classes=[0, 1])

        def turn() -> Measurement:
            clock, _ = best_pass(arena.passes, lambda: model, lambda m: m.decision_function(X))
            kept = len(model.dual_coef_)
            share = POINTS / kept  # what few points were right at once are missing: charge for them
            return Measurement(
                clock.cpu * share, clock.wall * share, own_peak_mb(), examples=ROWS, nonzeros=X.size
            )

        return turn

    return Contestant(name, "us", start, learners.ONLINEAR)


def stretch(name: str, rule: str, begin: int) -> Contestant:
    """Return a budgeted model that is measured from its example number `begin` on."""

    def start(arena: Arena) -> Turn:
        from onlinear import KernelClassifier

        X = cloud(begin + STRETCH, 2, 64)
        y = np.random.default_rng(SEED).integers(
            0, 2, len(X)
        )  # nothing to learn: every example wants a place

        def turn() -> Measurement:
            clocks = []
            for _ in range(arena.passes):
                model: Any = KernelClassifier(rule=rule, budget=BUDGET, gamma=0.02)
                model.partial_fit(X[:begin], y[:begin], classes=[0, 1])
                with Clock() as clock:
                    model.partial_fit(X[begin:], y[begin:])
                clocks.append(clock)
            best = min(clocks, key=lambda c: c.cpu)
            return Measurement(best.cpu, best.wall, own_peak_mb(), examples=STRETCH)

        return turn

    return Contestant(name, "us", start, learners.ONLINEAR)


def _early_and_late(rule: str) -> Scenario:
    return Scenario(
        name=f"kernel-budget-{rule}",
        title=f"{rule} with room for {BUDGET} examples: the price of one soon after the budget is full, and long after",
        rate="microseconds",
        contestants=(stretch("early", rule, 2 * BUDGET), stretch("late", rule, 20_000)),
        targets=(within("late", "early", 1.1),),
    )


SCENARIOS = (
    Scenario(
        name="kernel-evaluations",
        title=f"Kernels of {ROWS:,} rows with {POINTS:,} kept examples, {FEATURES} features, float64",
        contestants=(
            matrix_product("NumPy's product"),
            evaluations("linear kernel", "linear"),
            evaluations("polynomial kernel", "poly"),
            evaluations("RBF kernel", "rbf"),
        ),
        targets=(
            within("linear kernel", "NumPy's product", 2.0),
            within("polynomial kernel", "NumPy's product", 2.0),
            within("RBF kernel", "NumPy's product", 2.0),
        ),
    ),
    _early_and_late("pa1"),
    _early_and_late("arow"),
)
