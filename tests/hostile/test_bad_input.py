"""Whatever is handed over: a clear error, or a correct result. Never a crash, never a NaN, never half a change.

Hypothesis tries more than 5,000 objects here; the sanitizer build runs this file too, so each is tiny.
"""

from __future__ import annotations

import copy
import math
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from onlinear import AROWClassifier, KernelClassifier, Learner, belief, rule, task
from onlinear.exceptions import DataError, NumericError, OnlinearError, ParameterError
from tests.estimators.roster import CLASSIFIERS, SETTINGS
from tests.estimators.streams import dense_stream
from tests.hostile.counting import count

OBJECTS = int(os.environ.get("ONLINEAR_HOSTILE_OBJECTS", "6000"))
COLUMNS = 4
REFUSALS = (OnlinearError, ValueError, TypeError)

NASTY = [0.0, -0.0, 1.0, -1.0, 1e-45, 5e-324, 1e-308, 1e-30, 1e19, 1e38, 3.4e38, 1e39, 1e154, 1e200, 1e308]
NASTY += [-value for value in NASTY[4:]] + [math.nan, math.inf, -math.inf]

values = st.one_of(st.sampled_from(NASTY), st.floats(-3, 3), st.floats())
seeds = st.integers(
    0, 2**32 - 1
)  # cells come from a seed: drawing each from hypothesis takes longer than the test
CELLS = np.array([*NASTY[:-3] * 2, *NASTY[-3:], *np.linspace(-3, 3, 60)])
INDICES = np.array([*range(COLUMNS)] * 3 + [-1, COLUMNS, 2**31 - 1, -(2**31), 1 << 20])
ENDS = np.array([*range(7)] * 2 + [-1, 7, 2**31 - 1, -(2**31)])
weights = st.one_of(st.just(1.0), st.sampled_from([0.0, 1e-308, 1e-5, 1e30, 1e308, -1.0, math.nan, math.inf]))
indices = st.one_of(st.integers(0, COLUMNS - 1), st.sampled_from([-1, COLUMNS, 2**31 - 1, -(2**31), 1 << 20]))
index_types = st.sampled_from([np.int32, np.int64, np.int64, np.int32, np.int16, np.uint32, np.float64])
value_types = st.sampled_from(
    [np.float32, np.float64, np.float64, np.float32, np.float16, np.longdouble, np.complex128]
)
which = st.integers(0, 2 * len(SETTINGS) - 1)


def taught(setting: Any, dtype: str) -> Any:
    """A model of few columns that knows three classes."""
    stream = dense_stream(n=12, d=COLUMNS, n_classes=3, seed=1)
    return clone(setting).set_params(dtype=dtype).partial_fit(stream.X, stream.y, classes=[0, 1, 2])


TAUGHT = [taught(setting, dtype) for dtype in ("float32", "float64") for setting in SETTINGS]


def model_of(number: int) -> Any:
    """A copy of one of the taught models, made the quick way."""
    twin = copy.copy(TAUGHT[number])
    twin._model = twin.model_.copy()
    return twin


def assert_sound(model: Any, X: Any = None) -> None:
    """Weights finite, variances positive, answers without NaN (to X, unless it is refused)."""
    learner = model.model_.learner
    for name, value in learner.state().items():
        assert np.all(np.isfinite(value)), name
    if not isinstance(model, KernelClassifier):  # which keeps examples, not weights
        assert np.all(np.isfinite(model.coef_))
        assert np.all(np.isfinite(model.intercept_))
    if learner.handle.has_variance and not isinstance(model, KernelClassifier):
        assert np.all(learner.handle.variance()[0] > 0)
    try:
        probabilities = model.predict_proba(np.zeros((1, model.n_features_in_)) if X is None else X)
    except REFUSALS as error:
        assert X is not None
        assert str(error)
    else:
        assert np.all((probabilities >= 0) & (probabilities <= 1))


