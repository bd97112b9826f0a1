"""The demonstration: learn, from a stream of docstrings, which part of a library each comes from.

Every user already has the data: the documentation of numpy, scipy, scikit-learn and the standard library. Each
example is the text of one function or class, each label the sub-package it lives in. The examples arrive as a stream; every one
is predicted before it is learned.
"""

from __future__ import annotations

import argparse
import importlib
import inspect
import pkgutil
import random
import re
import time
import warnings
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from types import ModuleType

    from .text import TextHasher

__all__ = ["main"]

PACKAGES = ("numpy", "scipy", "sklearn")
FEWEST = 200  # examples that have something to show
NAMES = 1 << 18  # words and pairs of words that are kept by name
STANDARD = [
    "argparse",
    "array",
    "ast",
    "asyncio",
    "bz2",
    "calendar",
    "cmd",
    "codecs",
    "collections",
    "concurrent",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "ctypes",
    "datetime",
    "decimal",
    "difflib",
    "dis",
    "doctest",
    "email",
    "enum",
    "fileinput",
    "fractions",
    "ftplib",
    "functools",
    "gettext",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "html",
    "http",
    "imaplib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "logging",
    "lzma",
    "mailbox",
    "math",
    "mimetypes",
    "multiprocessing",
    "netrc",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "pickle",
    "pickletools",
    "pkgutil",
    "platform",
    "plistlib",
    "pprint",
    "queue",
    "random",
    "re",
    "sched",
    "secrets",
    "select",
    "shelve",
    "shutil",
    "smtplib",
    "socket",
    "socketserver",
    "sqlite3",
    "ssl",
    "statistics",
    "string",
    "struct",
    "subprocess",
    "sysconfig",
    "tarfile",
    "tempfile",
    "textwrap",
    "threading",
    "timeit",
    "tokenize",
    "traceback",
    "types",
    "typing",
    "unittest",
    "urllib",
    "uuid",
    "venv",
    "wave",
    "weakref",
    "xml",
    "xmlrpc",
    "zipfile",
    "zoneinfo",
]
SKIP = re.compile(
    r"\.(tests?|testing|conftest|_[^.]*)(\.|$)|\._|distutils|f2py|externals|array_api|experimental"
)
LEAST = 60  # examples a label needs to take part


@dataclass(slots=True)
class Example:
    """One docstring and where it comes from."""

    label: str
    text: str


def documented(module: ModuleType) -> list[tuple[str, str]]:
    """The objects of a module and their documentation."""
    found = []
    for name, value in sorted(vars(module).items()):
        if name.startswith("_") or inspect.ismodule(value):
            continue
        members = [(name, value)]
        if inspect.isclass(value):
            members += [
                (f"{name}.{key}", item)
                for key, item in sorted(vars(value).items())
                if not key.startswith("_")
            ]
        for path, item in members:
            text = getattr(item, "__doc__", None)
            if isinstance(text, str) and len(text) > 80:
                found.append((path, text))
    return found


def modules_of(package: str) -> list[ModuleType]:
    """A package and its sub-packages, imported; what cannot be imported is left out."""
    root = importlib.import_module(package)
    names = [package]
    for info in pkgutil.iter_modules(getattr(root, "__path__", []), f"{package}."):
        if not SKIP.search(info.name):
            names.append(info.name)
    modules = []
    for name in names:
        try:
            modules.append(importlib.import_module(name))
        except Exception:  # an optional dependency of somebody else's
            continue
    return modules


def collect() -> list[Example]:
    """All docstrings, each text once, with labels that have enough of them, in a fixed shuffled order."""
    seen: set[str] = set()
    examples: list[Example] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for package in PACKAGES:
            for module in modules_of(package):
                parts = module.__name__.split(".")
                label = ".".join(parts[:2]) if len(parts) > 1 else package
                examples += take(module, label, seen)
        for name in STANDARD:
            try:
                module = importlib.import_module(name)
            except Exception:
                continue
            examples += take(module, "python", seen)
    counts = Counter(example.label for example in examples)
    kept = [example for example in examples if counts[example.label] >= LEAST]
    random.Random(0).shuffle(kept)
    return kept


