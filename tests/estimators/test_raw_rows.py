"""Raw rows: frames with words, lists of dicts and lists of texts, wherever a matrix may stand."""

from __future__ import annotations

import io
import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import onlinear
from onlinear import AROWClassifier, AROWRegressor, MultilabelRanker, PassiveAggressiveOneClass
from onlinear.exceptions import DataError, ReadWarning

FRAME = pd.DataFrame(
    {
        "age": [31.5, None, 20.0, 50.0],
        "city": ["Rome", "Oslo", None, "Rome"],
        "new": [True, False, True, None],
        "size": pd.Categorical(["s", "m", None, "s"]),
        "rooms": [1, 2, 3, 4],
        "tags": [["x", "y"], None, ["x"], []],
    }
)
LABELS = ["p", "q", "p", "q"]
FILMS = ["a moving film", "dull and long", "moving and warm", "so dull"]
VERDICTS = ["good", "bad", "good", "bad"]


def dicts() -> list[dict[str, Any]]:
    """The frame's rows as dicts, None where a cell is missing."""
    rows: list[dict[str, Any]] = pl.from_pandas(FRAME).to_dicts()
    return rows


def through_json(rows: list[dict[str, Any]], labels: list[str]) -> onlinear.io.Reader:
    """The same as lines of JSON."""
    lines = [json.dumps({"label": y, **row}) + "\n" for row, y in zip(rows, labels, strict=True)]
    return onlinear.read(io.BytesIO("".join(lines).encode()), "jsonl")


def test_rows_teach_the_same_however_they_come() -> None:
    """Frames of both kinds, tables, dicts at once and one by one, and files: equal bits."""
    table = pl.from_pandas(FRAME).to_arrow()
    models = [
        AROWClassifier().partial_fit(rows, LABELS) for rows in (FRAME, pl.from_pandas(FRAME), table, dicts())
    ]
    one_by_one = AROWClassifier()
    for row, label in zip(dicts(), LABELS, strict=True):
        one_by_one.learn_one(row, label)
    models += [
        one_by_one,
        AROWClassifier().fit_stream(through_json(dicts(), LABELS)),
        AROWClassifier().fit_stream(onlinear.read(FRAME.assign(label=LABELS))),
        AROWClassifier().fit_stream([(FRAME[:2], LABELS[:2]), (pl.from_pandas(FRAME)[2:], LABELS[2:])]),
    ]

    assert len({model.digest() for model in models}) == 1
    for model in models:
        scores = [model.decision_function(rows) for rows in (FRAME, table, dicts())]
        assert np.array_equal(scores[0], scores[1])
        assert np.array_equal(scores[0], scores[2])
        assert [model.predict_one(row) for row in dicts()] == model.predict(FRAME).tolist()


def test_every_question_takes_raw_rows() -> None:
    """As the same rows from a file."""
    model = AROWClassifier(random_state=0).fit(FRAME, LABELS)
    (batch,) = onlinear.read(FRAME, like=model)

    assert model.score(FRAME, LABELS) == model.score(batch.X, LABELS)
    for ask in (
        model.predict,
        model.predict_proba,
        model.predict_log_proba,
        model.decision_function,
        model.margin,
        model.confidence,
    ):
        assert np.array_equal(ask(FRAME), ask(batch.X))
    with pytest.raises(AttributeError, match="feature_names_in_"):
        _ = model.feature_names_in_


def test_other_tasks_take_them_too() -> None:
    """Targets, ordinary rows and sets of labels."""
    regressor = AROWRegressor(random_state=0).fit(FRAME, [1.0, 2.0, 3.0, 4.0])
    assert np.array_equal(regressor.predict(FRAME), regressor.predict(dicts()))
    targets = [1.0, 2.0, 3.0, 4.0]
    assert regressor.score(FRAME, targets) == regressor.score(dicts(), targets)

    ordinary = PassiveAggressiveOneClass(random_state=0).fit(FRAME)
    assert np.array_equal(ordinary.score_samples(FRAME), ordinary.score_samples(dicts()))

    ranker = MultilabelRanker(random_state=0).fit(FRAME, [["a"], ["b"], ["a", "b"], ["b"]])
    assert np.array_equal(ranker.decision_function(FRAME), ranker.decision_function(dicts()))


