"""`predict_proba` means what it says: beside scikit-learn's CalibratedClassifierCV, on real and text-like data.

The map is fitted on progressive scores while learning, in one pass; scikit-learn's needs five fits and held-out
folds, and its probabilities are means over those five models, which alone makes them more accurate. So ours may
be somewhat worse, and the bounds say by how much.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

import onlinear
from onlinear.plotting import ReliabilityDisplay
from tests.estimators.roster import SETTINGS
from tests.estimators.streams import dense_stream

#: One of two classes, where the map is a scale and an offset, and one of several, where it is a temperature.
SETS = ["text", "digits"]
#: Second order, averages: the learners one would take probabilities from.
STEADY = [
    onlinear.AROWClassifier(),
    onlinear.AROWClassifier(average=True),
    onlinear.AROWClassifier(projection="kl"),
    onlinear.SoftConfidenceWeightedClassifier(),
    onlinear.SoftConfidenceWeightedClassifier(penalty="squared"),
    onlinear.NHERDClassifier(),
    onlinear.PassiveAggressiveClassifier(C=0.1, average=True),
    onlinear.Perceptron(average=True),
]
COMPARED = [STEADY[i] for i in (0, 1, 3, 7)]
#: Expected calibration error allowed; one temperature for several classes has less to give.
ALLOWED = {"text": 0.06, "digits": 0.08}


def text(n: int, n_classes: int, seed: int, n_words: int = 2000) -> tuple[Any, Any]:
    """Bags of words from a Zipf law; labels drawn from a softmax, so that no model can be sure."""
    rng = np.random.default_rng(seed)
    frequency = 1 / np.arange(1, n_words + 1)
    lengths = rng.poisson(30, n) + 5
    words = rng.choice(n_words, lengths.sum(), p=frequency / frequency.sum()).astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    X = sp.csr_array((np.ones(len(words)), words, starts), shape=(n, n_words))
    X.sum_duplicates()
    X.data /= np.sqrt(np.repeat(np.asarray(X.multiply(X).sum(axis=1)), np.diff(X.indptr)))
    odds = np.exp(3 * (X @ rng.standard_normal((n_words, n_classes))))
    chances = np.cumsum(odds / odds.sum(axis=1, keepdims=True), axis=1)
    return X, (rng.random((n, 1)) > chances[:, :-1]).sum(axis=1)


@cache
def split(name: str) -> tuple[Any, ...]:
    """Training and test data: X, X_test, y, y_test."""
    if name == "text":
        X, y = text(4000, 2, seed=0)
    else:
        X, y = load_digits(return_X_y=True)
        X = X / 16
    return tuple(train_test_split(X, y, test_size=0.4, random_state=0, stratify=y))


@cache
def svm_loss(name: str) -> float:
    """Log loss of a calibrated linear SVM."""
    X, X_test, y, y_test = split(name)
    return float(log_loss(y_test, CalibratedClassifierCV(LinearSVC(C=0.1)).fit(X, y).predict_proba(X_test)))


def calibration_error(model: Any, X: Any, y: Any) -> float:
    """Expected calibration error of the predicted class."""
    p = model.predict_proba(X)
    return ReliabilityDisplay.from_counts(p.max(axis=1), model.predict(X) == y).expected_calibration_error


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("setting", COMPARED, ids=str)
def test_log_loss_is_close_to_that_of_calibrated_cross_validation(setting: Any, name: str) -> None:
    """At most 1.15 times the log loss of CalibratedClassifierCV over the same learner, 1.25 times that over an SVM."""
    X, X_test, y, y_test = split(name)
    model = clone(setting).set_params(random_state=0).fit(X, y)
    loss = log_loss(y_test, model.predict_proba(X_test))
    peer = CalibratedClassifierCV(clone(setting).set_params(random_state=0)).fit(X, y)

    assert loss < 1.15 * log_loss(y_test, peer.predict_proba(X_test))
    assert loss < 1.25 * svm_loss(name)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("setting", STEADY, ids=str)
@pytest.mark.parametrize("way", ["fit", "stream"])
def test_the_expected_calibration_error_is_small(setting: Any, name: str, way: str) -> None:
    """On average the probability of the predicted class is within a few hundredths of how often it is right."""
    X, X_test, y, y_test = split(name)
    model = clone(setting).set_params(random_state=0)
    model = model.fit(X, y) if way == "fit" else model.partial_fit(X, y)

    assert calibration_error(model, X_test, y_test) < ALLOWED[name]


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
def test_every_learner_is_better_than_saying_nothing(setting: Any) -> None:
    """Also rules that jump about give probabilities that tell more than the class frequencies do.

    Learners with a bound (an L1 ball, a budget of examples) get one that ten classes fit into; kernels, which look
    at every kept example every time, make one pass.
    """
    X, X_test, y, y_test = split("digits")
    room = {"radius": 50.0, "budget": 500}
    own = {bound: room[bound] for bound in room if setting.get_params().get(bound) is not None}
    if isinstance(setting, onlinear.KernelClassifier):
        own["passes"] = 1
    model = clone(setting).set_params(random_state=0, **own).fit(X, y)
    frequencies = np.bincount(y) / len(y)
    silence = log_loss(y_test, np.tile(frequencies, (len(y_test), 1)))

    assert log_loss(y_test, model.predict_proba(X_test)) < 0.65 * silence
    assert calibration_error(model, X_test, y_test) < 0.2


@pytest.mark.parametrize("setting", SETTINGS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_are_monotone_in_the_scores_and_sum_to_one(setting: Any, n_classes: int) -> None:
    """The map never reorders: the predicted class has the largest probability, a larger score a larger one."""
    stream = dense_stream(n=300, d=4, n_classes=n_classes, dtype=np.float64)
    model = clone(setting).partial_fit(stream.X, stream.y, classes=range(n_classes))
    p, scores = model.predict_proba(stream.X), model.decision_function(stream.X)

    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(stream.X))
    if n_classes == 2:
        assert np.all(np.diff(p[np.argsort(scores, kind="stable"), 1]) >= 0)
    else:
        ranked = np.take_along_axis(p, np.argsort(scores, axis=1, kind="stable"), axis=1)
        assert np.all(np.diff(ranked, axis=1) >= -1e-15)
    np.testing.assert_allclose(model.predict_log_proba(stream.X), np.log(p))


def test_only_the_first_pass_is_calibrated_on() -> None:
    """Later passes have seen the example: their scores would flatter, so scale and offset stay."""
    stream = dense_stream(n=200, d=6, n_classes=2, dtype=np.float64)
    common = {"shuffle": False, "early_stopping": False}
    maps = [
        onlinear.AROWClassifier(passes=passes, **common)
        .fit(stream.X, stream.y)
        .model_.learner.state()["calibration"][:2]
        for passes in (1, 5)
    ]
    assert maps[0] == maps[1]


def test_probabilities_do_not_follow_weights_that_grow_for_ever() -> None:
    """A Perceptron's weights grow with every mistake; its probabilities stay calibrated."""
    X, y = text(8000, 2, seed=3)
    model = onlinear.Perceptron(average=True)
    errors, sizes = [], []
    for first in range(0, 6000, 2000):
        model.partial_fit(X[first : first + 2000], y[first : first + 2000])
        errors.append(calibration_error(model, X[6000:], y[6000:]))
        sizes.append(np.abs(model.coef_).max())
    assert sizes[-1] > 1.3 * sizes[0]
    assert max(errors) < 0.06


def test_probabilities_follow_neither_passes_nor_unbalanced_classes() -> None:
    """One class in twelve and ten passes: the scores move and stretch, the probabilities stay."""
    X, X_test, y, y_test = split("text")
    assert np.mean(y == 0) < 0.1
    losses = [
        log_loss(
            y_test,
            onlinear.SoftConfidenceWeightedClassifier(passes=passes, early_stopping=False, random_state=0)
            .fit(X, y)
            .predict_proba(X_test),
        )
        for passes in (1, 10)
    ]
    assert losses[1] < 1.1 * losses[0]
