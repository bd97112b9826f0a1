"""NAROW."""

from typing import Literal

from .. import belief, rule
from ..exceptions import ParameterError
from ..model.parameters import check_choice
from ..model.recipe import Baseline, Gaussian, Name, recipe
from ..model.types import Axis

__all__ = ["NAROW"]


@recipe
class NAROW(Baseline, Gaussian):
    r"""NAROW: AROW with a trust that adapts to the variance.

    With θ = Σ⁻¹μ, when m < 1,

    .. math:: θ ← θ + δ, \qquad Σ^{-1} ← Σ^{-1} + \max(0, b - 1/v)\, δ δ^T

    Parameters
    ----------
    b : float, default=1.0
        Inverse of the variance an example is left with at most, in (0, inf).
    form : {"theta", "rule", "coupled"}, default="theta"
        "theta" is the paper's, and on a diagonal keeps θ and the precisions; "rule" writes the same step on mean and
        covariance, which differs on a diagonal; "coupled" is the variant of public code: AROW's step with r = v/(bv - 1)
        when bv > 1, and nothing otherwise.
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"kl", "drop"}, default="kl"
        For the forms "rule" and "coupled" on a diagonal.
    initial_variance : float, default=1.0
        Variance of every weight at the start.
    min_variance : float, default=0.0
        A floor under every variance (not for "theta" on a diagonal); with covariance="full", under the variance of the
        score that an example has just updated, per unit of its squared length.

    Notes
    -----
    The rule has no price: every positive example weight counts as 1.

    References
    ----------
    .. [1] Orabona, Crammer. New Adaptive Algorithms for Online Classification. NIPS 2010.

    Examples
    --------
    >>> from onlinear import NAROWClassifier
    >>> model = NAROWClassifier(b=1.0).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "NAROWClassifier"
    paper = "Orabona, Crammer. NIPS 2010."
    names = (Name("narow", "As arow, with a trust that adapts to the variance."),)
    rule_class = rule.Narow

    b: float
    min_variance: float | None = 0.0
    form: Literal["theta", "rule", "coupled"]

    ignores_weights = "has no price, so every positive weight counts as 1"

    def make_rule(self) -> Axis:
        """The rule."""
        check_choice(self.owner, "form", self.form, ("theta", "rule", "coupled"))
        return rule.Narow(b=self.b, form="coupled" if self.form == "coupled" else "theta")

    def make_belief(self) -> Axis:
        """The belief."""
        if self.form != "theta" or self.covariance != "diagonal":
            return super().make_belief()
        if self.average:
            raise ParameterError(
                f"{self.owner}: average=True needs form='rule', 'coupled' or covariance='full'"
            )
        if self.min_variance:
            raise ParameterError(
                f"{self.owner}: min_variance needs form='rule', 'coupled' or covariance='full'"
            )
        return belief.Information(initial_variance=self.initial_variance)
