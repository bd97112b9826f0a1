"""MIRA."""

from .. import rule, task
from ..model.parameters import check_number
from ..model.recipe import Baseline, Name, recipe
from ..model.types import Axis

__all__ = ["MIRA"]


@recipe
class MIRA(Baseline):
    r"""The Margin Infused Relaxed Algorithm of ultraconservative multiclass learning.

    One prototype per class; an example changes them as little as a family of updates allows:

    .. math:: \min_τ \tfrac12 \sum_k \|μ_k + τ_k x\|^2 \quad \text{s.t.}\ τ_k ≤ [k = y],\ \sum_k τ_k = 0

    Parameters
    ----------
    beta : float, default=1.0
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

    estimator = "MIRAClassifier"
    paper = "Crammer, Singer. JMLR 3, 2003."
    names = (
        Name(
            "mira",
            "For several classes: changes all prototypes at once, as little as it must.",
            parameters=("beta",),
        ),
    )

    beta: float = 1.0

    always_joint = True
    ignores_weights = "has no price, so every positive weight counts as 1"

    one_rival = "leave it out, or use PassiveAggressiveClassifier"

    def make_rule(self) -> Axis:
        """The rule."""
        check_number(self.owner, "beta", self.beta, 0.0)
        return rule.Perceptron()  # the belief's metric; the joint task brings the update

    def make_joint(self) -> Axis | None:
        """The task of several constraints, or None."""
        return task.MulticlassJoint(method="mira", beta=self.beta)
