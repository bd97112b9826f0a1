"""Answers: what is passive, what is refused, and that a refused call has learned nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from onlinear import Learner, belief, rule, task
from onlinear.exceptions import DataError, ParameterError

X: NDArray[np.float64] = np.random.default_rng(0).normal(size=(6, 3))
COST = [[0.0, 1.0, 2.0], [1.0, 0.0, 4.0], [3.0, 1.0, 0.0]]
PA1 = rule.PassiveAggressive(variant="pa1")
RULES = [
    (PA1, belief.Mean()),
    (rule.Perceptron(), belief.Mean()),
    (rule.Arow(), belief.Diagonal()),
    (rule.Arow(), belief.Full()),
    (rule.SoftConfidenceWeighted(), belief.Diagonal(projection="drop")),
    (rule.Narow(), belief.Information()),
]


def taught(asked: Any, y: Any, made: Any = PA1, known: Any = None) -> Learner:
    """Learn three examples, so that there is something to lose."""
    learner = Learner(task=asked, rule=made, belief=known or belief.Mean(), n_classes=3)
    learner.learn(X[:3], y)
    return learner


@pytest.mark.parametrize(("made", "known"), RULES, ids=str)
@pytest.mark.parametrize("relevant", [[], [0, 1, 2]], ids=["empty", "full"])
def test_nothing_to_rank_is_passive(made: Any, known: Any, relevant: list[int]) -> None:
    """An example with no relevant label, or with all of them, is no error and changes no weight."""
    learner = taught(task.Ranking(), [[0], [1, 2], [2]], made, known)
    mean, variance = learner.mean, learner.variance
    report = learner.learn(X[3:4], [relevant])

    assert (report.n_learned, report.n_updates, report.n_mistakes) == (1, 0, 0)
    np.testing.assert_array_equal(learner.mean, mean)
    np.testing.assert_array_equal(learner.variance, variance)


def test_nothing_to_rank_is_passive_with_a_single_prototype() -> None:
    """The same where an example has a row for each label."""
    learner = Learner(task=task.Ranking(prototypes="single"), rule=PA1, belief=belief.Mean())
    rows = np.random.default_rng(1).normal(size=(3, 4, 5))
    learner.learn(rows[:1], [[1]])
    before = learner.mean
    report = learner.learn(rows[1:], [[], [0, 1, 2, 3]])

    assert report.n_updates == 0
    np.testing.assert_array_equal(learner.mean, before)


def test_a_label_named_twice_counts_once() -> None:
    """A list of labels is a set."""
    once, twice = (taught(task.Ranking(), y) for y in ([[0], [1], [2]], [[0, 0], [1, 1, 1], [2]]))

    np.testing.assert_array_equal(once.mean, twice.mean)


REFUSED = [
    pytest.param(task.Regression(), [1.0, 2.0, 3.0], [0.5, np.nan, 1.0], "y contains NaN", id="nan-target"),
    pytest.param(task.Regression(), [1.0, 2.0, 3.0], [0.5, np.inf, 1.0], "row 1", id="infinite-target"),
    pytest.param(task.Regression(), [1.0, 2.0, 3.0], [0.5, 1.0], "shape", id="too-few-targets"),
    pytest.param(task.Regression(), [1.0, 2.0, 3.0], ["a", "b", "c"], "numbers", id="words-as-targets"),
    pytest.param(task.Ranking(), [[0], [1], [2]], [[0], [3], [1]], "label of row 1", id="label-too-large"),
    pytest.param(task.Ranking(), [[0], [1], [2]], [[0], [-1], [1]], "label of row 1", id="negative-label"),
    pytest.param(task.Ranking(), [[0], [1], [2]], [[0], [0.5], [1]], "row 1", id="half-a-label"),
    pytest.param(task.Ranking(), [[0], [1], [2]], [[0], [1]], "length", id="too-few-lists"),
    pytest.param(
        task.CostSensitive(cost=COST), [0, 1, 2], [0, 3, 1], "label of row 1", id="label-outside-costs"
    ),
    pytest.param(task.CostSensitive(cost=COST), [0, 1, 2], [0, -1, 1], "label of row 1", id="negative-class"),
]


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
@pytest.mark.parametrize(("asked", "good", "bad", "message"), REFUSED)
def test_a_bad_answer_is_named_and_nothing_is_learned(
    asked: Any, good: Any, bad: Any, message: str, sparse: bool
) -> None:
    """Not even the rows before the bad one."""
    learner = taught(asked, good)
    before = learner.digest()

    with pytest.raises(ValueError, match=message):
        learner.learn(csr_matrix(X[3:]) if sparse else X[3:], bad)
    assert learner.digest() == before


@pytest.mark.parametrize(
    ("asked", "good", "bad"),
    [
        pytest.param(task.Regression(), 1.0, np.nan, id="regression"),
        pytest.param(task.Ranking(), [1], [7], id="ranking"),
        pytest.param(task.CostSensitive(cost=COST), 1, 7, id="cost"),
    ],
)
def test_a_bad_answer_to_a_dict_does_not_grow_the_model(asked: Any, good: Any, bad: Any) -> None:
    """Its features are not taken in either."""
    learner = Learner(task=asked, rule=PA1, belief=belief.Mean(), n_classes=3)
    learner.learn_one({0: 1.0, 2: -1.0}, good)
    before, features = learner.digest(), learner.n_features

    with pytest.raises(DataError):
        learner.learn_one({50: 1.0}, bad)
    assert (learner.digest(), learner.n_features) == (before, features)


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ([[0, 1], [1]], "row 1 has 1 entries"),
        ([[0, -1], [1, 0]], "not negative, which fails at row 0, column 1"),
        ([[0, np.nan], [1, 0]], "finite"),
        ([[1, 1], [1, 0]], "zero where the answer is right"),
        ([[0]], "at least 2 by 2"),
        ("costs", "square matrix"),
    ],
)
def test_a_bad_cost_matrix_says_what_is_wrong(cost: Any, message: str) -> None:
    """Ragged, negative, not finite, a price on right answers, too small, or no matrix at all."""
    with pytest.raises(ValueError, match=message):
        task.CostSensitive(cost=cost)


@pytest.mark.parametrize(
    ("asked", "made", "known", "message"),
    [
        (task.Regression(), rule.Perceptron(), belief.Mean(), "it is for rule.PassiveAggressive"),
        (task.Regression(epsilon=0.1), rule.LeastSquares(), belief.Full(), "epsilon=0"),
        (task.Regression(), rule.Arow(loss="hinge"), belief.Full(), "squared_hinge"),
        (task.OneClass(), rule.Arow(), belief.Mean(), "rule.PassiveAggressive"),
        (task.OneClass(), PA1, belief.Mean(average=True), "average"),
        (task.Ranking(), rule.AdagradRda(), belief.DualAveraging(), "not defined on belief.DualAveraging"),
        (task.CostSensitive(), PA1, belief.Mean(), "needs cost"),
    ],
    ids=str,
)
def test_what_the_mathematics_does_not_define_is_refused(
    asked: Any, made: Any, known: Any, message: str
) -> None:
    """Before there is any data."""
    with pytest.raises(ParameterError, match=message):
        Learner(task=asked, rule=made, belief=known)


@pytest.mark.parametrize("update", ["prediction", "max_loss"])
def test_the_cost_of_every_prediction_is_counted(update: str) -> None:
    """The total is the sum of the matrix's entries at (right class, class with the highest score)."""
    rng = np.random.default_rng(3)
    rows, y = rng.normal(size=(40, 3)), rng.integers(3, size=40)
    learner = Learner(task=task.CostSensitive(cost=COST, update=update), rule=PA1, belief=belief.Mean())
    scores = np.empty((40, 3))
    report = learner.learn(rows, y, scores=scores)

    answers = np.argmax(scores, axis=1)
    paid = sum(COST[k][q] for k, q in zip(y, answers, strict=True))
    assert report.n_mistakes == np.sum(answers != y)
    assert report.cost == pytest.approx(paid)
    assert learner.total_cost == pytest.approx(paid)


