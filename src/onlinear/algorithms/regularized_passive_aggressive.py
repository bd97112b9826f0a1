"""Passive-Aggressive for targets that move."""

from typing import Literal

from .. import belief, rule
from ..exceptions import ParameterError
from ..model.parameters import check_choice, check_number
from ..model.recipe import Averaging, Classification, Name, recipe
from ..model.types import Axis

__all__ = ["RegularizedPassiveAggressive"]


@recipe
class RegularizedPassiveAggressive(Classification):
    r"""Passive-Aggressive that forgets, for environments that change.

    Plain Passive-Aggressive keeps old weights for ever. This one pulls them in at every update, so that it follows
    when what is right changes: the nearest mean that meets the margin,

    .. math::
        \min_w \tfrac12 \|w - μ\|^2 + \tfrac{α}{2}\|w\|^2, \qquad \min_{\|w\|_2 ≤ b} \tfrac12 \|w - μ\|^2, \qquad
        \min_{\|w\|_1 ≤ b} \tfrac12 \|w - μ\|^2 \qquad \text{with } w·δ ≥ 1

    All three are solved exactly. None of them touches weights outside the example: shrinkage is one number, and so is
    what every weight loses to stay in the L1 ball.

    Parameters
    ----------
    penalty : {"objective", "l2_ball", "l1_ball"}, default="objective"
        Shrinkage, or a ball the weights stay in. The L1 ball makes most weights zero.
    alpha : float, default=0.001
        Shrinkage of "objective", in [0, inf); 0 is Passive-Aggressive.
    radius : float, default=10.0
        Radius of the balls, in (0, inf). Where no point of the ball has the margin, the one of largest margin is taken.
    trigger : {"margin", "mistake", "always"}, default="margin"
        When to learn: below margin 1, on mistakes (the paper's choice, and what its bounds are for), or every round.
    truncation : float or None, default=None
        After every update the smallest weights whose squares sum to less than this become zero.

    Notes
    -----
    The margin is a constraint and has no price, so every positive example weight counts as 1.
    Balls and truncation speak of the weights of features as they come, so with those ``scale="auto"`` is None.

    References
    ----------
    .. [1] Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments.
       SDM 2009, lemmas 3.1 and 3.2.

    Examples
    --------
    >>> from onlinear import RegularizedPassiveAggressiveClassifier
    >>> model = RegularizedPassiveAggressiveClassifier(penalty="l2_ball", radius=3.0)
    >>> model.fit([[0.0, 1.0], [1.0, 0.0]], [0, 1]).predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "RegularizedPassiveAggressiveClassifier"
    paper = "Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments. SDM 2009."
    names = (
        Name(
            "rpa-objective",
            "PA that shrinks old weights: for concepts that drift.",
            preset={"penalty": "objective"},
            parameters=("alpha", "trigger", "truncation"),
        ),
        Name(
            "rpa-l2-ball",
            "PA in a ball: for concepts that drift.",
            preset={"penalty": "l2_ball"},
            parameters=("radius", "trigger", "truncation"),
        ),
        Name(
            "rpa-l1-ball",
            "PA in an L1 ball: few weights, and those follow a drift.",
            preset={"penalty": "l1_ball"},
            parameters=("radius", "trigger", "truncation"),
        ),
    )
    rule_class = rule.RegularizedPassiveAggressive

    penalty: Literal["objective", "l2_ball", "l1_ball"]
    alpha: float = 0.001
    radius: float
    trigger: Literal["margin", "mistake", "always"]
    truncation: float | None = None

    ignores_weights = "the margin is a constraint and has no price for a weight to multiply"

    def make_rule(self) -> Axis:
        """The rule."""
        owner = self.owner
        check_choice(owner, "penalty", self.penalty, ("objective", "l2_ball", "l1_ball"))
        check_choice(owner, "trigger", self.trigger, ("margin", "mistake", "always"))
        check_number(owner, "alpha", self.alpha, 0.0)
        check_number(owner, "radius", self.radius, 0.0, open_low=True)
        return rule.RegularizedPassiveAggressive(
            penalty=self.penalty, alpha=self.alpha, radius=self.radius, trigger=self.trigger
        )

    def make_belief(self) -> Axis:
        """The belief."""
        if self.penalty == "l1_ball":
            if self.average == "late":
                raise ParameterError(
                    f"{self.owner}: average='late' does not go with penalty='l1_ball'; use average=True"
                )
            return belief.L1Ball(average=bool(self.average))
        return super().make_belief()

    def measured(self) -> str | None:
        """What features are measured in; bounds on the sizes of weights are meant for features as they come."""
        bounded = self.penalty != "objective" or self.truncation is not None
        return None if bounded and self.scale == "auto" else super().measured()

    def averaging(self) -> Averaging:
        """As the parameter says; a mean of weights that are truncated has few zeros, so that must be asked for."""
        if self.average is None and self.truncation is not None:
            return {"average": False, "late": False}
        return super().averaging()

    def truncated_by(self) -> float | None:
        """As the parameter says."""
        if self.truncation is not None:
            check_number(self.owner, "truncation", self.truncation, 0.0)
        return self.truncation
