"""Each closed form solves the optimisation problem of its paper.

Stationarity, feasibility and complementary slackness together certify an optimum of these convex problems,
so most tests ask the product for a step and check the three to 1e-9. A general solver, which knows
nothing of the closed forms, confirms a few small instances at its own accuracy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.optimize import minimize, minimize_scalar

from onlinear import Learner, belief, rule, task
from tests.watching import (
    DIMENSION,
    TOLERANCE,
    Array,
    Move,
    assert_mean_moves_along_the_example,
    assert_precision_gains,
    assert_zero,
    moves,
    rows,
    solve,
)

PHIS = [0.0, 0.5, 1.2815515655446004, 3.0]
PRICES = [0.05, 1.0, 20.0]
# Ordinary draws, large wrong and large right margins, vanishing and huge variances.
MARGINS = [-1e6, -40.0, -1.0, -1e-3, 0.0, 1e-3, 0.4, 0.999, 1.5, 40.0]
VARIANCES = [1e-12, 1e-6, 1e-2, 0.7, 3.0, 1e4, 1e8]


# ---- first order ----


@pytest.mark.parametrize("seed", range(3))
def test_pa_takes_the_nearest_mean_that_meets_the_margin(seed: int) -> None:
    """PA solves min |w - mu|^2/2 s.t. w.delta >= 1."""
    for move in moves(rule.PassiveAggressive(variant="pa"), belief.Mean(), seed):
        assert_mean_moves_along_the_example(move)
        if move.delta.any():
            assert move.margin >= 1 - TOLERANCE
            assert_zero(move.multiplier * (move.margin - 1), move.multiplier)


@pytest.mark.parametrize("C", PRICES)
def test_pa1_pays_a_linear_price_for_slack(C: float) -> None:
    """PA-I solves min |w - mu|^2/2 + C xi s.t. w.delta >= 1 - xi, xi >= 0; the multiplier is at most C."""
    for move in moves(rule.PassiveAggressive(variant="pa1", C=C), belief.Mean(), seed=1):
        assert_mean_moves_along_the_example(move)
        slack = max(0.0, 1 - move.margin) if move.delta.any() else 0.0
        assert move.multiplier <= C * (1 + TOLERANCE)
        assert_zero(slack * (C - move.multiplier), C)
        assert_zero(move.multiplier * max(0.0, move.margin - 1), move.multiplier)


@pytest.mark.parametrize("C", PRICES)
def test_pa2_pays_a_squared_price_for_slack(C: float) -> None:
    """PA-II solves min |w - mu|^2/2 + C xi^2 s.t. w.delta >= 1 - xi: the multiplier is 2 C xi."""
    for move in moves(rule.PassiveAggressive(variant="pa2", C=C), belief.Mean(), seed=2):
        assert_mean_moves_along_the_example(move)
        if move.delta.any():
            assert_zero(move.multiplier - 2 * C * max(0.0, 1 - move.margin), C)


@pytest.mark.parametrize("aggressive", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_romma_takes_the_shortest_mean_in_the_two_half_spaces(aggressive: bool, seed: int) -> None:
    """ROMMA solves min |w|^2/2 s.t. w.delta >= 1, w.mu >= |mu|^2, wherever the rule moves at all."""
    for move in moves(rule.Romma(aggressive=aggressive), belief.Mean(), seed):
        if np.array_equal(move.mean, move.new_mean):
            assert move.old_margin > 0 or not move.delta.any()
            continue
        assert_shortest_in_half_spaces(move)


def assert_shortest_in_half_spaces(move: Move) -> None:
    """Check ROMMA's certificate: w = a delta + b mu with non-negative, complementary multipliers."""
    w, size = move.new_mean, float(move.mean @ move.mean)
    (a, b), *_ = np.linalg.lstsq(np.column_stack([move.delta, move.mean]), w, rcond=None)
    assert_zero(w - a * move.delta - b * move.mean, np.max(np.abs(w)))
    assert a >= -TOLERANCE
    assert b >= -TOLERANCE
    assert_zero(a * (move.margin - 1), a)
    assert_zero(b * (w @ move.mean - size), b * size)
    assert move.margin >= 1 - TOLERANCE
    assert w @ move.mean >= size * (1 - TOLERANCE) - TOLERANCE


