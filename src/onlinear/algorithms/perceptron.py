"""The Perceptron, plain and averaged."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from .. import rule, task
from ..estimators.classifier import OnlineClassifier
from ..model.parameters import check_choice, estimator

__all__ = ["Perceptron"]


@estimator
class Perceptron(OnlineClassifier):
    r"""The Perceptron; with ``average=True`` the averaged Perceptron.

    On a mistake, m ≤ 0,

    .. math:: μ ← μ + η δ

    Parameters
    ----------
    rate : float, default=1.0
        η; only the scale of the weights depends on it. Example weights multiply it.
    update : {"max", "uniform"}, default="max"
        For more than two classes: blame the best-scoring wrong class, or share the blame among all that scored
        at least as high as the right one.

    References
    ----------
    .. [1] Rosenblatt. Psychological Review 65, 1958.
    .. [2] Crammer, Singer. JMLR 3, 2003.

    Examples
    --------
    >>> from onlinear import Perceptron
    >>> model = Perceptron(average=True).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    rate: float = 1.0
    update: Literal["max", "uniform"] = "max"

    _ignores_weights: ClassVar[str | None] = (
        "moves on mistakes only, so a weight scales single steps but never makes a rare class matter once it is right"
    )

    _one_rival: ClassVar[str] = "use update='max'"

    def _rule(self) -> Any:
        return rule.Perceptron(rate=self.rate)

    def _joint(self) -> Any:
        check_choice(type(self).__name__, "update", self.update, ("max", "uniform"))
        return task.MulticlassJoint(method="uniform", rate=self.rate) if self.update == "uniform" else None
