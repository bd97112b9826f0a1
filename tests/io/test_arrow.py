"""Parquet and Arrow through pyarrow."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest

from onlinear import read
from onlinear.exceptions import ParameterError, ReadError

from .reading import until_error
from .test_csv import hashed

TABLE = pa.table(
    {
        "label": ["spam", "ham", "spam", "ham"],
        "age": pa.array([31.5, None, 0.0, -2.0]),
        "count": pa.array([1, 2, None, 2**40], pa.int64()),
        "city": pa.array(["Rome", None, "", "Oslo"]),
        "kind": pa.array(["x", "y", "x", "y"]).dictionary_encode(),
        "tags": pa.array([["a", "b"], [], None, ["b", "b"]]),
        "flag": pa.array([True, False, None, True]),
    }
)
EXPECTED = [
    (
        "spam",
        hashed({"age": 31.5, "count": 1, "city": "Rome", "kind": "x", "tags=a": 1, "tags=b": 1, "flag": 1}),
    ),
    ("ham", hashed({"count": 2, "kind": "y"})),
    ("spam", hashed({"kind": "x"})),
    ("ham", hashed({"age": -2, "count": 2.0**40, "city": "Oslo", "kind": "y", "tags=b": 2, "flag": 1})),
]


def rows(source: Any, **settings: Any) -> list[tuple[Any, dict[int, float]]]:
    """Read to the end, as (label, features) pairs."""
    out = []
    for batch in read(source, **settings):
        labels = list(batch.y)
        for i in range(batch.n_rows):
            part = slice(batch.indptr[i], batch.indptr[i + 1])
            columns = batch.indices[part].tolist()
            assert columns == sorted(set(columns))
            out.append((labels[i], dict(zip(columns, batch.values[part].tolist(), strict=True))))
    return out


@pytest.fixture(params=["parquet", "file", "stream", "stream.gz"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """Return TABLE written in each way."""
    path = tmp_path / f"data.{'parquet' if request.param == 'parquet' else 'arrow'}"
    match request.param:
        case "parquet":
            pa.parquet.write_table(TABLE, path, row_group_size=3)
        case "file":
            with pa.ipc.new_file(path, TABLE.schema) as writer:
                writer.write_table(TABLE, max_chunksize=3)
        case _:
            out = io.BytesIO()
            with pa.ipc.new_stream(out, TABLE.schema) as writer:
                writer.write_table(TABLE, max_chunksize=3)
            data = out.getvalue()
            path.write_bytes(gzip.compress(data) if request.param.endswith("gz") else data)
    return path


def test_columns_mean_what_they_mean_in_csv(path: Path) -> None:
    """Numbers, strings, dictionaries, lists, truth; null and zero are nothing."""
    assert rows(path) == EXPECTED


@pytest.mark.parametrize("size", [1, 2, 3, 100])
def test_batches_do_not_change_the_rows(path: Path, size: int) -> None:
    """Nor do row groups."""
    assert rows(path, batch_size=size) == EXPECTED


def write(tmp_path: Path, columns: dict[str, Any]) -> Path:
    """Write a Parquet file."""
    path = tmp_path / "data.parquet"
    pa.parquet.write_table(pa.table(columns), path)
    return path


def test_labels_weights_tags_and_text(tmp_path: Path) -> None:
    """Named as in CSV."""
    path = write(
        tmp_path, {"y": [1, 0], "w": [0.5, 2.0], "id": ["a", "b"], "note": ["good good", None], "z": [1, 1]}
    )
    (batch,) = list(
        read(path, weight="w", tag="id", text="note", ignore="z", norm=None, alternate_sign=False)
    )

    assert batch.y.tolist() == [1, 0]
    assert batch.weight is not None
    assert batch.weight.tolist() == [0.5, 2]
    assert batch.tags == ["a", "b"]
    assert batch.values.tolist() == [2]
    assert batch.lines.tolist() == [1, 2]


def test_number_labels_written_as_strings_are_numbers(tmp_path: Path) -> None:
    """As everywhere; several labels come from lists."""
    assert [label for label, _ in rows(write(tmp_path, {"label": ["+1", "1.0", "-1"]}))] == [1, 1, -1]
    several = write(tmp_path, {"label": [["a", "b"], [], ["c"]], "x": [1, 2, 3]})
    assert [label for label, _ in rows(several, multilabel=True)] == [("a", "b"), (), ("c",)]
    with pytest.raises(ParameterError, match="multilabel=True"):
        rows(several)


def test_a_bad_row_is_named_or_passed_over(tmp_path: Path) -> None:
    """By its number; the rows before it come first."""
    path = write(tmp_path, {"label": [1.0, 2.0, float("nan"), 4.0], "x": [1.0, float("inf"), 3.0, 1e300]})
    seen, error = until_error(read(path))
    assert seen == [1]
    assert 'data.parquet:2:2: expected a finite value, found "inf"' in str(error)
    reader = read(path, on_error="skip")
    assert [label for batch in reader for label in batch.y] == [1]
    assert [problem.line for problem in reader.problems] == [2, 3, 4]
    with pytest.raises(ReadError, match=r"data\.parquet:3:1"):
        list(read(path, on_error="skip", max_errors=1))


def test_missing_labels(tmp_path: Path) -> None:
    """Null is none; required, it is refused; a label column that is not there is named."""
    path = write(tmp_path, {"label": [1, None], "x": [1, 2]})
    (batch,) = list(read(path))
    assert not batch.has_labels
    with pytest.raises(ReadError, match="2:1: expected a label"):
        list(read(path, labelled=True))
    with pytest.raises(ReadError, match='no column is called "label"'):
        list(read(write(tmp_path, {"x": [1]}), labelled=True))
    with pytest.raises(ReadError, match='no column is called "nope"'):
        list(read(write(tmp_path, {"x": [1]}), weight="nope"))


def test_types_that_are_no_features_are_named(tmp_path: Path) -> None:
    """And can be ignored."""
    path = write(tmp_path, {"label": [1], "when": np.array(["2020-01-01"], "datetime64[s]"), "x": [2]})
    with pytest.raises(ReadError, match=r'column "when" has type timestamp.*ignore=\["when"\]'):
        list(read(path))
    assert rows(path, ignore="when") == [(1.0, hashed({"x": 2}))]


def test_numbers_may_be_categories(tmp_path: Path) -> None:
    """When said."""
    path = write(tmp_path, {"label": [1], "zip": [12345]})
    assert rows(path, categorical="zip") == [(1.0, hashed({"zip": "12345"}))]


def test_names_are_kept_when_asked(tmp_path: Path) -> None:
    """Those of words in text too."""
    reader = read(write(tmp_path, {"label": [1], "x": [2], "note": ["word"]}), text="note", max_names=10)
    list(reader)
    assert sorted(reader.names.values()) == ["word", "x"]
    assert reader.schema == {"label": "label", "x": "numeric", "note": "text"}


def test_a_damaged_file_is_an_error(tmp_path: Path) -> None:
    """Cut short, or something else with that name; Parquet through a pipe too."""
    path = write(tmp_path, {"label": [1], "x": [2]})
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(ReadError, match="not a readable parquet file"):
        list(read(path))
    path.write_bytes(gzip.compress(data))
    with pytest.raises(ReadError, match="read from its end"):
        list(read(path))
    arrow = tmp_path / "x.arrow"
    arrow.write_bytes(b"nonsense that is no arrow")
    with pytest.raises(ReadError, match="not a readable arrow file"):
        list(read(arrow))


def test_strings_as_polars_writes_them() -> None:
    """Arrow's string views are strings."""
    import polars as pl

    written = io.BytesIO()
    pl.DataFrame({"label": ["a", "b"], "city": ["Rome", "Bern"], "n": [1.0, 2.0]}).write_ipc(written)
    table, plain = pa.table({"label": ["a", "b"], "city": ["Rome", "Bern"], "n": [1.0, 2.0]}), io.BytesIO()
    with pa.ipc.new_file(plain, table.schema) as out:
        out.write_table(table)
    first, second = (next(read(io.BytesIO(each.getvalue()), format="arrow")) for each in (written, plain))
    assert first.y.tolist() == ["a", "b"]
    assert (first.X != second.X).nnz == 0


@pytest.mark.parametrize("names", [["label", "label", "a"], ["label", "a", "a"]], ids=str)
def test_two_columns_of_one_name_are_refused(names: list[str]) -> None:
    """As in CSV."""
    table = pa.Table.from_arrays([pa.array([1.0, 2.0])] * 3, names=names)
    written = io.BytesIO()
    with pa.ipc.new_file(written, table.schema) as out:
        out.write_table(table)
    with pytest.raises(ReadError, match="two columns are called"):
        list(read(io.BytesIO(written.getvalue()), format="arrow"))


def test_a_value_too_large_is_told_from_one_that_is_missing() -> None:
    """Each has its remedy."""
    for value, remedy in ((1e300, "Scale the column"), (float("inf"), "Use null")):
        written, table = io.BytesIO(), pa.table({"label": ["a"], "n": [value]})
        with pa.ipc.new_file(written, table.schema) as out:
            out.write_table(table)
        with pytest.raises(ReadError, match=remedy):
            list(read(io.BytesIO(written.getvalue()), format="arrow"))
