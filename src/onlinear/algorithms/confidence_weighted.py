"""Confidence-Weighted learning."""

from typing import Literal

from .. import rule
from ..model.parameters import check_number
from ..model.recipe import Classification, Gaussian, Name, recipe
from ..model.types import Axis

__all__ = ["ConfidenceWeighted", "Confident"]


class Confident(Gaussian, Classification):
    """What the confidence-weighted algorithms share: φ from `confidence` or `phi`."""

    confidence: float
    phi: float | None

    def margin_quantile(self) -> float:
        """φ, however it was given."""
        if self.phi is not None:
            check_number(self.owner, "phi", self.phi, 0.0)
            return float(self.phi)
        check_number(self.owner, "confidence", self.confidence, 0.5, 1 - 2**-53)
        return rule.quantile(float(self.confidence))


@recipe
class ConfidenceWeighted(Confident):
    r"""Confidence-Weighted learning.

    The nearest Gaussian, in Kullback-Leibler divergence, under which the example is right with probability η = Φ(φ):

    .. math:: \min_{μ, Σ} KL(N(μ, Σ) \,\|\, N(μ_t, Σ_t)) \quad \text{s.t.}\ μ·δ ≥ φ\, δ^T Σ δ
        \quad\text{or}\quad μ·δ ≥ φ \sqrt{δ^T Σ δ}

    Very fast on clean data; a wrong label costs it dearly. See `SoftConfidenceWeightedClassifier` for noisy labels.

    Parameters
    ----------
    constraint : {"variance", "stdev"}, default="variance"
        Whether the margin is measured against its variance or its standard deviation.
    confidence : float, default=0.9
        η, in [0.5, 1).
    phi : float or None, default=None
        φ itself, at least 0, instead of `confidence`.
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"drop", "kl", "exact"}, default="drop"
        How a diagonal covariance follows the full update: its diagonal, the diagonal of its inverse, or the optimum among
        diagonals (by a root search).
    initial_variance : float, default=1.0
        Variance of every weight at the start.

    Notes
    -----
    The rule has no price: every positive example weight counts as 1. Wrong labels therefore keep its progressive error
    swaying, so `fit` makes all its passes where nothing else is said.

    References
    ----------
    .. [1] Crammer, Dredze, Pereira. JMLR 13, 2012. Sections 5 and 6.

    Examples
    --------
    >>> from onlinear import ConfidenceWeightedClassifier
    >>> model = ConfidenceWeightedClassifier(confidence=0.9).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "ConfidenceWeightedClassifier"
    paper = "Dredze, Crammer, Pereira. ICML 2008; Crammer, Dredze, Pereira. NIPS 2008."
    names = (
        Name(
            "cw-var",
            "Very fast on clean text; wrong labels hurt it.",
            preset={"constraint": "variance"},
            parameters=("confidence", "phi", "covariance", "projection", "initial_variance"),
        ),
        Name(
            "cw-stdev",
            "As cw-var, with the convex constraint.",
            preset={"constraint": "stdev"},
            parameters=("confidence", "phi", "covariance", "projection", "initial_variance"),
        ),
    )
    rule_class = rule.ConfidenceWeighted

    constraint: Literal["variance", "stdev"]
    confidence: float = 0.9
    phi: float | None = None
    projection: Literal["kl", "drop", "exact"] = "drop"
    early_stopping: bool = False

    projections = ("kl", "drop", "exact")
    ignores_weights = "has no price, so every positive weight counts as 1"

    def make_rule(self) -> Axis:
        """The rule."""
        return rule.ConfidenceWeighted(constraint=self.constraint, phi=self.margin_quantile())
