"""`partial_fit` of one sparse row, at 2^20 features: what a call costs that has almost nothing to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks import learners
from benchmarks.protocol import (
    Arena,
    Contestant,
    Measurement,
    Scenario,
    Team,
    Turn,
    best_pass,
    own_peak_mb,
    under,
)

COUNT = 500


def row_by_row(name: str, team: Team, make: Callable[[], Any], needs: tuple[str, ...]) -> Contestant:
    """Return who learns `COUNT` rows, one call each, after a first call that names the classes."""

    def start(arena: Arena) -> Turn:
        X, y = arena.data.csr("text", "train")
        rows = [(X[i], y[i : i + 1]) for i in range(COUNT)]

        def fresh() -> Any:
            return make().partial_fit(X[:10], y[:10], classes=[-1, 1])

        def learn(model: Any) -> None:
            for row, label in rows:
                model.partial_fit(row, label)

        def turn() -> Measurement:
            clock, _ = best_pass(arena.passes, fresh, learn)
            return Measurement(clock.cpu, clock.wall, own_peak_mb(), examples=COUNT)

        return turn

    return Contestant(name, team, start, needs)


SCENARIOS = (
    Scenario(
        name="one-row",
        title="partial_fit of one sparse row, 2^20 features",
        sets=("text",),
        rate="microseconds",
        contestants=(
            row_by_row("scikit-learn PA-I", "peer", learners.sklearn_pa1, learners.SKLEARN),
            row_by_row("onlinear AROW", "us", learners.arow, learners.ONLINEAR),
        ),
        targets=(under("onlinear AROW", 20.0, "microseconds"),),
    ),
)
