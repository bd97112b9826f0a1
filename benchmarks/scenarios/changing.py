"""Forgetting at the price of learning: regularised PA beside plain PA-I, on sparse text.

The target of this data stands still and wants a long memory, so the errors of those that forget say nothing for or
against them; the times do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks import learners
from benchmarks.batch import learn_pass, sparse
from benchmarks.protocol import Scenario, within

TEXT = sparse("text")


def regularized(penalty: str, **parameters: Any) -> Callable[[], Any]:
    """Return the maker of a regularised PA that learns below the margin."""

    def make() -> Any:
        from onlinear import RegularizedPassiveAggressiveClassifier

        return RegularizedPassiveAggressiveClassifier(
            penalty=penalty, trigger="margin", dtype="float32", scale=None, **parameters
        )

    return make


SCENARIOS = (
    Scenario(
        name="changing",
        title="Learners that forget, one pass over sparse text: 200,000 rows, 2^20 features, 78 non-zeros a row",
        sets=("text",),
        contestants=(
            learn_pass("onlinear PA-I", "us", learners.pa1, TEXT, learners.ONLINEAR),
            learn_pass("shrinkage", "us", regularized("objective"), TEXT, learners.ONLINEAR),
            learn_pass("L2 ball", "us", regularized("l2_ball"), TEXT, learners.ONLINEAR),
            learn_pass("L1 ball", "us", regularized("l1_ball", radius=10.0), TEXT, learners.ONLINEAR),
        ),
        targets=(
            within("shrinkage", "onlinear PA-I", 1.5),
            within("L2 ball", "onlinear PA-I", 1.5),
            within("L1 ball", "onlinear PA-I", 20.0),
        ),
    ),
)
