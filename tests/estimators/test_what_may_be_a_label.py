"""What may be a class label: what a model file can hold, and what is the same class through every door."""

from __future__ import annotations

import datetime
import decimal
import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import onlinear
from onlinear import AROWClassifier, MultilabelRanker, SequenceLabeler
from onlinear.exceptions import DataError
from onlinear.integrations.river import as_river
from onlinear.model.labels import Labels


class Colour(enum.Enum):
    """Not a string, nor a number."""

    RED = 1


def rows(n: int) -> np.ndarray:
    """Examples that differ."""
    return np.random.default_rng(n).standard_normal((n, 3))


def one_by_one(model: Any, labels: Any) -> None:
    """Learn labels as dicts bring them."""
    for row, label in zip(rows(len(labels)), listed(labels), strict=True):
        model.learn_one(dict(enumerate(row.tolist())), label)


def listed(labels: Any) -> list[Any]:
    """Labels as they stand in their array, nothing made of them."""
    return list(labels) if isinstance(labels, np.ndarray) else labels


def tokens(n: int) -> list[Any]:
    """A sequence of so many tokens."""
    return [[[f"w={i}"] for i in range(n)]]


#: Every way in which labels come to a model.
DOORS: dict[str, tuple[Callable[[], Any], Callable[[Any, Any], Any]]] = {
    "partial_fit": (AROWClassifier, lambda m, y: m.partial_fit(rows(len(y)), y)),
    "classes=": (AROWClassifier, lambda m, y: m.partial_fit(rows(len(y)), y, classes=y)),
    "fit": (AROWClassifier, lambda m, y: m.fit(rows(len(y)), y)),
    "learn_one": (AROWClassifier, one_by_one),
    "fit_stream": (AROWClassifier, lambda m, y: m.fit_stream([(rows(len(y)), y)])),
    "river": (lambda: as_river(AROWClassifier()), one_by_one),
    "ranker": (MultilabelRanker, lambda m, y: m.partial_fit(rows(len(y)), y)),
    "ranker's lists": (
        MultilabelRanker,
        lambda m, y: m.partial_fit(rows(len(y)), [[label] for label in listed(y)]),
    ),
    "ranker's dicts": (MultilabelRanker, lambda m, y: m.learn_one({0: 1.0}, listed(y))),
    "sequence": (SequenceLabeler, lambda m, y: m.partial_fit(tokens(len(y)), [listed(y)])),
    "sequence, fit": (SequenceLabeler, lambda m, y: m.fit(tokens(len(y)), [listed(y)])),
}

