"""The Perceptron, plain and averaged."""

from typing import Literal

from .. import rule, task
from ..model.parameters import check_choice
from ..model.recipe import Baseline, Name, recipe
from ..model.types import Axis

__all__ = ["PerceptronRecipe"]


@recipe
class PerceptronRecipe(Baseline):
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

    estimator = "Perceptron"
    names = (
        Name(
            "perceptron",
            "The baseline: moves on mistakes only.",
            preset={"average": False},
            parameters=("rate", "update"),
        ),
        Name(
            "averaged-perceptron",
            "Steady and nearly free of parameters.",
            preset={"average": True},
            parameters=("rate", "update"),
            paper="Freund, Schapire. Machine Learning 37, 1999.",
        ),
    )
    rule_class = rule.Perceptron

    rate: float
    update: Literal["max", "uniform"] = "max"

    ignores_weights = (
        "moves on mistakes only, so a weight scales single steps but never makes a rare class matter once it is "
        "right"
    )
    one_rival = "use update='max'"

    def make_joint(self) -> Axis | None:
        """The task of several constraints, or None."""
        check_choice(self.owner, "update", self.update, ("max", "uniform"))
        return task.MulticlassJoint(method="uniform", rate=self.rate) if self.update == "uniform" else None
