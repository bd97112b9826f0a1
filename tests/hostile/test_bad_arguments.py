"""Arguments that make no sense: the message names the parameter, what was given and what is allowed.

No message is one of the binding's own: those speak of types that nobody asked for.
"""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear import AROWClassifier, Learner, PassiveAggressiveClassifier, SequenceLabeler, belief, rule, task
from onlinear.exceptions import DataError, NumericError, ParameterError
from onlinear.text import TextHasher

NATIVE = re.compile("incompatible function arguments|Invoked with types|bad_cast|codec can't")
WRONG: list[Any] = ["a", None, -1, 1.5, math.nan, math.inf, [1], {}, "\ud800", b"a", 10**400, object()]


def message_of(call: Callable[[], Any]) -> str:
    """What a call is refused with; nothing when it is not refused."""
    try:
        call()
    except (ValueError, TypeError) as error:
        return str(error)
    return ""


def learner(**given: Any) -> Learner:
    """A learner of two classes."""
    return Learner(**{"task": task.Binary(), "rule": rule.Arow(), "belief": belief.Diagonal(), **given})


LEARNERS = {
    "binary": (learner, 1),
    "multiclass": (lambda: learner(task=task.Multiclass(), n_classes=3), 1),
    "regression": (lambda: learner(task=task.Regression(), rule=rule.LeastSquares()), 1.0),
    "ranking": (lambda: learner(task=task.Ranking(), n_classes=3), [1]),
    "one class": (
        lambda: learner(task=task.OneClass(), rule=rule.PassiveAggressive(), belief=belief.Mean()),
        None,
    ),
}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"belief": None}, r"belief must be an object from onlinear\.belief, such as .*, got None"),
        ({"task": "binary"}, r"task must be an object from onlinear\.task, such as .*, got 'binary'"),
        ({"rule": None}, r"rule must be an object from onlinear\.rule, such as .*, got None"),
        ({"n_features": -1}, r"n_features must be a whole number in \[0, \d+\], got -1"),
        ({"n_features": 1.5}, r"n_features must be a whole number in \[0, \d+\], got 1.5"),
        ({"n_classes": -1}, r"n_classes must be a whole number in \[1, \d+\], got -1"),
        ({"n_classes": 0}, r"n_classes must be a whole number in \[1, \d+\], got 0"),
        ({"bits": "a"}, r"bits must be a whole number in \[1, 30\], got 'a'"),
        ({"bits": 31}, r"bits must be a whole number in \[1, 30\], got 31"),
        ({"max_features": None}, r"max_features must be a whole number in \[1, \d+\], got None"),
        ({"truncation": "a"}, "truncation must be at least 0 and finite, got 'a'"),
        ({"dtype": "foo"}, "dtype must be 'float32' or 'float64', got 'foo'"),
        ({"initial_mean": [1, "a"]}, r"initial_mean must be an array of finite numbers, got \[1, 'a'\]"),
        ({"fit_intercept": "yes"}, "fit_intercept must be True or False, got 'yes'"),
    ],
    ids=str,
)
def test_a_learner_names_the_parameter_that_is_wrong(given: dict[str, Any], message: str) -> None:
    """And what was given, and what it may be."""
    with pytest.raises(ParameterError, match=message):
        learner(**given)


CALLS: list[Callable[[Learner, Any, Any], Any]] = [
    lambda model, good, wrong: model.learn_one({0: 1.0}, wrong),
    lambda model, good, wrong: model.learn_one({0: 1.0}, good, wrong),
    lambda model, good, wrong: model.learn_one(wrong, good),
    lambda model, good, wrong: model.learn([[1.0]], wrong),
    lambda model, good, wrong: model.learn([[1.0]], [good], wrong),
    lambda model, good, wrong: model.learn([[1.0]], [good], scores=wrong),
    lambda model, good, wrong: model.scores([[1.0]], n_threads=wrong),
    lambda model, good, wrong: model.truncate(wrong),
    lambda model, good, wrong: model.load_state(wrong),
    lambda model, good, wrong: model.load_state({**model.state(), "counters": wrong}),
    lambda model, good, wrong: model.name_columns(wrong),
]


