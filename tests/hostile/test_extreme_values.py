"""Whatever is learned from extreme values can be saved, loaded, copied and pickled, and learns on as if nothing had been."""

from __future__ import annotations

import copy
import itertools
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from sklearn.base import clone, is_regressor

import onlinear
from onlinear import MultilabelRanker, PassiveAggressiveOneClass, SequenceLabeler, rule
from onlinear.exceptions import NumericError, ParameterError
from onlinear.model.parameters import declared_choices
from tests.estimators.roster import plain

Array = npt.NDArray[Any]

ROWS, COLUMNS = 60, 3

#: Choices that decide which examples come, not what is learned from one.
APART = {"shuffle", "early_stopping", "warm_start", "grow_features", "fit_intercept", "cost_update"}
#: Settings that no declared word reaches.
BESIDE: dict[str, list[dict[str, Any]]] = {
    "AROWClassifier": [
        *(
            {"constraints": "all", "covariance": c, "average": a}
            for c in ("diagonal", "full")
            for a in (False, True)
        ),
        {"constraints": "all", "cov_update": "delta", "projection": "drop"},
        {"constraints": 2},
        {"min_variance": 1e-3},
    ],
    "ConfidenceWeightedClassifier": [
        {"min_variance": 1e-3, "projection": "drop"},
        {"min_variance": 1e-3, "covariance": "full"},
    ],
    "IELLIPClassifier": [
        {"c": 0.9, "b": 0.999, "covariance": covariance} for covariance in ("diagonal", "full")
    ],
    "KernelClassifier": [
        {"rule": name, "kernel": kernel, "budget": 12}
        for name in ("perceptron", "pa1", "romma", "norma", "arow", "scw1", "cw-stdev", "nherd", "narow")
        for kernel in ("linear", "rbf", "poly")
    ],
    "KernelRegressor": [{"rule": "arow", "kernel": "linear", "budget": 12}],
    "MultilabelRanker": [{"rule": name} for name in ("perceptron", "arow", "scw1")],
    "NORMAClassifier": [{"nu": 0.3, "rho": 0.0, "average": average} for average in (False, True)],
    "RegularizedPassiveAggressiveClassifier": [
        {"penalty": penalty, "truncation": 1e-3, "average": average}
        for penalty in ("objective", "l2_ball", "l1_ball")
        for average in (False, True)
    ],
    "SequenceLabeler": [
        {"rule": rule.Romma(), "average": True},
        {"rule": rule.Arow(), "belief": onlinear.belief.Diagonal()},
        {"rule": rule.ConfidenceWeighted(), "belief": onlinear.belief.Diagonal(projection="drop")},
        {"rule": rule.Arow(), "belief": onlinear.belief.Full()},
    ],
}


def settings() -> Iterator[Any]:
    """Every estimator in every combination of the words and flags that change what is learned."""
    for name in sorted(onlinear._ESTIMATORS):
        cls = getattr(onlinear, name)
        if not hasattr(cls, "get_params"):
            continue
        words = {
            key: (False, True) if choices is None else choices
            for key, choices in declared_choices(cls.recipe).items()
            if key not in APART
        }
        chosen = [dict(zip(words, values, strict=True)) for values in itertools.product(*words.values())]
        given = chosen + BESIDE.get(name, [])
        models = [plain(cls, **parameters) for parameters in given]
        if "scale" in cls().get_params(deep=False):
            # What may be around a rule: an average alone, or all there is.
            models += [plain(cls, **{"average": True, **parameters}) for parameters in chosen]
            models += [cls(**{"average": "late", **parameters}) for parameters in given]
        for model in models:
            if getattr(model, "covariance", "") == "full" and model.projection != cls().projection:
                continue  # nothing is projected
            try:
                feed(clone(model), np.eye(COLUMNS), np.arange(COLUMNS) % 2)
            except ParameterError:
                continue  # the mathematics has no such combination
            yield model


