"""Are the defaults safe: `python -m benchmarks.defaults FOLDER --cells cells.jsonl > tables.md`.

Every classifier as it comes learns every set of FOLDER (`benchmarks.sets`), text and dense, raw and standardised,
with several seeds, and is judged on rows it has not seen: by `fit` beside scikit-learn's LinearSVC and
LogisticRegression as they come, and in one pass (`partial_fit`) beside Vowpal Wabbit as it comes. A finished cell (one
learner, one set, one seed) is a line of the file of cells, so that a run can be broken off and resumed; a line holds
for the build that wrote it. `--set` gives a learner other parameters and another name, to try a default before it is
one: `--set "scw-low=SoftConfidenceWeightedClassifier(confidence=0.6)"`.
"""

from __future__ import annotations

import argparse
import ast
import json
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.svm import LinearSVC

import onlinear
from benchmarks.sets import FORMS, Split, found, load
from onlinear.model.recipe import Classification

#: Learners that papers measure themselves against; they may be worse than the majority.
BASELINES = {
    "Perceptron",
    "ROMMAClassifier",
    "NORMAClassifier",
    "IELLIPClassifier",
    "SecondOrderPerceptron",
    "MIRAClassifier",
    "AdaGradRDAClassifier",
    "NAROWClassifier",
}
#: The learner that the README names first.
FIRST = "SoftConfidenceWeightedClassifier"
PEERS = ("LinearSVC", "LogisticRegression")
MAJORITY, WABBIT = "majority", "Vowpal Wabbit"
ONCE = ", one pass"
SEEDS = 3
MANY = 5_000  # rows from which on seeds should not matter
BINS = 10

Cell = dict[str, Any]
Cells = dict[tuple[str, str, str, int], Cell]


# ------------------------------------------------------------------ learners


def ours() -> dict[str, Callable[[int], Any]]:
    """Our linear classifiers as they come, by name."""
    classes = {name: getattr(onlinear, name) for name in sorted(onlinear.__all__)}
    return {
        name: lambda seed, cls=cls: cls(random_state=seed)
        for name, cls in classes.items()
        if name != "KernelClassifier"
        and isinstance(cls, type)
        and issubclass(getattr(cls, "recipe", object), Classification)
    }


def other(setting: str) -> tuple[str, Callable[[int], Any]]:
    """A learner under a name of its own, from "name=Class(parameter=value, ...)"."""
    name, _, text = setting.partition("=")
    call = ast.parse(text, mode="eval").body
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        raise SystemExit(f"--set {setting}: expected name=Class(parameter=value)")
    values = {str(given.arg): ast.literal_eval(given.value) for given in call.keywords}
    cls = getattr(onlinear, call.func.id)
    return name, lambda seed: cls(**values, random_state=seed)


def peers() -> dict[str, Callable[[int], Any]]:
    """Batch learners as they come."""
    return {
        "LinearSVC": lambda seed: LinearSVC(random_state=seed),
        "LogisticRegression": lambda seed: LogisticRegression(),
    }


class Wabbit:
    """Vowpal Wabbit with its defaults: one against all beyond two classes, and bits enough that columns do not collide."""

    def __init__(self, n_classes: int, n_columns: int) -> None:
        from vowpalwabbit import Workspace

        slots = n_columns * (1 if n_classes == 2 else n_classes)
        bits = max(18, int(np.ceil(np.log2(slots))) + 2)
        task = "" if n_classes == 2 else f"--oaa {n_classes}"
        self.binary = n_classes == 2
        self.workspace = Workspace(f"--quiet -b {bits} {task}")

    def learn(self, X: Any, y: np.ndarray) -> None:
        """One pass in the given order."""
        for line, label in zip(_lines(X), y, strict=True):
            self.workspace.learn(f"{2 * label - 1 if self.binary else label + 1} {line}")

    def predict(self, X: Any) -> np.ndarray:
        """Class numbers."""
        answers = np.array([self.workspace.predict(line) for line in _lines(X)])
        return (answers > 0).astype(int) if self.binary else answers.astype(int) - 1


def _lines(X: Any) -> Iterator[str]:
    for i in range(X.shape[0]):
        row = X[i]
        columns = row.indices if hasattr(row, "indices") else np.flatnonzero(row)
        values = row.data if hasattr(row, "indices") else row[columns]
        yield "| " + " ".join(f"{c}:{v:.7g}" for c, v in zip(columns.tolist(), values.tolist(), strict=True))


# ------------------------------------------------------------------ cells


def judged(model: Any, split: Split) -> Cell:
    """What a fitted classifier is worth on the rows kept back."""
    cell: Cell = {"error": float(np.mean(model.predict(split.X_test) != split.y_test))}
    if hasattr(model, "predict_proba"):
        chances = model.predict_proba(split.X_test)
        cell["log_loss"] = float(log_loss(split.y_test, chances, labels=np.arange(split.n_classes)))
        cell["calibration_error"] = calibration_error(chances, split.y_test)
    return cell


