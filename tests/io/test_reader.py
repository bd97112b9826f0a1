"""The reader as an object: its thread, its ends, what it imports."""

from __future__ import annotations

import gc
import gzip
import io
import json
import pickle
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onlinear import read
from onlinear.exceptions import DataError, ParameterError, ReadError
from onlinear.io._ahead import Ahead

from ..waiting import DEADLINE, wait_for

TEXT = "".join(f"{i} {i % 50 + 1}:{i}.5\n" for i in range(20_000)).encode()


def reading_threads() -> int:
    """Count the threads that read ahead."""
    return sum(thread.name == "onlinear-reader" for thread in threading.enumerate())


def all_arrays(text: bytes = TEXT, **settings: Any) -> list[np.ndarray[Any, Any]]:
    """Read lines and join their batches."""
    batches = list(read(io.BytesIO(text), "svmlight", **settings))
    return [
        np.concatenate([getattr(b, name) for b in batches])
        for name in ("indices", "values", "labels", "lines")
    ]


@pytest.mark.parametrize(
    "settings", [{"ahead": 0}, {"ahead": 1}, {"batch_size": 100}, {"batch_size": 777}], ids=str
)
def test_threads_and_batches_do_not_change_the_rows(settings: dict[str, Any]) -> None:
    """The same arrays, in the same order."""
    for got, expected in zip(all_arrays(**settings), all_arrays(), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_batches_of_one_row_are_its_rows() -> None:
    """The least there can be in a batch."""
    few = TEXT[: TEXT.index(b"\n500 ") + 1]
    assert len(list(read(io.BytesIO(few), "svmlight", batch_size=1))) == 500
    for got, expected in zip(all_arrays(few, batch_size=1), all_arrays(few), strict=True):
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_a_compressed_file_gives_the_rows_of_a_plain_one(ahead: int) -> None:
    """Decompressed in a thread of its own or not."""
    batches = list(read(io.BytesIO(gzip.compress(TEXT)), "svmlight", ahead=ahead))
    values = np.concatenate([batch.values for batch in batches])

    np.testing.assert_array_equal(values, all_arrays()[1])


def test_both_threads_of_a_compressed_file_end_with_the_reader() -> None:
    """Left early, closed, or broken off by a bad member."""
    before = reading_threads()
    with read(io.BytesIO(gzip.compress(TEXT * 20)), "svmlight", batch_size=10) as reader:
        next(reader)
        assert reading_threads() == before + 2
    assert reading_threads() == before
    with pytest.raises(ReadError, match="middle of a compressed member"):
        list(read(io.BytesIO(gzip.compress(TEXT)[:-50]), "svmlight"))
    assert reading_threads() == before


def test_rows_can_be_left_out_at_the_start() -> None:
    """As when resuming; also in the middle of a batch and past the end."""
    for skip in (0, 1, 16_384, 16_385, 19_999, 20_000, 30_000):
        batches = list(read(io.BytesIO(TEXT), "svmlight", skip_rows=skip))
        assert [label for batch in batches for label in batch.labels.tolist()] == list(range(skip, 20_000))
        for batch in batches:
            assert batch.X.shape[0] == batch.n_rows
            np.testing.assert_array_equal(batch.X.sum(axis=1).A1, batch.labels + 0.5)


def test_batches_outlive_the_reader() -> None:
    """Their memory goes round only when nobody looks at it any more."""
    kept = [batch.values for batch in read(io.BytesIO(TEXT), "svmlight", batch_size=100)]
    gc.collect()
    np.testing.assert_array_equal(np.concatenate(kept), np.arange(20_000) + np.float32(0.5))


def test_leaving_early_ends_the_thread() -> None:
    """By with, by close, or by letting go."""
    before = reading_threads()
    with read(io.BytesIO(TEXT), "svmlight", batch_size=10) as reader:
        next(reader)
    closed = read(io.BytesIO(TEXT), "svmlight", batch_size=10)
    next(closed)
    closed.close()
    forgotten = read(io.BytesIO(TEXT), "svmlight", batch_size=10)
    next(forgotten)
    del forgotten
    gc.collect()
    assert reading_threads() == before
    with pytest.raises(StopIteration):
        next(closed)


def test_a_file_is_closed_at_its_end_and_when_leaving_early(tmp_path: Path) -> None:
    """Else the warning that pytest turns into an error would come."""
    path = tmp_path / "a.svm"
    path.write_bytes(TEXT)
    list(read(path))
    with read(path, batch_size=5) as reader:
        next(reader)
    gc.collect()


def test_the_process_ends_while_a_thread_still_reads() -> None:
    """From a pipe that never ends, without a crash or a wait."""
    code = (
        "import io, os, threading\n"
        "from onlinear import read\n"
        "out, into = os.pipe()\n"
        "os.write(into, b'1 1:1\\n' * 1000)\n"
        "reader = read(open(out, 'rb', buffering=0), 'svmlight', batch_size=10)\n"
        "print(next(reader).n_rows)\n"
    )
    started = time.monotonic()
    run = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code], capture_output=True, timeout=DEADLINE, check=False
    )
    assert (run.returncode, run.stdout.split()) == (0, [b"10"]), run.stderr
    assert time.monotonic() - started < 50