def test_equal_costs_on_mistakes_make_prediction_based_updates_multiclass_ones() -> None:
    """With cost 1 everywhere a wrong prediction is answered as the top-1 reduction answers it."""
    learner = taught(task.CostSensitive(cost=1 - np.eye(3)), [2, 1, 2])
    plain = Learner(task=task.Multiclass(), rule=PA1, belief=belief.Mean(), n_features=3, n_classes=3)
    for row, label in zip(X[:3], [2, 1, 2], strict=True):
        if int(np.argmax(plain.scores(row[None]))) != label:
            plain.learn(row[None], [label])

    np.testing.assert_allclose(learner.mean, plain.mean, rtol=1e-12)


def test_pa_puts_an_outsider_on_the_surface_of_the_ball() -> None:
    """After a PA step the example is exactly one radius away."""
    learner = Learner(
        task=task.OneClass(radius=0.5), rule=rule.PassiveAggressive(variant="pa"), belief=belief.Mean()
    )
    learner.learn(X[:1])

    assert float(learner.scores(X[:1])[0]) == pytest.approx(0.5, rel=1e-12)


def test_a_learned_radius_never_shrinks_and_stays_below_its_bound() -> None:
    """The extra coordinate only falls."""
    learner = Learner(task=task.OneClass(max_radius=3.0), rule=PA1, belief=belief.Mean())
    omegas = []
    for row in np.random.default_rng(5).normal(size=(50, 3)):
        learner.learn(row[None])
        omegas.append(learner.state()["threshold"])

    assert np.all(np.diff(omegas) <= 0)
    assert 0 <= omegas[-1] <= omegas[0] <= 3.0


