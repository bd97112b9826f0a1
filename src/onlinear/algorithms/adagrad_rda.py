"""AdaGrad with regularised dual averaging."""

from .. import belief, rule
from ..exceptions import ParameterError
from ..model.recipe import Baseline, Name, recipe
from ..model.types import Axis

__all__ = ["AdaGradRDA"]


@recipe
class AdaGradRDA(Baseline):
    r"""AdaGrad with regularised dual averaging and an L1 penalty.

    Keeps the sum u of hinge gradients and the sum G of their squares; the weights are derived from them, many exactly zero:

    .. math:: μ_p = -η\, \mathrm{sign}(u_p) \frac{\max(0, |u_p| - λ t)}{δ_0 + \sqrt{G_p}}

    Parameters
    ----------
    eta : float, default=1.0
        Step size η, in (0, inf).
    delta0 : float, default=0.01
        δ₀, at least 0: damps the first steps.
    lam : float, default=1e-4
        L1 penalty λ, at least 0. Example weights multiply the gradient.

    References
    ----------
    .. [1] Duchi, Hazan, Singer. Adaptive Subgradient Methods. JMLR 12, 2011.

    Examples
    --------
    >>> from onlinear import AdaGradRDAClassifier
    >>> model = AdaGradRDAClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "AdaGradRDAClassifier"
    paper = "Duchi, Hazan, Singer. JMLR 12, 2011."
    names = (
        Name(
            "adagrad-rda", "Sparse weights: raise lam for fewer of them.", parameters=("eta", "delta0", "lam")
        ),
    )
    rule_class = rule.AdagradRda

    eta: float = 1.0
    delta0: float = 0.01
    lam: float = 1e-4

    def make_belief(self) -> Axis:
        """The belief."""
        if self.average:
            raise ParameterError(
                f"{self.owner}: average=True is not defined; dual averaging averages gradients already"
            )
        return belief.DualAveraging(eta=self.eta, delta0=self.delta0, lam=self.lam)
