"""The second-order Perceptron."""

import sys
from typing import Literal

from .. import belief, rule
from ..exceptions import ParameterError
from ..model.parameters import check_choice, check_number
from ..model.recipe import Baseline, Gaussian, Name, recipe
from ..model.types import Axis

__all__ = ["SecondOrder"]


@recipe
class SecondOrder(Baseline, Gaussian):
    r"""The second-order Perceptron.

    Scores with the current instance counted in, and on a mistake

    .. math:: A ← A + δ δ^T, \qquad θ ← θ + δ, \qquad \text{score}(x) = x^T (A + x x^T)^{-1} θ

    Parameters
    ----------
    form : {"own", "rule"}, default="own"
        "own" is the paper's, with its inclusive score; "rule" is the same step on mean and covariance (AROW with r = 1 on
        mistakes only) with the plain score. With a full covariance the two learn the same weights.
    ridge : float, default=1.0
        A starts as this times the identity, in (0, inf).
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"kl", "drop"}, default="kl"
        For the form "rule" on a diagonal.
    initial_variance : float, default=1.0
        Divided by `ridge`: variance of every weight at the start.
    min_variance : float, default=0.0
        A floor under every variance (not for "own" on a diagonal); with covariance="full", under the variance of the
        score that an example has just updated, per unit of its squared length.

    Notes
    -----
    The rule has no price: every positive example weight counts as 1.

    References
    ----------
    .. [1] Cesa-Bianchi, Conconi, Gentile. A Second-Order Perceptron Algorithm. SIAM Journal on Computing 34, 2005.

    Examples
    --------
    >>> from onlinear import SecondOrderPerceptron
    >>> model = SecondOrderPerceptron().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "SecondOrderPerceptron"
    paper = "Cesa-Bianchi, Conconi, Gentile. SIAM Journal on Computing 34, 2005."
    names = (
        Name(
            "sop",
            "The first second-order learner; moves on mistakes only.",
            parameters=("ridge", "form", "covariance", "projection", "initial_variance"),
        ),
    )
    rule_class = rule.SecondOrderPerceptron

    form: Literal["own", "rule"] = "own"
    ridge: float = 1.0
    min_variance: float | None = 0.0

    ignores_weights = "has no price, so every positive weight counts as 1"

    def make_belief(self) -> Axis:
        """The belief."""
        owner = self.owner
        check_choice(owner, "form", self.form, ("own", "rule"))
        check_choice(owner, "covariance", self.covariance, ("diagonal", "full"))
        check_choice(owner, "projection", self.projection, self.projections)
        check_number(owner, "ridge", self.ridge, 0.0, sys.float_info.max, open_low=True)
        own, variance = self.form == "own", self.initial_variance / self.ridge
        if self.covariance == "full":
            return belief.Full(
                initial_variance=variance,
                min_variance=self.floor(),
                inclusive=own,
                **self.averaging(),
            )
        if not own:
            return belief.Diagonal(
                projection=self.projection,
                initial_variance=variance,
                min_variance=self.floor(),
                **self.averaging(),
            )
        if self.average:
            raise ParameterError(f"{owner}: average=True needs form='rule' or covariance='full'")
        if self.min_variance:
            raise ParameterError(f"{owner}: min_variance needs form='rule' or covariance='full'")
        return belief.Information(initial_variance=variance, inclusive=True)
