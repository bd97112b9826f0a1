"""A model file of every kind, ways to spoil one, and what must hold of it then: refused, or harmless."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import onlinear
from onlinear.exceptions import ModelFileError, NotAvailableError, OnlinearError
from onlinear.persistence import read_file, save_compact, write_tensors
from onlinear.persistence.tensors import KEY, SUM, checksum, read_tensors

from .crafting import put

# ---------------------------------------------------------------------- a model of every kind


def _rows(classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(7)
    X = rng.standard_normal((12, 4))
    return X, np.argmax(X[:, :classes], axis=1)


def classifier(name: str, classes: int = 2, **parameters: Any) -> Callable[[], Any]:
    """What makes a small classifier."""
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


def _detector() -> Any:
    return onlinear.PassiveAggressiveOneClass().partial_fit(_rows(2)[0])


def _words() -> Any:
    model = onlinear.AROWClassifier(bits=8)
    for features, label in [({"a": 1, "b": 2}, "x"), ({"c": 1}, "y"), ({"d": 1, "a": -1}, "z")] * 3:
        model.learn_one(features, label)
    return model


def _odd_rows(model: Any) -> Any:
    return np.random.default_rng(8).standard_normal((3, model.n_features_in_))


def _scores(model: Any) -> bool:
    """Whether a model of rows answers with finite numbers."""
    X = _odd_rows(model)
    answer = model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)
    return bool(np.isfinite(np.asarray(answer, dtype=float)).all())


def _labels(model: Any) -> bool:
    """Whether a model of sequences answers with its labels."""
    answers = model.predict([[{"w=the": 1.0}, {"w=never seen": 1.0}], []])
    return {label for answer in answers for label in answer} <= set(model.classes_)


def _learn_classes(model: Any) -> None:
    model.partial_fit(_odd_rows(model), np.resize(model.classes_, 3))


def _learn_values(model: Any) -> None:
    model.partial_fit(_odd_rows(model), np.arange(3.0))


def _learn_sets(model: Any) -> None:
    model.partial_fit(_odd_rows(model), np.arange(3 * len(model.classes_)).reshape(3, -1) % 2)


def _learn_rows(model: Any) -> None:
    model.partial_fit(_odd_rows(model))


def _learn_sequence(model: Any) -> None:
    model.partial_fit([[{"w=the": 1.0}, {"w=never seen": 1.0}]], [np.resize(model.classes_, 2).tolist()])


_LEARN: dict[str, Callable[[Any], None]] = {
    "classification": _learn_classes,
    "regression": _learn_values,
    "multilabel": _learn_sets,
    "one-class": _learn_rows,
    "sequence": _learn_sequence,
}


def is_sound(model: Any) -> bool:
    """Whether a model answers soundly; a file put together from two may hold another kind than either."""
    return _labels(model) if model.recipe.kind == "sequence" else _scores(model)


def learn_some(model: Any) -> None:
    """Let a model learn something of the form it takes."""
    _LEARN[model.recipe.kind](model)


@dataclass(frozen=True)
class Kind:
    """A kind of model, and how one is made."""

    name: str
    make: Callable[[], Any]
    save: Callable[[Any, Path], Any] = field(default=lambda model, path: model.save(path))

    def __str__(self) -> str:
        return self.name

    def write(self, path: Path) -> Path:
        """A file of a model of this kind."""
        self.save(self.make(), path)
        return path


KINDS = [
    Kind("diagonal", classifier("AROWClassifier", 3)),
    Kind("full", classifier("AROWClassifier", covariance="full")),
    Kind("information", classifier("NAROWClassifier")),
    Kind("dual averaging", classifier("AdaGradRDAClassifier", 3)),
    Kind("averaged", classifier("Perceptron", 3, average=True)),
    Kind("ball", classifier("RegularizedPassiveAggressiveClassifier", penalty="l1_ball")),
    Kind("kernel", classifier("KernelClassifier", 3)),
    Kind("kernel on a budget", classifier("KernelClassifier", rule="pa1", kernel="poly", budget=5)),
    Kind("kernel regression", _regressor("KernelRegressor")),
    Kind("regression", _regressor("AROWRegressor")),
    Kind("multilabel", _ranker),
    Kind("one class", _detector),
    Kind("sequence", _labeler),
    Kind("words", _words),
    Kind("compact", _words, save=save_compact),
]


def survives(path: Path) -> bool:
    """Whether a file loads; what loads must answer soundly, or say why it cannot."""
    return loaded(path) is not None


def loaded(path: Path) -> Any:
    """The model of a file, once it has answered soundly; None where the file was refused."""
    try:
        model = onlinear.load(path)
    except ModelFileError as error:
        assert path.name in str(error), f"the message does not name the file: {error}"
        return None
    try:
        assert is_sound(model), "an answer is not possible"
    except OnlinearError as error:  # numbers that are possible alone, and too large together
        assert str(error)
    return model


def check_goes_on(model: Any, path: Path) -> None:
    """A model that came through is saved and loaded bit for bit, and learns on, or says why it cannot."""
    try:
        model.save(path)
    except NotAvailableError:  # a compact one
        return
    assert onlinear.load(path).digest() == model.digest(), "not the same model when saved and loaded again"
    try:
        learn_some(model)
        assert is_sound(model), "an answer is not possible after learning"
    except OnlinearError as error:
        assert str(error)


# ---------------------------------------------------------------------- what may be wrong with one

ODD = [float("nan"), float("inf"), float("-inf"), -1.0, 0.0, 0.5, 1e300, -1e300, 2.0**40, 1e-320]
OTHER = [None, True, -1, 0, 1, 3, 2**40, 2**63, 1e308, float("nan"), "", "x", "rbf", [], {}, [[]], [None]]
TYPES = ["float16", "float32", "float64", "int32", "int64", "uint8"]


@np.errstate(all="ignore")
def spoil_tensor(tensors: dict[str, Any], rng: random.Random) -> None:
    """Change one tensor: a value, its type, its shape, its length, or that it is there."""
    if not tensors:
        return
    name = rng.choice(sorted(tensors))
    tensor = tensors[name]
    how = rng.randrange(8)
    if how == 0:
        del tensors[name]
    elif how == 1:
        tensors[name] = tensor.astype(rng.choice(TYPES))
    elif how == 2:
        tensors[name] = np.concatenate([tensor, tensor])
    elif how == 3:
        tensors[name] = tensor[: rng.randrange(len(tensor) + 1)]
    elif how == 4:
        tensors[name] = tensor.reshape(rng.choice([(-1,), (1, *tensor.shape), (tensor.size, 1)]))
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
            place[key] = deepcopy(rng.choice(OTHER))
            return
        place = place[key]


def spoil_header(whole: bytes, rng: random.Random) -> bytes:
    """Change what the header says of the tensors: types, shapes, places, names."""
    size = int.from_bytes(whole[:8], "little")
    header = json.loads(whole[8 : 8 + size])
    names = [name for name in header if name != "__metadata__"]
    for _ in range(rng.choice([1, 1, 2])):
        name = rng.choice(names)
        entry = header.setdefault(name, {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]})
        how = rng.randrange(6)
        if how == 0:
            entry["dtype"] = rng.choice(
                ["F16", "BF16", "F32", "F64", "I32", "I64", "U8", "BOOL", "X", 5, None]
            )
        elif how == 1:
            place = entry[rng.choice(["shape", "data_offsets"])]
            if isinstance(place, list) and place:
                sizes = [-1, 0, 1, 7, 2**31, 2**40, 2**62, 2**64 - 1, 2**64, 0.5, None]
                place[rng.randrange(len(place))] = rng.choice(sizes)
        elif how == 2:
            entry["shape"] = rng.choice(
                [[], [0], [2**32, 2**32], entry["shape"] * 2, entry["shape"][::-1], "4"]
            )
        elif how == 3:
            del header[name]
        elif how == 4:
            header[rng.choice(["", "mean", "x", "__metadata__", "touched"])] = entry
        else:
            header.update({f"t{i}": entry for i in range(rng.choice([1, 70, 1000]))})
    text = json.dumps(header, separators=(",", ":")).encode()
    return len(text).to_bytes(8, "little") + text + whole[8 + size :]


def spoil_bytes(whole: bytes, rng: random.Random) -> bytes:
    """Flip bits, cut, repeat, or put in what does not belong."""
    spoiled = bytearray(whole)
    start = rng.randrange(len(whole))
    end = min(len(whole), start + rng.choice([1, 4, 8, 100]))
    how = rng.randrange(6)
    if how == 0:
        del spoiled[start:]
    elif how == 1:
        del spoiled[start:end]
    elif how == 2:
        spoiled[start:start] = whole[start:end]
    elif how == 3:
        spoiled[start:end] = rng.randbytes(end - start)
    elif how == 4:
        spoiled[start:start] = pickle.dumps(Bomb())
    else:
        for _ in range(rng.choice([1, 2, 8])):
            place = rng.randrange(len(whole) * 8)
            spoiled[place // 8] ^= 1 << place % 8
    return bytes(spoiled)


class Bomb:
    """Would end the process if anything unpickled it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return (exec, ("raise SystemExit('code was run')",))