def assert_refused_or_learned(
    model: Any, call: Callable[[Any], Any], X: Any = None, *, must_say: str | None = None
) -> None:
    """The property of the whole file; where it is known what is wrong, the call must be refused and say so."""
    before, classes = model.digest(), model.classes_.tolist()
    try:
        call(model)
        assert must_say is None, "this must be refused"
    except REFUSALS as error:
        assert str(error), "an error must say something"
        assert must_say is None or must_say in str(error)
        learned_some = isinstance(error, NumericError) and error.row
        if not learned_some:
            assert model.digest() == before
            assert model.classes_.tolist() == classes
            assert model.n_features_in_ == model.model_.learner.n_features
    assert_sound(model, X)


def tries(n: int, **strategies: Any) -> Callable[[Callable[..., None]], None]:
    """Run a property on `n` generated objects, and count them."""

    def run(attempt: Callable[..., None]) -> None:
        tried = 0

        @settings(
            max_examples=n,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.explicit, Phase.generate, Phase.shrink),
        )
        @given(**strategies)
        def counted(**drawn: Any) -> None:
            nonlocal tried
            tried += 1
            attempt(**drawn)

        counted()
        count(tried)
        assert tried >= n

    return run


# ---------------------------------------------------------------------- generated objects


def raw_csr(data: Any, columns: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    """A CSR array whose parts nobody has checked."""
    X = sp.csr_array(shape)
    X.data, X.indices, X.indptr = data, columns, indptr
    return X


@np.errstate(all="ignore")
def as_type(numbers: list[Any], dtype: Any) -> Any:
    """Numbers as an array of a type that may not hold them."""
    return np.array(numbers, dtype=np.float64 if np.dtype(dtype).kind == "f" else None).astype(dtype)


def test_csr_arrays_of_any_content() -> None:
    """Values, indices, `indptr` and types all generated: unsorted, repeated, negative, huge, falling, too short."""

    @tries(
        OBJECTS * 3 // 10,
        number=which,
        seed=seeds,
        sizes=st.tuples(st.integers(0, 6), st.integers(0, 6), st.integers(1, 4)),
        tidy=st.booleans(),
        value_type=value_types,
        index_type=index_types,
        pointer_type=index_types,
        weight=weights,
    )
    def attempt(number: int, **d: Any) -> None:
        rng = np.random.default_rng(d["seed"])
        data, columns, ends = (
            rng.choice(choices, size).tolist()
            for choices, size in zip((CELLS, INDICES, ENDS), d["sizes"], strict=True)
        )
        if d["tidy"]:  # what is left to be wrong is inside
            columns = (columns + [0] * 6)[: len(data)]
            ends = [0, len(data)]
        n = len(ends) - 1
        X = raw_csr(
            as_type(data, d["value_type"]),
            as_type(columns, d["index_type"]),
            as_type(ends, d["pointer_type"]),
            (n, COLUMNS),
        )
        y, w = rng.integers(0, 4, n), np.full(n, d["weight"])
        assert_refused_or_learned(
            model_of(number),
            lambda model: model.partial_fit(X, y, sample_weight=w),
            X,
            must_say="indptr falls or leaves the arrays"
            if leaves_its_arrays(X) and d["weight"] == 1
            else None,
        )


@pytest.mark.parametrize("kind", [np.complex128, np.int64])
@pytest.mark.parametrize("form", [sp.csr_array, sp.csc_array])
def test_rows_that_end_before_they_begin_are_refused_before_scipy_writes_there(form: Any, kind: Any) -> None:
    """The last row ends at 0, so SciPy takes the matrix for empty and trusts the ends of the others."""
    X = form((3, 3), dtype=kind)
    X.indptr = np.array([0, 1, 5, 0], dtype=np.int32)
    for model in (model_of(0), AROWClassifier()):
        with pytest.raises(DataError, match="indptr falls"):
            model.partial_fit(X, [0, 1, 0])
    with pytest.raises(DataError, match="indptr falls"):
        AROWClassifier().partial_fit(np.eye(3), [0, 1, 0]).predict(X)


def leaves_its_arrays(X: Any) -> bool:
    """Whether nothing is wrong with a CSR array but where its rows begin and end."""
    types = X.data.dtype in (np.float32, np.float64) and {X.indices.dtype, X.indptr.dtype} <= {
        np.dtype(np.int32),
        np.dtype(np.int64),
    }
    if not types or len(X.data) != len(X.indices) or X.shape[0] == 0:
        return False
    sound = np.all(np.abs(X.data) < 1e19) and np.all((X.indices >= 0) & (X.indices < COLUMNS))
    ends = X.indptr.tolist()
    return bool(sound) and (ends[0] < 0 or ends != sorted(ends) or ends[-1] > len(X.data))


def test_dense_arrays_of_any_content() -> None:
    """Any finite or non-finite value, any float type, strides forwards, backwards and zero."""

    @tries(
        OBJECTS * 3 // 10,
        number=which,
        seed=seeds,
        value_type=value_types,
        view=st.sampled_from(["plain", "fortran", "reversed", "repeated", "unaligned", "big-endian", "wide"]),
        weight=weights,
    )
    def attempt(number: int, **d: Any) -> None:
        rng = np.random.default_rng(d["seed"])
        X = seen_as(as_type(rng.choice(CELLS, (3, COLUMNS)).tolist(), d["value_type"]), d["view"])
        y, w = rng.integers(0, 4, 3), np.full(3, d["weight"])
        assert_refused_or_learned(model_of(number), lambda model: model.partial_fit(X, y, sample_weight=w), X)


def seen_as(X: Any, view: str) -> Any:
    """The same numbers as another kind of array."""
    if view == "fortran":
        return np.asfortranarray(X)
    if view == "reversed":
        return X[::-1, ::-1]
    if view == "repeated":
        return np.broadcast_to(X[:1], X.shape)
    if view == "big-endian":
        return X.astype(X.dtype.newbyteorder(">"))
    if view == "wide":
        return np.hstack([X, X[:, :1]])
    if view == "unaligned":
        raw = np.zeros(X.nbytes + 1, dtype=np.uint8)
        out = raw[1:].view(X.dtype).reshape(X.shape)
        out[:] = X
        return out
    return X


def test_dicts_of_any_content() -> None:
    """Keys, values, labels and weights of any kind, one example at a time."""
    keys = st.one_of(
        indices,
        st.text(max_size=3),
        st.floats(),
        st.none(),
        st.booleans(),
        st.just((1, 2)),
        st.binary(max_size=2),
    )
    contents = st.one_of(values, st.integers(), st.text(max_size=3), st.none(), st.booleans(), st.just([1.0]))
    labels = st.one_of(
        st.integers(0, 4), st.text(max_size=2), st.none(), st.floats(), st.just([1]), st.booleans()
    )

    @tries(
        OBJECTS * 3 // 10,
        number=which,
        x=st.dictionaries(keys, contents, max_size=5),
        label=labels,
        weight=weights,
    )
    def attempt(number: int, x: Any, label: Any, weight: float) -> None:
        model = model_of(number)
        most = 32 if model.get_params().get("covariance") == "full" else 1 << 11
        model.set_params(bits=4, max_features=most)
        before = model.n_features_in_
        assert_refused_or_learned(model, lambda model: model.learn_one(x, label, weight))
        assert model.n_features_in_ <= max(before, 1 << 11)
        assert_refused_or_learned(model, lambda model: model.predict_proba_one(x))


def test_learners_of_any_axes_on_any_rows() -> None:
    """Below the estimators, `Learner` checks for itself."""
    learners = [
        Learner(
            task=task.Binary(),
            rule=rule.Arow(),
            belief=belief.Diagonal(),
            dtype="float32",
            fit_intercept=True,
        ),
        Learner(
            task=task.Binary(), rule=rule.PassiveAggressive(variant="pa"), belief=belief.Mean(average=True)
        ),
        Learner(
            task=task.Multiclass(), rule=rule.SoftConfidenceWeighted(), belief=belief.Full(), n_classes=3
        ),
        Learner(
            task=task.Multiclass(), rule=rule.Nherd(), belief=belief.Diagonal(projection="exact"), n_classes=3
        ),
        Learner(
            task=task.Binary(), rule=rule.ConfidenceWeighted(), belief=belief.Diagonal(projection="exact")
        ),
        Learner(task=task.MulticlassJoint(method="arow"), belief=belief.Diagonal(), n_classes=3),
        Learner(task=task.MulticlassJoint(method="mira"), belief=belief.Mean(), n_classes=3),
    ]

    @tries(
        OBJECTS // 10 + 10,
        number=st.integers(0, len(learners) - 1),
        seed=seeds,
        labels=st.lists(st.one_of(st.integers(-2, 3), st.floats()), min_size=2, max_size=2),
        columns=st.integers(1, COLUMNS),
    )
    def attempt(number: int, seed: int, labels: Any, columns: int) -> None:
        learner = learners[number].copy()
        learner.learn(np.eye(COLUMNS)[:2], [0, 1])
        before = learner.digest()
        X = np.random.default_rng(seed).choice(CELLS, (2, COLUMNS))[:, :columns]
        try:
            with np.errstate(invalid="ignore"):
                learner.learn(X, np.array(labels))
            learner.scores(X)
        except NumericError:
            pass
        except REFUSALS as error:
            assert str(error)
            assert learner.digest() == before
        assert all(np.all(np.isfinite(value)) for value in learner.state().values())


# ---------------------------------------------------------------------- one by one


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("poison", [math.nan, math.inf, -math.inf])
def test_a_value_that_is_not_finite_is_named_by_row_and_column(setting: Any, poison: float) -> None:
    """NaN and infinity are refused with the place where they stand, in dense and sparse rows alike."""
    model = taught(setting, "float64")
    X = np.ones((5, COLUMNS))
    X[3, 2] = poison
    for rows in (X, sp.csr_array(X), sp.csc_array(X), X[:, ::-1][:, ::-1]):
        with pytest.raises(DataError, match=r"row 3, column 2") as caught:
            model.partial_fit(rows, [0, 1, 0, 1, 0])
        assert (caught.value.row, caught.value.column) == (3, 2)
        with pytest.raises(DataError, match=r"row 3, column 2"):
            model.predict(rows)


def test_a_number_too_large_for_the_state_is_refused_with_the_remedy() -> None:
    """1e300 is fine in float64 and too much for float32."""
    X = np.array([[1e300] * COLUMNS, [1.0] * COLUMNS])
    with pytest.raises(DataError, match=r"row 0, column 0 too large for float32.*dtype='float64'"):
        taught(SETTINGS[0], "float32").partial_fit(X, [0, 1])


@pytest.mark.parametrize(
    ("indptr", "columns", "message"),
    [
        ([0, 3, 2], [0, 1, 2], "indptr falls or leaves the arrays at row 1"),
        ([0, 2, 9], [0, 1, 2], "indptr falls or leaves the arrays at row 1"),
        ([-1, 2, 3], [0, 1, 2], "indptr falls or leaves the arrays at row 0"),
        ([0, 2, 3], [0, -1, 2], "row 0 has feature index -1"),
        ([0, 2, 3], [0, 1, 2**31 - 1], "row 1 has feature index 2147483647"),
        ([0, 3], [0, 1, 2], "indptr has 2 entries for 2 rows"),
        ([0, 2, 3], [0, 1], "data has 3 entries and indices 2"),
    ],
)
def test_broken_csr_arrays_are_refused_by_row(indptr: Any, columns: Any, message: str) -> None:
    """Indices are never trusted: learning and predicting both say which row is wrong."""
    model = taught(SETTINGS[0], "float64")
    before = model.digest()
    X = raw_csr(np.ones(3), np.array(columns, dtype=np.int32), np.array(indptr, dtype=np.int32), (2, COLUMNS))

    for call in (
        lambda: model.partial_fit(X, [0, 1]),
        lambda: model.predict(X),
        lambda: model.fit(X, [0, 1]),
    ):
        with pytest.raises(DataError, match=message):
            call()
    assert model.digest() == before


@pytest.mark.parametrize("kind", [np.int32, np.int64], ids=["int32", "int64"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_entry_past_the_end_is_not_read(n_classes: int, dtype: str, kind: Any) -> None:
    """Arrays that are the front of longer ones end where they say, though good numbers lie behind them."""
    y = [0, n_classes - 1]
    model = clone(SETTINGS[0]).set_params(dtype=dtype)
    model.partial_fit(np.eye(n_classes, COLUMNS), np.arange(n_classes))
    before = model.digest()
    values, columns = np.ones(4, dtype=dtype), np.arange(4, dtype=kind)
    X = raw_csr(values[:3], columns[:3], np.array([0, 2, 4], dtype=kind), (2, COLUMNS))

    for call in (
        lambda: model.partial_fit(X, y),
        lambda: model.fit(X, y),
        lambda: model.predict(X),
        lambda: model.decision_function(X),
        lambda: model.set_params(n_jobs=2).predict_proba(X),
    ):
        with pytest.raises(DataError, match="indptr falls or leaves the arrays at row 1"):
            call()
    assert model.digest() == before


@pytest.mark.parametrize("rows", [1, 5000])
def test_repeated_entries_that_add_up_to_infinity_are_refused_with_their_batch(rows: int) -> None:
    """The rows before them are not learned, be the state larger than the data or smaller."""
    model = AROWClassifier(dtype="float32").fit(np.eye(2, 50, dtype=np.float32), [0, 1])
    before = model.digest()
    values = np.array([1.0] * rows + [3e38, 3e38], dtype=np.float32)
    starts = np.array([*range(rows + 1), rows + 2])
    X = sp.csr_matrix((values, np.array([0] * rows + [1, 1]), starts), shape=(rows + 1, 50))
    with pytest.raises(DataError, match=f"row {rows}"):
        model.partial_fit(X, [0] * rows + [1])
    assert model.digest() == before


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_unsorted_and_repeated_indices_mean_their_sum(setting: Any) -> None:
    """SciPy's reading: entries of one column are added, in any order."""
    untidy = raw_csr(
        np.array([1.0, 2.0, 4.0, 1.0, 8.0]), np.array([3, 0, 3, 1, 0]), np.array([0, 3, 5]), (2, COLUMNS)
    )
    tidy = sp.csr_array(np.array([[2.0, 0.0, 0.0, 5.0], [8.0, 1.0, 0.0, 0.0]]))
    a, b = taught(setting, "float64"), taught(setting, "float64")

    assert a.partial_fit(untidy, [0, 1]).digest() == b.partial_fit(tidy, [0, 1]).digest()
    # Scores are read where tidy rows lie and from a sorted copy of untidy ones: the intercept is added at another end.
    np.testing.assert_allclose(a.decision_function(untidy), b.decision_function(tidy), rtol=1e-13)


@pytest.mark.parametrize("kind", ["csc", "coo", "bsr"])
def test_broken_arrays_of_formats_that_scipy_converts(kind: str) -> None:
    """SciPy's conversions trust their indices; we look first."""
    X = sp.csr_array(np.ones((2, COLUMNS))).asformat(kind)
    if kind == "coo":
        X.coords = (np.array([0, 9], dtype=np.int32), np.array([0, 1], dtype=np.int32))
        X.data = np.ones(2)
    else:
        X.indices = X.indices + 1000
    with pytest.raises(DataError, match=f"not a valid {kind} matrix"):
        taught(SETTINGS[0], "float64").partial_fit(X, [0, 1])


BAD_ROWS: list[tuple[Any, str]] = [
    (np.ones(COLUMNS), "1D array"),
    (np.ones((2, COLUMNS, 1)), "dim 3"),
    (np.ones((2, COLUMNS + 1)), "5 features, but .* is expecting 4"),
    (np.ones((2, COLUMNS - 1)), "3 features, but .* is expecting 4"),
    (np.ones((0, COLUMNS)), "0 sample"),
    (np.full((2, COLUMNS), "word"), "could not convert string to float"),
    (np.ones((2, COLUMNS), dtype=complex), "[Cc]omplex data not supported"),
    (np.array([[{}] * COLUMNS] * 2, dtype=object), "float"),
    (None, "None|array"),
    (3.0, "scalar array"),
]


@pytest.mark.parametrize(("X", "message"), BAD_ROWS, ids=[message for _, message in BAD_ROWS])
def test_rows_of_wrong_shape_or_type_are_refused_and_named(X: Any, message: str) -> None:
    """Learning, starting anew and predicting refuse them and leave the model as it was."""
    model = taught(SETTINGS[0], "float64")
    before = model.digest()

    for call in (lambda: model.partial_fit(X, [0, 1]), lambda: model.predict(X)):
        with pytest.raises((ValueError, TypeError), match=message):
            call()
    assert model.digest() == before
    assert model.n_features_in_ == COLUMNS


BAD_LABELS: list[tuple[Any, str]] = [
    ([0, 1, 0], "inconsistent numbers of samples"),
    ([0.0, math.nan], "NaN"),
    ([0.25, 0.5], "Unknown label type"),
    ([[0, 1], [1, 0]], "1d array"),
    ([None, 1], "None|NoneType|Unknown label type|cannot be ordered|NaN|missing"),
    (["a", 1.5], "Unknown label type|cannot be ordered|mix"),
    (None, "requires y"),
    (3, "1d array|scalar|0-d|Singleton"),
]


@pytest.mark.parametrize(("y", "message"), BAD_LABELS, ids=[message for _, message in BAD_LABELS])
def test_wrong_labels_are_refused(y: Any, message: str) -> None:
    """Labels that are no labels change nothing."""
    model = taught(SETTINGS[0], "float64")
    before, classes = model.digest(), model.classes_.tolist()
    y = np.array(y, dtype=object) if isinstance(y, list) and (None in y or "a" in y) else y

    for call in (model.partial_fit, model.fit):
        with pytest.raises((ValueError, TypeError), match=message):
            call(np.ones((2, COLUMNS)), y)
    assert model.digest() == before
    assert model.classes_.tolist() == classes


@pytest.mark.parametrize(
    "weight",
    [[1.0], [1.0, -1.0], [1.0, math.nan], [math.inf, 1.0], [[1.0, 1.0]], "heavy", [1j, 1.0], [None, 1.0]],
)
def test_wrong_weights_are_refused_by_name(weight: Any) -> None:
    """A bad `sample_weight` is named, and not even the new class beside it is kept."""
    model = taught(SETTINGS[0], "float64")
    before = model.digest()

    for call in (model.partial_fit, model.fit):
        with pytest.raises(DataError, match="sample_weight"):
            call(np.ones((2, COLUMNS)), [0, 7], sample_weight=weight)
    assert model.digest() == before
    assert 7 not in model.classes_


def test_one_class_only_is_an_error_for_fit_and_a_beginning_for_streams() -> None:
    """`fit` cannot learn from one class and says what can."""
    X = np.ones((3, 2))
    for setting in SETTINGS:
        with pytest.raises(DataError, match=r"one class only \(1\).*partial_fit and learn_one"):
            clone(setting).fit(X, [1, 1, 1])
        model = clone(setting).partial_fit(X, [1, 1, 1])
        assert model.predict(X).tolist() == [1, 1, 1]
        np.testing.assert_array_equal(model.predict_proba(X), np.ones((3, 1)))
        assert model.partial_fit(-X, [2, 2, 2]).classes_.tolist() == [1, 2]


def test_more_features_than_seen() -> None:
    """Arrays must keep their width unless growth was asked for; dicts may bring anything."""
    narrow, wide = np.eye(2), np.eye(3)[:2]
    for setting in SETTINGS:
        strict = clone(setting).partial_fit(narrow, [0, 1])
        before = strict.digest()
        with pytest.raises(ValueError, match="3 features, but .* is expecting 2"):
            strict.partial_fit(wide, [0, 1])
        assert strict.digest() == before
        strict.learn_one({5: 1.0}, 0)
        assert strict.n_features_in_ == 6
        elastic = (
            clone(setting)
            .set_params(grow_features=True)
            .partial_fit(narrow, [0, 1])
            .partial_fit(wide, [1, 0])
        )
        assert elastic.n_features_in_ == 3


def test_an_index_past_the_ceiling_is_refused_with_the_remedy() -> None:
    """Memory has a ceiling the user sets."""
    model = taught(SETTINGS[0], "float32").set_params(max_features=100)
    fresh = clone(model)
    with pytest.raises(
        ValueError, match=r"past max_features \(100\).*strings to hash them, or raise max_features"
    ):
        fresh.learn_one({100: 1.0}, 0)
    assert not fresh.__sklearn_is_fitted__()
    with pytest.raises(ValueError, match="max_features=100"):
        fresh.partial_fit(sp.csr_array((2, 101)), [0, 1])
    assert not fresh.__sklearn_is_fitted__()


def test_a_hashed_full_covariance_says_what_to_do() -> None:
    """A million hashed columns squared do not fit; the message names the ways out."""
    model = next(cls(covariance="full") for cls in CLASSIFIERS if cls.__name__ == "AROWClassifier")
    with pytest.raises(MemoryError, match=r"bits.*covariance='diagonal'"):
        model.learn_one({"word": 1.0}, 0)
    assert not model.__sklearn_is_fitted__()


# ---------------------------------------------------------------------- parameters

BAD_VALUES = ["nonsense", -1, -0.5, math.nan, math.inf, object(), [], {"a": 1}]
#: Values of the list above that mean something for the parameter.
FINE = {"tol": {-1, -0.5, math.inf}, "n_jobs": {-1}, "class_weight": set()}


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_unknown_parameter_values_are_refused_by_name(cls: Any) -> None:
    """Every parameter of every class: the error names owner and parameter, and nothing is fitted."""
    X, y = np.eye(2), [0, 1]
    for name in cls().get_params():
        for value in BAD_VALUES:
            model = cls(**{name: value})
            if (name == "class_weight" and isinstance(value, dict)) or any(
                value is fine or value == fine for fine in FINE.get(name, ())
            ):
                model.fit(X, y)
                continue
            with pytest.raises(ParameterError, match=rf"{cls.__name__}: .*{name}"):
                model.fit(X, y)
            assert not model.__sklearn_is_fitted__()


@pytest.mark.parametrize("key", [(0,), None, b"a", 1j])
def test_weights_of_what_is_no_class_are_refused(key: Any) -> None:
    """A model file could not name it."""
    from onlinear import AROWClassifier

    with pytest.raises(ParameterError, match="class_weight must have classes for keys, got"):
        AROWClassifier(class_weight={key: 1.0}).fit(np.eye(2), [0, 1])
    AROWClassifier(class_weight={np.int64(0): 1.0, np.str_("a"): 2.0, True: 3.0}).fit(np.eye(2), [0, 1])


def test_whole_numbers_that_python_does_not_write_are_refused() -> None:
    """As parameters, keys and labels: no model file could be read that held them, and no message shows them."""
    for name in ("passes", "n_iter_no_change", "bits", "n_jobs"):
        with pytest.raises(ParameterError, match=f"{name} must be .* got a number of 16610 bits"):
            AROWClassifier(**{name: 10**5000}).fit(np.eye(2), [0, 1])
    with pytest.raises(ParameterError, match="class_weight has a number of 16610 bits for a key"):
        AROWClassifier(class_weight={10**5000: 1.0}).fit(np.eye(2), [0, 1])
    model = AROWClassifier()
    with pytest.raises(DataError, match="y contains a number of 16610 bits; a label may have 14000"):
        model.learn_one({0: 1.0}, 10**5000)
    model.learn_one({0: 1.0}, 2**14000 - 1)


def test_a_number_is_no_type() -> None:
    """NumPy's numbers have one."""
    from onlinear import AROWClassifier

    with pytest.raises(ParameterError, match="dtype must be None, 'float32' or 'float64', got"):
        AROWClassifier(dtype=np.float64(0.5)).fit(np.eye(2), [0, 1])


def test_a_word_close_to_a_choice_is_suggested() -> None:
    """STYLE: a suggestion where there is one."""
    from onlinear import AROWClassifier, PassiveAggressiveClassifier

    with pytest.raises(
        ParameterError, match=r"covariance must be one of .* got 'diagnal'. Did you mean 'diagonal'\?"
    ):
        AROWClassifier(covariance="diagnal").fit(np.eye(2), [0, 1])
    with pytest.raises(ParameterError, match=r"variant must be one of 'pa', 'pa1', 'pa2', got 'pa3'"):
        PassiveAggressiveClassifier(variant="pa3").fit(np.eye(2), [0, 1])
    with pytest.raises(ParameterError, match=r"AROWClassifier: r must be greater than 0, got -1.*Try r=1.0"):
        AROWClassifier(r=-1.0).fit(np.eye(2), [0, 1])


def test_a_refused_fit_leaves_the_old_model_whole() -> None:
    """A fitted model that is refused new data of another width still answers as before."""
    for setting in SETTINGS:
        model = taught(setting, "float64")
        before, expected = model.digest(), model.predict(np.eye(COLUMNS))
        poisoned = np.ones((4, COLUMNS + 3))
        poisoned[2, 1] = math.nan
        with pytest.raises(DataError):
            model.fit(poisoned, [0, 1, 0, 1])
        assert model.digest() == before
        assert model.predict(np.eye(COLUMNS)).tolist() == expected.tolist()


def test_a_step_that_would_overflow_stops_there_and_names_the_row() -> None:
    """The rows before it stay learned; a class that would have come with it does not stay."""
    big, too_big = 1e100, 1e200
    model = taught(next(s for s in SETTINGS if type(s).__name__ == "Perceptron"), "float64")
    twin = copy.deepcopy(model)
    X = np.vstack([np.eye(COLUMNS)[:2], [[big, 0, 0, 0]], [[big, 0, 0, 0]], [[-too_big, 0, 0, too_big]]])
    with pytest.raises(NumericError, match="row 4") as caught:
        model.partial_fit(X, [0, 1, 2, 0, 9])
    twin.partial_fit(X[:4], [0, 1, 2, 0])

    assert caught.value.row == 4
    assert model.digest() == twin.digest()
    assert 9 not in model.classes_


# ---------------------------------------------------------------------- another thread


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_arrays_changed_by_another_thread_cannot_hurt(setting: Any) -> None:
    """While one thread learns and predicts, another writes garbage into values, indices and indptr."""
    rng = np.random.default_rng(0)
    X = sp.csr_array(sp.random(300, 30, density=0.2, random_state=0, format="csr"))
    y = rng.integers(0, 3, 300)
    model = clone(setting).partial_fit(X, y)
    clean = [part.copy() for part in (X.data, X.indices, X.indptr)]
    done = threading.Event()

    def vandal() -> None:
        garbage = np.random.default_rng(1)
        while not done.is_set():
            i = garbage.integers(0, 300)
            X.data[i] = garbage.choice([1.0, np.nan, np.inf, 1e308, -1e-45])
            X.indices[i] = garbage.integers(-(2**31), 2**31 - 1)
            X.indptr[i] = garbage.integers(-(2**31), 2**31 - 1)
            X.data[:], X.indices[:], X.indptr[:] = clean

    thread = threading.Thread(target=vandal)
    thread.start()
    try:
        for _ in range(15):
            for call in (lambda: model.partial_fit(X, y), lambda: model.predict_proba(X)):
                try:
                    call()
                except DataError as error:
                    assert "row" in str(error)
    finally:
        done.set()
        thread.join()
    assert_sound(model)


def test_two_threads_may_share_one_model() -> None:
    """Learning and predicting from several threads take turns inside the core."""
    X = np.random.default_rng(0).standard_normal((200, 5))
    y = (X[:, 0] > 0).astype(int)
    model = taught(SETTINGS[0], "float64")
    model = clone(model).partial_fit(X, y)
    threads = [
        threading.Thread(target=lambda: [model.partial_fit(X, y) for _ in range(20)]) for _ in range(3)
    ]
    threads += [threading.Thread(target=lambda: [model.predict(X) for _ in range(20)]) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert model.n_seen_ == 200 * 61
    assert_sound(model)


def test_sparse_arrays_of_one_dimension_are_refused() -> None:
    """With the remedy for a single example."""
    model = AROWClassifier().fit(np.eye(2), [0, 1])
    for ask in (lambda X: model.partial_fit(X, [1]), model.predict):
        with pytest.raises(DataError, match="two dimensions, got 1"):
            ask(sp.coo_array(np.ones(2)))


def test_features_a_full_covariance_has_no_room_for_leave_the_model_as_it_was() -> None:
    """A word would take its column among 2**20: told with the remedy, and everything is there as before."""
    model = AROWClassifier(covariance="full", random_state=0).fit(np.eye(4), ["a", "b", "a", "b"])
    before, deviations = model.digest(), model.coef_std_
    with pytest.raises(MemoryError, match="lower bits"):
        model.learn_one({"p": 1.0}, "a")
    assert (model.digest(), model.n_features_in_) == (before, 4)
    np.testing.assert_array_equal(model.coef_std_, deviations)
    assert model.predict(np.eye(4)).tolist() == ["a", "b", "a", "b"]
