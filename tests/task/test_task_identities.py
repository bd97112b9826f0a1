"""Identities between algorithms on the tasks with a competitor: a task changes the difference vector and nothing else."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onlinear import Learner, SequenceLabeler, belief, rule, task
from tests.task.test_sequence import random_sequences

COST = np.array([[0.0, 1.0, 2.0, 0.5], [1.0, 0.0, 4.0, 1.0], [3.0, 1.0, 0.0, 2.0], [1.0, 2.0, 0.3, 0.0]])
RNG = np.random.default_rng(11)
X = RNG.normal(size=(120, 5))
LABELS = (X @ RNG.normal(size=(5, 4)) + RNG.normal(size=(120, 4))).argmax(axis=1)
SETS = [
    sorted({int(label), int(other)}) for label, other in zip(LABELS, RNG.integers(4, size=120), strict=True)
]

TASKS: list[tuple[str, Any, Any]] = [
    ("top-1", task.Multiclass(), LABELS),
    ("ranking", task.Ranking(), SETS),
    ("costs, prediction", task.CostSensitive(cost=COST), LABELS),
    ("costs, largest loss", task.CostSensitive(cost=COST, update="max_loss"), LABELS),
]
every_task = pytest.mark.parametrize(
    ("asked", "y"), [case[1:] for case in TASKS], ids=[case[0] for case in TASKS]
)
every_trust = pytest.mark.parametrize("r", [0.2, 1.0, 6.0])


def mean_of(asked: Any, made: Any, y: Any, known: Any = None) -> Any:
    """The mean after the whole stream."""
    learner = Learner(task=asked, rule=made, belief=known or belief.Mean(), n_features=5, n_classes=4)
    learner.learn(X, y)
    assert learner.n_updates > 10
    return learner.mean


@every_task
@every_trust
def test_arow_on_a_mean_is_passive_aggressive_on_every_task(asked: Any, y: Any, r: float) -> None:
    """With the covariance held at identity, AROW takes PA-II's steps and AROW-H PA-I's, at C = 1/(2r)."""
    C = 1 / (2 * r)
    for loss, variant in (("squared_hinge", "pa2"), ("hinge", "pa1")):
        arow = mean_of(asked, rule.Arow(r=r, loss=loss), y)
        np.testing.assert_allclose(
            arow, mean_of(asked, rule.PassiveAggressive(variant=variant, C=C), y), rtol=1e-9, atol=1e-12
        )


@every_trust
def test_arow_on_a_mean_is_passive_aggressive_on_sequences(r: float) -> None:
    """The same where the competitor is a whole labelling."""
    rows, y = random_sequences(5, 40, 3, 3)
    for loss, variant in (("squared_hinge", "pa2"), ("hinge", "pa1")):
        pair = [rule.Arow(r=r, loss=loss), rule.PassiveAggressive(variant=variant, C=1 / (2 * r))]
        arow, pa = (
            SequenceLabeler(rule=made, belief=belief.Mean(), dtype="float64").partial_fit(rows, y)
            for made in pair
        )
        np.testing.assert_allclose(arow.emissions_, pa.emissions_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(arow.transitions_, pa.transitions_, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("made", "known"),
    [
        (rule.PassiveAggressive(variant="pa"), belief.Mean()),
        (rule.PassiveAggressive(variant="pa2", C=0.3), belief.Mean()),
        (rule.Arow(r=0.5), belief.Diagonal(projection="drop")),
        (rule.SoftConfidenceWeighted(C=0.5), belief.Diagonal(projection="kl")),
        (rule.Nherd(C=0.5), belief.Full()),
        (rule.RegularizedPassiveAggressive(), belief.Mean()),
    ],
    ids=str,
)
def test_ranking_with_one_relevant_label_is_top1(made: Any, known: Any) -> None:
    """The lowest relevant label is the right one, the highest irrelevant one its best rival."""
    ranked = mean_of(task.Ranking(), made, [[int(label)] for label in LABELS], known)

    np.testing.assert_allclose(
        ranked, mean_of(task.Multiclass(), made, LABELS, known), rtol=1e-10, atol=1e-13
    )


def test_equal_costs_by_the_largest_loss_are_top1() -> None:
    """With cost 1 everywhere the largest loss is the best rival's, and the required margin is 1."""
    made = rule.PassiveAggressive(variant="pa1", C=0.4)
    priced = mean_of(task.CostSensitive(cost=1 - np.eye(4), update="max_loss"), made, LABELS)

    np.testing.assert_allclose(priced, mean_of(task.Multiclass(), made, LABELS), rtol=1e-10, atol=1e-13)
