"""Sequences on the command line: CoNLL files as a stream, to learn, to label and to compare with.

A file is read block by block: what is in memory is the model and the sequences of one block.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from .. import _core
from ..algorithms.sequence import SequenceLabeling
from ..exceptions import NumericError, ReadError
from ..io._source import ByteStream, open_stream
from ..model.rows import refuse
from ..model.stream import Counts, RowStream, refused_line
from ..persistence.values import plain
from ..sequence.files import naming
from ..sequence.model import SequenceModel
from ._errors import UsageError
from ._tally import Tally
from ._tasks import Figure, Task, share

if TYPE_CHECKING:
    from ._train import Plan

__all__ = ["ConllFiles", "Sentences", "Sequences"]

Array = npt.NDArray[Any]

#: Options of reading that mean something for CoNLL files.
_KNOWN = frozenset(["format", "on_error", "max_errors", "max_features", "max_tokens", "max_line_bytes"])


# ---------------------------------------------------------------------- reading


class Sentences:
    """Sequences of one block of a file, perhaps without the first ones.

    Parameters
    ----------
    native : SequenceBatch
        All of them.
    lines : array of int
        The first line of each.
    source : str
        The file.
    first : int
        How many to leave out.
    """

    __slots__ = ("first", "labels", "lines", "n_rows", "native", "source", "starts")

    def __init__(self, native: Any, lines: Array, source: str, first: int = 0) -> None:
        self.native = native
        self.first = first
        self.n_rows = len(native) - first
        self.lines: Array = lines[first:]
        self.starts: Array = native.starts[first:]
        self.labels: Array = native.labels
        self.source = source

    def labels_of(self, start: int, stop: int) -> Array:
        """Label numbers of the tokens of some sequences."""
        part: Array = self.labels[self.starts[start] : self.starts[stop]]
        return part


class ConllFiles(Iterator[Sentences]):
    """A reader of CoNLL files, with the manners of `onlinear.io.Reader`.

    Parameters
    ----------
    model : SequenceModel
        Its templates make the features; when learning, it takes in their names and new labels.
    files : list of str
        What to read, one after the other.
    reading : dict
        Options that were given.
    learning : bool
        Whether what is new is taken in.
    skip_rows : int
        Sequences to leave out at the start, as when resuming.
    """

    format = "conll"
    names: ClassVar[dict[int, str]] = {}
    negative_columns: ClassVar[frozenset[int]] = frozenset()

    def __init__(
        self,
        model: SequenceModel,
        files: list[str],
        reading: dict[str, Any],
        *,
        learning: bool,
        skip_rows: int = 0,
    ) -> None:
        check_options(reading)
        self.model = model
        self.learning = learning
        self.n_refused = 0
        self.labels: list[str] = []
        self.labelled = True
        self.bytes_total = sum(map(os.path.getsize, files)) if all(map(os.path.isfile, files)) else None
        self._skips = reading.get("on_error") == "skip"
        self._most = reading.get("max_errors")
        self._limits = {"max_tokens": reading.get("max_tokens", model.recipe.max_tokens)}
        if "max_line_bytes" in reading:
            self._limits["max_line_bytes"] = reading["max_line_bytes"]
        self._to_skip = skip_rows
        self._done = 0
        self._stream: ByteStream | None = None
        self._items = chain.from_iterable(map(self._read, files))

    def __next__(self) -> Sentences:
        return next(self._items)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close what was opened."""
        if self._stream is not None:
            self._stream.close()

    @property
    def bytes_read(self) -> int:
        """Bytes of the files read so far, compressed where they are."""
        return self._done + (self._stream.consumed if self._stream is not None else 0)

    def blocks(self, stream: ByteStream) -> Iterator[bytes]:
        """The plain bytes of a file."""
        while block := stream.read_plain():
            yield block

    def _read(self, file: str) -> Iterator[Sentences]:
        self._stream = stream = open_stream(file)
        model, known = self.model, self.model.native
        native, columns, blocks = model.open(stream.name, known, self.blocks(stream))
        names = [] if known is None else [str(label) for label in model.classes]
        reader = _core.ConllReader(native, names, self.learning, self._skips, **self._limits)
        for block in chain(blocks, [None]):  # None is the end
            mark = native.mark()
            try:
                with naming(stream.name):
                    if block is None:
                        reader.finish()
                    else:
                        reader.feed(block)
                self._count_refused(reader, stream.name)
                self.labels, self.labelled = reader.labels, reader.labelled
                if self.learning and (reader.n_sequences or known is not None):
                    model.take(native, columns)
                native_batch, lines = reader.take(), reader.take_lines()
            except BaseException:  # Ctrl-C as well: what was read of this block is not going to be learned
                if self.learning:
                    native.undo(*mark)
                raise
            left_out = min(self._to_skip, len(native_batch))
            self._to_skip -= left_out
            if left_out < len(native_batch) or not self.learning:
                yield Sentences(native_batch, lines, stream.name, left_out)
        stream.close()
        self._done += stream.consumed
        self._stream = None

    def _count_refused(self, reader: Any, source: str) -> None:
        """Count the sequences left out, up to the limit."""
        for line, column, expected, found in reader.take_problems():
            if self._most is not None and self.n_refused >= self._most:
                raise ReadError(
                    f"{source}:{line}:{column}: expected {expected}, found {found}. {self._most} bad sequences "
                    "were passed over before it, the most allowed (--max-errors).",
                    source,
                    line,
                    column,
                )
            self.n_refused += 1


