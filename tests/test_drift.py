"""Streams whose target moves, honest evaluation on them, and models that notice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_matrix
from scipy.sparse import random as random_matrix
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from onlinear import (
    AROWClassifier,
    KernelClassifier,
    NAROWClassifier,
    PassiveAggressiveClassifier,
    RegularizedPassiveAggressiveClassifier,
    SoftConfidenceWeightedClassifier,
    drift,
)
from onlinear.exceptions import DataError, NotAvailableError, ParameterError
from tests.estimators.roster import plain


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
    shares = {
        name: [float(np.mean(source[2000 * p : 2000 * p + 2000] == name)) for p in range(4)]
        for name in (3, 7, 8, 9)
    }
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
    """Abrupt drift changes at once, gradual drift mixes in between, recurring concepts come back."""
    assert drift.abrupt(100, n_concepts=4, random_state=0).starts() == [0, 25, 50, 75]
    mixed = drift.gradual(1000, begin=0.2, end=0.8, random_state=0)
    assert mixed.starts() == [0, 200, 800]
    assert not mixed.concept[:200].any()
    assert mixed.concept[800:].all()
    assert 0.3 < mixed.concept[200:800].mean() < 0.7
    back = drift.recurring(60, period=20, random_state=0)
    assert back.concept.tolist() == [0] * 20 + [1] * 20 + [0] * 20
    assert back.starts() == [0, 20, 40]


def test_a_concept_is_a_hyperplane() -> None:
    """Without noise one linear separator per concept makes no mistake, and another concept's makes many."""
    stream = drift.abrupt(4000, n_features=5, noise=0.0, random_state=1)
    first, second = (stream.concept == k for k in (0, 1))
    plane = np.linalg.lstsq(stream.X[first], 2.0 * stream.y[first] - 1, rcond=None)[0]
    assert np.mean((stream.X[first] @ plane > 0) == stream.y[first]) > 0.97
    assert np.mean((stream.X[second] @ plane > 0) == stream.y[second]) < 0.9


def test_noise_turns_its_share_of_the_labels() -> None:
    """The same stream with noise has the same rows, and one label in five is the other one."""
    clean, noisy = (drift.abrupt(4000, noise=noise, random_state=1) for noise in (0.0, 0.2))
    assert_array_equal(noisy.X, clean.X)
    assert_allclose(np.mean(noisy.y != clean.y), 0.2, atol=0.03)


def test_sparse_data_stays_sparse() -> None:
    """The four phases over a CSR matrix are rows of it."""
    X, y = four_classes()
    stream = drift.four_phases(
        csr_matrix(X), y, positive=[3, 7], negative=[8, 9], per_phase=20, random_state=0
    )
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
    assert result.mistakes[0]  # nothing was known, so nothing was answered
    other = AROWClassifier(dtype="float64").partial_fit(stream.X[:1], stream.y[:1], classes=[0, 1])
    for i in range(1, 300):
        assert result.mistakes[i] == (other.predict(stream.X[i : i + 1])[0] != stream.y[i])
        other.partial_fit(stream.X[i : i + 1], stream.y[i : i + 1])


@pytest.mark.parametrize("form", ["rows", "lists", "matrices", "dicts"])
def test_a_stream_may_be_any_pairs_of_a_row_and_its_class(form: str) -> None:
    """Pairs as `zip` gives them, of whatever form the rows are, are the stream of the same examples."""
    stream = drift.abrupt(300, n_features=4, random_state=2)
    rows = {
        "rows": stream.X,
        "lists": stream.X.tolist(),
        "matrices": [csr_matrix(row.reshape(1, -1)) for row in stream.X],
        "dicts": [dict(enumerate(row.tolist())) for row in stream.X],
    }[form]
    labels = stream.y.tolist() if form == "dicts" else stream.y
    expected = drift.prequential(AROWClassifier(dtype="float64"), list(stream))

    result = drift.prequential(AROWClassifier(dtype="float64"), zip(rows, labels, strict=True))

    assert_array_equal(result.mistakes, expected.mistakes)
    assert result.phase is None


def test_a_stream_without_pairs_is_refused_by_what_it_gave() -> None:
    """An array alone is no stream of examples, and the message says how it becomes one."""
    with pytest.raises(DataError, match=r"pairs \(row, class\).*at example 0.*zip\(X, y\)"):
        drift.prequential(AROWClassifier(), np.zeros((3, 4)))