def test_romma_restarts_where_the_old_constraint_is_implied() -> None:
    """An example whose own solution already satisfies w.mu >= |mu|^2 makes the second constraint idle."""
    step = rule.Romma(aggressive=True).step(0.5, 1.0, mean_norm=0.3)

    assert step.keep == 0
    assert_allclose(step.mean, 1.0, rtol=1e-15)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("seed", range(20))
def test_romma_starts_again_from_a_contradiction(dtype: str, seed: int) -> None:
    """The same instance with the other label leaves no common solution, so the mean is its own alone."""
    x = np.random.default_rng(seed).normal(size=(1, 20)).astype(np.float32)
    learner = Learner(task=task.Binary(), rule=rule.Romma(), belief=belief.Mean(), dtype=dtype)
    learner.learn(x, [1])
    learner.learn(x, [0])

    assert_allclose(learner.mean, -x[0] / float(np.sum(x.astype(float) ** 2)), rtol=1e-5)


@pytest.mark.parametrize("nu", [None, 0.3])
def test_norma_descends_the_gradient_of_its_risk(nu: float | None) -> None:
    """The move over the step size is minus the gradient of max(0, rho - m) - nu rho + lam |mu|^2/2."""
    eta, lam, rho = 0.1, 0.05, 0.7
    product_rule = rule.Norma(eta=eta, lam=lam, rho=rho, nu=nu)
    rng = np.random.default_rng(3)
    for _ in range(50):
        mu, delta = rng.normal(size=DIMENSION), rng.normal(size=DIMENSION)
        step = product_rule.step(float(mu @ delta), float(delta @ delta), threshold=rho)

        def risk(z: Array, delta: Array = delta) -> float:
            w, level = z[:-1], z[-1]
            return max(0.0, level - w @ delta) - (nu or 0.0) * level + lam / 2 * (w @ w)

        gradient = central_difference(risk, np.append(mu, rho))
        assert_allclose(step.keep * mu + step.mean * delta - mu, -eta * gradient[:-1], atol=1e-8)
        assert_allclose(step.threshold, -eta * gradient[-1] if nu is not None else 0.0, atol=1e-8)


def central_difference(f: Any, z: Array, h: float = 1e-6) -> Array:
    """Differentiate numerically."""
    return np.array([(f(z + h * e) - f(z - h * e)) / (2 * h) for e in np.eye(len(z))])


@pytest.mark.parametrize("r", [0.05, 1.0, 20.0])
def test_least_squares_solve_ridge_regression(r: float) -> None:
    """One pass with a full covariance ends at the minimum of |Xw - y|^2 + r |w|^2, in any order."""
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(30, DIMENSION)), rng.normal(size=30)
    wanted = np.linalg.solve(X.T @ X + r * np.eye(DIMENSION), X.T @ y)
    for order in (np.arange(30), rng.permutation(30)):
        learner = Learner(
            task=task.Regression(epsilon=0.0),
            rule=rule.LeastSquares(r=r),
            belief=belief.Full(),
            n_features=DIMENSION,
        )
        learner.learn(X[order], y[order])

        assert_allclose(np.ravel(learner.mean), wanted, rtol=TOLERANCE, atol=TOLERANCE)


@pytest.mark.parametrize("lam", [0.0, 0.02, 0.2])
def test_adagrad_rda_minimises_its_regularised_average(lam: float) -> None:
    """AdaGrad-RDA solves min eta <u/t, w> + eta lam |w|_1 + w'Hw/2t; u and H are summed up here."""
    eta, delta0 = 0.7, 0.1
    rng = np.random.default_rng(4)
    learner = Learner(
        task=task.Binary(),
        rule=rule.AdagradRda(),
        belief=belief.DualAveraging(eta=eta, delta0=delta0, lam=lam),
        n_features=DIMENSION,
    )
    u, G = np.zeros(DIMENSION), np.zeros(DIMENSION)
    for t, x in enumerate(rows(rng, 40), start=1):
        sign = rng.choice([-1.0, 1.0])
        gradient = -sign * x if sign * (np.array(learner.mean) @ x) < 1 else 0 * x
        u, G = u + gradient, G + gradient**2
        learner.learn(x[None, :], np.array([1 if sign > 0 else 0]))
        w = np.array(learner.mean)
        smooth = eta * u / t + (delta0 + np.sqrt(G)) * w / t
        assert_zero((smooth + eta * lam * np.sign(w))[w != 0] if w.any() else 0.0)
        assert np.all(np.abs(smooth[w == 0]) <= eta * lam + TOLERANCE)


# ---- Gaussian problems, in the two scalars they reduce to ----