#: Labels no model file can hold, or no array of labels as they are, and what is said of them.
NO_LABELS: dict[str, tuple[Any, str]] = {
    "bytes": (np.array([b"a", b"b", b"a"]), r"contains b'[ab]', of type bytes; .* Decode it"),
    "bytes among words": (["a", b"b", "a"], "of type bytes; .* Decode it"),
    "objects, bytes": (np.array(["a", b"b", "c"], dtype=object), "of type bytes; .* Decode it"),
    "dates": ([datetime.date(2020, 1, 1), datetime.date(2020, 1, 2)], r"of type date; .* str\(label\)"),
    "NumPy's dates": (np.array(["2020-01-01", "2020-01-02"], dtype="M8[ns]"), "of type datetime64"),
    "decimals": ([decimal.Decimal(1), decimal.Decimal(2)], "of type Decimal"),
    "enumerations": ([Colour.RED, Colour.RED], "of type Colour"),
    "complex": ([1j, 2j], "of type complex"),
    "long doubles": (np.array([1, 2], dtype=np.longdouble), "of type longdouble"),
    "missing": (["a", pd.NA, "b"], "contains <NA>.* Leave out rows"),
    "endless numbers": (
        [10**5000, 10**6000],
        r"a number of \d+ bits; a label may have 14000.*Make it a string",
    ),
    "NUL at the end": (["a", "a\0"], r"contains 'a\\x00', which ends in NUL"),
    "objects, NUL": (np.array(["a", "a\0"], dtype=object), r"contains 'a\\x00', which ends in NUL"),
}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize("kind", NO_LABELS)
def test_what_is_no_label_is_refused_when_it_comes(door: str, kind: str) -> None:
    """With what to do, through every door, and nothing is learned of the call."""
    if kind == "long doubles" and np.dtype(np.longdouble) == np.dtype(np.float64):
        return  # where they are floats
    (make, learn), (labels, message) = DOORS[door], NO_LABELS[kind]
    model = make()
    with pytest.raises(DataError, match=message):
        learn(model, labels)
    native = getattr(model, "model", model)
    if door not in ("learn_one", "river"):  # which learn those before it
        assert not hasattr(native, "_learner")
        assert not hasattr(native, "_native")


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    "labels",
    [
        ["a", "b", "a"],
        [1, 2, 1],
        np.array([2**53, 2**53 + 1, -(2**63)]),
        np.array([2**64 - 1, 1], dtype=np.uint64),
        [True, False],
        [1.0, 2.0],
        ["a\0b", "a"],
        [np.str_("a"), "b"],
    ],
    ids=str,
)
def test_what_is_learned_can_be_saved(door: str, labels: Any, tmp_path: Path) -> None:
    """The model loaded from the file has the classes that came."""
    make, learn = DOORS[door]
    model = make()
    learn(model, labels)
    model = getattr(model, "model", model)
    model.save(tmp_path / "model.safetensors")

    loaded = onlinear.load(tmp_path / "model.safetensors")

    given = np.asarray(labels).tolist()
    assert sorted(loaded.classes_.tolist()) == sorted(set(given))
    assert loaded.digest() == model.digest()


#: Labels that no type of number holds beside one another.
APART: list[tuple[Any, Any]] = [
    (np.array([2**53, 2**53 + 1, 7]), np.array([1.0, 2.0])),
    (np.array([1.0, 2.0]), np.array([7, 2**53 + 1])),
    (np.array([2**63 + 1, 5], dtype=np.uint64), np.array([-1, 0])),
    (np.array([-(2**62) - 1, 0]), np.array([3, 2**63 + 2**11], dtype=np.uint64)),
]


@pytest.mark.parametrize(("before", "after"), APART, ids=str)
def test_classes_that_no_type_holds_exactly_are_refused_together(before: Any, after: Any) -> None:
    """Two of them would be shown as one; the model stays as it was, in batches, lists, and one by one."""
    model = AROWClassifier().partial_fit(rows(len(before)), before)
    digest, classes = model.digest(), model.classes_

    for learn in (
        lambda: model.partial_fit(rows(len(after)), after),
        lambda: model.partial_fit(rows(len(after)), after.tolist()),
        lambda: model.partial_fit(rows(2), before[:2], classes=[*before.tolist(), *after.tolist()]),
        lambda: one_by_one(model, after.tolist()[1:]),
        lambda: model.partial_fit(rows(len(before) + len(after)), [*before.tolist(), *after.tolist()]),
    ):
        with pytest.raises(DataError, match="no type holds all of them exactly"):
            learn()
        assert model.digest() == digest
        assert model.classes_.tolist() == classes.tolist()
        assert model.classes_.dtype == classes.dtype


def test_whole_numbers_of_a_data_frame_stay_whole_numbers() -> None:
    """Also where its type knows missing values, which NumPy does not."""
    labels = pd.Series([2**53, 2**53 + 1, 7], dtype="Int64")
    model = AROWClassifier().partial_fit(rows(3), labels)
    assert model.classes_.tolist() == [7, 2**53, 2**53 + 1]
    with pytest.raises(DataError, match="<NA>"):
        model.partial_fit(rows(3), pd.Series([7, None, 7], dtype="Int64"))


