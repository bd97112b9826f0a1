"""``onlinear convert``: models to other types and to compact ones, data from one format to another."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..persistence import load, read_file, rebuild, save_compact, write_tensors, written_aside
from ._errors import UsageError
from ._reading import named_label

__all__ = ["convert_data", "convert_model", "is_model"]


def is_model(path: Path) -> bool:
    """Whether a file is meant to be a model rather than data."""
    return path.suffix.lower() == ".safetensors"


def convert_model(
    source: Path, target: Path, *, dtype: str | None, compact: bool, sparse: bool | None
) -> dict[str, Any]:
    """Write a model anew: in another type, or compact."""
    if dtype not in (None, "float16", "float32", "float64"):
        raise UsageError(f"--dtype must be float16, float32 or float64, got {dtype!r}")
    if compact or dtype == "float16":
        if dtype == "float64":
            raise UsageError("a compact model is float16 or float32; leave --compact out to keep float64")
        save_compact(load(source), target, dtype=dtype or "float16", sparse=sparse)
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


_TARGETS = {".svm": "svmlight", ".svmlight": "svmlight", ".libsvm": "svmlight", ".vw": "vw"}


def convert_data(
    files: list[str], target: Path, reading: dict[str, Any], *, to: str | None, zero_based: bool
) -> dict[str, Any]:
    """Write rows in another format."""
    from ..io import read

    stem, ending = os.path.splitext(str(target).lower())
    compression = ending if ending in _OPENERS else None
    kind = to or _TARGETS.get(os.path.splitext(stem)[1] if compression else ending)
    if kind not in ("svmlight", "vw"):
        raise UsageError(
            "convert writes svmlight and vw; name the file .svm or .vw (or .svm.gz, .vw.zst), or say --to"
        )
    first = 0 if zero_based else 1
    rows = 0
    with read(files, labelled=None, **reading) as reader, _opened(target, compression) as out:
        for batch in reader:
            out.write(_lines(batch, kind, first))
            rows += batch.n_rows
        return {"examples": rows, "refused": reader.n_refused, "target": str(target)}


def _lines(batch: Any, kind: str, first: int) -> bytes:
    columns = (batch.indices.astype(np.int64) + (first if kind == "svmlight" else 0)).tolist()
    values = batch.values.astype(str).tolist()
    pairs = [f"{column}:{_plain(value)}" for column, value in zip(columns, values, strict=True)]
    ends = batch.indptr.tolist()
    weights = None if batch.weight is None else batch.weight.tolist()
    lines = []
    for i, name in enumerate(_labels(batch)):
        features = " ".join(pairs[ends[i] : ends[i + 1]])
        if kind == "svmlight":
            lines.append(f"{name} {features}\n")
        else:
            weight = "" if weights is None or not name else f" {weights[i]:g}"
            lines.append(f"{name}{weight} | {features}\n")
    return "".join(lines).encode()


def _labels(batch: Any) -> list[str]:
    texts = batch.label_texts
    labels, ids = batch.labels.tolist(), batch.label_ids.tolist()
    return [
        texts[i] if i >= 0 else "" if x != x else named_label(x) for x, i in zip(labels, ids, strict=True)
    ]


def _plain(number: str) -> str:
    return number[:-2] if number.endswith(".0") else number


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
    with written_aside(target) as aside:
        opened = aside.open("wb") if compression is None else _OPENERS[compression](aside)
        with opened as file:
            yield file
