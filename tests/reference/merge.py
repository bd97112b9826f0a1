"""Combination of Gaussians that were learned apart."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .rules import Array


def uniform(values: Sequence[Array]) -> Array:
    """Average means, or variances."""
    return np.mean(values, axis=0)


def kl_diagonal(mus: Sequence[Array], sigmas: Sequence[Array], rule: str = "mean") -> tuple[Array, Array]:
    """Find the Gaussian nearest to all (KL); `sum` multiplies them as experts instead."""
    P = 1 / np.asarray(sigmas)
    mu = np.sum(P * np.asarray(mus), axis=0) / P.sum(axis=0)
    return mu, 1 / (P.mean(axis=0) if rule == "mean" else P.sum(axis=0))


def kl_full(mus: Sequence[Array], Sigmas: Sequence[Array], rule: str = "mean") -> tuple[Array, Array]:
    """Find the Gaussian nearest to all (KL), for full covariances."""
    P = np.array([np.linalg.inv(Sigma) for Sigma in Sigmas])
    mu = np.linalg.solve(P.sum(axis=0), np.einsum("cij,cj->i", P, np.asarray(mus)))
    return mu, np.linalg.inv(P.mean(axis=0) if rule == "mean" else P.sum(axis=0))
