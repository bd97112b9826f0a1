"""One thread brings classes while others predict: every answer is one the model could have given."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from onlinear import AROWClassifier, MIRAClassifier, MultilabelRanker, SequenceLabeler
from onlinear.exceptions import DataError, NumericError
from tests.estimators.roster import plain

from ..waiting import DEADLINE

COLUMNS, CLASSES = 6, 60
X = np.random.default_rng(0).normal(size=(40, COLUMNS))
DICT = {i: float(value) for i, value in enumerate(X[0])}


@pytest.fixture(autouse=True)
def _quick_switches() -> Iterator[None]:
    """Let threads take turns far more often than they would."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def name_of(number: int) -> str:
    """Names whose sorted order is not that of their arrival: each newcomer moves columns."""
    return f"class {(7 * number) % CLASSES:02}"


def while_it_grows(model: Any, grow: Callable[[int], Any], read: Callable[[], None]) -> None:
    """Run `read` in three threads while `grow` brings one class after the other."""
    grown, problems = threading.Event(), []

    def reader() -> None:
        try:
            while not grown.is_set():
                read()
        except BaseException as error:
            problems.append(error)

    threads = [threading.Thread(target=reader) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for number in range(2, CLASSES):
            grow(number)
    finally:
        grown.set()
        for thread in threads:
            thread.join()
    assert not problems, problems[0]
    assert sorted(model.classes_.tolist()) == sorted(name_of(number) for number in range(CLASSES))


def started(model: Any) -> Any:
    """A model of two classes."""
    return model.partial_fit(X[:2], [name_of(0), name_of(1)])


def read_all(model: Any) -> None:
    """Everything that names classes or has a column for each."""
    known = {name_of(number) for number in range(CLASSES)}
    assert known.issuperset(model.predict(X).tolist())
    assert np.isfinite(model.decision_function(X)).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)
    assert model.predict_one(DICT) in known
    assert known.issuperset(model.predict_proba_one(DICT))
    assert np.isfinite(model.coef_).all()
    assert model.explain(X[0]).predicted in known


@pytest.mark.parametrize(
    "model",
    [
        AROWClassifier(),
        AROWClassifier(covariance="full"),
        AROWClassifier(constraints="all"),
        MIRAClassifier(),
    ],
    ids=str,
)
@pytest.mark.parametrize("way", ["partial_fit", "learn_one"])
def test_a_classifier_answers_while_classes_come(model: Any, way: str) -> None:
    """The names and the scores of an answer are of one moment."""
    model = started(type(model)(**model.get_params()))

    def grow(number: int) -> None:
        if way == "learn_one":
            model.learn_one(DICT, name_of(number))
        else:
            model.partial_fit(X[number % 40 :][:1], [name_of(number)])

    while_it_grows(model, grow, lambda: read_all(model))


def test_a_classifier_answers_while_classes_are_refused() -> None:
    """A class that comes with an example that cannot be learned is there for a moment only."""
    model = started(plain(AROWClassifier))
    overflowing = np.full((1, COLUMNS), 1e300)

    def grow(number: int) -> None:
        with pytest.raises(DataError, match="infinite"):
            model.learn_one({0: 1.0, 1: float("inf")}, f"never {number}")
        with pytest.raises(NumericError, match="overflow"):
            model.partial_fit(overflowing, [f"never {number}"])
        model.partial_fit(X[:1], [name_of(number)])

    def read() -> None:
        assert (
            len(model.predict(X)) == len(model.decision_function(X)) == len(model.predict_proba(X)) == len(X)
        )
        assert model.predict_one(DICT) is not None
        assert model.predict_proba_one(DICT)

    while_it_grows(model, grow, read)


def test_a_ranker_answers_while_labels_come() -> None:
    """The same for sets of labels."""
    model = MultilabelRanker().partial_fit(X[:2], [[name_of(0)], [name_of(1)]])
    known = {name_of(number) for number in range(CLASSES)}

    def read() -> None:
        assert model.predict(X).shape[0] == len(X)
        assert np.isfinite(model.predict_proba(X)).all()
        assert known.issuperset(model.rank(X).ravel().tolist())
        assert known.issuperset(label for labels in model.predict_labels(X) for label in labels)
        assert known.issuperset(model.predict_one(DICT))

    while_it_grows(model, lambda number: model.partial_fit(X[:1], [[name_of(number)]]), read)


