"""Compressed bytes in, plain bytes out, a block at a time.

Formats are told by their first bytes, not by the file's name. A file may hold several compressed members one
behind the other, as `cat a.gz b.gz` makes them; a member that stops early is an error, never a short file.
Memory stays bounded whatever the file claims: every call makes at most one block of output.
"""

from __future__ import annotations

import sys
import zlib
from collections.abc import Callable
from typing import Protocol

from ..exceptions import ReadError

__all__ = ["COMPRESSIONS", "Decompressor", "detect", "may_become_compressed", "open_member"]

BLOCK = 1 << 17

_MAGIC = (
    ("gzip", b"\x1f\x8b\x08"),
    ("bzip2", b"BZh"),
    ("xz", b"\xfd7zXZ\x00"),
    ("zstd", b"\x28\xb5\x2f\xfd"),
)
LONGEST_MAGIC = 6

#: The file name endings of each compression.
COMPRESSIONS = {
    ".gz": "gzip",
    ".gzip": "gzip",
    ".bz2": "bzip2",
    ".xz": "xz",
    ".zst": "zstd",
    ".zstd": "zstd",
}

# xz -9 needs a quarter of this. zstd refuses windows past 128 MB by itself; no level makes larger ones.
_XZ_MEMORY = 1 << 28


def detect(head: bytes) -> str | None:
    """Name the compression of a file from its first bytes, or None for plain bytes."""
    for name, magic in _MAGIC:
        if head.startswith(magic):
            return name
    if len(head) >= 4 and head[1:4] == b"\x2a\x4d\x18" and 0x50 <= head[0] <= 0x5F:
        return "zstd"  # a frame to skip, as parallel compressors write first
    return None


class _Member(Protocol):
    """One compressed member, in the manner of `bz2.BZ2Decompressor`."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int) -> bytes: ...


class _GzipMember:
    """zlib's decompressor with the manners of the others."""

    def __init__(self) -> None:
        self._inner = zlib.decompressobj(wbits=31)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail and not self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


def _bzip2_member() -> _Member:
    import bz2

    return bz2.BZ2Decompressor()


def _xz_member() -> _Member:
    import lzma

    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


def _zstd_member() -> _Member:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor
    else:
        from backports.zstd import ZstdDecompressor

    member: _Member = ZstdDecompressor()
    return member


_MEMBERS: dict[str, Callable[[], _Member]] = {
    "gzip": _GzipMember,
    "bzip2": _bzip2_member,
    "xz": _xz_member,
    "zstd": _zstd_member,
}


def may_become_compressed(head: bytes) -> bool:
    """Whether the first bytes of a file, too few to tell, may be those of a compressed one."""
    return any(magic.startswith(head) for _, magic in _MAGIC) or (
        head[1:] == b"\x2a\x4d\x18"[: len(head) - 1] and 0x50 <= head[0] <= 0x5F
    )


def open_member(compression: str) -> _Member:
    """Start a member of a compression."""
    return _MEMBERS[compression]()


class Decompressor:
    """Reads plain bytes from a compressed stream.

    Parameters
    ----------
    read : callable
        Takes a number of bytes and answers with at most so many, none at the end.
    compression : str
        As `detect` names it.
    name : str
        The file's name, for messages.
    """

    def __init__(self, read: Callable[[int], bytes], compression: str, name: str) -> None:
        self._read = read
        self._compression = compression
        self._name = name
        self._member = open_member(compression)
        self._rest = b""  # read already, and behind the member that ended

    def read(self) -> bytes:
        """Return the next bytes, at most a block of them; none at the end."""
        while True:
            if self._member.eof and not self._next_member():
                return b""
            hungry = self._member.needs_input
            data = self._input() if hungry else b""
            plain = self._decompress(data)
            if plain:
                return plain
            if hungry and not data and not self._member.eof:
                raise self._error("the file ends in the middle of a compressed member. Fetch it again.")

    def _input(self) -> bytes:
        if self._rest:
            data, self._rest = self._rest, b""
            return data
        return self._read(BLOCK)

    def _decompress(self, data: bytes) -> bytes:
        try:
            return self._member.decompress(data, BLOCK)
        except MemoryError as error:
            raise self._error(
                "it asks for more memory than allowed. Compress it with a smaller window."
            ) from error
        except Exception as error:  # each library has an exception of its own
            raise self._error(f"the compressed data is damaged ({error}). Fetch it again.") from error

    def _next_member(self) -> bool:
        """Go on to the member behind the one that ended; False when there is none."""
        rest = self._member.unused_data
        while len(rest) < LONGEST_MAGIC and (more := self._read(BLOCK)):
            rest += more
        if not rest.strip(b"\0"):  # nothing, or the padding tapes and block devices leave
            return self._padding_to_the_end()
        if detect(rest) != self._compression:
            raise self._error(f"something that is not {self._compression} follows the compressed data.")
        self._member = open_member(self._compression)
        self._rest = rest
        return True

    def _padding_to_the_end(self) -> bool:
        while rest := self._read(BLOCK):
            if rest.strip(b"\0"):
                raise self._error(f"something that is not {self._compression} follows the compressed data.")
        return False

    def _error(self, message: str) -> ReadError:
        return ReadError(f"{self._name}: {message}", path=self._name)
