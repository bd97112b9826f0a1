"""Learning from a stream of batches, with classes numbered at the very row where they first appear.

A batch is whatever the reader found convenient; the model must not depend on where batches end. So a batch is
split at every row that brings a class not met before: the rows before it are learned without it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from sys import float_info
from typing import TYPE_CHECKING, Any, TypeAlias

from .. import _core
from ..exceptions import DataError, NumericError, ReadError
from .recipe import state_type
from .rows import SparseRows, refuse
from .weights import weights_of

if TYPE_CHECKING:
    from ..io._batch import Batch
    from .model import RowModel
    from .rounds import Rounds
    from .types import Answers, Array, Label, Values
    from .undo import Undo

__all__ = [
    "Baseline",
    "Counts",
    "RowStream",
    "StreamLabels",
    "label_name",
    "label_value",
    "plus",
    "refused_line",
    "without_row",
]

#: Always the same answer: what it gets wrong is compared with.
Baseline: TypeAlias = "_core.MajorityClass | _core.MeanTarget"

_UNKNOWN = -1
_EXACT = float(1 << 53)


def plus(total: float, part: float) -> float:
    """The sum, or the largest number where it lies past that: a checkpoint holds no infinity."""
    return min(total + part, float_info.max)


@dataclass(slots=True, eq=False, repr=False)
class Counts:
    """What some rows did; `sums` are of what the task measures besides mistakes."""

    examples: int = 0
    mistakes: int = 0
    updates: int = 0
    refused: int = 0
    held_out: int = 0
    held_out_mistakes: int = 0
    sums: dict[str, float] = field(default_factory=dict)
    held_out_sums: dict[str, float] = field(default_factory=dict)

    def add(self, other: Counts) -> None:
        """Add another's counts."""
        for mine, theirs in ((self.sums, other.sums), (self.held_out_sums, other.held_out_sums)):
            for name, value in theirs.items():
                mine[name] = plus(mine.get(name, 0.0), value)
        self.examples += other.examples
        self.mistakes += other.mistakes
        self.updates += other.updates
        self.refused += other.refused
        self.held_out += other.held_out
        self.held_out_mistakes += other.held_out_mistakes


def label_value(number: float) -> int | float:
    """A class that is a number as people write it: 1 for "1", "+1" and "1.0".

    Whole numbers from 2**53 on are refused: two of them may have become one when they were read.
    """
    if abs(number) >= _EXACT:
        raise DataError(
            f"class {number:.17g} is too large: numbers from 2**53 on cannot be told apart. "
            "Write such classes as text, with a letter in front."
        )
    return int(number) if number.is_integer() else number


def label_name(batch: Batch, place: int) -> Label:
    """A label of a batch as a model calls it."""
    ident = batch.buffers.label_ids[place]
    return batch.label_texts[ident] if ident >= 0 else label_value(float(batch.buffers.labels[place]))


