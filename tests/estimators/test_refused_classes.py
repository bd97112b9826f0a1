"""An example that is refused brings no class, whichever it would have been."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear.exceptions import DataError

NAMES = ["x", "y", "z", "w"]


def by_dict(model: Any, label: str, value: float) -> None:
    """One at a time."""
    model.learn_one({0: value}, label)


def by_batch(model: Any, label: str, value: float) -> None:
    """As a row of an array."""
    model.partial_fit(np.array([[value]]), [label])


@pytest.mark.parametrize("known", [0, 1, 2, 3])
@pytest.mark.parametrize("learn", [by_dict, by_batch])
@pytest.mark.parametrize("estimator", [onlinear.AROWClassifier, onlinear.MIRAClassifier, onlinear.Perceptron])
def test_a_refused_example_brings_no_class(
    known: int, learn: Callable[[Any, str, float], None], estimator: Any
) -> None:
    """Not the first, not the second, which takes no room, and none after them; the next good one brings its own."""
    model = estimator(dtype="float32")
    for label in NAMES[:known]:
        learn(model, label, 1.0)
    before = model.digest() if known else None

    with pytest.raises(DataError):
        learn(model, NAMES[known], np.nan)

    if known:
        assert model.classes_.tolist() == sorted(NAMES[:known])
        assert model.digest() == before
    else:
        assert not hasattr(model, "classes_")
    learn(model, "v", 1.0)
    assert model.classes_.tolist() == sorted([*NAMES[:known], "v"])
