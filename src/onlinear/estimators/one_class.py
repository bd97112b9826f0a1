"""The one-class estimator: scikit-learn's manners around a model of one class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np
from sklearn.base import OutlierMixin

from ..model.arrays import weighty
from ..model.native import Report
from ..model.one_class import OneClassModel
from ..model.recipe import Recipe
from ..model.undo import all_or_nothing
from ..model.weights import weights_of
from .base import RowShell
from .documentation import documented
from .making import shell

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..model.types import Array, Features, LabelsLike, MatrixLike

__all__ = ["OnlineOneClass"]


@shell
@documented
class OnlineOneClass(OutlierMixin, RowShell[OneClassModel]):  # type: ignore[misc]
    """What one-class learners share."""

    model_class = OneClassModel

    if TYPE_CHECKING:
        contamination: float | None

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe."""
        return recipe.kind == "one-class"

    # ------------------------------------------------------------------ learning

    def fit(self, X: MatrixLike, y: LabelsLike = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from arrays, starting anew (or going on, with `warm_start`).

        Parameters
        ----------
        y : ignored
            Present for the sake of pipelines.
        """
        recipe = self._recipe()
        recipe.check()
        model = (self._so_far() if self.warm_start else None) or OneClassModel(recipe)
        try:
            with all_or_nothing(model):
                rows = self._checked_rows(X, model)
                weights = self._fit_weights(sample_weight, rows.n_rows)
                model.make_room(rows, self._state_dtype(X, rows), anew=model.native is None)
                learner = model.learner
                if weights is not None:  # rows of no weight are not learned, and must be sound too
                    model.inspect(rows, learner.dtype)
                self._make_passes(
                    model,
                    weighty(weights, rows.n_rows),
                    lambda order, first: learner.learn_rows(rows, None, weights, order=order, checked=True),
                )
                if recipe.by_share or recipe.contamination is not None:
                    distances = learner.read_rows(rows, n_threads=self._threads())[:, 0]
                    if weights is not None:
                        distances = distances[weights > 0]
                    if recipe.by_share:
                        model.know_distances(distances)
                    if recipe.contamination is not None:
                        model.cut = float(np.quantile(distances, 1 - recipe.contamination))
        finally:
            self._keep(model, X)
        return self

    def partial_fit(
        self, X: MatrixLike, y: LabelsLike = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Learn from one batch, in the given order, once.

        Parameters
        ----------
        y : ignored
            Present for the sake of pipelines.
        """
        if self._learn_stream(X):
            return self
        model = self._begun()
        rows = self._quick(X)
        inspected = rows is None
        try:
            with all_or_nothing(model) as undo:
                if rows is None:
                    rows = self._checked_rows(X, model)
                    weights = weights_of(sample_weight, rows.n_rows)
                    if model.are_weightless(rows, weights, self._state_dtype(X, rows)):
                        undo.back()
                        return self
                    model.make_room(rows, self._state_dtype(X, rows), anew=model.native is None)
                else:
                    weights = weights_of(sample_weight, rows.n_rows)
                model.learner.learn_rows(rows, None, weights, checked=inspected)
        finally:
            self._keep(model, X)
        return self

    def learn_one(self, x: Features, y: LabelsLike = None, w: float = 1.0) -> Self:
        """Learn one example from a dict of features; river's verb.

        Parameters
        ----------
        y : ignored
            Present for the sake of pipelines.
        """
        model = self._begun()
        try:
            model.learn_one(x, y, w)
        finally:
            self._keep(model)
        return self

    def _error(self, report: Report, n: int) -> float:
        return report.cost / n

    def _slack(self, best: float) -> float:
        return self.tol * best if np.isfinite(best) else 0.0

    # ------------------------------------------------------------------ predicting

    def score_samples(self, X: MatrixLike) -> Array:
        """Minus the distance of each row from the centre: the larger, the more ordinary.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return -self._blocks(X)[:, 0]

    def decision_function(self, X: MatrixLike) -> Array:
        """How far inside (positive) or outside (negative) each row lies.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self.score_samples(X) - self.offset_

    def predict(self, X: MatrixLike) -> Array:
        """1 for rows inside, -1 for outliers.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def score_one(self, x: Features) -> float:
        """Distance of one dict of features from the centre, river's anomaly score; 0 before any learning.

        Parameters
        ----------
        x : dict
            Feature names (or column numbers) and their values.

        Returns
        -------
        float
        """
        return 0.0 if self._model is None else float(self._model.read_dict(x)[0])

    # ------------------------------------------------------------------ fitted state

    @property
    def center_(self) -> Array:
        """The centre of the ball."""
        center: Array = self._weights("mean")[0][0]
        return center

    @property
    def radius_(self) -> float:
        """The radius of the ball."""
        return self._ready().radius

    @property
    def offset_(self) -> float:
        """What `score_samples` is compared with."""
        model = self._ready()
        return -(model.cut if model.cut is not None else model.radius)

    @property
    def total_loss_(self) -> float:
        """Sum of the losses of all examples before they were learned."""
        return self._ready().learner.total_cost
