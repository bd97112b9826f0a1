"""Error against CPU seconds on the text set: who gets how far for how much. LIBLINEAR is the quality bar.

Everybody learns the same rows in the same order and is tested on the same held-out rows at the same
points of the stream. Only learning is timed, and every peer gets its data in the form it likes best.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import learners
from benchmarks.batch import error
from benchmarks.protocol import Arena, Clock, Contestant, Measurement, Scenario, Team, Turn, own_peak_mb, within

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
PASSES = 5

Learn = Callable[[int, int], object]
Test = Callable[[], float]


def trace(rows: int, nonzeros: int, learn: Learn, test: Test, passes: int) -> Measurement:
    """Learn up to each point of the stream, test there, and report the first pass and the curve."""
    spent_cpu = spent_wall = 0.0
    stops = [int(rows * share) for share in SHARES]
    curve: list[tuple[float, float]] = []
    first: tuple[float, float, float] | None = None
    for _ in range(passes):
        for begin, end in zip([0, *stops[:-1]], stops, strict=True):
            with Clock() as clock:
                learn(begin, end)
            spent_cpu += clock.cpu
            spent_wall += clock.wall
            # After the first pass only its end is a point: within a pass the rows are known already.
            if first is None or end == rows:
                curve.append((spent_cpu, test()))
        first = first or (spent_cpu, spent_wall, curve[-1][1])
    assert first is not None
    cpu, wall, held_out = first
    return Measurement(cpu, wall, own_peak_mb(), rows, nonzeros, held_out=held_out, curve=curve)


def through_partial_fit(
    name: str, team: Team, make: Callable[[], Any], needs: tuple[str, ...]
) -> Contestant:
    """Return who takes CSR rows."""

    def start(arena: Arena) -> Turn:
        X, y = arena.data.csr("text", "train")
        X_test, y_test = arena.data.csr("text", "test")
        pieces = {begin: slice(begin, end) for begin, end in _pieces(len(y))}
        parts = {begin: (X[piece], y[piece]) for begin, piece in pieces.items()}

        def turn() -> Measurement:
            model = make()

            def learn(begin: int, _: int) -> object:
                rows, labels = parts[begin]
                return model.partial_fit(rows, labels, classes=[-1, 1])

            return trace(len(y), X.nnz, learn, lambda: error(model.predict(X_test), y_test), PASSES)

        return turn

    return Contestant(name, team, start, needs)


def _pieces(rows: int) -> list[tuple[int, int]]:
    stops = [int(rows * share) for share in SHARES]
    return list(zip([0, *stops[:-1]], stops, strict=True))


def through_examples(name: str, make: Callable[[], Any], needs: tuple[str, ...]) -> Contestant:
    """Return Vowpal Wabbit on example objects parsed beforehand: its learning, without its parser."""

    def start(arena: Arena) -> Turn:
        parser = make()
        with arena.data.text("text", "train", "vw").open() as file:
            examples = [parser.example(line) for line in file]
        with arena.data.text("text", "test", "vw").open() as file:
            tests = [parser.example(line) for line in file]
        _, y_test = arena.data.csr("text", "test")
        nonzeros = len(arena.data.rows("text", "train").values)

        def turn() -> Measurement:
            model = make()

            def learn(begin: int, end: int) -> None:
                for example in examples[begin:end]:
                    model.learn(example)

            def test() -> float:
                return error(np.sign([model.predict(example) for example in tests]), y_test)

            return trace(len(examples), nonzeros, learn, test, PASSES)

        return turn

    return Contestant(name, "peer", start, needs, once=True)


def through_dicts(name: str, make: Callable[[], Any], needs: tuple[str, ...]) -> Contestant:
    """Return river, on dicts made beforehand; one pass, for it takes its time."""

    def start(arena: Arena) -> Turn:
        rows, tests = arena.data.rows("text", "train"), arena.data.rows("text", "test")

        def dicts(of: Any, begin: int, end: int) -> list[dict[int, float]]:
            indptr = of.indptr[begin : end + 1].tolist()
            keys, values = of.indices.tolist, of.values.tolist
            base, top = indptr[0], indptr[-1]
            keys, values = of.indices[base:top].tolist(), of.values[base:top].tolist()
            bounds = zip(indptr[:-1], indptr[1:], strict=True)
            return [dict(zip(keys[a - base : b - base], values[a - base : b - base], strict=True)) for a, b in bounds]

        held_out = dicts(tests, 0, len(tests.labels))
        truth = (rows.labels > 0).tolist()

        def turn() -> Measurement:
            model = make()
            made: dict[int, list[dict[int, float]]] = {}

            def learn(begin: int, end: int) -> None:
                for x, y in zip(made[begin], truth[begin:end], strict=True):
                    model.learn_one(x, y)

            def test() -> float:
                return error([model.predict_one(x) for x in held_out], tests.labels > 0)

            for begin, end in _pieces(len(truth)):
                made[begin] = dicts(rows, begin, end)
            return trace(len(truth), len(rows.values), learn, test, 1)

        return turn

    return Contestant(name, "peer", start, needs, once=True)


def liblinear(name: str, options: str) -> Contestant:
    """Return LIBLINEAR, which sees all rows at once and runs to convergence: one point."""

    def start(arena: Arena) -> Turn:
        from liblinear.liblinearutil import parameter, predict, problem, train

        X, y = arena.data.csr("text", "train")
        X_test, y_test = arena.data.csr("text", "test")
        data = problem(y.astype(float), X.astype(float))

        def turn() -> Measurement:
            with Clock() as clock:
                model = train(data, parameter(f"{options} -q"))
            labels, _, _ = predict(y_test.astype(float), X_test.astype(float), model, "-q")
            held_out = error(labels, y_test)
            return Measurement(
                clock.cpu,
                clock.wall,
                own_peak_mb(),
                len(y),
                X.nnz,
                held_out=held_out,
                note="to convergence",
                curve=[(clock.cpu, held_out)],
            )

        return turn

    return Contestant(name, "peer", start, learners.LIBLINEAR, once=True)


SCENARIOS = (
    Scenario(
        name="learning-curve",
        title="Held-out error against CPU seconds, sparse text (table: after one pass)",
        sets=("text",),
        contestants=(
            through_partial_fit("scikit-learn PA-I", "peer", learners.sklearn_pa1, learners.SKLEARN),
            through_partial_fit("onlinear AROW", "us", learners.arow, learners.ONLINEAR),
            through_partial_fit("onlinear SCW-I", "us", learners.scw1, learners.ONLINEAR),
            through_partial_fit("onlinear PA-I", "us", learners.pa1, learners.ONLINEAR),
            through_partial_fit("scikit-learn SGD", "peer", learners.sklearn_sgd, learners.SKLEARN),
            through_examples("Vowpal Wabbit", learners.vowpal_wabbit, learners.VOWPAL_WABBIT),
            through_dicts("river PA-I", learners.river_pa1, learners.RIVER),
            liblinear("LIBLINEAR", "-s 1"),
        ),
        targets=(
            within("onlinear AROW", "scikit-learn PA-I", 1.0, "held_out"),
            within("onlinear AROW", "LIBLINEAR", 1.0, "held_out"),
        ),
    ),
)
