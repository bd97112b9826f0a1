"""Regression, one-class, multilabel, sequences and costs through the real command."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.metrics import (
    f1_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    mean_absolute_error,
    mean_squared_error,
    r2_score,
)

import onlinear
from onlinear.cli import main
from onlinear.sequence import span_scores, token_accuracy

from .commands import onlinear as run

ROWS = 240


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file for each task: numbers.svm, sets.svm, classes.svm and chunks.conll."""
    folder = tmp_path_factory.mktemp("tasks")
    rng = np.random.default_rng(3)
    truth = rng.standard_normal((3, 30))
    numbers, sets, classes = [], [], []
    for i in range(ROWS):
        columns = np.sort(rng.choice(min(8 + i, 30), 6, replace=False))
        values = rng.standard_normal(6).round(3)
        scores = truth[:, columns] @ values
        row = " ".join(f"{c + 1}:{v}" for c, v in zip(columns, values, strict=True))
        numbers.append(f"{scores[0] + 0.1 * rng.standard_normal():.4f} {row}")
        sets.append(f"{','.join(str(k) for k in np.flatnonzero(scores > 0.5))} {row}")
        classes.append(f"{int(np.argmax(scores))} {row}")
    for name, lines in (("numbers", numbers), ("sets", sets), ("classes", classes)):
        (folder / f"{name}.svm").write_text("\n".join(lines) + "\n")
    (folder / "chunks.conll").write_text(chunks(60, seed=1))
    (folder / "more.conll").write_text(chunks(20, seed=2))
    return folder


def chunks(sentences: int, *, seed: int) -> str:
    """Sentences of a small grammar: words, tags and chunk labels."""
    rng = np.random.default_rng(seed)
    nouns, verbs, adjectives = ["cat", "dog", "fish", "bird"], ["sees", "eats", "likes"], ["old", "small"]
    out = []
    for _ in range(sentences):
        lines = []
        for part in ("subject", "verb", "object"):
            if part == "verb":
                lines.append(f"{rng.choice(verbs)} VB B-VP")
                continue
            if rng.random() < 0.6:
                lines.append("the DT B-NP")
            if rng.random() < 0.5:
                lines.append(
                    f"{rng.choice(adjectives)} JJ {'I' if lines[-1:] and lines[-1][-2:] == 'NP' else 'B'}-NP"
                )
            inside = bool(lines) and lines[-1].endswith("NP")
            lines.append(f"{rng.choice(nouns)} NN {'I' if inside else 'B'}-NP")
        if rng.random() < 0.5:
            lines.append(". . O")
        out.append("\n".join(lines))
    return "\n\n".join(out) + "\n"


TRAINING: dict[str, tuple[str, list[str]]] = {
    "regression": ("numbers.svm", []),
    "one-class": ("numbers.svm", ["-p", "radius=2"]),
    "multilabel": ("sets.svm", []),
    "sequence": ("chunks.conll", []),
}


def trained(task: str, folder: Path, tmp_path: Path, *more: object) -> tuple[Path, Any]:
    """The model file of a task, and what ``--json`` said."""
    file, options = TRAINING[task]
    saved = tmp_path / "model.safetensors"
    done = run("train", folder / file, "--task", task, *options, *more, "--save", saved, "--json", "-q")
    assert done.code == 0, done.err
    return saved, done.json


# ---------------------------------------------------------------------- training


@pytest.mark.parametrize("task", TRAINING)
def test_json_has_every_promised_key(task: str, folder: Path, tmp_path: Path) -> None:
    """The keys of all runs, and the figures of the task."""
    figures = {
        "regression": {"mean_absolute_error", "mean_squared_error"},
        "one-class": {"rejection_rate", "radius"},
        "multilabel": {"ranking_loss", "one_error", "average_precision"},
        "sequence": {"token_accuracy", "sequence_accuracy", "tokens"},
    }[task]
    keys = {"algorithm", "parameters", "examples", "features", "mistakes", "updates", "error", "test_error"}
    keys |= {"seconds", "examples_per_second", "peak_rss_mb", "refused", "task"}
    _, said = trained(task, folder, tmp_path, "--test", folder / TRAINING[task][0], "--holdout", 0.2)

    assert said.keys() >= keys | figures
    assert said["task"] == task
    assert said["test"].keys() >= figures - {"mean_loss"}
    assert 0 <= said["test_error"] <= said["error"] + 0.2
    assert said["holdout_error"] is not None
    assert said["features"] > 20


