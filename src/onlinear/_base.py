"""Validation and the fit loop, once for every classifier.

An estimator file declares parameters and says which rule, belief and task they mean; everything else is here.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Literal, Self

import numpy as np
import numpy.typing as npt

from . import _core, belief, task
from ._explanation import Explanation, explain_margin
from ._labels import Labels
from ._learner import Learner, weights_of
from ._parameters import check_choice, check_declared, check_number, check_numbers, with_advice
from ._rows import Rows, SparseRows, check_sparse, is_sparse, quick_rows, refuse, to_rows
from ._sklearn import BaseEstimator, ClassifierMixin, generator, is_lean
from .exceptions import DataError, NotAvailableError, NumericError, ParameterError

__all__ = ["GaussianClassifier", "OnlineClassifier"]

Array = npt.NDArray[Any]

_HALF_AND_A_BIT = float(np.nextafter(0.5, 1.0))


@dataclass(kw_only=True, eq=False, repr=False)
class OnlineClassifier(ClassifierMixin, BaseEstimator):
    """What all classifiers share; see `_parameters.SHARED_PARAMETERS` for the parameters."""

    fit_intercept: bool = True
    passes: int = 10
    shuffle: bool = True
    early_stopping: bool = True
    tol: float = 1e-3
    n_iter_no_change: int = 2
    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    average: bool = False
    warm_start: bool = False
    initial_mean: npt.ArrayLike | None = None
    dtype: Literal["float32", "float64"] | None = None
    bits: int = 20
    max_features: int = 1 << 28
    grow_features: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    #: Why a rule cannot follow class weights, where that is so; see tests/estimators for the table.
    _ignores_weights: ClassVar[str | None] = None

    # ------------------------------------------------------------------ what a subclass says

    def _rule(self) -> Any:
        """The rule these parameters mean."""
        raise TypeError(f"{type(self).__name__} does not say which rule it is")

    def _belief(self) -> Any:
        """The belief these parameters mean."""
        return belief.Mean(average=self.average)

    def _joint(self) -> Any:
        """The several-constraint task for more than two classes, or None for the top-1 reduction."""
        return None

    def axes(self) -> tuple[Any, Any]:
        """The rule and the belief these parameters mean.

        Returns
        -------
        rule, belief : objects from `onlinear.rule` and `onlinear.belief`
        """
        self._check_parameters()
        try:
            return self._rule(), self._belief()
        except ParameterError:
            raise
        except ValueError as error:
            raise ParameterError(with_advice(type(self).__name__, str(error))) from None

    def _joint_task(self) -> Any:
        try:
            return self._joint()
        except ParameterError:
            raise
        except ValueError as error:
            raise ParameterError(with_advice(type(self).__name__, str(error))) from None

    # ------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from arrays, starting anew (or going on, with `warm_start`).

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array of shape (n_samples,)
            Their classes.
        sample_weight : array of shape (n_samples,), optional
            Example weights; 0 is an exact no-op.

        Returns
        -------
        self
        """
        self._check_parameters()
        rng = self._generator()
        go_on = self.warm_start and self.__dict__.get("_learner") is not None
        restore = self._checkpoint(deep=go_on)
        try:
            rows, labels = self._validated(X, y, reset=not go_on)
            weights = self._weights_to_learn(sample_weight, rows.n_rows)
            known = self._labels if go_on else Labels()
            new = known.unknown(labels)
            self._need_two_classes([*known.names, *new.tolist()])
            dtype = self._learner.dtype if go_on else self._state_dtype(X)
            self._inspect(rows, dtype)
            if go_on:
                self._meet(new, rows.n_columns)
            else:
                self._labels = known
                self._start(rows.n_columns, new, dtype)
                self.n_passes_ = 0
        except BaseException:
            restore()
            raise
        numbers = self._labels.encode(labels)
        assert numbers is not None
        self._make_passes(rows, numbers, weights, rng)
        return self

    def _checkpoint(self, *, deep: bool = False) -> Callable[[], None]:
        """A way back to the present state; `deep` where the native learner is about to be changed in place."""
        before = dict(self.__dict__)
        if deep:
            before["_labels"], before["_learner"] = self._labels.copy(), self._learner.copy()

        def restore() -> None:
            self.__dict__.clear()
            self.__dict__.update(before)

        return restore

    def _generator(self) -> np.random.RandomState:
        try:
            return generator(self.random_state)
        except (TypeError, ValueError) as error:
            raise ParameterError(
                f"{type(self).__name__}: random_state must be None, a seed in [0, 2**32) or a RandomState, "
                f"got {self.random_state!r}"
            ) from error

    def _weights_to_learn(self, sample_weight: npt.ArrayLike | None, n: int) -> Array | None:
        weights = weights_of(sample_weight, n)
        if weights is not None and not weights.any():
            raise DataError(
                f"{type(self).__name__}: sample_weight is zero for every example; there is nothing to learn"
            )
        return weights

    def _need_two_classes(self, names: list[Any]) -> None:
        if len(names) < 2:
            raise DataError(
                f"{type(self).__name__}: y has one class only ({names[0]!r}); fit needs at least two classes. "
                "partial_fit and learn_one accept classes as they come."
            )

    def _make_passes(
        self, rows: Rows, numbers: Array, weights: Array | None, rng: np.random.RandomState
    ) -> None:
        class_weight = self._class_weights(numbers)
        best, patience = np.inf, 0
        # A patience longer than the passes could never run out; it asks for more of them.
        extra = self.n_iter_no_change if self.early_stopping and self.n_iter_no_change > self.passes else 0
        for number in range(self.passes + extra):
            order = rng.permutation(rows.n_rows).astype(np.int64) if self.shuffle else None
            report = self._learner.learn_rows(
                rows,
                numbers,
                weights,
                class_weight=class_weight,
                order=order,
                calibrate=number == 0,  # later passes have seen the example
                checked=True,
            )
            self.n_passes_ += 1
            error = report.n_mistakes / max(rows.n_rows, 1)
            if not self.early_stopping:
                continue
            if report.n_updates == 0:
                break
            patience = 0 if error < best - self.tol else patience + 1
            best = min(best, error)
            if patience >= self.n_iter_no_change:
                break

    def partial_fit(
        self, X: Any, y: Any, classes: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Learn from one batch, in the given order, once.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples.
        y : array of shape (n_samples,)
            Their classes; new ones may appear at any time.
        classes : array, optional
            Classes to expect; not needed.
        sample_weight : array of shape (n_samples,), optional
            Example weights; 0 is an exact no-op.

        Returns
        -------
        self
        """
        rows = self._quick(X) if classes is None and self.__dict__.get("_learner") is not None else None
        numbers = None
        if rows is not None:
            labels = np.asarray(y)
            if labels.shape == (rows.n_rows,):
                numbers = self._labels.encode(labels)
        if rows is None or numbers is None:
            return self._learn_news(X, y, classes, sample_weight)
        weights = None if sample_weight is None else weights_of(sample_weight, rows.n_rows)
        class_weight, balanced = self._streaming_weights()
        self._learner.learn_rows(rows, numbers, weights, class_weight=class_weight, balanced=balanced)
        return self

    def _learn_news(
        self, X: Any, y: Any, classes: npt.ArrayLike | None, sample_weight: npt.ArrayLike | None
    ) -> Self:
        """Learn a batch that may bring something new: the first one, new classes, more columns, other types.

        A class is met in the row in which it comes, not at the head of its batch: how a stream is cut into batches must
        not show in the bits.
        """
        self._check_parameters()
        restore = self._checkpoint()
        try:
            batch = self._batch_of(X, y, classes, sample_weight)
        except BaseException:
            restore()
            raise
        if not batch.news:  # the first batch of all, of weight 0 throughout: an exact no-op
            restore()
        for start, stop, new in batch.parts():
            if self.__dict__.get("_learner") is not None:
                restore = self._checkpoint(deep=self._grows(new, batch.rows.n_columns))
            try:
                self._meet(new, batch.rows.n_columns, batch.dtype)
                self._learn_part(batch, start, stop)
            except BaseException as error:
                if not (isinstance(error, NumericError) and error.row is not None and error.row > start):
                    restore()  # nothing was learned since
                raise
        return self

    def _batch_of(self, X: Any, y: Any, classes: npt.ArrayLike | None, sample_weight: npt.ArrayLike | None) -> Batch:
        """A batch checked in every way, before anything is changed for its sake."""
        first = self.__dict__.get("_learner") is None
        rows, labels = self._validated(X, y, reset=first)
        weights = weights_of(sample_weight, rows.n_rows)
        dtype = self._state_dtype(X) if first else self._learner.dtype
        self._inspect(rows, dtype)
        known = Labels() if first else self._labels.copy()
        expected = labels[:0]
        if classes is not None:
            expected = known.unknown(_expected_classes(labels, classes))
            known.add(expected)
        counted = np.ones(rows.n_rows, dtype=bool) if weights is None else weights > 0
        arrivals, where = known.arrivals(labels[counted])
        known.add(arrivals)
        # Rows of no weight may have labels that are no classes; any number does for them.
        numbers = np.zeros(rows.n_rows, dtype=np.int32)
        numbers[counted] = known.encode(labels[counted])
        news = [(int(row), arrivals[i : i + 1]) for i, row in enumerate(np.flatnonzero(counted)[where])]
        if len(expected) or not first:
            news.insert(0, (0, expected))
        return Batch(rows, numbers, weights, dtype, news)

    def _learn_part(self, batch: Batch, start: int, stop: int) -> None:
        class_weight, balanced = self._streaming_weights()
        self._learner.learn_rows(
            batch.rows.part(start, stop),
            batch.numbers[start:stop],
            None if batch.weights is None else batch.weights[start:stop],
            class_weight=class_weight,
            balanced=balanced,
            checked=True,
            first_row=start,
        )

    def fit_stream(self, batches: Iterable[Any]) -> Self:
        """Learn from batches as they come, one pass: pairs (X, y), triples with weights, or what `onlinear.read` gives.

        Parameters
        ----------
        batches : iterable
            The stream.

        Returns
        -------
        self
        """
        for batch in batches:
            if isinstance(batch, tuple):
                X, y, *rest = batch
                self.partial_fit(X, y, sample_weight=rest[0] if rest else None)
            else:
                self.partial_fit(batch.X, batch.y, sample_weight=batch.weight)
        return self

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> Self:
        """Learn one example from a dict of features; river's verb.

        Parameters
        ----------
        x : dict
            Feature names (or column numbers) and their values. String values are categories.
        y : label
            Its class; new ones may appear at any time.
        w : float, default=1.0
            Its weight.

        Returns
        -------
        self

        Examples
        --------
        >>> from onlinear import AROWClassifier
        >>> model = AROWClassifier().learn_one({"free": 1, "money": 2}, "spam").learn_one({"meeting": 1}, "ham")
        >>> model.predict_one({"money": 1})
        'spam'
        """
        try:
            number = self._labels.index[y]
            self._learner  # noqa: B018  # may not be there yet
        except (AttributeError, KeyError, TypeError):
            return self._learn_new_one(x, y, w)
        self._learn_dict(x, number, w)
        return self

    def _learn_dict(self, x: Mapping[Any, Any], number: int, w: float) -> None:
        handle = self._learner._handle
        class_weight, balanced = (None, False) if self.class_weight is None else self._streaming_weights()
        factor = None if class_weight is None else float(class_weight[number])
        try:
            fault, row, column = handle.learn_dict(x, number, 0.0, w, factor, balanced)
        except TypeError:
            _need_weight(w)
            raise
        except MemoryError:
            raise MemoryError(
                f"{type(self).__name__}: no room for the features of this dict; lower bits (now {self.bits}), "
                "or use covariance='diagonal'"
            ) from None
        if fault:
            raise refuse(fault, row, column, single_precision=handle.single_precision)
        if handle.n_features != self.n_features_in_:
            self._grown(handle)

    def _learn_new_one(self, x: Mapping[Any, Any], y: Any, w: float) -> Self:
        """Learn a dict that brings a class, or is the first of all."""
        label = _one_label(y)
        fitted = self.__dict__.get("_learner") is not None
        if not fitted:
            self._check_parameters()
        dtype = self._learner.dtype if fitted else str(np.dtype(self.dtype or np.float32))
        _need_weight(w)
        if w == 0:
            _core.check_dict(x, dtype == "float32", self.max_features)
            return self
        restore = self._checkpoint(deep=fitted)
        try:
            self._meet(label, self.n_features_in_ if fitted else 0, dtype)
            self._learn_dict(x, self._labels.index[label.tolist()[0]], w)
        except BaseException:
            restore()
            raise
        return self

    def _grown(self, handle: Any) -> None:
        """Dicts brought new features."""
        self.n_features_in_: int = handle.n_features
        if "feature_names_in_" in self.__dict__:
            self.feature_names_in_ = np.array([*self.feature_names_in_, *handle.fresh_names], dtype=object)
            self._learner.feature_names = [str(name) for name in self.feature_names_in_]

    # ------------------------------------------------------------------ getting ready

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_number(owner, "passes", self.passes, 1, whole=True)
        check_number(owner, "n_iter_no_change", self.n_iter_no_change, 1, whole=True)
        check_number(owner, "tol", self.tol, -1.0)
        check_number(owner, "bits", self.bits, 1, 30, whole=True)
        check_number(owner, "max_features", self.max_features, 1, 1 << 30, whole=True)
        check_declared(self)
        if self.initial_mean is not None:
            check_numbers(owner, "initial_mean", self.initial_mean)
        if self.dtype is not None and not _is_float(self.dtype):
            raise ParameterError(f"{owner}: dtype must be None, 'float32' or 'float64', got {self.dtype!r}")
        if self.n_jobs is not None:
            check_number(owner, "n_jobs", self.n_jobs, -sys.maxsize, sys.maxsize, whole=True)
        if isinstance(self.class_weight, Mapping):
            for label, weight in self.class_weight.items():
                check_number(owner, f"class_weight[{label!r}]", weight, 0.0, sys.float_info.max)
        else:
            check_choice(owner, "class_weight", self.class_weight, ("balanced", None))

    def _state_dtype(self, X: Any) -> str:
        if self.dtype is not None:
            return str(np.dtype(self.dtype))
        given = getattr(X, "dtype", None)
        if given is None and not hasattr(X, "dtypes"):
            return "float64"  # lists of Python numbers
        if given is None:  # data frames: float64 as soon as one column is
            return "float64" if any(str(kind).lower() == "float64" for kind in _column_types(X)) else "float32"
        return "float64" if given == np.float64 else "float32"

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        """scikit-learn's manners; NaN and infinity are found by the core, which names the row."""
        if is_lean():
            rows = to_rows(X)
            self.n_features_in_ = rows.n_columns if reset else max(self.n_features_in_, rows.n_columns)
            return rows, np.asarray(y)
        from sklearn.utils import assert_all_finite
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import check_consistent_length, column_or_1d, validate_data

        check_sparse(X)
        wide = self.grow_features and not reset and _columns(X) > self.n_features_in_
        X = validate_data(
            self,
            X,
            reset=reset or wide,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            accept_large_sparse=True,
        )
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        labels = column_or_1d(y, warn=True)
        check_consistent_length(X, labels)
        assert_all_finite(labels, input_name="y")
        try:
            check_classification_targets(labels)
        except TypeError:
            raise DataError("y mixes labels that cannot be ordered, such as strings and numbers") from None
        rows = quick_rows(X)
        return rows if rows is not None else to_rows(X), labels

    def _quick(self, X: Any) -> Rows | None:
        """Rows that need no validation beyond the core's; None sends them the long way round."""
        if "feature_names_in_" in self.__dict__:
            return None
        rows = quick_rows(X)
        if rows is None or rows.n_columns != self.n_features_in_ or rows.n_rows == 0:
            return None
        return rows

    def _inspect(self, rows: Rows, dtype: str) -> None:
        """Refuse bad rows before anything is changed for their sake."""
        look = _core.inspect_csr if isinstance(rows, SparseRows) else _core.inspect_dense
        fault, row, column = look(*rows.arguments(), dtype == "float32")
        if fault:
            raise refuse(fault, row, column, single_precision=dtype == "float32")

    def _start(self, n_features: int, classes: Array, dtype: str, *, anew: bool = True) -> None:
        """Make the learner; not `anew` when a state is about to be loaded into it."""
        rule, known = self.axes()
        joint = self._joint_task()
        self._labels.add(np.asarray(classes))
        n_classes = max(len(self._labels), 2)
        several = n_classes > 2 or self._always_joint
        asked = (joint or task.Multiclass()) if several else task.Binary()
        try:
            self._learner = Learner(
                task=asked,
                rule=None if isinstance(asked, task.MulticlassJoint) else rule,
                belief=known,
                dtype=dtype,
                n_features=n_features,
                n_classes=n_classes,
                fit_intercept=self.fit_intercept,
                initial_mean=self.initial_mean if anew else None,
                bits=self.bits,
                max_features=self.max_features,
            )
        except ParameterError as error:
            del self._labels
            raise ParameterError(with_advice(type(self).__name__, str(error))) from None
        self.n_features_in_ = n_features
        if "feature_names_in_" in self.__dict__:
            self._learner.name_columns([str(name) for name in self.feature_names_in_])

    #: Tasks that keep one block per class even for two classes.
    _always_joint: ClassVar[bool] = False

    def _grows(self, new: Array, n_features: int) -> bool:
        """Whether these classes or this many features ask for room."""
        return len(new) > 0 or n_features > self._learner.n_features

    def _meet(self, new: Array, n_features: int, dtype: str = "float64") -> None:
        """Make room for classes and features that were not there before; the first of them start the learner."""
        if self.__dict__.get("_learner") is None:
            self._labels = Labels()
            self._start(n_features, new, dtype)
            return
        handle = self._learner.handle
        self._labels.add(np.asarray(new))
        n_classes = max(len(self._labels), 2)
        if n_classes > 2 and handle.n_blocks == 1:
            several = self._joint_task() or task.Multiclass()
            handle.to_multiclass(several)
            self._learner.task = several
            if isinstance(several, task.MulticlassJoint):
                self._learner.rule = None
        if n_features > handle.n_features or n_classes > max(handle.n_blocks, 2):
            handle.grow(max(n_features, handle.n_features), n_classes)
        self.n_features_in_ = handle.n_features

    def _class_weights(self, numbers: Array) -> Array | None:
        """For `fit`, where all labels are known: scikit-learn's meaning."""
        if self.class_weight != "balanced":
            return self._streaming_weights()[0]
        counts = np.bincount(numbers, minlength=max(len(self._labels), 2)).astype(np.float64)
        present = counts > 0
        return np.where(present, len(numbers) / (present.sum() * np.where(present, counts, 1.0)), 1.0)

    def _streaming_weights(self) -> tuple[Array | None, bool]:
        if self.class_weight is None:
            return None, False
        if self.class_weight == "balanced":
            return None, True
        assert not isinstance(self.class_weight, str)
        names = self._labels.names
        weights = [float(self.class_weight.get(name, 1.0)) for name in names] + [1.0] * (2 - len(names))
        return np.array(weights), False

    # ------------------------------------------------------------------ predicting

    def _ready(self) -> Learner:
        learner: Learner | None = self.__dict__.get("_learner")
        if learner is None:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit', 'partial_fit' or 'learn_one' first."
            )
        return learner

    def _rows_to_read(self, X: Any) -> Rows:
        rows = self._quick(X)
        if rows is not None:
            return rows
        if is_lean():
            return to_rows(X)
        from sklearn.utils.validation import validate_data

        check_sparse(X)
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        return to_rows(X)

    def _threads(self) -> int:
        if self.n_jobs is None:
            return 1
        if self.n_jobs < 0:
            return max(1, (os.cpu_count() or 1) + 1 + self.n_jobs)
        return max(1, self.n_jobs)

    def _blocks(self, X: Any, *, variances: bool = False) -> Array:
        """Scores or variances, a column per block, blocks in the core's order."""
        learner = self._ready()
        return learner.read_rows(self._rows_to_read(X), variances=variances, n_threads=self._threads())

    def _oriented(self, blocks: Array) -> Array:
        """Scores in the order of `classes_`: (n,) towards the second for two classes, else (n, n_classes)."""
        order = self._labels.order
        if len(order) < 2:
            return blocks[:, 0] if blocks.shape[1] == 1 else blocks[:, 1] - blocks[:, 0]
        if len(order) == 2:
            first, second = order
            if blocks.shape[1] == 1:
                return blocks[:, 0] if second == 1 else -blocks[:, 0]
            oriented: Array = blocks[:, second] - blocks[:, first]
            return oriented
        columns: Array = blocks[:, order]
        return columns

    def decision_function(self, X: Any) -> Array:
        """The linear scores.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive means ``classes_[1]``.
        """
        return self._oriented(self._blocks(X))

    def _decide(self, scores: Array) -> Array:
        """Positions in `classes_`."""
        if len(self._labels) == 1:
            return np.zeros(len(scores), dtype=np.intp)
        if scores.ndim == 1:
            return (scores >= 0).astype(np.intp)
        return np.asarray(scores.argmax(axis=1))

    def predict(self, X: Any) -> Array:
        """The most likely class of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        classes: Array = self.classes_[self._decide(scores)]
        return classes

    def _probabilities(self, blocks: Array) -> Array:
        order = self._labels.order
        if len(order) == 1:
            return np.ones((len(blocks), 1))
        if self._learner.n_seen == 0:
            return np.full((len(blocks), len(order)), 1 / len(order))
        out: Array = self._learner.handle.probabilities(np.ascontiguousarray(blocks))[:, order]
        if len(order) == 2:
            # The offset moves the middle of the map away from score 0; the predicted class keeps the larger share.
            positive = self._oriented(blocks) >= 0
            out[:, 1] = np.where(positive, np.maximum(out[:, 1], _HALF_AND_A_BIT), np.minimum(out[:, 1], 0.5))
            out[:, 0] = 1 - out[:, 1]
        return out

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, calibrated on the scores seen while learning.

        Every example is scored before it is learned; a logistic map of those honest scores (one scale and offset, or one
        temperature for several classes) is fitted as the stream goes.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._probabilities(self._blocks(X))

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _dict_blocks(self, x: Mapping[Any, Any], *, variances: bool = False) -> Array:
        out = self._learner.handle.read_dict(x, variances)
        if isinstance(out, tuple):
            raise refuse(*out, single_precision=self._learner.dtype == "float32", learning=False)
        return np.array([out])

    def predict_one(self, x: Mapping[Any, Any]) -> Any:
        """The most likely class of one dict of features; None before any class is known.

        Parameters
        ----------
        x : dict
            Feature names (or column numbers) and their values.

        Returns
        -------
        label or None
        """
        if self.__dict__.get("_learner") is None:
            return None
        position = self._decide(self._oriented(self._dict_blocks(x)))[0]
        return self._labels.names[self._labels.order[position]]

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """Probability of every class for one dict of features; empty before any class is known.

        Parameters
        ----------
        x : dict
            Feature names (or column numbers) and their values.

        Returns
        -------
        dict
            From label to probability.
        """
        if self.__dict__.get("_learner") is None:
            return {}
        row = self._probabilities(self._dict_blocks(x))[0]
        return dict(zip(self.classes_.tolist(), row.tolist(), strict=True))

    # ------------------------------------------------------------------ confidence

    def _need_variance(self) -> Learner:
        learner = self._ready()
        if not learner.handle.has_variance:
            raise NotAvailableError(
                f"{type(self).__name__} keeps no variances; use AROWClassifier or SoftConfidenceWeightedClassifier"
            )
        return learner

    def margin(self, X: Any, return_std: bool = False) -> Array | tuple[Array, Array]:
        """How far each prediction is from changing.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
        return_std : bool, default=False
            Whether to return the margin's standard deviation under the belief as well.

        Returns
        -------
        margin : ndarray of shape (n_samples,)
            Score of the predicted class minus its best rival's; for two classes |score|.
        std : ndarray of shape (n_samples,)
            Only with `return_std`.
        """
        if not return_std:
            self._ready()
            return _margins(self._oriented(self._blocks(X)))
        learner = self._need_variance()
        rows = self._rows_to_read(X)
        blocks = learner.read_rows(rows, n_threads=self._threads())
        read = learner.handle.margin_variance_csr if isinstance(rows, SparseRows) else learner.handle.margin_variance_dense
        variance = read(*rows.arguments(), self._threads())
        if isinstance(variance, tuple):
            raise refuse(*variance, single_precision=learner.dtype == "float32", learning=False)
        return _margins(self._oriented(blocks)), np.sqrt(variance[:, 0])

    def confidence(self, X: Any) -> Array:
        """Probability, under the Gaussian belief, that each prediction is on the right side: Φ(margin / std).

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
            Between 0.5 and 1.
        """
        return self._confidence(X)

    def _confidence(self, X: Any) -> Array:
        margin, std = self.margin(X, return_std=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            z = np.where(std > 0, margin / std, np.where(margin > 0, np.inf, 0.0))
        return np.array([_core.rule.cdf(value) for value in z.tolist()])

    def sample(self, n: int, random_state: Any = None) -> tuple[Array, Array]:
        """Draw weights from the belief, for Gibbs prediction.

        Parameters
        ----------
        n : int
            Number of draws.
        random_state : int, RandomState instance or None, default=None
            Seed.

        Returns
        -------
        coef : ndarray of shape (n, *coef_.shape)
        intercept : ndarray of shape (n, *intercept_.shape)
        """
        learner = self._need_variance()
        rng = generator(random_state)
        covariance = learner.handle.covariance()
        if covariance is None:
            coef = self.coef_ + self.coef_std_ * rng.standard_normal((n, *self.coef_.shape))
            intercept = self.intercept_ + self._intercept_std() * rng.standard_normal((n, *self.intercept_.shape))
            return coef, intercept
        mean, offset = learner.handle.mean()
        flat = np.concatenate([offset, mean], axis=1).ravel()
        blocks = _draw(rng, flat, covariance, n).reshape(n, learner.n_blocks, -1)
        weights = np.stack([self._oriented_weights(draw) for draw in blocks])
        return weights[:, :, 1:], weights[:, :, 0]

    def explain(self, x: Any, *, top: int | None = 10) -> Explanation:
        """Why one example is predicted as it is: what each feature adds to the margin, with its standard deviation.

        Parameters
        ----------
        x : dict, row or array of shape (1, n_features)
            The example.
        top : int or None, default=10
            How many features to list, the largest contributions first; None lists all.

        Returns
        -------
        Explanation
        """
        learner = self._ready()
        columns, values = self._entries(x)
        order = self._labels.order
        return explain_margin(
            learner, columns, values, [self._labels.names[number] for number in order], order, self._feature_name, top
        )

    def _entries(self, x: Any) -> tuple[Array, Array]:
        """One example as columns and values."""
        if isinstance(x, Mapping):
            columns, values = self._learner.handle.columns_of(x)
            return np.asarray(columns, dtype=np.int64), np.asarray(values, dtype=np.float64)
        if not is_sparse(x) and np.ndim(x) == 1:
            x = np.asarray(x).reshape(1, -1)
        rows = self._rows_to_read(x)
        if rows.n_rows != 1:
            raise DataError(f"explain takes one example, got {rows.n_rows}")
        if isinstance(rows, SparseRows):
            return np.asarray(rows.indices, dtype=np.int64), np.asarray(rows.data, dtype=np.float64)
        present = np.flatnonzero(rows.x[0])
        return present, np.asarray(rows.x[0][present], dtype=np.float64)

    def _feature_name(self, column: int) -> str:
        names = self.__dict__.get("feature_names_in_")
        if names is not None and column < len(names):
            return str(names[column])
        words: dict[int, str] = self._learner.handle.words()
        return words.get(column, f"x{column}")

    # ------------------------------------------------------------------ fitted state

    def _oriented_weights(self, blocks: Array) -> Array:
        """Weights per block as weights per row of `coef_`."""
        order = self._labels.order
        if len(order) > 2:
            rows: Array = blocks[order]
            return rows
        return self._oriented(blocks.T).reshape(1, -1)

    def _weights(self, name: str) -> tuple[Array, Array]:
        if self.__dict__.get("_learner") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'coef_' before it has learned")
        coef, intercept = getattr(self._learner.handle, name)()
        return coef, intercept

    @property
    def classes_(self) -> Array:
        """The class labels, sorted."""
        if "_labels" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'classes_' before it has learned")
        return self._labels.sorted

    @property
    def coef_(self) -> Array:
        """The weights predictions are made with."""
        return self._oriented_weights(self._weights("average")[0])

    @property
    def intercept_(self) -> Array:
        """The intercepts predictions are made with."""
        return self._oriented_weights(self._weights("average")[1])[:, 0]

    @property
    def coef_std_(self) -> Array:
        """Standard deviation of every weight."""
        return self._deviation(0)

    def _intercept_std(self) -> Array:
        return self._deviation(1)[:, 0]

    def _deviation(self, part: int) -> Array:
        self._need_variance()
        variance = self._weights("variance")[part]
        if len(self._labels) > 2:
            return np.sqrt(variance[self._labels.order])
        return np.sqrt(variance.sum(axis=0, keepdims=True))

    @property
    def n_seen_(self) -> int:
        """Rounds so far: examples of positive weight."""
        return self._counted("n_seen")

    @property
    def n_updates_(self) -> int:
        """Rounds that changed the model."""
        return self._counted("n_updates")

    @property
    def n_mistakes_(self) -> int:
        """Rounds predicted wrongly before learning."""
        return self._counted("n_mistakes")

    def _counted(self, name: str) -> int:
        if self.__dict__.get("_learner") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute '{name}_' before it has learned")
        return int(getattr(self._learner, name))

    def digest(self) -> str:
        """A hash of everything learned; equal digests mean equal models, bit for bit."""
        return self._ready().digest()

    def save(self, path: Any) -> None:
        """Write the model to a safetensors file.

        Parameters
        ----------
        path : str or path-like
            Where to; the file is written aside and moved into place.
        """
        from .persistence import save

        save(self, path)

    @classmethod
    def load(cls, path: Any) -> Self:
        """Read a model written by `save`; never runs code from the file.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        from .persistence import load

        model = load(path)
        if not isinstance(model, cls):
            raise ParameterError(f"{path} holds a {type(model).__name__}, not a {cls.__name__}")
        return model

    # ------------------------------------------------------------------ scikit-learn

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.poor_score = self._ignores_weights is not None
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return self.__dict__.get("_learner") is not None


