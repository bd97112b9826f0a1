"""Sequence labelling: a label for every token, by any rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Self, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from .. import _core
from .. import belief as beliefs
from .. import rule as rules
from .._numpy import Array
from .._sklearn import BaseEstimator, seeded
from ..algorithms.table import ALGORITHMS, axes_of, truncation_of
from ..exceptions import DataError, ModelFileError, NumericError, ParameterError
from ..model.labels import label_of
from ..model.learner import contiguous, weights_of
from ..model.parameters import check_choice, check_flag, check_number, not_with_learned
from ..model.rows import refuse
from ..persistence.description import SEQUENCE_MODEL, check
from ..persistence.saving import FORMAT
from ..persistence.tensors import write_tensors
from ..persistence.values import label, plain, restored
from ..persistence.writing import written_aside
from .files import blocks_of, naming, with_first_line, write_labels
from .reading import check_expected, checked, distinct_labels, plain_labels, read_sequences, weighty_sequences
from .spans import evaluation, token_accuracy
from .templates import column_names, default_templates

__all__ = ["Array", "Cost", "SequenceLabeler"]


Cost: TypeAlias = (
    Literal["hamming", "mean_hamming", "zero_one"] | Callable[[list[Any], list[Any]], float] | None
)


_COSTS = ("hamming", "mean_hamming", "zero_one")


@dataclass(kw_only=True, eq=False, repr=False)
class SequenceLabeler(BaseEstimator):
    r"""A label for every token of a sequence: structured prediction with any rule of this library.

    The score of labels y for tokens x is

    .. math:: \sum_i E_{y_i} · x_i + \sum_{i ≥ 2} T_{y_{i-1}, y_i}

    and the best labels q are found by Viterbi's algorithm. Where they differ from the right ones, the rule is
    asked for a step along δ = Φ(x, y) - Φ(x, q) with the required margin √cost(y, q).

    Parameters
    ----------
    rule : str, classifier or rule object, default="pa1"
        The algorithm: a name ("perceptron", "pa", "pa1", "pa2", "romma", "norma", "cw-var", "cw-stdev",
        "scw1", "scw2", "arow", "arow-h", "nherd", "narow", "sop", "iellip", "rpa-objective", "rpa-l2-ball",
        "rpa-l1-ball"), one of our classifiers carrying its parameters, or an object from `onlinear.rule`.
    belief : object from `onlinear.belief`, default=None
        What is known: `Mean`, `L1Ball`, `Diagonal` or `Full`. By default the algorithm's own.
    average : bool, default=True
        Whether to predict with the mean of the weights over all rounds.
    passes : int, default=10
        Passes of `fit` and `fit_file`.
    shuffle : bool, default=True
        Whether every pass visits the sequences in a new random order.
    cost : {"hamming", "mean_hamming", "zero_one"} or callable, default="hamming"
        What it costs to answer q where y is right: the number of wrong labels, their share, 1; or
        ``cost(y, q)`` of two lists of labels, a finite number that is not negative.
    templates : list of str, default=None
        How files become features. A template is one to three parts joined by ``|``; a part is a column at an
        offset, ``w[-1]``, or a trait of it, ``w[0].suffix3``. Traits are lower, shape, brief, digits, prefixN
        and suffixN; ``__BOS__``, ``__EOS__`` and ``bias`` stand alone. By default those of
        `default_templates`.
    columns : list of str, default=None
        Names of the columns of a file, without the last, which is the label. By default w, pos, c2, c3 and so
        on.
    dtype : {None, "float32", "float64"}, default=None
        Type of the weights; None takes float64 if the first sequence is a float64 array, else float32.
    max_features : int, default=2**28
        More features than this are refused.
    max_tokens : int, default=2**16
        A sequence of a file with more tokens than this is refused: a file without blank lines is one sequence,
        whose features would fill the memory.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.

    Attributes
    ----------
    classes_ : ndarray
        The labels, in the order of the weights; ties are broken in favour of the first. `fit` sorts them,
        `partial_fit` takes them as they come.
    emissions_ : ndarray of shape (n_classes, n_features)
        The weights E.
    transitions_ : ndarray of shape (n_classes, n_classes)
        The weights T, from label to label.
    n_seen_, n_updates_, n_mistakes_ : int
        Sequences, those that changed the model, and those labelled wrongly before learning.
    n_tokens_, n_wrong_tokens_ : int
        Tokens, and those labelled wrongly before learning.

    References
    ----------
    .. [1] Collins. EMNLP 2002.
    .. [2] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006. Section 9.

    Examples
    --------
    >>> from onlinear import SequenceLabeler
    >>> X = [[["w=the"], ["w=cat"]], [["w=cats"], ["w=sleep"]]]
    >>> y = [["B", "I"], ["B", "O"]]
    >>> SequenceLabeler(rule="pa1", random_state=0).fit(X, y).predict([[["w=the"], ["w=cat"]]])
    [['B', 'I']]
    """

    rule: Any = "pa1"
    belief: Any = None
    average: bool = True
    passes: int = 10
    shuffle: bool = True
    cost: Cost = "hamming"
    templates: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    dtype: Literal["float32", "float64"] | None = None
    max_features: int = 1 << 28
    max_tokens: int = 1 << 16
    random_state: Any = None

    # ------------------------------------------------------------------ learning

    def fit(self, X: Iterable[Any], y: Iterable[Any], sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn sequences, starting anew.

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
        self._check_parameters()
        sequences, labels = checked(X, y)
        weights = weights_of(sample_weight, len(sequences))
        if not sequences:
            raise DataError("SequenceLabeler: X holds no sequences; there is nothing to learn")
        native = self._make(sequences)
        if weights is not None and not weights.all():
            if not weights.any():
                raise DataError(
                    "SequenceLabeler: sample_weight is zero for every sequence; there is nothing to learn"
                )
            mark = native.mark()
            sequences, labels, weights = weighty_sequences(native, sequences, labels, {}, weights)
            native.undo(*mark)
        classes = distinct_labels(labels)
        native.add_labels(classes)
        index = {label: number for number, label in enumerate(classes)}
        batch = read_sequences(native, sequences, labels, index, learning=True)
        self._make_passes(native, batch, classes, weights)
        return self._take(native, columns=None)

    def fit_file(self, path: Any) -> Self:
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
        self._check_parameters()
        native, columns, blocks = self._open(path, None)
        reader = self._reader(native, [], learning=True)
        with naming(path):
            for block in blocks:
                reader.feed(block)
            reader.finish()
        classes = sorted(reader.labels)
        order = {label: number for number, label in enumerate(reader.labels)}
        batch = reader.take()
        batch.relabel([classes.index(label) for label in reader.labels])
        native.permute_labels([order[label] for label in classes])
        self._make_passes(native, batch, classes, None)
        return self._take(native, columns)

    def partial_fit(
        self,
        X: Iterable[Any],
        y: Iterable[Any],
        classes: Iterable[Any] | None = None,
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
        self._check_parameters()
        sequences, labels = checked(X, y)
        weights = weights_of(sample_weight, len(sequences))
        native = self._so_far()
        first = native is None
        if native is None:
            native = self._make(sequences)
        known: list[Any] = [] if first else list(self._classes)
        mark = native.mark()
        if classes is not None:
            expected = list(dict.fromkeys(map(label_of, plain_labels(classes))))
            check_expected(labels, expected)
            known += [label for label in expected if label not in set(known)]
        index = {label: number for number, label in enumerate(known)}
        width = 0
        try:
            if weights is not None and not weights.all():
                sequences, labels, weights = weighty_sequences(native, sequences, labels, index, weights)
                width = 0 if native.names() else native.n_columns
                native.undo(*mark)
            native.add_labels(known)
            if width:
                native.add_columns(width)
            batch = read_sequences(native, sequences, labels, index, learning=True, new_labels=True)
            native.classes = known + [label_of(label) for label in list(index)[len(known) :]]
            if first and not known and not sequences:
                return self  # nothing had any weight: there is no model yet
            before = dict(self.__dict__)
            self._take(native, self.__dict__.get("_file_columns"))
            try:
                self._learn(native, batch, None, weights, self._classes, len(known))
            except NumericError:
                if (
                    first and native.counters[0] == 0
                ):  # the very first sequence was refused: there is no model yet
                    self.__dict__.clear()
                    self.__dict__.update(before)
                raise
        except BaseException:
            # Ctrl-C as well: names of which nothing was learned are forgotten; those that have weights stay.
            native.undo(*mark)
            raise
        return self

    def fit_stream(self, batches: Iterable[Any]) -> Self:
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

    def partial_fit_file(self, path: Any) -> Self:
        """Learn a file as it is read, once, in its order and without keeping it.

        Parameters
        ----------
        path : str or path-like
            As for `fit_file`.

        Returns
        -------
        self
        """
        self._check_parameters()
        known = self._so_far()
        native, columns, blocks = self._open(path, known)
        names = [] if known is None else [str(label) for label in self._classes]
        reader = self._reader(native, names, learning=True)
        mark = native.mark()
        try:
            with naming(path):
                for block in blocks:
                    reader.feed(block)
                    self._learn_read(native, reader, columns)
                    mark = native.mark()
                reader.finish()
            self._learn_read(native, reader, columns)
        except BaseException:
            # What was read but not learned is taken back, also at Ctrl-C; the blocks before it stay learned.
            native.undo(*mark)
            raise
        return self

    def _learn_read(self, native: Any, reader: Any, columns: list[str]) -> None:
        if reader.n_sequences:
            known = len(self._classes) if native is self.__dict__.get("_native") else 0
            self._take(native, columns)
            self._learn(native, reader.take(), None, None, self._classes, known)

    def _make_passes(self, native: Any, batch: Any, classes: list[Any], weights: Array | None) -> None:
        rng = seeded(type(self).__name__, self.random_state)
        for _ in range(self.passes):
            order = rng.permutation(len(batch)).astype(np.int64) if self.shuffle else None
            self._learn(native, batch, order, weights, classes, len(classes))

    def _learn(
        self,
        native: Any,
        batch: Any,
        order: Array | None,
        weights: Array | None,
        classes: list[Any],
        known: int,
    ) -> None:
        """Learn a batch once; of its labels the first `known` were met before it."""
        if self.cost is None:
            raise ParameterError(
                "SequenceLabeler: the cost function is not part of a model file; set cost= to go on learning"
            )
        *_, fault, row = native.learn(batch, order, weights, self.cost, classes, known)
        if fault:
            raise refuse(fault, row, -1, single_precision=native.single_precision)

    # ------------------------------------------------------------------ reading

    def predict(self, X: Iterable[Any]) -> list[list[Any]]:
        """The best labels of every sequence.

        Parameters
        ----------
        X : list of sequences
            As for `fit`; features never learned say nothing.

        Returns
        -------
        list of lists
        """
        native = self._ready()
        batch = read_sequences(native, checked(X), None, {}, learning=False)
        return self._words(batch, native.tag(batch, False)[0])

    def confidence(self, X: Iterable[Any]) -> list[Array]:
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
        native = self._ready()
        batch = read_sequences(native, checked(X), None, {}, learning=False)
        sure: Array = native.tag(batch, True)[1]
        starts = batch.starts
        return [sure[a:b] for a, b in pairwise(starts)]

    def predict_file(self, path: Any, output: Any = None) -> list[list[str]]:
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
        native, batch, _ = self._read_file(path)
        found = self._words(batch, native.tag(batch, False)[0])
        if output is not None:
            write_labels(path, output, found)
        return found

    def score(self, X: Iterable[Any], y: Iterable[Any]) -> float:
        """Share of tokens with the right label."""
        sequences, labels = checked(X, y)
        return token_accuracy(labels, self.predict(sequences))

    def evaluate(self, X: Iterable[Any], y: Iterable[Any]) -> dict[str, float]:
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

    def evaluate_file(self, path: Any) -> dict[str, float]:
        """As `evaluate`, on a file with labels.

        Parameters
        ----------
        path : str or path-like
            As for `fit_file`.
        """
        native, batch, truth = self._read_file(path)
        if truth is None:
            raise DataError(f"{path}: the file has no column of labels to compare with")
        return evaluation(truth, self._words(batch, native.tag(batch, False)[0]))

    def _words(self, batch: Any, numbers: Array) -> list[list[Any]]:
        labels = [self._classes[number] for number in numbers.tolist()]
        starts = batch.starts.tolist()
        return [labels[a:b] for a, b in pairwise(starts)]

    def _read_file(self, path: Any) -> tuple[Any, Any, list[list[str]] | None]:
        """The learner, a file's sequences, and its own labels where it has them."""
        native = self._ready()
        _, _, blocks = self._open(path, native)
        reader = self._reader(native, [str(label) for label in self._classes], learning=False)
        with naming(path):
            for block in blocks:
                reader.feed(block)
            reader.finish()
        batch = reader.take()
        if not reader.labelled:
            return native, batch, None
        names = reader.labels  # ours, and those of the file that were never learned
        answers = [names[number] for number in batch.labels.tolist()]
        starts = batch.starts.tolist()
        return native, batch, [answers[a:b] for a, b in pairwise(starts)]

    # ------------------------------------------------------------------ getting ready

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_number(owner, "passes", self.passes, 1, whole=True)
        check_number(owner, "max_features", self.max_features, 1, 1 << 30, whole=True)
        check_number(owner, "max_tokens", self.max_tokens, 1, 1 << 40, whole=True)
        if self.dtype is not None:
            check_choice(owner, "dtype", self.dtype, ("float32", "float64"))
        if self.cost is not None and not callable(self.cost):
            check_choice(owner, "cost", self.cost, _COSTS)
        check_flag(owner, "average", self.average)
        check_flag(owner, "shuffle", self.shuffle)
        for name in ("templates", "columns"):
            given = getattr(self, name)
            words = given is None or (
                isinstance(given, Iterable)
                and not isinstance(given, str | bytes)
                and all(isinstance(word, str) for word in given)
            )
            if not words:
                raise ParameterError(f"{owner}: {name} must be None or a list of words, got {given!r}.")
        if self.belief is not None and not hasattr(self.belief, "parameters"):
            raise ParameterError(
                f"{owner}: belief must be None or an object from onlinear.belief, got {self.belief!r}."
            )

    def axes(self) -> tuple[Any, Any]:
        """The rule and the belief these parameters mean.

        Returns
        -------
        rule, belief : objects from `onlinear.rule` and `onlinear.belief`
        """
        rule, own = _axes_of(self.rule)
        chosen = self.belief if self.belief is not None else own
        if chosen is None:
            chosen = _usual_belief(rule)
        parameters = chosen.parameters()
        if "average" in parameters and self.belief is None:
            chosen = type(chosen)(**{**parameters, "average": self.average})
        return rule, chosen

    def _make(self, sequences: list[Any] | None) -> Any:
        wide = self.dtype == "float64" or (
            self.dtype is None
            and bool(sequences)
            and getattr(cast(Any, sequences)[0], "dtype", None) == np.float64
        )
        axes = self.axes()
        try:
            return self._new_native(not wide, axes)
        except ValueError as error:
            raise ParameterError(f"SequenceLabeler: {error}") from None

    def _new_native(self, single: bool, axes: tuple[Any, Any] | None = None) -> Any:
        native = _core.SequenceLearner(*(axes or self.axes()), single, self.max_features)
        native.set_truncation(truncation_of(self.rule) or 0.0)
        return native

    def _open(
        self, path: Any, native: Any, blocks: Iterator[bytes] | None = None
    ) -> tuple[Any, list[str], Iterator[bytes]]:
        """A learner ready to read the file, the names of its columns, and its bytes."""
        fields, blocks = with_first_line(path, blocks_of(path) if blocks is None else blocks)
        columns = self.__dict__.get("_file_columns") if native is not None else None
        if columns is None:
            columns = (
                list(self.columns) if self.columns is not None else column_names(max(len(fields) - 1, 1))
            )
        if native is None:
            native = self._make(None)
        templates = list(self.templates) if self.templates is not None else default_templates(len(columns))
        try:
            native.set_templates(templates, columns)
        except ValueError as error:
            raise ParameterError(f"SequenceLabeler: {error}") from None
        return native, columns, blocks

    def _reader(self, native: Any, names: list[str], *, learning: bool) -> Any:
        """A reader of a file's bytes."""
        return _core.ConllReader(native, names, learning, False, self.max_tokens)

    def _take(self, native: Any, columns: list[str] | None) -> Self:
        """Make a learner this model's own."""
        self._file_columns = columns
        self._native = native
        self.__dict__.pop("_changed", None)
        return self

    @property
    def _classes(self) -> list[Any]:
        """The labels, in the order of their numbers; the learner names them when it meets them."""
        classes: list[Any] = self._native.classes
        return classes

    def set_params(self, **params: Any) -> Self:
        """Change parameters; a model that has learned goes on with those that fit what it has learned.

        Parameters
        ----------
        **params : dict
            Parameters; ``rule__name`` reaches into a classifier given as rule.

        Returns
        -------
        self
        """
        super().set_params(**params)
        if params and self.__dict__.get("_native") is not None:
            self._changed = True
        return self

    def _so_far(self) -> Any:
        """The learner, with what `set_params` has changed since; None before any learning."""
        native = self.__dict__.get("_native")
        if native is not None and "_changed" in self.__dict__:
            try:
                self._restore(*_state_of(native), native.single_precision, self._file_columns)
            except ValueError as error:
                raise not_with_learned(type(self).__name__, error) from None
        return self.__dict__.get("_native")

    def _ready(self) -> Any:
        native = self.__dict__.get("_native")
        if native is None or native.n_labels == 0:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                "This SequenceLabeler has learned nothing yet; call fit, partial_fit or fit_file first."
            )
        return native

    def __sklearn_is_fitted__(self) -> bool:
        return self.__dict__.get("_native") is not None

    # ------------------------------------------------------------------ what was learned

    @property
    def classes_(self) -> Array:
        """The labels, in the order of the weights."""
        self._ready()
        labels: Array = np.array(self._classes)
        if labels.tolist() != self._classes:  # words and numbers, or numbers that no type holds exactly
            labels = np.empty(len(self._classes), dtype=object)
            labels[:] = self._classes
        return labels

    @property
    def feature_names_(self) -> list[str]:
        """Names of the features, in the order of the weights; empty when they were columns of arrays."""
        names: list[str] = self._ready().names()
        return names

    def _weights(self, which: str) -> tuple[Array, Array]:
        native = self._ready()
        labels, columns = native.n_labels, native.n_columns
        flat: Array = native.weights(which)
        return flat[: labels * columns].reshape(labels, columns), flat[labels * columns :].reshape(
            labels, labels
        )

    @property
    def emissions_(self) -> Array:
        """The weights of the features, a row for each label; averaged when the model averages."""
        return self._weights("average")[0]

    @property
    def transitions_(self) -> Array:
        """The weights from label to label; averaged when the model averages."""
        return self._weights("average")[1]

    @property
    def n_seen_(self) -> int:
        """Sequences learned, counting every pass."""
        return int(self._ready().counters[0])

    @property
    def n_mistakes_(self) -> int:
        """Sequences whose labels were not all found before learning them."""
        return int(self._ready().counters[1])

    @property
    def n_updates_(self) -> int:
        """Sequences that changed the model."""
        return int(self._ready().counters[2])

    @property
    def n_tokens_(self) -> int:
        """Tokens learned, counting every pass."""
        return int(self._ready().counters[3])

    @property
    def n_wrong_tokens_(self) -> int:
        """Tokens whose label was not found before learning them."""
        return int(self._ready().counters[4])

    # ------------------------------------------------------------------ state

    def state(self) -> dict[str, Any]:
        """All that was learned, by name: arrays and numbers, enough to go on bit for bit."""
        state: dict[str, Any] = self._ready().state()
        return state

    def digest(self) -> str:
        """A hash of everything learned; equal digests mean equal models, bit for bit."""
        import hashlib

        digest = hashlib.sha256(repr(self._classes).encode() if self._ready() else b"")
        for name, value in sorted(self.state().items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        return digest.hexdigest()

    def _restore(
        self, state: dict[str, Any], classes: list[Any], single: bool, columns: list[str] | None
    ) -> None:
        native = self._new_native(single)
        native.load_state({name: contiguous(value) for name, value in state.items()}, classes)
        self._take(native, columns)

    def __getstate__(self) -> dict[str, Any]:
        fields = {name: value for name, value in self.__dict__.items() if name != "_native"}
        native = self._so_far()
        fields.pop("_changed", None)
        fields["_saved"] = None if native is None else (*_state_of(native), native.single_precision)
        return fields

    def __setstate__(self, fields: dict[str, Any]) -> None:
        saved = fields.pop("_saved", None)
        self.__dict__.update(fields)
        if saved is not None:
            state, classes, single = saved
            self._restore(state, classes, single, self._file_columns)

    def save(self, path: Any) -> None:
        """Write the model to a safetensors file.

        Parameters
        ----------
        path : str or path-like
            Where to; the file is written aside and moved into place. A cost function is not written.
        """
        self._write(path, {})

    def _write(self, path: Any, extra: dict[str, Any]) -> None:
        """Write the model, and what a checkpoint adds to its description."""
        self._so_far()
        native = self._ready()
        state, classes = _state_of(native)
        content = {
            "format": FORMAT,
            "library": import_module("onlinear").__version__,
            "estimator": type(self).__name__,
            "parameters": {name: _saved(value) for name, value in self.get_params(deep=False).items()},
            "classes": [label(name) for name in plain_labels(classes)],
            "single_precision": native.single_precision,
            "columns": self._file_columns,
            "scalars": {name: value for name, value in state.items() if isinstance(value, float)},
            **extra,
        }
        tensors = {name: np.ascontiguousarray(v) for name, v in state.items() if isinstance(v, np.ndarray)}
        with written_aside(Path(path)) as aside:
            write_tensors(aside, tensors, content)

    @classmethod
    def _rebuild(cls, content: dict[str, Any], tensors: dict[str, Array]) -> SequenceLabeler:
        """A model from what `save` wrote; everything in it is checked before it is used."""
        said = {**content, "counters": tensors["counters"].tolist()}
        for field, kind in SEQUENCE_MODEL.items():
            check(said[field], kind, field)
        model = cls(**{name: _loaded(value) for name, value in content["parameters"].items()})
        model._check_parameters()
        classes = [label(name) for name in content["classes"]]
        if len(set(classes)) != len(classes):
            raise ModelFileError("the classes are not distinct")
        state = {**tensors, **{name: float(value) for name, value in content["scalars"].items()}}
        model._restore(state, classes, content["single_precision"], content["columns"])
        return model


def _axes_of(rule: Any) -> tuple[Any, Any]:
    """The rule and the belief that ``rule=`` means; no belief for a rule object."""
    if hasattr(rule, "metric"):
        return rule, None
    if isinstance(rule, str) and rule not in ALGORITHMS:
        rule = rule.replace("_", "-")
    made, own = axes_of(rule, "SequenceLabeler")
    # A mean that is derived on read is not there for Viterbi to read; the rule's own form is.
    if isinstance(own, beliefs.Information):
        own = beliefs.Diagonal(projection="kl", initial_variance=own.initial_variance)
    elif isinstance(own, beliefs.Full) and own.inclusive:
        own = beliefs.Full(initial_variance=own.initial_variance)
    return made, own


def _usual_belief(rule: Any) -> Any:
    """The belief a rule object learns on where none is given."""
    if rule.metric != "mean":
        return beliefs.Diagonal(projection="drop")
    return beliefs.L1Ball() if rule.parameters().get("penalty") == "l1_ball" else beliefs.Mean()


def _state_of(native: Any) -> tuple[dict[str, Any], list[Any]]:
    """All that was learned, and the labels it is about, though another thread may bring more meanwhile."""
    state: dict[str, Any] = native.state()
    return state, native.classes[: len(state["label_slots"])]


def _saved(value: Any) -> Any:
    """A parameter as JSON; rules and beliefs by their names and parameters, functions not at all."""
    if hasattr(value, "parameters"):
        return {"axis": type(value).__name__, "parameters": value.parameters()}
    return plain(value)


def _loaded(value: Any) -> Any:
    """The inverse of `_saved`; only rules and beliefs of this library are looked up."""
    if not isinstance(value, dict) or "axis" not in value:
        out = restored(value)
        return out.tolist() if isinstance(out, np.ndarray) else out
    for home in (rules, beliefs):
        if value["axis"] in home.__all__:
            return getattr(home, value["axis"])(**value["parameters"])
    raise ModelFileError(f"unknown rule or belief {value['axis']!r}")
