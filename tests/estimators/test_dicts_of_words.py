"""Dicts whose keys are words: hashed, remembered, and left alone where they are refused."""

from __future__ import annotations

import inspect
import pickle
from types import MappingProxyType
from typing import cast

import numpy as np
import pandas as pd
import pytest

from onlinear import AROWClassifier, PassiveAggressiveClassifier
from onlinear.exceptions import DataError


def words_of(model: AROWClassifier) -> set[str]:
    """The words a model knows."""
    return set(model.model_.learner.handle.words().values())


def trained() -> AROWClassifier:
    """A model of two examples."""
    model = AROWClassifier(bits=12)
    return model.learn_one({"cheap": 1.0, "pills": 2.0}, "spam").learn_one({"lunch": 1.0}, "ham")


def test_words_come_with_what_is_learned() -> None:
    """Also those that come later, and short, long and foreign ones."""
    model = trained()
    long = "x" * 500
    model.learn_one({"naïve": 1, long: 2.0, "": 1.0, "a": 1.0}, "ham")

    assert words_of(model) == {"cheap", "pills", "lunch", "naïve", long, "", "a"}


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e300, object, [1.0]], ids=str)
def test_a_refused_example_leaves_no_word_behind(bad: object) -> None:
    """Whether its first value is wrong or its last."""
    model = trained()
    before = model.digest()
    for x in ({"new": 1.0, "wrong": bad}, {"wrong": bad, "newer": 1.0}):
        with pytest.raises((DataError, TypeError, ValueError)):
            model.learn_one(x, "ham")
        assert words_of(model) == {"cheap", "pills", "lunch"}
    assert model.digest() == before

    model.learn_one({"new": 1.0}, "ham")
    assert "new" in words_of(model)


def test_prediction_and_no_weight_leave_no_word_behind() -> None:
    """Only learning does."""
    model = trained()
    model.predict_one({"strange": 1.0})
    model.learn_one({"weightless": 1.0}, "ham", 0.0)

    assert words_of(model) == {"cheap", "pills", "lunch"}


def test_every_kind_of_value_teaches_the_same() -> None:
    """Floats, whole numbers, booleans and NumPy's numbers take different ways to one result."""
    digests = set()
    for one, two in ((1.0, 2.0), (1, 2), (True, 2.0), (np.float32(1), np.int64(2))):
        model = PassiveAggressiveClassifier(bits=12)
        model.learn_one({"a": one, "b": two}, 0).learn_one({"b": one, "c": two}, 1)
        digests.add(model.digest())

    assert len(digests) == 1


class Ordered(dict[str, float]):
    """A dict of another class."""


class Word(str):
    """A string of another class."""


def with_gaps() -> dict[str, float]:
    """A dict from which items have been taken: its table has gaps, at both ends and between."""
    x = {f"gone{i}": 9.0 for i in range(40)} | {"a": 1.0} | {f"gone too{i}": 9.0 for i in range(40)}
    x |= {"b": 2.0, "gone at last": 9.0}
    for key in [key for key in x if key.startswith("gone")]:
        del x[key]
    return x


def once_mixed() -> dict[str, float]:
    """A dict that once had a key which is no string."""
    x: dict[str | int, float] = {3: 9.0, "a": 1.0, "b": 2.0}
    del x[3]
    return cast(dict[str, float], x)


def attributes() -> dict[str, float]:
    """The dict of an object, which shares its keys with those of its class."""

    class Mail:
        def __init__(self) -> None:
            self.a, self.b = 1.0, 2.0

    return vars(Mail())


@pytest.mark.parametrize(
    "x",
    [
        with_gaps(),
        attributes(),
        Ordered(a=1.0, b=2.0),
        {Word("a"): 1.0, Word("b"): 2.0},
        {"a": 1.0, Word("b"): 2.0},
        once_mixed(),
        MappingProxyType({"a": 1.0, "b": 2.0}),
    ],
    ids=["gaps", "attributes", "subclass", "words", "mixed words", "once mixed", "mapping"],
)
def test_every_kind_of_dict_teaches_the_same(x: dict[str, float]) -> None:
    """However Python keeps its items."""
    model, plain = trained(), trained()
    model.learn_one(x, "ham")
    plain.learn_one({"a": 1.0, "b": 2.0}, "ham")

    assert model.coef_.tolist() == plain.coef_.tolist()
    assert words_of(model) == words_of(plain)


