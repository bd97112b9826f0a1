"""Regression: one pass in memory, sparse and dense, and one example at a time; errors are mean absolute ones.

The rows are those of the classification sets. Targets are a planted linear function of them, scaled to a
standard deviation of 1, plus a tenth of that as noise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import learners
from benchmarks.batch import Load, dense, nonzeros, sparse
from benchmarks.data import SEED, Sets
from benchmarks.protocol import (
    Arena,
    Contestant,
    Measurement,
    Scenario,
    Team,
    Turn,
    best_pass,
    faster,
    own_peak_mb,
    within,
)

COUNT = 5000
NOISE = 0.1
EPSILON = 0.1

Example = tuple[dict[str, float], float]


def pa1() -> Any:
    """Return our PA-I."""
    from onlinear import PassiveAggressiveRegressor

    return PassiveAggressiveRegressor(
        variant="pa1", C=learners.C, epsilon=EPSILON, scale=None, dtype="float32"
    )


def arow() -> Any:
    """Return our diagonal AROW."""
    from onlinear import AROWRegressor

    return AROWRegressor(r=learners.R, scale=None, dtype="float32")


def sklearn_pa1() -> Any:
    """Return scikit-learn's PA-I, under the name it has had since 1.8."""
    from sklearn.linear_model import SGDRegressor

    return SGDRegressor(
        loss="epsilon_insensitive",
        penalty=None,
        learning_rate="pa1",
        eta0=learners.C,
        epsilon=EPSILON,
        shuffle=False,
    )


def river_pa1() -> Any:
    """Return river's PA-I."""
    from river.linear_model import PARegressor

    return PARegressor(C=learners.C, mode=1, eps=EPSILON)


def with_targets(load: Load) -> Load:
    """Return a loader that gives the rows of a set real targets instead of classes."""

    def loaded(data: Sets, part: str) -> tuple[Any, NDArray[np.float64]]:
        X, _ = load(data, part)
        planted = np.random.default_rng(SEED).standard_normal(X.shape[1])
        exact = np.asarray(X @ planted, dtype=np.float64)
        exact = exact / float(np.std(exact))
        return X, exact + NOISE * np.random.default_rng([SEED, len(exact)]).standard_normal(len(exact))

    return loaded


def learn_pass(
    name: str, team: Team, make: Callable[[], Any], load: Load, needs: tuple[str, ...]
) -> Contestant:
    """Return who learns a set in one call of `partial_fit`, in the order given."""

    def start(arena: Arena) -> Turn:
        X, y = load(arena.data, "train")
        X_test, y_test = load(arena.data, "test")

        def turn() -> Measurement:
            clock, model = best_pass(arena.passes, make, lambda m: m.partial_fit(X, y))
            return Measurement(
                cpu=clock.cpu,
                wall=clock.wall,
                rss_mb=own_peak_mb(),
                examples=len(y),
                nonzeros=nonzeros(X),
                held_out=float(np.mean(np.abs(model.predict(X_test) - y_test))),
            )

        return turn

    return Contestant(name, team, start, needs)


def dicts(arena: Arena, part: str, count: int) -> list[Example]:
    """Return the first rows of a part as dicts of string features."""
    X, y = with_targets(sparse("text"))(arena.data, part)
    out: list[Example] = []
    for i in range(min(count, len(y))):
        row = X[i]
        names = [f"f{index}" for index in row.indices.tolist()]
        out.append((dict(zip(names, row.data.tolist(), strict=True)), float(y[i])))
    return out


def one_by_one(name: str, team: Team, make: Callable[[], Any], needs: tuple[str, ...]) -> Contestant:
    """Return who learns `COUNT` examples from dicts of string features, one call each."""

    def start(arena: Arena) -> Turn:
        stream, probes = dicts(arena, "train", COUNT), dicts(arena, "test", COUNT // 5)

        def learn(model: Any) -> None:
            for x, target in stream:
                model.learn_one(x, target)

        def turn() -> Measurement:
            clock, model = best_pass(arena.passes, make, learn)
            error = float(np.mean([abs(model.predict_one(x) - target) for x, target in probes]))
            note = f"mean |error| {error:.4f}"
            return Measurement(
                clock.cpu, clock.wall, own_peak_mb(), examples=len(stream), held_out=error, note=note
            )

        return turn

    return Contestant(name, team, start, needs)


def _scenario(name: str, title: str, data: str, load: Load) -> Scenario:
    return Scenario(
        name=name,
        title=title,
        sets=(data,),
        rate="targets",
        contestants=(
            learn_pass("scikit-learn PA-I", "peer", sklearn_pa1, load, learners.SKLEARN),
            learn_pass("onlinear PA-I", "us", pa1, load, learners.ONLINEAR),
            learn_pass("onlinear AROW", "us", arow, load, learners.ONLINEAR),
        ),
        targets=(
            faster("onlinear PA-I", "scikit-learn PA-I", 1.0),
            within("onlinear AROW", "scikit-learn PA-I", 1.0, "held_out"),
        ),
    )


SCENARIOS = (
    _scenario(
        "regression-sparse",
        "Regression, one pass over sparse text in memory: 200,000 rows, 2^20 features",
        "text",
        with_targets(sparse("text")),
    ),
    _scenario(
        "regression-dense",
        "Regression, one pass over dense rows in memory: 200,000 x 64",
        "dense",
        with_targets(dense("dense")),
    ),
    Scenario(
        name="regression-one-example",
        title="Regression, one call an example, 78 string features",
        sets=("text",),
        rate="microseconds",
        contestants=(
            one_by_one("river PA-I", "peer", river_pa1, learners.RIVER),
            one_by_one("onlinear PA-I", "us", pa1, learners.ONLINEAR),
            one_by_one("onlinear AROW", "us", arow, learners.ONLINEAR),
        ),
        targets=(
            faster("onlinear PA-I", "river PA-I", 4.0),
            within("onlinear PA-I", "river PA-I", 1.02, "held_out"),
            within("onlinear AROW", "river PA-I", 1.0, "held_out"),
        ),
    ),
)
