"""The Passive-Aggressive bounds hold on random runs of every task the paper treats."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from onlinear import Learner, PassiveAggressiveClassifier, SequenceLabeler, belief, rule, task
from tests.reference import bounds

Array = NDArray[np.float64]

DIMENSION, LABELS, ROUNDS = 4, 4, 60
SEEDS = range(8)
EPSILON, C = 0.1, 0.7
VARIANTS = ["pa", "pa1", "pa2"]
COST = np.array([[0, 1, 2, 0.5], [1, 0, 0.25, 4], [3, 1, 0, 1], [1, 0.09, 1, 0]])


@dataclass(frozen=True)
class Run:
    """What a learner suffered round by round: its loss, its step, and the squared norm of the difference."""

    loss: Array
    tau: Array
    squares: Array


def steps(variant: str, loss: Array, squares: Array) -> Array:
    """Give the steps PA takes on these losses."""
    made = rule.PassiveAggressive(variant=variant, C=C)
    return np.array([made.step(-a, b, required=0.0).mean for a, b in zip(loss, squares, strict=True)])


def watch(
    asked: Any,
    variant: str,
    X: Array,
    y: list[Any],
    look: Callable[[Learner, Array, Any], tuple[float, float]],
) -> Run:
    """Learn one example at a time; `look` gives the loss before each round and the squared norm."""
    learner = Learner(
        task=asked,
        rule=rule.PassiveAggressive(variant=variant, C=C),
        belief=belief.Mean(),
        n_features=X.shape[-1],
        n_classes=LABELS,
    )
    losses, squares, moves = [], [], []
    for x, answer in zip(X, y, strict=True):
        loss, square = look(learner, x, answer)
        losses.append(loss)
        squares.append(square)
        before = learner.mean
        learner.learn(x[None], None if answer is None else [answer])
        moves.append(np.linalg.norm(learner.mean - before))
    loss, square = np.array(losses), np.array(squares)
    run = Run(loss, steps(variant, loss, square), square)
    if not isinstance(asked, task.OneClass):  # a learned radius takes a part of each step
        # The bound of a learner that takes other steps than these would say nothing.
        np.testing.assert_allclose(moves, run.tau * np.sqrt(square), atol=1e-9)
    return run


def assert_holds(bound: tuple[float, float]) -> None:
    """Check left <= right up to rounding."""
    left, right = bound
    assert left <= right + 1e-9 * (1 + abs(right))


def insensitive(u: Array, X: Array, y: Array) -> Array:
    """Give the losses of a fixed predictor."""
    return np.maximum(0.0, np.abs(y - X @ u) - EPSILON)


def regression_run(variant: str, seed: int, noise: float) -> tuple[Run, Array, Array, Array]:
    """Learn noisy targets; give the run, the examples and the predictor behind them."""
    rng = np.random.default_rng(seed)
    u, X = rng.normal(size=DIMENSION), rng.normal(size=(ROUNDS, DIMENSION))
    y = X @ u + noise * rng.normal(size=ROUNDS)

    def look(learner: Learner, x: Array, answer: float) -> tuple[float, float]:
        return max(0.0, abs(answer - float(learner.scores(x[None])[0])) - EPSILON), float(x @ x)

    return watch(task.Regression(epsilon=EPSILON), variant, X, y.tolist(), look), X, y, u


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("noise", [0.0, 0.5])
@pytest.mark.parametrize("variant", VARIANTS)
def test_regression_steps_gain_at_most_the_comparators_norm(variant: str, noise: float, seed: int) -> None:
    """Lemma 1 with insensitive losses, for the predictor behind the data and for others."""
    run, X, y, u = regression_run(variant, seed, noise)

    for w in (u, u / 2, 0 * u, np.linalg.lstsq(X, y, rcond=None)[0]):
        assert_holds(bounds.pa_lemma_1(run.tau, run.loss, run.squares, insensitive(w, X, y), w))


@pytest.mark.parametrize("seed", SEEDS)
def test_regression_on_exact_targets_has_bounded_squared_loss(seed: int) -> None:
    """Theorem 2: PA's squared losses are at most R^2 |u|^2 when u has none."""
    run, _, _, u = regression_run("pa", seed, 0.0)

    assert_holds(bounds.pa_theorem_2(run.loss, float(np.sqrt(run.squares.max())), u))


