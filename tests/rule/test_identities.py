"""Algorithms that are the same in different clothes take the same steps."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.special import ndtr

from onlinear import Learner, belief, rule, task
from tests.combinations import SINGLE, Combination
from tests.strategies import Stream, streams

Array = NDArray[np.float64]

PHI = 0.9
few = settings(max_examples=25)
margins = st.floats(-50, 50)
variances = st.floats(1e-6, 1e6)
prices = st.floats(1e-3, 1e3)


def learn(
    stream: Stream, product_rule: Any, product_belief: Any, product_task: Any = None, start: bool = True
) -> Learner:
    """Let the product learn a stream, from a mean that sets no two labels equal unless told otherwise."""
    several = stream.classes > 2 or product_task is not None
    shape = (stream.classes, stream.features) if several else (stream.features,)
    plain = task.Multiclass() if several else task.Binary()
    learner = Learner(
        task=plain if product_task is None else product_task,
        rule=product_rule,
        belief=product_belief,
        n_features=stream.features,
        n_classes=stream.classes,
        initial_mean=np.random.default_rng(stream.seed).normal(scale=0.3, size=shape) if start else None,
    )
    learner.learn(stream.X, stream.y, sample_weight=stream.weights)
    return learner


def signed(stream: Stream) -> Array:
    """Give the difference vectors of a binary stream."""
    return np.where(stream.y, 1.0, -1.0)[:, None] * stream.X


def assert_same(got: Any, want: Any) -> None:
    """Compare on the scale of what is wanted."""
    want = np.asarray(want)
    assert_allclose(got, want, rtol=1e-9, atol=1e-9 * (1 + np.max(np.abs(want))))


def assert_same_step(got: Any, want: Any) -> None:
    """Compare all that two rules answer."""
    assert_allclose(
        [got.mean, got.precision, got.keep, got.spread],
        [want.mean, want.precision, want.keep, want.spread],
        rtol=1e-9,
    )


# ---- first and second order ----


@given(streams(weighted=True))
@few
def test_arow_on_a_mean_is_passive_aggressive_ii(stream: Stream) -> None:
    """With the covariance held at identity, AROW(r) takes PA-II's steps at C = 1/(2r)."""
    arow = learn(stream, rule.Arow(r=0.5), belief.Mean())
    pa2 = learn(stream, rule.PassiveAggressive(variant="pa2", C=1.0), belief.Mean())

    assert_same(arow.mean, pa2.mean)


@given(streams(weighted=True))
@few
def test_arow_with_the_hinge_on_a_mean_is_passive_aggressive_i(stream: Stream) -> None:
    """With the covariance held at identity, AROW-H(r) takes PA-I's steps at C = 1/(2r)."""
    arow = learn(stream, rule.Arow(r=0.8, loss="hinge"), belief.Mean())
    pa1 = learn(stream, rule.PassiveAggressive(variant="pa1", C=0.625), belief.Mean())

    assert_same(arow.mean, pa1.mean)


@given(streams(classes=4))
@few
def test_arow_on_a_mean_is_passive_aggressive_ii_for_several_classes_too(stream: Stream) -> None:
    """Top-1 changes the difference vector and nothing else."""
    arow = learn(stream, rule.Arow(r=0.5), belief.Mean())
    pa2 = learn(stream, rule.PassiveAggressive(variant="pa2", C=1.0), belief.Mean())

    assert_same(arow.mean, pa2.mean)


@given(margins, variances, prices)
def test_arows_mean_steps_are_passive_aggressive_in_the_metric(m: float, v: float, r: float) -> None:
    """With v for |delta|^2, AROW's alpha is PA-II's tau and AROW-H's is PA-I's, both at C = 1/(2r)."""
    C = 1 / (2 * r)

    arow, hinge = rule.Arow(r=r).step(m, v), rule.Arow(r=r, loss="hinge").step(m, v)

    assert_allclose(arow.mean, rule.PassiveAggressive(variant="pa2", C=C).step(m, v).mean, rtol=1e-12)
    assert_allclose(hinge.mean, rule.PassiveAggressive(variant="pa1", C=C).step(m, v).mean, rtol=1e-12)


