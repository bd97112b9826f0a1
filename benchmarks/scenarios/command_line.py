"""The command line beside Vowpal Wabbit's and scikit-learn's: whole processes, from files of every kind."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

from benchmarks import learners
from benchmarks.command import best_process, run_process
from benchmarks.data import made_aside
from benchmarks.protocol import (
    Arena,
    Contestant,
    Scenario,
    Team,
    Turn,
    faster,
    find_command,
    under,
    within,
)

COPIES = 8
DOCUMENTS = 50_000
MODEL_MB = 2 * 4 * 2**20 / 1e6  # mean and variance of 2^20 features in float32
ALLOWED_MB = 64

HASHING_VECTORIZER = """
import json, sys, numpy as np
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
vectorizer = HashingVectorizer(n_features=2**20)
model = SGDClassifier(loss="hinge", shuffle=False)
texts, labels = [], []
def learn():
    model.partial_fit(vectorizer.transform(texts), labels, classes=[-1, 1])
    texts.clear(), labels.clear()
for line in open(sys.argv[1]):
    row = json.loads(line)
    texts.append(row["text"]), labels.append(row["label"])
    if len(texts) == 1000:
        learn()
if texts:
    learn()
np.save(sys.argv[2], model.coef_)
"""


def onlinear(*arguments: str) -> list[str]:
    """Return a command line of ours."""
    return [find_command("onlinear") or "onlinear", *arguments]


def vowpal_wabbit(*arguments: str) -> list[str]:
    """Return a command line of Vowpal Wabbit's wheel."""
    return [sys.executable, "-m", "vowpalwabbit", "--quiet", *arguments]


def zstd_of(arena: Arena, form: str) -> Path:
    """Return the text set as .zst."""
    path = arena.data.folder / f"text.train.{form}.zst"
    if not path.exists():
        import zstandard

        plain = arena.data.text("text", "train", form)
        with made_aside(path) as aside, aside.open("wb") as out, plain.open("rb") as source:
            zstandard.ZstdCompressor(level=3).copy_stream(source, out)
    return path


def eightfold(arena: Arena, form: str) -> Path:
    """Return the text set eight times over."""
    path = arena.data.folder / f"text8.train.{form}"
    if not path.exists():
        with made_aside(path) as aside, aside.open("wb") as out:
            for _ in range(COPIES):
                with arena.data.text("text", "train", form).open("rb") as plain:
                    shutil.copyfileobj(plain, out, 1 << 20)
    return path


def documents(arena: Arena) -> Path:
    """Return the first rows of the text set as raw text, a word for every feature."""
    path = arena.data.folder / "text.train.jsonl"
    if not path.exists():
        rows = arena.data.rows("text", "train")
        ends = rows.indptr[: DOCUMENTS + 1].tolist()
        words = [f"word{index}" for index in rows.indices[: ends[-1]].tolist()]
        with made_aside(path) as aside, aside.open("w") as out:
            for (first, last), label in zip(pairwise(ends), rows.labels.tolist(), strict=False):
                out.write(json.dumps({"label": label, "text": " ".join(words[first:last])}) + "\n")
    return path


def command(
    name: str,
    team: Team,
    argv: Callable[[Arena], list[str]],
    needs: tuple[str, ...],
    *,
    prepare: Callable[[Arena], object] = lambda arena: None,
    once: bool = False,
    best: bool = False,
) -> Contestant:
    """Return a whole process as a contestant; `prepare` is not measured."""

    def start(arena: Arena) -> Turn:
        prepare(arena)
        words = argv(arena)
        warm(words)
        return lambda: best_process(arena.passes, words) if best else run_process(words)[0]

    return Contestant(name, team, start, needs, once)


def warm(words: Sequence[str]) -> None:
    """Read the files a command names: from the disk, 2 GB cost more than learning them, whoever learns."""
    for path in {Path(word) for part in words for word in part.split()}:
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(1 << 22):
                    pass


def pipeline(name: str, team: Team, script: Callable[[Arena], str], needs: tuple[str, ...]) -> Contestant:
    """Return a shell pipeline as a contestant; the kernel counts all of it."""
    return command(name, team, lambda arena: ["sh", "-c", script(arena)], needs)


def scratch(arena: Arena, name: str) -> str:
    """Return a path to write to."""
    return str(arena.scratch / name)


def train(arena: Arena, file: Path, model: str, *more: str) -> list[str]:
    """Return our command that learns AROW from a file."""
    options = [
        "--algorithm",
        "arow",
        "-p",
        "r=0.1",
        "--quiet",
        "--save",
        scratch(arena, f"{model}.safetensors"),
    ]
    return onlinear("train", str(file), *options, *more)


def vw_train(arena: Arena, file: Path, model: str, *more: str) -> list[str]:
    """Return Vowpal Wabbit's command that learns from a file."""
    return vowpal_wabbit(
        "--loss_function", "hinge", "-b", "20", "-d", str(file), "-f", scratch(arena, model), *more
    )


US = ("command:onlinear",)
VW = learners.VOWPAL_WABBIT

