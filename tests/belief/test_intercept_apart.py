"""An intercept that moves with every step and has no part in its length."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import sparse

from onlinear import Learner, PassiveAggressiveClassifier, PassiveAggressiveRegressor, belief, rule, task
from onlinear.exceptions import ParameterError
from tests.reference.rules import pa


def stream(seed: int, n: int, classes: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, some of them of zeros, labels and weights."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 4)) * (rng.random((n, 4)) < 0.6)
    return X, rng.integers(0, classes, n), rng.choice([0.0, 0.3, 1.0, 2.0], n)


def replayed(
    X: np.ndarray, y: np.ndarray, w: np.ndarray, classes: int, spelt: str, C: float, weighed: str, rate: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The weights and intercepts after all rounds and their means after each, by the reference's rule."""
    blocks = 1 if classes == 2 else classes
    W, b = np.zeros((blocks, 4)), np.zeros(blocks)
    sums, offsets, rounds = np.zeros_like(W), np.zeros_like(b), 0
    for x, label, weight in zip(X, y, w, strict=True):
        if weight == 0:
            continue
        scores = W @ x + b
        if classes == 2:
            signs = np.array([2.0 * label - 1])
        else:
            rival = max((k for k in range(classes) if k != label), key=lambda k: (scores[k], -k))
            signs = np.eye(classes)[label] - np.eye(classes)[rival]
        price = C * weight if weighed == "price" else C
        v = float(signs @ signs) * float(x @ x)
        margin = float(signs @ scores)
        if v > 0:
            alpha = pa(margin, v, 1.0, {"variant": spelt, "C": price}).alpha
        else:  # without length PA-II alone has a step: the square of the slack limits it
            alpha = max(0.0, 1 - margin) * 2 * price if spelt == "PA-II" else 0.0
        alpha *= weight if weighed == "step" else 1.0
        W, b = W + alpha * np.outer(signs, x), b + rate * alpha * signs
        sums, offsets, rounds = sums + W, offsets + b, rounds + 1
    many = max(rounds, 1)
    return W, b, sums / many, offsets / many


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("weighed", ["price", "step"])
@pytest.mark.parametrize("variant", ["pa1", "pa2"])
@pytest.mark.parametrize("classes", [2, 3])
@given(seed=st.integers(0, 2**16), n=st.integers(1, 40), rate=st.sampled_from([1.0, 0.3, 0.01]))
@settings(max_examples=12)
def test_the_norm_is_of_the_features_alone(
    classes: int, variant: str, weighed: str, average: bool, seed: int, n: int, rate: float
) -> None:
    """Steps are the reference's with ‖δ‖² without the intercept, which moves by `rate` of them; dense rows and sparse."""
    X, y, w = stream(seed, n, classes)
    spelt = {"pa1": "PA-I", "pa2": "PA-II"}[variant]
    W, b, mean, offset = replayed(X, y, w, classes, spelt, 0.4, weighed, rate)
    for rows in (X, sparse.csr_matrix(X)):
        learner = Learner(
            task=task.Binary() if classes == 2 else task.Multiclass(),
            rule=rule.PassiveAggressive(variant=variant, C=0.4, weighed=weighed),
            belief=belief.Mean(average=average, intercept_rate=rate),
            n_features=4,
            n_classes=classes,
            fit_intercept=True,
        )
        learner.learn(rows, y.astype(np.int32), sample_weight=w)

        assert_allclose(np.atleast_2d(learner.mean), W, rtol=1e-9, atol=1e-12)
        assert_allclose(learner.intercept, b, rtol=1e-9, atol=1e-12)
        if average:
            expected = (X @ mean.T + offset).reshape(learner.scores(rows).shape)
            assert_allclose(learner.scores(rows), expected, rtol=1e-9, atol=1e-11)


@given(seed=st.integers(0, 2**16))
@settings(max_examples=20)
def test_a_rate_without_an_intercept_changes_nothing(seed: int) -> None:
    """Of rows that have none, dense ones and sparse ones."""
    X, y, w = stream(seed, 30, 2)
    for rows in (X, sparse.csr_matrix(X)):
        common: dict[str, Any] = {"fit_intercept": False, "scale": None}
        plain = PassiveAggressiveClassifier(**common).partial_fit(
            rows, y, classes=[0, 1], sample_weight=w + 1
        )
        apart = PassiveAggressiveClassifier(**common, intercept_rate=0.5)
        apart.partial_fit(rows, y, classes=[0, 1], sample_weight=w + 1)

        assert_allclose(apart.coef_, plain.coef_, rtol=1e-12)
        assert apart.intercept_ == plain.intercept_ == 0


@pytest.mark.parametrize("scale", ["max", "typical"])
@pytest.mark.parametrize("kind", [PassiveAggressiveClassifier, PassiveAggressiveRegressor])
def test_scaled_rows_lose_the_intercept_from_their_norm_too(kind: Any, scale: str) -> None:
    """Rows in another unit are the same rows."""
    X, y, _ = stream(5, 60, 2)
    one = kind(scale=scale, intercept_rate=1.0, random_state=0).fit(X, y)
    other = kind(scale=scale, intercept_rate=1.0, random_state=0).fit(1024 * X, y)

    assert_allclose(one.predict(X), other.predict(1024 * X))
    assert_allclose(one.intercept_, other.intercept_)
    apart = kind(scale=scale, random_state=0).fit(X, y)
    assert not np.allclose(one.coef_, apart.coef_)


def test_a_rule_that_asks_for_the_length_of_the_mean_is_refused() -> None:
    """And whatever else is no plain row: the words say what does not go together."""
    with pytest.raises(ValueError, match="ROMMA|Romma"):
        Learner(
            task=task.Binary(),
            rule=rule.Romma(),
            belief=belief.Mean(intercept_rate=1.0),
            n_features=2,
            n_classes=2,
        )
    with pytest.raises(ValueError, match="OneClass"):
        Learner(
            task=task.OneClass(radius=1.0),
            rule=rule.PassiveAggressive(),
            belief=belief.Mean(intercept_rate=1.0),
            n_features=2,
        )
    with pytest.raises(ParameterError, match=r"intercept_rate must be in \(0, 1\], got 2"):
        PassiveAggressiveClassifier(intercept_rate=2.0).partial_fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ParameterError, match="weighed='step' does not go with constraints='all'"):
        PassiveAggressiveClassifier(weighed="step", constraints="all").partial_fit(np.eye(3), [0, 1, 2])


@pytest.mark.parametrize("constraints", [1, "all"])
@pytest.mark.parametrize("rate", [None, 0.25])
def test_a_model_with_such_an_intercept_is_saved_and_goes_on(
    rate: Any, constraints: Any, tmp_path: Any
) -> None:
    """Bit for bit, with several classes and with new ones."""
    import onlinear

    X, y, _ = stream(7, 60, 3)
    model = PassiveAggressiveClassifier(intercept_rate=rate, constraints=constraints).partial_fit(
        X[:30], y[:30] % 2
    )
    model.save(tmp_path / "model.safetensors")
    twin = onlinear.load(tmp_path / "model.safetensors")

    assert twin.intercept_rate == rate
    assert twin.partial_fit(X[30:], y[30:]).digest() == model.partial_fit(X[30:], y[30:]).digest()
