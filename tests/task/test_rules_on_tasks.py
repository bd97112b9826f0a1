"""Any rule on any task: where the mathematics is defined it learns, elsewhere it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onlinear import Learner, MultilabelRanker, SequenceLabeler, rule, task
from onlinear.algorithms.table import ALGORITHMS
from onlinear.estimators import make
from onlinear.exceptions import ParameterError
from tests.closed_lists import BELIEFS, defined_on
from tests.closed_lists import RULES as EVERY_RULE

#: The algorithms that are no rule on a demand of their own: a state of its own, and joint updates.
APART = {"adagrad-rda", "mira"}

#: The beliefs a rule is tried on: the first, and for a second variation the last, of these it is defined on.
ORDER = ("mean", "L1 ball", "drop", "kl", "full", "dual averaging")


def known_of(made: Any, last: bool) -> Any:
    """A belief for a rule."""
    return BELIEFS[[name for name in ORDER if name in defined_on(made)][-1 if last else 0]]


RULES: dict[str, tuple[Any, Any]] = {
    name: (made, known_of(made, last=bool(number % 2)))
    for number, (name, made) in enumerate(EVERY_RULE.items())
}


def named(*kinds: Any) -> set[str]:
    """The variations of some rules."""
    return {name for name, made in EVERY_RULE.items() if isinstance(made, kinds)}


#: The table of the specification. Least squares are there for regression alone; on a margin they are a choice like
#: another.
EVERY = set(RULES) - named(rule.LeastSquares)
ON_CLASSES = EVERY - named(rule.AdagradRda)
DEFINED: dict[str, set[str]] = {
    "regression": named(rule.PassiveAggressive, rule.LeastSquares) | {repr(rule.Arow())},
    "one class": named(rule.PassiveAggressive),
    "ranking": ON_CLASSES,
    "costs, prediction": ON_CLASSES,
    "costs, max loss": ON_CLASSES,
    "top-1": EVERY,
    "binary": EVERY,
}
COST = [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [4.0, 1.0, 0.0]]
TASKS: dict[str, Any] = {
    "regression": task.Regression(epsilon=0.0),
    "one class": task.OneClass(radius=0.5),
    "ranking": task.Ranking(),
    "costs, prediction": task.CostSensitive(cost=COST),
    "costs, max loss": task.CostSensitive(cost=COST, update="max_loss"),
    "top-1": task.Multiclass(),
    "binary": task.Binary(),
}


def test_every_task_is_tried() -> None:
    """A task that joins the closed list joins the table; joint updates are their own rule."""
    assert {type(each).__name__ for each in TASKS.values()} == set(task.declared()) - {"MulticlassJoint"}


SENTENCES = (
    [[["the"], ["cat"], ["sleeps"]], [["cats"], ["sleep"]], [["the"], ["dogs"], ["sleep"]]] * 5,
    [["D", "N", "V"], ["N", "V"], ["D", "N", "V"]] * 5,
)


def answers(name: str, y: np.ndarray) -> Any:
    """The right answers of a task for rows of three kinds."""
    if name == "regression":
        return y - 1.0
    if name == "one class":
        return None
    if name == "ranking":
        return [[int(k)] if k else [0, 1] for k in y]
    return y > 0 if name == "binary" else y


def rows() -> tuple[np.ndarray, np.ndarray]:
    """Three kinds of rows that a line parts."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 120)
    return np.eye(3)[y] + 0.05 * rng.standard_normal((120, 3)), y


CELLS = [(a, name) for a in RULES for name in TASKS if a in EVERY or name in ("regression", "one class")]


@pytest.mark.parametrize(("algorithm", "name"), CELLS, ids=": ".join)
def test_a_rule_learns_a_task_or_refuses_it(algorithm: str, name: str) -> None:
    """Every cell of the table: fewer mistakes in the last pass than in the first, or a clear refusal."""
    made, known = RULES[algorithm]

    def learner() -> Learner:
        return Learner(
            task=TASKS[name], rule=made, belief=known, n_features=3, n_classes=3 if name != "binary" else 2
        )

    if algorithm not in DEFINED[name]:
        with pytest.raises(ParameterError, match=r"(task|rule)\.\w+.* (defined|learns)"):
            learner()
        return
    X, y = rows()
    pupil = learner()
    reports = [pupil.learn(X, answers(name, y)) for _ in range(4)]

    if name in ("regression", "one class"):
        assert reports[-1].cost < reports[0].cost
    else:
        assert reports[-1].n_mistakes < reports[0].n_mistakes + (reports[0].n_mistakes == 0)
        assert reports[-1].n_mistakes <= 0.1 * len(y)


@pytest.mark.parametrize("algorithm", sorted(RULES))
def test_a_rule_object_learns_sequences_or_refuses_them(algorithm: str) -> None:
    """The table's column of sequences, on the belief that is named and on the one that goes without saying."""
    X, y = SENTENCES
    made, known = RULES[algorithm]
    for given in (known, None):
        model = SequenceLabeler(rule=made, belief=given, random_state=0)
        if made.metric == "dual":
            with pytest.raises(ParameterError, match=r"^SequenceLabeler: .*(defined|learned) on"):
                model.fit(X, y)
        else:
            assert model.fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_ranker_takes_every_rule_or_says_why_not(algorithm: str) -> None:
    """By its name, as on the command line."""
    X, y = rows()
    sets = [["a"] if k == 0 else ["b", "c"] if k == 1 else ["c"] for k in y]
    model = MultilabelRanker(rule=algorithm, random_state=0)
    if algorithm in APART:
        with pytest.raises(ParameterError, match=r"MultilabelRanker: .*(defined|several classes at once)"):
            model.fit(X, sets)
        return
    found = model.fit(X, sets).evaluate(X, sets)

    assert found.ranking_loss < 0.1


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_labeler_takes_every_rule_or_says_why_not(algorithm: str) -> None:
    """By its name; transitions and tokens are learned together."""
    X, y = SENTENCES
    model = SequenceLabeler(rule=algorithm, random_state=0)
    if algorithm in APART:
        with pytest.raises(ParameterError, match=r"^SequenceLabeler: (?!SequenceLabeler)"):
            model.fit(X, y)
        return

    assert model.fit(X, y).score(X, y) == 1.0


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_classifier_follows_costs_or_says_why_not(algorithm: str) -> None:
    """With either choice of the competitor."""
    X, y = rows()
    for update in ("prediction", "max_loss"):
        model = make(algorithm, cost_matrix=COST, cost_update=update, random_state=0)
        if algorithm in APART:
            with pytest.raises(ParameterError, match="(defined|several classes at once)"):
                model.fit(X, y)
        else:
            assert model.fit(X, y).score(X, y) > 0.7  # chance is a third
            assert model.total_cost_ >= 0
