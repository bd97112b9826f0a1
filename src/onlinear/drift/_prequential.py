"""How well a model follows a stream: every example is asked before it is taught."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.signal import lfilter
from scipy.sparse import vstack

from ..estimators import OnlineClassifier
from ..exceptions import DataError, NumericError
from ..model.parameters import check_number
from ._streams import DriftStream, changes
from ._watched import is_fitted

if TYPE_CHECKING:
    from ..model.types import Array, Label, MatrixLike

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
    drifting = isinstance(stream, DriftStream)
    pupil = _Pupil(model, np.unique(stream.y) if drifting else None)
    if drifting:
        pupil.learn(stream.X, stream.y)
    else:
        pupil.follow(iter(stream))
    return Prequential(
        pupil.mistakes(),
        stream.phase if isinstance(stream, DriftStream) else None,
        window,
        fading,
        tuple(getattr(model, "alarms_", ())),
    )


class _Pupil:
    """A model that is asked and taught.

    One of ours that answers and learns as its class does is taught many rows at once: its record of rounds says what it
    would have answered before each, to the bit.
    """

    #: Rows that are taught at once.
    _MOST = 4096

    def __init__(self, model: Any, classes: Array | None) -> None:
        self._model, self._classes = model, classes
        self._started = is_fitted(model)
        kind = type(model)
        self._records = all(
            getattr(kind, name, None) is getattr(OnlineClassifier, name)
            for name in ("partial_fit", "predict")
        )
        self._done: list[Array] = []

    def follow(self, stream: Iterator[Any]) -> None:
        """Ask and teach a stream of pairs."""
        place, error = 0, None
        while error is None:
            rows, labels = [], []
            try:
                for example in islice(stream, self._MOST if self._records else 1):
                    x, y = _pair(example, place)
                    rows.append(x)
                    labels.append(y)
                    place += 1
            except Exception as stopped:  # what came before is learned
                error = stopped
            if not rows:
                break
            X = _together(rows)
            if X is None or len(set(map(type, labels))) > 1:
                for x, y in zip(rows, labels, strict=True):
                    self._singly(x if isinstance(x, Mapping) else _matrix(x), y)
            else:
                self.learn(X, labels)
        if error is not None:
            raise error

    def learn(self, X: MatrixLike, labels: Any) -> None:
        """Ask and teach the rows of a matrix; where the model refuses them together, up to the one to blame."""
        if self._records and len(labels) > 1:
            try:
                _teach(self._model, X, labels, self._expected(), record="predicted")
            except NumericError:
                raise
            except ValueError:  # nothing has been learned
                pass
            else:
                self._started = True
                answers = self._model.rounds_["predicted"]
                right = np.empty(len(answers), dtype=object)
                right[:] = labels
                self._done.append(np.asarray(answers != right, dtype=bool))
                return
        for i in range(len(labels)):
            self._singly(X[i : i + 1], labels[i])

    def mistakes(self) -> Array:
        """Whether each answer was wrong."""
        return np.concatenate(self._done) if self._done else np.zeros(0, dtype=bool)

    def _singly(self, x: Any, y: Label) -> None:
        wrong = not self._started or bool(_answer(self._model, x) != y)
        self._done.append(np.array([wrong]))
        if isinstance(x, Mapping):
            self._model.learn_one(x, y)
        else:
            _teach(self._model, x, [y], self._expected())
        self._started = True

    def _expected(self) -> Array | None:
        return None if self._started else self._classes


def _pair(example: Any, place: int) -> tuple[Any, Label]:
    """An example as a row and its class."""
    try:
        x, y = example
    except (TypeError, ValueError):
        raise DataError(
            f"prequential: the stream must give pairs (row, class), got {example!r} at example {place}. "
            "Arrays become such a stream as zip(X, y)."
        ) from None
    return x, y


def _matrix(x: Any) -> Any:
    """A row as a matrix of one row."""
    if not hasattr(x, "tocsr") and np.ndim(x) == 1:
        x = np.asarray(x).reshape(1, -1)
    return x


def _together(rows: list[Any]) -> Any:
    """Rows as one matrix, where they are arrays or sparse matrices of one form; else None."""
    kinds = set(map(type, rows))
    if kinds == {np.ndarray}:
        forms = {(x.shape, x.dtype) for x in rows}
        shape, _ = forms.pop()
        if not forms and (len(shape) == 1 or (len(shape) == 2 and shape[0] == 1)):
            return np.stack(rows) if len(shape) == 1 else np.concatenate(rows)
    elif len(kinds) == 1 and hasattr(rows[0], "tocsr"):
        forms = {(x.shape, x.dtype) for x in rows}
        shape, _ = forms.pop()
        if not forms and len(shape) == 2 and shape[0] == 1:
            return vstack(rows, format="csr")
    return None


def _answer(model: Any, x: Any) -> Label:
    """What the model says before it is taught."""
    return model.predict_one(x) if isinstance(x, Mapping) else model.predict(x)[0]


def _teach(model: Any, X: Any, labels: list[Label], classes: Array | None, **options: Any) -> None:
    """Let the model learn some rows, `classes` being those to expect."""
    if classes is None:
        model.partial_fit(X, labels, **options)
    else:
        model.partial_fit(X, labels, classes=classes, **options)
