"""Beliefs in representer form: mu = sum nu_p x_p, Sigma = a I + sum pi_pq x_p x_q'."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rules import PASSIVE, RULES, Array, Params, Step, weighted


def kernel(x: Array, z: Array, p: Params) -> float:
    """Give K(x, z)."""
    match p["kernel"]:
        case "linear":
            return float(x @ z)
        case "poly":
            return float((p["coef0"] + x @ z) ** p["degree"])
        case "rbf":
            return float(np.exp(-p["gamma"] * np.sum((x - z) ** 2)))
    raise ValueError(p["kernel"])


class Expansion:
    """A learner that remembers the examples it moved on; `pi` is None for rules that know no covariance."""

    def __init__(self, rule: str, params: Params, second_order: bool, regression: bool = False) -> None:
        self.rule, self.params = rule, params
        self.regression = regression
        self.a = float(params.get("a", 1.0))
        self.support: list[Array] = []
        self.nu: Array = np.zeros(0)
        self.pi: Array | None = np.zeros((0, 0)) if second_order else None

    def similarities(self, x: Array) -> Array:
        """Give K between x and every remembered example."""
        return np.array([kernel(z, x, self.params) for z in self.support])

    def scores(self, x: Array) -> float:
        """Give the score of x."""
        return float(self.nu @ self.similarities(x))

    def variance(self, x: Array) -> float:
        """Give the variance of the score of x."""
        own = kernel(x, x, self.params)
        if self.pi is None:
            return own
        k = self.similarities(x)
        return max(0.0, self.a * own + float(k @ self.pi @ k))

    def learn(self, x: Array, y: float, weight: float = 1.0) -> None:
        """Learn one example."""
        if weight == 0:
            return
        sign, step = self._step(x, y, weighted(self.rule, self.params, weight))
        if step.alpha != 0 or step.gain != 0:
            self._append(x, sign, step)

    def _step(self, x: Array, y: float, p: Params) -> tuple[float, Step]:
        score, v = self.scores(x), self.variance(x)
        if not self.regression:
            # AROW and NHERD answer an example without variance too: it is kept, though it weighs nothing.
            return y, RULES[self.rule](y * score, v, 1.0, p)
        sign = 1.0 if y >= score else -1.0
        E = sign * y - p.get("epsilon", 0.0)
        return sign, RULES[self.rule](sign * score, v, E, p) if v > 0 else PASSIVE

    def _append(self, x: Array, sign: float, step: Step) -> None:
        a = self.a if self.pi is not None else 1.0
        if self.pi is not None:
            v = self.variance(x)
            beta = step.gain / (1 + step.gain * v)
            c = self.pi @ self.similarities(x)
            self.nu = self.nu + step.alpha * sign * c
            column = -beta * a * c
            self.pi = np.block([[self.pi - beta * np.outer(c, c), column[:, None]], [column, -beta * a * a]])
        self.nu = np.append(self.nu, step.alpha * sign * a)
        self.support.append(x)

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        state: dict[str, Any] = {"support": [z.copy() for z in self.support], "nu": self.nu}
        return state if self.pi is None else {**state, "pi": self.pi}
