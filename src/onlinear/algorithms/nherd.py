"""Normal Herd."""

from typing import Literal

from .. import rule
from ..model.recipe import Classification, Gaussian, Name, recipe

__all__ = ["NHERD"]


@recipe
class NHERD(Gaussian, Classification):
    r"""Normal Herd.

    Herds the Gaussian towards the half-space where the example is right with one linear map. When m < 1,

    .. math:: α = \frac{1 - m}{v + 1/C}, \qquad Σ^{-1} ← Σ^{-1} + (2C + C^2 v)\, δ δ^T

    Parameters
    ----------
    C : float, default=1.0
        Price of missing the margin, in (0, inf); small values resist label noise. Example weights multiply it.
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"kl", "drop", "exact"}, default="drop"
        The paper's three diagonals: "project" (kl), "drop", and "exact" (the map itself diagonal).
    initial_variance : float, default=1.0
        Variance of every weight at the start.

    References
    ----------
    .. [1] Crammer, Lee. Learning via Gaussian Herding. NIPS 2010.

    Examples
    --------
    >>> from onlinear import NHERDClassifier
    >>> model = NHERDClassifier(projection="exact").fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "NHERDClassifier"
    paper = "Crammer, Lee. NIPS 2010."
    names = (Name("nherd", "A sibling of arow that is surer of itself."),)
    rule_class = rule.Nherd

    C: float
    projection: Literal["kl", "drop", "exact"] = "drop"

    projections = ("kl", "drop", "exact")
    ignores_weights = (
        "confidence grows with the square of the price, so a heavy example freezes its features at once"
    )
