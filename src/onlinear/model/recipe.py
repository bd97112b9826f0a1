"""Recipes: the parameters of a model, and the rule, the belief and the task they mean.

An algorithm is a small class derived from one of these; a model is made from an instance of it. What a user sees, a
class of scikit-learn with the same parameters, is made from it too (`onlinear.estimators`).
"""

# No annotations as text here: a choice is declared by its Literal, which the check of parameters reads.
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Self, TypeVar, dataclass_transform

from .. import belief, task
from ..exceptions import ParameterError
from .parameters import check_choice, check_declared, check_number, check_numbers, with_advice

__all__ = ["Classification", "Gaussian", "Linear", "OfRows", "Recipe", "Regression", "recipe"]

T = TypeVar("T")


@dataclass_transform(kw_only_default=True)
def recipe(cls: type[T]) -> type[T]:
    """Make the fields of a recipe parameters of its constructor."""
    return dataclass(kw_only=True, eq=False, repr=False)(cls)


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Recipe:
    """What all models have; `onlinear.estimators.documentation` says what the parameters mean."""

    passes: int = 10
    shuffle: bool = True
    early_stopping: bool = True
    tol: float = 1e-3
    n_iter_no_change: int = 2
    warm_start: bool = False
    dtype: Literal["float32", "float64"] | None = None
    max_features: int = 1 << 28
    random_state: Any = None

    #: The class that users know the algorithm by.
    estimator: ClassVar[str] = ""

    #: What a model of it does: "classification", "regression", "one-class", "multilabel", "sequence".
    kind: ClassVar[str] = ""

    #: Why a rule cannot follow the weights of classes and examples, where that is so.
    ignores_weights: ClassVar[str | None] = None

    #: What to use instead of a model that keeps no variances.
    with_variances: ClassVar[str] = "a Gaussian one"

    _owner = ""

    # ------------------------------------------------------------------ what an algorithm says

    def make_rule(self) -> Any:
        """The rule these parameters mean."""
        raise TypeError(f"{self.owner} does not say which rule it is")

    def make_belief(self) -> Any:
        """The belief these parameters mean."""
        return belief.Mean()

    def make_task(self) -> Any:
        """The task these parameters mean, where it does not depend on the data."""
        return None

    def has_intercept(self) -> bool:
        """Whether a feature that is always 1 is added."""
        return False

    def truncated_by(self) -> float | None:
        """What the smallest weights' squares may sum to before they are removed after an update; None keeps them."""
        return None

    # ------------------------------------------------------------------ what follows

    @property
    def owner(self) -> str:
        """The name in messages: the class the parameters were given to."""
        return self._owner or self.estimator or type(self).__name__

    def named(self, owner: str) -> Self:
        """The same, for an owner of another name, as a class derived from ours is."""
        self._owner = owner
        return self

    def __repr__(self) -> str:
        return f"{self.owner}()"

    def parameters(self) -> dict[str, Any]:
        """The parameters by name, sorted as scikit-learn sorts them."""
        return {name: getattr(self, name) for name in sorted(field.name for field in fields(self))}

    def axes(self) -> tuple[Any, Any]:
        """The rule and the belief these parameters mean, once all of them are checked."""
        self.check()
        try:
            return self.make_rule(), self.make_belief()
        except ParameterError:
            raise
        except ValueError as error:
            raise ParameterError(with_advice(self.owner, str(error))) from None

    def check(self) -> None:
        """Refuse parameters that are none."""
        owner = self.owner
        check_number(owner, "passes", self.passes, 1, whole=True)
        check_number(owner, "n_iter_no_change", self.n_iter_no_change, 1, whole=True)
        check_number(owner, "tol", self.tol, -1.0)
        check_number(owner, "max_features", self.max_features, 1, 1 << 30, whole=True)
        check_declared(self, owner)
        if self.dtype is not None and state_type(self.dtype) is None:
            raise ParameterError(f"{owner}: dtype must be None, 'float32' or 'float64', got {self.dtype!r}")


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class OfRows(Recipe):
    """A model whose examples are rows."""

    initial_mean: Any = None
    bits: int = 20
    grow_features: bool = False
    n_jobs: int | None = None

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        check_number(self.owner, "bits", self.bits, 1, 30, whole=True)
        if self.initial_mean is not None:
            check_numbers(self.owner, "initial_mean", self.initial_mean)
        if self.n_jobs is not None:
            check_number(self.owner, "n_jobs", self.n_jobs, -sys.maxsize, sys.maxsize, whole=True)


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Linear(OfRows):
    """A model that predicts with linear scores."""

    fit_intercept: bool = True
    average: bool = False

    def make_belief(self) -> Any:
        """A mean."""
        return belief.Mean(average=self.average)

    def has_intercept(self) -> bool:
        """As the parameter says."""
        return self.fit_intercept


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Classification(Linear):
    """A classifier."""

    class_weight: Mapping[Any, float] | Literal["balanced"] | None = None
    cost_matrix: Any = None
    cost_update: Literal["prediction", "max_loss"] = "prediction"

    kind = "classification"
    with_variances = "AROWClassifier or SoftConfidenceWeightedClassifier"

    #: Tasks that keep one block per class even for two classes.
    always_joint: ClassVar[bool] = False

    #: How an algorithm that learns against several classes at once is made to learn against one.
    one_rival: ClassVar[str] = "use constraints=1"

    def make_joint(self) -> Any:
        """The several-constraint task for more than two classes, or None for the top-1 reduction."""
        return None

    def joint(self) -> Any:
        """The same; what the core refuses is told in the owner's name."""
        try:
            return self.make_joint()
        except ParameterError:
            raise
        except ValueError as error:
            raise ParameterError(with_advice(self.owner, str(error))) from None

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        if isinstance(self.class_weight, Mapping):
            for label, weight in self.class_weight.items():
                check_number(self.owner, f"class_weight[{label!r}]", weight, 0.0, sys.float_info.max)
        else:
            check_choice(self.owner, "class_weight", self.class_weight, ("balanced", None))


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Regression(Linear):
    """A regressor."""

    kind = "regression"
    with_variances = "AROWRegressor"

    def make_task(self) -> Any:
        """Real targets."""
        return task.Regression()


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Gaussian(Linear):
    """A model whose belief is a Gaussian."""

    covariance: Literal["diagonal", "full"] = "diagonal"
    projection: Literal["kl", "drop", "exact"] = "kl"
    initial_variance: float = 1.0
    min_variance: float = 0.0

    #: The projections the mathematics allows for this rule.
    projections: ClassVar[tuple[str, ...]] = ("kl", "drop")

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        owner = self.owner
        check_number(owner, "initial_variance", self.initial_variance, 0.0, sys.float_info.max, open_low=True)
        check_number(owner, "min_variance", self.min_variance, 0.0, self.initial_variance)

    def make_belief(self) -> Any:
        """A Gaussian, with a diagonal or a full covariance."""
        check_choice(self.owner, "covariance", self.covariance, ("diagonal", "full"))
        check_choice(self.owner, "projection", self.projection, self.projections)
        if self.covariance == "full":
            return belief.Full(
                initial_variance=self.initial_variance, min_variance=self.min_variance, average=self.average
            )
        return belief.Diagonal(
            projection=self.projection,
            initial_variance=self.initial_variance,
            min_variance=self.min_variance,
            average=self.average,
        )


def state_type(given: Any) -> str | None:
    """What a `dtype` means: "float32", "float64", or None where it is neither."""
    if isinstance(given, str) and given in ("float32", "float64"):
        return given
    import numpy as np

    try:
        name = str(np.dtype(given))
    except TypeError:
        return None
    return name if name in ("float32", "float64") else None
