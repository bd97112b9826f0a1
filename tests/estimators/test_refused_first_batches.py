"""A first batch that is refused at its first example leaves a model as if it had never come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from onlinear import (
    AROWClassifier,
    AROWRegressor,
    MultilabelRanker,
    PassiveAggressiveOneClass,
    PassiveAggressiveRegressor,
    SequenceLabeler,
)
from onlinear.exceptions import NumericError
from tests.estimators.roster import plain

#: Finite, but their squares are not.
HUGE = np.full((2, 40), 3e38, dtype=np.float32)
GOOD = np.random.default_rng(0).standard_normal((6, 40)).astype(np.float32)

MODELS = [
    plain(AROWClassifier),
    plain(AROWClassifier, constraints="all"),
    plain(AROWRegressor),
    plain(AROWRegressor, covariance="full"),
    plain(PassiveAggressiveRegressor),
    plain(PassiveAggressiveOneClass),
    plain(MultilabelRanker, rule="arow"),
]


def answers(model: Any, n: int) -> Any:
    """What a model of this kind is taught; a ranker learns nothing of an example with the only label there is."""
    if isinstance(model, MultilabelRanker):
        return np.eye(3, dtype=int)[np.arange(n) % 3]
    return np.arange(n) % 3 if hasattr(type(model), "classes_") else np.arange(n) / 2


@pytest.mark.parametrize("model", MODELS, ids=str)
@pytest.mark.parametrize("method", ["partial_fit", "fit"])
def test_a_model_refused_at_its_first_example_is_not_fitted(model: Any, method: str) -> None:
    """And learns what comes next like a model to which nothing ever came, however wide that is."""
    model = clone(model).set_params(dtype="float32")
    twin = clone(model)

    with pytest.raises(NumericError, match="row [01]"):
        getattr(model, method)(HUGE, answers(model, 2))
    assert not model.__sklearn_is_fitted__()
    assert not hasattr(model, "n_features_in_")
    with pytest.raises(NotFittedError):
        model.predict(GOOD)

    y = answers(model, 6)
    assert model.partial_fit(GOOD[:, :7], y).digest() == twin.partial_fit(GOOD[:, :7], y).digest()


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_fit_refused_at_its_first_example_leaves_the_model_before_it(model: Any) -> None:
    """Starting anew comes to nothing."""
    model = clone(model).set_params(dtype="float32").fit(GOOD, answers(model, 6))
    before = model.digest()
    with pytest.raises(NumericError):
        model.fit(HUGE, answers(model, 2))
    assert model.digest() == before


def test_a_labeler_refused_at_its_first_sequence_is_not_fitted() -> None:
    """Sequences are examples, too."""
    model = SequenceLabeler(rule="arow", dtype="float32")
    sentence = [[{"a": 3e38, "b": 3e38}, {"c": 3e38}]]
    for method in (model.partial_fit, model.fit):
        with pytest.raises(NumericError):
            method(sentence, [["X", "Y"]])
        with pytest.raises(NotFittedError):
            model.predict(sentence)
    twin = SequenceLabeler(rule="arow", dtype="float32")
    small = [[["a"], ["b"]]], [["Y", "X"]]
    assert model.partial_fit(*small).digest() == twin.partial_fit(*small).digest()
    assert model.classes_.tolist() == twin.classes_.tolist() == ["Y", "X"]
