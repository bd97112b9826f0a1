"""Named arrays in a safetensors file, with a text beside them and a checksum over all.

Written straight from the arrays, piece by piece, and read the same way where it is large; a small file is read by
safetensors' own reader. Nothing here needs NumPy until
an array is asked for.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple
from zlib import crc32

from ..exceptions import ModelFileError

if TYPE_CHECKING:
    from ..model.types import Array, Numbers, Values


__all__ = ["Later", "Tensor", "checksum", "crc32_joiner", "read_tensors", "write_tensors"]

KEY = "onlinear"
SUM = "crc32"

# More than any model of ours has; a file with more is not one, and need not be looked at further.
_MOST_TENSORS = 64

# A file up to this size is read by safetensors. It would have a larger one in memory twice: 512 MB for a model of 256,
# which is read here in 256 and as fast (0.15 s of processor time for the bytes alone).
_SMALL = 1 << 24

# As safetensors has it.
_LONGEST_HEADER = 100_000_000

_TYPES = {
    "float16": "F16",
    "float32": "F32",
    "float64": "F64",
    "int32": "I32",
    "int64": "I64",
    "uint8": "U8",
}
_NAMES = {short: name for name, short in _TYPES.items()}

#: Bytes of a number of each type, and its letter in a memoryview.
_SIZES = {"float16": 2, "float32": 4, "float64": 8, "int32": 4, "int64": 8, "uint8": 1}
_LETTERS: Values = {"float32": "f", "float64": "d", "int32": "i", "int64": "q", "uint8": "B"}


class Tensor(NamedTuple):
    """An array as it was read."""

    type: str
    shape: tuple[int, ...]
    data: memoryview

    @classmethod
    def of(cls, array: Array) -> Tensor:
        """The same as an array of NumPy's."""
        return cls(array.dtype.name, array.shape, _bytes(array))

    @property
    def array(self) -> Array:
        """As an array of NumPy's."""
        import numpy as np

        return np.frombuffer(self.data, dtype=self.type).reshape(self.shape)

    @property
    def numbers(self) -> Numbers:
        """As something the core reads: a memoryview, where there is one of this type and anything to view."""
        letter = _LETTERS.get(self.type)
        return self.data.cast(letter, self.shape) if letter and len(self.data) else self.array


class Later(NamedTuple):
    """An array that is made when it is written, piece by piece, so that a large model is never in memory twice.

    A piece is the next bytes of one of its `rows`, of which one may be filled after the other or several side by
    side.
    """

    type: str
    shape: tuple[int, ...]
    rows: int
    pieces: Callable[[], Iterable[tuple[int, Numbers]]]

    @classmethod
    def whole(cls, type: str, shape: tuple[int, ...], data: Numbers) -> Later:
        """An array that is there already."""
        return cls(type, shape, 1, lambda: [(0, data)])

    @property
    def n_bytes(self) -> int:
        """How long it is."""
        return _SIZES[self.type] * prod(self.shape)


def write_tensors(path: Path, tensors: Mapping[str, Array | Later], content: Values) -> None:
    """Write a safetensors file straight from the arrays, one after the other.

    Not by `safetensors.numpy.save_file`: it would import NumPy, which takes as long as the whole bench line
    command-start may (100 lines to a saved model, at most 1.0 of ``import numpy``), and of 128 MB it takes 1.7 times the
    processor time, checksum included. What safetensors has without NumPy takes other arguments from version to version.
    """
    text = json.dumps(content)
    later = {name: _later(tensor) for name, tensor in tensors.items()}
    ordered = sorted(later.items(), key=lambda item: _place(item[0], item[1].type))
    unknown = "0" * 8
    header: Values = {"__metadata__": {SUM: unknown, KEY: text}}
    position = 0
    for name, tensor in ordered:
        end = position + tensor.n_bytes
        header[name] = {
            "dtype": _TYPES[tensor.type],
            "shape": list(tensor.shape),
            "data_offsets": [position, end],
        }
        position = end
    encoded = json.dumps(header, separators=(",", ":")).encode()
    encoded += b" " * (-len(encoded) % 8)
    total = crc32(text.encode())
    position = 8 + len(encoded)
    with path.open("wb", buffering=0) as file:
        put(file.fileno(), len(encoded).to_bytes(8, "little") + encoded, 0)
        for name, tensor in ordered:
            total = _sum_of(name, tensor.type, tensor.shape, total)
            total = _write_array(file.fileno(), tensor, position, total)
            position += tensor.n_bytes
        # The sum stands in the header and is known only now.
        put(file.fileno(), f"{total:08x}".encode(), 8 + encoded.index(unknown.encode()))


def _write_array(file: int, tensor: Later, place: int, total: int) -> int:
    """Write the pieces of an array to where they belong; returns the checksum that goes on from `total`."""
    size = tensor.n_bytes // tensor.rows
    ends = [place + size * row for row in range(tensor.rows)]
    sums = [0] * tensor.rows
    if tensor.rows == 1:
        sums[0], total = total, 0
    for row, data in tensor.pieces():
        sums[row] = crc32(data, sums[row])
        ends[row] = put(file, data, ends[row])
    if tensor.rows == 1:
        return sums[0]
    join = crc32_joiner(size)
    for part in sums:
        total = join(total, part)
    return total


def put(file: int, data: Numbers, place: int) -> int:
    """Write all of some bytes at a place of a file; returns the place behind them."""
    rest = memoryview(data).cast("B")
    while len(rest):
        written = os.pwrite(file, rest, place)
        place, rest = place + written, rest[written:]
    return place


def _later(tensor: Array | Later) -> Later:
    if isinstance(tensor, Later):
        return tensor
    return Later.whole(tensor.dtype.name, tensor.shape, _bytes(tensor))


