"""Lines that could not be read."""

# No annotations as strings here: a named tuple compiles each of them, which a short run would feel.
from typing import NamedTuple

from ..exceptions import ReadError

__all__ = ["Problem"]


class Problem(NamedTuple):
    """A line that could not be read, and what to do about it.

    Attributes
    ----------
    source : str
        The file.
    line : int
        From 1.
    column : int
        The character in the line, from 1.
    expected, found, remedy : str
        The three parts of the message.
    """

    source: str
    line: int
    column: int
    expected: str
    found: str
    remedy: str

    def __str__(self) -> str:
        place = f"{self.source}:{self.line}:{self.column}"
        return f"{place}: expected {self.expected}, found {self.found}. {self.remedy}"

    def error(self, addition: str = "") -> ReadError:
        """Return the exception to raise for it."""
        return ReadError(f"{self}{addition}", self.source, self.line, self.column)
