"""A hundred thousand generated examples per learner, with every kind of extreme value among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from onlinear import KernelClassifier
from onlinear.exceptions import DataError
from tests.estimators.roster import CLASSIFIERS, SETTINGS

ROWS = 100_000
BATCH = 5_000
EXTREMES = BATCH // 100
COLUMNS = 3
EXTREME = np.array(
    [1e-45, 5e-324, 1e-308, 1e-30, 1e-10, 1e10, 1e19, 1e30, 3.4e38, 1e100, 1e154, 1e300, 1e308]
)
WEIGHTS = np.array([0.0, 1e-308, 1e-5, 1e5, 1e30, 1e308])


def batches(seed: int, dtype: Any) -> Any:
    """Batches of a learnable stream; half of them have extreme values and weights in one row of a hundred."""
    rng = np.random.default_rng(seed)
    for number in range(ROWS // BATCH):
        X = rng.standard_normal((BATCH, COLUMNS))
        y = (X[:, 0] + 0.5 * rng.standard_normal(BATCH) > 0).astype(np.int64) + (X[:, 1] > 1)
        weight = np.ones(BATCH)
        if number % 2:
            rows = rng.integers(0, BATCH, EXTREMES)
            X[rows, rng.integers(0, COLUMNS, len(rows))] = rng.choice(EXTREME, len(rows)) * rng.choice(
                [-1, 1], len(rows)
            )
            weight[rng.integers(0, BATCH, EXTREMES)] = rng.choice(WEIGHTS, EXTREMES)
        with np.errstate(over="ignore", under="ignore"):
            yield X.astype(dtype), y, weight


def survive(model: Any, X: Any, y: Any, weight: Any) -> int:
    """Learn a batch around the rows that are refused; the number of refusals."""
    refused = 0
    while len(y):
        try:
            model.partial_fit(X, y, sample_weight=weight)
            break
        except DataError as error:
            assert error.row is not None
            refused += 1
            if "would" not in str(error) and "overflows" not in str(error):
                keep = np.arange(len(y)) != error.row  # refused before anything was learned
                X, y, weight = X[keep], y[keep], weight[keep]
            else:
                X, y, weight = X[error.row + 1 :], y[error.row + 1 :], weight[error.row + 1 :]
    return refused


#: A full covariance of every learner that has one: features hundreds of orders apart are hardest on it.
FULL = [cls(covariance="full") for cls in CLASSIFIERS if "covariance" in cls().get_params()]

# Without a budget a kernel keeps every example it learns, and looks at all of them every time.
BUDGETED = [
    setting.set_params(budget=12) if isinstance(setting, KernelClassifier) else setting
    for setting in map(clone, SETTINGS)
]
#: Kernels without a bound, whose covariance is a difference of numbers as large as the examples' squares and cubes.
UNBOUNDED = [
    KernelClassifier(rule=rule, kernel=kernel, budget=12)
    for rule, kernel in (("arow", "linear"), ("scw1", "linear"), ("cw-stdev", "poly"), ("nherd", "poly"))
]
LEARNERS = [*BUDGETED, *UNBOUNDED, *(setting for setting in FULL if str(setting) not in map(str, SETTINGS))]


@pytest.mark.parametrize("setting", LEARNERS, ids=str)
def test_weights_stay_finite_and_variances_positive_over_a_long_stream(setting: Any) -> None:
    """Extreme values are learned or refused; the state stays sound and the model goes on answering."""
    dtype = np.float32 if LEARNERS.index(setting) % 2 else np.float64
    model = clone(setting).set_params(dtype=str(np.dtype(dtype)))
    probe = np.eye(COLUMNS)
    for X, y, weight in batches(LEARNERS.index(setting), dtype):
        survive(model, X, y, weight)
        for name, value in model.model_.learner.state().items():
            assert np.all(np.isfinite(value)), name
        if not isinstance(model, KernelClassifier):  # which keeps examples, not weights
            assert np.all(np.isfinite(model.coef_))
            if model.model_.learner.handle.has_variance:
                assert np.all(model.model_.learner.handle.variance()[0] > 0)
        assert np.all(np.isfinite(model.decision_function(probe)))
        probabilities = model.predict_proba(probe)
        assert np.all((probabilities >= 0) & (probabilities <= 1))

    assert model.n_seen_ > 0.99 * ROWS