@given(margins, variances, prices)
def test_nherds_mean_step_is_arows(m: float, v: float, C: float) -> None:
    """NHERD(C) moves the mean as AROW does at r = 1/C."""
    assert_allclose(rule.Nherd(C=C).step(m, v).mean, rule.Arow(r=1 / C).step(m, v).mean, rtol=1e-12)


@given(margins, variances, st.floats(0.1, 100))
def test_nherds_covariance_step_is_arows_twice(m: float, v: float, C: float) -> None:
    """Along the example, shrinking by 1/(1 + C v) twice is NHERD's gain 2C + C^2 v."""
    gain = rule.Nherd(C=C).step(m, v).precision

    assert_allclose(1 + gain * v, (1 + C * v) ** 2 if m < 1 else 1.0, rtol=1e-12)


@pytest.mark.parametrize("variant", ["pa1", "pa2"])
@given(margins, variances)
def test_passive_aggressive_at_any_price_is_the_plain_one(variant: str, m: float, v: float) -> None:
    """As C grows without bound, PA-I and PA-II become PA."""
    soft = rule.PassiveAggressive(variant=variant, C=1e25).step(m, v)

    assert_same_step(soft, rule.PassiveAggressive(variant="pa").step(m, v))


@given(variances)
def test_the_first_step_of_romma_is_passive_aggressives(v: float) -> None:
    """From a mean of zero the shortest mean that meets the margin is the nearest one."""
    assert_allclose(rule.Romma().step(0.0, v).mean, rule.PassiveAggressive(variant="pa").step(0.0, v).mean)


@given(streams(), st.floats(0.1, 10))
@few
def test_the_perceptrons_rate_is_only_a_scale(stream: Stream, rate: float) -> None:
    """From a mean of zero, the rate multiplies the mean and changes no decision."""
    scaled = learn(stream, rule.Perceptron(rate=rate), belief.Mean(), start=False)
    plain = learn(stream, rule.Perceptron(), belief.Mean(), start=False)

    assert scaled.n_mistakes == plain.n_mistakes
    assert_same(scaled.mean, rate * np.array(plain.mean))


@given(streams())
@few
def test_norma_without_a_margin_or_a_shrink_is_the_perceptron(stream: Stream) -> None:
    """Both learn where the score is 0, as it is before anything is known."""
    norma = learn(stream, rule.Norma(eta=0.7, lam=0.0, rho=0.0), belief.Mean(), start=False)
    perceptron = learn(stream, rule.Perceptron(rate=0.7), belief.Mean(), start=False)
    assert_same(norma.mean, perceptron.mean)
    assert norma.n_updates == perceptron.n_updates


@given(margins, variances, st.floats(1.0, 50))
def test_norma_shrinks_to_nothing_at_most(m: float, v: float, rate: float) -> None:
    """A rate times lambda of 1 and more forgets the mean; it never turns it around."""
    assert rule.Norma(eta=rate, lam=1.0).step(m, v).keep == 0.0


@given(margins, variances)
def test_iellip_that_never_shrinks_is_passive_aggressive_on_mistakes(m: float, v: float) -> None:
    """At c = 0 the ellipsoid stays, and the margin becomes 1."""
    pa = rule.PassiveAggressive(variant="pa").step(m, v)
    step = rule.Iellip(c=0.0).step(m, v)

    assert_allclose(
        [step.mean, step.precision, step.spread], [pa.mean if m <= 0 else 0.0, 0.0, 1.0], rtol=1e-12
    )


# ---- confidence-weighted learning and its soft forms ----


@pytest.mark.parametrize("penalty", ["linear", "squared"])
@given(margins, variances)
def test_scw_at_any_price_is_cw(penalty: str, m: float, v: float) -> None:
    """As C grows without bound, both soft forms become CW with the standard deviation."""
    scw = rule.SoftConfidenceWeighted(penalty=penalty, C=1e25, phi=PHI).step(m, v)

    assert_same_step(scw, rule.ConfidenceWeighted(constraint="stdev", phi=PHI).step(m, v))


