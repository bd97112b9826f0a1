"""The three axes at work: `Learner`."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import _core, task
from .._core import Fault
from .._numpy import Array, np
from ..exceptions import DataError, NumericError, ParameterError
from .parameters import check_flag
from .rows import DenseRows, Rows, SparseRows, refuse, refuse_dict, refuse_masked, to_rows

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["Expansion", "Learner", "Report"]


class Report(NamedTuple):
    """What one call to `Learner.learn` did."""

    n_learned: int
    n_mistakes: int
    n_updates: int
    cost: float = 0.0

    def __repr__(self) -> str:
        return f"Report(n_learned={self.n_learned}, n_mistakes={self.n_mistakes}, n_updates={self.n_updates})"


class Expansion(NamedTuple):
    """What a kernel belief holds: the mean is the sum of ``nu[p, block]`` times example p."""

    support: Any  #: the kept examples, an array, or a CSR matrix when they have many features
    nu: Array  #: coefficients, shape (n_kept,) for one block, else (n_kept, n_blocks)
    pi: Array | None  #: the covariance is a I plus ``pi`` between its elements; None for first-order rules


class Learner:
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

    def __init__(
        self,
        *,
        task: Any,
        rule: Any = None,
        belief: Any,
        dtype: str = "float64",
        n_features: int | None = None,
        n_classes: int | None = None,
        fit_intercept: bool = False,
        initial_mean: npt.ArrayLike | None = None,
        truncation: float | None = None,
        bits: int = 20,
        max_features: int = 1 << 28,
    ) -> None:
        _need_whole("bits", bits, 1, 30)
        _need_whole("max_features", max_features, 1, 1 << 30)
        if n_features is not None:
            _need_whole("n_features", n_features, 0, 1 << 30)
        if n_classes is not None:
            _need_whole("n_classes", n_classes, 1, 1 << 30)
        if truncation is not None:
            _need_size("truncation", truncation)
        _need_axis("task", task)
        _need_axis("belief", belief)
        if rule is not None or not isinstance(task, _core.task.MulticlassJoint):
            _need_axis("rule", rule)
        dtype = _dtype_of(dtype)
        self.task = task
        self.rule = rule
        self.belief = belief
        self.dtype = dtype
        check_flag("Learner", "fit_intercept", fit_intercept)
        self.fit_intercept = bool(fit_intercept)
        self.truncation = truncation
        self.bits = int(bits)
        self.max_features = int(max_features)
        self._n_classes = None if n_classes is None else int(n_classes)
        self._initial_mean = None if initial_mean is None else _mean_of(initial_mean)
        self._handle: _core.Learner | None = None
        #: Names of the columns, which the string keys of dicts are matched to; None hashes them.
        self.feature_names: list[str] | Array | None = None
        self._check_range()
        # Wrong combinations are refused here, before there is any data.
        if n_features is not None and (n_classes is not None or self._is_single):
            self._start(int(n_features))
        else:
            self._make(1, 2)

    # ------------------------------------------------------------------ the native learner

    @property
    def _is_single(self) -> bool:
        if isinstance(self.task, task.Ranking):
            return bool(self.task.prototypes == "single")
        return isinstance(self.task, task.Binary | task.Regression | task.OneClass)

    def _check_range(self) -> None:
        """Refuse parameters that the type of the state cannot hold."""
        largest = 1e30 if self.dtype == "float32" else 1e290
        for name in ("initial_variance", "eta"):
            value = getattr(self.belief, name, 1.0)
            if not 1 / largest <= value <= largest:
                raise ParameterError(
                    f"{name} must be in [{1 / largest:g}, {largest:g}] for {self.dtype}, got {value!r}"
                )

    def _make(self, n_features: int, n_classes: int) -> _core.Learner:
        try:
            handle = _core.Learner(
                self.task,
                self.rule,
                self.belief,
                self.dtype == "float32",
                n_features,
                n_classes,
                self.fit_intercept,
            )
        except ValueError as error:
            raise ParameterError(str(error)) from None
        except MemoryError:
            raise MemoryError(self._room(n_features, n_classes)) from None
        if self.truncation and not handle.set_truncation(self.truncation):
            raise ParameterError(f"{self.belief} has no weights of its own to truncate; leave truncation out")
        return handle

    def grow(self, n_features: int, n_classes: int, expected: int = 0) -> None:
        """Make room for so many features and classes; room for `expected` ones was asked for before."""
        try:
            self.handle.grow(n_features, n_classes)
        except MemoryError:
            raise MemoryError(self._room(n_features, max(n_classes, expected))) from None

    def to_multiclass(self, several: Any, expected: int = 0) -> None:
        """Go on with a task of several classes, a block of weights for each, where two shared one."""
        before, self.task = self.task, several
        try:
            self.handle.to_multiclass(several)
        except MemoryError:
            message = self._room(self.n_features, max(3, expected))
            self.task = before
            raise MemoryError(message) from None
        if isinstance(several, task.MulticlassJoint):
            self.rule = None

    def _room(self, n_features: int, n_classes: int) -> str:
        """What to say when there is no room for a learner of this size."""
        each = 4 if self.dtype == "float32" else 8
        weights = (n_features + 1) * (1 if self._is_single else n_classes)
        if isinstance(self.belief, _core.belief.Full):
            need = each * weights * weights / 2**30
            return f"a full covariance of {weights} weights needs {need:.1f} GiB; use a diagonal belief"
        numbers = 2 if hasattr(self.belief, "initial_variance") else 1
        return (
            f"{weights} weights ({n_features} features, {n_classes} classes, {each * numbers} bytes each) need at least "
            f"{each * numbers * weights / 2**30:.1f} GiB; use fewer features (hash them to fewer bits) or fewer classes"
            + (", or dtype='float32'" if each == 8 else "")
        )

    def _new_handle(self, n_features: int, n_classes: int | None = None) -> _core.Learner:
        """A native learner of the given size that has learned nothing."""
        if n_features > self.max_features:
            raise DataError(
                f"{n_features} features are more than max_features={self.max_features}; hash them, or raise max_features"
            )
        handle = self._make(n_features, n_classes or self._n_classes or 2)
        handle.use_hashing(self.bits)
        handle.set_max_features(self.max_features)
        if self.feature_names is not None:
            handle.name_columns([str(name) for name in self.feature_names])
        return handle

    def _start(self, n_features: int, n_classes: int | None = None) -> _core.Learner:
        """Make the native learner once the sizes are known."""
        handle = self._new_handle(n_features, n_classes)
        if self._initial_mean is not None:
            mean = np.atleast_2d(self._initial_mean)
            if mean.shape != (handle.n_blocks, n_features):
                raise ParameterError(
                    f"initial_mean must have shape {(handle.n_blocks, n_features)}, got {self._initial_mean.shape}"
                )
            handle.set_mean(np.ascontiguousarray(mean), np.zeros(handle.n_blocks))
        self._handle = handle
        return handle

    @property
    def handle(self) -> _core.Learner:
        """The native learner; made on first use."""
        return self._handle if self._handle is not None else self._start(0)

    # ------------------------------------------------------------------ learning

    def learn(
        self,
        X: Any,
        y: Any = None,
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
        if self._handle is not None:
            return self._learn_checked(rows, answers, weights, scores, lists)
        named = answers is not None and answers.dtype.kind == "i"
        self._start(
            rows.n_columns, int(answers.max(initial=1)) + 1 if answers is not None and named else None
        )
        try:
            report = self._learn_checked(rows, answers, weights, scores, lists)
        except BaseException as error:
            if not isinstance(error, NumericError) or self.n_seen == 0:  # else the rows before stay learned
                self._handle = None  # what is refused does not say how large a learner is
            raise
        if weights is not None and not weights.any():
            self._handle = None  # nor does what has no weight
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

    def learn_rows(
        self,
        rows: Rows,
        labels: Array | None,
        sample_weight: Array | None = None,
        *,
        class_weight: Array | None = None,
        balanced: bool = False,
        order: Array | None = None,
        calibrate: bool = True,
        checked: bool = False,
        scores: Array | None = None,
        label_lists: Array | None = None,
        first_row: int = 0,
    ) -> Report:
        """Learn prepared rows; what `learn` and the estimators stand on.

        `labels` holds int32 class numbers, float64 targets, or None; with `label_lists` it holds the relevant labels of
        all examples, those of example i from ``label_lists[i]`` to ``label_lists[i + 1]``. A refusal counts rows from
        `first_row`.
        """
        handle = self.handle
        learn = handle.learn_csr if isinstance(rows, SparseRows) else handle.learn_dense
        learned, mistakes, updates, cost, fault, row, column = learn(
            *rows.arguments(),
            labels,
            sample_weight,
            class_weight,
            balanced,
            order,
            calibrate,
            checked,
            scores,
            label_lists,
        )
        if fault:
            raise refuse(fault, first_row + row, column, single_precision=handle.single_precision)
        return Report(learned, mistakes, updates, cost)

    def learn_one(self, x: dict[Any, Any], y: Any = None, w: float = 1.0) -> None:
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

    def _label_of(self, y: Any) -> int:
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

    # ------------------------------------------------------------------ reading

    def scores(self, X: Any, *, n_threads: int = 1) -> Array:
        """Linear scores: shape (n,) for one block of weights, else (n, n_blocks)."""
        _need_whole("n_threads", n_threads, 1, 1 << 16)
        out = self.read_rows(to_rows(X), n_threads=n_threads)
        return out[:, 0] if out.shape[1] == 1 else out

    def margin_variance(self, X: Any, *, n_threads: int = 1) -> Array:
        """Variance of each score under the belief."""
        _need_whole("n_threads", n_threads, 1, 1 << 16)
        out = self.read_rows(to_rows(X), variances=True, n_threads=n_threads)
        return out[:, 0] if out.shape[1] == 1 else out

    def read_rows(self, rows: Rows, *, variances: bool = False, n_threads: int = 1) -> Array:
        """Scores or variances of prepared rows, shape (n, n_blocks)."""
        rows = self.known_part(rows)
        read = self.handle.read_csr if isinstance(rows, SparseRows) else self.handle.read_dense
        scores: Array = self._read_out(read(*rows.arguments(), variances, n_threads))
        return scores

    def chosen(self, rows: Rows, order: list[int], *, n_threads: int = 1) -> Any:
        """The place in `order`, a list of classes, of the one each row is predicted as.

        The class with the highest score, the first of equals in `order`; of two, the second.

        Returns
        -------
        memoryview of int64
        """
        rows = self.known_part(rows)
        best = self.handle.best_csr if isinstance(rows, SparseRows) else self.handle.best_dense
        return self._read_out(best(*rows.arguments(), order, n_threads))

    def known_part(self, rows: Rows) -> Rows:
        """Leave out the columns that nothing has been learned about."""
        handle = self.handle
        if rows.n_columns <= handle.n_features:
            return rows
        return narrowed(rows, handle.n_features, handle.single_precision)

    def _read_out(self, out: Any) -> Any:
        if isinstance(out, tuple):
            raise refuse(*out, single_precision=self.handle.single_precision, learning=False)
        return out

    @property
    def n_blocks(self) -> int:
        """Blocks of weights: 1 for two classes, else one per class."""
        return int(self.handle.n_blocks)

    @property
    def n_features(self) -> int:
        """Features known so far."""
        return int(self.handle.n_features)

    @property
    def n_seen(self) -> int:
        """Rounds so far: examples of positive weight."""
        return int(self.handle.n_seen)

    @property
    def n_updates(self) -> int:
        """Rounds that moved the mean or the covariance."""
        return int(self.handle.n_updates)

    @property
    def n_mistakes(self) -> int:
        """Rounds whose prediction was wrong before learning."""
        return int(self.handle.n_mistakes)

    @property
    def total_cost(self) -> float:
        """Cost of all predictions made before learning, for tasks that measure one.

        The sum of the cost matrix's entries, of absolute errors (regression), of distances outside the ball (one class).
        """
        return float(self.handle.total_cost)

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
        if not isinstance(self.belief, _core.belief.Kernel):
            return None
        from scipy.sparse import csr_matrix

        state = self.state()
        nu = state["scale"] * state["nu"]
        point, slot, value = state["support"].reshape(-1, 3).T
        known = slot > 0  # slot 0 is the intercept's
        places = point[known].astype(np.int64), slot[known].astype(np.int64) - 1
        support: Any = csr_matrix((value[known], places), shape=(len(nu), self.n_features))
        if self.n_features <= 4096:
            support = support.toarray()
        pi = None
        if self.handle.has_variance:
            root = state["root"][:, : len(state["root"])]
            turned = np.linalg.solve(root, np.eye(len(root)))
            pi = -(state["prior"] ** 2) * turned @ turned.T
        return Expansion(support, nu[:, 0] if nu.shape[1] == 1 else nu, pi)

    def _squeezed(self, weights: Array) -> Array:
        out: Array = weights[0] if self.n_blocks == 1 else weights
        return out

    def truncate(self, sigma: float) -> None:
        """Zero the smallest weights: in rising order of size, as long as their squares sum to less than `sigma`."""
        _need_size("sigma", sigma)
        if not self.handle.truncate(sigma):
            raise ParameterError(f"{self.belief} has no weights of its own to truncate")

    # ------------------------------------------------------------------ state

    def state(self) -> dict[str, Any]:
        """The whole state, by name: arrays and numbers, enough to go on bit for bit."""
        state: dict[str, Any] = self.handle.state()
        return state

    def load_state(
        self, state: dict[str, Any], *, n_features: int | None = None, n_classes: int | None = None
    ) -> None:
        """Take over a state made by `state` of a learner with the same axes."""
        if n_features is not None:
            _need_whole("n_features", n_features, 0, 1 << 30)
        if n_classes is not None:
            _need_whole("n_classes", n_classes, 1, 1 << 30)
        try:
            if "shape" in state:  # a kernel belief holds examples, not weights, and says its sizes
                blocks, slots = (int(size) for size in np.ravel(state["shape"]))
            else:
                blocks, slots = next(
                    value.shape
                    for value in state.values()
                    if isinstance(value, np.ndarray) and value.ndim == 2
                )
        except (AttributeError, StopIteration, TypeError, ValueError):
            raise DataError(f"state must be what Learner.state() gives, got {_shortly(state)}") from None
        handle = self._new_handle(n_features if n_features is not None else slots - 1, n_classes or blocks)
        try:
            handle.load_state({key: contiguous(value) for key, value in state.items()})
        except ValueError as error:
            raise DataError(str(error)) from None
        except RuntimeError as error:
            if "bad_cast" not in str(error):
                raise
            raise DataError(
                "state must hold arrays and numbers by name, as Learner.state() gives them"
            ) from None
        self._handle = handle

    def digest(self) -> str:
        """A hash of the whole state; equal digests mean equal bits."""
        import hashlib

        digest = hashlib.sha256()
        for name, value in sorted(self.state().items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        return digest.hexdigest()

    def __getstate__(self) -> dict[str, Any]:
        fields = {key: value for key, value in self.__dict__.items() if key != "_handle"}
        fields["_saved"] = None if self._handle is None else (self._handle.state(), self._handle.words())
        return fields

    def name_columns(self, names: list[str]) -> None:
        """Match the string keys of dicts to these columns instead of hashing them."""
        try:
            self.handle.name_columns(names)
        except TypeError:
            raise DataError(f"names must be a list of strings of valid Unicode, got {names!a}") from None
        self.feature_names = names

    def __setstate__(self, fields: dict[str, Any]) -> None:
        saved = fields.pop("_saved")
        self.__dict__.update(fields)
        self._handle = None
        if saved is not None:
            state, words = saved
            self.load_state(state)
            self.handle.remember_words(words)

    def copy(self) -> Learner:
        """An independent copy."""
        twin = object.__new__(Learner)
        twin.__dict__.update(self.__dict__)
        twin._handle = None if self._handle is None else self._handle.copy()
        return twin

    def __repr__(self) -> str:
        return f"Learner(task={self.task}, rule={self.rule}, belief={self.belief}, dtype={self.dtype!r})"


def need_weight(w: Any) -> None:
    """Raise unless `w` can be the weight of an example."""
    from numbers import Real

    weight: Any = w
    if not isinstance(w, Real):
        raise TypeError(f"w must be a number, got {w!r}")
    if not 0 <= weight <= sys.float_info.max:
        raise DataError(f"w must be finite and not negative, got {w!r}", 0)


def _need_whole(name: str, value: Any, low: int, high: int) -> None:
    if type(value) is int and low <= value <= high:
        return
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    good = isinstance(value, int) and not isinstance(value, bool)
    good = good or (kind in ("i", "u") and getattr(value, "ndim", 1) == 0)
    if not good or not low <= value <= high:
        raise ParameterError(f"{name} must be a whole number in [{low}, {high}], got {value!r}")


def _need_size(name: str, value: Any) -> None:
    try:
        good = not isinstance(value, bool) and bool(0 <= value <= sys.float_info.max)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ParameterError(f"{name} must be at least 0 and finite, got {value!r}")


def _need_axis(name: str, value: Any) -> None:
    """Raise unless `value` is an object of one of the three axes."""
    if not isinstance(value, _axis(name)):
        example = {"task": "Binary", "rule": "Arow", "belief": "Diagonal"}[name]
        raise ParameterError(
            f"{name} must be an object from onlinear.{name}, such as {name}.{example}(), got {value!r}"
        )


@cache
def _axis(name: str) -> tuple[type, ...]:
    return tuple(kind for kind in vars(getattr(_core, name)).values() if hasattr(kind, "parameters"))


def _dtype_of(given: Any) -> str:
    if given in ("float32", "float64"):
        return str(given)
    try:
        dtype = str(np.dtype(given))
    except (TypeError, ValueError, OverflowError):
        dtype = ""
    if dtype not in ("float32", "float64"):
        raise ParameterError(f"dtype must be 'float32' or 'float64', got {given!r}")
    return dtype


def _mean_of(given: Any) -> Array:
    try:
        mean = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        mean = np.asarray(np.nan)
    if not np.all(np.isfinite(mean)):
        raise ParameterError(f"initial_mean must be an array of finite numbers, got {given!r}")
    return mean


def _need_filled(scores: Any) -> None:
    """Raise unless the core can fill `scores`; a copy would leave the caller's as it was."""
    if (
        not isinstance(scores, np.ndarray)
        or scores.dtype != np.float64
        or not (scores.flags.c_contiguous and scores.flags.writeable)
    ):
        kind = f"an array of {scores.dtype}" if isinstance(scores, np.ndarray) else f"{scores!r}"
        raise DataError(f"scores must be a contiguous, writeable array of float64 to be filled, got {kind}")


