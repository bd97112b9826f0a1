"""Files for a model that is already there: read them the way its training data was read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError, NumericError, ReadError
from ..io import format_of_name, read
from ..io._source import expand
from ..model.schema import OLDER
from ..model.stream import rows_of
from ..persistence.loading import load_model as read_model
from ._arguments import complain
from ._errors import UsageError, printable

if TYPE_CHECKING:
    from ..io import Batch, Reader
    from ..model.classifier import ClassifierModel
    from ..model.model import RowModel
    from ..model.types import Array, Label, Values


__all__ = [
    "cell",
    "check_rows",
    "decide",
    "load_model",
    "named_label",
    "open_like",
    "read_blocks",
]


def load_model(path: Path) -> tuple[Any, str]:
    """A model, and what kind it is: "classifier", "rows" (of another task) or "sequence"."""
    model = read_model(path)
    kind = {"classification": "classifier", "sequence": "sequence"}.get(model.recipe.kind, "rows")
    return model, kind


def check_rows(given: Values) -> None:
    """Refuse options of reading that mean nothing for rows."""
    if "max_tokens" in given:
        raise UsageError(
            "--max-tokens is for sequences (--task sequence); a row is bounded by --max-line-bytes"
        )


#: The options that say what named columns hold, and what they say.
_SAID = {"text": "text", "categorical": "categorical", "ignore": "ignored"}


def open_like(
    model: RowModel, files: list[str], given: Values, *, labelled: bool | None, quiet: bool = False
) -> Reader:
    """A reader with the settings of the model's training data, but for what the caller says."""
    check_rows(given)
    known = model.schema.known()
    remembered = dict(model.schema.input or {})
    remembered.pop("negative", None)  # for `inspect` alone
    given = dict(given)
    for option, role in _SAID.items():
        if known:
            remembered.pop(option, None)
        if option in given:  # what the model knows is not asked for again
            given[option] = [name for name in given[option] if known.get(name) != role]
    told = given.get("format") or next(filter(None, map(format_of_name, files)), None)
    _need_alike(model, remembered, told, given)
    if "format" in remembered and all(format_of_name(file) for file in files):
        del remembered["format"]
    settings = {**remembered, **given}
    if "ngram_range" in settings:
        settings["ngram_range"] = tuple(settings["ngram_range"])
    reader = read(files, labelled=labelled, like=model.schema, **settings)
    if quiet:
        reader.tell = lambda note: None
    else:
        reader.tell = lambda note: complain(note.text) if note.doubtful else None
    return reader


def _need_alike(model: RowModel, remembered: Values, told: str | None, given: Values) -> None:
    """Refuse what would read columns that mean something else to the model, and answer nonsense."""
    learned, names = remembered.get("format"), model.schema.names
    if learned is None and names is not None and told not in (None, "svmlight"):
        raise UsageError(
            f"the model was fitted in Python on columns with names ({', '.join(map(str, names[:3]))}, ...); "
            f"{told} files are read by hashed names. Predict in Python, or give it svmlight files, columns in that order"
        )
    source = learned or "names"
    if learned is None and model.schema.hash not in (None, OLDER):
        learned = "jsonl"  # or any other format of names
    older = model.schema.hash == OLDER
    if learned is not None and told is not None and _columns_of(learned, older) != _columns_of(told, older):
        raise UsageError(
            f"the model was learned from {source}, where columns are {_columns_of(learned, older)}; in {told} they "
            f"are {_columns_of(told, older)}. Give it files like those it was learned from"
        )
    bits, hash = given.get("bits"), given.get("hash")
    known = remembered.get("bits", None if learned == "svmlight" else model.schema.bits)
    if learned is not None and bits is not None and bits != known:
        raise UsageError(f"--bits {bits}: the model was learned with {known or 'no hashing'}; leave it out")
    for name, value in (model.schema.text or {}).items():
        if name in given and (list(given[name]) if name == "ngram_range" else given[name]) != value:
            option = {"ngram_range": "ngrams"}.get(name, name)
            raise UsageError(f"--{option}: the model's texts were read with {name}={value!r}; leave it out")
    if model.schema.hash is not None and hash not in (None, model.schema.hash):
        raise UsageError(f"--hash {hash}: the model's names are hashed by {model.schema.hash}; leave it out")


def _columns_of(format: str, older: bool) -> str:
    """What columns are in a format; models without a schema hash the names of Vowpal Wabbit's files in another way."""
    if format == "vw" and older:
        return "Vowpal Wabbit's features"
    return "numbers" if format == "svmlight" else "hashed names"


def spare(target: Path | None, option: str, files: list[str]) -> None:
    """Refuse to write over a file that is to be read."""
    if target is None or not target.exists():
        return
    if any(Path(str(file)).exists() and Path(str(file)).samefile(target) for file in expand(files)):
        raise UsageError(f"{option} {target} is one of the files to read; name another")


def read_blocks(model: RowModel, reader: Reader) -> Iterator[tuple[Batch, Array]]:
    """The batches of a reader with their scores, a column per block of the model."""
    for batch in reader:
        with _named_lines(batch):
            yield batch, model.learner.read_rows(rows_of(batch))


def decide(model: ClassifierModel, reader: Reader) -> Iterator[memoryview]:
    """Where in the sorted classes the one stands that each row is predicted as, batch by batch."""
    ranking = model.labels.ranking
    for batch in reader:
        with _named_lines(batch):
            yield model.learner.chosen(rows_of(batch), ranking)


@contextmanager
def _named_lines(batch: Batch) -> Iterator[None]:
    """Name the line of a row that is refused."""
    try:
        yield
    except (DataError, NumericError) as error:
        if isinstance(error, ReadError) or error.row is None:
            raise
        line = int(batch.buffers.lines[error.row])
        raise ReadError(f"{batch.source}:{line}: {error}", batch.source, line) from None


def cell(name: Label, separators: str = "") -> str:
    r"""A class as it is written into a tab-separated column: tabs, ends of lines and backslashes as \t, \n, \r, \\.

    What else would move a terminal's cursor or change its colours is written as \x1b.
    Characters that separate something inside of the column get a backslash as well.
    """
    text = named_label(name)
    if text.isalnum():
        return text
    marks = {"\\": "\\", "\t": "t", "\n": "n", "\r": "r"} | dict(zip(separators, separators, strict=True))
    text = "".join([f"\\{marks[letter]}" if letter in marks else letter for letter in text])
    return printable(text.encode("utf-8", "backslashreplace").decode())


def named_label(name: Label) -> str:
    """A class as it is written to files: 1, not 1.0."""
    if isinstance(name, float) and name.is_integer() and abs(name) < 1e15:
        return str(int(name))
    return str(name)