def take(module: ModuleType, label: str, seen: set[str]) -> list[Example]:
    """The docstrings of a module that have not been met."""
    examples = []
    for _, text in documented(module):
        body = hide_origin(text)
        if body not in seen:
            seen.add(body)
            examples.append(Example(label, body))
    return examples


def hide_origin(text: str) -> str:
    """Take out what gives the answer away: import lines, prompts and the packages' own names."""
    lines = [line for line in text.splitlines() if ">>>" not in line and "import " not in line]
    return re.sub(r"\b(numpy|scipy|sklearn|scikit-learn|np|sp)\b[.\w]*", " ", "\n".join(lines))


def table_row(*cells: object) -> str:
    """A line of the progressive-validation table."""
    return "  ".join(f"{cell!s:>12}" for cell in cells)


def run(output: Path, limit: int | None) -> None:
    """Learn the stream, report, explain, and save a plot and a model."""
    # By now signals are looked after, and a Ctrl-C amid this second of imports ends the process in a line.
    from sklearn.linear_model import SGDClassifier

    from onlinear import SoftConfidenceWeightedClassifier
    from onlinear.text import TextHasher

    print("Collecting the docstrings of numpy, scipy, scikit-learn and the standard library ...", flush=True)
    examples = collect()[:limit]
    labels = np.array([example.label for example in examples])
    majority, times = Counter(labels.tolist()).most_common(1)[0]
    print(f"{len(examples):,} docstrings from {len(set(labels.tolist()))} sub-packages\n")

    hasher = TextHasher(bits=20, alternate_sign=False, ngram_range=(1, 2), max_names=NAMES)
    model = SoftConfidenceWeightedClassifier(C=1.0, confidence=0.9)
    rival = SGDClassifier(random_state=0)
    classes = np.unique(labels)

    print(
        "Every docstring is predicted before it is learned; texts/s counts from the text to what is learned of it."
    )
    print(table_row("docstrings", "error since", "error so far", "SGD so far", "texts/s"))
    batch, shown = 64, 512
    wrong = rival_wrong = since = 0
    curve: list[tuple[int, float, float]] = []
    spent = 0.0
    last = 0
    for start in range(0, len(examples), batch):
        texts = [example.text for example in examples[start : start + batch]]
        y = labels[start : start + batch]
        before = model.n_mistakes_ if start else 0
        clock = time.perf_counter()
        X = hasher.partial_fit(texts).transform(texts)
        model.partial_fit(X, y, classes=classes if start == 0 else None)
        spent += time.perf_counter() - clock
        mistakes = model.n_mistakes_ - before
        rival_wrong += int((rival.predict(X) != y).sum()) if start else len(y)
        rival.partial_fit(X, y, classes=classes if start == 0 else None)
        wrong += mistakes
        since += mistakes
        done = start + len(y)
        curve.append((done, wrong / done, rival_wrong / done))
        if done >= shown or done == len(examples):
            rate = f"{done / spent:,.0f}"
            print(
                table_row(
                    f"{done:,}",
                    f"{since / (done - last):.3f}",
                    f"{wrong / done:.3f}",
                    f"{rival_wrong / done:.3f}",
                    rate,
                ),
                flush=True,
            )
            shown, last, since = shown * 2, done, 0
    total = len(examples)
    print(f"\nAccuracy on docstrings not yet seen, over the whole stream of {total:,}:")
    for who, share in (
        ("onlinear, SCW-I", 1 - wrong / total),
        ("scikit-learn, SGD", 1 - rival_wrong / total),
        (f"always {majority!r}", times / total),
    ):
        print(f"  {who:<24} {share:6.1%}  {'█' * round(40 * share)}")

    show_words(model, hasher.names_)
    show_explanation(model, hasher, examples)

    output.mkdir(parents=True, exist_ok=True)
    target = output / "docstrings.safetensors"
    model.save(target)
    print(f"\nmodel  {target}  ({target.stat().st_size / 1e6:.0f} MB)")
    picture = plot(curve, times / total, output / "progress.png")
    print(f"plot   {picture}" if picture else "plot   needs matplotlib: pip install 'onlinear[plot]'")


