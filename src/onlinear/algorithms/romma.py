"""Relaxed Online Maximum Margin Algorithm."""

from .. import rule
from ..model.recipe import Baseline, Name, recipe

__all__ = ["ROMMA"]


@recipe
class ROMMA(Baseline):
    r"""Relaxed Online Maximum Margin Algorithm.

    Keeps the shortest weights that meet the new constraint and a relaxation of all earlier ones. With n = ‖δ‖² and
    W = ‖μ‖²,

    .. math:: μ ← \frac{nW - m}{nW - m^2} μ + \frac{W(1 - m)}{nW - m^2} δ

    Parameters
    ----------
    aggressive : bool, default=True
        Whether to move whenever the margin is below 1 instead of on mistakes only.

    Notes
    -----
    The rule has no price: every positive example weight counts as 1.

    References
    ----------
    .. [1] Li, Long. Machine Learning 46, 2002.

    Examples
    --------
    >>> from onlinear import ROMMAClassifier
    >>> model = ROMMAClassifier(aggressive=True).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "ROMMAClassifier"
    names = (
        Name("romma", "Maximum margin without parameters; for separable data.", preset={"aggressive": False}),
        Name("aromma", "As romma, and moves whenever the margin is missed.", preset={"aggressive": True}),
    )
    rule_class = rule.Romma

    aggressive: bool = True

    ignores_weights = "has no price, so every positive weight counts as 1"
