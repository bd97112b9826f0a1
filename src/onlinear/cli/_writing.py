"""Rows to files: what ``onlinear convert`` writes.

svmlight and vw keep columns; the other formats name features, by the names the source had or else by the
index a feature has in svmlight. A format with a column for every feature needs to know them all before its
first row, so its source is read twice.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

import numpy as np

from ..io import ENDINGS
from ._errors import UsageError
from ._reading import named_label

if TYPE_CHECKING:
    from ..io import Batch
    from ..model.types import Label

__all__ = ["BINARY", "TABLES", "WRITTEN", "Survey", "Writer", "make_writer"]


#: Formats that can be written; those with a column for every feature; those that pyarrow writes.
WRITTEN = ("svmlight", "vw", "jsonl", "csv", "tsv", "parquet", "arrow")
TABLES = ("csv", "tsv", "parquet", "arrow")
BINARY = ("parquet", "arrow")

_MOST_COLUMNS = 10_000


@dataclass(slots=True)
class Survey:
    """What a table must know of its rows before the first is written.

    Attributes
    ----------
    columns : set of int
        Columns with a feature.
    any_text : bool
        Some label is text.
    any_weight : bool
        Some row has a weight other than 1.
    """

    columns: set[int] = field(default_factory=set)
    any_text: bool = False
    any_weight: bool = False

    def look_at(self, batch: Batch) -> None:
        """Take note of a batch's rows."""
        self.columns.update(np.unique(batch.indices).tolist())
        if len(self.columns) > _MOST_COLUMNS:
            raise UsageError(
                f"a table would need a column for each of more than {_MOST_COLUMNS:,} features. "
                "Write svmlight, vw or jsonl, or hash the features with --bits."
            )
        self.any_text = self.any_text or bool((batch.label_ids >= 0).any())
        self.any_weight = self.any_weight or batch.weight is not None


@dataclass(frozen=True, slots=True)
class Naming:
    """How features are called: as in the source, else by their index in svmlight."""

    names: Callable[[], Mapping[int, str]]
    first: int

    def of(self, columns: Iterable[int]) -> dict[int, str]:
        """The names of some columns."""
        known = self.names()
        return {column: known.get(column) or str(column + self.first) for column in columns}


class Writer(Protocol):
    """Takes batches and puts them into a file."""

    def write(self, batch: Batch) -> None:
        """Add a batch's rows."""

    def close(self) -> None:
        """Write what is left."""


class LineWriter:
    """svmlight, vw and JSON Lines: every row for itself."""

    def __init__(self, file: BinaryIO, kind: str, naming: Naming) -> None:
        self._file = file
        self._kind = kind
        self._naming = naming

    def write(self, batch: Batch) -> None:
        """Add a batch's rows."""
        ends = batch.indptr.tolist()
        values = [_plain(value) for value in batch.values.astype(str).tolist()]
        columns = batch.indices.tolist()
        weights = None if batch.weight is None else batch.weight.tolist()
        line: Callable[..., str] = {"svmlight": self._svmlight, "vw": _vw, "jsonl": _json}[self._kind]
        names: Mapping[int, str] = self._naming.of(set(columns)) if self._kind == "jsonl" else {}
        lines = []
        for i, label in enumerate(_labels(batch)):
            part = slice(ends[i], ends[i + 1])
            weight = None if weights is None else weights[i]
            lines.append(line(label, weight, columns[part], values[part], names))
        self._file.write("".join(lines).encode())

    def close(self) -> None:
        """Nothing is left."""

    def _svmlight(
        self,
        label: Label,
        weight: float | None,
        columns: list[int],
        values: list[str],
        names: Mapping[int, str],
    ) -> str:
        first = self._naming.first
        pairs = " ".join([f"{c + first}:{v}" for c, v in zip(columns, values, strict=True)])
        return f"{_told(label)} {pairs}\n"


def _vw(
    label: Label, weight: float | None, columns: list[int], values: list[str], names: Mapping[int, str]
) -> str:
    told = _told(label)
    weighted = "" if weight is None or not told else f" {weight:g}"
    pairs = " ".join([f"{c}:{v}" for c, v in zip(columns, values, strict=True)])
    return f"{told}{weighted} | {pairs}\n"


def _json(
    label: Label, weight: float | None, columns: list[int], values: list[str], names: Mapping[int, str]
) -> str:
    parts = [] if label is None else [f'"label": {_quoted(label)}']
    if weight is not None:
        parts.append(f'"weight": {_quoted(weight)}')
    pairs = [f"{_quoted(names[column])}: {value}" for column, value in zip(columns, values, strict=True)]
    parts.append(f'"features": {{{", ".join(pairs)}}}')
    return f"{{{', '.join(parts)}}}\n"


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


