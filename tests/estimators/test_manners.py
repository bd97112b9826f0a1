"""What a scikit-learn user takes for granted, and what only an online learner can offer."""

from __future__ import annotations

import copy
import io
import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import onlinear
from onlinear import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    KernelClassifier,
    Learner,
    NAROWClassifier,
    NHERDClassifier,
    NORMAClassifier,
    PassiveAggressiveClassifier,
    Perceptron,
    SecondOrderPerceptron,
    SoftConfidenceWeightedClassifier,
    belief,
    rule,
    task,
)
from onlinear.exceptions import NotAvailableError, OnlinearError, ParameterError
from tests.closed_lists import BELIEFS, RULES, defined_on
from tests.estimators.roster import CLASSIFIERS, SETTINGS, plain, settled
from tests.estimators.streams import dense_stream, sparse_stream

every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
every_class = pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
GAUSSIAN = [s for s in SETTINGS if clone(s).fit(np.eye(2), [0, 1]).model_.learner.handle.has_variance]
every_gaussian = pytest.mark.parametrize("setting", GAUSSIAN, ids=str)
# Models that keep examples have no weights to look at, unless their kernel is linear.
WEIGHTED = [s for s in SETTINGS if hasattr(clone(s).fit(np.eye(2), [0, 1]), "coef_")]
every_weighted = pytest.mark.parametrize("setting", WEIGHTED, ids=str)
every_weighted_gaussian = pytest.mark.parametrize(
    "setting", [s for s in GAUSSIAN if not isinstance(s, KernelClassifier)], ids=str
)


# ---------------------------------------------------------------------- containers


@every_setting
@pytest.mark.parametrize(
    "kind", ["pandas", "polars", "list", "fortran", "memmap", "read-only", "int", "bool-frame"]
)
def test_any_table_is_learned_alike(setting: Any, kind: str, tmp_path: Path) -> None:
    """The container makes no difference to what is learned."""
    X = np.round(dense_stream(n=30, d=4, n_classes=3, dtype=np.float64).X * 2)
    if kind == "bool-frame":
        X = X > 0
    y = (X.sum(axis=1) > 0).astype(int) + (X[:, 0] > 0)
    expected = clone(setting).set_params(dtype="float64").partial_fit(np.asarray(X, dtype=np.float64), y)
    model = clone(setting).set_params(dtype="float64").partial_fit(held(X, kind, tmp_path), y)

    assert model.digest() == expected.digest()
    assert_array_equal(
        model.predict(held(X, kind, tmp_path)), expected.predict(np.asarray(X, dtype=np.float64))
    )


def held(X: Any, kind: str, tmp_path: Path) -> Any:
    """The same table in another container."""
    names = [f"c{i}" for i in range(X.shape[1])]
    if kind in ("pandas", "bool-frame"):
        return pd.DataFrame(X, columns=names)
    if kind == "polars":
        return pl.DataFrame({name: X[:, i] for i, name in enumerate(names)})
    if kind == "list":
        return X.tolist()
    if kind == "fortran":
        return np.asfortranarray(X)
    if kind == "int":
        return X.astype(np.int8)
    if kind == "memmap":
        np.save(tmp_path / "x.npy", X)
        return np.load(tmp_path / "x.npy", mmap_mode="r")
    X = X.copy()
    X.setflags(write=False)
    return X


@every_setting
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "dok", "dia", "bsr"])
@pytest.mark.parametrize("container", ["array", "matrix"])
def test_any_sparse_format_is_learned_alike(setting: Any, kind: str, container: str) -> None:
    """All formats of scipy.sparse, arrays and matrices, mean the same rows."""
    stream = sparse_stream(n=20, d=6, n_classes=2, dtype=np.float64)
    given = sp.csr_matrix(stream.X) if container == "matrix" else stream.X
    expected = clone(setting).partial_fit(stream.X, stream.y)
    model = clone(setting).partial_fit(given.asformat(kind), stream.y)

    assert model.digest() == expected.digest()
    assert_array_equal(model.decision_function(given.asformat(kind)), expected.decision_function(stream.X))


@pytest.mark.parametrize("index", [np.int32, np.int64])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_memory_mapped_csr_arrays_are_read_in_place(index: Any, dtype: Any, tmp_path: Path) -> None:
    """Read-only memory maps of either index width and float type are learned without a copy."""
    stream = sparse_stream(n=50, d=10, dtype=dtype)
    parts = {
        "data": stream.X.data,
        "indices": stream.X.indices.astype(index),
        "indptr": stream.X.indptr.astype(index),
    }
    for name, part in parts.items():
        np.save(tmp_path / f"{name}.npy", part)
    mapped = sp.csr_array(stream.X.shape, dtype=dtype)
    mapped.data, mapped.indices, mapped.indptr = (
        np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in ("data", "indices", "indptr")
    )

    expected = AROWClassifier().fit(stream.X, stream.y)
    model = AROWClassifier(random_state=0).partial_fit(mapped, stream.y)
    assert model.digest() == AROWClassifier().partial_fit(stream.X, stream.y).digest()
    assert_allclose(expected.decision_function(mapped), expected.decision_function(stream.X))


def test_frames_of_several_types_take_the_widest_float() -> None:
    """One float64 column makes a float64 state; float32 and integers a float32 one."""
    frame = pd.DataFrame({"a": np.array([0, 1], dtype=np.float32), "b": np.array([1, 0], dtype=np.int16)})
    assert AROWClassifier().fit(frame, [0, 1]).model_.learner.dtype == "float32"
    assert AROWClassifier().fit(frame.astype({"a": np.float64}), [0, 1]).model_.learner.dtype == "float64"
    assert AROWClassifier(dtype="float64").fit(frame, [0, 1]).model_.learner.dtype == "float64"
    assert AROWClassifier().fit(np.eye(2, dtype=np.float32), [0, 1]).model_.learner.dtype == "float32"
    assert AROWClassifier().fit(np.eye(2), [0, 1]).model_.learner.dtype == "float64"
    assert AROWClassifier().learn_one({"a": 1.0}, 0).model_.learner.dtype == "float32"


# ---------------------------------------------------------------------- names


