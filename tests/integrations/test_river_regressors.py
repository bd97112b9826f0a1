"""Our regressors in river's hands."""

from __future__ import annotations

from typing import Any

import pytest
from river import checks, datasets, evaluate, linear_model, metrics, preprocessing
from sklearn.base import clone

from onlinear import AROWRegressor, PassiveAggressiveRegressor
from onlinear.integrations.river import as_river

REGRESSORS = [
    PassiveAggressiveRegressor(bits=10),
    PassiveAggressiveRegressor(variant="pa2", average=True, bits=10),
    AROWRegressor(bits=10),
    AROWRegressor(covariance="full", bits=5, dtype="float64"),
]


@pytest.mark.parametrize("estimator", REGRESSORS, ids=str)
def test_every_regressor_passes_rivers_own_checks(estimator: Any) -> None:
    """What river asks of its own regressors, ours do."""
    checks.check_estimator(as_river(clone(estimator)))


def test_progressive_validation_is_good_on_a_dataset_of_river() -> None:
    """In river's own loop, both of ours follow the approval of a president better than river's does."""

    def error(regressor: Any) -> float:
        model = preprocessing.StandardScaler() | regressor
        return float(evaluate.progressive_val_score(datasets.TrumpApproval(), model, metrics.MAE()).get())

    theirs = error(linear_model.PARegressor())
    assert error(as_river(AROWRegressor())) < theirs
    assert error(as_river(PassiveAggressiveRegressor())) < theirs