@dataclass(slots=True)
class Batch:
    """A checked batch and the classes it brings, each with the row in which it comes."""

    rows: Rows
    numbers: Array
    weights: Array | None
    dtype: str
    news: list[tuple[int, Array]]

    def parts(self) -> Iterator[tuple[int, int, Array]]:
        """Stretches of rows, and the classes to be met before each."""
        stops = [row for row, _ in self.news[1:]] + [self.rows.n_rows]
        for (start, new), stop in zip(self.news, stops, strict=True):
            yield start, stop, new


def _expected_classes(labels: Array, classes: npt.ArrayLike) -> Array:
    """The parameter `classes`, which must hold every label."""
    expected = np.asarray(classes).ravel()
    names = set(expected.tolist())
    stray = [label for label in labels.tolist() if label not in names]
    if stray:
        raise DataError(f"y contains {stray[0]!r}, which is not among classes={expected.tolist()}")
    return expected


def _one_label(y: Any) -> Array:
    """One class label as an array."""
    if y is None or isinstance(y, Mapping | set):
        raise DataError(f"y must be a class label, got {y!r}")
    label = np.asarray([y]) if not isinstance(y, str | bytes) else np.asarray([y], dtype=type(y))
    if label.ndim != 1 or (label.dtype.kind == "f" and not np.isfinite(label[0])):
        raise DataError(f"y must be one class label, got {y!r}")
    return label


