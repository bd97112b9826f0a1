"""Streams whose target moves, honest evaluation on them, and models that notice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix

from onlinear import AROWClassifier, PassiveAggressiveClassifier, RegularizedPassiveAggressiveClassifier, drift
from onlinear.exceptions import DataError, NotAvailableError, ParameterError


def four_classes() -> tuple[Any, Any]:
    """Four Gaussian clouds."""
    rng = np.random.default_rng(0)
    y = np.repeat([3, 7, 8, 9], 80)
    centres = np.array([[2, 0], [-2, 2], [0, 2], [2, -2]])
    return centres[np.repeat(np.arange(4), 80)] + rng.normal(size=(320, 2)), y


def test_the_four_phases_follow_their_chances() -> None:
    """Which class an example comes from follows the paper's table, its jump before the third phase included."""
    X, y = four_classes()
    marked = np.column_stack([X, y])
    stream = drift.four_phases(marked, y, positive=[3, 7], negative=[8, 9], per_phase=2000, random_state=1)
    source = stream.X[:, 2]
    assert stream.starts() == [0, 2000, 4000, 6000]
    assert_array_equal(stream.y, np.isin(source, [3, 7]))
    shares = {name: [float(np.mean(source[2000 * p : 2000 * p + 2000] == name)) for p in range(4)] for name in (3, 7, 8, 9)}
    assert_allclose(shares[3], [0.6, 0.4, 0.0, 0.0], atol=0.04)
    assert_allclose(shares[7], [0.0, 0.1, 0.5, 0.4], atol=0.04)
    assert_allclose(shares[8], [0.4, 0.5, 0.1, 0.0], atol=0.04)
    assert_allclose(shares[9], [0.0, 0.0, 0.4, 0.6], atol=0.04)


@pytest.mark.parametrize("make", [drift.abrupt, drift.gradual, drift.recurring])
def test_streams_are_reproducible(make: Any) -> None:
    """The same seed gives the same stream, another seed another one."""
    one, two, other = make(500, random_state=4), make(500, random_state=4), make(500, random_state=5)
    assert_array_equal(one.X, two.X)
    assert_array_equal(one.y, two.y)
    assert not np.array_equal(one.y, other.y)


def test_concepts_come_as_they_are_named() -> None:
    """Abrupt drift changes once, gradual drift mixes in between, recurring concepts come back."""
    assert drift.abrupt(100, n_concepts=4, random_state=0).starts() == [0, 25, 50, 75]
    mixed = drift.gradual(1000, begin=0.2, end=0.8, random_state=0).phase
    assert not mixed[:200].any()
    assert mixed[800:].all()
    assert 0.3 < mixed[200:800].mean() < 0.7
    assert drift.recurring(60, period=20, random_state=0).phase.tolist() == [0] * 20 + [1] * 20 + [0] * 20


def test_sparse_data_stays_sparse() -> None:
    """The four phases over a CSR matrix are rows of it."""
    X, y = four_classes()
    stream = drift.four_phases(csr_matrix(X), y, positive=[3, 7], negative=[8, 9], per_phase=20, random_state=0)
    assert stream.X.shape == (80, 2)
    result = drift.prequential(PassiveAggressiveClassifier(), stream)
    assert len(result.mistakes) == 80


def test_error_rates_are_what_they_say() -> None:
    """Cumulative, sliding and faded error of a known run of mistakes."""
    result = drift.Prequential(np.array([1, 0, 0, 1], dtype=bool), None, 2, 0.5)
    assert_allclose(result.cumulative, [1, 1 / 2, 1 / 3, 1 / 2])
    assert_allclose(result.sliding, [1, 1 / 2, 0, 1 / 2])
    assert_allclose(result.faded, [1, 0.5 / 1.5, 0.25 / 1.75, 1.125 / 1.875])


def test_every_example_is_asked_before_it_is_taught() -> None:
    """The mistakes are the model's own progressive mistakes."""
    stream = drift.abrupt(300, random_state=2)
    model = AROWClassifier(dtype="float64")
    result = drift.prequential(model, stream)
    other = AROWClassifier(dtype="float64").partial_fit(stream.X[:1], stream.y[:1], classes=[0, 1])
    for i in range(1, 300):
        assert result.mistakes[i] == (other.predict(stream.X[i : i + 1])[0] != stream.y[i])
        other.partial_fit(stream.X[i : i + 1], stream.y[i : i + 1])


@pytest.mark.parametrize("action", ["inflate", "reset"])
def test_a_watched_model_follows_an_abrupt_change(action: Any) -> None:
    """AROW, sure of the old concept, makes fewer mistakes after the change when a detector wakes it."""
    stream = drift.abrupt(6000, random_state=3)
    plain = drift.prequential(AROWClassifier(), stream)
    model = drift.Watched(AROWClassifier(), detector="adwin", action=action, factor=100.0)
    watched = drift.prequential(model, stream)
    assert any(3000 <= alarm < 3600 for alarm in watched.alarms)
    assert watched.mistakes[3000:].sum() < 0.8 * plain.mistakes[3000:].sum()


def test_forgetting_helps_where_the_target_moves() -> None:
    """With the four phases, an L2 ball makes fewer mistakes than Passive-Aggressive in the second half."""
    X, y = four_classes()
    totals = {"pa": 0, "ball": 0}
    for seed in range(5):
        stream = drift.four_phases(X, y, positive=[3, 7], negative=[8, 9], per_phase=300, random_state=seed)
        ball = RegularizedPassiveAggressiveClassifier(penalty="l2_ball", radius=1.0)
        for name, model in (("pa", PassiveAggressiveClassifier(variant="pa")), ("ball", ball)):
            totals[name] += int(drift.prequential(model, stream).mistakes[600:].sum())
    assert totals["ball"] < totals["pa"]


def test_what_cannot_be_is_refused() -> None:
    """Missing classes, wrong settings and models without variances say what is wrong."""
    X, y = four_classes()
    with pytest.raises(DataError, match="no example of class 5"):
        drift.four_phases(X, y, positive=[3, 5], negative=[8, 9])
    with pytest.raises(ParameterError, match="two classes each"):
        drift.four_phases(X, y, positive=[3], negative=[8, 9])
    with pytest.raises(ParameterError, match="noise must be"):
        drift.abrupt(10, noise=2.0)
    with pytest.raises(ParameterError, match="Did you mean 'adwin'"):
        drift.Watched(AROWClassifier(), detector="adwinn")
    with pytest.raises(NotAvailableError, match="keeps no variances"):
        PassiveAggressiveClassifier().fit(X, y).inflate(2.0)