def scalars() -> Iterator[tuple[float, float]]:
    """Give margins and variances: the edges, and draws between them."""
    rng = np.random.default_rng(5)
    yield from ((m, v) for m in MARGINS for v in VARIANCES)
    yield from (
        (float(m), float(v)) for m, v in zip(rng.normal(size=60), 10 ** rng.uniform(-4, 3, 60), strict=True)
    )


def relative(residual: float, *terms: float) -> float:
    """Give a residual on the scale of its terms."""
    return abs(residual) / max(1e-300, *(abs(term) for term in terms))


@pytest.mark.parametrize("phi", PHIS)
def test_cw_with_the_variance_solves_its_problem(phi: float) -> None:
    """CW solves min KL s.t. m >= phi v: the gain is 2 alpha phi, and the constraint holds with equality."""
    product_rule = rule.ConfidenceWeighted(constraint="variance", phi=phi)
    for m, v in scalars():
        step = product_rule.step(m, v)
        assert step.mean >= 0
        assert relative(step.precision - 2 * step.mean * phi, step.precision) <= TOLERANCE
        reached, asked = m + step.mean * v, phi * v / (1 + step.precision * v)
        if step.mean > 0:
            assert relative(reached - asked, m, asked, step.mean * v) <= TOLERANCE
        else:
            assert m >= phi * v


@pytest.mark.parametrize("phi", PHIS)
def test_cw_with_the_deviation_solves_its_problem(phi: float) -> None:
    """CW solves min KL s.t. m >= phi sqrt(v): the gain is alpha phi/sqrt(v+), the constraint an equality."""
    product_rule = rule.ConfidenceWeighted(constraint="stdev", phi=phi)
    for m, v in scalars():
        step = product_rule.step(m, v)
        stdev = assert_deviation_gain(step, v, phi)
        if step.mean > 0:
            assert relative(m + step.mean * v - phi * stdev, m, phi * stdev) <= TOLERANCE
        else:
            assert m >= phi * np.sqrt(v)


def assert_deviation_gain(step: Any, v: float, phi: float) -> float:
    """Check stationarity in the covariance for constraints on the deviation; give the new deviation."""
    assert step.mean >= 0
    stdev = float(np.sqrt(v / (1 + step.precision * v)))
    assert relative(step.precision * stdev - step.mean * phi, step.mean * phi) <= TOLERANCE
    return stdev


@pytest.mark.parametrize("C", PRICES)
@pytest.mark.parametrize("phi", PHIS)
def test_scw1_pays_a_linear_price_for_what_lacks(C: float, phi: float) -> None:
    """SCW-I solves min KL + C max(0, phi sqrt(v) - m): alpha <= C, and C where the constraint fails."""
    product_rule = rule.SoftConfidenceWeighted(penalty="linear", C=C, phi=phi)
    for m, v in scalars():
        step = product_rule.step(m, v)
        stdev = assert_deviation_gain(step, v, phi)
        lacking = phi * stdev - (m + step.mean * v)
        scale = max(abs(m), phi * stdev)
        assert step.mean <= C
        if step.mean < C:
            assert lacking <= TOLERANCE * scale
        if step.mean > 0:
            assert lacking >= -TOLERANCE * scale


@pytest.mark.parametrize("C", PRICES)
@pytest.mark.parametrize("phi", PHIS)
def test_scw2_pays_a_squared_price_for_what_lacks(C: float, phi: float) -> None:
    """SCW-II solves min KL + C max(0, phi sqrt(v) - m)^2: alpha is 2 C times what lacks."""
    product_rule = rule.SoftConfidenceWeighted(penalty="squared", C=C, phi=phi)
    for m, v in scalars():
        step = product_rule.step(m, v)
        stdev = assert_deviation_gain(step, v, phi)
        lacking = max(0.0, phi * stdev - (m + step.mean * v))
        scale = max(abs(m), phi * stdev, step.mean / (2 * C))
        assert abs(step.mean / (2 * C) - lacking) <= TOLERANCE * scale


@pytest.mark.parametrize("required", [1.0, 0.3, 2.0])
@pytest.mark.parametrize("r", PRICES)
def test_arow_solves_its_two_problems(r: float, required: float) -> None:
    """AROW solves min |mu - mu_t|^2/2 + hinge^2/2r in the metric, and gains 1/r wherever the margin lacks."""
    for m, v in scalars():
        step = rule.Arow(r=r).step(m, v, required=required)
        hinge = max(0.0, required - (m + step.mean * v))
        assert relative(step.mean - hinge / r, step.mean, max(abs(m), required) / r) <= TOLERANCE
        assert_allclose(step.precision, 1 / r if m < required else 0.0, rtol=1e-15)


