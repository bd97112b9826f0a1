"""Model files as an enemy would make them: any content, with a checksum that fits."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from onlinear.persistence import read_file, write_tensors

Edit = Callable[[dict[str, Any], dict[str, Any]], Any]


def put(path: Path, content: bytes | bytearray) -> Path:
    """Write a file anew; one that is emptied and filled again would be flushed to the disk each time."""
    path.unlink(missing_ok=True)
    path.write_bytes(content)
    return path


def edited(path: Path, edit: Edit) -> Path:
    """Change the description and tensors of a model file in place."""
    content, tensors = read_file(path)
    edit(content, tensors)
    path.unlink()
    write_tensors(path, tensors, content)
    return path


def raw(path: Path, header: dict[str, Any] | bytes, body: bytes = b"", size: int | None = None) -> Path:
    """Write a safetensors file byte by byte."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path.write_bytes((len(text) if size is None else size).to_bytes(8, "little", signed=False) + text + body)
    return path
