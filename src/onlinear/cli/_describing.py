"""What `inspect` says of every model: the parameters worth telling, and how numbers spread."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

import numpy as np

from ..algorithms.table import ALGORITHMS
from ..model.recipe import OfRows, Recipe
from ..persistence.values import plain

if TYPE_CHECKING:
    from ..model.types import Array, Values

__all__ = ["histogram", "telling"]

_BINS = 31

#: What is told of the weights, and what a model no longer depends on.
_ELSEWHERE = ("dtype", "random_state")


def telling(recipe: Recipe) -> Values:
    """The parameters worth telling: those its algorithm declares, and those that were changed."""
    defaults = {field.name: field.default for field in fields(recipe)}
    entries = [entry for entry in ALGORITHMS.values() if entry.recipe == type(recipe).__name__]
    own = {name for entry in entries for name in (*entry.preset, *entry.parameters)}
    if not entries:  # of another task: what its recipe adds
        own = defaults.keys() - {field.name for field in fields(OfRows)}
    values = {name: plain(value) for name, value in recipe.parameters().items()}
    return {
        name: value
        for name, value in values.items()
        if value is not None and name not in _ELSEWHERE and (name in own or value != plain(defaults[name]))
    }


def histogram(values: Array) -> Values:
    """Edges and counts of equal bins."""
    if len(values) == 0:
        return {"edges": [], "counts": []}
    counts, edges = np.histogram(values, bins=_BINS)
    return {"edges": [float(edge) for edge in edges], "counts": [int(count) for count in counts]}
