"""scikit-learn's own checks on regressors, outlier detectors, rankers and cost-sensitive classifiers."""

from __future__ import annotations

from typing import Any

from sklearn.utils.estimator_checks import parametrize_with_checks

from onlinear import (
    AROWRegressor,
    MultilabelRanker,
    PassiveAggressiveOneClass,
    PassiveAggressiveRegressor,
    SoftConfidenceWeightedClassifier,
)

# Two checks compare a run with repeated rows to a run with weighted rows, in different orders: no learner
# whose result depends on the order can pass them. scikit-learn excuses its own SGD learners from them.
ORDER_DEPENDENT = {
    "check_sample_weight_equivalence_on_dense_data": "compares runs in different orders",
    "check_sample_weight_equivalence_on_sparse_data": "compares runs in different orders",
}

ESTIMATORS = [
    PassiveAggressiveRegressor(),
    PassiveAggressiveRegressor(variant="pa2", average=True),
    AROWRegressor(),
    AROWRegressor(covariance="full"),
    PassiveAggressiveOneClass(),
    PassiveAggressiveOneClass(variant="pa2", radius=1.0, contamination=0.1),
    PassiveAggressiveOneClass(max_radius=20.0, contamination=0.1),
    MultilabelRanker(),
    MultilabelRanker(rule="arow"),
    MultilabelRanker(rule=SoftConfidenceWeightedClassifier(C=0.5)),
]


def excused(estimator: Any) -> dict[str, str]:
    """Recursive least squares with a full covariance does not depend on the order: nothing to excuse."""
    return {} if getattr(estimator, "covariance", None) == "full" else ORDER_DEPENDENT


@parametrize_with_checks(ESTIMATORS, expected_failed_checks=excused)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    """Every estimator, in every shape it has, keeps scikit-learn's contract."""
    check(estimator)
