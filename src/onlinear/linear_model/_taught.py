"""Models of ours, taught as scikit-learn teaches its own: passes, orders, averages, and when they end."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from ..estimators import shell_of
from ..exceptions import DataError, ParameterError
from ..model.arrays import is_sparse
from ..model.parameters import check_choice, check_flag, check_number

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from ..model.rows import Rows
    from ..model.types import Array, MatrixLike, Seed, Values

__all__ = ["MOST", "Problem", "Taught", "permutation", "squares"]

#: The share of a step that scikit-learn moves the intercept by where rows are sparse.
SPARSE_INTERCEPT = 0.01
#: Seeds are below this.
MOST = np.iinfo(np.int32).max


def permutation(n: int, seed: int) -> Array:
    """The order in which scikit-learn visits n rows of a stochastic gradient descent: exchanges drawn by xorshift.

    References
    ----------
    .. [1] Marsaglia. Xorshift RNGs. Journal of Statistical Software 8, 2003.
    """
    order, state = list(range(n)), seed or 1
    for i in range(n - 1):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        j = i + (state & 0x7FFFFFFF) % (n - i)
        order[i], order[j] = order[j], order[i]
    return np.array(order, dtype=np.int64)


@dataclass
class Problem:
    """A model of ours that is taught one binary problem, or one of targets, as scikit-learn would teach it."""

    model: Any
    classes: Array | None
    since: int  # the first round whose weights the average counts; 0: there is none
    rounds: int = 0

    def start(self, n_features: int, dtype: str, coef: Array | None, intercept: Array | None) -> None:
        """Make the learner, with weights to begin from."""
        self.model.recipe.average = self.since > 0 and self.rounds + 1 >= self.since
        self.model.labels = type(self.model.labels)()
        self.model.start(n_features, [] if self.classes is None else self.classes, dtype)
        if coef is not None or intercept is not None:
            first = np.zeros((1, n_features)) if coef is None else np.array(coef, np.float64).reshape(1, -1)
            offset = np.zeros(1) if intercept is None else np.array(intercept, np.float64).reshape(1)
            self.model.learner.handle.set_mean(np.ascontiguousarray(first), offset)

    def learn(
        self, rows: Rows, answers: Array, weights: Array | None, order: Array, *, calibrate: bool
    ) -> Array:
        """Learn rows in an order; returns their scores before."""
        scores = np.zeros((len(order), 1))
        counted = np.ones(len(order), dtype=bool) if weights is None else weights[order] > 0
        parts = [slice(0, len(order))]
        if (
            self.since > 1 and not self.model.recipe.average
        ):  # the average begins in the midst of this order, or later
            early = self.since - 1 - self.rounds
            place = int(np.searchsorted(np.cumsum(counted), early, side="right"))
            parts = [slice(0, place), slice(place, len(order))]
        for turn, part in enumerate(parts):
            if part.start == part.stop:
                continue
            if turn:
                native = self.model.learner
                self.start(native.n_features, native.dtype, *native.handle.mean())
            self.model.learner.learn_rows(
                rows,
                answers,
                weights,
                order=order[part],
                calibrate=calibrate,
                checked=True,
                scores=scores[part],
            )
            self.rounds += int(counted[part].sum())
        return scores[:, 0]

    def weights(self, name: str) -> tuple[Array, Array]:
        """Coefficients and intercept: the "mean" that learns, or the "average" that predicts."""
        coef, intercept = getattr(self.model.learner.handle, name)()
        dtype = np.dtype(self.model.learner.dtype)
        return coef[0].astype(dtype), intercept.reshape(1).astype(dtype)


class Taught(BaseEstimator):  # type: ignore[misc]
    """What both share: the parameters, the passes, when they end, and linear scores."""

    if TYPE_CHECKING:
        C: float
        fit_intercept: bool
        max_iter: int
        tol: float | None
        early_stopping: bool
        validation_fraction: float
        n_iter_no_change: int
        shuffle: bool
        verbose: int
        loss: str
        random_state: Seed
        warm_start: bool
        average: bool | int
        coef_: Any
        intercept_: Array

    #: The losses, PA-I's first.
    _losses: tuple[str, str]

    # ------------------------------------------------------------------ parameters

    def _check(self, *, for_partial_fit: bool = False) -> None:
        """Refuse parameters that are none."""
        owner = type(self).__name__
        check_number(owner, "C", self.C, 0.0, open_low=True)
        check_number(owner, "max_iter", self.max_iter, 1, whole=True)
        check_number(owner, "n_iter_no_change", self.n_iter_no_change, 1, whole=True)
        check_choice(owner, "loss", self.loss, self._losses)
        for name in ("fit_intercept", "early_stopping", "shuffle", "warm_start"):
            check_flag(owner, name, getattr(self, name))
        if self.tol is not None:
            check_number(owner, "tol", self.tol, 0.0)
        if not isinstance(self.average, bool | np.bool_):
            check_number(owner, "average", self.average, 1, whole=True)
        check_number(owner, "validation_fraction", self.validation_fraction, 0.0, 1.0, open_low=True)
        if self.validation_fraction == 1:
            raise ParameterError(
                f"{owner}: validation_fraction must be less than 1, got {self.validation_fraction!r}."
            )
        if self.early_stopping and for_partial_fit:
            raise ParameterError(f"{owner}: early_stopping should be False with partial_fit")

    def _told(self, X: Any) -> Values:
        """These parameters as a recipe of ours has them, for rows of this kind."""
        return {
            "variant": "pa1" if self.loss == self._losses[0] else "pa2",
            "C": self.C,
            "fit_intercept": bool(self.fit_intercept),
            "intercept_rate": SPARSE_INTERCEPT if is_sparse(X) else 1.0,
            "weighed": "step",
            "scale": None,
        }

    def _problem(self, kind: type[Any], recipe: Any, classes: Array | None) -> Problem:
        """A model of ours that has learned nothing."""
        recipe.owner = type(self).__name__
        return Problem(kind(recipe), classes, int(self.average))

    def _follow(self, problem: Problem, X: Any) -> None:
        """Go on with the parameters there are now, on rows of this kind."""
        recipe, told = problem.model.recipe, self._told(X)
        if any(getattr(recipe, name) != value for name, value in told.items()):
            changed = type(recipe)(**{**recipe.parameters(), **told})
            changed.owner = recipe.owner
            problem.model.follow(changed)

    # ------------------------------------------------------------------ learning

    def _held_out(self, y: Array, splitter: type[Any]) -> Array:
        """The rows that are not learned, as `early_stopping` asks."""
        held = np.zeros(len(y), dtype=bool)
        if self.early_stopping:
            split = splitter(test_size=self.validation_fraction, random_state=self.random_state)
            held[next(split.split(np.zeros((len(y), 1)), y))[1]] = True
        return held

    def _teach(
        self,
        problem: Problem,
        rows: Rows,
        answers: Array,
        weights: Array | None,
        held: Array,
        seed: int,
        passes: int,
        losses: Callable[[Array, Array], Array],
        score: Callable[[Problem], float],
    ) -> int:
        """Make passes until they are no better; how many were made."""
        began, n = time.perf_counter(), len(held)
        turn = permutation(n, seed) if self.shuffle else None
        order, taught = np.arange(n), int((~held).sum())
        slack = np.inf if self.tol is None else float(self.tol)
        best, worse = np.inf, 0
        for done in range(1, passes + 1):
            if turn is not None:
                order = order[turn]
            learned = order[~held[order]]
            if self.verbose > 0:
                print(f"-- Epoch {done}")
            scores = problem.learn(rows, answers, weights, learned, calibrate=done == 1)
            loss = float(np.cumsum(losses(answers[learned], scores))[-1]) / taught
            found = -score(problem) if self.early_stopping else loss
            if self.verbose > 0:
                self._tell(problem, done * taught, loss, -found if self.early_stopping else None, began)
            worse = worse + 1 if self.tol is not None and found > best - slack else 0
            best = min(best, found)
            if worse >= self.n_iter_no_change:
                if self.verbose > 0:
                    print(f"Convergence after {done} epochs took {time.perf_counter() - began:.2f} seconds")
                return done
        return passes

    def _tell(self, problem: Problem, t: int, loss: float, score: float | None, began: float) -> None:
        coef, intercept = problem.weights("mean")
        line = (
            f"Norm: {np.linalg.norm(coef):.2f}, NNZs: {np.count_nonzero(coef)}, Bias: {intercept[0]:.6f}, T: {t}, "
            f"Avg. loss: {loss:f}"
        )
        print(line if score is None else f"{line}, Validation score: {score:f}")
        print(f"Total training time: {time.perf_counter() - began:.2f} seconds.")

    def _end(self, made: int, n: int, passes: int, *, fit: bool) -> None:
        """Count the passes, and say where they did not suffice."""
        self.n_iter_ = made
        self.t_ = (1.0 if fit else getattr(self, "t_", 1.0)) + made * n
        if fit and self.tol is not None and made == passes:
            warnings.warn(
                "Maximum number of iteration reached before convergence. Consider increasing max_iter to improve the fit.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _begins_from(
        self, coef: Any, intercept: Any, n_blocks: int, n_features: int
    ) -> tuple[Array | None, Array | None]:
        """The weights `fit` begins from: those given, with `warm_start` those there are."""
        if self.warm_start and hasattr(self, "coef_"):
            coef = self.coef_ if coef is None else coef
            intercept = self.intercept_ if intercept is None else intercept
        coef = coef.toarray() if is_sparse(coef) else coef
        for name, value, size in (
            ("coef_init", coef, n_blocks * n_features),
            ("intercept_init", intercept, n_blocks),
        ):
            if value is not None and np.size(value) != size:
                raise DataError(
                    f"{type(self).__name__}: {name} must hold {size} numbers, a row of {n_features} weights and an intercept "
                    f"for each of {n_blocks} problems; its shape is {np.shape(value)}"
                )
        return (
            None if coef is None else np.asarray(coef, np.float64).reshape(n_blocks, n_features),
            None if intercept is None else np.asarray(intercept, np.float64).reshape(n_blocks),
        )

    @property
    def estimators_(self) -> list[Any]:
        """The models that learned: ours, which explain, are saved, and go on with dicts and streams."""
        check_is_fitted(self, "_problems")
        return [shell_of(problem.model) for problem in self._problems]

    # ------------------------------------------------------------------ predicting

    def _scores(self, X: MatrixLike) -> Array:
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        scores: Array = safe_sparse_dot(X, self.coef_.T, dense_output=True) + self.intercept_
        return scores.ravel() if scores.ndim > 1 and scores.shape[1] == 1 else scores

    def densify(self) -> Self:
        """Make `coef_` an array again.

        Returns
        -------
        self
        """
        check_is_fitted(self, "coef_")
        if is_sparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self

    def sparsify(self) -> Self:
        """Make `coef_` a sparse matrix, which takes less memory where most weights are zero.

        Returns
        -------
        self
        """
        from scipy.sparse import csr_matrix

        check_is_fitted(self, "coef_")
        self.coef_ = csr_matrix(self.coef_)
        return self

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def squares(X: Any) -> Array:
    """The squared length of each row."""
    if is_sparse(X):
        return np.asarray(X.multiply(X).sum(axis=1)).ravel()
    squares: Array = np.einsum("ij,ij->i", X, X)
    return squares