def _target_of(y: Any) -> float:
    try:
        return float(y)
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"y must be a number, the target, got {y!r}", 0) from None


def _numbers_of(y: Any) -> list[int]:
    from operator import index

    try:
        return [_within_int32(index(label)) for label in y]
    except TypeError:
        raise DataError(f"y must be a list of label numbers, got {y!r}", 0) from None


def _within_int32(number: int) -> int:
    """The number, or one that is no class either and that the core can hold."""
    return number if -(2**31) <= number < 2**31 else -9


def _shortly(value: Any) -> str:
    return f"a dict of {', '.join(map(repr, value))}" if isinstance(value, dict) and value else repr(value)


def targets_of(y: npt.ArrayLike, n: int) -> Array:
    """Regression targets as the core wants them; it refuses those that are not finite."""
    if y is None:
        raise DataError(f"y must hold a target for each of {n} rows, got None")
    refuse_masked(y, "y")
    try:
        targets = np.ascontiguousarray(y, dtype=np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise DataError(f"y must hold numbers: {error}") from None
    if targets.shape != (n,):
        raise DataError(f"y must have shape ({n},), got {targets.shape}")
    return targets


def label_lists(y: Iterable[Iterable[int]]) -> tuple[Array, Array]:
    """Lists of label numbers as the core wants them: all labels, and where each list starts."""
    try:
        lists = [np.asarray(list(labels)) for labels in y]
    except TypeError:
        raise DataError(f"y must hold a list of label numbers for each row, got {y!r}") from None
    for row, labels in enumerate(lists):
        if labels.size and (labels.ndim != 1 or labels.dtype.kind not in "iu"):
            raise DataError(
                f"the labels of row {row} must be a list of label numbers, got {labels.tolist()}", row
            )
    starts = np.zeros(len(lists) + 1, dtype=np.int64)
    np.cumsum([labels.size for labels in lists], out=starts[1:])
    flat = np.concatenate(lists) if lists else np.empty(0)
    return np.ascontiguousarray(flat, dtype=np.int32), starts


def weights_of(sample_weight: npt.ArrayLike | None, n: int) -> Array | None:
    """Example weights as the core wants them; bad ones are refused before anything is learned."""
    if sample_weight is None:
        return None
    refuse_masked(sample_weight, "sample_weight")
    try:
        weights = np.require(sample_weight, np.float64, ["C", "A"])
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"sample_weight must hold {n} numbers, got {sample_weight!r}") from None
    if weights.ndim == 0:
        weights = np.full(n, weights[()])
    if weights.shape != (n,):
        raise DataError(f"sample_weight must have shape ({n},), got {weights.shape}")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise DataError(
            f"sample_weight must be finite and not negative, got {weights[row]} for row {row}", row
        )
    return weights


def weighty(weights: Array | None, n: int) -> Array | int:
    """The rows that have a weight; their number where all of them have."""
    return n if weights is None or weights.all() else np.flatnonzero(weights)


def contiguous(value: Any) -> Any:
    """Arrays laid out as the core reads them; other values as they are."""
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value


def narrowed(rows: Rows, n_features: int, single_precision: bool) -> Rows:
    """Rows without the features a learner has never met: they have no weight."""
    if isinstance(rows, DenseRows):
        return DenseRows(rows.x[:, :n_features])
    fault, row, column = _core.inspect_csr(*rows.arguments(), single_precision)
    if fault:
        raise refuse(fault, row, column, single_precision=single_precision, learning=False)
    kept = _core.narrow_csr(rows.data, rows.indices, rows.indptr, n_features)
    data, indices, indptr = (rows.data, rows.indices, rows.indptr) if kept is None else kept
    return SparseRows(data, indices, indptr, rows.n_rows, n_features)
