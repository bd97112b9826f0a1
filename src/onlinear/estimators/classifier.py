"""Classifiers: scikit-learn's manners around a model of classes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, column_or_1d

from ..exceptions import DataError, NotAvailableError
from ..model.answers import (
    confidences,
    decided,
    deviations,
    margin_deviations,
    margins,
    oriented,
    oriented_weights,
    probabilities,
)
from ..model.arrays import weighty
from ..model.batches import checked_batch, learn_batch, numbered
from ..model.classifier import ClassifierModel
from ..model.labels import label_array, mixed_labels
from ..model.parameters import check_number
from ..model.recipe import Recipe
from ..model.rounds import Rounds
from ..model.rows import Rows
from ..model.undo import Undo, all_or_nothing
from ..model.weights import balanced_weights, weights_of
from .base import LinearShell
from .explanation import Explainer, Explanation, Explanations, examples_of
from .making import shell
from .passes import Late
from .random import seeded
from .rounds import KeepsRounds
from .scoring import answered, is_stream

if TYPE_CHECKING:
    import numpy.typing as npt
    from sklearn.utils import Tags

    from ..model.types import Array, Features, Label, LabelsLike, MatrixLike, Seed, Values

__all__ = ["ConfidenceLevel", "OnlineClassifier"]

#: Kinds of arrays whose values are classes whatever they are: whole numbers, booleans, words.
_PLAIN_LABELS = "iubU"


@shell
class OnlineClassifier(ClassifierMixin, KeepsRounds, LinearShell[ClassifierModel]):  # type: ignore[misc]
    """What all classifiers share."""

    model_class = ClassifierModel

    if TYPE_CHECKING:
        class_weight: Any
        cost_matrix: Any

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe."""
        return recipe.kind == "classification"

    # ------------------------------------------------------------------ learning

    def fit(self, X: MatrixLike, y: LabelsLike, sample_weight: npt.ArrayLike | None = None) -> Self:
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
        recipe = self._recipe()
        recipe.check()
        seeded(recipe.owner, self.random_state)
        before = self._so_far() if self.warm_start else None
        recipe.repeats = self.passes > 1
        model = before or ClassifierModel(recipe)
        try:
            # Going on changes the learner in place; what starts anew needs no look at the rows first.
            with all_or_nothing(model, Undo.of_learning(model) if before else None):
                self._fit(model, X, y, sample_weight)
        finally:
            self._keep(model, X)
        return self

    def _fit(
        self, model: ClassifierModel, X: MatrixLike, y: LabelsLike, sample_weight: npt.ArrayLike | None
    ) -> None:
        rows, labels = self._validated(X, y, model)
        weights = self._fit_weights(sample_weight, rows.n_rows)
        new = model.labels.unknown(labels if weights is None else labels[weights > 0])
        self._need_two_classes([*model.labels.names, *new.tolist()])
        if model.native is not None:
            model.inspect(rows, model.native.dtype)
            model.meet(new, rows.n_columns)
        else:
            model.start(rows.n_columns, new, self._state_dtype(X, rows))
            model.n_passes = 0
            if weights is not None:  # rows of no weight are not learned, and must be sound too
                model.inspect(rows, model.learner.dtype)
        numbers, _ = numbered(labels, weights, model.labels)
        class_weight = model.class_weights()[0]
        if self.class_weight == "balanced":
            counted = numbers if weights is None else numbers[weights > 0]
            class_weight = balanced_weights(counted, max(len(model.labels), 2))
        learn = partial(
            model.learner.learn_rows, rows, numbers, weights, class_weight=class_weight, checked=True
        )

        def settle(places: Array) -> None:
            mine = None if weights is None else weights[places]
            if class_weight is not None:
                of_class = class_weight[numbers[places]]
                mine = of_class if mine is None else mine * of_class
            model.learner.shift_map(rows.taken(places), numbers[places], mine)

        self._make_passes(
            model,
            weighty(weights, rows.n_rows),
            lambda order, first: learn(order=order, calibrate=first),
            Late(
                lambda order, new: learn(order=order, calibrate=new, late=True),
                lambda places: model.learner.measure_scores(rows.taken(places)),
                settle,
            ),
        )

    def _need_two_classes(self, names: list[Label]) -> None:
        if len(names) < 2:
            raise DataError(
                f"{type(self).__name__}: y has one class only ({names[0]!r}); fit needs at least two classes. "
                "partial_fit and learn_one accept classes as they come."
            )

    def partial_fit(
        self,
        X: MatrixLike,
        y: LabelsLike = None,
        classes: npt.ArrayLike | None = None,
        sample_weight: npt.ArrayLike | None = None,
        *,
        record: str | Sequence[str] | None = None,
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
        record : str or sequence of str, optional
            What to keep of every round in `rounds_`, which says what there is.

        Returns
        -------
        self
        """
        model = self._so_far()
        if model is not None and y is not None and classes is None and record is None:
            rows = self._quick(X)
            if rows is not None:
                labels = y if type(y) is np.ndarray else label_array(y)
                numbers = model.labels.encode(labels) if labels.shape == (rows.n_rows,) else None
                if numbers is not None:
                    weights = None if sample_weight is None else weights_of(sample_weight, rows.n_rows)
                    class_weight, balanced = model.class_weights()
                    model.learner.learn_rows(
                        rows, numbers, weights, class_weight=class_weight, balanced=balanced
                    )
                    self._take_words(X)
                    return self
        if y is None and self._learn_stream(X, record):
            return self
        return self._learn_news(X, y, classes, sample_weight, self._rounds_of(record))

    def _learn_news(
        self,
        X: MatrixLike,
        y: LabelsLike,
        classes: npt.ArrayLike | None,
        sample_weight: npt.ArrayLike | None,
        rounds: Rounds | None,
    ) -> Self:
        """Learn a batch that may bring something new: the first one, new classes, more columns, other types."""
        model = self._begun()
        try:
            with all_or_nothing(model) as undo:
                rows, labels = self._validated(X, y, model)
                weights = None if sample_weight is None else weights_of(sample_weight, rows.n_rows)
                batch = checked_batch(model, rows, labels, classes, weights, self._state_dtype(X, rows))
            with self._kept(rounds, model, rows.n_rows):
                learn_batch(model, batch, undo, rounds)
        finally:
            self._keep(model, X)
        return self

    def learn_one(self, x: Features, y: LabelsLike, w: float = 1.0) -> Self:
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
        known = self._model
        if known is not None and not self._changed and known.learn_known(x, y, w):
            return self
        model = self._begun()
        try:
            model.learn_one(x, y, w)
        finally:
            self._keep(model)
        return self

    # ------------------------------------------------------------------ getting ready

    def _validated(self, X: MatrixLike, y: LabelsLike, model: ClassifierModel) -> tuple[Rows, Array]:
        rows = self._checked_rows(X, model)
        if type(y) is np.ndarray and y.shape == (rows.n_rows,) and y.dtype.kind in _PLAIN_LABELS:
            return rows, y
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

    # ------------------------------------------------------------------ predicting

    def decision_function(self, X: MatrixLike) -> Array:
        """The linear scores.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            With two classes, positive means ``classes_[1]``.
        """
        blocks = self._blocks(X)
        return oriented(blocks, self._ready().labels.classes.among(blocks.shape[1]))

    def predict(self, X: MatrixLike) -> Array:
        """The most likely class of each row.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        model = self._ready()
        classes = model.labels.classes
        rows = self._rows_to_read(X)
        places = np.asarray(model.learner.chosen(rows, classes.ranking, n_threads=self._threads()))
        predicted: Array = classes.sorted[places]
        return predicted

    def predict_proba(self, X: MatrixLike) -> Array:
        """Probabilities, calibrated on the scores seen while learning.

        Every example is scored before it is learned; a logistic map of those honest scores (one scale and offset, or one
        temperature for several classes) is fitted as the stream goes. In `fit` with several passes over 500 shuffled rows
        or more a fifth of them waits for the end of the second pass, and the map is that of their scores; at the end as many
        known rows move the offset of two classes towards how often either came.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        blocks, model = self._blocks(X), self._ready()
        return probabilities(model, blocks, model.labels.classes.among(blocks.shape[1]))

    def score(self, X: Any, y: LabelsLike | None = None, sample_weight: npt.ArrayLike | None = None) -> float:
        """The share of rows that are predicted rightly.

        Parameters
        ----------
        X : array, data frame or sparse matrix of shape (n_samples, n_features), or what `onlinear.read` gives
            The rows; a reader has the labels and weights with it, and is gone through once, three numbers a row being kept.
        y : array of shape (n_samples,), optional
            Their classes.
        sample_weight : array of shape (n_samples,), optional
            Their weights.

        Returns
        -------
        float
        """
        if not is_stream(X):
            share: float = super().score(X, y, sample_weight)
            return share
        truth, predicted, weight = answered(self.predict, X, y, sample_weight)
        return float(np.average(truth == predicted, weights=weight))

    def predict_log_proba(self, X: MatrixLike) -> Array:
        """Logarithms of `predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict_one(self, x: Features) -> Label:
        """The most likely class of one dict of features; None before any class is known.

        Parameters
        ----------
        x : dict
            Feature names (or column numbers) and their values.

        Returns
        -------
        label or None
        """
        model = self._model
        if model is None:
            return None
        blocks = np.array([model.read_dict(x)])
        classes = model.labels.classes.among(blocks.shape[1])
        return classes.ranked[decided(oriented(blocks, classes), classes)[0]]

    def predict_proba_one(self, x: Features) -> dict[Label, float]:
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
        model = self._model
        if model is None:
            return {}
        blocks = np.array([model.read_dict(x)])
        classes = model.labels.classes.among(blocks.shape[1])
        row = probabilities(model, blocks, classes)[0]
        return dict(zip(classes.sorted.tolist(), row.tolist(), strict=True))

    # ------------------------------------------------------------------ confidence

    def margin(self, X: MatrixLike, return_std: bool = False) -> Array | tuple[Array, Array]:
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
        margin = margins(self.decision_function(X))
        if not return_std:
            return margin
        model = self._ready()
        model.with_variance()
        return margin, margin_deviations(model, self._rows_to_read(X), self._threads())

    def confidence(self, X: MatrixLike) -> Array:
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

    def _confidence(self, X: MatrixLike) -> Array:
        self._ready().with_variance()
        margin, std = self.margin(X, return_std=True)
        return confidences(margin, std)

    def sample(self, n: int, random_state: Seed = None) -> tuple[Array, Array]:
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
        model = self._ready()
        learner = model.with_variance()
        check_number(type(self).__name__, "n", n, 0, 1 << 31, whole=True)
        rng = seeded(type(self).__name__, random_state)
        covariance = learner.handle.covariance()
        if covariance is None:
            coef = self.coef_ + self.coef_std_ * rng.standard_normal((n, *self.coef_.shape))
            spread = self._deviation(1)[:, 0]
            intercept = self.intercept_ + spread * rng.standard_normal((n, *self.intercept_.shape))
            # What is drawn of centred features is a weight of x - m.
            return coef, intercept - (coef - self.coef_) @ learner.feature_means()
        mean, offset = learner.handle.mean()
        flat = np.concatenate([offset, mean], axis=1).ravel()
        blocks = _draw(rng, flat, covariance, n).reshape(n, learner.n_blocks, -1)
        classes = model.labels.classes
        weights = np.stack([oriented_weights(draw, classes) for draw in blocks])
        return weights[:, :, 1:], weights[:, :, 0]

    @overload
    def explain(self, x: Features, *, top: int | None = 10) -> Explanation: ...

    @overload
    def explain(self, x: Any, *, top: int | None = 10) -> Any: ...

    def explain(self, x: Any, *, top: int | None = 10) -> Explanation | Explanations:
        """Why examples are predicted as they are: what each feature adds to the margin, with its standard deviation.

        Parameters
        ----------
        x : dict, row, text, list of dicts or of texts, array, data frame or sparse matrix
            The example, or several.
        top : int or None, default=10
            How many features to list, the largest contributions first; None lists all.

        Returns
        -------
        Explanation or Explanations
            Of one example, a dict or a single row, its explanation; of several a list of them. Both have `to_frame` and
            `plot`.
        """
        if top is not None:
            check_number(type(self).__name__, "top", top, 0, 1 << 31, whole=True)
        model = self.model_
        examples, single = examples_of(x, model, self._rows_to_read)
        explainer = Explainer(model.learner, model.labels.classes, model.feature_names(), top)
        told = Explanations(map(explainer.explain, examples))
        return told[0] if single else told

    # ------------------------------------------------------------------ fitted state

    @property
    def classes_(self) -> Array:
        """The class labels, sorted."""
        self._learned("classes_")
        return self._ready().labels.sorted

    @property
    def coef_(self) -> Array:
        """The weights predictions are made with."""
        return oriented_weights(self._weights("average")[0], self._ready().labels.classes)

    @property
    def intercept_(self) -> Array:
        """The intercepts predictions are made with."""
        return oriented_weights(self._weights("average")[1], self._ready().labels.classes)[:, 0]

    @property
    def coef_std_(self) -> Array:
        """Standard deviation of every weight."""
        return self._deviation(0)

    def _deviation(self, part: int) -> Array:
        model = self._ready()
        model.with_variance()
        return deviations(self._weights("variance")[part], model.labels.classes)

    @property
    def total_cost_(self) -> float:
        """Cost of all predictions made before learning, with a `cost_matrix`."""
        if self.cost_matrix is None:
            raise NotAvailableError(f"{type(self).__name__} counts costs only with a cost_matrix")
        return self._ready().learner.total_cost

    # ------------------------------------------------------------------ scikit-learn

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.recipe.ignores_weights is not None
        return tags


def _draw(rng: np.random.RandomState, mean: Array, covariance: Array, n: int) -> Array:
    """Gaussian draws through the symmetric root, which exists also when rounding has cost a little definiteness."""
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    draws: Array = mean + rng.standard_normal((n, len(mean))) @ root.T
    return draws


class Level(float):
    """A confidence level that can also be asked: ``model.confidence`` is η, ``model.confidence(X)`` the probabilities."""

    _shell: Any

    def __new__(cls, value: float, shell: Any) -> Self:
        """Bind a level to its estimator."""
        level = super().__new__(cls, value)
        level._shell = shell
        return level

    def __call__(self, X: MatrixLike) -> Any:
        """Probability, under the Gaussian belief, that each prediction is on the right side."""
        return self._shell._confidence(X)

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        return float, (float(self),)


class ConfidenceLevel:
    """The parameter `confidence` of the confidence-weighted family, beside the method of that name all classifiers have."""

    def __get__(self, shell: Any, owner: type) -> Any:
        if shell is None:
            return self
        value = vars(shell)["confidence"]
        return Level(value, shell) if isinstance(value, int | float) else value

    def __set__(self, shell: Any, value: float) -> None:
        vars(shell)["confidence"] = value


@shell
class ConfidentClassifier(OnlineClassifier):
    """A classifier with a parameter `confidence`."""

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe."""
        return super().suits(recipe) and hasattr(recipe, "confidence")

    confidence: Any = ConfidenceLevel()

    def get_params(self, deep: bool = True) -> Values:
        """Parameters by name, as scikit-learn wants them; `confidence` as it was given."""
        return {**super().get_params(deep), "confidence": vars(self)["confidence"]}
