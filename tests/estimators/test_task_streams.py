"""Streams of every task: files, batches, arrays and dicts teach the same, and rows of no weight bring nothing."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from sklearn.metrics import label_ranking_average_precision_score, label_ranking_loss

import onlinear
from onlinear import (
    AROWClassifier,
    AROWRegressor,
    MultilabelRanker,
    PassiveAggressiveClassifier,
    PassiveAggressiveOneClass,
    PassiveAggressiveRegressor,
)
from onlinear.exceptions import DataError, ReadError
from onlinear.model.task_streams import ranking_measures

MODELS: list[Callable[[], Any]] = [
    lambda: AROWRegressor(dtype="float32"),
    lambda: PassiveAggressiveRegressor(average=True, dtype="float32"),
    lambda: PassiveAggressiveOneClass(dtype="float32"),
    lambda: PassiveAggressiveOneClass(max_radius=3.0, dtype="float32"),
    lambda: MultilabelRanker(rule="arow", dtype="float32"),
    lambda: MultilabelRanker(rule="pa1", average=True, dtype="float32"),
]
IDS = ["arow-reg", "pa-reg", "ball", "learned-ball", "rank-arow", "rank-pa1"]


def write(path: Path, rows: int = 120, *, sets: bool = False, seed: int = 0) -> Path:
    """An svmlight file whose features and labels come late; the weights of some rows are in no such file."""
    rng = np.random.default_rng(seed)
    lines = []
    for i in range(rows):
        columns = np.sort(rng.choice(5 + i // 3, 4, replace=False)) + 1
        values = rng.standard_normal(4).round(3)
        labels = sorted(rng.choice(2 + i // 20, rng.integers(0, 3), replace=False).tolist())
        answer = ",".join(map(str, labels)) if sets else f"{values.sum():.3f}"
        lines.append(f"{answer} " + " ".join(f"{c}:{v}" for c, v in zip(columns, values, strict=True)))
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("made", MODELS, ids=IDS)
def test_batches_of_a_file_do_not_show(made: Callable[[], Any], tmp_path: Path) -> None:
    """A file in one batch, in sevens and row by row teaches the same bits, though labels and features come late."""
    sets = isinstance(made(), MultilabelRanker)
    data = write(tmp_path / "a.svm", sets=sets)
    digests = {
        made().fit_stream(onlinear.read(data, multilabel=sets, batch_size=size)).digest()
        for size in (None, 7, 1)
    }

    assert len(digests) == 1


@pytest.mark.parametrize("made", MODELS, ids=IDS)
def test_files_teach_what_arrays_teach(made: Callable[[], Any], tmp_path: Path) -> None:
    """`fit_stream` over a reader and `partial_fit` of the same rows as one matrix end in the same bits."""
    sets = isinstance(made(), MultilabelRanker)
    data = write(tmp_path / "a.svm", sets=sets)
    streamed = made().fit_stream(onlinear.read(data, multilabel=sets))
    batch = next(iter(onlinear.read(data, multilabel=sets)))
    y = [[int(label) for label in labels] for labels in batch.y] if sets else batch.y

    assert made().partial_fit(batch.X, y).digest() == streamed.digest()
    halves = made().fit_stream([(batch.X[:50], y[:50]), (batch.X[50:], y[50:])])
    assert halves.digest() == streamed.digest()


@pytest.mark.parametrize("weight", [0, 1])
@pytest.mark.parametrize("made", [*MODELS, lambda: AROWClassifier(dtype="float32")], ids=[*IDS, "arow"])
def test_rows_of_no_weight_bring_nothing(made: Callable[[], Any], weight: int, tmp_path: Path) -> None:
    """Labels, features of dicts and the start of a model wait for a row that counts; however rows are handed over."""
    sets = isinstance(made(), MultilabelRanker)
    labels = {1: ["b"], 0: ["z"], 2: ["a", "b"], 3: ["c"]} if sets else {0: 5, 1: 1, 2: 0, 3: 2}
    kept = [1, 2, 3] if weight == 0 else [0, 1, 2, 3]
    weights = [weight, 1, 1, 1]
    lines = [json.dumps({"label": labels[i], "w": weights[i], f"a{i % 2}": 1 + i}) for i in range(4)]
    data, heavy = tmp_path / "all.jsonl", tmp_path / "heavy.jsonl"
    data.write_text("\n".join(lines) + "\n")
    heavy.write_text("\n".join(lines[i] for i in kept) + "\n")
    options = {"multilabel": sets, "weight": "w"}
    wanted = made().fit_stream(onlinear.read(heavy, **options))
    for size in (None, 1, 2):
        assert made().fit_stream(onlinear.read(data, batch_size=size, **options)).digest() == wanted.digest()
    batch = next(iter(onlinear.read(data, **options)))
    y = [list(labels[i]) if sets else labels[i] for i in range(4)]
    by_arrays = made().partial_fit(batch.X, y, sample_weight=batch.weight)

    assert by_arrays.digest() == wanted.digest()
    if hasattr(wanted, "classes_"):
        assert by_arrays.classes_.tolist() == wanted.classes_.tolist()


def test_a_stream_of_weightless_rows_leaves_no_model() -> None:
    """Nothing was learned, so nothing is there."""
    for made in MODELS:
        model = made()
        y = [["a"], ["b"]] if isinstance(model, MultilabelRanker) else [1.0, 2.0]
        model.partial_fit(np.ones((2, 2)), y, sample_weight=[0.0, 0.0])

        assert not model.__sklearn_is_fitted__() or not hasattr(model, "classes_")


@pytest.mark.parametrize(
    "rows",
    [
        [["a"], ["c", "b"], [], ["a", "d"]],
        [[], [], ["x"], ["y", "x"]],
        [["b", "a"], ["a"], ["c"], ["a", "b", "c"]],
    ],
)
def test_labels_are_met_with_the_example_that_brings_them(rows: list[list[str]]) -> None:
    """One batch, batches of one and dicts agree bit for bit: a label does not compete before it is known."""
    X = np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32)
    whole = MultilabelRanker(rule="pa1").partial_fit(X, rows)
    single = MultilabelRanker(rule="pa1")
    dicts = MultilabelRanker(rule="pa1")
    for x, labels in zip(X, rows, strict=True):
        single.partial_fit(x[None], [labels])
        dicts.learn_one({i: float(v) for i, v in enumerate(x)}, labels)

    assert whole.digest() == single.digest() == dicts.digest()


def test_single_prototypes_meet_labels_one_by_one_too() -> None:
    """With ``phi`` an example is set against the labels known by then, dense and sparse alike."""
    from scipy.sparse import csr_matrix

    names = ["a", "b", "c", "d"]

    def blocks(X: Any, label: str) -> Any:
        dense = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
        out = np.zeros((len(dense), 4 * dense.shape[1]))
        at = names.index(label) * dense.shape[1]
        out[:, at : at + dense.shape[1]] = dense
        return csr_matrix(out) if hasattr(X, "toarray") else out

    X = np.random.default_rng(1).standard_normal((4, 3))
    y = [["b"], ["a", "b"], ["d"], ["c", "a"]]
    several = MultilabelRanker(rule="pa1", scale=None, fit_intercept=False).partial_fit(X, y)
    for rows in (X, csr_matrix(X)):
        single = MultilabelRanker(rule="pa1", scale=None, phi=blocks).partial_fit(rows, y)
        assert_allclose(single.coef_.reshape(4, 3), several.coef_, rtol=1e-12)


def test_an_unannounced_label_is_refused_by_every_classifier() -> None:
    """With ``classes=`` a label outside them is an error, also one that the model knows; nothing is learned."""
    X = np.eye(3)
    for model, y, bad in (
        (PassiveAggressiveClassifier(), ["a", "b", "c"], ["a", "a", "c"]),
        (MultilabelRanker(), [["a"], ["b"], ["c"]], [["a"], [], ["a", "c"]]),
    ):
        model.partial_fit(X, y, classes=["a", "b", "c"])
        before = model.digest()
        with pytest.raises(DataError, match=r"y contains 'c', which is not among classes=\['a', 'b'\]"):
            model.partial_fit(X, bad, classes=["a", "b"])
        assert model.digest() == before
        model.partial_fit(X, bad, classes=["c", "b", "a", "new"])
        assert model.classes_.tolist() == ["a", "b", "c", "new"]


def test_an_unannounced_label_of_no_weight_is_let_pass() -> None:
    """It would not have been met anyway."""
    weights = [1.0, 1.0, 0.0]
    for model, y in (
        (PassiveAggressiveClassifier(), ["a", "b", "x"]),
        (MultilabelRanker(), [["a"], ["b"], ["x"]]),
    ):
        model.partial_fit(np.eye(3), y, classes=["a", "b"], sample_weight=weights)
        assert model.classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize("target", ["word", "nan", "1e400", "inf"])
def test_a_target_that_is_no_number_is_named_by_its_line(target: str, tmp_path: Path) -> None:
    """Words, NaN and numbers beyond all bounds: file and line; nothing of that row is learned."""
    data = tmp_path / "t.svm"
    data.write_text(f"1.5 1:1\n{target} 2:1\n")
    model = AROWRegressor().partial_fit(np.eye(2), [1.0, 2.0])
    with pytest.raises(ReadError, match=r"t\.svm:2:.*expected"):
        model.fit_stream(onlinear.read(data, batch_size=1))
    twin = AROWRegressor().partial_fit(np.eye(2), [1.0, 2.0]).partial_fit(np.array([[1.0, 0.0]]), [1.5])

    assert model.digest() == twin.digest()


def test_a_class_without_costs_is_named_by_its_line(tmp_path: Path) -> None:
    """A stream with a label the cost matrix does not know stops there; the rows before it stay learned."""
    data = tmp_path / "c.svm"
    data.write_text("1 1:1\n2 2:1\n3 3:1\n")
    costs = {1: {2: 1.0}, 2: {1: 5.0}}
    model = AROWClassifier(cost_matrix=costs)
    with pytest.raises(ReadError, match=r"c\.svm:3: .*y contains 3, which cost_matrix does not know"):
        model.fit_stream(onlinear.read(data))
    assert model.n_seen_ == 2
    first = tmp_path / "first.svm"
    first.write_text("3 3:1\n")
    fresh = AROWClassifier(cost_matrix=costs)
    with pytest.raises(ReadError, match=r"first\.svm:1: "):
        fresh.fit_stream(onlinear.read(first))
    assert not fresh.__sklearn_is_fitted__()


def test_a_dict_of_costs_serves_files(tmp_path: Path) -> None:
    """All classes are known from the matrix, in whatever order a file brings them; batches do not show."""
    data = tmp_path / "c.svm"
    data.write_text("3 1:1\n1 2:1\n2 3:1\n1 2:2\n3 1:2 3:1\n" * 5)
    costs = {1: {2: 1.0, 3: 2.0}, 2: {1: 5.0}, 3: {1: 1.0, 2: 1.0}}
    models = [
        AROWClassifier(cost_matrix=costs).fit_stream(onlinear.read(data, batch_size=size))
        for size in (None, 1, 3)
    ]

    assert len({model.digest() for model in models}) == 1
    assert models[0].classes_.tolist() == [1, 2, 3]
    assert models[0].total_cost_ > 0


@pytest.mark.parametrize("first", [1, 2])
def test_costs_of_two_classes_name_the_second_too(first: int, tmp_path: Path) -> None:
    """Rows of the class that has not come yet are learned with the batch of the first."""
    data = tmp_path / "c.svm"
    data.write_text(f"{first} 1:1\n{3 - first} 2:1\n1 1:1 2:-1\n2 3:1\n" * 3)
    costs = {1: {2: 1.0}, 2: {1: 5.0}}
    whole = AROWClassifier(cost_matrix=costs).fit_stream(onlinear.read(data))
    single = AROWClassifier(cost_matrix=costs).fit_stream(onlinear.read(data, batch_size=1))

    assert whole.n_seen_ == 12
    assert whole.digest() == single.digest()


@given(
    seed=st.integers(0, 10_000),
    n=st.integers(1, 6),
    k=st.integers(2, 6),
    levels=st.sampled_from([2, 3, 1000]),
)
def test_ranking_measures_are_scikit_learns(seed: int, n: int, k: int, levels: int) -> None:
    """Also with ties, empty sets and full ones."""
    rng = np.random.default_rng(seed)
    relevant = rng.random((n, k)) < rng.choice([0.1, 0.5, 0.9])
    scores = rng.integers(0, levels, (n, k)).astype(float)
    sums = ranking_measures(relevant, scores)
    some = relevant.any(axis=1)

    assert_allclose(sums["ranking_loss"] / n, label_ranking_loss(relevant, scores), atol=1e-12)
    assert_allclose(
        sums["average_precision"] / n, label_ranking_average_precision_score(relevant, scores), atol=1e-12
    )
    assert sums["ranked"] == some.sum()
    assert sums["one_error"] == sum(not relevant[i, np.argmax(scores[i])] for i in np.flatnonzero(some))


def test_held_out_rows_are_compared_with_the_radius_of_their_moment() -> None:
    """A ball whose radius is learned: a held-out row is outside or inside by the rows before it, not by later ones."""
    rng = np.random.default_rng(0)
    lines = [
        " ".join(["0", *(f"{j + 1}:{v:.3f}" for j, v in enumerate(row))]) for row in rng.normal(size=(80, 3))
    ]
    batch = next(iter(onlinear.read(io.BytesIO("\n".join(lines).encode()), "svmlight")))
    held_out = rng.random(80) < 0.4
    held_out[0] = False
    model = PassiveAggressiveOneClass(max_radius=4.0, C=0.2, dtype="float32")
    stream = model._begun().stream()
    done = stream.learn(batch, stream.numbers(batch), held_out=held_out)

    twin = PassiveAggressiveOneClass(max_radius=4.0, C=0.2, dtype="float32")
    outside = 0
    for row, apart in enumerate(held_out):
        if apart:
            outside += int(twin.predict(batch.X[row])[0] == -1)
        else:
            twin.partial_fit(batch.X[row])
    at_the_end = int((twin.predict(batch.X[held_out]) == -1).sum())

    assert (done.examples, done.held_out) == ((~held_out).sum(), held_out.sum())
    assert done.held_out_mistakes == outside != at_the_end


def test_a_row_of_no_weight_brings_no_label() -> None:
    """Whether it stands between others or after all of them."""
    lines = "a 1 | 1:1\na,b 1 | 2:1\nc 0 | 1:1\nb 1 | 1:1\nd 0 | 3:1\n"
    model = MultilabelRanker().fit_stream(onlinear.read(io.BytesIO(lines.encode()), "vw", multilabel=True))
    assert model.classes_.tolist() == ["a", "b"]
    assert model.n_seen_ == 3
