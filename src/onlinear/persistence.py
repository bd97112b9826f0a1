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

import contextlib
import errno
import json
import os
import re
from array import array
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Any, TypeGuard, cast

from . import _HOMES, __version__, _core
from ._description import INPUT, MODEL, check
from ._labels import Labels, type_of
from ._numpy import Array, np
from ._tensors import KEY, SUM, Later, Tensor, checksum, read_tensors, write_tensors
from .exceptions import DataError, ModelFileError, NotAvailableError, ParameterError

__all__ = ["FORMAT", "load", "read_file", "save", "save_compact", "write_tensors"]

FORMAT = 2  # 1: every weight is written
_VECTORS = ("calibration", "counters", "class_counts")

_MOST_CLASSES = 1 << 24

# What NumPy calls the types of labels: numbers, truth, text, and objects for a mixture.
_CLASS_TYPE = r"[<>=|]?(b1|[iu][1248]|f([248]|16)|[US]\d{1,9}|O)"

# A sparse file is unpacked when it is loaded; this bounds what a small file can ask for.
_MOST_UNPACKED = 1 << 28

# The share of weights up to which the touched ones are named.
_FEW = 0.75

# Numbers of a state to copy out at a time: they stay in the cache until they are written.
_PART = 1 << 17

# Examples of a kernel model with up to so many features are laid out dense; and how often over that may be what
# the file brings, where it is more than the above.
_FEW_FEATURES = 4096
_MOST_UNFOLDED = 64

# ---------------------------------------------------------------------- files that appear whole


