"""From byte streams to batches, through the native parsers."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

from .._core import text as _text
from ._batch import Batch, Buffers
from ._notes import Note, Notes
from ._problem import Problem
from ._settings import Settings
from ._source import ByteStream, Pause

__all__ = ["Item", "NativeReader"]


class Item(NamedTuple):
    """What the reading thread hands over: perhaps rows, and the lines refused on the way to them."""

    batch: Batch | None
    n_refused: int
    problems: Sequence[Problem]
    notes: Sequence[Note] = ()


class NativeReader:
    """One native parser for all the files of a stream: labels and names are numbered once.

    Parameters
    ----------
    format : str
        One of the text formats.
    settings : Settings
        All the rest.
    """

    def __init__(self, format: str, settings: Settings) -> None:
        self.format = format
        self._settings = settings
        self._native = _text.Reader(**settings.native(format))
        # The native reader works without the interpreter's lock; this keeps others from looking meanwhile.
        self._lock = threading.Lock()
        self._label_texts: list[str] = []
        self._columns = settings.columns(format)
        self._schema = settings.schema(format)
        self._highest = 0
        self._n_refused = 0
        self._n_kept = 0
        self._notes = Notes()
        self._n_noted = 0

    def batches(self, stream: ByteStream) -> Generator[Item, None, None]:
        """Read one file to its end."""
        native, State = self._native, _text.State
        native.start_file()
        pause = Pause(stream)
        while True:
            with self._lock:
                state = native.read()
            if state == State.hungry:
                if native.pending and pause.begun():  # whoever waits for an answer need not wait longer
                    yield self._item(stream.name)
                if not stream.fill(native):
                    native.finish()
                continue
            yield self._item(stream.name)
            pause.over()
            if state == State.ended:
                return
            if state == State.stopped:
                raise self._error(stream.name)

    def _item(self, source: str) -> Item:
        native = self._native
        n_refused = native.problem_count - self._n_refused
        self._n_refused += n_refused
        problems: list[Problem] = []
        if n_refused:
            kept = native.problems()
            problems = [_problem(source, problem) for problem in kept[self._n_kept :]]
            self._n_kept = len(kept)
        with self._lock:
            rows = native.take()
            found = native.notes(self._n_noted)
            self._describe()
        self._n_noted += len(found)
        batch = self._batch(rows, source, n_refused) if rows.n_rows else None
        return Item(batch, n_refused, problems, self._notes.told(source, found) if found else ())

    def _describe(self) -> None:
        """Say what is known of columns by now: a new schema where that is more than before."""
        schema, native = self._schema, self._native
        if schema is None or schema["hash"] == "older":
            return
        columns = dict(native.schema())
        if columns != schema.get("columns", {}) or native.open != schema.get("open", True):
            self._schema = {**schema, "columns": columns, "open": native.open}

    def _batch(self, rows: Any, source: str, n_refused: int) -> Batch:
        if self._columns is None:
            self._highest = max(self._highest, rows.n_columns)
        if rows.any_text_label:
            self._label_texts.extend(self._native.label_texts(len(self._label_texts)))
        texts = self._label_texts
        return Batch(
            Buffers(
                indptr=rows.indptr,
                indices=rows.indices,
                values=rows.values,
                labels=rows.labels,
                label_ids=rows.label_ids,
                label_indptr=rows.label_indptr if self._settings.multilabel else None,
                weight=rows.weights if rows.any_weight else None,
                lines=rows.lines,
            ),
            label_table=lambda: texts,
            tags=rows.tags() if rows.any_tag else None,
            source=source,
            n_features=self._highest if self._columns is None else self._columns,
            n_refused=n_refused,
            schema=self._schema,
        )

    def _error(self, source: str) -> Exception:
        problem = _problem(source, self._native.last_problem())
        limit = self._settings.max_errors
        if self._settings.on_error == "skip" and limit is not None and self._n_refused > limit:
            return problem.error(
                f" {limit} bad lines were passed over before it, the most allowed (max_errors)."
            )
        return problem.error()

    def names(self) -> dict[int, str]:
        """Return the reverse dictionary."""
        with self._lock:
            return {column: name for column, name, *_ in self._native.names()}

    def shared_columns(self) -> set[int]:
        """Return the columns on which several names fell."""
        with self._lock:
            return {column for column, _, shared, _ in self._native.names() if shared}

    def negative_columns(self) -> set[int]:
        """Return the columns on which the name counts with a minus."""
        with self._lock:
            return {column for column, _, _, negative in self._native.names() if negative}

    def schema(self) -> dict[str, str]:
        """Return what each column of a CSV file was taken for."""
        with self._lock:
            return dict(self._native.schema())


def _problem(source: str, problem: Any) -> Problem:
    return Problem(source, problem.line, problem.column, problem.expected, problem.found, problem.remedy)
