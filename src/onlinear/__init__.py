"""Linear models that learn one example at a time and know how sure they are.

The public names are imported when they are first used, so that ``import onlinear`` costs next to nothing and
the command line starts without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOMES = {
    "AROWClassifier": "arow",
    "AROWRegressor": "arow",
    "AdaGradRDAClassifier": "adagrad_rda",
    "ConfidenceWeightedClassifier": "confidence_weighted",
    "IELLIPClassifier": "iellip",
    "Learner": "_learner",
    "MIRAClassifier": "mira",
    "NAROWClassifier": "narow",
    "NHERDClassifier": "nherd",
    "NORMAClassifier": "norma",
    "MultilabelRanker": "ranking",
    "PassiveAggressiveClassifier": "passive_aggressive",
    "PassiveAggressiveOneClass": "one_class",
    "PassiveAggressiveRegressor": "passive_aggressive",
    "Perceptron": "perceptron",
    "ROMMAClassifier": "romma",
    "SecondOrderPerceptron": "second_order_perceptron",
    "SequenceLabeler": "sequence_labeler",
    "SoftConfidenceWeightedClassifier": "soft_confidence_weighted",
    "load": "persistence",
    "read": "io",
}
_MODULES = ("belief", "exceptions", "io", "plotting", "rule", "task", "text")

__all__ = [*sorted(_HOMES), *_MODULES]

if TYPE_CHECKING:
    from . import belief, exceptions, io, plotting, rule, task, text
    from ._learner import Learner
    from .adagrad_rda import AdaGradRDAClassifier
    from .arow import AROWClassifier, AROWRegressor
    from .confidence_weighted import ConfidenceWeightedClassifier
    from .io import read
    from .iellip import IELLIPClassifier
    from .mira import MIRAClassifier
    from .narow import NAROWClassifier
    from .nherd import NHERDClassifier
    from .norma import NORMAClassifier
    from .one_class import PassiveAggressiveOneClass
    from .passive_aggressive import PassiveAggressiveClassifier, PassiveAggressiveRegressor
    from .perceptron import Perceptron
    from .persistence import load
    from .ranking import MultilabelRanker
    from .romma import ROMMAClassifier
    from .second_order_perceptron import SecondOrderPerceptron
    from .sequence_labeler import SequenceLabeler
    from .soft_confidence_weighted import SoftConfidenceWeightedClassifier


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    elif name in _MODULES:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module 'onlinear' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