def test_reading_ahead_is_bounded() -> None:
    """The thread waits when nobody takes its items."""
    made = []

    def items() -> Any:
        for i in range(100):
            made.append(i)
            yield i

    depth, ready = 3, 4  # those that wait, and the one that waits for a place
    ahead = Ahead(items(), depth)
    wait_for(lambda: len(made) == ready)
    taken = []
    for item in ahead:
        taken.append(item)
        # One more is made for each that is taken, and never another.
        wait_for(lambda: len(made) == min(100, ready + len(taken)))
    assert taken == list(range(100))
    ahead.close()


def test_an_error_of_the_thread_is_raised_where_it_belongs() -> None:
    """After the items before it, once; then the iterator is at its end."""

    def items() -> Any:
        yield 1
        raise KeyError("broken")

    ahead = Ahead(items(), 2)
    assert next(ahead) == 1
    with pytest.raises(KeyError, match="broken"):
        next(ahead)
    with pytest.raises(StopIteration):
        next(ahead)


def test_rows_are_counted_as_they_are_handed_out() -> None:
    """Not as they are read ahead, so that a count belongs to what was seen."""
    data = b"1 1:1\nbad:\n" * 100
    reader = read(io.BytesIO(data), "svmlight", on_error="skip", batch_size=10)
    next(reader)
    assert reader.n_rows == 10
    assert reader.n_refused in (9, 10)
    for _ in reader:
        pass
    assert (reader.n_rows, reader.n_refused, len(reader.problems)) == (100, 100, 100)


def test_kept_problems_are_bounded() -> None:
    """A file of garbage must not fill the memory with its descriptions."""
    reader = read(io.BytesIO(b"bad:\n" * 5000), "svmlight", on_error="skip")
    assert list(reader) == []
    assert (reader.n_refused, len(reader.problems)) == (5000, 100)


def test_names_of_hashed_features_are_kept_when_asked() -> None:
    """Bounded, and with those columns that several names share."""
    data = b'{"label": 1, "features": {"a": 1, "b": 2, "c": 3, "d": 4}}\n'
    reader = read(io.BytesIO(data), "jsonl", max_names=3)
    list(reader)
    assert sorted(reader.names.values()) == ["a", "b", "c"]


@pytest.mark.parametrize("bits", [1, 2, 10])
def test_columns_that_several_names_share_are_told(bits: int) -> None:
    """Those of more than one name, however often each of the names comes."""

    def columns(features: str, times: int = 1) -> tuple[list[int], Any]:
        line = json.dumps({"label": 1, "features": dict.fromkeys(features, 1.0)}) + "\n"
        reader = read(io.BytesIO(times * line.encode()), "jsonl", max_names=10, bits=bits)
        return [int(column) for batch in reader for column in batch.X.indices], reader

    alone = [columns(name)[0][0] for name in "abcde"]
    reader = columns("abcde", times=2)[1]

    assert set(reader.names) == set(alone)
    assert reader.shared_columns == {column for column in alone if alone.count(column) > 1}
    assert bool(reader.shared_columns) == (bits < 10)


def test_binary_garbage_is_counted_line_by_line() -> None:
    """A megabyte of noise in every format: refused, never a crash."""
    noise = np.random.default_rng(0).integers(0, 256, 1 << 20, dtype=np.uint8).tobytes()
    noise = b"x" + noise.replace(b"\x1f\x8b", b"  ")
    for format in ("svmlight", "vw", "jsonl", "text"):
        reader = read(io.BytesIO(noise), format, on_error="skip", labelled=True)  # type: ignore[arg-type]
        n_rows = sum(batch.n_rows for batch in reader)
        assert n_rows + reader.n_refused <= noise.count(b"\n") + 1
        assert reader.n_refused > 3000
        for problem in reader.problems:
            assert str(problem).isprintable()
    with pytest.raises(ReadError):
        list(read(io.BytesIO(noise), "csv", on_error="skip", labelled=True))


def test_neither_scipy_nor_scikit_learn_is_imported() -> None:
    """Until X is asked for: the command line must start quickly."""
    code = (
        "import io, sys\n"
        "from onlinear import read\n"
        "(batch,) = read(io.BytesIO(b'1 1:1\\nspam 2:1\\n'), 'svmlight')\n"
        "batch.y, batch.values\n"
        "assert not {'scipy', 'sklearn', 'pyarrow', 'zlib_ng'} & set(sys.modules)\n"
        "batch.X\n"
        "assert 'scipy' in sys.modules and 'sklearn' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_error_can_be_pickled() -> None:
    """As it must be to come back from another process."""
    error = pickle.loads(pickle.dumps(ReadError("m", "a.svm", 3, 7)))
    assert (str(error), error.path, error.line, error.column) == ("m", "a.svm", 3, 7)
    assert isinstance(error, DataError)


@pytest.mark.parametrize(
    "wrong",
    [
        {"batch_size": 0},
        {"batch_size": 1.5},
        {"bits": 0},
        {"bits": 32},
        {"labelled": "yes"},
        {"on_error": "ignore"},
        {"max_errors": 0},
        {"max_features": 0},
        {"n_features": 0},
        {"max_line_bytes": 100},
        {"max_names": -1},
        {"skip_rows": -1},
        {"ahead": -1},
        {"ngram_range": (2, 1)},
        {"analyzer": "words"},
    ],
    ids=str,
)
def test_a_parameter_out_of_range_is_named_at_once(wrong: dict[str, Any]) -> None:
    """Before any file is opened."""
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        read("does-not-exist.svm", **wrong)
