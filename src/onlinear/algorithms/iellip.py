"""The improved ellipsoid method."""

from typing import Literal

from .. import rule
from ..model.recipe import Baseline, Gaussian, Name, recipe

__all__ = ["IELLIP"]


@recipe
class IELLIP(Baseline, Gaussian):
    r"""The improved ellipsoid method.

    On a mistake the margin becomes 1, and the covariance shrinks along the example and grows elsewhere:

    .. math:: μ ← μ + \frac{1 - m}{v} Σ δ, \qquad Σ ← \frac{Σ - c_t (Σδ)(Σδ)^T / v}{1 - c_t}, \qquad c_t = c\, b^{t-1}

    Parameters
    ----------
    c : float, default=0.5
        First shrinkage, in [0, 1).
    b : float, default=0.3
        Decay of the shrinkage per round, in (0, 1).
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"drop"}, default="drop"
        The covariance can grow, so only its diagonal is defined.
    initial_variance : float, default=1.0
        Variance of every weight at the start.

    Notes
    -----
    The rule has no price: every positive example weight counts as 1.

    References
    ----------
    .. [1] Yang, Jin, Ye. Online Learning by Ellipsoid Method. ICML 2009.

    Examples
    --------
    >>> from onlinear import IELLIPClassifier
    >>> model = IELLIPClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "IELLIPClassifier"
    paper = "Yang, Jin, Ye. ICML 2009."
    names = (Name("iellip", "The ellipsoid method; a baseline of the papers."),)
    rule_class = rule.Iellip

    c: float
    min_variance: float | None = 0.0
    b: float
    projection: Literal["kl", "drop", "exact"] = "drop"

    projections = ("drop",)
    ignores_weights = "has no price, so every positive weight counts as 1"
