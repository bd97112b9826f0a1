"""Recipes: the parameters of a model, and the rule, the belief and the task they mean.

An algorithm is a small class derived from one of these; a model is made from an instance of it. What a user sees, a
class of scikit-learn with the same parameters, is made from it too (`onlinear.estimators`).
"""

# No annotations as text here: a choice is declared by its Literal, which the check of parameters reads.
import inspect
import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypedDict, TypeVar, dataclass_transform

from .. import belief, rule, task
from ..exceptions import ParameterError
from .parameters import (
    check_choice,
    check_class_weight,
    check_declared,
    check_number,
    check_numbers,
    with_advice,
)
from .types import Axis, Label, Values

__all__ = [
    "Averaging",
    "Baseline",
    "Classification",
    "Gaussian",
    "Linear",
    "Name",
    "OfRows",
    "Recipe",
    "Regression",
    "ScaledRegression",
    "recipe",
]

T = TypeVar("T")

#: The share of its start that a diagonal keeps of every variance where nothing else is asked for, so that a weight which
#: many examples have made sure goes on listening to the next.
FLOOR = 0.01


@dataclass_transform(kw_only_default=True)
def recipe(cls: type[T]) -> type[T]:
    """Make the fields of a recipe parameters of its constructor.

    The parameters of its `rule_class` come from the rule's declaration, with their defaults; the recipe names them again where
    it reads them (a type alone) or has another default.
    """
    kind = cls.__dict__.get("rule_class")
    if kind is not None:
        own, declared = inspect.get_annotations(cls), rule.declared()[kind.__name__].parameters
        cls.__annotations__ = {
            **{
                each.name: _TYPES.get(each.kind) or Literal[each.choices]
                for each in declared
                if each.name not in own
            },
            **own,
        }
        for each in declared:
            if each.name not in cls.__dict__:
                setattr(cls, each.name, each.default)
    return dataclass(kw_only=True, eq=False, repr=False)(cls)


#: The type of a parameter by the kind its rule declares; a choice is one of its words.
_TYPES: dict[str, Any] = {"number": float, "number_or_none": float | None, "flag": bool}


class Name:
    """A name of an algorithm on the command line and for ``rule=``; `algorithms.index` gathers them.

    Parameters
    ----------
    name : str
        As on the command line.
    advice : str
        When to use it, in one line.
    preset : mapping
        The parameters that make the recipe this algorithm; they cannot be given again.
    parameters : tuple of str, optional
        The ones worth tuning: those of the rule and of a Gaussian where nothing else is said.
    paper : str, optional
        Where it was published, where that differs from the recipe's.
    """

    def __init__(
        self,
        name: str,
        advice: str = "",
        *,
        preset: Mapping[str, object] | None = None,
        parameters: tuple[str, ...] | None = None,
        paper: str | None = None,
    ) -> None:
        self.name, self.advice, self.preset = name, advice, dict(preset or {})
        self.parameters, self.paper = parameters, paper


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

    #: Its names on the command line.
    names: ClassVar[tuple[Name, ...]] = ()

    #: Where it was published, as the command line says it; its first reference where nothing is said.
    paper: ClassVar[str] = ""

    #: The rule it is made of: its parameters are the recipe's, and `make_rule` follows.
    rule_class: ClassVar[Any] = None

    #: What a model of it does: "classification", "regression", "one-class", "multilabel", "sequence".
    kind: ClassVar[str] = ""

    #: Why a rule cannot follow the weights of classes and examples, where that is so.
    ignores_weights: ClassVar[str | None] = None

    #: What to use instead of a model that keeps no variances.
    with_variances: ClassVar[str] = "a Gaussian one"

    #: The name in messages: the class the parameters were given to.
    owner = ""

    #: Whether examples come several times, as in `fit`, and not once as in a stream.
    repeats = False

    def __post_init__(self) -> None:
        self.owner = self.estimator or type(self).__name__

    # ------------------------------------------------------------------ what an algorithm says

    def make_rule(self) -> Axis:
        """The rule these parameters mean."""
        kind = self.rule_class
        if kind is None:
            raise TypeError(f"{self.owner} does not say which rule it is")
        made: Axis = kind(**{name: getattr(self, name) for name in kind().parameters()})
        return made

    def make_belief(self) -> Axis:
        """The belief these parameters mean."""
        return belief.Mean()

    def make_task(self) -> Axis | None:
        """The task these parameters mean, where it does not depend on the data."""
        return None

    def has_intercept(self) -> bool:
        """Whether a feature that is always 1 is added."""
        return False

    def truncated_by(self) -> float | None:
        """What the smallest weights' squares may sum to before they are removed after an update; None keeps them."""
        return None

    # ------------------------------------------------------------------ what follows

    def __repr__(self) -> str:
        return f"{self.owner}()"

    def parameters(self) -> Values:
        """The parameters by name, sorted as scikit-learn sorts them."""
        return {name: getattr(self, name) for name in sorted(field.name for field in fields(self))}

    def axes(self) -> tuple[Axis, Axis]:
        """The rule and the belief these parameters mean, once all of them are checked."""
        self.check()
        return self.make_axes()

    def make_axes(self) -> tuple[Axis, Axis]:
        """The rule and the belief that checked parameters mean."""
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


