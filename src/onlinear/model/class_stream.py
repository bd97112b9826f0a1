"""A classifier at the end of a stream: classes are numbered at the very row where they first appear."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .. import _core
from ..exceptions import DataError
from .stream import RowStream, StreamLabels, label_name, refused_line, rows_of
from .undo import Undo, all_or_nothing

if TYPE_CHECKING:
    from ..io._batch import Batch
    from .classifier import ClassifierModel
    from .types import Answers, Array


__all__ = ["ClassStream"]


class ClassStream(RowStream):
    """A classifier at the end of a stream."""

    model: ClassifierModel

    def __init__(
        self, model: ClassifierModel, *, dtype: str = "float32", skip: bool = False, measure: bool = False
    ) -> None:
        super().__init__(model, dtype=dtype, skip=skip, measure=False)
        self.labels = StreamLabels(model.labels.names if self.started else [])
        self._counted: Batch | None = None
        self._known_then = 0

    def numbers(self, batch: Batch) -> Answers:
        """Class numbers of a batch; -1 stands for classes met on the way."""
        if batch.buffers.label_indptr is not None:
            raise DataError(
                f"{batch.source}: rows with several labels need MultilabelRanker, not a classifier"
            )
        return self.labels.encode(batch)

    def _meet_rows(self, batch: Batch, answers: Answers, start: int, stop: int) -> tuple[int, int]:
        """Rows of no weight bring no class, so those before the first class are passed over."""
        new = self.labels.first_unknown(batch, answers, start, stop)
        if not self.started and new > start:
            return new, 0
        if new == start:
            self._meet(batch, answers, start)
            new = self.labels.first_unknown(batch, answers, start, stop)
        return start, new

    def _meet(self, batch: Batch, numbers: Answers, row: int) -> None:
        """Give the class of `row` a number, in the model and in the rest of the batch."""
        model = self.model
        known = len(model.labels) if self.started else 0
        try:
            name = label_name(batch, row)
            if self.rounds is not None:
                self.rounds.answered(model, rows_of(batch, row, row + 1))
            grows = self.started and model.grows([name], batch.n_features)
            with all_or_nothing(model, Undo.of_growth(model) if grows else None) as self.brought:
                model.meet(
                    [name], batch.n_features, self.dtype, expected=self._expected(batch, numbers, known)
                )
        except DataError as error:
            raise refused_line(batch, row, error) from None
        for number, met in enumerate(model.labels.names[known:], start=known):
            self.labels.add(met, number)

    def _forget(self, batch: Batch, answers: Answers) -> None:
        """The class of a refused row is as new as before."""
        self.labels = StreamLabels(self.model.labels.names if self.started else [])
        self.labels.encode_again(batch, answers)

    def _expected(self, batch: Batch, numbers: Answers, known: int) -> int:
        """How many classes there will be at the end of a batch, counted once a batch."""
        if batch is not self._counted:
            self._counted = batch
            self._known_then = known + self.labels.n_strangers(batch, numbers)
        return self._known_then

    def _lesson(self, answers: Answers, start: int, stop: int) -> tuple[Any, None]:
        numbers = answers[start:stop]
        if _core.first_unknown(numbers, None, 0, stop) < stop - start:  # of no weight; any number will do
            import numpy as np

            return np.maximum(numbers, 0), None
        return numbers, None

    def _class_weights(self) -> tuple[Array | None, bool]:
        return self.model.class_weights()

    def _grow(self, n_features: int) -> None:
        self.model.meet([], n_features)

    def _wrong(self, answers: Array, rows: Array, scores: Array) -> int:
        import numpy as np

        return int((self.guess(scores) != np.asarray(answers)[rows]).sum())

    def _constant(self, answers: Array, rows: Array) -> float:
        import numpy as np

        always = -1 if self.baseline is None else self.baseline.answer
        return float((np.asarray(answers)[rows] != always).sum())

    def guess(self, blocks: Array) -> Array:
        """The class numbers that scores stand for."""
        from .answers import decided, oriented  # which need NumPy

        classes = self.model.labels.classes
        out: Array = classes.order[decided(oriented(blocks, classes), classes)]
        return out

    def label_text(self, batch: Batch, row: int) -> str:
        """The class of a row."""
        return batch.label_text(row)

    def guess_text(self, batch: Batch, row: int) -> str:
        """The class the model would give a row."""
        labels = self.model.labels
        place = self.model.learner.chosen(rows_of(batch, row, row + 1), labels.ranking)[0]
        return str(labels.names[labels.ranking[place]])

    def class_numbers(self, batch: Batch, answers: Answers, start: int, stop: int) -> Answers:
        """The classes of some rows."""
        return answers[start:stop]
