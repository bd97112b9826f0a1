"""The product learns what the plain NumPy reference learns, whatever way the rows are handed over."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from onlinear import rule
from tests.combinations import (
    JOINT,
    REGULARIZED,
    SINGLE,
    Combination,
    distance,
    learn,
    oracle_state,
    replay,
    taught,
)
from tests.strategies import Array, Stream, cuts, streams

TOLERANCE = 1e-9
BINARY, MULTICLASS = 2, 4
# Natural parameters and sums of gradients: their means are derived, so there is none to start from.
OWN_STATE = ("sop-own-diagonal", "sop-own-full", "narow-own-diagonal", "adagrad-rda")
MULTICLASS_READY = [c for c in SINGLE if not c.only]
CASES = [
    *(pytest.param(c, BINARY, id=f"binary-{c}") for c in SINGLE),
    *(pytest.param(c, MULTICLASS, id=f"multiclass-{c}") for c in MULTICLASS_READY),
    *(pytest.param(c, MULTICLASS, id=str(c)) for c in JOINT),
]


def averages(combination: Combination) -> bool:
    """Tell whether both sides keep an average of this algorithm's means."""
    return (
        hasattr(combination.belief, "average")
        and combination.name not in OWN_STATE
        and combination.rule is not None
    )


def test_every_rule_has_a_reference() -> None:
    """A rule that joins the closed list is written in NumPy, too; least squares are held to theirs as regression."""
    held = {type(each.rule).__name__ for each in (*SINGLE, *REGULARIZED)} | {"LeastSquares"}
    missing = sorted(set(rule.declared()) - held)
    assert not missing, (
        f"{', '.join(missing)}: write the rule in NumPy in tests/reference/rules.py, as a function under "
        f'@reference("{missing[0]}", {{a parameter: a value to compare at, ...}})'
    )


def test_every_rule_has_a_test_of_its_own() -> None:
    """Of what defines it: a file in tests/rule makes it."""
    written = "".join(path.read_text() for path in (Path(__file__).parents[1] / "rule").glob("test_*.py"))
    missing = [name for name in rule.declared() if f"rule.{name}(" not in written]
    assert not missing, (
        f"{', '.join(missing)}: test in tests/rule what defines the rule, its optimisation problem where it has one, "
        f"as in `moves(rule.{missing[0]}(...), belief.Mean(), seed)`"
    )


every_combination = pytest.mark.parametrize(("combination", "classes"), CASES)
some = settings(max_examples=12)
few = settings(max_examples=5)


def start_of(combination: Combination, stream: Stream) -> Array | None:
    """Give a starting mean where labels would tie."""
    return None if combination.name in OWN_STATE or stream.classes == BINARY else stream.starting_mean()


def final(combination: Combination, stream: Stream) -> dict[str, Array]:
    """Give the reference's last state."""
    return oracle_state(replay(combination, stream, start_of(combination, stream)))


def sensitivity(combination: Combination, stream: Stream, exact: dict[str, Array], size: float) -> float:
    """Give how far a relative error in the inputs moves the reference's last state."""
    shaken = [final(combination, stream.shaken(size, seed)) for seed in range(2)]
    return max(distance(other[key], exact[key]) for other in shaken for key in exact)


def well_posed(combination: Combination, stream: Stream) -> dict[str, Array]:
    """Give the reference's last state, where rounding alone decides nothing about it."""
    if "-delta" in combination.name:
        # Rivals that an update leaves at one margin tie again on any later row of the same direction.
        lengths = np.linalg.norm(stream.X, axis=1)
        learned = (stream.weights > 0) & (lengths > 0)
        directions = stream.X[learned] / lengths[learned, None]
        assume(np.max(np.abs(np.triu(directions @ directions.T, 1)), initial=0.0) < 0.999)
    exact = final(combination, stream)
    assume(sensitivity(combination, stream, exact, 1e-12) < TOLERANCE)
    return exact


def attribute(learner: Any, key: str) -> Array:
    """Read one array of a learner."""
    return np.array(getattr(learner, key))


def snapshot(learner: Any) -> dict[str, Any]:
    """Copy a learner's whole state."""
    return {key: np.array(value) for key, value in learner.state().items()}


def assert_identical(got: dict[str, Any], want: dict[str, Any]) -> None:
    """Compare whole states bit for bit."""
    assert got.keys() == want.keys()
    for key, value in want.items():
        assert got[key].tobytes() == value.tobytes(), key


