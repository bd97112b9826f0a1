"""Passive-Aggressive classification and regression."""

from typing import Literal

from .. import belief, rule, task
from ..exceptions import ParameterError
from ..model.parameters import check_choice, check_number
from ..model.recipe import Classification, Name, ScaledRegression, recipe
from ..model.types import Axis

__all__ = ["PassiveAggressive", "PassiveAggressiveRegression"]


@recipe
class PassiveAggressive(Classification):
    r"""Passive-Aggressive: PA, PA-I and PA-II.

    Stays as it is when an example has margin 1 and otherwise moves as little as it must. With loss ℓ = 1 - m:

    .. math:: τ = \frac{ℓ}{\|δ\|^2}, \quad \min\left(C, \frac{ℓ}{\|δ\|^2}\right), \quad
        \frac{ℓ}{\|δ\|^2 + 1/(2C)}, \qquad μ ← μ + τ δ

    Parameters
    ----------
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        No slack, linear slack, squared slack.
    C : float, default=1.0
        Price of missing the margin, in (0, inf); small values resist label noise. Example weights multiply it. PA has no
        price and treats every positive weight as 1.
    constraints : {1, "all"}, default=1
        For more than two classes: satisfy the margin to the best wrong class, or to all of them at once.
    weighed : {"price", "step"}, default="price"
        What the weight of an example multiplies: the price, or, as in scikit-learn, the step.
    intercept_rate : float or None, default=None
        None lets the intercept be one more feature, in the margin and in the norm. A number leaves it out of the norm and
        moves it by so much of the step, in (0, 1]: 1 is what scikit-learn and river do, 0.01 what scikit-learn does on
        sparse rows.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006.

    Examples
    --------
    >>> from onlinear import PassiveAggressiveClassifier
    >>> model = PassiveAggressiveClassifier(C=0.5).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "PassiveAggressiveClassifier"
    names = (
        Name(
            "pa",
            "For labels without noise: always reaches the margin.",
            preset={"variant": "pa"},
            parameters=("constraints",),
        ),
        Name(
            "pa1",
            "A good first-order default; lower C when labels are noisy.",
            preset={"variant": "pa1"},
            parameters=("C", "constraints"),
        ),
        Name(
            "pa2",
            "As pa1, with steps that grow with the loss.",
            preset={"variant": "pa2"},
            parameters=("C", "constraints"),
        ),
    )
    rule_class = rule.PassiveAggressive

    variant: Literal["pa", "pa1", "pa2"]
    C: float
    weighed: Literal["price", "step"]
    constraints: Literal[1, "all"] = 1
    intercept_rate: float | None = None

    def make_belief(self) -> Axis:
        """A mean."""
        return belief.Mean(**self.averaging(), intercept_rate=self.intercept_rate)

    def make_joint(self) -> Axis | None:
        """The task of several constraints, or None."""
        check_choice(self.owner, "constraints", self.constraints, (1, "all"))
        if self.constraints == 1:
            return None
        if self.weighed != "price":
            raise ParameterError(
                f"{self.owner}: weighed={self.weighed!r} does not go with constraints='all', where weights multiply the "
                "price; use constraints=1."
            )
        return task.MulticlassJoint(method="pa", variant=self.variant, C=self.C)


@recipe
class PassiveAggressiveRegression(ScaledRegression):
    r"""Passive-Aggressive regression: PA, PA-I and PA-II.

    Stays as it is when a prediction is within `epsilon` of its target and otherwise moves as little as it
    must. With error e = y - μ·x and loss ℓ = max(0, \|e\| - ε):

    .. math:: τ = \frac{ℓ}{\|x\|^2}, \quad \min\left(C, \frac{ℓ}{\|x\|^2}\right), \quad
        \frac{ℓ}{\|x\|^2 + 1/(2C)}, \qquad μ ← μ + τ \operatorname{sign}(e)\, x

    Parameters
    ----------
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        No slack, linear slack, squared slack.
    C : float, default=1.0
        Price of missing the target, in (0, inf); small values resist noise. Example weights multiply it. PA
        has no price and treats every positive weight as 1.
    epsilon : float, default=0.1
        Errors up to this are free, in [0, inf); with `scale` "typical" in typical sizes of the targets, as C.
    weighed : {"price", "step"}, default="price"
        What the weight of an example multiplies: the price, or, as in scikit-learn, the step.
    intercept_rate : float or None, default=None
        None lets the intercept be one more feature, in the margin and in the norm. A number leaves it out of the norm and
        moves it by so much of the step, in (0, 1]: 1 is what scikit-learn and river do, 0.01 what scikit-learn does on
        sparse rows.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights.
    intercept_ : float
        The intercept.
    total_loss_ : float
        Sum of the absolute errors of all predictions made before learning.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 5.

    Examples
    --------
    >>> from onlinear import PassiveAggressiveRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> model = PassiveAggressiveRegressor(scale=None, epsilon=0.01, random_state=0).fit(X, y)
    >>> print(model.predict([[3.0]]).round(1))
    [7.]
    """

    estimator = "PassiveAggressiveRegressor"
    names = (
        Name("pa", preset={"variant": "pa"}, parameters=("epsilon",)),
        Name("pa1", preset={"variant": "pa1"}, parameters=("C", "epsilon")),
        Name("pa2", preset={"variant": "pa2"}, parameters=("C", "epsilon")),
    )
    rule_class = rule.PassiveAggressive

    variant: Literal["pa", "pa1", "pa2"]
    C: float
    weighed: Literal["price", "step"]
    epsilon: float = 0.1
    intercept_rate: float | None = None

    def make_belief(self) -> Axis:
        """A mean."""
        return belief.Mean(**self.averaging(), intercept_rate=self.intercept_rate)

    def make_task(self) -> Axis | None:
        """The task."""
        check_number(self.owner, "epsilon", self.epsilon, 0.0)
        return task.Regression(epsilon=self.epsilon, scale=self.measure())
