"""Reading a model: nothing of the file is run, and every number is checked before it is used."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from .. import _core
from ..exceptions import DataError, ModelFileError, ParameterError
from ..model.kinds import model_of
from ..model.labels import type_of
from ..model.model import Model, RowModel
from ..model.native import MEANS, SCALES, check_scaled
from ..model.schema import OLDER
from .description import INPUT, MODEL, SCHEMA, check
from .saving import FORMAT, MOST_UNPACKED, vectors_in
from .tensors import KEY, SUM, Tensor, checksum, read_tensors
from .values import EARLIER, label, made, plain

if TYPE_CHECKING:
    from ..model.types import Array, Label, PathLike, Values


__all__ = [
    "check_parameters",
    "class_array",
    "load_model",
    "load_with_description",
    "read_file",
    "read_words",
    "rebuild",
]

_MOST_CLASSES = 1 << 24


# What NumPy calls the types of labels: numbers, truth, text, and objects for a mixture.
_CLASS_TYPE = r"[<>=|]?(b1|[iu][1248]|f([248]|16)|[US]\d{1,9}|O)"


# Examples of a kernel model with up to so many features are laid out dense; and how often over that may be what
# the file brings, where it is more than the above.
_FEW_FEATURES = 4096


_MOST_UNFOLDED = 64


def load_model(path: PathLike) -> Model:
    """Read a model written by `save`; safe with files of unknown origin.

    Parameters
    ----------
    path : str or path-like
        The file.
    """
    return load_with_description(path)[0]


def load_with_description(path: PathLike) -> tuple[Model, Values]:
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


def read_file(path: Path) -> tuple[Values, dict[str, Array]]:
    """The description and the tensors of a model file."""
    content, tensors = _read(path)
    return content, {name: tensor.array for name, tensor in tensors.items()}


def _read(path: Path) -> tuple[Values, dict[str, Tensor]]:
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


def rebuild(content: Values, tensors: Mapping[str, Array]) -> Model:
    """A model from a description and tensors."""
    return _rebuilt(content, {name: Tensor.of(tensor) for name, tensor in tensors.items()})


def _rebuilt(content: Values, tensors: dict[str, Tensor]) -> Model:
    if content.get("input") is not None:
        check(content["input"], INPUT, "input")
    check(content["parameters"], MODEL["parameters"], "parameters")
    model = model_of(made(content["estimator"], content["parameters"]))
    if not isinstance(model, RowModel):
        model.take_parts(content, {name: tensor.array for name, tensor in tensors.items()})
        return model
    for name, kind in MODEL.items():
        check(content[name], kind, name)
    if model.has_classes != bool(content["classes"]):
        raise ModelFileError("classes are missing, or there where none belong")
    n_features = _checked_sizes(content, tensors)
    classes = class_array(content["classes"], content["classes_dtype"])
    names = content["feature_names"]
    if names is not None:
        if len(names) != n_features:
            raise ModelFileError(f"{len(names)} feature names for {n_features} features")
        model.schema.names = [str(item) for item in names]
    _take_schema(model, content)
    if content.get("compact") is not None:
        from .compact import start_serving  # which needs NumPy

        arrays = {name: tensor.array for name, tensor in tensors.items()}
        start_serving(model, content, arrays, n_features, classes)
    else:
        _start_learning(model, content, tensors, n_features, classes)
    model.tell_names()
    if "words.column" in tensors:
        model.learner.handle.remember_words(dict(read_words(tensors, n_features)))
    model.take_extras(content["extras"])
    if content["n_passes"] is not None:
        model.n_passes = int(content["n_passes"])
    return model


def _take_schema(model: RowModel, content: Values) -> None:
    """How rows become columns; files without a schema have the ways of the versions that wrote them."""
    given, found = content.get("schema"), content.get("input")
    if found is not None:
        model.schema.input = dict(found)
    if given is not None:
        check(given, SCHEMA, "schema")
        schema = model.schema
        schema.hash, schema.bits = given["hash"], int(given["bits"])
        schema.columns, schema.open = dict(given.get("columns") or {}), bool(given.get("open", True))
        schema.text = given.get("text")
        return
    read_as = found or {}
    model.schema.hash = OLDER
    if read_as.get("format") not in (None, "svmlight"):
        model.schema.bits = int(read_as.get("bits", model.schema.bits))


def _checked_sizes(content: Values, tensors: dict[str, Tensor]) -> int:
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
    means = state.pop(MEANS, None)
    if means is not None and (means.type != "float64" or means.shape[1:] != (2,)):
        raise ModelFileError("the means of the features have the wrong shape or type")
    shapes = {name: tensor.shape for name, tensor in state.items()}
    if any(shapes.pop(name, (1, n_features + 1)) != (1, n_features + 1) for name in SCALES):
        raise ModelFileError("the scales do not fit the features")
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


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _check_examples(state: Mapping[str, Array], n_features: int) -> None:
    """Refuse a kernel model that would take far more room than its file brings.

    It keeps examples instead of weights, and lays them out dense when the features are few.
    """
    import numpy as np

    if np.ravel(state.get("shape", np.empty(0))).tolist()[1:] != [n_features + 1.0]:
        raise ModelFileError("the number of features does not fit the examples")
    if any(tensor.ndim != 2 or tensor.dtype != np.float64 for tensor in state.values()):
        raise ModelFileError("the examples have the wrong shape or type")
    cells = len(state.get("born", ())) * min(n_features + 1, _FEW_FEATURES)
    brought = sum(tensor.size for tensor in state.values())
    if cells > max(MOST_UNPACKED, _MOST_UNFOLDED * brought):
        raise ModelFileError("the file is too small for the examples it says to have")


def _start_learning(
    model: RowModel,
    content: Values,
    tensors: dict[str, Tensor],
    n_features: int,
    classes: Array | list[Label],
) -> None:
    state: Values = {key: tensor.numbers for key, tensor in tensors.items() if not key.startswith("words.")}
    bits = state.pop("touched", None)
    touched = None
    if bits is not None:
        start = {str(key): float(value) for key, value in content["touched"]["start"].items()}
        touched = _core.Touched(bits, n_features + 1, content["touched"]["blocks"], start)
    model.recipe.check()
    model.recipe.repeats = "average_rounds" in content["scalars"]
    model.start(n_features, classes, content["dtype"], anew=False)
    state.update({key: float(value) for key, value in content["scalars"].items()})
    # The first files of format 1 did not record the variance of features yet to come; it was the initial one.
    state.setdefault("fresh_variance", float(getattr(model.recipe, "initial_variance", 1.0)))
    state.update(vectors_in(content))
    check_scaled(model.learner.belief, model.learner.task, state)
    model.learner.handle.load_state(state, touched)


def class_array(classes: list[Label], dtype: str | None) -> Array | list[Label]:
    """Class labels as the array they came from; as they are where they would make that array."""
    if classes and type_of(classes) == dtype:
        return classes
    if dtype is not None and not (isinstance(dtype, str) and re.fullmatch(_CLASS_TYPE, dtype)):
        raise ModelFileError(f"classes of type {dtype!r}")
    import numpy as np

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


def check_parameters(model: Model, fresh: Model) -> None:
    """Refuse a model with other parameters than the run's: it would end with another model, and nobody would know.

    What nobody has given goes on as it began, also where an earlier version began it with another default.
    """
    defaults = {field.name: field.default for field in fields(fresh.recipe)}
    if type(model.recipe) is not type(fresh.recipe):
        raise ModelFileError(
            f"field 'estimator' is {model.recipe.estimator}, and the run has {fresh.recipe.estimator}"
        )
    found, meant = (plain(one.recipe.parameters())["pairs"] for one in (model, fresh))
    for (name, value), (_, other) in zip(found, meant, strict=True):
        earlier = name in EARLIER and value == EARLIER[name] and other == defaults[name]
        if (
            value != other and not earlier and name != "templates"
        ):  # which the run gives to both when it begins
            raise ModelFileError(f"field 'parameters.{name}' is {value!r}, and the run has {other!r}")
