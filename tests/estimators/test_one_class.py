"""One class: balls, learned radii, shares of outliers, streams."""

from __future__ import annotations

from pathlib import Path
from typing import Any

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


# ---------------------------------------------------------------------- a share instead of a radius

DISTRIBUTIONS: dict[str, Any] = {
    "normal": lambda rng, n: rng.normal(size=(n, 5)),
    "far away": lambda rng, n: 1e6 + rng.normal(size=(n, 5)),
    "tiny": lambda rng, n: 1e-9 * rng.normal(size=(n, 5)),
    "huge": lambda rng, n: 1e12 * rng.uniform(-1, 1, size=(n, 3)),
    "one feature": lambda rng, n: rng.normal(3.0, 0.1, size=(n, 1)),
    "many features": lambda rng, n: rng.normal(size=(n, 300)),
    "lognormal": lambda rng, n: rng.lognormal(sigma=1.5, size=(n, 4)),
    "heavy tails": lambda rng, n: rng.standard_t(1.5, size=(n, 4)),
    "skewed": lambda rng, n: rng.gamma(0.5, size=(n, 3)) - 7.0,
    "sparse": lambda rng, n: rng.random((n, 50)) * (rng.random((n, 50)) < 0.1),
}


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.4])
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_the_share_that_was_asked_for_lies_outside(name: str, nu: float) -> None:
    """Of the rows it learned from, and of others like them, in one pass and in several."""
    rng = np.random.default_rng(0)
    seen, fresh = (DISTRIBUTIONS[name](rng, 4000) for _ in range(2))
    for model in (
        PassiveAggressiveOneClass(nu=nu, dtype="float64").partial_fit(seen),
        PassiveAggressiveOneClass(nu=nu, dtype="float64", random_state=0).fit(seen),
    ):
        for rows in (seen, fresh):
            assert np.mean(model.predict(rows) == -1) == pytest.approx(nu, abs=0.025 + 0.1 * nu)


@pytest.mark.parametrize("nu", [0.02, 0.1, 0.4])
def test_fit_leaves_the_share_outside_though_there_is_no_middle(nu: float) -> None:
    """Between two heaps the centre finds no rest; `fit` measures distances from where it is in the end."""
    rng = np.random.default_rng(4)
    for n in (30, 500, 3000):
        rows = rng.normal(size=(n, 4)) + 6.0 * rng.integers(0, 2, size=(n, 1))
        model = PassiveAggressiveOneClass(nu=nu, random_state=0).fit(rows)
        assert np.mean(model.predict(rows) == -1) == pytest.approx(nu, abs=1 / 1024 + 1 / n)


def ball(rows: Any, nu: float, C: float) -> tuple[Any, list[float]]:
    """The centre and the last 1,024 distances, spelt out: steps of C radii towards each row, PA-I's."""
    centre, distances = rows[0].copy(), list[float]()
    for row in rows[1:]:
        away = float(np.linalg.norm(row - centre))
        kept = sorted(distances[-1024:])
        radius = kept[max(int(np.ceil((1 - nu) * len(kept) - 1e-9)), 1) - 1] if kept else away
        step = min(C * radius, away)
        if away > 0:
            centre += step * (row - centre) / away
        distances.append(away)
    return centre, distances[-1024:]


def test_the_ball_of_a_share_is_the_one_spelt_out() -> None:
    """Centre and radius follow the few lines of NumPy above."""
    rows = np.random.default_rng(1).normal(2.0, 3.0, size=(1500, 3))
    model = PassiveAggressiveOneClass(nu=0.2, C=0.05).partial_fit(rows)
    centre, distances = ball(rows, 0.2, 0.05)

    np.testing.assert_allclose(model.center_, centre, rtol=1e-9)
    assert model.radius_ == pytest.approx(sorted(distances)[int(np.ceil(0.8 * 1024)) - 1], rel=1e-9)
    assert model.offset_ == -model.radius_
    np.testing.assert_array_equal(model.predict(rows) == 1, model.score_samples(rows) >= model.offset_)


@pytest.mark.parametrize("power", [-40, -3, 60])
def test_the_unit_of_the_features_does_not_matter(power: int) -> None:
    """Rows in another unit, by a power of two, are judged alike to the bit."""
    rows = np.random.default_rng(2).normal(1.0, 2.0, size=(800, 4))
    plain = PassiveAggressiveOneClass(random_state=0).fit(rows)
    scaled = PassiveAggressiveOneClass(random_state=0).fit(rows * 2.0**power)

    np.testing.assert_array_equal(scaled.center_, plain.center_ * 2.0**power)
    np.testing.assert_array_equal(scaled.predict(rows * 2.0**power), plain.predict(rows))


def test_the_learned_radius_survives_a_file_and_goes_on(tmp_path: Path) -> None:
    """Saved in the middle, handed over in pieces or as dicts: the same bits."""
    rows = np.random.default_rng(3).normal(size=(1500, 3))
    whole = PassiveAggressiveOneClass(dtype="float64").partial_fit(rows)
    parts = PassiveAggressiveOneClass(dtype="float64").partial_fit(rows[:1200])
    parts.save(tmp_path / "half.safetensors")
    parts = onlinear.persistence.load(tmp_path / "half.safetensors")
    for start in range(1200, 1500, 70):
        parts.partial_fit(rows[start : start + 70])
    single = PassiveAggressiveOneClass(dtype="float64").partial_fit(rows[:1])
    for row in rows[1:]:
        single.learn_one(dict(enumerate(row)))

    assert whole.radius_ == parts.radius_ == single.radius_
    assert whole.digest() == parts.digest() == single.digest()


def test_a_share_must_be_one_and_needs_a_price() -> None:
    """Refused with the remedy."""
    for wrong in (0.0, 1.0, -0.1, "a few"):
        with pytest.raises(ParameterError, match="nu must be"):
            PassiveAggressiveOneClass(nu=wrong).fit(INSIDE)
    with pytest.raises(ParameterError, match="Give a radius"):
        PassiveAggressiveOneClass(variant="pa").fit(INSIDE)
    with pytest.raises(ParameterError, match="weighed='step' is for a radius that is given or bounded"):
        PassiveAggressiveOneClass(weighed="step").fit(INSIDE)
    for known in ({"radius": 1.0}, {"max_radius": 2.0}):
        PassiveAggressiveOneClass(weighed="step", **known).fit(INSIDE)