def _need_weight(w: Any) -> None:
    if not isinstance(w, Real):
        raise TypeError(f"w must be a number, got {w!r}")
    if not 0 <= float(w) < float("inf"):
        raise DataError(f"w must be finite and not negative, got {w!r}", 0)


def _margins(scores: Array) -> Array:
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.partition(scores, -2, axis=1)
    margins: Array = best[:, -1] - best[:, -2]
    return margins


def _is_float(dtype: Any) -> bool:
    try:
        return str(np.dtype(dtype)) in ("float32", "float64")
    except TypeError:
        return False


def _columns(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[1]) if shape is not None and len(shape) == 2 else 0


def _column_types(X: Any) -> list[Any]:
    kinds = X.dtypes
    return list(kinds.values) if hasattr(kinds, "values") and not isinstance(kinds, dict) else list(kinds)


def _draw(rng: np.random.RandomState, mean: Array, covariance: Array, n: int) -> Array:
    """Gaussian draws through the symmetric root, which exists also when rounding has cost a little definiteness."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws: Array = mean + rng.standard_normal((n, len(mean))) @ root.T
    return draws


@dataclass(kw_only=True, eq=False, repr=False)
class GaussianClassifier(OnlineClassifier):
    """A classifier whose belief is a Gaussian."""

    covariance: Literal["diagonal", "full"] = "diagonal"
    projection: Literal["kl", "drop", "exact"] = "kl"
    initial_variance: float = 1.0
    min_variance: float = 0.0

    #: The projections the mathematics allows for this rule.
    _projections: ClassVar[tuple[str, ...]] = ("kl", "drop")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        check_number(owner, "initial_variance", self.initial_variance, 0.0, sys.float_info.max, open_low=True)
        check_number(owner, "min_variance", self.min_variance, 0.0, self.initial_variance)

    def _belief(self) -> Any:
        owner = type(self).__name__
        check_choice(owner, "covariance", self.covariance, ("diagonal", "full"))
        check_choice(owner, "projection", self.projection, self._projections)
        if self.covariance == "full":
            return belief.Full(initial_variance=self.initial_variance, average=self.average)
        return belief.Diagonal(
            projection=self.projection,
            initial_variance=self.initial_variance,
            min_variance=self.min_variance,
            average=self.average,
        )