def check_options(reading: dict[str, Any]) -> None:
    """Refuse options of reading that CoNLL files do not have."""
    if reading.get("format") not in (None, "conll"):
        raise UsageError(f"sequences are read from CoNLL files, not from {reading['format']}")
    if reading.get("on_error", "stop") not in ("stop", "skip"):
        raise UsageError(f"--on-error must be stop or skip, got {reading['on_error']!r}")
    for name in ("max_tokens", "max_line_bytes"):
        if reading.get(name, 1) < 1:
            raise UsageError(f"--{name.replace('_', '-')} must be at least 1, got {reading[name]}")
    for name in reading:
        if name not in _KNOWN:
            raise UsageError(
                f"--{name.replace('_', '-').replace('ngram-range', 'ngrams')} means nothing for sequences"
            )


# ---------------------------------------------------------------------- learning


class SequenceStream(RowStream):
    """A labeler at the end of a stream of sequences; measures tokens, and spans of held-out sequences."""

    def __init__(self, model: SequenceModel, *, skip: bool = False) -> None:
        self.model: Any = model
        self.skip, self.measure = skip, True
        self.known = 0  # labels met by the sequences learned so far

    @property
    def started(self) -> bool:
        """Whether the model has met a sequence."""
        native = self.model.native
        return native is not None and native.n_labels > 0 and self.known > 0

    def restore(self, class_counts: list[int]) -> None:
        """Labels that were read ahead of a checkpoint, but not learned, are in the model and not in play."""
        present = [number for number, count in enumerate(class_counts) if count]
        self.known = present[-1] + 1 if present else 0

    def numbers(self, batch: Any) -> None:
        """The answers are in the batch."""
        return

    def learn(
        self,
        batch: Any,
        answers: Any,
        start: int = 0,
        stop: int | None = None,
        *,
        calibrate: bool = True,
        held_out: Array | None = None,
    ) -> Counts:
        """Learn the sequences from `start` to `stop`; held-out ones are labelled as the model stands."""
        stop = batch.n_rows if stop is None else stop
        done = Counts()
        while start < stop:
            end, apart = stop, held_out is not None and bool(held_out[start])
            if held_out is not None:
                other = np.flatnonzero(held_out[start:stop] != apart)
                end = start + int(other[0]) if len(other) else stop
            if apart:
                self._judge(batch, start, end, done)
                start = end
            else:
                start = self._learn_some(batch, start, end, done)
        return done

    def _learn_some(self, batch: Sentences, start: int, stop: int, done: Counts) -> int:
        """Learn sequences one after the other; returns where to go on."""
        native = self.model.native
        order = np.arange(batch.first + start, batch.first + stop, dtype=np.int64)
        learned, mistakes, updates, tokens, wrong, fault, row = native.learn(
            batch.native, order, None, self.model.recipe.cost, self.model.classes, self.known
        )
        self._meet(batch, start, start + learned)
        done.add(
            Counts(
                examples=learned,
                mistakes=mistakes,
                updates=updates,
                sums={"tokens": float(tokens), "wrong_tokens": float(wrong)},
            )
        )
        if not fault:
            return stop
        bad = int(row) - batch.first
        error = refuse(fault, bad, -1, single_precision=native.single_precision)
        if not self.skip or not isinstance(error, NumericError):
            raise refused_line(batch, bad, error)
        done.refused += 1
        return bad + 1

    def _meet(self, batch: Sentences, start: int, stop: int) -> None:
        self.known = max(self.known, int(batch.labels_of(start, stop).max(initial=-1)) + 1)

    def _judge(self, batch: Sentences, start: int, stop: int, done: Counts) -> None:
        """Label held-out sequences and count what is right."""
        self._meet(batch, start, stop)
        numbers = self.model.native.tag(batch.native, False, batch.first + start, batch.first + stop)[0]
        names = self.model.classes
        tally = Tally()
        ends = (batch.starts[start : stop + 1] - batch.starts[start]).tolist()
        tally.add(
            [names[k] for k in batch.labels_of(start, stop).tolist()],
            [names[k] for k in numbers.tolist()],
            ends,
        )
        done.add(
            Counts(
                held_out=stop - start,
                held_out_mistakes=stop - start - tally.whole,
                held_out_sums={
                    "tokens": float(tally.tokens),
                    "wrong_tokens": float(tally.tokens - tally.right),
                },
            )
        )

    def label_text(self, batch: Any, row: int) -> str:
        """The labels of a sequence."""
        names = self.model.classes
        return " ".join(str(names[number]) for number in batch.labels_of(row, row + 1).tolist())

    def guess_text(self, batch: Any, row: int) -> str:
        """The labels the model would give a sequence."""
        place = batch.first + row
        numbers = self.model.native.tag(batch.native, False, place, place + 1)[0]
        return " ".join(str(self.model.classes[number]) for number in numbers.tolist())

    def size(self, batch: Any, row: int) -> int:
        """How many tokens a sequence has."""
        return int(batch.starts[row + 1] - batch.starts[row])

    def class_numbers(self, batch: Any, answers: Any, start: int, stop: int) -> Array:
        """The labels of all tokens of some sequences."""
        numbers: Array = batch.labels_of(start, stop)
        return numbers


