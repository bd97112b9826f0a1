"""Running means: a feature may lie anywhere, and a row is learned without what all rows have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import onlinear
from onlinear import (
    AROWClassifier,
    AROWRegressor,
    KernelClassifier,
    Learner,
    MultilabelRanker,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    RegularizedPassiveAggressiveClassifier,
    ROMMAClassifier,
    SequenceLabeler,
    SoftConfidenceWeightedClassifier,
    belief,
    load,
    rule,
    task,
)
from onlinear.exceptions import DataError, ModelFileError, NotAvailableError, NumericError, ParameterError
from onlinear.persistence import save_compact
from tests.estimators.streams import dense_stream, sparse_stream
from tests.hostile.crafting import edited
from tests.reference.learners import Linear
from tests.reference.scaled import RunningMeans, ScaledDiagonal, ScaledMean
from tests.reference.tasks import Binary, Top1

Array = npt.NDArray[Any]

RULES = [
    ("pa", rule.PassiveAggressive(variant="pa1", C=0.3), {"variant": "PA-I", "C": 0.3}, "mean"),
    ("arow", rule.Arow(r=0.8), {"r": 0.8}, "drop"),
    ("scw-i", rule.SoftConfidenceWeighted(C=0.6, phi=0.9), {"C": 0.6, "phi": 0.9}, "kl"),
]
MODELS = [
    PassiveAggressiveClassifier(center=True),
    PassiveAggressiveClassifier(center=True, scale=None, average=True, constraints="all"),
    ROMMAClassifier(center=True),
    RegularizedPassiveAggressiveClassifier(center=True, truncation=1e-3),
    AROWClassifier(center=True, scale="typical"),
    AROWClassifier(center=True, projection="kl", average="late"),
    SoftConfidenceWeightedClassifier(center=True, scale=None),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=str)
every_count = pytest.mark.parametrize("n_classes", [2, 3])
every_dtype = pytest.mark.parametrize("dtype", ["float32", "float64"])


def renewed(model: Any, **parameters: Any) -> Any:
    """The same estimator with nothing learned."""
    return clone(model).set_params(**parameters)


def far_stream(
    n: int = 150, n_classes: int = 2, seed: int = 0, dtype: Any = np.float64
) -> tuple[Array, Array]:
    """Rows with zeros in some columns, one column without any other value, and columns far from zero."""
    stream = dense_stream(n=n, n_classes=n_classes, seed=seed, dtype=np.float64)
    X = stream.X + np.linspace(-20, 2000, stream.X.shape[1])
    X[np.random.default_rng(seed).random(X.shape) < 0.2] = 0
    X[:, 2] = 0
    return X.astype(dtype), stream.y


@settings(deadline=None, max_examples=60)
@given(
    chosen=st.sampled_from(RULES),
    n_classes=st.sampled_from([2, 4]),
    average=st.booleans(),
    scale=st.sampled_from(["none", "max", "typical"]),
    seed=st.integers(0, 10_000),
)
def test_a_centred_learner_learns_what_the_reference_learns(
    chosen: Any, n_classes: int, average: bool, scale: str, seed: int
) -> None:
    """Of rows without their means, in scales of what is left; some rows have unit length, one is far outside."""
    name, made, params, kind = chosen
    rng = np.random.default_rng(seed)
    n, d, blocks = 60, 5, 1 if n_classes == 2 else n_classes
    X = (rng.standard_normal((n, d)) + rng.integers(-5, 6, d)) * 10.0 ** rng.integers(-2, 3, d)
    X[rng.random((n, d)) < 0.3] = 0
    X[::9] /= np.maximum(np.linalg.norm(X[::9], axis=1, keepdims=True), 1e-9)
    X[40] *= 1e3
    y = rng.integers(0, n_classes, n)
    units: dict[str, Any] = {"average": average, "scale": scale, "center": True}
    known = (
        belief.Mean(**units)
        if kind == "mean"
        else belief.Diagonal(projection=kind, initial_variance=0.7, **units)
    )
    learner = Learner(
        task=task.Binary() if blocks == 1 else task.Multiclass(),
        rule=made,
        belief=known,
        n_features=d,
        n_classes=n_classes,
    )
    # Classes that know nothing tie; a small mean decides.
    start = 1e-3 * rng.standard_normal((blocks, d)) if blocks > 1 else np.zeros((1, d))
    if blocks > 1:
        learner.handle.set_mean(start, np.zeros(blocks))
    held = (
        ScaledMean(blocks * d, blocks=blocks)
        if kind == "mean"
        else ScaledDiagonal(blocks * d, blocks=blocks, a=0.7, diag=kind)
    )
    held.mu = start.ravel().copy()
    oracle = Linear(Binary() if blocks == 1 else Top1(blocks), name, params, held)
    means = RunningMeans(d, robust=scale == "typical")

    learner.learn(X[:23], y[:23])
    learner.learn(X[23:], y[23:])
    for x, label in zip(X, y, strict=True):
        row = means.see(x, held.size)
        if scale == "max":
            held.see(row, x)
        elif scale == "typical":
            row = held.see_typical(row, x)
        oracle.learn(row, 2.0 * label - 1 if blocks == 1 else label)
        held.tick()

    size = held.divisors()
    np.testing.assert_allclose(learner.mean.ravel() * size, held.mu * size, rtol=1e-7, atol=1e-9)
    if average:
        np.testing.assert_allclose(
            learner.average.ravel() * size, held.average() * size, rtol=1e-7, atol=1e-9
        )
    if isinstance(held, ScaledDiagonal):
        np.testing.assert_allclose(learner.variance.ravel() * size**2, held.sigma * size**2, rtol=1e-7)
    weights = (held.average() if average else held.mu).reshape(blocks, d)
    last = X - means.m
    if scale == "typical":
        s = held.s
        last = np.where(s > 0, np.clip(last, -5 * s, 5 * s), last)
    expected = last @ weights.T
    np.testing.assert_allclose(
        np.reshape(learner.scores(X), expected.shape), expected, rtol=1e-7, atol=1e-8 * np.abs(expected).max()
    )


@pytest.mark.parametrize("known", [belief.Mean, belief.Diagonal], ids=["mean", "diagonal"])
def test_it_is_the_plain_learner_of_rows_that_came_without_their_means(known: Any) -> None:
    """But for the order in which squares are added up."""
    X, y = dense_stream(n=200, seed=4, dtype=np.float64).X + 1700, dense_stream(n=200, seed=4).y
    means = RunningMeans(X.shape[1])
    rows = np.array([means.see(x, np.zeros(len(x))) for x in X])
    common: dict[str, Any] = {
        "task": task.Binary(),
        "rule": rule.PassiveAggressive() if known is belief.Mean else rule.Arow(),
        "n_features": X.shape[1],
        "fit_intercept": True,
    }
    centred, plain = Learner(belief=known(center=True), **common), Learner(belief=known(), **common)
    centred.learn(X, y)
    plain.learn(rows, y)
    np.testing.assert_allclose(centred.mean, plain.mean, rtol=1e-12)
    np.testing.assert_allclose(centred.scores(X), plain.scores(X - means.m), rtol=1e-12)


@every_model
@every_count
@every_dtype
def test_rows_mean_the_same_in_every_container(model: Any, n_classes: int, dtype: str) -> None:
    """Dense, sparse, sparse with zeros written, batches of any size, one at a time: the same bits."""
    X, y = far_stream(n_classes=n_classes, seed=1, dtype=dtype)
    written = sp.csr_array(np.where(X == 0, 1, X))
    written.data[X.ravel() == 0] = 0
    # Classes are met in their order, so that models of single rows number them alike.
    y[:n_classes] = range(n_classes)
    learned = [
        renewed(model, dtype=dtype).partial_fit(rows, y) for rows in (X, sp.csr_array(X), written, X.tolist())
    ]
    cut = renewed(model, dtype=dtype).partial_fit(X[:n_classes], y[:n_classes])
    for first in range(n_classes, len(y), 7):
        cut.partial_fit(sp.csr_array(X[first : first + 7]), y[first : first + 7])
    single = renewed(model, dtype=dtype, grow_features=True)
    for x, label in zip(X, y, strict=True):
        single.learn_one({j: float(value) for j, value in enumerate(x)}, int(label))
    scores = learned[0].decision_function(X)
    for each in (*learned, cut, single):
        assert each.model_.learner.digest() == learned[0].model_.learner.digest()
        np.testing.assert_array_equal(each.decision_function(sp.csr_array(X)), scores)
        np.testing.assert_array_equal(each.decision_function(written), scores)


@every_model
@every_count
def test_weights_are_told_for_features_as_they_come(model: Any, n_classes: int) -> None:
    """`coef_` and `intercept_` applied to rows are the scores, also without an intercept that is learned."""
    X, y = far_stream(n_classes=n_classes, seed=2)
    for intercept in (True, False):
        fitted = renewed(model, dtype="float64", fit_intercept=intercept).partial_fit(X, y)
        rows = X
        if model.scale == "typical":  # beyond five sizes scores are no longer linear
            rows = np.tile(fitted.model_.learner.feature_means(), (len(X), 1)) + 1e-3 * (X - X.mean(axis=0))
        scores = rows @ fitted.coef_.T + fitted.intercept_
        told = fitted.decision_function(rows)
        np.testing.assert_allclose(told.reshape(scores.shape), scores, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("offset", [1.7e9, -2000.0])
@pytest.mark.parametrize("scale", ["max", "typical", None])
@pytest.mark.parametrize(
    "model", [AROWClassifier(), PassiveAggressiveClassifier(), SoftConfidenceWeightedClassifier()], ids=str
)
def test_where_a_feature_lies_does_not_matter(model: Any, scale: Any, offset: float) -> None:
    """As seconds since 1970 or years: the model of centred columns, to the digits that are left of them."""
    stream = dense_stream(n=600, seed=3, dtype=np.float64)
    near, far = (
        renewed(model, scale=scale, center=True, random_state=0).fit(stream.X + move, stream.y)
        for move in (5.0, offset)
    )
    agree = near.predict(stream.X + 5.0) == far.predict(stream.X + offset)
    assert agree.mean() > 0.99
    plain = renewed(model, scale=scale, random_state=0).fit(stream.X + 1.7e9, stream.y)
    assert far.score(stream.X + offset, stream.y) > plain.score(stream.X + 1.7e9, stream.y) + 0.1


def test_regressors_and_rankers_are_centred_as_well() -> None:
    """Columns that lie far from zero are learned as well as those around it."""
    rng = np.random.default_rng(5)
    X = rng.standard_normal((1500, 4))
    y = X @ np.array([1.0, -2.0, 0.5, 3.0]) + 4
    labels = [[int(k) for k in np.flatnonzero(row > 0)] for row in X]
    for made in (AROWRegressor(center=True), PassiveAggressiveRegressor(center=True)):
        assert (
            renewed(made, random_state=0).fit(X[:1000] + 500, y[:1000]).score(X[1000:] + 500, y[1000:]) > 0.95
        )
    for plain, centred in (
        (MultilabelRanker(), MultilabelRanker(center=True)),
        (MultilabelRanker(rule=AROWClassifier()), MultilabelRanker(rule=AROWClassifier(center=True))),
    ):
        near = renewed(plain, random_state=0).fit(X[:1000], labels[:1000]).predict(X[1000:])
        far = renewed(centred, random_state=0).fit(X[:1000] + 500, labels[:1000]).predict(X[1000:] + 500)
        assert (far != (X[1000:] > 0)).mean() < (near != (X[1000:] > 0)).mean() + 0.02


@pytest.mark.parametrize("model", [AROWRegressor(), PassiveAggressiveRegressor()], ids=str)
@pytest.mark.parametrize("spoilt", ["row", "value"])
@pytest.mark.parametrize("place", [0, 1000, 1999])
def test_a_single_row_moves_no_typical_mean_far(model: Any, spoilt: str, place: int) -> None:
    """A row or a value a million times as large, first, amid or last: as with typical sizes alone."""
    rng = np.random.default_rng(6)
    X = rng.normal(size=(2500, 6)) + np.linspace(0, 40, 6)
    y = X @ rng.normal(size=6) + 0.3 * rng.normal(size=2500)
    rows = X[:2000].copy()
    rows[place, ... if spoilt == "row" else 2] *= 1e6
    fitted = renewed(model, center=True, random_state=0).fit(rows, y[:2000])
    assert fitted.score(X[2000:], y[2000:]) > 0.95


def test_a_feature_that_is_rarely_there_keeps_its_size() -> None:
    """One row in a hundred has it: neither its mean nor its typical size takes it for an outlier."""
    rng = np.random.default_rng(7)
    X = np.column_stack([(rng.random(20_000) < 0.01).astype(float), rng.standard_normal(20_000)])
    fitted = AROWClassifier(center=True, scale="typical").partial_fit(X, X[:, 0] > 0.5)
    state = fitted.model_.learner.state()
    assert state["feature_mean"][0, 1] == pytest.approx(0.01, abs=0.005)
    assert state["feature_scale"][0, 1] == pytest.approx(0.99, rel=0.1)
    assert fitted.score(X, X[:, 0] > 0.5) > 0.999


@every_dtype
def test_a_row_that_is_not_learned_moves_no_mean(dtype: str) -> None:
    """One whose step would overflow, one of weight 0, and one that is refused for its input, new features included."""
    model = PassiveAggressiveRegressor(variant="pa", scale="max", center=True, dtype=dtype)
    model.partial_fit([[1.0, 2.0], [3.0, -1.0]], [1.0, -1.0])
    before = model.digest()
    with pytest.raises(NumericError):
        model.partial_fit([[500.0, 700.0]], [1e37 if dtype == "float32" else 1e300])
    assert model.digest() == before
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[500.0, 700.0], [1.0, np.nan]], [1.0, 1.0])
    assert model.digest() == before
    model.partial_fit([[500.0, 700.0]], [1.0], sample_weight=[0.0])
    assert model.digest() == before
    means = model.model_.learner.state()["feature_mean"]
    with pytest.raises(NumericError):
        model.learn_one({0: 500.0, 1: 700.0, 2: 9.0}, 1e37 if dtype == "float32" else 1e300)
    np.testing.assert_array_equal(model.model_.learner.state()["feature_mean"], means)
    assert model.learn_one({0: 2.0, 1: 2.0, 2: 2.0}, 1.0).n_seen_ == 3


@every_count
def test_means_are_in_the_file(n_classes: int, tmp_path: Path) -> None:
    """In full precision whatever the weights, also beside a list of touched weights, and learning goes on."""
    stream = sparse_stream(n=100, d=20, n_classes=n_classes, seed=10)
    wide = sp.csr_array((stream.X.data, stream.X.indices * 400, stream.X.indptr), shape=(100, 8000))
    for rows in (stream.X, wide):
        model = AROWClassifier(center=True).partial_fit(
            rows[:60], stream.y[:60], classes=np.arange(n_classes)
        )
        model.save(tmp_path / "model.safetensors")
        loaded = load(tmp_path / "model.safetensors")
        assert loaded.center is True
        assert loaded.digest() == model.digest()
        assert (
            loaded.partial_fit(rows[60:], stream.y[60:]).digest()
            == model.partial_fit(rows[60:], stream.y[60:]).digest()
        )


@pytest.mark.parametrize(
    "edit",
    [
        lambda c, t: t.update(feature_mean=t["feature_mean"][::-1].copy()),
        lambda c, t: t.update(feature_mean=t["feature_mean"] * np.nan),
        lambda c, t: t.update(feature_mean=t["feature_mean"] + [[100, 0]]),
        lambda c, t: t.update(feature_mean=t["feature_mean"] + [[0.5, 0]]),
        lambda c, t: t.update(feature_mean=t["feature_mean"][:, :1].copy()),
        lambda c, t: t.update(feature_mean=t["feature_mean"].astype(np.float32)),
        lambda c, t: t.pop("feature_mean"),
        lambda c, t: c["scalars"].pop("centred_rows"),
        lambda c, t: c["scalars"].update(centred_rows=0.0),
        lambda c, t: c["scalars"].update(centred_rows=-3.0),
        lambda c, t: c["scalars"].update(centred_rows=2.5),
        lambda c, t: c["parameters"].update(center=False),
    ],
    ids=[
        "falling columns",
        "NaN",
        "no such column",
        "half a column",
        "no means",
        "float32",
        "missing",
        "unsaid",
        "of no rows",
        "of fewer than none",
        "of half a row",
        "not centred",
    ],
)
def test_a_file_with_impossible_means_is_refused(edit: Any, tmp_path: Path) -> None:
    """Before anything is learned with them."""
    stream = dense_stream(seed=11)
    AROWClassifier(center=True).partial_fit(stream.X, stream.y).save(tmp_path / "model.safetensors")
    with pytest.raises(ModelFileError):
        load(edited(tmp_path / "model.safetensors", edit))


def test_a_file_that_does_not_speak_of_means_has_none(tmp_path: Path) -> None:
    """As all that were written before there were any."""
    stream = dense_stream(seed=12)
    plain = AROWClassifier().partial_fit(stream.X, stream.y)
    plain.save(tmp_path / "model.safetensors")
    loaded = load(edited(tmp_path / "model.safetensors", lambda c, t: c["parameters"].pop("center")))
    assert loaded.center is False
    assert loaded.model_.learner.digest() == plain.model_.learner.digest()


@pytest.mark.parametrize(
    "model",
    [
        AROWClassifier(center=True, covariance="full"),
        RegularizedPassiveAggressiveClassifier(center=True, penalty="l1_ball"),
        KernelClassifier(center=True),
        onlinear.AdaGradRDAClassifier(center=True),
        onlinear.SecondOrderPerceptron(center=True),
    ],
    ids=str,
)
def test_a_belief_without_means_names_what_has_them(model: Any) -> None:
    """Never in silence."""
    with pytest.raises(ParameterError, match="StandardScaler"):
        model.fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])


def test_tasks_that_cannot_be_centred_say_so() -> None:
    """Where rows lie is what one class is about; tokens and differences of rows have no place."""
    with pytest.raises(ParameterError, match="center=False"):
        Learner(
            task=task.OneClass(), rule=rule.PassiveAggressive(), belief=belief.Mean(center=True), n_features=2
        )
    with pytest.raises(ParameterError, match="not centred"):
        SequenceLabeler(rule=AROWClassifier(center=True, scale=None)).fit([["a"]], [["b"]])
    with pytest.raises(ParameterError, match="center=False"):
        MultilabelRanker(center=True, phi=lambda rows, label: rows * label).fit(np.eye(2), [[0], [1]])


def test_more_features_than_can_be_borne_are_refused_by_the_row_that_brings_them() -> None:
    """With the remedy; the rows before it stay learned, and others are learned after it."""
    model = AROWClassifier(center=True)
    few = sp.csr_array(np.eye(3, dtype=np.float32))
    few.resize(3, 70_000)
    many = sp.csr_array(np.ones((1, 70_000), np.float32))
    with pytest.raises(NumericError, match=r"row 3 brings more features than the 65536.*StandardScaler"):
        model.partial_fit(sp.csr_array(sp.vstack([few, many])), [0, 1, 0, 1])
    assert model.n_seen_ == 3
    assert len(model.model_.learner.state()["feature_mean"]) == 3
    assert model.partial_fit(few, [0, 1, 0]).n_seen_ == 6


@pytest.mark.parametrize("learned", [True, False])
def test_what_was_learned_with_means_is_not_gone_on_with_without(learned: bool) -> None:
    """Nor the other way round."""
    model = AROWClassifier(center=learned).partial_fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])
    state = model.model_.learner.state()
    with pytest.raises(ParameterError, match="center"):
        model.set_params(center=not learned).partial_fit([[1.0, 2.0]], [0])
    other = belief.Diagonal(scale="max", center=not learned)
    twin = Learner(task=task.Binary(), rule=rule.Arow(), belief=other, n_features=2, fit_intercept=True)
    with pytest.raises(DataError, match="feature_mean"):
        twin.load_state(state)


def test_weights_to_start_from_speak_of_features_as_they_come() -> None:
    """Not of those without their means."""
    with pytest.raises(ParameterError, match="initial_mean"):
        AROWClassifier(center=True, initial_mean=[[1.0]]).fit([[1.0], [2.0]], [0, 1])


def test_a_compact_file_has_too_few_digits_for_means(tmp_path: Path) -> None:
    """It says so."""
    stream = dense_stream(seed=13)
    model = AROWClassifier(center=True).partial_fit(stream.X, stream.y)
    with pytest.raises(NotAvailableError, match="center"):
        save_compact(model, tmp_path / "model.safetensors")


@every_count
def test_an_explanation_and_drawn_weights_are_those_of_the_margin(n_classes: int) -> None:
    """Its deviation is the margin's; weights that are drawn scatter around the scores, no further than that."""
    X, y = far_stream(n=300, n_classes=n_classes, seed=14)
    model = AROWClassifier(center=True, dtype="float64").partial_fit(X, y)
    row = X[7:8]
    margin, std = model.margin(row, return_std=True)
    told = model.explain(row[0], top=None)
    assert told.margin == pytest.approx(margin[0], rel=1e-6)
    assert told.std == pytest.approx(std[0], rel=1e-6)
    assert told.intercept + sum(item.contribution for item in told.contributions) == pytest.approx(
        margin[0], rel=1e-6
    )

    coef, intercept = model.sample(4000, random_state=0)
    scores = np.einsum("nkd,d->nk", coef, row[0]) + intercept
    np.testing.assert_allclose(scores.mean(axis=0), np.ravel(model.decision_function(row)), atol=0.1)
    if n_classes == 2:
        assert scores.std() == pytest.approx(std[0], rel=0.1)
