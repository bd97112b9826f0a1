"""The record of rounds: what the core says of each is what asking before every row would have found."""

from __future__ import annotations

import copy
import io
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

from onlinear import (
    AROWClassifier,
    AROWRegressor,
    MultilabelRanker,
    PassiveAggressiveClassifier,
    PassiveAggressiveOneClass,
    PassiveAggressiveRegressor,
    Perceptron,
    SoftConfidenceWeightedClassifier,
    read,
    rule,
)
from onlinear.exceptions import DataError, NumericError, ParameterError
from tests.estimators.roster import SETTINGS, plain
from tests.estimators.streams import dense_stream, sparse_stream
from tests.reference import bounds

#: Every field a classifier's rounds have.
EVERYTHING = (
    "score predicted margin required loss variance step gain norm weight cost rival mistake updated".split()
)


def recorded(model: Any, X: Any, y: Any, *fields: str, **options: Any) -> Any:
    """The record of one call."""
    return model.partial_fit(X, y, record=fields or EVERYTHING, **options).rounds_


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("maker", [dense_stream, sparse_stream], ids=["dense", "sparse"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_record_is_what_asking_before_every_row_finds(setting: Any, maker: Any, n_classes: int) -> None:
    """Answers and scores to the bit, mistakes and updates as they are counted; and the model is as without it."""
    stream = maker(n_classes=n_classes, seed=3)
    X, y = stream.X[:60], stream.y[:60]
    model = clone(setting).set_params(dtype="float64")
    plainly = clone(model).partial_fit(X, y)
    asked = clone(model)

    rounds = recorded(model, X, y)

    assert model.digest() == plainly.digest()
    assert rounds["predicted"][0] is None
    for i in range(len(y)):
        before = (0, 0)
        if i:
            before = asked.n_mistakes_, asked.n_updates_
            assert rounds["predicted"][i] == asked.predict(X[i : i + 1])[0]
        if i and y[i] in asked.classes_ and len(asked.classes_) > 1:
            score = np.ravel(asked.decision_function(X[i : i + 1]))
            known = score[0] if len(score) == 1 else score[asked.classes_.tolist().index(y[i])]
            assert rounds["score"][i] == known
        asked.partial_fit(X[i : i + 1], y[i : i + 1])
        assert (asked.n_mistakes_ - before[0], asked.n_updates_ - before[1]) == (
            int(rounds["mistake"][i]),
            int(rounds["updated"][i]),
        )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 4),
    covariance=st.sampled_from(["diagonal", "full"]),
    few=st.booleans(),
)
def test_margins_variances_and_steps_are_those_of_the_mathematics(
    seed: int, n_classes: int, covariance: str, few: bool
) -> None:
    """M = μ·δ and v = δᵀΣδ by NumPy from the weights before the round; the step by the rule itself."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3)).round(0 if few else 15)
    y = np.concatenate([np.arange(n_classes), rng.integers(n_classes, size=12 - n_classes)])
    model = plain(AROWClassifier, r=0.7, covariance=covariance, fit_intercept=False, dtype="float64")
    rounds = recorded(model, X, y, *EVERYTHING, classes=np.arange(n_classes))
    told = plain(AROWClassifier, r=0.7, covariance=covariance, fit_intercept=False, dtype="float64")
    told.partial_fit(np.zeros((1, 3)), [0], classes=np.arange(n_classes))  # nothing to learn

    for x, label, found in zip(X, y, rounds, strict=True):
        mean, sigma = told.model_.learner.handle.mean()[0], told.model_.learner.handle.covariance()
        if sigma is None:
            sigma = np.diag(told.model_.learner.handle.variance()[0].ravel())
        else:  # without the intercepts
            keep = np.arange(len(sigma)) % 4 != 0
            sigma = sigma[np.ix_(keep, keep)]
        scores = mean @ x
        delta = np.zeros_like(mean)
        if n_classes == 2:
            delta[0] = x if label else -x
        else:
            rival = int(np.argmax(np.where(np.arange(n_classes) == label, -np.inf, scores)))
            assert found["rival"] == rival
            delta[label], delta[rival] = x, -x
        margin, variance = float(np.sum(mean * delta)), float(delta.ravel() @ sigma @ delta.ravel())
        step = rule.Arow(r=0.7).step(margin, variance)
        taken = [step.mean, step.precision] if variance > 0 else [0, 0]  # an empty row teaches nothing
        assert_allclose(
            [found[name] for name in ("margin", "loss", "variance", "step", "gain", "norm")],
            [margin, max(0.0, 1 - margin), variance, *taken, np.linalg.norm(x)],
            rtol=1e-9,
            atol=1e-12,
        )
        assert found["required"] == found["weight"] == 1
        told.partial_fit(x[None, :], [label])


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@pytest.mark.parametrize("seed", range(5))
def test_a_bound_needs_no_more_than_the_record_and_the_comparators_loss(variant: Any, seed: int) -> None:
    """Passive-Aggressive, Lemma 1: sum τ (2 ℓ - τ v - 2 ℓ*) <= u², τ, ℓ and v from the record."""
    rng = np.random.default_rng(seed)
    X, u = rng.normal(size=(200, 4)), rng.normal(size=4)
    y = (X @ u + rng.normal(scale=0.5, size=200) > 0).astype(int)
    model = plain(PassiveAggressiveClassifier, variant=variant, fit_intercept=False, dtype="float64")

    rounds = recorded(model, X, y, "step", "loss", "variance", "norm", classes=[0, 1])

    rival = np.maximum(0, 1 - (2 * y - 1) * (X @ u))
    left, right = bounds.pa_lemma_1(rounds["step"], rounds["loss"], rounds["norm"] ** 2, rival, u)
    assert left <= right
    assert_allclose(rounds["variance"], rounds["norm"] ** 2, rtol=1e-12)


@pytest.mark.parametrize("scale", [None, "typical"])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("cls", [AROWRegressor, PassiveAggressiveRegressor])
def test_a_regressor_records_its_predictions_and_errors(cls: Any, average: bool, scale: Any) -> None:
    """The score is the prediction before, to the bit; the loss is what the error exceeds ε by."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = X @ [1.0, -2.0, 3.0] + 5
    model = cls(dtype="float64", average=average, scale=scale)
    if "epsilon" in model.get_params():
        model.set_params(epsilon=0.2)
    asked = clone(model)

    rounds = model.partial_fit(X, y, record=("score", "loss", "cost", "mistake", "updated")).rounds_

    for i in range(len(y)):
        if i:
            assert rounds["score"][i] == asked.predict(X[i : i + 1])[0]
        asked.partial_fit(X[i : i + 1], y[i : i + 1])
    assert model.digest() == asked.digest()
    assert rounds["mistake"].sum() == model.n_mistakes_
    assert_allclose(rounds["cost"].sum(), model.total_loss_, rtol=1e-12)
    if scale is None:
        epsilon = model.get_params().get("epsilon", 0.0)
        if not average:
            assert_allclose(rounds["loss"], np.maximum(0, np.abs(y - rounds["score"]) - epsilon), atol=1e-12)
            assert_allclose(rounds["cost"], np.abs(y - rounds["score"]), rtol=1e-12)