class Sequences(Task):
    """A label for every token."""

    name = "sequence"
    algorithm = "pa1"
    measure = "token error"
    refused = ("class_weight", "cost_update", "fit_intercept", "templates", "columns", "belief", "rule")

    #: What is the labeler's own and not its rule's.
    _OWN = ("average", "cost")

    def make(self, algorithm: str, parameters: dict[str, Any], settings: dict[str, Any]) -> SequenceModel:
        """A new labeler by the given rule."""
        own = {name: value for name, value in parameters.items() if name in self._OWN}
        rest = {name: value for name, value in parameters.items() if name not in self._OWN}
        entry = self.find(algorithm)
        own.setdefault("average", entry.preset.get("average", True))
        recipe = SequenceLabeling(rule=entry.make(**rest), **own, **settings)
        recipe.check()
        model = SequenceModel(recipe)
        model.make()  # what does not go together is told before there is any data
        return model

    def stream(self, model: Any, plan: Plan) -> RowStream:
        """The model at the end of a stream."""
        if plan.templates:
            model.recipe.templates = list(plan.templates)
        return SequenceStream(model, skip=self.skips(plan))

    def read(self, stream: RowStream, files: list[str], plan: Plan, skip_rows: int) -> Any:
        """A reader of the files."""
        model: Any = stream.model
        return ConllFiles(model, files, plan.reading, learning=True, skip_rows=skip_rows)

    def check_reading(self, plan: Plan) -> None:
        """Refuse options that CoNLL files do not have, and templates that cannot be read."""
        check_options(plan.reading)
        for template in plan.templates or []:
            if not template.isascii() and any("\ud800" <= letter <= "\udfff" for letter in template):
                raise UsageError(
                    f"--template {template!r} is not text in this locale; use a UTF-8 one, as LC_ALL=C.UTF-8"
                )

    def told(self, model: Any, plan: Plan) -> dict[str, Any]:
        """The parameters of rule and labeler."""
        entry, recipe = self.find(plan.algorithm), model.recipe
        names = dict.fromkeys([*entry.preset, *entry.parameters, *plan.parameters, *self._OWN])
        owner = {name: recipe if name in self._OWN else recipe.rule for name in names}
        return {name: plain(getattr(owner[name], name)) for name in names}

    def progress(self, counts: Counts) -> tuple[float, float]:
        """Share of wrong tokens."""
        return counts.sums.get("wrong_tokens", 0.0), counts.sums.get("tokens", 0.0)

    def held_out(self, counts: Counts) -> tuple[float, float]:
        """Share of wrong tokens."""
        return counts.held_out_sums.get("wrong_tokens", 0.0), counts.held_out_sums.get("tokens", 0.0)

    def figures(self, model: Any, counts: Counts) -> dict[str, Figure]:
        """Tokens and whole sequences that were right before they were learned."""
        wrong, tokens = self.progress(counts)
        return {
            "tokens": int(tokens),
            "token_accuracy": share(tokens - wrong, tokens),
            "sequence_accuracy": share(counts.examples - counts.mistakes, counts.examples),
        }

    def n_features(self, model: Any) -> int:
        """Features known."""
        return int(model.native.n_columns)

    def dtype(self, model: Any) -> str:
        """Type of the weights."""
        return "float32" if model.native.single_precision else "float64"

    def class_names(self, model: Any) -> list[Any]:
        """The labels in the order of their numbers."""
        return list(model.classes)

    def remember(self, model: Any, kept: dict[str, Any], names: dict[int, str]) -> None:
        """The templates and the columns are part of the model."""

    def test(self, model: Any, files: list[str], reading: dict[str, Any]) -> dict[str, Figure]:
        """Figures on labelled files."""
        from ._sequence_results import evaluate_sequences

        figures = evaluate_sequences(model, files, reading)
        accuracy = figures["token_accuracy"]
        return {"error": 1 - accuracy, **figures}