@pytest.mark.parametrize("action", ["reset", "inflate", "restart"])
@pytest.mark.parametrize("model", [AROWClassifier(), SoftConfidenceWeightedClassifier()], ids=["AROW", "SCW"])
def test_a_watched_model_follows_an_abrupt_change(model: Any, action: Any) -> None:
    """AROW and SCW, sure of the old concept, make a fifth fewer mistakes when a detector wakes them."""
    stream = drift.abrupt(3000, random_state=3)
    alone = drift.prequential(clone(model), stream)
    watched = drift.prequential(drift.Watched(model, detector="adwin", action=action), stream)
    assert alone.alarms == ()
    assert any(1500 <= alarm < 1800 for alarm in watched.alarms)
    assert watched.mistakes[1500:].sum() < 0.8 * alone.mistakes[1500:].sum()


class Bell:
    """A detector that rings once, after so many answers."""

    def __init__(self, after: int) -> None:
        self.left = after

    def update(self, wrong: float) -> None:
        """Count an answer."""
        self.left -= 1

    @property
    def drift_detected(self) -> bool:
        """Whether this was the one."""
        return self.left == 0


@pytest.mark.parametrize(("action", "share"), [("reset", 0.25), ("inflate", 0.25), ("inflate", 0.5)])
def test_an_alarm_moves_the_variances_by_the_share(action: Any, share: float) -> None:
    """Inflating leaves (1 - share) of a variance plus a share of the prior's, resetting the prior's; the mean stays."""
    stream = drift.abrupt(200, n_features=4, random_state=0)
    known = plain(AROWClassifier, initial_variance=2.0, fit_intercept=False, dtype="float64")
    known.partial_fit(stream.X, stream.y)
    watched = drift.Watched(known, Bell(after=1), action=action, share=share)
    watched.partial_fit(np.zeros((1, 4)), stream.y[:1])  # a row of zeros teaches nothing

    kept = 0.0 if action == "reset" else 1 - share
    assert watched.alarms_ == [0]
    assert_allclose(watched.model_.coef_std_**2, kept * known.coef_std_**2 + (1 - kept) * 2.0, rtol=1e-12)
    assert_array_equal(watched.model_.coef_, known.coef_)


def test_an_alarm_starts_the_model_anew_where_asked() -> None:
    """After the alarm the model is one that has seen nothing before the row that rang."""
    stream = drift.abrupt(200, n_features=4, random_state=0)
    watched = drift.Watched(AROWClassifier(), Bell(after=150), action="restart")
    watched.partial_fit(stream.X, stream.y, classes=[0, 1])
    alone = AROWClassifier().partial_fit(stream.X[150:], stream.y[150:], classes=[0, 1])

    assert watched.alarms_ == [150]
    assert watched.model_.digest() == alone.digest()


def test_nothing_is_watched_unless_asked() -> None:
    """Without a detector a watched model learns what the model alone learns, bit for bit, and the pattern nothing."""
    stream = drift.abrupt(500, random_state=0)
    pattern = AROWClassifier()
    alone = AROWClassifier().partial_fit(stream.X, stream.y)
    watched = drift.Watched(pattern).partial_fit(stream.X, stream.y)
    assert watched.model_.digest() == alone.digest()
    assert not hasattr(pattern, "classes_")
    assert watched.alarms_ == []


def test_what_a_model_knew_before_counts() -> None:
    """A model that has learned is watched from where it stands; `fit` starts anew."""
    stream = drift.abrupt(400, n_concepts=1, random_state=0)
    known = AROWClassifier().partial_fit(stream.X[:300], stream.y[:300])
    watched = drift.Watched(known, detector="adwin")
    watched.partial_fit(stream.X[300:], stream.y[300:])
    assert watched.model_.n_seen_ == 400
    assert known.n_seen_ == 300
    assert watched.fit(stream.X[300:], stream.y[300:]).model_.n_seen_ == 100


