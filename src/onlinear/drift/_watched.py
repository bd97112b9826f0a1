"""A drift detector beside a model, wired to its covariance."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from ..estimators.making import estimator_of
from ..exceptions import DataError, ModelFileError, NotAvailableError, ParameterError
from ..io import Batch
from ..model.parameters import check_choice, check_number
from ..persistence.description import WATCHED, check
from ..persistence.loading import load_with_description
from ..persistence.saving import save

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from ..model.types import Array, Features, Label, LabelsLike, MatrixLike, PathLike, Values

__all__ = ["DETECTORS", "Watched", "detector_of", "is_fitted"]


#: river's detectors; the one that draws samples is seeded, so that a run can be repeated.
DETECTORS: dict[str, tuple[str, Values]] = {
    "adwin": ("ADWIN", {}),
    "page_hinkley": ("PageHinkley", {}),
    "kswin": ("KSWIN", {"seed": 0}),
}


def is_fitted(model: Any) -> bool:
    """Whether a model has learned something."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def _offers(name: str) -> Any:
    """Whether the watched model has a method; scikit-learn shows ours only then."""
    return available_if(lambda self: hasattr(self.model, name))


class Watched(MetaEstimatorMixin, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier with a drift detector beside it.

    Every example is asked before it is learned, and the detector is told whether the answer was wrong. A model with a
    covariance moves less the surer it is, so when the target jumps it stays behind; when the detector sees the error
    rise, the covariance goes back to its start and the model is ready to learn again.

    Parameters
    ----------
    model : classifier of this library
        What learns. A copy of it does; what it has learned before counts.
    detector : {"adwin", "page_hinkley", "kswin"}, object with `update` and `drift_detected`, or None, default=None
        One of river's detectors by name (``pip install onlinear[river]``) or one of your own. None watches nothing.
    action : {"reset", "inflate", "restart"}, default="reset"
        What a noticed drift does: put the covariance back to its start, move it there by a `share`, or start the
        whole model anew. The first two keep the mean and need a model with a covariance.
    share : float, default=0.1
        Of "inflate": how far the covariance goes back, in (0, 1].

    Attributes
    ----------
    model_ : classifier
        The model as it is now.
    detector_ : object
        The detector as it is now.
    alarms_ : list of int
        After how many examples drift was noticed, each time.
    classes_ : ndarray of shape (n_classes,)
        The class labels, sorted.

    Examples
    --------
    >>> from onlinear import AROWClassifier
    >>> from onlinear.drift import Watched, abrupt, prequential
    >>> stream = abrupt(4000, random_state=0)
    >>> plain = prequential(AROWClassifier(), stream)
    >>> watched = prequential(Watched(AROWClassifier(), detector="adwin"), stream)
    >>> bool(watched.mistakes.mean() < plain.mistakes.mean())
    True
    """

    def __init__(
        self,
        model: Any,
        detector: Any = None,
        *,
        action: Literal["reset", "inflate", "restart"] = "reset",
        share: float = 0.1,
    ) -> None:
        self.model = model
        self.detector = detector
        self.action = action
        self.share = share

    # ------------------------------------------------------------------ learning

    def fit(self, X: MatrixLike, y: npt.ArrayLike) -> Self:
        """Start anew and learn the examples in the given order, one pass.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The examples.
        y : array of shape (n,)
            Their classes.

        Returns
        -------
        self
        """
        self._start(clone(self.model))
        X, y = validate_data(self, X, y, **_ACCEPTED)
        return self._learn(X, np.asarray(y), np.unique(y))

    def partial_fit(self, X: MatrixLike, y: npt.ArrayLike, classes: npt.ArrayLike | None = None) -> Self:
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
        first = not hasattr(self, "model_")
        if first:
            self._start(copy.deepcopy(self.model))
        X, y = validate_data(self, X, y, reset=first, **_ACCEPTED)
        return self._learn(X, np.asarray(y), None if classes is None else np.asarray(classes))

    def learn_one(self, x: Features, y: LabelsLike, w: float = 1.0) -> Self:
        """The same for one example given as a dict.

        Parameters
        ----------
        x : dict
            Features and their values.
        y : class
            What is right.
        w : float, default=1.0
            Its weight; with 0 nothing is asked, told or learned.

        Returns
        -------
        self
        """
        if not hasattr(self, "model_"):
            self._start(copy.deepcopy(self.model))
        if self.detector_ is not None and w != 0 and is_fitted(self.model_):
            self._tell(self.model_.predict_one(x) != y)
        self.model_.learn_one(x, y, w)
        self.n_seen_ += w != 0
        return self

    def fit_stream(self, stream: Any) -> Self:
        """Ask, tell and learn what comes, one pass.

        Parameters
        ----------
        stream : iterable
            Pairs (X, y), dicts with their answers, (x, y) or (x, y, w), or what `onlinear.read` gives with a number of
            columns that is known: hashed features, or ``n_features=``.

        Returns
        -------
        self
        """
        for batch in stream:
            if isinstance(batch, Batch):
                batch = batch.X, batch.y
            if not isinstance(batch, tuple) or len(batch) not in (2, 3):
                raise DataError(
                    f"a batch must be (X, y), (x, y, w) or what onlinear.read gives, got {batch!a}"
                )
            (self.learn_one if isinstance(batch[0], Mapping) else self.partial_fit)(*batch)
        return self

    # ------------------------------------------------------------------ files

    def save(self, path: PathLike) -> None:
        """Write the model to a file, with how it is watched and the alarms there were.

        What the detector has counted is not part of it: it starts anew when the file is read. `onlinear.load` reads the
        model alone.

        Parameters
        ----------
        path : str or path-like
            Where to; the file is written aside and moved into place.
        """
        check_is_fitted(self)
        if self.detector is not None and not isinstance(self.detector, str):
            raise ParameterError(
                f"Watched: a file holds a detector by its name ({', '.join(DETECTORS)}), and not an object such as "
                f"{type(self.detector).__name__}. Save model_ alone."
            )
        told = {
            "detector": self.detector,
            "action": self.action,
            "share": float(self.share),
            "alarms": [int(alarm) for alarm in self.alarms_],
            "seen": int(self.n_seen_),
            "expected": self._expected is not None,
        }
        save(self.model_, path, extra={"watched": told})

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a file written by `save`; never runs code from the file.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        model, content = load_with_description(path)
        told = content.get("watched")
        try:
            if told is None:
                raise ModelFileError("a model that was not watched; read it with onlinear.load")
            check(told, WATCHED, "watched")
        except ModelFileError as error:
            raise ModelFileError(f"{path}: {error}") from None
        recipe: Any = type(model.recipe)
        shell: Any = estimator_of(recipe).of(model)
        watched = cls(clone(shell), told["detector"], action=told["action"], share=told["share"])
        watched._start(shell)
        watched.alarms_, watched.n_seen_ = list(told["alarms"]), told["seen"]
        watched._expected = shell.classes_ if told["expected"] else None
        watched.n_features_in_ = shell.n_features_in_
        return watched

    def _start(self, model: Any) -> None:
        check_choice("Watched", "action", self.action, ("reset", "inflate", "restart"))
        check_number("Watched", "share", self.share, 0.0, 1.0, open_low=True)
        self.detector_ = detector_of(self.detector)
        self.model_ = model
        self.alarms_: list[int] = []
        self.n_seen_ = 0
        self._expected: Array | None = None

    def _learn(self, X: MatrixLike, y: Array, classes: Array | None) -> Self:
        if self.detector_ is None:
            self._teach(X, y, classes)
            return self
        for i in range(len(y)):
            row, label = X[i : i + 1], y[i : i + 1]
            if is_fitted(self.model_):
                self._tell(self.model_.predict(row)[0] != label[0])
            self._teach(row, label, classes)
        return self

    def _teach(self, X: MatrixLike, y: Array, classes: Array | None) -> None:
        """Learn rows; a model that was started anew is told the classes again."""
        if classes is not None:
            self._expected = classes
        if self._expected is None or is_fitted(self.model_):
            self.model_.partial_fit(X, y)
        else:
            self.model_.partial_fit(X, y, classes=self._expected)
        self.n_seen_ += len(y)

    def _tell(self, wrong: bool) -> None:
        """Tell the detector whether an answer was wrong, and act on what it says."""
        self.detector_.update(float(wrong))
        if not self.detector_.drift_detected:
            return
        self.alarms_.append(self.n_seen_)
        if self.action == "restart":
            self.model_ = clone(self.model)
            return
        try:
            self.model_.inflate(1.0 if self.action == "reset" else self.share)
        except NotAvailableError:
            raise ParameterError(
                f"Watched: action={self.action!r} needs a model with a covariance, which "
                f"{type(self.model_).__name__} has not. Use action='restart'."
            ) from None

    # ------------------------------------------------------------------ reading

    def predict(self, X: MatrixLike) -> Array:
        """The class of each row.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The examples.
        """
        check_is_fitted(self)
        predicted: Array = self.model_.predict(X)
        return predicted

    @_offers("decision_function")  # type: ignore[untyped-decorator]
    def decision_function(self, X: MatrixLike) -> Array:
        """The model's scores.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The examples.
        """
        check_is_fitted(self)
        scores: Array = self.model_.decision_function(X)
        return scores

    @_offers("predict_proba")  # type: ignore[untyped-decorator]
    def predict_proba(self, X: MatrixLike) -> Array:
        """The model's probabilities.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, n_features)
            The examples.
        """
        check_is_fitted(self)
        probabilities: Array = self.model_.predict_proba(X)
        return probabilities

    def predict_one(self, x: Features) -> Label:
        """The class of one example given as a dict; None before any is known.

        Parameters
        ----------
        x : dict
            Features and their values.
        """
        return self.model_.predict_one(x) if hasattr(self, "model_") else None

    def predict_proba_one(self, x: Features) -> dict[Label, float]:
        """Probability of every class for one example given as a dict; empty before any is known.

        Parameters
        ----------
        x : dict
            Features and their values.
        """
        return self.model_.predict_proba_one(x) if hasattr(self, "model_") else {}

    @property
    def classes_(self) -> Array:
        """The class labels, sorted."""
        classes: Array = self.model_.classes_
        return classes

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "model_") and is_fitted(self.model_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        own = self.model.__sklearn_tags__()
        tags.input_tags.sparse = own.input_tags.sparse
        tags.classifier_tags.poor_score = True  # one pass in the given order, which may be sorted by class
        return tags


_ACCEPTED: Values = {"accept_sparse": "csr", "dtype": [np.float64, np.float32]}


def detector_of(given: Any) -> Any:
    """A detector of one's own: copied, so that two models never share one."""
    if not isinstance(given, str):
        return copy.deepcopy(given)
    check_choice("Watched", "detector", given, tuple(DETECTORS))
    try:
        from river import drift
    except ImportError:
        raise ImportError("river's drift detectors are an extra: pip install onlinear[river]") from None
    name, parameters = DETECTORS[given]
    return getattr(drift, name)(**parameters)
