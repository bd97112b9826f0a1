"""Sequence labelling: Viterbi, the steps it asks for, and what must never show."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onlinear import RegularizedPassiveAggressiveClassifier, SequenceLabeler, belief, rule

Array = npt.NDArray[Any]

SMALL_BALL = RegularizedPassiveAggressiveClassifier(penalty="l1_ball", radius=1.5)
AXES = [
    (rule.Perceptron(), belief.Mean()),
    (rule.PassiveAggressive(variant="pa1", C=0.5), belief.Mean(average=True)),
    (rule.RegularizedPassiveAggressive(penalty="l1_ball", radius=1.5), belief.L1Ball(average=True)),
    (rule.Arow(r=0.5), belief.Diagonal(projection="kl")),
    (rule.SoftConfidenceWeighted(C=0.5), belief.Diagonal(projection="drop", average=True)),
    (rule.Nherd(C=0.1), belief.Full()),
]


def random_sequences(seed: int, count: int, d: int, labels: int) -> tuple[list[Array], list[list[int]]]:
    """Make sequences whose labels follow from the features and from the label before."""
    rng = np.random.default_rng(seed)
    E, T = rng.normal(size=(labels, d)), rng.normal(size=(labels, labels))
    X = [rng.normal(size=(int(rng.integers(1, 7)), d)) for _ in range(count)]
    return X, [best_by_enumeration(x, E, T) for x in X]


def best_by_enumeration(x: Array, E: Array, T: Array) -> list[int]:
    """Try every labelling; the first in lexical order wins a tie."""

    def score(y: tuple[int, ...]) -> float:
        return sum(E[k] @ x[i] for i, k in enumerate(y)) + sum(T[a, b] for a, b in pairwise(y))

    return list(max(product(range(len(E)), repeat=len(x)), key=score))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    labels=st.integers(1, 5),
    d=st.integers(1, 4),
    wide=st.booleans(),
    average=st.booleans(),
    ball=st.booleans(),
)
def test_viterbi_finds_what_trying_every_labelling_finds(
    seed: int, labels: int, d: int, wide: bool, average: bool, ball: bool
) -> None:
    """Under learned weights, averaged or not, the labels predicted are the best of all labellings."""
    X, y = random_sequences(seed, 8, d, labels)
    dtype: Any = "float64" if wide else "float32"
    rule: Any = SMALL_BALL if ball else "pa1"
    model = SequenceLabeler(rule=rule, average=average, dtype=dtype, passes=2, random_state=seed % 1000)
    model.fit(X, y)
    classes = model.classes_.tolist()
    rng = np.random.default_rng([seed, 1])
    for _ in range(5):
        x = rng.normal(size=(int(rng.integers(1, 6)), d))
        wanted = best_by_enumeration(x, model.emissions_, model.transitions_)
        assert model.predict([x])[0] == [classes[k] for k in wanted]


def test_a_tie_goes_to_the_label_that_comes_first() -> None:
    """A model without weights gives the first class to every token."""
    model = SequenceLabeler().partial_fit(
        [[["a"], ["b"]]], [["z", "y"]], classes=["z", "y"], sample_weight=[0.0]
    )

    assert model.predict([[["a"], ["b"], ["a"]]]) == [["z", "z", "z"]]


def test_many_labels_use_many_strips_of_lanes() -> None:
    """With more labels than one strip of vectors holds, the best labels are still found."""
    labels = 70
    X = [np.eye(labels)[[k, (k + 1) % labels]] for k in range(labels)]
    y = [[k, (k + 1) % labels] for k in range(labels)]
    model = SequenceLabeler(rule="perceptron", random_state=0, dtype="float64").fit(X, y)

    assert model.predict(X) == y


@pytest.mark.parametrize(("algorithm", "known"), AXES)
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 9))
def test_batches_do_not_show(algorithm: Any, known: Any, seed: int, size: int) -> None:
    """One call or many, the model is the same to the bit."""
    X, y = random_sequences(seed, 20, 3, 3)
    whole = SequenceLabeler(rule=algorithm, belief=known).partial_fit(X, y)
    parts = SequenceLabeler(rule=algorithm, belief=known)
    for start in range(0, len(X), size):
        parts.partial_fit(X[start : start + size], y[start : start + size])

    assert parts.digest() == whole.digest()


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("algorithm", ["pa1", "rpa-objective", SMALL_BALL, "arow"], ids=str)
def test_the_average_is_the_mean_over_rounds(algorithm: Any, dtype: Any) -> None:
    """The averaged weights are the mean of the weights after each sequence."""
    X, y = random_sequences(3, 30, 3, 3)
    plain = SequenceLabeler(rule=algorithm, average=False, dtype=dtype)
    averaged = SequenceLabeler(rule=algorithm, average=True, dtype=dtype)
    held = []
    for x, answers in zip(X, y, strict=True):
        plain.partial_fit([x], [answers], classes=range(3) if not held else None)
        averaged.partial_fit([x], [answers], classes=range(3) if not held else None)
        held.append(np.concatenate([plain.emissions_.ravel(), plain.transitions_.ravel()]))
    got = np.concatenate([averaged.emissions_.ravel(), averaged.transitions_.ravel()])

    np.testing.assert_allclose(got, np.mean(held, axis=0), atol=1e-5 if dtype == "float32" else 1e-12)


def test_norma_keeps_its_average_finite() -> None:
    """A rule that shrinks every round neither overflows nor loses the average in thousands of rounds."""
    X, y = random_sequences(5, 40, 3, 3)
    model = SequenceLabeler(
        rule=rule.Norma(eta=0.5, lam=0.5), belief=belief.Mean(average=True), passes=200, dtype="float32"
    )
    model.set_params(random_state=0).fit(X, y)

    assert np.all(np.isfinite(model.emissions_))
    assert np.abs(model.emissions_).max() > 1e-3


@pytest.mark.parametrize("cost", ["hamming", "mean_hamming", "zero_one"])
def test_a_named_cost_is_the_function_it_names(cost: Any) -> None:
    """The built-in costs give the very model that the same function in Python gives."""
    functions = {
        "hamming": lambda y, q: float(sum(a != b for a, b in zip(y, q, strict=True))),
        "mean_hamming": lambda y, q: sum(a != b for a, b in zip(y, q, strict=True)) / len(y),
        "zero_one": lambda y, q: float(y != q),
    }
    X, y = random_sequences(11, 30, 3, 4)
    named = SequenceLabeler(cost=cost, random_state=1, passes=2).fit(X, y)
    called = SequenceLabeler(cost=functions[cost], random_state=1, passes=2).fit(X, y)

    assert named.digest() == called.digest()


def test_a_cost_function_sees_the_callers_labels() -> None:
    """The function gets two lists of labels as the caller spells them, the right ones first."""
    seen = []

    def cost(y: list[str], q: list[str]) -> float:
        seen.append((y, q))
        return 1.0

    SequenceLabeler(cost=cost).partial_fit([[["a"], ["b"]]], [["N", "V"]])

    assert seen == [(["N", "V"], ["N", "N"])]


def test_a_cost_that_fails_leaves_the_sequence_unlearned() -> None:
    """An exception from the function comes through, and the model is as before that sequence."""

    def cost(y: list[str], q: list[str]) -> float:
        raise RuntimeError("no idea")

    model = SequenceLabeler(cost="hamming").partial_fit([[["a"], ["b"]]], [["N", "V"]])
    before = model.digest()
    model.set_params(cost=cost)
    with pytest.raises(RuntimeError, match="no idea"):
        model.partial_fit([[["a"], ["b"]]], [["V", "N"]])
    assert model.digest() == before

    model.set_params(cost=lambda y, q: -1.0)
    with pytest.raises(ValueError, match="cost of sequence 0"):
        model.partial_fit([[["a"], ["b"]]], [["V", "N"]])
    assert model.digest() == before


def test_a_weightless_sequence_changes_nothing() -> None:
    """Weight 0 is an exact no-op, for the average and the clock too."""
    X, y = random_sequences(7, 20, 3, 3)
    weights = [1.0, 0.0] * 10
    both = SequenceLabeler().partial_fit(X, y, classes=range(3), sample_weight=weights)
    heavy = SequenceLabeler().partial_fit(X[::2], y[::2], classes=range(3))

    assert both.digest() == heavy.digest()


def test_a_weightless_sequence_brings_no_label_and_no_feature() -> None:
    """Its labels and names are not even met; but it must be sound."""
    X, y = [[["a"]], [["new"], ["b"]], [["b"]]], [["N"], ["LATE", "V"], ["V"]]
    both = SequenceLabeler().partial_fit(X, y, sample_weight=[1.0, 0.0, 1.0])
    heavy = SequenceLabeler().partial_fit(X[::2], y[::2])

    assert both.classes_.tolist() == ["N", "V"]
    assert both.feature_names_ == ["a", "b"]
    assert both.digest() == heavy.digest()
    with pytest.raises(ValueError, match="sequence 0: it is empty"):
        both.partial_fit([[]], [["N"]], sample_weight=[0.0])
    assert both.digest() == heavy.digest()


def test_a_label_that_was_not_announced_is_refused() -> None:
    """With ``classes=`` every label must be among them, also one the model knows from before."""
    model = SequenceLabeler().partial_fit([[["a"]]], [["N"]], classes=["N", "V"])
    before = model.digest()
    with pytest.raises(ValueError, match="y contains 'X', which is not among classes="):
        model.partial_fit([[["a"]]], [["X"]], classes=["N", "V", "Y"])
    with pytest.raises(ValueError, match="y contains 'V', which is not among classes="):
        model.partial_fit([[["a"]]], [["V"]], classes=["N"])

    assert model.digest() == before


def test_a_transition_alone_can_be_learned() -> None:
    """Labels that follow from the label before, and not from the tokens, are found."""
    X = [[["x"]] * 6 for _ in range(4)]
    y = [list("abcabc")] * 4
    model = SequenceLabeler(rule="perceptron", average=False, passes=20, random_state=0).fit(X, y)

    # All tokens look alike; only transitions tell a from b from c, and nothing says where the cycle begins.
    found = "".join(model.predict([[["x"]] * 6])[0])
    assert found in {"abcabc", "bcabca", "cabcab"}
