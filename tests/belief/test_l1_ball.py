"""The L1 ball's lazy bookkeeping against a plain one that touches every weight."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.sparse import random as random_matrix

from onlinear import Learner, belief, rule, task
from tests.reference.regularized import l1_ball, truncate

Array = NDArray[np.float64]


def stream(seed: int, rounds: int, features: int, density: float) -> tuple[Any, NDArray[np.int64]]:
    """Sparse rows and noisy labels."""
    rng = np.random.default_rng(seed)
    X = random_matrix(rounds, features, density, format="csr", random_state=rng, data_rvs=rng.standard_normal)
    return csr_matrix(X), rng.integers(0, 2, rounds)


def confined(radius: float, features: int, classes: int = 2, **options: Any) -> Learner:
    """A learner in an L1 ball."""
    asked = task.Binary() if classes == 2 else task.Multiclass()
    answer = rule.RegularizedPassiveAggressive(penalty="l1_ball", radius=radius)
    return Learner(
        task=asked, rule=answer, belief=belief.L1Ball(), n_features=features, n_classes=classes, **options
    )


def plainly(X: Any, y: NDArray[np.int64], radius: float, sigma: float = 0.0) -> Array:
    """The same learned by projecting the whole mean on every update."""
    mean = np.zeros(X.shape[1])
    for x, label in zip(X.toarray(), y, strict=True):
        delta = (2 * label - 1) * x
        if not delta.any() or mean @ delta >= 1:
            continue
        mean = l1_ball(mean, delta, radius)
        mean = truncate(mean, sigma) if sigma else mean
    return mean


@pytest.mark.parametrize(("radius", "density"), [(0.7, 0.1), (3.0, 0.1), (3.0, 0.9), (40.0, 0.05)])
@pytest.mark.parametrize("sigma", [0.0, 1e-3])
def test_lazy_steps_are_the_plain_ones(radius: float, density: float, sigma: float) -> None:
    """Weights that fall, die, come back and are rewritten end where the plain projection puts them."""
    X, y = stream(1, 150, 60, density)
    model = confined(radius, 60, truncation=sigma or None)
    model.learn(X, y)
    assert_allclose(model.mean, plainly(X, y, radius, sigma), atol=1e-8)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), radius=st.floats(0.2, 30.0), classes=st.sampled_from([2, 4]))
def test_the_norm_never_exceeds_the_radius(seed: int, radius: float, classes: int) -> None:
    """Round after round, in both types, with two classes and with several."""
    X, y = stream(seed, 60, 40, 0.2)
    for dtype, slack in (("float64", 1e-9), ("float32", 1e-5)):
        model = confined(radius, 40, classes, dtype=dtype)
        for i in range(X.shape[0]):
            model.learn(X[i], [y[i]])
            assert np.abs(model.mean).sum() <= radius * (1 + slack)


def test_many_weights_in_a_wide_ball() -> None:
    """A ball with room for thousands of weights fetches and parts its lists, and batches do not show."""
    X, y = stream(5, 500, 6000, 0.005)
    model, other = confined(60.0, 6000), confined(60.0, 6000)
    model.learn(X, y)
    for i in range(0, 500, 7):
        other.learn(X[i : i + 7], y[i : i + 7])
    assert np.count_nonzero(model.mean) > 300
    assert model.digest() == other.digest()
    assert_allclose(model.mean, plainly(X, y, 60.0), atol=1e-7)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_saved_ball_goes_on_bit_for_bit(dtype: str) -> None:
    """Nothing but the weights, the shift and the norm is needed to go on."""
    X, y = stream(2, 300, 80, 0.2)
    whole, first, second = (confined(4.0, 80, dtype=dtype, truncation=1e-4) for _ in range(3))
    whole.learn(X, y)
    first.learn(X[:170], y[:170])
    second.load_state(first.state())
    second.learn(X[170:], y[170:])
    assert second.digest() == whole.digest()


def test_a_third_class_keeps_the_scores() -> None:
    """Two classes become blocks -w/2 and w/2 inside the same ball."""
    X, y = stream(4, 100, 30, 0.3)
    model = confined(2.0, 30)
    model.learn(X, y)
    scores = model.scores(X)
    model.handle.to_multiclass(task.Multiclass())
    blocks = model.scores(X)
    assert_allclose(blocks[:, 1] - blocks[:, 0], scores, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("sigma", [None, 1e-3])
@pytest.mark.parametrize(("dtype", "close"), [("float64", 1e-11), ("float32", 1e-4)])
def test_the_average_is_that_of_the_means_after_each_round(
    classes: int, sigma: float | None, dtype: str, close: float
) -> None:
    """Kept lazily through falls, deaths, rewritings and truncation; a reload half-way does not show."""
    X, _ = stream(7, 300, 40, 0.3)
    y = np.random.default_rng(8).integers(0, classes, 300)
    asked = task.Binary() if classes == 2 else task.Multiclass()
    answer = rule.RegularizedPassiveAggressive(penalty="l1_ball", radius=1.5)

    def fresh() -> Learner:
        return Learner(
            task=asked,
            rule=answer,
            belief=belief.L1Ball(average=True),
            n_features=40,
            n_classes=classes,
            dtype=dtype,
            truncation=sigma,
        )

    model, whole, total = fresh(), fresh(), np.zeros(())
    for i in range(300):
        model.learn(X[i], [y[i]])
        total = total + np.asarray(model.mean, dtype=np.float64)
        if i == 150:
            again = fresh()
            again.load_state(model.state())
            model = again
    whole.learn(X, y)
    assert model.digest() == whole.digest()
    assert_allclose(model.average, total / 300, atol=close)
    assert_allclose(np.squeeze(model.scores(X)), X @ np.transpose(total / 300), atol=20 * close)


def test_the_average_survives_a_third_class() -> None:
    """Two classes become two blocks, each with half of the sum so far, signs and all."""
    X, y = stream(9, 120, 20, 0.4)
    answer = rule.RegularizedPassiveAggressive(penalty="l1_ball", radius=1.5)
    model = Learner(task=task.Binary(), rule=answer, belief=belief.L1Ball(average=True), n_features=20)
    model.learn(X[:60], y[:60])
    before = model.average.copy()
    model.handle.to_multiclass(task.Multiclass())
    assert_allclose(model.average, [-before / 2, before / 2], atol=1e-12)
    total = 60 * model.average
    for i in range(60, 120):
        model.learn(X[i], [y[i]])
        total = total + model.mean
    assert_allclose(model.average, total / 120, atol=1e-12)