def show_words(model: Any, words: dict[int, str]) -> None:
    """The strongest words of a few classes, with the standard deviation of their weights."""
    print("\nThe strongest words, weight ± standard deviation:")
    columns = np.array(sorted(column for column, word in words.items() if " " not in word))
    coef, std = model.coef_[:, columns], model.coef_std_[:, columns]
    wanted = ["numpy.linalg", "scipy.stats", "scipy.sparse", "sklearn.ensemble", "sklearn.cluster", "python"]
    for label in [name for name in wanted if name in model.classes_] or model.classes_[:6].tolist():
        row = int(np.flatnonzero(model.classes_ == label)[0])
        best = np.argsort(-coef[row])[:5]
        cells = [f"{words[int(columns[i])]} {coef[row, i]:.2f}±{std[row, i]:.2f}" for i in best]
        print(f"  {label:<18} " + "   ".join(cells))


def show_explanation(model: Any, hasher: TextHasher, examples: list[Example]) -> None:
    """One prediction, taken apart."""
    texts = [example.text for example in examples[-200:]]
    X = hasher.transform(texts)
    confident = int(np.argmax(model.confidence(X)))
    first = " ".join(texts[confident].split())[:70]
    print(f"\nOne prediction explained: “{first}…”  (really from {examples[-200:][confident].label})")
    print(model.explain(X[confident], top=6))
    chance = model.predict_proba(X[confident]).max()
    print(f"  calibrated probability {chance:.3f}")


def plot(curve: list[tuple[int, float, float]], majority: float, target: Path) -> Path | None:
    """Error so far against docstrings seen."""
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError:
        return None
    seen, ours, theirs = (np.array(column) for column in zip(*curve, strict=True))
    figure, axes = pyplot.subplots(figsize=(7.5, 4.2), dpi=150)
    axes.axhline(1 - majority, color="#bbbbbb", linewidth=1)
    axes.text(seen[-1], 1 - majority, "majority guess ", ha="right", va="bottom", color="#888888", fontsize=9)
    axes.plot(seen, theirs, color="#e08a3c", linewidth=2)
    axes.plot(seen, ours, color="#2b6cb0", linewidth=2.5)
    axes.text(
        seen[-1],
        theirs[-1] + 0.03,
        "scikit-learn SGD ",
        ha="right",
        va="bottom",
        color="#e08a3c",
        fontsize=10,
    )
    axes.text(
        seen[-1],
        ours[-1] - 0.012,
        "onlinear SCW-I ",
        ha="right",
        va="top",
        color="#2b6cb0",
        fontsize=10,
        weight="bold",
    )
    axes.set_xlabel("docstrings seen, each predicted before it was learned")
    axes.set_ylabel("error so far")
    axes.set_ylim(0, 1)
    axes.set_xlim(0, seen[-1])
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_title("Which sub-package does this docstring come from?", loc="left", fontsize=12)
    figure.tight_layout()
    figure.savefig(target)
    pyplot.close(figure)
    return target


def main(arguments: list[str] | None = None) -> int:
    """Run the demonstration; the plot and the model go to ``demo-output``."""
    parser = argparse.ArgumentParser(prog="onlinear demo", description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=Path("demo-output"), help="folder for the plot and the model"
    )
    parser.add_argument("--limit", type=int, default=None, help="learn only the first so many docstrings")
    given = parser.parse_args(arguments)
    if given.limit is not None and given.limit < FEWEST:
        parser.error(f"--limit must be at least {FEWEST}, got {given.limit}")
    run(given.output, given.limit)
    return 0


if __name__ == "__main__":
    from .cli import as_process  # as a process of its own; who calls `main` has one

    as_process(main)
