"""Our estimators as river models.

The estimators have river's verbs already; what river's pipelines, metrics and selectors ask for beyond them is its
base classes and its idea of cloning: a clone has the parameters and none of the knowledge.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

try:
    from river import base
except ImportError as error:
    raise ImportError(
        "onlinear.integrations.river needs river, which is not installed. Try: pip install 'onlinear[river]'"
    ) from error
from sklearn.base import clone

from .. import AROWClassifier, AROWRegressor, MultilabelRanker, PassiveAggressiveOneClass
from ..drift import Watched
from ..estimators import OnlineClassifier, OnlineOneClass, OnlineRanker, OnlineRegressor
from ._passive_aggressive import PAClassifier, PARegressor

if TYPE_CHECKING:
    from ..model.types import Features, Label, LabelsLike, Values

__all__ = [
    "PAClassifier",
    "PARegressor",
    "RiverAnomalyDetector",
    "RiverClassifier",
    "RiverMultiLabelClassifier",
    "RiverRegressor",
    "as_river",
]

_Detector: Any = getattr(base, "AnomalyDetector", None)
if _Detector is None:  # where river kept it before
    _Detector = import_module("river.anomaly.base").AnomalyDetector


class _Wrapped:
    """What all wrappers share: the parameters of the estimator are those of the river model."""

    if TYPE_CHECKING:
        estimator: Any
        model: Any

    def clone(self, new_params: Values | None = None, include_attributes: bool = False) -> Any:
        """A fresh model with the same parameters.

        Parameters
        ----------
        new_params
            Other values for parameters of the estimator, as `river.utils.expand_param_grid` gives them.
        include_attributes
            Whether what has been learned is copied, too.
        """
        changed = dict(new_params or {})
        pattern = clone(changed.pop("estimator", self.estimator))
        made = type(self)(pattern.set_params(**changed))  # type: ignore[call-arg]
        if include_attributes:
            made.model = copy.deepcopy(self.model)
        return made

    def learn_many(self, X: Any, y: Any) -> None:
        """Learn the rows of a data frame, as `learn_one` would one after the other.

        Parameters
        ----------
        X
            A data frame of features.
        y
            A series of answers.
        """
        for x, answer in zip(X.to_dict(orient="records"), y.tolist(), strict=True):
            self.model.learn_one(x, answer)

    def _answers(self, X: Any) -> Any:
        """Answers for the rows of a data frame, with its index."""
        answers = [self.model.predict_one(x) for x in X.to_dict(orient="records")]
        return import_module("pandas").Series(answers, index=X.index)


class RiverClassifier(_Wrapped, base.MiniBatchClassifier):  # type: ignore[misc]
    """A classifier of this library as river sees one.

    Parameters
    ----------
    estimator
        The classifier; it is the pattern and is never changed.

    Attributes
    ----------
    model : OnlineClassifier
        The classifier that learns, with everything it offers: `explain`, `save`, `coef_`.

    Examples
    --------
    >>> from onlinear import AROWClassifier
    >>> from onlinear.integrations.river import as_river
    >>> model = as_river(AROWClassifier())
    >>> model.learn_one({"free": 1, "money": 2}, "spam")
    >>> model.learn_one({"meeting": 1}, "ham")
    >>> model.predict_one({"money": 1})
    'spam'
    """

    def __init__(self, estimator: OnlineClassifier) -> None:
        self.estimator = estimator
        self.model: OnlineClassifier = clone(estimator)

    def learn_one(self, x: Features, y: LabelsLike, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x
            Features and their values.
        y
            The class; new ones may appear at any time.
        w
            The example's weight.
        """
        self.model.learn_one(x, y, w)

    def predict_proba_one(self, x: Features, **_: object) -> dict[Label, float]:
        """Probability of every class met so far.

        Parameters
        ----------
        x
            Features and their values.
        """
        return self.model.predict_proba_one(x)

    def predict_one(self, x: Features, **_: object) -> Label:
        """The most likely class; None before any is known.

        Parameters
        ----------
        x
            Features and their values.
        """
        return self.model.predict_one(x)

    def predict_many(self, X: Any) -> Any:
        """The most likely class of every row of a data frame, a series.

        Parameters
        ----------
        X
            A data frame of features.
        """
        return self._answers(X)

    def predict_proba_many(self, X: Any) -> Any:
        """Probability of every class met so far for every row of a data frame, a data frame.

        Parameters
        ----------
        X
            A data frame of features.
        """
        rows = [self.model.predict_proba_one(x) for x in X.to_dict(orient="records")]
        return import_module("pandas").DataFrame(rows, index=X.index)

    @property
    def _multiclass(self) -> bool:
        return True

    @classmethod
    def _unit_test_params(cls) -> Iterator[Values]:
        yield {"estimator": AROWClassifier()}


