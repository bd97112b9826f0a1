"""Many dense rows at once are learned with means and variances taken apart; no bit tells."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import onlinear
from onlinear import belief, rule, task
from onlinear.exceptions import DataError, NumericError
from tests.estimators.roster import plain
from tests.estimators.streams import dense_stream

#: About whole vectors and pairs of them, and past the length at which sums are folded.
WIDTHS = [1, 6, 7, 8, 14, 15, 16, 17, 31, 63, 64, 65, 1023, 1024, 1040]

MODELS: dict[str, Any] = {
    "arow-drop": lambda **p: onlinear.AROWClassifier(projection="drop", **p),
    "arow-kl": lambda **p: onlinear.AROWClassifier(projection="kl", **p),
    "scw": lambda **p: onlinear.SoftConfidenceWeightedClassifier(**p),
    "cw-exact": lambda **p: onlinear.ConfidenceWeightedClassifier(projection="exact", **p),
    "nherd": lambda **p: onlinear.NHERDClassifier(**p),
}

every_model = pytest.mark.parametrize("name", list(MODELS))
every_type = pytest.mark.parametrize("dtype", ["float32", "float64"])


def learned_at_once(name: str, X: Any, y: Any, dtype: str) -> Any:
    """The model after one call."""
    return MODELS[name](dtype=dtype).partial_fit(X, y, classes=[0, 1])


def learned_one_by_one(name: str, X: Any, y: Any, dtype: str) -> Any:
    """The model after a call for each row, each too short to take anything apart for."""
    model = MODELS[name](dtype=dtype)
    for i in range(len(y)):
        model.partial_fit(X[i : i + 1], y[i : i + 1], classes=[0, 1])
    return model


@every_model
@every_type
@pytest.mark.parametrize("width", WIDTHS)
def test_a_row_is_learned_alike_in_any_company(name: str, dtype: str, width: int) -> None:
    """Also by its score before it is learned, and by the scores of what was learned."""
    stream = dense_stream(n=40, d=width, seed=width, dtype=dtype)
    at_once = learned_at_once(name, stream.X, stream.y, dtype)
    one_by_one = learned_one_by_one(name, stream.X, stream.y, dtype)

    assert at_once.digest() == one_by_one.digest()
    assert at_once.n_updates_ == one_by_one.n_updates_ > 0


@every_type
def test_values_far_apart_are_learned_alike(dtype: str) -> None:
    """Where a weight comes near the end of its type, means are measured in the middle of a call."""
    stream = dense_stream(n=60, d=20, seed=5, dtype=dtype)
    X = stream.X * np.logspace(-12, 12, 20, dtype=dtype)
    y = stream.y.copy()
    X[30] *= X.dtype.type(1e-20)
    at_once, one_by_one = (
        learned_at_once("arow-drop", X, y, dtype),
        learned_one_by_one("arow-drop", X, y, dtype),
    )

    assert at_once.digest() == one_by_one.digest()


@every_model
def test_a_refused_row_leaves_nothing_behind(name: str) -> None:
    """Wherever in the call it stands."""
    stream = dense_stream(n=60, d=9, seed=2)
    model = learned_at_once(name, stream.X, stream.y, "float32")
    before = model.digest()
    for row in (0, 1, 17, 59):
        spoiled = stream.X.copy()
        spoiled[row, 4] = np.nan
        with pytest.raises(DataError, match=f"row {row}"):
            model.partial_fit(spoiled, stream.y)
        assert model.digest() == before


@every_type
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_a_bad_value_is_found_whatever_its_row_weighs(dtype: str, bad: float, weight: float) -> None:
    """Row and column are named, though most rows are looked at only when they are learned."""
    stream = dense_stream(n=60, d=9, seed=2, dtype=dtype)
    model = learned_at_once("arow-kl", stream.X, stream.y, dtype)
    before = model.digest()
    weights = np.ones(60)
    weights[41] = weight
    X = stream.X.copy()
    X[41, 8] = bad

    with pytest.raises(DataError, match=r"row 41, column 8\b"):
        model.partial_fit(X, stream.y, sample_weight=weights)
    assert model.digest() == before


@every_type
def test_values_whose_squares_overflow_are_told_from_bad_ones(dtype: str) -> None:
    """They are numbers; it is the score's variance that is none."""
    stream = dense_stream(n=60, d=9, seed=2, dtype=dtype)
    X = stream.X.copy()
    X[41] = 1e30 if dtype == "float32" else 1e200
    with pytest.raises(NumericError, match="row 41"):
        plain(onlinear.AROWClassifier, projection="kl", dtype=dtype).partial_fit(X, stream.y)


@every_type
@pytest.mark.parametrize("width", WIDTHS)
def test_scores_of_many_rows_are_those_of_each(dtype: str, width: int) -> None:
    """Up to the order in which they are summed, and as from sparse rows."""
    stream = dense_stream(n=200, d=width, seed=width, dtype=dtype)
    model = learned_at_once("arow-kl", stream.X, stream.y, dtype)
    many = model.decision_function(stream.X)
    exact = stream.X.astype(np.float64) @ model.coef_[0] + model.intercept_[0]
    size = np.abs(stream.X.astype(np.float64)) @ np.abs(model.coef_[0]) + np.abs(model.intercept_[0])
    tolerance = (1e-6 if dtype == "float32" else 1e-14) * size

    assert (np.abs(many - exact) <= tolerance).all()
    assert (np.abs(many - model.decision_function(sp.csr_array(stream.X))) <= tolerance).all()
    assert (np.abs(many[:1] - model.decision_function(stream.X[:1])) <= tolerance[:1]).all()
    spoiled = stream.X.copy()
    spoiled[150, width - 1] = np.nan
    with pytest.raises(DataError, match=f"row 150, column {width - 1}\\b"):
        model.decision_function(spoiled)


def test_truncated_weights_are_learned_alike() -> None:
    """A model that is cut after every step is never taken apart."""
    stream = dense_stream(n=60, d=30, seed=8)
    at_once, one_by_one = (
        onlinear.Learner(task=task.Binary(), rule=rule.Arow(), belief=belief.Diagonal(), truncation=0.01)
        for _ in range(2)
    )
    at_once.learn(stream.X, stream.y)
    for i in range(len(stream)):
        one_by_one.learn(stream.X[i : i + 1], stream.y[i : i + 1])

    assert at_once.digest() == one_by_one.digest()
    assert (at_once.mean == 0).any()
