"""Sequences on the command line: CoNLL files as a stream, to learn, to label and to compare with.

A file is read block by block: what is in memory is the model and the sequences of one block.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar, Self

import numpy as np
import numpy.typing as npt

from .. import _core
from ..exceptions import DataError, NumericError, ReadError
from ..io._source import ByteStream, open_stream
from ..model.rows import refuse
from ..model.stream import Counts, RowStream, refused_line
from ..sequence import SequenceLabeler, spans
from ..sequence.files import LONGEST_LINE, naming
from ._errors import UsageError
from ._tasks import Figure, Task, share

if TYPE_CHECKING:
    from ._train import Plan

__all__ = ["Sequences", "describe_sequences", "evaluate_sequences", "predict_sequences"]

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
    model : SequenceLabeler
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
        model: SequenceLabeler,
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
        self._limits = {"max_tokens": reading.get("max_tokens", model.max_tokens)}
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
        model, known = self.model, self.model.__dict__.get("_native")
        native, columns, blocks = model._open(stream.name, known, self.blocks(stream))
        names = [] if known is None else [str(label) for label in model._classes]
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
                    model._take(native, columns)
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

    def __init__(self, model: SequenceLabeler, *, skip: bool = False) -> None:
        super().__init__(model, skip=skip, measure=True)
        self.known = 0  # labels met by the sequences learned so far

    @property
    def started(self) -> bool:
        """Whether the model has met a sequence."""
        native = self.model.__dict__.get("_native")
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
        native = self.model._native
        order = np.arange(batch.first + start, batch.first + stop, dtype=np.int64)
        learned, mistakes, updates, tokens, wrong, fault, row = native.learn(
            batch.native, order, None, self.model.cost, self.model._classes, self.known
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
        numbers = self.model._native.tag(batch.native, False, batch.first + start, batch.first + stop)[0]
        names = self.model._classes
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
        names = self.model._classes
        return " ".join(str(names[number]) for number in batch.labels_of(row, row + 1).tolist())

    def guess_text(self, batch: Any, row: int) -> str:
        """The labels the model would give a sequence."""
        place = batch.first + row
        numbers = self.model._native.tag(batch.native, False, place, place + 1)[0]
        return " ".join(str(self.model._classes[number]) for number in numbers.tolist())

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

    def make(self, algorithm: str, parameters: dict[str, Any], settings: dict[str, Any]) -> SequenceLabeler:
        """A new labeler by the given rule."""
        own = {name: value for name, value in parameters.items() if name in self._OWN}
        rest = {name: value for name, value in parameters.items() if name not in self._OWN}
        entry = self.find(algorithm)
        own.setdefault("average", entry.preset.get("average", True))
        model = SequenceLabeler(rule=entry.make(**rest), **own, **settings)
        model._check_parameters()
        model._make(None)  # what does not go together is told before there is any data
        return model

    def stream(self, model: Any, plan: Plan) -> RowStream:
        """The model at the end of a stream."""
        if plan.templates:
            model.templates = list(plan.templates)
        return SequenceStream(model, skip=self.skips(plan))

    def read(self, stream: RowStream, files: list[str], plan: Plan, skip_rows: int) -> Any:
        """A reader of the files."""
        return ConllFiles(stream.model, files, plan.reading, learning=True, skip_rows=skip_rows)

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
        from ..persistence.values import plain

        entry = self.find(plan.algorithm)
        names = dict.fromkeys([*entry.preset, *entry.parameters, *plan.parameters, *self._OWN])
        owner = {name: model if name in self._OWN else model.rule for name in names}
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
        return int(model._native.n_columns)

    def dtype(self, model: Any) -> str:
        """Type of the weights."""
        return "float32" if model._native.single_precision else "float64"

    def class_names(self, model: Any) -> list[Any]:
        """The labels in the order of their numbers."""
        return list(model._classes)

    def remember(self, model: Any, kept: dict[str, Any], names: dict[int, str]) -> None:
        """The templates and the columns are part of the model."""

    def test(self, model: Any, files: list[str], reading: dict[str, Any]) -> dict[str, Figure]:
        """Figures on labelled files."""
        figures = evaluate_sequences(model, files, reading)
        accuracy = figures["token_accuracy"]
        return {"error": 1 - accuracy, **figures}


# ---------------------------------------------------------------------- labelling


def predict_sequences(
    model: SequenceLabeler,
    files: list[str],
    reading: dict[str, Any],
    out: BinaryIO,
    *,
    scores: bool,
    proba: bool,
    std: bool,
) -> tuple[int, int]:
    """Write files with one more column, the found label, and with `proba` another: how sure it is.

    Returns how many sequences were labelled and how many left out because a line could not be read.
    """
    if scores or std:
        raise UsageError("sequences have neither --scores nor --std; --proba adds how sure each label is")
    from ..io._source import expand

    rows = refused = 0
    for file in expand(files):
        with _CopiedFiles(model, [str(file)], reading, learning=False) as reader:
            for batch in reader:
                numbers, sure = model._ready().tag(batch.native, proba)
                found = _columns([str(model._classes[k]) for k in numbers.tolist()], sure)
                reader.write(out, batch, found)
                rows += batch.n_rows
            reader.write_rest(out)
            refused += reader.n_refused
    out.flush()
    return rows, refused


def _columns(labels: list[str], sure: Array | None) -> list[tuple[bytes, ...]]:
    if sure is None:
        return [(label.encode(),) for label in labels]
    return [(label.encode(), b"%.6f" % p) for label, p in zip(labels, sure.tolist(), strict=True)]


class _CopiedFiles(ConllFiles):
    """Keeps the lines of a file until the labels of their sequence are known."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._rest = b""
        self._lines: deque[tuple[int, bytes]] = deque()
        self._count = self._tokens = 0

    def blocks(self, stream: ByteStream) -> Iterator[bytes]:
        """The plain bytes of a file; their lines are remembered."""
        for block in super().blocks(stream):
            *lines, self._rest = (self._rest + block).split(b"\n")
            self._remember(lines)
            if len(self._rest) > self._limits.get("max_line_bytes", LONGEST_LINE):
                self._rest = b"-"  # the reader passes over it; that it is not blank is all that matters
            yield block
        if self._rest:
            self._remember([self._rest])

    def _remember(self, lines: list[bytes]) -> None:
        for line in lines:
            self._count += 1
            text = line.rstrip()
            self._tokens = self._tokens + 1 if text else 0
            # A longer sequence is left out, and its lines are not kept. One more: a byte order mark is no token.
            if self._tokens <= self._limits["max_tokens"] + 1:
                self._lines.append((self._count, text))

    def write(self, out: BinaryIO, batch: Sentences, found: list[tuple[bytes, ...]]) -> None:
        """Write sequences with their labels, and what stands between them."""
        for row, (first, last) in enumerate(pairwise(batch.starts.tolist())):
            self._write_until(out, int(batch.lines[row]))
            for more in found[first:last]:
                line = self._lines.popleft()[1]
                out.write((b"\t" if b"\t" in line else b" ").join([line, *more]) + b"\n")

    def _write_until(self, out: BinaryIO, number: int) -> None:
        """Write blank lines; a line that is none is of a sequence that was left out."""
        while self._lines and self._lines[0][0] < number:
            if not self._lines.popleft()[1].strip():
                out.write(b"\n")

    def write_rest(self, out: BinaryIO) -> None:
        """Write the blank lines at the end of a file."""
        self._write_until(out, self._count + 1)


