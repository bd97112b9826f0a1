"""The same stream gives the same bits, however it is handed over; what is not learning changes none.

Every classifier, in every shape it has, in float32 and float64, on dense and sparse rows, with two and three classes.
"""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import onlinear
from onlinear.exceptions import OnlinearError
from tests.estimators.roster import CLASSIFIERS, SETTINGS
from tests.estimators.streams import Stream, dense_stream, sparse_stream

MAKERS: list[Callable[..., Stream]] = [dense_stream, sparse_stream]
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
every_stream = pytest.mark.parametrize("maker", MAKERS, ids=["dense", "sparse"])
every_count = pytest.mark.parametrize("n_classes", [2, 3])


def fresh(setting: Any, stream: Stream | None = None, **parameters: Any) -> Any:
    """An estimator that has learned nothing; float64 where the stream is."""
    dtype = "float64" if stream is not None and stream.X.dtype == np.float64 else "float32"
    return clone(setting).set_params(dtype=dtype, **parameters)


def one_call(setting: Any, stream: Stream, **arguments: Any) -> Any:
    """The whole stream in one `partial_fit`."""
    return fresh(setting, stream).partial_fit(stream.X, stream.y, **arguments)


@every_setting
@every_stream
@every_count
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
def test_any_batching_gives_the_same_bits(setting: Any, maker: Any, n_classes: int, dtype: Any) -> None:
    """Cut anywhere, also where classes appear for the first time, the state is that of one call."""
    stream = maker(n_classes=n_classes, seed=3, dtype=dtype)
    expected = one_call(setting, stream)
    rng = np.random.default_rng(7)
    for pieces in (2, 5, len(stream)):
        model = fresh(setting, stream)
        for X, y in stream.batches(rng.integers(0, len(stream), pieces)):
            model.partial_fit(X, y)
        assert model.digest() == expected.digest()
        assert model.classes_.tolist() == expected.classes_.tolist()


@every_setting
@every_stream
@every_count
def test_one_pass_of_fit_is_a_partial_fit_that_knows_its_classes(
    setting: Any, maker: Any, n_classes: int
) -> None:
    """`fit` in the given order, `partial_fit` with `classes`, and batches of it leave the same bits."""
    stream = maker(n_classes=n_classes, seed=4)
    fitted = fresh(setting, passes=1, shuffle=False, early_stopping=False).fit(stream.X, stream.y)
    whole = one_call(setting, stream, classes=np.unique(stream.y))
    model = fresh(setting).partial_fit(stream.X[:1], stream.y[:1], classes=np.unique(stream.y))
    for X, y in Stream(stream.X[1:], stream.y[1:]).batches(np.array([10, 11, 40])):
        model.partial_fit(X, y)

    assert fitted.digest() == whole.digest() == model.digest()


@every_setting
@every_stream
@every_count
def test_dicts_give_the_bits_of_arrays(setting: Any, maker: Any, n_classes: int) -> None:
    """`learn_one` from dicts in any order of features, columns and classes growing, equals one call on arrays."""
    stream = maker(n_classes=n_classes, seed=5)
    model = fresh(setting)
    for x, y in stream.dicts():
        model.learn_one(x, y)
    expected = one_call(setting, stream)

    assert model.digest() == expected.digest()
    assert model.n_features_in_ == expected.n_features_in_
    for name in ("n_seen_", "n_updates_", "n_mistakes_"):
        assert getattr(model, name) == getattr(expected, name)


@every_setting
@every_count
def test_one_by_one_and_batches_may_be_mixed(setting: Any, n_classes: int) -> None:
    """Rows by `partial_fit`, then dicts, then rows again: one stream."""
    stream = sparse_stream(n_classes=n_classes, seed=6)
    model = fresh(setting).partial_fit(stream.X[:30], stream.y[:30])
    for x, y in list(stream.dicts())[30:50]:
        model.learn_one(x, y)
    model.partial_fit(stream.X[50:], stream.y[50:])

    assert model.digest() == one_call(setting, stream).digest()


