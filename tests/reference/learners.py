"""Learners: a task, a rule and a belief put together, and the few algorithms that keep a state of their own.

All share ``scores(x)``, ``learn(x, y, weight=1.0)`` and ``state()``; weight 0 changes nothing at all.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from . import joint
from .beliefs import Diagonal, DiagonalInformation, DualAveraging, FullInformation, Mean
from .regularized import l1_ball, truncate
from .rules import EXACT, PASSIVE, RULES, Array, Params, Step, triggered, weighted
from .tasks import Uniclass


def _first_threshold(params: Params) -> float:
    return float(params.get("rho", 1.0 if params.get("nu") is None else 0.0))


class Linear:
    """A rule on a task through the difference vector and the required margin."""

    def __init__(self, task: Any, rule: str, params: Params, belief: Mean) -> None:
        self.task, self.rule, self.params, self.belief = task, rule, params, belief
        self.t = self.updates = 0
        self.rho = _first_threshold(params) if rule == "norma" else 0.0
        self.total = np.zeros_like(belief.mu)

    @property
    def average(self) -> Array:
        """Average the means held after each round."""
        return self.total / max(1, self.t)

    def scores(self, x: Array) -> Any:
        """Give what the learner predicts with."""
        return self.task.scores(self.belief.mu, x)

    def learn(self, x: Array, y: Any, weight: float = 1.0) -> None:
        """Learn one example."""
        if weight == 0:
            return
        self.t += 1
        demand = self.task.demand(self.belief.mu, x, y)
        if demand is not None:
            self._meet(*demand, weighted(self.rule, self.params, weight))
        self.total = self.total + self.belief.mu

    def _meet(self, delta: Array, E: float, params: Params) -> None:
        m, v = float(self.belief.mu @ delta), self.belief.variance(delta)
        p = {
            **params,
            "W": float(self.belief.mu @ self.belief.mu),
            "rho": self.rho,
            "t": self.t,
            "updates": self.updates,
        }
        if v <= 0 and self.rule != "norma":
            return
        if self.rule == "rpa-l1":
            self._meet_in_l1_ball(m, delta, E, p)
        elif self.rule in EXACT and isinstance(self.belief, Diagonal) and self.belief.projection == "exact":
            self.belief.apply_exact(self.rule, m, delta, E, p)
        else:
            self._take(RULES[self.rule](m, v, E, p), delta)

    def _take(self, step: Step, delta: Array) -> None:
        if step == PASSIVE:
            return
        self.belief.apply(delta, step)
        self.rho += step.threshold
        self.updates += step.alpha != 0 or step.gain != 0
        self._truncate()

    def _meet_in_l1_ball(self, m: float, delta: Array, E: float, p: Params) -> None:
        if m < E and triggered(m, E, p):
            self.belief.mu = l1_ball(self.belief.mu, delta, p["beta"], E)
            self._truncate()

    def _truncate(self) -> None:
        if self.params.get("sigma"):
            self.belief.mu = truncate(self.belief.mu, self.params["sigma"])

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        state = self.belief.state()
        if self.rule == "norma":
            state["rho"] = self.rho
        if self.rule == "iellip":
            state["c"] = self.params["c"] * self.params["b"] ** self.t
        if self.rule == "perceptron":
            state |= {"average": self.average, "t": self.t}
        return state


class LearnedRadius:
    """Uniclass PA whose radius grows, at most to B: a fixed radius B in one more dimension."""

    def __init__(self, params: Params, d: int) -> None:
        self.B = float(params["B"])
        self.inner = Linear(Uniclass(self.B), "pa", params, Mean(d + 1))
        self.inner.belief.mu[-1] = self.B

    def scores(self, x: Array) -> float:
        """Give the distance of x to the centre."""
        return float(np.linalg.norm(x - self.inner.belief.mu[:-1]))

    def learn(self, x: Array, y: None = None, weight: float = 1.0) -> None:
        """Learn one vector."""
        self.inner.learn(np.append(x, 0.0), y, weight)

    def state(self) -> dict[str, Any]:
        """Give the centre (its last entry is the extra coordinate) and the radius."""
        omega = min(max(self.inner.belief.mu[-1], 0.0), self.B)
        return {"mu": self.inner.belief.mu, "radius": float(np.sqrt(self.B**2 - omega**2))}


class SecondOrderPerceptron:
    """SOP in its own form: the score counts the current instance (Cesa-Bianchi, Conconi & Gentile)."""

    def __init__(self, belief: DiagonalInformation | FullInformation) -> None:
        self.belief = belief

    def scores(self, x: Array) -> float:
        """Score x as if it had been counted already."""
        return self.belief.inclusive_score(x)

    def learn(self, x: Array, y: float, weight: float = 1.0) -> None:
        """Count an example that was mistaken."""
        if weight > 0 and x.any() and y * self.scores(x) <= 0:
            self.belief.add(y * x, gain=1.0)

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return self.belief.state()


class Narow:
    """NAROW in its own form, on natural parameters (Orabona & Crammer)."""

    def __init__(self, task: Any, b: float, belief: DiagonalInformation | FullInformation) -> None:
        self.task, self.b, self.belief = task, b, belief

    def scores(self, x: Array) -> Any:
        """Give what the learner predicts with."""
        return self.task.scores(self.belief.mu, x)

    def learn(self, x: Array, y: Any, weight: float = 1.0) -> None:
        """Add an example that lacks margin; its precision so that its variance ends at 1/b or below."""
        demand = self.task.demand(self.belief.mu, x, y)
        if weight == 0 or demand is None:
            return
        delta, E = demand
        chi = self.belief.variance(delta)
        if chi > 0 and float(self.belief.mu @ delta) < E:
            self.belief.add(delta, gain=max(0.0, self.b - 1 / chi))

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return self.belief.state()


class AdagradRda:
    """AdaGrad-RDA with an L1 price on the hinge loss (Duchi, Hazan & Singer)."""

    def __init__(self, task: Any, belief: DualAveraging) -> None:
        self.task, self.belief = task, belief

    def scores(self, x: Array) -> Any:
        """Give what the learner predicts with."""
        return self.task.scores(self.belief.mu, x)

    def learn(self, x: Array, y: Any, weight: float = 1.0) -> None:
        """Count the gradient of the hinge, zero where the margin is met."""
        if weight == 0:
            return
        delta, E = self.task.demand(self.belief.mu, x, y)
        lacks = float(self.belief.mu @ delta) < E
        self.belief.descend(-weight * delta if lacks else np.zeros_like(delta))

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return self.belief.state()


class JointUpdate:
    """A multiclass learner on a mean whose update looks at several wrong labels at once."""

    UPDATES: ClassVar = {
        "uniform": (joint.uniform_perceptron, "rate"),
        "mira": (joint.mira, None),
        "pa": (joint.all_constraint_pa, "C"),
    }

    def __init__(self, method: str, params: Params, K: int, d: int) -> None:
        self.update, self.price = self.UPDATES[method]
        self.params = {"rate": 1.0, **params} if method == "uniform" else params
        self.W: Array = np.zeros((K, d))
        self.t = 0
        self.total = np.zeros((K, d))

    def scores(self, x: Array) -> Array:
        """Give one score per label."""
        return joint.scores(self.W, x)

    def learn(self, x: Array, y: int, weight: float = 1.0) -> None:
        """Learn one example."""
        if weight == 0:
            return
        self.t += 1
        p = self.params
        if self.price in p:
            p = {**p, self.price: p[self.price] * weight}
        self.W = self.update(self.W, x, y, p)
        self.total = self.total + self.W

    @property
    def average(self) -> Array:
        """Average the means held after each round."""
        return self.total / max(1, self.t)

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        average = {"average": self.average, "t": self.t} if self.price == "rate" else {}
        return {"mu": self.W, **average}


class ArowQP:
    """AROW with a constraint for each of the k best wrong labels (k = None: all)."""

    def __init__(self, params: Params, K: int, belief: Mean) -> None:
        self.r, self.k = params["r"], params.get("k")
        self.cov_update = params.get("cov_update", "sum")
        self.K, self.belief = K, belief
        self.t = 0
        self.total = np.zeros_like(belief.mu)

    @property
    def average(self) -> Array:
        """Average the means held after each round."""
        return self.total / max(1, self.t)

    def scores(self, x: Array) -> Array:
        """Give one score per label."""
        return joint.scores(self.belief.mu.reshape(self.K, -1), x)

    def rivals(self, scores: Array, y: int) -> list[int]:
        """Give the wrong labels under constraint, best first; the smallest index wins a tie."""
        order = [int(k) for k in np.argsort(-scores, kind="stable") if k != y]
        return order[: self.k]

    def learn(self, x: Array, y: int, weight: float = 1.0) -> None:
        """Learn one example."""
        if weight == 0:
            return
        self.t += 1
        if x.any() and self.K > 1:
            self._meet(x, y, weight)
        self.total = self.total + self.belief.mu

    def _meet(self, x: Array, y: int, weight: float) -> None:
        r, scores = self.r / weight, self.scores(x)
        rivals = self.rivals(scores, y)
        lacking = 1 - (scores[y] - scores[rivals])
        if np.max(lacking) <= 0:
            return
        deltas = np.array([self._block(x, {y: 1.0, s: -1.0}) for s in rivals])
        spread = np.array([self.belief.spread(delta) for delta in deltas])
        a = joint.arow_multipliers(lacking, deltas @ spread.T, r)
        direction = np.tile(x, self.K) if self.cov_update == "sum" else deltas[0]
        self.belief.mu = self.belief.mu + a @ spread
        self.belief.absorb(direction, 1 / r)

    def _block(self, x: Array, coefficients: dict[int, float]) -> Array:
        rows = np.zeros((self.K, len(x)))
        for label, coefficient in coefficients.items():
            rows[label] = coefficient * x
        return rows.ravel()

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return self.belief.state()
