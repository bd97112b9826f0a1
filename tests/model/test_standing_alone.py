"""A model stands alone: it needs neither scikit-learn nor NumPy to be made."""

from __future__ import annotations

import subprocess
import sys

import pytest

from onlinear.algorithms import table
from onlinear.model.kinds import model_of

#: A recipe of every kind there is.
RECIPES = (
    "AROWClassifier",
    "AROWRegressor",
    "PassiveAggressiveOneClass",
    "MultilabelRanker",
    "SequenceLabeler",
)


@pytest.mark.parametrize("name", RECIPES)
def test_a_model_is_made_without_numpy_and_scikit_learn(name: str) -> None:
    """What takes long to import is imported by what needs an array, and by the shells."""
    code = (
        "import sys\n"
        "from onlinear.algorithms import table\n"
        "from onlinear.model.kinds import model_of\n"
        f"recipe = table.recipe_named({name!r})()\n"
        "recipe.check()\n"
        "model_of(recipe)\n"
        "print(*sorted({'numpy', 'scipy', 'sklearn', 'pandas'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == []


def test_there_is_a_recipe_here_of_every_kind_of_model() -> None:
    """Five tasks, five models."""
    made = {type(model_of(table.recipe_named(name)())).__name__ for name in RECIPES}

    assert made == {"ClassifierModel", "RegressorModel", "OneClassModel", "RankerModel", "SequenceModel"}