class StreamLabels:
    """The labels of batches as class numbers of a model.

    Numbers are compared as numbers, text as text. Where a stream has both, they are different classes.

    Parameters
    ----------
    names : list
        The model's classes in the order of their numbers.
    """

    def __init__(self, names: list[Label]) -> None:
        self._native = _core.ClassNumbers()
        self._by_text: dict[str, int] = {}
        self._table: list[str] = []  # a reader's texts, which are only ever added to
        self._places: dict[str, int] = {}  # where they stand in it, as far as they have been looked up
        for number, name in enumerate(names):
            self.add(name, number)

    def add(self, name: Label, number: int) -> None:
        """Give a class its number."""
        if isinstance(name, str):
            self._by_text[name] = number
            if name in self._places:
                self._native.set_text(self._places[name], number)
        else:
            self._native.add(float(label_value(float(name))), number)

    def encode(self, batch: Batch) -> Answers:
        """Class numbers, -1 for classes not met before; rows without a label are refused."""
        numbers = self.encode_all(batch)
        row = _core.ClassNumbers.unlabelled(batch.buffers.labels, batch.buffers.label_ids)
        if row >= 0:
            raise refused_line(batch, row, "expected a label, found none. Every line needs one here.")
        return numbers

    def encode_all(self, batch: Batch) -> Answers:
        """Class numbers of all labels of a batch, however many its rows have; -1 where there is none.

        Returns
        -------
        memoryview of int32
        """
        numbers = _core.numbers(len(batch.buffers.labels))
        self.encode_again(batch, numbers)
        return numbers

    def encode_again(self, batch: Batch, numbers: Answers, first: int = 0) -> None:
        """Complete the numbers from `first` on, now that more classes are known."""
        self._look_up(batch.label_texts)
        self._native.encode(batch.buffers.labels, batch.buffers.label_ids, numbers, first)

    def first_unknown(self, batch: Batch, numbers: Answers, start: int, stop: int) -> int:
        """The first row with a weight whose class has no number, or `stop`; numbers are completed up to it."""
        buffers = batch.buffers
        found = self._native.first_unknown(
            buffers.labels, buffers.label_ids, numbers, buffers.weight, start, stop
        )
        return int(found)

    def _look_up(self, texts: list[str]) -> None:
        """Get to know the texts of a reader's table: those new in it, or all where it is another reader's."""
        if texts is not self._table:
            self._table, self._places = texts, {}
            self._native.set_texts([])
        known = len(self._places)
        if known < len(texts):
            fresh = texts[known:]
            self._places.update((text, place) for place, text in enumerate(fresh, start=known))
            self._native.add_texts([self._by_text.get(text, _UNKNOWN) for text in fresh])

    @staticmethod
    def n_strangers(batch: Batch, numbers: Answers) -> int:
        """How many classes of a batch have no number."""
        buffers = batch.buffers
        return int(_core.ClassNumbers.strangers(buffers.labels, buffers.label_ids, numbers))