@pytest.mark.parametrize("required", [1.0, 0.3, 2.0])
@pytest.mark.parametrize("r", PRICES)
def test_arow_with_the_hinge_solves_its_two_problems(r: float, required: float) -> None:
    """AROW-H solves min |mu - mu_t|^2/2 + hinge/2r: alpha in [0, 1/2r], at its end where the margin lacks."""
    for m, v in scalars():
        step = rule.Arow(r=r, loss="hinge").step(m, v, required=required)
        lacking = required - (m + step.mean * v)
        scale = max(abs(m), required)
        assert 0 <= step.mean <= 1 / (2 * r)
        if step.mean < 1 / (2 * r):
            assert lacking <= TOLERANCE * scale
        if step.mean > 0:
            assert lacking >= -TOLERANCE * scale
        assert_allclose(step.precision, 1 / r if m < required else 0.0, rtol=1e-15)


@pytest.mark.parametrize("C", PRICES)
def test_nherd_solves_its_mean_problem_and_its_map(C: float) -> None:
    """NHERD solves min |mu - mu_t|^2/2 + C hinge^2/2; its map leaves v/(1 + C v)^2 of a variance v."""
    for m, v in scalars():
        step = rule.Nherd(C=C).step(m, v)
        hinge = max(0.0, 1 - (m + step.mean * v))
        assert relative(step.mean - C * hinge, step.mean, C * max(1, abs(m))) <= TOLERANCE
        if m < 1:
            assert_allclose(v / (1 + step.precision * v), v / (1 + C * v) ** 2, rtol=1e-12)


# ---- the same, minimised numerically over the scalars ----


def divergence(s: float, a: float, v: float) -> float:
    """Give KL of a step to mean mu + a Sigma delta and variance s v, less its constant."""
    return 0.5 * (s - np.log(s) - 1 + a * a * v)


CONSTRAINTS = {"variance": lambda s, v: s * v, "stdev": lambda s, v: np.sqrt(s * v)}


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_no_other_variance_is_nearer_for_cw(constraint: str) -> None:
    """The share of the variance that remains is where a scalar minimiser finds the smallest divergence."""
    rng = np.random.default_rng(6)
    for _ in range(40):
        m, v, phi = float(rng.normal()), float(10 ** rng.uniform(-2, 1.5)), float(rng.uniform(0.2, 2.5))
        width = CONSTRAINTS[constraint]

        def cost(s: float, m: float = m, v: float = v, phi: float = phi, width: Any = width) -> float:
            return divergence(s, max(0.0, (phi * width(s, v) - m) / v), v)

        assert_step_minimises(cost, rule.ConfidenceWeighted(constraint=constraint, phi=phi).step(m, v), v)


def assert_step_minimises(cost: Any, step: Any, v: float) -> None:
    """Check that the variance a step leaves is a scalar minimiser's, and its cost no larger."""
    found = minimize_scalar(cost, bounds=(1e-9, 1.0), method="bounded", options={"xatol": 1e-12})
    share = 1 / (1 + step.precision * v)
    assert cost(share) <= found.fun + 1e-12
    assert_allclose(share, found.x, atol=1e-5)


@pytest.mark.parametrize("penalty", ["linear", "squared"])
def test_no_other_step_is_cheaper_for_scw(penalty: str) -> None:
    """Mean and variance of the step are where a general minimiser finds the smallest objective."""
    rng = np.random.default_rng(7)
    power = {"linear": 1, "squared": 2}[penalty]
    for _ in range(25):
        m, v, phi = float(rng.normal()), float(10 ** rng.uniform(-1, 1)), float(rng.uniform(0.2, 2.5))
        C = float(10 ** rng.uniform(-1.5, 1))

        def cost(a: float, s: float, m: float = m, v: float = v, phi: float = phi, C: float = C) -> float:
            lacking = max(0.0, phi * np.sqrt(s * v) - m - a * v)
            return divergence(s, a, v) + C * lacking**power

        step = rule.SoftConfidenceWeighted(penalty=penalty, C=C, phi=phi).step(m, v)
        ours = cost(step.mean, 1 / (1 + step.precision * v))
        starts = [(0.0, 1.0), (step.mean * 1.3 + 0.1, 0.5)]
        found = [
            minimize(lambda z, cost=cost: cost(z[0], np.exp(-abs(z[1]))), s, method="Nelder-Mead", tol=1e-11)
            for s in starts
        ]
        assert ours <= min(f.fun for f in found) + 1e-9