@every_combination
@given(data=st.data())
@some
def test_the_state_is_the_references(combination: Combination, classes: int, data: st.DataObject) -> None:
    """After any weighted stream, mean and covariance agree to 1e-9, where rounding alone decides nothing."""
    stream = data.draw(streams(classes=classes, weighted=True))
    wanted = well_posed(combination, stream)
    learner = learn(combination, stream, start=start_of(combination, stream))

    for key, value in wanted.items():
        assert distance(attribute(learner, key), value) <= TOLERANCE, key


@every_combination
@given(data=st.data())
@few
def test_sparse_rows_teach_what_dense_rows_teach(
    combination: Combination, classes: int, data: st.DataObject
) -> None:
    """CSR and dense agree to rounding."""
    stream = data.draw(streams(classes=classes))
    wanted = well_posed(combination, stream)
    start = start_of(combination, stream)
    dense = learn(combination, stream, start=start)
    sparse = combination.learner(stream, start=start)
    sparse.learn(stream.sparse, stream.y)

    for key in wanted:
        assert distance(attribute(sparse, key), attribute(dense, key)) <= TOLERANCE, key


@every_combination
@given(data=st.data())
@few
def test_batches_do_not_matter(combination: Combination, classes: int, data: st.DataObject) -> None:
    """One call, several calls and one row at a time leave bit-identical states."""
    stream = data.draw(streams(classes=classes, weighted=True))
    start = start_of(combination, stream)
    whole = snapshot(learn(combination, stream, start=start))
    pieces = stream.cut(data.draw(cuts(stream)))
    rows = stream.cut(list(range(1, len(stream.y))))

    for parts in (pieces, rows):
        learner = combination.learner(stream, start=start)
        for part in parts:
            learner.learn(part.X, part.y, sample_weight=part.weights)
        assert_identical(snapshot(learner), whole)


@every_combination
@given(data=st.data())
@few
def test_sparse_batches_do_not_matter(combination: Combination, classes: int, data: st.DataObject) -> None:
    """The same for CSR rows."""
    stream = data.draw(streams(classes=classes))
    start = start_of(combination, stream)
    whole, cut = combination.learner(stream, start=start), combination.learner(stream, start=start)
    whole.learn(stream.sparse, stream.y)
    for part in stream.cut(data.draw(cuts(stream))):
        cut.learn(part.sparse, part.y)

    assert_identical(snapshot(cut), snapshot(whole))


@every_combination
@given(data=st.data())
@few
def test_single_precision_stays_close_to_double(
    combination: Combination, classes: int, data: st.DataObject
) -> None:
    """On inputs that float32 holds exactly, the states differ by what float32 rounding explains."""
    stream = data.draw(streams(classes=classes, max_rounds=12))
    exact = Stream(stream.X.astype(np.float32).astype(float), stream.y, stream.weights, classes, stream.seed)
    wanted = final(combination, exact)
    drift = sensitivity(combination, exact, wanted, 2.0**-24)
    assume(drift < 1e-4)
    start = start_of(combination, exact)
    start = None if start is None else start.astype(np.float32).astype(float)
    single, double = (learn(combination, exact, dtype=t, start=start) for t in ("float32", "float64"))

    for key in wanted:
        assert distance(attribute(single, key), attribute(double, key).ravel()) <= 50 * max(
            drift, 2.0**-20
        ), key


@every_combination
@given(data=st.data())
@few
def test_an_example_of_weight_zero_changes_nothing(
    combination: Combination, classes: int, data: st.DataObject
) -> None:
    """Leaving such examples out, or feeding one more, gives the same state bit for bit."""
    stream = data.draw(streams(classes=classes, weighted=True))
    start = start_of(combination, stream)
    learner = learn(combination, stream, start=start)
    seen = stream.weights > 0
    without = Stream(stream.X[seen], stream.y[seen], stream.weights[seen], classes, stream.seed)
    before = snapshot(learner)

    learner.learn(8 * stream.X[-1:], (stream.y[-1:] + 1) % classes, sample_weight=np.zeros(1))

    assert_identical(snapshot(learner), before)
    rest = combination.learner(stream, start=start)
    rest.learn(without.X, without.y, sample_weight=without.weights)
    assert_identical(snapshot(rest), before)


