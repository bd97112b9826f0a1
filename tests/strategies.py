"""Hypothesis strategies for streams of examples."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Stream:
    """Examples in order: rows, class indices and weights."""

    X: Array
    y: NDArray[np.int64]
    weights: Array
    classes: int
    seed: int

    @property
    def features(self) -> int:
        """Give the number of features."""
        return self.X.shape[1]

    @property
    def sparse(self) -> csr_matrix:
        """Give the rows as CSR."""
        return csr_matrix(self.X)

    def starting_mean(self) -> Array:
        """Draw a mean that sets no two labels equal."""
        rows = self.classes if self.classes > 2 else 1
        mean = np.random.default_rng(self.seed).normal(scale=0.3, size=(rows, self.features))
        return mean if self.classes > 2 else mean[0]

    def shaken(self, size: float, seed: int = 0) -> Stream:
        """Move every value by a relative error of at most ``size``."""
        errors = np.random.default_rng([self.seed, seed]).uniform(-size, size, size=self.X.shape)
        return Stream(self.X * (1 + errors), self.y, self.weights, self.classes, self.seed)

    def cut(self, cuts: list[int]) -> list[Stream]:
        """Cut the stream into pieces."""
        ends = [0, *sorted(cuts), len(self.y)]
        return [
            Stream(self.X[a:b], self.y[a:b], self.weights[a:b], self.classes, self.seed)
            for a, b in pairwise(ends)
        ]


def _edge(kind: str, rng: np.random.Generator, X: Array, i: int) -> Array:
    one_hot = np.eye(X.shape[1])[rng.integers(X.shape[1])] * rng.normal()
    return {
        "plain": X[i],
        "zero": np.zeros(X.shape[1]),
        "huge": 8 * X[i],
        "tiny": X[i] / 1000,
        "sparse": np.where(rng.random(X.shape[1]) < 0.6, 0.0, X[i]),
        "one-hot": one_hot,
        "near-repeat": X[i - 1] * (1 + rng.normal(scale=0.05, size=X.shape[1])),
    }[kind]


KINDS = ["plain", "zero", "huge", "tiny", "sparse", "one-hot", "near-repeat"]
WEIGHTS = [0.0, 0.25, 0.5, 1.0, 1.5, 3.0]


@st.composite
def streams(
    draw: st.DrawFn, classes: int = 2, weighted: bool = False, max_rounds: int = 24, max_features: int = 7
) -> Stream:
    """Draw rows in general position with edges among them, labelled by a hidden model that sometimes lies.

    Values come from a seeded generator, not one by one: examples that repeat or sit exactly on a constraint
    ask what rounding does, which no algorithm promises.
    """
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(1, max_rounds)), draw(st.integers(1, max_features))
    kinds = draw(st.lists(st.sampled_from(KINDS), min_size=n, max_size=n))
    noise = draw(st.sampled_from([0.0, 0.1, 0.4]))
    X = rng.normal(size=(n, d)) * draw(st.sampled_from([0.3, 1.0, 3.0]))
    for i, kind in enumerate(kinds):
        X[i] = _edge(kind, rng, X, i)
    hidden = rng.normal(size=(classes, d))
    y = np.where(rng.random(n) < noise, rng.integers(classes, size=n), np.argmax(X @ hidden.T, axis=1))
    choices = st.lists(st.sampled_from(WEIGHTS), min_size=n, max_size=n)
    weights = np.array(draw(choices)) if weighted else np.ones(n)
    return Stream(X, y, weights, classes, seed)


def cuts(stream: Stream) -> st.SearchStrategy[list[int]]:
    """Draw places to cut a stream at; empty pieces may come of it."""
    return st.lists(st.integers(0, len(stream.y)), max_size=5)
