"""Passive-Aggressive one-class learning."""

from typing import Any, Literal

from .. import rule, task
from ..model.parameters import check_number
from ..model.recipe import OfRows, recipe

__all__ = ["OneClass"]


@recipe
class OneClass(OfRows):
    r"""One class by Passive-Aggressive: a ball that should hold every example.

    Stays as it is when an example lies in the ball and otherwise moves the centre towards it as little as it
    must. With loss ℓ = max(0, \|x - μ\| - ε), where ε is the radius:

    .. math:: τ = ℓ, \quad \min(C, ℓ), \quad \frac{ℓ}{1 + 1/(2C)}, \qquad μ ← μ + τ \frac{x - μ}{\|x - μ\|}

    Parameters
    ----------
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        No slack, linear slack, squared slack.
    C : float, default=0.1
        Price of leaving an example outside, in (0, inf); small values resist outliers. Example weights
        multiply it. PA has no price and treats every positive weight as 1.
    radius : float, default=1.0
        Radius of the ball, in [0, inf), unless it is learned.
    max_radius : float, default=None
        Learn the radius as well: it starts at 0 and grows as it must, at most to this.
    contamination : float, default=None
        Share of the examples `fit` should call outliers, in (0, 0.5]; None calls outlier what lies outside
        the ball.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,)
        The centre of the ball.
    radius_ : float
        Its radius.
    offset_ : float
        What `score_samples` is compared with: minus the radius, or what `contamination` asks for.
    total_loss_ : float
        Sum of the losses of all examples before they were learned.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 6.

    Examples
    --------
    >>> from onlinear import PassiveAggressiveOneClass
    >>> X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> model = PassiveAggressiveOneClass(radius=2.0, random_state=0).fit(X)
    >>> print(model.predict([[0.5, 0.5], [9.0, 9.0]]))
    [ 1 -1]
    """

    estimator = "PassiveAggressiveOneClass"
    kind = "one-class"

    variant: Literal["pa", "pa1", "pa2"] = "pa1"
    C: float = 0.1
    radius: float = 1.0
    max_radius: float | None = None
    contamination: float | None = None

    def make_rule(self) -> Any:
        """The rule."""
        return rule.PassiveAggressive(variant=self.variant, C=self.C)

    def make_task(self) -> Any:
        """The ball."""
        return task.OneClass(radius=self.radius, max_radius=self.max_radius)

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        check_number(self.owner, "radius", self.radius, 0.0)
        if self.max_radius is not None:
            check_number(self.owner, "max_radius", self.max_radius, 0.0, 1e150, open_low=True)
        if self.contamination is not None:
            check_number(self.owner, "contamination", self.contamination, 0.0, 0.5, open_low=True)
