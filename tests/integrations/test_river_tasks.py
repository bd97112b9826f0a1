"""Our one-class learner and our ranker in river's hands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from river import anomaly, base, checks, datasets, metrics, preprocessing
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer

from onlinear import MultilabelRanker, PassiveAggressiveOneClass
from onlinear.integrations.river import as_river

ESTIMATORS = [
    PassiveAggressiveOneClass(bits=10),
    PassiveAggressiveOneClass(max_radius=5.0, bits=10),
    MultilabelRanker(bits=10),
    MultilabelRanker(rule="arow", bits=10),
]


def streams(model: Any, scale: int = 1) -> Iterator[list[tuple[dict[str, float], Any]]]:
    """Sites that come with river, some made strange, in place of the data that its checks would download."""
    rows = list(datasets.Phishing().take(100 * scale))
    if isinstance(model, base.MultiLabelClassifier):
        yield [(x, {"phishing": bool(y), "secure": x["https"] > 0.5}) for x, y in rows]
    else:
        far = [{name: 3 + value for name, value in x.items()} for x, _ in rows]
        yield [(far[i], True) if i % 10 == 9 else (x, False) for i, (x, _) in enumerate(rows)]


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
def test_every_task_passes_rivers_own_checks(estimator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What river asks of its own detectors and multilabel classifiers, ours do."""
    monkeypatch.setattr(checks, "_yield_datasets", streams)
    checks.check_estimator(as_river(clone(estimator)))


def test_a_detector_in_a_pipeline_tells_sick_from_healthy() -> None:
    """Learning healthy tissue alone, scaled by river, distances rank most tumours above it."""
    X, y = load_breast_cancer(return_X_y=True)
    model = preprocessing.StandardScaler() | as_river(PassiveAggressiveOneClass(radius=3.0))
    rows = [dict(enumerate(row.tolist())) for row in X]
    healthy = np.flatnonzero(y == 1)
    for i in healthy[:200]:
        model.learn_one(rows[i])
    auc = metrics.RollingROCAUC(window_size=1000)
    for i in [*healthy[200:], *np.flatnonzero(y == 0)]:
        auc.update(bool(y[i] == 0), model.score_one(rows[i]))

    assert auc.get() > 0.9


def test_a_filter_of_river_keeps_outliers_from_the_model() -> None:
    """River's own filters take our detector."""
    guarded = anomaly.ThresholdFilter(as_river(PassiveAggressiveOneClass(radius=1.0)), threshold=100.0)
    for value in (1.0, 1.2, 0.9, 1e6):
        guarded.learn_one({"x": value})

    assert guarded.anomaly_detector.model.center_.max() < 10


def test_probabilities_have_rivers_shape() -> None:
    """For every label a probability of belonging and one of not."""
    model = as_river(MultilabelRanker())
    model.learn_one({"a": 1.0}, {"x": True, "y": False})
    found = model.predict_proba_one({"a": 1.0})

    assert set(found) == {"x", "y"}
    assert all(sum(parts.values()) == pytest.approx(1.0) for parts in found.values())


def test_what_is_no_estimator_of_ours_is_refused() -> None:
    """With the names of what could be taken."""
    with pytest.raises(TypeError, match="PassiveAggressiveOneClass, MultilabelRanker"):
        as_river(object())
