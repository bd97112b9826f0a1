"""Soft Confidence-Weighted learning."""

from typing import Literal

from .. import rule
from ..model.recipe import Name, recipe
from ..model.types import Axis
from .confidence_weighted import Confident

__all__ = ["SoftConfidenceWeighted"]


@recipe
class SoftConfidenceWeighted(Confident):
    r"""Soft Confidence-Weighted learning: SCW-I and SCW-II.

    Confidence-Weighted learning whose constraint has a price, so that one wrong label cannot throw the weights away:

    .. math:: \min_{μ, Σ} KL(N(μ, Σ) \,\|\, N(μ_t, Σ_t)) + C\, \max(0, φ \sqrt{δ^T Σ δ} - μ·δ)^{1\ \text{or}\ 2}

    The first choice for text: large margins, confidence per weight, an adaptive margin, and noise is no disaster.

    Parameters
    ----------
    penalty : {"linear", "squared"}, default="linear"
        SCW-I or SCW-II.
    C : float, default=1.0
        Price of missing the margin, in (0, inf); small values resist label noise. Example weights multiply it.
    confidence : float, default=0.75
        η = Φ(φ), in [0.5, 1).
    phi : float or None, default=None
        φ itself, at least 0, instead of `confidence`.
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"kl", "drop"}, default="kl"
        How a diagonal covariance follows the full update: the diagonal of its inverse, or its diagonal.
    initial_variance : float, default=1.0
        Variance of every weight at the start.

    References
    ----------
    .. [1] Wang, Zhao, Hoi. Exact Soft Confidence-Weighted Learning. ICML 2012. Propositions 1 and 2.

    Examples
    --------
    >>> from onlinear import SoftConfidenceWeightedClassifier
    >>> model = SoftConfidenceWeightedClassifier(C=0.5).fit([[0.0, 1.0], [1.0, 0.0]], ["ham", "spam"])
    >>> model.predict([[0.9, 0.1]])
    array(['spam'], dtype='<U4')
    """

    estimator = "SoftConfidenceWeightedClassifier"
    paper = "Wang, Zhao, Hoi. ICML 2012; ACM TIST 8, 2016."
    names = (
        Name(
            "scw1",
            "The first choice for text: large margins, and noise is no disaster; tune C.",
            preset={"penalty": "linear"},
            parameters=("C", "confidence", "phi", "covariance", "projection", "initial_variance"),
        ),
        Name(
            "scw2",
            "As scw1, with steps that grow with the loss.",
            preset={"penalty": "squared"},
            parameters=("C", "confidence", "phi", "covariance", "projection", "initial_variance"),
        ),
    )
    rule_class = rule.SoftConfidenceWeighted

    penalty: Literal["linear", "squared"]
    C: float
    confidence: float = 0.75
    phi: float | None = None

    def make_rule(self) -> Axis:
        """The rule."""
        return rule.SoftConfidenceWeighted(penalty=self.penalty, C=self.C, phi=self.margin_quantile())
