"""An example that is refused brings no class, whichever it would have been."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear.algorithms import table
from onlinear.estimators import make
from onlinear.exceptions import DataError, NumericError, ReadError
from tests.cli.commands import onlinear as command
from tests.estimators.roster import plain

NAMES = ["x", "y", "z", "w"]


def by_dict(model: Any, label: str, value: float) -> None:
    """One at a time."""
    model.learn_one({0: value}, label)


def by_batch(model: Any, label: str, value: float) -> None:
    """As a row of an array."""
    model.partial_fit(np.array([[value]]), [label])


@pytest.mark.parametrize("known", [0, 1, 2, 3])
@pytest.mark.parametrize("learn", [by_dict, by_batch])
@pytest.mark.parametrize("estimator", [onlinear.AROWClassifier, onlinear.MIRAClassifier, onlinear.Perceptron])
def test_a_refused_example_brings_no_class(
    known: int, learn: Callable[[Any, str, float], None], estimator: Any
) -> None:
    """Not the first, not the second, which takes no room, and none after them; the next good one brings its own."""
    model = estimator(dtype="float32")
    for label in NAMES[:known]:
        learn(model, label, 1.0)
    before = model.digest() if known else None

    with pytest.raises(DataError):
        learn(model, NAMES[known], np.nan)

    if known:
        assert model.classes_.tolist() == sorted(NAMES[:known])
        assert model.digest() == before
    else:
        assert not hasattr(model, "classes_")
    learn(model, "v", 1.0)
    assert model.classes_.tolist() == sorted([*NAMES[:known], "v"])


@pytest.mark.parametrize("known", [2, 3, 6])
@pytest.mark.parametrize("learn", ["partial_fit", "learn_one"])
@pytest.mark.parametrize("name", [name for name in table.names() if name != "mira"])
def test_what_grew_for_a_refused_example_is_given_back(name: str, learn: str, known: int) -> None:
    """A new class on more features than before, whose step would overflow: the model goes on as if it had not been."""
    check_given_back(name, learn, known, scale=None, value=3e38, weight=1.0)


@pytest.mark.parametrize("known", [2, 3, 6])
@pytest.mark.parametrize("learn", ["partial_fit", "learn_one"])
@pytest.mark.parametrize("name", ["perceptron", "averaged-perceptron", "norma"])
def test_scales_that_rose_for_a_refused_example_are_given_back(name: str, learn: str, known: int) -> None:
    """Values of any size are learned with them, so it is a weight that makes the step overflow."""
    check_given_back(name, learn, known, scale="max", value=1e3, weight=1e300)


def check_given_back(name: str, learn: str, known: int, *, scale: Any, value: float, weight: float) -> None:
    """Let one of two equal models be offered what is refused; after that they go on alike."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((40, 5)), rng.integers(0, known, 40)
    models = [make(name, dtype="float32", grow_features=True, scale=scale) for _ in range(2)]
    for model in models:
        model.partial_fit(X, y)
    tried, spared = models

    with pytest.raises(NumericError):
        if learn == "partial_fit":
            tried.partial_fit(np.full((1, 9), value), [99], sample_weight=[weight])
        else:
            tried.learn_one(dict.fromkeys(range(9), value), 99, weight)

    assert tried.n_features_in_ == 5
    assert tried.classes_.tolist() == list(range(known))
    assert tried.digest() == spared.digest()
    wider, later = rng.standard_normal((30, 12)), rng.integers(0, known + 3, 30)
    assert tried.partial_fit(wider, later).digest() == spared.partial_fit(wider, later).digest()


@pytest.mark.parametrize("known", [1, 2, 3])
@pytest.mark.parametrize("learn", [by_dict, by_batch])
def test_a_class_that_was_refused_may_come_again(
    known: int, learn: Callable[[Any, str, float], None]
) -> None:
    """The model is then one that was never asked to learn what it refused."""
    asked, spared = (onlinear.AROWClassifier(dtype="float32") for _ in range(2))
    for model in (asked, spared):
        for label in NAMES[:known]:
            learn(model, label, 1.0)
    with pytest.raises(DataError):
        learn(asked, NAMES[known], float("nan"))
    for model in (asked, spared):
        learn(model, NAMES[known], 1.0)

    assert asked.classes_.tolist() == spared.classes_.tolist() == sorted(NAMES[: known + 1])
    assert asked.digest() == spared.digest()


@pytest.mark.parametrize("size", [1, 2, 6])
@pytest.mark.parametrize("rule", ["perceptron", "arow"])
def test_a_label_of_a_refused_example_is_not_met_by_a_ranker(rule: str, size: int) -> None:
    """However the stream is cut, and whichever example of a batch it is."""
    X = np.array([[1.0], [2.0], [-1.0], [3e38], [1.0], [2.0]], dtype=np.float32)
    y = [{"a"}, {"b"}, {"a", "b"}, {"late", "a"}, {"b"}, {"late"}]
    batched, single = (plain(onlinear.MultilabelRanker, rule=rule, dtype="float32") for _ in range(2))
    batched.partial_fit(X[:1] * 1e-30, y[:1])
    start = 0
    while start < len(y):
        stop = start + size
        try:
            batched.partial_fit(X[start:stop], y[start:stop])
            start = stop
        except NumericError as error:
            assert start + error.row == 3
            assert "late" not in batched.classes_
            start += error.row + 1
    for x, labels in [(X[0] * 1e-30, y[0]), *zip(X, y, strict=True)]:
        if x[0] < 1e38:
            single.learn_one({0: float(x[0])}, labels)

    assert batched.digest() == single.digest()


@pytest.mark.parametrize(
    ("task", "first"),
    [
        ("classification", ""),
        ("classification", "a 1:1\nb 1:-1\n"),
        ("classification", "a 1:1\nb 1:-1\nc 2:1\n"),
        ("multilabel", "a 1:1\nb 1:-1\nc 2:1\n"),
    ],
)
def test_a_refused_line_of_a_stream_brings_no_class(tmp_path: Path, task: str, first: str) -> None:
    """Passed over, it is as if it had not been there: in the bits, in the classes, and in the counts of them."""
    good, bad = f"{first}b 1:1\na 1:1\nb 2:1\nlate 1:-1 2:1\n", "late 1:3e38 2:3e38\n"
    for name, text in (("plain", good), ("spoiled", first + bad + good[len(first) :])):
        (tmp_path / f"{name}.svm").write_text(text)
        done = command(
            *("train", f"{name}.svm", "--task", task, "-a", "arow", "--scale", "none"),
            *("--on-error", "skip", "--json", "--save", f"{name}.safetensors"),
            cwd=tmp_path,
        )
        assert done.code == 0, done.err
        assert done.json["classes"] == {"a": good.count("a 1:1"), "b": good.count("b "), "late": 1} | (
            {"c": 1} if "c" in first else {}
        )
        assert done.json["refused"] == (name == "spoiled")
    unspoiled, spoiled = (onlinear.load(tmp_path / f"{name}.safetensors") for name in ("plain", "spoiled"))

    assert spoiled.digest() == unspoiled.digest()
    model = plain(type(unspoiled), **{"rule": "arow"} if task == "multilabel" else {})
    with pytest.raises(ReadError, match="spoiled.svm:"):
        model.fit_stream(onlinear.read(tmp_path / "spoiled.svm", multilabel=task == "multilabel"))
    assert "late" not in getattr(model, "classes_", [])
