"""Regularised Passive-Aggressive: each closed form against its problem, its invariances and its bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.optimize import minimize

from onlinear import Learner, belief, rule, task
from onlinear.exceptions import ParameterError
from tests.reference import bounds
from tests.reference.regularized import soft_threshold

Array = NDArray[np.float64]

PENALTIES = ["objective", "l2_ball", "l1_ball"]
numbers = st.floats(-5, 5).map(lambda x: round(x, 3))


def ball(penalty: str, **parameters: Any) -> Any:
    """A rule that learns below margin 1."""
    return rule.RegularizedPassiveAggressive(penalty=penalty, **parameters)


def home(penalty: str) -> Any:
    """The belief a penalty is defined on."""
    return belief.L1Ball() if penalty == "l1_ball" else belief.Mean()


def learner(penalty: str, start: Array, **parameters: Any) -> Learner:
    """A learner of two classes that starts at a mean."""
    return Learner(
        task=task.Binary(),
        rule=ball(penalty, **parameters),
        belief=home(penalty),
        n_features=len(start),
        initial_mean=start,
    )


def size(penalty: str, w: Array) -> float:
    """The norm of a penalty's ball."""
    return float(np.abs(w).sum() if penalty == "l1_ball" else np.linalg.norm(w))


def inside(penalty: str, w: Array, radius: float) -> Array:
    """The nearest point of a ball."""
    if penalty == "l1_ball":
        return soft_threshold(w, radius)[0]
    return w * min(1.0, radius / max(float(np.linalg.norm(w)), 1e-300))


def step(penalty: str, start: Array, x: Array, **parameters: Any) -> Array:
    """The mean after one example of the second class."""
    model = learner(penalty, start, **parameters)
    model.learn(x[None], [1])
    return np.array(model.mean)


def solved(
    start: Array, x: Array, *, alpha: float = 0.0, radius: float | None = None, l1: bool = False
) -> Array:
    """The same by a general solver; the L1 norm through positive and negative parts."""
    d = len(x)
    split = np.concatenate([np.maximum(start, 0), np.maximum(-start, 0)])

    def whole(z: Array) -> Array:
        return z[:d] - z[d:]

    def cost(z: Array) -> float:
        w = whole(z)
        return float(((w - start) @ (w - start) + alpha * (w @ w)) / 2)

    def slope(z: Array) -> Array:
        g = whole(z) - start + alpha * whole(z)
        return np.concatenate([g, -g])

    limits = [{"type": "ineq", "fun": lambda z: whole(z) @ x - 1}]
    if radius is not None:
        norm = (lambda z: radius - z.sum()) if l1 else (lambda z: radius**2 - whole(z) @ whole(z))
        limits.append({"type": "ineq", "fun": norm})
    answer = minimize(
        cost,
        split,
        jac=slope,
        bounds=[(0, None)] * (2 * d),
        constraints=limits,
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-15},
    )
    return whole(answer.x)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("penalty", PENALTIES)
def test_a_general_solver_finds_the_same_point(penalty: str, seed: int) -> None:
    """Shrinkage, L2 ball and L1 ball solve their quadratic programmes."""
    rng = np.random.default_rng(seed)
    radius = 1.5
    start = inside(penalty, rng.normal(size=6), radius)
    x = rng.normal(size=6) * np.where(rng.random(6) < 0.7, 1.0, 0.0)
    x[0] += 2.0 * np.sign(x[0])
    if penalty == "objective":
        want = solved(start, x, alpha=0.3) if start @ x < 1 else start
    else:
        want = solved(start, x, radius=radius, l1=penalty == "l1_ball")
    assert_allclose(step(penalty, start, x, alpha=0.3, radius=radius), want, atol=2e-6)


@given(
    start=arrays(np.float64, 7, elements=numbers),
    x=arrays(np.float64, 7, elements=numbers),
    radius=st.floats(0.05, 20.0),
    penalty=st.sampled_from(["l2_ball", "l1_ball"]),
)
def test_the_ball_is_kept_and_the_margin_reached(start: Array, x: Array, radius: float, penalty: str) -> None:
    """The norm never exceeds the radius, and the margin is met whenever a point of the ball has it."""
    start = inside(penalty, start, radius)
    after = step(penalty, start, x, radius=radius)
    assert size(penalty, after) <= radius * (1 + 1e-9) + 1e-12
    reach = radius * float(np.abs(x).max() if penalty == "l1_ball" else np.linalg.norm(x))
    if x.any() and start @ x < 1:
        assert_allclose(after @ x, 1.0 if reach > 1 else reach, rtol=1e-7, atol=1e-7)


@given(
    start=arrays(np.float64, 6, elements=numbers),
    x=arrays(np.float64, 6, elements=numbers),
    radius=st.floats(0.5, 20.0),
)
def test_the_l1_step_is_certified(start: Array, x: Array, radius: float) -> None:
    """The new point is the projection of mu + tau delta for some tau >= 0: the conditions of an optimum."""
    start = inside("l1_ball", start, radius)
    if not x.any() or start @ x >= 1 or radius * np.abs(x).max() <= 1 + 1e-6:
        return
    after = step("l1_ball", start, x, radius=radius)
    tau = certificate(start, x, after)
    assert_allclose(inside("l1_ball", start + tau * x, radius), after, atol=1e-6 * (1 + radius))


def certificate(start: Array, x: Array, after: Array) -> float:
    """Tau and lambda by least squares over the support, from mu + tau delta - lambda sign = after."""
    support = after != 0
    system = np.stack([x[support], -np.sign(after[support])], axis=1)
    found = np.linalg.lstsq(system, (after - start)[support], rcond=None)[0]
    return max(float(found[0]), 0.0)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("penalty", ["objective", "l2_ball"])
