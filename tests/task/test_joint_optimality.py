"""Updates under several constraints at once solve their quadratic programs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from onlinear import belief, task
from tests.watching import CLASSES, TOLERANCE, Array, JointMove, assert_zero, difference, joint_moves, solve

PRICES = [0.05, 1.0, 20.0]
R = 0.6
BELIEFS = [belief.Mean(), belief.Diagonal(), belief.Full()]


@pytest.mark.parametrize("beta", [0.0, 0.05])
def test_mira_takes_the_shortest_weights_it_may(beta: float) -> None:
    """MIRA solves min sum |mu_k + tau_k x|^2 s.t. tau_k <= [k = y], sum tau = 0; beta raises wrong scores."""
    for move in joint_moves(task.MulticlassJoint(method="mira", beta=beta), belief.Mean(), seed=15):
        right = np.arange(CLASSES) == move.y
        tau = move.coefficients
        assert_zero(move.moved_to - move.W - np.outer(tau, move.x), np.max(np.abs(move.moved_to)))
        assert_zero(tau.sum())
        assert np.all(tau <= right + TOLERANCE)
        gradient = move.W @ move.x + beta * ~right + tau * (move.x @ move.x)
        level = np.max(gradient)  # every label below its limit stands at this level, the others beneath it
        assert_zero((level - gradient) * (right - tau), level)


@pytest.mark.parametrize(("variant", "C"), [("pa", 1.0), *((v, C) for v in ("pa1", "pa2") for C in PRICES)])
def test_all_constraint_pa_solves_its_quadratic_program(variant: str, C: float) -> None:
    """PA solves min |W - W_t|^2/2 (+ C xi, + C xi^2) s.t. every wrong label is beaten by 1 - xi."""
    product_task = task.MulticlassJoint(method="pa", variant=variant, C=C)
    for move in joint_moves(product_task, belief.Mean(), seed=16):
        tau = move.coefficients
        a, total = -tau[move.rivals], tau[move.y]
        scale = 1 + np.max(np.abs(tau))
        assert_zero(move.moved_to - move.W - np.outer(tau, move.x), np.max(np.abs(move.moved_to)))
        assert_zero(total - a.sum(), scale)
        assert np.all(a >= -TOLERANCE * scale)
        lacking = move.lacking(move.moved_to)
        slack = {"pa": 0.0, "pa1": max(0.0, lacking.max()), "pa2": total / (2 * C)}[variant]
        assert np.all(lacking <= slack + TOLERANCE * (1 + np.max(np.abs(lacking))))
        assert_zero(a * (lacking - slack), np.max(np.abs(a)) * (1 + np.max(np.abs(lacking))))
        if variant == "pa1":
            assert total <= C + TOLERANCE * scale
            assert_zero(slack * (C - total), C * (1 + slack))


@pytest.mark.parametrize("product_belief", BELIEFS, ids=str)
@pytest.mark.parametrize("k", [1, 2, None])
def test_arow_with_several_constraints_solves_its_quadratic_program(
    k: int | None, product_belief: Any
) -> None:
    """AROW solves min |mu - mu_t|^2 + gamma^2/r s.t. gamma >= 1 - mu.delta_j for the k best wrong labels."""
    product_task = task.MulticlassJoint(method="arow", r=R, k=k)
    for move in joint_moves(product_task, product_belief, seed=17):
        assert_arow_is_optimal(move, k)


@pytest.mark.parametrize("product_belief", BELIEFS, ids=str)
@pytest.mark.parametrize("size", [1e-2, 1e-3, 1e-4, 1e-5])
def test_arow_solves_it_for_short_examples_too(size: float, product_belief: Any) -> None:
    """A short example, or any once variances have shrunk, is small against r; the optimum is no other."""
    product_task = task.MulticlassJoint(method="arow", r=R)
    for move in joint_moves(product_task, product_belief, seed=23, rounds=2, size=size):
        assert_arow_is_optimal(move, None)


def assert_arow_is_optimal(move: JointMove, k: int | None) -> None:
    """Check the certificate of AROW's problem with the k best wrong labels."""
    scores = move.W @ move.x
    rivals = sorted(move.rivals, key=lambda label: -scores[label])[:k]
    deltas = np.array([difference(move.x, move.y, s) for s in rivals])
    a = recovered_multipliers(move, deltas)
    explained = move.covariance @ deltas.T @ a
    assert_zero(move.moved_to.ravel() - move.W.ravel() - explained, np.max(np.abs(move.moved_to)))
    lacking, gamma = 1 - deltas @ move.moved_to.ravel(), R * a.sum()
    assert np.all(a >= -TOLERANCE * (1 + np.max(a)))
    assert np.all(lacking <= gamma + TOLERANCE * (1 + np.max(np.abs(lacking))))
    assert_zero(a * (lacking - gamma), np.max(np.abs(a)) * (1 + np.max(np.abs(lacking))))


def recovered_multipliers(move: JointMove, deltas: Array) -> Array:
    """Find the multipliers that explain a move of the mean."""
    moved = move.moved_to.ravel() - move.W.ravel()
    scaled = deltas @ move.covariance / np.linalg.norm(move.x)
    found, *_ = np.linalg.lstsq(scaled.T, moved, rcond=None)
    return found / np.linalg.norm(move.x)


def test_slsqp_agrees_with_arow_on_several_constraints() -> None:
    """The solver works on all weights and the slack together."""
    product_task = task.MulticlassJoint(method="arow", r=R)
    for move in joint_moves(product_task, belief.Full(), seed=20, rounds=2):
        precision = np.linalg.inv(move.covariance)
        deltas = np.array([difference(move.x, move.y, s) for s in move.rivals])

        def cost(z: Array, move: JointMove = move, P: Array = precision) -> float:
            step = z[:-1] - move.W.ravel()
            return step @ P @ step + z[-1] ** 2 / R

        met = [lambda z, d=d: z[-1] - 1 + z[:-1] @ d for d in deltas] + [lambda z: z[-1]]
        found = solve(cost, np.append(move.W.ravel(), 3.0), met)
        assert_allclose(move.moved_to.ravel(), found[:-1], atol=1e-5)


def test_slsqp_agrees_with_mira_and_all_constraint_pa() -> None:
    """The solver works on the coefficients of the labels."""
    mira = task.MulticlassJoint(method="mira", beta=0.0)
    for move in joint_moves(mira, belief.Mean(), seed=21, rounds=2):
        right = (np.arange(CLASSES) == move.y).astype(float)

        def length(tau: Array, move: JointMove = move) -> float:
            return float(np.sum((move.W + np.outer(tau, move.x)) ** 2))

        met = [lambda tau, right=right: right - tau, lambda tau: tau.sum(), lambda tau: -tau.sum()]
        assert_allclose(move.coefficients, solve(length, np.zeros(CLASSES), met), atol=1e-5)
    pa = task.MulticlassJoint(method="pa", variant="pa")
    for move in joint_moves(pa, belief.Mean(), seed=22, rounds=2):
        deltas = np.array([difference(move.x, move.y, s) for s in move.rivals])
        nearest = solve(
            lambda w, move=move: np.sum((w - move.W.ravel()) ** 2),
            move.W.ravel(),
            [lambda w, d=d: w @ d - 1 for d in deltas],
        )
        assert_allclose(move.moved_to.ravel(), nearest, atol=1e-5)
