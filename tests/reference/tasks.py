"""Tasks: from an example to a difference vector and the margin it should reach.

Weights of several labels are one flat vector, label after label. ``scores(mu, x)`` is what the learner
predicts with; ``demand(mu, x, y)`` gives ``(delta, E)``, or None when nothing is asked.
"""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np

from .rules import Array

Demand = tuple[Array, float] | None


def best(scores: Array, allowed: Array) -> int:
    """Give the highest score's place among the allowed ones; the smallest index wins a tie."""
    return int(np.argmax(np.where(allowed, scores, -np.inf)))


class Binary:
    """Labels +1 and -1."""

    def scores(self, mu: Array, x: Array) -> float:
        """Give the score of x."""
        return float(mu @ x)

    def demand(self, mu: Array, x: Array, y: float) -> Demand:
        """Ask for y x at margin 1."""
        return y * x, 1.0


class Regression:
    """A real answer, missed by no more than epsilon."""

    def __init__(self, epsilon: float = 0.0) -> None:
        self.epsilon = epsilon

    def scores(self, mu: Array, x: Array) -> float:
        """Give the prediction for x."""
        return float(mu @ x)

    def demand(self, mu: Array, x: Array, y: float) -> Demand:
        """Ask the prediction to move towards y; what lacks to E is |e| - epsilon."""
        sign = 1.0 if y >= mu @ x else -1.0
        return sign * x, sign * y - self.epsilon


class Uniclass:
    """No answer: the mean is the centre of a ball that should hold x."""

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def scores(self, mu: Array, x: Array) -> float:
        """Give the distance of x to the centre."""
        return float(np.linalg.norm(x - mu))

    def demand(self, mu: Array, x: Array, y: None) -> Demand:
        """Ask the centre to move towards x; what lacks to E is the distance less epsilon."""
        distance = self.scores(mu, x)
        if distance <= self.epsilon or distance == 0:
            return None
        delta = (x - mu) / distance
        return delta, float(x @ delta) - self.epsilon


class Labels:
    """Tasks with one row of weights per label."""

    def __init__(self, K: int) -> None:
        self.K = K

    def scores(self, mu: Array, x: Array) -> Array:
        """Give one score per label, each summed alike so that equal rows tie exactly."""
        return np.sum(mu.reshape(self.K, -1) * x, axis=1)

    def against(self, x: Array, r: int, s: int) -> Array:
        """Give Phi(x, r) - Phi(x, s)."""
        delta = np.zeros((self.K, len(x)))
        delta[r] += x
        delta[s] -= x
        return delta.ravel()


class Top1(Labels):
    """One label is right; it is set against the best wrong one."""

    def demand(self, mu: Array, x: Array, y: int) -> Demand:
        """Ask for margin 1 over the best wrong label."""
        if self.K < 2:
            return None
        rival = best(self.scores(mu, x), np.arange(self.K) != y)
        return self.against(x, y, rival), 1.0


class Ranking(Labels):
    """A set of relevant labels should stand above the others."""

    def rivals(self, scores: Array, y: list[int]) -> tuple[int, int] | None:
        """Give the lowest relevant and the highest irrelevant label."""
        relevant = np.isin(np.arange(self.K), y)
        if relevant.all() or not relevant.any():
            return None
        return best(-scores, relevant), best(scores, ~relevant)

    def demand(self, mu: Array, x: Array, y: list[int]) -> Demand:
        """Ask for margin 1 between the two."""
        pair = self.rivals(self.scores(mu, x), y)
        return None if pair is None else (self.against(x, *pair), 1.0)


class SinglePrototypeRanking(Ranking):
    """Ranking with one vector of weights; x holds a row of features Phi(x, k) per label."""

    def scores(self, mu: Array, x: Array) -> Array:
        """Give one score per label."""
        return x @ mu

    def against(self, x: Array, r: int, s: int) -> Array:
        """Give Phi(x, r) - Phi(x, s)."""
        return x[r] - x[s]


class CostSensitive(Labels):
    """One label is right, others cost rho[y, q]; the rival is the prediction (PB) or the worst loss (ML)."""

    def __init__(self, K: int, rho: Any, kind: str) -> None:
        super().__init__(K)
        self.rho = np.asarray(rho, dtype=np.float64)
        self.kind = kind

    def demand(self, mu: Array, x: Array, y: int) -> Demand:
        """Ask for the root of the cost as a margin."""
        scores, margins = self.scores(mu, x), np.sqrt(self.rho[y])
        q = int(np.argmax(scores if self.kind == "PB" else scores - scores[y] + margins))
        return None if q == y else (self.against(x, y, q), float(margins[q]))


def hamming(y: list[int], q: list[int]) -> float:
    """Count the places where two sequences differ."""
    return float(np.sum(np.asarray(y) != np.asarray(q)))


COSTS = {
    "hamming": hamming,
    "zero-one": lambda y, q: float(hamming(y, q) > 0),
    "mean": lambda y, q: hamming(y, q) / len(y),
}


class Sequence:
    """A label per element; weights are K rows of emissions, then the K x K transitions."""

    def __init__(self, K: int, d: int, cost: str = "hamming") -> None:
        self.K, self.d, self.cost = K, d, COSTS[cost]

    def split(self, mu: Array) -> tuple[Array, Array]:
        """Give the emission and the transition weights."""
        return mu[: self.K * self.d].reshape(self.K, self.d), mu[self.K * self.d :].reshape(self.K, self.K)

    def features(self, x: Array, y: list[int]) -> Array:
        """Give Phi(x, y): what each label emitted, and how often each followed which."""
        emissions, transitions = np.zeros((self.K, self.d)), np.zeros((self.K, self.K))
        for i, label in enumerate(y):
            emissions[label] += x[i]
            if i:
                transitions[y[i - 1], label] += 1
        return np.concatenate([emissions.ravel(), transitions.ravel()])

    def scores(self, mu: Array, x: Array) -> list[int]:
        """Find the highest scoring sequence (Viterbi)."""
        E, T = self.split(mu)
        reached, back = E @ x[0], []
        for element in x[1:]:
            through = reached[:, None] + T
            back.append(np.argmax(through, axis=0))
            reached = np.max(through, axis=0) + E @ element
        path = [int(np.argmax(reached))]
        for pointers in reversed(back):
            path.append(int(pointers[path[-1]]))
        return path[::-1]

    def demand(self, mu: Array, x: Array, y: list[int]) -> Demand:
        """Ask for the root of the cost over the predicted sequence."""
        q = self.scores(mu, x)
        if q == list(y):
            return None
        return self.features(x, y) - self.features(x, q), sqrt(self.cost(y, q))
