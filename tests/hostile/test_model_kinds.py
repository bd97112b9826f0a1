"""Every kind of model file, damaged at random and on purpose: refused, or harmless.

The tests of `test_model_files` take one model apart by hand. These take a model of every kind, among them those
that keep examples instead of weights, and those of sequences, and change whatever they hold.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear.exceptions import ModelFileError, OnlinearError

from .crafting import edited, put, raw

FLIPS = 1000
EDITS = 300


def _rows(classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((12, 4))
    return X, np.argmax(X[:, :classes], axis=1)


def _classifier(name: str, classes: int = 2, **parameters: Any) -> Callable[[], Any]:
    return lambda: getattr(onlinear, name)(**parameters).partial_fit(*_rows(classes))


def _regressor(name: str, **parameters: Any) -> Callable[[], Any]:
    X, _ = _rows(2)
    return lambda: getattr(onlinear, name)(**parameters).partial_fit(X, X[:, 0] - X[:, 1])


def _labeler() -> Any:
    X = [[{"w=the": 1.0}, {"w=dog": 1.0, "first": 0.5}], [{"w=a": 1.0}, {"w=cat": 1.0}, {"w=runs": 1.0}]]
    return onlinear.SequenceLabeler(rule="arow").fit(X, [["D", "N"], ["D", "N", "V"]])


def _ranker() -> Any:
    X, _ = _rows(2)
    return onlinear.MultilabelRanker().partial_fit(X, (X[:, :3] > 0).astype(int))


def _finite(*arrays: Any) -> bool:
    return all(np.isfinite(np.asarray(array, dtype=float)).all() for array in arrays)


def _scores(model: Any) -> bool:
    """Whether a model of rows answers with finite numbers."""
    X = np.random.default_rng(8).standard_normal((3, model.n_features_in_))
    answer = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
    return _finite(answer)


def _labels(model: Any) -> bool:
    """Whether a model of sequences answers with its labels, and finite weights."""
    answers = model.predict([[{"w=the": 1.0}, {"w=never seen": 1.0}], []])
    return {label for answer in answers for label in answer} <= set(model.classes_)


@dataclass(frozen=True)
class Kind:
    """A kind of model: how one is made, and whether it answers soundly."""

    name: str
    make: Callable[[], Any]
    sound: Callable[[Any], bool] = _scores

    def __str__(self) -> str:
        return self.name


KINDS = [
    Kind("diagonal", _classifier("AROWClassifier", 3)),
    Kind("full", _classifier("AROWClassifier", covariance="full")),
    Kind("information", _classifier("NAROWClassifier")),
    Kind("dual averaging", _classifier("AdaGradRDAClassifier", 3)),
    Kind("averaged", _classifier("Perceptron", 3, average=True)),
    Kind("ball", _classifier("RegularizedPassiveAggressiveClassifier", penalty="l1_ball")),
    Kind("kernel", _classifier("KernelClassifier", 3)),
    Kind("kernel on a budget", _classifier("KernelClassifier", rule="pa1", kernel="poly", budget=5)),
    Kind("kernel regression", _regressor("KernelRegressor")),
    Kind("regression", _regressor("AROWRegressor")),
    Kind("multilabel", _ranker),
    Kind("one class", lambda: onlinear.PassiveAggressiveOneClass().partial_fit(_rows(2)[0])),
    Kind("sequence", _labeler, _labels),
]


@pytest.fixture(params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    """One kind of model after the other."""
    chosen: Kind = request.param
    return chosen


@pytest.fixture
def path(kind: Kind, tmp_path: Path) -> Path:
    """A file of a model of that kind."""
    kind.make().save(tmp_path / "m.safetensors")
    return tmp_path / "m.safetensors"


def survives(kind: Kind, path: Path) -> bool:
    """Whether a file loads; what loads must answer soundly, or say why it cannot."""
    try:
        model = onlinear.load(path)
    except ModelFileError as error:
        if path.name not in str(error):
            pytest.fail(f"the message does not name the file: {error}")
        return False
    try:
        assert kind.sound(model)
    except OnlinearError as error:  # numbers that are possible alone, and too large together
        assert str(error)
    return True


def test_a_sound_file_survives(kind: Kind, path: Path) -> None:
    """What is refused below is refused for what was changed."""
    assert survives(kind, path)


def test_every_truncation_of_every_kind_is_refused(kind: Kind, path: Path) -> None:
    """From no bytes to all but one."""
    whole = path.read_bytes()
    for length in reversed(range(len(whole))):
        os.truncate(path, length)
        assert not survives(kind, path), length
    print(f"truncations, {kind}: {len(whole)}, all refused")


def test_flipped_bits_of_every_kind_are_refused_or_harmless(kind: Kind, path: Path) -> None:
    """A thousand of them."""
    whole = path.read_bytes()
    rng = random.Random(1)
    harmless = 0
    for _ in range(FLIPS):
        place = rng.randrange(len(whole) * 8)
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        put(path, damaged)
        harmless += survives(kind, path)
    print(f"bit flips, {kind}: {FLIPS}, {harmless} harmless")
    assert harmless < FLIPS // 50


ODD = [float("nan"), float("inf"), float("-inf"), -1.0, 0.0, 0.5, 1e300, -1e300, 2.0**40, 1e-320]
OTHER = [None, True, -1, 0, 1, 3, 2**40, 2**63, 1e308, float("nan"), "", "x", "rbf", [], {}, [[]], [None]]


@np.errstate(all="ignore")
def spoil_tensor(tensors: dict[str, Any], rng: random.Random) -> None:
    """Change one tensor: a value, its type, its shape, its length, or that it is there."""
    name = rng.choice(sorted(tensors))
    tensor = tensors[name]
    how = rng.randrange(8)
    if how == 0:
        del tensors[name]
    elif how == 1:
        tensors[name] = tensor.astype(
            rng.choice(["float16", "float32", "float64", "int32", "int64", "uint8"])
        )
    elif how == 2:
        tensors[name] = np.concatenate([tensor, tensor])
    elif how == 3:
        tensors[name] = tensor[: rng.randrange(len(tensor) + 1)]
    elif how == 4:
        tensors[name] = tensor.reshape(rng.choice([(-1,), (1, *tensor.shape), (-1, 1)]))
    elif how == 5:
        tensors[name] = tensors[rng.choice(sorted(tensors))]
    elif tensor.size:
        spoiled = tensor.copy()
        for _ in range(rng.choice([1, 1, 3])):
            odd = rng.choice(ODD)
            place = rng.randrange(tensor.size)
            spoiled.reshape(-1)[place] = (
                odd if tensor.dtype.kind == "f" else rng.choice([0, 1, 2, 7, 255, 99])
            )
        tensors[name] = spoiled


def spoil_description(content: dict[str, Any], rng: random.Random) -> None:
    """Put another value somewhere into the description."""
    place: Any = content
    while True:
        key = rng.choice(list(place) if isinstance(place, dict) else range(len(place)))
        if not (isinstance(place[key], dict | list) and place[key] and rng.random() < 0.8):
            place[key] = rng.choice(OTHER)
            return
        place = place[key]


@pytest.mark.parametrize("part", ["tensors", "description"])
def test_random_edits_of_every_kind_are_refused_or_harmless(part: str, kind: Kind, path: Path) -> None:
    """Three hundred of tensors and of descriptions each, with a checksum that fits."""
    whole = path.read_bytes()
    rng = random.Random(part)
    refused = 0
    for _ in range(EDITS):
        put(path, whole)
        edited(path, lambda c, t: spoil_tensor(t, rng) if part == "tensors" else spoil_description(c, rng))
        refused += not survives(kind, path)
    print(f"edits of {part}, {kind}: {EDITS}, {refused} refused")
    assert refused > EDITS // 4


def test_labels_that_are_there_twice_are_refused(kind: Kind, path: Path) -> None:
    """Nobody could tell which of them is meant."""
    twice = [False]

    def repeat(content: dict[str, Any], tensors: dict[str, Any]) -> None:
        if len(content["classes"]) > 1:
            content["classes"][1] = content["classes"][0]
            twice[0] = True

    edited(path, repeat)
    assert survives(kind, path) == (not twice[0])


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_no_tensor_may_hold_what_is_not_a_number(odd: float, kind: Kind, path: Path) -> None:
    """Each tensor of numbers in turn, each place in turn."""
    from onlinear.persistence import read_file

    whole = path.read_bytes()
    _, tensors = read_file(path)
    tried = 0
    for name, tensor in tensors.items():
        if tensor.dtype.kind != "f":
            continue
        for place in range(0, tensor.size, 1 + tensor.size // 20):
            put(path, whole)

            def spoil(
                content: dict[str, Any], tensors: dict[str, Any], name: str = name, place: int = place
            ) -> None:
                tensors[name] = tensors[name].copy()
                tensors[name].reshape(-1)[place] = odd

            edited(path, spoil)
            assert not survives(kind, path), (name, place)
            tried += 1
    assert tried > 0


def test_a_kernel_model_cannot_ask_for_more_than_it_brings(tmp_path: Path) -> None:
    """A small file that says it has very many examples of very many features is refused before memory is taken."""
    path = tmp_path / "m.safetensors"
    _classifier("KernelClassifier")().save(path)
    points = 300_000

    def inflate(content: dict[str, Any], tensors: dict[str, Any]) -> None:
        content["n_features"] = 4000
        content["parameters"]["max_features"] = 1 << 20
        tensors["shape"] = np.array([[1.0, 4001.0]])
        tensors["born"] = np.zeros((points, 1))
        tensors["nu"] = np.zeros((points, 1))

    edited(path, inflate)
    with pytest.raises(ModelFileError, match=r"m\.safetensors: .*examples"):
        onlinear.load(path)


def test_pickle_bytes_inside_of_a_file_are_only_bytes(kind: Kind, path: Path, tmp_path: Path) -> None:
    """A pickle in place of the tensors, of the description, and of the whole file."""
    import pickle

    class Bomb:
        def __reduce__(self) -> tuple[Any, ...]:
            return (exec, ("raise SystemExit('code was run')",))

    bomb = pickle.dumps(Bomb())
    whole = path.read_bytes()
    size = int.from_bytes(whole[:8], "little")
    body = bytearray(whole[8 + size :])
    body[: len(bomb)] = bomb[: len(body)]
    for header, rest in ((whole[8 : 8 + size], bytes(body)), (bomb, b""), (whole[8 : 8 + size], bomb)):
        raw(path, header, rest)
        assert not survives(kind, path)
    path.write_bytes(bomb)
    with pytest.raises(ModelFileError, match="pickle"):
        onlinear.load(path)
