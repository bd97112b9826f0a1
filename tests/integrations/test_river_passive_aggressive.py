"""`PAClassifier` and `PARegressor` end with the weights that river's end with."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from river import checks, compose, linear_model, metrics, preprocessing

from onlinear.exceptions import DataError, ParameterError
from onlinear.integrations import river as ours

Row = dict[Any, float]


def stream(seed: int, n: int = 300) -> list[tuple[Row, float]]:
    """Rows of words and numbers, some of them empty, and a number that follows them."""
    rng = np.random.default_rng(seed)
    names = [f"word {i}" for i in range(40)]
    weights = dict(zip(names, rng.standard_normal(40), strict=True))
    rows = []
    for _ in range(n):
        row = {name: float(rng.normal()) for name in rng.permutation(names)[: rng.integers(0, 9)]}
        rows.append(
            (row, sum(weights[name] * x for name, x in row.items()) + 0.3 + 0.2 * float(rng.normal()))
        )
    return rows


def assert_same(one: Any, other: Any) -> None:
    """The same weights, feature by feature, and intercepts."""
    assert one.weights.keys() == other.weights.keys()
    for name, weight in other.weights.items():
        assert one.weights[name] == pytest.approx(weight, rel=1e-7, abs=1e-12)
    assert one.intercept == pytest.approx(other.intercept, rel=1e-7, abs=1e-12)


@pytest.mark.parametrize("learn_intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_the_classifier_has_rivers_weights_and_probabilities(
    mode: int, C: float, learn_intercept: bool
) -> None:
    """In every mode, with an intercept and without, round by round."""
    given = {"C": C, "mode": mode, "learn_intercept": learn_intercept}
    one, other = ours.PAClassifier(**given), linear_model.PAClassifier(**given)
    for x, y in stream(1):
        assert one.predict_one(x) == other.predict_one(x)
        assert one.predict_proba_one(x)[True] == pytest.approx(other.predict_proba_one(x)[True], rel=1e-7)
        one.learn_one(x, y > 0)
        other.learn_one(x, y > 0)
    assert_same(one, other)


@pytest.mark.parametrize("learn_intercept", [True, False])
@pytest.mark.parametrize("eps", [0.0, 0.1, 2.0])
@pytest.mark.parametrize("mode", [0, 1, 2])
def test_the_regressor_has_rivers_weights_and_predictions_by_the_papers_loss(
    mode: int, eps: float, learn_intercept: bool
) -> None:
    """In every mode, round by round, once river measures errors from targets: it takes a target y for a label, 2 y - 1."""
    given = {"C": 0.1, "mode": mode, "eps": eps, "learn_intercept": learn_intercept}
    one, other = ours.PARegressor(**given), linear_model.PARegressor(**given)
    other.loss = lambda target, said: max(abs(target - said) - eps, 0.0)
    for x, y in stream(2):
        assert one.predict_one(x) == pytest.approx(other.predict_one(x), rel=1e-7, abs=1e-9)
        one.learn_one(x, y)
        other.learn_one(x, y)
    assert_same(one, other)


@pytest.mark.parametrize("right", [1, True, np.True_])
@pytest.mark.parametrize("wrong", [0, False, np.False_])
def test_answers_may_be_numbers(right: Any, wrong: Any) -> None:
    """As with river's; columns may have numbers for names, beside words that look like them."""
    one, other = ours.PAClassifier(), linear_model.PAClassifier()
    for x, y in [({0: 1.0, 1: 2.0}, right), ({1: 1.0, "0": 1.0}, wrong), ({"0": 2.0, 2: 1.0}, right)] * 3:
        one.learn_one(x, y)
        other.learn_one(x, y)
    assert_same(one, other)


def test_thousands_of_names_share_no_weight() -> None:
    """Names are not hashed."""
    one, other = ours.PAClassifier(), linear_model.PAClassifier()
    rng = np.random.default_rng(3)
    for _ in range(2000):
        x = {f"n{i}": 1.0 for i in rng.integers(0, 20_000, 5)}
        y = bool(rng.integers(2))
        one.learn_one(x, y)
        other.learn_one(x, y)
    assert_same(one, other)


def test_they_stand_in_rivers_pipelines() -> None:
    """With a scaler before them, and a metric."""
    metric, theirs = metrics.Accuracy(), metrics.Accuracy()
    pipes = [
        compose.Pipeline(preprocessing.StandardScaler(), model)
        for model in (ours.PAClassifier(C=0.1), linear_model.PAClassifier(C=0.1))
    ]
    for x, y in stream(4):
        x = {f"{i}": x.get(f"word {i}", 0.0) for i in range(5)}
        for pipe, counted in zip(pipes, (metric, theirs), strict=True):
            counted.update(y > 0, pipe.predict_one(x))
            pipe.learn_one(x, y > 0)
    assert metric.get() == theirs.get() > 0.5


def test_a_clone_has_the_parameters_and_none_of_the_knowledge() -> None:
    """As river wants it; the model inside is ours, and explains."""
    model = ours.PAClassifier(C=0.5, mode=2)
    model.learn_one({"money": 1.0}, True)
    twin = model.clone()

    assert (twin.C, twin.mode, twin.weights) == (0.5, 2, {})
    assert model.model.explain({"money": 1.0}).contributions[0].feature == "money"


def test_what_is_no_answer_or_no_mode_is_refused() -> None:
    """By name, and nothing is learned."""
    model = ours.PAClassifier()
    with pytest.raises(DataError, match="y must be True or False, got -1"):
        model.learn_one({"money": 1.0}, -1)
    assert model.weights == {}
    with pytest.raises(ParameterError, match="PAClassifier: mode must be one of 0, 1, 2, got 3"):
        ours.PAClassifier(mode=3)
    with pytest.raises(ParameterError, match="PARegressor: C must be greater than 0"):
        ours.PARegressor(C=0)


@pytest.mark.parametrize("model", [ours.PAClassifier(), ours.PARegressor()], ids=str)
def test_they_pass_rivers_own_checks(model: Any) -> None:
    """What river asks of its own models, these do."""
    checks.check_estimator(model)
