"""The table: every door a row may come through, and every kind of column.

A model that was trained through one door is asked through every other, and the same row has the same columns and values,
bit for bit, or is refused with what to do.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import onlinear
from onlinear import AROWClassifier
from onlinear.exceptions import DataError, ParameterError, ReadError

Row = dict[str, Any]
Sparse = dict[int, float]

LABELS = ["p", "q", "p"]

#: Rows of each kind of column beside one of numbers, and the features they mean.
KINDS: dict[str, tuple[list[Row], list[dict[str, float]]]] = {
    "number": (
        [{"x": 2.5, "n": 1.0}, {"x": -3.0, "n": 2.0}, {"x": 0.0, "n": 0.1}],
        [{"x": 2.5, "n": 1.0}, {"x": -3.0, "n": 2.0}, {"n": 0.1}],
    ),
    "boolean": (
        [{"x": True, "n": 1.0}, {"x": False, "n": 2.0}, {"x": True, "n": 0.5}],
        [{"x": 1.0, "n": 1.0}, {"n": 2.0}, {"x": 1.0, "n": 0.5}],
    ),
    "category": (
        [{"x": "red", "n": 1.0}, {"x": "größe", "n": 2.0}, {"x": "a b", "n": 0.5}],
        [{"x=red": 1.0, "n": 1.0}, {"x=größe": 1.0, "n": 2.0}, {"x=a b": 1.0, "n": 0.5}],
    ),
    "text": (
        [{"text": "a good film"}, {"text": "dull dull film"}, {"text": "Naïve and good"}],
        [{"good": 0.5**0.5, "film": 0.5**0.5}, {"dull": 0.8**0.5, "film": 0.2**0.5}, {}],
    ),
    "list": (
        [{"x": ["a", "b"], "n": 1.0}, {"x": [], "n": 2.0}, {"x": ["b"], "n": 0.5}],
        [{"x=a": 1.0, "x=b": 1.0, "n": 1.0}, {"n": 2.0}, {"x=b": 1.0, "n": 0.5}],
    ),
    "missing": (
        [{"x": "red", "n": 1.0}, {"x": None, "n": 2.0}, {"x": "blue", "n": None}],
        [{"x=red": 1.0, "n": 1.0}, {"n": 2.0}, {"x=blue": 1.0}],
    ),
}


class Door(NamedTuple):
    """A way for rows to come.

    Attributes
    ----------
    kinds : set of str
        The kinds of columns that can be written there.
    give : callable
        Rows, with or without labels, as they come: a path to read, or what `fit` takes.
    is_file : bool
        Whether that is a path.
    """

    kinds: set[str]
    give: Callable[[list[Row], list[str] | None, Path], Any]
    is_file: bool = True


def labelled(rows: list[Row], labels: list[str] | None) -> list[Row]:
    """The rows with their labels among the columns."""
    return rows if labels is None else [{"label": y, **row} for row, y in zip(rows, labels, strict=True)]


def separated(ending: str, delimiter: str) -> Any:
    """A table of text."""

    def give(rows: list[Row], labels: list[str] | None, folder: Path) -> Path:
        path = folder / f"rows{ending}"
        with path.open("w", encoding="utf-8", newline="") as file:
            table = labelled(rows, labels)
            writer = csv.DictWriter(file, list(table[0]), delimiter=delimiter)
            writer.writeheader()
            writer.writerows(table)
        return path

    return give


def jsonl(rows: list[Row], labels: list[str] | None, folder: Path) -> Path:
    """A line of JSON each."""
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in labelled(rows, labels)))
    return path


def parquet(rows: list[Row], labels: list[str] | None, folder: Path) -> Path:
    """A table of typed columns."""
    pl.DataFrame(labelled(rows, labels)).write_parquet(folder / "rows.parquet")
    return folder / "rows.parquet"


def arrow(rows: list[Row], labels: list[str] | None, folder: Path) -> Path:
    """The same as Arrow writes it."""
    table = pa.Table.from_pylist(labelled(rows, labels))
    with pa.ipc.new_file(folder / "rows.arrow", table.schema) as file:
        file.write_table(table)
    return folder / "rows.arrow"


def vw(rows: list[Row], labels: list[str] | None, folder: Path) -> Path:
    """Names and numbers in the namespace without a name; classes are numbers."""
    lines = []
    for row, label in zip(rows, labels or [""] * len(rows), strict=True):
        there = [(name, value) for name, value in row.items() if value is not None]
        told = [f"{k}={v}" if isinstance(v, str) else f"{k}:{float(v)}" for k, v in there]
        lines.append(f"{ {'p': 1, 'q': 2}.get(label, '') } | {' '.join(told)}\n")
    (folder / "rows.vw").write_text("".join(lines), encoding="utf-8")
    return folder / "rows.vw"


def lines(rows: list[Row], labels: list[str] | None, folder: Path) -> Path:
    """A text each."""
    told = [f"{y}\t" for y in labels] if labels else [""] * len(rows)
    (folder / "rows.txt").write_text(
        "".join(f"{y}{row['text']}\n" for y, row in zip(told, rows, strict=True)), encoding="utf-8"
    )
    return folder / "rows.txt"


TABLES = {"number", "boolean", "category", "text", "missing"}
ALL = {*TABLES, "list"}
DOORS = {
    "vw": Door({"number", "boolean"}, vw),
    "csv": Door(TABLES, separated(".csv", ",")),
    "tsv": Door(TABLES, separated(".tsv", "\t")),
    "jsonl": Door(ALL, jsonl),
    "parquet": Door(ALL, parquet),
    "arrow": Door(ALL, arrow),
    "text": Door({"text"}, lines),
    "pandas": Door(ALL, lambda rows, *_: pd.DataFrame(rows), is_file=False),
    "polars": Door(ALL, lambda rows, *_: pl.DataFrame(rows), is_file=False),
    "table": Door(ALL, lambda rows, *_: pa.Table.from_pylist(rows), is_file=False),
    "dicts": Door(ALL, lambda rows, *_: rows, is_file=False),
    "texts": Door({"text"}, lambda rows, *_: [row["text"] for row in rows], is_file=False),
}


def asked(model: AROWClassifier, name: str, rows: list[Row], folder: Path) -> list[Sparse]:
    """The columns and values of some rows through a door, to a model."""
    door = DOORS[name]
    if door.is_file:
        (batch,) = onlinear.read(door.give(rows, None, folder), labelled=False, like=model)
        entries = batch.indptr, batch.indices, batch.values
        predicted = model.predict(batch.X)
    else:
        given = door.give(rows, None, folder)
        found = model._rows_to_read(given)
        entries = found.indptr, found.indices, found.data
        predicted = model.predict(given)
    ends, columns, values = (part.tolist() for part in entries)
    assert len(predicted) == len(rows)
    return [
        dict(zip(columns[first:last], np.float32(values[first:last]).tolist(), strict=True))
        for first, last in zip(ends[:-1], ends[1:], strict=True)
    ]


def trained(name: str, kind: str, folder: Path) -> AROWClassifier:
    """A model that has learned the rows of a kind through a door."""
    rows, door = KINDS[kind][0], DOORS[name]
    model = AROWClassifier(bits=18)
    told: dict[str, Any] = {"bits": 18, "hash": "murmur"}
    if kind == "text" and name not in ("jsonl", "text"):
        told["text"] = "text"
    if door.is_file:
        return model.fit_stream(onlinear.read(door.give(rows, LABELS, folder), **told))
    given = door.give(rows, None, folder)
    if kind in ("number", "boolean") or (kind == "text" and name in ("pandas", "polars", "table")):
        # Frames of numbers are matrices to `fit`, and strings are categories: `read` says otherwise.
        table = door.give(labelled(rows, LABELS), None, folder)
        return (
            model.fit_stream(onlinear.read(table, **told))
            if name != "dicts"
            else model.partial_fit(given, LABELS)
        )
    return model.partial_fit(given, LABELS)


def expected(model: AROWClassifier, features: dict[str, float]) -> Sparse:
    """The columns of features by name."""
    columns, values = model.model_.learner.handle.columns_of(features)
    return dict(zip(columns, np.float32(values).tolist(), strict=True))


def pairs() -> Iterator[tuple[str, str, str]]:
    """Every kind, a door to train through and another to ask through, where both can hold the kind."""
    for kind in KINDS:
        able = [name for name, door in DOORS.items() if kind in door.kinds]
        yield from ((kind, first, second) for first in able for second in able)


@pytest.mark.filterwarnings("ignore::onlinear.exceptions.ReadWarning")
@pytest.mark.parametrize(("kind", "first", "second"), list(pairs()))
def test_a_row_is_the_same_to_a_model_of_any_door(kind: str, first: str, second: str, tmp_path: Path) -> None:
    """Trained through the first door and asked through the second."""
    model = trained(first, kind, tmp_path)
    rows, means = KINDS[kind]
    found = asked(model, second, rows, tmp_path)

    if kind == "text":  # lengths are divided by, and the third is told by the door that was trained through
        for row, features in list(zip(found, means, strict=True))[:2]:
            assert row == pytest.approx(expected(model, features), rel=1e-6)
        assert found == asked(model, first, rows, tmp_path)
    else:
        assert found == [expected(model, features) for features in means]


@pytest.mark.parametrize("kind", KINDS)
def test_a_model_is_the_same_whatever_door_it_learned_through(kind: str, tmp_path: Path) -> None:
    """Bit for bit; Vowpal Wabbit's classes are numbers, which comes to the same."""
    able = [name for name, door in DOORS.items() if kind in door.kinds]

    assert len({trained(name, kind, tmp_path).digest() for name in able}) == 1


