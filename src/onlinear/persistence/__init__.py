"""Model files: safetensors with JSON metadata.

A file holds the learner's state as tensors (named as in `Learner.state`), the words of hashed columns as
bytes and offsets, and two metadata entries. ``onlinear`` is a JSON object: format version, estimator,
parameters, classes, how files were read, and what else is needed to go on bit for bit. ``crc32`` is a
checksum over that text and all tensors, so that a damaged file is told from a good one.

Where learning has touched few of the weights, as with many features or many classes, the tensor ``touched`` has a
bit for each weight, and the others hold the numbers of those it names; ``onlinear`` says what the rest start from.

Loading never executes anything from the file: the estimator is looked up among ours, its parameters are plain
JSON values, sizes come from the tensors that are really there, and every number is checked before it is used.

A compact file keeps only what predicting needs: the weights, perhaps as float16, perhaps only those that are
not zero.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .loading import load_model, read_file
from .saving import FORMAT, save
from .tensors import write_tensors

__all__ = ["FORMAT", "load", "load_model", "read_file", "save", "save_compact", "write_tensors"]

#: What needs NumPy or scikit-learn, which a command that reads or writes a model does without.
_LATER = {"load": "onlinear.estimators", "save_compact": "onlinear.persistence.compact"}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)