@contextlib.contextmanager
def written_aside(path: Path) -> Iterator[Path]:
    """A temporary file beside `path`, fsynced and moved onto it when all went well: whole or not at all."""
    path = writable(path)
    sweep(path)
    # In the manner of tempfile, whose import costs more than a small model's writing.
    aside = path.parent / f"{_prefix(path)}{os.urandom(4).hex()}.{os.getpid()}.part"
    with _blaming(path, aside):
        os.close(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    try:
        with _blaming(path, aside):
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


@contextlib.contextmanager
def written(path: Path) -> Iterator[Path]:
    """The same for what may also go straight into a pipe or a device."""
    if path.exists() and not (path.is_file() or path.is_dir()):
        with _blaming(path):
            yield path
        return
    with written_aside(path) as aside:
        yield aside


@contextlib.contextmanager
def _blaming(path: Path, aside: Path | None = None) -> Iterator[None]:
    """Let an error of writing, which has no name or that of the file beside, name the file that is to be written."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename not in (None, str(aside)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def writable(path: Path) -> Path:
    """The real path behind `path`, once it is known that a file can be put there."""
    real = Path(os.path.realpath(path))
    if real.is_symlink():  # a link that leads to itself has no file behind it
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    if not real.parent.is_dir():
        raise FileNotFoundError(2, "no such folder", str(real.parent))
    if real.is_dir():
        raise IsADirectoryError(21, "a folder, not a file", str(path))
    if real.exists() and not real.is_file():  # moving a file onto /dev/null would be a bad surprise
        raise OSError(22, "not a regular file", str(path))
    if not os.access(real.parent, os.W_OK):
        raise PermissionError(13, "the folder cannot be written to", str(real.parent))
    return real


def _prefix(path: Path) -> str:
    return f".{path.name[:100]}."


def sweep(path: Path) -> None:
    """Remove what a killed process left beside `path`; files of living processes stay."""
    prefix = _prefix(path)
    for name in os.listdir(path.parent):
        if name.startswith(prefix) and name.endswith(".part"):
            owner = name.split(".")[-2]
            if owner.isdigit() and not _alive(int(owner)):
                (path.parent / name).unlink(missing_ok=True)


def _alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return True


# ---------------------------------------------------------------------- values as JSON


def plain(value: Any) -> Any:
    """A parameter or label as JSON; random generators, which are not part of a model, become null."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"pairs": [[plain(key), plain(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray | list | tuple):
        return {"array": np.asarray(value).tolist()}
    if type(value).__name__ in _HOMES and hasattr(value, "get_params"):
        parameters = value.get_params(deep=False)
        return {
            "estimator": type(value).__name__,
            "parameters": {name: plain(item) for name, item in parameters.items()},
        }
    return None


def restored(value: Any) -> Any:
    """The inverse of `plain`."""
    if isinstance(value, dict):
        if set(value) == {"pairs"}:
            return {restored(key): restored(item) for key, item in value["pairs"]}
        if set(value) == {"array"}:
            return np.asarray(value["array"])
        if set(value) == {"estimator", "parameters"}:
            return made(value["estimator"], value["parameters"])
        raise ModelFileError("a parameter is neither a number, a string, pairs nor an array")
    return value


def label(value: Any) -> Any:
    """A class label that JSON can hold exactly."""
    if not isinstance(value, bool | int | float | str):
        raise ModelFileError(
            f"a class label of type {type(value).__name__} cannot be saved; use strings or numbers"
        )
    return value


# ---------------------------------------------------------------------- saving


def save(model: Any, path: Any, *, extra: Mapping[str, Any] | None = None) -> None:
    """Write `model` to `path`; the file appears whole or not at all.

    Parameters
    ----------
    model : estimator
        A fitted estimator of this library.
    path : str or path-like
        Where to.
    extra : mapping, optional
        Entries to add to the description, as a checkpoint does.
    """
    if hasattr(model, "_write"):  # sequences have a form of their own
        model._write(path, dict(extra or {}))
        return
    _need_ours(model)
    model._so_far()
    learner = model._ready()
    if isinstance(learner.handle, ServingHandle):
        raise NotAvailableError(
            "this model came from a compact file and only predicts; copy that file instead"
        )
    handle = learner.handle
    touched = _few_touched(handle)
    tensors = _state_tensors(learner) if touched is None else _touched_tensors(learner, touched)
    tensors.update(_word_tensors(handle.words()))
    numbers = handle.state_numbers()
    content = {
        **describe(model),
        "touched": None if touched is None else {"blocks": touched.blocks, "start": touched.start},
        "scalars": {name: value for name, value in numbers.items() if isinstance(value, float)},
        "vectors": {name: list(numbers[name]) for name in _VECTORS},
        **(extra or {}),
    }
    with written_aside(Path(path)) as aside:
        write_tensors(aside, tensors, content)


def _need_ours(model: Any) -> None:
    """Refuse to write a model whose class a file could not name."""
    name = type(model).__name__
    if name not in _HOMES or estimator_class(name) is not type(model):
        raise NotAvailableError(
            f"{name} is no class of this library, and a model file names one; pickle the model, "
            "or save one of the class it is derived from"
        )


def describe(model: Any) -> dict[str, Any]:
    """What a model file says about a model besides its numbers."""
    learner = model._learner
    names = model.__dict__.get("feature_names_in_")
    return {
        "format": FORMAT,
        "library": __version__,
        "estimator": type(model).__name__,
        "parameters": {name: plain(value) for name, value in model.get_params(deep=False).items()},
        "classes": [label(name) for name in model._labels.names],
        "classes_dtype": model._labels.type,
        "dtype": learner.dtype,
        "n_features": learner.n_features,
        "feature_names": None if names is None else [str(name) for name in names],
        "extras": model._extras(),
        "n_passes": model.__dict__.get("n_passes_"),
        "input": model.__dict__.get("input_"),
    }


def _word_tensors(words: Mapping[int, str]) -> dict[str, Array | Later]:
    if not words:
        return {}
    columns = sorted(words)
    encoded = [words[column].encode("utf-8", "surrogatepass") for column in columns]
    ends = array("q", accumulate(map(len, encoded)))
    text = b"".join(encoded)
    return {
        "words.column": Later.whole("int64", (len(columns),), array("q", columns)),
        "words.end": Later.whole("int64", (len(ends),), ends),
        "words.bytes": Later.whole("uint8", (len(text),), text),
    }


def _state_pieces(handle: Any, name: str, rows: int, columns: int) -> Iterator[tuple[int, Any]]:
    """An array of a learner's state: some columns of all rows at a time.

    A model of several classes lies in memory feature by feature and in the file class by class; this way it is read
    once, not once for every class.
    """
    step = max(1, _PART // max(rows, 1))
    for first in range(0, columns, step):
        part = handle.state_part(name, (0, rows), (first, first + step)).cast("B")
        width = len(part) // rows
        for row in range(rows):
            yield row, part[row * width : (row + 1) * width]


def _matrix_pieces(handle: Any, name: str, rows: int, columns: int) -> Iterator[tuple[int, Any]]:
    """The same for an array that lies in memory row by row."""
    step = max(1, _PART // max(columns, 1))
    for first in range(0, rows, step):
        yield 0, handle.state_part(name, (first, first + step), (0, columns)).cast("B")


def _few_touched(handle: Any) -> Any:
    """The weights learning has touched, where naming them takes less room than writing all; else None."""
    touched = handle.touched()
    if touched is None:
        return None
    weights = touched.slots * touched.blocks
    # A bit more or less is not worth the unpacking.
    return touched if touched.count + weights / 32 < _FEW * weights else None


def _touched_pieces(handle: Any, name: str, touched: Any) -> Iterator[tuple[int, Any]]:
    """The numbers of the touched weights, as many at a time as some columns have."""
    step = max(1, _PART // touched.blocks)
    for first in range(0, touched.slots, step):
        part = handle.touched_part(name, touched, (first, first + step))
        if part.nbytes:
            yield 0, part.cast("B")


def _touched_tensors(learner: Any, touched: Any) -> dict[str, Array | Later]:
    """The touched weights' numbers, each array made when it is written."""
    tensors: dict[str, Array | Later] = {
        name: Later(
            learner.dtype, (1, touched.count), 1, partial(_touched_pieces, learner.handle, name, touched)
        )
        for name in touched.start
    }
    bits = touched.bits
    tensors["touched"] = Later.whole("uint8", (len(bits),), bits)
    return tensors


def _state_tensors(learner: Any) -> dict[str, Array | Later]:
    """The state's arrays, each made when it is written."""
    from .belief import Kernel

    handle = learner.handle
    # The tables of a kernel belief are small, and of float64 whatever the type of its rows.
    type = "float64" if isinstance(learner.belief, Kernel) else learner.dtype
    tensors: dict[str, Array | Later] = {}
    for name, rows, columns in handle.state_shapes():
        by_columns = 0 < rows < columns
        pieces = partial(_state_pieces if by_columns else _matrix_pieces, handle, name, rows, columns)
        tensors[name] = Later(type, (rows, columns), rows if by_columns else 1, pieces)
    return tensors


# ---------------------------------------------------------------------- compact files, for serving


def save_compact(model: Any, path: Any, *, dtype: str = "float16", sparse: bool | None = None) -> None:
    """Write only what predicting needs.

    Parameters
    ----------
    model : estimator
        A fitted classifier.
    path : str or path-like
        Where to.
    dtype : {"float16", "float32"}, default="float16"
        Type of the weights in the file.
    sparse : bool, optional
        Whether to keep only the weights that are not zero; by default when that is smaller.
    """
    from ._base import OnlineClassifier

    if not isinstance(model, OnlineClassifier):
        raise ParameterError(f"compact files are for classifiers, not for a {type(model).__name__}")
    _need_ours(model)
    learner = model._ready()
    if dtype not in ("float16", "float32"):
        raise ParameterError(f"a compact model is float16 or float32, got {dtype!r}")
    if getattr(learner.belief, "inclusive", False):
        raise NotAvailableError(
            f"{type(model).__name__}(form='own') predicts with its variances, which a compact file leaves out; "
            "keep the whole model, or use form='rule'"
        )
    coefficients, intercepts = learner.handle.average()
    scale = _half_scale(coefficients) if dtype == "float16" else 1.0
    with np.errstate(over="ignore", under="ignore"):
        small = (coefficients * scale).astype(dtype)
    if not np.isfinite(small).all():
        raise DataError(f"a weight is too large for {dtype}; use float32, or scale the features")
    kept = np.flatnonzero(small.any(axis=0))
    if small.size > _MOST_UNPACKED:
        sparse = False
    if sparse is None:
        sparse = len(kept) * (small.itemsize * len(small) + 4) < small.nbytes
    tensors: dict[str, Array | Later] = {"weights.intercept": np.ascontiguousarray(intercepts[:, 0])}
    if sparse:
        tensors["weights.column"] = kept.astype(np.int32)
        tensors["weights.value"] = np.ascontiguousarray(small[:, kept])
    else:
        tensors["weights.value"] = np.ascontiguousarray(small)
    tensors.update(_word_tensors(learner.handle.words()))
    state = learner.handle.state_numbers()
    content = {
        **describe(model),
        "compact": {"scale": scale, "sparse": sparse},
        "vectors": {name: list(state[name]) for name in _VECTORS},
    }
    with written_aside(Path(path)) as aside:
        write_tensors(aside, tensors, content)


def _half_scale(weights: Array) -> float:
    """A power of two that puts the largest weight amid float16's range; small ones keep their digits."""
    largest = float(np.abs(weights).max(initial=0.0))
    if largest == 0.0:
        return 1.0
    return float(2.0 ** (8 - np.floor(np.log2(largest))))


class ServingHandle:
    """A native learner that only predicts: what would change it is refused, what is not kept is not there."""

    has_variance = False
    compact = True

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    def __getattr__(self, name: str) -> Any:
        if name in ("variance", "margin_variance_csr", "margin_variance_dense"):
            raise NotAvailableError("a compact model keeps no variances; use the model it was made from")
        if name.startswith("learn") or name in ("grow", "to_multiclass", "inflate", "set_mean", "load_state"):
            raise NotAvailableError(
                "a compact model only predicts; go on learning with the model it was made from"
            )
        return getattr(self._inner, name)

    def copy(self) -> ServingHandle:
        """An independent copy."""
        return ServingHandle(self._inner.copy())


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
    return load_with_description(path)[0]


def load_with_description(path: Any) -> tuple[Any, dict[str, Any]]:
    """A model and everything its file says about it."""
    target = Path(path)
    content, tensors = _read(target)
    try:
        return _rebuilt(content, tensors), content
    except MemoryError:
        raise ModelFileError(f"{target}: the model does not fit into memory") from None
    except (
        KeyError,
        TypeError,
        IndexError,
        AttributeError,
        OverflowError,
        UnicodeDecodeError,
        RecursionError,
    ) as error:
        raise ModelFileError(
            f"{target}: the model's description is damaged ({type(error).__name__}: {error})"
        ) from None
    except (ParameterError, DataError, ModelFileError, ValueError) as error:
        raise ModelFileError(f"{target}: {error}") from None


def read_file(path: Path) -> tuple[dict[str, Any], dict[str, Array]]:
    """The description and the tensors of a model file."""
    content, tensors = _read(path)
    return content, {name: tensor.array for name, tensor in tensors.items()}


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    metadata, tensors = read_tensors(path)
    if KEY not in metadata:
        raise ModelFileError(f"{path}: a safetensors file, but not a model of onlinear")
    try:
        content = json.loads(metadata[KEY])
    except (ValueError, RecursionError):
        raise ModelFileError(f"{path}: the model's description is not JSON") from None
    version = content.get("format") if isinstance(content, dict) else None
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ModelFileError(f"{path}: the model's description has no format number")
    if version > FORMAT:
        raise ModelFileError(
            f"{path}: format {version}, this onlinear reads up to {FORMAT}. Upgrade onlinear to read it."
        )
    if metadata.get(SUM) != f"{checksum(metadata[KEY], tensors):08x}":
        raise ModelFileError(
            f"{path}: damaged: its checksum does not fit. Copy it again, or save the model again."
        )
    return content, tensors


def made(name: Any, parameters: dict[str, Any]) -> Any:
    """One of our estimators, by name, from plain parameters."""
    return estimator_class(name)(**{key: restored(value) for key, value in parameters.items()})


def estimator_class(name: Any) -> Any:
    """One of our estimators' classes, by name."""
    import onlinear

    if not isinstance(name, str) or name not in _HOMES:
        raise ModelFileError(f"unknown estimator {name!r}")
    cls = getattr(onlinear, name)
    if not hasattr(cls, "__dataclass_fields__"):
        raise ModelFileError(f"unknown estimator {name!r}")
    return cls


def rebuild(content: dict[str, Any], tensors: Mapping[str, Array]) -> Any:
    """An estimator from a description and tensors."""
    return _rebuilt(content, {name: Tensor.of(tensor) for name, tensor in tensors.items()})


def _rebuilt(content: dict[str, Any], tensors: dict[str, Tensor]) -> Any:
    cls = estimator_class(content["estimator"])
    if content.get("input") is not None:
        check(content["input"], INPUT, "input")
    if hasattr(cls, "_rebuild"):
        return cls._rebuild(content, {name: tensor.array for name, tensor in tensors.items()})
    for name, kind in MODEL.items():
        check(content[name], kind, name)
    model = made(content["estimator"], content["parameters"])
    if hasattr(type(model), "classes_") != bool(content["classes"]):
        raise ModelFileError("classes are missing, or there where none belong")
    n_features = _checked_sizes(content, tensors)
    classes = class_array(content["classes"], content["classes_dtype"])
    model._labels = Labels()
    names = content["feature_names"]
    if names is not None:
        if len(names) != n_features:
            raise ModelFileError(f"{len(names)} feature names for {n_features} features")
        model.feature_names_in_ = np.array([str(item) for item in names], dtype=object)
    if content.get("compact") is not None:
        arrays = {name: tensor.array for name, tensor in tensors.items()}
        _start_serving(model, content, arrays, n_features, classes)
    else:
        _start_learning(model, content, tensors, n_features, classes)
    if "words.column" in tensors:
        model._learner.handle.remember_words(dict(read_words(tensors, n_features)))
    model._take_extras(content["extras"])
    if content["n_passes"] is not None:
        model.n_passes_ = int(content["n_passes"])
    if content.get("input") is not None:
        model.input_ = dict(content["input"])
    return model


def _checked_sizes(content: dict[str, Any], tensors: dict[str, Tensor]) -> int:
    """The number of features, once it fits the tensors: a small file cannot ask for a large model."""
    n_features, classes, dtype = content["n_features"], content["classes"], content["dtype"]
    if not _is_count(n_features) or n_features > 1 << 31:
        raise ModelFileError("the number of features is not possible")
    if dtype not in ("float32", "float64"):
        raise ModelFileError(f"weights of type {dtype!r}")
    if not isinstance(classes, list) or len(classes) > _MOST_CLASSES:
        raise ModelFileError("the classes are missing")
    for item in classes:
        label(item)
    if len(set(classes)) != len(classes):
        raise ModelFileError("the classes are not distinct")
    compact = content.get("compact") is not None
    state = {name: tensor for name, tensor in tensors.items() if not name.startswith("words.")}
    if compact:
        return n_features
    touched = state.pop("touched", None)
    if (touched is None) != (content.get("touched") is None):
        raise ModelFileError("which weights were touched is missing, or there where it does not belong")
    if "support" in state:
        _check_examples({name: tensor.array for name, tensor in state.items()}, n_features)
        return n_features
    shapes = {name: tensor.shape for name, tensor in state.items()}
    if not shapes or any(len(shape) != 2 for shape in shapes.values()):
        raise ModelFileError("the model has no weights")
    if any(tensor.type != dtype for tensor in state.values()):
        raise ModelFileError(f"the weights are not {dtype}, as the description says")
    if touched is not None:
        # A bit for each weight, and the file has them all: what is unpacked is in proportion to it.
        blocks = content["touched"]["blocks"]
        if not _is_count(blocks) or not 1 <= blocks <= max(len(classes), 2):
            raise ModelFileError("the classes do not fit the weights")
        if touched.type != "uint8" or touched.shape != (-(-blocks * (n_features + 1) // 64) * 8,):
            raise ModelFileError("the number of features does not fit the touched weights")
        return n_features
    blocks = {shape[0] for name, shape in shapes.items() if name != "covariance_root"}
    if len(blocks) != 1 or not 1 <= min(blocks) <= max(len(classes), 2):
        raise ModelFileError("the classes do not fit the weights")
    if any(shape[1] != n_features + 1 for name, shape in shapes.items() if name != "covariance_root"):
        raise ModelFileError("the number of features does not fit the weights")
    side = min(blocks) * (n_features + 1)
    full = content["parameters"].get("covariance") == "full"
    if full and shapes.get("covariance_root", (side, side)) != (side, side):
        raise ModelFileError("the covariance does not fit the weights")
    if full and "covariance_root" not in shapes:
        raise ModelFileError("the covariance is missing")
    return n_features


def _is_count(value: Any) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _check_examples(state: Mapping[str, Array], n_features: int) -> None:
    """Refuse a kernel model that would take far more room than its file brings.

    It keeps examples instead of weights, and lays them out dense when the features are few.
    """
    if np.ravel(state.get("shape", np.empty(0))).tolist()[1:] != [n_features + 1.0]:
        raise ModelFileError("the number of features does not fit the examples")
    if any(tensor.ndim != 2 or tensor.dtype != np.float64 for tensor in state.values()):
        raise ModelFileError("the examples have the wrong shape or type")
    cells = len(state.get("born", ())) * min(n_features + 1, _FEW_FEATURES)
    brought = sum(tensor.size for tensor in state.values())
    if cells > max(_MOST_UNPACKED, _MOST_UNFOLDED * brought):
        raise ModelFileError("the file is too small for the examples it says to have")


def _start_learning(
    model: Any,
    content: dict[str, Any],
    tensors: dict[str, Tensor],
    n_features: int,
    classes: Array | list[Any],
) -> None:
    state: dict[str, Any] = {
        key: tensor.numbers for key, tensor in tensors.items() if not key.startswith("words.")
    }
    bits = state.pop("touched", None)
    touched = None
    if bits is not None:
        start = {str(key): float(value) for key, value in content["touched"]["start"].items()}
        touched = _core.Touched(bits, n_features + 1, content["touched"]["blocks"], start)
    model._start(n_features, classes, content["dtype"], anew=False)
    state.update({key: float(value) for key, value in content["scalars"].items()})
    # The first files of format 1 did not record the variance of features yet to come; it was the initial one.
    state.setdefault("fresh_variance", float(getattr(model, "initial_variance", 1.0)))
    state.update({key: [float(item) for item in content["vectors"][key]] for key in _VECTORS})
    model._learner.handle.load_state(state, touched)


def _start_serving(
    model: Any,
    content: dict[str, Any],
    tensors: dict[str, Array],
    n_features: int,
    classes: Array | list[Any],
) -> None:
    """A model that predicts with given weights: whatever learned them, a mean is enough to apply them."""
    from . import belief, rule, task
    from ._base import OnlineClassifier
    from ._learner import Learner

    if not isinstance(model, OnlineClassifier):
        raise ModelFileError(f"compact files are for classifiers, not for a {type(model).__name__}")
    model._check_parameters()
    model._labels.add(classes)
    value, intercept = tensors["weights.value"], tensors["weights.intercept"]
    blocks = len(intercept)
    if value.ndim != 2 or intercept.ndim != 1 or len(value) != blocks:
        raise ModelFileError("the weights have the wrong shape")
    if value.dtype.name not in ("float16", "float32") or intercept.dtype != np.float64:
        raise ModelFileError("the weights have the wrong type")
    if blocks not in ({1, 2} if len(classes) <= 2 else {len(classes)}):
        raise ModelFileError("the classes do not fit the weights")
    scale = float(content["compact"]["scale"])
    if not (np.isfinite(scale) and scale > 0):
        raise ModelFileError("the scale of the weights is not possible")
    if n_features > model.max_features:
        raise ModelFileError(f"{n_features} features, more than max_features={model.max_features}")
    with np.errstate(over="ignore"):
        weights = _unpacked(content["compact"]["sparse"], tensors, n_features) / scale
    if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
        raise ModelFileError("a weight is not finite")
    learner = Learner(
        task=task.Binary() if blocks == 1 else task.Multiclass(),
        rule=rule.Perceptron(),
        belief=belief.Mean(),
        dtype="float32",
        n_features=n_features,
        n_classes=max(blocks, 2),
        fit_intercept=True,
        bits=model.bits,
        max_features=model.max_features,
    )
    handle = learner.handle
    handle.set_mean(np.ascontiguousarray(weights, dtype=np.float64), intercept)
    state = handle.state()
    state.update({key: [float(item) for item in content["vectors"][key]] for key in _VECTORS})
    handle.load_state(state)
    learner._handle = cast("Any", ServingHandle(handle))
    model._learner = learner
    model.n_features_in_ = n_features


def _unpacked(sparse: bool, tensors: dict[str, Array], n_features: int) -> Array:
    value = tensors["weights.value"]
    if not sparse:
        if value.shape[1] != n_features:
            raise ModelFileError("the number of features does not fit the weights")
        return value.astype(np.float64)
    if len(value) * n_features > _MOST_UNPACKED:
        raise ModelFileError("a sparse model of too many weights; models of this size are kept dense")
    column = tensors["weights.column"]
    if column.ndim != 1 or column.dtype != np.int32 or len(column) != value.shape[1]:
        raise ModelFileError("the columns do not fit the weights")
    if len(column) and (column[0] < 0 or column[-1] >= n_features or np.any(np.diff(column) <= 0)):
        raise ModelFileError("the columns of the weights are out of range or order")
    out = np.zeros((len(value), n_features))
    out[:, column] = value
    return out


def class_array(classes: list[Any], dtype: str | None) -> Array | list[Any]:
    """Class labels as the array they came from; as they are where they would make that array."""
    if classes and type_of(classes) == dtype:
        return classes
    if dtype is not None and not (isinstance(dtype, str) and re.fullmatch(_CLASS_TYPE, dtype)):
        raise ModelFileError(f"classes of type {dtype!r}")
    kind = np.dtype(object if dtype is None else dtype)
    if kind.kind == "O":
        out = np.empty(len(classes), dtype=object)
        out[:] = classes
        return out
    if kind.kind in "US":
        if not all(isinstance(item, str) for item in classes):
            raise ModelFileError("the classes are not all text, as their type says")
        return np.array(classes)
    if any(isinstance(item, str) for item in classes):
        raise ModelFileError("the classes are not all numbers, as their type says")
    with np.errstate(over="ignore"):  # what does not fit is told below
        out = np.array(classes, dtype=kind)
    if out.tolist() != classes:
        raise ModelFileError(f"field 'classes' holds values that are not of the type {dtype!r}")
    return out


def read_words(tensors: Mapping[str, Tensor], n_features: int) -> Iterator[tuple[int, str]]:
    """The words of hashed columns."""
    columns, ends, raw = tensors["words.column"], tensors["words.end"], bytes(tensors["words.bytes"].data)
    if len(columns.shape) != 1 or columns.shape != ends.shape or not columns.type == ends.type == "int64":
        raise ModelFileError("the table of words is damaged")
    places, stops = columns.numbers.tolist(), ends.numbers.tolist()
    if stops and (stops != sorted(stops) or stops[0] < 0 or stops[-1] != len(raw)):
        raise ModelFileError("the table of words is damaged")
    if places and (min(places) < 0 or max(places) >= n_features):
        raise ModelFileError("the table of words names columns that do not exist")
    start = 0
    for column, end in zip(places, stops, strict=True):
        yield column, raw[start:end].decode("utf-8", "surrogatepass")
        start = end
