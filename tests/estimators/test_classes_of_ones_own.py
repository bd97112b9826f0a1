"""A class written as CONTRIBUTING.md shows. This file does without the future import, which nobody need have."""

from typing import Any, Literal, Self

import pytest

from onlinear import rule
from onlinear.estimators.classifier import OnlineClassifier
from onlinear.exceptions import ParameterError
from onlinear.model.parameters import declared_choices, estimator


@estimator
class Cautious(OnlineClassifier):
    """Passive-Aggressive with a word for its price.

    Parameters
    ----------
    price : {"low", "high"}, default="low"
        How much a mistake may cost.
    doubled : bool, default=False
        Whether it costs twice as much.
    """

    price: Literal["low", "high"] = "low"
    doubled: bool = False

    def _rule(self) -> Any:
        return rule.PassiveAggressive(C={"low": 0.1, "high": 1.0}[self.price] * (1 + self.doubled))

    def told(self) -> Self:
        """Do nothing."""
        return self


def test_its_parameters_are_checked_like_those_of_ours() -> None:
    """Words and flags are known from their annotations, on every version of Python."""
    assert declared_choices(Cautious)["price"] == ("low", "high")
    assert declared_choices(Cautious)["doubled"] is None
    assert declared_choices(Cautious)["shuffle"] is None  # inherited, and declared as text
    for wrong in ({"price": "hihg"}, {"doubled": "yes"}, {"shuffle": 1}):
        with pytest.raises(ParameterError, match=rf"Cautious: {next(iter(wrong))} must be"):
            Cautious(**wrong).partial_fit([[1.0]], [0], classes=[0, 1])


def test_it_learns_and_is_documented() -> None:
    """Its own parameters first, then those all have; a method that returns self says so."""
    model = Cautious(price="high").fit([[0.0], [1.0]], ["no", "yes"])
    assert model.predict([[1.0]]).tolist() == ["yes"]
    assert "doubled : bool" in (Cautious.__doc__ or "")
    assert "shuffle : bool" in (Cautious.__doc__ or "")
    assert (Cautious.told.__doc__ or "").endswith("Returns\n-------\nself")