@every_setting
def test_keys_of_dicts_are_matched_to_column_names(setting: Any) -> None:
    """A model fitted on named columns takes dicts by name; unknown names say nothing, learned ones are added."""
    frame = pd.DataFrame(dense_stream(n=20, d=3).X, columns=["a", "b", "c"])
    model = clone(setting).partial_fit(frame, dense_stream(n=20, d=3).y)
    row = {"c": 0.5, "a": -1.0, "b": 2.0}

    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.predict_one(row) == model.predict(pd.DataFrame([row])[["a", "b", "c"]])[0]
    assert model.predict_proba_one({**row, "unknown": 9.0}) == model.predict_proba_one(row)
    model.learn_one({**row, "d": 1.0}, 0)
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "d"]
    assert model.n_features_in_ == 4
    with pytest.raises(ValueError, match="feature index 9 is past the 4 named columns"):
        model.learn_one({9: 1.0}, 0)


def test_columns_in_another_order_are_refused() -> None:
    """scikit-learn's contract for named columns."""
    frame = pd.DataFrame(np.eye(2), columns=["a", "b"])
    model = AROWClassifier().fit(frame, [0, 1])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["b", "a"]])


def test_words_are_remembered_and_explain_speaks_in_them() -> None:
    """A column keeps its first word; a string is a category; what nobody has learned is called as the example calls it."""
    model = AROWClassifier()
    for _ in range(3):
        model.learn_one({"free": 2.0, "colour": "red"}, "spam").learn_one(
            {"meeting": 1.0, "colour": "blue"}, "ham"
        )
    told = {
        item.feature: item.contribution
        for item in model.explain({"free": 1.0, "colour": "red", "never": 1.0}).contributions
    }

    assert told.keys() == {"free", "colour=red", "never"}
    assert told["free"] > 0 == told["never"]


def test_the_same_category_named_twice_is_one_feature() -> None:
    """{"c": "x", "c=x": 1} adds up, also where columns have names."""
    model = AROWClassifier().partial_fit(pd.DataFrame(np.eye(2), columns=["a", "b"]), [0, 1])
    model.learn_one({"c": "x", "c=x": 1.0}, 1)
    assert model.feature_names_in_.tolist() == ["a", "b", "c=x"]
    model.learn_one({"d": 1.0}, 0)
    assert model.feature_names_in_.tolist() == ["a", "b", "c=x", "d"]
    assert model.n_features_in_ == 4


# ---------------------------------------------------------------------- labels


@pytest.mark.parametrize(
    "labels",
    [["no", "yes"], [0, 1], [1, 0], [-1, 1], [False, True], [10, 7], [0.0, 1.0], ["b", "a", "c"], [3, 1, 2]],
    ids=str,
)
@pytest.mark.parametrize("way", ["fit", "partial_fit", "learn_one"])
def test_labels_of_any_kind_come_back_as_they_were(labels: list[Any], way: str) -> None:
    """Strings, integers, floats and booleans, in any order of arrival."""
    X = np.tile(np.eye(len(labels)), (10, 1))
    y = np.array(labels * 10)
    if y.dtype.kind == "U":
        y = y.astype(object)
    model = PassiveAggressiveClassifier()
    if way == "learn_one":
        for x, label in zip(X, y, strict=True):
            model.learn_one(dict(enumerate(x)), label)
    else:
        (model.partial_fit if way == "partial_fit" else model.fit)(X, y)

    assert model.predict(X[: len(labels)]).tolist() == labels
    assert model.classes_.tolist() == sorted(labels)
    assert type(model.predict_one(dict(enumerate(X[0])))) is type(labels[0])
    assert set(model.predict_proba_one(dict(enumerate(X[0])))) == set(labels)
    assert model.predict_proba(X).shape == (len(X), len(labels))
    assert_array_equal(model.classes_[model.predict_proba(X).argmax(axis=1)], model.predict(X))


@every_setting
def test_classes_may_be_announced_or_appear_later(setting: Any) -> None:
    """`partial_fit` works without `classes`, with them, and with ones that come later still."""
    stream = dense_stream(n=60, d=4, n_classes=3)
    two = stream.y < 2
    model = clone(setting).partial_fit(stream.X[two], stream.y[two])
    assert model.classes_.tolist() == [0, 1]
    model.partial_fit(stream.X, stream.y)
    assert model.classes_.tolist() == [0, 1, 2]
    announced = clone(setting).partial_fit(stream.X[two], stream.y[two], classes=[0, 1, 2, 5])
    assert announced.classes_.tolist() == [0, 1, 2, 5]
    assert announced.predict_proba(stream.X).shape == (60, 4)
    with pytest.raises(ValueError, match=r"y contains 2, which is not among classes=\[0, 1\]"):
        clone(setting).partial_fit(stream.X, stream.y, classes=[0, 1])


@every_setting
def test_scores_keep_their_meaning_when_a_third_class_comes(setting: Any) -> None:
    """Blocks -w/2 and +w/2: the difference of the old classes' scores is the old score."""
    stream = dense_stream(n=60, d=4, n_classes=2, dtype=np.float64)
    model = clone(setting).partial_fit(stream.X, stream.y, classes=[0, 1])
    before = model.decision_function(stream.X)
    model.partial_fit(stream.X[:1], [0], classes=[0, 1, 2], sample_weight=[0.0])
    after = model.decision_function(stream.X)

    inclusive = "Perceptron" in str(setting) and "SecondOrder" in str(setting)  # its score is not linear
    if not inclusive:
        assert_allclose(after[:, 1] - after[:, 0], before, rtol=1e-9, atol=1e-9)
    assert_array_equal(np.sign(after[:, 1] - after[:, 0]), np.sign(before))


# ---------------------------------------------------------------------- weights


@every_setting
def test_weight_zero_equals_absence(setting: Any) -> None:
    """A row of weight 0 might as well not be there."""
    stream = dense_stream(n=40, d=4, n_classes=3)
    weight = (np.arange(40) % 3 > 0).astype(float)
    kept = weight > 0

    weighted = clone(setting).partial_fit(stream.X, stream.y, sample_weight=weight)
    absent = clone(setting).partial_fit(stream.X[kept], stream.y[kept])
    assert weighted.digest() == absent.digest()
    assert weighted.n_seen_ == kept.sum()