def test_a_rotation_of_the_world_rotates_the_mean(penalty: str, seed: int) -> None:
    """Lemma 3.3: rotated examples give the rotated mean."""
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.normal(size=(5, 5)))[0]
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 2, 60)
    means = []
    for rows in (X, X @ turn.T):
        model = learner(penalty, np.zeros(5), alpha=0.1, radius=2.0)
        model.learn(rows, y)
        means.append(model.mean)
    assert_allclose(means[0] @ turn.T, means[1], atol=1e-10)


def test_no_shrinkage_is_passive_aggressive() -> None:
    """With alpha = 0, and with a ball too large to matter, all three are PA."""
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 2, 50)
    pa = Learner(
        task=task.Binary(), rule=rule.PassiveAggressive(variant="pa"), belief=belief.Mean(), n_features=4
    )
    pa.learn(X, y)
    for penalty in PENALTIES:
        model = learner(penalty, np.zeros(4), alpha=0.0, radius=1e9)
        model.learn(X, y)
        assert_allclose(model.mean, pa.mean, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("penalty", PENALTIES)
def test_the_trigger_decides_when_to_learn(penalty: str) -> None:
    """A right answer with a small margin is learned from below the margin, and not on mistakes alone."""
    start, x = np.array([0.5, 0.0]), np.array([1.0, 0.2])
    assert not np.array_equal(step(penalty, start, x, trigger="margin"), start)
    assert np.array_equal(step(penalty, start, x, trigger="mistake"), start)
    sure = np.array([3.0, 0.0])
    assert np.array_equal(step(penalty, sure, x, trigger="margin"), sure)
    moved = not np.array_equal(step(penalty, sure, x, trigger="always"), sure)
    assert moved == (penalty == "objective")


def test_a_weight_is_no_price() -> None:
    """A constraint has no price: every positive weight counts as 1."""
    for penalty in ("objective", "l2_ball"):
        steps = [
            ball(penalty).step(margin=0.2, variance=2.0, mean_norm=1.0, weight=w).mean
            for w in (0.1, 1.0, 9.0)
        ]
        assert steps[0] == steps[1] == steps[2]


def test_the_penalty_names_its_belief() -> None:
    """The L1 ball lives on its own belief, the others on a mean, and the refusal says so."""
    with pytest.raises(ParameterError, match="is defined on belief.L1Ball"):
        Learner(task=task.Binary(), rule=ball("l1_ball"), belief=belief.Mean())
    with pytest.raises(ParameterError, match="is defined on belief.Mean"):
        Learner(task=task.Binary(), rule=ball("objective"), belief=belief.L1Ball())


# ---- bounds: theorems 3.1 to 3.4 ----


def drifting(seed: int, rounds: int, drift: float) -> tuple[Array, NDArray[np.int64], Array]:
    """Examples that a slowly turning comparator of norm 1.2 separates with margin 1, and the comparators."""
    rng = np.random.default_rng(seed)
    X, y, us = [], [], []
    angle = 0.0
    for _ in range(rounds):
        u = 1.2 * np.array([np.cos(angle), np.sin(angle)])
        label = int(rng.integers(0, 2))
        along = (1.0 + 0.1 * rng.random()) / 1.44
        across = rng.uniform(-0.3, 0.3) / 1.2
        x = (2 * label - 1) * (along * u + across * np.array([-u[1], u[0]]))
        X.append(x)
        y.append(label)
        us.append(u)
        angle += drift
    return np.array(X), np.array(y), np.array(us)


@pytest.mark.parametrize("sigma", [None, 1e-5])
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("seed", range(3))
def test_mistakes_stay_within_the_theorems(penalty: str, seed: int, sigma: float | None) -> None:
    """On mistakes only, against a drifting comparator without loss, the mistakes are bounded (3.1 to 3.4)."""
    X, y, us = drifting(seed, 400, 1e-5)
    alpha, radius = 0.01, 2.5
    model = Learner(
        task=task.Binary(),
        rule=ball(penalty, alpha=alpha, radius=radius, trigger="mistake"),
        belief=home(penalty),
        n_features=2,
        truncation=sigma,
    )
    largest, mistaken = 0.0, []
    for t, (x, label) in enumerate(zip(X, y, strict=True)):
        before = model.n_mistakes
        model.learn(x[None], [label])
        largest = max(largest, float(np.linalg.norm(model.mean)))
        if model.n_mistakes > before:
            mistaken.append(t)
    assert np.all(np.sum(us * X, axis=1) * (2 * y - 1) >= 1 - 1e-9), "the comparator has no loss"
    # The comparator of the theorems moves on mistakes alone; the L1 ball measures its moves by the largest.
    moves = np.diff(us[mistaken], axis=0)
    lengths = np.abs(moves).max(axis=1) if penalty == "l1_ball" else np.linalg.norm(moves, axis=1)
    norms = np.abs(us).sum(axis=1) if penalty == "l1_ball" else np.linalg.norm(us, axis=1)
    R, D, drift = float(np.linalg.norm(X, axis=1).max()), float(norms.max()), float(lengths.max(initial=0.0))
    if penalty == "objective":
        # Truncation takes at most sqrt(sigma) off the norm, and b bounds it before that.
        limit = bounds.drifting_objective(D, R, drift, largest + np.sqrt(sigma or 0.0), alpha, sigma or 0.0)
    else:
        limit = bounds.drifting_ball(D, R, drift, radius, sigma or 0.0)
    assert limit is not None, "the theorem speaks of this run"
    assert 1 <= model.n_mistakes <= limit