# ---- Gaussian problems, in whole states ----

STATE_RULES = {
    "cw-var": rule.ConfidenceWeighted(constraint="variance", phi=0.8),
    "cw-stdev": rule.ConfidenceWeighted(constraint="stdev", phi=0.8),
    "scw-i": rule.SoftConfidenceWeighted(penalty="linear", C=0.4, phi=0.8),
    "scw-ii": rule.SoftConfidenceWeighted(penalty="squared", C=0.4, phi=0.8),
    "arow": rule.Arow(r=0.5),
    "arow-h": rule.Arow(r=0.5, loss="hinge"),
    "nherd": rule.Nherd(C=0.6),
    "narow": rule.Narow(b=1.3),
    "sop": rule.SecondOrderPerceptron(),
}


@pytest.mark.parametrize("name", STATE_RULES)
def test_a_full_gaussian_moves_only_along_the_example(name: str) -> None:
    """The mean goes along Sigma delta, the precision gains a multiple of delta delta', no more."""
    for move in moves(STATE_RULES[name], belief.Full(), seed=8):
        assert_mean_moves_along_the_example(move)
        assert_precision_gains(move, move.gain)
        assert move.gain >= -TOLERANCE


@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_a_full_gaussian_meets_cws_constraint(constraint: str) -> None:
    """After every round the constraint holds, with equality where the learner moved."""
    phi, width = 0.8, {"variance": lambda v: v, "stdev": np.sqrt}[constraint]
    for move in moves(rule.ConfidenceWeighted(constraint=constraint, phi=phi), belief.Full(), seed=9):
        lacking = phi * width(max(0.0, move.variance)) - move.margin
        assert lacking <= TOLERANCE * (1 + abs(move.old_margin))
        if move.multiplier > 0:
            assert_zero(lacking, move.old_margin)


def test_nherds_covariance_is_the_herded_one() -> None:
    """Sigma+ = A Sigma A' with A the minimiser of tr((A-I)' Sigma^-1 (A-I) Sigma)/2 + C x'A Sigma A'x/2."""
    C = 0.6
    for move in moves(rule.Nherd(C=C), belief.Full(), seed=10):
        if np.array_equal(move.covariance, move.new_covariance):
            continue
        precision = np.linalg.inv(move.covariance)
        A = np.linalg.solve(precision + C * np.outer(move.delta, move.delta), precision)
        assert_zero(move.new_covariance - A @ move.covariance @ A.T)


def test_no_other_map_herds_cheaper() -> None:
    """A general minimiser over all matrices A finds the map that the product applied."""
    C = 0.6
    for move in list(moves(rule.Nherd(C=C), belief.Full(), seed=11, rounds=3)):
        S, P = move.covariance, np.linalg.inv(move.covariance)

        def cost(z: Array, S: Array = S, P: Array = P, x: Array = move.delta) -> float:
            A = z.reshape(S.shape)
            D = A - np.eye(len(S))
            return 0.5 * np.trace(D.T @ P @ D @ S) + C / 2 * x @ A @ S @ A.T @ x

        found = minimize(cost, np.eye(DIMENSION).ravel(), method="BFGS", options={"gtol": 1e-9})
        A = found.x.reshape(S.shape)
        if not np.array_equal(move.covariance, move.new_covariance):
            assert_allclose(move.new_covariance, A @ S @ A.T, atol=1e-5)


# ---- diagonal Gaussians ----


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("constraint", CONSTRAINTS)
def test_the_exact_diagonal_of_cw_is_optimal_among_diagonals(constraint: str, seed: int) -> None:
    """Stationarity in every variance, and the constraint with equality, over diagonal covariances only."""
    phi = 0.8
    product_rule = rule.ConfidenceWeighted(constraint=constraint, phi=phi)
    for move in moves(product_rule, belief.Diagonal(projection="exact"), seed):
        assert_mean_moves_along_the_example(move)
        deviation = np.sqrt(move.variance)
        gain = (
            phi * move.multiplier * (2.0 if constraint == "variance" else 1 / deviation if deviation else 0.0)
        )
        assert_diagonal_gains(move, gain)
        lacking = phi * (move.variance if constraint == "variance" else deviation) - move.margin
        assert lacking <= TOLERANCE * (1 + abs(move.old_margin))
        assert_zero(move.multiplier * lacking, move.multiplier * (1 + abs(move.old_margin)))


