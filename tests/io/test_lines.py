"""Plain text, a document a line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from onlinear import read
from onlinear.exceptions import ReadError
from onlinear.text import TextHasher

from .reading import batches, rows


def test_a_tab_stands_behind_the_label() -> None:
    """Further tabs belong to the text."""
    (batch,) = batches("spam\tWin a prize\nham\tsee\tyou soon\n", "text")
    expected = TextHasher(alternate_sign=False).transform(["Win a prize", "see\tyou soon"])

    assert batch.y.tolist() == ["spam", "ham"]
    np.testing.assert_array_equal(batch.X.toarray(), expected.toarray())


def test_fasttexts_labels_are_read() -> None:
    """Several, when told."""
    assert [label for label, _ in rows("__label__spam win\n__label__2 see\n", "text")] == ["spam", 2.0]
    several = rows("__label__a __label__b x y\n__label__c z\n", "text", multilabel=True)
    assert [label for label, _ in several] == [("a", "b"), ("c",)]
    with pytest.raises(ReadError, match=r"stream:1:12: expected one label, found .*multilabel=True"):
        batches("__label__a __label__b x\n", "text")


def test_the_first_line_tells_whether_there_are_labels() -> None:
    """Without them every line is a document, the empty ones too, so that predictions stay in step."""
    (batch,) = batches("no label\n\nmore words\twith a tab\n", "text")
    assert batch.n_rows == 3
    assert not batch.has_labels
    with pytest.raises(ReadError, match=r'stream:2:1: expected label, tab, text, found "no tab here"'):
        batches("a\tb\nno tab here\n", "text")
    (batch,) = batches("a\tb c\n", "text", labelled=False)
    assert not batch.has_labels
    with pytest.raises(ReadError, match="expected label, tab, text"):
        batches("no label\n", "text", labelled=True)


def test_text_must_be_utf8() -> None:
    """The byte is shown and its column named."""
    with pytest.raises(ReadError, match=r'stream:1:6: expected UTF-8 text, found "\\xff"'):
        batches(b"a\tb\xc3\xa9 \xff\n", "text")


def test_text_settings_are_those_of_the_hasher() -> None:
    """Every one of them."""
    settings = {
        "analyzer": "char_wb",
        "ngram_range": (2, 4),
        "lowercase": False,
        "alternate_sign": False,
        "weighting": "log",
        "norm": None,
        "bits": 12,
    }
    text = "The Quick brown FOX"
    (batch,) = batches(text, "text", **settings)
    expected = TextHasher(**settings).transform([text])  # type: ignore[arg-type]

    assert batch.X.shape == expected.shape
    np.testing.assert_array_equal(batch.X.toarray(), expected.toarray())


def test_a_text_file_with_labels_before_tabs_is_text(tmp_path: Path) -> None:
    """Unless its first line names the column of the labels, as the header of a table does."""
    (tmp_path / "mail.txt").write_text("spam\tWin a prize now\nham\tsee you\n")
    (tmp_path / "table.txt").write_text("label\ta\tb\nx\t1\t2\ny\t2\t1\n")
    assert next(read(tmp_path / "mail.txt")).y.tolist() == ["spam", "ham"]
    assert next(read(tmp_path / "table.txt")).y.tolist() == ["x", "y"]