def feed(model: Any, X: Array, y: Array) -> None:
    """Learn rows in the form the estimator takes them; y counts classes."""
    match model:
        case SequenceLabeler():
            model.partial_fit([X[i : i + 1] for i in range(len(X))], [[str(label)] for label in y])
        case PassiveAggressiveOneClass():
            model.partial_fit(X)
        case MultilabelRanker():
            model.partial_fit(X, [[int(label)] for label in y], classes=np.arange(5))
        case _ if is_regressor(model):
            model.partial_fit(X, (y - 1) * np.abs(X).max(axis=1).astype(float))
        case _:
            model.partial_fit(X, y)


def survive(model: Any, X: Array, y: Array) -> list[int]:
    """Learn rows around those whose numbers are refused; which those were."""
    refused, start = [], 0
    while start < len(y):
        try:
            feed(model, X[start:], y[start:])
            break
        except NumericError as error:
            assert error.row is not None
            refused.append(start + error.row)
            start = refused[-1] + 1
    return refused


def powers(low: int, high: int) -> Callable[[Any, int, int], Array]:
    """Rows of one magnitude each, between two powers of ten."""

    def make(rng: Any, rows: int, columns: int) -> Array:
        return rng.standard_normal((rows, columns)) * 10.0 ** rng.integers(low, high, (rows, 1))

    return make


def mixed(rng: Any, rows: int, columns: int) -> Array:
    """Every value of another magnitude, a third of them zero."""
    X = rng.standard_normal((rows, columns)) * 10.0 ** rng.integers(-30, 19, (rows, columns))
    return np.where(rng.random((rows, columns)) < 1 / 3, 0.0, X)


