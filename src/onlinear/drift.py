"""Targets that move: streams, honest evaluation, and models that notice.

Streams are drawn once and kept, so that they are reproducible and every model sees the same one:

- `four_phases`, the class-mixture process of Shen and Dietterich over any labelled data;
- `abrupt`, `gradual` and `recurring`, linear concepts that replace one another.

`prequential` asks every example before it teaches it. `Watched` puts a drift detector beside a model: when its error
rises, the model starts anew, or its covariance is inflated so that it listens again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from ._parameters import check_choice, check_number
from ._sklearn import generator
from .exceptions import DataError, ParameterError

__all__ = ["DriftStream", "Prequential", "Watched", "abrupt", "four_phases", "gradual", "prequential", "recurring"]

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class DriftStream:
    """Examples in the order they come, and what was behind each."""

    X: Any  #: array or CSR matrix of shape (n, n_features)
    y: Array  #: classes, 0 and 1
    phase: Array  #: the phase or concept of every example, counted from 0

    def __len__(self) -> int:
        return len(self.y)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """Rows as matrices of one row, and their classes."""
        for i in range(len(self)):
            yield self.X[i : i + 1], self.y[i]

    def starts(self) -> list[int]:
        """Where the phases begin."""
        return [0, *(np.flatnonzero(np.diff(self.phase)) + 1).tolist()]


#: Class probabilities (P1, P2, N1, N2) at the start and the end of each phase; note the jump before the third.
_PHASES = np.array(
    [
        [[0.7, 0.0, 0.3, 0.0], [0.5, 0.0, 0.5, 0.0]],
        [[0.5, 0.0, 0.5, 0.0], [0.3, 0.2, 0.5, 0.0]],
        [[0.0, 0.5, 0.2, 0.3], [0.0, 0.5, 0.0, 0.5]],
        [[0.0, 0.5, 0.0, 0.5], [0.0, 0.3, 0.0, 0.7]],
    ]
)


def four_phases(
    X: Any,
    y: npt.ArrayLike,
    *,
    positive: Sequence[Any],
    negative: Sequence[Any],
    per_phase: int = 500,
    random_state: Any = None,
) -> DriftStream:
    """The four-phase class mixture: the classes that stand for yes and no are exchanged one after the other.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, n_features)
        Labelled examples to draw from.
    y : array of shape (n,)
        Their classes.
    positive, negative : two classes each
        P1, P2 and N1, N2 of the paper.
    per_phase : int, default=500
        Examples in a phase.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    DriftStream
        ``4 * per_phase`` examples; class 1 is positive.

    Examples
    --------
    >>> import numpy as np
    >>> from onlinear.drift import four_phases
    >>> X, y = np.arange(40.0).reshape(20, 2), np.repeat([3, 7, 8, 9], 5)
    >>> stream = four_phases(X, y, positive=[3, 7], negative=[8, 9], per_phase=10, random_state=0)
    >>> len(stream), stream.starts()
    (40, [0, 10, 20, 30])
    """
    check_number("four_phases", "per_phase", per_phase, 1, whole=True)
    if len(positive) != 2 or len(negative) != 2:
        raise ParameterError(f"four_phases: positive and negative need two classes each, got {positive!r}, {negative!r}")
    rng = generator(random_state)
    labels = np.asarray(y)
    pools = [_Pool(np.flatnonzero(labels == name), rng, name) for name in (*positive, *negative)]
    rows, answers, phases = [], [], []
    for phase, (start, end) in enumerate(_PHASES):
        for t in range(per_phase):
            chance = start + (end - start) * (t / max(per_phase - 1, 1))
            source = int(rng.choice(4, p=chance))
            rows.append(pools[source].draw())
            answers.append(int(source < 2))
            phases.append(phase)
    chosen = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    return DriftStream(chosen[np.array(rows)], np.array(answers), np.array(phases))


class _Pool:
    """Examples of a class, drawn in random order and again from the start when all have been."""

    def __init__(self, rows: Array, rng: np.random.RandomState, name: Any) -> None:
        if not len(rows):
            raise DataError(f"four_phases: there is no example of class {name!r}")
        self._rows, self._rng, self._left = rows, rng, []

    _left: list[int]

    def draw(self) -> int:
        if not self._left:
            self._left = self._rng.permutation(self._rows).tolist()
        return self._left.pop()


def abrupt(
    n: int = 10_000, *, n_features: int = 20, n_concepts: int = 2, noise: float = 0.05, random_state: Any = None
) -> DriftStream:
    """Linear concepts of equal length, each replaced at once by the next.

    Parameters
    ----------
    n : int, default=10000
        Examples.
    n_features : int, default=20
        Features, independent Gaussians.
    n_concepts : int, default=2
        Concepts, each a random hyperplane.
    noise : float, default=0.05
        Share of labels that are wrong, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    DriftStream
    """
    check_number("abrupt", "n_concepts", n_concepts, 1, whole=True)
    return _concepts("abrupt", n, np.arange(n) * n_concepts // max(n, 1), n_features, noise, random_state)


def gradual(
    n: int = 10_000,
    *,
    n_features: int = 20,
    begin: float = 0.4,
    end: float = 0.6,
    noise: float = 0.05,
    random_state: Any = None,
) -> DriftStream:
    """One linear concept that gives way to another: between `begin` and `end` the chance of the new one rises evenly.

    Parameters
    ----------
    n : int, default=10000
        Examples.
    n_features : int, default=20
        Features, independent Gaussians.
    begin, end : float, default=0.4, 0.6
        When the change begins and when it is complete, as shares of the stream.
    noise : float, default=0.05
        Share of labels that are wrong, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    DriftStream
    """
    check_number("gradual", "begin", begin, 0.0, 1.0)
    check_number("gradual", "end", end, begin, 1.0)
    rng = generator(random_state)
    chance = np.clip((np.arange(n) / max(n, 1) - begin) / max(end - begin, 1e-12), 0.0, 1.0)
    return _concepts("gradual", n, (rng.random_sample(n) < chance).astype(int), n_features, noise, rng)


def recurring(
    n: int = 10_000,
    *,
    period: int = 2_000,
    n_features: int = 20,
    n_concepts: int = 2,
    noise: float = 0.05,
    random_state: Any = None,
) -> DriftStream:
    """Linear concepts that take turns of `period` examples each, and come back.

    Parameters
    ----------
    n : int, default=10000
        Examples.
    period : int, default=2000
        Examples in a turn.
    n_features : int, default=20
        Features, independent Gaussians.
    n_concepts : int, default=2
        Concepts, each a random hyperplane.
    noise : float, default=0.05
        Share of labels that are wrong, in [0, 1].
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    DriftStream
    """
    check_number("recurring", "period", period, 1, whole=True)
    check_number("recurring", "n_concepts", n_concepts, 1, whole=True)
    return _concepts("recurring", n, np.arange(n) // period % n_concepts, n_features, noise, random_state)


def _concepts(
    owner: str, n: int, concept: Array, n_features: int, noise: float, random_state: Any
) -> DriftStream:
    check_number(owner, "n", n, 1, whole=True)
    check_number(owner, "n_features", n_features, 1, whole=True)
    check_number(owner, "noise", noise, 0.0, 1.0)
    rng = generator(random_state)
    planes = rng.standard_normal((int(concept.max(initial=0)) + 1, n_features))
    X = rng.standard_normal((n, n_features))
    answers = np.sum(X * planes[concept], axis=1) > 0
    wrong = rng.random_sample(n) < noise
    return DriftStream(X, (answers ^ wrong).astype(int), np.asarray(concept))


# ---------------------------------------------------------------------- evaluation


@dataclass(frozen=True, slots=True)
class Prequential:
    """How a model did on a stream, every example asked before it was taught."""

    mistakes: Array  #: bool for every example
    phase: Array | None  #: the phase of every example, where the stream says so
    window: int
    fading: float
    alarms: tuple[int, ...] = ()  #: where a watched model noticed drift

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
        out = np.empty(len(self.mistakes))
        wrong = weight = 0.0
        for i, mistake in enumerate(self.mistakes.tolist()):
            wrong = self.fading * wrong + mistake
            weight = self.fading * weight + 1.0
            out[i] = wrong / weight
        return out


def prequential(model: Any, stream: Any, *, window: int = 200, fading: float = 0.995) -> Prequential:
    """Ask a model every example before teaching it.

    Parameters
    ----------
    model : classifier with `predict` and `partial_fit`
        Learns as it goes; it may have learned before.
    stream : DriftStream or iterable of (row, class)
        The examples, in order.
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
    mistakes = []
    started = _has_learned(model)
    for x, y in stream:
        mistakes.append(not started or model.predict(x)[0] != y)
        if started or classes is None:
            model.partial_fit(x, [y])
        else:
            model.partial_fit(x, [y], classes=classes)
        started = True
    return Prequential(
        np.array(mistakes, dtype=bool),
        stream.phase if isinstance(stream, DriftStream) else None,
        window,
        fading,
        tuple(getattr(model, "alarms_", ())),
    )


