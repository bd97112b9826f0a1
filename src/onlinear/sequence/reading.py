"""Sequences and labels, as users hold them, on their way into the core."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError
from ..model.labels import label_of
from ..model.rows import refuse_masked

if TYPE_CHECKING:
    from .. import _core
    from ..model.types import Array, Label, LabelsLike, SequencesLike

__all__ = [
    "check_expected",
    "checked",
    "distinct_labels",
    "plain_labels",
    "read_sequences",
    "weighty_sequences",
]


def plain_labels(labels: LabelsLike) -> list[Label]:
    """Labels as a list."""
    out: list[Label] = labels.tolist() if hasattr(labels, "tolist") else list(labels)
    return out


def distinct_labels(labels: list[list[Label]]) -> list[Label]:
    """All labels, sorted; those that cannot be compared by their type and looks."""
    try:
        distinct = {label for answers in labels for label in answers}
    except TypeError:
        raise DataError("a label must be a string or a number") from None
    distinct = set(map(label_of, distinct))
    try:
        return sorted(distinct)
    except TypeError:
        return sorted(distinct, key=lambda label: (type(label).__name__, repr(label)))


def _sequence(x: Any) -> Any:
    """A sequence as the core reads it; arrays as float64."""
    if isinstance(x, list):
        return x
    import numpy as np

    refuse_masked(x, "X")
    if hasattr(x, "tocsr"):
        csr = x.tocsr()
        parts = (
            np.ascontiguousarray(csr.data, np.float64),
            csr.indices.astype(np.int64),
            csr.indptr.astype(np.int64),
        )
        return (*parts, int(csr.shape[1]))
    if isinstance(x, np.ndarray):
        return np.ascontiguousarray(x, dtype=np.float64) if x.dtype.kind in "fiub" else x.tolist()
    if isinstance(x, str | bytes) or not hasattr(x, "__iter__"):
        raise DataError(f"a sequence must be a list of tokens or a two-dimensional array, got {x!r}")
    return list(x)


def _listed(given: Iterable[Any], name: str) -> list[Label]:
    if isinstance(given, str | bytes | dict) or not hasattr(given, "__iter__"):
        raise DataError(f"{name} must be a list of sequences, got {given!r}")
    return given if isinstance(given, list) else list(given)


def checked(X: SequencesLike, y: LabelsLike | None = None) -> Any:
    """Sequences, and with `y` their labels, as lists."""
    sequences = _listed(X, "X")
    if y is None:
        return sequences
    labels = _listed(y, "y")
    if len(sequences) != len(labels):
        raise DataError(f"X has {len(sequences)} sequences and y {len(labels)}; they must agree in number")
    for number, answers in enumerate(labels):
        if isinstance(answers, str | bytes) or not hasattr(answers, "__iter__"):
            raise DataError(f"sequence {number}: its labels must be a list, got {answers!r}", number)
    return sequences, [answers if isinstance(answers, list) else plain_labels(answers) for answers in labels]


def read_sequences(
    native: _core.SequenceLearner,
    sequences: list[Label],
    labels: LabelsLike,
    index: dict[Label, int],
    *,
    learning: bool,
    new_labels: bool = False,
) -> _core.SequenceBatch:
    """Sequences, and their labels where they are given, as a batch of the core."""
    ready = [x if type(x) is list else _sequence(x) for x in sequences]
    try:
        return native.read(ready, labels, index, learning, new_labels)
    except UnicodeEncodeError as error:
        raise DataError(
            f"a feature's name or category must be valid Unicode, got {error.object!a}, which holds half a surrogate "
            "pair; repair it where it was decoded"
        ) from None
    except (ValueError, TypeError) as error:
        raise DataError(str(error)) from None


def check_expected(labels: list[list[Label]], expected: list[Label]) -> None:
    """Refuse labels that the caller did not announce."""
    for number, answers in enumerate(labels):
        for label in answers:
            if label not in expected:
                raise DataError(
                    f"sequence {number}: y contains {label!r}, which is not among classes={expected}", number
                )


def weighty_sequences(
    native: _core.SequenceLearner,
    sequences: list[Label],
    labels: list[Label],
    index: dict[Label, int],
    weights: Array,
) -> tuple[list[int], list[Label], list[Label], Array]:
    """The sequences that have a weight, and which they are; the others bring nothing, but must be sound too."""
    import numpy as np

    read_sequences(native, sequences, labels, dict(index), learning=True, new_labels=True)
    kept = np.flatnonzero(weights).tolist()
    return kept, [sequences[i] for i in kept], [labels[i] for i in kept], weights[kept]
