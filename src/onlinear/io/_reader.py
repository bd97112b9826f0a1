"""`read`: from a path to batches."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal

from ..exceptions import ParameterError, ReadWarning
from ._ahead import Ahead
from ._batch import Batch
from ._formats import FORMATS, Format, detect_format
from ._native import Item, NativeReader
from ._notes import Note
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
            self.parser = _make_parser(format, self._settings, stream.name)
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


def _make_parser(format: str, settings: Settings, source: str) -> NativeReader | ArrowReader:
    settings.check_format(source, format)
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
    notes : list of Note
        What there was to say of columns: those taken for categories by their first cell, those whose later cells
        disagree, and those a model does not know. The latter two are warnings, too, each given once.
    bytes_total : int or None
        Size of all files together; None when one of them is a pipe.
    """

    def __init__(self, sources: Any, format: str, settings: Settings, skip_rows: int, ahead: int) -> None:
        self._work: _Work | _TableWork = (
            _TableWork(sources, settings)
            if _is_frame(sources)
            else _Work(sources, format, settings, ahead > 0)
        )
        self._to_skip = skip_rows
        self.n_rows = 0
        self.n_refused = 0
        self.problems: list[Problem] = []
        self.notes: list[Note] = []
        #: Who hears of a note.
        self.tell: Callable[[Note], None] = _warn
        self.bytes_total = None if _is_frame(sources) else _total_size(sources)
        items = self._work.items()
        self._items: Generator[Item, None, None] | Ahead[Item] = Ahead(items, ahead) if ahead else items

    def __iter__(self) -> Reader:
        return self

    def __next__(self) -> Batch:
        while True:
            item = next(self._items)
            self.n_refused += item.n_refused
            self.problems.extend(item.problems[: _KEPT_PROBLEMS - len(self.problems)])
            for note in item.notes:
                self.notes.append(note)
                self.tell(note)
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


def _is_frame(source: Any) -> bool:
    """Whether a source is a data frame, held in memory."""
    return (hasattr(source, "columns") or hasattr(source, "column_names")) and not hasattr(source, "read")


def _warn(note: Note) -> None:
    """Warn of what may be wrong."""
    if note.doubtful:
        warnings.warn(note.text, ReadWarning, stacklevel=3)


def _like(model: Any, settings: Settings) -> Settings:
    """The settings with which a model reads rows."""
    given_as, model = model, getattr(model, "model_", model)
    if hasattr(model, "settle_schema"):
        model.settle_schema()
    schema = getattr(model, "schema", model)
    if not hasattr(schema, "reading"):
        raise ParameterError(
            f"read: like must be a model or an estimator that has learned, got {given_as!r}."
        )
    reading = schema.reading()
    text = {
        name: reading.pop(name)
        for name in list(reading)
        if name in TextSettings._fields[1:] and name != "hash"
    }
    for name, value in reading.items():
        given = getattr(settings, name)
        if given is not None and given != value:
            raise ParameterError(
                f"read: {name}={given!r}, and the model in like= reads with {name}={value!r}."
            )
    return settings._replace(
        **reading,
        text_settings=settings.text_settings._replace(**text),
        known=tuple(schema.known().items()),
        open=schema.open,
        columns_of=schema.columns_of(),
    )


class _TableWork:
    """The same for a data frame, which is there already."""

    bytes_read = 0

    def __init__(self, frame: Any, settings: Settings) -> None:
        from ._arrow import ArrowReader  # which needs pyarrow, an extra

        self.format = "arrow"
        self.parser: NativeReader | ArrowReader | None = None
        self._reader = ArrowReader(self.format, settings)
        settings.check_format("the data frame", "a data frame")
        self._frame = frame

    def items(self) -> Generator[Item, None, None]:
        """Read everything, in order."""
        from ._frames import table_of  # which needs narwhals: files do without

        self.parser = self._reader
        yield from self._reader.table(table_of(self._frame), "the data frame")


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
    like: Any = None,
    allow_missing: bool = False,
) -> Reader:
    r"""Read a file, several, or standard input as batches of rows.

    Memory stays bounded whatever the size of the file. Threads read, decompress and parse ahead of the
    caller; the rows come in the order of the file. .gz, .zst, .bz2 and .xz are told by their first bytes.

    Parameters
    ----------
    source : path, glob pattern, "-" for standard input, binary file, a sequence of these, or a data frame
        Where to read; a frame of pandas, polars or Arrow is read through pyarrow. The files a pattern
        matches are read in the order of their names.
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
    like : model or estimator, optional
        Rows are read as this model reads them: how names are hashed, how texts are cut and what columns hold is what
        it has learned. Columns and texts it has learned from must be there; others are passed over.
    allow_missing : bool, default=False
        With `like`, whether columns and texts the model has learned from may be missing.

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
        allow_missing=allow_missing,
    )
    settings.check()
    if like is not None:
        settings = _like(like, settings)
    sources = source if _is_frame(source) else expand(source)
    return Reader(sources, format, settings, int(skip_rows), int(ahead))