@pytest.mark.parametrize("made", [PA1, rule.Perceptron(), rule.Arow()], ids=str)
@pytest.mark.parametrize(("label", "rival"), [(0, 1), (1, 0), (2, 0), (3, 0)])
def test_of_rivals_with_equal_scores_the_first_is_answered(made: Any, label: int, rival: int) -> None:
    """Before anything is known all scores are 0: the label's block and the first other one move, no third."""
    known = belief.Diagonal() if isinstance(made, rule.Arow) else belief.Mean()
    learner = Learner(task=task.Multiclass(), rule=made, belief=known, n_features=3, n_classes=4)
    learner.learn(X[:1], [label])

    assert np.flatnonzero(np.any(learner.mean != 0, axis=1)).tolist() == sorted([label, rival])


def test_rivals_with_equal_scores_share_the_blame() -> None:
    """Before anything is known all scores are 0, and each of three wrong classes is as guilty as the others."""
    asked = task.MulticlassJoint(method="uniform", rate=0.6)
    learner = Learner(task=asked, rule=None, belief=belief.Mean(), n_features=3, n_classes=4)
    learner.learn(X[:1], [2])

    np.testing.assert_allclose(learner.mean, np.outer([-0.2, -0.2, 0.6, -0.2], X[0]), rtol=1e-12)


@pytest.mark.parametrize("error", [0.5, -0.5])
def test_an_error_of_epsilon_is_none(error: float) -> None:
    """What lies on the edge of the band is right and teaches nothing; the next number outside is a mistake."""
    learner = Learner(
        task=task.Regression(epsilon=0.5), rule=PA1, belief=belief.Mean(), n_features=1, dtype="float64"
    )
    row = np.ones((1, 1))
    inside = learner.learn(row, [error])
    outside = learner.learn(row, [np.nextafter(error, 2 * error)])

    assert (inside.n_mistakes, inside.n_updates) == (0, 0)
    assert (outside.n_mistakes, outside.n_updates) == (1, 1)


@pytest.mark.parametrize("known", [belief.Diagonal(), belief.Full()], ids=["diagonal", "full"])
def test_a_target_that_is_met_exactly_teaches_confidence(known: Any) -> None:
    """Least squares learn from every round: where there is no error the mean stays and the variance falls."""
    learner = Learner(task=task.Regression(), rule=rule.LeastSquares(), belief=known, n_features=1)
    report = learner.learn(np.ones((1, 1)), [0.0])

    assert (report.n_mistakes, report.n_updates) == (0, 1)
    assert learner.mean.item() == 0.0
    assert learner.variance.item() == pytest.approx(0.5)