@pytest.mark.parametrize("kind", LEARNERS)
@pytest.mark.parametrize("call", CALLS)
def test_a_learner_refuses_wrong_arguments_in_words(
    kind: str, call: Callable[[Learner, Any, Any], Any]
) -> None:
    """Of every method, and it is as before."""
    make, good = LEARNERS[kind]
    taught = make()
    taught.learn_one({0: 1.0}, good)
    for wrong in WRONG:
        model = taught.copy()
        said = message_of(lambda model=model, wrong=wrong: call(model, good, wrong))
        assert not NATIVE.search(said), said
        assert said == "" or model.digest() == taught.digest()


@pytest.mark.parametrize(
    ("kind", "y", "message"),
    [
        ("binary", "x", r"class numbers from 0 to 1 \(or -1 and 1\), got 'x'"),
        ("binary", 7, r"class numbers from 0 to 1 \(or -1 and 1\), got 7"),
        ("multiclass", None, "class numbers from 0 to 2, got None"),
        ("multiclass", -1, "class numbers from 0 to 2, got -1"),
        ("multiclass", 2**40, "class numbers from 0 to 2, got 1099511627776"),
        ("regression", "x", "y must be a number, the target, got 'x'"),
        ("ranking", 1, "y must be a list of label numbers, got 1"),
        ("ranking", ["a"], r"y must be a list of label numbers, got \['a'\]"),
    ],
)
def test_a_learner_says_what_answers_it_learns_from(kind: str, y: Any, message: str) -> None:
    """One example at a time, too."""
    with pytest.raises(DataError, match=message):
        LEARNERS[kind][0]().learn_one({"a": 1}, y)


def test_a_class_number_may_be_written_as_any_number() -> None:
    """As in `learn`."""
    digests = set()
    for one in (1, True, 1.0, np.int64(1), np.float32(1)):
        model = learner()
        model.learn_one({0: 1.0}, one)
        digests.add(model.digest())
    assert len(digests) == 1


def test_scores_that_could_not_be_filled_are_refused() -> None:
    """A copy of them would be filled, and nobody would see it."""
    fixed = np.zeros((1, 1))
    fixed.flags.writeable = False
    for scores in (np.zeros((1, 1), dtype=np.float32), [[0.0]], fixed):
        with pytest.raises(DataError, match="scores must be a contiguous, writeable array of float64"):
            learner().learn([[1.0, 2.0]], [1], scores=scores)


def test_refused_rows_do_not_say_how_wide_a_learner_is() -> None:
    """The first rows that are learned do."""
    model = learner()
    with pytest.raises(DataError, match="NaN"):
        model.learn([[1.0, math.nan]], [1])
    assert model.learn([[1.0, 2.0, 3.0]], [1]).n_learned == 1


def test_no_room_is_told_of_what_needs_it() -> None:
    """A diagonal belief has no full covariance that could be left out."""
    with pytest.raises(MemoryError, match=r"weights .*need at least .* GiB; use fewer features") as diagonal:
        learner(task=task.Multiclass(), n_features=1 << 20, n_classes=1 << 30)
    assert "covariance" not in str(diagonal.value)
    with pytest.raises(MemoryError, match=r"a full covariance of .* GiB; use a diagonal belief"):
        learner(belief=belief.Full(), n_features=1 << 28)


AXES = [
    getattr(module, name)
    for module in (rule, belief, task)
    for name in module.__all__
    if hasattr(getattr(module, name), "parameters")
]


