"""A table of settings in which every two options meet in all their values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

Row = dict[str, Any]
Pair = tuple[str, Any, str, Any]


def pairs_of(row: Mapping[str, Any]) -> set[Pair]:
    """All pairs of values that a row has."""
    return {(a, row[a], b, row[b]) for a, b in combinations(sorted(row), 2)}


def all_pairs(options: Mapping[str, Sequence[Any]], valid: Callable[[Row], bool]) -> list[Row]:
    """Rows that hold every pair of values that some valid row can hold; the same rows every time.

    Greedy: a row begins with a pair that is still missing, and each further option takes the value that brings
    most of the missing pairs. `valid` is asked of rows that are not complete, too, and must not refuse one for
    what it lacks.
    """
    missing = {
        (a, x, b, y)
        for a, b in combinations(sorted(options), 2)
        for x in options[a]
        for y in options[b]
        if _completed({a: x, b: y}, options, valid, set()) is not None
    }
    rows: list[Row] = []
    while missing:
        a, x, b, y = min(missing, key=repr)
        row = _completed({a: x, b: y}, options, valid, missing)
        assert row is not None
        rows.append(row)
        missing -= pairs_of(row)
    return rows


def _completed(
    row: Row, options: Mapping[str, Sequence[Any]], valid: Callable[[Row], bool], missing: set[Pair]
) -> Row | None:
    """The row with the rest of its options; None where no choice of them is valid."""
    if not valid(row):
        return None
    rest = [name for name in options if name not in row]
    if not rest:
        return row

    def gain(value: Any) -> int:
        return len((pairs_of({**row, rest[0]: value}) - pairs_of(row)) & missing) if missing else 0

    for value in sorted(options[rest[0]], key=gain, reverse=True):
        found = _completed({**row, rest[0]: value}, options, valid, missing)
        if found is not None:
            return found
    return None
