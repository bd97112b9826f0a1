"""TextHasher is HashingVectorizer, bit for bit, and a scikit-learn citizen."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.feature_extraction.text import HashingVectorizer
from sklearn.linear_model import SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from onlinear.exceptions import ParameterError
from onlinear.text import TextHasher

from .characters import known_to_both

# Prose in several scripts, with what trips tokenizers: short words, underscores, digits, tabs, emoji, marks.
REAL_TEXT = [
    "It was the best of times, it was the worst of times, it was the age of wisdom,",
    "From: lerxst@wam.umd.edu (where's my thing)\nSubject: WHAT car is this!?\tNntp-Posting-Host: rac3.wam",
    "Η Ελλάδα είναι μία χώρα ΤΗΣ ΝΟΤΙΟΑΝΑΤΟΛΙΚΗΣ Ευρώπης· ΟΔΟΣ",
    "Все счастливые семьи похожи друг на друга, каждая НЕСЧАСТЛИВАЯ семья",
    "İstanbul'da IŞIK çok güzeldi; straße STRASSE naïve café CAFÉ",
    "吾輩は猫である。名前はまだ無い。 どこで生れたか",
    "हिन्दी में लिखा हुआ पाठ ١٢٣ ४५६ ½ x² №5",
    "emoji 😀😀 flags 🇮🇹 zero\u200bwidth non\u00a0breaking \u3000 wide   spaces\n\n\ttabs",
    "snake_case CamelCase v2.0.1 1e-5 don't e-mail a b c I",
    "",
    " ",
    "a",
    "ab",
]

CASES: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 2)},
    {"ngram_range": (2, 3)},
    {"analyzer": "char"},
    {"analyzer": "char", "ngram_range": (1, 4)},
    {"analyzer": "char_wb", "ngram_range": (2, 5)},
    {"analyzer": "char_wb", "ngram_range": (1, 1)},
    {"lowercase": False},
    {"lowercase": False, "analyzer": "char_wb", "ngram_range": (3, 3)},
    {"alternate_sign": False},
    {"norm": None},
    {"binary": True},
    {"binary": True, "norm": None, "ngram_range": (1, 3)},
]


def both(case: dict[str, Any], bits: int, dtype: Any) -> tuple[HashingVectorizer, TextHasher]:
    """Return scikit-learn's and ours with the same parameters."""
    theirs = HashingVectorizer(n_features=2**bits, dtype=dtype, **case)
    ours = {key: value for key, value in case.items() if key != "binary"}
    weighting = "binary" if case.get("binary") else "count"
    return theirs, TextHasher(bits=bits, dtype=dtype, weighting=weighting, **ours)


def assert_same(theirs: Any, ours: Any) -> None:
    """Equal arrays, types included."""
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.data, theirs.data)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("bits", [4, 20])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_real_text_has_hashing_vectorizers_bits(case: dict[str, Any], bits: int, dtype: Any) -> None:
    """With 16 columns nearly everything collides, and sums cancel to stored zeros."""
    theirs, ours = both(case, bits, dtype)

    assert_same(theirs.transform(REAL_TEXT), ours.transform(REAL_TEXT))


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=60), max_size=4), st.sampled_from(CASES))
@settings(max_examples=300)
def test_any_text_has_hashing_vectorizers_bits(documents: list[str], case: dict[str, Any]) -> None:
    """Whatever characters hypothesis finds, of those that both know."""
    documents = ["".join(filter(known_to_both, text)) for text in documents]
    theirs, ours = both(case, 10, np.float64)
    if documents:
        assert_same(theirs.transform(documents), ours.transform(documents))


def test_bytes_are_utf8() -> None:
    """Documents may be bytes, as HashingVectorizer takes them."""
    text = "Ärger mit Umlauten"

    assert_same(TextHasher().transform([text]), TextHasher().transform([text.encode()]))
    with pytest.raises(ParameterError, match="document 0 is no UTF-8 at byte 0"):
        TextHasher().transform([b"\xff\xfe"])