@pytest.mark.parametrize("axis", AXES, ids=lambda axis: axis.__name__)
def test_rules_beliefs_and_tasks_name_the_parameter(axis: Any) -> None:
    """Those that take a flag take no other truth."""
    assert "by name" in message_of(lambda: axis(0.5)) or "no parameters" in message_of(lambda: axis(0.5))
    for name, default in axis().parameters().items():
        for wrong in WRONG:
            said = message_of(lambda name=name, wrong=wrong: axis(**{name: wrong}))
            assert not NATIVE.search(said), said
            assert said == "" or said.startswith(f"{name} must be"), said
            assert said or not isinstance(default, bool)


def test_a_step_names_the_number_that_is_none() -> None:
    """So do the normal quantile and distribution function."""
    with pytest.raises(TypeError, match="margin must be a number, got 'a'"):
        rule.Arow().step("a", 1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="t must be a whole number that is not negative, got -1"):
        rule.Arow().step(1.0, 1.0, t=-1)
    with pytest.raises(TypeError, match="confidence must be a number, got None"):
        rule.quantile(None)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="z must be a number, got 'a'"):
        rule.cdf("a")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "option", [name for name in inspect.signature(onlinear.read).parameters if name != "source"]
)
def test_options_of_read_are_named(option: str, tmp_path: Path) -> None:
    """Whatever the format makes of them."""
    files = {"a.svm": "1 1:1\n0 2:1\n", "a.csv": "label,a\nx,1\ny,2\n", "a.jsonl": '{"label": "x", "a": 1}\n'}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
        for wrong in WRONG:
            said = message_of(
                lambda name=name, wrong=wrong: list(onlinear.read(tmp_path / name, **{option: wrong}))
            )
            assert not NATIVE.search(said), said
            assert option in said or said == "" or said.startswith(str(tmp_path)), said


@pytest.mark.parametrize("source", [None, 3, [None], b"bytes"], ids=str)
def test_a_source_that_is_none_is_refused(source: Any) -> None:
    """With what it may be."""
    with pytest.raises(
        ParameterError, match="the source must be a path, an open file or a list of them, got"
    ):
        onlinear.read(source)


@pytest.mark.parametrize(
    ("documents", "message"),
    [
        (None, "expected an iterable of documents, got None"),
        (["fine", "\ud800"], "document 1 holds half a surrogate pair at character 0"),
        (["fine", b"caf\xe9"], "document 1 is no UTF-8 at byte 3"),
        ([3], "document 0 must be str or bytes, got int"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_documents_that_are_no_text_are_named(documents: Any, message: str) -> None:
    """When they are hashed and when their words are noted."""
    for call in (TextHasher().transform, TextHasher(max_names=5).fit):
        with pytest.raises(ParameterError, match=message):
            call(documents)


@pytest.mark.parametrize("option", list(inspect.signature(TextHasher).parameters))
def test_parameters_of_a_text_hasher_are_named(option: str) -> None:
    """All of them."""
    for wrong in WRONG:
        if option == "dtype" and wrong in ("a", b"a"):
            continue  # NumPy itself warns of these
        said = message_of(lambda wrong=wrong: TextHasher(**{option: wrong}).fit(["a b"]))
        assert not NATIVE.search(said), said
        assert said == "" or option in said, said


def test_a_loss_that_several_constraints_do_not_have_is_told_with_both() -> None:
    """One of the two has to go."""
    X, y = np.eye(3), [0, 1, 2]
    with pytest.raises(
        ParameterError, match=r"constraints=2.*loss='squared_hinge', got loss='hinge'.*constraints=1"
    ):
        AROWClassifier(loss="hinge", constraints=2).fit(X, y)
    with pytest.raises(ParameterError, match="loss must be one of 'squared_hinge', 'hinge', got 'log'"):
        AROWClassifier(loss="log", constraints=2).fit(X, y)  # type: ignore[arg-type]


def test_an_explanation_is_right_or_refused_however_large_the_numbers_are() -> None:
    """Squares that overflow are not needed for it; scores that do are refused, as `predict` does."""
    X = np.random.default_rng(0).normal(size=(20, 3))
    model = AROWClassifier(fit_intercept=False).fit(X, (X[:, 0] > 0).astype(int))
    plain = model.explain(X[0])
    assert plain.std is not None
    for scale in (1e150, 1e200, 1e290):
        told = model.explain(X[0] * scale)
        assert told.margin == pytest.approx(plain.margin * scale)
        assert told.std == pytest.approx(plain.std * scale)
    model.model_.learner.handle.set_mean(np.full((1, 3), 10.0), np.zeros(1))
    for call in (model.explain, lambda x: model.predict([x])):
        with pytest.raises(NumericError, match="overflows float64. Scale the features"):
            call(np.full(3, 1e308))
    with pytest.raises(DataError, match="row 0, column 1"):
        model.explain([1.0, math.nan, 1.0])
    with pytest.raises(DataError, match="feature 1 is infinite"):
        model.explain({0: 1.0, 1: math.inf})


def test_values_of_a_dict_are_refused_alike_with_and_without_weight() -> None:
    """By the name the dict has for them."""
    for model in (AROWClassifier(), PassiveAggressiveClassifier().learn_one({"b": 1.0}, 0)):
        for w in (1.0, 0.0):
            with pytest.raises(DataError, match="feature 'a' is NaN"):
                model.learn_one({"b": 1.0, "a": math.nan}, 1, w)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"belief": "diagonal"}, r"belief must be None or an object from onlinear\.belief, got 'diagonal'"),
        ({"average": "yes"}, "average must be True or False, got 'yes'"),
        ({"random_state": "a"}, "random_state must be None, a seed .*, got 'a'"),
    ],
    ids=str,
)
def test_a_labeler_names_the_parameter_that_is_wrong(given: dict[str, Any], message: str) -> None:
    """As all others do."""
    with pytest.raises(ParameterError, match=f"SequenceLabeler: {message}"):
        SequenceLabeler(**given).fit([[["w=a"]], [["w=b"]]], [["x"], ["y"]])


