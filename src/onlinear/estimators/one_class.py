"""Passive-Aggressive one-class learning."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt

from .. import rule, task
from .._sklearn import OutlierMixin
from ..exceptions import ModelFileError
from ..model.labels import Labels
from ..model.learner import Report, weights_of, weighty
from ..model.parameters import check_number, estimator
from .base import Array, OnlineEstimator

if TYPE_CHECKING:
    from ..model.stream import RowStream

__all__ = ["PassiveAggressiveOneClass"]


@estimator
class PassiveAggressiveOneClass(OutlierMixin, OnlineEstimator):
    r"""One class by Passive-Aggressive: a ball that should hold every example.

    Stays as it is when an example lies in the ball and otherwise moves the centre towards it as little as it
    must. With loss ℓ = max(0, \|x - μ\| - ε), where ε is the radius:

    .. math:: τ = ℓ, \quad \min(C, ℓ), \quad \frac{ℓ}{1 + 1/(2C)}, \qquad μ ← μ + τ \frac{x - μ}{\|x - μ\|}

    Parameters
    ----------
    variant : {"pa", "pa1", "pa2"}, default="pa1"
        No slack, linear slack, squared slack.
    C : float, default=0.1
        Price of leaving an example outside, in (0, inf); small values resist outliers. Example weights
        multiply it. PA has no price and treats every positive weight as 1.
    radius : float, default=1.0
        Radius of the ball, in [0, inf), unless it is learned.
    max_radius : float, default=None
        Learn the radius as well: it starts at 0 and grows as it must, at most to this.
    contamination : float, default=None
        Share of the examples `fit` should call outliers, in (0, 0.5]; None calls outlier what lies outside
        the ball.

    Attributes
    ----------
    center_ : ndarray of shape (n_features,)
        The centre of the ball.
    radius_ : float
        Its radius.
    offset_ : float
        What `score_samples` is compared with: minus the radius, or what `contamination` asks for.
    total_loss_ : float
        Sum of the losses of all examples before they were learned.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 6.

    Examples
    --------
    >>> from onlinear import PassiveAggressiveOneClass
    >>> X = [[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    >>> model = PassiveAggressiveOneClass(radius=2.0, random_state=0).fit(X)
    >>> print(model.predict([[0.5, 0.5], [9.0, 9.0]]))
    [ 1 -1]
    """

    variant: Literal["pa", "pa1", "pa2"] = "pa1"
    C: float = 0.1
    radius: float = 1.0
    max_radius: float | None = None
    contamination: float | None = None

    if TYPE_CHECKING:
        _cut: float | None = field(init=False)

    def _rule(self) -> Any:
        return rule.PassiveAggressive(variant=self.variant, C=self.C)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        check_number(owner, "radius", self.radius, 0.0)
        if self.max_radius is not None:
            check_number(owner, "max_radius", self.max_radius, 0.0, 1e150, open_low=True)
        if self.contamination is not None:
            check_number(owner, "contamination", self.contamination, 0.0, 0.5, open_low=True)

    # ------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from arrays, starting anew (or going on, with `warm_start`).

        Parameters
        ----------
        y : ignored
            Present for the sake of pipelines.
        """
        go_on = self.warm_start and self._so_far() is not None
        self._check_parameters()
        with self._all_or_nothing():
            rows = self._checked_rows(X, reset=not go_on)
            weights = self._fit_weights(sample_weight, rows.n_rows)
            self._make_room(rows, self._state_dtype(X), anew=not go_on)
            if weights is not None:
                self._inspect(
                    rows, self._learner.dtype
                )  # those of no weight are not learned, and must be sound too
            self._make_passes(
                weighty(weights, rows.n_rows),
                lambda order, first: self._learner.learn_rows(rows, None, weights, order=order, checked=True),
            )
        if self.contamination is not None:
            distances = self._learner.read_rows(rows, n_threads=self._threads())[:, 0]
            if weights is not None:
                distances = distances[weights > 0]
            self._cut = float(np.quantile(distances, 1 - self.contamination))
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from one batch, in the given order, once.

        Parameters
        ----------
        y : ignored
            Present for the sake of pipelines.
        """
        if self._learn_stream(X):
            return self
        first = self._so_far() is None
        rows = None if first else self._quick(X)
        inspected = rows is None
        with self._all_or_nothing() as restore:
            if rows is None:
                self._check_parameters()
                rows = self._checked_rows(X, reset=first)
                weights = weights_of(sample_weight, rows.n_rows)
                if self._are_weightless(rows, weights, self._state_dtype(X)):
                    restore()
                    return self
                self._make_room(rows, self._state_dtype(X), anew=first)
            else:
                weights = weights_of(sample_weight, rows.n_rows)
            self._learner.learn_rows(rows, None, weights, checked=inspected)
        return self

    def learn_one(self, x: Mapping[Any, Any], y: Any = None, w: float = 1.0) -> Self:
        """Learn one example from a dict of features; river's verb.

        Parameters
        ----------
        y : ignored
            Present for the sake of pipelines.
        """
        if self._so_far() is not None:
            self._learn_dict(x, w)
            return self
        self._check_parameters()
        if not self._is_weightless(x, w, self._dict_dtype()):
            with self._all_or_nothing(single=True):
                self._labels = Labels()
                self._start(0, np.empty(0), self._dict_dtype())
                self._learn_dict(x, w)
        return self

    def _stream(self, **options: Any) -> RowStream:
        from ..model.task_streams import OneClassStream

        return OneClassStream(self, **options)

    def _error(self, report: Report, n: int) -> float:
        return report.cost / n

    def _slack(self, best: float) -> float:
        return self.tol * best if np.isfinite(best) else 0.0

    # ------------------------------------------------------------------ getting ready

    def _start(self, n_features: int, classes: Array | list[Any], dtype: str, *, anew: bool = True) -> None:
        rule, known = self.axes()
        asked = task.OneClass(radius=self.radius, max_radius=self.max_radius)
        self._learner = self._make_learner(asked, rule, known, n_features, None, dtype, anew=anew)
        self.n_features_in_ = n_features
        self._cut = None

    # ------------------------------------------------------------------ predicting

    def score_samples(self, X: Any) -> Array:
        """Minus the distance of each row from the centre: the larger, the more ordinary.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return -self._blocks(X)[:, 0]

    def decision_function(self, X: Any) -> Array:
        """How far inside (positive) or outside (negative) each row lies.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: Any) -> Array:
        """1 for rows inside, -1 for outliers.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def score_one(self, x: Mapping[Any, Any]) -> float:
        """Distance of one dict of features from the centre, river's anomaly score; 0 before any learning.

        Parameters
        ----------
        x : dict
            Feature names (or column numbers) and their values.

        Returns
        -------
        float
        """
        if self.__dict__.get("_learner") is None:
            return 0.0
        return float(self._dict_blocks(x)[0, 0])

    # ------------------------------------------------------------------ fitted state

    @property
    def center_(self) -> Array:
        """The centre of the ball."""
        center: Array = self._weights("mean")[0][0]
        return center

    @property
    def radius_(self) -> float:
        """The radius of the ball."""
        learner = self._ready()
        if self.max_radius is None:
            return float(self.radius)
        # The paper's reduction: one more coordinate starts at the bound; what it has lost is the radius.
        omega = min(max(learner.state()["threshold"], 0.0), self.max_radius)
        return float(np.sqrt((self.max_radius - omega) * (self.max_radius + omega)))

    @property
    def offset_(self) -> float:
        """What `score_samples` is compared with."""
        self._ready()
        return -(self._cut if self._cut is not None else self.radius_)

    def _extras(self) -> dict[str, Any]:
        return {"cut": self._cut}

    def _take_extras(self, extras: dict[str, Any]) -> None:
        cut = extras["cut"]
        if cut is not None and not math.isfinite(cut):
            raise ModelFileError("the cut of the scores is not finite")
        self._cut = None if cut is None else float(cut)

    @property
    def total_loss_(self) -> float:
        """Sum of the losses of all examples before they were learned."""
        return self._ready().total_cost