@given(streams())
@few
def test_scw_at_any_price_learns_what_cw_learns(stream: Stream) -> None:
    """The same in whole runs, on a full covariance, bit for bit: the cap is never reached."""
    cw = learn(stream, rule.ConfidenceWeighted(constraint="stdev", phi=PHI), belief.Full())
    scw = learn(stream, rule.SoftConfidenceWeighted(penalty="linear", C=1e25, phi=PHI), belief.Full())

    assert np.array_equal(scw.mean, cw.mean)
    assert np.array_equal(scw.covariance, cw.covariance)


@given(margins, variances, prices)
def test_scw1_is_cw_capped_at_its_price(m: float, v: float, C: float) -> None:
    """SCW-I's alpha is the smaller of C and CW's alpha."""
    cw = rule.ConfidenceWeighted(constraint="stdev", phi=PHI).step(m, v)
    scw = rule.SoftConfidenceWeighted(penalty="linear", C=C, phi=PHI).step(m, v)

    assert_allclose(scw.mean, min(C, cw.mean), rtol=1e-12)


@given(margins, variances, prices)
def test_without_confidence_cw_is_passive_aggressive_at_margin_zero(m: float, v: float, C: float) -> None:
    """At phi = 0 only the sign counts: the mean meets margin 0, the covariance never moves."""
    pa = rule.PassiveAggressive(variant="pa").step(m, v, required=0.0)
    pa1 = rule.PassiveAggressive(variant="pa1", C=C).step(m, v, required=0.0)

    assert_same_step(rule.ConfidenceWeighted(constraint="variance", phi=0.0).step(m, v), pa)
    assert_same_step(rule.ConfidenceWeighted(constraint="stdev", phi=0.0).step(m, v), pa)
    assert_same_step(rule.SoftConfidenceWeighted(penalty="linear", C=C, phi=0.0).step(m, v), pa1)


@given(st.floats(0.5, 0.999999))
def test_the_quantile_inverts_the_normal_distribution(confidence: float) -> None:
    """A confidence and its phi say the same."""
    assert_allclose(ndtr(rule.quantile(confidence)), confidence, rtol=1e-14)


@given(st.integers(0, 10_000))
@few
def test_on_one_feature_every_covariance_is_the_same(seed: int) -> None:
    """In one dimension full, drop, kl and exact are one algorithm."""
    rng = np.random.default_rng(seed)
    stream = Stream(rng.normal(size=(12, 1)), rng.integers(2, size=12), np.ones(12), 2, seed)
    cw = rule.ConfidenceWeighted(constraint="stdev", phi=PHI)
    full = learn(stream, cw, belief.Full())

    for projection in ("kl", "drop", "exact"):
        diagonal = learn(stream, cw, belief.Diagonal(projection=projection))
        assert_same(diagonal.mean, full.mean)
        assert_same(np.ravel(diagonal.variance), np.ravel(full.covariance))


# ---- the second-order perceptron and NAROW ----


@pytest.mark.parametrize("inclusive", [False, True])
@given(streams())
@few
def test_the_second_order_perceptron_is_arow_on_mistakes(inclusive: bool, stream: Stream) -> None:
    """On a full covariance its own score, which counts the instance, has the sign of the mean's."""
    sop = learn(stream, rule.SecondOrderPerceptron(), belief.Full(inclusive=inclusive), start=False)
    mistaken = Learner(
        task=task.Binary(), rule=rule.Arow(r=1.0), belief=belief.Full(), n_features=stream.features
    )
    for x, y, delta in zip(stream.X, stream.y, signed(stream), strict=True):
        if np.array(mistaken.mean) @ delta <= 0:
            mistaken.learn(x[None, :], np.array([y]))

    assert_same(sop.mean, mistaken.mean)
    assert_same(sop.covariance, mistaken.covariance)


@given(margins, variances)
def test_the_second_order_perceptrons_step_on_a_mistake_is_arows(m: float, v: float) -> None:
    """Where the margin is not positive the two rules say the same; elsewhere SOP says nothing."""
    sop = rule.SecondOrderPerceptron().step(m, v)

    if m <= 0:
        assert_same_step(sop, rule.Arow(r=1.0).step(m, v))
    else:
        assert not sop


