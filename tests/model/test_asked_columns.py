"""What a model that knows its columns asks of a file, and what is told of columns."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from typing import Any

import pytest

import onlinear
from onlinear import AROWClassifier
from onlinear.exceptions import DataError, ParameterError, ReadError, ReadWarning
from onlinear.io import Note

from ..cli.commands import onlinear as run

TRAINING = "label,age,city,when,w\np,31,Rome,x,1\nq,20,Oslo,y,2\np,30,Rome,z,1\n"


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model of the command line, trained without one of the columns and with weights."""
    (tmp_path / "train.csv").write_text(TRAINING)
    saved = tmp_path / "m.safetensors"
    done = run("train", tmp_path / "train.csv", "--ignore", "when", "--weight", "w", "-q", "--save", saved)
    assert done.code == 0
    return saved


def test_ignored_weight_and_label_columns_are_not_needed(model: Path, tmp_path: Path) -> None:
    """Neither are options that were given once."""
    (tmp_path / "a.csv").write_text("city,age\nRome,31\nOslo,20\n")
    (tmp_path / "b.csv").write_text("age,when,city,w,label\n31,?,Rome,1,p\n20,?,Oslo,2,q\n")
    for name in ("a.csv", "b.csv"):
        done = run("predict", model, tmp_path / name, "--scores")
        assert (done.code, done.err) == (0, "")
        assert [line.split("\t")[0] for line in done.out.splitlines()] == ["p", "q"]
    assert run("predict", model, tmp_path / "a.csv").out == run("predict", model, tmp_path / "b.csv").out
    assert run("evaluate", model, tmp_path / "b.csv").code == 0
    assert run("predict", model, tmp_path / "a.csv", "--ignore", "when").code == 0


def test_a_feature_column_that_is_missing_is_named(model: Path, tmp_path: Path) -> None:
    """Unless it may be."""
    (tmp_path / "a.csv").write_text("age\n31\n")
    done = run("predict", model, tmp_path / "a.csv")
    assert done.code == 1
    assert 'a.csv:1:1: expected a column called "city", which the model has learned from' in done.err
    assert "--allow-missing" in done.err
    done = run("predict", model, tmp_path / "a.csv", "--allow-missing")
    assert (done.code, done.out.strip()) == (0, "p")


def test_unknown_columns_are_passed_over_and_told_once(model: Path, tmp_path: Path) -> None:
    """However many files have them."""
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("age,city,fresh,new\n31,Rome,1,2\n")
    done = run("predict", model, tmp_path / "a.csv", tmp_path / "b.csv", "--scores")
    (tmp_path / "c.csv").write_text("age,city\n31,Rome\n")
    assert done.out.splitlines() == run("predict", model, tmp_path / "c.csv", "--scores").out.splitlines() * 2
    assert done.err.count('"fresh", "new" are none of the columns the model has learned from') == 1
    assert run("predict", model, tmp_path / "a.csv", "-q").err == ""


def test_a_column_is_to_a_model_what_it_was(model: Path, tmp_path: Path) -> None:
    """Whatever its first cell is here."""
    (tmp_path / "a.csv").write_text("age,city\n31,17\n31,Rome\n")
    assert run("predict", model, tmp_path / "a.csv").code == 0
    (tmp_path / "b.csv").write_text("age,city\nold,Rome\n")
    assert 'expected a number in column "age", found "old"' in run("predict", model, tmp_path / "b.csv").err


def test_missing_texts_are_named(tmp_path: Path) -> None:
    """In JSON Lines; a line that says what its features are needs none, nor has a mixture of lines ever."""
    (tmp_path / "t.jsonl").write_text('{"label": "p", "note": "good"}\n{"label": "q", "note": "bad"}\n' * 3)
    saved = tmp_path / "m.safetensors"
    assert run("train", tmp_path / "t.jsonl", "--text", "note", "-q", "--save", saved).code == 0
    good = run(
        "predict", saved, "-f", "jsonl", stdin=b'{"note": "good", "id": 7}\n{"features": {"bad": 1}}\n'
    )
    assert (good.code, good.out.split()) == (0, ["p", "q"])

    done = run("predict", saved, "-f", "jsonl", stdin=b'{"nota": "good"}\n')
    assert done.code == 1
    assert 'expected the key "note", whose text the model has learned from, found the keys "nota"' in done.err
    done = run("predict", saved, "-f", "jsonl", "--allow-missing", stdin=b'{"nota": "good"}\n{"nota": "x"}\n')
    assert done.code == 0
    assert done.err.count('"nota" is none of the columns') == 1

    mixed = AROWClassifier().fit_stream(
        onlinear.read(io.BytesIO(b'{"label": 0, "text": "good"}\n{"label": 1, "n": 2}\n'), "jsonl")
    )
    (batch,) = onlinear.read(io.BytesIO(b'{"n": 3}\n{"m": 1}\n'), "jsonl", like=mixed)
    assert batch.indptr.tolist() == [0, 1, 2]


