"""An average in which late rounds count more: round t counts t (t + 1) / 2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from onlinear import AROWClassifier, Learner, PassiveAggressiveClassifier, belief, rule, task
from onlinear.exceptions import DataError

FORMS: list[tuple[str, Any, Any]] = [
    ("mean", rule.PassiveAggressive(variant="pa1", C=0.3), belief.Mean(average=True, late=True)),
    (
        "a mean that shrinks",
        rule.RegularizedPassiveAggressive(alpha=0.2),
        belief.Mean(average=True, late=True),
    ),
    ("scaled mean", rule.PassiveAggressive(C=0.3), belief.Mean(average=True, late=True, scale="max")),
    ("drop", rule.Arow(), belief.Diagonal(projection="drop", average=True, late=True)),
    ("kl", rule.Nherd(), belief.Diagonal(projection="kl", average=True, late=True)),
    ("full", rule.Arow(), belief.Full(average=True, late=True)),
]
#: The rounds at which sums are folded into a smaller unit; tests step over the first.
FOLD = 2**14


def learner(answer: Any, known: Any, n_classes: int, dtype: str = "float64") -> Learner:
    """A learner of two or of three classes and three features."""
    asked = task.Binary() if n_classes == 2 else task.Multiclass()
    return Learner(task=asked, rule=answer, belief=known, n_features=3, n_classes=n_classes, dtype=dtype)


def stream(seed: int, n: int, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of length one, so that scales stay one, and labels that follow them with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    scores = X @ rng.standard_normal((3, n_classes)) + 0.3 * rng.standard_normal((n, n_classes))
    return X, scores.argmax(axis=1)


def weights_of_rounds(n: int) -> np.ndarray:
    """What each of n rounds counts."""
    t = np.arange(1, n + 1, dtype=np.float64)
    return t * (t + 1) / 2


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(("answer", "known"), [pytest.param(*row[1:], id=row[0]) for row in FORMS])
@given(seed=st.integers(0, 2**16), n=st.integers(1, 60))
@settings(max_examples=15)
def test_round_t_counts_by_the_triangle_of_t(
    answer: Any, known: Any, n_classes: int, seed: int, n: int
) -> None:
    """The average of a learner is the weighted mean of its means after each round."""
    X, y = stream(seed, n, n_classes)
    model = learner(answer, known, n_classes)
    means = []
    for i in range(n):
        model.learn(X[i : i + 1], y[i : i + 1])
        means.append(model.mean.copy())

    expected = np.average(means, axis=0, weights=weights_of_rounds(n))

    assert_allclose(model.average, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("dtype", "close"), [("float32", 2e-5), ("float64", 1e-10)])
@pytest.mark.parametrize(("answer", "known"), [pytest.param(*row[1:], id=row[0]) for row in FORMS])
def test_sums_are_folded_before_they_grow_out_of_their_type(
    answer: Any, known: Any, dtype: str, close: float
) -> None:
    """Over the round where the unit changes the average stays that of its definition."""
    n = FOLD + 300
    X, y = stream(1, n, 2)
    model, plain = learner(answer, known, 2, dtype), learner(answer, known, 2, dtype)
    total = np.zeros_like(model.mean, dtype=np.float64)
    counts = weights_of_rounds(n)
    for i in range(n):
        plain.learn(X[i : i + 1], y[i : i + 1])
        total += counts[i] * plain.mean
        if i + 1 in (FOLD - 1, FOLD, FOLD + 1, n):
            model.learn(X[model.n_seen : i + 1], y[model.n_seen : i + 1])
            assert_allclose(model.average, total / counts[: i + 1].sum(), rtol=close, atol=close)


def test_a_state_over_the_fold_goes_on_with_the_same_bits() -> None:
    """What is loaded knows its unit from the rounds alone."""
    X, y = stream(2, FOLD + 500, 2)
    whole = learner(rule.Arow(), belief.Diagonal(average=True, late=True), 2, "float32")
    whole.learn(X, y)
    for cut in (FOLD - 1, FOLD, FOLD + 7):
        first = learner(rule.Arow(), belief.Diagonal(average=True, late=True), 2, "float32")
        first.learn(X[:cut], y[:cut])
        second = learner(rule.Arow(), belief.Diagonal(average=True, late=True), 2, "float32")
        second.load_state(first.state())
        second.learn(X[cut:], y[cut:])
        assert second.digest() == whole.digest()


@pytest.mark.parametrize("rounds", [np.nan, np.inf, 1e300, -1.0])
def test_rounds_that_cannot_be_are_refused(rounds: float) -> None:
    """A state may come from anywhere."""
    model = learner(rule.Arow(), belief.Diagonal(average=True, late=True), 2)
    model.learn([[1.0, 0.0, 0.0]], [1])
    with pytest.raises(DataError, match="average_rounds"):
        model.load_state({**model.state(), "average_rounds": rounds})


def test_late_rounds_forget_a_bad_start() -> None:
    """After labels have been turned over, the average that counts late rounds more is nearer to the new truth."""
    X, y = stream(3, 3000, 2)
    turned = np.where(np.arange(3000) < 1500, 1 - y, y)
    errors = {}
    for average in (True, "late"):
        model = PassiveAggressiveClassifier(average=average, C=0.01).partial_fit(X, turned)
        errors[average] = np.mean(model.predict(X) != y)

    assert errors["late"] < errors[True]


def test_fit_averages_and_a_stream_does_not_unless_asked() -> None:
    """`average=None` means "late" for a model that `fit` starts, and no average for one that a stream starts."""
    X, y = stream(4, 200, 2)
    fitted = AROWClassifier(random_state=0).fit(X, y)
    asked = AROWClassifier(average="late", random_state=0).fit(X, y)
    streamed = AROWClassifier().partial_fit(X, y)
    never = AROWClassifier(average=False).partial_fit(X, y)

    assert fitted.digest() == asked.digest()
    assert streamed.digest() == never.digest()
    assert "average" in fitted.model_.learner.state()
    assert "average" not in streamed.model_.learner.state()


def test_a_fitted_model_goes_on_as_it_is(tmp_path: Any) -> None:
    """Saved and loaded in between, with parameters set anew, or not: the same bits."""
    X, y = stream(5, 300, 2)
    model = AROWClassifier(random_state=0).fit(X[:200], y[:200])
    model.save(tmp_path / "model.safetensors")
    loaded = AROWClassifier.load(tmp_path / "model.safetensors")
    followed = AROWClassifier(random_state=0).fit(X[:200], y[:200]).set_params(r=1.0)

    digests = {each.partial_fit(X[200:], y[200:]).digest() for each in (model, loaded, followed)}

    assert len(digests) == 1
    assert loaded.get_params()["average"] is None
