"""The classifier."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import check_random_state
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets, unique_labels
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import validate_data

from ..algorithms.passive_aggressive import PassiveAggressive
from ..exceptions import DataError, ParameterError
from ..model.arrays import to_rows
from ..model.classifier import ClassifierModel
from ._taught import MOST, Problem, Taught, squares

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..model.rows import Rows
    from ..model.types import Array, LabelsLike, MatrixLike, Seed

__all__ = ["PassiveAggressiveClassifier"]


class PassiveAggressiveClassifier(ClassifierMixin, Taught):  # type: ignore[misc]
    r"""scikit-learn's Passive-Aggressive classifier: PA-I and PA-II, one class against the rest.

    On an example with y = ±1 and loss ℓ = max(0, 1 - y (w·x + b)):

    .. math:: τ = \min\left(C, \frac{ℓ}{\|x\|^2}\right), \quad \frac{ℓ}{\|x\|^2 + 1/(2C)}, \qquad
        w ← w + c_y τ y\, x, \quad b ← b + c_y τ y

    with c the weight of the class. The intercept has no part in the norm, which is where this differs from
    `onlinear.PassiveAggressiveClassifier`; on sparse rows it moves by a hundredth of the step.

    Parameters
    ----------
    C : float, default=1.0
        Largest step of PA-I, and what limits the steps of PA-II, in (0, inf); small values resist label noise.
    fit_intercept : bool, default=True
        Whether to learn an intercept.
    max_iter : int, default=1000
        Passes `fit` makes at most.
    tol : float or None, default=1e-3
        `fit` ends when the mean loss of a pass is not below the best one by more than this for `n_iter_no_change` passes;
        None makes `max_iter` passes.
    early_stopping : bool, default=False
        Whether to decide so by the accuracy on held-out rows.
    validation_fraction : float, default=0.1
        The share of rows held out for `early_stopping`, in (0, 1).
    n_iter_no_change : int, default=5
        Passes without improvement before `fit` ends.
    shuffle : bool, default=True
        Whether to visit the rows in another order on every pass; the orders are scikit-learn's for the same seed.
    verbose : int, default=0
        Whether to print a line for every pass.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        PA-I or PA-II.
    n_jobs : int or None, default=None
        Threads for several classes; -1 uses all processors.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling and of what is held out.
    warm_start : bool, default=False
        Whether `fit` begins from the weights of the last one.
    class_weight : dict, "balanced" or None, default=None
        What the steps on a class are multiplied by.
    average : bool or int, default=False
        Whether to predict with the mean of the weights after each round; a number n counts from round n on.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The weights.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.
    n_iter_ : int
        Passes made, by the class that needed most.
    t_ : float
        Rounds made, and one.
    estimators_ : list of onlinear.PassiveAggressiveClassifier
        The models that learned, one for each class or one for two: they explain, and are saved.
    n_features_in_ : int
        Features known.
    feature_names_in_ : ndarray of str
        Their names, when `fit` saw any.

    See Also
    --------
    onlinear.PassiveAggressiveClassifier : For new code.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006.

    Examples
    --------
    >>> from onlinear.linear_model import PassiveAggressiveClassifier
    >>> model = PassiveAggressiveClassifier(max_iter=100, tol=1e-3, random_state=0)
    >>> model.fit([[0.0, 1.0], [1.0, 0.0]], ["ham", "spam"]).predict([[0.9, 0.1]])
    array(['spam'], dtype='<U4')
    >>> model.n_iter_
    7
    """

    _losses = ("hinge", "squared_hinge")

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
        loss: str = "hinge",
        n_jobs: int | None = None,
        random_state: Seed = None,
        warm_start: bool = False,
        class_weight: Any = None,
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
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.warm_start = warm_start
        self.class_weight = class_weight
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
            Their classes.
        coef_init : array of shape (n_classes, n_features), optional
            Weights to begin from.
        intercept_init : array of shape (n_classes,), optional
            Intercepts to begin from.

        Returns
        -------
        self
        """
        self._check()
        X, y = self._validated(X, y, reset=True)
        classes = unique_labels(y)
        if len(classes) < 2:
            raise DataError(
                f"{type(self).__name__}: The number of classes has to be greater than one; got {len(classes)} class"
            )
        n_blocks = 1 if len(classes) == 2 else len(classes)
        coef, intercept = self._begins_from(coef_init, intercept_init, n_blocks, X.shape[1])
        problems = self._started(classes, X, coef, intercept)
        made = self._learn(problems, classes, X, y, self.max_iter)
        self._keep(problems, classes)
        self._end(made, len(y), self.max_iter, fit=True)
        return self

    def partial_fit(self, X: MatrixLike, y: LabelsLike, classes: npt.ArrayLike | None = None) -> Self:
        """Make one pass over a batch.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array of shape (n_samples,)
            Their classes.
        classes : array, optional
            All classes there will be; the first call must say them.

        Returns
        -------
        self
        """
        first = not hasattr(self, "classes_")
        self._check(for_partial_fit=first)
        if first and isinstance(self.class_weight, str) and self.class_weight == "balanced":
            raise ParameterError(
                f"{type(self).__name__}: class_weight 'balanced' is not supported for partial_fit, which does not know all "
                "rows. Give the weights as a dict, or take onlinear.PassiveAggressiveClassifier, which balances as it goes."
            )
        if first and classes is None:
            raise DataError("classes must be passed on the first call to partial_fit.")
        known = unique_labels(classes) if first else self.classes_
        if not first and classes is not None and not np.array_equal(known, unique_labels(classes)):
            raise DataError(
                f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}"
            )
        X, y = self._validated(X, y, reset=first)
        stray = np.setdiff1d(y, known)
        if len(stray):
            raise DataError(
                f"y contains {stray.tolist()[0]!r}, which is none of the classes given to partial_fit"
            )
        problems = self._started(known, X, None, None) if first else self._problems
        try:
            made = self._learn(problems, known, X, y, 1)
        finally:
            if not first:
                self._keep(problems, known)
        self._keep(problems, known)
        self._end(made, len(y), 1, fit=False)
        return self

    def _validated(self, X: MatrixLike, y: LabelsLike, *, reset: bool) -> tuple[Any, Array]:
        X, y = validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            accept_large_sparse=False,
            reset=reset,
        )
        check_classification_targets(y)
        return X, y

    def _started(self, classes: Array, X: Any, coef: Array | None, intercept: Array | None) -> list[Problem]:
        """New problems: one for two classes, else one for each against the rest."""
        asked = [classes] if len(classes) == 2 else [np.array([False, True])] * len(classes)
        told = self._told(X)
        problems = [self._problem(ClassifierModel, PassiveAggressive(**told), each) for each in asked]
        for block, problem in enumerate(problems):
            first, offset = (None if given is None else given[block] for given in (coef, intercept))
            problem.start(X.shape[1], str(X.dtype), first, offset)
        return problems

    def _learn(self, problems: list[Problem], classes: Array, X: Any, y: Array, passes: int) -> int:
        """Make up to so many passes over rows for every problem; how many the slowest made."""
        weigh = compute_class_weight(self.class_weight, classes=classes, y=y)
        rows, rng = to_rows(X), check_random_state(self.random_state)
        places = np.searchsorted(classes, y)
        for problem in problems:
            self._follow(problem, X)
        teach = partial(self._teach_class, X=X, rows=rows, passes=passes)
        if len(problems) == 1:
            rng.randint(1, MOST)  # which scikit-learn draws for something else
            held = self._held_out(places, StratifiedShuffleSplit)
            weights = weigh[places]
            return teach(problems[0], y=(places == 1), weights=weights, held=held, seed=rng.randint(MOST))
        held = self._held_out(y, StratifiedShuffleSplit)
        rngs = [check_random_state(seed) for seed in rng.randint(MOST, size=len(problems))]
        seeds = [(each.randint(1, MOST), each.randint(MOST))[1] for each in rngs]
        made = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(teach)(
                problem,
                y=(places == k),
                weights=np.where(places == k, weigh[k], 1.0),
                held=held,
                seed=seed,
            )
            for k, (problem, seed) in enumerate(zip(problems, seeds, strict=True))
        )
        return int(max(made))

    def _teach_class(
        self,
        problem: Problem,
        *,
        X: Any,
        rows: Rows,
        y: Array,
        weights: Array,
        held: Array,
        seed: int,
        passes: int,
    ) -> int:
        """Teach which rows are of a class."""
        # A class of no weight is a round that moves nothing; a row of zeros under PA-I is none at all.
        weights = np.maximum(weights, np.finfo(np.float64).tiny)
        if self.loss == self._losses[0]:
            weights = np.where(squares(X) > 0, weights, 0.0)
        right = y[held]

        def score(problem: Problem) -> float:
            coef, intercept = problem.weights("mean")
            return float(np.mean((safe_sparse_dot(X[held], coef) + intercept > 0) == right))

        def losses(label: Array, scores: Array) -> Array:
            return np.maximum(0.0, 1.0 - (2 * label - 1) * scores)

        return self._teach(problem, rows, y.astype(np.int32), weights, held, seed, passes, losses, score)

    def _keep(self, problems: list[Problem], classes: Array) -> None:
        """Show what has been learned."""
        weights = [problem.weights("average") for problem in problems]
        self._problems, self.classes_ = problems, classes
        self.coef_ = np.stack([coef for coef, _ in weights])
        self.intercept_ = np.concatenate([intercept for _, intercept in weights])

    def decision_function(self, X: MatrixLike) -> Array:
        """The linear scores.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive means ``classes_[1]``.
        """
        return self._scores(X)

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self._scores(X)
        places = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        predicted: Array = self.classes_[places]
        return predicted
