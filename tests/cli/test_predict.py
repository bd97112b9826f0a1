"""``onlinear predict`` as a real process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import onlinear
from onlinear.cli._reading import cell

from ..waiting import DEADLINE
from .commands import onlinear as run
from .commands import write_svmlight


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Data of two classes and a model of it."""
    folder = tmp_path_factory.mktemp("two")
    data = write_svmlight(folder / "train.svm", 400)
    assert run("train", data, "-q", "--save", folder / "m.safetensors").code == 0
    return data, folder / "m.safetensors"


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Data of four classes and a model of it."""
    folder = tmp_path_factory.mktemp("several")
    data = write_svmlight(folder / "train.svm", 400, classes=4)
    assert run("train", data, "-q", "--save", folder / "m.safetensors").code == 0
    return data, folder / "m.safetensors"


@pytest.mark.parametrize("which", ["two", "several"])
def test_columns_agree_with_python(which: str, request: pytest.FixtureRequest) -> None:
    """One line a row: label, scores, probabilities, standard deviation, as the estimator gives them."""
    data, path = request.getfixturevalue(which)
    model = onlinear.load(path)
    rows = next(iter(onlinear.read(data)))
    done = run("predict", path, data, "--scores", "--proba", "--std")
    table = [line.split("\t") for line in done.out.splitlines()]
    numbers = np.array([[float(cell) for cell in row[1:]] for row in table])
    assert [float(row[0]) for row in table] == model.predict(rows.X).tolist()
    scores = model.decision_function(rows.X).reshape(len(table), -1)
    k, n = scores.shape[1], len(model.classes_)
    np.testing.assert_allclose(numbers[:, :k], scores, rtol=1e-6)
    np.testing.assert_allclose(numbers[:, k : k + n], model.predict_proba(rows.X), atol=1e-6)
    np.testing.assert_allclose(numbers[:, k + n], model.margin(rows.X, return_std=True)[1], rtol=1e-4)


def test_the_header_names_the_columns(several: tuple[Path, Path]) -> None:
    """--header writes as many names as there are columns."""
    data, path = several
    done = run("predict", path, data, "--scores", "--proba", "--std", "--header").out.splitlines()
    assert done[0].split("\t")[0] == "label"
    assert len(done[0].split("\t")) == len(done[1].split("\t")) == 1 + 4 + 4 + 1


def test_it_reads_pipes_and_unlabelled_rows(two: tuple[Path, Path]) -> None:
    """Labels are not needed, and standard input is read when no file is named."""
    data, path = two
    wanted = run("predict", path, data).out
    bare = "".join(line.split(" ", 1)[1] + "\n" for line in data.read_text().splitlines())
    assert run("predict", path, stdin=data.read_bytes()).out == wanted
    assert run("predict", path, "-", stdin=bare.encode()).out == wanted


def test_features_never_seen_have_no_weight(two: tuple[Path, Path]) -> None:
    """A row with new features is predicted by those the model knows."""
    _, path = two
    lines = run("predict", path, "--scores", stdin=b"1:1 2:1\n1:1 2:1 900000:5\n").out.splitlines()
    assert lines[0] == lines[1]


def test_output_goes_to_a_file_that_appears_whole(two: tuple[Path, Path], tmp_path: Path) -> None:
    """A failing run leaves no half-written file."""
    data, path = two
    good, bad = tmp_path / "good.txt", tmp_path / "bad.txt"
    assert run("predict", path, data, "-o", good).code == 0
    assert good.read_text() == run("predict", path, data).out
    done = run("predict", path, "-o", bad, stdin=b"1 1:1\n1 x:1\n")
    assert done.code == 1
    assert not bad.exists()


def test_a_reader_that_goes_away_is_no_error_message(two: tuple[Path, Path]) -> None:
    """`predict | head` ends quietly."""
    data, path = two
    process = subprocess.Popen(
        [sys.executable, "-m", "onlinear", "predict", str(path), *[str(data)] * 50, "--scores"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(DEADLINE) in (0, 141)
    assert process.stderr.read() == b""
    process.stderr.close()


def test_hashed_models_remember_how_they_were_read(tmp_path: Path) -> None:
    """Bits, text columns and format are in the model file, so predicting needs no options."""
    data = tmp_path / "t.jsonl"
    data.write_text(
        '{"label": "spam", "body": "free money now"}\n{"label": "ham", "body": "see you at lunch"}\n' * 20
    )
    model = tmp_path / "m.safetensors"
    assert (
        run("train", data, "--text", "body", "--bits", 12, "--ngrams", "1-2", "-q", "--save", model).code == 0
    )
    done = run("predict", model, stdin=b'{"body": "free money"}\n{"body": "lunch"}\n')
    assert done.out.split() == ["spam", "ham"]
    assert onlinear.load(model).n_features_in_ == 1 << 12


def test_std_of_a_model_without_variances_is_refused(two: tuple[Path, Path], tmp_path: Path) -> None:
    """The message names learners that have them."""
    data, _ = two
    assert run("train", data, "-a", "pa1", "-q", "--save", tmp_path / "m.safetensors").code == 0
    done = run("predict", tmp_path / "m.safetensors", data, "--std")
    assert done.code == 2
    assert "AROWClassifier" in done.err


def test_skipped_lines_are_told(two: tuple[Path, Path]) -> None:
    """They have no prediction, and that is not kept quiet."""
    _, path = two
    done = run("predict", path, "--on-error", "skip", stdin=b"1 1:1\n1 x:1\n1 2:1\n")
    assert done.code == 0
    assert len(done.out.split()) == 2
    assert "1 lines were refused" in done.err


def test_files_whose_columns_mean_something_else_are_refused(tmp_path: Path) -> None:
    """An answer would be nonsense: numbers are not names, and other bits are other columns."""
    numbers, words = tmp_path / "a.svm", tmp_path / "a.jsonl"
    numbers.write_text("1 1:1\n-1 2:1\n" * 9)
    words.write_text('{"label": 1, "text": "good"}\n{"label": -1, "text": "bad"}\n' * 9)
    of_numbers, of_words = tmp_path / "n.safetensors", tmp_path / "w.safetensors"
    assert run("train", numbers, "--save", of_numbers, "-q").code == 0
    assert run("train", words, "--bits", 10, "--save", of_words, "-q").code == 0
    for command in ("predict", "evaluate"):
        for model, file, more in (
            (of_numbers, words, ()),
            (of_words, numbers, ()),
            (of_words, words, ("--bits", 12)),
        ):
            done = run(command, model, file, *more)
            assert done.code == 2, (command, model, file, done)
            assert "the model was learned" in done.err
    assert run("predict", of_words, words, "--bits", 10).code == 0
    assert run("predict", of_words, stdin=words.read_bytes()).code == 0


def test_a_model_of_named_columns_is_not_asked_by_hashed_names(tmp_path: Path) -> None:
    """Fitted in Python on a data frame, it knows its columns by number."""
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 3)), columns=list("abc"))
    model = onlinear.AROWClassifier(random_state=0).fit(frame, np.where(frame.a > 0, "p", "n"))
    model.save(tmp_path / "m.safetensors")
    frame.to_csv(tmp_path / "a.csv", index=False)
    done = run("predict", tmp_path / "m.safetensors", tmp_path / "a.csv")
    assert done.code == 2
    assert "columns with names (a, b, c" in done.err
    rows = "\n".join(" ".join(f"{i + 1}:{x}" for i, x in enumerate(row)) for row in frame.to_numpy())
    numbered = run("predict", tmp_path / "m.safetensors", "-f", "svmlight", stdin=rows.encode())
    assert numbered.out.split() == model.predict(frame).tolist()


def test_labels_with_tabs_and_ends_of_lines_do_not_break_the_columns(tmp_path: Path) -> None:
    """They are written as in other tab-separated files: with a backslash, and so are backslashes."""
    labels = ["two\tcells", "two\r\nlines", "C:\\new", "plain"]
    X = np.eye(4)
    onlinear.AROWClassifier().fit(X, labels).save(tmp_path / "m.safetensors")
    data = tmp_path / "data.svm"
    data.write_text("".join(f"{i + 1}:1\n" for i in range(4)))
    written = [r"two\tcells", r"two\r\nlines", r"C:\\new", "plain"]

    assert run("predict", tmp_path / "m.safetensors", data).out.split("\n") == [*written, ""]
    table = run("predict", tmp_path / "m.safetensors", data, "--proba", "--header").out.split("\n")[:-1]
    assert [line.split("\t")[0] for line in table] == ["label", *written]
    assert {len(line.split("\t")) for line in table} == {5}


def test_labels_of_a_ranker_are_told_apart(tmp_path: Path) -> None:
    """A comma of their own has a backslash before it."""
    model = onlinear.MultilabelRanker(threshold=0.0).fit(np.eye(2), [["a,b", "c\td"], ["a,b"]])
    model.save(tmp_path / "m.safetensors")
    (tmp_path / "data.svm").write_text("1:1\n")
    out = run("predict", tmp_path / "m.safetensors", tmp_path / "data.svm").out

    assert sorted(out.rstrip("\n").replace(r"\,", "\0").split(",")) == ["a\0b", r"c\td"]


def test_a_compact_model_says_that_it_is_one(two: tuple[Path, Path], tmp_path: Path) -> None:
    """The variances are in the model that it was made from, whatever its class."""
    data, path = two
    small = tmp_path / "small.safetensors"
    assert run("convert", path, small, "--compact").code == 0
    done = run("predict", small, data, "--std")
    assert done.code == 2
    assert "this is a compact export" in done.err
    assert "predict with the whole model" in done.err
    assert "use AROWClassifier" not in done.err


def test_a_class_stays_on_its_line_and_in_its_column() -> None:
    """Whatever characters a class has: those that end lines and columns are written as people write them."""
    assert cell("a\tb\nc\rd\\e") == "a\\tb\\nc\\rd\\\\e"
    assert cell("a,b", separators=",") == "a\\,b"
