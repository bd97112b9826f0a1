"""Paths, globs, lists, pipes, compressed or not."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onlinear import read
from onlinear.exceptions import ParameterError, ReadError
from onlinear.io import _compression

from .reading import until_error

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

TEXT = "".join(f"{i % 3} {i % 50 + 1}:{i}.5 {i % 50 + 60}:2\n" for i in range(5000)).encode()

COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": zstd.compress,
}


def labels(source: Any, **settings: Any) -> list[float]:
    """Read labels to the end."""
    return [label for batch in read(source, **settings) for label in batch.y.tolist()]


EXPECTED = labels(io.BytesIO(TEXT), format="svmlight")


def test_the_expected_labels_are_as_written() -> None:
    """The yardstick of this file."""
    assert [i % 3 for i in range(5000)] == EXPECTED


def test_a_path_a_list_and_a_glob_are_read_in_order(tmp_path: Path) -> None:
    """A glob in the order of names, a list in its own."""
    for name, label in (("b.svm", 2), ("a.svm", 1), ("c.svm", 3)):
        (tmp_path / name).write_text(f"{label} 1:1\n")
    assert labels(tmp_path / "a.svm") == [1]
    assert labels(str(tmp_path / "a.svm")) == [1]
    assert labels(str(tmp_path / "*.svm")) == [1, 2, 3]
    assert labels([tmp_path / "c.svm", str(tmp_path / "[ab].svm")]) == [3, 1, 2]


def test_each_batch_names_its_file_and_lines(tmp_path: Path) -> None:
    """Lines start anew with every file, and so does a problem's line."""
    (tmp_path / "a.svm").write_text("1 1:1\n\n2 1:1\n")
    (tmp_path / "b.svm").write_text("3 1:1\nbad:\n")
    reader = read(str(tmp_path / "*.svm"), on_error="skip")

    assert [(os.path.basename(batch.source), batch.lines.tolist()) for batch in reader] == [
        ("a.svm", [1, 3]),
        ("b.svm", [1]),
    ]
    assert [(os.path.basename(p.source), p.line) for p in reader.problems] == [("b.svm", 2)]


def test_a_file_whose_name_looks_like_a_pattern_is_that_file(tmp_path: Path) -> None:
    """Brackets are legal in names."""
    (tmp_path / "x[1].svm").write_text("7 1:1\n")
    assert labels(str(tmp_path / "x[1].svm")) == [7]


