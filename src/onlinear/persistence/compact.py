"""Compact files, for serving: the weights predicting needs, perhaps as float16, perhaps only those that are not zero."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import belief, rule, task
from ..exceptions import DataError, ModelFileError, NotAvailableError, ParameterError
from ..model.classifier import ClassifierModel
from ..model.model import RowModel
from ..model.native import Native
from .saving import MOST_UNPACKED, describe, need_ours, the_model, vectors_in, vectors_of, word_tensors
from .tensors import write_tensors
from .writing import written_aside

if TYPE_CHECKING:
    from ..model.types import Array, Label, PathLike, Values

__all__ = ["ServingHandle", "save_compact", "start_serving"]


def save_compact(model: Any, path: PathLike, *, dtype: str = "float16", sparse: bool | None = None) -> None:
    """Write only what predicting needs.

    Parameters
    ----------
    model : Model or estimator
        Of a classifier.
    path : str or path-like
        Where to.
    dtype : {"float16", "float32"}, default="float16"
        Type of the weights in the file.
    sparse : bool, optional
        Whether to keep only the weights that are not zero; by default when that is smaller.
    """
    model = the_model(model)
    if not isinstance(model, ClassifierModel):
        raise ParameterError(f"compact files are for classifiers, not for a {model.recipe.owner}")
    need_ours(model)
    learner = model.learner
    if dtype not in ("float16", "float32"):
        raise ParameterError(f"a compact model is float16 or float32, got {dtype!r}")
    if getattr(learner.belief, "inclusive", False):
        raise NotAvailableError(
            f"{model.recipe.owner}(form='own') predicts with its variances, which a compact file leaves out; "
            "keep the whole model, or use form='rule'"
        )
    if getattr(learner.belief, "center", False):
        raise NotAvailableError(
            f"{model.recipe.owner}(center=True) takes means from the features in more digits than the weights of a compact "
            "file have; keep the whole model, or use center=False"
        )
    coefficients, intercepts = learner.handle.average()
    scale = _half_scale(coefficients) if dtype == "float16" else 1.0
    with np.errstate(over="ignore", under="ignore"):
        small = (coefficients * scale).astype(dtype)
    if not np.isfinite(small).all():
        raise DataError(f"a weight is too large for {dtype}; use float32, or scale the features")
    kept = np.flatnonzero(small.any(axis=0))
    if small.size > MOST_UNPACKED:
        sparse = False
    if sparse is None:
        sparse = len(kept) * (small.itemsize * len(small) + 4) < small.nbytes
    tensors: Values = {"weights.intercept": np.ascontiguousarray(intercepts[:, 0])}
    if sparse:
        tensors["weights.column"] = kept.astype(np.int32)
        tensors["weights.value"] = np.ascontiguousarray(small[:, kept])
    else:
        tensors["weights.value"] = np.ascontiguousarray(small)
    tensors.update(word_tensors(learner.handle.words()))
    state = learner.handle.state_numbers()
    content = {
        **describe(model),
        "compact": {"scale": scale, "sparse": sparse},
        "vectors": vectors_of(state),
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


def start_serving(
    model: RowModel,
    content: Values,
    tensors: dict[str, Array],
    n_features: int,
    classes: Array | list[Label],
) -> None:
    """A model that predicts with given weights: whatever learned them, a mean is enough to apply them."""
    if not isinstance(model, ClassifierModel):
        raise ModelFileError(f"compact files are for classifiers, not for a {model.recipe.owner}")
    recipe = model.recipe
    recipe.check()
    model.labels.add(classes)
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
    if n_features > recipe.max_features:
        raise ModelFileError(f"{n_features} features, more than max_features={recipe.max_features}")
    with np.errstate(over="ignore"):
        weights = _unpacked(content["compact"]["sparse"], tensors, n_features) / scale
    if not (np.isfinite(weights).all() and np.isfinite(intercept).all()):
        raise ModelFileError("a weight is not finite")
    native = Native(
        task=task.Binary() if blocks == 1 else task.Multiclass(),
        rule=rule.Perceptron(),
        belief=belief.Mean(),
        dtype="float32",
        n_features=n_features,
        n_classes=max(blocks, 2),
        fit_intercept=True,
        bits=model.schema.bits,
        hash=model.schema.hash_of_names,
        max_features=recipe.max_features,
    )
    handle = native.handle
    handle.set_mean(np.ascontiguousarray(weights, dtype=np.float64), intercept)
    state = handle.state()
    state.update(vectors_in(content))
    handle.load_state(state)
    native.only_predicts(ServingHandle(handle))
    if model.schema.names is not None:
        native.name_columns(model.schema.names)
    model.native = native


def _unpacked(sparse: bool, tensors: dict[str, Array], n_features: int) -> Array:
    value = tensors["weights.value"]
    if not sparse:
        if value.shape[1] != n_features:
            raise ModelFileError("the number of features does not fit the weights")
        return value.astype(np.float64)
    if len(value) * n_features > MOST_UNPACKED:
        raise ModelFileError("a sparse model of too many weights; models of this size are kept dense")
    column = tensors["weights.column"]
    if column.ndim != 1 or column.dtype != np.int32 or len(column) != value.shape[1]:
        raise ModelFileError("the columns do not fit the weights")
    if len(column) and (column[0] < 0 or column[-1] >= n_features or np.any(np.diff(column) <= 0)):
        raise ModelFileError("the columns of the weights are out of range or order")
    out = np.zeros((len(value), n_features))
    out[:, column] = value
    return out
