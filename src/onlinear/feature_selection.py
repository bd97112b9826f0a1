"""Feature selectors of the regularised learners' paper, as scikit-learn selectors.

Both see a feature as present or absent, as words are in text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from scipy.optimize import linprog
from scipy.sparse import csc_matrix, issparse
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from .exceptions import DataError
from .model.parameters import check_number

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from .model.types import Array, Label, LabelsLike, MatrixLike

__all__ = ["GameTheoreticSelector", "InformationGainSelector", "information_gain"]


def information_gain(X: MatrixLike, y: npt.ArrayLike, threshold: float = 0.0) -> Array:
    """How many bits the presence of each feature tells about the class.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, n_features)
        The examples; a feature is present where its value is above `threshold`.
    y : array of shape (n,)
        Their classes.
    threshold : float, default=0.0
        At least 0.

    Returns
    -------
    ndarray of shape (n_features,)

    Examples
    --------
    >>> from onlinear.feature_selection import information_gain
    >>> information_gain([[1, 0], [1, 1], [0, 0], [0, 1]], [0, 0, 1, 1])
    array([1., 0.])
    """
    present = _presence(X, threshold)
    counts = np.stack(
        [np.asarray(part.sum(axis=0), dtype=np.float64).ravel() for part in _by_class(present, y)]
    )
    totals = np.array([part.shape[0] for part in _by_class(present, y)], dtype=np.float64)
    absent = totals[:, None] - counts
    return _bits(totals[:, None], axis=0) - _conditional([counts, absent], float(totals.sum()))


def _presence(X: MatrixLike, threshold: float) -> csc_matrix:
    check_number("information_gain", "threshold", threshold, 0.0)
    matrix = csc_matrix(X if issparse(X) else np.asarray(X), dtype=np.float64)
    return csc_matrix(matrix > threshold, dtype=np.float64)


def _by_class(present: csc_matrix, y: npt.ArrayLike) -> list[Label]:
    labels = np.asarray(y)
    if labels.shape != (present.shape[0],):
        raise DataError(f"y must have shape ({present.shape[0]},), got {labels.shape}")
    rows = present.tocsr()
    return [rows[labels == name] for name in np.unique(labels)]


def _bits(counts: Array, axis: int) -> Array:
    """Entropy of class counts, in bits."""
    total = counts.sum(axis=axis, keepdims=True)
    share = np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)
    logarithm = np.log2(share, out=np.zeros_like(share), where=share > 0)
    entropy: Array = -(share * logarithm).sum(axis=axis)
    return entropy


def _conditional(cells: list[Array], n: float) -> Array:
    """Entropy of the class given the cell; `cells` are class counts, classes along the first axis."""
    entropy: Array = np.sum([cell.sum(axis=0) / n * _bits(cell, axis=0) for cell in cells], axis=0)
    return entropy


class _Selector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """Keeps the k features of largest score; ties go to the first."""

    k: int
    scores_: Array

    def _get_support_mask(self) -> Array:
        check_is_fitted(self)
        keep = np.argsort(-self.scores_, kind="stable")[: self.k]
        mask = np.zeros(len(self.scores_), dtype=bool)
        mask[keep] = True
        return mask

    def _checked(self, X: MatrixLike, y: LabelsLike) -> tuple[Any, Array]:
        check_number(type(self).__name__, "k", self.k, 1, whole=True)
        X, y = validate_data(self, X, y, accept_sparse=["csr", "csc"], dtype=np.float64)
        return X, y

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags


class InformationGainSelector(_Selector):
    """Keep the features whose presence tells most about the class.

    Parameters
    ----------
    k : int, default=100
        Features to keep.
    threshold : float, default=0.0
        A feature is present where its value is above this.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        Information gain, in bits.

    Examples
    --------
    >>> from onlinear.feature_selection import InformationGainSelector
    >>> InformationGainSelector(k=1).fit_transform([[1, 0], [1, 1], [0, 0], [0, 1]], [0, 0, 1, 1]).ravel()
    array([1, 1, 0, 0])
    """

    def __init__(self, k: int = 100, threshold: float = 0.0) -> None:
        self.k = k
        self.threshold = threshold

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Measure every feature.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The examples.
        y : array of shape (n,)
            Their classes.
        """
        X, y = self._checked(X, y)
        self.scores_ = information_gain(X, y, self.threshold)
        return self


