"""The sequence labeler: scikit-learn's manners around a model of sequences."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.exceptions import NotFittedError

from ..exceptions import DataError
from ..model.native import Report
from ..model.recipe import Recipe
from ..model.undo import UndoSequences
from ..model.weights import balanced_weights, weights_of
from ..sequence.files import naming, write_labels
from ..sequence.model import SequenceModel
from ..sequence.reading import checked, distinct_labels, read_sequences, weighty_sequences
from ..sequence.spans import evaluation, token_accuracy
from .base import Shell
from .documentation import documented
from .making import shell

if TYPE_CHECKING:
    import numpy.typing as npt

    from .. import _core
    from ..model.types import Array, Label, LabelsLike, PathLike, SequencesLike, Values

__all__ = ["OnlineLabeler"]


@shell
@documented
class OnlineLabeler(Shell[SequenceModel]):
    """What labelers of sequences share."""

    model_class = SequenceModel

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe."""
        return recipe.kind == "sequence"

    # ------------------------------------------------------------------ learning

    def fit(self, X: SequencesLike, y: LabelsLike, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn sequences, starting anew (or going on, with `warm_start`).

        Parameters
        ----------
        X : list of sequences
            Each a list of tokens, or an array or sparse matrix with a row for each token. A token is a list
            of feature names, or a dict of names and values (``{"w": "the", "upper": 1.0}``; strings are
            categories).
        y : list of lists
            A label for every token.
        sample_weight : array of shape (n_sequences,), optional
            Weights of the sequences; 0 is an exact no-op.

        Returns
        -------
        self
        """
        recipe = self._recipe()
        recipe.check()
        sequences, labels = checked(X, y)
        weights = weights_of(sample_weight, len(sequences))
        if not sequences:
            raise DataError(f"{recipe.owner}: X holds no sequences; there is nothing to learn")
        before = self._so_far() if self.warm_start else None
        model = before or SequenceModel(recipe)
        native = model.native if before else model.make(wide=_are_wide(sequences))
        known = list(model.classes) if before else []
        undo, rows = UndoSequences(native), None
        try:
            if weights is not None and not weights.all():
                if not weights.any():
                    raise DataError(
                        f"{recipe.owner}: sample_weight is zero for every sequence; there is nothing to learn"
                    )
                index = {label: number for number, label in enumerate(known)}
                rows, sequences, labels, weights = weighty_sequences(
                    native, sequences, labels, index, weights
                )
                undo.back()
            met = set(known)
            classes = known + [label for label in distinct_labels(labels) if label not in met]
            native.add_labels(classes)
            index = {label: number for number, label in enumerate(classes)}
            batch = read_sequences(native, sequences, labels, index, learning=True)
            self._learn_all(model, native, batch, classes, weights, rows)
        except BaseException:
            undo.back()  # of which nothing was learned
            raise
        model.take(native, model.columns)
        self._keep(model)
        return self

    def fit_file(self, path: PathLike) -> Self:
        """Learn a file in the column format of the CoNLL tasks, starting anew.

        Parameters
        ----------
        path : str or path-like
            A token a line, columns between blanks, the label last, a blank line after each sequence.
            Compressed files are recognised. Features are made by the templates; the file's features are kept
            in memory for all passes.

        Returns
        -------
        self
        """
        recipe = self._recipe()
        recipe.check()
        model = SequenceModel(recipe)
        native, columns, blocks = model.open(path, None)
        reader = model.reader(native, [], learning=True)
        with naming(path):
            for block in blocks:
                reader.feed(block)
            reader.finish()
        classes = sorted(reader.labels)
        order = {label: number for number, label in enumerate(reader.labels)}
        batch = reader.take()
        batch.relabel([classes.index(label) for label in reader.labels])
        native.permute_labels([order[label] for label in classes])
        self._learn_all(model, native, batch, classes, None)
        model.take(native, columns)
        self._keep(model)
        return self

    def _learn_all(
        self,
        model: SequenceModel,
        native: _core.SequenceLearner,
        batch: _core.SequenceBatch,
        classes: list[Label],
        weights: Array | None,
        rows: list[int] | None = None,
    ) -> None:
        """Make the passes of `fit`."""
        model.n_passes = model.n_passes or 0
        known, balanced = len(classes), None
        if model.recipe.class_weight == "balanced":
            balanced = balanced_weights(batch.labels, known)
        self._make_passes(
            model,
            len(batch),
            lambda order, first: Report(
                *model.learn(native, batch, order, weights, classes, known, balanced, rows)
            ),
        )

    def partial_fit(
        self,
        X: SequencesLike,
        y: LabelsLike,
        classes: Iterable[Label] | None = None,
        sample_weight: npt.ArrayLike | None = None,
    ) -> Self:
        """Learn sequences in the given order, once.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`; labels and features may be new.
        classes : list, optional
            Labels to expect; those that are new come first. A label outside them is then refused.

        Returns
        -------
        self
        """
        model = self._begun()
        sequences, labels = checked(X, y)
        weights = weights_of(sample_weight, len(sequences))
        try:
            model.learn_sequences(sequences, labels, classes, weights, wide=_are_wide(sequences))
        finally:
            self._keep(model)
        return self

    def learn_one(self, x: Any, y: LabelsLike, w: float = 1.0) -> Self:
        """Learn one sequence; river's verb.

        Parameters
        ----------
        x : sequence
            A list of tokens, or an array with a row for each, as in `fit`.
        y : list
            A label for every token; new ones may appear at any time.
        w : float, default=1.0
            Its weight.
        """
        return self.partial_fit([x], [y], sample_weight=[w])

    def predict_one(self, x: Any) -> list[Label]:
        """The best labels of one sequence; empty before any learning.

        Parameters
        ----------
        x : sequence
            As for `learn_one`.
        """
        return [] if self._model is None else self.predict([x])[0]

    def fit_stream(self, batches: Iterable[tuple[Any, ...] | PathLike]) -> Self:
        """Learn batches of sequences as they come, one pass.

        Parameters
        ----------
        batches : iterable
            The stream: pairs (X, y), triples with weights, or paths of CoNLL files.

        Returns
        -------
        self
        """
        for batch in batches:
            if isinstance(batch, tuple):
                X, y, *rest = batch
                self.partial_fit(X, y, sample_weight=rest[0] if rest else None)
            else:
                self.partial_fit_file(batch)
        return self

    def partial_fit_file(self, path: PathLike) -> Self:
        """Learn a file as it is read, once, in its order and without keeping it.

        Parameters
        ----------
        path : str or path-like
            As for `fit_file`.

        Returns
        -------
        self
        """
        model = self._begun()
        try:
            model.learn_file(path)
        finally:
            self._keep(model)
        return self

    # ------------------------------------------------------------------ reading

    def predict(self, X: SequencesLike) -> list[list[Label]]:
        """The best labels of every sequence.

        Parameters
        ----------
        X : list of sequences
            As for `fit`; features never learned say nothing.

        Returns
        -------
        list of lists
        """
        model = self._ready()
        batch = read_sequences(model.native, checked(X), None, {}, learning=False)
        return model.words(batch, model.native.tag(batch, False)[0])

    def confidence(self, X: SequencesLike) -> list[Array]:
        """How sure the model is of every label that `predict` gives.

        The margin over the best sequence that labels the token otherwise, in standard deviations of the
        token's two scores, through the normal distribution: 0.5 is a tie, 1 is certain. A mean alone has no
        deviations of its own; it is measured in the norm of the token's features.

        Parameters
        ----------
        X : list of sequences
            As for `fit`.

        Returns
        -------
        list of arrays
            A number in [0.5, 1] for every token.
        """
        native = self._ready().native
        batch = read_sequences(native, checked(X), None, {}, learning=False)
        sure: Array = native.tag(batch, True)[1]
        return [sure[a:b] for a, b in pairwise(batch.starts)]

    def predict_file(self, path: PathLike, output: PathLike | None = None) -> list[list[str]]:
        """Label a file; its own labels, where it has any, are not looked at.

        Parameters
        ----------
        path : str or path-like
            As for `fit_file`, with or without the label's column.
        output : str or path-like, optional
            Where to write the lines of the file with the found label as one more column.

        Returns
        -------
        list of lists of str
            The labels of every sequence.
        """
        model = self.model_
        batch, _ = model.read_file(path)
        found = model.words(batch, model.native.tag(batch, False)[0])
        if output is not None:
            write_labels(path, output, found)
        return found

    def score(self, X: SequencesLike, y: LabelsLike) -> float:
        """Share of tokens with the right label."""
        sequences, labels = checked(X, y)
        return token_accuracy(labels, self.predict(sequences))

    def evaluate(self, X: SequencesLike, y: LabelsLike) -> dict[str, float]:
        """Token accuracy, and precision, recall and F1 of spans.

        Parameters
        ----------
        X, y
            As for `fit`.

        Returns
        -------
        dict
            ``accuracy``, ``precision``, ``recall``, ``f1``.
        """
        sequences, labels = checked(X, y)
        return evaluation(labels, self.predict(sequences))

    def evaluate_file(self, path: PathLike) -> dict[str, float]:
        """As `evaluate`, on a file with labels.

        Parameters
        ----------
        path : str or path-like
            As for `fit_file`.
        """
        model = self.model_
        batch, truth = model.read_file(path)
        if truth is None:
            raise DataError(f"{path}: the file has no column of labels to compare with")
        return evaluation(truth, model.words(batch, model.native.tag(batch, False)[0]))

    def _ready(self) -> SequenceModel:
        model = self._model
        if model is None or model.native is None or model.native.n_labels == 0:
            raise NotFittedError(
                f"This {type(self).__name__} has learned nothing yet; call fit, partial_fit or fit_file first."
            )
        return model

    # ------------------------------------------------------------------ what was learned

    @property
    def classes_(self) -> Array:
        """The labels, in the order of the weights."""
        names = self._ready().classes
        labels: Array = np.array(names)
        if labels.tolist() != names:  # words and numbers, or numbers that no type holds exactly
            labels = np.empty(len(names), dtype=object)
            labels[:] = names
        return labels

    @property
    def feature_names_(self) -> list[str]:
        """Names of the features, in the order of the weights; empty when they were columns of arrays."""
        names: list[str] = self._ready().native.names()
        return names

    @property
    def emissions_(self) -> Array:
        """The weights of the features, a row for each label; averaged when the model averages."""
        emissions: Array = self._ready().weights("average")[0]
        return emissions

    @property
    def transitions_(self) -> Array:
        """The weights from label to label; averaged when the model averages."""
        transitions: Array = self._ready().weights("average")[1]
        return transitions

    @property
    def n_tokens_(self) -> int:
        """Tokens learned, counting every pass."""
        return self._ready().n_tokens

    @property
    def n_wrong_tokens_(self) -> int:
        """Tokens whose label was not found before learning them."""
        return self._ready().n_wrong_tokens

    def state(self) -> Values:
        """All that was learned, by name: arrays and numbers, enough to go on bit for bit."""
        state: Values = self._ready().native.state()
        return state


def _are_wide(sequences: list[Any]) -> bool:
    """Whether the first sequence is an array of float64."""
    return bool(sequences) and getattr(sequences[0], "dtype", None) == np.float64
