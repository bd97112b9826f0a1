"""MIRA."""

from __future__ import annotations

from typing import Any, ClassVar

from .. import rule, task
from ..estimators.classifier import OnlineClassifier
from ..model.parameters import check_number, estimator

__all__ = ["MIRAClassifier"]


@estimator
class MIRAClassifier(OnlineClassifier):
    r"""The Margin Infused Relaxed Algorithm of ultraconservative multiclass learning.

    One prototype per class; an example changes them as little as a family of updates allows:

    .. math:: \min_τ \tfrac12 \sum_k \|μ_k + τ_k x\|^2 \quad \text{s.t.}\ τ_k ≤ [k = y],\ \sum_k τ_k = 0

    Parameters
    ----------
    beta : float, default=0.01
        Margin offset added to every wrong class's score, at least 0. Without it the optimum from zero weights is never to
        move, so give `initial_mean` then.

    Notes
    -----
    The rule has no price: every positive example weight counts as 1.

    References
    ----------
    .. [1] Crammer, Singer. Ultraconservative Online Algorithms for Multiclass Problems. JMLR 3, 2003.

    Examples
    --------
    >>> from onlinear import MIRAClassifier
    >>> model = MIRAClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    beta: float = 0.01

    _always_joint: ClassVar[bool] = True
    _ignores_weights: ClassVar[str | None] = "has no price, so every positive weight counts as 1"

    _one_rival: ClassVar[str] = "leave it out, or use PassiveAggressiveClassifier"

    def _rule(self) -> Any:
        check_number(type(self).__name__, "beta", self.beta, 0.0)
        return rule.Perceptron()  # the belief's metric; the joint task brings the update

    def _joint(self) -> Any:
        return task.MulticlassJoint(method="mira", beta=self.beta)
