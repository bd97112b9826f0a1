"""Adaptive Regularization of Weight Vectors."""

from typing import Literal

from .. import rule, task
from ..exceptions import ParameterError
from ..model.parameters import check_choice, check_number
from ..model.recipe import Classification, Gaussian, Name, ScaledRegression, recipe
from ..model.types import Axis

__all__ = ["AROW", "AROWRegression"]


@recipe
class AROW(Gaussian, Classification):
    r"""Adaptive Regularization of Weight Vectors.

    Learns fast on clean data and does not panic at a wrong label: every weight carries its own variance, and only
    evidence shrinks it. When the margin m is below 1,

    .. math:: α = \frac{1 - m}{v + r}, \qquad μ ← μ + α Σ δ, \qquad Σ^{-1} ← Σ^{-1} + δ δ^T / r

    Parameters
    ----------
    r : float, default=1.0
        Trust in what is already known, in (0, inf). Raise it when labels are noisy. Example weights divide it.
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        The hinge gives AROW-H, whose steps are bounded: α = min(1/(2r), (1 - m)/v).
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"drop", "kl"}, default="drop"
        How a diagonal covariance follows the full update: its diagonal, or the diagonal of its inverse.
    initial_variance : float, default=1.0
        Variance of every weight at the start.
    constraints : int or "all", default=1
        For more than two classes: how many of the best-scoring wrong classes an update must satisfy.
    cov_update : {"sum", "delta"}, default="sum"
        With several constraints, the direction in which confidence grows: the paper's sum over all classes, or the
        difference of the right class and its best rival.

    References
    ----------
    .. [1] Crammer, Kulesza, Dredze. Machine Learning 91, 2013. Eqs. (12) and (14), section 3.

    Examples
    --------
    >>> from onlinear import AROWClassifier
    >>> model = AROWClassifier(r=1.0).fit([[0.0, 1.0], [1.0, 0.0]], ["ham", "spam"])
    >>> model.predict([[0.9, 0.1]])
    array(['spam'], dtype='<U4')
    """

    estimator = "AROWClassifier"
    paper = "Crammer, Kulesza, Dredze. Machine Learning 91, 2013."
    names = (
        Name(
            "arow",
            "The safe choice: fast, and calm about wrong labels; raise r when they are many.",
            preset={"loss": "squared_hinge"},
            parameters=("r", "constraints", "cov_update", "covariance", "projection", "initial_variance"),
        ),
        Name("arow-h", "As arow, with bounded steps.", preset={"loss": "hinge"}),
    )
    rule_class = rule.Arow

    r: float
    loss: Literal["squared_hinge", "hinge"]
    projection: Literal["kl", "drop", "exact"] = "drop"
    constraints: int | Literal["all"] = 1
    cov_update: Literal["sum", "delta"] = "sum"

    def make_joint(self) -> Axis | None:
        """The task of several constraints, or None."""
        owner = self.owner
        if self.constraints != "all":
            check_number(owner, "constraints", self.constraints, 1, 2**31, whole=True)
            if self.constraints == 1:
                return None
        check_choice(owner, "cov_update", self.cov_update, ("sum", "delta"))
        if self.loss != "squared_hinge":
            check_choice(owner, "loss", self.loss, ("squared_hinge", "hinge"))
            raise ParameterError(
                f"{owner}: several constraints at once (constraints={self.constraints!r}) are defined for "
                f"loss='squared_hinge', got loss={self.loss!r}. Use that loss, or constraints=1."
            )
        k = None if self.constraints == "all" else int(self.constraints)
        return task.MulticlassJoint(method="arow", r=self.r, k=k, cov_update=self.cov_update)


@recipe
class AROWRegression(ScaledRegression, Gaussian):
    r"""AROW with the squared loss: recursive least squares.

    Every example is learned. With error e = y - μ·x and variance v = xᵀΣx:

    .. math:: μ ← μ + \frac{e}{r + v} Σ x, \qquad Σ^{-1} ← Σ^{-1} + x x^T / r

    With a full covariance and one pass the weights are ridge regression's of penalty r, in any order of the
    examples; a diagonal one costs as much as a first-order learner.

    Parameters
    ----------
    r : float, default=1.0
        Trust in what is already known, in (0, inf): the noise variance of targets in units of the prior's.
        Example weights divide it.
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"drop", "kl"}, default="drop"
        How a diagonal covariance follows the full update: its diagonal, or the diagonal of its inverse.
    initial_variance : float, default=1.0
        Variance of every weight at the start.
    min_variance : float or None, default=None
        A floor under every variance, with covariance="full" under the variance of the prediction an example has just
        updated, per unit of its squared length; above zero the learner keeps following targets that drift. None is a
        tenth of `initial_variance` with `scale` "typical", else 0: a diagonal covariance, which sees features one at a
        time, is sure of them long before it is right where their values lie far from zero.
    passes : int, default=1
        Passes `fit` makes over the data. More than one counts every example as often.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights.
    intercept_ : float
        The intercept.
    coef_std_ : ndarray of shape (n_features,)
        Standard deviation of every weight.
    total_loss_ : float
        Sum of the absolute errors of all predictions made before learning.

    References
    ----------
    .. [1] Crammer, Kulesza, Dredze. Machine Learning 91, 2013, section 2.

    Examples
    --------
    >>> from onlinear import AROWRegressor
    >>> model = AROWRegressor(covariance="full", r=1e-6).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> mean, std = model.predict([[3.0]], return_std=True)
    >>> print(mean.round(3))
    [7.]
    """

    estimator = "AROWRegressor"
    names = (Name("arow"),)
    rule_class = rule.LeastSquares

    r: float
    projection: Literal["kl", "drop", "exact"] = "drop"
    passes: int = 1
    early_stopping: bool = False

    def floor(self) -> float:
        """The least variance."""
        if self.min_variance is not None:
            return self.min_variance
        return 0.1 * self.initial_variance if self.measured() == "typical" else 0.0