def test_updates_of_several_classes_and_costs_have_records_too() -> None:
    """The multipliers of all rivals together; the root of the cost as what is required."""
    stream = dense_stream(n_classes=3, seed=1)
    joint = plain(PassiveAggressiveClassifier, constraints="all", fit_intercept=False, dtype="float64")
    rounds = recorded(joint, stream.X, stream.y, classes=np.unique(stream.y))
    assert_array_equal(rounds["updated"], rounds["loss"] > 0)
    assert_array_equal(rounds["step"] > 0, rounds["updated"])
    assert_allclose(rounds["variance"], 2 * rounds["norm"] ** 2, rtol=1e-12)

    names = np.unique(stream.y).tolist()
    costs = {a: {b: 4.0 for b in names if b != a} for a in names}
    dear = plain(PassiveAggressiveClassifier, cost_matrix=costs, dtype="float64")
    rounds = recorded(dear, stream.X, stream.y)
    wrong = rounds["mistake"]
    assert_array_equal(rounds["required"], np.where(wrong, 2.0, 0.0))
    assert_array_equal(rounds["cost"], np.where(wrong, 4.0, 0.0))
    assert rounds["cost"].sum() == dear.total_cost_
    assert not rounds["loss"][~wrong].any()


@pytest.mark.parametrize("maker", [dense_stream, sparse_stream], ids=["dense", "sparse"])
def test_a_record_does_not_depend_on_how_the_stream_is_cut(maker: Any) -> None:
    """Of one call, of many, and of `fit_stream`, classes coming on the way."""
    stream = maker(n_classes=3, seed=2)
    whole = recorded(AROWClassifier(), stream.X, stream.y)
    batches = list(stream.batches(np.array([1, 2, 9, 30])))
    model = AROWClassifier()
    parts = [recorded(model, X, y) for X, y in batches]
    streamed = AROWClassifier().fit_stream(batches, record=EVERYTHING)

    assert np.concatenate(parts).tolist() == streamed.rounds_.tolist() == whole.tolist()
    assert streamed.digest() == model.digest()


