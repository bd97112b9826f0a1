"""Our estimators in river's hands."""

from __future__ import annotations

import builtins
import importlib
import sys
from typing import Any

import pytest
from river import checks, compose, datasets, ensemble, evaluate, metrics, preprocessing, stats
from sklearn.base import clone
from sklearn.linear_model import SGDClassifier

from onlinear import (
    AROWClassifier,
    KernelClassifier,
    PassiveAggressiveClassifier,
    RegularizedPassiveAggressiveClassifier,
    SoftConfidenceWeightedClassifier,
)
from onlinear.integrations.river import RiverClassifier, as_river
from tests.estimators.roster import CLASSIFIERS

#: Every classifier, and the beliefs that dicts reach in another way than those of the defaults.
ESTIMATORS = [
    *(cls() for cls in CLASSIFIERS),
    AROWClassifier(covariance="full"),
    RegularizedPassiveAggressiveClassifier(penalty="l1_ball"),
    KernelClassifier(rule="scw1", budget=40),
]


def small(estimator: Any) -> Any:
    """The estimator with a table of columns that a full covariance can afford."""
    return clone(estimator).set_params(bits=5 if estimator.get_params().get("covariance") == "full" else 10)


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_classifier_passes_rivers_own_checks(estimator: Any) -> None:
    """What river asks of its own classifiers, ours do."""
    checks.check_estimator(as_river(small(estimator)))


def test_progressive_validation_is_good_on_a_dataset_of_river() -> None:
    """In river's own loop and metrics, SCW on scaled features is right about most phishing sites."""
    model = preprocessing.StandardScaler() | as_river(SoftConfidenceWeightedClassifier())

    metric = evaluate.progressive_val_score(
        datasets.Phishing(), model, metrics.Accuracy() + metrics.LogLoss() + metrics.ROCAUC()
    )

    accuracy, log_loss, auc = (part.get() for part in metric)
    assert accuracy > 0.87
    assert log_loss < 0.4
    assert auc > 0.92


def test_several_classes_in_a_pipeline_of_several_transformers() -> None:
    """Seven classes that arrive as they come, behind a union of transformers."""
    features = compose.Select("region-centroid-col", "region-centroid-row") | preprocessing.MinMaxScaler()
    features += compose.Discard("region-centroid-col") | preprocessing.StandardScaler()
    model = features | as_river(AROWClassifier())

    metric = evaluate.progressive_val_score(datasets.ImageSegments(), model, metrics.MacroF1())

    assert metric.get() > 0.75


def test_rivers_meta_models_clone_and_weigh_ours() -> None:
    """A bagging ensemble needs clones that know nothing of each other."""
    bagging = ensemble.BaggingClassifier(as_river(PassiveAggressiveClassifier(C=0.1)), n_models=3, seed=1)
    model = preprocessing.StandardScaler() | bagging

    metric = evaluate.progressive_val_score(datasets.Phishing().take(500), model, metrics.Accuracy())

    assert metric.get() > 0.8
    assert len({member.model.digest() for member in bagging}) == 3


def test_a_river_model_learns_the_bits_its_estimator_learns() -> None:
    """The bridge adds nothing: same examples, same digest."""
    bridged, plain = as_river(AROWClassifier()), AROWClassifier()
    for x, y in datasets.Phishing().take(100):
        bridged.learn_one(x, y)
        plain.learn_one(x, y)

    assert bridged.model.digest() == plain.digest()


def test_a_clone_knows_nothing_and_the_pattern_stays_as_it_was() -> None:
    """A clone of river's is a fresh model with the same parameters."""
    model = as_river(AROWClassifier(r=0.3))
    model.learn_one({"a": 1.0}, True)

    fresh = model.clone()

    assert fresh.predict_proba_one({"a": 1.0}) == {}
    assert fresh.estimator.r == 0.3
    assert not model.estimator.__sklearn_is_fitted__()


def test_a_fitted_estimator_goes_on_and_is_not_changed() -> None:
    """`as_river` copies what is already known."""
    fitted = AROWClassifier().learn_one({"a": 1.0}, "yes").learn_one({"b": 1.0}, "no")
    before = fitted.digest()

    model = as_river(fitted)
    assert model.predict_one({"a": 1.0}) == "yes"
    model.learn_one({"a": 1.0}, "no")

    assert fitted.digest() == before
    assert model.model.n_seen_ == 3


def test_weights_reach_the_learner() -> None:
    """`learn_one(x, y, w)` passes the weight on; weight 0 is an exact no-op."""
    model = as_river(AROWClassifier())
    model.learn_one({"a": 1.0}, True)
    before = model.model.digest()

    model.learn_one({"a": 1.0}, False, w=0.0)
    assert model.model.digest() == before
    model.learn_one({"a": 1.0}, False, w=2.0)
    assert model.model.digest() != before


def test_target_statistics_feed_the_learner() -> None:
    """Numbers made by river's own statistics are features like any other."""
    model = AROWClassifier()
    mean = stats.Mean()
    for i in range(10):
        mean.update(i)
        model.learn_one({"mean": mean.get()}, i % 2 == 0)

    assert model.n_seen_ == 10


def test_what_is_not_ours_is_refused_by_name() -> None:
    """The message says what is taken and what was given."""
    with pytest.raises(TypeError, match=r"as_river takes an estimator of onlinear .*got SGDClassifier"):
        as_river(SGDClassifier())


def test_without_river_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library river is an extra: the error says how to get it."""
    real = builtins.__import__

    def without_river(name: str, *rest: Any, **more: Any) -> Any:
        if name == "river" or name.startswith("river."):
            raise ModuleNotFoundError("No module named 'river'")
        return real(name, *rest, **more)

    monkeypatch.delitem(sys.modules, "onlinear.integrations.river")
    monkeypatch.setattr(builtins, "__import__", without_river)
    with pytest.raises(ImportError, match=r"pip install 'onlinear\[river\]'"):
        importlib.import_module("onlinear.integrations.river")


def test_the_wrapper_is_importable_by_its_own_name() -> None:
    """Pickles name the class, so it stands at module level."""
    assert isinstance(as_river(AROWClassifier()), RiverClassifier)
