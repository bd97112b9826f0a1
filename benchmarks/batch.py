"""Contestants that learn or predict a whole matrix through scikit-learn's verbs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.data import Sets
from benchmarks.protocol import Arena, Contestant, Measurement, Team, Turn, best_pass, own_peak_mb

Load = Callable[[Sets, str], tuple[Any, Any]]


def sparse(name: str) -> Load:
    """Return the loader of a set as CSR."""
    return lambda data, part: data.csr(name, part)


def dense(name: str) -> Load:
    """Return the loader of a set as a matrix."""
    return lambda data, part: data.dense(name, part)


def learn_pass(
    name: str, team: Team, make: Callable[[], Any], load: Load, needs: tuple[str, ...]
) -> Contestant:
    """Return who learns a set in one call of `partial_fit`, in the order given."""

    def start(arena: Arena) -> Turn:
        X, y = load(arena.data, "train")
        X_test, y_test = load(arena.data, "test")
        classes = np.unique(y)

        def turn() -> Measurement:
            clock, model = best_pass(arena.passes, make, lambda m: m.partial_fit(X, y, classes=classes))
            return Measurement(
                cpu=clock.cpu,
                wall=clock.wall,
                rss_mb=own_peak_mb(),
                examples=len(y),
                nonzeros=nonzeros(X),
                progressive=progressive_error(model),
                held_out=error(model.predict(X_test), y_test),
            )

        return turn

    return Contestant(name, team, start, needs)


def predict_pass(
    name: str, team: Team, make: Callable[[], Any], load: Load, needs: tuple[str, ...]
) -> Contestant:
    """Return who has learned the test part and predicts the training part, the larger one."""

    def start(arena: Arena) -> Turn:
        X, y = load(arena.data, "train")
        X_test, y_test = load(arena.data, "test")
        model = make().partial_fit(X_test, y_test, classes=np.unique(y))

        def turn() -> Measurement:
            clock, _ = best_pass(arena.passes, lambda: model, lambda m: m.predict(X))
            return Measurement(
                cpu=clock.cpu,
                wall=clock.wall,
                rss_mb=own_peak_mb(),
                examples=len(y),
                nonzeros=nonzeros(X),
                held_out=error(model.predict(X), y),
            )

        return turn

    return Contestant(name, team, start, needs)


def nonzeros(X: Any) -> int:
    """Return how many values of X there are to work on; zeros of a dense matrix count."""
    return int(X.nnz if hasattr(X, "nnz") else X.size)


def error(predicted: Any, y: Any) -> float:
    """Return the share of wrong answers."""
    return float(np.mean(np.asarray(predicted) != y))


def progressive_error(model: Any) -> float | None:
    """Return the share of mistakes made while learning, from those who count them."""
    if not hasattr(model, "n_mistakes_"):
        return None
    return float(model.n_mistakes_ / model.n_seen_)
