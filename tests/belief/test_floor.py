"""`min_variance`: no weight is ever surer than this, whatever rule, form of rows, class or feature comes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from onlinear import (
    AROWClassifier,
    ConfidenceWeightedClassifier,
    IELLIPClassifier,
    Learner,
    NHERDClassifier,
    belief,
    rule,
    task,
)
from tests.estimators.roster import plain

FLOOR = 0.25
LEARN = """
import numpy as np
from onlinear import AROWClassifier, _core
X = np.random.default_rng(0).standard_normal((200, 37))
for projection in ("kl", "drop"):
    for dtype in ("float32", "float64"):
        model = AROWClassifier(projection=projection, dtype=dtype, min_variance=0.25, scale=None)
        model.partial_fit(X, np.arange(200) % 2)
        print(_core.simd_level(), model.coef_std_.min())
"""


def rows(n: int, columns: int = 37) -> Any:
    """Rows whose labels say nothing about them, so that every one is learned from."""
    return np.random.default_rng(0).standard_normal((n, columns))


@pytest.mark.parametrize("level", ["base", "avx2", "avx512"])
def test_the_floor_holds_in_the_kernels_of_dense_batches(level: str) -> None:
    """Each set of instructions has its own; a machine without one takes the widest it has."""
    done = subprocess.run(
        [sys.executable, "-c", LEARN],
        env={**os.environ, "ONLINEAR_SIMD": level},
        capture_output=True,
        text=True,
        check=True,
    )
    for line in done.stdout.splitlines():
        assert float(line.split()[1]) == pytest.approx(FLOOR**0.5)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("projection", ["kl", "drop", "exact"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("shape", [np.asarray, csr_array])
def test_the_floor_holds_for_every_form_of_rows_and_projection(
    average: bool, projection: str, n_classes: int, shape: Any
) -> None:
    """The floor is reached and not passed."""
    model = plain(NHERDClassifier, projection=projection, average=average, min_variance=FLOOR)
    model.partial_fit(shape(rows(200)), np.arange(200) % n_classes)

    assert model.coef_std_.min() == pytest.approx(FLOOR**0.5)


def test_the_floor_is_under_the_weights_of_every_block_after_a_third_class() -> None:
    """Two blocks share the variance of one, but neither goes below the floor; nor does what comes later."""
    model = plain(AROWClassifier, initial_variance=0.3, min_variance=FLOOR)
    model.partial_fit(rows(100, 3), np.arange(100) % 2)
    model.partial_fit(np.zeros((1, 3)), [2])
    assert model.coef_std_.shape == (3, 3)
    assert model.coef_std_.min() >= FLOOR**0.5

    model.learn_one({7: 0.0}, 1)
    assert model.coef_std_.shape == (3, 8)
    assert model.coef_std_.min() >= FLOOR**0.5


def test_the_floor_holds_where_a_rule_spreads_the_covariance() -> None:
    """IELLIP's variances are stored without their common factor, the floor is under what they mean."""
    model = IELLIPClassifier(c=0.5, b=0.99, min_variance=FLOOR, dtype="float64")
    model.partial_fit(rows(200, 3), np.arange(200) % 2)

    assert model.model_.learner.state()["spread"] != 1
    assert model.coef_std_.min() >= FLOOR**0.5 * (1 - 1e-12)


def test_the_floor_holds_after_variances_were_let_grow_back() -> None:
    """A share of the way back to the start, from the smallest variance there is, ends above it."""
    learner = Learner(
        task=task.Binary(), rule=rule.Arow(), belief=belief.Diagonal(), n_features=1, dtype="float64"
    )
    learner.learn(np.full((9, 1), 1e100), np.arange(9) % 2)
    for share in (0.0, 1e-300, 1e-17, 0.5, 1.0):
        learner.handle.inflate(share)
        assert learner.variance.min() >= np.finfo(float).tiny
    assert learner.variance[0] == 1.0


def test_the_norm_of_the_mean_is_that_of_the_blocks_after_a_third_class() -> None:
    """ROMMA's steps are computed from it: blocks -w/2 and w/2 have half the squared length of w."""
    X, y = rows(60, 4), np.arange(60) % 2
    learner = Learner(
        task=task.Binary(), rule=rule.Romma(), belief=belief.Mean(), n_features=4, dtype="float64"
    )
    learner.learn(X, y)
    learner.handle.to_multiclass(task.Multiclass())
    learner.handle.grow(4, 3)

    assert learner.state()["mean_norm"] == pytest.approx((learner.mean**2).sum(), rel=1e-12)
    learner.learn(X, np.arange(60) % 3)
    assert learner.state()["mean_norm"] == pytest.approx((learner.mean**2).sum(), rel=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_full_covariance_survives_labels_that_are_noise(dtype: str) -> None:
    """CW asks for a confidence that no variance gives it; features in [0, 1] are no reason to refuse."""
    rng = np.random.default_rng(0)
    X = rng.random((4000, 12))
    y = (X[:, 0] + 0.5 * rng.standard_normal(4000) > 0.5).astype(int)
    for floor in (0.0, 1e-6):
        model = ConfidenceWeightedClassifier(
            constraint="stdev", covariance="full", min_variance=floor, dtype=dtype
        ).partial_fit(X, y)
        assert model.n_seen_ == 4000
        assert np.isfinite(model.coef_).all()
        assert (model.coef_std_ > 0).all()


def test_a_full_covariance_of_one_feature_has_the_floor_of_a_diagonal() -> None:
    """Where there is one direction, its variance is the weight's."""
    X, y = rows(50, 1), np.arange(50) % 2
    full, diagonal = (
        plain(
            AROWClassifier,
            covariance=covariance,
            min_variance=0.1,
            projection="kl",
            fit_intercept=False,
            dtype="float64",
        ).partial_fit(X, y)
        for covariance in ("full", "diagonal")
    )
    np.testing.assert_allclose(full.coef_, diagonal.coef_, rtol=1e-12)
    np.testing.assert_allclose(full.coef_std_, diagonal.coef_std_, rtol=1e-12)
    assert full.coef_std_[0, 0] == pytest.approx(0.1**0.5)