@every_setting
@every_count
@pytest.mark.parametrize("average", [False, True], ids=["", "average"])
def test_an_interruption_leaves_no_trace(setting: Any, n_classes: int, average: bool, tmp_path: Path) -> None:
    """Saved and loaded, pickled, deep-copied in between, before and after a class arrives: the same bits."""
    if average and "average" not in averaging(setting):
        return
    setting = clone(setting).set_params(average=average or setting.average)
    stream = sparse_stream(n_classes=n_classes, seed=8)
    expected = one_call(setting, stream)
    path = tmp_path / "model.safetensors"

    def through_a_file(model: Any) -> Any:
        model.save(path)
        return onlinear.load(path)

    ways = [through_a_file, lambda model: pickle.loads(pickle.dumps(model)), copy.deepcopy]
    model = fresh(setting)
    for i, (X, y) in enumerate(stream.batches(np.array([1, 3, 5, 30, 50, 70]))):
        model.partial_fit(X, y)
        before = model.digest()
        model = ways[i % 3](model)
        assert model.digest() == before
    assert model.digest() == expected.digest()
    np.testing.assert_array_equal(model.predict_proba(stream.X), expected.predict_proba(stream.X))


def averaging(setting: Any) -> set[str]:
    """{"average"} when the setting can average its weights."""
    try:
        clone(setting).set_params(average=True).axes()
    except OnlinearError:
        return set()
    return {"average"}


@every_setting
@every_stream
def test_the_number_of_threads_does_not_show(setting: Any, maker: Any) -> None:
    """Any `n_jobs` learns and predicts the same bits."""
    stream = maker(n=400, n_classes=3, seed=9)
    single = one_call(setting, stream)
    for n_jobs in (2, 3, -1):
        model = fresh(setting, n_jobs=n_jobs).partial_fit(stream.X, stream.y)
        assert model.digest() == single.digest()
        np.testing.assert_array_equal(model.decision_function(stream.X), single.decision_function(stream.X))
        np.testing.assert_array_equal(model.predict_proba(stream.X), single.predict_proba(stream.X))


@every_setting
def test_fit_is_the_same_every_time(setting: Any) -> None:
    """Same data, same seed: the same bits, shuffled or not, several passes and early stopping included."""
    stream = dense_stream(n_classes=3, seed=10)
    first, second = (clone(setting).set_params(random_state=3).fit(stream.X, stream.y) for _ in range(2))

    assert first.digest() == second.digest()
    assert first.n_passes_ == second.n_passes_


@every_setting
def test_a_third_class_that_comes_late_is_met_where_it_comes(setting: Any) -> None:
    """Two classes for sixty rows, then a third: batches, one at a time and one call agree, and it is learned."""
    stream = sparse_stream(n=120, n_classes=3, seed=11)
    early = np.arange(120) < 60
    y = np.where(early & (stream.y == 2), 0, stream.y)
    stream = Stream(stream.X, y)
    expected = one_call(setting, stream)
    by_rows, by_dicts = fresh(setting), fresh(setting)
    for X, part in stream.batches(np.arange(0, 120, 7)):
        by_rows.partial_fit(X, part)
    for x, label in stream.dicts():
        by_dicts.learn_one(x, label)

    assert expected.classes_.tolist() == [0, 1, 2]
    assert by_rows.digest() == by_dicts.digest() == expected.digest()