def repeated(rng: Any, rows: int, columns: int) -> Array:
    """The same large number again and again, as a column that was never scaled has it; later mostly zeros."""
    X = np.full((rows, columns), 10.0 ** rng.integers(8, 19))
    X[rows // 3 : rows // 2] = 0.0
    X[rows // 2 :] *= rng.random((rows - rows // 2, 1)) < 0.2
    return X


def alternating(rng: Any, rows: int, columns: int) -> Array:
    """Rows of equal values whose signs alternate, up to 1e18."""
    signs = np.where(np.arange(rows) % 2, 1.0, -1.0)[:, None]
    return signs * 10.0 ** rng.integers(0, 19, (rows, 1)) * np.ones((rows, columns))


STREAMS: dict[str, tuple[Callable[[Any, int, int], Array], int, int]] = {
    "ordinary numbers, one column": (powers(0, 1), 200, 1),
    "tiny numbers": (powers(-150, -5), ROWS, COLUMNS),
    "large numbers": (powers(5, 19), ROWS, COLUMNS),
    "huge numbers": (powers(-150, 150), 2 * ROWS, 1),
    "mixed magnitudes": (mixed, ROWS, COLUMNS),
    "one large number": (repeated, ROWS, 1),
    "alternating signs": (alternating, 100, 17),
}


def labels(rng: Any, rows: int) -> Array:
    """Two classes at first, a third from a third of the stream on, two more from two thirds on."""
    third = rows // 3
    return np.concatenate([rng.integers(0, n, third if n < 5 else rows - 2 * third) for n in (2, 3, 5)])


def check_sound(model: Any) -> None:
    """Weights finite, variances positive, probabilities numbers."""
    labeler = isinstance(model, SequenceLabeler)
    for name, value in (model if labeler else model.model_.learner).state().items():
        assert np.all(np.isfinite(value)), name
    if labeler:
        return
    handle = model.model_.learner.handle
    if hasattr(model, "coef_") and not hasattr(model, "kernel"):
        assert np.all(np.isfinite(model.coef_))
    if handle.has_variance and not hasattr(model, "kernel"):
        assert np.all(handle.variance()[0] > 0)
        assert np.all(np.isfinite(handle.variance()[0]))
    if hasattr(model, "predict_proba"):
        p = model.predict_proba(ordinary_row(model))
        assert np.all((p >= 0) & (p <= 1))


def ordinary_row(model: Any) -> Array:
    """A row of ones, as seen from where a model is centred: 10^19 away from there a score may be no number."""
    row = np.ones((1, model.n_features_in_))
    for column, mean in model.model_.learner.state().get("feature_mean", ()):
        row[0, int(column)] += mean
    return row


def check_twins(model: Any, path: Path, X: Array, y: Array) -> None:
    """A model and what was loaded, copied and unpickled from it learn the same from there on."""
    model.save(path)
    twins = [onlinear.load(path), copy.deepcopy(model), pickle.loads(pickle.dumps(model))]
    assert {twin.digest() for twin in twins} == {model.digest()}
    refused = survive(model, X, y)
    for twin in twins:
        assert survive(twin, X, y) == refused
    assert {twin.digest() for twin in twins} == {model.digest()}


SETTINGS = list(settings())


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_what_is_saved_loads_and_goes_on_the_same(setting: Any, dtype: str, tmp_path: Path) -> None:
    """Values of 1e-150 to 1e150, classes that come late, refused rows passed over."""
    for seed, (make, rows, columns) in enumerate(STREAMS.values()):
        rng = np.random.default_rng(seed)
        X, y = make(rng, rows, columns), labels(rng, rows)
        if dtype == "float32":
            X = np.clip(X, -1e30, 1e30).astype(np.float32)
        model = clone(setting).set_params(dtype=dtype)
        for first, last in itertools.pairwise([0, rows // 3, rows // 2, rows]):
            survive(model, X[first:last], y[first:last])
            if not hasattr(model, "n_seen_"):
                continue  # every row was refused, so there is nothing to save yet
            check_sound(model)
            check_twins(model, tmp_path / "model.safetensors", X[: rows // 6], y[: rows // 6])


@pytest.mark.parametrize("name", ["AROWClassifier", "NHERDClassifier", "ConfidenceWeightedClassifier"])
@pytest.mark.parametrize("projection", ["kl", "drop"])
@pytest.mark.parametrize("rows", [2, 30])
def test_a_third_class_finds_variances_on_their_floor(
    name: str, projection: str, rows: int, tmp_path: Path
) -> None:
    """The two blocks of a model that had one share a variance of which no half is left."""
    for value in (3e8, 1e9, 7e11, 1e14, 1e16, 1e100):
        model = plain(getattr(onlinear, name), projection=projection, dtype="float64")
        model.partial_fit(np.full((rows, 1), value), np.arange(rows) % 2)
        model.partial_fit(np.zeros((1, 1)), [2])
        check_sound(model)
        check_twins(model, tmp_path / "model.safetensors", np.full((3, 1), value), np.arange(3))


@pytest.mark.parametrize("seed", [132, *range(8)])
@pytest.mark.parametrize("made", [onlinear.AROWClassifier, partial(plain, onlinear.AROWClassifier)])
def test_joint_updates_of_values_hundreds_of_orders_apart_stay_numbers(
    made: Callable[..., Any], seed: int, tmp_path: Path
) -> None:
    """Where one class has all but lost its variance, multipliers are huge; what they ask for is taken or refused."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((200, 1)) * 10.0 ** rng.integers(-150, 150, (200, 1))
    y = rng.integers(0, 3, 200)
    model = made(constraints="all", dtype="float64")
    survive(model, X, y)
    check_sound(model)
    check_twins(model, tmp_path / "model.safetensors", X[:20], y[:20])


@pytest.mark.parametrize("seed", range(6))
def test_an_average_under_a_rising_scale_stays_a_number(seed: int, tmp_path: Path) -> None:
    """ROMMA's scale on one ordinary feature rises without end."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((200, 1)).astype(np.float32), rng.integers(0, 2, 200)
    model = onlinear.ROMMAClassifier(average=True)
    survive(model, X, y)
    check_sound(model)
    check_twins(model, tmp_path / "model.safetensors", X[:20], y[:20])


@pytest.mark.parametrize("seed", range(20))
def test_an_average_goes_as_far_as_the_mean_it_is_of(seed: int) -> None:
    """The sum over rounds is refused when it is too large, not when the product of two bounds on it is."""
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((200, 1)).astype(np.float32), rng.integers(0, 2, 200)
    mean, averaged = (onlinear.ROMMAClassifier(average=average) for average in (False, True))
    for row in range(200):
        mean.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1])
        if np.abs(mean.coef_).max() > 1e24 or np.abs(mean.intercept_).max() > 1e24:
            break
        averaged.partial_fit(X[row : row + 1], y[row : row + 1], classes=[0, 1])

    assert averaged.n_seen_ >= row


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["AROWClassifier", "NHERDClassifier", "SoftConfidenceWeightedClassifier"])
@pytest.mark.parametrize("covariance", ["diagonal", "full"])
def test_the_ends_of_what_a_variance_may_start_from(
    name: str, covariance: str, dtype: str, tmp_path: Path
) -> None:
    """Whether or not steps can be taken there, what is saved loads."""
    largest = 1e30 if dtype == "float32" else 1e290
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 2)), rng.integers(0, 3, 20)
    for start in (largest, 1 / largest):
        model = plain(getattr(onlinear, name), covariance=covariance, initial_variance=start, dtype=dtype)
        model.set_params(class_weight={0: 0.0, 1: 0.0, 2: 0.0})
        model.partial_fit(X, y % 2)  # brings two classes, and no step
        model.set_params(class_weight=None)
        check_twins(model, tmp_path / "model.safetensors", X, y)
        survive(model, X, y)
        check_sound(model)
        check_twins(model, tmp_path / "model.safetensors", X, y)


@pytest.mark.parametrize("scale", ["typical", "max", None])
@pytest.mark.parametrize("name", ["AROWRegressor", "PassiveAggressiveRegressor"])
def test_targets_whose_errors_have_no_finite_sum(name: str, scale: str | None, tmp_path: Path) -> None:
    """The sum of absolute errors ends at the largest number, however many are added."""
    X = np.random.default_rng(0).standard_normal((40, 2))
    y = np.where(np.arange(40) % 2, 1.7e308, -1.7e308)
    model = getattr(onlinear, name)(scale=scale, dtype="float64", fit_intercept=False)
    for row in range(40):
        try:
            model.partial_fit(X[row : row + 1], y[row : row + 1])
        except NumericError:
            assert scale != "typical"  # in which targets are as large as any other
    if name == "AROWRegressor" and scale != "typical":
        return  # no weight can be so large: nothing has been learned
    assert model.model_.learner.total_cost == np.finfo(float).max
    check_sound(model)
    check_twins(model, tmp_path / "model.safetensors", X[:5], np.arange(5))


@pytest.mark.parametrize("update", ["prediction", "max_loss"])
@pytest.mark.parametrize("name", ["AROWClassifier", "PassiveAggressiveClassifier"])
def test_costs_that_have_no_finite_sum(name: str, update: str, tmp_path: Path) -> None:
    """Two mistakes cost more than a number can say."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 2)), rng.integers(0, 3, 40)
    model = getattr(onlinear, name)(cost_matrix=(1 - np.eye(3)) * 1.7e308, cost_update=update)
    survive(model, X, y)
    assert model.total_cost_ == np.finfo(float).max
    check_sound(model)
    check_twins(model, tmp_path / "model.safetensors", X[:5], y[:5])


@pytest.mark.parametrize(("dtype", "largest"), [("float32", 1e14), ("float64", 1e144)])
def test_the_square_of_a_denominator_fits(dtype: str, largest: float, tmp_path: Path) -> None:
    """AdaGrad keeps it when a third class comes; a larger one is refused before there is any data."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), np.repeat([0, 1, 2], 10)
    model = plain(onlinear.AdaGradRDAClassifier, delta0=largest, dtype=dtype)
    assert survive(model, X[:20], rng.integers(0, 2, 20)) == []
    assert survive(model, X, y) == []
    check_sound(model)
    check_twins(model, tmp_path / "model.safetensors", X, y)
    with pytest.raises(ParameterError, match="delta0 must be in"):
        plain(onlinear.AdaGradRDAClassifier, delta0=10 * largest, dtype=dtype).partial_fit(X, y)
