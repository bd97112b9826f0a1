"""scikit-learn's Passive-Aggressive classes, for code that was written for them.

scikit-learn removes `PassiveAggressiveClassifier` and `PassiveAggressiveRegressor` in 1.10. These have its parameters, its
meanings and its defaults, and with the same rows in the same order they end with the same weights, so that moving over is
changing one import::

    from onlinear.linear_model import PassiveAggressiveClassifier

Whoever starts anew takes the classes of these names in `onlinear`, which scale, average, learn several classes at once and
know probabilities.
"""

from ._classifier import PassiveAggressiveClassifier
from ._regressor import PassiveAggressiveRegressor

__all__ = ["PassiveAggressiveClassifier", "PassiveAggressiveRegressor"]

for _made in (PassiveAggressiveClassifier, PassiveAggressiveRegressor):
    _made.__module__ = __name__
del _made
