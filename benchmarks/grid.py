"""Which defaults are good: `python -m benchmarks.grid FOLDER > table.md`.

Every setting of a small grid learns every set in one pass over shuffled rows, and is judged by its progressive error:
each example is predicted before it is learned. Within a learner the settings are ranked set by set; the mean rank over
the text sets decides, that over the other sets is shown beside it.

FOLDER holds the sets named below as NAME.svm.zst (svmlight, compressed by Zstandard); those missing are left out.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.base import clone
from sklearn.datasets import load_svmlight_file

import onlinear

TEXT = [
    "20news-comp",
    "20news-sci",
    "amazon-books",
    "amazon-dvd",
    "amazon-electronics",
    "enron1-spam",
    "rcv1-ccat-1k",
    "sentence-polarity",
    "sms-spam",
    "news20.multiclass",
    "sector.train",
]
OTHER = [
    "a1a.train",
    "mushrooms",
    "splice",
    "svmguide3",
    "w8a",
    "pendigits.train",
    "usps.train",
    "letter.train",
]
ORDERS = 2
LARGEST = 8000  # rows of a set that are used: ranks are steady long before

Grid = dict[str, list[Any]]
GRIDS: dict[str, Grid] = {
    "Perceptron": {"update": ["max", "uniform"]},
    "PassiveAggressiveClassifier": {"variant": ["pa", "pa1", "pa2"], "C": [0.01, 0.1, 1.0, 10.0]},
    "RegularizedPassiveAggressiveClassifier": {"alpha": [0.001, 0.01, 0.1], "trigger": ["margin", "mistake"]},
    "ROMMAClassifier": {"aggressive": [False, True]},
    "NORMAClassifier": {"eta": [0.01, 0.1, 1.0], "lam": [1e-4, 1e-2]},
    "MIRAClassifier": {"beta": [0.001, 0.01, 0.1]},
    "AdaGradRDAClassifier": {"eta": [0.1, 1.0], "lam": [0.0, 1e-5, 1e-4, 1e-3]},
    "ConfidenceWeightedClassifier": {
        "constraint": ["variance", "stdev"],
        "projection": ["kl", "drop", "exact"],
        "confidence": [0.75, 0.9, 0.99],
    },
    "SoftConfidenceWeightedClassifier": {
        "penalty": ["linear", "squared"],
        "projection": ["kl", "drop"],
        "C": [0.1, 1.0],
        "confidence": [0.75, 0.9],
    },
    "AROWClassifier": {
        "loss": ["squared_hinge", "hinge"],
        "projection": ["kl", "drop"],
        "r": [0.1, 1.0, 10.0],
    },
    "NHERDClassifier": {"projection": ["kl", "drop", "exact"], "C": [0.1, 1.0, 10.0]},
    "NAROWClassifier": {"form": ["theta", "rule", "coupled"], "b": [0.1, 1.0, 10.0]},
    "IELLIPClassifier": {"c": [0.1, 0.5, 0.9], "b": [0.1, 0.3, 0.9]},
    "SecondOrderPerceptron": {"form": ["own", "rule"], "ridge": [0.1, 1.0, 10.0]},
}


def settings(grid: Grid) -> Iterator[dict[str, Any]]:
    """All combinations of a grid."""
    for values in product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def load(folder: Path, name: str) -> tuple[Any, Any]:
    """A set as float32 rows and labels."""
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd

    X, y = load_svmlight_file(
        io.BytesIO(zstd.decompress((folder / f"{name}.svm.zst").read_bytes())), dtype=np.float32
    )
    return X, y


def error(model: Any, X: Any, y: Any) -> float:
    """Progressive error of one pass, in the mean over a few orders."""
    errors = []
    plain = {"scale": None, "average": False, "min_variance": 0.0}
    model = clone(model).set_params(**{name: plain[name] for name in plain if name in model.get_params()})
    for seed in range(ORDERS):
        order = np.random.default_rng(seed).permutation(len(y))[:LARGEST]
        try:
            learner = clone(model).partial_fit(X[order], y[order], classes=np.unique(y))
        except onlinear.exceptions.NumericError:  # weights ran away: as wrong as can be
            errors.append(1.0)
        else:
            errors.append(learner.n_mistakes_ / len(order))
    return float(np.mean(errors))


def chosen(name: str, setting: dict[str, Any]) -> bool:
    """Whether a setting is what the class does when nothing is said."""
    default = getattr(onlinear, name)().get_params()
    return all(default[key] == value for key, value in setting.items())


def table(name: str, errors: np.ndarray, text: int) -> str:
    """Settings of one learner, best first: `errors` is settings x sets, text sets first."""
    ranks = np.apply_along_axis(rankdata, 0, errors)
    rows = list(settings(GRIDS[name]))
    lines = [
        f"### {name}",
        "",
        "| setting | rank, text | error, text | rank, other | error, other |",
        "|---|---|---|---|---|",
    ]
    for i in np.argsort(ranks[:, :text].mean(axis=1), kind="stable"):
        label = ", ".join(f"{key}={value!r}" for key, value in rows[i].items())
        label = f"**{label}** (default)" if chosen(name, rows[i]) else label
        numbers = [
            ranks[i, :text].mean(),
            errors[i, :text].mean(),
            ranks[i, text:].mean(),
            errors[i, text:].mean(),
        ]
        lines.append(
            f"| {label} | {numbers[0]:.1f} | {numbers[1]:.4f} | {numbers[2]:.1f} | {numbers[3]:.4f} |"
        )
    return "\n".join(lines)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="*", default=list(GRIDS), help="names of classes")
    arguments = parser.parse_args()
    found = [name for name in (*TEXT, *OTHER) if (arguments.folder / f"{name}.svm.zst").exists()]
    sets = [load(arguments.folder, name) for name in found]
    text = sum(name in TEXT for name in found)
    print(f"Text sets: {', '.join(found[:text])}. Other sets: {', '.join(found[text:])}.\n")
    for name in arguments.only:
        made = [getattr(onlinear, name)(**setting) for setting in settings(GRIDS[name])]
        errors = np.array([[error(model, X, y) for X, y in sets] for model in made])
        print(table(name, errors, text), end="\n\n", flush=True)


if __name__ == "__main__":
    main()
