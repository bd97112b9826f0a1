"""What no task can learn is refused by every estimator, with a reason, and leaves the model as it was."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from onlinear import (
    AROWClassifier,
    AROWRegressor,
    MultilabelRanker,
    PassiveAggressiveOneClass,
    PassiveAggressiveRegressor,
    SequenceLabeler,
)

X = np.random.default_rng(0).standard_normal((6, 3))
Y: dict[str, Any] = {
    "numbers": np.arange(6.0),
    "none": None,
    "sets": [["a"], ["b"], ["a", "b"], [], ["c"], ["b"]],
    "classes": [0, 1, 2, 0, 1, 2],
}
COSTS = [[0, 1, 2], [1, 0, 1], [5, 1, 0]]

Bad = tuple[str, Callable[[Any], Any], str]

ROWS: list[Bad] = [
    ("NaN", lambda y: (np.where(np.eye(6, 3) > 0, np.nan, X), y), "NaN"),
    ("infinity", lambda y: (np.where(np.eye(6, 3) > 0, np.inf, X), y), "infinity"),
    ("NaN in CSR", lambda y: (csr_matrix(np.where(np.eye(6, 3) > 0, np.nan, X)), y), "NaN"),
    ("too wide", lambda y: (np.ones((6, 4)), y), "features"),
    ("too narrow", lambda y: (np.ones((6, 2)), y), "features"),
    ("ragged", lambda y: ([[1.0, 2.0, 3.0], [1.0]], None if y is None else y[:2]), ""),
    ("words", lambda y: (np.full((6, 3), "a"), y), ""),
    ("one row only", lambda y: (X[0], y), ""),
]
ANSWERS: dict[str, list[Bad]] = {
    "numbers": [
        ("NaN target", lambda y: (X, [0, 1, np.nan, 3, 4, 5]), "NaN"),
        ("infinite target", lambda y: (X, [0, 1, 2, 3, 4, -np.inf]), "infinity"),
        ("words as targets", lambda y: (X, list("abcdef")), ""),
        ("too few targets", lambda y: (X, y[:5]), ""),
        ("no targets", lambda y: (X, None), "None"),
    ],
    "none": [],
    "sets": [
        ("a label that is no list", lambda y: (X, [["a"], "b", ["a"], [], ["c"], ["b"]]), "must be a list"),
        ("words and numbers", lambda y: (X, [["a"], [1], ["a"], [], ["c"], ["b"]]), "mixes"),
        ("too few sets", lambda y: (X, y[:5]), "examples"),
        ("numbers other than 0 and 1", lambda y: (X, np.full((6, 3), 2)), "only 0 and 1"),
        ("one label each", lambda y: (X, list("abcabc")), "form it had before"),
        ("no sets", lambda y: (X, None), "None"),
    ],
    "classes": [
        ("a class without costs", lambda y: (X, [0, 1, 2, 0, 1, 9]), "cost_matrix does not know"),
        ("NaN as a class", lambda y: (X, [0, 1, 2, 0, 1, np.nan]), ""),
    ],
}
MODELS: list[tuple[Any, str]] = [
    (AROWRegressor(), "numbers"),
    (AROWRegressor(covariance="full"), "numbers"),
    (PassiveAggressiveRegressor(average=True), "numbers"),
    (PassiveAggressiveOneClass(), "none"),
    (PassiveAggressiveOneClass(max_radius=2.0), "none"),
    (MultilabelRanker(), "sets"),
    (MultilabelRanker(rule="scw1"), "sets"),
    (AROWClassifier(cost_matrix=COSTS), "classes"),
    (AROWClassifier(cost_matrix=COSTS, cost_update="max_loss"), "classes"),
]
CASES = [
    pytest.param(model, kind, bad, id=f"{type(model).__name__}-{number}-{bad[0]}")
    for number, (model, kind) in enumerate(MODELS)
    for bad in [*ROWS, *ANSWERS[kind]]
]


@pytest.mark.parametrize(("pattern", "kind", "bad"), CASES)
def test_a_refused_batch_teaches_nothing(pattern: Any, kind: str, bad: Bad) -> None:
    """The state's hash is the same before and after, and the reason is told; `fit` keeps the old model too."""
    from sklearn.base import clone

    _, broken, message = bad
    model = clone(pattern).partial_fit(X, Y[kind])
    before, width = model.digest(), model.n_features_in_
    given, answers = broken(Y[kind])
    with pytest.raises((ValueError, TypeError), match=message or None):
        model.partial_fit(given, answers)
    assert (model.digest(), model.n_features_in_) == (before, width)
    if bad[0] not in (
        "too wide",
        "too narrow",
        "one label each",
    ):  # `fit` starts anew and may be of another kind
        with pytest.raises((ValueError, TypeError)):
            model.fit(given, answers)
        assert (model.digest(), model.n_features_in_) == (before, width)
    model.partial_fit(X, Y[kind])
    assert model.digest() != before


