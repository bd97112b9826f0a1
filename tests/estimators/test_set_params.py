"""Parameters that change after learning has begun."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear import (
    AROWClassifier,
    AROWRegressor,
    MultilabelRanker,
    PassiveAggressiveClassifier,
    PassiveAggressiveOneClass,
    PassiveAggressiveRegressor,
    SequenceLabeler,
)
from onlinear.exceptions import ParameterError
from tests.estimators.roster import plain

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = (X[:, 0] + 0.1 * RNG.normal(size=60) > 0).astype(int)
MANY = np.argmax(X[:, :3], axis=1)


def weights(model: Any) -> Any:
    """What a model has learned."""
    return model.model_.learner.state()["mean"]


MODELS = {
    "two classes": (lambda: plain(PassiveAggressiveClassifier), Y),
    "three classes": (lambda: plain(PassiveAggressiveClassifier), MANY),
    "all constraints": (lambda: plain(PassiveAggressiveClassifier, constraints="all"), MANY),
    "regression": (lambda: plain(PassiveAggressiveRegressor), X[:, 1]),
    "one class": (lambda: plain(PassiveAggressiveOneClass), None),
}


@pytest.mark.parametrize("name", MODELS)
def test_partial_fit_learns_with_the_new_rate(name: str) -> None:
    """A rate of almost nothing changes almost nothing."""
    make, y = MODELS[name]
    model = make().partial_fit(X[:30], None if y is None else y[:30])
    before = weights(model).copy()
    seen = model.n_seen_
    model.set_params(C=1e-12).partial_fit(X[30:], None if y is None else y[30:])

    np.testing.assert_allclose(weights(model), before, atol=1e-9)
    assert model.n_seen_ == seen + 30
    if y is not None and y.dtype == int:
        assert model.classes_.tolist() == sorted(set(y.tolist()))


def test_fit_goes_on_with_the_new_rate() -> None:
    """Where it goes on; else it starts anew with it."""
    model = PassiveAggressiveClassifier(warm_start=True, shuffle=False).fit(X, Y)
    before = weights(model).copy()
    np.testing.assert_allclose(weights(model.set_params(C=1e-12).fit(X, Y)), before, atol=1e-9)
    anew = PassiveAggressiveClassifier(C=0.5, shuffle=False).fit(X, Y)
    assert model.set_params(C=0.5, warm_start=False).fit(X, Y).digest() == anew.digest()


def test_learn_one_learns_with_the_new_rate() -> None:
    """Also where the example brings nothing new."""
    model = PassiveAggressiveClassifier()
    for row, label in zip(X, Y, strict=True):
        model.learn_one({f"x{i}": value for i, value in enumerate(row)}, label)
    before = weights(model).copy()
    words = model.model_.learner.handle.words()
    model.set_params(C=1e-12)
    for row, label in zip(X, Y, strict=True):
        model.learn_one({f"x{i}": value for i, value in enumerate(row)}, 1 - label)
    np.testing.assert_allclose(weights(model), before, atol=1e-9)
    assert model.model_.learner.handle.words() == words


@pytest.mark.parametrize("Model", [AROWClassifier, AROWRegressor])
def test_saved_and_loaded_it_goes_on_alike(Model: type[Any], tmp_path: Path) -> None:
    """The file has the new parameters, and the model learns by them."""
    model = Model().partial_fit(X[:30], Y[:30]).set_params(r=50.0)
    model.save(tmp_path / "m.safetensors")
    loaded = onlinear.load(tmp_path / "m.safetensors")
    assert loaded.digest() == model.digest()
    assert loaded.partial_fit(X[30:], Y[30:]).digest() == model.partial_fit(X[30:], Y[30:]).digest()


@pytest.mark.parametrize(
    "changed",
    [{"covariance": "full"}, {"average": True}, {"r": -1.0}, {"max_features": 2}, {"class_weight": "foo"}],
    ids=str,
)
def test_what_does_not_go_with_what_was_learned_is_refused(changed: dict[str, Any], tmp_path: Path) -> None:
    """When it would be learned or saved; the model is as it was and goes on once it is set back."""
    model = AROWClassifier(shuffle=False).partial_fit(X, Y)
    before, old = model.digest(), {name: getattr(model, name) for name in changed}
    model.set_params(**changed)
    for act in (
        lambda: model.partial_fit(X, Y),
        lambda: model.learn_one({0: 1.0}, 1),
        lambda: model.save(tmp_path / "m.safetensors"),
    ):
        with pytest.raises(ParameterError):
            act()
        assert model.digest() == before
    assert not list(tmp_path.iterdir())
    assert model.set_params(**old).partial_fit(X, Y).digest() != before


def test_a_ranker_follows_the_estimator_that_is_its_rule() -> None:
    """Through ``rule__C``."""
    y = [[int(a), 3] for a in MANY]
    model = plain(MultilabelRanker, rule=PassiveAggressiveClassifier(C=1.0)).partial_fit(X[:30], y[:30])
    before = weights(model).copy()
    model.set_params(rule__C=1e-12).partial_fit(X[30:], y[30:])
    np.testing.assert_allclose(weights(model), before, atol=1e-9)


SEQUENCES = [[["w=the"], ["w=cat"]], [["w=cats"], ["w=sleep"]], [["w=a"], ["w=dog"], ["w=runs"]]]
TAGS = [["D", "N"], ["N", "V"], ["D", "N", "V"]]


@pytest.mark.parametrize(
    "change", [{"rule": onlinear.rule.PassiveAggressive(C=1e-12)}, {"rule__C": 1e-12}], ids=str
)
def test_a_sequence_labeler_learns_with_the_new_rate(change: dict[str, Any]) -> None:
    """By a new rule, or through the classifier that is its rule; so does a copy."""
    model = SequenceLabeler(rule=PassiveAggressiveClassifier(C=1.0), average=False)
    model.partial_fit(SEQUENCES[:2], TAGS[:2])
    before = model.emissions_.copy()
    model.set_params(**change)
    copied = pickle.loads(pickle.dumps(model))
    model.partial_fit(SEQUENCES, TAGS)

    np.testing.assert_allclose(model.emissions_[:, : before.shape[1]], before, atol=1e-9)
    assert model.n_seen_ == 5
    assert copied.partial_fit(SEQUENCES, TAGS).digest() == model.digest()


def test_a_sequence_labeler_refuses_what_does_not_go_with_what_it_learned(tmp_path: Path) -> None:
    """A mean has no variances to go on with; `fit` starts anew with the new rule."""
    model = SequenceLabeler(rule="pa1", random_state=0).partial_fit(SEQUENCES, TAGS)
    before = model.digest()
    model.set_params(rule="arow")
    for act in (lambda: model.partial_fit(SEQUENCES, TAGS), lambda: model.save(tmp_path / "m.safetensors")):
        with pytest.raises(ParameterError, match="set_params"):
            act()
        assert model.digest() == before
    assert not list(tmp_path.iterdir())
    anew = SequenceLabeler(rule="arow", random_state=0).fit(SEQUENCES, TAGS)
    assert model.fit(SEQUENCES, TAGS).digest() == anew.digest()
