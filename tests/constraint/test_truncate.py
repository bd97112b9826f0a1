"""Truncation: the smallest weights go, whatever a belief's lazy bookkeeping."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from numpy.typing import NDArray

from onlinear import Learner, belief, rule, task
from onlinear.exceptions import ParameterError
from tests.reference.regularized import truncate

Array = NDArray[np.float64]

PAIRS = [
    (rule.PassiveAggressive(), belief.Mean()),
    (rule.PassiveAggressive(), belief.Mean(average=True)),
    (rule.RegularizedPassiveAggressive(alpha=0.2), belief.Mean()),
    (rule.RegularizedPassiveAggressive(penalty="l2_ball", radius=1.0), belief.Mean()),
    (rule.Arow(), belief.Diagonal(projection="drop")),
    (rule.SoftConfidenceWeighted(), belief.Full()),
    (rule.Narow(), belief.Information()),
]


def learner(answer: Any, known: Any, classes: int, **options: Any) -> Learner:
    """A learner of eight features."""
    asked = task.Binary() if classes == 2 else task.Multiclass()
    return Learner(task=asked, rule=answer, belief=known, n_features=8, n_classes=classes, **options)


@given(
    w=arrays(np.float64, 12, elements=st.sampled_from([-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0])),
    sigma=st.sampled_from([0.0, 0.0625, 0.1, 0.25, 0.5, 1.0, 2.5, 100.0]),
)
def test_the_longest_run_strictly_below_sigma_goes(w: Array, sigma: float) -> None:
    """Ties go in the order of the features, and a sum equal to sigma is too much."""
    model = Learner(
        task=task.Binary(), rule=rule.PassiveAggressive(), belief=belief.Mean(), n_features=12, initial_mean=w
    )
    model.truncate(sigma)
    assert_array_equal(model.mean, truncate(w, sigma))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("answer", "known"), PAIRS, ids=str)
def test_truncating_after_every_update_is_truncating_by_hand(answer: Any, known: Any, classes: int) -> None:
    """The heap that follows the updates removes what sorting all weights after each of them removes."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 8)) * (rng.random((80, 8)) < 0.5)
    y = rng.integers(0, classes, 80)
    kept, by_hand = learner(answer, known, classes, truncation=0.01), learner(answer, known, classes)
    for x, label in zip(X, y, strict=True):
        kept.learn(x[None], [label])
        before = by_hand.mean.copy()
        by_hand.learn(x[None], [label])
        if not np.array_equal(by_hand.mean, before):
            by_hand.truncate(0.01)
        assert_array_equal(kept.mean, by_hand.mean)


def test_sums_of_gradients_have_nothing_to_truncate() -> None:
    """Dual averaging derives its weights on read, so the setting is refused with a reason."""
    with pytest.raises(ParameterError, match="no weights of its own to truncate"):
        Learner(task=task.Binary(), rule=rule.AdagradRda(), belief=belief.DualAveraging(), truncation=0.1)
    with pytest.raises(ParameterError, match="truncation must be at least 0"):
        learner(rule.Arow(), belief.Diagonal(), 2, truncation=-1.0)