class GameTheoreticSelector(_Selector):
    r"""Keep features that tell much about the class in any company.

    One player spreads k units over the features, no more than one on each; the other answers in the same way with the
    features beside which they tell least. With M the information gain of every pair of features the first player solves
    a linear programme, :math:`\max_{0 ≤ u ≤ 1, \sum u = k} \; \min_{0 ≤ v ≤ 1, \sum v = k} u^T M v`, and the k
    largest u are kept. Where k features that play tell nothing, the answer is to name them, and u is that of the
    information gain.

    Shen, Dietterich. SDM 2009, equation 4.20, its whole numbers relaxed as there.

    Parameters
    ----------
    k : int, default=100
        Features to keep.
    threshold : float, default=0.0
        A feature is present where its value is above this.
    candidates : int, default=500
        Only this many features of largest information gain play: the programme is of their number squared.

    Attributes
    ----------
    scores_ : ndarray of shape (n_features,)
        The first player's u, zero for features that do not play.
    value_ : float
        What the game is worth.

    Examples
    --------
    >>> from onlinear.feature_selection import GameTheoreticSelector
    >>> X, y = [[1, 1, 0], [1, 1, 1], [0, 0, 0], [0, 1, 1]], [0, 0, 1, 1]
    >>> GameTheoreticSelector(k=1).fit(X, y).get_support()
    array([ True, False, False])
    """

    def __init__(self, k: int = 100, threshold: float = 0.0, candidates: int = 500) -> None:
        self.k = k
        self.threshold = threshold
        self.candidates = candidates

    def fit(self, X: MatrixLike, y: LabelsLike) -> Self:
        """Play the game.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The examples.
        y : array of shape (n,)
            Their classes.
        """
        X, y = self._checked(X, y)
        check_number(type(self).__name__, "candidates", self.candidates, 1, whole=True)
        gain = information_gain(X, y, self.threshold)
        players = np.sort(np.argsort(-gain, kind="stable")[: self.candidates])
        M = pair_gains(_presence(X, self.threshold)[:, players], y)
        u, self.value_ = _play(M, min(self.k, len(players)))
        self.scores_ = np.zeros(X.shape[1])
        self.scores_[players] = u
        return self


def pair_gains(present: Any, y: npt.ArrayLike) -> Array:
    """Information gain of every pair of features, from their presence."""
    both, first, second, neither = [], [], [], []
    sizes = []
    for part in _by_class(csc_matrix(present), y):
        together = (part.T @ part).toarray()
        alone = np.diag(together)
        both.append(together)
        first.append(alone[:, None] - together)
        second.append(alone[None, :] - together)
        neither.append(part.shape[0] - alone[:, None] - alone[None, :] + together)
        sizes.append(float(part.shape[0]))
    totals = np.array(sizes)
    cells = [np.stack(cell) for cell in (both, first, second, neither)]
    return float(_bits(totals[:, None], axis=0)[0]) - _conditional(cells, float(totals.sum()))


def _play(M: Array, k: int) -> tuple[Array, float]:
    """The first player's best u, and the value of the game.

    The second player's answer to gains g = u' M is the sum of the k least, which is the largest k t - sum s with
    t - s_j <= g_j and s >= 0; so both players' choices make one programme over (u, t, s).
    """
    n = len(M)
    cost = np.concatenate([np.zeros(n), [-float(k)], np.ones(n)])
    below = np.hstack([-M.T, np.ones((n, 1)), -np.eye(n)])
    total = np.concatenate([np.ones(n), np.zeros(n + 1)])[None, :]
    limits = [(0.0, 1.0)] * n + [(None, None)] + [(0.0, None)] * n
    found = linprog(
        cost, A_ub=below, b_ub=np.zeros(n), A_eq=total, b_eq=[float(k)], bounds=limits, method="highs"
    )
    if not found.success:
        raise DataError(f"the selection programme was not solved: {found.message}")
    return found.x[:n], float(-found.fun)
