"""Files in the column format of the CoNLL tasks: their blocks, their first line, and labels written beside them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from ..exceptions import DataError, ParameterError, ReadError
from ..io._source import open_stream
from ..persistence.writing import written_aside

if TYPE_CHECKING:
    from ..model.types import PathLike

__all__ = ["blocks_of", "naming", "with_first_line", "write_labels"]


def blocks_of(path: PathLike) -> Iterator[bytes]:
    """The plain bytes of a file, decompressed when need be."""
    stream = open_stream(path)
    try:
        while block := stream.read_plain():
            yield block
    finally:
        stream.close()


#: A file whose first line with tokens does not end within so many bytes is not one of tokens.
LONGEST_LINE = 1 << 24


def with_first_line(path: PathLike, blocks: Iterator[bytes]) -> tuple[list[str], Iterator[bytes]]:
    """The columns of the first line with any, and all blocks of the file."""
    read: list[bytes] = []
    size, rest = 0, b""  # of a line whose end has not come
    for block in blocks:
        read.append(block)
        size += len(block)
        complete, _, rest = (rest + block).rpartition(b"\n")
        line = complete.lstrip().split(b"\n", 1)[0]
        if line:
            break
        if size > LONGEST_LINE:
            message = f"{path}:1:1: expected a line with tokens in the first {LONGEST_LINE} bytes, found none"
            raise ReadError(message, str(path), 1, 1)
        rest = rest.lstrip()
    else:
        line = rest
    fields = line.split()
    if not fields:
        raise DataError(f"{path}: the file holds no tokens")
    return [field.decode("latin-1") for field in fields], chain(read, blocks)


@contextlib.contextmanager
def naming(path: PathLike) -> Iterator[None]:
    """Errors of a reader with the file's name before the line's number."""
    try:
        yield
    except ValueError as error:
        message = str(error)
        if isinstance(error, DataError | ParameterError):
            raise
        if not message.startswith("line "):
            raise DataError(f"{path}: {message}") from None
        line, column = message.removeprefix("line ").split(":", 2)[:2]
        message = f"{path}:{message.removeprefix('line ')}"
        raise ReadError(message, str(path), int(line), int(column)) from None


def write_labels(path: PathLike, output: PathLike, found: list[list[str]]) -> None:
    """Write the lines of a file with the found label as one more column."""
    labels = (label for sentence in found for label in sentence)
    with written_aside(Path(output)) as aside, aside.open("wb") as out:
        rest = b""
        for block in blocks_of(path):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                out.write(_labelled(line, labels) + b"\n")
        if rest:
            out.write(_labelled(rest, labels) + b"\n")


def _labelled(line: bytes, labels: Iterator[str]) -> bytes:
    line = line.rstrip()
    return line + b" " + next(labels).encode() if line else line
