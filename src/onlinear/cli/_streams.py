"""Standard input and outputs of the command's own process.

A write that fails says that standard output failed; standard error never stops a command; a stream that was closed
before the process began fails as soon as it is used, and no file opened later takes its place.
"""

from __future__ import annotations

import os
import sys
from errno import EBADF
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

from ._errors import STANDARD_OUTPUT

__all__ = ["prepare"]


class _Output(FileIO):
    """Standard output; an error of writing names it."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError as error:
            reason = "it is closed" if error.errno == EBADF else error.strerror
            raise OSError(error.errno, reason, STANDARD_OUTPUT) from None


class _Messages(FileIO):
    """Standard error; where it cannot be written to, there is nobody to tell, and the work goes on."""

    def write(self, data: Any) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def prepare() -> None:
    """Give this process its streams."""
    # Descriptors in ascending order: opening takes the lowest that is free, which is the one that was closed.
    if sys.stdin is None:
        os.open(os.devnull, os.O_WRONLY)  # reading it fails
    for name, kind in (("stdout", _Output), ("stderr", _Messages)):
        stream = getattr(sys, name)
        number = os.open(os.devnull, os.O_RDONLY) if stream is None else stream.fileno()
        raw = kind(number, "w", closefd=False)
        text = TextIOWrapper(
            BufferedWriter(raw),
            encoding="utf-8" if stream is None else stream.encoding,
            errors="backslashreplace",
            # Messages are flushed as they are written; so is every line on a terminal, or under python -u.
            line_buffering=name == "stderr" or raw.isatty() or (stream is not None and stream.write_through),
            write_through=name == "stderr",
        )
        setattr(sys, name, text)
