"""Models grow by classes and features in any order: what is new is as in a fresh model, what is old stays."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from onlinear import Learner, belief, rule, task


def _learner(dtype: str, features: int, classes: int) -> Learner:
    return Learner(
        task=task.Multiclass(),
        rule=rule.Arow(),
        belief=belief.Diagonal(initial_variance=0.7),
        dtype=dtype,
        n_features=features,
        n_classes=classes,
        fit_intercept=True,
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(20))
def test_growing_in_any_order_gives_zero_means_and_fresh_variances(dtype: str, seed: int) -> None:
    """Classes one by one to thirty, features by leaps; after each step every weight is what it must be."""
    rng = random.Random(seed)
    learner = _learner(dtype, 3, 2)
    learner.learn(np.eye(3), [0, 1, 0])
    features, classes, fresh = 3, 2, np.dtype(dtype).type(0.7)
    mean, variance = learner.mean.copy(), learner.variance.copy()
    for _ in range(60):
        if rng.random() < 0.6:
            classes = min(classes + rng.choice([1, 1, 1, 5]), 30)
        else:
            features += rng.choice([1, 2, 17, 200])
        learner.handle.grow(features, classes)
        wider = np.full((classes, features), fresh, dtype=variance.dtype)
        wider[: variance.shape[0], : variance.shape[1]] = variance
        zeros = np.zeros_like(wider)
        zeros[: mean.shape[0], : mean.shape[1]] = mean
        np.testing.assert_array_equal(learner.variance, wider)
        np.testing.assert_array_equal(learner.mean, zeros)
        if rng.random() < 0.3:
            row = np.zeros((1, features))
            row[0, rng.randrange(features)] = 1.0
            learner.learn(row, [rng.randrange(classes)])
        if rng.random() < 0.15:
            learner.handle.inflate(0.5)  # half of the way back to fresh, of what is there already
        mean, variance = learner.mean.copy(), learner.variance.copy()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_parts_of_the_state_are_the_state(dtype: str) -> None:
    """A state copied out some rows or columns at a time is the state."""
    learner = _learner(dtype, 5, 7)
    learner.learn(np.random.default_rng(0).standard_normal((30, 5)), np.arange(30) % 7)
    handle, state, end = learner.handle, learner.state(), 1 << 60
    for name, rows, columns in handle.state_shapes():
        whole = np.asarray(handle.state_part(name, (0, end), (0, end)))
        np.testing.assert_array_equal(whole, state[name])
        assert whole.shape == (rows, columns)
        for step in (1, 2, 3, 100):
            for axis, count in enumerate((rows, columns)):
                ranges = [(first, first + step) for first in range(0, count, step)]
                pairs = [(r, (0, end)) if axis == 0 else ((0, end), r) for r in ranges]
                parts = [np.asarray(handle.state_part(name, *pair)) for pair in pairs]
                np.testing.assert_array_equal(np.concatenate(parts, axis=axis), whole)
        assert handle.state_part(name, (rows, rows + 5), (0, end)).shape == (0, columns)
    with pytest.raises(KeyError):
        handle.state_part("nothing", (0, end), (0, end))


@pytest.mark.parametrize(
    ("answer", "known"),
    [
        (rule.PassiveAggressive(), belief.Mean()),
        (rule.Arow(), belief.Diagonal(initial_variance=0.7)),
        (rule.Arow(), belief.Full(initial_variance=0.7)),
        (rule.Iellip(c=0.9, b=0.9), belief.Diagonal(projection="drop", initial_variance=0.7)),
        # So much spreading that it is written into the variances on the way.
        (rule.Iellip(c=0.9, b=0.97), belief.Diagonal(projection="drop", initial_variance=0.7)),
        (rule.Iellip(c=0.9, b=0.9), belief.Full(initial_variance=0.7)),
        (rule.Narow(), belief.Information(initial_variance=0.7)),
        (rule.Arow(), belief.Kernel(kernel="linear", initial_variance=0.7)),
        (rule.AdagradRda(), belief.DualAveraging()),
        (rule.RegularizedPassiveAggressive(penalty="l1_ball", radius=2.0), belief.L1Ball()),
    ],
    ids=str,
)
def test_a_feature_that_comes_after_the_third_class_is_one_that_was_zero_till_then(
    answer: Any, known: Any
) -> None:
    """A batch brings its features at once, and its third class where it stands: neither order may show."""
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((90, 4)), rng.integers(0, 3, 90)
    X[:60, 3] = 0
    y[:30] %= 2
    models = []
    for width in (3, 4):
        model = Learner(task=task.Binary(), rule=answer, belief=known, n_features=width, n_classes=2)
        model.learn(X[:30, :width], y[:30])
        model.handle.to_multiclass(task.Multiclass())
        model.handle.grow(width, 3)
        model.learn(X[30:60, :width], y[30:60])
        model.handle.grow(4, 3)
        model.learn(X[60:], y[60:])
        models.append(model)
    late, early = models
    np.testing.assert_allclose(late.mean, early.mean, atol=1e-12)
    np.testing.assert_allclose(late.variance, early.variance, atol=1e-12)


@pytest.mark.parametrize("classes", [2, 5])
def test_a_model_made_after_another_starts_from_nothing(classes: int) -> None:
    """Memory that the system or the allocator hands out again is cleared: what the first has learned is gone."""
    for _ in range(3):
        learner = _learner("float32", 2**19, classes)
        assert not learner.mean.any()
        assert (learner.variance == np.float32(0.7)).all()
        learner.learn(np.ones((1, 2**19), np.float32), [1])
        assert learner.mean.all(axis=1).any()