@pytest.mark.parametrize(("pattern", "kind"), MODELS, ids=lambda value: str(value)[:60])
@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 1e300, object(), {}, [1.0]],
    ids=lambda value: type(value).__name__ + ("" if type(value) is object else f" {value}"),
)
def test_a_refused_dict_teaches_nothing(pattern: Any, kind: str, value: Any) -> None:
    """Neither its features nor its label stay."""
    from sklearn.base import clone

    answer = {"numbers": 1.0, "none": None, "sets": ["a", "new"], "classes": 1}[kind]
    model = clone(pattern).set_params(dtype="float32")
    if getattr(model, "covariance", "") == "full":
        model.set_params(bits=4)
    first = {"numbers": 2.0, "none": None, "sets": ["a", "b"], "classes": 0}[kind]
    if kind == "classes":
        model.partial_fit(X, Y[kind])
    model.learn_one({0: 1.0, 1: 2.0}, first)
    before = model.digest()
    with pytest.raises((ValueError, TypeError)):
        model.learn_one({0: 1.0, 7: value}, answer)

    assert model.digest() == before


@pytest.mark.parametrize("target", [float("nan"), float("inf"), "word", None, [1.0]], ids=str)
def test_a_bad_target_of_a_dict_teaches_nothing(target: Any) -> None:
    """One number, and a finite one."""
    for model in (AROWRegressor(), PassiveAggressiveRegressor()):
        model.learn_one({"a": 1.0}, 2.0)
        before = model.digest()
        with pytest.raises((ValueError, TypeError)):
            model.learn_one({"b": 1.0}, target)
        assert model.digest() == before


@pytest.mark.parametrize("weight", [float("nan"), -1.0, float("inf"), "heavy"], ids=str)
def test_bad_weights_teach_nothing(weight: Any) -> None:
    """Of rows and of whole sequences."""
    for pattern, kind in MODELS:
        from sklearn.base import clone

        model = clone(pattern).partial_fit(X, Y[kind])
        before = model.digest()
        with pytest.raises((ValueError, TypeError)):
            model.partial_fit(X, Y[kind], sample_weight=[1.0, weight, 1.0, 1.0, 1.0, 1.0])
        assert model.digest() == before
    labeler = SequenceLabeler().partial_fit([[["a"]]], [["N"]])
    before = labeler.digest()
    with pytest.raises((ValueError, TypeError)):
        labeler.partial_fit([[["b"]]], [["V"]], sample_weight=[weight])
    assert labeler.digest() == before
    assert labeler.classes_.tolist() == ["N"]


@pytest.mark.parametrize(
    ("sequence", "labels", "message"),
    [
        (np.empty((0, 3)), [], "no labels|empty"),
        (np.ones((2, 4)), [0, 1], "4 features a token, the sequences before it 3"),
        (np.full((2, 3), np.nan), [0, 1], "NaN"),
        (np.ones((2, 3)), [0], "2 tokens and 1 labels"),
        (np.ones(3), [0, 1, 2], ""),
        ([["named"]], [0], "arrays of numbers"),
    ],
)
def test_a_bad_sequence_of_arrays_teaches_nothing(sequence: Any, labels: list[int], message: str) -> None:
    """Empty, ragged, not finite, of another kind: also when good ones stand before it."""
    model = SequenceLabeler(dtype="float64").partial_fit([X[:2]], [[0, 1]])
    before = model.digest()
    with pytest.raises((ValueError, TypeError), match=message or None):
        model.partial_fit([X[:3], sequence], [[2, 3, 4], labels])

    assert model.digest() == before
    assert model.classes_.tolist() == [0, 1]
