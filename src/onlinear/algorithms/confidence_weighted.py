"""Confidence-Weighted learning."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

from .. import rule
from ..estimators.classifier import GaussianClassifier
from ..model.parameters import check_number, estimator

__all__ = ["ConfidenceWeightedClassifier"]


class Level(float):
    """A confidence level that can also be asked: ``model.confidence`` is η, ``model.confidence(X)`` the probabilities."""

    _owner: Any

    def __new__(cls, value: float, owner: Any) -> Self:
        """Bind a level to its estimator."""
        level = super().__new__(cls, value)
        level._owner = owner
        return level

    def __call__(self, X: Any) -> Any:
        """Probability, under the Gaussian belief, that each prediction is on the right side."""
        return self._owner._confidence(X)

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        return float, (float(self),)


class ConfidenceLevel:
    """The parameter `confidence` of the confidence-weighted family, beside the method of that name all classifiers have."""

    def __init__(self, default: float) -> None:
        self.default = default

    def __get__(self, model: Any, owner: type) -> Any:
        if model is None:
            return self.default  # what the dataclass takes as the default
        value = model.__dict__["confidence"]
        return Level(value, model) if isinstance(value, int | float) else value

    def __set__(self, model: Any, value: float) -> None:
        model.__dict__["confidence"] = value


class ConfidentClassifier(GaussianClassifier):
    """What the confidence-weighted classifiers share: φ from `confidence` or `phi`."""

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Parameters by name, as scikit-learn wants them; `confidence` as it was given."""
        return {**super().get_params(deep), "confidence": self.__dict__["confidence"]}

    def _phi(self) -> float:
        owner, given = type(self).__name__, self.__dict__
        if given["phi"] is not None:
            check_number(owner, "phi", given["phi"], 0.0)
            return float(given["phi"])
        check_number(owner, "confidence", given["confidence"], 0.5, 1 - 2**-53)
        return rule.quantile(float(given["confidence"]))


@estimator
class ConfidenceWeightedClassifier(ConfidentClassifier):
    r"""Confidence-Weighted learning.

    The nearest Gaussian, in Kullback-Leibler divergence, under which the example is right with probability η = Φ(φ):

    .. math:: \min_{μ, Σ} KL(N(μ, Σ) \,\|\, N(μ_t, Σ_t)) \quad \text{s.t.}\ μ·δ ≥ φ\, δ^T Σ δ
        \quad\text{or}\quad μ·δ ≥ φ \sqrt{δ^T Σ δ}

    Very fast on clean data; a wrong label costs it dearly. See `SoftConfidenceWeightedClassifier` for noisy labels.

    Parameters
    ----------
    constraint : {"variance", "stdev"}, default="variance"
        Whether the margin is measured against its variance or its standard deviation.
    confidence : float, default=0.9
        η, in [0.5, 1).
    phi : float or None, default=None
        φ itself, at least 0, instead of `confidence`.
    covariance : {"diagonal", "full"}, default="diagonal"
        Full keeps correlations, at quadratic memory.
    projection : {"drop", "kl", "exact"}, default="drop"
        How a diagonal covariance follows the full update: its diagonal, the diagonal of its inverse, or the optimum among
        diagonals (by a root search).
    initial_variance : float, default=1.0
        Variance of every weight at the start.
    min_variance : float, default=0.0
        A floor under every variance; with covariance="full", under the variance of the score that an example has
        just updated, per unit of its squared length.

    Notes
    -----
    The rule has no price: every positive example weight counts as 1.

    References
    ----------
    .. [1] Crammer, Dredze, Pereira. JMLR 13, 2012. Sections 5 and 6.

    Examples
    --------
    >>> from onlinear import ConfidenceWeightedClassifier
    >>> model = ConfidenceWeightedClassifier(confidence=0.9).fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> model.predict([[0.9, 0.1]])
    array([1])
    """

    constraint: Literal["variance", "stdev"] = "variance"
    confidence: ConfidenceLevel = ConfidenceLevel(0.9)
    phi: float | None = None
    projection: Literal["kl", "drop", "exact"] = "drop"

    _projections: ClassVar[tuple[str, ...]] = ("kl", "drop", "exact")
    _ignores_weights: ClassVar[str | None] = "has no price, so every positive weight counts as 1"

    def _rule(self) -> Any:
        return rule.ConfidenceWeighted(constraint=self.constraint, phi=self._phi())
