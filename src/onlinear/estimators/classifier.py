"""Validation and the fit loop, once for every classifier.

An estimator file declares parameters and says which rule, belief and task they mean; everything else is here.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nextafter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, Self

from .. import _core, task
from .._numpy import np
from .._sklearn import ClassifierMixin, is_lean, seeded
from ..exceptions import DataError, NotAvailableError, NumericError, ParameterError
from ..model.labels import Classes, Labels, distinct_labels, label_array, mixed_labels
from ..model.learner import weights_of, weighty
from ..model.parameters import check_choice, check_number, with_advice
from ..model.rows import Rows, SparseRows, refuse
from .base import Array, GaussianBelief, LinearEstimator

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..model.stream import RowStream
    from .explanation import Explanation

__all__ = ["GaussianClassifier", "OnlineClassifier"]

#: Kinds of arrays whose values are classes whatever they are: whole numbers, booleans, words.
_PLAIN_LABELS = "iubU"

_HALF_AND_A_BIT = nextafter(0.5, 1.0)


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class OnlineClassifier(ClassifierMixin, LinearEstimator):
    """What all classifiers share; see `_parameters.SHARED_PARAMETERS` for the parameters."""

    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    cost_matrix: npt.ArrayLike | Mapping[Any, Mapping[Any, float]] | None = None
    cost_update: Literal["prediction", "max_loss"] = "prediction"

    _with_variances: ClassVar[str] = "AROWClassifier or SoftConfidenceWeightedClassifier"

    #: Why a rule cannot follow class weights, where that is so; see tests/estimators for the table.
    _ignores_weights: ClassVar[str | None] = None

    # ------------------------------------------------------------------ what a subclass says

    def _joint(self) -> Any:
        """The several-constraint task for more than two classes, or None for the top-1 reduction."""
        return None

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
        go_on = self.warm_start and self._so_far() is not None
        self._generator()
        # Going on changes the learner in place; what starts anew needs no look at the rows first.
        with self._all_or_nothing(deep=go_on):
            self._fit(X, y, sample_weight, go_on)
        return self

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, go_on: bool) -> None:
        rows, labels = self._validated(X, y, reset=not go_on)
        weights = self._fit_weights(sample_weight, rows.n_rows)
        known = self._labels if go_on else Labels()
        new = known.unknown(labels if weights is None else labels[weights > 0])
        self._need_two_classes([*known.names, *new.tolist()])
        if go_on:
            self._inspect(rows, self._learner.dtype)
            self._meet(new, rows.n_columns)
        else:
            self._labels = known
            self._start(rows.n_columns, new, self._state_dtype(X))
            self.n_passes_ = 0
            if weights is not None:
                self._inspect(
                    rows, self._learner.dtype
                )  # those of no weight are not learned, and must be sound too
        numbers, _ = _numbered(labels, weights, self._labels)
        class_weight = self._class_weights(numbers if weights is None else numbers[weights > 0])
        self._make_passes(
            weighty(weights, rows.n_rows),
            lambda order, first: self._learner.learn_rows(
                rows, numbers, weights, class_weight=class_weight, order=order, calibrate=first, checked=True
            ),
        )

    def _need_two_classes(self, names: list[Any]) -> None:
        if len(names) < 2:
            raise DataError(
                f"{type(self).__name__}: y has one class only ({names[0]!r}); fit needs at least two classes. "
                "partial_fit and learn_one accept classes as they come."
            )

    def partial_fit(
        self,
        X: Any,
        y: Any = None,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn from one batch, in the given order, once.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples; or, alone, a batch or all that `onlinear.read` gives.
        y : array of shape (n_samples,)
            Their classes; new ones may appear at any time.
        classes : array, optional
            Classes to expect; not needed. When given, a class of `y` outside them is refused.
        sample_weight : array of shape (n_samples,), optional
            Example weights; 0 is an exact no-op.

        Returns
        -------
        self
        """
        rows = self._quick(X) if self._so_far() is not None and classes is None else None
        numbers = None
        if rows is not None and y is not None:
            labels = y if type(y) is np.ndarray else label_array(y)
            if labels.shape == (rows.n_rows,):
                numbers = self._labels.encode(labels)
        if rows is None or numbers is None:
            if y is None and self._learn_stream(X):
                return self
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
        first = self.__dict__.get("_learner") is None
        restore = self._checkpoint()
        with self._all_or_nothing():
            batch = self._batch_of(X, y, classes, sample_weight)
        try:
            for start, stop, new in batch.parts():
                self._learn_part(batch, start, stop, new)
        except BaseException as error:
            if first and not isinstance(error, NumericError):
                restore()
            raise
        finally:
            if self.__dict__.get("_learner") is None or not batch.news:
                restore()  # nothing had any weight, or the very first row was refused
            else:
                self.n_features_in_ = self._learner.n_features  # not those of rows that were refused
        return self

    def _batch_of(
        self, X: Any, y: Any, classes: npt.ArrayLike | None, sample_weight: npt.ArrayLike | None
    ) -> Batch:
        """A batch checked in every way, before anything is changed for its sake.

        The rows of the first batch are not looked at: when they are refused, everything is put back. Those that come
        before any class are not learned, so they are.
        """
        first = self.__dict__.get("_learner") is None
        rows, labels = self._validated(X, y, reset=first)
        weights = weights_of(sample_weight, rows.n_rows)
        known = Labels() if first else self._labels.copy()
        if classes is not None and not first:
            _check_announced(labels, weights, known, label_array(classes).ravel())
        expected = self._expected(labels, classes, weights, known)
        numbers = known.encode(labels) if len(known) else None
        news: list[tuple[int, Array]] = []
        if numbers is None:
            stray = (
                None if classes is None else known.stray(labels if weights is None else labels[weights > 0])
            )
            if stray is not None:
                raise DataError(
                    f"y contains {stray!r}, which is not among classes={np.asarray(classes).ravel().tolist()}"
                )
            numbers, news = _numbered(labels, weights, known)
        idle = weights is not None and not weights.any()
        if len(expected) or not (
            first or idle or (news and news[0][0] == 0)
        ):  # from the first row on there is a part
            news.insert(0, (0, expected))
        if first:
            dtype = self._state_dtype(X)
            if not news or news[0][0] > 0:
                self._inspect(rows, dtype)
            return Batch(rows, numbers, weights, dtype, news, len(known), checked=True)
        if self.cost_matrix is not None and len(known) > len(self._labels):
            self._refuse_class(known.names[len(self._labels)])
        grows = len(known) > len(self._labels) or rows.n_columns > self._learner.n_features
        if grows or idle:
            self._inspect(rows, self._learner.dtype)
        return Batch(rows, numbers, weights, self._learner.dtype, news, len(known), checked=grows)

    def _expected(
        self, labels: Array, classes: npt.ArrayLike | None, weights: Array | None, known: Labels
    ) -> Array:
        """The classes to be met before the first row; `known` learns of them."""
        expected = labels[:0]
        if classes is not None:
            expected = known.unknown(label_array(classes).ravel())
            known.add(expected)
        if self.cost_matrix is not None and self.__dict__.get("_learner") is None:
            # The costs are for all classes at once.
            if classes is None:
                expected = known.unknown(labels if weights is None else labels[weights > 0])
            if len(expected):
                expected = self._costly(expected)[1]
            known.add(expected)
        return expected

    def _learn_part(self, batch: Batch, start: int, stop: int, new: Array) -> None:
        """Learn a stretch of rows, after meeting the classes it brings."""
        fitted = self.__dict__.get("_learner") is not None
        grows = fitted and self._grows(new, batch.rows.n_columns)
        restore = self._before_growth() if grows else self._checkpoint()
        try:
            self._meet(new, batch.rows.n_columns, batch.dtype, expected=batch.n_classes)
            class_weight, balanced = self._streaming_weights()
            self._learner.learn_rows(
                batch.rows.part(start, stop),
                batch.numbers[start:stop],
                None if batch.weights is None else batch.weights[start:stop],
                class_weight=class_weight,
                balanced=balanced,
                checked=batch.checked,
                first_row=start,
            )
        except BaseException as error:
            if not (isinstance(error, NumericError) and error.row is not None and error.row > start):
                restore()  # nothing was learned since
            raise

    def _stream(self, **options: Any) -> RowStream:
        from ..model.stream import StreamLearner

        return StreamLearner(self, **options)

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
        self._so_far()
        number = self._number_of(y)
        if number is None:
            return self._learn_new_one(x, y, w)
        self._learn_labelled(x, number, w)
        return self

    def _number_of(self, y: Any) -> int | None:
        try:
            return self._labels.index.get(y)
        except (AttributeError, TypeError):  # nothing learned yet, or no label at all
            return None

    def _learn_labelled(self, x: Mapping[Any, Any], number: int, w: float) -> None:
        if self.class_weight is None:
            self._learn_dict(x, w, label=number)
            return
        class_weight, balanced = self._streaming_weights()
        factor = None if class_weight is None else float(class_weight[number])
        self._learn_dict(x, w, label=number, factor=factor, balanced=balanced)

    def _learn_new_one(self, x: Mapping[Any, Any], y: Any, w: float) -> Self:
        """Learn a dict that brings a class, or is the first of all."""
        label = _one_label(y)
        fitted = self.__dict__.get("_learner") is not None
        if not fitted:
            self._check_parameters()
        dtype = self._dict_dtype()
        if not self._is_weightless(x, w, dtype):
            # A second class takes no room; a third makes blocks of what there is.
            grows = fitted and (len(self._labels) > 1 or self._learner.handle.n_blocks > 1)
            with self._all_or_nothing(grows=grows, single=True):
                self._meet(label, self.n_features_in_ if fitted else 0, dtype)
                self._learn_labelled(x, self._labels.index[label.tolist()[0]], w)
        return self

    # ------------------------------------------------------------------ getting ready

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        if isinstance(self.class_weight, Mapping):
            for label, weight in self.class_weight.items():
                check_number(owner, f"class_weight[{label!r}]", weight, 0.0, sys.float_info.max)
        else:
            check_choice(owner, "class_weight", self.class_weight, ("balanced", None))

    def _validated(self, X: Any, y: Any, *, reset: bool) -> tuple[Rows, Array]:
        rows = self._checked_rows(X, reset=reset)
        if type(y) is np.ndarray and y.shape == (rows.n_rows,) and y.dtype.kind in _PLAIN_LABELS:
            return rows, y
        if is_lean():
            return rows, label_array(y)
        from sklearn.utils import assert_all_finite
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import check_consistent_length, column_or_1d

        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        labels = column_or_1d(label_array(y), warn=True)
        check_consistent_length(X, labels)
        if labels.dtype.kind not in _PLAIN_LABELS:
            assert_all_finite(labels, input_name="y")
            try:
                check_classification_targets(labels)
            except TypeError:
                raise mixed_labels() from None
        return rows, labels

    def _start(self, n_features: int, classes: Array | list[Any], dtype: str, *, anew: bool = True) -> None:
        rule, known = self.axes()
        if self.cost_matrix is not None:
            asked, classes = self._costly(np.asarray(classes))
        self._labels.add(classes)
        n_classes = max(len(self._labels), 2)
        if self.cost_matrix is None:
            several = n_classes > 2 or self._always_joint
            joint = self._joint_task()
            asked = (joint or task.Multiclass()) if several else task.Binary()
        own_rule = isinstance(asked, task.MulticlassJoint)
        try:
            self._learner = self._make_learner(
                asked, None if own_rule else rule, known, n_features, n_classes, dtype, anew=anew
            )
        except ParameterError:
            del self._labels
            raise
        self.n_features_in_ = n_features

    def _costly(self, classes: Array) -> tuple[Any, Array]:
        """The cost-sensitive task, and all its classes: the matrix says which there are."""
        owner = type(self).__name__
        if self._joint_task() is not None or self._always_joint:
            raise ParameterError(
                f"{owner}: cost_matrix does not go with an update of several classes at once; {self._one_rival}"
            )
        costs, named = self.cost_matrix, isinstance(self.cost_matrix, Mapping)
        if isinstance(costs, Mapping):
            if not all(isinstance(row, Mapping) for row in costs.values()):
                raise ParameterError(
                    f"{owner}: cost_matrix must be {{right class: {{answer: cost}}}}, got {costs!r}"
                )
            names = Labels()
            names.add(np.asarray([*costs, *(answer for row in costs.values() for answer in row)]))
            stray = names.unknown(classes)
            if len(stray):
                raise DataError(f"{owner}: y contains {stray.tolist()[0]!r}, which cost_matrix does not name")
            classes = names.sorted
            costs = [[costs.get(y, {}).get(q, 0.0) for q in classes.tolist()] for y in classes.tolist()]
        try:
            given: Any = costs
            asked: Any = task.CostSensitive(cost=given, update=self.cost_update)
        except ValueError as error:
            message = str(error)
            name = "cost_update" if message.startswith("update") else "cost_matrix"
            raise ParameterError(f"{owner}: {name}{message[message.index(' ') :]}") from None
        if not named and len(asked.cost) != len(classes):
            raise ParameterError(
                f"{owner}: cost_matrix is for {len(asked.cost)} classes, there are {len(classes)}. Name them with "
                "partial_fit(X, y, classes=...), or give costs as {right class: {answer: cost}}."
            )
        return asked, classes

    #: How an estimator that learns against several classes at once is made to learn against one.
    _one_rival: ClassVar[str] = "use constraints=1"

    #: Tasks that keep one block per class even for two classes.
    _always_joint: ClassVar[bool] = False

    def _grows(self, new: Array, n_features: int) -> bool:
        """Whether these classes or this many features ask for room; a second class takes none."""
        more = len(new) > 0 and len(self._labels) + len(new) > 2
        return more or n_features > self._learner.n_features

    def _meet(
        self, new: Array | list[Any], n_features: int, dtype: str = "float64", *, expected: int = 0
    ) -> None:
        """Make room for classes and features that were not there before; the first of them start the learner.

        Room is made for `expected` classes at once, where so many are known to come.
        """
        if self.__dict__.get("_learner") is None:
            self._labels = Labels()
            self._start(n_features, new, dtype)
            self._learner.handle.expect_classes(expected)
            return
        handle = self._learner.handle
        handle.expect_classes(expected)
        if self.cost_matrix is not None and len(new):
            self._refuse_class(np.asarray(new).tolist()[0])
        self._labels.add(new)
        n_classes = max(len(self._labels), 2)
        if n_classes > 2 and handle.n_blocks == 1:
            self._learner.to_multiclass(self._joint_task() or task.Multiclass(), expected)
        if n_features > handle.n_features or n_classes > max(handle.n_blocks, 2):
            self._learner.grow(max(n_features, handle.n_features), n_classes, expected)
        self.n_features_in_ = handle.n_features

    def _refuse_class(self, label: Any) -> None:
        raise DataError(f"{type(self).__name__}: y contains {label!r}, which cost_matrix does not know")

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

    def _oriented(self, blocks: Array, classes: Classes | None = None) -> Array:
        """Scores in the order of `classes_`: (n,) towards the second for two classes, else (n, n_classes).

        Another thread may bring a class at any time: who needs its names as well reads `classes` once, for both.
        """
        classes = classes or self._labels.classes.among(blocks.shape[1])
        order = classes.order
        if len(order) < 2:
            return blocks[:, 0] if blocks.shape[1] == 1 else blocks[:, 1] - blocks[:, 0]
        if len(order) == 2:
            first, second = order
            if blocks.shape[1] == 1:
                return blocks[:, 0] if second == 1 else -blocks[:, 0]
            oriented: Array = blocks[:, second] - blocks[:, first]
            return oriented
        if classes.in_order and blocks.shape[1] == len(order):
            return blocks
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

    def _decide(self, scores: Array, classes: Classes | None = None) -> Array:
        """Positions in `classes_`."""
        if (classes or self._labels.classes).count == 1:
            return np.zeros(len(scores), dtype=np.intp)
        if scores.ndim == 1:
            return (scores >= 0).astype(np.intp)
        return _core.best_columns(np.ascontiguousarray(scores))

    def predict(self, X: Any) -> Array:
        """The most likely class of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        learner, classes = self._ready(), self._labels.classes
        places = np.asarray(learner.chosen(self._rows_to_read(X), classes.ranking, n_threads=self._threads()))
        predicted: Array = classes.sorted[places]
        return predicted

    def _probabilities(self, blocks: Array, classes: Classes | None = None) -> Array:
        classes = classes or self._labels.classes.among(blocks.shape[1])
        order = classes.order
        if len(order) == 1:
            return np.ones((len(blocks), 1))
        if self._learner.n_seen == 0:
            return np.full((len(blocks), len(order)), 1 / len(order))
        out: Array = self._learner.handle.probabilities(np.ascontiguousarray(blocks))[:, order]
        if len(order) == 2:
            # The offset moves the middle of the map away from score 0; the predicted class keeps the larger share.
            positive = self._oriented(blocks, classes) >= 0
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
        blocks = self._dict_blocks(x)
        classes = self._labels.classes.among(blocks.shape[1])
        position = self._decide(self._oriented(blocks, classes), classes)[0]
        return classes.ranked[position]

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
        blocks = self._dict_blocks(x)
        classes = self._labels.classes.among(blocks.shape[1])
        row = self._probabilities(blocks, classes)[0]
        return dict(zip(classes.sorted.tolist(), row.tolist(), strict=True))

    # ------------------------------------------------------------------ confidence

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
        read = (
            learner.handle.margin_variance_csr
            if isinstance(rows, SparseRows)
            else learner.handle.margin_variance_dense
        )
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
        check_number(type(self).__name__, "n", n, 0, 1 << 31, whole=True)
        rng = seeded(type(self).__name__, random_state)
        covariance = learner.handle.covariance()
        if covariance is None:
            coef = self.coef_ + self.coef_std_ * rng.standard_normal((n, *self.coef_.shape))
            intercept = self.intercept_ + self._intercept_std() * rng.standard_normal(
                (n, *self.intercept_.shape)
            )
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
        from .explanation import explain_margin

        if top is not None:
            check_number(type(self).__name__, "top", top, 0, 1 << 31, whole=True)
        learner, classes = self._ready(), self._labels.classes
        columns, values = self._entries(x)
        return explain_margin(
            learner,
            columns,
            values,
            classes,
            self._feature_name,
            top,
        )

    # ------------------------------------------------------------------ fitted state

    def _oriented_weights(self, blocks: Array) -> Array:
        """Weights per block as weights per row of `coef_`."""
        classes = self._labels.classes.among(len(blocks))
        if classes.count > 2:
            rows: Array = blocks[classes.order]
            return rows
        return self._oriented(blocks.T, classes).reshape(1, -1)

    @property
    def classes_(self) -> Array:
        """The class labels, sorted."""
        if "_labels" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'classes_' before it has learned"
            )
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
        classes = self._labels.classes.among(len(variance))
        if classes.count > 2:
            rows: Array = np.sqrt(variance[classes.order])
            return rows
        both: Array = np.sqrt(variance.sum(axis=0, keepdims=True))
        return both

    @property
    def total_cost_(self) -> float:
        """Cost of all predictions made before learning, with a `cost_matrix`."""
        if self.cost_matrix is None:
            raise NotAvailableError(f"{type(self).__name__} counts costs only with a cost_matrix")
        return self._ready().total_cost

    # ------------------------------------------------------------------ scikit-learn

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._ignores_weights is not None
        return tags


_core.shorten_learn_one(OnlineClassifier)


class Batch(NamedTuple):
    """A checked batch and the classes it brings, each with the row in which it comes."""

    rows: Rows
    numbers: Array
    weights: Array | None
    dtype: str
    news: list[tuple[int, Array]]
    n_classes: int
    checked: bool

    def parts(self) -> Iterator[tuple[int, int, Array]]:
        """Stretches of rows, and the classes to be met before each; none where no row has a weight."""
        stops = [row for row, _ in self.news[1:]] + [self.rows.n_rows]
        for (start, new), stop in zip(self.news, stops, strict=bool(self.news)):
            yield start, stop, new


def _check_announced(labels: Array, weights: Array | None, known: Labels, classes: Array) -> None:
    """Refuse classes the caller did not announce, also those the model knows from before."""
    announced = set(classes.tolist())
    if announced.issuperset(known.names):
        return  # what is left to refuse is what nobody knows
    counted = labels if weights is None else labels[weights > 0]
    for label in distinct_labels(counted).tolist():
        if label not in announced:
            raise DataError(f"y contains {label!r}, which is not among classes={classes.tolist()}")


def _numbered(labels: Array, weights: Array | None, known: Labels) -> tuple[Array, list[tuple[int, Array]]]:
    """Class numbers, and the classes not in `known` with the rows they come in; `known` learns of them.

    Rows of no weight bring no classes and may have any number.
    """
    if weights is None or weights.all():
        arrivals, rows = known.arrivals(labels)
        known.add(arrivals)
        encoded = known.encode(labels)
        numbers = encoded
    else:
        counted = np.flatnonzero(weights)
        arrivals, where = known.arrivals(labels[counted])
        known.add(arrivals)
        rows = counted[where]
        numbers = np.zeros(len(labels), dtype=np.int32)
        encoded = known.encode(labels[counted])
        if encoded is not None:
            numbers[counted] = encoded
    if encoded is None or numbers is None:
        raise DataError(
            "y changed while it was read: something else writes into it. Give a copy, as with y.copy()."
        )
    return numbers, [(int(row), arrivals[i : i + 1]) for i, row in enumerate(rows)]


def _one_label(y: Any) -> Array:
    """One class label as an array."""
    if y is None or isinstance(y, Mapping | set):
        raise DataError(f"y must be a class label, got {y!r}")
    label = label_array([y])
    if label.ndim != 1 or (label.dtype.kind == "f" and not np.isfinite(label[0])):
        raise DataError(f"y must be one class label, got {y!r}")
    return label


def _margins(scores: Array) -> Array:
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.partition(scores, -2, axis=1)
    margins: Array = best[:, -1] - best[:, -2]
    return margins


def _draw(rng: np.random.RandomState, mean: Array, covariance: Array, n: int) -> Array:
    """Gaussian draws through the symmetric root, which exists also when rounding has cost a little definiteness."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws: Array = mean + rng.standard_normal((n, len(mean))) @ root.T
    return draws


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class GaussianClassifier(GaussianBelief, OnlineClassifier):
    """A classifier whose belief is a Gaussian."""
