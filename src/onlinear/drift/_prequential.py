"""How well a model follows a stream: every example is asked before it is taught."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.signal import lfilter

from ..exceptions import DataError
from ..model.parameters import check_number
from ._streams import DriftStream, changes
from ._watched import is_fitted

if TYPE_CHECKING:
    from ..model.types import Array, Label

__all__ = ["Prequential", "prequential"]


@dataclass(frozen=True, slots=True)
class Prequential:
    """How a model did on a stream, every example asked before it was taught."""

    mistakes: Array  #: whether each answer was wrong; the share of wrong ones where it is a mean over runs
    phase: Array | None  #: the phase of every example, where the stream says so
    window: int
    fading: float
    alarms: tuple[int, ...] = ()  #: where a watched model noticed drift

    @classmethod
    def mean_of(cls, results: Sequence[Prequential]) -> Prequential:
        """The mean over runs of one length; alarms are left out."""
        first = results[0]
        mistakes = np.mean([result.mistakes for result in results], axis=0)
        return cls(mistakes, first.phase, first.window, first.fading)

    def starts(self) -> list[int]:
        """Where the phases begin; at 0 alone where the stream does not say."""
        return [0] if self.phase is None else changes(self.phase)

    @property
    def cumulative(self) -> Array:
        """Error rate over all examples so far."""
        rate: Array = np.cumsum(self.mistakes) / np.arange(1, len(self.mistakes) + 1)
        return rate

    @property
    def sliding(self) -> Array:
        """Error rate over the last `window` examples."""
        total = np.concatenate([[0], np.cumsum(self.mistakes)])
        end = np.arange(1, len(self.mistakes) + 1)
        start = np.maximum(end - self.window, 0)
        rate: Array = (total[end] - total[start]) / (end - start)
        return rate

    @property
    def faded(self) -> Array:
        """Error rate in which an example counts less by `fading` for every one after it."""
        fade = ([1.0], [1.0, -self.fading])
        rate: Array = lfilter(*fade, self.mistakes.astype(float)) / lfilter(
            *fade, np.ones(len(self.mistakes))
        )
        return rate


def prequential(model: Any, stream: Any, *, window: int = 200, fading: float = 0.995) -> Prequential:
    """Ask a model every example before teaching it.

    Parameters
    ----------
    model : classifier with `predict` and `partial_fit`
        Learns as it goes; it may have learned before.
    stream : DriftStream or iterable of (row, class)
        The examples, in order: rows of an array, as ``zip(X, y)`` gives them, matrices of one row, or dicts of
        features where the model has `learn_one` and `predict_one`.
    window : int, default=200
        Length of the sliding window.
    fading : float, default=0.995
        Fading factor, in (0, 1].

    Returns
    -------
    Prequential

    Examples
    --------
    >>> from onlinear import AROWClassifier
    >>> from onlinear.drift import abrupt, prequential
    >>> result = prequential(AROWClassifier(), abrupt(200, random_state=0), window=50)
    >>> result.cumulative.shape
    (200,)
    """
    check_number("prequential", "window", window, 1, whole=True)
    check_number("prequential", "fading", fading, 0.0, 1.0, open_low=True)
    classes = np.unique(stream.y) if isinstance(stream, DriftStream) else None
    mistakes: list[bool] = []
    started = is_fitted(model)
    for example in stream:
        x, y = _pair(example, len(mistakes))
        mistakes.append(not started or bool(_answer(model, x) != y))
        _teach(model, x, y, None if started else classes)
        started = True
    return Prequential(
        np.array(mistakes, dtype=bool),
        stream.phase if isinstance(stream, DriftStream) else None,
        window,
        fading,
        tuple(getattr(model, "alarms_", ())),
    )


def _pair(example: Any, place: int) -> tuple[Any, Label]:
    """An example as a dict or a matrix of one row, and its class."""
    try:
        x, y = example
    except (TypeError, ValueError):
        raise DataError(
            f"prequential: the stream must give pairs (row, class), got {example!r} at example {place}. "
            "Arrays become such a stream as zip(X, y)."
        ) from None
    if not isinstance(x, Mapping) and not hasattr(x, "tocsr") and np.ndim(x) == 1:
        x = np.asarray(x).reshape(1, -1)
    return x, y


def _answer(model: Any, x: Any) -> Label:
    """What the model says before it is taught."""
    return model.predict_one(x) if isinstance(x, Mapping) else model.predict(x)[0]


def _teach(model: Any, x: Any, y: Label, classes: Array | None) -> None:
    """Let the model learn one example, `classes` being those to expect."""
    if isinstance(x, Mapping):
        model.learn_one(x, y)
    elif classes is None:
        model.partial_fit(x, [y])
    else:
        model.partial_fit(x, [y], classes=classes)
