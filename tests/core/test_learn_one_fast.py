"""The short way of `learn_one`: it learns what brings nothing new, and leaves everything else as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from onlinear import AROWClassifier, Learner, PassiveAggressiveClassifier, _core, belief, load, rule, task
from onlinear.model.classifier import ClassifierModel

CLASSES = {"ham": 0, "spam": 1}


def pupil() -> Any:
    """A native learner that has met some words."""
    made = Learner(task=task.Binary(), rule=rule.Arow(), belief=belief.Diagonal(), n_features=0)
    handle = made.handle
    handle.use_hashing(10, "murmur")
    handle.learn_dict({"a": 1.0, "b": 2.0}, 1, 0.0, 1.0, None, False)
    handle.learn_dict({"c": 1.0}, 0, 0.0, 1.0, None, False)
    return handle


def state_of(handle: Any) -> dict[str, Any]:
    """All that a learner knows, as plain values."""
    plain = {
        key: getattr(value, "tolist", lambda value=value: value)() for key, value in handle.state().items()
    }
    return {**plain, "words": handle.words()}


def test_a_known_example_is_learned_as_by_the_long_way() -> None:
    """Bit for bit."""
    short, long = pupil(), pupil()
    assert _core.learn_one_fast(short, CLASSES, {"a": 0.5, "c": -1.5}, "ham", 2.0)
    long.learn_dict({"a": 0.5, "c": -1.5}, 0, 0.0, 2.0, None, False)

    assert state_of(short) == state_of(long)
    assert short.n_seen == 3


class Odd:
    """A value whose own code fails."""

    def __repr__(self) -> str:
        return "Odd()"

    def __float__(self) -> float:
        raise ValueError("no number today")


@pytest.mark.parametrize(
    ("classes", "x", "y", "w"),
    [
        (CLASSES, {"a": 1.0}, "eggs", 1.0),
        (CLASSES, {"a": 1.0}, ["ham"], 1.0),
        (CLASSES, {"a": 1.0}, None, 1.0),
        (None, {"a": 1.0}, "ham", 1.0),
        (CLASSES, {"a": float("nan")}, "ham", 1.0),
        (CLASSES, {"a": Odd()}, "ham", 1.0),
        (CLASSES, [("a", 1.0)], "ham", 1.0),
        (CLASSES, None, "ham", 1.0),
        (CLASSES, {"a": 1.0}, "ham", 0.0),
        (CLASSES, {"a": 1.0}, "ham", -1.0),
        (CLASSES, {"a": 1.0}, "ham", float("nan")),
        (CLASSES, {"a": 1.0}, "ham", 1),
        (CLASSES, {"a": 1.0}, "ham", "1"),
        (CLASSES, {5000: 1.0}, "ham", 1.0),
        (CLASSES, {-1: 1.0}, "ham", 1.0),
    ],
    ids=repr,
)
def test_anything_else_changes_nothing(classes: Any, x: Any, y: Any, w: Any) -> None:
    """A new class, a new column, what is refused or no example at all: the method in Python deals with it."""
    handle = pupil()
    before = state_of(handle)

    assert not _core.learn_one_fast(handle, classes, x, y, w)
    assert state_of(handle) == before


def test_no_learner_and_other_tasks_take_the_long_way() -> None:
    """Before anything is learned there is no learner; targets are no labels."""
    assert not _core.learn_one_fast(None, CLASSES, {"a": 1.0}, "ham", 1.0)
    other = Learner(task=task.Regression(), rule=rule.PassiveAggressive(), belief=belief.Mean(), n_features=2)
    assert not _core.learn_one_fast(other.handle, CLASSES, {0: 1.0}, "ham", 1.0)
    assert other.n_seen == 0


def test_an_interruption_is_passed_on() -> None:
    """Ctrl-C in a value's own code is none of an example's faults."""

    class Interrupted:
        def __float__(self) -> float:
            raise KeyboardInterrupt

    handle = pupil()
    before = state_of(handle)
    with pytest.raises(KeyboardInterrupt):
        _core.learn_one_fast(handle, CLASSES, {"a": Interrupted()}, "ham", 1.0)
    assert state_of(handle) == before


@pytest.mark.parametrize("kind", [AROWClassifier, PassiveAggressiveClassifier])
@pytest.mark.parametrize("labels", [["ham", "spam"], [0, 1], ["ham", "spam", "eggs"]], ids=repr)
def test_a_classifier_takes_the_short_way_whenever_it_can(
    kind: type[Any], labels: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The long way learns the same: nothing else would tell that the short one is never taken."""
    model = kind()
    for label in labels:
        model.learn_one({"a": 1.0, "b": 2.0}, label)
    model.save(tmp_path / "model.safetensors")

    def refused(*_: object) -> None:
        raise AssertionError("the long way was taken")

    monkeypatch.setattr(ClassifierModel, "learn_one", refused)
    for either in (model, load(tmp_path / "model.safetensors")):
        before = either.n_seen_
        either.learn_one({"b": 0.5}, labels[0]).learn_one({"a": -1.0}, labels[-1], 2.0)
        assert either.n_seen_ == before + 2
