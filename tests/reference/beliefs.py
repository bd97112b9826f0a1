"""Beliefs: a mean and what is known of its covariance."""

from __future__ import annotations

from typing import Any

import numpy as np

from .rules import EXACT, Array, Params, Step

TINY = float(np.finfo(np.float64).tiny)


def split(weights: Array) -> Array:
    """Give weights of two classes as those of three."""
    return np.concatenate([-weights / 2, weights / 2, np.zeros_like(weights)])


class Mean:
    """A mean alone; its covariance is the identity for ever."""

    def __init__(self, n: int, **_: Any) -> None:
        self.mu: Array = np.zeros(n)

    def variance(self, delta: Array) -> float:
        """Give the squared norm."""
        return float(delta @ delta)

    def spread(self, delta: Array) -> Array:
        """Give Sigma delta."""
        return delta

    def apply(self, delta: Array, step: Step) -> None:
        """Take a step on the mean."""
        self.mu = step.keep * self.mu + step.alpha * delta

    def absorb(self, f: Array, gain: float) -> None:
        """Take a step on the covariance alone: there is none."""

    def split(self) -> None:
        """Make three blocks of one: -mu/2 and mu/2, whose difference is what was known, and one that knows nothing."""
        self.mu = split(self.mu)

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return {"mu": self.mu}


class Diagonal(Mean):
    """A Gaussian with a diagonal covariance, kept so by `drop`, by `kl` or by solving the smaller problem."""

    def __init__(self, n: int, a: float = 1.0, diag: str = "drop", floor: float = TINY, **_: Any) -> None:
        super().__init__(n)
        self.prior = float(a)
        self.sigma: Array = np.full(n, self.prior)
        self.projection = diag
        self.floor = floor

    def variance(self, delta: Array) -> float:
        """Give delta' Sigma delta."""
        return float(np.sum(self.sigma * delta * delta))

    def spread(self, delta: Array) -> Array:
        """Give Sigma delta."""
        return self.sigma * delta

    def apply(self, delta: Array, step: Step) -> None:
        """Take the step of the full problem and project."""
        z = self.spread(delta)
        self._shrink(delta, step.gain)
        if step.spread != 1:
            self.sigma = self.sigma * step.spread
        self.mu = step.keep * self.mu + step.alpha * z

    def apply_exact(self, rule: str, m: float, delta: Array, E: float, p: Params) -> None:
        """Solve the problem over diagonal matrices and move there."""
        alpha, factors = EXACT[rule](m, self.sigma * delta * delta, E, p)
        self.mu = self.mu + alpha * self.spread(delta)
        self.sigma = np.maximum(self.sigma * factors, self.floor)

    def absorb(self, f: Array, gain: float) -> None:
        """Add precision along f and leave the mean."""
        self._shrink(f, gain)

    def _shrink(self, delta: Array, gain: float) -> None:
        if gain == 0:
            return
        z = self.spread(delta)
        if self.projection == "drop":
            beta = gain / (1 + gain * self.variance(delta))
            shrunk = self.sigma - beta * z * z
        else:
            shrunk = self.sigma / (1 + gain * z * delta)
        self.sigma = np.maximum(shrunk, self.floor)

    def split(self) -> None:
        """Halve the variances too, so that the margin between the first two keeps its own."""
        super().split()
        halves = [self.sigma / 2, self.sigma / 2, np.full_like(self.sigma, self.prior / 2)]
        self.sigma = np.maximum(np.concatenate(halves), self.floor)

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return {"mu": self.mu, "sigma": self.sigma}