class TableWriter:
    """CSV and TSV: a column for every feature, empty where a row has none."""

    def __init__(self, file: BinaryIO, kind: str, naming: Naming, survey: Survey) -> None:
        self._file = file
        self._text = io.StringIO()
        self._csv = csv.writer(self._text, delimiter="\t" if kind == "tsv" else ",", lineterminator="\n")
        self._survey = survey
        self._place = {column: i for i, column in enumerate(sorted(survey.columns))}
        names = naming.of(self._place)
        self._csv.writerow([*_leading(survey), *(names[column] for column in self._place)])

    def write(self, batch: Batch) -> None:
        """Add a batch's rows."""
        ends = batch.indptr.tolist()
        values = [_plain(value) for value in batch.values.astype(str).tolist()]
        places = [self._place[column] for column in batch.indices.tolist()]
        weights = np.ones(batch.n_rows) if batch.weight is None else batch.weight
        for i, label in enumerate(_labels(batch)):
            cells = [""] * len(self._place)
            for k in range(ends[i], ends[i + 1]):
                cells[places[k]] = values[k]
            leading = [_told(label), f"{weights[i]:g}"] if self._survey.any_weight else [_told(label)]
            self._csv.writerow([*leading, *cells])
        self.close()

    def close(self) -> None:
        """Hand over what has been put together."""
        self._file.write(self._text.getvalue().encode())
        self._text.seek(0)
        self._text.truncate()


class ArrowWriter:
    """Parquet and Arrow through pyarrow: a column for every feature, null where a row has none."""

    def __init__(self, file: BinaryIO, kind: str, naming: Naming, survey: Survey) -> None:
        import pyarrow as pa

        self._survey = survey
        self._columns = np.array(sorted(survey.columns), dtype=np.int64)
        names = naming.of(self._columns.tolist())
        fields = [("label", pa.string() if survey.any_text else pa.float64())]
        fields += [("weight", pa.float64())] if survey.any_weight else []
        fields += [(names[column], pa.float32()) for column in self._columns.tolist()]
        self._schema = pa.schema(fields)
        if kind == "parquet":
            import pyarrow.parquet

            self._out: Any = pyarrow.parquet.ParquetWriter(file, self._schema)
        else:
            self._out = pa.ipc.new_file(file, self._schema)

    def write(self, batch: Batch) -> None:
        """Add a batch's rows."""
        import pyarrow as pa

        rows = np.repeat(np.arange(batch.n_rows), np.diff(batch.indptr))
        places = np.searchsorted(self._columns, batch.indices)
        dense = np.zeros((len(self._columns), batch.n_rows), dtype=np.float32)
        absent = np.ones(dense.shape, dtype=bool)
        dense[places, rows] = batch.values
        absent[places, rows] = False
        labels = _labels(batch)
        if self._survey.any_text:
            labels = [None if label is None else _told(label) for label in labels]
        arrays = [pa.array(labels, type=self._schema.field("label").type)]
        if self._survey.any_weight:
            arrays.append(pa.array(np.ones(batch.n_rows) if batch.weight is None else batch.weight))
        arrays += [pa.array(dense[i], mask=absent[i]) for i in range(len(dense))]
        self._out.write_batch(pa.record_batch(arrays, schema=self._schema))

    def close(self) -> None:
        """Write the index at the file's end."""
        self._out.close()


def make_writer(
    file: BinaryIO, kind: str, names: Callable[[], Mapping[int, str]], first: int, survey: Survey
) -> Writer:
    """The writer of a format.

    Parameters
    ----------
    file : binary file
        Where to.
    kind : str
        One of `WRITTEN`.
    names : callable
        Answers the names of columns known so far.
    first : int
        The index of the first column.
    survey : Survey
        Of the rows, for `TABLES`.
    """
    naming = Naming(names, first)
    if kind in BINARY:
        return ArrowWriter(file, kind, naming, survey)
    if kind in TABLES:
        return TableWriter(file, kind, naming, survey)
    return LineWriter(file, kind, naming)


def _leading(survey: Survey) -> list[str]:
    return ["label", "weight"] if survey.any_weight else ["label"]


def _labels(batch: Batch) -> list[Any]:
    """Labels as numbers or text; None where there is none."""
    texts = batch.label_texts
    pairs = zip(batch.labels.tolist(), batch.label_ids.tolist(), strict=True)
    return [texts[i] if i >= 0 else None if x != x else x for x, i in pairs]


def _told(label: Label) -> str:
    return "" if label is None else named_label(label)


def _plain(number: str) -> str:
    return number[:-2] if number.endswith(".0") else number


def endings() -> dict[str, str]:
    """Formats by the ending of a file's name, as far as they can be written."""
    return {ending: kind for ending, kind in ENDINGS.items() if kind in WRITTEN}


def format_to_write(target: Path, to: str | None, compressions: Iterable[str]) -> tuple[str, str | None]:
    """The format and the compression a target's name and ``--to`` mean.

    Raises
    ------
    UsageError
        When they mean nothing that can be written.
    """
    last = target.suffix.lower()
    compression = last if last in compressions else None
    ending = Path(target.stem).suffix.lower() if compression else last
    kind = to or endings().get(ending)
    if kind not in WRITTEN:
        raise UsageError(
            f"convert writes {', '.join(WRITTEN)}; name the file so (.svm, .vw.zst, .jsonl.gz, .parquet ...), "
            "or say --to"
        )
    if compression and kind in BINARY:
        raise UsageError(f"{kind} compresses by itself; leave {compression} out of the name")
    return kind, compression
