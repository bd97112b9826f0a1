"""A model behind a `TextHasher` that keeps names speaks in words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.pipeline import Pipeline, make_pipeline

import onlinear
from onlinear import AROWClassifier, SoftConfidenceWeightedClassifier
from onlinear.exceptions import NotAvailableError
from onlinear.text import TextHasher

TEXTS = [
    "free money now",
    "lunch at noon",
    "free prize inside",
    "notes of the meeting",
    "money prize",
    "noon notes",
]
KINDS = ["spam", "ham", "spam", "ham", "spam", "ham"]


def fitted(**options: Any) -> Pipeline:
    """A pipeline from texts to kinds."""
    return make_pipeline(TextHasher(**options), SoftConfidenceWeightedClassifier(random_state=0)).fit(
        TEXTS, KINDS
    )


def words_of(model: Any, X: Any) -> set[str]:
    """The features of an explanation."""
    return {item.feature for item in model.explain(X).contributions}


@pytest.mark.parametrize("alternate_sign", [False, True])
@pytest.mark.parametrize("bits", [12, 20])
def test_explanations_behind_a_pipeline_are_in_words(bits: int, alternate_sign: bool, tmp_path: Any) -> None:
    """Those of every text, also of a model that was saved."""
    pipe = fitted(max_names=1000, bits=bits, alternate_sign=alternate_sign)
    X = pipe[:-1].transform(["free lunch"])

    assert words_of(pipe[-1], X) == {"free", "lunch"}
    pipe[-1].save(tmp_path / "model.safetensors")
    assert words_of(onlinear.load(tmp_path / "model.safetensors"), X) == {"free", "lunch"}


@pytest.mark.parametrize("alternate_sign", [False, True])
def test_a_word_in_a_dict_is_the_column_it_is_in_a_text(alternate_sign: bool) -> None:
    """With its sign: one word scores the same by both doors."""
    pipe = fitted(max_names=1000, alternate_sign=alternate_sign)
    model = pipe[-1]
    for word in ("free", "money", "lunch", "noon", "notes"):
        assert model.explain({word: 1.0}).margin == pytest.approx(
            model.explain(pipe[:-1].transform([word])).margin, rel=1e-6
        )
        assert model.predict_one({word: 1.0}) == pipe.predict([word])[0]


def test_a_stream_of_texts_is_learned_with_its_words() -> None:
    """New ones as they come; without `max_names` columns have numbers."""
    hasher, nameless = TextHasher(max_names=1000), TextHasher()
    model, other = AROWClassifier(), AROWClassifier()
    for text, kind in zip(TEXTS, KINDS, strict=True):
        model.partial_fit(hasher.partial_fit([text]).transform([text]), [kind])
        other.partial_fit(nameless.transform([text]), [kind])

    X = hasher.transform(["prize meeting"])
    assert words_of(model, X) == {"prize", "meeting"}
    assert all(name[0] == "x" and name[1:].isdigit() for name in words_of(other, X))
    assert model.digest() == other.digest()


def test_every_task_takes_the_words_over() -> None:
    """Regression, ranking and one class have no explanations, but models that are looked into."""
    hasher = TextHasher(max_names=1000).fit(TEXTS)
    X = hasher.transform(TEXTS)
    for model, y in (
        (onlinear.AROWRegressor(), np.arange(6.0)),
        (onlinear.MultilabelRanker(), [["a"], ["b"], ["a", "b"], ["a"], ["b"], ["a"]]),
        (onlinear.PassiveAggressiveOneClass(), None),
    ):
        for learn in (model.fit, model.partial_fit):
            learn(X, y)
            assert {model.model_.feature_name(column) for column in X[0].indices} == {"free", "money", "now"}


def test_raw_rows_are_explained_in_words() -> None:
    """Texts and frames with words go straight to the model."""
    import pandas as pd

    model = AROWClassifier(random_state=0).fit(TEXTS, KINDS)
    told = model.explain(["free lunch", "noon notes"], top=None)
    assert [{item.feature for item in each.contributions} for each in told] == [
        {"free", "lunch"},
        {"noon", "notes"},
    ]
    frame = pd.DataFrame({"colour": ["red", "blue"] * 3, "size": [1.0, 2.0, np.nan, 1.0, 3.0, 1.0]})
    seen = AROWClassifier(random_state=0).fit(frame, KINDS)
    assert [{item.feature for item in each.contributions} for each in seen.explain(frame.iloc[:3])] == [
        {"colour=red", "size"},
        {"colour=blue", "size"},
        {"colour=red"},
    ]


def test_named_columns_and_other_hashes_keep_their_own_words() -> None:
    """A model that knows its columns otherwise is not told."""
    X = TextHasher(bits=2, max_names=9, norm=None).fit(TEXTS).transform(TEXTS)
    named = AROWClassifier(random_state=0).fit(np.asarray(X.todense()), KINDS)
    assert {item.feature for item in named.explain(X[0]).contributions} <= {"x0", "x1", "x2", "x3"}
    model = AROWClassifier().learn_one({"free": 1}, "spam")
    model.partial_fit(TextHasher(max_names=9).fit(TEXTS).transform(TEXTS), KINDS)
    assert words_of(model, {"money": 1.0}) == {"money"}


def test_the_names_of_columns_come_out_for_other_transformers() -> None:
    """Where names are kept: the word of a column, else its number."""
    hasher = TextHasher(bits=10, max_names=100).fit(TEXTS)
    names = hasher.get_feature_names_out()

    assert len(names) == 1024
    assert {name for name in names if name != f"x{np.flatnonzero(names == name)[0]}"} == set(
        hasher.names_.values()
    )
    pipe = make_pipeline(
        TextHasher(bits=10, max_names=100, alternate_sign=False), SelectKBest(chi2, k=3)
    ).fit(TEXTS, KINDS)
    assert set(pipe.get_feature_names_out()) <= set(names)
    assert len(pipe.get_feature_names_out()) == 3
    with pytest.raises(NotAvailableError, match="TextHasher keeps the names of columns only with max_names"):
        TextHasher(bits=10).fit(TEXTS).get_feature_names_out()
    with pytest.raises(NotFittedError):
        TextHasher(bits=10, max_names=5).get_feature_names_out()
