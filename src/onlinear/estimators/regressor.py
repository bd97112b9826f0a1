"""Regressors: scikit-learn's manners around a model of targets."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.utils.validation import check_consistent_length, column_or_1d

from .. import _core
from ..model.arrays import targets_of, weighty
from ..model.native import Report
from ..model.recipe import Recipe
from ..model.regressor import RegressorModel
from ..model.rows import Rows, refuse, refuse_masked
from ..model.undo import all_or_nothing
from ..model.weights import weights_of
from .base import LinearShell
from .making import shell
from .rounds import KeepsRounds
from .scoring import answered, is_stream

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..model.types import Array, Features, LabelsLike, MatrixLike

__all__ = ["OnlineRegressor"]


@shell
class OnlineRegressor(RegressorMixin, KeepsRounds, LinearShell[RegressorModel]):  # type: ignore[misc]
    """What all regressors share."""

    model_class = RegressorModel

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe."""
        return recipe.kind == "regression"

    # ------------------------------------------------------------------ learning

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from arrays, starting anew (or going on, with `warm_start`).

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array of shape (n_samples,)
            Their targets.
        sample_weight : array of shape (n_samples,), optional
            Example weights; 0 is an exact no-op.

        Returns
        -------
        self
        """
        recipe = self._recipe()
        recipe.check()
        recipe.repeats = self.passes > 1
        model = (self._so_far() if self.warm_start else None) or RegressorModel(recipe)
        try:
            with all_or_nothing(model):
                rows, targets = self._validated(X, y, model)
                weights = self._fit_weights(sample_weight, rows.n_rows)
                model.make_room(rows, self._state_dtype(X, rows), anew=model.native is None)
                learner = model.learner
                if weights is not None:  # rows of no weight are not learned, and must be sound too
                    model.inspect(rows, learner.dtype)
                self._make_passes(
                    model,
                    weighty(weights, rows.n_rows),
                    lambda order, first: learner.learn_rows(
                        rows, targets, weights, order=order, checked=True
                    ),
                )
        finally:
            self._keep(model, X)
        return self

    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        record: str | Sequence[str] | None = None,
    ) -> Self:
        """Learn from one batch, in the given order, once.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples; or, alone, a batch or all that `onlinear.read` gives.
        y : array of shape (n_samples,)
            Their targets.
        sample_weight : array of shape (n_samples,), optional
            Example weights; 0 is an exact no-op.
        record : str or sequence of str, optional
            What to keep of every round in `rounds_`, which says what there is.

        Returns
        -------
        self
        """
        if y is None and self._learn_stream(X, record):
            return self
        rounds = self._rounds_of(record)
        model = self._begun()
        rows = self._quick(X)
        inspected = rows is None
        try:
            with all_or_nothing(model) as undo:
                if rows is None:
                    rows, targets = self._validated(X, y, model)
                    weights = weights_of(sample_weight, rows.n_rows)
                    if model.are_weightless(rows, weights, self._state_dtype(X, rows)):
                        undo.back()
                        return self
                    model.make_room(rows, self._state_dtype(X, rows), anew=model.native is None)
                else:
                    targets = targets_of(y, rows.n_rows)
                    weights = weights_of(sample_weight, rows.n_rows)
                learn = model.learner.learn_rows if rounds is None else partial(rounds.learn, model)
                with self._kept(rounds, model, rows.n_rows):
                    learn(rows, targets, weights, checked=inspected)
        finally:
            self._keep(model, X)
        return self

    def learn_one(self, x: Features, y: float, w: float = 1.0) -> Self:
        """Learn one example from a dict of features; river's verb.

        Parameters
        ----------
        x : dict
            Feature names (or column numbers) and their values. String values are categories.
        y : float
            Its target.
        w : float, default=1.0
            Its weight.

        Returns
        -------
        self
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

    # ------------------------------------------------------------------ getting ready

    def _validated(self, X: MatrixLike, y: LabelsLike, model: RegressorModel) -> tuple[Rows, Array]:
        rows = self._checked_rows(X, model)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        refuse_masked(y, "y")
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        targets = targets_of(y, rows.n_rows)
        bad = ~np.isfinite(targets)
        if bad.any():
            raise refuse(int(_core.Fault.bad_target.value), int(np.flatnonzero(bad)[0]), -1)
        return rows, targets

    # ------------------------------------------------------------------ predicting

    def score(self, X: Any, y: LabelsLike | None = None, sample_weight: npt.ArrayLike | None = None) -> float:
        """The coefficient of determination, R²: 1 is perfect, 0 what the mean of the targets gets.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), or what `onlinear.read` gives
            The rows; a reader has the targets and weights with it, and is gone through once, three numbers a row being kept.
        y : array of shape (n_samples,), optional
            Their targets.
        sample_weight : array of shape (n_samples,), optional
            Their weights.

        Returns
        -------
        float
        """
        if not is_stream(X):
            determined: float = super().score(X, y, sample_weight)
            return determined
        truth, predicted, weight = answered(self.predict, X, y, sample_weight, numbers=True)
        return float(r2_score(truth, predicted, sample_weight=weight))

    def predict(self, X: MatrixLike, return_std: bool = False) -> Array | tuple[Array, Array]:
        """The expected target of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.
        return_std : bool, default=False
            Whether to return the standard deviation of each prediction under the belief as well: how unsure
            the weights leave it, not how noisy targets are.

        Returns
        -------
        mean : ndarray of shape (n_samples,)
        std : ndarray of shape (n_samples,)
            Only with `return_std`.
        """
        if not return_std:
            return self._blocks(X)[:, 0]
        learner = self._ready().with_variance()
        rows = self._rows_to_read(X)
        mean = learner.read_rows(rows, n_threads=self._threads())[:, 0]
        variance = learner.read_rows(rows, variances=True, n_threads=self._threads())[:, 0]
        return mean, np.sqrt(variance)

    def predict_one(self, x: Features) -> float:
        """The expected target of one dict of features; 0 before any learning.

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
    def coef_(self) -> Array:
        """The weights predictions are made with, shape (n_features,)."""
        coefficients: Array = self._weights("average")[0][0]
        return coefficients

    @property
    def intercept_(self) -> float:
        """The intercept."""
        return float(self._weights("average")[1][0, 0])

    @property
    def coef_std_(self) -> Array:
        """Standard deviation of every weight."""
        self._ready().with_variance()
        deviation: Array = np.sqrt(self._weights("variance")[0][0])
        return deviation

    @property
    def total_loss_(self) -> float:
        """Sum of the absolute errors of all predictions made before learning."""
        return self._ready().learner.total_cost
