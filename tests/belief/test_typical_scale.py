"""Typical sizes: no unit matters, no single row decides, and what is refused leaves no trace."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from onlinear import (
    AROWClassifier,
    AROWRegressor,
    Learner,
    PassiveAggressiveClassifier,
    PassiveAggressiveRegressor,
    SoftConfidenceWeightedClassifier,
    belief,
    load,
    rule,
    task,
)
from onlinear.exceptions import DataError, ModelFileError, NumericError, ParameterError
from tests.hostile.crafting import edited
from tests.reference.learners import Linear
from tests.reference.scaled import ScaledDiagonal, ScaledMean, TypicalTargets
from tests.reference.tasks import Regression

Array = npt.NDArray[Any]

MODELS = [
    PassiveAggressiveRegressor(),
    PassiveAggressiveRegressor(variant="pa2", average=False),
    PassiveAggressiveRegressor(variant="pa"),
    AROWRegressor(),
    AROWRegressor(projection="kl", min_variance=0.0, average=False),
]
every_model = pytest.mark.parametrize("model", MODELS, ids=str)
every_dtype = pytest.mark.parametrize("dtype", ["float32", "float64"])


def renewed(model: Any, **parameters: Any) -> Any:
    """The same estimator with nothing learned."""
    return clone(model).set_params(**parameters)


def problem(seed: int = 0, n: int = 400, d: int = 6, noise: float = 0.3) -> tuple[Array, Array]:
    """Targets far from zero, and columns whose values lie around zero or beside it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + np.linspace(0, 2, d)
    return X, X @ rng.normal(size=d) + 20 + noise * rng.normal(size=n)


def sparse_problem(seed: int = 0, n: int = 300, d: int = 40) -> tuple[Any, Array]:
    """Rows of a few entries of very different sizes."""
    rng = np.random.default_rng(seed)
    X = sp.random_array((n, d), density=0.15, rng=rng, data_sampler=lambda size: rng.lognormal(0, 1, size))
    X = sp.csr_array(X * 10.0 ** rng.integers(-3, 4, d))
    return X, np.asarray(X.astype(bool) @ rng.normal(size=d)) + rng.normal(size=n)


def gained(model: Any, X: Array, y: Array) -> float:
    """R², which scikit-learn's `score` is."""
    return float(1 - np.mean((model.predict(X) - y) ** 2) / np.var(y))


REFERENCES = [
    ("pa", rule.PassiveAggressive(variant="pa1", C=0.3), {"variant": "PA-I", "C": 0.3}, 0.1, "mean"),
    ("pa", rule.PassiveAggressive(variant="pa2", C=2.0), {"variant": "PA-II", "C": 2.0}, 0.0, "mean"),
    ("arow", rule.Arow(r=0.8), {"r": 0.8}, 0.1, "drop"),
    ("arow", rule.Arow(r=0.8), {"r": 0.8}, 0.1, "kl"),
]


@pytest.mark.parametrize(
    ("name", "made", "params", "epsilon", "kind"), REFERENCES, ids=lambda value: str(value)
)
@pytest.mark.parametrize("seed", range(3))
def test_a_regressor_learns_what_the_reference_learns(
    name: str, made: Any, params: dict[str, Any], epsilon: float, kind: str, seed: int
) -> None:
    """Features and targets in typical sizes, some of them enormous; costs and predictions are in the targets' unit."""
    rng = np.random.default_rng(seed)
    n, d = 150, 5
    X = rng.standard_t(1.5, size=(n, d)) * 10.0 ** rng.integers(-3, 4, d)
    y = 1e3 * (rng.standard_t(1.5, size=n) + 7)
    known = (
        belief.Mean(scale="typical")
        if kind == "mean"
        else belief.Diagonal(projection=kind, initial_variance=0.7, scale="typical")
    )
    learner = Learner(
        task=task.Regression(epsilon=epsilon, scale="typical"), rule=made, belief=known, n_features=d
    )
    held = ScaledMean(d) if kind == "mean" else ScaledDiagonal(d, a=0.7, diag=kind)
    oracle, targets = Linear(Regression(epsilon), name, params, held), TypicalTargets()
    cost = 0.0
    for x, target in zip(X, y, strict=True):
        centre, unit = targets.centre, targets.unit
        row = held.see_typical(x)
        cost += abs(target - (centre + unit * float(held.mu @ row)))
        oracle.learn(row, targets.see(float(target)))

    learner.learn(X[:70], y[:70])
    learner.learn(X[70:], y[70:])

    scale = held.divisors() / targets.unit
    np.testing.assert_allclose(learner.mean * scale, held.mu * held.divisors(), rtol=1e-8, atol=1e-10)
    assert learner.intercept[0] == pytest.approx(targets.centre, rel=1e-12)
    assert learner.total_cost == pytest.approx(cost, rel=1e-9)
    if isinstance(held, ScaledDiagonal):
        np.testing.assert_allclose(learner.variance * scale**2, held.sigma * held.divisors() ** 2, rtol=1e-8)
    seen = np.clip(X, -5 * held.divisors(), 5 * held.divisors())
    np.testing.assert_allclose(
        np.ravel(learner.scores(X)), targets.centre + targets.unit * (seen @ held.mu), rtol=1e-8
    )