def assert_diagonal_gains(move: Move, gain: float) -> None:
    """Check that every precision gained gain delta_p^2."""
    old, new = np.diag(move.covariance), np.diag(move.new_covariance)
    assert_allclose(new * (1 / old + gain * move.delta**2), 1.0, rtol=TOLERANCE)


@pytest.mark.parametrize("projection", ["kl", "exact"])
@pytest.mark.parametrize("loss", ["squared_hinge", "hinge"])
def test_arows_kl_diagonal_is_optimal_among_diagonals(projection: str, loss: str) -> None:
    """Over diagonals, AROW's covariance objective gives each precision delta_p^2/r: the KL projection."""
    r = 0.5
    for move in moves(rule.Arow(r=r, loss=loss), belief.Diagonal(projection=projection), seed=12):
        lacks = move.old_margin < 1 and move.delta.any()
        assert_diagonal_gains(move, 1 / r if lacks else 0.0)


def test_nherds_exact_diagonal_is_the_herded_one() -> None:
    """With A diagonal, (a - 1) + C sigma x^2 a = 0 in every coordinate, and sigma+ = a^2 sigma."""
    C = 0.6
    for move in moves(rule.Nherd(C=C), belief.Diagonal(projection="exact"), seed=13):
        old = np.diag(move.covariance)
        a = 1 / (1 + C * old * move.delta**2) if move.old_margin < 1 else np.ones(DIMENSION)
        assert_allclose(np.diag(move.new_covariance), a * a * old, rtol=1e-12)


@pytest.mark.parametrize("name", STATE_RULES)
@pytest.mark.parametrize("projection", ["kl", "drop"])
def test_projections_are_those_of_the_full_step(name: str, projection: str) -> None:
    """From a diagonal state, `drop` keeps the full update's diagonal and `kl` the diagonal of its inverse."""
    for move in moves(STATE_RULES[name], belief.Diagonal(projection=projection), seed=14):
        v = float(move.delta @ move.covariance @ move.delta)
        step = STATE_RULES[name].step(move.old_margin, v)
        precision = np.linalg.inv(move.covariance) + step.precision * np.outer(move.delta, move.delta)
        wanted = 1 / np.diag(precision) if projection == "kl" else np.diag(np.linalg.inv(precision))
        assert_allclose(np.diag(move.new_covariance), wanted, rtol=TOLERANCE, atol=1e-12)
        assert_zero(move.new_mean - move.mean - step.mean * move.covariance @ move.delta, step.mean)


# ---- a general solver on small instances ----


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
def test_slsqp_agrees_with_passive_aggressive(variant: str) -> None:
    """The solver works on mean and slack together and lands where the closed form does."""
    C = 0.4
    for move in moves(rule.PassiveAggressive(variant=variant, C=C), belief.Mean(), seed=18, rounds=2):
        price = {"pa": lambda s: 0.0, "pa1": lambda s: C * s, "pa2": lambda s: C * s * s}[variant]

        def cost(z: Array, mu: Array = move.mean, price: Any = price) -> float:
            return 0.5 * np.sum((z[:-1] - mu) ** 2) + price(z[-1])

        met = [lambda z, d=move.delta: z[:-1] @ d - 1 + z[-1], lambda z: z[-1]]
        if variant == "pa":
            met.append(lambda z: -z[-1])
        found = solve(cost, np.append(move.mean, 1.0), met)
        assert_allclose(move.new_mean, found[:-1], atol=1e-5)


def test_slsqp_agrees_with_romma() -> None:
    """The solver finds the shortest mean in the two half-spaces."""
    rng = np.random.default_rng(19)
    for _ in range(10):
        mu, delta = rng.normal(size=3), rng.normal(size=3)
        step = rule.Romma(aggressive=True).step(
            float(mu @ delta), float(delta @ delta), mean_norm=float(mu @ mu)
        )
        if mu @ delta >= 1:
            continue
        met = [lambda w, d=delta: w @ d - 1, lambda w, mu=mu: w @ mu - mu @ mu]
        assert_allclose(
            step.keep * mu + step.mean * delta, solve(lambda w: w @ w, mu + delta, met), atol=1e-4, rtol=1e-4
        )
