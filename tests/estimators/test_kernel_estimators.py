"""Kernel classes and the regularised classifier as estimators."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_iris, make_moons

import onlinear
from onlinear import (
    AROWClassifier,
    KernelClassifier,
    KernelRegressor,
    MIRAClassifier,
    NHERDClassifier,
    PassiveAggressiveClassifier,
    Perceptron,
    RegularizedPassiveAggressiveClassifier,
    SoftConfidenceWeightedClassifier,
)
from onlinear.exceptions import NotAvailableError, OnlinearError, ParameterError
from tests.estimators.roster import plain


@pytest.mark.parametrize(
    "name",
    [
        "perceptron",
        "pa",
        "pa1",
        "pa2",
        "norma",
        "rpa-objective",
        "cw-var",
        "scw1",
        "scw2",
        "arow",
        "nherd",
        "mira",
    ],
)
def test_every_rule_bends_around_the_moons(name: str) -> None:
    """A linear model gets about 0.87 here; with an RBF kernel any rule is well above 0.93."""
    X, y = make_moons(500, noise=0.2, random_state=0)
    assert KernelClassifier(rule=name, gamma=2.0, random_state=0).fit(X, y).score(X, y) > 0.93


def test_several_classes_and_their_confidence() -> None:
    """Three classes, one coefficient a class, and probabilities that sum to one."""
    X, y = load_iris(return_X_y=True)
    model = KernelClassifier(rule="scw1", gamma=0.3, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.95
    assert model.dual_coef_.shape == (len(model.support_vectors_), 3)
    assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert np.all((model.confidence(X) >= 0.5) & (model.confidence(X) <= 1))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("rule", ["pa1", "norma", "arow", "scw1", "mira"])
def test_a_model_file_goes_on_bit_for_bit(rule: str, kernel: Any, dtype: Any, tmp_path: Path) -> None:
    """Saved and loaded, a kernel model learns on as if nothing had happened."""
    X, y = make_moons(300, noise=0.2, random_state=1)
    model = KernelClassifier(rule=rule, kernel=kernel, budget=40, dtype=dtype).partial_fit(X[:200], y[:200])
    model.save(tmp_path / "model.safetensors")
    again = onlinear.load(tmp_path / "model.safetensors")
    for each in (model, again):
        each.partial_fit(X[200:], y[200:])
    assert again.digest() == model.digest()


def test_a_regressor_file_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """The same for regression."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 2)), rng.normal(size=100)
    model = KernelRegressor(budget=30).partial_fit(X[:60], y[:60])
    model.save(tmp_path / "model.safetensors")
    again = onlinear.load(tmp_path / "model.safetensors")
    for each in (model, again):
        each.partial_fit(X[60:], y[60:])
    assert again.digest() == model.digest()


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf", "own"])
def test_the_intercept_is_one_more_direction(kernel: str) -> None:
    """K(x, z) + 1 for every kernel, seen through kernel ridge regression, which this is."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40) + 2.0
    plain: dict[str, Any] = {
        "linear": lambda a, b: a @ b.T,
        "poly": lambda a, b: (1 + a @ b.T) ** 3,
        "rbf": lambda a, b: np.exp(-((a[:, None] - b[None]) ** 2).sum(axis=2)),
        "own": lambda a, b: np.exp(-np.abs(a[:, None] - b[None]).sum(axis=2)),
    }
    given = plain["own"] if kernel == "own" else kernel
    for intercept in (False, True):
        K = plain[kernel](X, X) + intercept
        model = KernelRegressor(kernel=given, fit_intercept=intercept).partial_fit(X, y)
        assert_allclose(model.predict(X), K @ np.linalg.solve(K + np.eye(40), y), atol=1e-6)


def test_a_classifier_carries_its_parameters() -> None:
    """`rule=` takes a classifier with the parameters of its rule."""
    given = KernelClassifier(rule=SoftConfidenceWeightedClassifier(C=0.25, confidence=0.8))
    assert given.axes()[0].C == 0.25


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (AROWClassifier(covariance="full"), "covariance must be left at 'diagonal'.*own initial_variance"),
        (AROWClassifier(initial_variance=2.0), "initial_variance must be left at 1.0"),
        (AROWClassifier(min_variance=0.1), "min_variance must be left at None"),
        (NHERDClassifier(projection="kl"), "projection must be left at"),
        (AROWClassifier(average=True), "average must be left at None"),
        (RegularizedPassiveAggressiveClassifier(truncation=0.1), "truncation must be left at None"),
        (AROWClassifier(fit_intercept=False), "Give it to KernelClassifier instead"),
        (AROWClassifier(constraints="all"), "several constraints at once"),
        ("averaged-perceptron", "average must be left at False"),
        ("adagrad-rda", r"not defined on belief\.Kernel"),
        ("rpa-l1-ball", r"not defined on belief\.Kernel"),
        ("arrow", "Did you mean 'arow'"),
        (KernelClassifier(), "one of our classifiers"),
        (3, "one of our classifiers"),
    ],
    ids=str,
)
def test_what_would_go_unheard_is_refused(wrong: Any, message: str) -> None:
    """Nothing a rule says is dropped silently: its covariance, its average, its several constraints."""
    with pytest.raises(ParameterError, match=message):
        KernelClassifier(rule=wrong).fit(*load_iris(return_X_y=True))


def test_regression_knows_two_rules() -> None:
    """Passive-Aggressive and AROW with the squared loss; others say so."""
    for wrong in ("arow-h", "scw1", "perceptron"):
        with pytest.raises(ParameterError, match="KernelRegressor: "):
            KernelRegressor(rule=wrong).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize(
    ("rule", "linear"),
    [
        ("mira", MIRAClassifier),
        (MIRAClassifier(beta=0.5), partial(MIRAClassifier, beta=0.5)),
        (Perceptron(update="uniform"), partial(Perceptron, update="uniform")),
        (
            PassiveAggressiveClassifier(constraints="all"),
            partial(PassiveAggressiveClassifier, constraints="all", scale=None),
        ),
    ],
    ids=str,
)
def test_rules_of_several_classes_at_once_have_a_kernel_form(rule: Any, linear: Any) -> None:
    """With the linear kernel they are their linear classifiers, though classes come one after the other."""
    X, y = load_iris(return_X_y=True)
    dual, primal = KernelClassifier(rule=rule, kernel="linear"), linear()
    for start in range(0, 150, 10):  # sorted: a third class comes late
        for model in (dual, primal):
            model.partial_fit(X[start : start + 10], y[start : start + 10])
    assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-8)
    assert KernelClassifier(rule=rule, gamma=0.5, random_state=0).fit(X, y).score(X, y) > 0.93


def test_costs_and_targets_do_not_go_with_several_classes_at_once() -> None:
    """Refused with the remedy of the rule that was given."""
    with pytest.raises(ParameterError, match=r"cost_matrix does not go with .*update='max'"):
        KernelClassifier(rule=Perceptron(update="uniform"), cost_matrix=[[0, 1], [1, 0]]).fit(
            [[0.0], [1.0]], [0, 1]
        )
    with pytest.raises(ParameterError, match="several constraints at once are of several classes"):
        KernelRegressor(rule=PassiveAggressiveClassifier(constraints="all")).fit([[0.0], [1.0]], [0.0, 1.0])


def test_a_kernel_of_ones_own_is_not_saved(tmp_path: Path) -> None:
    """A model file holds no code."""
    model = KernelClassifier(kernel=lambda a, b: (1 + a @ b.T) ** 2).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    assert model.predict([[0.1, 0.9]])[0] == 0
    with pytest.raises(NotAvailableError, match="holds no code"):
        model.save(tmp_path / "model.safetensors")


def test_there_are_no_weights_but_linear_ones() -> None:
    """`coef_` exists with the linear kernel alone."""
    X, y = [[0.0, 1.0], [1.0, 0.0]], [0, 1]
    bent = KernelClassifier().fit(X, y)
    assert not hasattr(bent, "coef_")
    for ask in (lambda: bent.explain(X[0]), lambda: bent.sample(2), lambda: bent.truncate(0.1)):
        with pytest.raises(OnlinearError, match="weights"):
            ask()
    linear = KernelClassifier(rule="pa1", kernel="linear", random_state=0).fit(X, y)
    same = plain(PassiveAggressiveClassifier, random_state=0).fit(X, y)
    assert_allclose(linear.coef_, same.coef_, atol=1e-12)
    assert_allclose(linear.intercept_, same.intercept_, atol=1e-12)
    X, y = load_iris(return_X_y=True)
    for classes in (2, 3):
        some = y < classes
        known = {"classes": range(classes)}
        full = AROWClassifier(covariance="full").partial_fit(X[some], y[some], **known)
        dual = KernelClassifier(rule="arow", kernel="linear").partial_fit(X[some], y[some], **known)
        assert_allclose(dual.coef_std_, full.coef_std_, rtol=1e-8)
        assert str(dual.explain(X[0])) == str(full.explain(X[0]))


def test_words_and_dicts_go_through_a_kernel() -> None:
    """River's verbs, with features hashed to a million columns."""
    model = KernelClassifier(rule="pa1", kernel="linear")
    for _ in range(3):
        model.learn_one({"free": 1, "money": 2}, "spam").learn_one({"meeting": 1}, "ham")
    assert model.predict_one({"money": 1}) == "spam"