# ---------------------------------------------------------------------- comparing


class Tally:
    """Tokens and spans that were right."""

    def __init__(self) -> None:
        self.tokens = self.right = self.sequences = self.whole = 0
        self.both: Counter[str] = Counter()
        self.true: Counter[str] = Counter()
        self.found: Counter[str] = Counter()

    def add(self, truth: list[str], found: list[str], ends: list[int]) -> None:
        """Compare the labels of sequences whose tokens lie one after the other."""
        for first, last in pairwise(ends):
            right, got = truth[first:last], found[first:last]
            hits = sum(map(str.__eq__, right, got))
            self.tokens += last - first
            self.right += hits
            self.sequences += 1
            self.whole += hits == last - first
            there, said = set(spans(right)), set(spans(got))
            self.true.update(kind for _, _, kind in there)
            self.found.update(kind for _, _, kind in said)
            self.both.update(kind for _, _, kind in there & said)

    def figures(self) -> dict[str, Any]:
        """Token accuracy, and precision, recall and F1 of spans, together and for each kind."""
        return {
            "tokens": self.tokens,
            "token_accuracy": self.right / max(self.tokens, 1),
            "sequence_accuracy": self.whole / max(self.sequences, 1),
            **_rates(self.both.total(), self.found.total(), self.true.total()),
            "by_kind": {
                kind or "-": {
                    **_rates(self.both[kind], self.found[kind], self.true[kind]),
                    "spans": self.true[kind],
                }
                for kind in sorted({*self.true, *self.found})
            },
        }


def _rates(both: int, found: int, true: int) -> dict[str, float]:
    return {
        "precision": both / max(found, 1),
        "recall": both / max(true, 1),
        "f1": 2 * both / max(found + true, 1),
    }


