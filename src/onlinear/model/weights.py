"""Weights of examples."""

from __future__ import annotations

import sys
from numbers import Real
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError
from .rows import refuse_masked

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

__all__ = ["need_weight", "weights_of"]


def need_weight(w: Any) -> None:
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
