"""Which model a recipe makes."""

from __future__ import annotations

from importlib import import_module

from .model import Model
from .recipe import Recipe

__all__ = ["model_of"]

#: From the kind of a recipe to its model, imported when one is made.
_HOMES = {
    "classification": (".classifier", "ClassifierModel"),
    "regression": (".regressor", "RegressorModel"),
    "one-class": (".one_class", "OneClassModel"),
    "multilabel": (".ranker", "RankerModel"),
    "sequence": ("..sequence.model", "SequenceModel"),
}


def model_of(recipe: Recipe) -> Model:
    """A model that has learned nothing yet.

    Parameters
    ----------
    recipe : Recipe
        The algorithm and its parameters.
    """
    module, name = _HOMES[recipe.kind]
    made: Model = getattr(import_module(module, __package__), name)(recipe)
    return made
