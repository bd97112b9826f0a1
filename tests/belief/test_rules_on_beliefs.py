"""Any rule on any belief: where the mathematics is defined it learns, elsewhere it says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onlinear import Learner, belief, rule, task
from onlinear.exceptions import ParameterError
from tests.closed_lists import BELIEFS, RULES, defined_on
from tests.reference.rules import FIRST_ORDER, GAUSSIAN, SAMPLES

#: The rows of the specification's table. They are written by hand, from the papers, because the declarations are held to
#: them: with the reference of each rule, and here for those that are compared elsewhere.
TABLE: list[tuple[Any, frozenset[str]]] = [
    *((getattr(rule, sample.product)(**sample.given), sample.on) for sample in SAMPLES if sample.on),
    (rule.RegularizedPassiveAggressive(), FIRST_ORDER),
    (rule.RegularizedPassiveAggressive(penalty="l2_ball"), FIRST_ORDER),
    (rule.RegularizedPassiveAggressive(penalty="l1_ball"), frozenset({"L1 ball"})),
    (rule.AdagradRda(), frozenset({"dual averaging"})),
    (rule.LeastSquares(), GAUSSIAN),
]
CELLS = [
    pytest.param(answer, name, name in defined_on(answer), id=f"{answer} on {name}")
    for answer in RULES.values()
    for name in BELIEFS
]


def test_every_kind_of_belief_is_tried() -> None:
    """A belief that joins the closed list, or a projection, joins the table."""
    assert {type(each).__name__ for each in BELIEFS.values()} == set(belief.declared())
    (projection, *_) = belief.declared()["Diagonal"].parameters
    assert {getattr(each, "projection", None) for each in BELIEFS.values()} == {None, *projection.choices}


@pytest.mark.parametrize("name", rule.declared())
def test_every_rule_has_a_row(name: str) -> None:
    """A rule that joins the closed list is given its beliefs here, too."""
    declared = sorted(defined_on(getattr(rule, name)()), key=list(BELIEFS).index)

    assert name in {type(answer).__name__ for answer, _ in TABLE}, (
        f"The table has no row for rule.{name}: say in tests/reference/rules.py which beliefs its paper defines it on, as in "
        f"@reference({name!r}, ..., on=FIRST_ORDER). The header declares {declared}; where the paper says otherwise, the "
        "header is wrong."
    )


@pytest.mark.parametrize(("answer", "defined"), [pytest.param(*row, id=repr(row[0])) for row in TABLE])
def test_declarations_say_what_the_specification_says(answer: Any, defined: frozenset[str]) -> None:
    """By metric and parts a rule is defined on the beliefs of its row, and on no others."""
    assert defined_on(answer) == defined


@pytest.mark.parametrize(("answer", "name", "defined"), CELLS)
def test_a_rule_learns_on_a_belief_or_refuses_it(answer: Any, name: str, defined: bool) -> None:
    """Every cell of the table: two kinds of rows are told apart, or the pair is refused by name."""

    def learner() -> Learner:
        return Learner(task=task.Binary(), rule=answer, belief=BELIEFS[name], n_features=3)

    if not defined:
        with pytest.raises(
            ParameterError, match=rf"rule\.{type(answer).__name__}.* (defined|exact diagonal)"
        ):
            learner()
        return
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 100)
    X = np.where(y == 1, 1.0, -1.0)[:, None] * [1.0, 0.5, 0.0] + 0.1 * rng.standard_normal((100, 3))
    pupil = learner()
    reports = [pupil.learn(X, y) for _ in range(3)]

    assert reports[0].n_updates > 0
    assert reports[-1].n_mistakes <= 5