def test_a_missing_file_is_the_usual_error(tmp_path: Path) -> None:
    """Also for a pattern that matches nothing, at once."""
    with pytest.raises(FileNotFoundError, match=r"nope\.svm"):
        labels(tmp_path / "nope.svm")
    with pytest.raises(FileNotFoundError, match="no file matches"):
        read(str(tmp_path / "*.svm"))


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("named", [True, False])
def test_compression_is_told_by_the_first_bytes(kind: str, named: bool, tmp_path: Path) -> None:
    """Whatever the file is called."""
    path = tmp_path / (f"data.svm.{kind}" if named else "data.svm")
    path.write_bytes(COMPRESSORS[kind](TEXT))
    assert labels(path) == EXPECTED


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_members_may_stand_one_behind_the_other(kind: str) -> None:
    """As cat makes them, lines cut in two included; zeros behind them are padding."""
    compress = COMPRESSORS[kind]
    parts = [TEXT[:7], b"", TEXT[7:70_001], TEXT[70_001:]]
    data = b"".join(compress(part) for part in parts)
    assert labels(io.BytesIO(data), format="svmlight") == EXPECTED
    assert labels(io.BytesIO(data + bytes(1000)), format="svmlight") == EXPECTED


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("before", range(8))
def test_a_member_may_begin_anywhere_in_a_block(
    kind: str, before: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where only a few bytes of what tells it are in the block: the rest is fetched before it is judged."""
    first, second = COMPRESSORS[kind](TEXT[:7]), COMPRESSORS[kind](TEXT[7:])
    monkeypatch.setattr(_compression, "BLOCK", len(first) + before)
    rows = _compression.Decompressor(
        io.BytesIO(first + second).read, _compression.detect(first) or "", "stream"
    )
    plain = b"".join(iter(rows.read, b""))
    assert plain == TEXT


@pytest.mark.parametrize("kind", COMPRESSORS)
@pytest.mark.parametrize("cut", [0.01, 0.3, 0.7, 0.99, -1])
def test_a_truncated_member_is_an_error_after_its_rows(kind: str, cut: float) -> None:
    """Never a short file, even when bad lines are passed over."""
    data = COMPRESSORS[kind](TEXT)
    short = data[: int(cut * len(data))] if cut > 0 else data[:-1]
    seen, error = until_error(read(io.BytesIO(short), "svmlight", on_error="skip"))
    assert "stream: the file ends in the middle of a compressed member" in str(error)
    assert seen == EXPECTED[: len(seen)]


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_damaged_data_and_what_follows_it_are_errors(kind: str) -> None:
    """A flipped byte is found by the checksum; text behind the last member is no padding."""
    data = bytearray(COMPRESSORS[kind](TEXT))
    with pytest.raises(ReadError, match="follows the compressed data"):
        labels(io.BytesIO(bytes(data) + b"garbage!"), format="svmlight")
    if kind != "zst":  # made without a checksum by default
        data[len(data) // 2] ^= 0x55
        with pytest.raises(ReadError, match=r"damaged|middle"):
            labels(io.BytesIO(bytes(data)), format="svmlight", on_error="skip")


def test_a_frame_to_skip_may_come_first() -> None:
    """Parallel zstd compressors put one there."""
    skipped = b"\x50\x2a\x4d\x18\x04\x00\x00\x00abcd"
    assert labels(io.BytesIO(skipped + zstd.compress(TEXT)), format="svmlight") == EXPECTED


@pytest.mark.parametrize("kind", COMPRESSORS)
def test_a_bomb_is_refused_in_bounded_memory(kind: str) -> None:
    """A gigabyte of one line from a few kilobytes: read in blocks, refused as a long line."""
    bomb = COMPRESSORS[kind](bytes(1 << 24)) * 16
    code = (
        "import io, resource, sys\n"
        "from onlinear import read\n"
        "from onlinear.exceptions import ReadError\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "try:\n"
        "    list(read(io.BytesIO(sys.stdin.buffer.read()), 'svmlight', max_line_bytes=1 << 20))\n"
        "except ReadError as error:\n"
        "    print(error)\n"
        "print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], input=bomb, capture_output=True, check=True)
    message, grown = run.stdout.decode().splitlines()
    assert "expected a line of at most 1048576 bytes" in message
    assert int(grown) < 60


@given(st.binary(max_size=400), st.integers(1, 50), st.sampled_from(sorted(COMPRESSORS)))
def test_decompression_is_the_inverse_in_any_blocks(data: bytes, block: int, kind: str) -> None:
    """However few bytes a pipe gives at a time."""
    source = io.BytesIO(COMPRESSORS[kind](data))
    name = _compression.COMPRESSIONS[f".{kind}"]
    reader = _compression.Decompressor(lambda size: source.read(min(size, block)), name, "x")
    parts = []
    while part := reader.read():
        parts.append(part)
    assert b"".join(parts) == data


@pytest.mark.parametrize("kind", sorted(COMPRESSORS))
def test_compression_is_told_by_the_first_bytes_of_a_pipe_however_few_it_gives(kind: str) -> None:
    """A pipe may give them one at a time."""

    class Dribble(io.RawIOBase):
        """Gives a byte at a time at first, and then what is asked for."""

        def __init__(self, data: bytes) -> None:
            self.data, self.given = io.BytesIO(data), 0

        def read(self, size: int = -1) -> bytes:
            self.given += 1
            return self.data.read(1 if self.given < 10 else size)

    assert labels(Dribble(COMPRESSORS[kind](TEXT)), format="svmlight") == EXPECTED


def test_standard_input_is_a_dash(tmp_path: Path) -> None:
    """From a pipe, compressed too, with the format told by the first line."""
    code = "from onlinear import read; print(sum(b.n_rows for b in read('-')))"
    for data in (TEXT, gzip.compress(TEXT)):
        run = subprocess.run([sys.executable, "-c", code], input=data, capture_output=True, check=True)
        assert run.stdout.split() == [b"5000"]


def test_a_slow_pipe_is_waited_for() -> None:
    """Bytes that dribble in are put together."""
    out, into = os.pipe()

    def write() -> None:
        with open(into, "wb", buffering=0) as pipe:
            for start in range(0, 300, 7):
                pipe.write(TEXT[start : min(start + 7, 300)])

    thread = threading.Thread(target=write)
    thread.start()
    with open(out, "rb", buffering=0) as pipe:
        got = labels(pipe, format="svmlight", on_error="skip")
    thread.join()
    assert got == EXPECTED[: len(got)]
    assert len(got) >= TEXT[:300].count(b"\n")


@pytest.mark.parametrize(
    ("first", "format"),
    [
        ("+1 1:0.5 7:2\n", "svmlight"),
        ("3 qid:1 1:0.5 # c\n", "svmlight"),
        ("1 |a b:1\n", "vw"),
        ("1 2 'tag | b:1\n", "vw"),
        ("| a b\n", "vw"),
        ('{"label": 1, "x": 2}\n', "jsonl"),
        ("label,a,b\n1,2,3\n", "csv"),
        ("label\ta\n1\t2\n", "tsv"),
        ("__label__x some words\n", "text"),
        ("\n\n# nothing\n", "svmlight"),
    ],
)
def test_the_first_line_tells_the_format(first: str, format: str) -> None:
    """When the name does not."""
    reader = read(io.BytesIO(first.encode()))
    list(reader)
    assert reader.format == format


@pytest.mark.parametrize(
    ("name", "format"),
    [
        ("a.svm", "svmlight"),
        ("a.libsvm.gz", "svmlight"),
        ("a.VW", "vw"),
        ("a.csv.zst", "csv"),
        ("a.tsv", "tsv"),
        ("a.jsonl.xz", "jsonl"),
        ("a.ndjson", "jsonl"),
        ("a.txt", "text"),
    ],
)
def test_the_name_tells_the_format(name: str, format: str, tmp_path: Path) -> None:
    """With or without a compression's ending."""
    (tmp_path / name).write_text("")
    (tmp_path / name).write_text("some words\n" if format == "text" else "")
    reader = read(tmp_path / name)
    list(reader)
    assert reader.format == format


def test_an_unknown_format_is_asked_for() -> None:
    """Guessing further would only produce stranger errors."""
    with pytest.raises(ParameterError, match=r"cannot be told.*--format"):
        labels(io.BytesIO(b"hello world\n"))
    with pytest.raises(ParameterError, match="format must be one of"):
        read(io.BytesIO(b""), "xml")  # type: ignore[arg-type]


def test_files_of_one_stream_have_one_format(tmp_path: Path) -> None:
    """Labels and columns would not fit together."""
    (tmp_path / "a.svm").write_text("1 1:1\n")
    (tmp_path / "b.vw").write_text("1 | a\n")
    with pytest.raises(ParameterError, match=r"b\.vw is vw and the file before it svmlight"):
        labels([tmp_path / "a.svm", tmp_path / "b.vw"])


def test_bytes_are_counted_for_progress(tmp_path: Path) -> None:
    """Compressed bytes, since those have a known total."""
    path = tmp_path / "a.svm.gz"
    path.write_bytes(gzip.compress(TEXT))
    reader = read([path, path])
    assert reader.bytes_total == 2 * path.stat().st_size
    list(reader)
    assert reader.bytes_read == reader.bytes_total
    assert read(io.BytesIO(TEXT)).bytes_total is None


def test_what_stands_behind_the_padding_of_a_compressed_file_is_told() -> None:
    """However long the padding is: something that is not padding may be the rest of the data."""
    packed = gzip.compress(b"1 1:1\n") + b"\0" * (3 * _compression.BLOCK)
    assert sum(batch.n_rows for batch in read(io.BytesIO(packed), "svmlight")) == 1
    with pytest.raises(ReadError, match="something that is not gzip follows"):
        list(read(io.BytesIO(packed + b"2 1:1\n"), "svmlight"))
