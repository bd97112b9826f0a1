"""One class: balls, learned radii, shares of outliers, streams."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_matrix

import onlinear
from onlinear import PassiveAggressiveOneClass
from onlinear.exceptions import ModelFileError, ParameterError

from ..hostile.crafting import edited

RNG = np.random.default_rng(0)
INSIDE = RNG.normal(size=(300, 4)) + 5.0
OUTSIDE = RNG.normal(size=(20, 4)) * 0.5 + 30.0


def test_a_far_point_is_an_outlier_and_a_near_one_is_not() -> None:
    """The centre is found and the ball drawn around it."""
    model = PassiveAggressiveOneClass(radius=4.0, random_state=0).fit(INSIDE)

    assert np.linalg.norm(model.center_ - 5.0) < 1.5
    assert (model.predict(OUTSIDE) == -1).all()
    assert (model.predict(INSIDE) == 1).mean() > 0.95
    np.testing.assert_allclose(
        model.score_samples(INSIDE), -np.linalg.norm(INSIDE - model.center_, axis=1), rtol=1e-9
    )


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2"])
def test_a_learned_radius_stays_between_zero_and_its_bound(variant: str) -> None:
    """It starts at 0 and holds the examples in the end."""
    model = PassiveAggressiveOneClass(variant=variant, C=1.0, max_radius=20.0, random_state=0).fit(INSIDE)

    assert 0 < model.radius_ <= 20.0
    assert model.offset_ == -model.radius_
    assert (model.predict(INSIDE) == 1).mean() > 0.9


def test_contamination_sets_the_share_of_outliers(tmp_path: Path) -> None:
    """And a saved model keeps the threshold it was given."""
    model = PassiveAggressiveOneClass(contamination=0.1, random_state=0).fit(INSIDE)
    model.save(tmp_path / "model.safetensors")
    loaded = onlinear.load(tmp_path / "model.safetensors")

    assert (model.predict(INSIDE) == -1).mean() == pytest.approx(0.1, abs=0.005)
    assert loaded.offset_ == model.offset_
    np.testing.assert_array_equal(loaded.predict(INSIDE), model.predict(INSIDE))


def test_batches_sparse_rows_and_dicts_teach_the_same() -> None:
    """One pass, however it is handed over."""
    whole = PassiveAggressiveOneClass(dtype="float64", max_radius=9.0).partial_fit(INSIDE)
    parts = PassiveAggressiveOneClass(dtype="float64", max_radius=9.0)
    for batch in np.array_split(INSIDE, 7):
        parts.partial_fit(batch)
    sparse = PassiveAggressiveOneClass(dtype="float64", max_radius=9.0).partial_fit(csr_matrix(INSIDE))
    stream = PassiveAggressiveOneClass(dtype="float64", max_radius=9.0)
    for row in INSIDE:
        stream.learn_one(dict(enumerate(row.tolist())))

    assert parts.digest() == whole.digest()
    assert sparse.digest() == whole.digest()
    assert stream.digest() == whole.digest()
    assert stream.score_one(dict(enumerate(INSIDE[0].tolist()))) == pytest.approx(
        -whole.score_samples(INSIDE[:1])[0]
    )


def test_the_score_before_any_learning_is_zero() -> None:
    """As river asks of its detectors."""
    assert PassiveAggressiveOneClass().score_one({"x": 1.0}) == 0.0


def test_sparse_rows_have_the_distances_of_dense_ones() -> None:
    """Also when most features of the centre are not in the row."""
    X = csr_matrix(RNG.normal(size=(200, 50)) * (RNG.random((200, 50)) < 0.1))
    model = PassiveAggressiveOneClass(radius=0.5, C=1.0, random_state=0).fit(X)

    np.testing.assert_allclose(
        -model.score_samples(X), np.linalg.norm(X.toarray() - model.center_, axis=1), rtol=1e-9
    )


def test_a_radius_whose_square_overflows_is_refused() -> None:
    """The parameter is named, not the first row."""
    with pytest.raises(ParameterError, match="max_radius"):
        PassiveAggressiveOneClass(max_radius=1e155).partial_fit(INSIDE)


def test_a_cut_that_is_no_number_is_refused(tmp_path: Path) -> None:
    """A file cannot make a detector that answers with NaN."""
    path = tmp_path / "m.safetensors"
    PassiveAggressiveOneClass(contamination=0.1).fit(INSIDE).save(path)
    edited(path, lambda content, tensors: content["extras"].update(cut=float("nan")))

    with pytest.raises(ModelFileError, match=r"m\.safetensors: .*cut"):
        onlinear.load(path)


def test_columns_may_be_called_like_the_parts_of_a_batch() -> None:
    """A data frame is one whatever its columns are called."""
    frame = pd.DataFrame(INSIDE, columns=["buffers", "bytes_read", "a", "b"])
    assert PassiveAggressiveOneClass().partial_fit(frame).n_seen_ == len(INSIDE)
