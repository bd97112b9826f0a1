"""Beliefs: what a learner knows, a mean and perhaps a covariance.

Examples
--------
>>> from onlinear import belief
>>> belief.Diagonal(projection="drop", initial_variance=0.5)
Diagonal(projection='drop', initial_variance=0.5, min_variance=0.0, average=False, late=False, scale='none', center=False)
"""

from ._core import belief as _native
from ._core.belief import *  # noqa: F403

__all__ = sorted(name for name in vars(_native) if not name.startswith("_"))