def _has_learned(model: Any) -> bool:
    from sklearn.exceptions import NotFittedError
    from sklearn.utils.validation import check_is_fitted

    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


# ---------------------------------------------------------------------- detection


class Watched:
    """A classifier with a drift detector beside it.

    Every example is asked before it is learned; the detector is told whether the answer was wrong. When it sees the
    error rise, the model acts.

    Parameters
    ----------
    model : classifier of this library
        What learns.
    detector : object with `update` and `drift_detected`, or "adwin", "page_hinkley", "kswin", or None
        river's detectors by name (``pip install onlinear[river]``), or one of your own. None watches nothing.
    action : {"inflate", "reset"}, default="inflate"
        Multiply every variance by `factor`, for models with a covariance, or start anew.
    factor : float, default=10.0
        Of "inflate".

    Attributes
    ----------
    model_ : classifier
        The model as it is now.
    alarms_ : list of int
        After which examples drift was noticed.

    Examples
    --------
    >>> from onlinear import AROWClassifier
    >>> from onlinear.drift import Watched, abrupt, prequential
    >>> watched = Watched(AROWClassifier(), detector=None)
    >>> prequential(watched, abrupt(100, random_state=0)).alarms
    ()
    """

    def __init__(
        self,
        model: Any,
        detector: Any = None,
        *,
        action: Literal["inflate", "reset"] = "inflate",
        factor: float = 10.0,
    ) -> None:
        check_choice("Watched", "action", action, ("inflate", "reset"))
        check_number("Watched", "factor", factor, 0.0, open_low=True)
        self.model = model
        self.detector = _detector(detector) if isinstance(detector, str) else detector
        self.action = action
        self.factor = factor
        self.model_ = model
        self.alarms_: list[int] = []
        self._seen = 0

    def predict(self, X: Any) -> Array:
        """The class of each row."""
        predicted: Array = self.model_.predict(X)
        return predicted

    def partial_fit(self, X: Any, y: npt.ArrayLike, classes: npt.ArrayLike | None = None) -> Self:
        """Ask each row, tell the detector, act if it must be, and learn the row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The examples.
        y : array of shape (n,)
            Their classes.
        classes : array, optional
            Classes to expect.

        Returns
        -------
        self
        """
        rows = X if hasattr(X, "shape") else np.asarray(X)
        for i, label in enumerate(np.asarray(y).tolist()):
            row = rows[i : i + 1]
            if self.detector is not None and _has_learned(self.model_):
                self.detector.update(float(self.model_.predict(row)[0] != label))
                if self.detector.drift_detected:
                    self._act()
            self.model_.partial_fit(row, [label], **({} if classes is None else {"classes": classes}))
            self._seen += 1
        return self

    def _act(self) -> None:
        self.alarms_.append(self._seen)
        if self.action == "inflate":
            self.model_.inflate(self.factor)
            return
        from sklearn.base import clone

        self.model_ = clone(self.model)

    def __sklearn_is_fitted__(self) -> bool:
        return _has_learned(self.model_)


def _detector(name: str) -> Any:
    check_choice("Watched", "detector", name, ("adwin", "page_hinkley", "kswin"))
    try:
        from river import drift
    except ImportError:
        raise ImportError("river's drift detectors are an extra: pip install onlinear[river]") from None
    return {"adwin": drift.ADWIN, "page_hinkley": drift.PageHinkley, "kswin": drift.KSWIN}[name]()
