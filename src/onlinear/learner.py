"""The three axes at work: `Learner`."""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_matrix

from . import _core, task
from ._core import Fault
from .exceptions import DataError, NumericError
from .model.arrays import label_lists, targets_of, to_rows
from .model.native import Native, Report, need_whole
from .model.rows import Rows, refuse_dict
from .model.weights import need_weight, weights_of

if TYPE_CHECKING:
    from .model.types import Array, Features, LabelsLike, MatrixLike

__all__ = ["Expansion", "Learner", "Report", "expansion_of"]


class Expansion(NamedTuple):
    """What a kernel belief holds: the mean is the sum of ``nu[p, block]`` times example p."""

    support: Any  #: the kept examples, an array, or a CSR matrix when they have many features
    nu: Array  #: coefficients, shape (n_kept,) for one block, else (n_kept, n_blocks)
    pi: Array | None  #: the covariance is a I plus ``pi`` between its elements; None for first-order rules


class Learner(Native):
    """Task × Rule × Belief: any combination the mathematics allows.

    On every round the task turns the example into a demand, a difference vector δ and the margin it should
    reach; the belief measures it, m = μ·δ and v = δᵀΣδ; the rule answers with a step; the belief takes it:

    .. math:: μ ← keep·μ + α Σ δ, \\qquad Σ^{-1} ← Σ^{-1} + γ δ δ^T

    Parameters
    ----------
    task : object from `onlinear.task`
        What is asked.
    rule : object from `onlinear.rule`
        The algorithm; None for tasks that bring their own.
    belief : object from `onlinear.belief`
        What is known.
    dtype : {"float64", "float32"}, default="float64"
        Type of the state.
    n_features, n_classes : int, optional
        Known sizes; by default those of the first data.
    fit_intercept : bool, default=False
        Whether to add a feature that is always 1.
    initial_mean : array of shape (n_classes, n_features) or (n_features,), optional
        Where the mean starts.
    truncation : float, optional
        After every update the smallest weights whose squares sum to less than this become zero.
    bits : int, default=20
        String keys of dicts are hashed to ``2**bits`` columns.
    max_features : int, default=2**28
        A feature index at or past this is refused.

    Examples
    --------
    >>> import numpy as np
    >>> from onlinear import Learner, belief, rule, task
    >>> learner = Learner(task=task.Binary(), rule=rule.Arow(r=1.0), belief=belief.Diagonal(projection="drop"))
    >>> learner.learn(np.eye(2), [0, 1])
    Report(n_learned=2, n_mistakes=2, n_updates=2)
    >>> learner.mean
    array([-0.5,  0.5])
    >>> learner.variance
    array([0.5, 0.5])
    """

    def learn(
        self,
        X: MatrixLike,
        y: LabelsLike = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        scores: Array | None = None,
    ) -> Report:
        """Learn examples in the given order, one pass.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The examples. For ``task.Ranking(prototypes="single")`` an array of shape (n, n_labels, n_features), or the
            same as n * n_labels rows.
        y : array of shape (n,), list of n lists, or None
            Class numbers from 0 (for two classes -1 and +1 are accepted too); numbers for regression; the relevant
            labels of each example for ranking; nothing for one class.
        sample_weight : array of shape (n,), optional
            Example weights; 0 is an exact no-op.
        scores : float64 array of shape (n, n_blocks), optional
            Filled with the scores before each round.

        Returns
        -------
        Report
            Counts of this call.
        """
        rows = to_rows(X.reshape(-1, X.shape[-1]) if isinstance(X, np.ndarray) and X.ndim == 3 else X)
        if isinstance(self.task, task.Ranking):
            labels, lists = label_lists(y)
            return self._learn(rows, labels, len(lists) - 1, sample_weight, scores, lists)
        if isinstance(self.task, task.OneClass):
            return self._learn(rows, None, rows.n_rows, sample_weight, scores)
        if isinstance(self.task, task.Regression):
            return self._learn(rows, targets_of(y, rows.n_rows), rows.n_rows, sample_weight, scores)
        return self._learn(rows, self._labels(y, rows.n_rows), rows.n_rows, sample_weight, scores)

    def _learn(
        self,
        rows: Rows,
        answers: Array | None,
        n: int,
        sample_weight: npt.ArrayLike | None,
        scores: Array | None,
        lists: Array | None = None,
    ) -> Report:
        weights = weights_of(sample_weight, n)
        if scores is not None:
            _need_filled(scores)
        if self.core is not None:
            return self._learn_checked(rows, answers, weights, scores, lists)
        named = answers is not None and answers.dtype.kind == "i"
        self._start(
            rows.n_columns, int(answers.max(initial=1)) + 1 if answers is not None and named else None
        )
        try:
            report = self._learn_checked(rows, answers, weights, scores, lists)
        except BaseException as error:
            if not isinstance(error, NumericError) or self.n_seen == 0:  # else the rows before stay learned
                self.core = None  # what is refused does not say how large a learner is
            raise
        if weights is not None and not weights.any():
            self.core = None  # nor does what has no weight
        return report

    def _learn_checked(
        self,
        rows: Rows,
        answers: Array | None,
        weights: Array | None,
        scores: Array | None,
        lists: Array | None,
    ) -> Report:
        if answers is not None and answers.dtype.kind == "i" and lists is None:
            stray = np.flatnonzero((answers < 0) | (answers >= max(self.n_blocks, 2)))
            if len(stray):
                row = int(stray[0])
                raise DataError(
                    f"the label of row {row} is not one of the classes: {self._known_classes()}", row
                )
        return self.learn_rows(rows, answers, weights, scores=scores, label_lists=lists)

    def _known_classes(self) -> str:
        """What labels may be, in words."""
        last = max(self.n_blocks, 2) - 1
        return f"y must hold class numbers from 0 to {last}" + (" (or -1 and 1)" if self._is_single else "")

    def learn_one(self, x: Features, y: LabelsLike = None, w: float = 1.0) -> None:
        """Learn one example from a dict of features."""
        label, target = 0, 0.0
        relevant: list[int] | None = None
        if isinstance(self.task, task.Regression):
            target = _target_of(y)
        elif isinstance(self.task, task.Ranking):
            relevant = _numbers_of(y)
        elif not isinstance(self.task, task.OneClass):
            label = self._label_of(y)
        handle = self.handle
        try:
            fault, row, column = handle.learn_dict(x, label, target, w, None, False, relevant)
        except TypeError:
            need_weight(w)
            raise
        except ValueError as error:
            raise DataError(str(error), 0) from error
        if fault == Fault.bad_label.value:
            raise DataError(f"{self._known_classes()}, got {y!r}", 0)
        if fault:
            raise refuse_dict(x, fault, row, column, single_precision=handle.single_precision, w=w)

    def _label_of(self, y: LabelsLike) -> int:
        """A class number, written as any kind of number."""
        if isinstance(y, int):
            return 0 if y == -1 and self._is_single else _within_int32(y)
        try:
            number = int(y) if np.ndim(y) == 0 and not isinstance(y, str | bytes) and int(y) == y else None
        except (TypeError, ValueError, OverflowError):
            number = None
        if number is None:
            raise DataError(f"{self._known_classes()}, got {y!r}", 0)
        return self._label_of(number)

    def _labels(self, y: npt.ArrayLike, n: int) -> Array:
        labels = np.asarray(y)
        if labels.shape != (n,):
            raise DataError(f"y must have shape ({n},), got {labels.shape}")
        if labels.dtype.kind not in "iub":
            if labels.dtype.kind != "f":
                raise DataError(f"y must hold class numbers, got dtype {labels.dtype}")
            stray = np.flatnonzero(~((labels == np.floor(labels)) & (np.abs(labels) < 2**31)))
            if len(stray):
                row = int(stray[0])
                raise DataError(f"y must hold class numbers, got {labels[row]} at row {row}", row)
        numbers: Array = labels.astype(np.int32)
        if self._is_single and n and numbers.min() < 0:
            numbers = np.where(numbers == -1, np.int32(0), np.where(numbers == 1, np.int32(1), np.int32(-9)))
        return numbers

    def scores(self, X: MatrixLike, *, n_threads: int = 1) -> Array:
        """Linear scores: shape (n,) for one block of weights, else (n, n_blocks)."""
        need_whole("n_threads", n_threads, 1, 1 << 16)
        out = self.read_rows(to_rows(X), n_threads=n_threads)
        return out[:, 0] if out.shape[1] == 1 else out

    def margin_variance(self, X: MatrixLike, *, n_threads: int = 1) -> Array:
        """Variance of each score under the belief."""
        need_whole("n_threads", n_threads, 1, 1 << 16)
        out = self.read_rows(to_rows(X), variances=True, n_threads=n_threads)
        return out[:, 0] if out.shape[1] == 1 else out

    @property
    def mean(self) -> Array:
        """The mean, shape (n_features,) or (n_blocks, n_features)."""
        return self._squeezed(self.handle.mean()[0])

    @property
    def average(self) -> Array:
        """The mean averaged over all rounds, for beliefs that average; else the mean."""
        return self._squeezed(self.handle.average()[0])

    @property
    def intercept(self) -> Array:
        """The intercepts, shape (n_blocks,)."""
        out: Array = self.handle.mean()[1][:, 0]
        return out

    @property
    def variance(self) -> Array:
        """Variance of every weight, shaped as `mean`."""
        return self._squeezed(self.handle.variance()[0])

    @property
    def covariance(self) -> Array | None:
        """The full covariance over (block, feature), or None; without the intercept."""
        sigma = self.handle.covariance()
        if sigma is None:
            return None
        slots = self.n_features + 1
        keep = np.arange(sigma.shape[0]) % slots != 0
        out: Array = sigma[np.ix_(keep, keep)]
        return out

    @property
    def expansion(self) -> Expansion | None:
        """The kept examples and their coefficients, or None when the belief is no kernel belief."""
        return expansion_of(self)

    def _squeezed(self, weights: Array) -> Array:
        out: Array = weights[0] if self.n_blocks == 1 else weights
        return out