words = st.sampled_from(["a", "b", "ab", "", "a\0b", "é", "wonderful"])
numbers = st.sampled_from([0, 1, -1, 2**31, 2**53, 2**53 + 1, -(2**63)])


@pytest.mark.parametrize("kind", [words, numbers], ids=["words", "numbers"])
@given(data=st.data())
@settings(max_examples=40, deadline=None)
def test_the_same_labels_make_the_same_model_through_every_door(kind: Any, data: st.DataObject) -> None:
    """Arrays, lists and objects, batches of any size, dicts: classes, their order and every bit."""
    labels = data.draw(st.lists(kind, min_size=1, max_size=80))
    X = rows(len(labels))
    array = np.array(labels)
    objects = np.empty(len(labels), dtype=object)
    objects[:] = labels
    forms = [array, labels, tuple(labels)] + ([objects] if isinstance(labels[0], str) else [])
    models = []
    for form in forms:
        for size in (1, 7, 65, 80):
            model = AROWClassifier(dtype="float64")
            for first in range(0, len(labels), size):
                model.partial_fit(X[first : first + size], form[first : first + size])
            models.append(model)
    single = AROWClassifier(dtype="float64")
    for row, label in zip(X.tolist(), labels, strict=True):
        single.learn_one(dict(enumerate(row)), label)
    models.append(single)

    assert len({model.digest() for model in models}) == 1
    assert {tuple(model.classes_.tolist()) for model in models} == {tuple(sorted(set(labels)))}


def test_classes_keep_their_width() -> None:
    """A short class after a long one does not cut it, nor the other way round."""
    X = rows(2)
    model = AROWClassifier().partial_fit(X, ["wonderful", "wonderful"]).partial_fit(X, ["no", "no"])
    assert model.classes_.tolist() == ["no", "wonderful"]
    assert set(model.predict(X).tolist()) <= {"no", "wonderful"}
    assert model.model_.labels.type == "<U9"

    model.learn_one({0: 1.0}, "marvellous")
    assert model.classes_.tolist() == ["marvellous", "no", "wonderful"]
    assert model.model_.labels.type == "<U10"


def test_refused_labels_leave_those_before_them() -> None:
    """A list of labels is taken as a whole or not at all."""
    labels = Labels()
    labels.add(["a"])
    with pytest.raises(DataError):
        labels.add(["b", b"c"])
    assert labels.names == ["a"]
    assert labels.type == "<U1"


MASKED = np.ma.masked_array(rows(4), mask=np.arange(12).reshape(4, 3) == 5)


def test_masked_entries_are_refused() -> None:
    """The numbers under a mask mean nothing; a mask that hides nothing is no matter."""
    model = AROWClassifier()
    y = np.array([0, 1, 0, 1])
    for learn in (model.partial_fit, model.fit):
        with pytest.raises(DataError, match=r"X has masked entries \(1 of 12\).*filled"):
            learn(MASKED, y)
        with pytest.raises(DataError, match=r"y has masked entries \(1 of 4\)"):
            learn(rows(4), np.ma.masked_array(y, mask=[0, 0, 1, 0]))
        with pytest.raises(DataError, match="sample_weight has masked entries"):
            learn(rows(4), y, sample_weight=np.ma.masked_array(np.ones(4), mask=[0, 0, 1, 0]))
    open_mask = np.ma.masked_array(rows(4), mask=np.zeros((4, 3), dtype=bool))
    model.partial_fit(open_mask, np.ma.masked_array(y))
    assert model.digest() == AROWClassifier().partial_fit(rows(4), y).digest()
    with pytest.raises(DataError, match="X has masked entries"):
        model.predict(MASKED)
    with pytest.raises(DataError, match="y has masked entries"):
        onlinear.AROWRegressor().partial_fit(rows(4), np.ma.masked_array(np.ones(4), mask=[0, 0, 1, 0]))