def test_rows_of_a_file_have_the_record_of_the_same_rows_of_an_array() -> None:
    """Through `onlinear.read`, in batches of any size, words as classes, weights of zero included."""
    rng = np.random.default_rng(0)
    X = rng.integers(-2, 3, size=(50, 4)).astype(np.float32)
    y, w = rng.choice(["red", "green", "blue"], 50), rng.integers(0, 3, 50).astype(float)
    w[:3] = 0
    lines = "".join(
        f"{label} {weight:g} |f " + " ".join(f"{j}:{v:g}" for j, v in enumerate(x) if v) + "\n"
        for label, weight, x in zip(y, w, X, strict=True)
    )
    records = [
        AROWClassifier()
        .fit_stream(read(io.BytesIO(lines.encode()), "vw", labelled=True, batch_size=size), record=EVERYTHING)
        .rounds_
        for size in (7, 50)
    ]
    batch = next(read(io.BytesIO(lines.encode()), "vw", labelled=True))
    array = recorded(AROWClassifier(), batch.X, batch.y, sample_weight=batch.weight)

    assert str(records[0].tolist()) == str(records[1].tolist()) == str(array.tolist())
    assert_array_equal(array["weight"], w)


def test_a_row_of_no_weight_is_no_round() -> None:
    """It is answered, and nothing else; its place in the record is kept, before the first class too."""
    X, y = np.eye(4), ["a", "b", "a", "b"]
    rounds = recorded(Perceptron(), X, y, sample_weight=[0, 1, 0, 2])

    assert rounds["predicted"].tolist() == [None, None, "b", "b"]
    assert rounds["weight"].tolist() == [0, 1, 0, 2]
    for name in ("margin", "loss", "variance"):
        assert np.isnan(rounds[name]).tolist() == [True, False, True, False]
    assert rounds[["mistake", "updated"]][[0, 2]].tolist() == [(False, False)] * 2


def test_what_is_learned_before_a_step_overflows_is_in_the_record() -> None:
    """A refused row ends it, and a call that has learned nothing leaves the record there was."""
    stream = dense_stream(n=60, d=9, seed=2, dtype=np.float32)
    X = stream.X.copy()
    X[41] = 1e30
    model = plain(AROWClassifier, projection="kl")
    with pytest.raises(NumericError, match="row 41"):
        model.partial_fit(X, stream.y, record="score")
    assert len(model.rounds_) == model.n_seen_ == 41

    X[41] = np.nan
    with pytest.raises(DataError, match="NaN"):
        model.partial_fit(X, stream.y, record="score")
    assert len(model.rounds_) == model.n_seen_ == 41


def test_a_record_is_no_part_of_the_model() -> None:
    """Copies, pickles and clones have none, and calls that ask for none leave it as it is."""
    model = SoftConfidenceWeightedClassifier().partial_fit(np.eye(2), [0, 1], record="margin")
    model.partial_fit(np.eye(2), [0, 1])
    assert len(model.rounds_) == 2
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model)), clone(model)):
        with pytest.raises(AttributeError, match=r"rounds_.*record=\(\.\.\.\)"):
            _ = twin.rounds_
    assert pickle.loads(pickle.dumps(model)).digest() == model.digest()


def test_fields_that_are_not_there_are_refused_by_name() -> None:
    """A field's near miss is named, a class is no part of a regression, and twice is once too often."""
    X, y = np.eye(2), [0, 1]
    with pytest.raises(ParameterError, match=r"record must be one of .*Did you mean 'margin'"):
        AROWClassifier().partial_fit(X, y, record=("margins",))
    with pytest.raises(ParameterError, match="record must be one of"):
        AROWRegressor().partial_fit(X, y, record=("predicted",))
    with pytest.raises(ParameterError, match="each once"):
        AROWClassifier().partial_fit(X, y, record=("loss", "loss"))
    with pytest.raises(ParameterError, match="names of fields, got 3"):
        AROWClassifier().partial_fit(X, y, record=3)
    for model, batch in ((PassiveAggressiveOneClass(), (X, None)), (MultilabelRanker(), (X, [[0], [1]]))):
        with pytest.raises(ParameterError, match="leave record out"):
            model.fit_stream([batch], record="loss")
        assert not model.__sklearn_is_fitted__()
