"""The models that meet each other, ours and the peers', with the same parameters: C = 0.1, r = 0.1.

Ours do the work of the bare loops and no other: features are taken as they come (`scale=None`). Those "as it comes" have
their own defaults.

Imports are inside: a contestant's process loads its own library and no other.
"""

from __future__ import annotations

import warnings
from typing import Any

C = 0.1
R = 0.1
CONFIDENCE = 0.9

SKLEARN = ("sklearn",)
ONLINEAR = ("onlinear",)
VOWPAL_WABBIT = ("vowpalwabbit",)
RIVER = ("river",)
LIBLINEAR = ("liblinear",)


def pa1() -> Any:
    """Return our PA-I."""
    from onlinear import PassiveAggressiveClassifier

    return PassiveAggressiveClassifier(variant="pa1", C=C, scale=None, dtype="float32")


def arow() -> Any:
    """Return our diagonal AROW."""
    from onlinear import AROWClassifier

    return AROWClassifier(r=R, scale=None, dtype="float32")


def arow_as_it_comes() -> Any:
    """Return our diagonal AROW with its own defaults, which scale features as they come."""
    from onlinear import AROWClassifier

    return AROWClassifier(dtype="float32")


def scw1_as_it_comes() -> Any:
    """Return our SCW-I with its own defaults."""
    from onlinear import SoftConfidenceWeightedClassifier

    return SoftConfidenceWeightedClassifier(dtype="float32")


def scw1() -> Any:
    """Return our diagonal SCW-I."""
    from onlinear import SoftConfidenceWeightedClassifier

    return SoftConfidenceWeightedClassifier(
        penalty="linear", C=C, confidence=CONFIDENCE, scale=None, dtype="float32"
    )


def sklearn_pa1(price: float = C) -> Any:
    """Return scikit-learn's PA-I, under the name it has had since 1.8."""
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(loss="hinge", penalty=None, learning_rate="pa1", eta0=price, shuffle=False)


def sklearn_pa1_as_it_comes() -> Any:
    """Return the same with the price that PassiveAggressiveClassifier has by itself."""
    return sklearn_pa1(1.0)


def sklearn_sgd() -> Any:
    """Return scikit-learn's linear SVM by stochastic gradient descent."""
    from sklearn.linear_model import SGDClassifier

    return SGDClassifier(loss="hinge", alpha=1e-6, shuffle=False)


def river_pa1() -> Any:
    """Return river's PA-I."""
    from river.linear_model import PAClassifier

    return PAClassifier(C=C, mode=1)


def vowpal_wabbit(bits: int = 20) -> Any:
    """Return Vowpal Wabbit's linear SVM with its usual adaptive updates."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from vowpalwabbit import Workspace

    return Workspace(f"--loss_function hinge -b {bits} --quiet")