def test_texts_alone_do_not_do_for_a_model_of_columns(tmp_path: Path) -> None:
    """Lines of text have no others."""
    model = AROWClassifier().fit_stream(
        onlinear.read(io.BytesIO(b"label,note,age\np,good,1\nq,bad,2\n"), "csv", text="note")
    )
    with pytest.raises(
        ReadError, match="lines of text lack the columns age, which the model has learned from"
    ):
        list(onlinear.read(io.BytesIO(b"good\n"), "text", like=model))
    (batch,) = onlinear.read(io.BytesIO(b"good\n"), "text", like=model, allow_missing=True)
    assert batch.n_rows == 1


def test_rows_are_read_as_a_model_reads_them() -> None:
    """`like` says it all; what is said beside it must not say otherwise."""
    lines = b'{"label": 0, "text": "not good"}\n{"label": 1, "text": "not bad"}\n'
    told: dict[str, Any] = {"bits": 12, "hash": "murmur-signed", "ngram_range": (1, 2), "weighting": "binary"}
    model = AROWClassifier().fit_stream(onlinear.read(io.BytesIO(lines), "jsonl", **told))
    (batch,) = onlinear.read(io.BytesIO(lines), "jsonl", like=model)
    (same,) = onlinear.read(io.BytesIO(lines), "jsonl", **told)

    assert batch.indices.tolist() == same.indices.tolist()
    assert batch.values.tolist() == same.values.tolist()
    model.fit_stream(onlinear.read(io.BytesIO(lines), "jsonl", like=model))
    with pytest.raises(ParameterError, match="bits=10, and the model in like= reads with bits=12"):
        onlinear.read(io.BytesIO(lines), "jsonl", bits=10, like=model)
    with pytest.raises(
        ParameterError, match="like must be a model or an estimator that has learned, got AROW"
    ):
        onlinear.read(io.BytesIO(lines), "jsonl", like=AROWClassifier())


def test_a_column_of_another_kind_is_not_learned() -> None:
    """Its features would have other names."""
    model = AROWClassifier().fit_stream(onlinear.read(io.BytesIO(b"label,zip\np,501\nq,502\n"), "csv"))
    before = model.digest()
    with pytest.raises(
        DataError, match=r'column "zip" was taken for numeric.*categorical here.*numeric=\["zip"\]'
    ):
        model.fit_stream(onlinear.read(io.BytesIO(b"label,zip\np,A1\n"), "csv"))
    assert model.digest() == before


def notes_of(text: str, **told: Any) -> list[Note]:
    """What a reader tells of a table."""
    reader = onlinear.read(io.BytesIO(text.encode()), "csv", batch_size=1, **told)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReadWarning)
        list(reader)
    return reader.notes


def test_a_guess_is_told_with_what_to_say() -> None:
    """A word in the first cell makes categories of a column; said once, it is not told."""
    (note,) = notes_of("y,a,b\n0,1,red\n1,2,blue\n0,3,red\n")
    assert not note.doubtful
    assert 'stream:2: column "b" ("red") taken for categories, since its first cell is a word' in note.text
    assert '--categorical "b"' in note.text
    assert notes_of("y,a,b\n0,1,red\n", categorical="b") == []
    assert notes_of("y,a,b\n0,1,\n0,1,\n") == []


def test_a_number_in_a_guessed_column_is_told_with_its_line() -> None:
    """Once: the word may have meant that there is no value."""
    text = "y,a\n0,n/a\n1,x\n0,17\n1,18\n"
    guess, doubt = notes_of(text)
    assert 'column "a" ("n/a")' in guess.text
    assert doubt.doubtful
    assert doubt.text.startswith(
        'stream:4: column "a" was taken for categories, since its first cell is "n/a"'
    )
    assert "number 17" in doubt.text
    assert 'missing=["n/a"] (--missing "n/a")' in doubt.text
    with pytest.warns(ReadWarning, match="here is the number 17"):
        list(onlinear.read(io.BytesIO(text.encode()), "csv"))
    assert notes_of("y,a\n0,n/a\n1,3\n0,17\n", missing="n/a") == []


def test_the_command_line_tells_it_too(tmp_path: Path) -> None:
    """On standard error, in the first pass alone, and not when it is quiet."""
    (tmp_path / "a.csv").write_text("label,zip\np,n/a\nq,501\n")
    done = run("train", tmp_path / "a.csv", "--passes", 3)
    assert done.err.count('column "zip" ("n/a") taken for categories') == 1
    assert done.err.count("here is the number 501") == 1
    assert run("train", tmp_path / "a.csv", "-q").err == ""


def test_the_answer_in_a_dict_is_no_feature() -> None:
    """Nor is what was ignored, to a model that has met both in a table; a model of texts takes them for words."""
    table = io.BytesIO(b"label,age,id,zip\n1,31,7,501\n0,20,8,502\n")
    model = AROWClassifier().fit_stream(onlinear.read(table, "csv", ignore="id", categorical="zip"))
    columns_of = model.model_.learner.handle.columns_of

    assert columns_of({"age": 3.0, "label": 1, "id": 9}) == columns_of({"age": 3.0})
    assert columns_of({"age": 3.0, "zip": 501}) == columns_of({"age": 3.0, "zip=501": 1.0})
    of_texts = AROWClassifier().fit_stream(
        onlinear.read(io.BytesIO(b'{"label": 1, "text": "a label"}\n'), "jsonl")
    )
    assert len(of_texts.model_.learner.handle.columns_of({"label": 1.0})[0]) == 1
