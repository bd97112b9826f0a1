"""Model files: safetensors with JSON metadata.

A file holds the learner's state as tensors (named as in `Learner.state`), the words of hashed columns as bytes and
offsets, and one metadata entry ``onlinear`` with a JSON object: format version, estimator, parameters, classes, and
what else is needed to go on bit for bit. Loading never executes anything from the file: the estimator is
looked up among ours, its parameters are plain JSON values, and every number is checked before it is used.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import __version__, _HOMES
from ._labels import Labels
from .exceptions import DataError, ModelFileError, ParameterError

__all__ = ["FORMAT", "load", "save"]

FORMAT = 1
_KEY = "onlinear"
_VECTORS = ("calibration", "counters", "class_counts")

Array = npt.NDArray[Any]


@contextlib.contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, fsynced and moved onto it when all went well: never a half-written file."""
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    aside = Path(name)
    try:
        yield aside
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        mask = os.umask(0)
        os.umask(mask)
        aside.chmod(0o666 & ~mask)
        aside.replace(path)
        directory = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)
    finally:
        aside.unlink(missing_ok=True)


# ---------------------------------------------------------------------- values as JSON


def plain(value: Any) -> Any:
    """A parameter or label as JSON; random generators, which are not part of a model, become null."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"pairs": [[plain(key), plain(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray | list | tuple):
        return {"array": np.asarray(value).tolist()}
    return None


def restored(value: Any) -> Any:
    """The inverse of `plain`."""
    if isinstance(value, dict):
        if set(value) == {"pairs"}:
            return {restored(key): restored(item) for key, item in value["pairs"]}
        if set(value) == {"array"}:
            return np.asarray(value["array"])
        raise ModelFileError("a parameter is neither a number, a string, pairs nor an array")
    return value


def label(value: Any) -> Any:
    """A class label that JSON can hold exactly."""
    if not isinstance(value, bool | int | float | str):
        raise ModelFileError(f"a class label of type {type(value).__name__} cannot be saved; use strings or numbers")
    return value


# ---------------------------------------------------------------------- saving


def save(model: Any, path: Any) -> None:
    """Write `model` to `path`; the file appears whole or not at all.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this library.
    path : str or path-like
        Where to.
    """
    from safetensors.numpy import save_file

    learner = model._ready()
    state = learner.state()
    tensors: dict[str, Array] = {name: np.ascontiguousarray(v) for name, v in state.items() if isinstance(v, np.ndarray)}
    words = learner.handle.words()
    if words:
        columns = sorted(words)
        encoded = [words[column].encode("utf-8", "surrogatepass") for column in columns]
        tensors["words.column"] = np.array(columns, dtype=np.int64)
        tensors["words.end"] = np.cumsum([len(word) for word in encoded]).astype(np.int64)
        tensors["words.bytes"] = np.frombuffer(b"".join(encoded), dtype=np.uint8)
    names = model.__dict__.get("feature_names_in_")
    content = {
        "format": FORMAT,
        "library": __version__,
        "estimator": type(model).__name__,
        "parameters": {name: plain(value) for name, value in model.get_params(deep=False).items()},
        "classes": [label(name) for name in model._labels.names],
        "classes_dtype": None if model._labels._dtype is None else model._labels._dtype.str,
        "dtype": learner.dtype,
        "n_features": learner.n_features,
        "feature_names": None if names is None else [str(name) for name in names],
        "n_passes": model.__dict__.get("n_passes_"),
        "scalars": {name: value for name, value in state.items() if isinstance(value, float)},
        "vectors": {name: list(state[name]) for name in _VECTORS},
    }
    target = Path(path)
    with written_aside(target) as aside:
        save_file(tensors, str(aside), metadata={_KEY: json.dumps(content)})


# ---------------------------------------------------------------------- loading


def load(path: Any) -> Any:
    """Read a model written by `save`; safe with files of unknown origin.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator
        Ready to predict and to go on learning, bit for bit.

    Examples
    --------
    >>> import onlinear, tempfile, os
    >>> model = onlinear.AROWClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> model.save(path)
    >>> onlinear.load(path).digest() == model.digest()
    True
    """
    target = Path(path)
    content, tensors = read_file(target)
    try:
        return rebuild(content, tensors)
    except (KeyError, TypeError, IndexError, AttributeError, OverflowError, UnicodeDecodeError) as error:
        raise ModelFileError(f"{target}: the model's description is damaged ({type(error).__name__}: {error})") from None
    except (ParameterError, DataError, ModelFileError, ValueError) as error:
        raise ModelFileError(f"{target}: {error}") from None


def read_file(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """The description and the tensors of a model file."""
    from safetensors import SafetensorError, safe_open

    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file")
    try:
        with safe_open(str(path), framework="np") as file:
            metadata = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}
    except (SafetensorError, OSError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise ModelFileError(f"{path}: not a safetensors file, or damaged ({error})") from None
    if _KEY not in metadata:
        raise ModelFileError(f"{path}: a safetensors file, but not a model of onlinear")
    try:
        content = json.loads(metadata[_KEY])
    except (json.JSONDecodeError, RecursionError):
        raise ModelFileError(f"{path}: the model's description is not JSON") from None
    version = content.get("format") if isinstance(content, dict) else None
    if not isinstance(version, int) or version < 1:
        raise ModelFileError(f"{path}: the model's description has no format number")
    if version > FORMAT:
        raise ModelFileError(f"{path}: format {version}, this onlinear reads up to {FORMAT}. Upgrade onlinear to read it.")
    return content, tensors


def rebuild(content: dict[str, Any], tensors: dict[str, Array]) -> Any:
    """An estimator from a description and tensors."""
    import onlinear

    name = content["estimator"]
    if name not in _HOMES or not isinstance(getattr(onlinear, name), type) or name == "Learner":
        raise ModelFileError(f"unknown estimator {name!r}")
    model = getattr(onlinear, name)(**{key: restored(value) for key, value in content["parameters"].items()})
    state: dict[str, Any] = {key: value for key, value in tensors.items() if not key.startswith("words.")}
    shapes = [value.shape for value in state.values() if value.ndim == 2]
    n_features, classes = content["n_features"], content["classes"]
    if not shapes or not isinstance(n_features, int) or n_features < 0:
        raise ModelFileError("the model has no weights")
    # Sizes come from the tensors that are really there, so a small file cannot ask for a large model.
    if all(shape[1] not in (n_features + 1, (n_features + 1) * shape[0]) for shape in shapes):
        raise ModelFileError("the number of features does not fit the weights")
    if len(set(map(_typed, classes))) != len(classes) or not all(shape[0] <= max(len(classes), 2) * (n_features + 1) for shape in shapes):
        raise ModelFileError("the classes are not distinct, or do not fit the weights")
    model._labels = Labels()
    if content["feature_names"] is not None:
        model.feature_names_in_ = np.array([str(item) for item in content["feature_names"]], dtype=object)
    model._start(n_features, class_array(classes, content["classes_dtype"]), content["dtype"], anew=False)
    state.update({key: float(value) for key, value in content["scalars"].items()})
    state.update({key: [float(item) for item in content["vectors"][key]] for key in _VECTORS})
    handle = model._learner.handle
    handle.load_state({key: np.ascontiguousarray(v) if isinstance(v, np.ndarray) else v for key, v in state.items()})
    if "words.column" in tensors:
        handle.remember_words(dict(read_words(tensors, n_features)))
    if content["n_passes"] is not None:
        model.n_passes_ = int(content["n_passes"])
    return model


def _typed(value: Any) -> tuple[str, Any]:
    return type(label(value)).__name__, value


def class_array(classes: list[Any], dtype: str | None) -> Array:
    """Class labels as the array they came from."""
    if dtype is None or np.dtype(dtype).kind == "O":
        out = np.empty(len(classes), dtype=object)
        out[:] = classes
        return out
    return np.array(classes) if np.dtype(dtype).kind in "US" else np.array(classes, dtype=np.dtype(dtype))


def read_words(tensors: dict[str, Array], n_features: int) -> Iterator[tuple[int, str]]:
    """The words of hashed columns."""
    columns, ends, raw = tensors["words.column"], tensors["words.end"], tensors["words.bytes"].tobytes()
    if columns.shape != ends.shape or (len(ends) and (np.any(np.diff(ends) < 0) or ends[0] < 0 or ends[-1] != len(raw))):
        raise ModelFileError("the table of words is damaged")
    if len(columns) and (columns.min() < 0 or columns.max() >= n_features):
        raise ModelFileError("the table of words names columns that do not exist")
    start = 0
    for column, end in zip(columns.tolist(), ends.tolist(), strict=True):
        yield column, raw[start:end].decode("utf-8", "surrogatepass")
        start = end
