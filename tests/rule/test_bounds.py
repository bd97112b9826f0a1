"""The mistake and loss bounds of the papers hold on random runs of the product."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from onlinear import Learner, belief, rule, task
from tests.reference import bounds

Array = NDArray[np.float64]

DIMENSION, CLASSES, ROUNDS = 4, 3, 60
SEEDS = range(12)


@dataclass(frozen=True)
class History:
    """What a learner met and did, round by round; rows of `D` are difference vectors."""

    D: Array
    margins: Array
    variances: Array
    learner: Learner
    states: list[tuple[Array, Array | None]]

    @property
    def losses(self) -> Array:
        """Give the hinge before every round."""
        return np.maximum(0.0, 1 - self.margins)

    @property
    def squares(self) -> Array:
        """Give the squared norms of the differences."""
        return np.sum(self.D**2, axis=1)

    @property
    def radius(self) -> float:
        """Give the largest norm."""
        return float(np.sqrt(self.squares.max()))

    @property
    def mistakes(self) -> NDArray[np.bool_]:
        """Tell the mistaken rounds."""
        return self.margins <= 0


def examples(seed: int, noise: float, normalised: bool = False) -> tuple[Array, NDArray[np.int64], Array]:
    """Draw examples and a comparator that separates those without noise by a margin."""
    rng = np.random.default_rng(seed)
    u = rng.normal(size=DIMENSION)
    X = rng.normal(size=(4 * ROUNDS, DIMENSION))
    X = X / np.linalg.norm(X, axis=1, keepdims=True) if normalised else X
    X = X[np.abs(X @ u) > 0.3][:ROUNDS]
    y = (X @ u > 0) ^ (rng.random(len(X)) < noise)
    return X, y.astype(np.int64), u / 0.3


def comparators(u: Array, seed: int) -> list[Array]:
    """Give the separator at several lengths, and random vectors."""
    rng = np.random.default_rng([seed, 1])
    return [u, u / 3, 0 * u, *rng.normal(size=(3, len(u)))]


def watch(product_rule: Any, product_belief: Any, X: Array, y: NDArray[np.int64]) -> History:
    """Let the product learn one binary example at a time."""
    learner = Learner(task=task.Binary(), rule=product_rule, belief=product_belief, n_features=DIMENSION)
    D = np.where(y, 1.0, -1.0)[:, None] * X
    full = isinstance(product_belief, belief.Full)
    margins, variances, states = [], [], []
    for x, label, delta in zip(X, y, D, strict=True):
        covariance = np.array(learner.covariance) if full else None
        margins.append(float(np.array(learner.mean) @ delta))
        variances.append(float(delta @ covariance @ delta) if full else float(delta @ delta))
        learner.learn(x[None, :], np.array([label]))
        states.append((np.array(learner.mean), np.array(learner.covariance) if full else None))
    return History(D, np.array(margins), np.array(variances), learner, states)


def hinge(u: Array, D: Array) -> Array:
    """Give the losses of a comparator."""
    return np.maximum(0.0, 1 - D @ u)


def assert_holds(bound: tuple[float, float]) -> None:
    """Check left <= right up to rounding."""
    left, right = bound
    assert left <= right + 1e-9 * (1 + abs(right))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
def test_passive_aggressive_steps_gain_at_most_the_comparators_norm(
    variant: str, noise: float, seed: int
) -> None:
    """Lemma 1: sum tau (2 l - tau |x|^2 - 2 l*) <= |u|^2 for any u."""
    X, y, u = examples(seed, noise)
    product_rule = rule.PassiveAggressive(variant=variant, C=0.7)
    run = watch(product_rule, belief.Mean(), X, y)
    tau = np.array([product_rule.step(m, v).mean for m, v in zip(run.margins, run.squares, strict=True)])

    for w in comparators(u, seed):
        assert_holds(bounds.pa_lemma_1(tau, run.losses, run.squares, hinge(w, run.D), w))


@pytest.mark.parametrize("seed", SEEDS)
def test_pa_on_separable_data_has_bounded_squared_loss(seed: int) -> None:
    """Theorem 2: sum l^2 <= R^2 |u|^2 when u has no loss."""
    X, y, u = examples(seed, noise=0.0)
    run = watch(rule.PassiveAggressive(variant="pa"), belief.Mean(), X, y)

    assert not hinge(u, run.D).any()
    assert_holds(bounds.pa_theorem_2(run.losses, run.radius, u))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_pa_on_unit_instances_is_near_any_comparator(noise: float, seed: int) -> None:
    """Theorem 3: sum l^2 <= (|u| + 2 sqrt(sum l*^2))^2 when every |x| = 1."""
    X, y, u = examples(seed, noise, normalised=True)
    run = watch(rule.PassiveAggressive(variant="pa"), belief.Mean(), X, y)

    for w in comparators(u, seed):
        assert_holds(bounds.pa_theorem_3(run.losses, hinge(w, run.D), w))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_pa1_makes_few_mistakes(C: float, seed: int) -> None:
    """Theorem 4: M <= max(R^2, 1/C) (|u|^2 + 2 C sum l*)."""
    X, y, u = examples(seed, noise=0.2)
    run = watch(rule.PassiveAggressive(variant="pa1", C=C), belief.Mean(), X, y)

    for w in comparators(u, seed):
        assert_holds(bounds.pa_theorem_4(run.learner.n_mistakes, run.radius, C, hinge(w, run.D), w))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("C", [0.1, 1.0, 10.0])
def test_pa2_has_bounded_squared_loss(C: float, seed: int) -> None:
    """Theorem 5: sum l^2 <= (R^2 + 1/2C) (|u|^2 + 2 C sum l*^2)."""
    X, y, u = examples(seed, noise=0.2)
    run = watch(rule.PassiveAggressive(variant="pa2", C=C), belief.Mean(), X, y)

    for w in comparators(u, seed):
        assert_holds(bounds.pa_theorem_5(run.losses, run.radius, C, hinge(w, run.D), w))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_perceptron_makes_few_mistakes(noise: float, seed: int) -> None:
    """Both known forms of its bound, for any comparator."""
    X, y, u = examples(seed, noise)
    run = watch(rule.Perceptron(), belief.Mean(), X, y)

    assert run.learner.n_mistakes == run.mistakes.sum()
    for w in comparators(u, seed):
        rival = hinge(w, run.D[run.mistakes])
        assert_holds(bounds.perceptron_gentile(run.learner.n_mistakes, run.radius, rival, w))
        assert_holds(bounds.perceptron_freund_schapire(run.learner.n_mistakes, run.radius, rival, w))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("ridge", [0.2, 1.0, 5.0])
def test_the_second_order_perceptron_makes_few_mistakes(ridge: float, seed: int) -> None:
    """M <= L + sqrt((a |u|^2 + u'Xu) log det(I + X/a)), X and L over the mistaken rounds."""
    X, y, u = examples(seed, noise=0.2)
    run = watch(rule.SecondOrderPerceptron(), belief.Full(initial_variance=1 / ridge, inclusive=True), X, y)
    mistaken = run.D[run.mistakes]

    assert run.learner.n_mistakes == len(mistaken)
    for w in comparators(u, seed):
        assert_holds(bounds.second_order_perceptron(mistaken, ridge, hinge(w, mistaken), w))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("r", [0.1, 1.0, 10.0])
def test_arow_makes_few_mistakes(r: float, seed: int) -> None:
    """Theorem 1: M <= G + sqrt(r |u|^2 + u'Xu) sqrt(log det(I + X/r) + U) - U."""
    X, y, u = examples(seed, noise=0.2)
    run = watch(rule.Arow(r=r), belief.Full(), X, y)
    updated = run.D[run.margins < 1]

    assert run.learner.n_updates == len(updated)
    for w in comparators(u, seed):
        assert_holds(bounds.arow(run.learner.n_mistakes, updated, r, hinge(w, updated), w))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("r", [0.1, 1.0, 10.0])
def test_multiclass_arow_makes_few_mistakes(r: float, seed: int) -> None:
    """Theorem 2: the same with the difference against the best rival, and the multiclass hinge of u."""
    rng = np.random.default_rng(seed)
    hidden = rng.normal(size=(CLASSES, DIMENSION))
    X = rng.normal(size=(ROUNDS, DIMENSION))
    y = np.where(
        rng.random(ROUNDS) < 0.1, rng.integers(CLASSES, size=ROUNDS), np.argmax(X @ hidden.T, axis=1)
    )
    learner = Learner(
        task=task.Multiclass(),
        rule=rule.Arow(r=r),
        belief=belief.Full(),
        n_features=DIMENSION,
        n_classes=CLASSES,
    )
    updated, differences = [], []
    for i, (x, label) in enumerate(zip(X, y, strict=True)):
        scores = np.array(learner.mean) @ x
        rival = int(np.argmax(np.where(np.arange(CLASSES) == label, -np.inf, scores)))
        if scores[label] - scores[rival] < 1:
            delta = np.zeros((CLASSES, DIMENSION))
            delta[label], delta[rival] = x, -x
            updated.append(i)
            differences.append(delta.ravel())
        learner.learn(x[None, :], np.array([label]))

    assert learner.n_updates == len(updated)
    for W in [hidden, 3 * hidden, 0 * hidden, *rng.normal(size=(3, CLASSES, DIMENSION))]:
        rival_losses = multiclass_hinge(W, X[updated], y[updated])
        assert_holds(bounds.arow(learner.n_mistakes, np.array(differences), r, rival_losses, W.ravel()))


def multiclass_hinge(W: Array, X: Array, y: NDArray[np.int64]) -> Array:
    """Give 1 less the margin over the best wrong label, at least 0."""
    scores = X @ W.T
    right = scores[np.arange(len(y)), y]
    scores[np.arange(len(y)), y] = -np.inf
    return np.maximum(0.0, 1 - right + scores.max(axis=1))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("confidence", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("soft", [False, True])
def test_confidence_weighted_steps_are_bounded_by_a_better_gaussian(
    soft: bool, confidence: float, seed: int
) -> None:
    """Theorem 1: sum alpha^2 v <= K for a Gaussian that is as right and as sure after each update."""
    phi = rule.quantile(confidence)
    X, y, u = examples(seed, noise=0.0)
    product_rule = (
        rule.SoftConfidenceWeighted(penalty="linear", C=0.8, phi=phi)
        if soft
        else rule.ConfidenceWeighted(constraint="stdev", phi=phi)
    )
    run = watch(product_rule, belief.Full(), X, y)
    alpha = np.array([product_rule.step(m, v).mean for m, v in zip(run.margins, run.variances, strict=True)])
    mean, covariance = better_gaussian(run, alpha > 0, u)
    precision = np.linalg.inv(run.states[-1][1])

    left, right = bounds.scw(alpha, run.variances, phi, mean, covariance, precision)
    assert_holds((left, right))
    factor = (1 + phi * phi) / (phi * phi)
    assert_holds((left / factor, right / factor))


def better_gaussian(run: History, updated: NDArray[np.bool_], u: Array) -> tuple[Array, Array]:
    """Scale the separator and a covariance until both conditions of the theorem hold."""
    length, share = 1.0, 1.0
    shape = run.states[-1][1]
    for i in np.flatnonzero(updated):
        delta, (mean, covariance) = run.D[i], run.states[i]
        length = max(length, float(mean @ delta) / float(u @ delta))
        share = min(share, float(delta @ covariance @ delta) / float(delta @ shape @ delta))
    return length * u, share * shape