@every_setting
def test_class_weights_are_example_weights(setting: Any) -> None:
    """A dict of class weights, example weights by hand, and both from `learn_one` mean the same."""
    stream = dense_stream(n=40, d=4, n_classes=3)
    weights = {0: 0.5, 2: 3.0}
    by_class = (
        clone(setting).set_params(class_weight=weights).partial_fit(stream.X, stream.y, classes=[0, 1, 2])
    )
    by_hand = clone(setting).partial_fit(
        stream.X, stream.y, classes=[0, 1, 2], sample_weight=[weights.get(label, 1.0) for label in stream.y]
    )
    one_by_one = clone(setting).set_params(class_weight=weights)
    one_by_one.partial_fit(stream.X[:1], stream.y[:1], classes=[0, 1, 2])
    for x, y in list(stream.dicts())[1:]:
        one_by_one.learn_one(x, y)

    assert by_class.digest() == by_hand.digest() == one_by_one.digest()


@every_setting
def test_balanced_weights_stream(setting: Any) -> None:
    """While streaming, "balanced" uses the counts so far: n / (classes * count), whatever the batching."""
    stream = dense_stream(n=40, d=4, n_classes=3)
    counts: dict[Any, int] = {}
    weight = []
    for label in stream.y.tolist():
        counts[label] = counts.get(label, 0) + 1
        weight.append(sum(counts.values()) / (len(counts) * counts[label]))
    by_hand = clone(setting).partial_fit(stream.X, stream.y, sample_weight=weight)
    balanced = clone(setting).set_params(class_weight="balanced")
    for X, y in stream.batches(np.array([1, 2, 20])):
        balanced.partial_fit(X, y)

    assert_array_equal(balanced.decision_function(stream.X), by_hand.decision_function(stream.X))
    assert balanced.n_updates_ == by_hand.n_updates_


@pytest.mark.parametrize("labels", [[0, 2, 0, 1, 2, 2], [2, 0, 2, 2, 1], [1, 2, 1, 2, 0]], ids=str)
def test_balanced_weights_count_the_classes_that_have_come(labels: list[int]) -> None:
    """Classes announced, or numbered before others that come first, weigh nothing until they come."""
    n = len(labels)
    X = np.random.default_rng(1).standard_normal((n, 3))
    # Of so low a price every step is the price, and the weights multiply it.
    by_hand = PassiveAggressiveClassifier(C=0.001)
    balanced = PassiveAggressiveClassifier(C=0.001, class_weight="balanced")
    balanced.partial_fit(X, labels, classes=[0, 1, 2])
    counts: dict[int, int] = {}
    weights = []
    for label in labels:
        counts[label] = counts.get(label, 0) + 1
        weights.append(sum(counts.values()) / (len(counts) * counts[label]))
    by_hand.partial_fit(X, labels, classes=[0, 1, 2], sample_weight=weights)
    assert_array_equal(balanced.coef_, by_hand.coef_)
    assert by_hand.n_updates_ == n
    assert len(set(weights)) > 2


def test_balanced_weights_of_fit_are_those_of_scikit_learn() -> None:
    """`fit` knows all labels and weighs as scikit-learn does."""
    from sklearn.utils.class_weight import compute_class_weight

    stream = dense_stream(n=60, d=4, n_classes=3)
    weights = dict(enumerate(compute_class_weight("balanced", classes=np.arange(3), y=stream.y)))
    common = {"shuffle": False, "passes": 3, "early_stopping": False}
    a = AROWClassifier(class_weight="balanced", **common).fit(stream.X, stream.y)
    b = AROWClassifier(class_weight=weights, **common).fit(stream.X, stream.y)

    assert_allclose(a.coef_, b.coef_)


def test_balanced_weights_of_fit_leave_out_classes_that_are_not_there() -> None:
    """A model that goes on knows classes of before; the weights are of those that have examples now."""
    stream = dense_stream(n=90, d=4, n_classes=3)
    two = stream.y < 2
    common: dict[str, Any] = {"warm_start": True, "passes": 1, "shuffle": False, "dtype": "float64"}
    balanced, given = (AROWClassifier(**common).fit(stream.X, stream.y) for _ in range(2))
    counts = np.bincount(stream.y[two])
    weights = {k: float(two.sum() / (2 * counts[k])) for k in range(2)}
    balanced.set_params(class_weight="balanced").fit(stream.X[two], stream.y[two])
    given.set_params(class_weight=weights).fit(stream.X[two], stream.y[two])
    assert_allclose(balanced.coef_, given.coef_, rtol=1e-12)


@pytest.mark.parametrize(
    ("settings", "updates", "mistakes", "passes"),
    [
        ({"passes": 9}, [1] * 9, [500, 500, 500, 500, 400, 300, 200, 100, 0], 3),
        ({"passes": 9}, [1] * 9, [5000, 4000, 3995, 3991, 3000, 2000, 1000, 0, 0], 4),
        ({"passes": 9}, [1, 1, 0], [500, 400, 300], 3),
        ({"passes": 2, "n_iter_no_change": 5}, [1] * 7, [700, 600, 500, 400, 300, 200, 100], 7),
        ({"passes": 3, "early_stopping": False}, [1, 0, 1], [500, 500, 500], 3),
    ],
    ids=["no progress", "too little progress", "nothing to learn", "patience asks for more", "not asked to"],
)
def test_passes_end_when_they_bring_nothing(
    settings: dict[str, Any], updates: list[int], mistakes: list[int], passes: int
) -> None:
    """By default after two passes whose errors are not at least 0.001 below the best one."""
    reports = [SimpleNamespace(n_updates=u, n_mistakes=m) for u, m in zip(updates, mistakes, strict=True)]
    made = SimpleNamespace(n_passes=0)
    Perceptron(tol=1e-3, **settings)._make_passes(made, 10_000, lambda order, first: reports[made.n_passes])
    assert made.n_passes == passes


def test_weights_scale_the_price_where_there_is_one() -> None:
    """PA-I at weight w is PA-I at price wC; PA has no price and ignores weights."""
    stream = dense_stream(n=40, d=4, dtype=np.float64)
    weighted = PassiveAggressiveClassifier(C=0.1).partial_fit(
        stream.X, stream.y, sample_weight=np.full(40, 3.0)
    )
    priced = PassiveAggressiveClassifier(C=0.1 * 3.0).partial_fit(stream.X, stream.y)
    assert_allclose(weighted.coef_, priced.coef_, rtol=1e-12)
    free = [
        PassiveAggressiveClassifier(variant="pa")
        .partial_fit(stream.X, stream.y, sample_weight=np.full(40, w))
        .coef_
        for w in (1.0, 7.0)
    ]
    assert_array_equal(*free)


