"""Scalar rules: from a margin, a variance and a required margin to a step.

Every rule is a function ``(m, v, E, p) -> Step``. ``p`` holds the parameters under the names of the papers
and, for the rules that look at more than the example, what they ask for: ``W`` (squared norm of the mean),
``rho`` (the current threshold), ``t`` (the number of the round, from 1) and ``updates`` (made before it).

`reference` says which rule of the product a function is for, and `tests/combinations.py` compares the two on every belief
and task the rule is defined on.
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

Rule = Callable[[float, float, float, Params], Step]


class Sample(NamedTuple):
    """A rule of the product at some parameters, and the same as the reference spells it."""

    called: str
    product: str
    given: dict[str, Any]
    rule: str
    params: dict[str, Any]
    on: frozenset[str]


#: Beliefs by their names in `tests/closed_lists.py`: what a first-order rule is defined on, and one with a covariance.
FIRST_ORDER = frozenset({"mean", "kernel"})
GAUSSIAN = frozenset({"drop", "kl", "full", "information", "kernel"})

#: The references by name, and what they are compared with.
RULES: dict[str, Rule] = {}
SAMPLES: list[Sample] = []

#: The parameter that an example's weight scales, and whether it multiplies (1) or divides (-1) it.
PRICES: dict[str, tuple[str, int]] = {}


def reference(
    product: str | None = None,
    given: dict[str, Any] | None = None,
    spelt: dict[str, Any] | None = None,
    *,
    called: str | None = None,
    price: tuple[str, int] | None = None,
    on: frozenset[str] = frozenset(),
) -> Callable[[Rule], Rule]:
    """Make a function the reference of a rule of the product, compared with it at the parameters `given`.

    `spelt` has them as the function spells them where that differs, `called` is a name for this variant, and `price` the
    parameter that an example's weight multiplies (1) or divides (-1). The paper defines the rule `on` these beliefs; what is
    "possible, not required" in the specification is offered for kernels and in natural parameters.
    """

    def registered(function: Rule) -> Rule:
        name = function.__name__.replace("_", "-")
        RULES[name] = function
        if price is not None:
            PRICES[name] = price
        if product is not None:
            parameters = given or {}
            spelling = parameters if spelt is None else spelt
            SAMPLES.insert(0, Sample(called or name, product, parameters, name, spelling, on))
        return function

    return registered


def quantile(p: Params) -> float:
    """Give phi, from ``phi`` itself or from the confidence ``eta``."""
    return float(p["phi"]) if "phi" in p else float(ndtri(p["eta"]))


@reference("Perceptron", {"rate": 0.7}, price=("rate", 1), on=FIRST_ORDER)
def perceptron(m: float, v: float, E: float, p: Params) -> Step:
    """Rosenblatt: one step on a mistake."""
    return Step(p.get("rate", 1.0)) if m <= 0 else PASSIVE


@reference("PassiveAggressive", {"variant": "pa"}, {"variant": "PA"}, on=FIRST_ORDER)
@reference(
    "PassiveAggressive",
    {"variant": "pa1", "C": 0.3},
    {"variant": "PA-I", "C": 0.3},
    called="pa1",
    on=FIRST_ORDER,
)
@reference(
    "PassiveAggressive",
    {"variant": "pa2", "C": 0.4},
    {"variant": "PA-II", "C": 0.4},
    called="pa2",
    price=("C", 1),
    on=FIRST_ORDER,
)
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


@reference("Romma", {"aggressive": False}, on=FIRST_ORDER)
@reference("Romma", {"aggressive": True}, called="aggressive-romma", on=FIRST_ORDER)
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


@reference("Norma", {"eta": 0.2, "lam": 0.03, "rho": 0.8}, price=("eta", 1), on=FIRST_ORDER)
@reference("Norma", {"eta": 0.2, "lam": 0.03, "rho": 0.1, "nu": 0.4}, called="norma-nu", on=FIRST_ORDER)
@reference(
    "Norma", {"eta": 0.4, "lam": 0.02, "rho": 1.0, "decay": True}, called="norma-decay", on=FIRST_ORDER
)
def norma(m: float, v: float, E: float, p: Params) -> Step:
    """NORMA with a linear kernel (Kivinen, Smola & Williamson); moves on every round."""
    rate = p["eta"] / sqrt(p["t"]) if p.get("decay") else p["eta"]
    inside = 1.0 if m <= p["rho"] else 0.0
    nu = p.get("nu")
    drift = 0.0 if nu is None else rate * (nu - inside)
    return Step(alpha=rate * inside, keep=1 - rate * p["lam"], threshold=drift)


@reference("ConfidenceWeighted", {"constraint": "variance", "phi": 0.9}, on=GAUSSIAN | {"exact"})
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


@reference("ConfidenceWeighted", {"constraint": "stdev", "phi": 0.9}, on=GAUSSIAN | {"exact"})
def cw_stdev(m: float, v: float, E: float, p: Params) -> Step:
    """Confidence-weighted learning, the standard deviation in the constraint."""
    phi = quantile(p)
    if v <= 0 or m >= phi * sqrt(v):
        return PASSIVE
    return _stdev_step(_stdev_alpha(m, v, phi), v, phi)


@reference("SoftConfidenceWeighted", {"penalty": "linear", "C": 0.5, "phi": 0.9}, price=("C", 1), on=GAUSSIAN)
def scw_i(m: float, v: float, E: float, p: Params) -> Step:
    """SCW-I (Wang, Zhao & Hoi): the CW step, at most C."""
    phi = quantile(p)
    if v <= 0 or m >= phi * sqrt(v):
        return PASSIVE
    return _stdev_step(min(p["C"], _stdev_alpha(m, v, phi)), v, phi)


@reference(
    "SoftConfidenceWeighted", {"penalty": "squared", "C": 0.7, "phi": 0.9}, price=("C", 1), on=GAUSSIAN
)
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


@reference("Arow", {"r": 0.6}, price=("r", -1), on=GAUSSIAN | {"exact", "mean"})
def arow(m: float, v: float, E: float, p: Params) -> Step:
    """AROW with the squared hinge (Crammer, Kulesza & Dredze)."""
    return Step((E - m) / (v + p["r"]), gain=1 / p["r"]) if m < E else PASSIVE


@reference("Arow", {"r": 0.6, "loss": "hinge"}, price=("r", -1), on=GAUSSIAN | {"exact", "mean"})
def arow_h(m: float, v: float, E: float, p: Params) -> Step:
    """AROW with the hinge."""
    if m >= E:
        return PASSIVE
    reach = (E - m) / v if v > 0 else inf
    return Step(min(1 / (2 * p["r"]), reach), gain=1 / p["r"])


@reference(price=("r", -1))
def arow_regression(m: float, v: float, E: float, p: Params) -> Step:
    """AROW with the squared loss: recursive least squares, on every round."""
    return Step((E - m) / (v + p["r"]), gain=1 / p["r"])


@reference("Nherd", {"C": 0.8}, price=("C", 1), on=GAUSSIAN | {"exact"})
def nherd(m: float, v: float, E: float, p: Params) -> Step:
    """NHERD (Crammer & Lee)."""
    C = p["C"]
    return Step((E - m) / (v + 1 / C), gain=2 * C + C * C * v) if m < E else PASSIVE


@reference("Narow", {"b": 1.2}, on=GAUSSIAN)
def narow(m: float, v: float, E: float, p: Params) -> Step:
    """NAROW (Orabona & Crammer) as a rule without memory."""
    if m >= E:
        return PASSIVE
    gain = max(0.0, p["b"] - 1 / v) if v > 0 else 0.0
    return Step((1 - gain * m) / (1 + gain * v), gain=gain)


@reference("Narow", {"b": 1.2, "form": "coupled"}, on=GAUSSIAN)
def narow_coupled(m: float, v: float, E: float, p: Params) -> Step:
    """NAROW as some public code has it: the AROW step, and only where the variance is large."""
    if m >= E or p["b"] * v <= 1:
        return PASSIVE
    return arow(m, v, E, {"r": v / (p["b"] * v - 1)})


@reference("SecondOrderPerceptron", on=GAUSSIAN)
def sop(m: float, v: float, E: float, p: Params) -> Step:
    """Second-order perceptron as a rule: AROW with r = 1 on mistakes."""
    return Step((1 - m) / (1 + v), gain=1.0) if m <= 0 else PASSIVE


@reference("Iellip", {"c": 0.4, "b": 0.8}, on=frozenset({"drop", "full"}))
def iellip(m: float, v: float, E: float, p: Params) -> Step:
    """IELLIP (Yang, Jin & Ye)."""
    if m > 0 or v <= 0:
        return PASSIVE
    c = p["c"] * p["b"] ** (p["t"] - 1)
    return Step((1 - m) / v, gain=(c / v) / (1 - c), spread=1 / (1 - c))


def triggered(m: float, E: float, p: Params) -> bool:
    """Tell whether a regularised PA looks at this round."""
    return {"mistake": m <= 0, "margin": m < E, "always": True}[p["trigger"]]


@reference()
def rpa_objective(m: float, v: float, E: float, p: Params) -> Step:
    """PA with a price on the norm in its objective (Shen & Dietterich)."""
    if v <= 0 or not triggered(m, E, p):
        return PASSIVE
    a = p["alpha"]
    return Step(max(0.0, E * (1 + a) - m) / (v * (1 + a)), keep=1 / (1 + a))


@reference()
def rpa_l2(m: float, v: float, E: float, p: Params) -> Step:
    """PA inside an L2 ball (Shen & Dietterich)."""
    b = p["beta"]
    if v <= 0 or m >= E or not triggered(m, E, p):
        return PASSIVE
    if b * sqrt(v) <= E:
        return Step(b / sqrt(v), keep=0.0)
    Z = max(1.0, sqrt(max(0.0, p["W"] * v - m * m) / (b * b * v - E * E)))
    return Step((E * Z - m) / (v * Z), keep=1 / Z)


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
