"""Vowpal Wabbit's text: labels, weights, tags, namespaces, and its columns."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import murmurhash3_32

from onlinear import read
from onlinear.exceptions import ReadError

from .reading import batches, rows

MASK = 2**20 - 1


def column(name: str, namespace: str = "") -> int:
    """Vowpal Wabbit's own hashing: a namespace seeds the hash of its features, digits are themselves."""

    def hashed(text: str, seed: int) -> int:
        if all(c in "0123456789" for c in text):
            return (int(text or "0") + seed) % 2**32
        return int(murmurhash3_32(text.encode(), seed, positive=True))

    return hashed(name, hashed(namespace, 0)) & MASK


# Written by Vowpal Wabbit 9.11 itself: -b 20 --noconstant --invert_hash, for the lines below.
VOWPAL_WABBIT = {
    "a^b": 930448,
    "a^c": 907396,
    "a^12": 354750,
    "d^b": 276631,
    "word": 709792,
    "7": 7,
    "x_y": 524444,
    "user^age": 285711,
    "1^one": 31919,
    "1^2": 3,
    "é^ß": 1033266,
}
LINES = "1 |a b c:0.5 12:2 |d b\n1 | word 7 x_y:3\n-1 |user age:3 |1 one 2\n1 |é ß:2\n"


def test_columns_and_names_are_vowpal_wabbits() -> None:
    """So that its data and models mean the same here."""
    reader = read(io.BytesIO(LINES.encode()), "vw", max_names=100)
    columns = {column for batch in reader for column in batch.indices.tolist()}

    assert columns == set(VOWPAL_WABBIT.values())
    assert reader.names == {column: name for name, column in VOWPAL_WABBIT.items()}


def test_the_reference_of_these_tests_agrees_with_vowpal_wabbit() -> None:
    """What `column` says is used below."""
    for name, expected in VOWPAL_WABBIT.items():
        namespace, _, feature = name.rpartition("^")
        assert column(feature, namespace) == expected


def test_numbers_in_the_namespace_without_a_name_are_columns() -> None:
    """So that svmlight data written for Vowpal Wabbit keeps its indices."""
    assert rows("-1 | 3:0.5 1048575:2 1048576:1\n", "vw") == [(-1.0, {3: 0.5, 1048575: 2.0, 0: 1.0})]


def test_a_scale_multiplies_its_namespace_and_a_missing_value_is_one() -> None:
    """``|name:scale feature feature:value``."""
    ((_, features),) = rows("1 |a:2 x y:1.5 |b x\n", "vw")
    assert features == {column("x", "a"): 2.0, column("y", "a"): 3.0, column("x", "b"): 1.0}


def test_features_without_a_name_are_numbered() -> None:
    """``:value`` alone counts up within its namespace."""
    assert rows("1 | :5 :6\n", "vw") == [(1.0, {0: 5.0, 1: 6.0})]


def test_label_weight_and_tag() -> None:
    """A token that touches the bar, or begins with an apostrophe, is the tag, whatever it looks like."""
    text = "1 | x\n2 0.5 | x\n3 2 'one | x\n4 two| x\n| x\n'five | x\n1| x\n"
    (batch,) = batches(text, "vw")

    assert batch.labels.tolist()[:4] == [1, 2, 3, 4]
    assert str(batch.labels.tolist()[4:]) == "[nan, nan, nan]"
    assert batch.weight is not None
    assert batch.weight.tolist() == [1, 0.5, 2, 1, 1, 1, 1]
    assert batch.tags == ["", "", "one", "two", "", "five", "1"]


def test_no_weights_and_no_tags_are_none() -> None:
    """So that a learner need not look at arrays of ones."""
    (batch,) = batches("1 | x\n-1 1 | y\n", "vw")
    assert batch.weight is None
    assert batch.tags is None


def test_repeated_features_add() -> None:
    """As in every format."""
    assert rows("1 | 7:1 7:2 3\n", "vw") == [(1.0, {3: 1.0, 7: 3.0})]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("1 a:1 b:2", "1:1: expected '|' before the features"),
        ("1 2 3 | x", "1:5: expected '|' behind label and weight, found \"3\". Initial predictions"),
        ("1 -1 | x", '1:3: expected an importance weight, found "-1"'),
        ("1 heavy | x", '1:3: expected an importance weight, found "heavy"'),
        ("1 nan | x", '1:3: expected an importance weight, found "nan"'),
        ("1:0.5 2:1 | x", '1:1: expected a label, found "1:0.5". Labels with costs'),
        ("nan | x", '1:1: expected a finite label, found "nan"'),
        ("1 | x:a", '1:7: expected a number, found "a"'),
        ("1 | x:", "1:7: expected a number, found nothing"),
        ("1 | x:1:2", '1:7: expected a number, found "1:2"'),
        ("1 | x:nan", '1:7: expected a finite value, found "nan"'),
        ("1 | x:1e400", '1:7: expected a value below 3.4e38, found "1e400"'),
        ("1 |a:b x", '1:6: expected a number, found "b"'),
        ("1 |a:1e30 x:1e30", "1:11: expected a value below 3.4e38"),
        ("1 | x:3e38 x:3e38", "1:1: expected a row of finite values"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str) -> None:
    """With its place and the remedy."""
    with pytest.raises(ReadError) as caught:
        batches(f"{line}\n", "vw")
    assert str(caught.value).startswith(f"stream:{message}")


def test_names_are_kept_when_asked() -> None:
    """In Vowpal Wabbit's own spelling, namespace^feature."""
    reader = read(io.BytesIO(b"1 |user age:3 | 7 word\n"), "vw", max_names=10)
    assert sum(batch.n_rows for batch in reader) == 1
    assert reader.names == {column("age", "user"): "user^age", 7: "7", column("word"): "word"}


@pytest.mark.parametrize("blank", ["", "\n", "  \n", "\r\n"])
def test_empty_lines_are_passed_over(blank: Any) -> None:
    """Vowpal Wabbit ends sequences with them; rows they are not."""
    assert len(rows(f"1 | a\n{blank}2 | b\n", "vw")) == 2


@given(st.lists(st.from_regex(r"\A-?[0-9]{1,8}(\.[0-9]{1,8})?\Z"), min_size=20, max_size=60))
def test_values_are_read_to_the_last_bit(numbers: list[str]) -> None:
    """Short decimals have a quick path of their own; eight digits are more than a float32 holds."""
    line = "1 | " + " ".join(f"{column}:{number}" for column, number in enumerate(numbers))
    ((_, features),) = rows(f"{line}\n", "vw")

    assert [features.get(column, 0.0) for column in range(len(numbers))] == [
        float(np.float32(n)) for n in numbers
    ]
