"""Rows of batches in another order, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .._core import text as _text
from ..exceptions import DataError, ParameterError
from ._batch import Batch, Buffers, Origin
from ._settings import whole

__all__ = ["USUAL_ROWS", "Shuffled", "rows_to_mix"]

#: Rows in memory where nobody says how many.
USUAL_ROWS = 100_000
_MOST_ROWS = 1 << 31

#: Of each batch at the end, when nothing more comes in.
_ROWS, _ENTRIES = 1 << 14, 1 << 17


def rows_to_mix(shuffle: bool | int) -> int:
    """How many rows ``shuffle=`` keeps in memory; 0 where it is off."""
    if shuffle is True or shuffle is False:
        return USUAL_ROWS if shuffle else 0
    whole("fit_stream", "shuffle", shuffle, 1, _MOST_ROWS)
    return int(shuffle)


class Shuffled(Iterator[Batch]):
    """The rows of a reader in another order.

    A row that comes takes a place in memory at random, and the row that had it goes out. The order follows from the
    rows, `rows` and the seed alone, not from how they were batched: who reads the stream again meets it again.

    Parameters
    ----------
    batches : iterable of Batch
        Those of one reader.
    rows : int
        How many rows are kept in memory. Rows mix over about as many; where all fit in, every order is as likely.
    seed : int
        Chooses the order.
    """

    def __init__(self, batches: Iterable[Any], rows: int, seed: int) -> None:
        if not 0 < rows <= _MOST_ROWS:
            raise ParameterError(f"shuffling takes from 1 to 2^31 rows in memory, got {rows}")
        self._batches = iter(batches)
        self._native = _text.Shuffle(rows, seed % (1 << 64))
        self._count = 0
        self._last: Batch | None = None
        self._sources: list[str] = []

    def __next__(self) -> Batch:
        for batch in self._batches:
            mixed = self._push(batch)
            if mixed.n_rows:
                return mixed
        if self._last is None:
            raise StopIteration
        mixed = self._mixed(self._last, *self._native.drain(_ROWS, _ENTRIES))
        if not mixed.n_rows:
            raise StopIteration
        return mixed

    def _push(self, batch: Any) -> Batch:
        if not isinstance(batch, Batch):
            raise DataError(
                "shuffle= mixes the rows that onlinear.read gives; (X, y) is learned in the order it has. "
                "Permute the rows of X and y."
            )
        if self._last is not None and batch.label_texts is not self._last.label_texts:
            raise DataError(
                "shuffle= mixes the rows of one reader; give it all files: onlinear.read([first, second])"
            )
        self._last = batch
        if not self._sources or self._sources[-1] != batch.source:
            self._sources.append(batch.source)
        b = batch.buffers
        out = self._native.push(
            b.indptr,
            b.indices,
            b.values,
            b.labels,
            b.label_ids,
            b.label_indptr,
            b.weight,
            b.lines,
            self._count,
            len(self._sources) - 1,
        )
        self._count += batch.n_rows
        return self._mixed(batch, *out)

    def _mixed(self, last: Batch, rows: Any, places: memoryview, sources: memoryview) -> Batch:
        """Rows that went out, when `last` was the last batch to come in."""
        texts = last.label_texts
        return Batch(
            Buffers(
                indptr=rows.indptr,
                indices=rows.indices,
                values=rows.values,
                labels=rows.labels,
                label_ids=rows.label_ids,
                label_indptr=None if last.buffers.label_indptr is None else rows.label_indptr,
                weight=rows.weights if rows.any_weight else None,
                lines=rows.lines,
            ),
            label_table=lambda: texts,
            source=last.source,
            n_features=last.n_features,
            schema=last.schema,
            origin=Origin(places, sources, self._sources),
        )
