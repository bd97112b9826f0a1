"""Sequences learn what the plain NumPy reference learns, for every rule on every belief."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from onlinear import SequenceLabeler, belief
from tests.combinations import REGULARIZED, SINGLE, Combination, distance
from tests.reference.rules import Array
from tests.reference.tasks import Sequence

LABELS, FEATURES = 3, 3
TOLERANCE = 1e-9
KINDS = (belief.Mean, belief.L1Ball, belief.Diagonal, belief.Full)
CASES = [
    case
    for case in [*SINGLE, *REGULARIZED]
    if case.task is None
    and case.rule is not None
    and isinstance(case.belief, KINDS)
    and not getattr(case.belief, "inclusive", False)
]
COSTS = {"hamming": "hamming", "mean": "mean_hamming", "zero-one": "zero_one"}


def noisy_sequences(seed: int, count: int = 10) -> tuple[list[Array], list[list[int]]]:
    """Make sequences with some wrong labels."""
    rng = np.random.default_rng(seed)
    task = Sequence(LABELS, FEATURES)
    planted = rng.normal(size=LABELS * FEATURES + LABELS * LABELS)
    X = [rng.normal(size=(int(rng.integers(1, 5)), FEATURES)) for _ in range(count)]
    y = [task.scores(planted, x) for x in X]
    return X, [[int(rng.integers(LABELS)) if rng.random() < 0.2 else k for k in labels] for labels in y]


def flat(model: SequenceLabeler) -> Array:
    """Give the mean as the reference holds it."""
    return np.concatenate([weights.ravel() for weights in model.model_.weights("mean")])


def nearly_tied(task: Sequence, mu: Array, x: Array) -> bool:
    """Tell whether rounding could decide between the two best; without weights all are equal for sure."""
    if not np.any(mu):
        return False
    totals = sorted(float(task.features(x, list(y)) @ mu) for y in product(range(task.K), repeat=len(x)))
    return totals[-1] - totals[-2] < 1e-7 * (1 + abs(totals[-1]))


@pytest.mark.parametrize("case", CASES, ids=str)
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), cost=st.sampled_from(sorted(COSTS)))
def test_sequences_learn_what_the_reference_learns(case: Combination, seed: int, cost: str) -> None:
    """After every sequence the weights agree, and so do the labels found before it."""
    task = Sequence(LABELS, FEATURES, cost)
    oracle = case.oracle(task, LABELS * FEATURES + LABELS * LABELS, LABELS)
    name: Any = COSTS[cost]
    model = SequenceLabeler(rule=case.rule, belief=case.belief, cost=name, dtype="float64")
    X, y = noisy_sequences(seed)
    for number, (x, labels) in enumerate(zip(X, y, strict=True)):
        mu = oracle.belief.mu
        assume(np.abs(mu).max() < 1e6 and not nearly_tied(task, mu, x))
        if number:
            assert model.predict([x])[0] == task.scores(mu, x)
        oracle.learn(x, labels)
        model.partial_fit([x], [labels], classes=range(LABELS) if number == 0 else None)
        assert distance(flat(model), oracle.belief.mu) < TOLERANCE


WEIGHTS = {0: 0.25, 2: 3.0}


def mean_weight(labels: list[int], weights: dict[int, float]) -> float:
    """Give the mean of the labels' weights, those not named being 1."""
    return sum(weights.get(label, 1.0) for label in labels) / len(labels)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_label_weights_multiply_a_sequence_by_their_mean(case: Combination) -> None:
    """The reference learns each sequence with the mean weight of its labels, and agrees."""
    task = Sequence(LABELS, FEATURES, "hamming")
    oracle = case.oracle(task, LABELS * FEATURES + LABELS * LABELS, LABELS)
    model = SequenceLabeler(rule=case.rule, belief=case.belief, dtype="float64", class_weight=WEIGHTS)
    X, y = noisy_sequences(3)
    for number, (x, labels) in enumerate(zip(X, y, strict=True)):
        mu = oracle.belief.mu
        assert np.abs(mu).max() < 1e6
        assert not nearly_tied(task, mu, x)
        oracle.learn(x, labels, mean_weight(labels, WEIGHTS))
        model.partial_fit([x], [labels], classes=range(LABELS) if number == 0 else None)
        assert distance(flat(model), oracle.belief.mu) < TOLERANCE