@pytest.mark.parametrize("size", [1, 15, 16, 17, 78, 159, 161, 600])
def test_dicts_of_any_size_are_learned_as_the_row_they_stand_for(size: int) -> None:
    """With as many columns that two words meet, and with many more."""
    rng = np.random.default_rng(size)
    x = {f"word {i}": float(value) for i, value in enumerate(rng.normal(size=size))}
    for bits in (4, 20):
        columns, values = (
            AROWClassifier(bits=bits, dtype="float64").learn_one(x, 0).model_.learner.handle.columns_of(x)
        )
        row = np.zeros((1, 2**bits))
        for column, value in zip(columns, values, strict=True):
            row[0, column] += value
        one = AROWClassifier(bits=bits, dtype="float64").learn_one(x, 0).learn_one(x, 1)
        whole = AROWClassifier(dtype="float64").partial_fit(row, [0]).partial_fit(row, [1])
        np.testing.assert_allclose(one.coef_, whole.coef_, rtol=1e-12)


def test_learn_one_says_how_it_is_called() -> None:
    """Arguments by place or by name, and a wrong one is an error."""
    assert list(inspect.signature(AROWClassifier().learn_one).parameters) == ["x", "y", "w"]
    assert "river's verb" in (AROWClassifier.learn_one.__doc__ or "")
    model, named = trained(), trained()
    model.learn_one({"lunch": 1.0}, "ham", 2.0)
    assert named.learn_one(y="ham", w=2.0, x={"lunch": 1.0}) is named
    assert named.digest() == model.digest()
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'y'"):
        model.learn_one({"lunch": 1.0})  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        model.learn_one({"lunch": 1.0}, "ham", weight=1.0)  # type: ignore[call-arg]
    assert named.digest() == model.digest()


def test_an_interruption_is_not_taken_for_a_bad_label() -> None:
    """Looking a label up may run code of the user's."""

    class Interrupted:
        def __hash__(self) -> int:
            raise KeyboardInterrupt

    model = trained()
    before = model.digest()
    with pytest.raises(KeyboardInterrupt):
        model.learn_one({"lunch": 1.0}, Interrupted())
    assert model.digest() == before


def test_a_category_among_numbers_is_a_feature_of_its_own() -> None:
    """{"colour": "red"} is the feature "colour=red", wherever in the dict it stands."""
    plain = AROWClassifier(bits=12).learn_one({"size": 2.0, "colour=red": 1.0}, 0)
    for x in ({"size": 2.0, "colour": "red"}, {"colour": "red", "size": 2.0}):
        assert AROWClassifier(bits=12).learn_one(x, 0).coef_.tolist() == plain.coef_.tolist()


def test_items_that_can_be_read_once_are_read_once() -> None:
    """What is refused must not come back as nothing at all."""

    class Once:
        def __init__(self, **items: float) -> None:
            self.items = iter(items.items()).__iter__

    model, plain = trained(), trained()
    assert (
        model.learn_one(Once(a=1.0, b=2.0), "ham").digest()
        == plain.learn_one({"a": 1.0, "b": 2.0}, "ham").digest()
    )
    with pytest.raises(DataError, match="NaN"):
        model.learn_one(Once(a=float("nan")), "ham")
    assert model.digest() == plain.digest()


