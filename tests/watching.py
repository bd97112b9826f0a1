"""Watch the product learn one example at a time, and check what it did for optimality."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from onlinear import Learner, belief, task

Array = NDArray[np.float64]

TOLERANCE = 1e-9
DIMENSION, CLASSES = 4, 4


@dataclass(frozen=True)
class Move:
    """What a learner believed before an example and after it; `delta` is the example's difference vector."""

    delta: Array
    mean: Array
    new_mean: Array
    covariance: Array
    new_covariance: Array

    @property
    def margin(self) -> float:
        """Give the new margin."""
        return float(self.new_mean @ self.delta)

    @property
    def old_margin(self) -> float:
        """Give the margin before."""
        return float(self.mean @ self.delta)

    @property
    def variance(self) -> float:
        """Give the new variance of the margin."""
        return float(self.delta @ self.new_covariance @ self.delta)

    @property
    def multiplier(self) -> float:
        """Give alpha of new_mean = mean + alpha covariance delta."""
        direction = self.covariance @ self.delta
        size = float(direction @ direction)
        return float((self.new_mean - self.mean) @ direction) / size if size > 0 else 0.0

    @property
    def gain(self) -> float:
        """Give the precision gained along delta, as the variance tells it."""
        v = float(self.delta @ self.covariance @ self.delta)
        return 1 / self.variance - 1 / v if v > 0 else 0.0


def covariance_of(learner: Learner, size: int) -> Array:
    """Give a learner's covariance, whatever it keeps of it."""
    if isinstance(learner.belief, belief.Full):
        return np.array(learner.covariance)
    if isinstance(learner.belief, belief.Diagonal):
        return np.diag(np.ravel(learner.variance))
    return np.eye(size)


def rows(rng: np.random.Generator, count: int) -> Iterator[Array]:
    """Draw instances: ordinary, zero, tiny, huge and sparse ones."""
    for i in range(count):
        x = rng.normal(size=DIMENSION)
        yield [x, x, 0 * x, x / 1000, 8 * x, x * (rng.random(DIMENSION) < 0.5)][i % 6]


def moves(product_rule: Any, product_belief: Any, seed: int = 0, rounds: int = 36) -> Iterator[Move]:
    """Let the product learn noisy examples and watch every round."""
    rng = np.random.default_rng(seed)
    learner = Learner(task=task.Binary(), rule=product_rule, belief=product_belief, n_features=DIMENSION)
    hidden = rng.normal(size=DIMENSION)
    for x in rows(rng, rounds):
        sign = (1.0 if hidden @ x > 0 else -1.0) * (-1.0 if rng.random() < 0.2 else 1.0)
        mean, covariance = np.array(learner.mean), covariance_of(learner, DIMENSION)
        learner.learn(x[None, :], np.array([1 if sign > 0 else 0]))
        yield Move(sign * x, mean, np.array(learner.mean), covariance, covariance_of(learner, DIMENSION))


def assert_zero(residual: Any, scale: float = 1.0) -> None:
    """Check a residual against the size of what was subtracted in it."""
    assert np.max(np.abs(residual)) <= TOLERANCE * (1 + abs(scale))


def assert_mean_moves_along_the_example(move: Move) -> None:
    """Check stationarity in the mean: new = old + alpha Sigma delta with alpha >= 0."""
    step = move.multiplier * move.covariance @ move.delta
    assert_zero(move.new_mean - move.mean - step, np.max(np.abs(move.new_mean)))
    assert move.multiplier >= -TOLERANCE


def assert_precision_gains(move: Move, gain: float) -> None:
    """Check stationarity in the covariance: the new precision is the old one plus gain delta delta'."""
    old = np.linalg.inv(move.covariance)
    wanted = old + gain * np.outer(move.delta, move.delta)
    assert_zero(move.new_covariance @ wanted - np.eye(len(old)), np.linalg.cond(wanted) * 1e-4)


@dataclass(frozen=True)
class JointMove:
    """What a multiclass learner believed before an example and after it."""

    x: Array
    y: int
    W: Array
    moved_to: Array
    covariance: Array

    @property
    def rivals(self) -> list[int]:
        """Give the wrong labels."""
        return [k for k in range(len(self.W)) if k != self.y]

    def lacking(self, W: Array) -> Array:
        """Give what each wrong label's margin lacks to 1."""
        scores = W @ self.x
        return 1 - (scores[self.y] - scores[self.rivals])

    @property
    def coefficients(self) -> Array:
        """Give tau_k of moved_to_k = W_k + tau_k x."""
        return (self.moved_to - self.W) @ self.x / (self.x @ self.x)


def joint_moves(
    product_task: Any, product_belief: Any, seed: int = 0, rounds: int = 36, size: float = 1.0
) -> Iterator[JointMove]:
    """Let the product learn noisy multiclass examples and watch every round that is not empty."""
    rng = np.random.default_rng(seed)
    W = rng.normal(scale=0.4, size=(CLASSES, DIMENSION))
    learner = Learner(
        task=product_task,
        belief=product_belief,
        n_features=DIMENSION,
        n_classes=CLASSES,
        initial_mean=W,
    )
    for row in rows(rng, rounds):
        x, y = size * row, int(rng.integers(CLASSES))
        before, covariance = np.array(learner.mean), covariance_of(learner, CLASSES * DIMENSION)
        learner.learn(x[None, :], np.array([y]))
        if x.any():
            yield JointMove(x, y, before, np.array(learner.mean), covariance)
        else:
            assert np.array_equal(before, learner.mean)


def difference(x: Array, right: int, wrong: int) -> Array:
    """Give Phi(x, right) - Phi(x, wrong)."""
    delta = np.zeros((CLASSES, len(x)))
    delta[right], delta[wrong] = x, -x
    return delta.ravel()


def solve(cost: Any, start: Array, constraints: list[Any]) -> Array:
    """Minimise with SLSQP."""
    wanted = [{"type": "ineq", "fun": c} for c in constraints]
    found = minimize(cost, start, constraints=wanted, method="SLSQP", options={"ftol": 1e-14, "maxiter": 500})
    return np.asarray(found.x)