def test_scikit_learn_goes_about_with_them() -> None:
    """Clones, folds of frames and folds of lists."""
    long = pd.concat([FRAME] * 5, ignore_index=True)
    scores = cross_val_score(clone(AROWClassifier(random_state=0)), long, LABELS * 5, cv=2)
    assert (scores == 1).all()
    scores = cross_val_score(AROWClassifier(random_state=0), FILMS * 5, VERDICTS * 5, cv=2)
    assert (scores == 1).all()


def test_texts_are_learned_and_asked_as_they_are(tmp_path: Path) -> None:
    """A list, an array or a series of them; the model file knows how they were cut."""
    model = AROWClassifier(random_state=0).fit(FILMS, VERDICTS)
    model.save(tmp_path / "model.safetensors")
    again = onlinear.load(tmp_path / "model.safetensors")

    for ask in (model, again):
        for films in (FILMS, tuple(FILMS), np.array(FILMS), pd.Series(FILMS), pl.Series(FILMS)):
            assert ask.predict(films).tolist() == VERDICTS
        assert ask.predict_one("so dull") == "bad"
        assert ask.predict_one({"text": "so dull"}) == ask.predict_one({"dull": 1}) == "bad"
        assert ask.predict([{"text": film} for film in FILMS]).tolist() == VERDICTS
        assert ask.predict(pd.DataFrame({"text": FILMS})).tolist() == VERDICTS
        assert {item.feature for item in ask.explain("so dull").contributions} == {"so", "dull"}
    again.partial_fit(["warm"], ["good"]).learn_one("long", "bad")
    assert again.n_seen_ == model.n_seen_ + 2


def test_a_text_is_the_same_in_a_list_a_dict_and_a_line() -> None:
    """Equal bits."""
    lines = "".join(f"{y}\t{film}\n" for film, y in zip(FILMS, VERDICTS, strict=True))
    models = [
        AROWClassifier().partial_fit(FILMS, VERDICTS),
        AROWClassifier().partial_fit([{"text": film} for film in FILMS], VERDICTS),
        AROWClassifier().fit_stream(onlinear.read(io.BytesIO(lines.encode()), "text")),
        AROWClassifier().fit_stream(through_json([{"text": film} for film in FILMS], VERDICTS)),
        AROWClassifier().fit_stream(
            onlinear.read(pd.DataFrame({"film": FILMS, "label": VERDICTS}), text="film")
        ),
    ]
    one_by_one = AROWClassifier()
    for film, verdict in zip(FILMS, VERDICTS, strict=True):
        one_by_one.learn_one({"text": film}, verdict)

    assert len({model.digest() for model in (*models, one_by_one)}) == 1


def test_texts_are_cut_as_they_were_learned(tmp_path: Path) -> None:
    """Pairs of words included; what was cut otherwise is refused."""
    lines = io.BytesIO(b"good\tnot bad\nbad\tnot good\n")
    model = AROWClassifier(random_state=0).fit_stream(onlinear.read(lines, "text", ngram_range=(1, 2)))
    model.save(tmp_path / "model.safetensors")
    again = onlinear.load(tmp_path / "model.safetensors")

    assert again.explain("not bad").n_features == 3
    with pytest.raises(DataError, match=r"learned from texts that were read with ngram_range=\[1, 2\]"):
        again.fit_stream(onlinear.read(io.BytesIO(b"good\tnot bad\n"), "text"))
    again.fit_stream(onlinear.read(io.BytesIO(b"good\tnot bad\n"), "text", like=again))


