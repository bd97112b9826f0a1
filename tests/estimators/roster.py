"""Every classifier of the library, found by introspection, and the settings worth checking apart."""

from __future__ import annotations

from typing import Any

import onlinear
from onlinear.estimators.classifier import OnlineClassifier


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
        {"scale": "max"},
        {"scale": "max", "constraints": "all"},
    ],
    "PassiveAggressiveClassifier": [
        {"variant": "pa2"},
        {"constraints": "all"},
        {"scale": "max", "average": True},
    ],
    "SoftConfidenceWeightedClassifier": [
        {"penalty": "squared"},
        {"scale": "max", "average": True, "min_variance": 0.01},
    ],
    "NORMAClassifier": [{"nu": 0.3, "rho": 0.0}],
    "RegularizedPassiveAggressiveClassifier": [
        {"penalty": "l2_ball"},
        {"penalty": "l1_ball"},
        {"truncation": 1e-3},
        {"scale": "max", "truncation": 1e-3},
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
