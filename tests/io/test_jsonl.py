"""JSON Lines: documents and feature objects."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer

from onlinear.exceptions import ReadError

from .reading import batches, rows
from .test_csv import hashed


def test_a_document_has_hashing_vectorizers_features() -> None:
    """Text under "text", label under "label"; other keys say nothing then. Words count without signs, as names do."""
    documents = ["Win a prize NOW", "see you at ten", 'quotes " and \\ and é and 😀 and \n newline']
    lines = "".join(
        json.dumps({"label": "spam", "text": t, "fine": 3}, ensure_ascii=i % 2 == 0) + "\n"
        for i, t in enumerate(documents)
    )
    expected = HashingVectorizer(dtype=np.float32, alternate_sign=False).transform(documents)
    (batch,) = batches(lines, "jsonl")

    assert batch.y.tolist() == ["spam"] * 3
    np.testing.assert_array_equal(batch.X.indices, expected.indices)
    np.testing.assert_array_equal(batch.X.data, expected.data)


def test_a_feature_object_has_feature_hashers_columns() -> None:
    """Numbers, strings, lists of strings, truth; null and zero are nothing."""
    line = {
        "label": 1,
        "features": {"age": 3.5, "city": "Rome", "tags": ["a", "b"], "new": True, "old": False},
    }
    line["features"] |= {"none": None, "zero": 0}  # type: ignore[operator]
    expected = hashed({"age": 3.5, "city": "Rome", "tags=a": 1, "tags=b": 1, "new": 1})

    assert rows(json.dumps(line), "jsonl") == [(1.0, expected)]


def test_without_text_or_features_every_other_key_is_a_feature() -> None:
    """And with them those that are named as features still are."""
    assert rows('{"label": 0, "age": 3, "city": "Oslo"}', "jsonl") == [
        (0.0, hashed({"age": 3, "city": "Oslo"}))
    ]
    both = rows(
        '{"label": 0, "text": "", "age": 3, "zip": 123, "x": 1}', "jsonl", numeric="age", categorical="zip"
    )
    assert both == [(0.0, hashed({"age": 3, "zip": "123"}))]
    assert rows('{"label": 0, "a": 1, "b": 2}', "jsonl", ignore=["b"]) == [(0.0, hashed({"a": 1}))]


def test_features_may_be_a_list_of_names() -> None:
    """Each with the value 1; repeated names add."""
    assert rows('{"label": 1, "features": ["a", "b", "a"]}', "jsonl") == [(1.0, hashed({"a": 2, "b": 1}))]


def test_labels_of_every_kind() -> None:
    """Numbers also as strings, truth as 1 and 0, null as none."""
    (batch,) = batches(
        '{"label":1}\n{"label":"1.0"}\n{"label":true}\n{"label":false}\n{"label":null}\n{}\n', "jsonl"
    )
    assert batch.labels.tolist()[:4] == [1, 1, 1, 0]
    assert all(math.isnan(label) for label in batch.labels[4:])
    (batch,) = batches('{"label":["a",2]}\n{"label":[]}\n{"label":"c"}\n', "jsonl", multilabel=True)
    assert batch.y == [("a", 2.0), (), ("c",)]
    with pytest.raises(ReadError, match=r'stream:1:1: expected a label under "label", found none'):
        batches('{"x": 1}\n', "jsonl", labelled=True)


def test_the_word_null_is_a_word() -> None:
    """Only the literal is no value: found by the fuzzer."""
    (batch,) = batches('{"label": "null", "text": "null"}\n', "jsonl", labelled=True)
    assert batch.y.tolist() == ["null"]
    assert len(batch.indices) == 1


def test_keys_may_have_other_names() -> None:
    """Also with escapes in them."""
    line = '{"cl\\u0061ss": "a", "body": "some words", "import\\u0061nce": 2, "id": 7, "label": 3}\n'
    (batch,) = batches(line, "jsonl", label="class", text=["body"], weight="importance", tag="id")

    assert batch.y.tolist() == ["a"]
    assert len(batch.indices) == 2
    assert batch.weight is not None
    assert batch.weight.tolist() == [2]
    assert batch.tags == ["7"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1, 2]", "1: expected '{', found \"[1,\""),
        ("{'label': 1}", "2: expected a key in double quotes"),
        ('{"label": 1,}', "13: expected a key in double quotes"),
        ('{"label" 1}', "10: expected ':' behind the key"),
        ('{"label": 1 "x": 2}', "13: expected ',' or '}'"),
        ('{"label": 1} x', "14: expected the end of the line"),
        ('{"label": 1', "12: expected ',' or '}', found the end of the line"),
        ('{"label": "a', "13: expected a closing quote"),
        ('{"label": "a\tb"}', "13: expected an escape for the control character"),
        ('{"label": "\\x41"}', "13: expected an escape such as"),
        ('{"label": "\\u12"}', "16: expected four hexadecimal digits"),
        ('{"label": "\\ud800"}', '12: expected a pair of surrogates, found "\\ud800"'),
        ('{"label": "\\udc00\\ud800"}', "12: expected a pair of surrogates"),
        ('{"label": "\\ud800\\u0041"}', "12: expected a pair of surrogates"),
        ('{"x": 01}', "7: expected a number without leading zeros"),
        ('{"x": +1}', "7: expected a value"),
        ('{"x": .5}', "7: expected a value"),
        ('{"x": 1.}', "7: expected a digit behind the point"),
        ('{"x": 1e}', "7: expected a digit in the exponent"),
        ('{"x": NaN}', '7: expected a value, found "NaN}". JSON has numbers such as 0.5, no NaN'),
        ('{"x": nul}', "7: expected a value"),
        ('{"x": 1e400}', '7: expected a value below 3.4e38, found "1e400"'),
        ('{"label": 1e400}', '11: expected a finite label, found "1e400"'),
        ('{"label": {}}', '11: expected a label, found "{}"'),
        ('{"label": [1, 2]}', '11: expected one label, found "[1, 2]". Use multilabel=True'),
        ('{"label": 1, "label": 2}', '23: expected one "label", found another'),
        ('{"text": 5}', '10: expected text in double quotes, found "5"'),
        ('{"features": 5}', "14: expected an object of features"),
        ('{"features": {"a": {"b": 1}}}', '20: expected a number or a string, found "{"b": 1}". Flatten'),
        ('{"features": {"a": [1]}}', '21: expected a string in the array, found "1"'),
        ('{"x": ' + "[" * 70 + "]" * 70 + "}", "70: expected at most 64 levels of nesting"),
    ],
)
def test_a_bad_line_is_named(line: str, message: str) -> None:
    """With its place and the remedy."""
    with pytest.raises(ReadError) as caught:
        batches(f"{line}\n", "jsonl")
    assert str(caught.value).startswith(f"stream:1:{message}")


def test_bytes_that_are_no_utf8_are_refused() -> None:
    """Overlong forms, halves of pairs, and cut characters too."""
    for bad in (b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xe2\x82", b"\xf4\x90\x80\x80"):
        with pytest.raises(ReadError, match="expected UTF-8 text"):
            batches(b'{"label": 1, "text": "a' + bad + b'"}\n', "jsonl")


words = st.text(alphabet=st.characters(codec="utf-8"), max_size=10)
values: Any = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**12), 10**12),
    st.floats(width=32, allow_nan=False, allow_infinity=False),
    words,
    st.lists(words, max_size=3),
)


@given(st.lists(st.dictionaries(words, values, max_size=5), max_size=5), st.booleans())
def test_what_pythons_json_module_writes_is_read(table: list[dict[str, Any]], ascii: bool) -> None:
    """Any names and values, escaped or not."""
    text = "".join(json.dumps({"label": 1, "features": row}, ensure_ascii=ascii) + "\n" for row in table)
    expected = []
    for row in table:
        flat: dict[str, Any] = {}
        for name, value in row.items():
            pairs = (
                [(f"{name}={item}", 1.0) for item in value] if isinstance(value, list) else [(name, value)]
            )
            if isinstance(value, str):
                pairs = [(f"{name}={value}", 1.0)]
            for key, number in pairs:
                if number is not None:
                    flat[key] = flat.get(key, 0.0) + float(np.float32(number))
        expected.append((1.0, hashed(flat)))

    assert rows(text, "jsonl", bits=20) == expected