@pytest.mark.parametrize("rule", ["pa1", "pa2", "arow"])
def test_regression_follows_a_sine(rule: str) -> None:
    """A sine cannot be followed by a line; a kernel follows it."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, (400, 1))
    y = np.sin(2 * X[:, 0]) + 0.05 * rng.normal(size=400)
    model = KernelRegressor(rule=rule, gamma=2.0, epsilon=0.05, random_state=0).fit(X, y)
    assert model.score(X, y) > 0.9


def test_regression_knows_where_it_knows_little() -> None:
    """Far from all examples the deviation is that of the prior."""
    X = np.linspace(0, 1, 20)[:, None]
    model = KernelRegressor(gamma=10.0, fit_intercept=False, random_state=0).fit(X, X[:, 0])
    _, std = model.predict([[0.5], [9.0]], return_std=True)
    assert std[0] < 0.3
    assert_allclose(std[1], 1.0, atol=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"kernel": "rbff"}, "Did you mean 'rbf'"),
        ({"gamma": 0.0}, "gamma must be"),
        ({"budget": 0}, "budget must be"),
        ({"removal": "oldest"}, "removal must be one of"),
        ({"average": True}, "average does not go with a kernel"),
    ],
)
def test_wrong_parameters_say_so(parameters: dict[str, Any], message: str) -> None:
    """The message names the class, the parameter and the remedy."""
    with pytest.raises(ParameterError, match=message):
        KernelClassifier(**parameters).fit([[0.0], [1.0]], [0, 1])


def test_the_regularised_classifier_keeps_its_ball_and_truncates() -> None:
    """Norm, sparsity and refusals of the estimator."""
    X, y = load_iris(return_X_y=True)
    small = RegularizedPassiveAggressiveClassifier(penalty="l1_ball", radius=3.0, random_state=0).fit(X, y)
    total = np.abs(small.coef_).sum() + np.abs(small.intercept_).sum()
    assert total <= 3.0 * (1 + 1e-9)
    dense = RegularizedPassiveAggressiveClassifier(penalty="l2_ball", average=False, random_state=0)
    dense.fit(X, y)
    sparse = RegularizedPassiveAggressiveClassifier(penalty="l2_ball", truncation=1.0, random_state=0).fit(
        X, y
    )
    assert np.count_nonzero(sparse.coef_) < np.count_nonzero(dense.coef_)
    assert np.count_nonzero(dense.truncate(1.0).coef_) < 12
    with pytest.raises(ParameterError, match="radius must be"):
        RegularizedPassiveAggressiveClassifier(radius=0.0).fit(X, y)


@pytest.mark.parametrize("penalty", ["objective", "l2_ball", "l1_ball"])
def test_a_regularised_model_file_goes_on_bit_for_bit(penalty: Any, tmp_path: Path) -> None:
    """Saved and loaded half-way, truncation on."""
    X, y = load_iris(return_X_y=True)
    model = RegularizedPassiveAggressiveClassifier(penalty=penalty, truncation=1e-3).partial_fit(
        X[::2], y[::2]
    )
    model.save(tmp_path / "model.safetensors")
    again = onlinear.load(tmp_path / "model.safetensors")
    for each in (model, again):
        each.partial_fit(X[1::2], y[1::2])
    assert again.digest() == model.digest()
