"""The papers' bounds as pairs (left, right) with left <= right.

``loss`` is the learner's hinge before each round, ``rival`` that of a fixed comparator ``u`` on the same
rounds. Arrays of differences ``D`` hold one row per round that counts.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from .rules import Array

Bound = tuple[float, float]


def pa_lemma_1(tau: Array, loss: Array, squares: Array, rival: Array, u: Array) -> Bound:
    """PA, Lemma 1: what the steps gain over the comparator is at most its squared norm."""
    return float(np.sum(tau * (2 * loss - tau * squares - 2 * rival))), float(u @ u)


def pa_theorem_2(loss: Array, R: float, u: Array) -> Bound:
    """PA, Theorem 2: the comparator has no loss."""
    return float(loss @ loss), R * R * float(u @ u)


def pa_theorem_3(loss: Array, rival: Array, u: Array) -> Bound:
    """PA, Theorem 3: instances have norm 1."""
    return float(loss @ loss), (sqrt(u @ u) + 2 * sqrt(rival @ rival)) ** 2


def pa_theorem_4(mistakes: int, R: float, C: float, rival: Array, u: Array) -> Bound:
    """PA-I, Theorem 4: a bound on mistakes."""
    return float(mistakes), max(R * R, 1 / C) * (float(u @ u) + 2 * C * float(rival.sum()))


def pa_theorem_5(loss: Array, R: float, C: float, rival: Array, u: Array) -> Bound:
    """PA-II, Theorem 5: a bound on the squared losses."""
    return float(loss @ loss), (R * R + 1 / (2 * C)) * (float(u @ u) + 2 * C * float(rival @ rival))


def perceptron_gentile(mistakes: int, R: float, rival: Array, u: Array) -> Bound:
    """Perceptron, with the comparator's loss on the mistaken rounds as it is."""
    L, s = float(rival.sum()), R * R * float(u @ u)
    return float(mistakes), L + s / 2 + sqrt(s * L + s * s / 4)


def perceptron_freund_schapire(mistakes: int, R: float, rival: Array, u: Array) -> Bound:
    """Perceptron, with the comparator's loss on the mistaken rounds squared."""
    return float(mistakes), (R * sqrt(u @ u) + sqrt(rival @ rival)) ** 2


def _log_det(M: Array) -> float:
    return float(np.linalg.slogdet(M)[1])


def second_order_perceptron(D: Array, a: float, rival: Array, u: Array) -> Bound:
    """Second-order perceptron; D and the losses over mistaken rounds."""
    X = D.T @ D
    volume = _log_det(np.eye(len(u)) + X / a)
    return float(len(D)), float(rival.sum()) + sqrt((a * (u @ u) + u @ X @ u) * volume)


def arow(mistakes: int, D: Array, r: float, rival: Array, u: Array) -> Bound:
    """AROW with a full covariance, Theorems 1 and 2; D and the losses over all updated rounds."""
    X, others = D.T @ D, len(D) - mistakes
    volume = _log_det(np.eye(len(u)) + X / r)
    right = float(rival.sum()) + sqrt(r * (u @ u) + u @ X @ u) * sqrt(volume + others) - others
    return float(mistakes), right


def scw(alpha: Array, v: Array, phi: float, mean: Array, covariance: Array, precision: Array) -> Bound:
    """CW-stdev and SCW-I, Theorem 1, given a comparator N(mean, covariance) and the last precision."""
    factor = (1 + phi * phi) / (phi * phi)
    K = -_log_det(covariance) + np.trace(covariance) + mean @ precision @ mean - len(mean)
    return factor * float(np.sum(alpha * alpha * v)), factor * float(K)


def drifting_objective(
    D: float, R: float, drift: float, b: float, a: float, sigma: float = 0.0
) -> float | None:
    """Regularised PA in the objective, Theorems 3.1 and (with truncation) 3.3; None where nothing is said."""
    g = (1 - a * a) / (R * R) - 2 * (1 + a) * drift * b - a * D * D / (2 + a) - 2 * sqrt(sigma) * D
    return D * D / g if g > 0 else None


def drifting_ball(D: float, R: float, drift: float, b: float, sigma: float = 0.0) -> float | None:
    """Regularised PA in a ball, Theorems 3.2 and (with truncation) 3.4; None where nothing is said."""
    g = 1 / (R * R) - 2 * drift * b - 2 * sqrt(sigma) * D
    return D * D / g if g > 0 else None
