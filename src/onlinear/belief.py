"""Beliefs: what a learner knows, a mean and perhaps a covariance.

Examples
--------
>>> from onlinear import belief
>>> belief.Diagonal(projection="drop", initial_variance=0.5)
Diagonal(projection='drop', initial_variance=0.5, min_variance=0.0, average=False)
"""

from ._core.belief import Diagonal, DualAveraging, Full, Information, Kernel, L1Ball, Mean

__all__ = ["Diagonal", "DualAveraging", "Full", "Information", "Kernel", "L1Ball", "Mean"]
