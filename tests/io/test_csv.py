"""CSV and TSV with a header."""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher

from onlinear import read
from onlinear.exceptions import ParameterError, ReadError, ReadWarning

from .reading import batches, rows


def hashed(features: dict[str, Any]) -> dict[int, float]:
    """Return what scikit-learn's FeatureHasher makes of a row."""
    X = FeatureHasher(n_features=2**20, alternate_sign=False).transform([features])
    return dict(zip(X.indices.tolist(), X.data.astype(np.float32).tolist(), strict=True))


def test_columns_are_feature_hashers() -> None:
    """A number is the feature of its column, a word the feature column=word."""
    text = "label,age,city\n1,31.5,Rome\n0,0,Oslo\n1,-2e3,\n"

    assert rows(text, "csv") == [
        (1.0, hashed({"age": 31.5, "city": "Rome"})),
        (0.0, hashed({"city": "Oslo"})),
        (1.0, hashed({"age": -2000})),
    ]


@pytest.mark.parametrize("name", ["label", "Label", "target", "class", "y", "Y"])
def test_the_label_is_found_by_its_usual_names(name: str) -> None:
    """Or by the one that was given."""
    assert rows(f"a,{name}\n2,spam\n", "csv") == [("spam", hashed({"a": 2}))]
    assert rows(f"a,{name}\n2,spam\n", "csv", label="a") == [(2.0, hashed({name: "spam"}))]


def test_without_a_label_column_rows_have_none() -> None:
    """Unless labels are required; then the columns are listed."""
    (batch,) = batches("a,b\n1,2\n", "csv")
    assert not batch.has_labels
    with pytest.raises(
        ReadError, match=r'stream:1:1: expected a column called "label", found the columns "a, b"'
    ):
        batches("a,b\n1,2\n", "csv", labelled=True)
    with pytest.raises(ReadError, match="delimiter"):
        batches("a;label\n1;2\n", "csv", labelled=True)
    assert rows("a;label\n1;2\n", "csv", delimiter=";") == [(2.0, hashed({"a": 1}))]


def test_a_column_is_what_its_first_cell_is() -> None:
    """A cell that does not fit later is an error with the remedy, not a guess."""
    with pytest.raises(
        ReadError, match=r'stream:3:3: expected a number in column "x", found "red".*categorical=\["x"\]'
    ):
        batches("y,x\n1,2\n1,red\n", "csv")
    with pytest.warns(ReadWarning, match='stream:3: column "x" was taken for categories'):
        both = rows("y,x\n1,red\n1,2\n", "csv")
    assert both == [(1.0, hashed({"x": "red"})), (1.0, hashed({"x": "2"}))]
    assert rows("y,x\n1,2\n1,red\n", "csv", categorical="x")[0] == (1.0, hashed({"x": "2"}))
    with pytest.raises(ReadError, match="expected a number"):
        batches("y,x\n1,red\n", "csv", numeric=["x"])


def test_what_columns_were_taken_for_can_be_kept() -> None:
    """To read another file the same way."""
    reader = read(io.BytesIO(b"y,a,b,c\n1,2,x,\n"), "csv", ignore="c")
    list(reader)
    assert reader.schema == {"y": "label", "a": "numeric", "b": "categorical", "c": "ignored"}


def test_files_of_one_stream_agree_on_columns() -> None:
    """The second file's x is categorical because the first's was."""
    files = [io.BytesIO(b"y,x\n1,red\n"), io.BytesIO(b"x,y\n2,1\n")]
    both = list(read(files, "csv"))
    assert [dict(zip(b.indices.tolist(), b.values.tolist(), strict=True)) for b in both] == [
        hashed({"x": "red"}),
        hashed({"x": "2"}),
    ]


def test_empty_cells_and_those_called_missing_are_no_features() -> None:
    """A cell "NA" is a word unless said otherwise."""
    assert rows("y,a,b\n1,,\n2,1,NA\n", "csv") == [(1.0, {}), (2.0, hashed({"a": 1, "b": "NA"}))]
    assert rows("y,a,b\n1,NA,?\n2,1,NA\n", "csv", missing=["NA", "?"]) == [(1.0, {}), (2.0, hashed({"a": 1}))]
    with pytest.raises(ReadError, match=r'expected a finite value, found "nan".*missing=\["nan"\]'):
        batches("y,a\n1,2\n1,nan\n", "csv")


def test_weights_tags_and_text_are_named() -> None:
    """They are features unless named."""
    text = "id,w,note,y\nr1,2,good good day,1\nr2,0,bad,0\n"
    (batch,) = batches(text, "csv", weight="w", tag="id", text="note", norm=None, alternate_sign=False)

    assert batch.tags == ["r1", "r2"]
    assert batch.weight is not None
    assert batch.weight.tolist() == [2, 0]
    assert sorted(batch.values.tolist()) == [1, 1, 2]
    with pytest.raises(ReadError, match=r'stream:2:4: expected a weight, found "x"'):
        batches("id,w,y\nr1,x,1\n".replace("r1,x", "r1,x"), "csv", weight="w", tag="id")


