"""Passive-Aggressive one-class learning."""

from typing import Literal

from .. import rule, task
from ..exceptions import ParameterError
from ..model.parameters import check_number
from ..model.recipe import Name, OfRows, recipe
from ..model.types import Axis

__all__ = ["OneClass"]


@recipe
class OneClass(OfRows):
    r"""One class by Passive-Aggressive: a ball that should hold every example.

    Stays as it is when an example lies in the ball and otherwise moves the centre towards it as little as it
    must. With loss ℓ = max(0, \|x - μ\| - ε), where ε is the radius:

    .. math:: τ = ℓ, \quad \min(C, ℓ), \quad \frac{ℓ}{1 + 1/(2C)}, \qquad μ ← μ + τ \frac{x - μ}{\|x - μ\|}

    As it comes, no radius is known beforehand: `nu` says which share of the examples should lie outside, and the
    radius is the distance that this share of the last 1,024 lay beyond before they were learned. The centre goes to the
    middle of the examples: ε is 0, the first example is the first centre, and prices are shares of the radius, C
    times the radius instead of C, so that the unit of the features does not matter. The papers' balls are `radius`
    and `max_radius`.

    Parameters
    ----------
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        No slack, linear slack, squared slack. "pa" and "pa2" need a `radius` or a `max_radius`.
    C : float, default=None
        Price of leaving an example outside, in (0, inf); small values resist outliers. Example weights
        multiply it. PA has no price and treats every positive weight as 1. None is 0.1 with a radius, and 0.03
        with `nu`, where it is the share of the radius that the centre moves for an example.
    nu : float, default=0.1
        Share of the examples that should lie outside, in (0, 1), where neither `radius` nor `max_radius` is given.
    radius : float, default=None
        Radius of the ball, in [0, inf).
    max_radius : float, default=None
        Learn the radius as the papers do: it starts at 0 and grows as it must, at most to this.
    contamination : float, default=None
        Share of the examples `fit` should call outliers, in (0, 0.5], whatever the ball; None calls outlier what lies
        outside it.

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
    >>> X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    >>> model = PassiveAggressiveOneClass(random_state=0).fit(X)
    >>> print(model.predict([[0.5, 0.5], [9.0, 9.0]]))
    [ 1 -1]
    """

    estimator = "PassiveAggressiveOneClass"
    names = (
        Name("pa", preset={"variant": "pa"}, parameters=("radius", "max_radius")),
        Name("pa1", preset={"variant": "pa1"}, parameters=("C", "nu", "radius", "max_radius")),
        Name("pa2", preset={"variant": "pa2"}, parameters=("C", "nu", "radius", "max_radius")),
    )
    rule_class = rule.PassiveAggressive
    kind = "one-class"

    variant: Literal["pa", "pa1", "pa2"]
    weighed: Literal["price", "step"]
    C: float | None = None
    nu: float = 0.1
    radius: float | None = None
    max_radius: float | None = None
    contamination: float | None = None

    def make_rule(self) -> Axis:
        """The rule."""
        price = self.C if self.C is not None else 0.03 if self.by_share else 0.1
        return rule.PassiveAggressive(variant=self.variant, C=price, weighed=self.weighed)

    def make_task(self) -> Axis | None:
        """The ball."""
        if self.by_share:
            return task.OneClass(nu=self.nu)
        if self.radius is None:
            return task.OneClass(max_radius=self.max_radius)
        return task.OneClass(radius=self.radius, max_radius=self.max_radius)

    @property
    def by_share(self) -> bool:
        """Whether the radius follows from the share of examples that should lie outside."""
        return self.radius is None and self.max_radius is None

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        check_number(self.owner, "nu", self.nu, 0.0, 1.0, open_low=True)
        if self.radius is not None:
            check_number(self.owner, "radius", self.radius, 0.0)
        if self.by_share and self.nu == 1:
            raise ParameterError(f"{self.owner}: nu must be below 1, got {self.nu!r}. Try nu=0.1.")
        if self.by_share and self.variant != "pa1":
            raise ParameterError(
                f"{self.owner}: variant={self.variant!r} has no steps that are shares of a radius yet to be learned. "
                "Give a radius, or use variant='pa1'."
            )
        if self.by_share and self.weighed != "price":
            raise ParameterError(
                f"{self.owner}: weighed={self.weighed!r} is for a radius that is given or bounded; where it is learned, the "
                "price is a share of it. Use weighed='price'."
            )
        if self.max_radius is not None:
            check_number(self.owner, "max_radius", self.max_radius, 0.0, 1e150, open_low=True)
        if self.contamination is not None:
            check_number(self.owner, "contamination", self.contamination, 0.0, 0.5, open_low=True)
