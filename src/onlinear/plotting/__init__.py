"""Pictures in scikit-learn's Display manner; matplotlib is imported when one is drawn."""

from ._changing import ErrorOverTimeDisplay, FeaturesKeptDisplay, WeightImagesDisplay
from ._explanations import ExplanationDisplay
from ._probabilities import ReliabilityDisplay
from ._progress import ProgressDisplay

__all__ = [
    "ErrorOverTimeDisplay",
    "ExplanationDisplay",
    "FeaturesKeptDisplay",
    "ProgressDisplay",
    "ReliabilityDisplay",
    "WeightImagesDisplay",
]
