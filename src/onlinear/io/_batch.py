"""What a reader yields: rows with all that belongs to them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from scipy.sparse import csr_matrix

    from ..model.types import Answers, Array, Numbers, Values

__all__ = ["Batch", "Buffers", "Origin", "joined"]


class Buffers(NamedTuple):
    """The numbers of a batch as anything with the buffer protocol, for code that does without NumPy.

    The entries are those of `Batch`.
    """

    indptr: Numbers
    indices: Numbers
    values: Numbers
    labels: Numbers
    label_ids: Numbers
    label_indptr: Numbers
    weight: Numbers
    lines: Numbers


class Origin(NamedTuple):
    """Where rows that were mixed come from: their places in the stream, and their files, as numbers of names."""

    places: Numbers
    sources: Numbers
    names: list[str]


class Batch:
    """Rows of a file, in order.

    Attributes
    ----------
    indptr : array of int64, shape (n_rows + 1,)
        Row i has the entries from ``indptr[i]`` to ``indptr[i + 1]``.
    indices : array of int32
        Columns, strictly rising in each row.
    values : array of float32
        Their values.
    labels : array of float64
        Labels that are numbers; NaN where a row has none or it is text.
    label_ids : array of int32
        Labels that are text, as numbers into `label_texts`; -1 elsewhere.
    label_indptr : array of int64 or None
        For files with several labels a row: row i has those from ``label_indptr[i]`` to
        ``label_indptr[i + 1]``. None when every row has one.
    weight : array of float64 or None
        Importance of each row; None when every row has 1.
    tags : list of str or None
        Tag of each row; None when no row has one.
    lines : array of int64
        The line each row was read from, from 1.
    source : str
        The file it was read from.
    n_features : int
        Columns of the stream as far as known: fixed by hashing or by the caller, else the highest so far.
    n_refused : int
        Lines passed over since the batch before.
    schema : dict or None
        How rows became columns, which a model keeps; None where the file has numbers for columns.
    origin : Origin or None
        Where each row comes from, when rows were mixed; None where they are those of `source`, in order.
    buffers : Buffers
        The arrays as they were read.
    """

    __slots__ = (
        "_X",
        "_label_table",
        "buffers",
        "n_features",
        "n_refused",
        "origin",
        "schema",
        "source",
        "tags",
    )

    def __init__(
        self,
        buffers: Buffers,
        *,
        label_table: Callable[[], list[str]],
        tags: list[str] | None = None,
        source: str,
        n_features: int,
        n_refused: int = 0,
        schema: Values | None = None,
        origin: Origin | None = None,
    ) -> None:
        self.buffers = buffers
        self._label_table = label_table
        self.tags = tags
        self.source = source
        self.n_features = n_features
        self.n_refused = n_refused
        self.schema = schema
        self.origin = origin
        self._X: csr_matrix | None = None

    def __iter__(self) -> Iterator[Any]:
        """The rows and their labels: ``for X, y in read(...)``."""
        yield self.X
        yield self.y

    @property
    def indptr(self) -> npt.NDArray[np.int64]:
        """Where rows begin and end."""
        return _array(self.buffers.indptr)

    @property
    def indices(self) -> npt.NDArray[np.int32]:
        """Columns."""
        return _array(self.buffers.indices)

    @property
    def values(self) -> npt.NDArray[np.float32]:
        """Values."""
        return _array(self.buffers.values)

    @property
    def labels(self) -> npt.NDArray[np.float64]:
        """Labels that are numbers."""
        return _array(self.buffers.labels)

    @property
    def label_ids(self) -> npt.NDArray[np.int32]:
        """Labels that are text."""
        return _array(self.buffers.label_ids)

    @property
    def label_indptr(self) -> npt.NDArray[np.int64] | None:
        """Where the labels of rows begin and end, if rows may have several."""
        ends = self.buffers.label_indptr
        return None if ends is None else _array(ends)

    @property
    def weight(self) -> npt.NDArray[np.float64] | None:
        """Importance of rows, if not all have 1."""
        weight = self.buffers.weight
        return None if weight is None else _array(weight)

    @property
    def lines(self) -> npt.NDArray[np.int64]:
        """Lines of rows."""
        return _array(self.buffers.lines)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.buffers.lines)

    def __len__(self) -> int:
        return len(self.buffers.lines)

    def __repr__(self) -> str:
        return f"<Batch: {self.n_rows} rows, {len(self.buffers.indices)} entries, from {self.source}>"

    @property
    def X(self) -> csr_matrix:
        """The rows as a ``scipy.sparse.csr_matrix``; made when first asked for."""
        if self._X is None:
            from scipy.sparse import csr_matrix

            shape = (self.n_rows, self.n_features)
            self._X = csr_matrix((self.values, self.indices, self.indptr), shape=shape, copy=False)
            self._X.has_sorted_indices = True
            self._X.has_canonical_format = True
        return self._X

    @property
    def label_texts(self) -> list[str]:
        """The texts that `label_ids` counts, in the order they were first read."""
        return self._label_table()

    def source_of(self, row: int) -> str:
        """The file a row was read from."""
        return self.source if self.origin is None else self.origin.names[self.origin.sources[row]]

    def label_text(self, place: int) -> str:
        """One of the labels, for people: 1, not 1.0."""
        ident = int(self.buffers.label_ids[place])
        if ident >= 0:
            return self.label_texts[ident]
        number = float(self.buffers.labels[place])
        return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)

    @property
    def has_labels(self) -> bool:
        """Whether every row has a label."""
        import numpy as np

        return self.label_indptr is not None or not bool(np.any(np.isnan(self.labels) & (self.label_ids < 0)))

    @property
    def y(self) -> Answers:
        """The labels.

        An array of float64 when all are numbers, of str when all are text, else of objects, which are the same
        numbers and texts. With several labels a row, a list of one tuple per row.
        """
        flat = self._flat_labels()
        if self.label_indptr is None:
            return flat
        ends = self.label_indptr.tolist()
        items = flat.tolist()
        return [tuple(items[first:last]) for first, last in pairwise(ends)]

    def _flat_labels(self) -> Array:
        import numpy as np

        is_text = self.label_ids >= 0
        if not bool(np.any(is_text)):
            return self.labels
        texts = np.asarray(self._label_table(), dtype=np.str_)
        chosen = texts[np.maximum(self.label_ids, 0)]
        if bool(np.all(is_text)):
            return chosen
        mixed = chosen.astype(object)
        mixed[~is_text] = self.labels[~is_text]
        return mixed

    def rows_at(self, rows: Array) -> Batch:
        """Some rows, copied: the batch need not be kept for them; tags are left out."""
        entries, indptr = _ranges(self.indptr, rows)
        labels, label_indptr = rows, None
        if self.label_indptr is not None:
            labels, label_indptr = _ranges(self.label_indptr, rows)
        return Batch(
            Buffers(
                indptr=indptr,
                indices=self.indices[entries],
                values=self.values[entries],
                labels=self.labels[labels],
                label_ids=self.label_ids[labels],
                label_indptr=label_indptr,
                weight=None if self.weight is None else self.weight[rows],
                lines=self.lines[rows],
            ),
            label_table=self._label_table,
            source=self.source,
            n_features=self.n_features,
            schema=self.schema,
        )

    def rows_from(self, start: int) -> Batch:
        """Return the batch without its first `start` rows."""
        first = self.indptr[start]
        labels = slice(start, None)
        label_indptr = self.label_indptr
        if label_indptr is not None:
            labels = slice(int(label_indptr[start]), None)
            label_indptr = label_indptr[start:] - label_indptr[start]
        return Batch(
            Buffers(
                indptr=self.indptr[start:] - first,
                indices=self.indices[first:],
                values=self.values[first:],
                labels=self.labels[labels],
                label_ids=self.label_ids[labels],
                label_indptr=label_indptr,
                weight=None if self.weight is None else self.weight[start:],
                lines=self.lines[start:],
            ),
            label_table=self._label_table,
            tags=None if self.tags is None else self.tags[start:],
            source=self.source,
            n_features=self.n_features,
            n_refused=self.n_refused,
            schema=self.schema,
        )


def joined(batches: list[Batch]) -> Batch:
    """The rows of several batches of one reader as one, as `Batch.rows_at` gives them."""
    import numpy as np

    last = batches[-1]
    buffers = [batch.buffers for batch in batches]
    weighted = any(b.weight is not None for b in buffers)

    def behind(name: str) -> Array:
        return np.concatenate([getattr(batch, name) for batch in batches])

    def ends(name: str) -> Array:
        return np.concatenate([[0], np.cumsum(np.concatenate([np.diff(getattr(b, name)) for b in batches]))])

    return Batch(
        Buffers(
            indptr=ends("indptr"),
            indices=behind("indices"),
            values=behind("values"),
            labels=behind("labels"),
            label_ids=behind("label_ids"),
            label_indptr=None if last.buffers.label_indptr is None else ends("label_indptr"),
            weight=np.concatenate([np.ones(b.n_rows) if b.weight is None else b.weight for b in batches])
            if weighted
            else None,
            lines=behind("lines"),
        ),
        label_table=lambda: last.label_texts,
        source=last.source,
        n_features=max(batch.n_features for batch in batches),
        schema=last.schema,
    )


def _ranges(ends: Array, rows: Array) -> tuple[Array, Array]:
    """The places of what lies between the ends of some rows, and where the rows end when nothing else is left."""
    import numpy as np

    sizes = ends[rows + 1] - ends[rows]
    fresh = np.concatenate([[0], np.cumsum(sizes)])
    return np.arange(fresh[-1]) + np.repeat(ends[rows] - fresh[:-1], sizes), fresh


def _array(numbers: Numbers) -> Array:
    """Numbers of the parser's memory as an array; the first one that is asked for imports NumPy."""
    import numpy as np

    return np.asarray(numbers)
