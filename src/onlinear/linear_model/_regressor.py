"""The regressor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score
from sklearn.model_selection import ShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import validate_data

from ..algorithms.passive_aggressive import PassiveAggressiveRegression
from ..model.arrays import to_rows
from ..model.parameters import check_number
from ..model.regressor import RegressorModel
from ._taught import MOST, Problem, Taught, squares

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..model.types import Array, LabelsLike, MatrixLike, Seed, Values

__all__ = ["PassiveAggressiveRegressor"]


class PassiveAggressiveRegressor(RegressorMixin, Taught):  # type: ignore[misc]
    r"""scikit-learn's Passive-Aggressive regressor: PA-I and PA-II.

    With error e = y - (w·x + b) and loss ℓ = max(0, \|e\| - ε):

    .. math:: τ = \min\left(C, \frac{ℓ}{\|x\|^2}\right), \quad \frac{ℓ}{\|x\|^2 + 1/(2C)}, \qquad
        w ← w + τ \operatorname{sign}(e)\, x, \quad b ← b + τ \operatorname{sign}(e)

    The intercept has no part in the norm, which is where this differs from `onlinear.PassiveAggressiveRegressor`; on sparse
    rows it moves by a hundredth of the step.

    Parameters
    ----------
    C : float, default=1.0
        Largest step of PA-I, and what limits the steps of PA-II, in (0, inf); small values resist noise.
    fit_intercept : bool, default=True
        Whether to learn an intercept.
    max_iter : int, default=1000
        Passes `fit` makes at most.
    tol : float or None, default=1e-3
        `fit` ends when the mean loss of a pass is not below the best one by more than this for `n_iter_no_change` passes;
        None makes `max_iter` passes.
    early_stopping : bool, default=False
        Whether to decide so by R² on held-out rows.
    validation_fraction : float, default=0.1
        The share of rows held out for `early_stopping`, in (0, 1).
    n_iter_no_change : int, default=5
        Passes without improvement before `fit` ends.
    shuffle : bool, default=True
        Whether to visit the rows in another order on every pass; the orders are scikit-learn's for the same seed.
    verbose : int, default=0
        Whether to print a line for every pass.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
        PA-I or PA-II.
    epsilon : float, default=0.1
        Errors up to this are free, in [0, inf).
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling and of what is held out.
    warm_start : bool, default=False
        Whether `fit` begins from the weights of the last one.
    average : bool or int, default=False
        Whether to predict with the mean of the weights after each round; a number n counts from round n on.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        The weights.
    intercept_ : ndarray of shape (1,)
        The intercept.
    n_iter_ : int
        Passes made.
    t_ : float
        Rounds made, and one.
    estimators_ : list of onlinear.PassiveAggressiveRegressor
        The model that learned, alone: it explains, and is saved.
    n_features_in_ : int
        Features known.
    feature_names_in_ : ndarray of str
        Their names, when `fit` saw any.

    See Also
    --------
    onlinear.PassiveAggressiveRegressor : For new code.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 5.

    Examples
    --------
    >>> from onlinear.linear_model import PassiveAggressiveRegressor
    >>> X, y = [[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]
    >>> model = PassiveAggressiveRegressor(epsilon=0.01, tol=1e-6, random_state=0).fit(X, y)
    >>> print(model.predict([[3.0]]).round(1))
    [7.]
    """

    _losses = ("epsilon_insensitive", "squared_epsilon_insensitive")

    def __init__(
        self,
        *,
        C: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int = 5,
        shuffle: bool = True,
        verbose: int = 0,
        loss: str = "epsilon_insensitive",
        epsilon: float = 0.1,
        random_state: Seed = None,
        warm_start: bool = False,
        average: bool | int = False,
    ) -> None:
        self.C = C
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.verbose = verbose
        self.loss = loss
        self.epsilon = epsilon
        self.random_state = random_state
        self.warm_start = warm_start
        self.average = average

    def fit(
        self,
        X: MatrixLike,
        y: LabelsLike,
        coef_init: npt.ArrayLike | None = None,
        intercept_init: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from arrays, starting anew (or from the last weights, with `warm_start`).

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array of shape (n_samples,)
            Their targets.
        coef_init : array of shape (n_features,), optional
            Weights to begin from.
        intercept_init : array of shape (1,), optional
            The intercept to begin from.

        Returns
        -------
        self
        """
        self._check()
        X, y = self._validated(X, y, reset=True)
        coef, intercept = self._begins_from(coef_init, intercept_init, 1, X.shape[1])
        problem = self._started(X, coef, intercept)
        made = self._learn(problem, X, y, self.max_iter)
        self._keep(problem)
        self._end(made, len(y), self.max_iter, fit=True)
        return self

    def partial_fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Make one pass over a batch.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array of shape (n_samples,)
            Their targets.

        Returns
        -------
        self
        """
        first = not hasattr(self, "coef_")
        self._check(for_partial_fit=first)
        X, y = self._validated(X, y, reset=first)
        problem = self._started(X, None, None) if first else self._problems[0]
        try:
            made = self._learn(problem, X, y, 1)
        finally:
            if not first:
                self._keep(problem)
        self._keep(problem)
        self._end(made, len(y), 1, fit=False)
        return self

    def _check(self, *, for_partial_fit: bool = False) -> None:
        """Refuse parameters that are none."""
        super()._check(for_partial_fit=for_partial_fit)
        check_number(type(self).__name__, "epsilon", self.epsilon, 0.0)

    def _told(self, X: Any) -> Values:
        """These parameters as a recipe of ours has them, for rows of this kind."""
        return {**super()._told(X), "epsilon": self.epsilon}

    def _validated(self, X: MatrixLike, y: LabelsLike, *, reset: bool) -> tuple[Any, Array]:
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            accept_large_sparse=False,
            y_numeric=True,
            reset=reset,
        )
        return X, y.astype(X.dtype, copy=False).astype(np.float64)

    def _started(self, X: Any, coef: Array | None, intercept: Array | None) -> Problem:
        """A new problem."""
        problem = self._problem(RegressorModel, PassiveAggressiveRegression(**self._told(X)), None)
        problem.start(X.shape[1], str(X.dtype), coef, intercept)
        return problem

    def _learn(self, problem: Problem, X: Any, y: Array, passes: int) -> int:
        """Make up to so many passes over rows; how many were made."""
        self._follow(problem, X)
        held = self._held_out(y, ShuffleSplit)
        seed = check_random_state(self.random_state).randint(0, MOST)
        weights = None
        if self.loss == self._losses[0]:
            empty = squares(X) == 0
            weights = np.where(empty, 0.0, 1.0) if empty.any() else None

        def score(problem: Problem) -> float:
            coef, intercept = problem.weights("mean")
            return float(r2_score(y[held], safe_sparse_dot(X[held], coef) + intercept))

        def losses(target: Array, scores: Array) -> Array:
            missed: Array = np.maximum(0.0, np.abs(target - scores) - self.epsilon)
            return missed

        return self._teach(problem, to_rows(X), y, weights, held, seed, passes, losses, score)

    def _keep(self, problem: Problem) -> None:
        """Show what has been learned."""
        self._problems = [problem]
        self.coef_, self.intercept_ = problem.weights("average")

    def predict(self, X: MatrixLike) -> Array:
        """The expected target of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        return self._scores(X)