# ---------------------------------------------------------------------- fit


@every_setting
def test_fit_starts_anew_and_warm_start_goes_on(setting: Any) -> None:
    """`fit` forgets; with `warm_start` it continues, as `partial_fit` always does."""
    stream = dense_stream(n=40, d=4, n_classes=3)
    setting = settled(setting)
    common = {"passes": 1, "shuffle": False, "early_stopping": False}
    once = clone(setting).set_params(**common).fit(stream.X, stream.y)
    digest = once.digest()
    assert once.fit(stream.X, stream.y).digest() == digest

    warm = (
        clone(setting).set_params(warm_start=True, **common).fit(stream.X, stream.y).fit(stream.X, stream.y)
    )
    twice = clone(setting).set_params(**{**common, "passes": 2}).fit(stream.X, stream.y)
    assert_array_equal(warm.decision_function(stream.X), twice.decision_function(stream.X))
    assert warm.n_seen_ == twice.n_seen_ == 80


@every_class
def test_passes_and_early_stopping(cls: Any) -> None:
    """`passes` are made unless the progressive error stops getting better."""
    stream = dense_stream(n=60, d=4)
    model = cls(passes=4, early_stopping=False, random_state=0).fit(stream.X, stream.y)
    assert model.n_passes_ == 4
    assert model.n_seen_ == 4 * 60
    # No pass can be better than the first by more than every example: those after it are the patience.
    for patience in (1, 2, 3):
        model = cls(passes=50, early_stopping=True, tol=1.0, n_iter_no_change=patience, random_state=0)
        patient = model.fit(stream.X, stream.y)
        assert patient.n_passes_ == 1 + patience


def test_shuffling_follows_the_seed() -> None:
    """Same seed, same model; another seed, another order; no shuffling, no seed needed."""
    stream = dense_stream(n=60, d=4)
    digest = {
        seed: AROWClassifier(random_state=seed).fit(stream.X, stream.y).digest()
        for seed in (0, 1, np.random.RandomState(0))
    }
    assert digest[0] != digest[1]
    assert AROWClassifier(random_state=0).fit(stream.X, stream.y).digest() == digest[0]
    plain = [AROWClassifier(shuffle=False).fit(stream.X, stream.y).digest() for _ in range(2)]
    assert plain[0] == plain[1]
    generator = AROWClassifier(random_state=np.random.default_rng(0)).fit(stream.X, stream.y)
    assert generator.n_seen_ > 0


@pytest.mark.parametrize("setting", [s for s in WEIGHTED if not getattr(s, "center", False)], ids=str)
def test_the_intercept_is_one_more_feature(setting: Any) -> None:
    """`fit_intercept` equals a column of ones in front; without it the intercept is zero. Centred, ones are nothing."""
    stream = dense_stream(n=40, d=3, dtype=np.float64)
    padded = np.hstack([np.ones((40, 1)), stream.X])
    with_intercept = clone(setting).partial_fit(stream.X, stream.y)
    by_hand = clone(setting).set_params(fit_intercept=False).partial_fit(padded, stream.y)

    assert_allclose(with_intercept.coef_, by_hand.coef_[:, 1:], rtol=1e-7, atol=1e-9)
    assert_allclose(with_intercept.intercept_, by_hand.coef_[:, 0], rtol=1e-7, atol=1e-9)
    assert_array_equal(by_hand.intercept_, np.zeros(1))


@pytest.mark.parametrize("cls", [Perceptron, PassiveAggressiveClassifier, AROWClassifier, NORMAClassifier])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_average_is_the_mean_of_the_weights_after_every_round(cls: Any, n_classes: int) -> None:
    """`coef_` of an averaging model equals the mean of `coef_` over all rounds of a plain one."""
    stream = dense_stream(n=30, d=3, n_classes=n_classes, dtype=np.float64)
    last, seen = plain(cls), []
    for x, y in zip(stream.X, stream.y, strict=True):
        last.partial_fit(x[None], [y], classes=range(n_classes))
        seen.append(last.coef_)
    averaged = plain(cls, average=True).partial_fit(stream.X, stream.y, classes=range(n_classes))

    assert_allclose(averaged.coef_, np.mean(seen, axis=0), rtol=1e-9, atol=1e-12)
    scores = stream.X @ averaged.coef_.T + averaged.intercept_
    assert_allclose(
        averaged.decision_function(stream.X), scores if n_classes > 2 else scores[:, 0], rtol=1e-9
    )


def test_averaging_is_refused_where_it_is_not_defined() -> None:
    """Dual averaging and natural parameters say what to do instead."""
    for model in (onlinear.AdaGradRDAClassifier(average=True), NAROWClassifier(average=True)):
        with pytest.raises(ParameterError, match="average=True"):
            model.fit(np.eye(2), [0, 1])


def test_a_starting_mean() -> None:
    """`initial_mean` is where the weights start, survives storage, and is refused in the wrong shape."""
    model = AROWClassifier(initial_mean=[2.0, -1.0], fit_intercept=False).partial_fit(
        np.array([[1.0, 0.0]]), ["a"]
    )
    model.partial_fit(np.array([[0.0, 1.0]]), ["b"], sample_weight=[0.0])
    assert_allclose(
        PassiveAggressiveClassifier(initial_mean=[[0.5, 3.0]])
        .partial_fit([[0.0, 1.0]], [1], classes=[0, 1])
        .coef_,
        [[0.5, 3.0]],
    )
    with pytest.raises(ParameterError, match=r"initial_mean must have shape \(1, 2\), got \(3,\)"):
        AROWClassifier(initial_mean=[1.0, 2.0, 3.0]).fit(np.eye(2), [0, 1])
    grown = (
        AROWClassifier(initial_mean=[2.0, -1.0]).partial_fit(np.eye(2), [0, 1]).partial_fit(np.eye(2), [0, 2])
    )
    assert pickle.loads(pickle.dumps(grown)).digest() == grown.digest()


