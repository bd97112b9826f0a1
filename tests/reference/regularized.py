"""PA inside an L1 ball, and the removal of small weights (Shen & Dietterich)."""

from __future__ import annotations

import numpy as np

from .rules import Array


def soft_threshold(w: Array, b: float) -> tuple[Array, float]:
    """Project on the L1 ball of radius b; give the point and the threshold (0 when w lies inside)."""
    size = np.abs(w)
    if size.sum() <= b:
        return w, 0.0
    ordered = np.sort(size)[::-1]
    thresholds = (np.cumsum(ordered) - b) / np.arange(1, len(w) + 1)
    threshold = float(thresholds[np.flatnonzero(ordered > thresholds)[-1]])
    return np.sign(w) * np.maximum(0.0, size - threshold), threshold


def l1_ball(mu: Array, delta: Array, b: float, E: float = 1.0) -> Array:
    """Find the point nearest to mu with margin E inside the L1 ball."""
    largest = float(np.max(np.abs(delta)))
    if b * largest <= E:
        corners = np.abs(delta) == largest
        return np.where(corners, b * np.sign(delta) / corners.sum(), 0.0)
    tau = (E - mu @ delta) / (delta @ delta)
    if np.abs(mu + tau * delta).sum() <= b:
        return mu + tau * delta
    tau = _smallest_tau(mu, delta, b, E, tau)
    return _polish(mu, delta, b, E, tau)


def _smallest_tau(mu: Array, delta: Array, b: float, E: float, low: float) -> float:
    def margin(tau: float) -> float:
        return float(soft_threshold(mu + tau * delta, b)[0] @ delta)

    high = max(1.0, 2 * low)
    while margin(high) < E:
        high *= 2
    while low < (middle := low + (high - low) / 2) < high:
        low, high = (middle, high) if margin(middle) < E else (low, middle)
    return high


def _polish(mu: Array, delta: Array, b: float, E: float, tau: float) -> Array:
    """Solve for tau and the threshold at once, the support and its signs being known."""
    rough, threshold = soft_threshold(mu + tau * delta, b)
    if threshold == 0:
        return rough
    A = rough != 0
    g, s, m = delta[A], np.sign(rough[A]), mu[A]
    system = np.array([[g @ g, -g @ s], [g @ s, -float(A.sum())]])
    if abs(np.linalg.det(system)) < 1e-12 * np.abs(system).max() ** 2:
        return rough
    tau, threshold = np.linalg.solve(system, [E - g @ m, b - s @ m])
    polished = np.zeros_like(mu)
    polished[A] = m + tau * g - threshold * s
    return polished


def truncate(w: Array, sigma: float) -> Array:
    """Zero the smallest weights as long as their squares sum to less than sigma."""
    order = np.argsort(np.abs(w), kind="stable")
    removed = order[np.cumsum(w[order] ** 2) < sigma]
    kept = w.copy()
    kept[removed] = 0.0
    return kept