def test_values_say_what_is_wrong_with_them() -> None:
    """A number that no float holds; Ctrl-C is none of a value's faults."""

    class Interrupted:
        def __float__(self) -> float:
            raise KeyboardInterrupt

    model = trained()
    with pytest.raises(
        TypeError,
        match="feature 'a' must be a number, a string or a list of strings, got a value of type int",
    ):
        model.learn_one({"a": 10**5000}, "ham")
    with pytest.raises(KeyboardInterrupt):
        model.learn_one({"a": Interrupted()}, "ham")


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ({"a": "\ud800"}, r"must be valid Unicode, got '\\ud800'"),
        ({"\ud800": 1.0}, r"must be valid Unicode, got '\\ud800'"),
        ({"fine": 1.0, "x\ud800": "red"}, r"must be valid Unicode, got 'x\\ud800'"),
        ({"fine": 1.0, "dear": float("nan")}, "feature 'dear' is NaN"),
        ({"colour": "red", "dear": float("-inf")}, "feature 'dear' is infinite"),
        ({"fine": 1.0, "dear": 1e39}, "feature 'dear' is too large for float32.*dtype='float64'"),
        ({3: float("nan")}, "feature 3 is NaN"),
        ({-1: 1.0}, "feature index -1 is negative"),
    ],
    ids=ascii,
)
def test_a_refused_dict_is_told_by_its_words(x: dict[object, object], message: str) -> None:
    """Not by columns that nobody chose; nothing is learned of it, whether it is the first or not."""
    model = trained()
    before = model.digest()
    for call in (model.learn_one, AROWClassifier().learn_one):
        for label in ("ham", "news"):
            with pytest.raises(DataError, match=message):
                call(x, label)
    for read in (model.predict_one, model.predict_proba_one, model.explain):
        if "1e+39" not in str(x):
            with pytest.raises(DataError, match=message):
                read(x)
    assert model.digest() == before
    assert words_of(model) == {"cheap", "pills", "lunch"}
    assert model.classes_.tolist() == ["ham", "spam"]


@pytest.mark.parametrize("x", [None, 3, [1.0], "text"], ids=str)
def test_what_is_no_dict_is_refused_with_what_it_is(x: object) -> None:
    """Arrays have methods of their own."""
    model = trained()
    for call in (lambda: model.learn_one(x, "ham"), lambda: model.predict_one(x)):  # type: ignore[arg-type]
        with pytest.raises(TypeError, match=r"x must be a dict of features, got .*arrays go to partial_fit"):
            call()


def test_words_need_room_below_max_features() -> None:
    """A model that is wider than it may be could not be loaded again."""
    model = AROWClassifier(max_features=1000)
    with pytest.raises(ValueError, match=r"2\^20 = 1048576 columns, more than max_features \(1000\)"):
        model.learn_one({"a": 1.0}, 1)
    narrow = AROWClassifier(max_features=1024, bits=10).learn_one({"a": 1.0}, 1).learn_one({"b": 1.0}, 0)
    assert pickle.loads(pickle.dumps(narrow)).digest() == narrow.digest()


def test_a_value_that_changes_the_dict_does_no_harm() -> None:
    """`__float__` may run any code, also code that empties the dict it stands in."""
    x: dict[str, object] = {f"word{i}": 1.0 for i in range(50)}

    class Sly:
        def __float__(self) -> float:
            x.clear()
            x.update({f"other{i}": float(i) for i in range(500)})
            return 1.0

    x["-".join(["made", "here"])] = Sly()  # a string that nobody else holds
    x["last"] = 1.0
    model = trained().learn_one(x, "ham")
    assert "made-here" in words_of(model)
    assert np.isfinite(model.coef_).all()
    assert np.isfinite(model.learn_one({"lunch": 1.0}, "ham").coef_).all()


def test_a_new_name_that_comes_twice_in_a_dict_is_one_feature() -> None:
    """{"colour": "red", "colour=red": 1} names one feature twice, and its values add up."""
    twice, once = (AROWClassifier(grow_features=True, dtype="float64") for _ in range(2))
    for model in (twice, once):
        model.partial_fit(pd.DataFrame({"a": [0.0, 1.0]}), [0, 1])
    twice.learn_one({"a": 1.0, "colour": "red", "colour=red": 1.0, "b": 1.0}, 0)
    once.learn_one({"a": 1.0, "colour=red": 2.0, "b": 1.0}, 0)

    assert twice.feature_names_in_.tolist() == once.feature_names_in_.tolist() == ["a", "colour=red", "b"]
    np.testing.assert_array_equal(twice.coef_, once.coef_)
