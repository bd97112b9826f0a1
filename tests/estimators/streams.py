"""Small streams that all the estimator tests learn from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Stream:
    """Examples in the order in which they are learned."""

    X: Any
    y: Array

    def __len__(self) -> int:
        return len(self.y)

    def batches(self, cuts: Array) -> Iterator[tuple[Any, Array]]:
        """The stream cut before the given rows."""
        edges = [0, *sorted({int(cut) for cut in cuts if 0 < cut < len(self)}), len(self)]
        for first, last in zip(edges[:-1], edges[1:], strict=True):
            yield self.X[first:last], self.y[first:last]

    def dicts(self) -> Iterator[tuple[dict[int, float], Any]]:
        """The stream one example at a time, features in a scrambled order."""
        rows = sp.csr_array(self.X) if not sp.issparse(self.X) else self.X
        for i in range(len(self)):
            first, last = rows.indptr[i], rows.indptr[i + 1]
            columns, values = rows.indices[first:last][::-1], rows.data[first:last][::-1]
            yield dict(zip(columns.tolist(), values.tolist(), strict=True)), self.y[i]


def labelled(X: Any, n_classes: int, seed: int, noise: float = 0.1) -> Array:
    """Class numbers by a random linear rule, some of them wrong."""
    rng = np.random.default_rng(seed)
    scores = X @ rng.standard_normal((X.shape[1], n_classes))
    y = np.asarray(scores).argmax(axis=1)
    wrong = rng.random(len(y)) < noise
    return np.where(wrong, rng.integers(0, n_classes, len(y)), y)


def dense_stream(
    n: int = 80, d: int = 7, n_classes: int = 2, seed: int = 0, dtype: Any = np.float32
) -> Stream:
    """Dense rows without zeros."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    return Stream(X, labelled(X, n_classes, seed))


def sparse_stream(
    n: int = 80, d: int = 20, n_classes: int = 2, seed: int = 0, dtype: Any = np.float32
) -> Stream:
    """Sparse rows; the last column is in the last row, so that every column is met."""
    rng = np.random.default_rng(seed)
    X = sp.random(n, d, density=0.3, random_state=seed, format="lil", dtype=np.float64)
    X[n - 1, d - 1] = 0.5
    X = sp.csr_array(X.tocsr())
    X.data[:] = rng.standard_normal(X.nnz)
    return Stream(X.astype(dtype), labelled(X, n_classes, seed))