# ---------------------------------------------------------------------- scikit-learn's tools


@every_setting
def test_copies_are_equal_and_independent(setting: Any, tmp_path: Path) -> None:
    """Pickle, deepcopy and joblib keep everything; clone keeps parameters only."""
    stream = dense_stream(n=40, d=4, n_classes=3)
    model = clone(setting).set_params(random_state=0).fit(stream.X, stream.y)
    joblib.dump(model, tmp_path / "model.joblib")
    for twin in (
        pickle.loads(pickle.dumps(model)),
        copy.deepcopy(model),
        joblib.load(tmp_path / "model.joblib"),
    ):
        assert twin.digest() == model.digest()
        assert twin.get_params() == model.get_params()
        assert_array_equal(twin.predict_proba(stream.X), model.predict_proba(stream.X))
        twin.partial_fit(stream.X, stream.y)
        assert twin.n_seen_ == model.n_seen_ + 40
    assert not clone(model).__sklearn_is_fitted__()


def test_models_travel_through_joblib_workers() -> None:
    """Cross-validation and grid search in other processes give what they give here."""
    X, y = make_classification(120, 6, random_state=0)
    alone, together = (
        cross_validate(AROWClassifier(random_state=0), X, y, cv=3, n_jobs=n_jobs)["test_score"]
        for n_jobs in (1, 2)
    )
    assert_array_equal(alone, together)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), SoftConfidenceWeightedClassifier(random_state=0)),
        {"softconfidenceweightedclassifier__confidence": [0.6, 0.9]},
        cv=2,
    ).fit(X, y)
    assert search.best_params_["softconfidenceweightedclassifier__confidence"] in (0.6, 0.9)


def test_metadata_is_routed() -> None:
    """`sample_weight` reaches `fit` and `partial_fit` through scikit-learn's routing."""
    X, y = make_classification(60, 4, random_state=0)
    with sklearn.config_context(enable_metadata_routing=True):
        model = AROWClassifier(random_state=0).set_fit_request(sample_weight=True)
        model.set_partial_fit_request(sample_weight=True, classes=True).set_score_request(sample_weight=True)
        scores = cross_validate(model, X, y, cv=2, params={"sample_weight": np.ones(60)})
        requests = model.get_metadata_routing()
    assert len(scores["test_score"]) == 2
    assert requests.fit.requests["sample_weight"] is True


def test_set_output_does_not_apply() -> None:
    """A classifier transforms nothing, so it has no `set_output`."""
    assert not hasattr(AROWClassifier(), "set_output")


# ---------------------------------------------------------------------- confidence


@every_gaussian
@pytest.mark.parametrize("n_classes", [2, 3])
def test_margin_and_its_deviation(setting: Any, n_classes: int) -> None:
    """The margin is the lead of the prediction; its deviation comes from the belief; confidence is Φ of their ratio."""
    from scipy.stats import norm

    stream = dense_stream(n=60, d=4, n_classes=n_classes, dtype=np.float64)
    model = clone(setting).partial_fit(stream.X, stream.y, classes=range(n_classes))
    margin, std = model.margin(stream.X, return_std=True)
    scores = model.decision_function(stream.X)
    lead = np.abs(scores) if n_classes == 2 else np.diff(np.sort(scores, axis=1)[:, -2:], axis=1)[:, 0]

    assert_allclose(margin, lead)
    assert_array_equal(model.margin(stream.X), margin)
    assert np.all(std > 0)
    assert_allclose(model.confidence(stream.X), norm.cdf(margin / std), rtol=1e-6)


@every_weighted_gaussian
def test_deviation_of_the_margin_is_that_of_the_weights(setting: Any) -> None:
    """On a diagonal the margin's variance is the sum of x² times the weights' variances; full needs the covariance."""
    stream = dense_stream(n=60, d=4, dtype=np.float64)
    model = clone(setting).partial_fit(stream.X, stream.y)
    _, std = model.margin(stream.X, return_std=True)
    rows = stream.X - model.model_.learner.feature_means()
    expected = np.sqrt(rows**2 @ model.coef_std_[0] ** 2 + model._deviation(1)[0, 0] ** 2)

    if model.model_.learner.handle.covariance() is None:
        assert_allclose(std, expected, rtol=1e-6)
    else:
        sigma = model.model_.learner.handle.covariance()
        padded = np.hstack([np.ones((60, 1)), stream.X])
        assert_allclose(std, np.sqrt(np.einsum("ij,jk,ik->i", padded, sigma, padded)), rtol=1e-6)
    assert model.coef_std_.shape == model.coef_.shape


@every_weighted_gaussian
@pytest.mark.parametrize("n_classes", [2, 3])
def test_samples_are_drawn_from_the_belief(setting: Any, n_classes: int) -> None:
    """Many draws have the belief's mean and deviation; a seed repeats them."""
    stream = dense_stream(n=60, d=3, n_classes=n_classes, dtype=np.float64)
    model = clone(setting).partial_fit(stream.X, stream.y, classes=range(n_classes))
    coef, intercept = model.sample(4000, random_state=0)

    assert coef.shape == (4000, *model.coef_.shape)
    assert intercept.shape == (4000, *model.intercept_.shape)
    tolerance = 5 * model.coef_std_.max() / np.sqrt(4000)
    assert_allclose(coef.mean(axis=0), model.coef_, atol=tolerance)
    assert_allclose(coef.std(axis=0), model.coef_std_, rtol=0.1)
    assert_array_equal(model.sample(3, random_state=5)[0], model.sample(3, random_state=5)[0])


@every_weighted
@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_explanation_adds_up(setting: Any, n_classes: int) -> None:
    """Contributions and intercept sum to the margin between the predicted class and its rival."""
    stream = dense_stream(n=60, d=4, n_classes=n_classes, dtype=np.float64)
    model = clone(setting).partial_fit(stream.X, stream.y, classes=range(n_classes))
    told = model.explain(stream.X[0], top=None)
    parts = sum(item.contribution for item in told.contributions)

    assert_allclose(parts + told.intercept, told.margin)
    sizes = [abs(item.contribution) for item in told.contributions]
    assert sizes == sorted(sizes, reverse=True)
    assert told.predicted == model.predict(stream.X[:1])[0]
    assert_allclose(told.margin, model.margin(stream.X[:1])[0], rtol=1e-6)
    if told.std is not None:
        assert_allclose(told.std, model.margin(stream.X[:1], return_std=True)[1][0], rtol=1e-6)
    assert told.rival in model.classes_
    assert (told.std is not None) == model.model_.learner.handle.has_variance
    assert len(model.explain(stream.X[0], top=2).contributions) == 2
    assert str(told).startswith(f"{told.predicted!r} against {told.rival!r}")


