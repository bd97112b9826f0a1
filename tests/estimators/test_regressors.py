"""Regressors: closed forms, predictive deviations, streams and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

import onlinear
from onlinear import AROWRegressor, PassiveAggressiveRegressor
from onlinear.exceptions import DataError, NotAvailableError, ParameterError
from tests.estimators.roster import plain

Array = NDArray[np.float64]


def problem(seed: int, n: int = 60, d: int = 5, noise: float = 0.3) -> tuple[Array, Array]:
    """Draw a noisy linear problem with an intercept."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 1.5 + noise * rng.normal(size=n)


@given(
    seed=st.integers(0, 2**32 - 1), r=st.floats(1e-2, 1e2), a=st.floats(1e-2, 1e2), intercept=st.booleans()
)
@settings(max_examples=40, deadline=None)
def test_full_arow_regression_is_ridge_regression(seed: int, r: float, a: float, intercept: bool) -> None:
    """Weights and predictive deviation are the closed form's to 1e-8, in any order of the examples."""
    X, y = problem(seed)
    model = AROWRegressor(covariance="full", r=r, initial_variance=a, fit_intercept=intercept).fit(X, y)
    Z = np.column_stack([np.ones(len(X)), X]) if intercept else X
    covariance = np.linalg.inv(np.eye(Z.shape[1]) / a + Z.T @ Z / r)
    weights = covariance @ Z.T @ y / r
    got = np.append(model.intercept_, model.coef_) if intercept else model.coef_

    np.testing.assert_allclose(got, weights, rtol=1e-8, atol=1e-8)
    mean, std = model.predict(X, return_std=True)
    np.testing.assert_allclose(mean, Z @ weights, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(std, np.sqrt(np.einsum("ij,jk,ik->i", Z, covariance, Z)), rtol=1e-7)


def test_sample_weights_are_repetitions_for_full_arow_regression() -> None:
    """A whole weight counts an example as often."""
    X, y = problem(1)
    counts = np.random.default_rng(2).integers(0, 4, size=len(y))
    weighted = AROWRegressor(covariance="full").fit(X, y, sample_weight=counts.astype(float))
    repeated = AROWRegressor(covariance="full").fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))

    np.testing.assert_allclose(weighted.coef_, repeated.coef_, rtol=1e-9)


def test_deviations_shrink_where_there_was_evidence() -> None:
    """Far from the data a prediction is less sure than amid it."""
    X, y = problem(3, d=2)
    model = AROWRegressor(scale=None).fit(X * [1.0, 0.01], y)
    std = model.predict(np.eye(2), return_std=True)[1]

    assert std[0] < 0.5 < std[1]
    assert model.coef_std_[0] < model.coef_std_[1]


def test_a_learner_without_variances_says_so() -> None:
    """Passive-Aggressive has no deviation to give."""
    model = PassiveAggressiveRegressor().fit(*problem(0))

    with pytest.raises(NotAvailableError, match="AROWRegressor"):
        model.predict(np.zeros((1, 5)), return_std=True)


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
def test_errors_within_the_tube_are_free(variant: Any) -> None:
    """No update where every target is within epsilon of the prediction."""
    X, y = problem(0)
    model = PassiveAggressiveRegressor(variant=variant, epsilon=100.0, scale=None).partial_fit(X, y)

    assert model.n_updates_ == 0
    assert model.n_seen_ == len(y)
    assert model.total_loss_ == pytest.approx(np.abs(y).sum())


def test_pa_regression_agrees_with_scikit_learn() -> None:
    """Without an intercept, PA-I makes the same steps as scikit-learn's."""
    from sklearn.linear_model import SGDRegressor

    X, y = problem(4, n=200)
    theirs = SGDRegressor(
        loss="epsilon_insensitive",
        penalty=None,
        learning_rate="pa1",
        eta0=0.3,
        epsilon=0.1,
        fit_intercept=False,
        shuffle=False,
    ).partial_fit(X, y)
    ours = plain(PassiveAggressiveRegressor, C=0.3, epsilon=0.1, fit_intercept=False).partial_fit(X, y)

    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)