class Full(Mean):
    """A Gaussian with a full covariance."""

    def __init__(self, n: int, a: float = 1.0, **_: Any) -> None:
        super().__init__(n)
        self.prior = a
        self.Sigma: Array = a * np.eye(n)

    def variance(self, delta: Array) -> float:
        """Give delta' Sigma delta."""
        return max(0.0, float(delta @ self.Sigma @ delta))

    def spread(self, delta: Array) -> Array:
        """Give Sigma delta."""
        return self.Sigma @ delta

    def apply(self, delta: Array, step: Step) -> None:
        """Take the step, covariance and mean."""
        z = self.spread(delta)
        self.absorb(delta, step.gain)
        if step.spread != 1:
            self.Sigma = self.Sigma * step.spread
        self.mu = step.keep * self.mu + step.alpha * z

    def absorb(self, f: Array, gain: float) -> None:
        """Add precision along f and leave the mean."""
        if gain == 0:
            return
        z = self.spread(f)
        Sigma = self.Sigma - gain / (1 + gain * self.variance(f)) * np.outer(z, z)
        self.Sigma = (Sigma + Sigma.T) / 2

    def split(self) -> None:
        """Halve the covariance too; the blocks know nothing of each other."""
        super().split()
        n = len(self.Sigma)
        three = self.prior / 2 * np.eye(3 * n)
        for block in (slice(n), slice(n, 2 * n)):
            three[block, block] = self.Sigma / 2
        self.Sigma = three

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return {"mu": self.mu, "Sigma": self.Sigma}


class DiagonalInformation:
    """Natural parameters theta and A, A diagonal; the mean is theta / A."""

    def __init__(self, n: int, precision: float = 1.0) -> None:
        self.theta: Array = np.zeros(n)
        self.A: Array = np.full(n, float(precision))

    @property
    def mu(self) -> Array:
        """Give the mean."""
        return self.theta / self.A

    def variance(self, delta: Array) -> float:
        """Give delta' A^-1 delta."""
        return float(np.sum(delta * delta / self.A))

    def inclusive_score(self, x: Array) -> float:
        """Score x as if it had been counted already."""
        return float(np.sum(x * self.theta / (self.A + x * x)))

    def add(self, delta: Array, gain: float) -> None:
        """Add delta to theta and gain delta delta' to A."""
        self.theta = self.theta + delta
        self.A = self.A + gain * delta * delta

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return {"theta": self.theta, "A": self.A, "mu": self.mu}


class FullInformation:
    """Natural parameters theta and A, kept as the inverse of A; the mean is A^-1 theta."""

    def __init__(self, n: int, precision: float = 1.0) -> None:
        self.theta: Array = np.zeros(n)
        self.Ainv: Array = np.eye(n) / precision

    @property
    def mu(self) -> Array:
        """Give the mean."""
        return self.Ainv @ self.theta

    def variance(self, delta: Array) -> float:
        """Give delta' A^-1 delta."""
        return max(0.0, float(delta @ self.Ainv @ delta))

    def inclusive_score(self, x: Array) -> float:
        """Score x as if it had been counted already."""
        return float(x @ self.Ainv @ self.theta) / (1 + self.variance(x))

    def add(self, delta: Array, gain: float) -> None:
        """Add delta to theta and gain delta delta' to A."""
        self.theta = self.theta + delta
        z = self.Ainv @ delta
        Ainv = self.Ainv - gain / (1 + gain * self.variance(delta)) * np.outer(z, z)
        self.Ainv = (Ainv + Ainv.T) / 2

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return {"theta": self.theta, "Ainv": self.Ainv, "mu": self.mu}


class DualAveraging:
    """AdaGrad's regularised dual averaging: sums of gradients, realised as a mean with an L1 price."""

    def __init__(self, n: int, eta: float, delta: float, lam: float) -> None:
        self.eta, self.delta0, self.lam = eta, delta, lam
        self.u: Array = np.zeros(n)
        self.G: Array = np.zeros(n)
        self.t = 0

    @property
    def mu(self) -> Array:
        """Give the minimiser of eta <u/t, w> + eta lam |w|_1 + w' H w / 2t."""
        H = self.delta0 + np.sqrt(self.G)
        shrunk = np.maximum(0.0, np.abs(self.u) - self.lam * self.t)
        return np.where(H > 0, -self.eta * np.sign(self.u) * shrunk / np.where(H > 0, H, 1.0), 0.0)

    def descend(self, gradient: Array) -> None:
        """Count one gradient, which may be zero."""
        self.t += 1
        self.u = self.u + gradient
        self.G = self.G + gradient * gradient

    def state(self) -> dict[str, Any]:
        """Give all that is known."""
        return {"mu": self.mu, "u": self.u, "G": self.G, "t": self.t}


BELIEFS: dict[str, type[Mean]] = {"mean": Mean, "diag": Diagonal, "full": Full}