def calibration_error(chances: np.ndarray, y: np.ndarray) -> float:
    """Mean distance between how sure a model says it is and how often it is right, over ten bins of equal width."""
    sure, right = chances.max(axis=1), chances.argmax(axis=1) == y
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    return float(
        sum(abs(np.sum(right[bins == b]) - np.sum(sure[bins == b])) for b in np.unique(bins)) / len(y)
    )


def cell_of(name: str, seed: int, split: Split, makers: dict[str, Callable[[int], Any]]) -> Cell:
    """One learner, one set, one seed. A run that is refused because weights would overflow is all wrong."""
    start = time.perf_counter()
    if name == MAJORITY:
        cell: Cell = {"error": split.majority_error, "n": len(split.y), "n_test": len(split.y_test)}
    elif name.endswith(ONCE):
        order = np.random.default_rng(seed).permutation(len(split.y))
        X, y = split.X[order], split.y[order]
        if name == WABBIT + ONCE:
            rabbit = Wabbit(split.n_classes, X.shape[1])
            rabbit.learn(X, y)
            cell = {"error": float(np.mean(rabbit.predict(split.X_test) != split.y_test))}
        else:
            cell = _ours(
                lambda: makers[name.removesuffix(ONCE)](seed).partial_fit(
                    X, y, classes=np.arange(split.n_classes)
                ),
                split,
            )
    else:
        cell = _ours(lambda: makers[name](seed).fit(split.X, split.y), split)
    return {**cell, "seconds": round(time.perf_counter() - start, 3)}


def _ours(fitted: Callable[[], Any], split: Split) -> Cell:
    try:
        return judged(fitted(), split)
    except onlinear.exceptions.NumericError:
        return {"error": 1.0}


def seeds_of(name: str, seeds: int) -> range:
    """What does not depend on a seed is asked once."""
    return range(1 if name in (MAJORITY, *PEERS) else seeds)


def read_cells(path: Path | None) -> Cells:
    """Cells that are already there."""
    cells: Cells = {}
    if path is not None and path.exists():
        for line in path.read_text().splitlines():
            cell = json.loads(line)
            cells[cell["form"], cell["set"], cell["learner"], cell["seed"]] = cell
    return cells


def run(
    folder: Path,
    names: Iterable[str],
    makers: dict[str, Callable[[int], Any]],
    seeds: int,
    cells: Cells,
    path: Path | None,
    chosen: Callable[[str], bool] = lambda name: True,
) -> None:
    """Fill in the cells that are missing, set by set."""
    names = list(names)
    for form, sets in FORMS.items():
        for data in sets:
            wanted = [
                (name, seed)
                for name in names
                for seed in seeds_of(name, seeds)
                if (form, data, name, seed) not in cells
            ]
            if not wanted or not found(folder, data) or not chosen(data):
                continue
            split = load(folder, data, form)
            for name, seed in wanted:
                key = {"form": form, "set": data, "learner": name, "seed": seed}
                cell = {**key, **cell_of(name, seed, split, makers)}
                cells[form, data, name, seed] = cell
                if path is not None:
                    with path.open("a") as lines:
                        lines.write(json.dumps(cell) + "\n")
            print(f"{form} {data}: {len(wanted)} cells", file=sys.stderr, flush=True)


# ------------------------------------------------------------------ tables


class Figures:
    """What the cells say, by kind of data, set and learner."""

    def __init__(self, cells: Cells) -> None:
        self.cells = cells
        self.sets = {
            form: [data for data in sets if (form, data, MAJORITY, 0) in cells]
            for form, sets in FORMS.items()
        }

    def of(self, form: str, data: str, name: str, what: str = "error") -> np.ndarray:
        """A figure for every seed."""
        found = [
            cell
            for (f, d, n, _), cell in sorted(self.cells.items())
            if (f, d, n) == (form, data, name) and what in cell
        ]
        return np.array([cell[what] for cell in found])

    def mean(self, form: str, data: str, name: str, what: str = "error") -> float:
        """A figure in the mean over seeds; no number where it was not measured."""
        values = self.of(form, data, name, what)
        return float(values.mean()) if len(values) else float("nan")

    def best_peer(self, form: str, data: str) -> float:
        """The error of the better of the batch learners."""
        return min(self.mean(form, data, name) for name in PEERS)

    def gap(self, form: str, name: str, against: Callable[[str, str], float]) -> float:
        """Mean distance in points from another's error over the sets of a kind."""
        return 100 * float(
            np.mean([self.mean(form, data, name) - against(form, data) for data in self.sets[form]])
        )

    def worse_than_majority(self, form: str, data: str, name: str) -> bool:
        """Whether it is, by more than two standard errors."""
        majority = self.mean(form, data, MAJORITY)
        n = self.mean(form, data, MAJORITY, "n_test")
        return self.mean(form, data, name) > majority + 2 * np.sqrt(majority * (1 - majority) / n)

    def spread(self, form: str, data: str, name: str) -> float:
        """Distance in points between the best and the worst seed."""
        values = self.of(form, data, name)
        return 100 * float(np.ptp(values)) if len(values) else 0.0


