"""From exceptions to one sentence and an exit code: nobody sees a traceback."""

from __future__ import annotations

import os

from ..exceptions import NotAvailableError, OnlinearError, ParameterError
from ._exit_codes import DATA, USAGE

__all__ = ["STANDARD_OUTPUT", "UsageError", "explain", "printable"]

#: What an error of writing to standard output has for the name of a file.
STANDARD_OUTPUT = "standard output"


class UsageError(Exception):
    """The command line makes no sense as it stands."""


def explain(error: Exception) -> tuple[str, int]:
    """The sentence and the exit code for an exception.

    An exception nobody foresaw is still told in one line; ``ONLINEAR_DEBUG=1`` shows where it came from.
    """
    if os.environ.get("ONLINEAR_DEBUG"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, UsageError | ParameterError | NotAvailableError):
        return str(error), USAGE
    if isinstance(error, OnlinearError):
        return str(error), DATA
    if isinstance(error, OSError):
        return _of_system(error), DATA
    if isinstance(error, MemoryError):
        return f"out of memory. {error}".rstrip(" ."), DATA
    if isinstance(error, ImportError):
        return f"{error}. Install it, as with: pip install 'onlinear[plot,parquet]'", USAGE
    return f"unexpected {type(error).__name__}: {error}. Please report it; ONLINEAR_DEBUG=1 shows more.", DATA


def printable(text: str) -> str:
    """A line for people: what would move a terminal's cursor or change its colours is shown by its escape."""
    if text.isprintable():
        return text
    import re

    told = r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
    return re.sub(told, lambda found: found[0].encode("unicode_escape").decode(), text)


def _of_system(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is None:
        return reason
    if error.filename == STANDARD_OUTPUT:
        return f"cannot write to {STANDARD_OUTPUT}: {reason}"
    return f"{_shown(error.filename)}: {reason[:1].lower()}{reason[1:]}"


def _shown(name: object) -> str:
    return os.fsdecode(name) if isinstance(name, str | bytes | os.PathLike) else str(name)