def test_a_watched_model_speaks_the_verbs_of_river() -> None:
    """Dicts one at a time give the alarms and the model of rows."""
    stream = drift.abrupt(1500, n_features=5, random_state=2)
    rows = drift.Watched(AROWClassifier(dtype="float64"), "adwin").partial_fit(
        stream.X, stream.y, classes=[0, 1]
    )
    dicts = drift.Watched(AROWClassifier(dtype="float64"), "adwin")
    assert dicts.predict_one({0: 1.0}) is None
    for x, y in zip(stream.X, stream.y, strict=True):
        dicts.learn_one(dict(enumerate(x.tolist())), int(y))
    assert rows.alarms_ == dicts.alarms_ != []
    assert dicts.predict_one(dict(enumerate(stream.X[0].tolist()))) == rows.predict(stream.X[:1])[0]


@pytest.mark.parametrize("name", ["adwin", "page_hinkley", "kswin"])
def test_a_detector_is_never_shared_and_can_be_repeated(name: str) -> None:
    """Two runs of one object, and a detector given by name or as an object, see the same alarms."""
    from river import drift as detectors

    stream = drift.abrupt(1500, random_state=5)
    model = drift.Watched(AROWClassifier(), detector=name)
    first, second = (list(model.fit(stream.X, stream.y).alarms_) for _ in range(2))
    assert first == second != []
    own = detectors.ADWIN()
    drift.Watched(AROWClassifier(), detector=own).fit(stream.X, stream.y)
    assert own.n_detections == 0


@pytest.mark.parametrize(
    "model",
    [
        plain(AROWClassifier, initial_variance=0.7),
        AROWClassifier(initial_variance=0.7, covariance="full"),
        NAROWClassifier(initial_variance=0.7),
        KernelClassifier(initial_variance=0.7, kernel="linear", fit_intercept=False),
    ],
    ids=["diagonal", "full", "information", "kernel"],
)
def test_inflation_goes_a_share_of_the_way_back(model: Any) -> None:
    """The margin's variance becomes (1 - share) of it plus a share of the prior's; the mean stays."""
    stream = drift.abrupt(300, n_features=4, random_state=0)
    model = clone(model).set_params(dtype="float64").partial_fit(stream.X, stream.y)
    prior = 0.7 * (np.sum(stream.X**2, axis=1) + model.fit_intercept)
    scores, variance = model.decision_function(stream.X), model.margin(stream.X, return_std=True)[1] ** 2
    assert np.all(variance < 0.9 * prior)
    model.inflate(0.25)
    assert_allclose(
        model.margin(stream.X, return_std=True)[1] ** 2, 0.75 * variance + 0.25 * prior, rtol=1e-9
    )
    model.inflate()
    assert_allclose(model.margin(stream.X, return_std=True)[1] ** 2, prior, rtol=1e-9)
    assert_allclose(model.decision_function(stream.X), scores, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(
    ("penalty", "parameters"),
    [("objective", {"alpha": 1e-3}), ("l2_ball", {"radius": 3.0}), ("l1_ball", {"radius": 80.0})],
)
def test_forgetting_helps_where_old_weights_are_wrong(penalty: Any, parameters: dict[str, float]) -> None:
    """When many rare words turn into their opposite, all three make a tenth fewer mistakes than PA."""
    after = {"PA": 0, "regularised": 0}
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = random_matrix(4000, 2000, density=0.015, format="csr", random_state=rng, data_rvs=np.ones)
        y = (X @ rng.standard_normal(2000) > 0).astype(int)
        y[2000:] = 1 - y[2000:]
        models = {
            "PA": PassiveAggressiveClassifier(variant="pa"),
            "regularised": RegularizedPassiveAggressiveClassifier(penalty=penalty, **parameters),
        }
        for name, model in models.items():
            before = model.partial_fit(X[:2000], y[:2000]).n_mistakes_
            after[name] += model.partial_fit(X[2000:], y[2000:]).n_mistakes_ - before
    assert after["regularised"] < 0.9 * after["PA"]


@parametrize_with_checks([drift.Watched(AROWClassifier(), detector="adwin")])
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    """A watched model is an estimator like any other."""
    check(estimator)


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
        drift.Watched(AROWClassifier(), detector="adwinn").fit(X, y)
    with pytest.raises(NotAvailableError, match="keeps no variances"):
        PassiveAggressiveClassifier().fit(X, y).inflate()
