"""What the bits of a model depend on when rows hold zeros: which numbers a row names, not what they come in.

A dense array names every column, zeros included. So do a dict and a CSR matrix that have zeros as entries, and all
three give the same bits. Leaving zeros out leaves terms out of sums, which may then be rounded in another order:
sparse and dense agree to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.base import clone

from onlinear import AROWRegressor, PassiveAggressiveOneClass
from tests.estimators.roster import SETTINGS

N, D = 60, 13


def rows(dtype: Any) -> tuple[np.ndarray, np.ndarray]:
    """Rows of which more than half of the numbers are zero, and answers of three kinds."""
    rng = np.random.default_rng(8)
    X = np.where(rng.random((N, D)) < 0.4, rng.standard_normal((N, D)), 0.0).astype(dtype)
    X[0] = 1.0  # every column is met in the first row, whatever zeros do
    return X, rng.integers(0, 3, N)


def with_zeros(X: np.ndarray) -> sp.csr_array:
    """A CSR matrix that has every number as an entry."""
    n, d = X.shape
    return sp.csr_array((X.ravel(), np.tile(np.arange(d), n), np.arange(0, n * d + 1, d)), shape=(n, d))


def dicts(X: np.ndarray, *, zeros: bool) -> list[dict[int, float]]:
    """Rows as dicts, with or without their zeros."""
    return [{c: v for c, v in enumerate(row) if zeros or v} for row in X.tolist()]


def learned(model: Any, forms: Any, y: np.ndarray) -> Any:
    """A model that has learned rows of some form."""
    model = clone(model)
    if not isinstance(forms, list):
        return model.partial_fit(forms, y)
    for row, answer in zip(forms, y.tolist(), strict=True):
        model.learn_one(row, answer)
    return model


MODELS = [*SETTINGS, AROWRegressor(), PassiveAggressiveOneClass()]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_the_same_entries_give_the_same_bits(model: Any, dtype: str) -> None:
    """Array, CSR with its zeros and dict with its zeros; CSR and dict without them."""
    model = clone(model).set_params(dtype=dtype)
    X, y = rows(dtype)
    y = y.astype(float) if not hasattr(type(model), "classes_") else y

    full = [learned(model, form, y) for form in (X, with_zeros(X), dicts(X, zeros=True))]
    bare = [learned(model, form, y) for form in (sp.csr_array(X), dicts(X, zeros=False))]

    assert len({one.digest() for one in full}) == 1
    assert len({one.digest() for one in bare}) == 1


#: Rules whose steps are continuous in the sums, so that a rounding stays one.
STEADY = [model for model in MODELS if type(model).__name__ in ("AROWClassifier", "AROWRegressor")]


@pytest.mark.parametrize("model", STEADY, ids=str)
def test_sparse_and_dense_agree_to_rounding(model: Any) -> None:
    """Zeros left out change the order of sums, and nothing else."""
    model = clone(model).set_params(dtype="float64")
    X, y = rows("float64")
    dense, sparse = learned(model, X, y), learned(model, sp.csr_array(X), y)

    assert dense.n_updates_ == sparse.n_updates_
    assert_allclose(dense.coef_, sparse.coef_, rtol=1e-9, atol=1e-12)
    assert_allclose(dense.intercept_, sparse.intercept_, rtol=1e-9, atol=1e-12)
