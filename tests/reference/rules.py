"""Scalar rules: from a margin, a variance and a required margin to a step.

Every rule is a function ``(m, v, E, p) -> Step``. ``p`` holds the parameters under the names of the papers
and, for the rules that look at more than the example, what they ask for: ``W`` (squared norm of the mean),
``rho`` (the current threshold) and ``t`` (the number of the round, from 1).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

Array = NDArray[np.float64]
Params = Mapping[str, Any]


class Step(NamedTuple):
    """A step: mu <- keep mu + alpha Sigma delta, Sigma^-1 += gain delta delta', then Sigma *= spread."""

    alpha: float = 0.0
    gain: float = 0.0
    keep: float = 1.0
    spread: float = 1.0
    threshold: float = 0.0


PASSIVE = Step()


def quantile(p: Params) -> float:
    """Give phi, from ``phi`` itself or from the confidence ``eta``."""
    return float(p["phi"]) if "phi" in p else float(ndtri(p["eta"]))


def perceptron(m: float, v: float, E: float, p: Params) -> Step:
    """Rosenblatt: one step on a mistake."""
    return Step(p.get("rate", 1.0)) if m <= 0 else PASSIVE


def pa(m: float, v: float, E: float, p: Params) -> Step:
    """PA, PA-I and PA-II (Crammer et al. 2006)."""
    loss = E - m
    if loss <= 0 or v <= 0:
        return PASSIVE
    match p["variant"]:
        case "PA":
            return Step(loss / v)
        case "PA-I":
            return Step(min(p["C"], loss / v))
        case "PA-II":
            return Step(loss / (v + 1 / (2 * p["C"])))
    raise ValueError(p["variant"])


def romma(m: float, v: float, E: float, p: Params) -> Step:
    """ROMMA and aggressive ROMMA (Li & Long)."""
    W = p["W"]
    passive = m >= 1 if p["aggressive"] else m > 0
    if passive or v <= 0:
        return PASSIVE
    area = v * W - m * m
    parallel = area <= 1e-14 * v * W
    if W == 0 or m >= v * W or parallel:
        return Step(alpha=1 / v, keep=0.0)
    return Step(alpha=W * (1 - m) / area, keep=(v * W - m) / area)


def norma(m: float, v: float, E: float, p: Params) -> Step:
    """NORMA with a linear kernel (Kivinen, Smola & Williamson); moves on every round."""
    rate = p["eta"] / sqrt(p["t"]) if p.get("decay") else p["eta"]
    inside = 1.0 if m <= p["rho"] else 0.0
    nu = p.get("nu")
    drift = 0.0 if nu is None else rate * (nu - inside)
    return Step(alpha=rate * inside, keep=1 - rate * p["lam"], threshold=drift)


def cw_var(m: float, v: float, E: float, p: Params) -> Step:
    """Confidence-weighted learning, the variance in the constraint."""
    phi = quantile(p)
    if v <= 0 or m >= phi * v:
        return PASSIVE
    B = 1 + 2 * phi * m
    root = sqrt((1 - 2 * phi * m) ** 2 + 8 * phi * phi * v)
    alpha = 2 * (phi * v - m) / (v * (B + root)) if B > 0 else (root - B) / (4 * phi * v)
    return Step(alpha, gain=2 * alpha * phi)


def _stdev_alpha(m: float, v: float, phi: float) -> float:
    p1, p2 = 1 + phi * phi / 2, 1 + phi * phi
    root = sqrt(m * m * phi**4 / 4 + v * phi * phi * p2)
    if m > 0:
        return (v * phi * phi - m * m) / (v * (m * p1 + root))
    return (-m * p1 + root) / (v * p2)


def _stdev_step(alpha: float, v: float, phi: float) -> Step:
    """Complete a step whose constraint is on the standard deviation: the new one follows from alpha."""
    stdev = 2 * v / (alpha * v * phi + sqrt(alpha * alpha * v * v * phi * phi + 4 * v))
    return Step(alpha, gain=alpha * phi / stdev)


def cw_stdev(m: float, v: float, E: float, p: Params) -> Step:
    """Confidence-weighted learning, the standard deviation in the constraint."""
    phi = quantile(p)
    if v <= 0 or m >= phi * sqrt(v):
        return PASSIVE
    return _stdev_step(_stdev_alpha(m, v, phi), v, phi)


