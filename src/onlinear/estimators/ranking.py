"""Label ranking: several labels may be right, and those that are should come first."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from .. import task
from .._sklearn import ClassifierMixin
from ..algorithms.table import axes_of, truncation_of
from ..exceptions import DataError, ModelFileError, NotAvailableError, ParameterError
from ..model.labels import Classes, Labels, label_array, mixed_labels
from ..model.learner import weights_of, weighty
from ..model.parameters import check_number, estimator
from ..model.rows import DenseRows, Rows, is_sparse, refuse_masked, to_rows
from .base import Array, LinearEstimator

if TYPE_CHECKING:
    from ..model.stream import RowStream

__all__ = ["MultilabelRanker", "RankingReport"]


@dataclass(frozen=True, slots=True)
class RankingReport:
    """How well labels are ranked."""

    n_examples: int
    ranking_loss: float
    """Share of (relevant, irrelevant) pairs in the wrong order, averaged over examples."""
    one_error: float
    """Share of examples whose first label is not relevant; examples with no relevant label do not count."""
    average_precision: float
    """Average share of relevant labels among those ranked at least as high as each relevant one."""
    subset_accuracy: float
    """Share of examples whose predicted set is exactly right."""


@estimator
class MultilabelRanker(ClassifierMixin, LinearEstimator):
    """Label ranking by any rule: every relevant label above every irrelevant one.

    On each example the lowest-scoring relevant label r is set against the highest-scoring irrelevant label s,
    with δ = Φ(x, r) - Φ(x, s) and required margin 1. An example with no relevant label, or with all of them,
    teaches nothing. With one label to an example this is multiclass classification.

    Label sets are predicted with a threshold on calibrated probabilities: one logistic map of the scores for
    all labels, fitted while learning to the scores before each round.

    Parameters
    ----------
    rule : str or classifier, default="pa1"
        The algorithm: a name ("perceptron", "pa", "pa1", "pa2", "romma", "norma", "cw-var", "scw1", "scw2",
        "arow", "nherd", "narow", "sop", "iellip", ...), or one of our classifiers, whose parameters then
        count.
    phi : callable, default=None
        ``phi(X, label)`` gives the rows of Φ(x, label) for every example, and one vector of weights serves
        all labels (single prototype). None keeps one vector for each label (multi-prototype).
    threshold : float, default=0.5
        Labels whose probability reaches this are predicted, in [0, 1].

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The labels, sorted.
    coef_ : ndarray of shape (n_labels, n_features), or (1, n_features) with `phi`
        The weights.
    intercept_ : ndarray of shape (n_labels,) or (1,)
        The intercepts.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 7.

    Examples
    --------
    >>> from onlinear import MultilabelRanker
    >>> X = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    >>> y = [["art"], ["sport"], ["money"], ["art", "sport"]]
    >>> model = MultilabelRanker(rule="arow", random_state=0).fit(X, y)
    >>> print(model.rank([[0.0, 1.0, 0.2]])[0][0])
    sport
    """

    rule: Any = "pa1"
    phi: Callable[[Any, Any], Any] | None = None
    threshold: float = 0.5

    if TYPE_CHECKING:
        _one_each: bool = field(init=False)

    # ------------------------------------------------------------------ the axes

    def axes(self) -> tuple[Any, Any]:
        """The rule and the belief these parameters mean.

        Returns
        -------
        rule, belief : objects from `onlinear.rule` and `onlinear.belief`
        """
        self._check_parameters()
        return axes_of(self.rule, type(self).__name__, average=self.average)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number(type(self).__name__, "threshold", self.threshold, 0.0, 1.0)
        if self.phi is not None and not callable(self.phi):
            raise ParameterError(f"{type(self).__name__}: phi must be callable or None, got {self.phi!r}")

    def _truncation(self) -> float | None:
        return truncation_of(self.rule)

    def _has_intercept(self) -> bool:
        return self.fit_intercept and self.phi is None  # it cancels out of a difference of rows

    # ------------------------------------------------------------------ learning

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from arrays, starting anew (or going on, with `warm_start`).

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)
            The examples; with `phi`, whatever it takes.
        y : array of shape (n_samples, n_labels), list of label lists, or array of shape (n_samples,)
            The relevant labels: an indicator array (labels are then column numbers), a list with the labels
            of each example, or one label for each. Rows of one length that hold only 0 and 1 are an indicator
            array.
        """
        self._check_parameters()
        go_on = self.warm_start and self._so_far() is not None
        given = self._given(y, anew=not go_on)
        weights = self._fit_weights(sample_weight, given.n)
        known = self._labels if go_on else Labels()
        names = given.brought(weights)
        if len(known) + len(known.unknown(names)) < 2 and given.one_each:
            raise DataError(
                f"{type(self).__name__}: y has one class only; fit needs at least two labels to rank"
            )
        with self._all_or_nothing():
            rows = self._met(X, given, names, anew=not go_on)
            if not go_on:
                self.n_passes_ = 0
            numbers, lists = given.between(0, given.n, self._labels)
            self._make_passes(
                weighty(weights, given.n),
                lambda order, first: self._learner.learn_rows(
                    rows, numbers, weights, order=order, calibrate=first, checked=True, label_lists=lists
                ),
            )
        return self

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
            The examples; with `phi`, whatever it takes; or, alone, a batch or all that `onlinear.read` gives.
        y : array or list
            The relevant labels, as in `fit`; new ones may appear at any time.
        classes : array, optional
            Labels to expect; not needed. When given, a label of `y` outside them is refused.
        """
        if y is None and self._learn_stream(X):
            return self
        self._check_parameters()
        first = self._so_far() is None
        given = self._given(y, anew=first)
        weights = weights_of(sample_weight, given.n)
        if classes is not None:
            given.announce(label_array(classes).ravel(), weights)
        known = Labels() if first else self._labels.copy()
        idle = classes is None and weights is not None and not weights.any()
        news = [] if idle else given.arrivals(known, weights)
        if not (first or idle) and (not news or news[0][0] > 0):
            news.insert(0, (0, given.labels[:0]))
        restore = self._checkpoint()
        with self._all_or_nothing():
            rows = self._rows_to_learn(X, given, known, anew=first)
            stops = [start for start, _ in news[1:]] + [given.n]
            for (start, new), stop in zip(news, stops, strict=bool(news)):
                self._learn_part(X, rows, given, weights, start, stop, new)
        if not news:  # nothing had any weight
            restore()
        return self

    def _learn_part(
        self, X: Any, rows: Rows, given: _Answers, weights: Array | None, start: int, stop: int, new: Array
    ) -> None:
        """Learn a stretch of rows, after meeting the labels that its first row brings."""
        if self.__dict__.get("_learner") is None:
            self._labels, self._one_each = Labels(), given.one_each
            self._start(rows.n_columns, new, self._dtype_for(X, rows))
            self.n_passes_ = 0
        else:
            self._labels.add(new)
            if len(new) or rows.n_columns > self._learner.n_features:
                self._learner.grow(rows.n_columns, len(self._labels))
            self.n_features_in_ = self._learner.n_features
        numbers, lists = given.between(start, stop, self._labels)
        self._learner.learn_rows(
            self._part(rows, given.n, start, stop),
            numbers,
            None if weights is None else weights[start:stop],
            checked=True,
            label_lists=lists,
            first_row=start,
        )

    def _part(self, rows: Rows, n: int, start: int, stop: int) -> Rows:
        """Some examples of a batch; with `phi`, with a row for each label met so far."""
        if self.phi is None:
            return rows.part(start, stop)
        each = rows.n_rows // n
        places = np.arange(start, stop)[:, None] * each + np.arange(len(self._labels))
        if isinstance(rows, DenseRows):
            return DenseRows(rows.x[places.ravel()])
        from scipy.sparse import csr_matrix

        arrays = (rows.data, rows.indices, rows.indptr)
        return to_rows(csr_matrix(arrays, shape=(rows.n_rows, rows.n_columns))[places.ravel()])

    def _stream(self, **options: Any) -> RowStream:
        from ..model.task_streams import RankingStream

        return RankingStream(self, **options)

    def fit_stream(self, batches: Iterable[Any]) -> Self:
        """Learn from batches as they come, one pass.

        Parameters
        ----------
        batches : iterable
            The stream: pairs (X, y), triples with weights, or what `onlinear.read` gives; read with
            ``multilabel=True`` where rows have sets of labels.
        """
        if self.phi is None:
            return super().fit_stream(batches)
        for batch in batches:
            X, y, *rest = batch if isinstance(batch, tuple) else (batch.X, batch.y, batch.weight)
            self.partial_fit(X, y, sample_weight=rest[0] if rest else None)
        return self

    def learn_one(self, x: Mapping[Any, Any], y: Any, w: float = 1.0) -> Self:
        """Learn one example from a dict of features; river's verb.

        Parameters
        ----------
        y : collection of labels, or dict from label to bool
            The relevant labels; a dict also tells of labels that are not.
        """
        if self.phi is not None:
            raise NotAvailableError(f"{type(self).__name__} with phi learns from fit and partial_fit")
        if not isinstance(y, Collection) or isinstance(y, str | bytes):
            raise DataError(f"y must be a collection of labels, or a dict from label to bool, got {y!r}")
        relevant = [label for label in y if not isinstance(y, Mapping) or y[label]]
        first = self._so_far() is None
        known = Labels() if first else self._labels
        new = known.unknown(_array_of(list(y)))
        if first:
            self._check_parameters()
        if (first or len(new)) and self._is_weightless(x, w, self._dict_dtype()):
            return self
        with self._all_or_nothing(grows=not first and len(new) > 0, single=True):
            if first:
                self._labels, self._one_each = known, False
                self._start(0, new, self._dict_dtype())
            elif len(new):
                self._labels.add(new)
                self._learner.grow(self._learner.n_features, len(self._labels))
            self._learn_dict(x, w, relevant=[self._labels.index[label] for label in relevant])
        return self

    # ------------------------------------------------------------------ getting ready

    def _given(self, y: Any, *, anew: bool) -> _Answers:
        """Answers in one form, whatever form they came in."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        given = answers_of(y)
        if not anew and given.one_each != self._one_each:
            raise DataError("y must have the form it had before: one label each, or sets of labels")
        return given

    def _encoded(self, given: _Answers) -> tuple[Array, Array]:
        numbers = self._labels.encode(given.labels)
        assert numbers is not None
        return np.ascontiguousarray(numbers), given.starts

    def _met(self, X: Any, given: _Answers, names: Array, *, anew: bool) -> Rows:
        """Rows that `fit` can learn, with a learner that has room for them and for the labels they bring."""
        known = Labels() if anew else self._labels
        new = known.unknown(names)
        labels = known.copy()
        labels.add(new)
        rows = self._rows_to_learn(X, given, labels, anew=anew)
        if anew:
            self._labels, self._one_each = known, given.one_each
            self._start(rows.n_columns, new, self._dtype_for(X, rows))
        else:
            self._labels.add(new)
            if len(new) or rows.n_columns > self._learner.n_features:
                self._learner.grow(rows.n_columns, len(self._labels))
            self.n_features_in_ = self._learner.n_features
        return rows

    def _rows_to_learn(self, X: Any, given: _Answers, labels: Labels, *, anew: bool) -> Rows:
        """Rows checked in every way, before anything is changed for their sake."""
        if self.phi is None:
            rows = self._checked_rows(X, reset=anew)
            n = rows.n_rows
        else:
            rows = self._prototype_rows(X, labels.names)
            n = rows.n_rows // max(len(labels), 1)
        if n != given.n:
            raise DataError(f"X has {n} examples, y has {given.n}")
        self._inspect(rows, self._dtype_for(X, rows) if anew else self._learner.dtype)
        return rows

    def _dtype_for(self, X: Any, rows: Rows) -> str:
        return self._state_dtype(X) if self.phi is None else self._state_dtype(rows.arguments()[0])

    def _prototype_rows(self, X: Any, labels: list[Any]) -> Rows:
        """A row Φ(x, label) for each example and each label, example after example."""
        assert self.phi is not None
        blocks = [self.phi(X, label) for label in labels]
        if any(is_sparse(block) for block in blocks):
            from scipy.sparse import csr_matrix, vstack

            stacked = vstack([csr_matrix(block) for block in blocks]).tocsr()
            order = np.arange(stacked.shape[0]).reshape(len(blocks), -1).T.ravel()
            return to_rows(stacked[order])
        parts = [to_rows(block) for block in blocks]
        shapes = {(part.n_rows, part.n_columns) for part in parts}
        if len(shapes) != 1:
            raise DataError(f"phi must give the same shape for every label, got {sorted(shapes)}")
        cube = np.stack([part.arguments()[0] for part in parts], axis=1)
        return DenseRows(cube.reshape(-1, cube.shape[-1]))

    def _start(self, n_features: int, classes: Array | list[Any], dtype: str, *, anew: bool = True) -> None:
        rule, known = self.axes()
        self._labels.add(np.asarray(classes))
        asked = task.Ranking(prototypes="multi" if self.phi is None else "single")
        self._learner = self._make_learner(
            # An example may have no label at all; the first label to come takes the first block.
            asked,
            rule,
            known,
            n_features,
            max(len(self._labels), 1),
            dtype,
            anew=anew,
        )
        self.n_features_in_ = n_features

    # ------------------------------------------------------------------ predicting

    def _scores(self, X: Any) -> Array:
        """Scores, a column for each of `classes_`."""
        return self._scored(X)[0]

    def _scored(self, X: Any) -> tuple[Array, Classes]:
        """Scores and the classes they are of: another thread may bring a class at any time."""
        learner, classes = self._ready(), self._labels.classes
        if self.phi is None:
            blocks = self._blocks(X)
            classes = classes.among(blocks.shape[1])
        else:
            rows = self._prototype_rows(X, classes.names)
            blocks = learner.read_rows(rows, n_threads=self._threads()).reshape(-1, classes.count)
        return np.ascontiguousarray(blocks[:, classes.order]), classes

    def decision_function(self, X: Any) -> Array:
        """The score of every label.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            In the order of ``classes_``; for a model of two classes, one label each, of shape (n_samples,).
        """
        scores = self._scores(X)
        if self._one_each and scores.shape[1] == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    def rank(self, X: Any) -> Array:
        """All labels of each row, the best first.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
        """
        scores, classes = self._scored(X)
        ranked: Array = classes.sorted[np.argsort(-scores, axis=1, kind="stable")]
        return ranked

    def predict_proba(self, X: Any) -> Array:
        """The probability of each label.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Of each label by itself; for a model of one label each, rows sum to 1.
        """
        return self._probabilities(self._scores(X))

    def _probabilities(self, scores: Array) -> Array:
        handle = self._learner.handle
        if self._one_each:
            softened: Array = handle.probabilities(scores)
            return softened
        apart: Array = handle.label_probabilities(scores)
        return apart

    def predict(self, X: Any) -> Array:
        """The relevant labels of each row.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            An indicator array in the order of ``classes_``; for a model of one label each, the labels.
        """
        scores, classes = self._scored(X)
        if self._one_each:
            labels: Array = classes.sorted[np.argmax(scores, axis=1)]
            return labels
        return (self._probabilities(scores) >= self.threshold).astype(np.int64)

    def predict_labels(self, X: Any) -> list[list[Any]]:
        """The relevant labels of each row, as lists, the best first.

        Returns
        -------
        list of lists of labels
        """
        scores, classes = self._scored(X)
        chosen = self._probabilities(scores) >= self.threshold
        names = classes.sorted.tolist()
        order = np.argsort(-scores, axis=1, kind="stable")
        return [
            [names[k] for k in ranked if row[k]]
            for ranked, row in zip(order.tolist(), chosen.tolist(), strict=True)
        ]

    def predict_one(self, x: Mapping[Any, Any]) -> dict[Any, bool]:
        """Which labels are relevant for one dict of features; empty before any learning.

        Parameters
        ----------
        x : dict
            Feature names (or column numbers) and their values.

        Returns
        -------
        dict
            From label to bool.
        """
        return {label: p >= self.threshold for label, p in self.predict_proba_one(x).items()}

    def predict_proba_one(self, x: Mapping[Any, Any]) -> dict[Any, float]:
        """The probability of each label for one dict of features; empty before any learning.

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
        scores = np.ascontiguousarray(blocks[:, classes.order])
        return dict(zip(classes.sorted.tolist(), self._probabilities(scores)[0].tolist(), strict=True))

    def evaluate(self, X: Any, y: Any) -> RankingReport:
        """How well the labels of held-out examples are ranked.

        Parameters
        ----------
        y : array or list
            Their relevant labels, as in `fit`.

        Returns
        -------
        RankingReport
        """
        from sklearn.metrics import label_ranking_average_precision_score, label_ranking_loss

        self._ready()
        given = answers_of(y)
        stray = self._labels.unknown(given.labels)
        if len(stray):
            raise DataError(f"y contains {stray.tolist()[0]!r}, which is not among the labels learned")
        numbers, starts = self._encoded(given)
        place = np.empty(len(self._labels), dtype=np.intp)
        place[self._labels.order] = np.arange(len(place))
        truth = np.zeros((given.n, len(place)), dtype=np.int64)
        truth[np.repeat(np.arange(given.n), np.diff(starts)), place[numbers]] = 1
        scores = self._scores(X)
        if len(scores) != given.n:
            raise DataError(f"X has {len(scores)} examples, y has {given.n}")
        some = truth.any(axis=1)
        first = truth[np.arange(given.n), np.argmax(scores, axis=1)]
        guessed = self.predict(X)
        if self._one_each:
            guessed = (self.classes_[None, :] == guessed[:, None]).astype(np.int64)
        return RankingReport(
            n_examples=given.n,
            ranking_loss=float(label_ranking_loss(truth, scores)),
            one_error=float(1 - first[some].mean()) if some.any() else 0.0,
            average_precision=float(label_ranking_average_precision_score(truth, scores)),
            subset_accuracy=float((guessed == truth).all(axis=1).mean()),
        )

    # ------------------------------------------------------------------ fitted state

    @property
    def classes_(self) -> Array:
        """The labels, sorted."""
        if "_labels" not in self.__dict__:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'classes_' before it has learned"
            )
        return self._labels.sorted

    def _by_class(self, weights: Array) -> Array:
        ordered: Array = weights[self._labels.order] if self.phi is None else weights
        return ordered

    @property
    def coef_(self) -> Array:
        """The weights predictions are made with."""
        return self._by_class(self._weights("average")[0])

    @property
    def intercept_(self) -> Array:
        """The intercepts predictions are made with."""
        return self._by_class(self._weights("average")[1])[:, 0]

    def _extras(self) -> dict[str, Any]:
        if self.phi is not None:
            raise ModelFileError("a model with phi cannot be saved: a file holds no code. Pickle it instead.")
        return {"one_each": self._one_each}

    def _take_extras(self, extras: dict[str, Any]) -> None:
        self._one_each = bool(extras["one_each"])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


@dataclass(slots=True)
class _Answers:
    """Label lists: example i has ``labels[starts[i]:starts[i + 1]]``; `names` are all labels there are."""

    labels: Array
    starts: Array
    names: Array
    one_each: bool
    declared: Array | None = None  # labels known before any row, as an indicator array's columns

    @property
    def n(self) -> int:
        return len(self.starts) - 1

    def announce(self, classes: Array, weights: Array | None) -> None:
        """Take the caller's word for the labels to come; others are then refused."""
        announced = set(classes.tolist())
        for label in np.unique(self._weighty(weights)[0]).tolist():
            if label not in announced:
                raise DataError(f"y contains {label!r}, which is not among classes={classes.tolist()}")
        before = [] if self.declared is None else self.declared.tolist()
        self.declared = np.unique(_array_of([*before, *classes.tolist()]))

    def _weighty(self, weights: Array | None) -> tuple[Array, Array]:
        """The labels of examples that have a weight, and the example of each."""
        rows = np.repeat(np.arange(self.n), np.diff(self.starts))
        if weights is None:
            return self.labels, rows
        heavy = weights[rows] > 0
        return self.labels[heavy], rows[heavy]

    def brought(self, weights: Array | None) -> Array:
        """All labels there are: those declared, and those of examples that have a weight."""
        return self.names if weights is None or self.declared is not None else self._weighty(weights)[0]

    def arrivals(self, known: Labels, weights: Array | None) -> list[tuple[int, Array]]:
        """The labels not in `known`, with the examples that bring them; `known` learns of them.

        A label is met with the example that has it, not at the head of its batch: how a stream is cut must not
        show in the bits. Examples of no weight bring none. The first example with a weight is always listed for
        a model that knows nothing.
        """
        news: dict[int, Array] = {}
        if self.declared is not None:
            news[0] = known.unknown(self.declared)
            known.add(news[0])
        elif len(known) == 0:
            heavy = np.arange(self.n) if weights is None else np.flatnonzero(weights)
            if len(heavy):
                news[int(heavy[0])] = self.labels[:0]
        labels, rows = self._weighty(weights)
        fresh = known.unknown(labels)
        if len(fresh):
            distinct, first = np.unique(labels, return_index=True)
            at = rows[first[np.searchsorted(distinct, fresh)]]
            for row in np.unique(at).tolist():
                news[row] = fresh[at == row]
                known.add(news[row])
        return sorted(news.items())

    def between(self, start: int, stop: int, known: Labels) -> tuple[Array, Array]:
        """Label numbers of some examples, and where those of each begin."""
        part = self.labels[self.starts[start] : self.starts[stop]]
        numbers = known.encode(part)
        if numbers is None:  # labels of examples of no weight; any number will do
            numbers = np.array([known.index.get(label, 0) for label in part.tolist()], dtype=np.int32)
        lists = self.starts[start : stop + 1] - self.starts[start]
        return np.ascontiguousarray(numbers), np.ascontiguousarray(lists)


