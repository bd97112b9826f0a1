"""The label ranker: scikit-learn's manners around a model that ranks labels."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from scipy.sparse import csr_matrix, vstack
from sklearn.base import ClassifierMixin
from sklearn.metrics import label_ranking_average_precision_score, label_ranking_loss
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from ..exceptions import DataError, NumericError, ParameterError
from ..model.arrays import is_sparse, to_rows, weighty
from ..model.label_sets import LabelSets
from ..model.labels import Classes, Labels, flat_labels, label_array
from ..model.ranker import RankerModel
from ..model.recipe import Recipe
from ..model.rows import DenseRows, Rows, refuse_masked
from ..model.undo import Undo, all_or_nothing
from ..model.weights import weights_of
from .base import LinearShell
from .documentation import documented
from .making import shell

if TYPE_CHECKING:
    import numpy.typing as npt
    from sklearn.utils import Tags

    from ..io import Batch
    from ..model.types import Array, Features, Label, LabelsLike, MatrixLike

__all__ = ["OnlineRanker", "RankingReport"]

#: Rows that several passes end with a look at, and labels of rows at most.
CUT_ROWS, CUT_LABELS = 2_000, 2_000_000
#: What makes no difference in micro-F1.
SAME_F1 = 0.002


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


@shell
@documented
class OnlineRanker(ClassifierMixin, LinearShell[RankerModel]):  # type: ignore[misc]
    """What label rankers share."""

    model_class = RankerModel

    if TYPE_CHECKING:
        phi: Callable[[MatrixLike, Label], MatrixLike] | None
        threshold: float | None

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe."""
        return recipe.kind == "multilabel"

    # ------------------------------------------------------------------ learning

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: npt.ArrayLike | None = None) -> Self:
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
        recipe = self._recipe()
        recipe.check()
        model = (self._so_far() if self.warm_start else None) or RankerModel(recipe)
        given = self._given(y, model)
        weights = self._fit_weights(sample_weight, given.n)
        names = given.brought(weights)
        new = model.labels.unknown(names)
        if len(model.labels) + len(new) < 2 and given.one_each:
            raise DataError(
                f"{type(self).__name__}: y has one class only; fit needs at least two labels to rank"
            )
        try:
            with all_or_nothing(model):
                labels = model.labels.copy()
                labels.add(new)
                rows = self._rows_to_learn(X, given, labels, model)
                if model.native is None:
                    model.one_each, model.n_passes = given.one_each, 0
                model.meet(new, rows.n_columns, self._dtype_for(X, rows))
                learner = model.learner
                numbers, lists = given.between(0, given.n, model.labels)
                self._make_passes(
                    model,
                    weighty(weights, given.n),
                    lambda order, first: learner.learn_rows(
                        rows, numbers, weights, order=order, calibrate=first, checked=True, label_lists=lists
                    ),
                )
                if (model.n_passes or 0) > 1 and not given.one_each:
                    self._settle_cut(model, rows, given, weights)
        finally:
            self._keep(model, X)
        return self

    def _settle_cut(self, model: RankerModel, rows: Rows, given: LabelSets, weights: Array | None) -> None:
        """Cut where the answers of the model as it has become are best on some of the rows, evenly spread."""
        cut = model.learner.handle.label_cut
        heavy = weighty(weights, given.n)
        heavy = np.arange(heavy) if isinstance(heavy, int) else heavy
        if cut is None or len(heavy) == 0:
            return
        count = max(min(CUT_ROWS, CUT_LABELS // max(len(model.labels), 1)), 1)
        places = heavy[np.unique(np.linspace(0, len(heavy) - 1, count).astype(np.int64))]
        each = rows.n_rows // given.n
        taken = rows.taken((places[:, None] * each + np.arange(each)).ravel())
        scores = model.learner.read_rows(taken, n_threads=self._threads()).reshape(len(places), -1)
        relevant = np.zeros(scores.shape, dtype=bool)
        numbers, lists = given.between(0, given.n, model.labels)
        for row, place in enumerate(places.tolist()):
            relevant[row, numbers[lists[place] : lists[place + 1]]] = True
        counts = np.ones(len(places)) if weights is None else weights[places]
        model.learner.handle.set_label_cut(best_cut(model.probabilities(scores), relevant, counts, cut))

    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike = None,
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
        model = self._begun()
        first = model.native is None
        given = self._given(y, model)
        weights = weights_of(sample_weight, given.n)
        if classes is not None:
            given.announce(label_array(classes).ravel(), weights)
        known = Labels() if first else model.labels.copy()
        idle = classes is None and weights is not None and not weights.any()
        news = [] if idle else given.arrivals(known, weights)
        if not (first or idle) and (not news or news[0][0] > 0):
            news.insert(0, (0, given.labels[:0]))
        undo = Undo.of_names(model)
        try:
            with all_or_nothing(model):
                rows = self._rows_to_learn(X, given, known, model)
            stops = [start for start, _ in news[1:]] + [given.n]
            for (start, new), stop in zip(news, stops, strict=bool(news)):
                met = len(model.labels.unknown(new)) + len(model.labels)
                part = self._part(rows, given.n, start, stop, met)
                model.learn_part(part, given, weights, start, stop, new, self._dtype_for(X, rows))
        except BaseException as error:
            if first and not isinstance(error, NumericError):
                undo.back()
            raise
        finally:
            if model.native is None or not news:  # nothing had any weight, or the very first row was refused
                undo.back()
            self._keep(model, X)
        return self

    def _part(self, rows: Rows, n: int, start: int, stop: int, n_labels: int) -> Rows:
        """Some examples of a batch; with `phi`, with a row for each label met so far."""
        if self.phi is None:
            return rows.part(start, stop)
        each = rows.n_rows // n
        places = np.arange(start, stop)[:, None] * each + np.arange(n_labels)
        if isinstance(rows, DenseRows):
            return DenseRows(rows.x[places.ravel()])
        arrays = (rows.data, rows.indices, rows.indptr)
        return to_rows(csr_matrix(arrays, shape=(rows.n_rows, rows.n_columns))[places.ravel()])

    def _check_shuffle(self) -> None:
        if self.phi is not None:
            raise ParameterError("shuffle= mixes rows of features; phi makes them of rows in their order")

    def _to_learn(self, batch: Batch) -> Batch | tuple[Any, ...]:
        """With `phi`, the rows of a batch are the examples it makes rows of."""
        return batch if self.phi is None else (batch.X, batch.y, batch.weight)

    def learn_one(self, x: Features, y: LabelsLike, w: float = 1.0) -> Self:
        """Learn one example from a dict of features; river's verb.

        Parameters
        ----------
        y : collection of labels, or dict from label to bool
            The relevant labels; a dict also tells of labels that are not.
        """
        model = self._begun()
        try:
            model.learn_one(x, y, w)
        finally:
            self._keep(model)
        return self

    # ------------------------------------------------------------------ getting ready

    def _given(self, y: LabelsLike, model: RankerModel) -> LabelSets:
        """Answers in one form, whatever form they came in."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None.")
        given = label_sets_of(y)
        if model.native is not None and given.one_each != model.one_each:
            raise DataError("y must have the form it had before: one label each, or sets of labels")
        return given

    def _rows_to_learn(self, X: MatrixLike, given: LabelSets, labels: Labels, model: RankerModel) -> Rows:
        """Rows checked in every way, before anything is changed for their sake."""
        if self.phi is None:
            rows = self._checked_rows(X, model)
            n = rows.n_rows
        else:
            rows = self._prototype_rows(X, labels.names)
            n = rows.n_rows // max(len(labels), 1)
        if n != given.n:
            raise DataError(f"X has {n} examples, y has {given.n}")
        model.inspect(rows, self._dtype_for(X, rows) if model.native is None else model.native.dtype)
        return rows

    def _dtype_for(self, X: MatrixLike, rows: Rows) -> str:
        return self._state_dtype(X, rows) if self.phi is None else self._state_dtype(rows.arguments()[0])

    def _prototype_rows(self, X: MatrixLike, labels: list[Label]) -> Rows:
        """A row Φ(x, label) for each example and each label, example after example."""
        assert self.phi is not None
        blocks = [self.phi(X, label) for label in labels]
        if any(is_sparse(block) for block in blocks):
            stacked = vstack([csr_matrix(block) for block in blocks]).tocsr()
            order = np.arange(stacked.shape[0]).reshape(len(blocks), -1).T.ravel()
            return to_rows(stacked[order])
        parts = [to_rows(block) for block in blocks]
        shapes = {(part.n_rows, part.n_columns) for part in parts}
        if len(shapes) != 1:
            raise DataError(f"phi must give the same shape for every label, got {sorted(shapes)}")
        cube = np.stack([part.arguments()[0] for part in parts], axis=1)
        return DenseRows(cube.reshape(-1, cube.shape[-1]))

    # ------------------------------------------------------------------ predicting

    def _scored(self, X: MatrixLike) -> tuple[Array, Classes]:
        """Scores and the classes they are of: another thread may bring a class at any time."""
        model = self._ready()
        classes = model.labels.classes
        if self.phi is None:
            blocks = self._blocks(X)
            classes = classes.among(blocks.shape[1])
        else:
            rows = self._prototype_rows(X, classes.names)
            blocks = model.learner.read_rows(rows, n_threads=self._threads()).reshape(-1, classes.count)
        return np.ascontiguousarray(blocks[:, classes.order]), classes

    def decision_function(self, X: MatrixLike) -> Array:
        """The score of every label.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            In the order of ``classes_``; for a model of two classes, one label each, of shape (n_samples,).
        """
        scores = self._scored(X)[0]
        if self._ready().one_each and scores.shape[1] == 2:
            return scores[:, 1] - scores[:, 0]
        return scores

    def rank(self, X: MatrixLike) -> Array:
        """All labels of each row, the best first.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
        """
        scores, classes = self._scored(X)
        ranked: Array = classes.sorted[np.argsort(-scores, axis=1, kind="stable")]
        return ranked

    def predict_proba(self, X: MatrixLike) -> Array:
        """The probability of each label.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            Of each label by itself; for a model of one label each, rows sum to 1.
        """
        return self._ready().probabilities(self._scored(X)[0])

    def predict(self, X: MatrixLike, top_k: int | None = None) -> Array:
        """The relevant labels of each row.

        Parameters
        ----------
        top_k : int, optional
            Take so many labels for each row, those that score best, whatever their probabilities.

        Returns
        -------
        ndarray of shape (n_samples, n_labels)
            An indicator array in the order of ``classes_``; for a model of one label each, the labels, unless
            `top_k` is given.
        """
        scores, classes = self._scored(X)
        model = self._ready()
        if model.one_each and top_k is None:
            labels: Array = classes.sorted[np.argmax(scores, axis=1)]
            return labels
        return chosen_labels(model, scores, self.threshold, top_k).astype(np.int64)

    def predict_labels(self, X: MatrixLike, top_k: int | None = None) -> list[list[Label]]:
        """The relevant labels of each row, as lists, the best first.

        Parameters
        ----------
        top_k : int, optional
            Take so many labels for each row, those that score best, whatever their probabilities.

        Returns
        -------
        list of lists of labels
        """
        scores, classes = self._scored(X)
        chosen = chosen_labels(self._ready(), scores, self.threshold, top_k)
        names = classes.sorted.tolist()
        order = np.argsort(-scores, axis=1, kind="stable")
        return [
            [names[k] for k in ranked if row[k]]
            for ranked, row in zip(order.tolist(), chosen.tolist(), strict=True)
        ]

    def predict_one(self, x: Features) -> dict[Label, bool]:
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
        if self._model is None:
            return {}
        cut = self._model.cut_for(self.threshold)
        return {label: p >= cut for label, p in self.predict_proba_one(x).items()}

    def predict_proba_one(self, x: Features) -> dict[Label, float]:
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
        model = self._model
        if model is None:
            return {}
        blocks = np.array([model.read_dict(x)])
        classes = model.labels.classes.among(blocks.shape[1])
        scores = np.ascontiguousarray(blocks[:, classes.order])
        return dict(zip(classes.sorted.tolist(), model.probabilities(scores)[0].tolist(), strict=True))

    def evaluate(self, X: MatrixLike, y: LabelsLike) -> RankingReport:
        """How well the labels of held-out examples are ranked.

        Parameters
        ----------
        y : array or list
            Their relevant labels, as in `fit`.

        Returns
        -------
        RankingReport
        """
        model = self._ready()
        labels, given = model.labels, label_sets_of(y)
        stray = labels.unknown(given.labels)
        if len(stray):
            raise DataError(f"y contains {stray.tolist()[0]!r}, which is not among the labels learned")
        numbers, starts = given.between(0, given.n, labels)
        place = np.empty(len(labels), dtype=np.intp)
        place[labels.order] = np.arange(len(place))
        truth = np.zeros((given.n, len(place)), dtype=np.int64)
        truth[np.repeat(np.arange(given.n), np.diff(starts)), place[numbers]] = 1
        scores = self._scored(X)[0]
        if len(scores) != given.n:
            raise DataError(f"X has {len(scores)} examples, y has {given.n}")
        some = truth.any(axis=1)
        first = truth[np.arange(given.n), np.argmax(scores, axis=1)]
        guessed = self.predict(X)
        if model.one_each:
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
    def threshold_(self) -> float:
        """The probability from which labels are predicted: `threshold`, or the cut learned so far."""
        self._learned("threshold_")
        return self._ready().cut_for(self.threshold)

    @property
    def classes_(self) -> Array:
        """The labels, sorted."""
        self._learned("classes_")
        return self._ready().labels.sorted

    def _by_class(self, weights: Array) -> Array:
        ordered: Array = weights[self._ready().labels.order] if self.phi is None else weights
        return ordered

    @property
    def coef_(self) -> Array:
        """The weights predictions are made with."""
        return self._by_class(self._weights("average")[0])

    @property
    def intercept_(self) -> Array:
        """The intercepts predictions are made with."""
        return self._by_class(self._weights("average")[1])[:, 0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def best_cut(p: Array, relevant: Array, weights: Array, before: float) -> float:
    """The probability to predict labels from so that micro-F1 is largest on some rows.

    Of cuts between which it makes no difference the one nearest to `before`.
    """
    p = np.ascontiguousarray(p)
    order = np.argsort(-p, axis=None, kind="stable")
    sorted_p, each = p.ravel()[order], np.repeat(weights, p.shape[1])[order]
    hits, said = np.cumsum(each * relevant.ravel()[order]), np.cumsum(each)
    if not hits[-1] > 0:
        return before
    f1 = 2 * hits / (said + hits[-1])
    f1[:-1][sorted_p[:-1] == sorted_p[1:]] = 0  # a cut parts no equals
    good = np.flatnonzero(f1 >= f1.max() - SAME_F1)
    low, high = np.append(sorted_p, 0.0)[good + 1], sorted_p[good]
    if np.any((low < before) & (before <= high)):
        return before
    middle = (low + high) / 2
    return float(middle[np.argmin(np.abs(middle - before))])


def chosen_labels(model: RankerModel, scores: Array, threshold: float | None, top_k: int | None) -> Array:
    """Which labels a ranker predicts, a row for each example: those above its cut, or the best of them."""
    if top_k is None:
        above: Array = model.probabilities(scores) >= model.cut_for(threshold)
        return above
    if not isinstance(top_k, int | np.integer) or isinstance(top_k, bool) or top_k < 0:
        raise ParameterError(
            f"{model.recipe.owner}: top_k must be a whole number of at least 0, got {top_k!r}"
        )
    chosen = np.zeros(scores.shape, dtype=bool)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :top_k]
    np.put_along_axis(chosen, best, values=True, axis=1)
    return chosen


def label_sets_of(y: LabelsLike) -> LabelSets:
    """Answers from an indicator array, a list of label lists, or one label for each example."""
    if is_sparse(y):
        return _from_indicator(y.tocsr())
    listed = isinstance(y, list | tuple) and any(isinstance(row, list | tuple | set | frozenset) for row in y)
    if listed and not _looks_like_an_indicator(y):
        return _from_lists(y)
    refuse_masked(y, "y")
    array = np.asarray(y)
    if (
        array.dtype == object
        and array.ndim == 1
        and any(isinstance(row, list | tuple | set | frozenset) for row in array)
    ):
        return _from_lists(array.tolist())
    if array.ndim == 2 and array.shape[1] > 1:
        assert_all_finite(array, input_name="y")
        return _from_indicator(csr_matrix(array))
    labels = column_or_1d(label_array(y), warn=True)
    assert_all_finite(labels, input_name="y")
    check_classification_targets(labels)
    starts = np.arange(len(labels) + 1, dtype=np.int64)
    return LabelSets(labels, starts, np.unique(labels), one_each=True)


def _looks_like_an_indicator(y: Collection[Label]) -> bool:
    """Rows of one length, all 0 and 1: as label lists they would repeat themselves, or all be the same."""
    rows = [labels for labels in y if isinstance(labels, list | tuple)]
    if len(rows) != len(y) or len({len(row) for row in rows}) != 1 or len(rows[0]) < 2:
        return False
    return all(not isinstance(value, str | bytes) and value in (0, 1) for row in rows for value in row)


def _from_indicator(matrix: Any) -> LabelSets:
    matrix.sum_duplicates()
    if not np.isin(matrix.data, (0, 1)).all():
        raise DataError("an indicator array must hold only 0 and 1; give labels as a list of lists")
    matrix.eliminate_zeros()
    return LabelSets(
        matrix.indices.astype(np.int64),
        matrix.indptr.astype(np.int64),
        np.arange(matrix.shape[1]),
        one_each=False,
        declared=np.arange(matrix.shape[1]),
    )


def _from_lists(y: Collection[Label]) -> LabelSets:
    for row, labels in enumerate(y):
        if not isinstance(labels, Collection) or isinstance(labels, str | bytes):
            raise DataError(f"the labels of row {row} must be a list, got {labels!r}", row)
    flat = flat_labels(label for labels in y for label in labels)
    starts = np.concatenate([[0], np.cumsum([len(labels) for labels in y])]).astype(np.int64)
    return LabelSets(flat, starts, np.unique(flat), one_each=False)