def test_log_weighting_is_the_logarithm_of_one_plus_the_count() -> None:
    """Signs stay."""
    counts = TextHasher(norm=None).transform(["one two two three three three"])
    logs = TextHasher(norm=None, weighting="log").transform(["one two two three three three"])

    np.testing.assert_allclose(logs.data, np.sign(counts.data) * np.log1p(np.abs(counts.data)), rtol=1e-6)


def test_words_explain_columns() -> None:
    """The reverse dictionary names the column of every word, and a full one keeps the first."""
    text = ["the cat sat on the mat", "the dog"]
    hasher = TextHasher(max_names=100, ngram_range=(1, 2), norm=None, alternate_sign=False).fit(text)
    X = hasher.transform(text)

    named = {hasher.names_[column] for column in X.indices}
    assert named == {
        "the",
        "cat",
        "sat",
        "on",
        "mat",
        "the cat",
        "cat sat",
        "sat on",
        "on the",
        "the mat",
        "dog",
        "the dog",
    }
    assert X[0, next(column for column, name in hasher.names_.items() if name == "the")] == 2
    assert list(TextHasher(max_names=1).fit(text).names_.values()) == ["the"]


def test_partial_fit_notes_more_words_and_fit_starts_anew() -> None:
    """As everywhere in scikit-learn."""
    hasher = TextHasher(max_names=10).fit(["alpha"]).partial_fit(["beta"])
    assert set(hasher.names_.values()) == {"alpha", "beta"}
    assert set(hasher.fit(["gamma"]).names_.values()) == {"gamma"}


def test_transform_needs_no_fit_and_a_copy_is_as_good() -> None:
    """Stateless: clone, pickle and a fresh object agree."""
    hasher = TextHasher(bits=12, max_names=5).fit(["some words"])
    restored = pickle.loads(pickle.dumps(hasher))

    assert restored.names_ == hasher.names_
    assert_same(hasher.transform(REAL_TEXT), restored.transform(REAL_TEXT))
    assert_same(hasher.transform(REAL_TEXT), clone(hasher).transform(REAL_TEXT))


def test_it_works_in_a_pipeline() -> None:
    """With a learner of scikit-learn's behind it."""
    texts = ["good fine great", "bad awful poor"] * 10
    labels = ["pos", "neg"] * 10
    model = make_pipeline(TextHasher(bits=10), SGDClassifier(random_state=0)).fit(texts, labels)

    assert list(model.predict(["great", "awful"])) == ["pos", "neg"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"bits": 0},
        {"bits": 32},
        {"bits": 1.5},
        {"analyzer": "words"},
        {"ngram_range": (0, 1)},
        {"ngram_range": (3, 2)},
        {"ngram_range": 2},
        {"weighting": "tfidf"},
        {"norm": "l1"},
        {"dtype": np.int32},
        {"max_names": -1},
    ],
    ids=str,
)
def test_a_parameter_out_of_range_is_named(wrong: dict[str, Any]) -> None:
    """When it is used, not in the constructor: scikit-learn's contract."""
    hasher = TextHasher(**wrong)
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        hasher.fit(["text"])


def test_one_string_is_not_a_list_of_documents() -> None:
    """Else every letter would become a document."""
    with pytest.raises(ParameterError, match="single"):
        TextHasher().transform("some text")
    with pytest.raises(ParameterError, match="document 1"):
        TextHasher().transform(["fine", 3])  # type: ignore[list-item]


with warnings.catch_warnings():
    # It says that the checks which feed arrays are left out.
    warnings.simplefilter("ignore", SkipTestWarning)
    with_scikit_learns_checks = parametrize_with_checks([TextHasher()])


@with_scikit_learns_checks
def test_scikit_learns_checks(estimator: TextHasher, check: Any) -> None:
    """Those that apply to a transformer of strings."""
    check(estimator)