def test_quoted_cells() -> None:
    """Delimiters, line breaks, doubled quotes, blanks; a quoted number is a number."""
    text = 'y,a,b\n"1","2","x, y"\n2,"3","line\nbreak ""quoted"""\n3 , 4 , plain \n'

    assert rows(text, "csv") == [
        (1.0, hashed({"a": 2, "b": "x, y"})),
        (2.0, hashed({"a": 3, "b": 'line\nbreak "quoted"'})),
        (3.0, hashed({"a": 4, "b": "plain"})),
    ]


def test_lines_are_counted_through_quoted_breaks() -> None:
    """A row's line is the one it starts on; a problem's the one it stands on."""
    text = 'y,b\n1,"a\nb"\n2,c\n3,"d\n\n"x\n'
    reader = read(io.BytesIO(text.encode()), "csv", on_error="skip")
    (batch,) = list(reader)
    assert batch.lines.tolist() == [2, 4]
    assert reader.problems[0].line == 7


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("y,a\n1\n", "2:1: expected 2 cells as in the header, found 1. Quote"),
        ("y,a\n1,2,3,4\n", "2:5: expected 2 cells as in the header, found 4. Quote"),
        ("y,a\n1,1e400\n", '2:3: expected a value below 3.4e38, found "1e400"'),
        ('y,a\n1,"x"y\n', '2:6: expected the end of the cell behind its closing quote, found "y"'),
        ('y,a\n1,"x\n', "2:1: expected a closing quote, found none in this record"),
        ("y,y\n1,2\n", '1:3: expected different column names, found "y" twice'),
        ("y,a\nnan,2\n", '2:1: expected a finite label, found "nan"'),
    ],
)
def test_a_bad_line_is_named(text: str, message: str) -> None:
    """With its place and the remedy."""
    with pytest.raises(ReadError) as caught:
        batches(text, "csv")
    assert str(caught.value).startswith(f"stream:{message}")


def test_after_an_unfinished_quote_the_next_line_is_read() -> None:
    """One stray quote costs one line, not the file."""
    reader = read(io.BytesIO(b'y,a\n1,"x\n2,z\n3,w\n'), "csv", on_error="skip")
    assert [label for batch in reader for label in batch.y] == [2.0, 3.0]
    assert reader.n_refused == 1


def test_a_bad_header_ends_the_file_even_when_skipping() -> None:
    """Nothing behind it could be understood."""
    with pytest.raises(ReadError, match="twice"):
        batches("a,a\n1,2\n", "csv", on_error="skip")
    with pytest.raises(ReadError, match='expected a column called "nope"'):
        batches("a,y\n1,2\n", "csv", on_error="skip", weight="nope")


def test_a_tab_separates_in_tsv() -> None:
    """And a comma does not."""
    assert rows("y\ta\n1\tx,y\n", "tsv") == [(1.0, hashed({"a": "x,y"}))]


def test_several_labels_stand_in_one_cell() -> None:
    """Separated by commas, so quoted where the comma separates cells."""
    assert [label for label, _ in rows('y,a\n"a,b",1\n,2\nc,3\n', "csv", multilabel=True)] == [
        ("a", "b"),
        (),
        ("c",),
    ]


def test_only_some_characters_can_separate() -> None:
    """A digit or a quote would make nonsense."""
    with pytest.raises(ParameterError, match="delimiter"):
        read(io.BytesIO(b""), "csv", delimiter="1")


cells = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\r"), min_size=1, max_size=8).map(
    lambda text: "x" + text.strip(" \t\r")
)


@given(st.lists(st.tuples(cells, cells), min_size=1, max_size=6), st.sampled_from([",", ";", "\t"]))
def test_what_pythons_csv_module_writes_is_read(table: list[tuple[str, str]], delimiter: str) -> None:
    """Any words, quoted or not."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerow(["label", "a"])
    writer.writerows((str(i), cell) for i, (cell, _) in enumerate(table))
    got = rows(out.getvalue(), "csv", delimiter=delimiter)

    assert got == [(float(i), hashed({"a": cell})) for i, (cell, _) in enumerate(table)]


def test_a_refused_row_leaves_none_of_its_cells_behind() -> None:
    """Cells, labels and weights before the one that is wrong go with their row."""
    text = "y,w,a,b\n1,2,3,4\n0,9,5,oops\n1,1,6,7\n"
    good = "y,w,a,b\n1,2,3,4\n1,1,6,7\n"
    got, want = (batches(each, "csv", weight="w", on_error="skip")[0] for each in (text, good))

    assert got.labels.tolist() == want.labels.tolist() == [1, 1]
    assert got.weight is not None
    assert got.weight.tolist() == [2, 1]
    assert got.indptr.tolist() == want.indptr.tolist()
    assert got.indices.tolist() == want.indices.tolist()
    assert got.values.tolist() == want.values.tolist()
