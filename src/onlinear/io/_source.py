"""Where bytes come from: paths, globs, lists of them, standard input, open files."""

from __future__ import annotations

import errno
import io
import os
import stat
import sys
import time
from collections.abc import Generator, Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias, cast

from ..exceptions import ParameterError, ReadError
from ._ahead import Ahead
from ._compression import BLOCK, LONGEST_MAGIC, Decompressor, detect, may_become_compressed

if TYPE_CHECKING:
    from ..model.types import Numbers

__all__ = ["ByteStream", "Pause", "Sink", "Source", "expand", "open_stream"]

OneSource: TypeAlias = "str | os.PathLike[str] | BinaryIO"
Source: TypeAlias = "OneSource | Sequence[OneSource]"

_BLOCKS_AHEAD = 8

_GLOB_CHARACTERS = frozenset("*?[")


class Sink(Protocol):
    """What takes the bytes: the native reader."""

    def room(self, bytes: int) -> memoryview: ...
    def commit(self, bytes: int) -> None: ...
    def feed(self, block: bytes) -> None: ...


def expand(source: Source) -> list[OneSource]:
    """List the single sources of one that may be a list or a glob, in a fixed order."""
    if isinstance(source, (str, os.PathLike)):
        return list(_expand_path(os.fspath(source)))
    if hasattr(source, "read"):
        return [cast(BinaryIO, source)]
    try:
        if not isinstance(source, (bytes, bytearray)):
            return [one for part in iter(source) for one in expand(part)]
    except TypeError:
        pass
    raise ParameterError(f"read: the source must be a path, an open file or a list of them, got {source!r}.")


def _expand_path(path: str) -> Iterator[str]:
    if path == "-" or os.path.exists(path) or not _GLOB_CHARACTERS & set(path):
        yield path
        return
    from glob import glob

    matches = sorted(glob(path, recursive=True))
    if not matches:
        raise FileNotFoundError(2, "no file matches the pattern", path)
    yield from matches


def _blocks(decompressor: Decompressor) -> Generator[bytes, None, None]:
    while block := decompressor.read():
        yield block


class ByteStream:
    """The plain bytes of one source, decompressed when need be.

    Parameters
    ----------
    raw : binary file
        Where the bytes are read.
    name : str
        What messages call it.
    owned : bool
        Whether to close `raw`.
    """

    def __init__(self, raw: BinaryIO, name: str, owned: bool) -> None:
        self.name = name
        self._raw = raw
        self._owned = owned
        self._pending = b""  # read to look at, not yet given on
        self._peeked = b""  # the same, decompressed
        self._consumed = 0
        self.size = _size_of(raw)
        head = b""
        while (
            len(head) < LONGEST_MAGIC
            and may_become_compressed(head)
            and (data := self._read_some(LONGEST_MAGIC - len(head)))
        ):
            head += data
        self.compression = detect(head)
        self._pending = head
        self._decompressor: Decompressor | None = None
        self._ahead: Ahead[bytes] | None = None
        if self.compression is not None:
            self._decompressor = Decompressor(self._read_raw, self.compression, name)

    @property
    def consumed(self) -> int:
        """Bytes of the file read so far, compressed if it is."""
        return self._consumed

    @property
    def live(self) -> bool:
        """Whether more bytes may come at any time, as from a pipe, and it can be asked whether they are there."""
        return self.size is None and (self._ahead is not None or isinstance(self._raw, _Input))

    def ready(self, seconds: float) -> bool:
        """Whether a live stream has bytes, or has ended, within some time."""
        if self._pending or self._peeked:
            return True
        return self._ahead.ready(seconds) if self._ahead is not None else self._raw_ready(seconds)

    def _raw_ready(self, seconds: float) -> bool:
        import select

        poll = select.poll()
        poll.register(self._raw, select.POLLIN)
        return bool(poll.poll(seconds * 1000))

    def seekable(self, format: str) -> BinaryIO:
        """Return the file at its start, for formats that are read from their end."""
        if self.compression is not None or not self._raw.seekable():
            raise ReadError(
                f"{self.name}: {format} is read from its end, so not through a pipe or another compression. "
                "Give the file itself.",
                self.name,
            )
        self._raw.seek(0)
        return self._raw

    def readable(self) -> BinaryIO:
        """Return the plain bytes as a file that can only be read."""
        return cast(BinaryIO, _PlainFile(self))

    def peek(self, size: int) -> bytes:
        """Look at the first plain bytes, as many as one block has of them, without taking them."""
        if self._decompressor is None:
            while not self._shows(size) and (data := self._read_some(size - len(self._pending))):
                self._pending += data
            return self._pending
        if not self._peeked:
            self._peeked = self._decompressor.read()
        return self._peeked

    def decompress_ahead(self) -> None:
        """Decompress in a thread of its own from here on; it takes about as long as parsing does."""
        if self._decompressor is not None and self._ahead is None:
            self._ahead = Ahead(_blocks(self._decompressor), _BLOCKS_AHEAD)

    def read_plain(self) -> bytes:
        """Take the next plain bytes, at most a block of them; none at the end."""
        if self._peeked:
            data, self._peeked = self._peeked, b""
            return data
        if self._ahead is not None:
            return next(self._ahead, b"")
        return self._decompressor.read() if self._decompressor is not None else self._read_raw(BLOCK)

    def fill(self, sink: Sink, block: int = BLOCK) -> bool:
        """Give the next block to `sink`; False at the end."""
        if self._decompressor is not None or self._pending:
            data = self.read_plain()
            if data:
                sink.feed(data)
            return bool(data)
        count = self._raw.readinto(sink.room(block)) or 0  # type: ignore[attr-defined]
        sink.commit(count)
        self._consumed += count
        return count > 0

    def close(self) -> None:
        """Close the file when it was opened here."""
        if self._ahead is not None:
            self._ahead.close()
        if self._owned:
            self._raw.close()

    def _read_raw(self, size: int) -> bytes:
        if self._pending:
            data, self._pending = self._pending, b""
            return data
        return self._read_some(size)

    def _read_some(self, size: int) -> bytes:
        """Read what is there, up to `size` bytes: pipes give what they have."""
        data = self._raw.read(size) or b""
        self._consumed += len(data)
        return data

    def _shows(self, size: int) -> bool:
        """Whether so many bytes are there, or a line that tells the format and nothing more to come for now."""
        if len(self._pending) >= size or not self.live or b"\n" not in self._pending:
            return len(self._pending) >= size
        lines = self._pending[: self._pending.rfind(b"\n")].splitlines()
        told = any(line.strip() and not line.startswith(b"#") for line in lines)
        return told and not self._raw_ready(0)