def markdown(head: list[str], rows: list[list[str]]) -> str:
    """A table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows))


def summary(figures: Figures, names: list[str], title: str, against: Callable[[str, str], float]) -> str:
    """Mean distances by kind of data, the widest spread, and the sets on which the majority is better."""
    rows = []
    for name in names:
        flags = [
            f"{data} ({form})"
            for form, sets in figures.sets.items()
            for data in sets
            if figures.worse_than_majority(form, data, name)
        ]
        spreads = [
            (figures.spread(form, data, name), f"{data} ({form})")
            for form, sets in figures.sets.items()
            for data in sets
            if figures.mean(form, data, MAJORITY, "n") >= MANY
        ]
        widest, where = max(spreads, default=(0.0, ""))
        gaps = [f"{figures.gap(form, name, against):+.2f}" for form in FORMS]
        label = f"{name} (baseline)" if name.removesuffix(ONCE) in BASELINES else name
        rows.append([label, *gaps, f"{widest:.1f} {where}" if widest else "", ", ".join(flags)])
    head = [title, *FORMS, f"widest spread, {MANY:,} rows and more", "worse than the majority"]
    return markdown(head, rows)


def by_set(figures: Figures, form: str, names: list[str]) -> str:
    """Errors in percent, a row for each set."""
    rows = [
        [data, *[f"{100 * figures.mean(form, data, name):.1f}" for name in names]]
        for data in figures.sets[form]
    ]
    means = [
        f"**{100 * np.mean([figures.mean(form, data, name) for data in figures.sets[form]]):.2f}**"
        for name in names
    ]
    return markdown([form, *names], [*rows, ["mean", *means]])


def probabilities(figures: Figures, names: list[str]) -> str:
    """Log loss over LogisticRegression's, and on how many sets the calibration error is no larger."""
    rows = []
    for name in names:
        row = [name]
        everywhere: list[float] = []
        honest = total = 0
        for form, sets in figures.sets.items():
            reference = PEERS[1]
            ratios = [
                figures.mean(form, data, name, "log_loss") / figures.mean(form, data, reference, "log_loss")
                for data in sets
            ]
            gaps = [
                figures.mean(form, data, name, "calibration_error")
                - figures.mean(form, data, reference, "calibration_error")
                for data in sets
            ]
            everywhere += ratios
            honest += sum(gap <= 0 for gap in gaps)
            total += len(gaps)
            row.append(f"{np.nanmedian(ratios):.2f}" if ratios else "")
        rows.append([*row, f"{np.nanmedian(everywhere):.2f}", f"{honest} of {total}"])
    return markdown(["log loss, median ratio", *FORMS, "all", "calibration error no larger"], rows)


def report(figures: Figures, names: list[str]) -> str:
    """All tables."""
    once = [name + ONCE for name in names]
    wabbit = WABBIT + ONCE
    several = [name for name in names if name not in BASELINES]
    return "\n\n".join(
        [
            "### `fit`, mean distance in points from the better of LinearSVC and LogisticRegression",
            summary(figures, [*names, *PEERS, MAJORITY], "learner", figures.best_peer),
            "### One pass, mean distance in points from Vowpal Wabbit",
            summary(figures, [*once, wabbit], "learner", lambda f, d: figures.mean(f, d, wabbit)),
            "### Probabilities of `fit`, against LogisticRegression",
            probabilities(figures, names),
            "### Errors in percent, set by set",
            *[by_set(figures, form, [*several, *PEERS, MAJORITY, FIRST + ONCE, wabbit]) for form in FORMS],
        ]
    )


def main() -> None:
    """Fill in the cells and print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cells", type=Path, help="the file of finished cells; made where there is none")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--only", nargs="*", help="names of our classes, all unless given")
    parser.add_argument("--sets", nargs="*", help="names of sets, all unless given")
    parser.add_argument("--set", action="append", default=[], help="name=Class(parameter=value, ...)")
    parser.add_argument("--no-peers", action="store_true", help="ours alone")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", ConvergenceWarning)  # as they come is as they come
    mine = {name: make for name, make in ours().items() if arguments.only is None or name in arguments.only}
    mine |= dict(other(setting) for setting in arguments.set)
    names = list(mine)
    others = [] if arguments.no_peers else [*PEERS, WABBIT + ONCE]
    cells = read_cells(arguments.cells)
    run(
        arguments.folder,
        [MAJORITY, *names, *[name + ONCE for name in names], *others],
        mine | peers(),
        arguments.seeds,
        cells,
        arguments.cells,
        lambda data: arguments.sets is None or data in arguments.sets,
    )
    print(report(Figures(cells), names))


if __name__ == "__main__":
    main()
