"""``onlinear convert``: models to other types and to compact ones, data from one format to another."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ...io import read
from ...persistence.compact import save_compact
from ...persistence.loading import load_model, read_file, rebuild
from ...persistence.tensors import write_tensors
from ...persistence.writing import written, written_aside
from .._arguments import reader_options, say, say_json
from .._errors import UsageError
from .._reading import check_rows, spare
from .._writing import TABLES, Survey, format_to_write, make_writer

if TYPE_CHECKING:
    from ...model.types import Values

__all__ = ["convert_data", "convert_model", "is_model", "run"]


def run(
    source: str,
    target: Path,
    compact: bool,
    dtype: str | None,
    sparse: bool | None,
    to: str | None,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    """Write a model or data anew."""
    spare(target, "the target", [source])
    model = is_model(Path(source))
    if str(target) == "-":
        if as_json or model:
            raise UsageError("convert needs a file to write a model to, or to speak of with --json")
        quiet = True
    if model:
        done = convert_model(Path(source), target, dtype=dtype, compact=compact, sparse=sparse)
        told = f"{done['target']}: {done['target_bytes']:,} bytes, {done['source_bytes']:,} before"
    else:
        done = convert_data(
            [source], target, reader_options(**reading), to=to, zero_based=reading["zero_based"]
        )
        told = f"{done['target']}: {done['examples']:,} examples, {done['refused']:,} lines refused"
    if as_json:
        say_json(done)
    elif not quiet:
        say(told)


def is_model(path: Path) -> bool:
    """Whether a file is a model rather than data: by its name, or by how a safetensors file begins."""
    if path.suffix.lower() == ".safetensors":
        return True
    if not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(9)
    return (
        len(head) == 9 and head[8:] == b"{" and 2 <= int.from_bytes(head[:8], "little") < path.stat().st_size
    )


def convert_model(
    source: Path, target: Path, *, dtype: str | None, compact: bool, sparse: bool | None
) -> Values:
    """Write a model anew: in another type, or compact."""
    if dtype not in (None, "float16", "float32", "float64"):
        raise UsageError(f"--dtype must be float16, float32 or float64, got {dtype!r}")
    if compact or dtype == "float16":
        if dtype == "float64":
            raise UsageError("a compact model is float16 or float32; leave --compact out to keep float64")
        save_compact(load_model(source), target, dtype=dtype or "float16", sparse=sparse)
    else:
        _retyped(source, target, dtype)
    return {
        "source": str(source),
        "target": str(target),
        "source_bytes": source.stat().st_size,
        "target_bytes": target.stat().st_size,
    }


def _retyped(source: Path, target: Path, dtype: str | None) -> None:
    content, tensors = read_file(source)
    if dtype is not None and content.get("estimator") == "SequenceLabeler":
        raise UsageError(
            f"{source}: a model of sequences keeps the type it was trained with; use train --dtype"
        )
    if content.get("compact") is not None:
        raise UsageError(f"{source}: a compact model; it cannot become a full one again")
    if dtype is not None:
        content["dtype"] = dtype
        content["parameters"]["dtype"] = dtype
        tensors = {name: t if name.startswith("words.") else t.astype(dtype) for name, t in tensors.items()}
    rebuild(content, tensors)  # refuses what would not load
    with written_aside(target) as aside:
        write_tensors(aside, tensors, content)


# Enough for any vocabulary; what comes after is named by its column.
_MOST_NAMES = 1 << 22


def convert_data(
    files: list[str], target: Path, reading: Values, *, to: str | None, zero_based: bool
) -> Values:
    """Write rows in another format."""
    check_rows(reading)
    kind, compression = format_to_write(target, to, _OPENERS)
    named: Values = {} if kind in ("svmlight", "vw") else {"max_names": _MOST_NAMES}
    survey, names = Survey(), dict[int, str]()
    if kind in TABLES:
        survey, names = _surveyed(files, {**reading, **named})
    rows = 0
    with read(files, labelled=None, **reading, **named) as reader, _opened(target, compression) as out:
        writer = make_writer(out, kind, lambda: names or reader.names, 0 if zero_based else 1, survey)
        for batch in reader:
            if batch.label_indptr is not None:
                raise UsageError(f"{batch.source}: rows with several labels cannot be converted")
            writer.write(batch)
            rows += batch.n_rows
        writer.close()
        return {"examples": rows, "refused": reader.n_refused, "target": str(target)}


def _surveyed(files: list[str], reading: Values) -> tuple[Survey, dict[int, str]]:
    """What a table must know before its first row, and the names of all columns."""
    for file in files:
        if file == "-" or (os.path.exists(file) and not os.path.isfile(file)):
            raise UsageError(
                "a table's columns must be known before its first row, and a pipe can be read once only. "
                "Write it to a file, or write svmlight, vw or jsonl."
            )
    survey = Survey()
    with read(files, labelled=None, **reading) as reader:
        for batch in reader:
            survey.look_at(batch)
        return survey, reader.names


def _gzip(path: Path) -> Any:
    import gzip

    return gzip.GzipFile(path, "wb", mtime=0)


def _bz2(path: Path) -> Any:
    import bz2

    return bz2.open(path, "wb")


def _xz(path: Path) -> Any:
    import lzma

    return lzma.open(path, "wb")


def _zstd(path: Path) -> Any:
    try:
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        from backports import zstd
    return zstd.open(path, "wb")


_OPENERS = {".gz": _gzip, ".bz2": _bz2, ".xz": _xz, ".zst": _zstd}


@contextmanager
def _opened(target: Path, compression: str | None) -> Iterator[BinaryIO]:
    if str(target) == "-":
        yield sys.stdout.buffer
        return
    with written(target) as path:
        opened = path.open("wb") if compression is None else _OPENERS[compression](path)
        with opened as file:
            yield file