class _PlainFile(io.RawIOBase):
    """The plain bytes of a stream as a file."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._block = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Numbers) -> int:
        if not self._block:
            self._block = self._stream.read_plain()
        count = min(len(buffer), len(self._block))
        buffer[:count] = self._block[:count]
        self._block = self._block[count:]
        return count


class _Input(io.FileIO):
    """A file, or standard input; an error of reading names it."""

    def __init__(self, file: str | int, name: str) -> None:
        super().__init__(file, closefd=isinstance(file, str))
        self._called = name

    def read(self, size: int | None = -1) -> bytes:
        try:
            return super().read(size)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._called) from None

    def readinto(self, buffer: Numbers) -> int:
        try:
            return super().readinto(buffer)
        except OSError as error:
            raise OSError(error.errno, error.strerror, self._called) from None


class Pause:
    """Tells when a live stream brings nothing more for the moment, so that what was read of it is not kept back.

    Rows wait for others for a moment, or reading from a busy pipe would make many small batches; not longer, however
    steadily the others come.

    Parameters
    ----------
    stream : ByteStream
        What is read.
    """

    #: Seconds. Nobody notices them, and a pipe that is never empty has filled whole batches by then.
    _MOMENT = 0.01

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._until: float | None = None

    def begun(self) -> bool:
        """Whether the rows read so far have waited long enough; waits for what is left of their moment."""
        if not self._stream.live:
            return False
        now = time.monotonic()
        if self._until is None:
            self._until = now + self._MOMENT
        if now < self._until and self._stream.ready(self._until - now):
            return False
        self._until = None
        return True

    def over(self) -> None:
        """The rows read so far were handed over."""
        self._until = None


def _size_of(raw: BinaryIO) -> int | None:
    """Return a regular file's size; None for pipes and the like."""
    try:
        status = os.fstat(raw.fileno())
    except (OSError, AttributeError, ValueError):
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def open_stream(source: OneSource) -> ByteStream:
    """Open one source."""
    if not isinstance(source, (str, os.PathLike)):
        if not hasattr(source, "read"):
            raise ParameterError(f"the source must be a path or an open file, got {source!r}.")
        return ByteStream(source, str(getattr(source, "name", "stream")), owned=False)
    path = os.fspath(source)
    if path == "-":
        if sys.stdin is None:
            raise OSError(errno.EBADF, "it is closed", "standard input")
        # Unbuffered: the blocks are large, and a second buffer would only copy them.
        raw = _Input(sys.stdin.fileno(), "standard input")
        return ByteStream(cast(BinaryIO, raw), "standard input", owned=False)
    return ByteStream(cast(BinaryIO, _Input(path, path)), path, owned=True)
