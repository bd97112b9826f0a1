"""Learning real targets, once for every regressor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from .. import _core, task
from .._numpy import np
from .._sklearn import RegressorMixin, is_lean
from ..exceptions import DataError
from ..model.labels import Labels
from ..model.learner import Report, targets_of, weights_of, weighty
from ..model.rows import Rows, refuse, refuse_masked
from .base import Array, LinearEstimator

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..model.stream import RowStream

__all__ = ["OnlineRegressor"]


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class OnlineRegressor(RegressorMixin, LinearEstimator):
    """What all regressors share; see `_parameters.SHARED_PARAMETERS` for the parameters."""

    _with_variances: ClassVar[str] = "AROWRegressor"

    # ------------------------------------------------------------------ what a subclass says

    def _task(self) -> Any:
        """The task these parameters mean."""
        return task.Regression()

    # ------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
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
        self._check_parameters()
        go_on = self.warm_start and self._so_far() is not None
        with self._all_or_nothing():
            rows, targets = self._validated(X, y, reset=not go_on)
            weights = self._fit_weights(sample_weight, rows.n_rows)
            self._make_room(rows, self._state_dtype(X), anew=not go_on)
            if weights is not None:
                self._inspect(
                    rows, self._learner.dtype
                )  # those of no weight are not learned, and must be sound too
            self._make_passes(
                weighty(weights, rows.n_rows),
                lambda order, first: self._learner.learn_rows(
                    rows, targets, weights, order=order, checked=True
                ),
            )
        return self

    def partial_fit(self, X: Any, y: Any = None, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from one batch, in the given order, once.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples; or, alone, a batch or all that `onlinear.read` gives.
        y : array of shape (n_samples,)
            Their targets.
        sample_weight : array of shape (n_samples,), optional
            Example weights; 0 is an exact no-op.

        Returns
        -------
        self
        """
        if y is None and self._learn_stream(X):
            return self
        first = self._so_far() is None
        rows = None if first else self._quick(X)
        inspected = rows is None
        with self._all_or_nothing() as restore:
            if rows is None:
                self._check_parameters()
                rows, targets = self._validated(X, y, reset=first)
                weights = weights_of(sample_weight, rows.n_rows)
                if self._are_weightless(rows, weights, self._state_dtype(X)):
                    restore()
                    return self
                self._make_room(rows, self._state_dtype(X), anew=first)
            else:
                targets = targets_of(y, rows.n_rows)
                weights = weights_of(sample_weight, rows.n_rows)
            self._learner.learn_rows(rows, targets, weights, checked=inspected)
        return self

    def learn_one(self, x: Mapping[Any, Any], y: float, w: float = 1.0) -> Self:
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
        try:
            target = float(y)
        except (TypeError, ValueError):
            raise DataError(f"y must be a number, got {y!r}") from None
        if self._so_far() is not None:
            self._learn_dict(x, w, target=target)
            return self
        self._check_parameters()
        if not np.isfinite(target):
            raise DataError(f"y must be finite, got {y!r}")
        if not self._is_weightless(x, w, self._dict_dtype()):
            with self._all_or_nothing(single=True):
                self._labels = Labels()
                self._start(0, np.empty(0), self._dict_dtype())
                self._learn_dict(x, w, target=target)
        return self

    def _stream(self, **options: Any) -> RowStream:
        from ..model.task_streams import TargetStream

        return TargetStream(self, **options)

    def _error(self, report: Report, n: int) -> float:
        return report.cost / n

    def _slack(self, best: float) -> float:
        return self.tol * best if np.isfinite(best) else 0.0

    # ------------------------------------------------------------------ getting ready

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        rows = self._checked_rows(X, reset=reset)
        if not is_lean():
            from sklearn.utils.validation import check_consistent_length, column_or_1d

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

    def _start(self, n_features: int, classes: Array | list[Any], dtype: str, *, anew: bool = True) -> None:
        rule, known = self.axes()
        self._learner = self._make_learner(self._task(), rule, known, n_features, None, dtype, anew=anew)
        self.n_features_in_ = n_features

    # ------------------------------------------------------------------ predicting

    def predict(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
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
        self._need_variance()
        rows = self._rows_to_read(X)
        mean = self._learner.read_rows(rows, n_threads=self._threads())[:, 0]
        variance = self._learner.read_rows(rows, variances=True, n_threads=self._threads())[:, 0]
        return mean, np.sqrt(variance)

    def predict_one(self, x: Mapping[Any, Any]) -> float:
        """The expected target of one dict of features; 0 before any learning.

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
        self._need_variance()
        deviation: Array = np.sqrt(self._weights("variance")[0][0])
        return deviation

    @property
    def total_loss_(self) -> float:
        """Sum of the absolute errors of all predictions made before learning."""
        return self._ready().total_cost