@pytest.mark.parametrize("n_classes", [2, 3])
def test_an_explanation_leaves_out_what_was_never_met(n_classes: int) -> None:
    """The first column past the model's own says nothing, and neither do those after it."""
    stream = dense_stream(n=60, d=4, n_classes=n_classes)
    model = AROWClassifier().partial_fit(stream.X, stream.y)
    known, more = model.explain({0: 1.0, 3: 2.0}), model.explain({0: 1.0, 3: 2.0, 4: 5.0, 9: 5.0})

    assert more.margin == known.margin
    assert [item.feature for item in more.contributions] == [item.feature for item in known.contributions]


def test_models_without_variances_say_who_has_them() -> None:
    """Asking a mean for its deviation is an AttributeError that points elsewhere."""
    model = PassiveAggressiveClassifier().fit(np.eye(2), [0, 1])
    for ask in (lambda: model.coef_std_, lambda: model.confidence(np.eye(2)), lambda: model.sample(2)):
        with pytest.raises(NotAvailableError, match=r"keeps no variances; use AROWClassifier"):
            ask()
    assert not hasattr(model, "coef_std_")


def test_confidence_is_a_parameter_and_a_question() -> None:
    """The confidence-weighted family has η under that name, and answers calls to it too."""
    for cls in (ConfidenceWeightedClassifier, SoftConfidenceWeightedClassifier):
        model = cls(confidence=0.8).fit(np.eye(2), [0, 1])
        assert model.confidence == 0.8
        assert model.get_params()["confidence"] == 0.8
        assert np.all((model.confidence(np.eye(2)) >= 0.5) & (model.confidence(np.eye(2)) <= 1))
        assert cls(confidence=0.9).axes()[0].phi == pytest.approx(rule.quantile(0.9))
        assert cls(phi=2.0).axes()[0].phi == 2.0


# ---------------------------------------------------------------------- counters and life before learning


@every_setting
def test_counters_are_the_papers_three_metrics(setting: Any) -> None:
    """Rounds, updates and progressive mistakes, over batches and single examples."""
    stream = dense_stream(n=40, d=4, dtype=np.float64)
    # A scale that a row raises is in the score it is counted by.
    plain_units = {"scale": None} if "scale" in setting.get_params(deep=False) else {}
    model, mistakes = clone(setting).set_params(**plain_units), 0
    model.partial_fit(stream.X[:1], stream.y[:1], classes=[0, 1])
    for x, y in zip(stream.X[1:], stream.y[1:], strict=True):
        score = float(model.decision_function(x[None])[0])
        mistakes += not (score > 0 if y == 1 else score < 0)
        model.partial_fit(x[None], [y])

    assert model.n_seen_ == 40
    assert 0 < model.n_updates_ <= 40
    if not setting.average:  # learning goes on from the weights themselves
        assert model.n_mistakes_ == mistakes + 1


@every_setting
def test_questions_before_any_learning(setting: Any) -> None:
    """River's verbs answer; scikit-learn's raise its own error; fitted attributes are not there yet."""
    from sklearn.exceptions import NotFittedError

    model = clone(setting)
    assert model.predict_one({"a": 1.0}) is None
    assert model.predict_proba_one({"a": 1.0}) == {}
    for name in ("classes_", "coef_", "intercept_", "n_seen_", "n_updates_", "n_mistakes_", "coef_std_"):
        assert not hasattr(model, name) or name == "coef_std_"
    for ask in (model.predict, model.decision_function, model.predict_proba, model.margin, model.explain):
        with pytest.raises(NotFittedError, match="not fitted yet. Call 'fit', 'partial_fit' or 'learn_one'"):
            ask(np.eye(2))


@every_setting
def test_float32_is_close_to_float64(setting: Any) -> None:
    """The same stream in single precision predicts nearly the same."""
    stream = dense_stream(n=200, d=5, dtype=np.float64)
    single = clone(setting).set_params(dtype="float32").partial_fit(stream.X, stream.y)
    double = clone(setting).set_params(dtype="float64").partial_fit(stream.X, stream.y)

    assert np.mean(single.predict(stream.X) == double.predict(stream.X)) > 0.97
    scores, expected = single.decision_function(stream.X), double.decision_function(stream.X)
    assert_allclose(scores, expected, atol=0.05 * float(np.abs(expected).max()))


@every_setting
def test_n_jobs_of_any_kind(setting: Any) -> None:
    """Threads are for prediction only; negative numbers count from all processors."""
    stream = dense_stream(n=300, d=4)
    model = clone(setting).partial_fit(stream.X, stream.y)
    expected = model.decision_function(stream.X)
    for n_jobs in (None, 1, 4, -1, -2, np.int64(2)):
        assert_array_equal(model.set_params(n_jobs=n_jobs).decision_function(stream.X), expected)