def scw_i(m: float, v: float, E: float, p: Params) -> Step:
    """SCW-I (Wang, Zhao & Hoi): the CW step, at most C."""
    phi = quantile(p)
    if v <= 0 or m >= phi * sqrt(v):
        return PASSIVE
    return _stdev_step(min(p["C"], _stdev_alpha(m, v, phi)), v, phi)


def scw_ii(m: float, v: float, E: float, p: Params) -> Step:
    """SCW-II (Wang, Zhao & Hoi): a squared price for what the constraint lacks."""
    phi = quantile(p)
    if v <= 0 or m >= phi * sqrt(v):
        return PASSIVE
    n = v + 1 / (2 * p["C"])
    gamma = phi * sqrt(phi * phi * m * m * v * v + 4 * n * v * (n + v * phi * phi))
    if m > 0:
        alpha = 2 * (phi * phi * v - m * m) / (m * (2 * n + phi * phi * v) + gamma)
    else:
        alpha = (-(2 * m * n + phi * phi * m * v) + gamma) / (2 * (n * n + n * v * phi * phi))
    return _stdev_step(alpha, v, phi)


def arow(m: float, v: float, E: float, p: Params) -> Step:
    """AROW with the squared hinge (Crammer, Kulesza & Dredze)."""
    return Step((E - m) / (v + p["r"]), gain=1 / p["r"]) if m < E else PASSIVE


def arow_h(m: float, v: float, E: float, p: Params) -> Step:
    """AROW with the hinge."""
    if m >= E:
        return PASSIVE
    reach = (E - m) / v if v > 0 else inf
    return Step(min(1 / (2 * p["r"]), reach), gain=1 / p["r"])


def arow_regression(m: float, v: float, E: float, p: Params) -> Step:
    """AROW with the squared loss: recursive least squares, on every round."""
    return Step((E - m) / (v + p["r"]), gain=1 / p["r"])


def nherd(m: float, v: float, E: float, p: Params) -> Step:
    """NHERD (Crammer & Lee)."""
    C = p["C"]
    return Step((E - m) / (v + 1 / C), gain=2 * C + C * C * v) if m < E else PASSIVE


def narow(m: float, v: float, E: float, p: Params) -> Step:
    """NAROW (Orabona & Crammer) as a rule without memory."""
    if m >= E:
        return PASSIVE
    gain = max(0.0, p["b"] - 1 / v) if v > 0 else 0.0
    return Step((1 - gain * m) / (1 + gain * v), gain=gain)


def narow_coupled(m: float, v: float, E: float, p: Params) -> Step:
    """NAROW as some public code has it: the AROW step, and only where the variance is large."""
    if m >= E or p["b"] * v <= 1:
        return PASSIVE
    return arow(m, v, E, {"r": v / (p["b"] * v - 1)})


def sop(m: float, v: float, E: float, p: Params) -> Step:
    """Second-order perceptron as a rule: AROW with r = 1 on mistakes."""
    return Step((1 - m) / (1 + v), gain=1.0) if m <= 0 else PASSIVE


def iellip(m: float, v: float, E: float, p: Params) -> Step:
    """IELLIP (Yang, Jin & Ye)."""
    if m > 0 or v <= 0:
        return PASSIVE
    c = p["c"] * p["b"] ** (p["t"] - 1)
    return Step((1 - m) / v, gain=(c / v) / (1 - c), spread=1 / (1 - c))


def triggered(m: float, E: float, p: Params) -> bool:
    """Tell whether a regularised PA looks at this round."""
    return {"mistake": m <= 0, "margin": m < E, "always": True}[p["trigger"]]


def rpa_objective(m: float, v: float, E: float, p: Params) -> Step:
    """PA with a price on the norm in its objective (Shen & Dietterich)."""
    if v <= 0 or not triggered(m, E, p):
        return PASSIVE
    a = p["alpha"]
    return Step(max(0.0, E * (1 + a) - m) / (v * (1 + a)), keep=1 / (1 + a))


