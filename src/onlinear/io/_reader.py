"""`read`: from a path to batches."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Literal

from ..exceptions import ParameterError
from ._ahead import Ahead
from ._batch import Batch
from ._formats import FORMATS, Format, detect_format
from ._native import Item, NativeReader
from ._problem import Problem
from ._settings import DEFAULT_BITS, Analyzer, Hash, OnError, Settings, TextSettings, Weighting, one_of, whole
from ._source import ByteStream, OneSource, Source, expand, open_stream

if TYPE_CHECKING:
    from ._arrow import ArrowReader

__all__ = ["Reader", "read"]

_KEPT_PROBLEMS = 100
_PEEK = 4096


class _Work:
    """The part of a reader that runs in its thread, from file to file."""

    def __init__(self, sources: Sequence[OneSource], format: str, settings: Settings, threaded: bool) -> None:
        self._sources = sources
        self._settings = settings
        self._threaded = threaded
        self._stream: ByteStream | None = None
        self._bytes_before = 0
        self.format = format
        self.parser: NativeReader | ArrowReader | None = None

    def items(self) -> Generator[Item, None, None]:
        """Read everything, in order."""
        for source in self._sources:
            stream = open_stream(source)
            self._stream = stream
            try:
                parser = self._parser_for(stream)
                if self._threaded:
                    stream.decompress_ahead()
                yield from parser.batches(stream)
            finally:
                stream.close()
            self._bytes_before += stream.consumed
            self._stream = None

    def _parser_for(self, stream: ByteStream) -> NativeReader | ArrowReader:
        format = self.format
        if format == "auto":
            format = detect_format(stream.name, stream.peek(_PEEK))
        if self.parser is None:
            self.parser = _make_parser(format, self._settings)
        elif self.parser.format != format:
            raise ParameterError(
                f"{stream.name} is {format} and the file before it {self.parser.format}. "
                "Read files of one format at a time, or say format= (--format)."
            )
        return self.parser

    @property
    def bytes_read(self) -> int:
        stream = self._stream
        return self._bytes_before + (stream.consumed if stream is not None else 0)


def _make_parser(format: str, settings: Settings) -> NativeReader | ArrowReader:
    if format in ("parquet", "arrow"):
        from ._arrow import ArrowReader  # which needs pyarrow, an extra

        return ArrowReader(format, settings)
    return NativeReader(format, settings)


class Reader(Iterator[Batch]):
    """Iterator over the batches of a stream; what `read` returns.

    Use it in a ``for`` loop, or in a ``with`` statement when the loop may end early.

    Attributes
    ----------
    n_rows : int
        Rows handed out so far.
    n_refused : int
        Lines passed over so far.
    problems : list of Problem
        The first hundred of them.
    bytes_total : int or None
        Size of all files together; None when one of them is a pipe.
    """

    def __init__(
        self, sources: Sequence[OneSource], format: str, settings: Settings, skip_rows: int, ahead: int
    ) -> None:
        self._work = _Work(sources, format, settings, ahead > 0)
        self._to_skip = skip_rows
        self.n_rows = 0
        self.n_refused = 0
        self.problems: list[Problem] = []
        self.bytes_total = _total_size(sources)
        items = self._work.items()
        self._items: Generator[Item, None, None] | Ahead[Item] = Ahead(items, ahead) if ahead else items

    def __iter__(self) -> Reader:
        return self

    def __next__(self) -> Batch:
        while True:
            item = next(self._items)
            self.n_refused += item.n_refused
            self.problems.extend(item.problems[: _KEPT_PROBLEMS - len(self.problems)])
            batch = item.batch
            if batch is None or self._to_skip >= batch.n_rows:
                self._to_skip -= batch.n_rows if batch is not None else 0
                continue
            if self._to_skip:
                batch, self._to_skip = batch.rows_from(self._to_skip), 0
            self.n_rows += batch.n_rows
            return batch

    def __enter__(self) -> Reader:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop reading and close what was opened."""
        self._items.close()

    @property
    def bytes_read(self) -> int:
        """Bytes of the files read so far, compressed where they are; a little ahead of the batches."""
        return self._work.bytes_read

    @property
    def format(self) -> str:
        """The format, known once the first file was opened; "auto" before that if nobody said."""
        return self._work.parser.format if self._work.parser is not None else self._work.format

    @property
    def names(self) -> dict[int, str]:
        """The reverse dictionary, from column to the first name that fell on it; see `max_names`."""
        return self._work.parser.names() if self._work.parser is not None else {}

    @property
    def shared_columns(self) -> set[int]:
        """The columns in `names` on which other names fell too."""
        return self._work.parser.shared_columns() if self._work.parser is not None else set()

    @property
    def negative_columns(self) -> set[int]:
        """The columns in `names` on which the name counts with a minus, as half of all hashed words do."""
        return self._work.parser.negative_columns() if self._work.parser is not None else set()

    @property
    def schema(self) -> dict[str, str]:
        """What each column was taken for, for formats that have columns."""
        return self._work.parser.schema() if self._work.parser is not None else {}


