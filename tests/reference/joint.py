"""Multiclass updates that look at several wrong labels at once.

Each is a function of the weights (one row per label), the example and the parameters that gives new weights;
`arow_multipliers` gives the dual variables, because the covariance steps beside it.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .rules import Array, Params


def scores(W: Array, x: Array) -> Array:
    """Give one score per label, each summed alike so that equal rows tie exactly."""
    return np.sum(W * x, axis=1)


def uniform_perceptron(W: Array, x: Array, y: int, p: Params) -> Array:
    """Share the blame among all labels that score at least as high as the right one (Crammer & Singer)."""
    s, rate = scores(W, x), p.get("rate", 1.0)
    wrong = (s >= s[y]) & (np.arange(len(W)) != y)
    if not wrong.any() or not x.any():
        return W
    coefficients = np.where(wrong, -1.0 / wrong.sum(), 0.0)
    coefficients[y] = 1.0
    return W + rate * np.outer(coefficients, x)


def simplex_threshold(D: Array) -> float:
    """Find theta with sum max(0, D - theta) = 1."""
    ordered = np.sort(D)[::-1]
    thetas = (np.cumsum(ordered) - 1) / np.arange(1, len(D) + 1)
    return float(thetas[np.flatnonzero(ordered > thetas)[-1]])


def mira(W: Array, x: Array, y: int, p: Params) -> Array:
    """MIRA (Crammer & Singer): the smallest weights reachable with tau_k <= [k = y] and sum tau = 0."""
    n = float(x @ x)
    if n == 0:
        return W
    right = (np.arange(len(W)) == y).astype(float)
    B = scores(W, x) + p.get("beta", 0.01) * (1 - right)
    D = right + B / n
    tau = right - np.maximum(0.0, D - simplex_threshold(D))
    return W + np.outer(tau, x)


def all_constraint_pa(W: Array, x: Array, y: int, p: Params) -> Array:
    """PA, PA-I and PA-II with one constraint per wrong label, by sorting."""
    n = float(x @ x)
    s = scores(W, x)
    wrong = np.flatnonzero(np.arange(len(W)) != y)
    lacking = 1 - (s[y] - s[wrong])
    if n == 0 or not (lacking > 0).any():
        return W
    a = _shares(lacking, n, p)
    moved = W.copy()
    moved[y] += a.sum() * x
    moved[wrong] -= np.outer(a, x)
    return moved


def _shares(lacking: Array, n: float, p: Params) -> Array:
    e = 1 / (2 * p["C"]) if p["variant"] == "PA-II" else 0.0
    ordered = np.sort(lacking)[::-1]
    j = np.arange(1, len(ordered) + 1)
    totals = np.cumsum(ordered) / (n + j * (n + e))
    S = float(totals[np.flatnonzero(ordered - (n + e) * totals > 0)[-1]])
    if p["variant"] == "PA-I" and p["C"] < S:
        return _capped_shares(lacking / n, p["C"])
    return np.maximum(0.0, (lacking - (n + e) * S) / n)


def _capped_shares(reach: Array, C: float) -> Array:
    kappa = C * simplex_threshold(reach / C)
    return np.maximum(0.0, reach - kappa)


def arow_multipliers(lacking: Array, G: Array, r: float) -> Array:
    """Maximise a.l - a'(G + r 11')a/2 over a >= 0: try every set of active constraints.

    Hildreth's cycles reach the same point, but need r/|x|^2 of them where an example is short against r.
    """
    labels = range(len(lacking))
    sets = [list(s) for size in range(1, len(lacking) + 1) for s in combinations(labels, size)]
    tried = [_active_solution(lacking, G, r, active) for active in sets]
    return min(tried, key=lambda found: found[1])[0]


def _active_solution(lacking: Array, G: Array, r: float, active: list[int]) -> tuple[Array, float]:
    """Solve with these constraints met exactly; give the multipliers and how far they are from optimal."""
    ones = np.ones((len(active), 1))
    # gamma = r sum a is kept as an unknown of its own: adding r to a small G would lose G's digits.
    system = np.block([[G[np.ix_(active, active)], ones], [ones.T, -np.eye(1) / r]])
    solution = np.linalg.solve(system, np.append(lacking[active], 0.0))
    a, gamma = np.zeros_like(lacking), solution[-1]
    a[active] = solution[:-1]
    slack = np.max(lacking - G @ a - gamma) / np.max(np.abs(lacking))
    return a, max(slack, -float(np.min(a)) / float(np.max(np.abs(a))))