@given(streams())
@few
def test_narow_without_memory_is_narow_on_natural_parameters(stream: Stream) -> None:
    """On a full covariance, theta += delta and A += (b - 1/chi) delta delta' is the memoryless rule."""
    b = 1.3
    learner = learn(stream, rule.Narow(b=b), belief.Full(), start=False)
    theta, A = np.zeros(stream.features), np.eye(stream.features)
    for delta in signed(stream):
        chi = float(delta @ np.linalg.solve(A, delta))
        if chi > 0 and np.linalg.solve(A, theta) @ delta < 1:
            theta = theta + delta
            A = A + max(0.0, b - 1 / chi) * np.outer(delta, delta)

    assert_same(learner.mean, np.linalg.solve(A, theta))
    assert_same(learner.covariance, np.linalg.inv(A))


@given(margins, variances, st.floats(0.1, 10), st.floats(0.1, 5))
def test_narow_adds_the_whole_example_whatever_margin_is_asked(
    m: float, v: float, b: float, E: float
) -> None:
    """The required margin says when theta += delta, not how: alpha is (1 - gain m)/(1 + gain v)."""
    step = rule.Narow(b=b).step(m, v, required=E)

    if m < E:
        wanted = (1 - step.precision * m) / (1 + step.precision * v)
        assert_allclose(step.mean, wanted, rtol=1e-9, atol=1e-12)
    else:
        assert not step


@given(margins, variances, st.floats(0.1, 10))
def test_narow_leaves_a_variance_of_at_most_one_over_b(m: float, v: float, b: float) -> None:
    """After an update, delta' Sigma delta is the smaller of what it was and 1/b."""
    step = rule.Narow(b=b).step(m, v)

    assert_allclose(v / (1 + step.precision * v), min(v, 1 / b) if m < 1 else v, rtol=1e-9)


@given(margins, variances, st.floats(0.1, 10))
def test_coupled_narow_is_arow_with_a_trust_of_its_own(m: float, v: float, b: float) -> None:
    """The coupled form takes AROW's step at r = v/(b v - 1), and none where b v <= 1."""
    step = rule.Narow(b=b, form="coupled").step(m, v)

    if b * v > 1 + 1e-6:
        assert_same_step(step, rule.Arow(r=v / (b * v - 1)).step(m, v))
    elif b * v < 1:
        assert not step


# ---- AROW ----


@given(streams())
@few
def test_arows_natural_mean_is_the_sum_of_its_updates(stream: Stream) -> None:
    """On a full covariance, Sigma^-1 mu = (1/r) sum delta and Sigma^-1 = I + (1/r) sum delta delta'."""
    r = 0.7
    learner = Learner(
        task=task.Binary(), rule=rule.Arow(r=r), belief=belief.Full(), n_features=stream.features
    )
    total, precision = np.zeros(stream.features), np.eye(stream.features)
    for x, y, delta in zip(stream.X, stream.y, signed(stream), strict=True):
        if np.array(learner.mean) @ delta < 1:
            total, precision = total + delta / r, precision + np.outer(delta, delta) / r
        learner.learn(x[None, :], np.array([y]))

    assert_same(precision @ np.array(learner.mean), total)
    assert_same(np.array(learner.covariance) @ precision, np.eye(stream.features))


@given(streams())
@few
def test_arows_exact_diagonal_is_its_kl_projection(stream: Stream) -> None:
    """The optimum over diagonals is what the KL projection gives, bit for bit."""
    kl = learn(stream, rule.Arow(r=0.7), belief.Diagonal(projection="kl"))
    exact = learn(stream, rule.Arow(r=0.7), belief.Diagonal(projection="exact"))

    assert np.array_equal(kl.mean, exact.mean)
    assert np.array_equal(kl.variance, exact.variance)