@every_setting
def test_named_features_that_come_late_are_met_where_they_come(setting: Any, tmp_path: Path) -> None:
    """Words hashed to columns: an interruption at any point leaves the same bits and the same words."""
    small = clone(setting).set_params(bits=5)
    rng = np.random.default_rng(12)
    words = [f"word{i}" for i in range(12)]
    examples = [
        (
            {word: float(rng.standard_normal()) for word in rng.permutation(words[: 2 + i // 5])},
            "abc"[min(i % 4, 2)],
        )
        for i in range(48)
    ]
    straight, broken = fresh(small), fresh(small)
    for i, (x, y) in enumerate(examples):
        straight.learn_one(x, y)
        broken.learn_one(dict(reversed(x.items())), y)
        if i % 10 == 3:
            broken.save(tmp_path / "words.safetensors")
            broken = onlinear.load(tmp_path / "words.safetensors")
        elif i % 10 == 8:
            broken = pickle.loads(pickle.dumps(broken))

    assert broken.digest() == straight.digest()
    if hasattr(straight, "coef_"):
        assert broken.explain(examples[0][0]) == straight.explain(examples[0][0])


@every_setting
@pytest.mark.parametrize("way", ["pickle", "file", "deepcopy"])
def test_column_names_survive_an_interruption(setting: Any, way: str, tmp_path: Path) -> None:
    """A model fitted on named columns matches the keys of dicts to them, also after it has been stored."""
    import pandas as pd

    stream = dense_stream(n=20, d=3, n_classes=2)
    frame = pd.DataFrame(stream.X, columns=["a", "b", "c"])
    model = fresh(setting).partial_fit(frame, stream.y)
    if way == "pickle":
        twin = pickle.loads(pickle.dumps(model))
    elif way == "deepcopy":
        twin = copy.deepcopy(model)
    else:
        model.save(tmp_path / "named.safetensors")
        twin = onlinear.load(tmp_path / "named.safetensors")
    for either in (model, twin):
        either.learn_one({"c": 1.0, "a": -0.5, "new": 2.0}, 1)

    assert twin.n_features_in_ == model.n_features_in_ == 4
    assert twin.digest() == model.digest()
    assert twin.feature_names_in_.tolist() == ["a", "b", "c", "new"]


@every_setting
@every_count
def test_what_is_not_learning_changes_nothing(setting: Any, n_classes: int, tmp_path: Path) -> None:
    """Predicting, saving, weight 0 and refusals leave the digest alone."""
    stream = sparse_stream(n=300, n_classes=n_classes, seed=13)
    model = one_call(setting, stream)
    before, classes = model.digest(), model.classes_.tolist()

    model.decision_function(stream.X)
    model.predict_proba(stream.X)
    for x, _ in list(stream.dicts())[:50]:
        model.predict_one(x)
        model.predict_proba_one(x)
        if hasattr(model, "coef_"):
            model.explain(x)
    model.predict_one({10_000: 1.0})
    model.margin(stream.X)
    assert model.digest() == before

    model.save(tmp_path / "model.safetensors")
    assert model.digest() == before

    model.partial_fit(stream.X, stream.y, sample_weight=np.zeros(len(stream)))
    model.partial_fit(stream.X[:2], np.array([77, 78]), sample_weight=[0.0, 0.0])
    model.learn_one({0: 1.0}, 0, w=0.0)
    model.learn_one({0: 1.0}, "a class of no weight", w=0.0)
    model.learn_one({500: 1.0}, 0, w=0.0)
    assert model.digest() == before

    for X, y, weight in refusals(stream):
        with pytest.raises((OnlinearError, ValueError, TypeError)):
            model.partial_fit(X, y, sample_weight=weight)
    for x, y, w in ONE_REFUSALS:
        with pytest.raises((OnlinearError, ValueError, TypeError)):
            model.learn_one(x, y, w)
    assert model.digest() == before
    assert model.classes_.tolist() == classes
    assert model.n_features_in_ == stream.X.shape[1]


@pytest.mark.parametrize("cls", CLASSIFIERS)
def test_a_hundred_thousand_predictions_and_a_thousand_saves_leave_no_trace(cls: Any, tmp_path: Path) -> None:
    """Nothing accumulates in a model that only answers."""
    stream = sparse_stream(n=200, n_classes=3, seed=14)
    model = one_call(cls(), stream)
    before = model.digest()

    for _ in range(500):
        model.predict(stream.X)
    assert model.digest() == before

    for _ in range(1000):
        model.save(tmp_path / "model.safetensors")
    assert model.digest() == before == onlinear.load(tmp_path / "model.safetensors").digest()


ONE_REFUSALS: list[tuple[Any, Any, Any]] = [
    ({0: float("nan")}, 0, 1.0),
    ({900: float("inf")}, 0, 1.0),
    ({0: 1e300}, "new", 1.0),
    ({-1: 1.0}, 0, 1.0),
    ({1 << 40: 1.0}, 0, 1.0),
    ({0: object()}, 0, 1.0),
    ({(1, 2): 1.0}, 0, 1.0),
    ({700: 1.0}, 0, -1.0),
    ({0: 1.0}, "new", float("nan")),
    ({0: 1.0}, float("nan"), 1.0),
    ({0: 1.0}, None, 1.0),
    ({0: 1.0}, [1, 2], 1.0),
    ([1.0, 2.0], 0, 1.0),
]


def refusals(stream: Stream) -> list[tuple[Any, Any, Any]]:
    """Batches of which nothing may be learned."""
    X, y = stream.X, stream.y
    poisoned = X.copy()
    poisoned.data[-1] = np.nan
    endless = X.copy()
    endless.data[5] = np.inf
    new_class = np.where(np.arange(len(y)) == 3, 99, y)
    weights = np.ones(len(y))
    weights[-1] = -1.0
    return [
        (poisoned, y, None),
        (poisoned, new_class, None),
        (endless, y, None),
        (X, y[:-1], None),
        (X, new_class, weights),
        (X, new_class, weights[:-1]),
        (X, y, np.full(len(y), np.nan)),
        (sp.csr_array((len(y), X.shape[1] + 1)), y, None),
        (X, y.astype(float) + 0.5, None),
        (X, np.where(np.arange(len(y)) == 3, np.nan, y), None),
    ]
