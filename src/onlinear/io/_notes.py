"""What a reader tells of columns: guesses, doubts, and what is not the model's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

__all__ = ["Note", "Notes", "unknown_columns"]


class Note(NamedTuple):
    """Something about columns that a user should hear, once.

    Attributes
    ----------
    text : str
        What there is to say.
    doubtful : bool
        Whether something may be wrong; else it is well as long as the user meant it.
    """

    text: str
    doubtful: bool


class Notes:
    """Turns what the core notes about columns into sentences."""

    def __init__(self) -> None:
        self._firsts: dict[str, str] = {}

    def told(self, source: str, found: Iterable[tuple[int, str, str, str]]) -> list[Note]:
        """The sentences of what was found in a file, as (line, what about, column, cell)."""
        guesses: list[tuple[int, str, str]] = []
        unknown: list[str] = []
        notes = []
        for line, about, column, cell in found:
            if about == "guess":
                self._firsts[column] = cell
                guesses.append((line, column, cell))
            elif about == "unknown":
                unknown.append(column)
            else:
                notes.append(Note(self._doubt(source, line, column, cell), True))
        if unknown:
            notes.insert(0, Note(f"{source}: {unknown_columns(unknown)}", True))
        if guesses:
            notes.insert(0, Note(_guess(source, guesses), False))
        return notes

    def _doubt(self, source: str, line: int, column: str, cell: str) -> str:
        first = self._firsts.get(column, "")
        return (
            f'{source}:{line}: column "{column}" was taken for categories, since its first cell is "{first}", and here '
            f'is the number {cell}. If it holds categories say categorical=["{column}"] (--categorical "{column}"); if '
            f'"{first}" means no value, missing=["{first}"] (--missing "{first}").'
        )


def _guess(source: str, guesses: list[tuple[int, str, str]]) -> str:
    shown = ", ".join(f'"{column}" ("{cell}")' for _, column, cell in guesses)
    one = len(guesses) == 1
    columns, first = (
        f"column{'' if one else 's'} {shown}",
        "its first cell is" if one else "their first cells are",
    )
    words = "a word" if one else "words"
    options = " ".join(f'--categorical "{column}"' for _, column, _ in guesses)
    return (
        f"{source}:{guesses[0][0]}: {columns} taken for categories, since {first} {words}. If that is right say "
        f"{options} (categorical=); where the word means no value, --missing (missing=)."
    )


def unknown_columns(names: Iterable[str]) -> str:
    """What to say of columns that are not the model's."""
    listed = [f'"{name}"' for name in names]
    if len(listed) == 1:
        return f"{listed[0]} is none of the columns the model has learned from, and is passed over."
    return f"{', '.join(listed)} are none of the columns the model has learned from, and are passed over."
