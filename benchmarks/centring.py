"""What centring is worth: `python -m benchmarks.centring FOLDER > tables.md`.

Learners as they come, with and without `center=True`, in every unit that `scale` measures in, learn dense sets of FOLDER
(`benchmarks.sets`) as they come, by `fit` and in one pass. Sets that end in "+ 1000" have every column moved by a
thousand of its standard deviations, as dates and times lie.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_diabetes

import onlinear
from benchmarks.defaults import markdown
from benchmarks.sets import Split, found, load

ROWS = 8_000
ORDERS = 2
FAR = " + 1000"
CLASSES = [
    "a9a",
    "codrna",
    "covtype.binary",
    "elec2",
    "letter",
    "mushrooms",
    "pendigits",
    "sea",
    "splice",
    "svmguide3",
    "usps",
    "vowel",
    "elec2" + FAR,
    "pendigits" + FAR,
    "vowel" + FAR,
]
TARGETS = ["california-housing", "diabetes", "california-housing" + FAR]
UNITS: list[dict[str, Any]] = [
    {"scale": scale, "center": center} for scale in ("max", "typical", None) for center in (False, True)
]
CLASSIFIERS: dict[str, Callable[..., Any]] = {
    "AROW": onlinear.AROWClassifier,
    "SCW-I": onlinear.SoftConfidenceWeightedClassifier,
    "PA-I": onlinear.PassiveAggressiveClassifier,
}
REGRESSORS: dict[str, Callable[..., Any]] = {
    "AROW": onlinear.AROWRegressor,
    "PA-I": onlinear.PassiveAggressiveRegressor,
}


def split_of(folder: Path, name: str) -> Split:
    """A set, of which at most ROWS are learned."""
    known = name.removesuffix(FAR)
    if known == "diabetes":
        X, y = load_diabetes(return_X_y=True, scaled=False)
        order = np.random.default_rng(0).permutation(len(y))
        cut = len(y) // 4
        split = Split(X[order[cut:]], y[order[cut:]], X[order[:cut]], y[order[:cut]])
    elif known in TARGETS:
        split = load(folder, known, "targets")
    else:
        split = load(folder, known, "raw")
    move = 1000 * split.X.std(axis=0) if name.endswith(FAR) else 0.0
    return Split(split.X[:ROWS] + move, split.y[:ROWS], split.X_test + move, split.y_test)


def judged(make: Callable[..., Any], units: dict[str, Any], split: Split, several: bool) -> float:
    """Error in percent, or R², in the mean over orders."""
    found = []
    for seed in range(ORDERS):
        model = make(**units, random_state=seed)
        order = np.random.default_rng(seed).permutation(len(split.y))
        learn = model.fit if several else model.partial_fit
        try:
            score = learn(split.X[order], split.y[order]).score(split.X_test, split.y_test)
        except onlinear.exceptions.NumericError:
            score = 0.0
        found.append(score if "Regressor" in type(model).__name__ else 100 * (1 - score))
    return float(np.mean(found))


def rows(
    folder: Path, sets: list[str], learners: dict[str, Callable[..., Any]], digits: int
) -> Iterator[Any]:
    """A row of the table for each set and learner: every unit without means and with them, `fit` and one pass."""
    for name in sets:
        if name.removesuffix(FAR) != "diabetes" and not found(folder, name.removesuffix(FAR)):
            continue
        split = split_of(folder, name)
        for who, make in learners.items():
            yield [
                name,
                who,
                *[
                    " ".join(f"{judged(make, units, split, several):.{digits}f}" for several in (True, False))
                    for units in UNITS
                ],
            ]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    head = [f"`{units['scale']}`" + (", centred" if units["center"] else "") for units in UNITS]
    print("### Error in percent, `fit` and one pass\n")
    table = list(rows(folder, CLASSES, CLASSIFIERS, 1))
    near = [row for row in table if not row[0].endswith(FAR)]
    for who in CLASSIFIERS:
        own = [[[float(v) for v in cell.split()] for cell in row[2:]] for row in near if row[1] == who]
        means = [" ".join(f"{v:.1f}" for v in pair) for pair in np.mean(own, axis=0)]
        table.append(["mean as they come", who, *means])
    print(markdown(["set", "learner", *head], table))
    print("\n### R², `fit` and one pass\n")
    print(markdown(["set", "learner", *head], list(rows(folder, TARGETS, REGRESSORS, 2))))


if __name__ == "__main__":
    main()
