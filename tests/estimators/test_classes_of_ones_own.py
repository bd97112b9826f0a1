"""A class written as CONTRIBUTING.md shows. This file does without the future import, which nobody need have."""

import pickle
from typing import Any, Literal

import pytest

from onlinear import rule
from onlinear.estimators import estimator_of
from onlinear.exceptions import ParameterError
from onlinear.model.parameters import declared_choices
from onlinear.model.recipe import Classification, recipe


@recipe
class CautiousRecipe(Classification):
    """Passive-Aggressive with a word for its price.

    Parameters
    ----------
    price : {"low", "high"}, default="low"
        How much a mistake may cost.
    doubled : bool, default=False
        Whether it costs twice as much.
    """

    estimator = "Cautious"

    price: Literal["low", "high"] = "low"
    doubled: bool = False

    def make_rule(self) -> Any:
        """The rule."""
        return rule.PassiveAggressive(C={"low": 0.1, "high": 1.0}[self.price] * (1 + self.doubled))


Cautious = estimator_of(CautiousRecipe)


def test_its_parameters_are_checked_like_those_of_ours() -> None:
    """Words and flags are known from their annotations, on every version of Python."""
    assert declared_choices(CautiousRecipe)["price"] == ("low", "high")
    assert declared_choices(CautiousRecipe)["doubled"] is None
    assert declared_choices(CautiousRecipe)["shuffle"] is None  # inherited
    for wrong in ({"price": "hihg"}, {"doubled": "yes"}, {"shuffle": 1}):
        with pytest.raises(ParameterError, match=rf"Cautious: {next(iter(wrong))} must be"):
            Cautious(**wrong).partial_fit([[1.0]], [0], classes=[0, 1])


def test_it_learns_and_is_documented() -> None:
    """Its own parameters first, then those all have; and pickle finds its class."""
    model = Cautious(price="high").fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[1.0]]).tolist() == ["yes"]
    assert "doubled : bool" in (Cautious.__doc__ or "")
    assert "shuffle : bool" in (Cautious.__doc__ or "")
    assert pickle.loads(pickle.dumps(model)).digest() == model.digest()