SCENARIOS = (
    Scenario(
        name="command-vw-format",
        title="Vowpal Wabbit's own text format to a saved model, as a whole process",
        sets=("text",),
        rate="none",
        contestants=(
            command(
                "Vowpal Wabbit", "peer", lambda a: vw_train(a, a.data.text("text", "train", "vw"), "vw"), VW
            ),
            command(
                "onlinear train",
                "us",
                lambda a: train(a, a.data.text("text", "train", "vw"), "m", "--bits", "20"),
                US,
            ),
        ),
        targets=(
            within("onlinear train", "Vowpal Wabbit", 0.45),
            within("onlinear train", "Vowpal Wabbit", 0.5, "wall"),
        ),
    ),
    Scenario(
        name="command-zstd",
        title="A .zst file to a saved model, as a whole process",
        sets=("text",),
        rate="none",
        contestants=(
            pipeline(
                "zstdcat | vw",
                "peer",
                lambda a: f"zstdcat {zstd_of(a, 'vw')} | {' '.join(vw_train(a, Path('/dev/stdin'), 'vw'))}",
                (*VW, "zstandard", "command:zstdcat"),
            ),
            command("onlinear train", "us", lambda a: train(a, zstd_of(a, "svm"), "m"), (*US, "zstandard")),
        ),
        targets=(
            within("onlinear train", "zstdcat | vw", 0.45),
            within("onlinear train", "zstdcat | vw", 0.5, "wall"),
            under("onlinear train", MODEL_MB + ALLOWED_MB, "rss_mb"),
        ),
    ),
    Scenario(
        name="command-eightfold",
        title="1.9 GB of svmlight to a saved model, as a whole process",
        sets=("text",),
        rate="none",
        contestants=(
            command("Vowpal Wabbit", "peer", lambda a: vw_train(a, eightfold(a, "vw"), "vw"), VW, once=True),
            command("onlinear train", "us", lambda a: train(a, eightfold(a, "svm"), "m"), US, once=True),
        ),
        targets=(
            within("onlinear train", "Vowpal Wabbit", 0.3),
            under("onlinear train", MODEL_MB + ALLOWED_MB, "rss_mb"),
        ),
    ),
    Scenario(
        name="command-multiclass",
        title="20 classes, a file of 58 MB to a saved model, as a whole process",
        sets=("multi",),
        rate="none",
        contestants=(
            command(
                "vw --oaa 20",
                "peer",
                # 20 classes of 2^18 features: with fewer bits the classes would share their weights.
                lambda a: vowpal_wabbit(
                    "--oaa",
                    "20",
                    "-b",
                    "23",
                    "-d",
                    str(a.data.text("multi", "train", "vw")),
                    "-f",
                    scratch(a, "vw"),
                ),
                VW,
            ),
            command(
                "onlinear train", "us", lambda a: train(a, a.data.text("multi", "train", "svm"), "m"), US
            ),
        ),
        targets=(
            faster("onlinear train", "vw --oaa 20", 8.0),
            under("onlinear train", 20 * MODEL_MB / 4 + ALLOWED_MB, "rss_mb"),
        ),
    ),
    Scenario(
        name="command-raw-text",
        title="Raw text in JSON Lines to a saved model, as a whole process",
        sets=("text",),
        rate="none",
        contestants=(
            command(
                "scikit-learn",
                "peer",
                lambda a: [sys.executable, "-c", HASHING_VECTORIZER, str(documents(a)), scratch(a, "sk")],
                learners.SKLEARN,
                once=True,
            ),
            command("onlinear train", "us", lambda a: train(a, documents(a), "m"), US),
        ),
        targets=(faster("onlinear train", "scikit-learn", 8.0),),
    ),
    Scenario(
        name="command-predict",
        title="Predictions for a file of 232 MB, as a whole process",
        sets=("text",),
        rate="none",
        contestants=(
            command(
                "vw -t",
                "peer",
                lambda a: vowpal_wabbit(
                    "-t",
                    "-i",
                    scratch(a, "vw"),
                    "-d",
                    str(a.data.text("text", "train", "vw")),
                    "-p",
                    scratch(a, "vw.out"),
                ),
                VW,
                prepare=lambda a: run_process(vw_train(a, a.data.text("text", "test", "vw"), "vw")),
            ),
            command(
                "onlinear predict",
                "us",
                lambda a: onlinear(
                    "predict",
                    scratch(a, "m.safetensors"),
                    str(a.data.text("text", "train", "svm")),
                    "-o",
                    scratch(a, "out"),
                ),
                US,
                prepare=lambda a: run_process(train(a, a.data.text("text", "test", "svm"), "m")),
            ),
        ),
        targets=(faster("onlinear predict", "vw -t", 3.0), faster("onlinear predict", "vw -t", 3.0, "wall")),
    ),
    Scenario(
        name="command-start",
        title="100 lines to a saved model, from process start",
        sets=("text",),
        rate="none",
        contestants=(
            command(
                "import numpy",
                "peer",
                lambda a: [sys.executable, "-c", "import numpy"],
                ("numpy",),
                best=True,
            ),
            command(
                "onlinear train",
                "us",
                lambda a: train(a, a.data.first_lines("text", "train", "svm", 100), "m"),
                US,
                best=True,
            ),
        ),
        targets=(
            within("onlinear train", "import numpy", 1.0),
            within("onlinear train", "import numpy", 1.0, "wall"),
        ),
    ),
)
