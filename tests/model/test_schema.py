"""One row, one meaning: the same names are the same columns through whichever door a row comes."""

from __future__ import annotations

import csv
import datetime as dt
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onlinear
from onlinear import AROWClassifier
from onlinear.exceptions import DataError, ParameterError, ReadError

from ..cli.commands import onlinear as run
from ..hostile.crafting import edited

HASHES = ["murmur", "murmur-signed", "vw"]
ROW = {"age": 31.5, "city": "Rome", "größe": -2.0, "12": 0.25, "new": True, "old": False, "left": None}
NUMBERS = {"age": 31.5, "city=Rome": 1.0, "größe": -2.0, "12": 0.25, "new": 1.0}


def through_jsonl(row: dict[str, Any], folder: Path) -> Path:
    """A line of JSON."""
    (folder / "row.jsonl").write_text(json.dumps(row) + "\n")
    return folder / "row.jsonl"


def through_csv(row: dict[str, Any], folder: Path) -> Path:
    """A record under a header."""
    with (folder / "row.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([row.keys(), row.values()])
    return folder / "row.csv"


def through_parquet(row: dict[str, Any], folder: Path) -> Path:
    """A row of a table."""
    pd.DataFrame([row]).to_parquet(folder / "row.parquet")
    return folder / "row.parquet"


def through_vw(row: dict[str, Any], folder: Path) -> Path:
    """Features in the namespace without a name."""
    there = {name: value for name, value in row.items() if value is not None}
    told = [f"{k}={v}" if isinstance(v, str) else f"{k}:{float(v)}" for k, v in there.items()]
    (folder / "row.vw").write_text("| " + " ".join(told) + "\n")
    return folder / "row.vw"


DOORS = [through_jsonl, through_csv, through_parquet, through_vw]


def read_row(path: Path, **told: Any) -> dict[int, float]:
    """The columns and values of the one row of a file."""
    (batch,) = onlinear.read(path, bits=18, labelled=False, **told)
    return dict(zip(batch.indices.tolist(), batch.values.tolist(), strict=True))


def read_dict(row: dict[str, Any], hash: str) -> dict[int, float]:
    """The columns and values of a dict, to a model that hashes so."""
    model = AROWClassifier(bits=18).learn_one({"something": 1.0}, "else")
    native = model.model_.learner
    native.hash_names(hash, 18)
    columns, values = native.handle.columns_of(row)
    return dict(zip(columns, values, strict=True))


@pytest.mark.parametrize("hash", HASHES)
@pytest.mark.parametrize("door", DOORS)
def test_a_row_is_the_same_through_every_door(door: Any, hash: str, tmp_path: Path) -> None:
    """Columns and values are those of the dict."""
    assert read_row(door(ROW, tmp_path), hash=hash) == read_dict(ROW, hash)
    assert read_dict(ROW, hash) == read_dict(NUMBERS, hash)


def test_lists_are_categories_each_and_nothing_is_no_feature(tmp_path: Path) -> None:
    """Through the doors that have lists."""
    row = {"tags": ["a", "b"], "none": [], "age": 2.0, "gone": None, "zero": 0}
    same = {"tags=a": 1, "tags=b": 1, "age": 2.0}

    assert read_dict(row, "murmur") == read_dict(same, "murmur")
    for door in (through_jsonl, through_parquet):
        assert read_row(door(row, tmp_path)) == read_dict(row, "murmur")
    assert read_dict({"tags": ("a", "b")}, "murmur") == read_dict({"tags": ["a", "b"]}, "murmur")


TIMES = ["2024-05-01 12:30", "2024-05-01T12:30:59.5Z", "0000-99-99 99:99+02:00"]


@pytest.mark.parametrize("door", [through_jsonl, through_csv, through_parquet])
@pytest.mark.parametrize("time", TIMES)
def test_a_time_is_refused_with_what_to_do(door: Any, time: str, tmp_path: Path) -> None:
    """As a category every row would have its own. Dates are categories, and so is what was called one."""
    path = door({"when": time, "age": 3.0}, tmp_path)
    with pytest.raises(
        ReadError, match=r"row\..*:.*expected a number or a category, found .*such as the hour"
    ):
        read_row(path)

    assert read_row(path, ignore="when") == read_dict({"age": 3.0}, "murmur")
    categories = read_row(path, categorical="when")
    assert categories == read_row(through_jsonl({"age": 3.0, f"when={time}": 1}, tmp_path))
    assert len(read_row(door({"when": "2024-05-01"}, tmp_path))) == 1


@pytest.mark.parametrize(
    "time", [*TIMES, dt.datetime(2024, 5, 1), dt.date(2024, 5, 1), np.datetime64("2024-05-01")]
)
def test_a_dict_with_a_time_is_refused_with_what_to_do(time: Any) -> None:
    """Whatever holds it."""
    model = AROWClassifier().learn_one({"a": 1}, "x")
    before = model.digest()
    with pytest.raises((DataError, TypeError), match="'when'.*such as the hour"):
        model.learn_one({"a": 1, "when": time}, "y")

    assert model.digest() == before


def test_a_column_of_times_is_refused_by_name(tmp_path: Path) -> None:
    """Its type says what it is."""
    pd.DataFrame({"when": pd.to_datetime(["2024-05-01"]), "age": [3.0]}).to_parquet(tmp_path / "t.parquet")
    with pytest.raises(
        ReadError, match='column "when" has type timestamp.*such as the hour.*ignore=."when".'
    ):
        read_row(tmp_path / "t.parquet")


def test_a_category_is_named_alike_whatever_holds_it(tmp_path: Path) -> None:
    """Numbers and truth that were said to be categories."""
    for row in ({"zip": 501, "new": True}, {"zip": 501.0, "new": True}):
        for door in (through_jsonl, through_parquet):
            got = read_row(door(row, tmp_path), categorical=["zip", "new"])
            assert got == read_dict({"zip=501": 1, "new=true": 1}, "murmur")
    (tmp_path / "row.csv").write_text("zip,new\n00501,true\n")
    assert read_row(tmp_path / "row.csv", categorical=["zip", "new"]) == read_dict(
        {"zip=00501": 1, "new=true": 1}, "murmur"
    )


def test_older_models_read_truth_and_times_as_they_did(tmp_path: Path) -> None:
    """A table's true and false were categories, and so were times."""
    path = through_csv({"new": "true", "when": TIMES[0]}, tmp_path)
    older = read_row(path, hash="murmur", alternate_sign=True)

    assert older == read_dict({"new=true": 1, f"when={TIMES[0]}": 1}, "older")


@pytest.mark.parametrize("hash", HASHES)
def test_a_word_is_the_same_in_a_text_and_as_a_name(hash: str, tmp_path: Path) -> None:
    """Counted, a text is the dict of its words."""
    (tmp_path / "t.txt").write_text("the cat and the dog saw 12 cats\n")
    words = {"the": 2, "cat": 1, "and": 1, "dog": 1, "saw": 1, "12": 1, "cats": 1}

    assert read_row(tmp_path / "t.txt", hash=hash, norm=None) == read_dict(words, hash)


@given(
    st.lists(st.text(min_size=1, max_size=12), min_size=1, max_size=20, unique=True), st.sampled_from(HASHES)
)
@settings(max_examples=60, deadline=None)
def test_any_name_is_the_same_in_json_and_in_a_dict(names: list[str], hash: str) -> None:
    """Also where it has hats, digits, quotes or letters of any script."""
    row = {name: float(i + 1) for i, name in enumerate(names)}
    line = io.BytesIO((json.dumps({"features": row}) + "\n").encode())
    (batch,) = onlinear.read(line, "jsonl", bits=18, labelled=False, hash=hash)

    assert dict(zip(batch.indices.tolist(), batch.values.tolist(), strict=True)) == read_dict(row, hash)


WORDS = ("free", "money", "now", "lunch", "at", "noon", "prize", "notes", "of")


def lines(tmp_path: Path) -> Path:
    """Texts whose words tell their class."""
    told = [
        ("spam", "free money now"),
        ("ham", "lunch at noon"),
        ("spam", "free prize"),
        ("ham", "notes of lunch"),
    ]
    (tmp_path / "t.jsonl").write_text(
        "".join(json.dumps({"label": y, "text": x}) + "\n" for y, x in told * 5)
    )
    return tmp_path / "t.jsonl"


@pytest.mark.parametrize("hash", HASHES)
def test_a_model_of_texts_knows_the_words_of_a_dict(hash: str, tmp_path: Path) -> None:
    """Whatever the hash: the file says which."""
    saved = tmp_path / "m.safetensors"
    assert run("train", lines(tmp_path), "--hash", hash, "--bits", "16", "-q", "--save", saved).code == 0
    model = onlinear.load(saved)

    assert [model.predict_one({word: 1}) for word in ("free", "prize", "lunch", "notes")] == [
        "spam",
        "spam",
        "ham",
        "ham",
    ]
    model.learn_one({"lunch": 1.0}, "spam").save(tmp_path / "again.safetensors")
    assert onlinear.load(tmp_path / "again.safetensors").digest() == model.digest()


def test_new_models_hash_words_and_names_alike(tmp_path: Path) -> None:
    """By MurmurHash3 and without signs, unless they read the files of Vowpal Wabbit."""
    assert read_row(through_jsonl(ROW, tmp_path)) == read_dict(ROW, "murmur")
    assert read_row(through_vw(ROW, tmp_path)) == read_dict(ROW, "vw")


@pytest.mark.parametrize(
    ("told", "named"),
    [
        ({"hash": "vw"}, "hash='vw'"),
        ({"bits": 12}, "bits=12"),
        ({"alternate_sign": True}, "hash='murmur-signed'"),
    ],
)
def test_rows_that_were_read_in_another_way_are_refused(
    told: dict[str, Any], named: str, tmp_path: Path
) -> None:
    """The message names both ways, and what to say instead; nothing is learned."""
    model = AROWClassifier().fit_stream(onlinear.read(lines(tmp_path)))
    before = model.digest()
    with pytest.raises(DataError, match=r"t\.jsonl:1: the model was learned from names with") as error:
        model.fit_stream(onlinear.read(lines(tmp_path), **told))

    assert named in str(error.value)
    assert "read(..., hash='murmur', bits=20)" in str(error.value)
    assert model.digest() == before


def test_dicts_decide_as_files_do(tmp_path: Path) -> None:
    """What was learned from dicts first is not to be read otherwise then."""
    model = AROWClassifier().learn_one({"free": 1}, "spam").learn_one({"lunch": 1}, "ham")
    with pytest.raises(DataError, match="hash='vw'"):
        model.fit_stream(onlinear.read(lines(tmp_path), hash="vw"))
    model.fit_stream(onlinear.read(lines(tmp_path)))
    assert model.predict_one({"prize": 1}) == "spam"


def test_the_command_line_refuses_another_hash(tmp_path: Path) -> None:
    """Before it reads anything."""
    saved = tmp_path / "m.safetensors"
    run("train", lines(tmp_path), "-q", "--save", saved)
    done = run("predict", saved, lines(tmp_path), "--hash", "vw")

    assert done.code == 2
    assert "--hash vw: the model's names are hashed by murmur; leave it out" in done.err


def test_a_hash_that_is_none_is_refused(tmp_path: Path) -> None:
    """With what there is."""
    with pytest.raises(ParameterError, match="hash"):
        onlinear.read(lines(tmp_path), hash="md5")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="give one of them"):
        onlinear.read(lines(tmp_path), hash="murmur-signed", alternate_sign=False)


def test_models_without_a_schema_keep_their_ways(tmp_path: Path) -> None:
    """Signs for the words of texts, none for names, and they go on so."""
    saved = tmp_path / "m.safetensors"
    run("train", lines(tmp_path), "--hash", "murmur-signed", "-q", "--save", saved)
    texts = run("predict", saved, lines(tmp_path), "--scores").out
    model = onlinear.load(saved)
    negative = sorted(model.model_.schema.negative(model.model_.learner.handle.words()))
    edited(saved, lambda content, _: (content.pop("schema"), content["input"].update(negative=negative)))
    older = onlinear.load(saved)

    assert negative
    assert run("predict", saved, lines(tmp_path), "--scores").out == texts
    assert older.model_.schema.hash == "older"
    assert older.model_.learner.handle.columns_of(dict.fromkeys(WORDS, 1.0))[1] == [1.0] * len(WORDS)
    older.save(saved)
    assert onlinear.load(saved).model_.schema.hash == "older"