def test_models_that_learned_no_text_refuse_some() -> None:
    """And say what to give."""
    with pytest.raises(DataError, match="learned from names alone; give dicts"):
        AROWClassifier().learn_one({"a": 1}, "p").predict(["a text"])
    with pytest.raises(TypeError, match="x must be a dict of features"):
        AROWClassifier().learn_one({"a": 1}, "p").predict_one("a text")  # type: ignore[arg-type]
    with pytest.raises(DataError, match="X holds texts alone.*columns age, note"):
        frame = pd.DataFrame({"age": [1.0, 2.0], "note": ["x", "y"], "label": ["p", "q"]})
        AROWClassifier().fit_stream(onlinear.read(frame, text="note")).predict(["a text"])


def test_nothing_is_nothing_however_it_is_written() -> None:
    """None, a missing cell and an absent key."""
    model = AROWClassifier(random_state=0).fit(FRAME, LABELS)
    empty = FRAME.iloc[:1].assign(city=None, age=np.nan, size=pd.NA, tags=None)
    full = FRAME.iloc[:1].to_dict("records")[0]

    asked = [
        model.decision_function(empty)[0],
        model.decision_function(
            pl.DataFrame({name: [value] for name, value in full.items()}).with_columns(
                city=None, age=None, size=None, tags=None
            )
        )[0],
        model.decision_function([{"new": True, "rooms": 1, "city": None}])[0],
        model.decision_function([{"new": True, "rooms": 1}])[0],
    ]
    assert len(set(asked)) == 1


def test_nan_is_refused_where_it_is_no_missing_cell() -> None:
    """In arrays, dicts and frames that tell one from the other."""
    model = AROWClassifier().partial_fit(FRAME, LABELS)
    with pytest.raises(DataError, match="row 1 of X: feature 'age' is NaN"):
        model.predict([{"age": 1.0}, {"age": float("nan")}])
    with pytest.raises(DataError, match='column "age" of X, row 0: expected a finite value, found "nan"'):
        model.predict(pl.from_pandas(FRAME[:1]).with_columns(age=float("nan")))
    with pytest.raises(ValueError, match="NaN"):
        AROWClassifier().partial_fit(np.array([[1.0, np.nan]]), ["p"])


