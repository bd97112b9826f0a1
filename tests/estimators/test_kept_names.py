"""The words of hashed columns are kept so that models speak in words, within bounds that no stream can pass."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import onlinear
from onlinear import AROWClassifier
from onlinear.exceptions import DataError


def learned(names: list[str], limit: int | None = None) -> AROWClassifier:
    """A model that has met names one after the other, and keeps at most so many."""
    model = AROWClassifier(bits=18)
    model.learn_one({0: 1.0}, 0)
    if limit is not None:
        model.model_.learner.handle.set_max_names(limit)
    for number, name in enumerate(names):
        model.learn_one({name: 1.0}, number % 2)
    return model


def kept(model: AROWClassifier) -> list[str]:
    """The words a model knows."""
    return list(model.model_.learner.handle.words().values())


@pytest.mark.parametrize("together", [False, True], ids=["one by one", "in one dict"])
def test_no_more_words_are_kept_than_allowed(together: bool) -> None:
    """The first ones; the others are learned all the same."""
    model = learned([] if together else ["red", "green", "blue"], limit=2)
    if together:
        model.learn_one(dict.fromkeys(["red", "green", "blue"], 1.0), 1)
    assert kept(model) == ["red", "green"]
    if not together:
        assert model.digest() == learned(["red", "green", "blue"]).digest()


def test_a_word_too_long_is_not_kept(tmp_path: Path) -> None:
    """Up to 4096 bytes are; the column of a longer one is learned and stays nameless, also in a file."""
    longest, longer = "x" * 4096, "y" * 4097
    model = learned([longest, longer, "é" * 2049, "short"])
    assert kept(model) == [longest, "short"]
    assert model.predict_one({longer: 5.0}) == 1

    model.save(tmp_path / "model.safetensors")
    loaded = onlinear.load(tmp_path / "model.safetensors")
    assert kept(loaded) == [longest, "short"]
    assert loaded.digest() == model.digest()


def test_words_have_a_length_on_average() -> None:
    """32 bytes for each that may be kept: long ones leave less room for others, and a refused one takes none."""
    limit = 4096
    long = [f"{i:04}" + "x" * 4092 for i in range(40)]
    model = learned(long, limit=limit)
    assert kept(model) == long[: 32 * limit // 4096]
    assert kept(copy.deepcopy(model)) == kept(model)

    shorter = [word[:4000] for word in long]  # the last of which would begin within the bound and end past it
    assert kept(learned(shorter, limit=limit)) == shorter[: 32 * limit // 4000]

    model = learned(long[:31], limit=limit)
    for _ in range(3):
        with pytest.raises(DataError, match="NaN"):
            model.learn_one({"refused" * 100: float("nan")}, 0)
    model.learn_one({long[31]: 1.0}, 0)
    assert kept(model) == long[:32]


def test_words_of_another_model_are_not_kept_where_they_are_too_long() -> None:
    """What a file says of its words is not believed."""
    model = learned(["a"])
    model.model_.learner.handle.remember_words({1: "x" * 4097, 2: "fine"})
    assert kept(model) == ["a", "fine"]


def frame_model() -> AROWClassifier:
    """A model that knows its columns by name."""
    return AROWClassifier().fit(pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 1.0]}), [0, 1])


def test_new_names_on_a_data_frames_model_do_not_copy_those_before_them() -> None:
    """A name more is a view one longer of the same array, but for a few times; views given before stay as they are."""
    model = frame_model()
    arrays, first = set(), model.feature_names_in_
    for number in range(1000):
        model.learn_one({f"name {number}": 1.0}, number % 2)
        arrays.add(id(model.feature_names_in_.base))
        if number == 500:
            middle = model.feature_names_in_
    expected = ["a", "b", *(f"name {number}" for number in range(1000))]
    assert len(arrays) < 12
    assert model.feature_names_in_.tolist() == expected
    assert middle.tolist() == expected[:503]
    assert first.tolist() == ["a", "b"]
    assert model.n_features_in_ == len(expected)

    twin = copy.deepcopy(model).learn_one({"twin's own": 1.0}, 0)
    model.learn_one({"another": 1.0}, 0)
    assert twin.feature_names_in_.tolist() == [*expected, "twin's own"]
    assert model.feature_names_in_.tolist() == [*expected, "another"]


def test_a_refused_name_leaves_the_names_before_it() -> None:
    """And the next one takes its place."""
    model = frame_model().learn_one({"c": 1.0}, 0)
    names = model.feature_names_in_
    with pytest.raises(DataError, match="NaN"):
        model.learn_one({"d": float("nan")}, 0)
    model.learn_one({"e": 1.0}, 0)
    assert names.tolist() == ["a", "b", "c"]
    assert model.feature_names_in_.tolist() == ["a", "b", "c", "e"]


def test_a_dict_may_bring_very_many_names_at_once() -> None:
    """Each is looked up once: comparing them with one another would take minutes."""
    model = frame_model()
    model.learn_one({f"name {number}": 1.0 for number in range(150_000)} | {"red": "1", "red=1": 2.0}, 0)
    assert model.n_features_in_ == 150_003
    assert np.all(model.feature_names_in_[-2:] == ["name 149999", "red=1"])


@pytest.mark.parametrize("weight", [None, [0.0]], ids=["refused", "of no weight"])
def test_names_of_a_wider_batch_that_teaches_nothing_go_with_it(weight: list[float] | None) -> None:
    """A batch with one more column that is refused, or has no weight, leaves names and features as they were."""
    model = AROWClassifier(grow_features=True).partial_fit(
        pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 1.0]}), [0, 1]
    )
    value = np.inf if weight is None else 1.0
    wider = pd.DataFrame({"a": [1.0], "b": [value], "c": [1.0]})
    if weight is None:
        with pytest.raises(DataError, match="infinity"):
            model.partial_fit(wider, [0])
    else:
        model.partial_fit(wider, [0], sample_weight=weight)

    assert model.n_features_in_ == len(model.feature_names_in_) == 2
