"""What a model answers to a stream, beside the answers the stream has itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..exceptions import DataError, ReadError
from ..io import Batch, Reader

if TYPE_CHECKING:
    from ..model.types import Array

__all__ = ["answered", "is_stream"]


def is_stream(X: Any) -> bool:
    """Whether X is what `onlinear.read` gives, which has the answers with it."""
    return isinstance(X, Batch | Reader)


def answered(
    predict: Callable[[Batch], Any],
    stream: Batch | Reader,
    y: Any,
    sample_weight: Any,
    *,
    numbers: bool = False,
) -> tuple[Array, Array, Array]:
    """The labels (numbers, if need be), the predictions and the weights of all rows.

    Raises
    ------
    DataError
        If labels are given besides, or there is nothing to weigh.
    ReadError
        If a row has no label, or not a single one.
    """
    if y is not None or sample_weight is not None:
        raise DataError(
            "what onlinear.read gives has its labels and weights with it; leave y and sample_weight out"
        )
    truth, predicted, weight = [], [], []
    for batch in [stream] if isinstance(stream, Batch) else stream:
        _need_labels(batch, numbers)
        truth.append(batch.labels if numbers else np.asarray(batch.y).astype(object))
        predicted.append(predict(batch))
        weight.append(np.ones(batch.n_rows) if batch.weight is None else batch.weight)
    if not sum(map(np.sum, weight)):
        raise DataError("no row of any weight to score")
    return np.concatenate(truth), np.concatenate(predicted), np.concatenate(weight)


def _need_labels(batch: Batch, numbers: bool) -> None:
    """Refuse rows without a label, and words where numbers are wanted, by their lines."""
    if batch.label_indptr is not None:
        raise DataError(f"{batch.source}: read with multilabel=True, and a score needs one label a row")
    lacking = np.isnan(batch.labels) if numbers else np.isnan(batch.labels) & (batch.label_ids < 0)
    if lacking.any():
        row = int(np.flatnonzero(lacking)[0])
        line, source = int(batch.lines[row]), batch.source_of(row)
        what = "number" if numbers else "label"
        raise ReadError(
            f"{source}:{line}: the row has no {what} to compare with, and a score needs one", source, line
        )
