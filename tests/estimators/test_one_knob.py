"""A wider prior and a price that follows it are one knob: the same predictions, bit for bit at powers of two."""

import numpy as np
import pytest

from onlinear import AROWClassifier, SoftConfidenceWeightedClassifier

WIDER = 4.0


def _learned(model, n_classes=2):
    rng = np.random.default_rng(5)
    X = rng.normal(size=(300, 6))
    y = (X @ rng.normal(size=(6, n_classes))).argmax(axis=1) if n_classes > 2 else (X[:, 0] > 0).astype(int)
    flipped = rng.random(300) < 0.1
    y[flipped] = rng.integers(n_classes, size=flipped.sum())
    return model.partial_fit(X, y), X


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize(("penalty", "cheaper"), [("linear", WIDER**0.5), ("squared", WIDER)])
def test_scw_with_a_wider_prior_and_a_lower_price_only_stretches_its_weights(penalty, cheaper, n_classes):
    """Σ = aΣ', μ = √a μ' solves the same problem at C = C'/√a (linear loss) or C'/a (squared)."""
    usual, _ = _learned(SoftConfidenceWeightedClassifier(penalty=penalty, C=0.5), n_classes)
    wide, _ = _learned(
        SoftConfidenceWeightedClassifier(penalty=penalty, C=0.5 / cheaper, initial_variance=WIDER), n_classes
    )
    np.testing.assert_array_equal(wide.coef_, WIDER**0.5 * usual.coef_)
    np.testing.assert_array_equal(wide.coef_std_, WIDER**0.5 * usual.coef_std_)
    assert wide.n_updates_ == usual.n_updates_ > 0


@pytest.mark.parametrize("n_classes", [2, 4])
def test_arow_with_a_wider_prior_and_a_larger_r_has_the_same_weights(n_classes):
    """1 / (v + r) times Σ does not change when v, r and Σ grow alike."""
    usual, X = _learned(AROWClassifier(r=0.5), n_classes)
    wide, _ = _learned(AROWClassifier(r=0.5 * WIDER, initial_variance=WIDER), n_classes)
    np.testing.assert_array_equal(wide.coef_, usual.coef_)
    np.testing.assert_array_equal(wide.coef_std_, WIDER**0.5 * usual.coef_std_)
    np.testing.assert_array_equal(wide.predict(X), usual.predict(X))