@every_model
@every_dtype
@pytest.mark.parametrize("shape", [np.asarray, sp.csr_array], ids=["dense", "sparse"])
def test_units_of_features_and_targets_change_units_alone(model: Any, dtype: str, shape: Any) -> None:
    """Powers of two: the same bits."""
    X, y = problem(1)
    factor = 2.0 ** np.array([-20, 3, 0, 15, -7, 1])
    plain = renewed(model, dtype=dtype, random_state=0).fit(shape(X.astype(dtype)), y)
    other = renewed(model, dtype=dtype, random_state=0).fit(shape((X * factor).astype(dtype)), y * 1024)

    np.testing.assert_array_equal(other.coef_ * factor, plain.coef_ * 1024)
    np.testing.assert_array_equal(
        other.predict(shape((X * factor).astype(dtype))), 1024 * plain.predict(shape(X.astype(dtype)))
    )
    assert other.total_loss_ == 1024 * plain.total_loss_


@pytest.mark.parametrize("model", [PassiveAggressiveRegressor(), AROWRegressor()], ids=str)
@pytest.mark.parametrize("unit", [1e-5, 1e5])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_targets_of_any_unit_and_place_are_learned(model: Any, unit: float, offset: float) -> None:
    """In one pass."""
    X, y = problem(2, n=2000)
    assert gained(renewed(model).partial_fit(X, unit * (y + offset)), X, unit * (y + offset)) > 0.9


@pytest.mark.parametrize(
    "model",
    [PassiveAggressiveRegressor(), PassiveAggressiveRegressor(variant="pa"), AROWRegressor()],
    ids=str,
)
@pytest.mark.parametrize("spoilt", ["row", "value", "target"])
@pytest.mark.parametrize("place", [0, 1000, 1999])
def test_a_single_row_ruins_nothing(model: Any, spoilt: str, place: int) -> None:
    """A row, a value or a target a million times as large, first, amid or last, in one pass and in several.

    A first target of this size takes some hundred rows to be forgotten, which the average holds as well.
    """
    X, y = problem(3, n=2500)
    test_rows, test_targets = X[2000:], y[2000:]
    X, y = X[:2000].copy(), y[:2000].copy()
    if spoilt == "row":
        X[place] *= 1e6
    elif spoilt == "value":
        X[place, 2] *= 1e6
    else:
        y[place] *= 1e6

    assert gained(renewed(model, random_state=0).fit(X, y), test_rows, test_targets) > 0.95
    once = gained(renewed(model).partial_fit(X, y), test_rows, test_targets)
    assert once > (0.4 if (spoilt, place) == ("target", 0) else 0.95)


CLASSIFIERS = [
    SoftConfidenceWeightedClassifier(scale="typical"),
    AROWClassifier(scale="typical", average=True),
    PassiveAggressiveClassifier(scale="typical", average=True, constraints="all"),
]


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("place", [0, 1000, 1999])
def test_a_single_row_ruins_no_classifier_that_is_asked_for_it(
    model: Any, n_classes: int, place: int
) -> None:
    """A row a million times as large: with largest values, nothing is left of the others.

    In one pass a first row of this size is forgotten by and by, and the average holds that as well; without one,
    the weights of the moment say what the last row taught.
    """
    X, y = problem(3, n=2500, noise=0.0)
    labels = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    spoilt = X[:2000].copy()
    spoilt[place] *= 1e6

    def right(learned: Any) -> float:
        return float(learned.score(X[2000:], labels[2000:]))

    sound, robust = (renewed(model, random_state=0).fit(rows, labels[:2000]) for rows in (X[:2000], spoilt))
    assert right(robust) > right(sound) - 0.02
    sound, once = (
        renewed(model, average=True).partial_fit(rows, labels[:2000]) for rows in (X[:2000], spoilt)
    )
    assert right(once) > right(sound) - (0.1 if place == 0 else 0.02)
    fooled = renewed(model, scale="max", random_state=0).fit(spoilt, labels[:2000])
    assert right(fooled) < right(robust) - 0.4


