"""Parameters, labels and recipes as the plain JSON values of a model file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from .. import belief, rule
from ..algorithms.index import RECIPES
from ..algorithms.table import recipe_named
from ..exceptions import ModelFileError
from ..model.recipe import Recipe

if TYPE_CHECKING:
    from ..model.types import Values

__all__ = ["EARLIER", "label", "made", "plain", "restored"]

#: Defaults of version 0.1.0 that have changed since. A parameter that a file does not name, because there was none when
#: it was written, is what it is here.
EARLIER: Values = {"scale": None, "average": False, "min_variance": 0.0, "confidence": 0.9, "beta": 0.01}


def plain(value: object) -> Any:
    """A parameter or label as JSON; random generators, which are not part of a model, become null."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, Recipe):
        return {
            "estimator": value.estimator,
            "parameters": {name: plain(item) for name, item in value.parameters().items()},
        }
    if hasattr(value, "parameters"):  # a rule or a belief
        return {"axis": type(value).__name__, "parameters": value.parameters()}
    if isinstance(value, Mapping):
        return {"pairs": [[plain(key), plain(item)] for key, item in value.items()]}
    import numpy as np

    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.dtype | type):
        return str(np.dtype(value))
    if isinstance(value, np.random.RandomState | np.random.Generator):
        return None
    array = np.asarray(value.toarray() if hasattr(value, "toarray") else value)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        array = array.astype(np.float64)  # what the core was told
    if array.ndim:  # of whatever kind: a list, a sparse matrix, a data frame
        return {"array": array.tolist()}
    if hasattr(value, "__float__"):  # a fraction, a decimal: what the core was told
        return float(value)
    return None


def restored(value: object) -> Any:
    """The inverse of `plain`."""
    if isinstance(value, dict):
        if set(value) == {"pairs"}:
            return {restored(key): restored(item) for key, item in value["pairs"]}
        if set(value) == {"array"}:
            import numpy as np

            return np.asarray(value["array"])
        if set(value) == {"estimator", "parameters"}:
            return made(value["estimator"], value["parameters"])
        if set(value) == {"axis", "parameters"}:
            for home in (rule, belief):
                if value["axis"] in home.__all__:
                    return getattr(home, value["axis"])(**value["parameters"])
            raise ModelFileError(f"unknown rule or belief {value['axis']!r}")
        raise ModelFileError("a parameter is neither a number, a string, pairs nor an array")
    return value


def label(value: object) -> Any:
    """A class label that JSON can hold exactly."""
    if not isinstance(value, bool | int | float | str):
        raise ModelFileError(
            f"a class label of type {type(value).__name__} cannot be saved; use strings or numbers"
        )
    return value


def made(name: object, parameters: Values) -> Recipe:
    """One of our recipes, by the name of its estimator, from plain parameters."""
    if not isinstance(name, str) or name not in RECIPES:
        raise ModelFileError(f"unknown estimator {name!r}")
    kind = recipe_named(name)
    given = {key: restored(value) for key, value in parameters.items()}
    known = {field.name for field in fields(kind)}
    return kind(**{**{key: value for key, value in EARLIER.items() if key in known}, **given})