def _total_size(sources: Iterable[OneSource]) -> int | None:
    total = 0
    for source in sources:
        if not isinstance(source, (str, os.PathLike)) or not os.path.isfile(source):
            return None
        total += os.path.getsize(source)
    return total


def _tuple(what: str, names: str | Iterable[str] | None) -> tuple[str, ...]:
    if names is None:
        return ()
    try:
        return (names,) if isinstance(names, str) else tuple(names)
    except TypeError:
        raise ParameterError(f"read: {what} must be a string, or a list of strings, got {names!r}.") from None


def read(
    source: Source,
    format: Format = "auto",
    *,
    batch_size: int | None = None,
    labelled: bool | None = None,
    multilabel: bool = False,
    label: str | None = None,
    weight: str | None = None,
    tag: str | None = None,
    text: str | Iterable[str] | None = None,
    numeric: str | Iterable[str] | None = None,
    categorical: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    missing: str | Iterable[str] | None = None,
    delimiter: str | None = None,
    bits: int | None = None,
    hash: Hash | None = None,
    zero_based: bool = False,
    max_features: int = 1 << 28,
    n_features: int | None = None,
    analyzer: Analyzer = "word",
    ngram_range: tuple[int, int] = (1, 1),
    lowercase: bool = True,
    alternate_sign: bool | None = None,
    weighting: Weighting = "count",
    norm: Literal["l2"] | None = "l2",
    on_error: OnError = "stop",
    max_errors: int | None = None,
    max_line_bytes: int = 1 << 24,
    max_names: int = 0,
    skip_rows: int = 0,
    ahead: int = 3,
) -> Reader:
    r"""Read a file, several, or standard input as batches of rows.

    Memory stays bounded whatever the size of the file. Threads read, decompress and parse ahead of the
    caller; the rows come in the order of the file. .gz, .zst, .bz2 and .xz are told by their first bytes.

    Parameters
    ----------
    source : path, glob pattern, "-" for standard input, binary file, or a sequence of these
        Where to read. The files a pattern matches are read in the order of their names.
    format : {"auto", "svmlight", "vw", "csv", "tsv", "jsonl", "text", "parquet", "arrow"}, default="auto"
        With "auto" the file's name tells, else its first line.
    batch_size : int, optional
        Rows of each batch; the last batch of a file may have fewer. By default a batch has about 131,072
        entries and at most 16,384 rows.
    labelled : bool, optional
        True: a row without a label is an error. False: rows have no labels. None: a row without one has NaN.
    multilabel : bool, default=False
        Rows have any number of labels: "1,3,7" in svmlight, a list in JSON.
    label, weight, tag : str, optional
        The columns of CSV, Parquet and Arrow or the keys of JSON Lines with these. The label is by default
        "label" and in CSV else "target", "class" or "y"; weights and tags there are none unless named.
    text : str or sequence of str, optional
        The columns or keys that hold text, to be split into words; by default "text" in JSON Lines.
    numeric, categorical, ignore : str or sequence of str, optional
        The columns or keys that are to be taken so. A CSV column not named here is what its first cell is.
    missing : str or sequence of str, optional
        Cells that count as empty, as "NA". An empty cell is no feature.
    delimiter : str, optional
        Of CSV: one of "," ";" "|" ":" and tab.
    bits : int, optional
        Features are hashed to ``2**bits`` columns. Names always are, to 2**20 by default. svmlight's indices
        only when this is given: an index below ``2**bits`` keeps its column, any other goes to the column
        of its MurmurHash3.
    hash : {"murmur", "murmur-signed", "vw"}, optional
        How names and words become columns: by MurmurHash3 without a sign, by the same with the sign of each name's
        hash, or as Vowpal Wabbit does it, which calls a feature "namespace^name". By default "vw" for its own files
        and "murmur" for all others, as dicts are hashed.
    zero_based : bool, default=False
        svmlight's indices start at 0, not at 1.
    max_features : int, default=2**28
        An svmlight index past this is an error.
    n_features : int, optional
        Columns of `Batch.X`, and the bound of svmlight's indices. By default the highest seen so far.
    analyzer, ngram_range, lowercase, weighting, norm
        How text becomes features; see `onlinear.text.TextHasher`.
    alternate_sign : bool, optional
        True is short for ``hash="murmur-signed"``. Beside ``hash="murmur"`` it gives signs to words alone, as
        versions before 0.2 did.
    on_error : {"stop", "skip"}, default="stop"
        Whether a line that cannot be read ends the reading with a `ReadError`, after the rows before it, or
        is passed over and counted.
    max_errors : int, optional
        With "skip", how many lines may be passed over; the next one is an error.
    max_line_bytes : int, default=2**24
        A longer line is an error.
    max_names : int, default=0
        How many names of hashed features to keep in `Reader.names`.
    skip_rows : int, default=0
        Rows to leave out at the start, as when resuming.
    ahead : int, default=3
        Batches that may wait for the caller; 0 reads in the calling thread.

    Returns
    -------
    Reader
        An iterator of `Batch`.

    Raises
    ------
    ParameterError
        For a parameter out of range, at once.
    ReadError
        For a line or a file that cannot be read, while iterating.

    Examples
    --------
    >>> import io
    >>> from onlinear import read
    >>> for batch in read(io.BytesIO(b"+1 1:0.5 3:2\n-1 2:1\n"), "svmlight"):
    ...     print(batch.y, batch.indices, batch.values)
    [ 1. -1.] [0 2 1] [0.5 2.  1. ]

    A model learns a stream with `fit_stream`, or batch by batch; where the columns are not known before, it says
    that they may grow:

    >>> from onlinear import AROWClassifier
    >>> model = AROWClassifier(grow_features=True)
    >>> for X, y in read(io.BytesIO(b"+1 1:0.5 3:2\n-1 2:1\n+1 5:1\n"), "svmlight", batch_size=2):
    ...     model = model.partial_fit(X, y)
    >>> model.n_features_in_
    5
    """
    one_of("read", "format", format, ("auto", *FORMATS))
    whole("read", "skip_rows", skip_rows, 0, 1 << 62)
    whole("read", "ahead", ahead, 0, 1024)
    settings = Settings(
        batch_size=batch_size,
        labelled=labelled,
        multilabel=multilabel,
        label=label,
        weight=weight,
        tag=tag,
        text=_tuple("text", text),
        numeric=_tuple("numeric", numeric),
        categorical=_tuple("categorical", categorical),
        ignore=_tuple("ignore", ignore),
        missing=_tuple("missing", missing),
        delimiter=delimiter,
        bits=bits,
        hash=hash,
        alternate_sign=alternate_sign,
        zero_based=zero_based,
        max_features=max_features,
        n_features=n_features,
        text_settings=TextSettings(
            bits=bits or DEFAULT_BITS,
            analyzer=analyzer,
            ngram_range=ngram_range,
            lowercase=lowercase,
            weighting=weighting,
            norm=norm,
        ),
        on_error=on_error,
        max_errors=max_errors,
        max_line_bytes=max_line_bytes,
        max_names=max_names,
    )
    settings.check()
    return Reader(expand(source), format, settings, int(skip_rows), int(ahead))