@pytest.mark.parametrize(
    ("n_jobs", "threads"), [(None, 1), (1, 1), (3, 3), (0, 1), (-1, 4), (-2, 3), (-4, 1), (-9, 1)]
)
def test_negative_n_jobs_count_from_all_processors(
    n_jobs: int | None, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As joblib counts: -1 is all of them, -2 all but one; at least one thread reads."""
    monkeypatch.setattr("os.cpu_count", lambda: 4)
    assert Perceptron(n_jobs=n_jobs)._threads() == threads


# ---------------------------------------------------------------------- every parameter of the papers

REACHABLE: list[tuple[Any, str]] = [
    (Perceptron(rate=0.5, update="uniform", average=True), "rate, averaging and shared blame"),
    (PassiveAggressiveClassifier(variant="pa", constraints="all"), "PA with all constraints"),
    (PassiveAggressiveClassifier(variant="pa2", C=0.1, constraints="all"), "PA-II with all constraints"),
    (onlinear.ROMMAClassifier(aggressive=True), "aggressive ROMMA"),
    (NORMAClassifier(eta=0.2, lam=0.1, rho=0.0, nu=0.2, decay=True), "NORMA's five constants"),
    (onlinear.IELLIPClassifier(c=0.4, b=0.9), "IELLIP's two"),
    (onlinear.IELLIPClassifier(covariance="full"), "full IELLIP"),
    (onlinear.AdaGradRDAClassifier(eta=0.5, delta0=0.1, lam=0.01), "AdaGrad's three"),
    (onlinear.MIRAClassifier(beta=0.1), "MIRA's margin"),
    *[
        (
            ConfidenceWeightedClassifier(constraint=constraint, projection=projection, phi=1.0),
            f"CW {constraint} {projection}",
        )
        for constraint in ("variance", "stdev")
        for projection in ("kl", "drop", "exact")
    ],
    (ConfidenceWeightedClassifier(constraint="stdev", covariance="full"), "full CW"),
    (
        SoftConfidenceWeightedClassifier(penalty="squared", projection="drop", C=0.5, min_variance=0.01),
        "SCW-II drop",
    ),
    (SoftConfidenceWeightedClassifier(covariance="full"), "full SCW"),
    (AROWClassifier(loss="hinge", covariance="full", initial_variance=0.5), "full AROW-H"),
    (AROWClassifier(constraints=2, cov_update="delta"), "AROW with two constraints"),
    (
        AROWClassifier(constraints="all", cov_update="sum", covariance="full"),
        "full AROW with all constraints",
    ),
    *[
        (NHERDClassifier(projection=projection), f"NHERD {projection}")
        for projection in ("drop", "kl", "exact")
    ],
    (NHERDClassifier(covariance="full"), "full NHERD"),
    *[(NAROWClassifier(form=form, b=2.0), f"NAROW {form}") for form in ("theta", "rule", "coupled")],
    (NAROWClassifier(covariance="full"), "full NAROW"),
    *[(SecondOrderPerceptron(form=form, ridge=2.0), f"SOP {form}") for form in ("own", "rule")],
    (SecondOrderPerceptron(covariance="full"), "full SOP"),
]


@pytest.mark.parametrize("model", [model for model, _ in REACHABLE], ids=[name for _, name in REACHABLE])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_every_parameter_of_the_papers_is_reachable_and_learns(model: Any, n_classes: int) -> None:
    """Each combination learns an easy problem well above chance."""
    rng = np.random.default_rng(0)
    centres = np.vstack([np.eye(6)[:n_classes] * 4])
    y = rng.integers(0, n_classes, 600)
    X = centres[y] + rng.standard_normal((600, 6)) * 0.7
    accuracy = clone(model).set_params(random_state=0).fit(X[:400], y[:400]).score(X[400:], y[400:])

    assert accuracy > 0.85


REFUSED: list[tuple[Any, str]] = [
    (SoftConfidenceWeightedClassifier(projection="exact"), "projection must be one of 'kl', 'drop'"),
    (AROWClassifier(projection="exact"), "projection must be one of 'kl', 'drop'"),
    (onlinear.IELLIPClassifier(projection="kl"), "projection"),
    (NORMAClassifier(eta=1.0, lam=1.0), "eta must be below 1/lam"),
    (ConfidenceWeightedClassifier(confidence=0.4), "confidence must be a number, at least 0.5"),
    (ConfidenceWeightedClassifier(confidence=1.0), "confidence"),
    (AROWClassifier(constraints=0), "constraints"),
    (PassiveAggressiveClassifier(constraints=2), "constraints must be one of 1, 'all'"),
    (AROWClassifier(loss="hinge", constraints="all"), "loss"),
    (NAROWClassifier(form="own"), "form must be one of 'theta', 'rule', 'coupled'"),
]


@pytest.mark.parametrize(("model", "message"), REFUSED, ids=[str(model) for model, _ in REFUSED])
def test_what_the_mathematics_does_not_allow_is_refused(model: Any, message: str) -> None:
    """The message names the owner, the parameter and what is allowed."""
    with pytest.raises(ParameterError, match=message) as caught:
        model.fit(np.eye(3), [0, 1, 2])
    assert str(caught.value).startswith(type(model).__name__)


# ---------------------------------------------------------------------- Learner


@pytest.mark.parametrize("name", RULES)
@pytest.mark.parametrize("kind", BELIEFS)
@pytest.mark.parametrize("asked", [task.Binary(), task.Multiclass()], ids=["binary", "multiclass"])
def test_learner_takes_what_the_table_allows_and_refuses_the_rest(name: str, kind: str, asked: Any) -> None:
    """Rule x belief as declared; a wrong pair is refused at once, with the rule named."""
    made = RULES[name]
    if kind in defined_on(made):
        learner = Learner(task=asked, rule=made, belief=BELIEFS[kind])
        learner.learn(np.eye(3), [0, 1, 1])
        assert np.all(np.isfinite(learner.scores(np.eye(3))))
    else:
        with pytest.raises(ParameterError, match=rf"rule\.{type(made).__name__}"):
            Learner(task=asked, rule=made, belief=BELIEFS[kind])


def test_joint_tasks_bring_their_own_rule() -> None:
    """Several-constraint tasks want no rule, and the belief their mathematics is written on."""
    Learner(task=task.MulticlassJoint(method="arow"), belief=belief.Full(), n_classes=3)
    with pytest.raises(ParameterError, match="is its own rule; leave rule out"):
        Learner(task=task.MulticlassJoint(method="pa"), rule=rule.Arow(), belief=belief.Mean())
    with pytest.raises(ParameterError, match=r"method='pa'\) is not defined on belief.Diagonal"):
        Learner(task=task.MulticlassJoint(method="pa"), belief=belief.Diagonal())
    with pytest.raises(ParameterError, match="method"):
        try:
            task.MulticlassJoint(method="hildreth")
        except ValueError as error:
            raise ParameterError(str(error)) from None


def test_axes_are_values() -> None:
    """Rules, beliefs and tasks compare, print and pickle as what they are."""
    for value in (
        *RULES.values(),
        *BELIEFS.values(),
        task.Binary(),
        task.MulticlassJoint(method="mira", beta=0.5),
    ):
        twin = pickle.loads(pickle.dumps(value))
        assert twin == value
        assert repr(twin) == repr(value)
    assert rule.Arow(r=1.0) != rule.Arow(r=2.0)
    with pytest.raises(ValueError, match="r must be greater than 0, got -1"):
        rule.Arow(r=-1.0)


def test_estimators_say_which_axes_they_mean() -> None:
    """`axes` gives the rule and the belief of an estimator."""
    assert AROWClassifier(r=0.5, projection="kl", initial_variance=2.0).axes() == (
        rule.Arow(r=0.5),
        belief.Diagonal(projection="kl", initial_variance=2.0, min_variance=0.02, scale="max"),
    )
    assert PassiveAggressiveClassifier(C=2.0, average="late").axes() == (
        rule.PassiveAggressive(variant="pa1", C=2.0),
        belief.Mean(average=True, late=True, scale="max"),
    )
    assert plain(AROWClassifier).axes() == (rule.Arow(), belief.Diagonal(projection="drop"))
    assert AROWClassifier(covariance="full").axes() == (rule.Arow(), belief.Full())
    assert Perceptron().axes() == (rule.Perceptron(), belief.Mean())


def test_streams_of_batches_are_learned_as_they_come() -> None:
    """`fit_stream` takes pairs and triples."""
    stream = dense_stream(n=40, d=4)
    plain = AROWClassifier().partial_fit(stream.X, stream.y)
    assert AROWClassifier().fit_stream(stream.batches(np.array([10, 20]))).digest() == plain.digest()
    weighted = AROWClassifier().fit_stream([(stream.X, stream.y, np.ones(40))])
    assert weighted.digest() == plain.digest()


@pytest.mark.parametrize("format", ["csv", "jsonl"])
def test_a_model_with_named_columns_does_not_take_hashed_ones(format: str) -> None:
    """They would mean something else to it; rows of its own columns it takes."""
    frame = pd.DataFrame({"a": [1.0, -1.0, 2.0], "b": [0.5, 1.0, -2.0]})
    model = onlinear.AROWClassifier().partial_fit(frame, ["x", "y", "x"])
    before = model.digest()
    text = {"csv": b"label,a,b\nz,1,2\n", "jsonl": b'{"label": "z", "a": 1, "b": 2}\n'}[format]

    with pytest.raises(
        onlinear.exceptions.DataError,
        match=r"stream:\d: the model knows its 2 features by name \(a, b, ...\)",
    ):
        model.fit_stream(onlinear.read(io.BytesIO(text), format=format))
    assert model.digest() == before
    assert list(model.classes_) == ["x", "y"]
    model.fit_stream(onlinear.read(io.BytesIO(b"x 1:1 2:2\n"), format="svmlight"))
    assert model.n_seen_ == 4


@pytest.mark.parametrize(
    ("first", "second"), [([0, 1], ["p", "q"]), ([True, False], ["p", "q"]), (["p", "q"], [0, 1])], ids=str
)
@pytest.mark.parametrize("rows", [2, 200])
def test_words_may_come_after_numbers_and_numbers_after_words(first: Any, second: Any, rows: int) -> None:
    """As different classes, however many rows bring them."""
    X = np.random.default_rng(0).normal(size=(rows, 3))
    model = (
        onlinear.AROWClassifier()
        .partial_fit(X, np.resize(first, rows))
        .partial_fit(X, np.resize(second, rows))
    )
    assert set(model.classes_.tolist()) == {*first, *second}
    assert set(model.predict(X).tolist()) <= {*first, *second}


@pytest.mark.parametrize(
    "wide",
    [
        lambda X: X.astype(">f8"),
        lambda X: X.astype(object),
        lambda X: X.astype(np.longdouble),
        lambda X: pd.DataFrame(X).astype(pd.SparseDtype("float64", 0)),
        lambda X: pd.DataFrame(X).astype("float64[pyarrow]"),
        lambda X: pd.DataFrame(X).astype("Float64"),
        lambda X: pl.DataFrame(X),
        lambda X: sp.csr_array(X),
    ],
)
def test_double_precision_is_kept_however_it_comes(wide: Any) -> None:
    """The weights are those of a plain array of float64, bit for bit but for the order of sparse sums."""
    X = np.random.default_rng(0).normal(size=(50, 3))
    y = (X[:, 0] > 0).astype(int)
    plain, other = (onlinear.AROWClassifier().partial_fit(given, y) for given in (X, wide(X)))
    assert_allclose(other.coef_, plain.coef_, rtol=1e-14)


@pytest.mark.parametrize("size", [None, 1])
def test_partial_fit_takes_what_read_gives(size: int | None) -> None:
    """A batch, or the whole reader; the answers are in it."""
    text = b"1 1:1\n2 2:1\n1 1:2 2:1\n"

    def reader() -> Any:
        return onlinear.read(io.BytesIO(text), format="svmlight", batch_size=size)

    for make in (onlinear.AROWClassifier, onlinear.AROWRegressor, onlinear.PassiveAggressiveOneClass):
        whole = make().fit_stream(reader())
        parts = make()
        for batch in reader():
            parts.partial_fit(batch)
        assert make().partial_fit(reader()).digest() == parts.digest() == whole.digest()
    with pytest.raises(ValueError, match="requires y"):
        onlinear.AROWClassifier().partial_fit(np.eye(2))


@pytest.mark.parametrize(
    "model",
    [
        onlinear.SecondOrderPerceptron(min_variance=0.1),
        onlinear.NAROWClassifier(min_variance=0.1),
    ],
    ids=str,
)
def test_a_floor_is_refused_where_there_is_none(model: Any) -> None:
    """Rather than left out in silence."""
    with pytest.raises(ParameterError, match="min_variance"):
        model.fit(np.eye(2), [0, 1])


def test_errors_are_what_plain_handlers_expect() -> None:
    """Each error of ours is also the built-in one, and survives a trip through a process pool."""
    from onlinear.exceptions import DataError

    for kind, usual in (
        (ParameterError, ValueError),
        (DataError, ValueError),
        (NotAvailableError, AttributeError),
    ):
        assert issubclass(kind, usual)
        assert issubclass(kind, OnlinearError)
    error = pickle.loads(pickle.dumps(DataError("bad", 3, 4)))
    assert (str(error), error.row, error.column) == ("bad", 3, 4)
