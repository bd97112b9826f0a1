"""From columns of values to rows of features, for tables that lie in memory: Arrow's and data frames.

Columns mean what they mean in CSV: numbers are features named like the column, strings are categories, text is cut into
words. Nothing is no feature.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .._core import text as _text
from ._settings import DEFAULT_BITS, Settings

if TYPE_CHECKING:
    from ..model.types import Array

__all__ = [
    "IGNORE",
    "NO_TIMES",
    "ColumnFeatures",
    "Entries",
    "Floats",
    "Ints",
    "TableRows",
    "ends",
    "known_roles",
]

IGNORE = 'Say ignore=["{name}"] (--ignore), or convert it.'
NO_TIMES = (
    "Take what matters of it as features of their own, such as the hour, and leave it out: "
    'ignore=["{name}"] (--ignore); or say categorical=["{name}"] (--categorical).'
)

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class Entries(NamedTuple):
    """Features of a batch: which row, which column, what value."""

    rows: Ints
    columns: Ints
    values: npt.NDArray[np.float32]


class TableRows:
    """What was found in the rows of a table: entries, and for each row refused the first reason."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows
        self.entries: list[Entries] = []
        self.refused: dict[int, tuple[int, str, str, str]] = {}

    def refuse(
        self, rows: Ints, column: int, show: Callable[[int], object], expected: str, remedy: str
    ) -> None:
        """Refuse some rows for what `show` gives of a column."""
        for row in rows.tolist():
            self.refused.setdefault(row, (column + 1, expected, f'"{show(row)}"', remedy))

    def compressed(
        self, kept: npt.NDArray[np.bool_], bits: int
    ) -> tuple[Ints, npt.NDArray[np.int32], npt.NDArray[np.float32]]:
        """The entries of the rows kept as CSR: sorted by row and column, those of equal place added up."""
        parts = self.entries
        place = np.cumsum(kept) - 1
        count = int(kept.sum())
        at = np.concatenate([part.rows for part in parts] or [np.empty(0, np.int64)])
        columns = np.concatenate([part.columns for part in parts] or [np.empty(0, np.int64)])
        values = np.concatenate([part.values for part in parts] or [np.empty(0, np.float32)])
        chosen = kept[at]
        key = (place[at[chosen]] << bits) | columns[chosen]
        order = np.argsort(key, kind="stable")
        key = key[order]
        starts = np.flatnonzero(np.diff(key, prepend=-1))
        sums = np.add.reduceat(values[chosen][order], starts) if len(starts) else np.empty(0, np.float32)
        key = key[starts]
        counts = np.bincount(key >> bits, minlength=count)
        return ends(counts), (key & ((1 << bits) - 1)).astype(np.int32), sums


