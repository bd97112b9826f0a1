"""CoNLL files as a stream of sequences, read block by block: what is in memory is the sequences of one block."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, ClassVar, Self

from .. import _core
from ..exceptions import ReadError
from ..io._source import ByteStream, open_stream
from ..model.undo import UndoSequences
from ..sequence.files import naming
from ..sequence.model import SequenceModel
from ._errors import UsageError

if TYPE_CHECKING:
    from ..model.types import Array, Values

__all__ = ["ConllFiles", "Sentences", "check_options"]


#: Options of reading that mean something for CoNLL files.
_KNOWN = frozenset(["format", "on_error", "max_errors", "max_features", "max_tokens", "max_line_bytes"])


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

    def __init__(self, native: _core.SequenceBatch, lines: Array, source: str, first: int = 0) -> None:
        self.native = native
        self.first = first
        self.n_rows = len(native) - first
        self.lines: Array = lines[first:]
        self.starts: Array = native.starts[first:]
        self.labels: Array = native.labels
        self.source = source

    def source_of(self, row: int) -> str:
        """The file a sequence was read from."""
        return self.source

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
        reading: Values,
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
            undo = UndoSequences(native)
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
                    undo.back()
                raise
            left_out = min(self._to_skip, len(native_batch))
            self._to_skip -= left_out
            if left_out < len(native_batch) or not self.learning:
                yield Sentences(native_batch, lines, stream.name, left_out)
        stream.close()
        self._done += stream.consumed
        self._stream = None

    def _count_refused(self, reader: _core.ConllReader, source: str) -> None:
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


def check_options(reading: Values) -> None:
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
