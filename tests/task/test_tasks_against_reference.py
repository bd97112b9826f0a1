"""Regression, one class, ranking and cost-sensitive classes learn what the plain NumPy reference learns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from onlinear import Learner, belief, rule, task
from tests.combinations import GAUSSIAN_RULES, REGULARIZED, SINGLE, distance
from tests.reference.beliefs import Diagonal, Full, Mean
from tests.reference.learners import LearnedRadius, Linear
from tests.reference.rules import Array
from tests.reference.tasks import CostSensitive, Ranking, Regression, SinglePrototypeRanking, Uniclass
from tests.strategies import Stream, cuts, streams

TOLERANCE = 1e-9
LABELS = 4
COST = [[0, 1, 2, 0.5], [1, 0, 0.25, 4], [3, 1, 0, 1], [1, 0.09, 1, 0]]

some = settings(max_examples=12)
few = settings(max_examples=6)


@dataclass(frozen=True)
class Case:
    """A task with a rule and a belief: the product's learner and the reference's for d features."""

    name: str
    task: Any
    rule: Any
    belief: Any
    oracle: Callable[[int], Any]
    kind: str  # of answers: "targets", "none", "lists", "groups" or "labels"

    def __str__(self) -> str:
        return self.name

    def learner(self, d: int, dtype: str = "float64") -> Learner:
        """Build the product's learner."""
        return Learner(
            task=self.task, rule=self.rule, belief=self.belief, dtype=dtype, n_features=d, n_classes=LABELS
        )


@dataclass(frozen=True)
class Lesson:
    """Examples in order; `X` is three-dimensional where an example has a row for each label."""

    X: Array
    y: list[Any]
    weights: Array

    def part(self, a: int, b: int) -> Lesson:
        """Give the examples from a to b."""
        return Lesson(self.X[a:b], self.y[a:b], self.weights[a:b])

    def shaken(self, size: float, seed: int) -> Lesson:
        """Move every value by a relative error of at most `size`."""
        errors = np.random.default_rng(seed).uniform(-size, size, size=self.X.shape)
        return replace(self, X=self.X * (1 + errors))


def lesson_of(case: Case, stream: Stream) -> Lesson:
    """Give a stream the answers of a task."""
    rng = np.random.default_rng([stream.seed, 7])
    n, d = stream.X.shape
    X = stream.X
    if case.kind == "targets":
        y: list[Any] = (stream.X @ rng.normal(size=d) + rng.normal(scale=0.3, size=n)).tolist()
    elif case.kind == "none":
        y = [None] * n
    elif case.kind == "labels":
        y = rng.integers(LABELS, size=n).tolist()
    else:
        y = [
            np.flatnonzero(rng.random(LABELS) < p).tolist() for p in rng.choice([0.0, 0.3, 0.6, 1.0], size=n)
        ]
    if case.kind == "groups":
        X = stream.X[:, None, :] * rng.normal(size=(n, LABELS, d))
    return Lesson(X, y, stream.weights)


def learn(learner: Learner, case: Case, lesson: Lesson, sparse: bool = False) -> None:
    """Let the product learn."""
    X = lesson.X.reshape(-1, lesson.X.shape[-1]) if sparse else lesson.X
    answers = None if case.kind == "none" else lesson.y
    if len(lesson.weights):
        learner.learn(csr_matrix(X) if sparse else X, answers, sample_weight=lesson.weights)


def replay(case: Case, lesson: Lesson) -> Any:
    """Let the reference learn."""
    oracle = case.oracle(lesson.X.shape[-1])
    for x, y, weight in zip(lesson.X, lesson.y, lesson.weights, strict=True):
        oracle.learn(x, y, float(weight))
    return oracle


def reference_state(case: Case, lesson: Lesson) -> dict[str, Array]:
    """Give the reference's last state under the names of the product's attributes."""
    state = replay(case, lesson).state()
    named = {"mean": state["mu"][: -1 if "radius" in state else None]}
    named |= {
        new: state[old] for old, new in (("sigma", "variance"), ("Sigma", "covariance")) if old in state
    }
    return {key: np.ravel(value) for key, value in named.items()}


