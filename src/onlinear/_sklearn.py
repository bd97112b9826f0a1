"""scikit-learn's base classes, or light stand-ins where a process only needs to learn.

Importing scikit-learn takes several times as long as learning a small file. The command line therefore asks
for stand-ins (`_lean.go_lean`) before it imports an estimator; every other process gets the real classes.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

from ._lean import is_lean
from ._numpy import np
from .exceptions import ParameterError

__all__ = ["BaseEstimator", "ClassifierMixin", "OutlierMixin", "RegressorMixin", "is_lean", "seeded"]

if TYPE_CHECKING:

    class BaseEstimator:  # scikit-learn ships no types
        """scikit-learn's, as far as we lean on it."""

        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **parameters: Any) -> Any: ...
        def __sklearn_tags__(self) -> Any: ...
        def __getstate__(self) -> dict[str, Any]: ...
        def __setstate__(self, state: dict[str, Any]) -> None: ...

    class ClassifierMixin:
        """scikit-learn's, as far as we lean on it."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class RegressorMixin:
        """scikit-learn's, as far as we lean on it."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float: ...

    class OutlierMixin:
        """scikit-learn's, as far as we lean on it."""

elif is_lean():

    class BaseEstimator:
        """Parameters without scikit-learn."""

        def get_params(self, deep=True):
            """The constructor's parameters, sorted as scikit-learn sorts them."""
            return {name: getattr(self, name) for name in sorted(field.name for field in fields(self))}

        def __repr__(self):
            return f"{type(self).__name__}()"

    class ClassifierMixin:
        """Nothing is needed of it here."""

    class RegressorMixin:
        """Nothing is needed of it here."""

    class OutlierMixin:
        """Nothing is needed of it here."""

else:
    from sklearn.base import BaseEstimator, ClassifierMixin, OutlierMixin, RegressorMixin


def generator(random_state: Any) -> np.random.RandomState:
    """A random number generator from anything scikit-learn accepts."""
    if random_state is None:
        return np.random.RandomState()
    if isinstance(random_state, np.random.RandomState):
        return random_state
    if isinstance(random_state, np.random.Generator):
        return np.random.RandomState(random_state.integers(2**32))
    if random_state is np.random:
        return np.random.mtrand._rand
    return np.random.RandomState(random_state)


def seeded(owner: str, random_state: Any) -> np.random.RandomState:
    """A generator of random numbers; what is no seed is refused in the owner's name."""
    try:
        return generator(random_state)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{owner}: random_state must be None, a seed in [0, 2**32) or a RandomState, got {random_state!r}"
        ) from error
