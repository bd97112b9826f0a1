"""From a recipe to its scikit-learn class: the recipe's name, parameters and documentation on the shell of its task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, field, fields, make_dataclass
from functools import cache
from inspect import getattr_static
from typing import Any, TypeVar

from ..model.recipe import Recipe
from .documentation import joined_documentation

__all__ = ["as_estimator", "estimator_of", "refuse_theirs", "shell"]

T = TypeVar("T")

#: The shells there are, the more particular ones behind the more general.
_SHELLS: list[Any] = []


def shell(cls: type[T]) -> type[T]:
    """Make a shell known: it says which recipes it `suits`."""
    _SHELLS.append(cls)
    return cls


#: What is called otherwise in scikit-learn, and how it is called here.
THEIRS = {
    "max_iter": "max_iter is called passes here",
    "loss": "loss is called variant here ('pa1' is the hinge, 'pa2' its square)",
    "validation_fraction": "nothing is held out here, early_stopping goes by the progressive error",
    "verbose": "nothing is printed here; see onlinear.plotting.ProgressDisplay",
}


def refuse_theirs(cls: Any, given: Mapping[str, object]) -> None:
    """Refuse a parameter of scikit-learn's that a class has not, and say how it is called."""
    for name in given.keys() & THEIRS.keys():
        if all(known.name != name for known in fields(cls.recipe)):
            raise TypeError(
                f"{cls.__name__} has no parameter {name!r}: {THEIRS[name]}. scikit-learn's PassiveAggressiveClassifier "
                "and PassiveAggressiveRegressor, with all of its parameters and meanings, are in onlinear.linear_model."
            )


@cache
def estimator_of(recipe: type[Recipe]) -> Any:
    """The scikit-learn class of a recipe; the same one for every call.

    Parameters
    ----------
    recipe : subclass of Recipe
        One of ours, or one's own.
    """
    base = next(known for known in reversed(_SHELLS) if known.suits(recipe))
    parameters = []
    for item in fields(recipe):
        assert item.default is not MISSING, f"{recipe.__name__}: parameter {item.name} has no default"
        parameters.append((item.name, item.type, field(default=item.default, kw_only=True)))
    cls: Any = make_dataclass(
        recipe.estimator or recipe.__name__,
        parameters,
        bases=(base,),
        namespace={"recipe": recipe},
        eq=False,
        repr=False,
    )
    for name, *_ in parameters:
        if hasattr(getattr_static(base, name, None), "__set__"):
            delattr(cls, name)  # the shell knows better what the attribute is than its default does
    # Where pickle finds it again.
    cls.__module__ = "onlinear" if recipe.__module__.startswith("onlinear.") else recipe.__module__
    cls.__doc__ = joined_documentation(recipe, cls)
    return cls


def as_estimator(value: Any) -> Any:
    """A parameter as an estimator holds it: a recipe as an estimator with its parameters."""
    if not isinstance(value, Recipe):
        return value
    parameters = {name: as_estimator(item) for name, item in value.parameters().items()}
    recipe: Any = type(value)
    return estimator_of(recipe)(**parameters)
