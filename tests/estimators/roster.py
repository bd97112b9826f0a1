"""Every classifier of the library, found by introspection, and the settings worth checking apart."""

from __future__ import annotations

from typing import Any, TypeVar

import onlinear
from onlinear.estimators.classifier import OnlineClassifier
from onlinear.exceptions import OnlinearError

T = TypeVar("T")

#: What a rule is without: what estimators put around it where nothing else is said.
PLAIN: dict[str, Any] = {"scale": None, "average": False, "min_variance": 0.0}


def plain(cls: type[T], **parameters: Any) -> T:
    """An estimator that is its rule alone, in the units of the features: no scales, averages and floors but those given."""
    known = cls().get_params(deep=False)  # type: ignore[attr-defined]
    return cls(**{**{name: value for name, value in PLAIN.items() if name in known}, **parameters})


def settled(setting: T) -> T:
    """The same setting for one pass, for several and for streams: where that would decide, it averages late if it can."""
    made: Any = type(setting)
    given = setting.get_params(deep=False)  # type: ignore[attr-defined]
    if given["average"] is not None:
        return setting
    late: T = made(**{**given, "average": "late"})
    try:
        late.axes()  # type: ignore[attr-defined]
    except OnlinearError:
        return made(**{**given, "average": False})  # type: ignore[no-any-return]
    return late


def classifiers() -> list[type[Any]]:
    """All public classifiers."""
    public = (getattr(onlinear, name) for name in sorted(onlinear._ESTIMATORS))
    return [value for value in public if isinstance(value, type) and issubclass(value, OnlineClassifier)]


CLASSIFIERS = classifiers()

#: Rules that by their nature cannot follow class weights, and why.
WEIGHT_BLIND = {cls.__name__: cls.recipe.ignores_weights for cls in CLASSIFIERS if cls.recipe.ignores_weights}

#: Parameters that reach other code than the defaults do.
VARIATIONS: dict[str, list[dict[str, Any]]] = {
    "AROWClassifier": [
        {"loss": "hinge"},
        {"covariance": "full"},
        {"projection": "kl"},
        {"constraints": "all"},
        {"average": True},
        {"average": "late"},
        {"average": "late", "scale": None, "min_variance": 0.0},
        {"scale": None, "min_variance": 0.0},
        {"scale": None, "min_variance": 0.0, "constraints": "all"},
        {"center": True},
        {"center": True, "scale": "typical", "average": True},
    ],
    "ConfidenceWeightedClassifier": [{"scale": None, "min_variance": 0.0}],
    "NHERDClassifier": [{"scale": None, "min_variance": 0.0}],
    "PassiveAggressiveClassifier": [
        {"variant": "pa2"},
        {"constraints": "all"},
        {"average": "late"},
        {"scale": None},
        {"scale": None, "average": True},
        {"scale": None, "center": True},
    ],
    "SoftConfidenceWeightedClassifier": [
        {"penalty": "squared"},
        {"scale": None, "average": "late"},
        {"average": True, "min_variance": 0.0},
    ],
    "NORMAClassifier": [{"nu": 0.3, "rho": 0.0}],
    "RegularizedPassiveAggressiveClassifier": [
        {"penalty": "l2_ball"},
        {"penalty": "l1_ball"},
        {"truncation": 1e-3},
        {"scale": "max", "truncation": 1e-3},
        {"average": "late"},
    ],
    "KernelClassifier": [
        {"rule": "pa1"},
        {"rule": "scw1", "budget": 40},
        # The Forgetron's bound is for K(x, x) <= 1.
        {"rule": "perceptron", "gamma": 0.2, "budget": 40, "removal": "forgetron"},
        {"kernel": "linear"},
        # With rule="pa1" its price would have to be of the size of 1 / K(x, x) for class weights to be heard.
        {"kernel": "poly"},
    ],
}

SETTINGS = [cls() for cls in CLASSIFIERS] + [
    cls(**parameters) for cls in CLASSIFIERS for parameters in VARIATIONS.get(cls.__name__, [])
]
