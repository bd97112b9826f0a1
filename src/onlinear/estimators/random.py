"""Random numbers from anything scikit-learn accepts as a seed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..exceptions import ParameterError

if TYPE_CHECKING:
    from ..model.types import Seed

__all__ = ["generator", "seed_of", "seeded"]


def seeded(owner: str, random_state: Seed) -> np.random.RandomState:
    """A generator of random numbers; what is no seed is refused in the owner's name."""
    try:
        return generator(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{owner}: random_state must be None, a seed in [0, 2**32) or a RandomState, got {random_state!r}"
        ) from error


def seed_of(owner: str, random_state: Seed) -> int:
    """A seed for random numbers of the core: the one that is given, where it is one."""
    drawn = seeded(owner, random_state)
    return (
        int(random_state)
        if isinstance(random_state, int | np.integer)
        else int(drawn.randint(2**32, dtype=np.uint64))
    )


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