@pytest.mark.parametrize("task", TRAINING)
def test_the_command_learns_the_same_bits_as_python(task: str, folder: Path, tmp_path: Path) -> None:
    """A model trained by the command is the one a stream teaches in Python."""
    saved, _ = trained(task, folder, tmp_path)
    file = folder / TRAINING[task][0]
    made: dict[str, Any] = {
        "regression": lambda: onlinear.AROWRegressor().fit_stream(onlinear.read(file)),
        "one-class": lambda: onlinear.PassiveAggressiveOneClass(radius=2).fit_stream(onlinear.read(file)),
        "multilabel": lambda: onlinear.MultilabelRanker().fit_stream(onlinear.read(file, multilabel=True)),
        "sequence": lambda: onlinear.SequenceLabeler().partial_fit_file(file),
    }

    assert onlinear.load(saved).digest() == made[task]().digest()


def test_the_table_shows_errors_made_before_learning(folder: Path) -> None:
    """Progressive figures are those of a model that predicts each row and learns it then."""
    batch = next(iter(onlinear.read(folder / "numbers.svm")))
    model = onlinear.PassiveAggressiveRegressor(
        variant="pa2", C=0.3, scale=None, dtype="float32", grow_features=True
    )
    errors = []
    for i in range(ROWS):
        row = batch.X[i]
        errors.append((float(model.predict(row)[0]) if i else 0.0) - batch.y[i])
        model.partial_fit(row, batch.y[i : i + 1])
    done = run(
        *("train", folder / "numbers.svm", "--task", "regression", "-a", "pa2"),
        *("-p", "C=0.3", "--scale", "none", "--json"),
    )
    last = [line.split() for line in done.err.splitlines() if line.strip()][-1]

    assert_allclose(done.json["mean_absolute_error"], np.mean(np.abs(errors)), rtol=1e-6)
    assert_allclose(done.json["mean_squared_error"], np.mean(np.square(errors)), rtol=1e-6)
    assert_allclose(float(last[0]), np.mean(np.abs(errors[:128])), atol=2e-6)
    assert (int(last[3]), float(last[4])) == (128, pytest.approx(batch.y[127], rel=1e-5))


def test_ranking_figures_are_made_before_learning(folder: Path) -> None:
    """The same of sets of labels, which come into play with the row that has them."""
    said = run(
        *("train", folder / "sets.svm", "--task", "multilabel"),
        *("-p", "average=false", "--scale", "none", "--json", "-q"),
    ).json
    batch = next(iter(onlinear.read(folder / "sets.svm", multilabel=True)))
    model, known = onlinear.MultilabelRanker(dtype="float32", average=False, scale=None), list[int]()
    losses = []
    for i in range(ROWS):
        labels = {int(label) for label in batch.y[i]}
        known = sorted({*known, *labels})
        if i == 0:
            model.partial_fit(batch.X[:1], [labels], sample_weight=[0.0], classes=known)
        elif set(known) - set(model.classes_.tolist()):
            model.partial_fit(batch.X[:1], [[]], sample_weight=[0.0], classes=known)
        truth = np.isin(model.classes_, list(labels))
        losses.append(
            label_ranking_loss(truth[None], model._scored(batch.X[i])[0]) if len(truth) > 1 else 0.0
        )
        model.partial_fit(batch.X[i], [labels])

    assert_allclose(said["ranking_loss"], np.mean(losses), rtol=1e-6)


def test_several_passes_stop_early_when_nothing_is_gained(folder: Path) -> None:
    """``--early-stop`` goes by the task's own measure."""
    done = run(
        *("train", folder / "numbers.svm", "--task", "regression", "-a", "pa1", "-p", "C=0.01"),
        *("--scale", "none", "--passes", 60, "--early-stop", "--json", "-q"),
    )
    errors = done.json["pass_errors"]

    assert 1 < done.json["passes"] < 60
    assert errors[-1] >= min(errors[:-1])