def _need_filled(scores: Any) -> None:
    """Raise unless the core can fill `scores`; a copy would leave the caller's as it was."""
    if (
        not isinstance(scores, np.ndarray)
        or scores.dtype != np.float64
        or not (scores.flags.c_contiguous and scores.flags.writeable)
    ):
        kind = f"an array of {scores.dtype}" if isinstance(scores, np.ndarray) else f"{scores!r}"
        raise DataError(f"scores must be a contiguous, writeable array of float64 to be filled, got {kind}")


def _target_of(y: LabelsLike) -> float:
    try:
        return float(y)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"y must be a number, the target, got {y!r}", 0) from None


def _numbers_of(y: LabelsLike) -> list[int]:
    try:
        return [_within_int32(index(label)) for label in y]
    except TypeError:
        raise DataError(f"y must be a list of label numbers, got {y!r}", 0) from None


def _within_int32(number: int) -> int:
    """The number, or one that is no class either and that the core can hold."""
    return number if -(2**31) <= number < 2**31 else -9


def expansion_of(learner: Native) -> Expansion | None:
    """The kept examples and their coefficients, or None when the belief is no kernel belief."""
    if not isinstance(learner.belief, _core.belief.Kernel):
        return None
    state = learner.state()
    nu = state["scale"] * state["nu"]
    point, slot, value = state["support"].reshape(-1, 3).T
    known = slot > 0  # slot 0 is the intercept's
    places = point[known].astype(np.int64), slot[known].astype(np.int64) - 1
    support: Any = csr_matrix((value[known], places), shape=(len(nu), learner.n_features))
    if learner.n_features <= 4096:
        support = support.toarray()
    pi = None
    if learner.handle.has_variance:
        root = state["root"][:, : len(state["root"])]
        turned = np.linalg.solve(root, np.eye(len(root)))
        pi = -(state["prior"] ** 2) * turned @ turned.T
    return Expansion(support, nu[:, 0] if nu.shape[1] == 1 else nu, pi)
