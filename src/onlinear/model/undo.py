"""The way back from a call that is refused: one mechanism, four cases.

- `Undo.of_names`: the call may give numbers to labels, name columns, or make the learner, but changes nothing that
  has been learned before all is known to be well. Labels, names and counts go back; a learner the call has made goes.
- `Undo.of_growth`: the learner makes room for classes or features before anything is learned. It gives that room back
  as long as nothing has been learned since; where it cannot, because blocks were split, it is copied first.
- `Undo.of_learning`: the learner learns before all is known to be well, as a `fit` that goes on does. It is copied.
- `UndoSequences`: sequences are read before any of them is learned, and the core numbers their labels, columns and words
  as it reads. They are forgotten, unless they have weights by now.

A step that would overflow is no refusal of the call: the rows before it stay learned, and the error names the row.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..exceptions import NumericError

if TYPE_CHECKING:
    from .. import _core
    from .model import RowModel
    from .native import Native

__all__ = ["Undo", "UndoSequences", "all_or_nothing"]


class Undo:
    """The state of a model at one moment, to come back to."""

    def __init__(
        self, model: RowModel, native: Native | None, grown: tuple[int, int, int] | None = None
    ) -> None:
        self._model = model
        self._native = native
        self._grown = grown
        labels = model.labels
        self._labels, self._mark = labels, (len(labels.names), labels.classes.type)
        names = model.schema.names
        self._schema = model.schema.state()
        self._names, self._n_names = names, 0 if names is None else len(names)
        self._counts = {name: getattr(model, name) for name in model.counted}

    @classmethod
    def of_names(cls, model: RowModel) -> Undo:
        """Nothing that has been learned is changed."""
        return cls(model, model.native)

    @classmethod
    def of_growth(cls, model: RowModel) -> Undo:
        """The learner makes room, and learns nothing before all is known to be well."""
        handle = model.learner.handle
        features, blocks, seen = handle.n_features, handle.n_blocks, handle.n_seen
        if blocks < 2 or not handle.shrink(features, blocks):
            return cls.of_learning(model)
        return cls(model, model.native, (features, blocks, seen))

    @classmethod
    def of_learning(cls, model: RowModel) -> Undo:
        """The learner is changed in place."""
        return cls(model, model.learner.copy())

    def back(self) -> None:
        """Put everything back; after growth only as long as nothing has been learned."""
        model = self._model
        if self._grown is not None:
            features, blocks, seen = self._grown
            handle = model.learner.handle
            if handle.n_seen != seen:
                return
            handle.shrink(features, blocks)
        model.native = self._native
        model.labels = self._labels
        self._labels.rewind(self._mark)
        if self._names is not None:
            del self._names[self._n_names :]
        model.schema.names = self._names
        model.schema.restore(self._schema)
        model.new_words = {}
        if self._native is not None:
            model.tell_names()
        for name, value in self._counts.items():
            setattr(model, name, value)


class UndoSequences:
    """What a learner of sequences has numbers for at one moment, to come back to."""

    def __init__(self, native: _core.SequenceLearner) -> None:
        self._native = native
        self._sizes = native.mark()

    def back(self) -> None:
        """Forget labels, columns and words that came since, unless they have weights by now."""
        self._native.undo(*self._sizes)


@contextmanager
def all_or_nothing(model: RowModel, undo: Undo | None = None, *, single: bool = False) -> Iterator[Undo]:
    """Put back what was there before when a call is refused; yields what does so.

    The rows before a step that would overflow stay learned; a `single` example has none before it, and a new learner
    that has learned nothing goes with the call that made it.
    """
    before, undo = model.native, undo or Undo.of_names(model)
    try:
        yield undo
    except BaseException as error:
        now: Any = model.native
        nothing = now is not before and (now is None or now.n_seen == 0)
        if single or nothing or not isinstance(error, NumericError):
            undo.back()
        raise
