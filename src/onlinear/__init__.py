"""Linear models that learn one example at a time and know how sure they are.

The public names are imported when they are first used, so that ``import onlinear`` costs next to nothing and
the command line starts without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module

# Not from typing, whose import takes longer than this package's: a signal may come before the command looks after it.
TYPE_CHECKING = False

__version__ = "0.1.0"

_HOMES = {
    "AROWClassifier": "arow",
    "AROWRegressor": "arow",
    "AdaGradRDAClassifier": "adagrad_rda",
    "ConfidenceWeightedClassifier": "confidence_weighted",
    "IELLIPClassifier": "iellip",
    "KernelClassifier": "kernel",
    "KernelRegressor": "kernel",
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
    "RegularizedPassiveAggressiveClassifier": "regularized_passive_aggressive",
    "SecondOrderPerceptron": "second_order_perceptron",
    "SequenceLabeler": "sequence_labeler",
    "SoftConfidenceWeightedClassifier": "soft_confidence_weighted",
    "load": "persistence",
    "read": "io",
}
_MODULES = (
    "belief",
    "drift",
    "exceptions",
    "feature_selection",
    "io",
    "plotting",
    "rule",
    "task",
    "text",
)

__all__ = [*sorted(_HOMES), *_MODULES]

if TYPE_CHECKING:
    from typing import Any

    from . import belief as belief
    from . import drift as drift
    from . import exceptions as exceptions
    from . import feature_selection as feature_selection
    from . import io as io
    from . import plotting as plotting
    from . import rule as rule
    from . import task as task
    from . import text as text
    from ._learner import Learner as Learner
    from .adagrad_rda import AdaGradRDAClassifier as AdaGradRDAClassifier
    from .arow import AROWClassifier as AROWClassifier
    from .arow import AROWRegressor as AROWRegressor
    from .confidence_weighted import ConfidenceWeightedClassifier as ConfidenceWeightedClassifier
    from .iellip import IELLIPClassifier as IELLIPClassifier
    from .io import read as read
    from .kernel import KernelClassifier as KernelClassifier
    from .kernel import KernelRegressor as KernelRegressor
    from .mira import MIRAClassifier as MIRAClassifier
    from .narow import NAROWClassifier as NAROWClassifier
    from .nherd import NHERDClassifier as NHERDClassifier
    from .norma import NORMAClassifier as NORMAClassifier
    from .one_class import PassiveAggressiveOneClass as PassiveAggressiveOneClass
    from .passive_aggressive import PassiveAggressiveClassifier as PassiveAggressiveClassifier
    from .passive_aggressive import PassiveAggressiveRegressor as PassiveAggressiveRegressor
    from .perceptron import Perceptron as Perceptron
    from .persistence import load as load
    from .ranking import MultilabelRanker as MultilabelRanker
    from .regularized_passive_aggressive import (
        RegularizedPassiveAggressiveClassifier as RegularizedPassiveAggressiveClassifier,
    )
    from .romma import ROMMAClassifier as ROMMAClassifier
    from .second_order_perceptron import SecondOrderPerceptron as SecondOrderPerceptron
    from .sequence_labeler import SequenceLabeler as SequenceLabeler
    from .soft_confidence_weighted import SoftConfidenceWeightedClassifier as SoftConfidenceWeightedClassifier


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
