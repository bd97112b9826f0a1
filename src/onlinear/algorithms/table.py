"""The algorithms by name, as the command line and ``rule=`` know them.

From a name to the recipe, the parameters the name fixes, the paper, and advice. The recipes say so themselves, and `index.py`
has it gathered: none of them is imported until a model is made, so that listing names costs nothing.
"""

# No annotations as strings here: a named tuple compiles each of them, which a short run would feel.
from collections.abc import Mapping
from copy import copy
from dataclasses import fields
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from ..exceptions import ParameterError
from ..model.recipe import Classification, Recipe
from ..model.types import Axis
from .index import NAMES, RECIPES

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "axes_of",
    "find",
    "make",
    "names",
    "of_kind",
    "recipe_named",
    "recipe_of",
    "truncation_of",
]


class Algorithm(NamedTuple):
    """One name of the command line.

    Attributes
    ----------
    name : str
        As on the command line.
    module, recipe : str
        Where its recipe is.
    preset : mapping
        The parameters that make the class this algorithm; they cannot be given again.
    parameters : tuple of str
        The ones worth tuning.
    paper : str
        Where it was published.
    advice : str
        When to use it, in one line.
    """

    name: str
    module: str
    recipe: str
    preset: Mapping[str, Any] = MappingProxyType({})
    parameters: tuple[str, ...] = ()
    paper: str = ""
    advice: str = ""

    @property
    def estimator(self) -> str:
        """The class that users know it by."""
        return self.load().estimator

    def load(self) -> type[Recipe]:
        """The class of its recipe."""
        found: type[Recipe] = getattr(import_module(f".{self.module}", __package__), self.recipe)
        return found

    def make(self, **parameters: Any) -> Recipe:
        """A recipe with this algorithm's preset and the given parameters.

        Raises
        ------
        ParameterError
            If a parameter is unknown or fixed by the name.
        """
        cls = self.load()
        known = [item.name for item in fields(cls)]
        for name, value in parameters.items():
            if name not in known:
                free = sorted(set(known) - set(self.preset))
                listed = ", ".join(self.parameters) or "none of its own"
                raise ParameterError(
                    f"{self.name} has no parameter {name!r}.{nearest(name, free)} Its own: {listed}."
                )
            if name in self.preset and value != self.preset[name]:
                raise ParameterError(
                    f"{self.name} means {name}={self.preset[name]!r}, so {name}={value!r} cannot be given. "
                    f"Leave it out, or use another algorithm."
                )
        return cls(**{**self.preset, **parameters})


#: Names that begin as what was written, and are offered.
_MOST_NEAR = 4


def nearest(word: str, choices: list[str] | tuple[str, ...]) -> str:
    """' Did you mean ...?' or nothing, for messages."""
    import difflib

    folded = {choice.lower(): choice for choice in choices}
    # Whoever writes "cw" means the beginning of a name rather than "scw1".
    near = [choice for choice in folded if len(word) > 1 and choice.startswith(word.lower())]
    if word.lower() in near:
        near = [word.lower()]
    near = near[:_MOST_NEAR] or difflib.get_close_matches(word.lower(), list(folded), 1, 0.5)
    return f" Did you mean {' or '.join(repr(folded[choice]) for choice in near)}?" if near else ""


def recipe_named(estimator: str) -> type[Recipe]:
    """The recipe of an estimator of ours."""
    module, name = RECIPES[estimator]
    found: type[Recipe] = getattr(import_module(f".{module}", __package__), name)
    return found


def of_kind(kind: str) -> dict[str, Algorithm]:
    """The algorithms for a kind of task, by their names there."""
    return {row[0]: Algorithm(*row) for row in NAMES[kind]}


#: Every algorithm of a classifier by its name, in the order of the documentation.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType(of_kind("classification"))


def names() -> list[str]:
    """The names, in the order of the documentation."""
    return list(ALGORITHMS)


def find(name: str) -> Algorithm:
    """The algorithm of a name; an unknown one is answered with the nearest.

    Raises
    ------
    ParameterError
        If there is none.
    """
    found = ALGORITHMS.get(name)
    if found is None:
        raise ParameterError(
            f"Unknown algorithm {name!r}.{nearest(name, names())} 'onlinear algorithms' lists all of them."
        )
    return found


def make(name: str, **parameters: Any) -> Recipe:
    """A recipe by its algorithm's name.

    Parameters
    ----------
    name : str
        As on the command line: "arow", "scw1", "pa1", ...
    **parameters
        Its parameters.

    Returns
    -------
    Recipe

    Examples
    --------
    >>> from onlinear.algorithms.table import make
    >>> make("pa2", C=0.5).variant
    'pa2'
    """
    return find(name).make(**parameters)


def recipe_of(rule: str | Axis, owner: str, **parameters: Any) -> Classification:
    """The recipe a ``rule=`` parameter means: a name, or the recipe of one of our classifiers.

    Parameters
    ----------
    rule : str or Classification
        A key of `ALGORITHMS`, or a recipe, whose own parameters count.
    owner : str
        Who asks, for the error message.
    **parameters
        Parameters of the recipe a name means; what the name fixes stays.
    """
    if isinstance(rule, str):
        try:
            entry = find(rule)
        except ParameterError as error:
            raise ParameterError(f"{owner}: rule: {error}") from None
        rule = entry.make(**{**parameters, **entry.preset})
    if not isinstance(rule, Classification):
        raise ParameterError(
            f"{owner}: rule must be an algorithm's name or one of our classifiers, got {rule!r}"
        )
    return rule


def axes_of(rule: str | Axis, owner: str, **parameters: Any) -> tuple[Axis, Axis]:
    """The rule and the belief a ``rule=`` parameter means, for tasks that answer one demand at a time.

    Parameters
    ----------
    rule : str or Classification
        As for `recipe_of`.
    owner : str
        Who asks, for the error message.
    **parameters
        Parameters of the recipe a name means; what the name fixes stays.
    """
    meant = recipe_of(rule, owner, **parameters)
    if meant.always_joint or meant.joint() is not None:
        raise ParameterError(
            f"{owner}: {meant.owner} as given answers several classes at once, which is defined for "
            "multiclass classification alone; choose another rule, or constraints=1"
        )
    if meant.scale == "auto":  # which is for whoever asks to say
        meant = copy(meant)
        meant.scale = None
    return meant.axes()


def truncation_of(rule: object) -> float | None:
    """What a ``rule=`` parameter says of truncation; a name says nothing.

    Parameters
    ----------
    rule : str or Classification
        As for `recipe_of`.
    """
    return rule.truncated_by() if isinstance(rule, Classification) else None
