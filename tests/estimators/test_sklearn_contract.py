"""scikit-learn's own checks, on every estimator, found by introspection."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from tests.estimators.roster import CLASSIFIERS, SETTINGS, WEIGHT_BLIND

# Two checks compare a run with repeated rows to a run with weighted rows, in different orders: no learner whose
# result depends on the order can pass them. scikit-learn excuses its own SGDClassifier and Perceptron.
ORDER_DEPENDENT = {
    "check_sample_weight_equivalence_on_dense_data": "compares runs in different orders",
    "check_sample_weight_equivalence_on_sparse_data": "compares runs in different orders",
}


@parametrize_with_checks(SETTINGS, expected_failed_checks=lambda _: ORDER_DEPENDENT)
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    """Every classifier, in every shape it has, keeps scikit-learn's contract."""
    check(estimator)


@pytest.mark.parametrize("cls", CLASSIFIERS, ids=lambda cls: cls.__name__)
def test_poor_score_is_claimed_only_with_a_reason(cls: type[Any]) -> None:
    """The `poor_score` tag stands exactly on the rules the table says cannot follow class weights."""
    assert cls().__sklearn_tags__().classifier_tags.poor_score == (cls.__name__ in WEIGHT_BLIND)
