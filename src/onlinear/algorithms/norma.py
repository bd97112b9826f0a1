"""NORMA, linear."""

from .. import rule
from ..exceptions import ParameterError
from ..model.parameters import check_number
from ..model.recipe import Baseline, Name, recipe
from ..model.types import Axis

__all__ = ["NORMA"]


@recipe
class NORMA(Baseline):
    r"""Naive Online :math:`R_{reg}` Minimisation, linear.

    One gradient step on the regularised hinge each round, with s = 1 when m ≤ ρ and 0 otherwise:

    .. math:: μ ← (1 - η_t λ) μ + η_t s δ, \qquad ρ ← ρ + η_t (ν - s)

    Parameters
    ----------
    eta : float, default=0.1
        Step size, below 1/lam. Example weights multiply it.
    lam : float, default=0.0001
        Regularisation λ.
    rho : float, default=1.0
        The margin, or where it starts when `nu` is given (the paper starts at 0 then).
    nu : float or None, default=None
        Share of examples that may stay below the margin, in (0, 1); the margin is learned when it is given.
    decay : bool, default=False
        Whether the step size is η/√t.

    References
    ----------
    .. [1] Kivinen, Smola, Williamson. IEEE Transactions on Signal Processing 52, 2004.

    Examples
    --------
    >>> from onlinear import NORMAClassifier
    >>> model = NORMAClassifier(eta=0.2).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    estimator = "NORMAClassifier"
    names = (Name("norma", "Forgets: for concepts that drift."),)
    rule_class = rule.Norma

    eta: float
    lam: float = 1e-4
    rho: float
    nu: float | None
    decay: bool

    ignores_weights = (
        "a weight multiplies the step size and with it the shrinkage, so a heavy example wipes out the others"
    )

    def make_rule(self) -> Axis:
        """The rule."""
        owner = self.owner
        check_number(owner, "eta", self.eta, 0.0, open_low=True)
        check_number(owner, "lam", self.lam, 0.0)
        if self.eta * self.lam >= 1:
            raise ParameterError(
                f"{owner}: eta must be below 1/lam, got eta={self.eta!r}, lam={self.lam!r}. Try eta=0.1, lam=0.01."
            )
        return rule.Norma(eta=self.eta, lam=self.lam, rho=self.rho, nu=self.nu, decay=self.decay)