def fit_checksum(path: Path) -> None:
    """Give a spoiled file the checksum of what it holds now, so that only the other checks stand in its way."""
    try:
        metadata, tensors = read_tensors(path)
        now = f"{checksum(metadata[KEY], tensors):08x}"
        old = metadata[SUM]
    except (ModelFileError, KeyError, TypeError, AttributeError):
        return
    whole = path.read_bytes()
    if len(old) == len(now):
        put(path, whole.replace(old.encode(), now.encode(), 1))


class Sample:
    """A sound file, to be spoiled many times."""

    def __init__(self, kind: Kind, path: Path) -> None:
        self.kind = kind
        self.whole = path.read_bytes()
        content, tensors = read_file(path)
        self.description = json.dumps(content)
        self.tensors = {name: tensor.copy() for name, tensor in tensors.items()}

    def spoil(self, path: Path, others: list[Sample], rng: random.Random) -> str:
        """Write a spoiled copy; returns what was done, for a report."""
        how = rng.choice(["tensors", "description", "both", "splice", "header", "bytes"])
        if how == "header":
            put(path, spoil_header(self.whole, rng))
        elif how == "bytes":
            put(path, spoil_bytes(self.whole, rng))
        if how in ("header", "bytes"):
            if rng.random() < 0.8:
                fit_checksum(path)
            return how
        content, tensors = json.loads(self.description), dict(self.tensors)
        for _ in range(1 if how != "both" else rng.choice([1, 2, 3])):
            if how in ("tensors", "both"):
                spoil_tensor(tensors, rng)
            if how in ("description", "both"):
                spoil_description(content, rng)
            if how == "splice":
                splice(content, tensors, rng.choice(others), rng)
        path.unlink(missing_ok=True)
        write_tensors(path, tensors, content)
        return how


def splice(content: dict[str, Any], tensors: dict[str, Any], other: Sample, rng: random.Random) -> None:
    """Take over a few tensors and entries of another model."""
    theirs = json.loads(other.description)
    for _ in range(rng.choice([1, 2, 4])):
        if rng.random() < 0.5:
            key = rng.choice(sorted(theirs))
            content[key] = deepcopy(theirs[key])
        elif other.tensors:
            name = rng.choice(sorted(other.tensors))
            tensors[name] = other.tensors[name]
