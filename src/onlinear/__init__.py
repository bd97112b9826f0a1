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
    "AROWClassifier": "algorithms.arow",
    "AROWRegressor": "algorithms.arow",
    "AdaGradRDAClassifier": "algorithms.adagrad_rda",
    "ConfidenceWeightedClassifier": "algorithms.confidence_weighted",
    "IELLIPClassifier": "algorithms.iellip",
    "KernelClassifier": "estimators.kernel",
    "KernelRegressor": "estimators.kernel",
    "Learner": "model.learner",
    "MIRAClassifier": "algorithms.mira",
    "NAROWClassifier": "algorithms.narow",
    "NHERDClassifier": "algorithms.nherd",
    "NORMAClassifier": "algorithms.norma",
    "MultilabelRanker": "estimators.ranking",
    "PassiveAggressiveClassifier": "algorithms.passive_aggressive",
    "PassiveAggressiveOneClass": "estimators.one_class",
    "PassiveAggressiveRegressor": "algorithms.passive_aggressive",
    "Perceptron": "algorithms.perceptron",
    "ROMMAClassifier": "algorithms.romma",
    "RegularizedPassiveAggressiveClassifier": "algorithms.regularized_passive_aggressive",
    "SecondOrderPerceptron": "algorithms.second_order_perceptron",
    "SequenceLabeler": "sequence",
    "SoftConfidenceWeightedClassifier": "algorithms.soft_confidence_weighted",
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
    "sequence",
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
    from . import sequence as sequence
    from . import task as task
    from . import text as text
    from .algorithms.adagrad_rda import AdaGradRDAClassifier as AdaGradRDAClassifier
    from .algorithms.arow import AROWClassifier as AROWClassifier
    from .algorithms.arow import AROWRegressor as AROWRegressor
    from .algorithms.confidence_weighted import ConfidenceWeightedClassifier as ConfidenceWeightedClassifier
    from .algorithms.iellip import IELLIPClassifier as IELLIPClassifier
    from .algorithms.mira import MIRAClassifier as MIRAClassifier
    from .algorithms.narow import NAROWClassifier as NAROWClassifier
    from .algorithms.nherd import NHERDClassifier as NHERDClassifier
    from .algorithms.norma import NORMAClassifier as NORMAClassifier
    from .algorithms.passive_aggressive import PassiveAggressiveClassifier as PassiveAggressiveClassifier
    from .algorithms.passive_aggressive import PassiveAggressiveRegressor as PassiveAggressiveRegressor
    from .algorithms.perceptron import Perceptron as Perceptron
    from .algorithms.regularized_passive_aggressive import (
        RegularizedPassiveAggressiveClassifier as RegularizedPassiveAggressiveClassifier,
    )
    from .algorithms.romma import ROMMAClassifier as ROMMAClassifier
    from .algorithms.second_order_perceptron import SecondOrderPerceptron as SecondOrderPerceptron
    from .algorithms.soft_confidence_weighted import (
        SoftConfidenceWeightedClassifier as SoftConfidenceWeightedClassifier,
    )
    from .estimators.kernel import KernelClassifier as KernelClassifier
    from .estimators.kernel import KernelRegressor as KernelRegressor
    from .estimators.one_class import PassiveAggressiveOneClass as PassiveAggressiveOneClass
    from .estimators.ranking import MultilabelRanker as MultilabelRanker
    from .io import read as read
    from .model.learner import Learner as Learner
    from .persistence import load as load
    from .sequence import SequenceLabeler as SequenceLabeler


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