def rpa_l2(m: float, v: float, E: float, p: Params) -> Step:
    """PA inside an L2 ball (Shen & Dietterich)."""
    b = p["beta"]
    if v <= 0 or m >= E or not triggered(m, E, p):
        return PASSIVE
    if b * sqrt(v) <= E:
        return Step(b / sqrt(v), keep=0.0)
    Z = max(1.0, sqrt(max(0.0, p["W"] * v - m * m) / (b * b * v - E * E)))
    return Step((E * Z - m) / (v * Z), keep=1 / Z)


RULES: dict[str, Callable[[float, float, float, Params], Step]] = {
    "perceptron": perceptron,
    "pa": pa,
    "romma": romma,
    "norma": norma,
    "cw-var": cw_var,
    "cw-stdev": cw_stdev,
    "scw-i": scw_i,
    "scw-ii": scw_ii,
    "arow": arow,
    "arow-h": arow_h,
    "arow-regression": arow_regression,
    "nherd": nherd,
    "narow": narow,
    "narow-coupled": narow_coupled,
    "sop": sop,
    "iellip": iellip,
    "rpa-objective": rpa_objective,
    "rpa-l2": rpa_l2,
}

# The parameter that an example's weight scales, and whether it multiplies or divides it.
PRICES: dict[str, tuple[str, int]] = {
    "perceptron": ("rate", 1),
    "pa": ("C", 1),
    "norma": ("eta", 1),
    "scw-i": ("C", 1),
    "scw-ii": ("C", 1),
    "arow": ("r", -1),
    "arow-h": ("r", -1),
    "arow-regression": ("r", -1),
    "nherd": ("C", 1),
}


def weighted(rule: str, p: Params, weight: float) -> Params:
    """Scale a rule's price by the weight of an example; a rule without a price does not hear it."""
    name, power = PRICES.get(rule, ("", 1))
    if name == "rate":
        p = {"rate": 1.0, **p}
    return {**p, name: p[name] * weight**power} if name in p else p


# ---- the optimum restricted to diagonal matrices ----


def _root(f: Callable[[float], float], low: float, high: float) -> float:
    """Bisect an increasing function until no float64 lies between the ends."""
    while True:
        middle = low + (high - low) / 2
        if not low < middle < high:
            return high
        if f(middle) < 0:
            low = middle
        else:
            high = middle


def cw_var_exact(m: float, q: Array, E: float, p: Params) -> tuple[float, Array]:
    """Solve CW-var over diagonal matrices; ``q`` is each coordinate's share of the variance."""
    phi, v = quantile(p), float(q.sum())
    if v <= 0 or m >= phi * v:
        return 0.0, np.ones_like(q)

    def slack(a: float) -> float:
        return m + a * v - float(np.sum(phi * q / (1 + 2 * a * phi * q)))

    alpha = _root(slack, max(0.0, -m / v), (phi * v - m) / v)
    return alpha, 1 / (1 + 2 * alpha * phi * q)


def cw_stdev_exact(m: float, q: Array, E: float, p: Params) -> tuple[float, Array]:
    """Solve CW-stdev over diagonal matrices; ``q`` is each coordinate's share of the variance."""
    phi, v = quantile(p), float(q.sum())
    if v <= 0 or m >= phi * sqrt(v):
        return 0.0, np.ones_like(q)
    low = max(0.0, -m / v)
    if phi == 0:
        return low, np.ones_like(q)
    shares = q[q > 0]

    def slack(a: float) -> float:
        reached = m + a * v
        if reached <= 0:
            return -inf
        return reached - float(np.sum(phi * phi * shares / (reached + a * phi * phi * shares)))

    alpha = _root(slack, low, (phi * sqrt(v) - m) / v)
    stdev = (m + alpha * v) / phi
    return alpha, stdev / (stdev + alpha * phi * q)


def nherd_exact(m: float, q: Array, E: float, p: Params) -> tuple[float, Array]:
    """Solve NHERD with a diagonal linear map."""
    step = nherd(m, float(q.sum()), E, p)
    return step.alpha, 1 / (1 + p["C"] * q) ** 2 if m < E else np.ones_like(q)


# AROW is not here: its covariance step over diagonal matrices is the `kl` projection of the full one.
EXACT: dict[str, Callable[[float, Array, float, Params], tuple[float, Array]]] = {
    "cw-var": cw_var_exact,
    "cw-stdev": cw_stdev_exact,
    "nherd": nherd_exact,
}
