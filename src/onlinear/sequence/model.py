"""A model that labels sequences: the core's learner of sequences, its labels, and how a file becomes features."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING

from .. import _core
from ..algorithms.sequence import SequenceLabeling
from ..exceptions import ModelFileError, NumericError, ParameterError
from ..model.labels import label_of
from ..model.model import Model
from ..model.native import contiguous
from ..model.parameters import not_with_learned
from ..model.rows import refuse
from ..model.undo import UndoSequences
from ..model.weights import class_weights
from ..persistence.description import SEQUENCE_MODEL, check
from ..persistence.values import label
from .files import blocks_of, naming, with_first_line
from .reading import check_expected, plain_labels, read_sequences, weighty_sequences
from .templates import column_names, default_templates, templates_of_0_1_0

if TYPE_CHECKING:
    from ..model.types import Array, Axis, Label, Numbers, PathLike, Values

__all__ = ["SequenceModel"]


class SequenceModel(Model):
    """A label for every token, found by Viterbi's algorithm; the learner is the core's learner of sequences."""

    recipe: SequenceLabeling

    has_classes = True

    def __init__(self, recipe: SequenceLabeling) -> None:
        super().__init__(recipe)
        #: The columns of the files it has learned from.
        self.columns: list[str] | None = None
        #: The templates that were the default when it learned the first of them: its features are theirs.
        self.usual_templates: list[str] | None = None

    # ------------------------------------------------------------------ getting ready

    def make(self, *, wide: bool = False) -> _core.SequenceLearner:
        """A learner of the core's with these parameters; `wide` asks for float64 where they do not say."""
        recipe = self.recipe
        double = recipe.dtype == "float64" or (recipe.dtype is None and wide)
        axes = recipe.axes()
        try:
            return self._new_native(not double, axes)
        except ValueError as error:
            raise ParameterError(f"{recipe.owner}: {error}") from None

    def _new_native(self, single: bool, axes: tuple[Axis, Axis] | None = None) -> _core.SequenceLearner:
        recipe = self.recipe
        rule, belief = axes or recipe.axes()
        native = _core.SequenceLearner(rule, belief, single, recipe.max_features)
        native.set_truncation(recipe.truncated_by() or 0.0)
        return native

    def open(
        self, path: PathLike, native: _core.SequenceLearner | None, blocks: Iterator[bytes] | None = None
    ) -> tuple[_core.SequenceLearner, list[str], Iterator[bytes]]:
        """A learner ready to read the file, the names of its columns, and its bytes."""
        recipe = self.recipe
        fields, blocks = with_first_line(path, blocks_of(path) if blocks is None else blocks)
        columns = self.columns if native is not None else None
        if columns is None:
            given = recipe.columns
            columns = list(given) if given is not None else column_names(max(len(fields) - 1, 1))
        if native is None:
            native = self.make()
        try:
            native.set_templates(self.templates_for(columns), columns)
        except ValueError as error:
            raise ParameterError(f"{recipe.owner}: {error}") from None
        return native, columns, blocks

    def templates_for(self, columns: list[str]) -> list[str]:
        """The templates that make features of files with these columns."""
        chosen = self.recipe.templates if self.recipe.templates is not None else self.usual_templates
        return default_templates(len(columns)) if chosen is None else list(chosen)

    def reader(self, native: _core.SequenceLearner, names: list[str], *, learning: bool) -> _core.ConllReader:
        """A reader of a file's bytes."""
        return _core.ConllReader(native, names, learning, False, self.recipe.max_tokens)

    def take(self, native: _core.SequenceLearner, columns: list[str] | None) -> None:
        """Make a learner this model's own."""
        if columns is not None and self.usual_templates is None:
            self.usual_templates = default_templates(len(columns))
        self.columns = columns
        self.native = native

    @property
    def classes(self) -> list[Label]:
        """The labels, in the order of their numbers; the learner names them when it meets them."""
        classes: list[Label] = self.native.classes
        return classes

    def follow(self, recipe: SequenceLabeling) -> None:
        """Go on with other parameters: a new learner takes over the state."""
        if self.native is None:
            self.recipe = recipe
            return
        before, native = self.recipe, self.native
        self.recipe = recipe
        try:
            self.restore(*state_of(native), native.single_precision, self.columns)
        except ValueError as error:
            self.recipe = before
            raise not_with_learned(recipe.owner, error) from None

    # ------------------------------------------------------------------ learning

    def learn(
        self,
        native: _core.SequenceLearner,
        batch: _core.SequenceBatch,
        order: Numbers,
        weights: Numbers,
        classes: list[Label],
        known: int,
        label_weight: Array | None = None,
        rows: list[int] | None = None,
    ) -> tuple[int, int, int]:
        """Learn a batch once; of its labels the first `known` were met before it.

        The weights of labels are those given, or else what the recipe says. `rows` says which of the caller's
        sequences each one is, where some were left out.

        Returns
        -------
        learned, mistakes, updates : int
        """
        cost = self.recipe.cost
        if cost is None:
            raise ParameterError(
                f"{self.recipe.owner}: the cost function is not part of a model file; set cost= to go on learning"
            )
        of_labels = (label_weight, False) if label_weight is not None else self.class_weights(classes)
        learned, mistakes, updates, *_, fault, row = native.learn(
            batch, order, weights, cost, classes, known, *of_labels
        )
        if fault:
            row = row if rows is None else rows[row]
            raise refuse(fault, row, -1, single_precision=native.single_precision)
        return learned, mistakes, updates

    def class_weights(self, classes: list[Label]) -> tuple[Array | None, bool]:
        """The weight of each label, in the order of their numbers, and whether counts so far balance them."""
        return class_weights(self.recipe.class_weight, classes)

    def learn_sequences(
        self, sequences: list[Label], labels: list[Label], classes: Numbers, weights: Numbers, *, wide: bool
    ) -> None:
        """Learn sequences in the given order, once; labels and features may be new."""
        native = self.native
        first = native is None
        if native is None:
            native = self.make(wide=wide)
        known: list[Label] = [] if first else list(self.classes)
        undo = UndoSequences(native)
        if classes is not None:
            expected = list(dict.fromkeys(map(label_of, plain_labels(classes))))
            check_expected(labels, expected)
            known += [name for name in expected if name not in set(known)]
        index = {name: number for number, name in enumerate(known)}
        rows = None
        try:
            if weights is not None and not weights.all():
                rows, sequences, labels, weights = weighty_sequences(
                    native, sequences, labels, index, weights
                )
                undo.back()
            native.add_labels(known)
            batch = read_sequences(native, sequences, labels, index, learning=True, new_labels=True)
            native.classes = known + [label_of(name) for name in list(index)[len(known) :]]
            if first and not known and not sequences:
                return  # nothing had any weight: there is no model yet
            self.take(native, self.columns)
            try:
                self.learn(native, batch, None, weights, self.classes, len(known), rows=rows)
            except NumericError:
                if first and native.counters[0] == 0:  # the very first one was refused: there is no model yet
                    self.native = None
                raise
        except BaseException:
            # Ctrl-C as well: names of which nothing was learned are forgotten; those that have weights stay.
            undo.back()
            raise

    def learn_file(self, path: PathLike) -> None:
        """Learn a file as it is read, once, in its order and without keeping it."""
        known = self.native
        native, columns, blocks = self.open(path, known)
        reader = self.reader(native, [] if known is None else list(map(str, self.classes)), learning=True)
        undo = UndoSequences(native)
        try:
            with naming(path):
                for block in blocks:
                    reader.feed(block)
                    self._learn_read(native, reader, columns)
                    undo = UndoSequences(native)
                reader.finish()
            self._learn_read(native, reader, columns)
        except BaseException:
            # What was read but not learned is taken back, also at Ctrl-C; the blocks before it stay learned.
            undo.back()
            raise

    def _learn_read(
        self, native: _core.SequenceLearner, reader: _core.ConllReader, columns: list[str]
    ) -> None:
        if reader.n_sequences:
            known = len(self.classes) if native is self.native else 0
            self.take(native, columns)
            self.learn(native, reader.take(), None, None, self.classes, known)

    # ------------------------------------------------------------------ answers

    def words(self, batch: _core.SequenceBatch, numbers: Numbers) -> list[list[Label]]:
        """The labels that numbers stand for, a list for each sequence."""
        names = self.classes
        labels = [names[number] for number in numbers.tolist()]
        return [labels[a:b] for a, b in pairwise(batch.starts.tolist())]

    def read_file(self, path: PathLike) -> tuple[_core.SequenceBatch, list[list[str]] | None]:
        """A file's sequences, and its own labels where it has them."""
        native = self.native
        _, _, blocks = self.open(path, native)
        reader = self.reader(native, list(map(str, self.classes)), learning=False)
        with naming(path):
            for block in blocks:
                reader.feed(block)
            reader.finish()
        batch = reader.take()
        if not reader.labelled:
            return batch, None
        names = reader.labels  # ours, and those of the file that were never learned
        answers = [names[number] for number in batch.labels.tolist()]
        return batch, [answers[a:b] for a, b in pairwise(batch.starts.tolist())]

    # ------------------------------------------------------------------ what it knows

    @property
    def n_seen(self) -> int:
        """Sequences learned, counting every pass."""
        return int(self.native.counters[0])

    @property
    def n_mistakes(self) -> int:
        """Sequences whose labels were not all found before learning them."""
        return int(self.native.counters[1])

    @property
    def n_updates(self) -> int:
        """Sequences that changed the model."""
        return int(self.native.counters[2])

    @property
    def n_tokens(self) -> int:
        """Tokens learned, counting every pass."""
        return int(self.native.counters[3])

    @property
    def n_wrong_tokens(self) -> int:
        """Tokens whose label was not found before learning them."""
        return int(self.native.counters[4])

    def weights(self, which: str) -> tuple[Array, Array]:
        """Emission and transition weights."""
        native = self.native
        labels, columns = native.n_labels, native.n_columns
        flat = native.weights(which)
        emissions = flat[: labels * columns].reshape(labels, columns)
        return emissions, flat[labels * columns :].reshape(labels, labels)

    def digest(self) -> str:
        """A hash of everything learned; equal digests mean equal models, bit for bit."""
        import hashlib

        import numpy as np

        digest = hashlib.sha256(repr(self.classes).encode())
        for name, value in sorted(self.native.state().items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        return digest.hexdigest()

    # ------------------------------------------------------------------ in a file

    def parts(self) -> tuple[Values, Values]:
        """What a file holds: labels, columns, numbers and arrays by name."""
        import numpy as np

        state, classes = state_of(self.native)
        content = {
            "classes": [label(name) for name in plain_labels(classes)],
            "single_precision": self.native.single_precision,
            "columns": self.columns,
            "usual_templates": self.usual_templates,
            "scalars": {name: value for name, value in state.items() if isinstance(value, float)},
        }
        tensors = {name: np.ascontiguousarray(v) for name, v in state.items() if isinstance(v, np.ndarray)}
        return content, tensors

    def take_parts(self, content: Values, tensors: Values) -> None:
        """Take over what `parts` gave; everything in it is checked before it is used."""
        columns = content["columns"]
        said = {
            # Files of 0.1.0 do not say which templates were usual then.
            "usual_templates": templates_of_0_1_0(len(columns)) if isinstance(columns, list) else None,
            **content,
            "counters": tensors["counters"].tolist(),
        }
        for field, kind in SEQUENCE_MODEL.items():
            check(said[field], kind, field)
        self.recipe.check()
        classes = [label(name) for name in content["classes"]]
        if len(set(classes)) != len(classes):
            raise ModelFileError("the classes are not distinct")
        state = {**tensors, **{name: float(value) for name, value in content["scalars"].items()}}
        self.usual_templates = said["usual_templates"]
        self.restore(state, classes, content["single_precision"], columns)

    def restore(self, state: Values, classes: list[Label], single: bool, columns: list[str] | None) -> None:
        """Take over a state made by a learner with the same axes."""
        native = self._new_native(single)
        native.load_state({name: contiguous(value) for name, value in state.items()}, classes)
        self.take(native, columns)

    def __getstate__(self) -> Values:
        fields = {name: value for name, value in vars(self).items() if name != "native"}
        native = self.native
        fields["saved"] = None if native is None else (*state_of(native), native.single_precision)
        return fields

    def __setstate__(self, fields: Values) -> None:
        saved = fields.pop("saved")
        vars(self).update(fields)
        self.native = None
        if saved is not None:
            state, classes, single = saved
            self.restore(state, classes, single, self.columns)


def state_of(native: _core.SequenceLearner) -> tuple[Values, list[Label]]:
    """All that was learned, and the labels it is about, though another thread may bring more meanwhile."""
    state: Values = native.state()
    return state, native.classes[: len(state["label_slots"])]