@pytest.mark.parametrize("model", CLASSIFIERS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@every_dtype
def test_classifiers_measure_in_the_same_bits(model: Any, n_classes: int, dtype: str, tmp_path: Any) -> None:
    """Units change nothing, and batches, dicts and files go on."""
    X, y = problem(5)
    labels = np.digitize(y, np.quantile(y, np.arange(1, n_classes) / n_classes))
    whole = renewed(model, dtype=dtype).partial_fit(X, labels)
    factor = 2.0 ** np.arange(-9, 9, 3)
    other = renewed(model, dtype=dtype).partial_fit(X * factor, labels)
    np.testing.assert_array_equal(other.decision_function(X * factor), whole.decision_function(X))
    first = renewed(model, dtype=dtype).partial_fit(X[:150], labels[:150])
    first.save(tmp_path / "model.safetensors")
    resumed = load(tmp_path / "model.safetensors")
    for i in range(150, len(y), 37):
        resumed.partial_fit(X[i : i + 37], labels[i : i + 37])
    single = renewed(model, dtype=dtype)
    for row, label in zip(X, labels.tolist(), strict=True):
        single.learn_one(dict(enumerate(row.tolist())), label)

    assert resumed.digest() == whole.digest()
    np.testing.assert_array_equal(single.decision_function(X), whole.decision_function(X))
    np.testing.assert_allclose(
        whole.decision_function(sp.csr_array(100 * X)), whole.decision_function(100 * X), rtol=1e-5
    )


@every_model
def test_values_beyond_five_sizes_count_as_five(model: Any) -> None:
    """So a row with an enormous value is predicted as one with a large one; below, predictions are linear."""
    X, y = problem(4)
    fitted = renewed(model, dtype="float64").fit(X, y)
    size = fitted.model_.learner.state()["feature_scale"][0, 1:]
    inside = np.clip(X, -5 * size, 5 * size)
    np.testing.assert_allclose(
        fitted.predict(inside), inside @ fitted.coef_ + fitted.intercept_, rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(
        fitted.predict(100 * X), fitted.predict(np.clip(100 * X, -5 * size, 5 * size)), rtol=1e-9
    )


@every_model
@every_dtype
def test_batches_dicts_and_files_go_on_with_the_same_bits(model: Any, dtype: str, tmp_path: Any) -> None:
    """The sizes, of how many values they are, and the centre of the targets are state."""
    X, y = problem(5)
    whole = renewed(model, dtype=dtype).partial_fit(X, y)
    first = renewed(model, dtype=dtype).partial_fit(X[:150], y[:150])
    first.save(tmp_path / "model.safetensors")
    resumed = load(tmp_path / "model.safetensors")
    assert resumed.digest() == first.digest()
    for i in range(150, len(y), 37):
        resumed.partial_fit(X[i : i + 37], y[i : i + 37])
    single = renewed(model, dtype=dtype)
    for row, target in zip(X, y, strict=True):
        single.learn_one(dict(enumerate(row.tolist())), target)

    assert resumed.digest() == whole.digest()
    assert single.digest() == whole.digest()
    assert single.predict_one(dict(enumerate(X[0].tolist()))) == whole.predict(X[:1])[0]


@every_model
def test_dense_and_sparse_rows_learn_the_same_model(model: Any) -> None:
    """A zero is no value; what differs is the order of sums."""
    X, y = sparse_problem()
    sparse = renewed(model, dtype="float64").partial_fit(X, y)
    dense = renewed(model, dtype="float64").partial_fit(X.toarray(), y)

    np.testing.assert_allclose(sparse.predict(X), dense.predict(X), rtol=1e-7, atol=1e-9)


@every_model
def test_rows_of_unit_length_have_no_sizes(model: Any) -> None:
    """Text has no units: nothing to divide, nothing more to save."""
    X, y = sparse_problem(1)
    X = sp.csr_array(sp.diags_array(1 / np.sqrt(np.maximum(X.power(2).sum(axis=1), 1e-9))) @ X)
    fitted = renewed(model).partial_fit(X, y)
    state = fitted.model_.learner.state()

    assert state["scaled"] == 0
    assert "feature_size" not in state


@every_dtype
def test_a_refused_row_has_moved_no_size_and_no_centre(dtype: str) -> None:
    """Nor has one of weight 0."""
    model = PassiveAggressiveRegressor(dtype=dtype).partial_fit([[1.0, 2.0], [3.0, -1.0]], [1.0, -1.0])
    before = model.digest()
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[500.0, 700.0], [1.0, np.nan]], [1.0, 1.0])
    assert model.digest() == before
    model.partial_fit([[500.0, 700.0]], [9.0], sample_weight=[0.0])
    assert model.digest() == before


