"""Variances that all but vanish, as Confidence-Weighted's do on noisy labels: steps grow as they shrink, weights do not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.datasets import make_classification

from onlinear import ConfidenceWeightedClassifier
from tests.estimators.roster import plain

PHI = np.longdouble(norm.ppf(0.9))
FORMS = ["drop", "kl", "exact"]


def noisy(rows: int, share: float) -> tuple[Any, Any]:
    """A linear concept with a share of wrong labels."""
    rng = np.random.default_rng(0)
    X = np.round(rng.standard_normal((rows, 5)), 4)
    y = X[:, 0] > 0
    return X, np.where(rng.random(rows) < share, ~y, y).astype(int)


def by_long_double(X: Any, y: Any, projection: str) -> Any:
    """Equations 27, 28 and 31 with an exponent that does not end."""
    mean, sigma = np.zeros(6, np.longdouble), np.ones(6, np.longdouble)
    for x, label in zip(np.c_[X, np.ones(len(X))].astype(np.longdouble), y, strict=True):
        delta = x if label else -x
        m, z = mean @ delta, sigma * delta
        v = z @ delta
        if m >= PHI * np.sqrt(v):
            continue
        p1, p2 = 1 + PHI**2 / 2, 1 + PHI**2
        root = np.sqrt(m * m * PHI**4 / 4 + v * PHI**2 * p2)
        alpha = (v * PHI**2 - m * m) / (v * (m * p1 + root)) if m > 0 else (root - m * p1) / (v * p2)
        gain = alpha * PHI / (2 * v / (alpha * v * PHI + np.sqrt((alpha * v * PHI) ** 2 + 4 * v)))
        mean = mean + alpha * z
        sigma = (
            sigma - gain / (1 + gain * v) * z * z if projection == "drop" else sigma / (1 + gain * z * delta)
        )
    return mean, sigma


@pytest.mark.parametrize(("projection", "rows"), [("drop", 2000), ("kl", 70)])
def test_the_mean_is_that_of_numbers_without_end(projection: str, rows: int) -> None:
    """Down to variances of 1e-50 and 1e-200."""
    X, y = noisy(2000, 0.1)
    X, y = X[:rows], y[:rows]
    model = plain(
        ConfidenceWeightedClassifier, constraint="stdev", projection=projection, dtype="float64"
    ).partial_fit(X, y)
    mean, sigma = by_long_double(X, y, projection)

    assert sigma.min() < 1e-40
    np.testing.assert_allclose(model.coef_[0], mean[:5].astype(float), rtol=1e-6)


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("projection", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_noise_is_no_reason_to_refuse(share: float, projection: str, dtype: str, n_classes: int) -> None:
    """However small the variances become, weights stay finite, variances positive, and the model goes on."""
    X, y = make_classification(3000, 10, n_informative=5, n_classes=n_classes, flip_y=share, random_state=0)
    model = plain(ConfidenceWeightedClassifier, constraint="stdev", projection=projection, dtype=dtype)
    model.partial_fit(X, y)

    assert model.n_seen_ == 3000
    assert np.isfinite(model.coef_).all()
    assert (model.coef_std_ > 0).all()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_average_is_the_mean_of_the_weights_after_every_round(dtype: str) -> None:
    """Also past steps that the weights' type cannot hold."""
    X, y = noisy(1500, 0.1)
    averaged = plain(ConfidenceWeightedClassifier, constraint="stdev", dtype=dtype, average=True)
    averaged.partial_fit(X, y, classes=[0, 1])
    last, total = plain(ConfidenceWeightedClassifier, constraint="stdev", dtype=dtype), np.zeros((1, 5))
    for x, label in zip(X, y, strict=True):
        total += last.partial_fit([x], [label], classes=[0, 1]).coef_

    np.testing.assert_allclose(averaged.coef_, total / len(X), rtol=1e-3 if dtype == "float32" else 1e-9)
