"""The scalar rules with eighty digits, in the forms the papers print.

The stable forms that float64 needs are not used here, so that a table made with these functions can show a
mistake in them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal, localcontext

Number = Decimal
Precise = Mapping[str, Decimal]
Answer = tuple[Decimal, Decimal]

ZERO, ONE, TWO = Decimal(0), Decimal(1), Decimal(2)
PASSIVE: Answer = (ZERO, ZERO)


def cw_var(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of CW with the variance."""
    phi = p["phi"]
    if v == 0 or m >= phi * v:
        return PASSIVE
    if phi == 0:
        return -m / v, ZERO
    B = 1 + 2 * phi * m
    alpha = (-B + (B * B - 8 * phi * (m - phi * v)).sqrt()) / (4 * phi * v)
    return alpha, 2 * alpha * phi


def _stdev_gain(alpha: Number, v: Number, phi: Number) -> Number:
    stdev = (-alpha * v * phi + (alpha * alpha * v * v * phi * phi + 4 * v).sqrt()) / 2
    return alpha * phi / stdev


def _stdev_alpha(m: Number, v: Number, phi: Number) -> Number:
    p1, p2 = 1 + phi * phi / 2, 1 + phi * phi
    return (-m * p1 + (m * m * phi**4 / 4 + v * phi * phi * p2).sqrt()) / (v * p2)


def _constrained(m: Number, v: Number, phi: Number) -> bool:
    return v > 0 and m < phi * v.sqrt()


def cw_stdev(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of CW with the standard deviation."""
    if not _constrained(m, v, p["phi"]):
        return PASSIVE
    alpha = _stdev_alpha(m, v, p["phi"])
    return alpha, _stdev_gain(alpha, v, p["phi"])


def scw_i(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of SCW-I."""
    if not _constrained(m, v, p["phi"]):
        return PASSIVE
    alpha = min(p["C"], _stdev_alpha(m, v, p["phi"]))
    return alpha, _stdev_gain(alpha, v, p["phi"])


def scw_ii(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of SCW-II."""
    phi = p["phi"]
    if not _constrained(m, v, phi):
        return PASSIVE
    n = v + 1 / (2 * p["C"])
    gamma = phi * (phi * phi * m * m * v * v + 4 * n * v * (n + v * phi * phi)).sqrt()
    alpha = (-(2 * m * n + phi * phi * m * v) + gamma) / (2 * (n * n + n * v * phi * phi))
    return alpha, _stdev_gain(alpha, v, phi)


def arow(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of AROW."""
    return ((1 - m) / (v + p["r"]), 1 / p["r"]) if m < 1 else PASSIVE


def arow_h(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of AROW-H."""
    if m >= 1:
        return PASSIVE
    most = 1 / (2 * p["r"])
    return (min(most, (1 - m) / v) if v > 0 else most), 1 / p["r"]


def nherd(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of NHERD."""
    C = p["C"]
    return ((1 - m) / (v + 1 / C), 2 * C + C * C * v) if m < 1 else PASSIVE


def narow(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of NAROW."""
    if m >= 1:
        return PASSIVE
    gain = max(ZERO, p["b"] - 1 / v) if v > 0 else ZERO
    return (1 - gain * m) / (1 + gain * v), gain


def narow_coupled(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of the coupled reading of NAROW."""
    return PASSIVE if p["b"] * v <= 1 else arow(m, v, {"r": v / (p["b"] * v - 1)})


def sop(m: Number, v: Number, p: Precise) -> Answer:
    """Give alpha and gain of the second-order perceptron as a rule."""
    return ((1 - m) / (1 + v), ONE) if m <= 0 else PASSIVE


GAUSSIAN: dict[str, Callable[[Number, Number, Precise], Answer]] = {
    "CW-var": cw_var,
    "CW-stdev": cw_stdev,
    "SCW-I": scw_i,
    "SCW-II": scw_ii,
    "AROW": arow,
    "AROW-H": arow_h,
    "NHERD": nherd,
    "NAROW-coupled": narow_coupled,
    "NAROW": narow,
    "SOP-like": sop,
}


def gaussian(rule: str, m: float, v: float, params: Mapping[str, float]) -> tuple[float, float, float]:
    """Give alpha, gain and beta, each correctly rounded."""
    with localcontext(prec=80):
        p = {key: Decimal(value) for key, value in params.items()}
        alpha, gain = GAUSSIAN[rule](Decimal(m), Decimal(v), p)
        return float(alpha), float(gain), float(gain / (1 + gain * Decimal(v)))


def passive_aggressive(variant: str, loss: float, square: float, C: float) -> float:
    """Give tau, correctly rounded."""
    with localcontext(prec=80):
        lacking, n2, price = Decimal(loss), Decimal(square), Decimal(C)
        if lacking == 0 or n2 == 0:
            return 0.0
        taus = {
            "PA": lambda: lacking / n2,
            "PA-I": lambda: min(price, lacking / n2),
            "PA-II": lambda: lacking / (n2 + 1 / (2 * price)),
        }
        return float(taus[variant]())