def steady(case: Case, lesson: Lesson, size: float = 1e-12) -> bool:
    """Tell whether rounding alone decides nothing."""
    exact = reference_state(case, lesson)
    others = [reference_state(case, lesson.shaken(size, seed)) for seed in range(8)]
    return all(distance(other[key], exact[key]) < TOLERANCE for other in others for key in exact)


PA: list[tuple[str, Any, dict[str, Any]]] = [
    ("pa", rule.PassiveAggressive(variant="pa"), {"variant": "PA"}),
    ("pa1", rule.PassiveAggressive(variant="pa1", C=0.3), {"variant": "PA-I", "C": 0.3}),
    ("pa2", rule.PassiveAggressive(variant="pa2", C=0.4), {"variant": "PA-II", "C": 0.4}),
]
GAUSSIANS: list[tuple[str, Any, Callable[[int], Any]]] = [
    ("kl", belief.Diagonal(projection="kl", initial_variance=0.8), lambda n: Diagonal(n, a=0.8, diag="kl")),
    ("drop", belief.Diagonal(projection="drop", initial_variance=0.8), lambda n: Diagonal(n, a=0.8)),
    ("full", belief.Full(initial_variance=0.8), lambda n: Full(n, a=0.8)),
]


class LeastSquares:
    """AROW with the squared loss, in plain NumPy: every round is learned."""

    def __init__(self, r: float, known: Any) -> None:
        self.r, self.belief = r, known

    def learn(self, x: Array, y: float, weight: float) -> None:
        """Move by the whole error, and gain precision."""
        v, r = self.belief.variance(x), self.r / weight if weight else np.inf
        if weight and v > 0:
            z = self.belief.spread(x)
            self.belief.mu = self.belief.mu + (y - self.belief.mu @ x) / (v + r) * z
            self.belief.absorb(x, 1 / r)

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        state: dict[str, Any] = self.belief.state()
        return state


def linear(made: Any, name: str, params: dict[str, Any], known: Callable[[int], Any], rows: int = 1) -> Any:
    """Give the maker of a reference learner."""
    return lambda d: Linear(made, name, params, known(rows * d))


def _regression() -> list[Case]:
    asked, plain = task.Regression(epsilon=0.1), task.Regression()
    found = [
        Case(f"regression-{n}", asked, r, belief.Mean(), linear(Regression(0.1), "pa", p, Mean), "targets")
        for n, r, p in PA
    ]
    for name, known, made in GAUSSIANS:
        squares = rule.LeastSquares(r=0.6)
        found.append(
            Case(
                f"least-squares-{name}",
                plain,
                squares,
                known,
                lambda d, m=made: LeastSquares(0.6, m(d)),
                "targets",
            )
        )
        arow = linear(Regression(0.1), "arow", {"r": 0.6}, made)
        found.append(Case(f"regression-arow-{name}", asked, rule.Arow(r=0.6), known, arow, "targets"))
    return found


def _one_class() -> list[Case]:
    fixed, learned = task.OneClass(radius=0.6), task.OneClass(max_radius=3.0)
    return [
        *(
            Case(f"ball-{n}", fixed, r, belief.Mean(), linear(Uniclass(0.6), "pa", p, Mean), "none")
            for n, r, p in PA
        ),
        *(
            Case(
                f"learned-ball-{n}",
                learned,
                r,
                belief.Mean(),
                lambda d, p=p: LearnedRadius({"B": 3.0, **p}, d),
                "none",
            )
            for n, r, p in PA
        ),
    ]


def _with_rivals(title: str, asked: Any, made: Any, kind: str, rows: int) -> list[Case]:
    found = [
        Case(f"{title}-{c}", asked, c.rule, c.belief, lambda d, c=c: c.oracle(made, rows * d, LABELS), kind)
        for c in (*(c for c in SINGLE if isinstance(c.belief, belief.Mean)), *REGULARIZED)
    ]
    for name, (product_rule, params, projections) in GAUSSIAN_RULES.items():
        for form, known, covariance in GAUSSIANS:
            if form == "full" or form in projections:
                oracle = linear(made, name, params, covariance, rows)
                found.append(Case(f"{title}-{name}-{form}", asked, product_rule, known, oracle, kind))
    return found