@pytest.mark.parametrize("holdout", [0.0, 0.2])
@pytest.mark.parametrize("task", [*TRAINING, "learned-radius", "costs"])
def test_stopping_at_every_checkpoint_changes_no_bits(
    task: str, holdout: float, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run ended after every checkpoint and resumed is the uninterrupted one; labels read ahead do not count."""
    from onlinear.cli import _train
    from onlinear.io import _source

    monkeypatch.setattr(_source, "BLOCK", 700)
    costs = tmp_path / "costs.json"
    costs.write_text('{"0": {"1": 1, "2": 5}, "1": {"0": 2}, "2": {"0": 1, "1": 1}}')
    special = {
        "learned-radius": ("numbers.svm", ["--task", "one-class", "-p", "max_radius=4"]),
        "costs": ("classes.svm", ["--cost-matrix", str(costs)]),
    }
    file, options = special.get(task) or (TRAINING[task][0], ["--task", task, *TRAINING[task][1]])
    options = [str(folder / file), *options, "--passes", "2", "-q", "--holdout", str(holdout)]
    whole, parts = tmp_path / "whole.safetensors", tmp_path / "parts.safetensors"
    assert main(["train", *options, "--save", str(whole)]) == 0

    class EnoughError(Exception):
        pass

    save = _train.Checkpoint.save

    def save_and_die(self: Any, model: Any, progress: Any) -> None:
        save(self, model, progress)
        if not progress.finished:
            raise EnoughError

    monkeypatch.setattr(_train.Checkpoint, "save", save_and_die)
    resume = ["--checkpoint", str(tmp_path / "run"), "--every", "37", "--resume", "--save", str(parts)]
    ends = next(n for n in range(100) if main(["train", *options, *resume]) == 0)

    assert ends >= 3
    assert parts.read_bytes() == whole.read_bytes()
    other = ["--task", "regression" if task != "regression" else "one-class", "-q"]
    assert main(["train", str(folder / "numbers.svm"), *other, *resume]) == 2


@pytest.mark.parametrize("task", TRAINING)
def test_no_task_needs_scikit_learn(task: str, folder: Path, tmp_path: Path) -> None:
    """Training, predicting and evaluating import neither scikit-learn nor SciPy, which take longer than the work."""
    file, options = TRAINING[task]
    saved = str(tmp_path / "m.safetensors")
    code = (
        "import sys\nfrom onlinear.cli import main\n"
        f"file, saved = {str(folder / file)!r}, {saved!r}\n"
        f"assert main(['train', file, '--task', {task!r}, *{options!r}, '-q', '--save', saved]) == 0\n"
        "assert main(['predict', saved, file, '-o', saved + '.out']) == 0\n"
        "assert main(['evaluate', saved, file, '--json']) == 0\n"
        "assert main(['inspect', saved, '--json']) == 0\n"
        "assert not {'sklearn', 'scipy', 'pandas', 'typer'} & set(sys.modules), sorted(sys.modules)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr


# ---------------------------------------------------------------------- predicting, evaluating, inspecting


def test_a_regressor_predicts_numbers_and_how_sure_it_is(folder: Path, tmp_path: Path) -> None:
    """One number a line, with ``--std`` its deviation; ``evaluate`` measures what scikit-learn measures."""
    saved, _ = trained("regression", folder, tmp_path)
    batch = next(iter(onlinear.read(folder / "numbers.svm")))
    mean, std = onlinear.load(saved).predict(batch.X, return_std=True)
    done = run("predict", saved, folder / "numbers.svm", "--std", "--header")
    header, *lines = done.out.splitlines()

    assert header.split("\t") == ["prediction", "std"]
    assert_allclose(np.array([line.split("\t") for line in lines], float), np.c_[mean, std], rtol=1e-4)
    said = run("evaluate", saved, folder / "numbers.svm", "--json").json
    assert_allclose(said["mean_absolute_error"], mean_absolute_error(batch.y, mean), rtol=1e-9)
    assert_allclose(said["mean_squared_error"], mean_squared_error(batch.y, mean), rtol=1e-9)
    assert_allclose(said["r2"], r2_score(batch.y, mean), rtol=1e-9)
    assert "mean |error|" in run("evaluate", saved, folder / "numbers.svm").out
    weights = run("inspect", saved, "--json", "--top", 3).json["weights"]["the target"]
    assert len(weights) == 3
    assert weights[0]["std"] > 0


def test_a_one_class_model_says_what_lies_outside(folder: Path, tmp_path: Path) -> None:
    """1 or -1 a line; the share of -1 is the rejection rate, told by label where there are few."""
    saved, said = trained("one-class", folder, tmp_path)
    model = onlinear.load(saved)
    batch = next(iter(onlinear.read(folder / "classes.svm")))
    done = run("predict", saved, folder / "classes.svm", "--scores")
    columns = np.array([line.split("\t") for line in done.out.splitlines()], float)

    assert_allclose(columns[:, 0], model.predict(batch.X))
    assert_allclose(columns[:, 1], model.decision_function(batch.X), atol=1e-6)
    figures = run("evaluate", saved, folder / "classes.svm", "--json").json
    assert figures["rejection_rate"] == np.mean(columns[:, 0] < 0)
    assert sum(row["rejected"] for row in figures["by_label"].values()) == np.sum(columns[:, 0] < 0)
    assert set(figures["by_label"]) == {"0", "1", "2"}
    assert said["radius"] == 2.0
    assert "a ball of radius 2" in run("inspect", saved).out


def test_a_learned_radius_is_told(folder: Path, tmp_path: Path) -> None:
    """``-p max_radius`` lets it grow to what the data asks for."""
    done = run(
        *("train", folder / "numbers.svm", "--task", "one-class", "-a", "pa", "-p", "max_radius=3"),
        *("--save", tmp_path / "m.safetensors", "--json", "-q"),
    )

    assert 0 < done.json["radius"] <= 3
    assert done.json["radius"] == onlinear.load(tmp_path / "m.safetensors").radius_


def test_a_ranker_predicts_sets_of_labels(folder: Path, tmp_path: Path) -> None:
    """Labels between commas, the best first; measures are scikit-learn's."""
    saved, _ = trained("multilabel", folder, tmp_path, "-a", "arow", "-p", "threshold=0.4")
    model = onlinear.load(saved)
    batch = next(iter(onlinear.read(folder / "sets.svm", multilabel=True)))
    truth = np.array([[k in labels for k in (0, 1, 2)] for labels in batch.y])
    lines = run("predict", saved, folder / "sets.svm").out.split("\n")[:-1]

    assert [line.split(",") if line else [] for line in lines] == [
        [str(label) for label in labels] for labels in model.predict_labels(batch.X)
    ]
    said = run("evaluate", saved, folder / "sets.svm", "--json").json
    scores = model.decision_function(batch.X)
    assert_allclose(said["ranking_loss"], label_ranking_loss(truth, scores), rtol=1e-9)
    assert_allclose(
        said["average_precision"], label_ranking_average_precision_score(truth, scores), rtol=1e-9
    )
    assert_allclose(said["micro_f1"], f1_score(truth, model.predict(batch.X), average="micro"), rtol=1e-9)
    assert_allclose(said["one_error"], model.evaluate(batch.X, truth.astype(int)).one_error, rtol=1e-9)
    more = run("predict", saved, folder / "sets.svm", "--scores", "--proba", "--header").out.splitlines()
    assert more[0].split("\t")[:2] == ["labels", "score:0"]
    assert len(more[1].split("\t")) == 7
    assert set(run("inspect", saved, "--json").json["weights"]) == {"0", "1", "2"}


def test_labels_the_ranker_never_met_are_counted(folder: Path, tmp_path: Path) -> None:
    """They are no error, and no set that has one is right."""
    saved, _ = trained("multilabel", folder, tmp_path)
    strange = tmp_path / "strange.svm"
    strange.write_text("7 1:1\n0,7 2:1\n")
    said = run("evaluate", saved, strange, "--json").json

    assert said["unknown_labels"] == 2
    assert said["subset_accuracy"] == 0.0


def test_sequences_are_labelled_in_a_copy_of_their_file(folder: Path, tmp_path: Path) -> None:
    """One more column, blank lines where they were; ``evaluate`` counts tokens and spans."""
    saved, said = trained("sequence", folder, tmp_path, "--passes", 5, "--test", folder / "more.conll")
    text = (folder / "more.conll").read_text()
    done = run("predict", saved, folder / "more.conll")
    lines = done.out.splitlines()

    assert [line.rpartition(" ")[0] for line in lines] == text.splitlines()
    truth = [[line.split()[2] for line in part.splitlines()] for part in text.split("\n\n")]
    found = [[line.split()[3] for line in part.splitlines()] for part in done.out.split("\n\n")]
    assert onlinear.load(saved).predict_file(folder / "more.conll") == found
    figures = run("evaluate", saved, folder / "more.conll", "--json").json
    assert_allclose(figures["token_accuracy"], token_accuracy(truth, found))
    assert_allclose(figures["f1"], span_scores(truth, found)["f1"])
    assert figures["by_kind"]["NP"]["spans"] > 0
    assert said["test"] == figures
    assert figures["f1"] > 0.9
    sure = run("predict", saved, folder / "more.conll", "--proba").out.splitlines()
    assert all(0.5 <= float(line.split()[4]) <= 1 for line in sure if line)


def test_labels_are_balanced_in_a_stream_of_sequences(folder: Path, tmp_path: Path) -> None:
    """``-p class_weight=balanced`` is the labeler's parameter, counted as the file is read."""
    saved, said = trained("sequence", folder, tmp_path, "-p", "class_weight=balanced")
    assert said["parameters"]["class_weight"] == "balanced"
    model = onlinear.SequenceLabeler(class_weight="balanced").partial_fit_file(folder / "chunks.conll")
    assert onlinear.load(saved).digest() == model.digest()


def test_sequences_are_streamed(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few lines, compressed files and standard input teach and label the same."""
    from onlinear.io import _source

    saved, _ = trained("sequence", folder, tmp_path)
    expected = run("predict", saved, folder / "more.conll").out
    monkeypatch.setattr(_source, "BLOCK", 50)
    small = tmp_path / "small.safetensors"
    options = ["--task", "sequence", "-q", "--save", str(small)]
    assert main(["train", str(folder / "chunks.conll"), *options]) == 0
    assert small.read_bytes() == saved.read_bytes()
    out = tmp_path / "out.conll"
    assert main(["predict", str(saved), str(folder / "more.conll"), "-o", str(out)]) == 0
    assert out.read_text() == expected
    packed = tmp_path / "chunks.gz"
    packed.write_bytes(gzip.compress((folder / "chunks.conll").read_bytes()))
    assert main(["train", str(packed), *options]) == 0
    assert small.read_bytes() == saved.read_bytes()
    piped = run(
        "train",
        "-",
        "--task",
        "sequence",
        "-q",
        "--save",
        small,
        stdin=(folder / "chunks.conll").read_bytes(),
    )
    assert piped.code == 0
    assert small.read_bytes() == saved.read_bytes()
    assert run("predict", saved, stdin=(folder / "more.conll").read_bytes()).out == expected


def test_words_alone_and_templates_of_ones_own(folder: Path, tmp_path: Path) -> None:
    """A file of words and labels is enough; ``--template`` says which features to make instead."""
    words = tmp_path / "words.conll"
    words.write_text(
        "\n".join(
            " ".join(line.split()[::2]) if line else ""
            for line in (folder / "chunks.conll").read_text().split("\n")
        )
    )
    done = run("train", words, "--task", "sequence", "--passes", 5, "--test", words, "--json", "-q")
    assert done.json["test"]["f1"] > 0.95
    saved = tmp_path / "m.safetensors"
    few = run(
        *("train", words, "--task", "sequence", "--template", "w[0]", "--template", "w[0].suffix2"),
        *("--save", saved, "--json", "-q"),
    )
    assert few.json["features"] < done.json["features"]
    names = set(onlinear.load(saved).feature_names_)
    assert all(name.startswith(("w[0]=", "w[0].suffix2=")) for name in names)
    assert run("predict", saved, words).code == 0


def test_inspect_shows_features_and_transitions(folder: Path, tmp_path: Path) -> None:
    """The strongest of each label, in words, and a page of it."""
    saved, _ = trained("sequence", folder, tmp_path, "-a", "arow")
    about = run("inspect", saved, "--json", "--top", 5, "--class", "B-NP").json

    assert list(about["weights"]) == ["B-NP"]
    assert about["weights"]["B-NP"][0]["feature"].startswith(("w[", "pos[", "__BOS__"))
    assert about["weights"]["B-NP"][0]["std"] > 0
    assert {t["from"] for t in about["transitions"]} <= {"B-NP", "I-NP", "B-VP", "O"}
    assert run("inspect", saved, "--html", tmp_path / "page.html").code == 0
    assert "Towards B-NP" in (tmp_path / "page.html").read_text()
    assert "strongest transitions" in run("inspect", saved).out


# ---------------------------------------------------------------------- costs


def test_costs_change_what_is_learned_and_are_counted(folder: Path, tmp_path: Path) -> None:
    """A JSON file and a table of the same costs give the same model; its total is what Python counts."""
    costs = {"0": {"1": 9, "2": 9}, "1": {"0": 1, "2": 1}, "2": {"0": 1, "1": 1}}
    given, table = tmp_path / "costs.json", tmp_path / "costs.csv"
    given.write_text(json.dumps(costs))
    table.write_text("right,0,1,2\n0,0,9,9\n1,1,0,1\n2,1,1,0\n")
    saved = [tmp_path / "a.safetensors", tmp_path / "b.safetensors"]
    for file, model in zip((given, table), saved, strict=True):
        done = run(
            *("train", folder / "classes.svm", "-a", "arow", "--cost-matrix", file),
            *("-p", "cost_update=max_loss", "--save", model, "--json", "-q"),
        )
        assert done.code == 0, done.err
    python = onlinear.AROWClassifier(
        cost_matrix={int(k): {int(q): c for q, c in row.items()} for k, row in costs.items()},
        cost_update="max_loss",
    ).fit_stream(onlinear.read(folder / "classes.svm"))

    assert onlinear.load(saved[0]).digest() == onlinear.load(saved[1]).digest() == python.digest()
    assert done.json["total_cost"] == python.total_cost_
    assert done.json["mean_cost"] == python.total_cost_ / ROWS
    assert run("evaluate", saved[0], folder / "classes.svm").code == 0


# ---------------------------------------------------------------------- what goes wrong


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--task", "regresion"], 2, "Unknown task 'regresion'. Did you mean 'regression'?"),
        (
            ["--task", "regression", "-a", "scw1"],
            2,
            "scw1 is not defined for --task regression; choose among pa,",
        ),
        (["--task", "regression", "-a", "arrow"], 2, "Did you mean 'arow'?"),
        (["--task", "regression", "-p", "C=1"], 2, "arow has no parameter 'C'"),
        (["--task", "regression", "-a", "pa1", "-p", "epsilon=-1"], 2, "epsilon"),
        (["--task", "one-class", "-a", "arow"], 2, "arow is not defined for --task one-class"),
        (["--task", "one-class", "-p", "radius=-1"], 2, "radius must be"),
        (["--task", "one-class", "-p", "contamination=0.1"], 2, "-p contamination cannot be given here"),
        (
            ["--task", "multilabel", "-a", "mira"],
            2,
            "MIRAClassifier as given answers several classes at once",
        ),
        (["--task", "multilabel", "-a", "adagrad-rda"], 2, "not defined on belief.DualAveraging"),
        (["--task", "multilabel", "-p", "threshold=2"], 2, "threshold must be"),
        (["--task", "sequence", "-a", "adagrad-rda"], 2, "sequences are learned on belief.Mean"),
        (["--task", "sequence", "-p", "cost=taxi"], 2, "cost must be one of"),
        (["--task", "sequence", "--bits", "20"], 2, "--bits means nothing for sequences"),
        (["--task", "sequence", "--format", "csv"], 2, "sequences are read from CoNLL files"),
        (["--task", "sequence", "--template", "nonsense["], 2, "nonsense["),
        (["--task", "regression", "--cost-matrix", "{costs}"], 2, "--cost-matrix is for classification"),
        (
            ["-a", "mira", "--cost-matrix", "{costs}"],
            2,
            "cost_matrix does not go with an update of several classes",
        ),
        (["--cost-matrix", "{nothing}"], 1, "nothing.json: no such file"),
        (["--cost-matrix", "{bad}"], 1, "bad.json:1:"),
        (["--cost-matrix", "{ragged}"], 1, "ragged.csv:3:1: expected 2 costs after the class, found 1"),
        (["--cost-matrix", "{words}"], 1, 'words.csv:2:5: expected a number, found "dear"'),
        (["--cost-matrix", "{negative}"], 2, "cost_matrix"),
        (["--cost-matrix", "{costs}"], 1, "numbers.svm:1: SoftConfidenceWeightedClassifier: y contains"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_what_cannot_be_is_told_before_it_is_tried(
    options: list[str], code: int, message: str, folder: Path, tmp_path: Path
) -> None:
    """Wrong tasks, algorithms, parameters and matrices: one line and the right exit code."""
    (tmp_path / "costs.json").write_text('{"a": {"b": 1}, "b": {"a": 2}}')
    (tmp_path / "bad.json").write_text('{"a": {"b": }}')
    (tmp_path / "ragged.csv").write_text(",a,b\na,0,1\nb,1\n")
    (tmp_path / "words.csv").write_text(",a,b\na,0,dear\nb,1,0\n")
    (tmp_path / "negative.json").write_text('{"a": {"b": -1}, "b": {"a": 2}}')
    names = {path.stem: str(path) for path in tmp_path.iterdir()} | {
        "nothing": str(tmp_path / "nothing.json")
    }
    given = [word.format(**names) if word.startswith("{") else word for word in options]
    file = "chunks.conll" if "sequence" in options else "numbers.svm"
    done = run("train", folder / file, *given, "--save", tmp_path / "m.safetensors")

    assert done.code == code, done.err
    assert message in done.err
    assert not (tmp_path / "m.safetensors").exists()


@pytest.mark.parametrize(
    ("task", "text", "message"),
    [
        ("regression", "1 1:1\nx 1:1\n", 'data.txt:2: expected a number as target, found "x"'),
        ("regression", "1 1:1\n1 1:x\n", "data.txt:2:5: expected"),
        ("regression", "", "data.txt: no examples"),
        ("multilabel", "1,2 1:1\n1,,2 1:1\n", "data.txt:2:"),
        ("multilabel", " 1:1\n 2:1\n", "data.txt: no example has a label"),
        ("one-class", "1 1:1e39\n", "data.txt:1:5:"),
        ("sequence", "a B\nb\n", "data.txt:2:2: expected 2 columns, as on the lines before, found 1"),
        ("sequence", "a B\n\nc d O\n", "data.txt:3:5: expected 2 columns, as on the lines before, found 3"),
        ("sequence", "alone\n", "data.txt:1:6: expected 2 columns, the label last, found 1"),
        ("sequence", "\n \n\n", "data.txt: the file holds no tokens"),
        ("sequence", "", "data.txt: the file holds no tokens"),
    ],
)
def test_a_bad_line_is_named(task: str, text: str, message: str, tmp_path: Path) -> None:
    """File, line and column, exit code 1, and no model."""
    (tmp_path / "data.txt").write_text(text)
    saved = tmp_path / "m.safetensors"
    more = [] if task == "sequence" else ["--format", "svmlight"]
    done = run("train", "data.txt", "--task", task, *more, "--save", saved, cwd=tmp_path)

    assert done.code == 1, done.err
    assert message in done.err
    assert not saved.exists()


def test_bad_sequences_can_be_skipped_and_are_counted(folder: Path, tmp_path: Path) -> None:
    """The model is that of the good ones, their labels are written without the bad ones, and there is a limit."""
    good = (folder / "chunks.conll").read_text().rstrip("\n").split("\n\n")
    bad = [*good[:3], "the DT", "x y z w v\nthe DT B-NP", *good[3:]]
    spoilt = tmp_path / "spoilt.conll"
    spoilt.write_text("\n\n".join(bad) + "\n")
    saved, clean = tmp_path / "m.safetensors", tmp_path / "clean.safetensors"
    options = ["--task", "sequence", "--json", "-q"]
    done = run("train", spoilt, *options, "--on-error", "skip", "--save", saved)
    assert run("train", folder / "chunks.conll", *options, "--save", clean).code == 0

    assert (done.code, done.json["refused"], done.json["examples"]) == (0, 2, 60)
    assert saved.read_bytes() == clean.read_bytes()
    lines = run("predict", saved, spoilt, "--on-error", "skip")
    whole = run("predict", saved, folder / "chunks.conll").out
    assert [line for line in lines.out.splitlines() if line] == [line for line in whole.splitlines() if line]
    assert "2 lines were refused" in lines.err
    figures = run("evaluate", saved, spoilt, "--on-error", "skip", "--json").json
    assert (figures["refused"], figures["examples"]) == (2, 60)
    limited = run("train", spoilt, *options, "--on-error", "skip", "--max-errors", 1)
    assert limited.code == 1
    assert "the most allowed" in limited.err


@pytest.mark.parametrize(
    ("task", "option", "message"),
    [
        ("regression", "--proba", "has no probabilities"),
        ("regression", "--scores", "is what it predicts"),
        ("one-class", "--std", "has no standard deviation"),
        ("multilabel", "--std", "has no standard deviation"),
        ("sequence", "--scores", "--proba adds how sure each label is"),
    ],
)
def test_columns_a_task_has_not_are_refused(
    task: str, option: str, message: str, folder: Path, tmp_path: Path
) -> None:
    """With exit code 2 and a reason."""
    saved, _ = trained(task, folder, tmp_path)
    done = run("predict", saved, folder / TRAINING[task][0], option)

    assert done.code == 2
    assert message in done.err
    assert run("evaluate", saved, folder / TRAINING[task][0], "--plots", tmp_path / "a.png").code == 2


@pytest.mark.parametrize("task", TRAINING)
def test_models_of_all_tasks_meet_convert(task: str, folder: Path, tmp_path: Path) -> None:
    """Compact files are for classifiers; that is said, not half done."""
    saved, _ = trained(task, folder, tmp_path)
    done = run("convert", saved, tmp_path / "small.safetensors", "--compact")

    assert done.code == 2
    assert "compact files are for classifiers" in done.err
    wide = run("convert", saved, tmp_path / "wide.safetensors", "--dtype", "float64")
    assert wide.code == (2 if task == "sequence" else 0)


def test_a_file_without_labels_is_labelled_but_not_evaluated(folder: Path, tmp_path: Path) -> None:
    """Sequences to label need no label column; to compare with, they do."""
    saved, _ = trained("sequence", folder, tmp_path, "--passes", 3)
    bare = tmp_path / "bare.conll"
    bare.write_text(
        "\n".join(" ".join(line.split()[:2]) for line in (folder / "more.conll").read_text().split("\n"))
    )
    with_labels = run("predict", saved, folder / "more.conll").out
    without = run("predict", saved, bare).out

    assert [line.split()[-1:] for line in without.splitlines()] == [
        line.split()[-1:] for line in with_labels.splitlines()
    ]
    done = run("evaluate", saved, bare)
    assert done.code == 1
    assert "no column of labels" in done.err


def test_the_best_labels_of_each_row(folder: Path, tmp_path: Path) -> None:
    """``predict --top`` writes as many labels as asked for, the best first; other models say that they rank none."""
    saved, _ = trained("multilabel", folder, tmp_path)
    model = onlinear.MultilabelRanker.load(saved)
    batch = next(iter(onlinear.read(folder / "sets.svm", multilabel=True)))
    lines = run("predict", saved, folder / "sets.svm", "--top", 2).out.splitlines()

    assert lines == [",".join(map(str, row)) for row in model.predict_labels(batch.X, top_k=2)]
    assert run("predict", saved, folder / "sets.svm", "--top", 0).code == 2
    saved, _ = trained("one-class", folder, tmp_path)
    assert "does not rank labels" in run("predict", saved, folder / "numbers.svm", "--top", 2).err