def test_a_labeler_refuses_what_is_no_text_and_no_file() -> None:
    """With what it may be."""
    model = SequenceLabeler().fit([[["w=a"]], [["w=b"]]], [["x"], ["y"]])
    before = model.digest()
    tokens: list[Any] = [["\ud800"], {"\ud800": 1.0}, {"a": "\ud800"}]
    for token in tokens:
        for call in (lambda X: model.predict(X), lambda X: model.partial_fit(X, [["x"]])):
            with pytest.raises(DataError, match=r"must be valid Unicode, got '.*\\ud800'"):
                call([[token]])
    for file in (None, 3, []):
        with pytest.raises(ParameterError, match="the source must be a path or an open file, got"):
            model.predict_file(file)
    assert model.digest() == before


def test_streams_that_are_none_are_refused() -> None:
    """With what a stream is made of."""
    model = AROWClassifier().fit(np.eye(2), [0, 1])
    before = model.digest()
    for stream in (None, 3, "file.svm"):
        with pytest.raises(
            DataError, match=r"batches must be an iterable of \(X, y\), or what onlinear.read gives"
        ):
            model.fit_stream(stream)  # type: ignore[arg-type]
    with pytest.raises(
        DataError, match=r"a batch must be \(X, y\), \(X, y, weights\), a dict with its answer .*, got 3"
    ):
        model.fit_stream([3])
    assert model.digest() == before


def test_counts_of_draws_and_features_are_whole_numbers() -> None:
    """As the docstrings say."""
    model = AROWClassifier().fit(np.eye(2), [0, 1])
    with pytest.raises(ParameterError, match="AROWClassifier: n must be a whole number, at least 0.*got 'a'"):
        model.sample("a")  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="random_state must be None"):
        model.sample(2, random_state="a")
    with pytest.raises(ParameterError, match="top must be a whole number, at least 0.*got 1.5"):
        model.explain([1.0, 0.0], top=1.5)  # type: ignore[arg-type]