class Averaging(TypedDict):
    """What a belief is told of averages: whether to keep one, and whether late rounds count more in it."""

    average: bool
    late: bool


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Linear(OfRows):
    """A model that predicts with linear scores."""

    fit_intercept: bool = True
    average: bool | Literal["late"] | None = None
    scale: Literal["auto", "typical", "max"] | None = "auto"
    center: bool = False

    #: What `scale` may be, and what "auto" means where a belief can have scales.
    scales: ClassVar[tuple[str | None, ...]] = ("auto", "typical", "max", None)
    auto_scale: ClassVar[str] = "max"

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        if not isinstance(self.average, bool):
            check_choice(self.owner, "average", self.average, (None, False, True, "late"))
        check_choice(self.owner, "scale", self.scale, self.scales)
        if self.center and self.initial_mean is not None:
            raise ParameterError(
                f"{self.owner}: initial_mean does not go with center=True, whose means come with the rows: the weights "
                "would speak of other features. Use center=False and centre the features before they come."
            )
        if self.scale not in ("auto", None) and self.initial_mean is not None:
            raise ParameterError(
                f"{self.owner}: initial_mean does not go with scale={self.scale!r}, whose first scales come with the first "
                "rows. Use scale=None and scale the features before they come."
            )

    def averaging(self) -> Averaging:
        """What `average` means, as a belief takes it."""
        asked = self.average if self.average is not None else "late" if self.repeats else False
        return {"average": bool(asked), "late": asked == "late"}

    def make_belief(self) -> Axis:
        """A mean."""
        return belief.Mean(**self.averaging())

    def make_axes(self) -> tuple[Axis, Axis]:
        """The rule and the belief that checked parameters mean."""
        rule, held = super().make_axes()
        return rule, self.scaled(held)

    def measured(self) -> str | None:
        """What features are measured in, whatever word was given for it."""
        if self.scale != "auto":
            return self.scale
        full = getattr(self, "covariance", "diagonal") == "full"
        return None if full or self.initial_mean is not None else self.auto_scale

    def scaled(self, held: Axis) -> Axis:
        """A belief whose features are scaled and centred as they come, where that is asked for, or can be."""
        parameters, scale = held.parameters(), self.measured()
        if self.center:
            if "center" not in parameters:
                raise ParameterError(
                    f"{self.owner}: center=True is for means and for Gaussians with a diagonal covariance, and these "
                    f"parameters mean belief.{type(held).__name__}. Use center=False, and centre the features before "
                    "they come: scikit-learn's StandardScaler."
                )
            parameters = {**parameters, "center": True}
            held = type(held)(**parameters)
        if scale is None or (self.scale == "auto" and "scale" not in parameters):
            return held
        if "scale" not in parameters:
            raise ParameterError(
                f"{self.owner}: scale={self.scale!r} is for means and for Gaussians with a diagonal covariance, and "
                f"these parameters mean belief.{type(held).__name__}. Use scale=None, and scale the features before "
                "they come: scikit-learn's MaxAbsScaler, or StandardScaler where they are dense."
            )
        return type(held)(**{**parameters, "scale": scale})

    def has_intercept(self) -> bool:
        """As the parameter says."""
        return self.fit_intercept


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Classification(Linear):
    """A classifier."""

    class_weight: Mapping[Label, float] | Literal["balanced"] | None = None
    cost_matrix: Any = None
    cost_update: Literal["prediction", "max_loss"] = "prediction"

    kind = "classification"
    with_variances = "AROWClassifier or SoftConfidenceWeightedClassifier"

    #: Tasks that keep one block per class even for two classes.
    always_joint: ClassVar[bool] = False

    #: How an algorithm that learns against several classes at once is made to learn against one.
    one_rival: ClassVar[str] = "use constraints=1"

    def make_joint(self) -> Axis | None:
        """The several-constraint task for more than two classes, or None for the top-1 reduction."""
        return None

    def joint(self) -> Axis | None:
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
        if self.class_weight is not None:
            check_class_weight(self.owner, self.class_weight)


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Baseline(Classification):
    """A classifier that others are compared with: as its paper has it, without averages and scales."""

    average: bool | Literal["late"] | None = False
    scale: Literal["auto", "typical", "max"] | None = None


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Regression(Linear):
    """A regressor."""

    kind = "regression"
    with_variances = "AROWRegressor"

    def make_task(self) -> Axis | None:
        """Real targets."""
        return task.Regression()


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class ScaledRegression(Regression):
    """A linear regressor whose features and targets are measured in their typical sizes, unless it is told otherwise."""

    auto_scale = "typical"

    #: What is documented of these parameters.
    shared_parameters: ClassVar[str] = """\
scale : {"auto", "typical", "max", None}, default="auto"
    "typical" measures features and targets in their typical sizes so far, so that no unit matters and no single row
    decides. The size of a feature is the mean of its absolute values where they are not zero, that of the targets their
    mean distance from a running centre. A value counts as at most 5 sizes, a target as at most 30. Rows of unit length, as
    text has them, are left as they are. Weights are shown in the features' own units. "max" divides features by the largest
    absolute value they have come with so far. "auto" is "typical", but None with an `initial_mean`, or where the covariance
    is full, which is ridge regression.
average : {None, False, True, "late"}, default=None
    Whether to predict with the mean of the weights over all rounds. "late" lets round t count t (t + 1) / 2. None is True
    with `scale` "typical", else "late" for a model that starts with several passes, and False for one that starts with a
    stream.
"""

    def averaging(self) -> Averaging:
        """What `average` means, as a belief takes it."""
        if self.average is None and self.measured() == "typical":
            return {"average": True, "late": False}
        return super().averaging()

    def measure(self) -> str:
        """What targets are measured in, as the task calls it."""
        return "typical" if self.measured() == "typical" else "none"

    def make_task(self) -> Axis | None:
        """Real targets."""
        return task.Regression(scale=self.measure())


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class Gaussian(Linear):
    """A model whose belief is a Gaussian."""

    covariance: Literal["diagonal", "full"] = "diagonal"
    projection: Literal["kl", "drop", "exact"] = "kl"
    initial_variance: float = 1.0
    min_variance: float | None = None

    #: The projections the mathematics allows for this rule.
    projections: ClassVar[tuple[str, ...]] = ("kl", "drop")

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        owner = self.owner
        check_number(owner, "initial_variance", self.initial_variance, 0.0, sys.float_info.max, open_low=True)
        if self.min_variance is not None:
            check_number(owner, "min_variance", self.min_variance, 0.0, self.initial_variance)

    def floor(self) -> float:
        """The least variance."""
        if self.min_variance is not None:
            return self.min_variance
        return FLOOR * self.initial_variance if self.covariance == "diagonal" else 0.0

    def make_belief(self) -> Axis:
        """A Gaussian, with a diagonal or a full covariance."""
        check_choice(self.owner, "covariance", self.covariance, ("diagonal", "full"))
        check_choice(self.owner, "projection", self.projection, self.projections)
        if self.covariance == "full":
            return belief.Full(
                initial_variance=self.initial_variance, min_variance=self.floor(), **self.averaging()
            )
        return belief.Diagonal(
            projection=self.projection,
            initial_variance=self.initial_variance,
            min_variance=self.floor(),
            **self.averaging(),
        )


def state_type(given: Any) -> str | None:
    """What a `dtype` means: "float32", "float64", or None where it is neither."""
    if isinstance(given, str) and given in ("float32", "float64"):
        return given
    import numpy as np

    try:
        # A number has a type and is none.
        name = None if isinstance(given, np.generic) else str(np.dtype(given))
    except TypeError:
        return None
    return name if name in ("float32", "float64") else None
