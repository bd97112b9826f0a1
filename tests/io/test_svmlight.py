"""svmlight lines: what is read, what is refused, and in which words."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_svmlight_file

from onlinear import read
from onlinear.exceptions import ReadError

from .reading import batches, rows, until_error


def test_indices_count_from_one() -> None:
    """Column = index - 1, unless told otherwise."""
    assert rows("+1 1:0.5 3:2\n-1 2:1\n") == [(1.0, {0: 0.5, 2: 2.0}), (-1.0, {1: 1.0})]
    assert rows("1 0:5 2:1\n", zero_based=True) == [(1.0, {0: 5.0, 2: 1.0})]


def test_labels_that_are_numbers_are_compared_as_numbers() -> None:
    """So +1, 1 and 1.0 are one label, and 0 and -0 another."""
    (batch,) = batches("+1 1:1\n1 1:1\n1.0 1:1\n1e0 1:1\n0 1:1\n-0 1:1\n")

    assert batch.y.dtype == np.float64
    assert batch.y.tolist() == [1, 1, 1, 1, 0, 0]
    assert math.copysign(1, batch.y[5]) == 1


def test_labels_may_be_words() -> None:
    """They keep their text; numbers beside them stay numbers, as in a batch without words."""
    (batch,) = batches("spam 1:1\nham 1:1\nspam 2:1\n2.0 1:1\n")

    assert batch.y.tolist() == ["spam", "ham", "spam", 2.0]
    assert batch.label_texts == ["spam", "ham"]
    assert batch.label_ids.tolist() == [0, 1, 0, -1]


def test_several_labels_a_row() -> None:
    """Separated by commas; a line that starts with a blank or a feature has none."""
    (batch,) = batches("1,3,7 1:1\n2 2:1\n 3:1\n4:1\na,b 1:1\n", multilabel=True)

    assert batch.label_indptr is not None
    assert batch.label_indptr.tolist() == [0, 3, 4, 4, 4, 6]
    assert batch.y == [(1.0, 3.0, 7.0), (2.0,), (), (), ("a", "b")]


def test_comments_query_ids_and_blank_lines_are_passed_over() -> None:
    """What follows '#' says nothing, nor does qid."""
    text = "# a comment\n\n1 qid:7 1:2 # 5:5\n   \n2 1:3#x\n#\n"

    assert rows(text) == [(1.0, {0: 2.0}), (2.0, {0: 3.0})]


def test_repeated_indices_add_and_others_are_sorted() -> None:
    """In the order of the file, so that rounding is the same every time."""
    assert rows("1 5:1 2:4 5:2 1:1 2:-4\n") == [(1.0, {0: 1.0, 1: 0.0, 4: 3.0})]
    many = " ".join(f"{i}:1" for i in range(200, 0, -1))
    assert rows(f"1 {many} 7:2 {many}\n") == [(1.0, {i: 4.0 if i == 6 else 2.0 for i in range(200)})]


@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\t\n", " \r\n", ""])
def test_lines_end_in_many_ways(end: str) -> None:
    """With or without blanks, a carriage return, or a newline at the end of the file."""
    assert rows(f"1 1:1{end or chr(10)}2 2:2{end}") == [(1.0, {0: 1.0}), (2.0, {1: 2.0})]


@pytest.mark.parametrize("blank", [" ", "  ", "\t", " \t "])
def test_any_blanks_separate(blank: str) -> None:
    """Also in front of the label."""
    assert rows(f"{blank}1{blank}1:1{blank}2:2\n") == [(1.0, {0: 1.0, 1: 2.0})]


def test_a_byte_order_mark_is_no_label() -> None:
    """And does not make the first label a word."""
    assert rows(b"\xef\xbb\xbf1 1:1\n") == [(1.0, {0: 1.0})]


def test_nothing_is_no_rows() -> None:
    """An empty file, a newline, a mark alone, comments."""
    for data in (b"", b"\n", b"\n\n\r\n", b"\xef\xbb\xbf", b"#\n", b"   "):
        assert batches(data) == []


def test_a_label_alone_is_a_row_without_features() -> None:
    """As a document without known words is."""
    assert rows("1\n2 \n3 1:1\n") == [(1.0, {}), (2.0, {}), (3.0, {0: 1.0})]


def test_unlabelled_rows() -> None:
    """NaN by default; refused where labels are required; expected where there are none."""
    (batch,) = batches("1:1 2:1\n1 1:1\n")
    assert math.isnan(batch.y[0])
    assert batch.y[1] == 1
    assert not batch.has_labels
    assert [features for _, features in rows("1:1 2:1\n3:1\n", labelled=False)] == [
        {0: 1.0, 1: 1.0},
        {2: 1.0},
    ]
    with pytest.raises(ReadError, match=r'stream:1:1: expected a label, found "1:1". Begin the line'):
        batches("1:1 2:1\n", labelled=True)


REFUSED = [
    ("1 12;0.5\n", 3, "index:value, found \"12;0.5\". Use ':' between index and value."),
    ("1 1:1 x:2\n", 7, 'index:value, found "x:2". The index'),
    ("1 1.5:2\n", 3, 'index:value, found "1.5:2". The index'),
    ("1 :2\n", 3, 'index:value, found ":2". The index'),
    ("1 0:1\n", 3, 'an index of at least 1, found "0". Use zero_based=True (--zero-based)'),
    ("1 2:1 0:1\n", 7, 'an index of at least 1, found "0". Use zero_based=True (--zero-based)'),
    ("1 -3:1\n", 3, 'an index of at least 1, found "-3:1". Indices'),
    (
        "1 268435457:1\n",
        3,
        'an index of at most 268435456, found "268435457". Hash the indices with bits=20 (--bits 20)',
    ),
    ("1 99999999999999999999999:1\n", 3, 'an index of at most 268435456, found "99999999999999999999999".'),
    ("1 1:\n", 5, "a number, found nothing."),
    ("1 1:a\n", 5, 'a number, found "a".'),
    ("1 1:1.2.3\n", 5, 'a number, found "1.2.3".'),
    ("1 1:1e\n", 5, 'a number, found "1e".'),
    ("1 1:--1\n", 5, 'a number, found "--1".'),
    ("1 1:0x1\n", 5, 'a number, found "0x1".'),
    ("1 1:2:3\n", 5, 'a number, found "2:3".'),
    ("1 1:1e400\n", 5, 'a value below 3.4e38, found "1e400". Scale'),
    ("1 1:1e39\n", 5, 'a value below 3.4e38, found "1e39". Scale'),
    ("1 1:nan\n", 5, 'a finite value, found "nan". Leave the feature out'),
    ("1 1:-Inf\n", 5, 'a finite value, found "-Inf". Leave the feature out'),
    ("1 1:3e38 1:3e38\n", 1, "a row of finite values, found repeated features whose sum overflows."),
    ("nan 1:1\n", 1, 'a finite label, found "nan". Leave out rows'),
    ("1e400 1:1\n", 1, 'a finite label, found "1e400". Leave out rows'),
    ("1,2 1:1\n", 1, 'one label, found "1,2". Use multilabel=True (--task multilabel)'),
    ("1 1:1\x002:2\n", 3, 'index:value, found "1:1\\x00". This is not svmlight text.'),
    ("\x00\x01\x02\n", 1, "index:value, found"),
    ("\xff\xfa 1:1\n", 1, "a label, found"),
    ("1 1:1 é:1\n", 7, 'index:value, found "é:1"'),
    ("é 1:1 é:1\n", 7, 'index:value, found "é:1"'),
]


@pytest.mark.parametrize(
    ("line", "column", "message"), REFUSED, ids=[repr(line)[:24] for line, _, _ in REFUSED]
)
@pytest.mark.parametrize("before", ["", "1 1:1\n" * 3])
def test_a_bad_line_is_named_with_place_finding_and_remedy(
    line: str, column: int, message: str, before: str
) -> None:
    """file:line:column: expected, found, remedy; the rows before it come first."""
    data = (before + line + "1 1:1\n").encode("latin-1" if "\xff" in line else "utf-8")
    seen, error = until_error(read(io.BytesIO(data), "svmlight"))

    assert len(seen) == before.count("\n")
    assert str(error).startswith(f"stream:{len(seen) + 1}:{column}: expected {message}")
    assert (error.path, error.line, error.column) == ("stream", len(seen) + 1, column)
    assert str(error).isprintable()


@pytest.mark.parametrize(
    "line", [line for line, _, _ in REFUSED], ids=[repr(line)[:24] for line, _, _ in REFUSED]
)
def test_a_bad_line_is_passed_over_and_counted(line: str) -> None:
    """Nothing of it is left, and the lines around it are whole."""
    data = (f"1 1:1\n{line}2 2:2\n{line}3 3:3").encode("latin-1" if "\xff" in line else "utf-8")
    reader = read(io.BytesIO(data), "svmlight", on_error="skip")
    labels = [label for batch in reader for label in batch.labels.tolist()]

    assert labels == [1.0, 2.0, 3.0]
    assert reader.n_refused == 2
    assert [problem.line for problem in reader.problems] == [2, 4]


def test_a_bad_last_line_without_newline_is_refused_too() -> None:
    """Never a silent loss."""
    with pytest.raises(ReadError, match="stream:2:3"):
        batches("1 1:1\n2 x")


def test_passing_over_has_a_limit() -> None:
    """The one past it is an error that says so."""
    data = "bad:\n1 1:1\nbad:\n2 1:1\nbad:\n3 1:1\n"
    assert len(rows(data, on_error="skip", max_errors=3)) == 3
    with pytest.raises(ReadError, match=r"stream:5:.* 2 bad lines were passed over before it"):
        batches(data, on_error="skip", max_errors=2)


def test_utf16_is_recognised() -> None:
    """A common export of spreadsheets; every line would be wrong."""
    for encoding in ("utf-16-le", "utf-16-be"):
        data = "\ufeff1 1:1\n2 1:1\n".encode(encoding)
        with pytest.raises(ReadError, match=r"stream:1:1: expected UTF-8 text, found UTF-16. .*iconv"):
            batches(data, on_error="skip")


def test_a_line_too_long_is_refused_and_passed_over_in_bounded_memory() -> None:
    """Whatever the blocks the bytes came in."""
    long = b"1 " + b"1:1 " * 40_000 + b"\n"
    data = b"1 1:1\n" + long + b"2 2:1\n" + long[:-1]
    assert len(rows(data)) == 4
    with pytest.raises(
        ReadError, match="stream:2:1: expected a line of at most 65536 bytes, found a longer one"
    ):
        batches(data, max_line_bytes=1 << 16)
    reader = read(io.BytesIO(data), "svmlight", max_line_bytes=1 << 16, on_error="skip")
    assert [batch.labels.tolist() for batch in reader] == [[1.0, 2.0]]
    assert [problem.line for problem in reader.problems] == [2, 4]


def test_indices_past_the_bound_are_hashed_when_asked() -> None:
    """Those that fit keep their column; the same index always has the same one."""
    plain = rows("1 3:1 1000:1\n", max_features=1000)
    assert plain == [(1.0, {2: 1.0, 999: 1.0})]
    with pytest.raises(ReadError, match="bits=20"):
        batches("1 1001:1\n", max_features=1000)
    (batch,) = batches(
        "1 3:1 18446744073709551615:2\n2 99999999999:1\n3 99999999999:1\n", bits=8, on_error="skip"
    )
    assert batch.lines.tolist() == [2, 3]
    assert batch.n_features == 256
    assert batch.indices[0] == batch.indices[1] < 256
    (batch,) = batches("1 3:1 9999999999999999999:2\n", bits=8)
    assert batch.indices.tolist()[0] == 2 or 2 in batch.indices.tolist()


def test_the_width_of_x_is_known_or_grows() -> None:
    """`n_features` fixes it and bounds the indices."""
    data = "1 1:1\n2 5:1\n"
    assert [batch.X.shape for batch in batches(data, batch_size=1)] == [(1, 1), (1, 5)]
    assert [batch.X.shape for batch in batches(data, batch_size=1, n_features=7)] == [(1, 7), (1, 7)]
    with pytest.raises(ReadError, match="at most 4"):
        batches(data, n_features=4)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_a_batch_has_as_many_rows_as_asked(size: int) -> None:
    """And the batches together are the file."""
    data = "".join(f"{i} {i + 1}:{i}\n" for i in range(20))
    sizes = [batch.n_rows for batch in batches(data, batch_size=size)]

    assert sum(sizes) == 20
    assert all(n == size for n in sizes[:-1])
    assert rows(data, batch_size=size) == rows(data)


numbers = st.one_of(
    st.floats(width=32, allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e30, 1e30).map(lambda x: f"{x:.17g}"),
    st.floats(-1e6, 1e6).map(lambda x: f"{x:.5f}"),
    st.integers(-(10**9), 10**9).map(str),
    st.sampled_from(
        ["0.10026", "-.5", "5.", "+3", "1e-5", "12345678", "123456789", "0.12345678", "1.1754943e-38"]
    ),
)
entry = st.tuples(st.integers(1, 2**28), numbers)
row = st.tuples(numbers, st.lists(entry, max_size=8, unique_by=lambda pair: pair[0]))


@given(st.lists(row, max_size=12), st.sampled_from([" ", "  ", "\t"]), st.sampled_from(["\n", "\r\n", " \n"]))
@settings(max_examples=200)
def test_what_is_written_is_read(table: list[Any], blank: str, end: str) -> None:
    """Any numbers, in any order of indices, through the quick parser and the careful one."""
    data = "".join(
        blank.join([label, *(f"{index}:{value}" for index, value in entries)]) + end
        for label, entries in table
    )
    got = rows(data)

    assert len(got) == len(table)
    for (label, features), (wrote, entries) in zip(got, table, strict=True):
        assert label == float(wrote)
        expected = {index - 1: float(np.float32(_nearest(value))) for index, value in entries}
        assert features == expected


def _nearest(value: str) -> np.float32:
    """Return the nearest float32 without going through the nearest double."""
    from onlinear._core import text

    parsed = text.parse_float(value.encode())
    assert parsed is not None
    return np.float32(parsed)


@given(st.binary(max_size=200), st.integers(1, 64))
@settings(max_examples=300)
def test_blocks_do_not_matter(data: bytes, block: int) -> None:
    """The same rows and problems however the bytes are cut, whatever they are."""

    class Dribble(io.BytesIO):
        def readinto(self, buffer: Any) -> int:
            return super().readinto(memoryview(buffer)[:block])

    data = b"1 1:1\n" + data  # else it may look compressed
    whole = read(io.BytesIO(data), "svmlight", on_error="skip")
    cut = read(Dribble(data), "svmlight", on_error="skip", ahead=0)
    assert [batch.lines.tolist() for batch in whole] == [batch.lines.tolist() for batch in cut]
    assert whole.problems == cut.problems


def test_scikit_learn_reads_the_same(tmp_path: Any) -> None:
    """A second implementation, on a file with everything both understand."""
    generator = np.random.default_rng(0)
    lines = []
    for _ in range(500):
        columns = np.sort(generator.choice(1000, generator.integers(0, 30), replace=False)) + 1
        values = generator.normal(size=len(columns)) * 10.0 ** generator.integers(-5, 5)
        entries = " ".join(f"{c}:{v:.7g}" for c, v in zip(columns, values, strict=True))
        lines.append(f"{generator.integers(-1, 3)} {entries} # note")
    path = tmp_path / "data.svm"
    path.write_text("\n".join(lines) + "\n")
    X, y = load_svmlight_file(str(path), n_features=1000, dtype=np.float64)
    (batch,) = list(read(path, n_features=1000))

    np.testing.assert_array_equal(batch.y, y)
    np.testing.assert_array_equal(batch.X.indices, X.indices)
    np.testing.assert_array_equal(batch.X.indptr, X.indptr)
    np.testing.assert_array_equal(batch.X.data, X.data.astype(np.float32))


@pytest.mark.parametrize("others", [1, 60], ids=["few", "many"])
def test_repeated_columns_are_added_in_the_order_of_the_file(others: int) -> None:
    """In another order 1e8 - 1e8 + 1 would be 0, for float32 has seven digits."""
    before = " ".join(f"{column}:1" for column in range(others + 5, 5, -1))
    ((_, features),) = rows(f"1 {before} 3:1e8 3:-1e8 3:1\n")
    assert features[2] == 1.0
