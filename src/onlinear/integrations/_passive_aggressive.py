"""river's Passive-Aggressive models, for code that was written for them: its names, its meanings, its weights.

Imported by `onlinear.integrations.river`, which says so where river is missing.
"""

from __future__ import annotations

from math import exp
from typing import TYPE_CHECKING, Any

from river import base

from ..algorithms.passive_aggressive import PassiveAggressive, PassiveAggressiveRegression
from ..estimators import shell_of
from ..exceptions import DataError
from ..model.classifier import ClassifierModel
from ..model.parameters import check_choice
from ..model.regressor import RegressorModel

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from ..model.types import Features, Values

__all__ = ["PAClassifier", "PARegressor"]

VARIANTS = ("pa", "pa1", "pa2")


class _PassiveAggressive:
    """What both share: a model of ours whose columns are the features that have come, each its own."""

    C: float
    mode: int
    learn_intercept: bool
    model: Any

    def _told(self) -> Values:
        """These parameters as a recipe of ours has them."""
        check_choice(type(self).__name__, "mode", self.mode, (0, 1, 2))
        return {
            "C": self.C,
            "variant": VARIANTS[self.mode],
            "fit_intercept": self.learn_intercept,
            "intercept_rate": 1.0,
            "weighed": "step",
            "scale": None,
            "average": False,
            "dtype": "float64",
        }

    def _start(self, model: Any, classes: list[bool]) -> None:
        """Begin with no feature."""
        recipe = model.recipe
        recipe.owner = type(self).__name__
        recipe.check()
        model.start(0, classes, "float64")
        self.model = shell_of(model)
        self._keys: dict[str, Hashable] = {}

    def _learn(self, x: Features, y: bool | float, w: float) -> None:
        """Learn one example; once a column has a name no name is hashed, so no two share a weight."""
        row, model = self._named(x), self.model.model_
        if model.schema.names is None and row:
            model.learner.grow(1, 2)
            model.schema.names = [next(iter(row))]
            model.learner.name_columns(model.schema.names)
        self.model.learn_one(row, y, w)

    def _named(self, x: Mapping[Any, Any]) -> Any:
        """A row by names; what is none, as river's number of a column, gets one."""
        if all(type(key) is str for key in x):
            return x
        row = {}
        for key, value in x.items():
            name = key if type(key) is str else f"{type(key).__name__} {key}"
            if name is not key:
                self._keys[name] = key
            row[name] = value
        return row

    def _score(self, x: Features) -> float:
        return float(self.model.model_.read_dict(self._named(x))[0])

    @property
    def weights(self) -> dict[Any, float]:
        """The weight of each feature that has come."""
        names, weights = self.model.model_.schema.names or [], self.model.coef_.ravel().tolist()
        return {self._keys.get(name, name): w for name, w in zip(names, weights, strict=True)}

    @property
    def intercept(self) -> float:
        """The intercept."""
        return float(self.model.model_.learner.handle.mean()[1][0, 0])