def _array_of(labels: Iterable[Any]) -> Array:
    """Labels as a flat array; mixed kinds are refused rather than turned into strings."""
    values = list(labels)
    array = label_array(values)
    if array.ndim != 1 or len({isinstance(value, str | bytes) for value in values}) > 1:
        raise mixed_labels()
    return array if values else np.empty(0, dtype=np.int64)


def answers_of(y: Any) -> _Answers:
    """Answers from an indicator array, a list of label lists, or one label for each example."""
    if is_sparse(y):
        return _from_indicator(y.tocsr())
    listed = isinstance(y, list | tuple) and any(isinstance(row, list | tuple | set | frozenset) for row in y)
    if listed and not _looks_like_an_indicator(y):
        return _from_lists(y)
    from sklearn.utils import assert_all_finite
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    refuse_masked(y, "y")
    array = np.asarray(y)
    if (
        array.dtype == object
        and array.ndim == 1
        and any(isinstance(row, list | tuple | set | frozenset) for row in array)
    ):
        return _from_lists(array.tolist())
    if array.ndim == 2 and array.shape[1] > 1:
        from scipy.sparse import csr_matrix

        assert_all_finite(array, input_name="y")
        return _from_indicator(csr_matrix(array))
    labels = column_or_1d(label_array(y), warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    starts = np.arange(len(labels) + 1, dtype=np.int64)
    return _Answers(labels, starts, np.unique(labels), one_each=True)


def _looks_like_an_indicator(y: Collection[Any]) -> bool:
    """Rows of one length, all 0 and 1: as label lists they would repeat themselves, or all be the same."""
    rows = [labels for labels in y if isinstance(labels, list | tuple)]
    if len(rows) != len(y) or len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    return all(not isinstance(value, str | bytes) and value in (0, 1) for row in rows for value in row)


def _from_indicator(matrix: Any) -> _Answers:
    matrix.sum_duplicates()
    if not np.isin(matrix.data, (0, 1)).all():
        raise DataError("an indicator array must hold only 0 and 1; give labels as a list of lists")
    matrix.eliminate_zeros()
    return _Answers(
        matrix.indices.astype(np.int64),
        matrix.indptr.astype(np.int64),
        np.arange(matrix.shape[1]),
        one_each=False,
        declared=np.arange(matrix.shape[1]),
    )


def _from_lists(y: Collection[Any]) -> _Answers:
    for row, labels in enumerate(y):
        if not isinstance(labels, Collection) or isinstance(labels, str | bytes):
            raise DataError(f"the labels of row {row} must be a list, got {labels!r}", row)
    flat = _array_of(label for labels in y for label in labels)
    starts = np.concatenate([[0], np.cumsum([len(labels) for labels in y])]).astype(np.int64)
    return _Answers(flat, starts, np.unique(flat), one_each=False)