@pytest.mark.parametrize(
    "made", [PassiveAggressiveRegressor(), AROWRegressor(), AROWRegressor(covariance="full")], ids=repr
)
def test_batches_rows_and_dicts_teach_the_same(made: Any, tmp_path: Path) -> None:
    """One call, several, sparse rows, one dict at a time, and a model saved half way."""
    from sklearn.base import clone

    X, y = problem(5)
    whole = clone(made).set_params(dtype="float64").partial_fit(X, y)
    halves = clone(whole).partial_fit(X[:20], y[:20])
    halves.save(tmp_path / "half.safetensors")
    resumed = onlinear.load(tmp_path / "half.safetensors").partial_fit(X[20:], y[20:])
    sparse = clone(whole).partial_fit(csr_matrix(X), y)
    stream = clone(whole)
    for row, target in zip(X, y, strict=True):
        stream.learn_one(dict(enumerate(row.tolist())), target)

    assert resumed.digest() == whole.digest()
    assert stream.digest() == whole.digest()
    np.testing.assert_allclose(sparse.coef_, whole.coef_, rtol=1e-10)
    assert stream.predict_one(dict(enumerate(X[0].tolist()))) == pytest.approx(whole.predict(X[:1])[0])


def test_a_dict_of_words_is_hashed_and_read_before_any_learning() -> None:
    """River's verbs: a prediction of 0 before the first example, and words as features."""
    model = PassiveAggressiveRegressor(scale=None)
    assert model.predict_one({"rain": 1.0}) == 0.0
    for _ in range(30):
        model.learn_one({"rain": 1.0}, 2.0).learn_one({"sun": 1.0}, -1.0)

    assert model.predict_one({"rain": 1.0}) == pytest.approx(2.0, abs=0.2)
    assert model.predict_one({"sun": 1.0}) == pytest.approx(-1.0, abs=0.2)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_target_that_is_not_finite_leaves_the_model_as_it_was(bad: float) -> None:
    """Batches, first batches and dicts alike; the row is named."""
    X, y = problem(6)
    model = PassiveAggressiveRegressor().partial_fit(X, y)
    before = model.digest()
    spoilt = np.where(np.arange(len(y)) == 7, bad, y)

    with pytest.raises(DataError, match="row 7"):
        model.partial_fit(X, spoilt)
    with pytest.raises(DataError, match="finite"):
        model.learn_one({0: 1.0}, bad)
    with pytest.raises(DataError, match="row 7"):
        model.fit(X, spoilt)
    assert model.digest() == before
    with pytest.raises(DataError):
        PassiveAggressiveRegressor().learn_one({0: 1.0}, bad)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (PassiveAggressiveRegressor(epsilon=-0.1), "epsilon"),
        (PassiveAggressiveRegressor(C=0.0), "C must be greater than 0"),
        (PassiveAggressiveRegressor(variant="pa3"), "variant"),
        (AROWRegressor(r=-1.0), "r must be greater than 0"),
        (AROWRegressor(covariance="half"), "covariance"),
    ],
    ids=repr,
)
def test_parameters_out_of_range_are_named(model: Any, message: str) -> None:
    """With what was given and what to try."""
    with pytest.raises(ParameterError, match=message):
        model.fit(*problem(0))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_early_stopping_does_not_depend_on_the_unit_of_the_targets(scale: float) -> None:
    """A pass must better the error by a share of it, so metres and micrometres take as many passes."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 4))
    y = X @ rng.normal(size=4) + 0.3 * rng.normal(size=80)
    common = {
        "variant": "pa2",
        "epsilon": 0.0,
        "passes": 40,
        "n_iter_no_change": 1,
        "shuffle": False,
        "scale": None,
    }
    model = PassiveAggressiveRegressor(dtype="float64", **common)

    assert (
        model.fit(X, scale * y).n_passes_
        == PassiveAggressiveRegressor(dtype="float64", **common).fit(X, y).n_passes_
    )
    assert 1 < model.n_passes_ < 40
