"""What river asks beyond one example at a time: data frames, grids of parameters, scores with bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from river import compose, preprocessing, utils
from river.base import MiniBatchClassifier, MiniBatchRegressor

from onlinear import AROWClassifier, AROWRegressor, MultilabelRanker, PassiveAggressiveOneClass
from onlinear.integrations.river import as_river


def frame(n: int = 40) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
    """Two columns of numbers and one of words, with an index of its own."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(["x", "y"], size=n)},
        index=range(100, 100 + n),
    )
    return X, (X["a"] - X["b"]).to_numpy()


@pytest.mark.parametrize("kind", ["classes", "targets"])
def test_data_frames_are_learned_and_answered_as_their_rows(kind: str) -> None:
    """`learn_many` leaves the bits of `learn_one`, `predict_many` gives the answers of `predict_one` in its index."""
    X, target = frame()
    estimator: Any = AROWClassifier() if kind == "classes" else AROWRegressor()
    y = pd.Series(np.where(target > 0, "more", "less") if kind == "classes" else target, index=X.index)
    together, apart = as_river(estimator), as_river(estimator)
    assert isinstance(together, MiniBatchClassifier if kind == "classes" else MiniBatchRegressor)

    together.learn_many(X.iloc[:25], y.iloc[:25])
    together.learn_many(X.iloc[25:], y.iloc[25:])
    rows = X.to_dict(orient="records")
    for x, answer in zip(rows, y.tolist(), strict=True):
        apart.learn_one(x, answer)

    assert together.model.digest() == apart.model.digest()
    found = together.predict_many(X)
    assert found.tolist() == [apart.predict_one(x) for x in rows]
    assert found.index.equals(X.index)
    if kind == "classes":
        proba = together.predict_proba_many(X)
        assert proba.to_dict(orient="records") == [apart.predict_proba_one(x) for x in rows]
        assert proba.index.equals(X.index)


def test_a_pipeline_of_river_learns_data_frames() -> None:
    """Behind a transformer that works on data frames, too."""
    X, target = frame(200)
    X, y = X[["a", "b"]], pd.Series(target > 0, index=X.index)
    model = compose.Pipeline(preprocessing.StandardScaler(), as_river(AROWClassifier()))
    for start in range(0, 200, 50):
        model.learn_many(X.iloc[start : start + 50], y.iloc[start : start + 50])

    assert (model.predict_many(X) == y).mean() > 0.95


def test_parameters_are_those_of_the_estimator_in_grids_and_clones() -> None:
    """`expand_param_grid` reaches them alone and inside a pipeline; what is no parameter is refused by name."""
    single = utils.expand_param_grid(as_river(AROWClassifier()), {"r": [0.1, 1.0], "covariance": ["full"]})
    assert [(m.model.r, m.model.covariance) for m in single] == [(0.1, "full"), (1.0, "full")]

    pipeline = preprocessing.StandardScaler() | as_river(AROWClassifier(r=3.0))
    piped = utils.expand_param_grid(pipeline, {"RiverClassifier": {"r": [0.1, 1.0, 2.0]}})
    assert [m["RiverClassifier"].estimator.r for m in piped] == [0.1, 1.0, 2.0]
    assert pipeline["RiverClassifier"].estimator.r == 3.0
    for estimator in (AROWRegressor(), MultilabelRanker(), PassiveAggressiveOneClass()):
        assert type(as_river(estimator).clone()).__name__ == type(as_river(estimator)).__name__
    with pytest.raises(ValueError, match="Invalid parameter 'rr'"):
        as_river(AROWClassifier()).clone({"rr": 1.0})


def test_a_clone_with_attributes_knows_what_was_learned() -> None:
    """River copies a model so where it lets copies go on."""
    model = as_river(AROWClassifier())
    model.learn_one({"a": 1.0}, True)
    model.learn_one({"b": 1.0}, False)

    twin = model.clone(include_attributes=True)
    assert twin.model.digest() == model.model.digest()
    twin.learn_one({"a": 1.0}, False)
    assert twin.model.digest() != model.model.digest()


def test_the_score_of_an_anomaly_lies_between_0_and_1() -> None:
    """Zero before anything is known, one half on the edge of the ball, near one far away, rising with the distance."""
    model = as_river(PassiveAggressiveOneClass(radius=1.0))
    assert model.score_one({"warmth": 2.0}) == 0.0
    for warmth in (2.0, 2.5, 1.5) * 50:
        model.learn_one({"warmth": warmth})

    distances = [model.model.score_one({"warmth": w}) for w in (2.0, 3.0, 5.0, 1e6)]
    scores = [model.score_one({"warmth": w}) for w in (2.0, 3.0, 5.0, 1e6)]
    assert scores == sorted(scores)
    assert 0 <= scores[0] < 0.5 < scores[2] < scores[3] < 1
    radius = model.model.radius_
    assert scores == [d / (d + radius) for d in distances]
