"""Adaptive Regularization of Weight Vectors."""

from __future__ import annotations

from typing import Any, Literal

from . import rule, task
from ._base import GaussianClassifier
from ._parameters import check_choice, check_number, estimator

__all__ = ["AROWClassifier"]


@estimator
class AROWClassifier(GaussianClassifier):
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
    min_variance : float, default=0.0
        A floor under every variance.
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

    r: float = 1.0
    loss: Literal["squared_hinge", "hinge"] = "squared_hinge"
    projection: Literal["kl", "drop", "exact"] = "drop"
    constraints: int | Literal["all"] = 1
    cov_update: Literal["sum", "delta"] = "sum"

    def _rule(self) -> Any:
        return rule.Arow(r=self.r, loss=self.loss)

    def _joint(self) -> Any:
        owner = type(self).__name__
        if self.constraints != "all":
            check_number(owner, "constraints", self.constraints, 1, 2**31, whole=True)
            if self.constraints == 1:
                return None
        check_choice(owner, "cov_update", self.cov_update, ("sum", "delta"))
        check_choice(owner, "loss", self.loss, ("squared_hinge",))
        k = None if self.constraints == "all" else int(self.constraints)
        return task.MulticlassJoint(method="arow", r=self.r, k=k, cov_update=self.cov_update)