def test_frames_of_numbers_are_matrices_with_names() -> None:
    """As ever; truth is a number, and a missing cell is no feature."""
    frame = pd.DataFrame({"a": [1.0, 0.0, 2.0], "b": [True, False, True]})
    model = AROWClassifier().partial_fit(frame, ["p", "q", "p"])
    holes = pd.DataFrame({"a": [np.nan, 1.0], "b": pd.array([True, None], dtype="boolean")})

    assert model.feature_names_in_.tolist() == ["a", "b"]
    assert model.coef_.shape == (1, 2)
    zeros = np.array([[0.0, 1.0], [1.0, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that an array has no names
        assert np.array_equal(model.decision_function(holes), model.decision_function(zeros))
    assert np.array_equal(
        model.decision_function(pl.DataFrame({"a": [None, 1.0], "b": [True, None]})),
        model.decision_function(holes),
    )
    assert np.array_equal(model.decision_function([{"b": 1}, {"a": 1.0}]), model.decision_function(holes))
    with pytest.raises(
        DataError, match='column "a" of X holds String, and the model has learned from columns of numbers'
    ):
        model.predict(frame.assign(a=["x", "y", "z"]))
    with pytest.raises(DataError, match="names 'c', which is none of the model's 2 columns"):
        model.partial_fit([{"c": 1.0}], ["p"])


def test_frames_of_numbers_are_raw_to_models_of_names() -> None:
    """What they mean depends on the model, not on what a batch happens to hold."""
    model = AROWClassifier().partial_fit(FRAME, LABELS)
    numbers = FRAME.assign(city=None, size=None, tags=None)

    rows = [{name: row[name] for name in ("age", "new", "rooms")} for row in dicts()]
    assert np.array_equal(model.decision_function(numbers), model.decision_function(rows))


def test_columns_may_have_any_names_but_one() -> None:
    """Numbers, as pandas gives them, are read as words; sparse columns hold numbers."""
    frame = pd.DataFrame({0: ["a", "b"], 1: pd.arrays.SparseArray([0.0, 2.0])})
    model = AROWClassifier(random_state=0).fit(frame, ["p", "q"])
    assert (
        model.predict(frame).tolist()
        == model.predict([{"0": "a"}, {"0": "b", "1": 2.0}]).tolist()
        == ["p", "q"]
    )
    twice = pd.DataFrame([["x", "y"]], columns=["a", "a"])
    with pytest.raises(DataError, match="columns of one name"):
        model.predict(twice)


def test_columns_the_model_does_not_know_are_told_once() -> None:
    """And passed over."""
    model = AROWClassifier(random_state=0).fit(FRAME, LABELS)
    wider = FRAME.assign(extra=1.0)
    with pytest.warns(ReadWarning, match='"extra" is none of the columns') as told:
        assert np.array_equal(model.decision_function(wider), model.decision_function(FRAME))
    assert told[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(wider)


def test_a_refused_batch_leaves_no_trace() -> None:
    """Neither words nor a schema."""
    model = AROWClassifier()
    for bad in (
        FRAME.assign(when=pd.Timestamp("2024-05-01")),
        FRAME.assign(age=np.inf),
        FRAME.assign(city=[{}] * 4),
    ):
        with pytest.raises(DataError):
            model.partial_fit(bad, LABELS)
    assert not model.__sklearn_is_fitted__()
    model.partial_fit(FRAME, LABELS)
    before, words = model.digest(), model.model_.learner.handle.words()
    schema = model.model_.schema.state()
    with pytest.raises(DataError, match="row 1 of X: feature 'new'"):
        model.partial_fit([{"fresh": 1}, {"new": float("inf")}], ["p", "q"])
    with pytest.raises(ValueError, match="inconsistent"):
        model.partial_fit(FRAME.assign(fresh="word"), LABELS[:2])
    assert model.digest() == before
    assert model.model_.learner.handle.words() == words
    assert model.model_.schema.state() == schema


def test_models_speak_in_the_words_of_raw_rows() -> None:
    """Names of columns, categories, and words of texts."""
    model = AROWClassifier().partial_fit(FRAME, LABELS)
    words = set(model.model_.learner.handle.words().values())
    assert {"age", "city=Rome", "new", "size=s", "tags=x"} <= words
    assert {item.feature for item in model.explain(FRAME.iloc[:1]).contributions} == {
        "age",
        "city=Rome",
        "new",
        "size=s",
        "rooms",
        "tags=x",
        "tags=y",
    }
    of_row, of_frame = model.explain(FRAME.iloc[0]), model.explain(FRAME.iloc[:1])
    assert of_row.margin == pytest.approx(of_frame.margin, rel=1e-12)
    assert {item.feature for item in of_row.contributions} == {
        item.feature for item in of_frame.contributions
    }


@pytest.mark.parametrize(
    ("cells", "means"),
    [
        ([1, "a", None], [{"x": 1.0}, {"x=a": 1.0}, {}]),
        ([True, 2.5, ["u", "v"]], [{"x": 1.0}, {"x": 2.5}, {"x=u": 1.0, "x=v": 1.0}]),
        ([np.float32(2), np.nan, pd.NA], [{"x": 2.0}, {}, {}]),
    ],
    ids=str,
)
def test_objects_are_read_cell_by_cell_as_json_is(cells: list[Any], means: list[dict[str, float]]) -> None:
    """A column of Python's objects may hold anything a dict may."""
    model = AROWClassifier().learn_one({"x=a": 1.0}, "p").learn_one({"x": 1.0, "x=u": 2.0}, "q")
    frame = pd.DataFrame({"x": pd.Series(cells, dtype=object), "n": ["k", "l", "m"]})
    rows = [{**features, f"n={n}": 1.0} for features, n in zip(means, "klm", strict=True)]

    assert np.array_equal(model.decision_function(frame), model.decision_function(rows))