class ColumnFeatures:
    """What the cells of columns become, and the names of it that are kept.

    Parameters
    ----------
    format : str
        Where the table is from.
    settings : Settings
        How names become columns and texts are cut.
    """

    def __init__(self, format: str, settings: Settings) -> None:
        self.bits = settings.bits or DEFAULT_BITS
        self._settings = settings
        self._hash, words = settings.hashes(format)
        self.older = self._hash != words
        text = settings.text_settings._replace(hash=words)
        self._hasher = _text.Hasher(bits=self.bits, max_names=settings.max_names, **text.native())
        self._missing = {"", *settings.missing}
        self._names: dict[int, str] = {}
        self._shared: set[int] = set()
        self._negative: set[int] = set()

    def names(self) -> dict[int, str]:
        """Return the reverse dictionary."""
        return {**{column: name for column, name, *_ in self._hasher.names()}, **self._names}

    def shared_columns(self) -> set[int]:
        """Return the columns on which several names fell."""
        return self._shared | {column for column, _, shared, _ in self._hasher.names() if shared}

    def negative_columns(self) -> set[int]:
        """Return the columns on which the name counts with a minus."""
        of_words = {column for column, _, _, negative in self._hasher.names() if negative}
        return (of_words - set(self._names)) | self._negative

    def add_numbers(
        self, rows: TableRows, number: int, name: str, floats: Floats, valid: npt.NDArray[np.bool_]
    ) -> None:
        """Add a column of numbers; those that are not valid are nothing."""

        def shown(row: int) -> object:
            return floats[row].item()

        with np.errstate(over="ignore"):
            values = floats.astype(np.float32)
        finite = np.isfinite(values)
        large = valid & ~finite & np.isfinite(floats)
        rows.refuse(np.flatnonzero(large), number, shown, "a value that float32 holds", "Scale the column.")
        bad = np.flatnonzero(valid & ~finite)
        rows.refuse(bad, number, shown, "a finite value", "Use null where it is missing.")
        at = np.flatnonzero(valid & finite & (values != 0))
        place, sign = self._place(name)
        rows.entries.append(Entries(at, np.full(len(at), place, np.int64), np.float32(sign) * values[at]))

    def add_categories(
        self,
        rows: TableRows,
        number: int,
        name: str,
        parents: Ints,
        codes: Ints,
        values: list[Any],
        *,
        said: bool,
    ) -> None:
        """Add a column of categories: which rows have which of some values. Where nobody has `said` so, no times."""
        names = [str(value) if self.older else category(value) for value in values]
        if not self.older and not said:
            times = np.array([_text.is_timestamp(value) for value in names] or [False])
            firsts = dict(
                zip(parents[times[codes]][::-1].tolist(), codes[times[codes]][::-1].tolist(), strict=True)
            )
            rows.refuse(
                np.unique(parents[times[codes]]),
                number,
                lambda row: names[firsts[row]],
                "a number or a category",
                NO_TIMES.format(name=name),
            )
        places = [(-1, 0.0) if value in self._missing else self._place(f"{name}={value}") for value in names]
        features = np.array([place for place, _ in places] or [-1], np.int64)[codes]
        signs = np.array([sign for _, sign in places] or [0.0], np.float32)[codes]
        there = features >= 0
        rows.entries.append(Entries(parents[there], features[there], signs[there]))

    def add_texts(self, rows: TableRows, documents: Iterable[object]) -> None:
        """Add a column of texts."""
        values, indices, indptr = self._hasher.transform32(
            ["" if text is None else str(text) for text in documents]
        )
        at = np.repeat(np.arange(rows.n_rows), np.diff(indptr))
        rows.entries.append(Entries(at, indices.astype(np.int64), values))

    def _place(self, name: str) -> tuple[int, float]:
        """Return the column of a name and its sign, and note the name when that was asked for."""
        column, sign = _text.place_of(self._hash, self.bits, name)
        known = self._names.get(column)
        if known is None and len(self._names) < self._settings.max_names:
            self._names[column] = name
            if sign < 0:
                self._negative.add(column)
        elif known not in (None, name):
            self._shared.add(column)
        return column, sign


def category(value: Any) -> str:
    """A value as a category: as JSON writes it, numbers without zeros behind the point."""
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, float | np.floating):
        number = float(value)
        if number.is_integer() and abs(number) < 2**53:
            return str(int(number))
    return str(value)


def ends(counts: Array) -> Ints:
    """Where rows end that have so many entries each, and where the first begins."""
    out = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=out[1:])
    return out


def known_roles(roles: Mapping[str, str], settings: Settings) -> tuple[dict[str, str], list[str], list[str]]:
    """What columns are to a model that knows its columns.

    Parameters
    ----------
    roles : mapping of str to str
        What the columns of a table are by their types.
    settings : Settings
        With `known`, what the model knows.

    Returns
    -------
    roles : dict of str to str
        The same, those known as the model knows them.
    lacking : list of str
        The columns the model has learned from that are not there.
    unknown : list of str
        The columns that are none of the model's, and ignored.
    """
    known = dict(settings.known)
    out, unknown = dict(roles), []
    for name, role in known.items():
        if name in out and role != "undecided":
            out[name] = "ignored" if role == "label" and settings.labelled is False else role
    if known and not settings.open:
        unknown = [name for name in roles if name not in known]
        out.update(dict.fromkeys(unknown, "ignored"))
    lacking = [
        name
        for name, role in known.items()
        if name not in roles and role in ("numeric", "categorical", "text")
    ]
    return out, [] if settings.allow_missing else lacking, unknown
