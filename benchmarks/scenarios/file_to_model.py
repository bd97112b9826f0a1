"""From a text file to a saved model: whole processes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace

from benchmarks import learners
from benchmarks.command import limit, run_process
from benchmarks.protocol import (
    Arena,
    Contestant,
    Measurement,
    Scenario,
    Team,
    Turn,
    faster,
    find_command,
    within,
)

SCIKIT_LEARN = """
import sys, numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import SGDClassifier
X, y = load_svmlight_file(sys.argv[1], dtype=np.float32)
# The loader's indices have 64 bits; SGDClassifier refuses them.
X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
model = SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=0.1, shuffle=False)
model.partial_fit(X, y, classes=np.unique(y))
np.save(sys.argv[2], model.coef_)
"""


def train_command(
    name: str,
    team: Team,
    form: str,
    argv: Callable[[str, str], Sequence[str]],
    needs: tuple[str, ...],
    once: bool = False,
) -> Contestant:
    """Return a command that learns the text set; `argv` gets the paths of file and model."""

    def start(arena: Arena) -> Turn:
        rows = arena.data.rows("text", "train")
        command = argv(str(arena.data.text("text", "train", form)), str(arena.scratch / "model"))

        def turn() -> Measurement:
            measured, _ = run_process(command)
            measured.examples, measured.nonzeros = len(rows.labels), len(rows.values)
            return measured

        return turn

    return Contestant(name, team, start, needs, once)


def _onlinear(file: str, model: str) -> list[str]:
    command = [find_command("onlinear") or "onlinear", "train", file, "--algorithm", "arow", "-p", "r=0.1"]
    return [*command, "--quiet", "--save", f"{model}.safetensors"]


def _vowpal_wabbit(file: str, model: str) -> list[str]:
    command = [sys.executable, "-m", "vowpalwabbit", "--loss_function", "hinge", "-b", "20", "--quiet"]
    return [*command, "-d", file, "-f", model]


def _sol(file: str, model: str) -> list[str]:
    return ["sol_train", "-f", "svm", "-a", "arow", "--params", "r=0.1", file, model]


def learning_alone(name: str) -> Contestant:
    """Return our command less what it takes to learn a hundred lines: starting, and saving a model."""

    def start(arena: Arena) -> Turn:
        model = str(arena.scratch / "model")
        whole = _onlinear(str(arena.data.text("text", "train", "svm")), model)
        short = _onlinear(str(arena.data.first_lines("text", "train", "svm", 100)), model)

        def turn() -> Measurement:
            learned, started = run_process(whole)[0], run_process(short)[0]
            return replace(learned, cpu=learned.cpu - started.cpu, wall=learned.wall - started.wall)

        return turn

    return Contestant(name, "us", start, ("command:onlinear",))


def _scikit_learn(file: str, model: str) -> list[str]:
    return [sys.executable, "-c", SCIKIT_LEARN, file, model]


SCENARIOS = (
    Scenario(
        name="file-to-model",
        title="A text file of 232 MB to a saved model, as a whole process",
        sets=("text",),
        contestants=(
            train_command("Vowpal Wabbit", "peer", "vw", _vowpal_wabbit, learners.VOWPAL_WABBIT),
            train_command("onlinear train, AROW", "us", "svm", _onlinear, ("command:onlinear",)),
            learning_alone("onlinear, learning alone"),
            train_command("LIBOL/SOL, AROW", "peer", "svm", _sol, ("command:sol_train",)),
            limit(
                "bare tokenize and learn",
                "svmlight_arow",
                lambda arena: [
                    arena.data.text("text", "train", "svm"),
                    arena.data.raw("text", "train"),
                    arena.data.raw("text", "test"),
                    str(arena.passes),
                ],
            ),
            train_command("scikit-learn", "peer", "svm", _scikit_learn, learners.SKLEARN, once=True),
        ),
        targets=(
            within("onlinear train, AROW", "Vowpal Wabbit", 0.45),
            within("onlinear train, AROW", "Vowpal Wabbit", 0.5, "wall"),
            within("onlinear train, AROW", "LIBOL/SOL, AROW", 0.6),
            faster("onlinear train, AROW", "scikit-learn", 15.0),
            within("onlinear, learning alone", "bare tokenize and learn", 1.5),
        ),
    ),
)