def _place(name: str, type: str) -> tuple[int, str]:
    """Where a tensor stands in the file: wide types first, which keeps everything aligned."""
    return -_SIZES[type], name


def _bytes(tensor: Array) -> memoryview:
    """An array's numbers as they stand in a file."""
    import numpy as np

    return np.ascontiguousarray(tensor).reshape(-1).view(np.uint8).data


def checksum(text: str, tensors: Mapping[str, Tensor]) -> int:
    """CRC-32 over a description and named tensors in the order of the file."""
    total = crc32(text.encode())
    for name, tensor in sorted(tensors.items(), key=lambda item: _place(item[0], item[1].type)):
        total = crc32(tensor.data, _sum_of(name, tensor.type, tensor.shape, total))
    return total


_POLYNOMIAL = 0xEDB88320


def _product(a: int, b: int) -> int:
    """The product of two polynomials modulo that of CRC-32; the highest bit is the constant term."""
    out, bit = 0, 1 << 31
    while bit:
        if a & bit:
            out ^= b
        bit >>= 1
        b = (b >> 1) ^ _POLYNOMIAL if b & 1 else b >> 1
    return out


def crc32_joiner(size: int) -> Callable[[int, int], int]:
    """A function from the CRC-32 of some bytes and that of `size` bytes after them to that of both.

    Appending n bits multiplies a checksum by x**n: Adler, in zlib's crc32_combine.
    """
    shift, square, left = 1 << 31, 1 << 30, 8 * size
    while left:
        if left & 1:
            shift = _product(square, shift)
        square, left = _product(square, square), left >> 1
    return lambda before, after: _product(shift, before) ^ after


def _sum_of(name: str, type: str, shape: tuple[int, ...], total: int) -> int:
    return crc32(f"{name} {type} {shape}".encode(), total)


# ---------------------------------------------------------------------- reading


def read_tensors(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Metadata and tensors."""
    try:
        status = path.stat()
    except FileNotFoundError:
        raise FileNotFoundError(2, "no such file", str(path)) from None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(21, "a folder, not a model file", str(path))
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError(
            f"{path}: not a regular file; a model is read from a file and cannot come from a pipe"
        )
    try:
        return _read_at_once(path) if status.st_size <= _SMALL else _read_piecewise(path)
    except ModelFileError:
        raise
    except Exception as error:  # safetensors raises its own, and whatever an unknown type of tensor leads to
        with path.open("rb") as file:
            if file.read(2) in (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05"):
                raise ModelFileError(
                    f"{path}: looks like a pickle, which can run code and is never loaded here"
                ) from None
        raise ModelFileError(f"{path}: not a safetensors file, or damaged ({error})") from None


def _read_at_once(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    from safetensors import deserialize

    content = path.read_bytes()
    read: Any = deserialize
    found = read(content)  # which has checked the header that is read again here
    _need_few(path, len(found))
    _need_known(path, (_NAMES.get(one["dtype"], one["dtype"]) for _, one in found))
    metadata = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")]).get("__metadata__") or {}
    return metadata, {
        name: Tensor(_NAMES[one["dtype"]], tuple(one["shape"]), memoryview(one["data"]))
        for name, one in found
    }


def _read_piecewise(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    """Each tensor into memory of its own, once.

    Mapping the file would not do: a process that looks at a page of a file that somebody has cut off meanwhile, as
    when a new model is copied over the old one, is killed. Reading notices.
    """
    with path.open("rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(_piece(file, 8), "little")
        if length > min(size - 8, _LONGEST_HEADER):
            raise ModelFileError(f"{path}: not a safetensors file, or damaged (its header is too long)")
        header = json.loads(bytes(_piece(file, length)))
        metadata = header.pop("__metadata__", None) or {}
        if not all(isinstance(word, str) for word in metadata.values()):
            raise ModelFileError(f"{path}: not a safetensors file, or damaged (its metadata are not texts)")
        _need_few(path, len(header))
        _need_known(path, (_NAMES.get(one["dtype"], one["dtype"]) for one in header.values()))
        tensors, position = {}, 0
        for name, one in sorted(header.items(), key=lambda item: item[1]["data_offsets"]):
            type, shape, (start, end) = _NAMES[one["dtype"]], one["shape"], one["data_offsets"]
            if not all(isinstance(n, int) and n >= 0 for n in shape) or start != position:
                raise ModelFileError(
                    f"{path}: not a safetensors file, or damaged (tensor {name!r} is out of place)"
                )
            position = end
            if end - start != _SIZES[type] * prod(shape) or 8 + length + end > size:
                raise ModelFileError(
                    f"{path}: not a safetensors file, or damaged (tensor {name!r} has another size)"
                )
            tensors[name] = Tensor(type, tuple(shape), _piece(file, end - start))
        if 8 + length + position != size:
            raise ModelFileError(
                f"{path}: not a safetensors file, or damaged (there is something behind its tensors)"
            )
        return metadata, tensors


def _piece(file: BinaryIO, size: int) -> memoryview:
    """The next bytes of a file, all of them."""
    piece = memoryview(bytearray(size))
    done = 0
    while done < size:
        count = file.readinto(piece[done:])  # type: ignore[attr-defined]
        if not count:
            raise EOFError("it became shorter while it was read")
        done += count
    return piece


def _need_few(path: Path, count: int) -> None:
    if count > _MOST_TENSORS:
        raise ModelFileError(f"{path}: {count} tensors; no model of onlinear has that many")


def _need_known(path: Path, types: Iterable[str]) -> None:
    strange = next((type for type in types if type not in _SIZES), None)
    if strange is not None:
        raise ModelFileError(f"{path}: a tensor of type {strange}; no model of onlinear has one")