def evaluate_sequences(model: SequenceLabeler, files: list[str], reading: dict[str, Any]) -> dict[str, Any]:
    """Token accuracy and span F1 of a model on labelled files."""
    from ..io._source import expand

    native, tally = model._ready(), Tally()
    names = [str(label) for label in model._classes]
    with ConllFiles(model, [str(file) for file in expand(files)], reading, learning=False) as reader:
        for batch in reader:
            if not reader.labelled:
                raise DataError(f"{batch.source}: the file has no column of labels to compare with")
            numbers = native.tag(batch.native, False)[0].tolist()
            truth = [reader.labels[k] for k in batch.labels.tolist()]
            tally.add(truth, [names[k] for k in numbers], batch.starts.tolist())
        refused = reader.n_refused
    if tally.sequences == 0:
        raise DataError(f"{', '.join(files)}: no sequences")
    return {"examples": tally.sequences, "refused": refused, **tally.figures()}


# ---------------------------------------------------------------------- looking inside


def describe_sequences(model: SequenceLabeler, path: Path, *, top: int, label: str | None) -> dict[str, Any]:
    """Everything worth knowing about a model of sequences, as `_inspect.describe` says it of others."""
    from ..persistence.values import plain
    from ._inspect import _histogram, telling

    names = [str(name) for name in model._classes]
    if label is not None and label not in names:
        from ..algorithms.table import nearest

        raise UsageError(f"no class {label!r}.{nearest(label, names)} The model has {', '.join(names[:20])}")
    native = model._ready()
    emissions, transitions = model.emissions_, model.transitions_
    deviation = np.sqrt(model._weights("variance")[0]) if native.has_variance else None
    features = model.feature_names_ or [f"x{k}" for k in range(native.n_columns)]
    used = emissions != 0
    # What a classifier given as rule says of learning; the rest of it is the labeler's own business.
    of_rule = telling(model.rule) if hasattr(model.rule, "get_params") else {}
    of_rule = {name: value for name, value in of_rule.items() if name not in model.get_params(deep=False)}
    return {
        "model": str(path),
        "bytes": path.stat().st_size,
        "estimator": type(model).__name__,
        "compact": False,
        "parameters": {
            **{name: plain(value) for name, value in model.get_params(deep=False).items() if name != "rule"},
            "rule": model.rule if isinstance(model.rule, str) else type(model.rule).__name__,
            **of_rule,
        },
        "telling": [*telling(model), *of_rule],
        "classes": names,
        "features": native.n_columns,
        "dtype": "float32" if native.single_precision else "float64",
        "seen": model.n_seen_,
        "updates": model.n_updates_,
        "mistakes": model.n_mistakes_,
        "tokens": model.n_tokens_,
        "wrong_tokens": model.n_wrong_tokens_,
        "nonzero": int(used.sum()),
        "sparsity": 1 - float(used.mean()) if used.size else 1.0,
        "l2_norm": float(np.sqrt((emissions**2).sum())),
        "intercept": {},
        "weights": {
            name: _strongest(features, emissions[k], None if deviation is None else deviation[k], top)
            for k, name in enumerate(names)
            if label in (None, name)
        },
        "transitions": _strongest_transitions(names, transitions, top),
        "templates": native_templates(model),
        "histogram": _histogram(emissions[used]),
        "std_histogram": None if deviation is None else _histogram(deviation[used]),
        "input": {"format": "conll", "columns": model._file_columns},
    }


def native_templates(model: SequenceLabeler) -> list[str]:
    """The templates that make features of files for a model."""
    from ..sequence import default_templates

    if model.templates is not None:
        return list(model.templates)
    return default_templates(len(model._file_columns)) if model._file_columns else []


def _strongest(
    features: list[str], weights: Array, deviation: Array | None, top: int
) -> list[dict[str, Any]]:
    size = np.abs(weights)
    best = np.argsort(-size, kind="stable")[: min(top, int((size > 0).sum()))]
    return [
        {
            "column": int(column),
            "feature": features[column],
            "weight": float(weights[column]),
            "std": None if deviation is None else float(deviation[column]),
        }
        for column in best
    ]


def _strongest_transitions(names: list[str], transitions: Array, top: int) -> list[dict[str, Any]]:
    flat = transitions.ravel()
    best = np.argsort(-np.abs(flat), kind="stable")[: min(top, int((flat != 0).sum()))]
    return [
        {"from": names[k // len(names)], "to": names[k % len(names)], "weight": float(flat[k])}
        for k in best.tolist()
    ]
