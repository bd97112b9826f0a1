"""Error against CPU seconds on the text set: who gets how far for how much. LIBLINEAR is the quality bar.

Everybody has its own defaults or the parameters of the other scenarios, whichever end with the lower error here: AROW, SCW-I and
scikit-learn's PA-I come as they are, our PA-I and river's have C = 0.1, scikit-learn's SGD has alpha = 1e-6.

Everybody learns the same rows in the same order and is tested on the same held-out rows at the same
points of the stream. Only learning is timed, and every peer gets the rows in the form it likes best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, Generic, TypeVar

from benchmarks import learners
from benchmarks.batch import error
from benchmarks.data import Rows
from benchmarks.protocol import Arena, Clock, Contestant, Measurement, Scenario, Team, Turn, own_peak_mb

SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0)
BLOCK = 1000

Block = TypeVar("Block")


@dataclass
class Student(Generic[Block]):
    """A fresh model, and how it is fed: `prepare(begin, end)` is not timed, `learn(block)` is."""

    prepare: Callable[[int, int], Iterable[Block]]
    learn: Callable[[Block], object]
    test: Callable[[], float]


def trace(student: Student[Any], rows: int, nonzeros: int) -> Measurement:
    """Learn the stream once, testing at each point of it."""
    stops = [int(rows * share) for share in SHARES]
    spent = Clock()
    curve: list[tuple[float, float]] = []
    for begin, end in pairwise([0, *stops]):
        for block in student.prepare(begin, end):
            with Clock() as clock:
                student.learn(block)
            spent.cpu += clock.cpu
            spent.wall += clock.wall
        curve.append((spent.cpu, student.test()))
    held_out = curve[-1][1]
    return Measurement(spent.cpu, spent.wall, own_peak_mb(), rows, nonzeros, held_out=held_out, curve=curve)


def student_of(
    name: str,
    team: Team,
    enroll: Callable[[Arena], Callable[[], Student[Any]]],
    needs: tuple[str, ...],
    once: bool = False,
) -> Contestant:
    """Return the contestant whose `enroll` loads what is needed and returns the maker of students."""

    def start(arena: Arena) -> Turn:
        fresh = enroll(arena)
        rows = arena.data.rows("text", "train")
        examples, nonzeros = len(rows.labels), len(rows.values)
        return lambda: trace(fresh(), examples, nonzeros)

    return Contestant(name, team, start, needs, once)


def through_partial_fit(name: str, team: Team, make: Callable[[], Any], needs: tuple[str, ...]) -> Contestant:
    """Return who takes CSR rows."""

    def enroll(arena: Arena) -> Callable[[], Student[Any]]:
        X, y = arena.data.csr("text", "train")
        X_test, y_test = arena.data.csr("text", "test")

        def fresh() -> Student[Any]:
            model = make()
            return Student(
                prepare=lambda begin, end: [(X[begin:end], y[begin:end])],
                learn=lambda block: model.partial_fit(*block, classes=[-1, 1]),
                test=lambda: error(model.predict(X_test), y_test),
            )

        return fresh

    return student_of(name, team, enroll, needs)


def through_examples(name: str, make: Callable[[], Any], needs: tuple[str, ...]) -> Contestant:
    """Return Vowpal Wabbit on example objects parsed beforehand: its learning, without its parser."""

    def enroll(arena: Arena) -> Callable[[], Student[Any]]:
        lines = arena.data.text("text", "train", "vw").read_text().splitlines()
        tests = arena.data.text("text", "test", "vw").read_text().splitlines()
        truth = arena.data.rows("text", "test").labels > 0

        def fresh() -> Student[list[Any]]:
            model = make()

            def prepare(begin: int, end: int) -> Iterator[list[Any]]:
                for at in range(begin, end, BLOCK):
                    examples = [model.example(line) for line in lines[at : min(at + BLOCK, end)]]
                    yield examples
                    for example in examples:
                        model.finish_example(example)

            def learn(examples: list[Any]) -> None:
                for example in examples:
                    model.learn(example)

            return Student(prepare, learn, lambda: error([model.predict(line) > 0 for line in tests], truth))

        return fresh

    return student_of(name, "peer", enroll, needs, once=True)


def as_dicts(rows: Rows, begin: int, end: int) -> Iterator[dict[int, float]]:
    """Yield rows as river takes them."""
    for a, b in zip(rows.indptr[begin:end].tolist(), rows.indptr[begin + 1 : end + 1].tolist(), strict=True):
        yield dict(zip(rows.indices[a:b].tolist(), rows.values[a:b].tolist(), strict=True))


def through_dicts(name: str, make: Callable[[], Any], needs: tuple[str, ...]) -> Contestant:
    """Return river, on dicts made beforehand."""

    def enroll(arena: Arena) -> Callable[[], Student[Any]]:
        rows, tests = arena.data.rows("text", "train"), arena.data.rows("text", "test")
        answers, held_out = (rows.labels > 0).tolist(), tests.labels > 0

        def prepare(begin: int, end: int) -> Iterator[list[tuple[dict[int, float], bool]]]:
            pairs = zip(as_dicts(rows, begin, end), answers[begin:end], strict=True)
            while block := list(islice(pairs, BLOCK)):
                yield block

        def fresh() -> Student[list[tuple[dict[int, float], bool]]]:
            model = make()

            def learn(block: list[tuple[dict[int, float], bool]]) -> None:
                for x, y in block:
                    model.learn_one(x, y)

            def test() -> float:
                return error([model.predict_one(x) for x in as_dicts(tests, 0, len(held_out))], held_out)

            return Student(prepare, learn, test)

        return fresh

    return student_of(name, "peer", enroll, needs, once=True)


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
        title="Held-out error against CPU seconds on sparse text, one pass",
        sets=("text",),
        contestants=(
            through_partial_fit(
                "scikit-learn PA-I", "peer", learners.sklearn_pa1_as_it_comes, learners.SKLEARN
            ),
            through_partial_fit("onlinear AROW", "us", learners.arow_as_it_comes, learners.ONLINEAR),
            through_partial_fit("onlinear SCW-I", "us", learners.scw1_as_it_comes, learners.ONLINEAR),
            through_partial_fit("onlinear PA-I", "us", learners.pa1, learners.ONLINEAR),
            through_partial_fit("scikit-learn SGD", "peer", learners.sklearn_sgd, learners.SKLEARN),
            through_examples("Vowpal Wabbit", learners.vowpal_wabbit, learners.VOWPAL_WABBIT),
            through_dicts("river PA-I", learners.river_pa1, learners.RIVER),
            liblinear("LIBLINEAR", "-s 1"),
        ),
    ),
)
