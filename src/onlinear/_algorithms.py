"""Algorithms by name, as the command line spells them."""

from __future__ import annotations

import difflib
from typing import Any

from ._base import OnlineClassifier
from .exceptions import ParameterError

__all__ = ["ALGORITHMS", "axes_of", "classifier"]

#: Name, class, and the parameters that make the difference.
ALGORITHMS: dict[str, tuple[str, dict[str, Any]]] = {
    "perceptron": ("Perceptron", {}),
    "pa": ("PassiveAggressiveClassifier", {"variant": "pa"}),
    "pa1": ("PassiveAggressiveClassifier", {"variant": "pa1"}),
    "pa2": ("PassiveAggressiveClassifier", {"variant": "pa2"}),
    "romma": ("ROMMAClassifier", {}),
    "aggressive_romma": ("ROMMAClassifier", {"aggressive": True}),
    "norma": ("NORMAClassifier", {}),
    "cw": ("ConfidenceWeightedClassifier", {}),
    "cw_stdev": ("ConfidenceWeightedClassifier", {"constraint": "stdev"}),
    "scw1": ("SoftConfidenceWeightedClassifier", {"penalty": "linear"}),
    "scw2": ("SoftConfidenceWeightedClassifier", {"penalty": "squared"}),
    "arow": ("AROWClassifier", {}),
    "arow_h": ("AROWClassifier", {"loss": "hinge"}),
    "nherd": ("NHERDClassifier", {}),
    "narow": ("NAROWClassifier", {}),
    "sop": ("SecondOrderPerceptron", {}),
    "iellip": ("IELLIPClassifier", {}),
}


def classifier(name: str, owner: str, **parameters: Any) -> OnlineClassifier:
    """The classifier a name means, with further parameters.

    Parameters
    ----------
    name : str
        A key of `ALGORITHMS`.
    owner : str
        Who asks, for the error message.
    **parameters
        Parameters of the classifier.
    """
    import onlinear

    if name not in ALGORITHMS:
        near = difflib.get_close_matches(name, ALGORITHMS, 1)
        hint = f" Did you mean {near[0]!r}?" if near else f" Known are {', '.join(ALGORITHMS)}."
        raise ParameterError(f"{owner}: unknown rule {name!r}.{hint}")
    cls, own = ALGORITHMS[name]
    made: OnlineClassifier = getattr(onlinear, cls)(**own, **parameters)
    return made


def axes_of(rule: Any, owner: str, **parameters: Any) -> tuple[Any, Any]:
    """The rule and the belief a ``rule=`` parameter means: a name, or one of our classifiers.

    Parameters
    ----------
    rule : str or OnlineClassifier
        A key of `ALGORITHMS`, or a classifier, whose own parameters count.
    owner : str
        Who asks, for the error message.
    **parameters
        Parameters of the classifier a name means.
    """
    if isinstance(rule, str):
        return classifier(rule, owner, **parameters).axes()
    if isinstance(rule, OnlineClassifier):
        return rule.axes()
    raise ParameterError(f"{owner}: rule must be an algorithm's name or one of our classifiers, got {rule!r}")
