"""Random numbers from anything scikit-learn accepts as a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..exceptions import ParameterError

if TYPE_CHECKING:
    from ..model.types import Seed

__all__ = ["generator", "seeded"]


def seeded(owner: str, random_state: Seed) -> np.random.RandomState:
    """A generator of random numbers; what is no seed is refused in the owner's name."""
    try:
        return generator(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{owner}: random_state must be None, a seed in [0, 2**32) or a RandomState, got {random_state!r}"
        ) from error


def generator(random_state: Seed) -> np.random.RandomState:
    """A generator of random numbers."""
    if random_state is None:
        return np.random.RandomState()
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(random_state.integers(2**32))
    given: object = random_state  # the module itself is one, too
    if given is np.random:
        return np.random.mtrand._rand
    return np.random.RandomState(random_state)