class RowStream:
    """A model at the end of a stream of rows, whatever its task.

    Parameters
    ----------
    model : RowModel
        It learns what comes; it may have learned before.
    dtype : {"float32", "float64"}
        Type of a new model's weights.
    skip : bool
        Whether a row the model must refuse, because a weight would overflow, is passed over instead of
        raising.
    measure : bool
        Whether `Counts.sums` are wanted; they cost a look at the scores of every row.
    """

    #: Scores kept at a time where they are measured.
    _MOST_SCORES = 1 << 20

    def __init__(
        self, model: RowModel, *, dtype: str = "float32", skip: bool = False, measure: bool = False
    ) -> None:
        self.model = model
        self.dtype = state_type(model.recipe.dtype or dtype) or dtype
        self.skip = skip
        self.measure = measure
        #: The way back from what the row at hand has brought; None where it has brought nothing.
        self.brought: Undo | None = None
        #: Told every answer that is learned or held out, where somebody compares; `Counts.sums` have its errors.
        self.baseline: Baseline | None = None
        #: The record of rounds, where one is asked for; who asks begins and ends it with each batch.
        self.rounds: Rounds | None = None
        self._schema: Values | None = None

    @property
    def started(self) -> bool:
        """Whether the model has met an example."""
        return self.model.native is not None

    # ------------------------------------------------------------------ what a task says

    def numbers(self, batch: Batch) -> Answers:
        """The answers of a batch, as `learn` takes them."""
        raise TypeError(f"{type(self).__name__} does not say what its answers are")

    def _meet_rows(self, batch: Batch, answers: Answers, start: int, stop: int) -> tuple[int, int]:
        """Get ready for a row and for those after it that bring nothing new; returns where they begin and end."""
        raise TypeError(f"{type(self).__name__} does not say how it meets rows")

    def _forget(self, batch: Batch, answers: Answers) -> None:
        """Give up what the last row has brought, which is refused; answers that stand on it are unknown again."""

    def _lesson(self, answers: Answers, start: int, stop: int) -> tuple[Array | None, Array | None]:
        """Labels or targets of some rows, and where the labels of each begin if a row may have several."""
        return answers[start:stop], None

    def _class_weights(self) -> tuple[Array | None, bool]:
        return None, False

    def _grow(self, n_features: int) -> None:
        """Make room for features not met before."""
        self.model.learner.grow(n_features, 1)

    def _tally(self, answers: Answers, rows: Array, scores: Array) -> dict[str, float]:
        """Sums of what the task measures over some rows, from the scores just before they were learned."""
        return {}

    def _wrong(self, answers: Answers, rows: Array, scores: Array) -> int:
        """How many of some held-out rows were answered wrongly."""
        return 0

    def label_text(self, batch: Batch, row: int) -> str:
        """The answer of a row, for people."""
        return "-"

    def guess_text(self, batch: Batch, row: int) -> str:
        """What the model would answer, for people."""
        return "-"

    def size(self, batch: Batch, row: int) -> int:
        """How many features a row has."""
        ends = batch.buffers.indptr
        return int(ends[row + 1] - ends[row])

    def class_numbers(self, batch: Batch, answers: Answers, start: int, stop: int) -> Answers:
        """The classes of some rows, as int32 numbers to count; None for tasks without classes."""
        return None

    def restore(self, class_counts: list[int]) -> None:
        """Go on from a checkpoint, where examples of each class were counted."""

    # ------------------------------------------------------------------ learning

    def learn(
        self,
        batch: Batch,
        answers: Answers,
        start: int = 0,
        stop: int | None = None,
        *,
        calibrate: bool = True,
        held_out: Array | None = None,
    ) -> Counts:
        """Learn the rows from `start` to `stop`; `answers` are completed where classes are new.

        Parameters
        ----------
        batch : Batch
            What a reader yields.
        answers
            From `numbers`.
        start, stop : int
            Which rows.
        calibrate : bool
            Whether the rows are new to the model.
        held_out : array of bool, optional
            Rows to predict and not to learn.

        Returns
        -------
        Counts
        """
        stop = batch.n_rows if stop is None else stop
        done = Counts()
        if self.model.schema.names is not None and start < stop:
            self._need_named(batch, start)
        if batch.schema is not self._schema:
            self._take_schema(batch, start)
        try:
            while start < stop:
                self.brought = None
                start, end = self._meet_rows(batch, answers, start, stop)
                if self.measure and start < end:
                    end = min(end, start + max(self._MOST_SCORES // self.model.learner.handle.n_blocks, 1))
                end = self._until(held_out, start, end)
                if start < end:
                    start = self._learn_known(batch, answers, start, end, calibrate, held_out, done)
        except MemoryError as error:
            raise MemoryError(f"{batch.source_of(start)}:{int(batch.lines[start])}: {error}") from None
        return done

    def _take_schema(self, batch: Batch, row: int) -> None:
        """Take over how the rows became columns; refuse those that are not the model's."""
        try:
            self.model.take_schema(batch.schema)
        except DataError as error:
            raise refused_line(batch, row, error) from None
        self._schema = batch.schema

    def _until(self, held_out: Array | None, start: int, end: int) -> int:
        """Where to stop for the sake of held-out rows."""
        return end

    def _learn_known(
        self,
        batch: Batch,
        answers: Answers,
        start: int,
        stop: int,
        calibrate: bool,
        held_out: Array | None,
        done: Counts,
    ) -> int:
        """Learn rows that bring nothing new but features; returns where to go on."""
        learner = self.model.learner
        if batch.n_features > learner.handle.n_features:
            self._grow(batch.n_features)
        weight = None if batch.weight is None else batch.weight[start:stop]
        heavy = None if weight is None else weight > 0
        apart, scores = None, None
        if weight is not None or held_out is not None or self.measure:
            import numpy as np

            if held_out is not None and held_out[start:stop].any():
                apart = held_out[start:stop]
                weight = np.where(apart, 0.0, 1.0 if weight is None else weight)
            if apart is not None or self.measure:
                scores = np.zeros((stop - start, learner.handle.n_blocks))
            weight = weights_of(weight, stop - start)
        class_weight, balanced = self._class_weights()
        labels, lists = self._lesson(answers, start, stop)
        learned, mistakes, updates, cost, fault, row, column = learner.handle.learn_csr(
            *rows_of(batch, start, stop).arguments(),
            labels,
            weight,
            class_weight,
            balanced,
            None,
            calibrate,
            True,  # the reader has checked every number
            scores,
            lists,
            **({} if self.rounds is None else self.rounds.part(self.model, start, stop - start)),
        )
        if self.rounds is not None:
            self.rounds.learned(start, learned)
        done.mistakes += mistakes
        done.updates += updates
        if cost:
            done.sums["cost"] = plus(done.sums.get("cost", 0.0), cost)
        self._count(answers, start, learned, heavy, apart, scores, done)
        if not fault:
            return stop
        if row == 0 and self.brought is not None:  # the row that brought something
            self.brought.back()
            self._forget(batch, answers)
        error = refuse(fault, row, column, single_precision=learner.handle.single_precision)
        if not self.skip or not isinstance(error, NumericError):
            raise refused_line(batch, start + row, error)
        done.refused += 1
        return start + int(row) + 1

    def _need_named(self, batch: Batch, row: int) -> None:
        """Refuse more columns than a model has that knows its columns by name."""
        names = self.model.schema.names or []
        if batch.n_features > len(names):
            why = (
                f"the model knows its {len(names)} features by name ({', '.join(map(str, names[:3]))}, ...), and this "
                f"stream has {batch.n_features} columns. Learn from data frames, dicts, or a stream of those columns."
            )
            raise refused_line(batch, row, why)

    def _count(
        self,
        answers: Answers,
        start: int,
        learned: int,
        heavy: Array | None,
        apart: Array | None,
        scores: Array | None,
        done: Counts,
    ) -> None:
        """Count the rows that were learned and those that were held out; rows of no weight are neither."""
        if self.baseline is not None:
            errors = self.baseline.watch(answers[start : start + learned], heavy, apart)
            for sums, error in zip((done.sums, done.held_out_sums), errors, strict=True):
                if error:
                    sums["baseline"] = plus(sums.get("baseline", 0.0), error)
        if scores is None:
            done.examples += learned if heavy is None else int(heavy[:learned].sum())
            return
        import numpy as np

        counts = np.ones(learned, dtype=bool) if heavy is None else heavy[:learned]
        aside = np.zeros(learned, dtype=bool) if apart is None else apart[:learned]
        part = Counts()
        for rows, kept in (
            (np.flatnonzero(counts & ~aside), part.sums),
            (np.flatnonzero(counts & aside), part.held_out_sums),
        ):
            if self.measure and len(rows):
                kept.update(self._tally(answers, start + rows, scores[rows]))
            if kept is part.sums:
                part.examples = len(rows)
            elif len(rows):
                part.held_out = len(rows)
                part.held_out_mistakes = self._wrong(answers, start + rows, scores[rows])
        done.add(part)

    def judge(self, batch: Batch, rows: Array) -> Counts:
        """Answer some rows as the model stands, as `predict` would, and learn nothing; rows of no weight are left out."""
        import numpy as np

        if batch.weight is not None:
            rows = rows[batch.weight[rows] > 0]
        answers, done = self.numbers(batch), Counts(held_out=len(rows))
        step = max(self._MOST_SCORES // self.model.learner.handle.n_blocks, 1)
        for start in range(0, batch.n_rows, step):
            stop = min(start + step, batch.n_rows)
            some = rows[(start <= rows) & (rows < stop)]
            if not len(some):
                continue
            scores = np.asarray(self.scores(batch, start, stop), dtype=np.float64)[some - start]
            sums = self._tally(answers, some, scores) if self.measure else {}
            if self.baseline is not None:
                sums["baseline"] = self._constant(answers, some)
            wrong = self._wrong(answers, some, scores)
            done.add(Counts(held_out_mistakes=wrong, held_out_sums=sums))
        return done

    def _constant(self, answers: Answers, rows: Array) -> float:
        """What always giving the same answer gets wrong of some rows."""
        return 0.0

    def scores(self, batch: Batch, start: int, stop: int) -> Array:
        """Scores of some rows, a column per block."""
        out: Array = self.model.learner.read_rows(rows_of(batch, start, stop))
        return out


def rows_of(batch: Batch, start: int = 0, stop: int | None = None) -> SparseRows:
    """Some rows of a batch, as a learner reads them."""
    buffers, stop = batch.buffers, batch.n_rows if stop is None else stop
    return SparseRows(
        buffers.values, buffers.indices, buffers.indptr[start : stop + 1], stop - start, batch.n_features
    )


def refused_line(batch: Any, row: int, why: Exception | str) -> ReadError:
    """Why a row of a batch cannot be learned, and where it stands."""
    line, source = int(batch.lines[row]), batch.source_of(row)
    return ReadError(f"{source}:{line}: {without_row(str(why))}", source, line)


def without_row(message: str) -> str:
    """The message without its count of rows, which means nothing where lines are named."""
    import re

    return re.sub(r"\b(the score of|learning|at) row \d+\b", r"\1 this line", message)
