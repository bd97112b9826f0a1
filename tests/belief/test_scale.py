"""Running scales: a feature's unit does not matter, and what has none is left alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

import onlinear
from onlinear import (
    AROWClassifier,
    AROWRegressor,
    ConfidenceWeightedClassifier,
    KernelClassifier,
    Learner,
    MultilabelRanker,
    NORMAClassifier,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    Perceptron,
    RegularizedPassiveAggressiveClassifier,
    ROMMAClassifier,
    SequenceLabeler,
    SoftConfidenceWeightedClassifier,
    belief,
    load,
    rule,
    task,
)
from onlinear.exceptions import ModelFileError, NumericError, ParameterError
from onlinear.model.recipe import Baseline, Classification
from tests.estimators.streams import dense_stream, sparse_stream
from tests.hostile.crafting import edited
from tests.reference.learners import Linear
from tests.reference.scaled import ScaledDiagonal, ScaledMean
from tests.reference.tasks import Binary, Top1

Array = npt.NDArray[Any]

SCALED = [
    PassiveAggressiveClassifier(scale="max"),
    PassiveAggressiveClassifier(scale="max", average=True, constraints="all"),
    Perceptron(scale="max", average=True),
    ROMMAClassifier(scale="max"),
    NORMAClassifier(scale="max"),
    RegularizedPassiveAggressiveClassifier(scale="max", truncation=1e-3),
    RegularizedPassiveAggressiveClassifier(scale="max", penalty="l2_ball"),
    AROWClassifier(scale="max"),
    AROWClassifier(scale="max", projection="kl", average=True, min_variance=0.01),
    ConfidenceWeightedClassifier(scale="max", projection="exact"),
    SoftConfidenceWeightedClassifier(scale="max", min_variance=0.003),
]
#: Linear classifiers that are more than what papers compare themselves with.
NO_BASELINES = [
    name
    for name in onlinear.__all__
    for recipe in [getattr(getattr(onlinear, name), "recipe", object)]
    if name != "KernelClassifier"
    and isinstance(recipe, type)
    and issubclass(recipe, Classification)
    and not issubclass(recipe, Baseline)
]
every_model = pytest.mark.parametrize("model", SCALED, ids=str)
every_count = pytest.mark.parametrize("n_classes", [2, 3])
every_dtype = pytest.mark.parametrize("dtype", ["float32", "float64"])

RULES = [
    ("pa", rule.PassiveAggressive(variant="pa1", C=0.3), {"variant": "PA-I", "C": 0.3}, "mean"),
    ("perceptron", rule.Perceptron(rate=0.7), {"rate": 0.7}, "mean"),
    ("arow", rule.Arow(r=0.8), {"r": 0.8}, "drop"),
    ("arow", rule.Arow(r=0.8), {"r": 0.8}, "kl"),
    ("scw-i", rule.SoftConfidenceWeighted(C=0.6, phi=0.9), {"C": 0.6, "phi": 0.9}, "kl"),
]


def renewed(model: Any, **parameters: Any) -> Any:
    """The same estimator with nothing learned."""
    return type(model)(**{**model.get_params(deep=False), **parameters})


def units(n: int, seed: int = 0) -> Array:
    """Powers of two, some large and some small."""
    return 2.0 ** np.random.default_rng(seed).integers(-30, 30, n)


@pytest.mark.parametrize(("name", "made", "params", "kind"), RULES, ids=lambda value: str(value))
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("scale", ["max", "typical"])
@pytest.mark.parametrize("seed", range(3))
def test_a_scaled_learner_learns_what_the_reference_learns(
    name: str,
    made: Any,
    params: dict[str, Any],
    kind: str,
    n_classes: int,
    average: bool,
    scale: str,
    seed: int,
) -> None:
    """Written in the features' own units, where the prior follows the scales; some rows have unit length."""
    rng = np.random.default_rng(seed)
    n, d, blocks = 120, 6, 1 if n_classes == 2 else n_classes
    X = rng.standard_normal((n, d)) * np.linspace(0.5, 3, n)[:, None] * 10.0 ** rng.integers(-3, 4, d)
    X[rng.random((n, d)) < 0.3] = 0
    for i in range(0, n, 9):
        X[i] = rng.standard_normal(d)
        X[i] /= np.linalg.norm(X[i])
    X[40] *= 1e4  # a row far outside all others
    y = rng.integers(0, n_classes, n)
    known = (
        belief.Mean(average=average, scale=scale)
        if kind == "mean"
        else belief.Diagonal(projection=kind, initial_variance=0.7, average=average, scale=scale)
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

    learner.learn(X, y)
    for x, label in zip(X, y, strict=True):
        if scale == "max":
            held.see(x)
        else:
            x = held.see_typical(x)
        oracle.learn(x, 2.0 * label - 1 if blocks == 1 else label)
        held.tick()

    size = held.divisors()
    np.testing.assert_allclose(learner.mean.ravel() * size, held.mu * size, rtol=1e-8, atol=1e-10)
    if average:
        np.testing.assert_allclose(
            learner.average.ravel() * size, held.average() * size, rtol=1e-8, atol=1e-10
        )
    if isinstance(held, ScaledDiagonal):
        np.testing.assert_allclose(learner.variance.ravel() * size**2, held.sigma * size**2, rtol=1e-8)


@every_model
@every_count
@every_dtype
@pytest.mark.parametrize("shape", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_a_unit_changes_nothing_but_the_unit_of_its_weight(
    model: Any, n_classes: int, dtype: str, shape: Any
) -> None:
    """Columns multiplied by powers of two: the same scores, bit for bit, and weights divided by them."""
    stream = dense_stream(n=150, n_classes=n_classes, seed=1, dtype=dtype)
    factor = units(stream.X.shape[1]).astype(dtype)
    plain = renewed(model, dtype=dtype).partial_fit(shape(stream.X), stream.y)
    other = renewed(model, dtype=dtype).partial_fit(shape(stream.X * factor), stream.y)

    np.testing.assert_array_equal(other.coef_ * factor, plain.coef_)
    np.testing.assert_array_equal(
        other.decision_function(shape(stream.X * factor)), plain.decision_function(shape(stream.X))
    )


@pytest.mark.parametrize("name", NO_BASELINES)
def test_as_it_comes_no_classifier_but_the_baselines_asks_for_units(name: str) -> None:
    """The same scores, whatever columns were multiplied by."""
    stream = dense_stream(n=150, n_classes=3, seed=2, dtype=np.float64)
    factor = units(stream.X.shape[1])
    made = getattr(onlinear, name)
    plain = made(random_state=0).fit(stream.X, stream.y)
    other = made(random_state=0).fit(stream.X * factor, stream.y)
    np.testing.assert_array_equal(
        other.decision_function(stream.X * factor), plain.decision_function(stream.X)
    )


@pytest.mark.parametrize("bound", [{"penalty": "l2_ball"}, {"penalty": "l1_ball"}, {"truncation": 1e-3}])
def test_bounds_on_weights_are_meant_for_features_as_they_come(bound: dict[str, Any]) -> None:
    """As it comes a ball is one of the weights that are told."""
    stream = dense_stream(n=150, n_classes=2, seed=3, dtype=np.float64)
    X = 8 * stream.X
    asked = RegularizedPassiveAggressiveClassifier(**bound).partial_fit(X, stream.y)
    plain = RegularizedPassiveAggressiveClassifier(scale=None, **bound).partial_fit(X, stream.y)
    np.testing.assert_array_equal(asked.coef_, plain.coef_)


@pytest.mark.parametrize("factor", [3.0, 1e-5, 1e5])
def test_any_constant_is_a_unit_up_to_rounding(factor: float) -> None:
    """Not only powers of two."""
    stream = dense_stream(n=150, seed=2, dtype=np.float64)
    plain = AROWClassifier(scale="max").partial_fit(stream.X, stream.y)
    other = AROWClassifier(scale="max").partial_fit(stream.X * factor, stream.y)

    np.testing.assert_allclose(other.coef_ * factor, plain.coef_, rtol=1e-9)


@every_model
@every_count
@every_dtype
def test_once_the_largest_values_have_come_rows_are_learned_as_if_divided_by_them(
    model: Any, n_classes: int, dtype: str
) -> None:
    """The first row has the largest value of each column; then it is the plain learner, but for the order of sums."""
    stream = dense_stream(n=100, n_classes=n_classes, seed=3, dtype=dtype)
    largest = units(stream.X.shape[1], seed=4).astype(dtype)
    divided = stream.X / (2 * np.abs(stream.X).max())
    divided[0] = 1
    scaled = renewed(model, dtype=dtype).partial_fit(divided * largest, stream.y)
    plain = renewed(model, dtype=dtype, scale=None).partial_fit(divided, stream.y)

    close = {"rtol": 1e-3, "atol": 1e-5} if dtype == "float32" else {"rtol": 1e-9, "atol": 1e-12}
    np.testing.assert_allclose(scaled.coef_ * largest, plain.coef_, **close)
    np.testing.assert_allclose(scaled.intercept_, plain.intercept_, **close)
    if scaled.model_.learner.handle.has_variance:
        np.testing.assert_allclose(scaled.coef_std_ * largest, plain.coef_std_, **close)


@every_model
@every_count
def test_rows_of_unit_length_are_learned_as_without_scales(model: Any, n_classes: int) -> None:
    """Text has no units: the same bits, and nothing more to save."""
    stream = sparse_stream(n=120, n_classes=n_classes, seed=5)
    length = np.sqrt(np.asarray(stream.X.power(2).sum(axis=1)).ravel())
    X = sp.csr_array(sp.diags_array(1 / np.where(length > 0, length, 1)) @ stream.X, dtype=np.float32)
    scaled, plain = (renewed(model, scale=scale).partial_fit(X, stream.y) for scale in ("max", None))

    np.testing.assert_array_equal(scaled.coef_, plain.coef_)
    np.testing.assert_array_equal(scaled.decision_function(X), plain.decision_function(X))
    assert scaled.model_.learner.state()["scaled"] == 0


@every_model
@every_count
def test_dense_and_sparse_rows_learn_the_same_model(model: Any, n_classes: int) -> None:
    """Scales only divide, so zeros stay zeros; what differs is the order of sums."""
    stream = sparse_stream(n=120, n_classes=n_classes, seed=6, dtype=np.float64)
    X = sp.csr_array(stream.X * units(stream.X.shape[1]))
    sparse = renewed(model, dtype="float64").partial_fit(X, stream.y)
    dense = renewed(model, dtype="float64").partial_fit(X.toarray(), stream.y)

    scores = dense.decision_function(X)
    np.testing.assert_allclose(
        sparse.decision_function(X), scores, rtol=1e-7, atol=1e-9 * np.abs(scores).max()
    )


@every_model
def test_weights_are_told_in_the_units_of_the_features(model: Any) -> None:
    """`coef_` and `intercept_` applied to rows are the scores, for rows larger than any that were learned, too."""
    stream = dense_stream(n=100, seed=7, dtype=np.float64)
    X = stream.X * units(stream.X.shape[1])
    fitted = renewed(model, dtype="float64").partial_fit(X, stream.y)

    for rows in (X, 7 * X[:5]):
        scores = rows @ fitted.coef_[0] + fitted.intercept_[0]
        np.testing.assert_allclose(fitted.decision_function(rows), scores, rtol=1e-9, atol=1e-9)


def test_a_scale_that_grows_keeps_what_was_learned() -> None:
    """On one feature: precision is the prior's, s² / a, and the examples', x² / r; the mean is Σ times their sum."""
    r, a = 0.5, 0.8
    learner = Learner(
        task=task.Regression(),
        rule=rule.LeastSquares(r=r),
        belief=belief.Diagonal(projection="kl", initial_variance=a, scale="max"),
        n_features=1,
    )
    x, y = np.array([0.5, -2.0, 1.5, 30.0, 4.0]), np.array([1.0, -3.0, 2.0, 50.0, 7.0])
    for i in range(len(x)):
        learner.learn(x[i : i + 1, None], y[i : i + 1])
        seen = x[: i + 1]
        precision = np.abs(seen).max() ** 2 / a + (seen**2).sum() / r
        assert 1 / learner.variance[0] == pytest.approx(precision, rel=1e-12)
        assert learner.mean[0] == pytest.approx((seen * y[: i + 1]).sum() / r / precision, rel=1e-12)


def in_blocks(rows: Array, label: int) -> Array:
    """The rows in the columns of a label, one vector of weights for all labels."""
    return np.hstack([rows * (label == k) for k in range(4)])


def test_regressors_and_rankers_are_scaled_as_well() -> None:
    """Units matter to neither."""
    rng = np.random.default_rng(8)
    X = rng.standard_normal((200, 4))
    y = X @ np.array([1.0, -2.0, 0.5, 3.0]) + 4
    labels = [[int(k) for k in np.flatnonzero(row > 0)] for row in X]
    factor = units(4)
    for model, answers in (
        (PassiveAggressiveRegressor(scale="max", average=True), y),
        (AROWRegressor(scale="max"), y),
        (MultilabelRanker(scale="max"), labels),
        (MultilabelRanker(rule=AROWClassifier(scale="max")), labels),
        (MultilabelRanker(scale="max", phi=in_blocks), labels),
    ):
        plain, other = (renewed(model, random_state=0).fit(rows, answers) for rows in (X, X * factor))
        wide = np.tile(factor, plain.coef_.shape[-1] // 4)
        np.testing.assert_array_equal(other.coef_ * wide, plain.coef_)
        assert plain.coef_.any()


@every_dtype
def test_a_row_whose_step_would_overflow_raises_no_scale(dtype: str) -> None:
    """Nor does one of weight 0, or one that is refused for its input."""
    model = PassiveAggressiveRegressor(variant="pa", scale="max", average=True, dtype=dtype)
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


@every_model
@every_dtype
@pytest.mark.parametrize("size", [1e-30, 1e30])
def test_features_of_any_size_are_learned(model: Any, dtype: str, size: float) -> None:
    """Beside ordinary ones, and in float32, where their squares are none."""
    stream = dense_stream(n=200, seed=9, dtype=np.float64)
    X = stream.X.copy()
    X[:, ::2] *= size
    fitted = renewed(model, dtype=dtype).partial_fit(X, stream.y)
    usual = renewed(model, dtype=dtype).partial_fit(stream.X, stream.y)

    assert np.isfinite(fitted.coef_).all()
    assert (fitted.predict(X) == usual.predict(stream.X)).mean() > 0.95


@every_model
@every_dtype
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_rows_that_are_small_throughout_are_no_empty_rows(model: Any, dtype: str, layout: Any) -> None:
    """Their squares are lost beside that of the intercept, or are none; the features have scales all the same."""
    stream = dense_stream(n=200, seed=9, dtype=np.float64)
    size = 2.0**-40 if dtype == "float32" else 2.0**-600
    usual = renewed(model, dtype=dtype).partial_fit(layout(stream.X), stream.y)
    small = renewed(model, dtype=dtype).partial_fit(layout(stream.X * size), stream.y)
    scales = [each.model_.learner.state()["feature_scale"] for each in (usual, small)]
    np.testing.assert_array_equal(scales[1][..., 1:], scales[0][..., 1:] * size)
    np.testing.assert_array_equal(small.predict(layout(stream.X * size)), usual.predict(layout(stream.X)))


def test_a_leap_of_sixty_orders_is_survived() -> None:
    """A feature that was tiny and is enormous: every number stays finite, and learning goes on."""
    for model in (AROWClassifier(scale="max", average=True), PassiveAggressiveClassifier(scale="max")):
        X = np.array([[1e-30, 1.0], [-1e-30, 2.0], [1e30, 3.0], [-1e30, 0.5]] * 5, dtype=np.float32)
        fitted = renewed(model, dtype="float32").partial_fit(X, [0, 1, 1, 0] * 5)
        assert np.isfinite(fitted.coef_).all()
        assert fitted.n_seen_ == 20


@every_model
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("layout", [np.asarray, sp.csr_array])
def test_a_leap_without_weight_is_no_leap(model: Any, classes: int, layout: Any) -> None:
    """Divided by a tiny scale an enormous value is infinite; without weight nobody asks."""
    rows, n = 40, min(classes, 2) if isinstance(model, MultilabelRanker) else classes
    X = np.array([[1e-30 * (row + 1), 2.0] for row in range(rows)], np.float32)
    y, weight = np.arange(rows) % n, np.ones(rows)
    without = renewed(model, dtype="float32").partial_fit(layout(X[:-3]), y[:-3])
    X[-3:], weight[-3:] = 3e38, 0
    fitted = renewed(model, dtype="float32").partial_fit(layout(X), y, sample_weight=weight)
    assert fitted.digest() == without.digest()


def test_what_is_told_of_features_of_the_largest_sizes_is_finite_and_positive() -> None:
    """In their own units: a weight of 1 over 1e-308, a variance of 1 over 1e300²."""
    X = np.array([[1e-308, 1e300], [-1e-308, 1e300], [1e-308, -1e300]])
    fitted = AROWClassifier(scale="max", dtype="float64").partial_fit(X, [0, 1, 1])
    assert np.isfinite(fitted.coef_).all()
    assert np.isfinite(fitted.coef_std_).all()
    assert (fitted.coef_std_ > 0).all()


@every_count
def test_scales_are_in_the_file(n_classes: int, tmp_path: Any) -> None:
    """Also beside a list of touched weights, as wide models have."""
    stream = sparse_stream(n=100, d=20, n_classes=n_classes, seed=10)
    X = sp.csr_array(stream.X * units(20, seed=1).astype(np.float32))
    wide = sp.csr_array((X.data, X.indices * 400, X.indptr), shape=(100, 8000))
    for rows in (X, wide):
        model = AROWClassifier(scale="max").partial_fit(
            rows[:60], stream.y[:60], classes=np.arange(n_classes)
        )
        model.save(tmp_path / "model.safetensors")
        loaded = load(tmp_path / "model.safetensors")
        assert loaded.scale == "max"
        assert loaded.digest() == model.digest()
        assert (
            loaded.partial_fit(rows[60:], stream.y[60:]).digest()
            == model.partial_fit(rows[60:], stream.y[60:]).digest()
        )


@pytest.mark.parametrize(
    "edit",
    [
        lambda c, t: t.update(feature_scale=-t["feature_scale"]),
        lambda c, t: t.update(feature_scale=t["feature_scale"] * np.float32(np.nan)),
        lambda c, t: t.update(feature_scale=t["feature_scale"][:, 1:].copy()),
        lambda c, t: t.update(feature_scale=np.repeat(t["feature_scale"], 2, axis=0)),
        lambda c, t: t.pop("feature_scale"),
        lambda c, t: c["scalars"].pop("scaled"),
    ],
    ids=["negative", "NaN", "too few", "too many", "missing", "unsaid"],
)
def test_a_file_with_impossible_scales_is_refused(edit: Any, tmp_path: Any) -> None:
    """Before anything is learned with them."""
    stream = dense_stream(seed=11)
    AROWClassifier(scale="max").partial_fit(stream.X, stream.y).save(tmp_path / "model.safetensors")
    with pytest.raises(ModelFileError):
        load(edited(tmp_path / "model.safetensors", edit))


@pytest.mark.parametrize(
    "model",
    [
        AROWClassifier(scale="max", covariance="full"),
        RegularizedPassiveAggressiveClassifier(scale="max", penalty="l1_ball"),
        KernelClassifier(scale="max"),
    ],
    ids=str,
)
def test_a_belief_without_scales_names_what_has_them(model: Any) -> None:
    """Never in silence."""
    with pytest.raises(ParameterError, match="MaxAbsScaler, or StandardScaler"):
        model.fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])


def test_tasks_that_cannot_be_scaled_say_so() -> None:
    """Distances have units, and the features of sequences have none."""
    with pytest.raises(ParameterError, match="distances"):
        Learner(
            task=task.OneClass(), rule=rule.PassiveAggressive(), belief=belief.Mean(scale="max"), n_features=2
        )
    with pytest.raises(ParameterError, match="not scaled"):
        SequenceLabeler(rule=AROWClassifier(scale="max")).fit([["a"]], [["b"]])


@pytest.mark.parametrize(("learned", "then"), [(None, "max"), ("max", None)])
def test_what_was_learned_with_scales_is_not_gone_on_with_without(
    learned: Any, then: Any, tmp_path: Any
) -> None:
    """Nor the other way round; a file cannot have it either."""
    model = AROWClassifier(scale=learned).partial_fit([[1.0, 2.0], [2.0, 1.0]], [0, 1])
    model.save(tmp_path / "model.safetensors")
    with pytest.raises(ParameterError, match="scale"):
        model.set_params(scale=then).partial_fit([[1.0, 2.0]], [0])
    with pytest.raises(ModelFileError, match="scale"):
        load(edited(tmp_path / "model.safetensors", lambda c, t: c["parameters"].update(scale=then)))


def test_an_unknown_scale_is_refused() -> None:
    """With what there is."""
    with pytest.raises(ParameterError, match="'max', None"):
        AROWClassifier(scale="min").fit([[1.0], [2.0]], [0, 1])


def test_weights_to_start_from_have_no_scale_to_grow_from() -> None:
    """They would be taken for learned from features of size one."""
    with pytest.raises(ParameterError, match="initial_mean"):
        AROWClassifier(scale="max", initial_mean=[[1.0]]).fit([[1.0], [2.0]], [0, 1])