CASES = [
    *_regression(),
    *_one_class(),
    *_with_rivals("ranking", task.Ranking(), Ranking(LABELS), "lists", LABELS),
    *_with_rivals("single", task.Ranking(prototypes="single"), SinglePrototypeRanking(LABELS), "groups", 1),
    *_with_rivals(
        "cost-prediction", task.CostSensitive(cost=COST), CostSensitive(LABELS, COST, "PB"), "labels", LABELS
    ),
    *_with_rivals(
        "cost-max-loss",
        task.CostSensitive(cost=COST, update="max_loss"),
        CostSensitive(LABELS, COST, "ML"),
        "labels",
        LABELS,
    ),
]
every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
@given(data=st.data())
@some
def test_the_state_is_the_references(case: Case, data: st.DataObject) -> None:
    """After any weighted stream, mean and covariance agree to 1e-9; sparse rows teach the same."""
    lesson = lesson_of(case, data.draw(streams(weighted=True)))
    assume(steady(case, lesson))

    for sparse in (False, True):
        learner = case.learner(lesson.X.shape[-1])
        learn(learner, case, lesson, sparse)
        for key, value in reference_state(case, lesson).items():
            assert distance(getattr(learner, key), value) <= TOLERANCE, key


@every_case
@given(data=st.data())
@few
def test_batches_do_not_matter(case: Case, data: st.DataObject) -> None:
    """One call and several calls leave bit-identical states."""
    stream = data.draw(streams(weighted=True))
    lesson, d = lesson_of(case, stream), stream.features
    whole, parts = case.learner(d), case.learner(d)
    learn(whole, case, lesson)
    ends = [0, *sorted(data.draw(cuts(stream))), len(lesson.y)]
    for a, b in pairwise(ends):
        learn(parts, case, lesson.part(a, b))

    assert parts.digest() == whole.digest()


@every_case
@given(data=st.data())
@few
def test_scores_are_the_references(case: Case, data: st.DataObject) -> None:
    """What is predicted is what the reference predicts."""
    lesson = lesson_of(case, data.draw(streams()))
    assume(steady(case, lesson))
    learner, oracle = case.learner(lesson.X.shape[-1]), replay(case, lesson)
    learn(learner, case, lesson)
    if not hasattr(oracle, "scores"):
        return
    rows = lesson.X.reshape(-1, lesson.X.shape[-1])

    want = np.ravel([oracle.scores(x) for x in lesson.X])
    assert distance(learner.scores(rows), want) <= TOLERANCE
    assert distance(learner.scores(csr_matrix(rows)), want) <= TOLERANCE


@every_case
@given(data=st.data())
@few
def test_a_state_is_taken_up_where_it_was_left(case: Case, data: st.DataObject) -> None:
    """A learner that loads another's state goes on as that one does, bit for bit."""
    lesson = lesson_of(case, data.draw(streams()))
    d, half = lesson.X.shape[-1], len(lesson.y) // 2
    first, second = case.learner(d), case.learner(d)
    learn(first, case, lesson.part(0, half))
    second.load_state(first.state(), n_features=d, n_classes=LABELS)
    for learner in (first, second, first.copy()):
        learn(learner, case, lesson.part(half, len(lesson.y)))

    assert second.digest() == first.digest()


@given(data=st.data())
@few
def test_distances_survive_cancellation(data: st.DataObject) -> None:
    """Rows a hair from a far centre have distances exact to 1e-9, sparse or dense."""
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    base = 1000 * rng.normal(size=30) * (rng.random(30) < 0.5)
    X = base + 1e-5 * rng.normal(size=(40, 30)) * (base != 0)
    learner = Learner(
        task=task.OneClass(radius=1e-6), rule=rule.PassiveAggressive(variant="pa"), belief=belief.Mean()
    )
    for row in X[:-1]:
        learner.learn(csr_matrix(row[None, :]))

    want = np.linalg.norm(X - learner.mean, axis=1)
    assert np.max(np.abs(learner.scores(csr_matrix(X)) / want - 1)) < 1e-9
    assert np.max(np.abs(learner.scores(X) / want - 1)) < 1e-9