def test_a_step_that_would_overflow_moves_no_size_and_no_centre() -> None:
    """The rows before it stay learned."""
    learner = Learner(
        task=task.Regression(scale="typical"),
        rule=rule.PassiveAggressive(variant="pa"),
        belief=belief.Mean(scale="typical"),
        dtype="float32",
        n_features=1,
    )
    learner.learn(np.array([[2.0]]), np.array([2.0]))
    learner.learn(np.array([[3.0]]), np.array([3.0]))
    before = learner.digest()
    with pytest.raises(NumericError):
        learner.learn(np.array([[1e-18]]), np.array([1e30]))
    assert learner.digest() == before


def test_equal_targets_are_answered_exactly() -> None:
    """There is no size to measure them in, and none is needed."""
    X, _ = problem(6, n=30)
    for model in (PassiveAggressiveRegressor(), AROWRegressor()):
        np.testing.assert_array_equal(clone(model).fit(X, np.full(30, 7.5)).predict(X), 7.5)


def test_auto_is_none_where_the_model_starts_from_weights_or_is_ridge_regression() -> None:
    """What a full covariance learns stays the closed form."""
    X, y = problem(7, n=50)
    for model in (AROWRegressor(covariance="full"), AROWRegressor(initial_mean=np.ones(6))):
        plain = renewed(model, scale=None, average=False, min_variance=0.0, random_state=0).fit(X, y)
        np.testing.assert_array_equal(renewed(model, random_state=0).fit(X, y).coef_, plain.coef_)
    with pytest.raises(ParameterError, match="StandardScaler"):
        AROWRegressor(covariance="full", scale="typical").fit(X, y)
    with pytest.raises(ParameterError, match="initial_mean"):
        PassiveAggressiveRegressor(scale="typical", initial_mean=np.ones(6)).fit(X, y)


@pytest.mark.parametrize(
    "edit",
    [
        lambda c, t: t.update(feature_size=-t["feature_size"]),
        lambda c, t: t.update(feature_count=t["feature_count"] * np.float32(np.nan)),
        lambda c, t: t.update(feature_count=t["feature_count"][:, 1:].copy()),
        lambda c, t: t.pop("feature_size"),
        lambda c, t: c["vectors"].update(targets=[3.0, 1.0, -1.0]),
        lambda c, t: c["vectors"].update(targets=[0.0, 1.0, 1.0]),
        lambda c, t: c["vectors"].update(targets=[3.0, 1.0]),
        lambda c, t: c["vectors"].pop("targets"),
        lambda c, t: c["vectors"].update(targets=[3.0, 1e306, 1.0]),
        lambda c, t: c["parameters"].update(scale="max"),
        lambda c, t: c["parameters"].update(scale=None),
    ],
    ids=[
        "negative size",
        "NaN count",
        "too few counts",
        "no size",
        "negative spread",
        "no targets",
        "too few numbers",
        "targets unsaid",
        "too far",
        "another scale",
        "no scale",
    ],
)
def test_a_file_with_impossible_sizes_is_refused(edit: Any, tmp_path: Any) -> None:
    """Before anything is learned with them."""
    X, y = problem(8)
    PassiveAggressiveRegressor(dtype="float32").partial_fit(X, y).save(tmp_path / "model.safetensors")
    with pytest.raises(ModelFileError):
        load(edited(tmp_path / "model.safetensors", edit))


def test_a_state_of_measured_targets_is_none_for_a_task_that_takes_them_as_they_are() -> None:
    """The weights would mean something else."""
    X, y = problem(9, n=20)
    common: dict[str, Any] = {"rule": rule.LeastSquares(), "belief": belief.Diagonal(), "n_features": 6}
    learned = Learner(task=task.Regression(scale="typical"), **common)
    learned.learn(X, y)
    with pytest.raises(DataError, match="targets"):
        Learner(task=task.Regression(), **common).load_state(learned.state())


@pytest.mark.parametrize("then", ["max", None])
def test_what_was_learned_in_sizes_is_not_gone_on_with_otherwise(then: Any) -> None:
    """Weights of one scale are not those of another."""
    X, y = problem(10, n=20)
    model = PassiveAggressiveRegressor(average=True).partial_fit(X, y)
    with pytest.raises(ParameterError, match="scale"):
        model.set_params(scale=then).partial_fit(X, y)