TIMES = [
    {"when": datetime(2024, 5, 1, 12, 30), "n": 1.0},
    {"when": datetime(2024, 5, 2, 12, 30), "n": 2.0},
    {"when": datetime(2024, 5, 3, 12, 30), "n": 3.0},
]


@pytest.mark.parametrize("written", [False, True], ids=["as times", "as words"])
@pytest.mark.parametrize("name", sorted(DOORS.keys() - {"vw", "text", "texts"}))
def test_times_are_refused_at_every_door(name: str, written: bool, tmp_path: Path) -> None:
    """With what to do about them."""
    as_words = [{**row, "when": row["when"].isoformat()} for row in TIMES]
    rows = as_words if written or name in ("jsonl", "csv", "tsv") else TIMES
    door = DOORS[name]
    with pytest.raises((DataError, TypeError), match="such as the hour.*when|when.*such as the hour"):
        if door.is_file:
            list(onlinear.read(door.give(rows, LABELS, tmp_path)))
        else:
            AROWClassifier().partial_fit(door.give(rows, None, tmp_path), LABELS)


def of_numbers() -> AROWClassifier:
    """A model of an array."""
    return AROWClassifier().partial_fit(np.array([[2.5, 1.0], [-3.0, 2.0], [0.0, 0.5]]), LABELS)