@pytest.mark.parametrize("seed", SEEDS)
def test_pa2_regression_has_bounded_squared_loss_with_noise(seed: int) -> None:
    """Theorem 5: PA-II's squared losses, whatever the noise."""
    run, X, y, u = regression_run("pa2", seed, 0.5)

    R = float(np.sqrt(run.squares.max()))
    assert_holds(bounds.pa_theorem_5(run.loss, R, C, insensitive(u, X, y), u))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("learned", [False, True])
@pytest.mark.parametrize("variant", VARIANTS)
def test_one_class_losses_are_bounded(variant: str, learned: bool, seed: int) -> None:
    """Theorems 2 and 5 with R = 1; a learned radius adds at most its square to the comparator's norm."""
    rng = np.random.default_rng(seed)
    center, radius, B = rng.normal(size=DIMENSION), 0.8, 3.0
    X = center + rng.normal(size=(ROUNDS, DIMENSION)) * (0.3 if variant == "pa" else 0.8)
    if variant == "pa":  # the comparator's ball holds every example
        X = center + (X - center) * np.minimum(1.0, radius / np.linalg.norm(X - center, axis=1))[:, None]
    asked = task.OneClass(max_radius=B) if learned else task.OneClass(radius=radius)

    def look(learner: Learner, x: Array, _: None) -> tuple[float, float]:
        omega = learner.state()["threshold"]
        return max(0.0, float(np.hypot(learner.scores(x[None])[0], omega)) - (B if learned else radius)), 1.0

    run = watch(asked, variant, X, [None] * ROUNDS, look)
    height = np.sqrt(B * B - radius * radius)
    u = np.append(center, height - B) if learned else center
    away = np.hypot(np.linalg.norm(X - center, axis=1), height) - B
    rival = np.maximum(0.0, away if learned else np.linalg.norm(X - center, axis=1) - radius)

    assert_holds(bounds.pa_lemma_1(run.tau, run.loss, run.squares, rival, u))
    if variant == "pa":
        assert_holds(bounds.pa_theorem_2(run.loss, 1.0, u))
    if variant == "pa2":
        assert_holds(bounds.pa_theorem_5(run.loss, 1.0, C, rival, u))