@given(streams())
@few
def test_kl_shrinks_at_least_as_much_as_drop(stream: Stream) -> None:
    """From one state, the diagonal of the inverse is nowhere larger than the diagonal of the full update."""
    first = stream.cut([1])[0]
    kl = learn(first, rule.Arow(r=0.7), belief.Diagonal(projection="kl"))
    drop = learn(first, rule.Arow(r=0.7), belief.Diagonal(projection="drop"))

    assert np.all(np.array(kl.variance) <= np.array(drop.variance) * (1 + 1e-12))


# ---- several classes ----

TWO_CLASS = [c for c in SINGLE if not c.only]


@pytest.mark.parametrize("combination", TWO_CLASS, ids=str)
@given(stream=streams(max_rounds=16, max_features=4))
@settings(max_examples=8)
def test_two_classes_by_top1_are_binary_on_two_blocks(combination: Combination, stream: Stream) -> None:
    """With blocks (-x, +x) for features, a binary learner sees the numbers that top-1 sees on two classes."""
    options = {"rule": combination.rule, "belief": combination.belief}
    top1 = Learner(task=task.Multiclass(), n_features=stream.features, n_classes=2, **options)
    top1.learn(stream.X, stream.y)
    binary = Learner(task=task.Binary(), n_features=2 * stream.features, **options)
    binary.learn(np.hstack([-stream.X, stream.X]), stream.y)

    assert_same(np.ravel(top1.mean), np.ravel(binary.mean))
    if isinstance(combination.belief, belief.Full):
        assert_same(top1.covariance, binary.covariance)
    elif isinstance(combination.belief, belief.Diagonal):
        assert_same(np.ravel(top1.variance), np.ravel(binary.variance))


BELIEFS = [belief.Mean(), belief.Diagonal(projection="kl"), belief.Diagonal(projection="drop"), belief.Full()]


@pytest.mark.parametrize("product_belief", BELIEFS, ids=str)
@given(stream=streams(classes=4, max_features=4, weighted=True))
@few
def test_arow_with_one_constraint_is_top1(product_belief: Any, stream: Stream) -> None:
    """With k = 1 and the covariance moved along delta, the several-constraint update is the top-1 one."""
    one = task.MulticlassJoint(method="arow", r=0.6, k=1, cov_update="delta")
    joint = learn(stream, None, product_belief, one)
    top1 = learn(stream, rule.Arow(r=0.6), product_belief)

    assert_same(joint.mean, top1.mean)
    if isinstance(product_belief, belief.Full):
        assert_same(joint.covariance, top1.covariance)
    elif isinstance(product_belief, belief.Diagonal):
        assert_same(joint.variance, top1.variance)


@given(stream=streams(classes=5, weighted=True))
@few
def test_arow_with_all_constraints_on_a_mean_is_all_constraint_pa_ii(stream: Stream) -> None:
    """With the covariance held at identity, Hildreth's cycles end where sorting does, at C = 1/(2r)."""
    arow = learn(stream, None, belief.Mean(), task.MulticlassJoint(method="arow", r=0.5))
    pa2 = learn(stream, None, belief.Mean(), task.MulticlassJoint(method="pa", variant="pa2", C=1.0))

    assert_same(arow.mean, pa2.mean)


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
@given(stream=streams(weighted=True))
@few
def test_all_constraint_pa_on_two_classes_is_top1(variant: str, stream: Stream) -> None:
    """With one wrong label there is one constraint."""
    joint = learn(stream, None, belief.Mean(), task.MulticlassJoint(method="pa", variant=variant, C=0.3))
    top1 = learn(stream, rule.PassiveAggressive(variant=variant, C=0.3), belief.Mean(), task.Multiclass())

    assert_same(joint.mean, top1.mean)


@given(stream=streams(weighted=True))
@few
def test_the_uniform_perceptron_on_two_classes_is_the_plain_one(stream: Stream) -> None:
    """With one wrong label it bears all the blame."""
    uniform = learn(stream, None, belief.Mean(), task.MulticlassJoint(method="uniform", rate=0.7))
    plain = learn(stream, rule.Perceptron(rate=0.7), belief.Mean(), task.Multiclass())

    assert_same(uniform.mean, plain.mean)
