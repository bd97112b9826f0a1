"""What the recipes say of themselves, gathered into `index.py`: `make stubs` writes it, and a test keeps it true."""

from __future__ import annotations

import pkgutil
import re
from dataclasses import fields
from importlib import import_module
from typing import Any

from ..model.recipe import Name, Recipe

__all__ = ["gathered"]

#: Parameters of a Gaussian that are worth tuning.
_GAUSSIAN = ("covariance", "projection", "initial_variance")


def gathered(
    package: str = __package__,
) -> tuple[dict[str, tuple[str, str]], dict[str, list[tuple[object, ...]]]]:
    """Where the recipe of each estimator is, and the names of each kind of task with all that is said of them.

    Parameters
    ----------
    package : str
        The package whose modules hold the recipes.
    """
    recipes: dict[str, tuple[str, str]] = {}
    names: dict[str, list[tuple[object, ...]]] = {}
    for module in pkgutil.iter_modules(import_module(package).__path__):
        for cls in vars(import_module(f".{module.name}", package)).values():
            if _is_recipe(cls, f"{package}.{module.name}"):
                recipes[cls.estimator] = (module.name, cls.__name__)
                names.setdefault(cls.kind, []).extend(_row(cls, module.name, name) for name in cls.names)
    return dict(sorted(recipes.items())), {kind: rows for kind, rows in sorted(names.items()) if rows}


def _is_recipe(cls: object, module: str) -> bool:
    own = isinstance(cls, type) and issubclass(cls, Recipe) and cls.__module__ == module
    return own and "estimator" in vars(cls)


def _row(cls: Any, module: str, name: Name) -> tuple[object, ...]:
    """A row of the index: the fields of `table.Algorithm`, in their order."""
    tuned, paper = name.parameters, name.paper or cls.paper
    if tuned is None:
        known = {item.name for item in fields(cls)}
        tuned = tuple(
            word
            for word in (*cls.rule_class().parameters(), *_GAUSSIAN)
            if word in known and word not in name.preset
        )
    if not paper:
        reference = re.search(
            r"^ *\.\. \[1\] (.*?)(?=\n *\n|\n *\.\. \[|\Z)", cls.__doc__ or "", re.DOTALL | re.MULTILINE
        )
        paper = " ".join(reference[1].split()) if reference else ""
    return name.name, module, cls.__name__, name.preset, tuned, paper, name.advice