def test_a_labeler_answers_while_labels_come() -> None:
    """The same for sequences."""
    sentence = [["w=a"], ["w=b"]]
    model = SequenceLabeler().partial_fit([sentence], [[name_of(0), name_of(1)]])
    known = {name_of(number) for number in range(CLASSES)}

    def read() -> None:
        assert known.issuperset(model.predict([sentence])[0])

    while_it_grows(model, lambda number: model.partial_fit([sentence], [[name_of(number)] * 2]), read)


@pytest.mark.parametrize("labels", [2, 3], ids=["two classes", "three classes"])
def test_equal_rows_have_equal_probabilities_while_the_model_learns(labels: int) -> None:
    """The probabilities of one answer come from the calibration of one moment."""
    lesson, answers = np.tile(X, (500, 1)), np.arange(500 * len(X)) % labels
    model = AROWClassifier().partial_fit(lesson, answers)
    equal = np.repeat(X[:1], 50_000, axis=0)
    read, problems = threading.Event(), []

    def learner() -> None:
        try:
            while not read.is_set():
                model.partial_fit(lesson, answers)
        except BaseException as error:
            problems.append(error)

    thread = threading.Thread(target=learner)
    thread.start()
    try:
        for _ in range(20):
            probabilities = model.predict_proba(equal)
            assert (probabilities == probabilities[0]).all()
            assert model.n_mistakes_ <= model.n_seen_
    finally:
        read.set()
        thread.join()
    assert not problems, problems[0]


def test_a_cost_that_uses_its_own_model_is_refused() -> None:
    """The model is at work when it calls the cost: waiting for itself, it would wait for ever."""
    model = SequenceLabeler().partial_fit([[["a"]]], [["x"]])
    model.set_params(cost=lambda right, answer: float(model.n_seen_))
    with pytest.raises(RuntimeError, match="at work in this thread"):
        model.partial_fit([[["a"], ["b"]]] * 2, [["x", "y"]] * 2)


# What runs may be code of the user's, in which another thread may get its turn: the items of a mapping, the value of a
# feature, a cost. A deadlock shows in a process of its own, which can be ended.
DICTS = """
import threading
from collections import UserDict
from onlinear import AROWClassifier

model = AROWClassifier().learn_one({"a": 1.0}, "x").learn_one({"b": 1.0}, "y")
rows = [UserDict({f"w{(7 * i + j) % 500}": 1.0 for j in range(78)}) for i in range(100)]

def work():
    for i, row in enumerate(rows):
        model.learn_one(row, "xy"[i % 2])
        model.predict_one(row)
"""
SEQUENCES = """
import threading
from collections import UserDict
from onlinear import SequenceLabeler

class Number:
    def __float__(self):
        return sum(1.0 for _ in range(20)) / 20

def cost(right, answer):
    return float(sum(a != b for a, b in zip(right, answer)))

X = [[UserDict({f"w{(7 * i + j) % 50}": Number()}) for j in range(8)] for i in range(40)]
y = [["AB"[(i + j) % 2] for j in range(8)] for i in range(40)]
model = SequenceLabeler(cost=cost).partial_fit(X, y)

def work():
    for sequence, labels in zip(X, y):
        model.partial_fit([sequence], [labels])
        model.predict([sequence])
"""
TURNS = """
threads = [threading.Thread(target=work) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(model.n_seen_)
"""


@pytest.mark.parametrize(
    ("program", "seen"), [(DICTS, "402"), (SEQUENCES, "200")], ids=["dicts", "sequences"]
)
def test_threads_take_turns_whatever_runs_in_them(program: str, seen: str) -> None:
    """Four learn and predict at once; every example is learned."""
    done = subprocess.run(
        [sys.executable, "-c", program + TURNS], capture_output=True, text=True, timeout=DEADLINE, check=True
    )
    assert done.stdout.split() == [seen]