def ranking_loss(scores: Array, relevant: list[int]) -> float:
    """Give the hinge between the lowest relevant and the highest irrelevant label."""
    wanted = np.isin(np.arange(LABELS), relevant)
    return max(0.0, 1 - float(scores[wanted].min() - scores[~wanted].max()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_label_ranking_losses_are_bounded(variant: str, seed: int) -> None:
    """Corollary 6 for labels that some prototypes rank with margin 1, and Lemma 1 for any prototypes."""
    rng = np.random.default_rng(seed)
    U = rng.normal(size=(LABELS, DIMENSION))
    X = rng.normal(size=(ROUNDS, DIMENSION))
    order = np.sort(X @ U.T, axis=1)
    X = X[order[:, 2] - order[:, 1] > 0.1]
    y = [np.flatnonzero(s > np.sort(s)[1]).tolist() for s in X @ U.T]  # the two best labels
    U = U / 0.1

    def look(learner: Learner, x: Array, answer: list[int]) -> tuple[float, float]:
        return ranking_loss(learner.scores(x[None])[0], answer), 2 * float(x @ x)

    run = watch(task.Ranking(), variant, X, y, look)
    u = U.ravel()
    if variant == "pa":
        assert_holds(bounds.pa_theorem_2(run.loss, float(np.sqrt(run.squares.max())), u))
    for scale in (1.0, 0.05, 0.0):
        rival = np.array([ranking_loss(scale * s, answer) for s, answer in zip(X @ U.T, y, strict=True)])
        assert_holds(bounds.pa_lemma_1(run.tau, run.loss, run.squares, rival, scale * u))


def max_loss(scores: Array, y: int) -> float:
    """Give the largest cost-sensitive loss over the answers."""
    return float(np.max(scores - scores[y] + np.sqrt(COST[y])))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("update", ["prediction", "max_loss"])
@pytest.mark.parametrize("variant", VARIANTS)
def test_cost_sensitive_steps_gain_at_most_the_comparators_norm(variant: str, update: str, seed: int) -> None:
    """Lemma 7: Lemma 1 with either loss, against the comparator's max-loss."""
    rng = np.random.default_rng(seed)
    U, X = rng.normal(size=(LABELS, DIMENSION)), rng.normal(size=(ROUNDS, DIMENSION))
    y = [
        int(k)
        for k in np.where(rng.random(ROUNDS) < 0.2, rng.integers(LABELS, size=ROUNDS), np.argmax(X @ U.T, 1))
    ]

    def look(learner: Learner, x: Array, answer: int) -> tuple[float, float]:
        scores = learner.scores(x[None])[0]
        prediction = int(np.argmax(scores))
        met = float(scores[prediction] - scores[answer] + np.sqrt(COST[answer, prediction]))
        loss = max_loss(scores, answer) if update == "max_loss" else met
        return max(0.0, loss), 2 * float(x @ x)

    run = watch(task.CostSensitive(cost=COST, update=update), variant, X, y, look)
    for scale in (3.0, 1.0, 0.0):
        rival = np.array([max_loss(scale * s, k) for s, k in zip(X @ U.T, y, strict=True)])
        assert_holds(bounds.pa_lemma_1(run.tau, run.loss, run.squares, rival, scale * U.ravel()))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("update", ["prediction", "max_loss"])
def test_the_cumulative_cost_is_bounded(update: str, seed: int) -> None:
    """Theorem 8: the cost of PA-I's predictions, when differences have norm at most 1 and sqrt(cost) <= C."""
    rng = np.random.default_rng(seed)
    U, X = rng.normal(size=(LABELS, DIMENSION)), rng.normal(size=(ROUNDS, DIMENSION))
    X /= np.sqrt(2) * np.linalg.norm(X, axis=1, keepdims=True)
    y = np.where(rng.random(ROUNDS) < 0.2, rng.integers(LABELS, size=ROUNDS), np.argmax(X @ U.T, axis=1))
    price = 2.0
    learner = Learner(
        task=task.CostSensitive(cost=COST, update=update),
        rule=rule.PassiveAggressive(variant="pa1", C=price),
        belief=belief.Mean(),
    )
    learner.learn(X, y)

    for scale in (0.0, 1.0, 3.0):
        rival = sum(max_loss(scale * s, int(k)) for s, k in zip(X @ U.T, y, strict=True))
        assert learner.total_cost <= scale**2 * float(np.sum(U**2)) + 2 * price * rival + 1e-9


def counts(x: Array, labels: list[int]) -> Array:
    """Give Φ(x, labels): emissions row by row, then transitions."""
    emissions, transitions = np.zeros((LABELS, DIMENSION)), np.zeros((LABELS, LABELS))
    for i, label in enumerate(labels):
        emissions[label] += x[i]
        if i:
            transitions[labels[i - 1], label] += 1
    return np.concatenate([emissions.ravel(), transitions.ravel()])


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_sequence_steps_gain_at_most_the_comparators_norm(variant: str, seed: int) -> None:
    """Lemma 1 on differences of whole labellings, and the steps between weights are those of the rule."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=LABELS * DIMENSION + LABELS**2)
    model = SequenceLabeler(
        rule=PassiveAggressiveClassifier(variant=variant, C=C), average=False, dtype="float64"
    )
    weights = np.zeros_like(u)
    losses, squares, differences, required = [], [], [], []
    for t in range(ROUNDS):
        x = rng.normal(size=(int(rng.integers(1, 5)), DIMENSION))
        y = [int(label) for label in rng.integers(LABELS, size=len(x))]
        found = model.predict([x])[0] if t else [0] * len(x)
        delta = counts(x, y) - counts(x, found)
        demand = float(np.sqrt(sum(a != b for a, b in zip(y, found, strict=True))))
        loss = max(0.0, demand - float(weights @ delta)) if found != y else 0.0
        model.partial_fit([x], [y], classes=range(LABELS))
        before, weights = weights, np.concatenate([model.emissions_.ravel(), model.transitions_.ravel()])
        tau = steps(variant, np.array([loss]), np.array([delta @ delta]))[0] if loss else 0.0
        np.testing.assert_allclose(weights, before + tau * delta, atol=1e-10)
        for kept, value in zip(
            (losses, squares, differences, required), (loss, delta @ delta, delta, demand), strict=True
        ):
            kept.append(value)
    loss, square = np.array(losses), np.array(squares)
    assert loss.any()
    tau = np.where(loss > 0, steps(variant, loss, np.where(square > 0, square, 1.0)), 0.0)
    for scale in (3.0, 1.0, 0.0):
        rival = np.maximum(0.0, np.array(required) - scale * np.array(differences) @ u)
        assert_holds(bounds.pa_lemma_1(tau, loss, square, rival, scale * u))
