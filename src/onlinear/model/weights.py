"""Weights of examples and of classes."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError
from .rows import refuse_masked

if TYPE_CHECKING:
    import numpy.typing as npt

    from .types import Array, Label


__all__ = ["balanced_weights", "class_weights", "need_weight", "weights_of"]


def need_weight(w: object) -> None:
    """Raise unless `w` can be the weight of an example."""
    weight: Any = w
    if not isinstance(w, Real):
        raise TypeError(f"w must be a number, got {w!r}")
    if not 0 <= weight <= sys.float_info.max:
        raise DataError(f"w must be finite and not negative, got {w!r}", 0)


def weights_of(sample_weight: npt.ArrayLike | None, n: int) -> Array | None:
    """Example weights as the core wants them; bad ones are refused before anything is learned."""
    if sample_weight is None:
        return None
    import numpy as np

    refuse_masked(sample_weight, "sample_weight")
    try:
        weights = np.require(sample_weight, np.float64, ["C", "A"])
    except (TypeError, ValueError, OverflowError):
        raise DataError(f"sample_weight must hold {n} numbers, got {sample_weight!r}") from None
    if weights.ndim == 0:
        weights = np.full(n, weights[()])
    if weights.shape != (n,):
        raise DataError(f"sample_weight must have shape ({n},), got {weights.shape}")
    bad = ~(np.isfinite(weights) & (weights >= 0))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise DataError(
            f"sample_weight must be finite and not negative, got {weights[row]} for row {row}", row
        )
    return weights


def class_weights(
    given: Mapping[Label, float] | str | None, names: Sequence[Label], least: int = 0
) -> tuple[Array | None, bool]:
    """The weight of each class, `least` of them or more, in the order of `names`, and whether counts so far balance them."""
    if given is None or isinstance(given, str):
        return None, given == "balanced"
    import numpy as np

    return np.array([float(given.get(name, 1.0)) for name in names] + [1.0] * (least - len(names))), False


def balanced_weights(numbers: Array, n_classes: int) -> Array:
    """The weights of classes that balance them over examples known as a whole: scikit-learn's meaning."""
    import numpy as np

    counts = np.bincount(numbers, minlength=n_classes).astype(np.float64)
    present = counts > 0
    weights: Array = np.where(present, len(numbers) / (present.sum() * np.where(present, counts, 1.0)), 1.0)
    return weights
