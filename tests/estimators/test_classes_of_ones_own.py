"""A class written as CONTRIBUTING.md shows. This file does without the future import, which nobody need have."""

import pickle
from pathlib import Path
from typing import Any, Literal

import pytest

import onlinear
from onlinear import rule
from onlinear.estimators import estimator_of
from onlinear.exceptions import NotAvailableError, ParameterError
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


class Quiet(onlinear.AROWClassifier):
    """A class derived from one of ours that has one parameter."""

    def __init__(self, r: float = 1.0) -> None:
        self.r = r


def test_a_derived_class_may_have_fewer_parameters(tmp_path: Path) -> None:
    """The others are what they are by default; a file holds models of our classes alone."""
    model = Quiet().set_params(r=2.0).partial_fit([[0.0], [1.0]], ["no", "yes"])
    ours = onlinear.AROWClassifier(r=2.0).partial_fit([[0.0], [1.0]], ["no", "yes"])
    assert model.digest() == ours.digest()
    with pytest.raises(NotAvailableError, match="Quiet is no class of this library"):
        model.save(tmp_path / "m.safetensors")
    ours.save(tmp_path / "m.safetensors")
    with pytest.raises(ParameterError, match="holds a model of AROWClassifier, not of Quiet"):
        Quiet.load(tmp_path / "m.safetensors")


def test_it_learns_and_is_documented() -> None:
    """Its own parameters first, then those all have; and pickle finds its class."""
    model = Cautious(price="high").fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[1.0]]).tolist() == ["yes"]
    assert "doubled : bool" in (Cautious.__doc__ or "")
    assert "shuffle : bool" in (Cautious.__doc__ or "")
    assert pickle.loads(pickle.dumps(model)).digest() == model.digest()
