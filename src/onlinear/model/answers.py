"""What a classifier's scores mean: classes, probabilities, margins, weights, in the order of the sorted classes.

Blocks are scores or weights as the core has them, one column (or row) per class in the order of arrival, or a single one
for two classes. Another thread may bring a class at any time: whoever needs names as well takes `Classes` once.
"""

from __future__ import annotations

from math import nextafter
from typing import TYPE_CHECKING

import numpy as np

from .. import _core
from .labels import Classes
from .model import RowModel
from .rows import Rows, SparseRows, refuse

if TYPE_CHECKING:
    from .types import Array, Numbers

__all__ = [
    "confidences",
    "decided",
    "deviations",
    "margin_deviations",
    "margins",
    "oriented",
    "oriented_weights",
    "probabilities",
]

_HALF_AND_A_BIT = nextafter(0.5, 1.0)


def oriented(blocks: Array, classes: Classes) -> Array:
    """Scores in the order of the sorted classes: (n,) towards the second for two classes, else (n, n_classes)."""
    order = classes.order
    if len(order) < 2:
        return blocks[:, 0] if blocks.shape[1] == 1 else blocks[:, 1] - blocks[:, 0]
    if len(order) == 2:
        first, second = order
        if blocks.shape[1] == 1:
            return blocks[:, 0] if second == 1 else -blocks[:, 0]
        towards: Array = blocks[:, second] - blocks[:, first]
        return towards
    if classes.in_order and blocks.shape[1] == len(order):
        return blocks
    columns: Array = blocks[:, order]
    return columns


def decided(scores: Array, classes: Classes) -> Array:
    """Positions among the sorted classes."""
    if classes.count == 1:
        return np.zeros(len(scores), dtype=np.intp)
    if scores.ndim == 1:
        return (scores >= 0).astype(np.intp)
    return _core.best_columns(np.ascontiguousarray(scores))


def probabilities(model: RowModel, blocks: Array, classes: Classes) -> Array:
    """Calibrated probabilities, a column for each of the sorted classes."""
    order = classes.order
    if len(order) == 1:
        return np.ones((len(blocks), 1))
    if model.learner.n_seen == 0:
        return np.full((len(blocks), len(order)), 1 / len(order))
    out: Array = model.learner.handle.probabilities(np.ascontiguousarray(blocks))[:, order]
    if len(order) == 2:
        # The offset moves the middle of the map away from score 0; the predicted class keeps the larger share.
        positive = oriented(blocks, classes) >= 0
        out[:, 1] = np.where(positive, np.maximum(out[:, 1], _HALF_AND_A_BIT), np.minimum(out[:, 1], 0.5))
        out[:, 0] = 1 - out[:, 1]
    return out


def margins(scores: Array) -> Array:
    """How far each of some oriented scores is from another decision."""
    if scores.ndim == 1:
        return np.abs(scores)
    best = np.partition(scores, -2, axis=1)
    gap: Array = best[:, -1] - best[:, -2]
    return gap


def margin_deviations(model: RowModel, rows: Rows, n_threads: int = 1) -> Array:
    """The standard deviation, under the belief, of the margin of each row."""
    learner = model.with_variance()
    handle, rows = learner.handle, learner.known_part(rows)
    read = handle.margin_variance_csr if isinstance(rows, SparseRows) else handle.margin_variance_dense
    variance = read(*rows.arguments(), n_threads)
    if isinstance(variance, tuple):
        raise refuse(*variance, single_precision=learner.dtype == "float32", learning=False)
    deviation: Array = np.sqrt(variance[:, 0])
    return deviation


def confidences(margin: Array, std: Array) -> Array:
    """Probability, under the Gaussian belief, that a decision is on the right side."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(std > 0, margin / std, np.where(margin > 0, np.inf, 0.0))
    return np.array([_core.rule.cdf(value) for value in z.tolist()])


def oriented_weights(blocks: Array, classes: Classes) -> Array:
    """Weights per block as weights per row of `coef_`."""
    classes = classes.among(len(blocks))
    if classes.count > 2:
        rows: Array = blocks[classes.order]
        return rows
    return oriented(blocks.T, classes).reshape(1, -1)


def deviations(variances: Numbers, classes: Classes) -> Array:
    """The standard deviation of each weight, shaped as `oriented_weights`."""
    classes = classes.among(len(variances))
    if classes.count > 2:
        rows: Array = np.sqrt(variances[classes.order])
        return rows
    both: Array = np.sqrt(variances.sum(axis=0, keepdims=True))
    return both