class PAClassifier(_PassiveAggressive, base.Classifier):  # type: ignore[misc]
    r"""river's Passive-Aggressive classifier of True and False.

    With y = ±1, the score s = w·x + b and the loss ℓ = max(0, 1 - y s):

    .. math:: τ = \frac{ℓ}{\|x\|^2}, \quad \min\left(C, \frac{ℓ}{\|x\|^2}\right), \quad
        \frac{ℓ}{\|x\|^2 + 1/(2C)}, \qquad w ← w + τ y\, x, \quad b ← b + τ y

    The intercept has no part in the norm, and the probability of True is 1 / (1 + exp(-s)), as in river.
    `as_river(PassiveAggressiveClassifier())` has more classes, scales and probabilities that are calibrated.

    Parameters
    ----------
    C
        The largest step of mode 1, and what limits the steps of mode 2.
    mode
        0, 1 or 2: PA, PA-I, PA-II.
    learn_intercept
        Whether to learn an intercept.

    Attributes
    ----------
    model : onlinear.PassiveAggressiveClassifier
        The classifier that learns: it explains, and is saved.
    weights : dict
        The weight of each feature.
    intercept : float
        The intercept.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006.

    Examples
    --------
    >>> from onlinear.integrations.river import PAClassifier
    >>> model = PAClassifier(C=0.1, mode=1)
    >>> model.learn_one({"free": 1, "money": 2}, True)
    >>> model.learn_one({"meeting": 1}, False)
    >>> model.predict_one({"money": 1})
    True
    >>> model.weights
    {'free': 0.1, 'money': 0.2, 'meeting': -0.1}
    """

    def __init__(self, C: float = 1.0, mode: int = 1, learn_intercept: bool = True) -> None:
        self.C = C
        self.mode = mode
        self.learn_intercept = learn_intercept
        self._start(ClassifierModel(PassiveAggressive(**self._told())), [False, True])

    def learn_one(self, x: Features, y: bool, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x
            Features and their values.
        y
            True or False, or 1 or 0.
        w
            What the step is multiplied by.
        """
        if y not in (True, False):
            raise DataError(
                f"PAClassifier: y must be True or False, got {y!r}. For more classes take "
                "as_river(PassiveAggressiveClassifier())."
            )
        self._learn(x, bool(y), w)

    def predict_proba_one(self, x: Features, **_: object) -> dict[bool, float]:
        """Probability of False and of True: 1 / (1 + exp(-score)).

        Parameters
        ----------
        x
            Features and their values.
        """
        score = self._score(x)
        p = 1 / (1 + exp(-score)) if score >= 0 else exp(score) / (1 + exp(score))
        return {False: 1.0 - p, True: p}


class PARegressor(_PassiveAggressive, base.Regressor):  # type: ignore[misc]
    r"""river's Passive-Aggressive regressor.

    With error e = y - (w·x + b) and loss ℓ = max(0, \|e\| - ε):

    .. math:: τ = \frac{ℓ}{\|x\|^2}, \quad \min\left(C, \frac{ℓ}{\|x\|^2}\right), \quad
        \frac{ℓ}{\|x\|^2 + 1/(2C)}, \qquad w ← w + τ \operatorname{sign}(e)\, x, \quad b ← b + τ \operatorname{sign}(e)

    The intercept has no part in the norm, as in river. The loss is the paper's: river's takes a target y for a label, whose
    loss is measured from 2y - 1. `as_river(PassiveAggressiveRegressor())` has scales.

    Parameters
    ----------
    C
        The largest step of mode 1, and what limits the steps of mode 2.
    mode
        0, 1 or 2: PA, PA-I, PA-II.
    eps
        Errors up to this are free.
    learn_intercept
        Whether to learn an intercept.

    Attributes
    ----------
    model : onlinear.PassiveAggressiveRegressor
        The regressor that learns: it is saved.
    weights : dict
        The weight of each feature.
    intercept : float
        The intercept.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 5.

    Examples
    --------
    >>> from onlinear.integrations.river import PARegressor
    >>> model = PARegressor(mode=0, eps=0.5, learn_intercept=False)
    >>> model.learn_one({"rooms": 2.0}, 10.5)
    >>> model.predict_one({"rooms": 4.0})
    20.0
    """

    def __init__(self, C: float = 1.0, mode: int = 1, eps: float = 0.1, learn_intercept: bool = True) -> None:
        self.C = C
        self.mode = mode
        self.eps = eps
        self.learn_intercept = learn_intercept
        self._start(RegressorModel(PassiveAggressiveRegression(**self._told(), epsilon=eps)), [])

    def learn_one(self, x: Features, y: float, w: float = 1.0) -> None:
        """Learn one example.

        Parameters
        ----------
        x
            Features and their values.
        y
            The target.
        w
            What the step is multiplied by.
        """
        self._learn(x, y, w)

    def predict_one(self, x: Features, **_: object) -> float:
        """The expected target.

        Parameters
        ----------
        x
            Features and their values.
        """
        return self._score(x)