class RiverRegressor(_Wrapped, base.MiniBatchRegressor):  # type: ignore[misc]
    """A regressor of this library as river sees one.

    Parameters
    ----------
    estimator
        The regressor; it is the pattern and is never changed.

    Attributes
    ----------
    model : OnlineRegressor
        The regressor that learns, with everything it offers: `predict`, `save`, `coef_`.

    Examples
    --------
    >>> from onlinear import AROWRegressor
    >>> from onlinear.integrations.river import as_river
    >>> model = as_river(AROWRegressor(r=0.01))
    >>> for _ in range(3):
    ...     model.learn_one({"rooms": 3.0}, 300.0)
    >>> round(model.predict_one({"rooms": 3.0}))
    300
    """

    def __init__(self, estimator: OnlineRegressor) -> None:
        self.estimator = estimator
        self.model: OnlineRegressor = clone(estimator)

    def learn_one(self, x: Features, y: float, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x
            Features and their values.
        y
            The target.
        w
            The example's weight.
        """
        self.model.learn_one(x, y, w)

    def predict_one(self, x: Features, **_: object) -> float:
        """The expected target; 0 before any learning.

        Parameters
        ----------
        x
            Features and their values.
        """
        return self.model.predict_one(x)

    def predict_many(self, X: Any) -> Any:
        """The expected target of every row of a data frame, a series.

        Parameters
        ----------
        X
            A data frame of features.
        """
        return self._answers(X)

    @classmethod
    def _unit_test_params(cls) -> Iterator[Values]:
        yield {"estimator": AROWRegressor()}


class RiverAnomalyDetector(_Wrapped, _Detector):  # type: ignore[misc]
    """A one-class learner of this library as river sees an anomaly detector.

    Parameters
    ----------
    estimator
        The one-class learner; it is the pattern and is never changed.

    Attributes
    ----------
    model : OnlineOneClass
        The learner, with everything it offers: `center_`, `radius_`, `save`.

    Examples
    --------
    >>> from onlinear import PassiveAggressiveOneClass
    >>> from onlinear.integrations.river import as_river
    >>> model = as_river(PassiveAggressiveOneClass(radius=1.0))
    >>> for warmth in (2.0, 2.5, 1.5) * 50:
    ...     model.learn_one({"warmth": warmth})
    >>> model.score_one({"warmth": 2.0}) < 0.5 < model.score_one({"warmth": 5.0})
    True
    """

    def __init__(self, estimator: OnlineOneClass) -> None:
        self.estimator = estimator
        self.model: OnlineOneClass = clone(estimator)

    def learn_one(self, x: Features, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x
            Features and their values.
        w
            The example's weight.
        """
        self.model.learn_one(x, w=w)

    def score_one(self, x: Features) -> float:
        """How strange an example is, from 0 to 1: one half on the edge of the ball; 0 before any learning.

        With the distance d from the centre and the radius R it is d / (d + R).

        Parameters
        ----------
        x
            Features and their values.
        """
        distance = self.model.score_one(x)
        return distance / (distance + self.model.radius_) if distance else 0.0

    @classmethod
    def _unit_test_params(cls) -> Iterator[Values]:
        yield {"estimator": PassiveAggressiveOneClass()}


class RiverMultiLabelClassifier(_Wrapped, base.MultiLabelClassifier):  # type: ignore[misc]
    """A label ranker of this library as river sees a classifier of several labels.

    Parameters
    ----------
    estimator
        The ranker; it is the pattern and is never changed.

    Attributes
    ----------
    model : OnlineRanker
        The ranker that learns, with everything it offers: `rank`, `save`, `coef_`.

    Examples
    --------
    >>> from onlinear import MultilabelRanker
    >>> from onlinear.integrations.river import as_river
    >>> model = as_river(MultilabelRanker(rule="arow"))
    >>> for _ in range(9):
    ...     model.learn_one({"goal": 1}, {"sport": True, "art": False})
    ...     model.learn_one({"paint": 1}, {"sport": False, "art": True})
    >>> model.predict_one({"goal": 1})
    {'art': False, 'sport': True}
    """

    def __init__(self, estimator: OnlineRanker) -> None:
        self.estimator = estimator
        self.model: OnlineRanker = clone(estimator)

    def learn_one(self, x: Features, y: Mapping[Label, bool], w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x
            Features and their values.
        y
            Whether each label belongs to it.
        w
            The example's weight.
        """
        self.model.learn_one(x, y, w)

    def predict_proba_one(self, x: Features, **_: object) -> dict[Label, dict[bool, float]]:
        """Probability of every label met so far, to belong and not to.

        Parameters
        ----------
        x
            Features and their values.
        """
        return {label: {False: 1 - p, True: p} for label, p in self.model.predict_proba_one(x).items()}

    def predict_one(self, x: Features, **_: object) -> dict[Label, bool]:
        """Whether each label met so far belongs to the example.

        Parameters
        ----------
        x
            Features and their values.
        """
        return self.model.predict_one(x)

    @classmethod
    def _unit_test_params(cls) -> Iterator[Values]:
        yield {"estimator": MultilabelRanker()}


#: Our base classes and the river models that stand for them.
_WRAPPERS: tuple[tuple[type, type], ...] = (
    (OnlineClassifier, RiverClassifier),
    (Watched, RiverClassifier),
    (OnlineRegressor, RiverRegressor),
    (OnlineOneClass, RiverAnomalyDetector),
    (OnlineRanker, RiverMultiLabelClassifier),
)


def as_river(estimator: Any) -> Any:
    """A river model that learns as `estimator` does.

    Parameters
    ----------
    estimator : estimator of this library, or one that is `Watched`
        A fitted one goes on from what it knows; it is copied, not changed.

    Returns
    -------
    river.base.Estimator
        For pipelines, metrics and everything else in river.

    Examples
    --------
    >>> from onlinear import SoftConfidenceWeightedClassifier
    >>> from onlinear.integrations.river import as_river
    >>> from river import datasets, evaluate, metrics, preprocessing
    >>> model = preprocessing.StandardScaler() | as_river(SoftConfidenceWeightedClassifier())
    >>> metric = evaluate.progressive_val_score(datasets.Phishing(), model, metrics.Accuracy())
    >>> metric.get() > 0.85
    True
    """
    for kind, wrapper in _WRAPPERS:
        if isinstance(estimator, kind):
            river_model: Any = wrapper(clone(estimator))
            pattern: Any = estimator
            if pattern.__sklearn_is_fitted__():
                river_model.model = copy.deepcopy(estimator)
            return river_model
    raise TypeError(
        "as_river takes an estimator of onlinear (a classifier, a regressor, PassiveAggressiveOneClass, "
        f"MultilabelRanker), got {type(estimator).__name__}"
    )
