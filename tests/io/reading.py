"""Short forms for the tests of readers."""

from __future__ import annotations

import io
from typing import Any

from onlinear.exceptions import ReadError
from onlinear.io import Batch, Reader, read

Row = tuple[Any, dict[int, float]]


def batches(data: bytes | str, format: str = "svmlight", **settings: Any) -> list[Batch]:
    """Read bytes to the end."""
    raw = data.encode() if isinstance(data, str) else data
    return list(read(io.BytesIO(raw), format, **settings))  # type: ignore[arg-type]


def until_error(reader: Reader) -> tuple[list[float], ReadError]:
    """Return the labels read before an error, and the error."""
    seen: list[float] = []
    try:
        for batch in reader:
            seen += batch.labels.tolist()
    except ReadError as error:
        return seen, error
    raise AssertionError("there was no error")


def rows(data: bytes | str, format: str = "svmlight", **settings: Any) -> list[Row]:
    """Read bytes to the end, as (label, features) pairs."""
    out: list[Row] = []
    for batch in batches(data, format, **settings):
        ends = batch.indptr.tolist()
        labels = list(batch.y)
        for i in range(batch.n_rows):
            part = slice(ends[i], ends[i + 1])
            columns = batch.indices[part].tolist()
            assert columns == sorted(set(columns)), "columns rise"
            features = dict(zip(columns, batch.values[part].tolist(), strict=True))
            out.append((labels[i], features))
    return out
