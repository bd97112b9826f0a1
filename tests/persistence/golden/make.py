"""Makes the files of this folder: ``python -m tests.persistence.golden.make 0.1.0``.

Each version that changes what is written adds a folder; files of released versions are never made anew. What a model
must answer is not asked of it: `scores` works it out from the numbers in the file.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import onlinear
from onlinear.persistence import save_compact

from .scores import File

HERE = Path(__file__).parent
RNG = np.random.default_rng(20)
X = RNG.standard_normal((40, 5)).round(2)
NEW = RNG.standard_normal((4, 5)).round(2).tolist()
WORDS = [{"a": 1.0, "b": 2.0}, {"c": 1.0}, {"d": 1.0, "a": -1.0}, {"b": 1.0, "c": 0.5}]


def _classes(count: int) -> Any:
    return np.argmax(X[:, :count], axis=1)


def _classifier(name: str, count: int, labels: Any = None, **parameters: Any) -> Callable[[], Any]:
    names = np.arange(count) if labels is None else np.asarray(labels)
    return lambda: getattr(onlinear, name)(**parameters).partial_fit(X, names[_classes(count)])


def _regressor(name: str, **parameters: Any) -> Callable[[], Any]:
    return lambda: getattr(onlinear, name)(**parameters).partial_fit(X, X @ [1.0, -2.0, 0.0, 0.5, 0.0])


def _words() -> Any:
    model = onlinear.AROWClassifier(bits=6)
    for _ in range(4):
        for row, label in zip(WORDS, ["ham", "spam", "eggs", "spam"], strict=True):
            model.learn_one(row, label)
    return model


def _named() -> Any:
    import pandas as pd

    frame = pd.DataFrame(X, columns=["age", "height", "weight", "größe", "x y"])
    return onlinear.SoftConfidenceWeightedClassifier().partial_fit(frame, _classes(3))


def _few_of_many(**parameters: Any) -> Any:
    """A model that has touched few of its weights."""
    wide = np.zeros((40, 60))
    wide[:, ::12] = X
    return onlinear.AROWClassifier(**parameters).partial_fit(wide, _classes(3))


def _ranker(**parameters: Any) -> Any:
    return onlinear.MultilabelRanker(**parameters).partial_fit(X, (X[:, :3] > 0).astype(int))


def _detector() -> Any:
    return onlinear.PassiveAggressiveOneClass().partial_fit(X)


def sequences() -> tuple[list[list[dict[str, float]]], list[list[str]]]:
    """Sentences and their labels."""
    rows = [
        [{"w=the": 1.0}, {"w=dog": 1.0, "first": 0.5}, {"w=runs": 1.0}],
        [{"w=a": 1.0}, {"w=cat": 1.0}, {"w=runs": 1.0}],
        [{"w=the": 1.0}, {"w=cat": 1.0, "first": 0.5}],
    ]
    return rows, [["D", "N", "V"], ["D", "N", "V"], ["D", "N"]]


def _labeler(**parameters: Any) -> Callable[[], Any]:
    return lambda: onlinear.SequenceLabeler(random_state=0, **parameters).fit(*sequences())


COST = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
KINDS: dict[str, Callable[[], Any]] = {
    "adagrad-rda": _classifier("AdaGradRDAClassifier", 3, lam=0.01),
    "arow": _classifier("AROWClassifier", 3),
    "arow-averaged": _classifier("AROWClassifier", 3, average=True),
    "arow-bool": _classifier("AROWClassifier", 2, [False, True]),
    "arow-cost": _classifier("AROWClassifier", 3, cost_matrix=COST),
    "arow-float32": _classifier("AROWClassifier", 3, dtype="float32"),
    "arow-full": _classifier("AROWClassifier", 2, ["no", "yes"], covariance="full"),
    "arow-full-three": _classifier("AROWClassifier", 3, covariance="full"),
    "arow-joint": _classifier("AROWClassifier", 3, constraints="all"),
    "arow-regression": _regressor("AROWRegressor"),
    "arow-touched": _few_of_many,
    "arow-words": _words,
    "confidence-weighted": _classifier("ConfidenceWeightedClassifier", 2, ["a", "b"]),
    "iellip": _classifier("IELLIPClassifier", 2),
    "iellip-full": _classifier("IELLIPClassifier", 2, covariance="full"),
    "kernel": _classifier("KernelClassifier", 3),
    "kernel-budget": _classifier("KernelClassifier", 2, rule="pa1", kernel="poly", budget=5),
    "kernel-forgetron": _classifier(
        "KernelClassifier", 2, rule="perceptron", gamma=0.2, budget=8, removal="forgetron"
    ),
    "kernel-linear": _classifier("KernelClassifier", 2, kernel="linear"),
    "kernel-regression": _regressor("KernelRegressor"),
    "mira": _classifier("MIRAClassifier", 3),
    "multilabel": _ranker,
    "narow": _classifier("NAROWClassifier", 2),
    "nherd": _classifier("NHERDClassifier", 3),
    "norma": _classifier("NORMAClassifier", 2, [1.0, 2.0]),
    "pa-joint": _classifier("PassiveAggressiveClassifier", 3, constraints="all"),
    "pa-one-class": _detector,
    "pa-regression": _regressor("PassiveAggressiveRegressor"),
    "pa2": _classifier("PassiveAggressiveClassifier", 3, variant="pa2"),
    "passive-aggressive": _classifier("PassiveAggressiveClassifier", 2, [-1, 1]),
    "perceptron": _classifier("Perceptron", 2),
    "perceptron-averaged": _classifier("Perceptron", 3, average=True, dtype="float32"),
    "regularized-pa": _classifier("RegularizedPassiveAggressiveClassifier", 2),
    "regularized-pa-l1": _classifier("RegularizedPassiveAggressiveClassifier", 2, penalty="l1_ball"),
    "regularized-pa-l1-averaged": _classifier(
        "RegularizedPassiveAggressiveClassifier", 2, penalty="l1_ball", average=True
    ),
    "regularized-pa-truncated": _classifier("RegularizedPassiveAggressiveClassifier", 2, truncation=1e-3),
    "romma": _classifier("ROMMAClassifier", 2),
    "second-order-perceptron": _classifier("SecondOrderPerceptron", 2),
    "second-order-perceptron-own": _classifier("SecondOrderPerceptron", 2, form="own"),
    "second-order-perceptron-own-full": _classifier(
        "SecondOrderPerceptron", 2, form="own", covariance="full"
    ),
    "sequence": _labeler(),
    "sequence-arow": _labeler(rule="arow"),
    "soft-confidence-weighted": _classifier("SoftConfidenceWeightedClassifier", 3, ["x", "y", "z"]),
    "soft-confidence-weighted-named": _named,
}
COMPACT: dict[str, tuple[Callable[[], Any], dict[str, Any]]] = {
    "compact": (KINDS["arow"], {}),
    "compact-float32": (KINDS["passive-aggressive"], {"dtype": "float32"}),
    "compact-sparse": (_few_of_many, {"sparse": True}),
    "compact-words": (_words, {}),
}


#: A run over rows.svm, of which a checkpoint is kept after so many examples.
RUN = ["-a", "scw1", "--passes", "2", "--every", "30", "-q"]
STOPPED = 60


def _checkpoint(folder: Path) -> None:
    """What a run leaves behind that ends in its second pass."""
    from onlinear.cli import _train, main

    data = folder / "rows.svm"
    lines = [
        f"{label} " + " ".join(f"{column + 1}:{value}" for column, value in enumerate(row))
        for label, row in zip(_classes(3), X, strict=True)
    ]
    data.write_text("\n".join([*lines, ""]), encoding="ascii")
    save = _train.Checkpoint.save

    class EnoughError(Exception):
        """Ends the run."""

    def save_and_end(self: Any, model: Any, progress: Any) -> None:
        save(self, model, progress)
        if progress.position == STOPPED:
            raise EnoughError

    _train.Checkpoint.save = save_and_end  # type: ignore[method-assign]
    with tempfile.TemporaryDirectory() as kept:
        assert main(["train", str(data), *RUN, "--checkpoint", kept]) != 0
        (Path(kept) / "checkpoint.safetensors").rename(folder / "run.checkpoint")
    _train.Checkpoint.save = save  # type: ignore[method-assign]


def questions(name: str, path: Path) -> list[Any]:
    """What a model of this kind is asked."""
    if name.startswith("sequence"):
        rows, _ = sequences()
        return [*rows, [{"w=a": 1.0}, {"w=dog": 1.0}], [{"w=never seen": 1.0}, {"w=runs": 1.0}]]
    content = File(path).content
    if "words" in name:
        return WORDS
    if content["feature_names"] is not None:
        return [dict(zip(content["feature_names"], row, strict=True)) for row in NEW]
    wide = np.zeros((len(NEW), content["n_features"]))
    wide[:, :: max(1, content["n_features"] // 5)][:, :5] = NEW
    return wide.tolist()


def write(folder: Path) -> None:
    """Make all files, and what is known of them beside each."""
    folder.mkdir()
    for name, make in KINDS.items():
        make().save(folder / f"{name}.safetensors")
    for name, (make, how) in COMPACT.items():
        save_compact(make(), folder / f"{name}.safetensors", **how)
    _checkpoint(folder)
    for path in sorted(folder.glob("*.safetensors")):
        rows = questions(path.stem, path)
        file = File(path)
        known = {"predicted": file.labels(rows)} if path.stem.startswith("sequence") else file.answers(rows)
        path.with_suffix(".json").write_text(json.dumps({"rows": rows, **known}) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write(HERE / sys.argv[1])