def of_svmlight(folder: Path) -> AROWClassifier:
    """The same from a file."""
    (folder / "rows.svm").write_text("p 1:2.5 2:1\nq 1:-3 2:2\np 2:0.5\n")
    return AROWClassifier().fit_stream(onlinear.read(folder / "rows.svm"))


@pytest.mark.parametrize("name", [name for name, door in DOORS.items() if door.is_file])
def test_models_of_numbered_columns_refuse_doors_of_names(name: str, tmp_path: Path) -> None:
    """And say which doors there are."""
    kind = "text" if name == "text" else "number"
    path = DOORS[name].give(KINDS[kind][0], None, tmp_path)
    frame = pd.DataFrame(KINDS["number"][0])
    of_frame = AROWClassifier().partial_fit(frame, LABELS)
    for model in (of_numbers(), of_svmlight(tmp_path), of_frame):
        with pytest.raises(
            ParameterError, match=rf"{path.name} is {name}, where columns are hashed names.*svmlight"
        ):
            list(onlinear.read(path, labelled=False, like=model))


def test_models_of_numbered_columns_refuse_words_and_names() -> None:
    """Of dicts, frames and texts."""
    model = of_numbers()
    with pytest.raises(DataError, match="X names features, and the model knows its columns by number"):
        model.predict([{"x": 1.0}])
    with pytest.raises(DataError, match='column "x" of X holds String'):
        model.predict(pd.DataFrame({"x": ["a"], "n": [1.0]}))
    with pytest.raises(DataError, match="X holds texts, and the model has learned from columns of numbers"):
        model.predict(["a film"])
    assert model.predict([{0: 2.5, 1: 1.0}]) == model.predict([[2.5, 1.0]])


@pytest.mark.parametrize("name", sorted(DOORS))
def test_models_of_names_refuse_doors_of_numbers(name: str, tmp_path: Path) -> None:
    """Arrays and svmlight have no names."""
    model = trained(name, "text" if name in ("text", "texts") else "number", tmp_path)
    (tmp_path / "other.svm").write_text("1:2.5 2:1\n")
    with pytest.raises(ParameterError, match=r"other\.svm is svmlight.*by their names"):
        list(onlinear.read(tmp_path / "other.svm", like=model, labelled=False))
    with pytest.raises(DataError, match="array of 2 columns without names.*data frame, dicts, or files"):
        model.predict(np.array([[2.5, 1.0]]))


def test_models_of_one_door_name_the_columns_of_another_that_lack(tmp_path: Path) -> None:
    """Whatever the door; an option allows it, and an absent key of a dict is absent."""
    model = trained("csv", "category", tmp_path)
    for name in ("csv", "tsv", "parquet", "arrow"):
        path = DOORS[name].give([{"n": 1.0}], None, tmp_path)
        with pytest.raises(
            ReadError, match=r'called "x", which the model has learned from.*allow_missing=True'
        ):
            list(onlinear.read(path, labelled=False, like=model))
        (batch,) = onlinear.read(path, labelled=False, like=model, allow_missing=True)
        assert batch.values.tolist() == [1.0]
    for name in ("pandas", "polars", "table"):
        with pytest.raises(DataError, match='X has no column "x", which the model has learned from'):
            model.predict(DOORS[name].give([{"n": 1.0}], None, tmp_path))
    assert asked(model, "dicts", [{"n": 1.0}], tmp_path) == [expected(model, {"n": 1.0})]
    assert asked(model, "jsonl", [{"n": 1.0}], tmp_path) == [expected(model, {"n": 1.0})]
