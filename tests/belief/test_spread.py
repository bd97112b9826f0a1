"""A covariance that a rule spreads: it goes on for ever, and a belief that cannot spread says so."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

from onlinear import IELLIPClassifier, Learner, SequenceLabeler, belief, rule, task
from onlinear.exceptions import ParameterError

BELIEFS = [
    belief.Mean(),
    belief.Diagonal(projection="drop"),
    belief.Full(),
    belief.Information(),
    belief.Kernel(),
    belief.DualAveraging(),
    belief.L1Ball(),
]


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_iellip_that_hardly_decays_learns_on(covariance: str, dtype: str) -> None:
    """With b near 1 every mistake of noisy labels spreads the covariance; no row is refused for that."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((3000, 5))
    y = (X[:, 0] + rng.standard_normal(3000) > 0).astype(int)
    X[:2000, 4] = 0.0
    model = IELLIPClassifier(c=0.9, b=0.999, covariance=covariance, dtype=dtype)
    model.partial_fit(X, y)

    assert model.n_seen_ == 3000
    assert np.isfinite(model.coef_).all()
    assert (model.coef_std_ > 0).all()


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("seed", range(30))
def test_a_spread_covariance_is_held_in_the_same_round_after_a_copy(
    seed: int, dtype: str, covariance: str
) -> None:
    """When variances are held is decided by the variances, not by a bound that a copy measures anew."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((30, int(rng.integers(1, 4))))
    X *= 10.0 ** rng.integers(-3, 3, (30, 1))
    y = np.minimum(rng.integers(0, 4, 30), 1 + np.arange(30) * 4 // 30)
    whole, parts = (IELLIPClassifier(c=0.9, b=0.999, covariance=covariance, dtype=dtype) for _ in range(2))
    whole.partial_fit(X, y)
    for start in range(0, 30, 5):
        parts = copy.deepcopy(parts.partial_fit(X[start : start + 5], y[start : start + 5]))

    assert parts.digest() == whole.digest()


@pytest.mark.parametrize("known", BELIEFS, ids=str)
def test_a_belief_takes_every_part_of_a_rule_s_steps_or_says_which_it_cannot(known: Any) -> None:
    """Nothing a rule answers is dropped in silence."""

    def learner() -> Learner:
        return Learner(task=task.Binary(), rule=rule.Iellip(), belief=known, n_features=2)

    if type(known) in (belief.Diagonal, belief.Full):
        learner()
        return
    with pytest.raises(ParameterError, match="defined on") as refused:
        learner()
    if type(known) in (belief.Information, belief.Kernel):
        assert "spreads the whole covariance" in str(refused.value)
        assert "belief.Diagonal or belief.Full" in str(refused.value)


def test_sequences_refuse_what_a_belief_cannot_take_as_learners_do() -> None:
    """The same check stands before both."""
    with pytest.raises(ParameterError, match="spreads the whole covariance"):
        SequenceLabeler(rule=rule.Iellip(), belief=belief.Information()).fit([["a"]], [["b"]])


def test_a_variance_that_would_overflow_is_not_called_a_weight() -> None:
    """The message says what would overflow, and its advice is about that."""
    model = IELLIPClassifier(c=0.9, b=0.999, initial_variance=9e29, dtype="float32")
    with pytest.raises(ValueError, match=r"a variance overflow float32\. .*initial_variance"):
        model.partial_fit(np.eye(2), [0, 1])