@every_combination
@given(data=st.data())
@few
def test_scores_are_the_references(combination: Combination, classes: int, data: st.DataObject) -> None:
    """What is predicted, for dense and sparse rows alike, is what the reference predicts."""
    stream = data.draw(streams(classes=classes))
    well_posed(combination, stream)
    start = start_of(combination, stream)
    learner, oracle = learn(combination, stream, start=start), replay(combination, stream, start)

    want = np.ravel([oracle.scores(x) for x in stream.X])
    for X in (stream.X, stream.sparse):
        assert distance(learner.scores(X), want) <= TOLERANCE


@every_combination
@given(data=st.data())
@few
def test_seen_examples_and_mistakes_are_counted(
    combination: Combination, classes: int, data: st.DataObject
) -> None:
    """Every example of positive weight is seen; a score that does not favour the answer is a mistake."""
    stream = data.draw(streams(classes=classes, weighted=True))
    well_posed(combination, stream)
    start = start_of(combination, stream)
    learner = learn(combination, stream, start=start)
    margins = np.array([margin(oracle.scores(x), y) for oracle, x, y in taught(combination, stream, start)])
    # Solved constraints leave labels level; on which side of level they fall is rounding's to say.
    assume(not np.any(np.abs(margins[margins != 0]) < TOLERANCE))

    assert learner.n_seen == np.sum(stream.weights > 0)
    assert learner.n_mistakes == np.sum((margins <= 0) & (stream.weights > 0))
    assert learner.n_updates <= learner.n_seen


def margin(scores: Any, y: Any) -> float:
    """Give how far scores favour the answer; exactly 0 only where every score is."""
    if np.ndim(scores) == 0:
        return float(y * scores)
    found = float(scores[y] - np.max(np.delete(scores, y)))
    return found if found != 0 or not np.any(scores) else TOLERANCE / 2


@pytest.mark.parametrize(("combination", "classes"), [case for case in CASES if averages(case.values[0])])
@given(data=st.data())
@few
def test_the_average_is_the_references(combination: Combination, classes: int, data: st.DataObject) -> None:
    """The lazily kept average is the mean of the means held after each round."""
    stream = data.draw(streams(classes=classes, weighted=True))
    assume(np.any(stream.weights > 0))
    well_posed(combination, stream)
    start = start_of(combination, stream)
    learner = learn(combination.averaged(), stream, start=start)
    oracle = replay(combination, stream, start)

    assert distance(learner.average, np.ravel(oracle.average)) <= TOLERANCE
    assert distance(learner.mean, oracle_state(oracle)["mean"]) <= TOLERANCE


@pytest.mark.parametrize(("dtype", "tolerance"), [("float64", 1e-9), ("float32", 1e-4)])
def test_the_average_of_a_shrinking_mean_keeps_its_digits(dtype: str, tolerance: float) -> None:
    """However long NORMA shrinks its mean, the average stays that of the means it held."""
    rng = np.random.default_rng(0)
    combination = next(c for c in SINGLE if c.name == "norma-mean")
    X = rng.normal(size=(12_000, 4)).astype(np.float32).astype(float)
    y = ((X @ rng.normal(size=4) > 0) ^ (rng.random(len(X)) < 0.1)).astype(np.int64)
    stream = Stream(X, y, np.ones(len(X)), BINARY, seed=0)

    learner = learn(combination.averaged(), stream, dtype=dtype)

    assert distance(learner.average, replay(combination, stream).average) <= tolerance


@pytest.mark.parametrize("name", ["romma-mean", "aggressive-romma-mean"])
def test_romma_keeps_its_digits_where_its_mean_turns_back(name: str) -> None:
    """Steps that nearly cancel the mean do not spoil what ROMMA knows of its length."""
    combination = next(c for c in SINGLE if c.name == name)
    for seed in range(300):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(24, int(rng.integers(2, 8))))
        y = ((X @ rng.normal(size=X.shape[1]) > 0) ^ (rng.random(24) < 0.2)).astype(np.int64)
        stream = Stream(X, y, np.ones(24), BINARY, seed)
        wanted = final(combination, stream)
        if sensitivity(combination, stream, wanted, 1e-12) < TOLERANCE:
            assert distance(learn(combination, stream).mean, wanted["mean"]) <= TOLERANCE, seed
