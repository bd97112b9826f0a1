"""Cost-sensitive classification by `cost_matrix=` on any classifier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import onlinear
from onlinear import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    MIRAClassifier,
    NAROWClassifier,
    NHERDClassifier,
    PassiveAggressiveClassifier,
    Perceptron,
    SoftConfidenceWeightedClassifier,
)
from onlinear.exceptions import DataError, NotAvailableError, ParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(400, 5))
NOISY = X @ RNG.normal(size=(5, 3)) + RNG.normal(size=(400, 3))
Y = np.array(["ham", "news", "spam"])[np.argmax(NOISY, axis=1)]
COST = np.array([[0.0, 1.0, 25.0], [1.0, 0.0, 25.0], [1.0, 1.0, 0.0]])

CLASSIFIERS = [
    AROWClassifier(),
    AROWClassifier(covariance="full", loss="hinge"),
    ConfidenceWeightedClassifier(),
    NAROWClassifier(),
    NHERDClassifier(),
    PassiveAggressiveClassifier(),
    PassiveAggressiveClassifier(variant="pa2", average=True),
    Perceptron(),
    SoftConfidenceWeightedClassifier(),
]


@pytest.mark.parametrize("update", ["prediction", "max_loss"])
@pytest.mark.parametrize("classifier", CLASSIFIERS, ids=repr)
def test_every_classifier_learns_costs_and_counts_them(classifier: Any, update: str, tmp_path: Path) -> None:
    """Costs add up over the stream, and a saved model goes on with them."""
    model = clone(classifier).set_params(cost_matrix=COST, cost_update=update).partial_fit(X, Y)
    model.save(tmp_path / "model.safetensors")
    loaded = onlinear.load(tmp_path / "model.safetensors")
    for learner in (model, loaded):
        learner.partial_fit(X, Y)

    assert 0 < model.total_cost_ < 25 * model.n_seen_
    assert model.score(X, Y) > 0.5
    assert loaded.digest() == model.digest()
    assert loaded.total_cost_ == model.total_cost_


def test_a_costly_answer_is_given_less_often() -> None:
    """With a high price on a wrong "spam", fewer right messages are called that, and the total cost falls."""
    plain = AROWClassifier(random_state=0).fit(X, Y)
    careful = AROWClassifier(random_state=0, cost_matrix=COST, cost_update="max_loss").fit(X, Y)

    def cost(model: Any) -> float:
        place = {name: k for k, name in enumerate(model.classes_.tolist())}
        return float(sum(COST[place[y], place[q]] for y, q in zip(Y, model.predict(X), strict=True)))

    assert np.sum(careful.predict(X) == "spam") < np.sum(plain.predict(X) == "spam")
    assert cost(careful) < 0.7 * cost(plain)


def test_two_classes_have_one_score() -> None:
    """scikit-learn's shapes for two classes hold with costs too."""
    y = np.where(Y == "spam", "spam", "ham")
    model = PassiveAggressiveClassifier(cost_matrix=[[0, 9], [1, 0]]).fit(X, y)

    assert model.decision_function(X).shape == (len(X),)
    assert model.coef_.shape == (1, 5)
    np.testing.assert_array_equal(model.predict(X), np.where(model.decision_function(X) >= 0, "spam", "ham"))
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0)


def test_a_dict_of_costs_names_the_classes_for_streams() -> None:
    """Costs are by name, whatever order the classes come in; what is left out costs nothing."""
    costs = {
        "ham": {"spam": 25.0, "news": 1.0},
        "news": {"spam": 25.0, "ham": 1.0},
        "spam": {"ham": 1.0, "news": 1.0},
    }
    by_name = AROWClassifier(cost_matrix=costs, dtype="float64")
    for row, label in zip(X[::-1], Y[::-1], strict=True):
        by_name.learn_one(dict(enumerate(row.tolist())), label)
    by_place = AROWClassifier(cost_matrix=COST).partial_fit(X[::-1], Y[::-1], classes=["ham", "news", "spam"])

    assert by_name.classes_.tolist() == ["ham", "news", "spam"]
    assert by_name.total_cost_ == by_place.total_cost_
    np.testing.assert_allclose(by_name.coef_, by_place.coef_, rtol=1e-10)


@pytest.mark.parametrize(
    "costs", [COST, {"ham": {"news": 1.0, "spam": 9.0}, "news": {}, "spam": {}}], ids=["array", "dict"]
)
def test_a_label_outside_the_costs_leaves_the_model_as_it_was(costs: Any) -> None:
    """In batches and dicts."""
    model = AROWClassifier(cost_matrix=costs).partial_fit(X, Y)
    before = model.digest()

    with pytest.raises(DataError, match="opera"):
        model.partial_fit(X[:2], ["ham", "opera"])
    with pytest.raises(DataError, match="opera"):
        model.learn_one({0: 1.0}, "opera")
    assert model.digest() == before
    assert model.classes_.tolist() == ["ham", "news", "spam"]


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (AROWClassifier(cost_matrix=[[0, 1], [1, 0]]), "for 2 classes, there are 3"),
        (AROWClassifier(cost_matrix=[[0, 1, 1], [1, 0]]), "square"),
        (AROWClassifier(cost_matrix=-COST), "not negative"),
        (AROWClassifier(cost_matrix=COST + 1), "zero where the answer is right"),
        (AROWClassifier(cost_matrix=COST, cost_update="worst"), "cost_update"),
        (AROWClassifier(cost_matrix=COST, constraints="all"), "constraints=1"),
        (MIRAClassifier(cost_matrix=COST), "several classes at once; leave it out, or use PassiveAggressive"),
        (Perceptron(cost_matrix=COST, update="uniform"), "several classes at once; use update='max'"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_costs_that_do_not_fit_are_named(model: Any, message: str) -> None:
    """Before anything is learned."""
    with pytest.raises(ParameterError, match=message):
        model.fit(X, Y)


def test_costs_are_counted_only_where_there_are_some() -> None:
    """A model without a cost matrix has no total."""
    with pytest.raises(NotAvailableError, match="cost_matrix"):
        _ = AROWClassifier().fit(X, Y).total_cost_
