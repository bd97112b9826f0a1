"""`predict_proba` means what it says: beside scikit-learn's CalibratedClassifierCV, on real and text-like data.

The map is fitted while learning, on scores of rows that are new to the model; scikit-learn's needs five fits and held-out
folds, and its probabilities are means over those five models, which alone makes them more accurate. So ours may
be somewhat worse, and the bounds say by how much.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize_scalar
from scipy.special import logit, softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

import onlinear
from onlinear.model.arrays import to_rows
from onlinear.model.native import Native
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


def test_of_few_rows_only_the_first_pass_is_calibrated_on() -> None:
    """Later passes have seen the example: their scores would flatter, so scale and offset stay."""
    stream = dense_stream(n=200, d=6, n_classes=2, dtype=np.float64)
    maps = [
        onlinear.AROWClassifier(passes=passes, early_stopping=False, average=False, random_state=0)
        .fit(stream.X, stream.y)
        .model_.learner.state()["calibration"][:2]
        for passes in (1, 5)
    ]
    assert maps[0] == maps[1]


# ---------------------------------------------------------------------- rows that wait for the second pass

#: Two classes and several, with averages and without.
LATE = [
    onlinear.AROWClassifier(average=False),
    onlinear.SoftConfidenceWeightedClassifier(confidence=0.75, min_variance=0.003, average=True),
    onlinear.PassiveAggressiveClassifier(average=True),
]


def map_of(model: Any) -> list[float]:
    """The map from scores to probabilities, as files hold it."""
    state: list[float] = model.model_.learner.state()["calibration"]
    return state


@pytest.mark.parametrize("setting", LATE, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_fit_is_as_well_calibrated_as_with_rows_of_their_own_for_it(setting: Any, n_classes: int) -> None:
    """A scale and an offset, or a temperature, found afterwards on rows that nothing was learned from betters little.

    The words are many and the labels are drawn, so that every pass makes the model surer of what it has seen.
    """
    X, y = text(6000, n_classes, seed=1, n_words=5000)
    model = clone(setting).set_params(random_state=0).fit(X[:2000], y[:2000])
    aside, rest = slice(2000, 4000), slice(4000, 6000)
    S = model.decision_function(X)
    if n_classes == 2:
        found = LogisticRegression(C=np.inf).fit(S[aside, None], y[aside])
        slope = LogisticRegression(C=np.inf).fit(logit(model.predict_proba(X[rest])[:, 1])[:, None], y[rest])
        assert 0.75 < slope.coef_[0, 0] < 1.35
        best = found.predict_proba(S[rest, None])
    else:
        turned = minimize_scalar(
            lambda t: log_loss(y[aside], softmax(np.exp(t) * S[aside], axis=1)), bounds=(-5, 5)
        )
        best = softmax(np.exp(turned.x) * S[rest], axis=1)

    assert log_loss(y[rest], model.predict_proba(X[rest])) < 1.015 * log_loss(y[rest], best)


@pytest.mark.parametrize("setting", LATE, ids=str)
def test_where_labels_are_noise_probabilities_are_a_half(setting: Any) -> None:
    """However well ten passes learn noise by heart: 400 rows fix two numbers to a hundredth of the log loss."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((6000, 300)) / 17, rng.integers(0, 2, 6000)
    known, new = slice(2000), slice(2000, 6000)
    model = clone(setting).set_params(passes=10, early_stopping=False, random_state=0).fit(X[known], y[known])

    assert np.mean(model.predict(X[known]) == y[known]) > 0.6
    assert log_loss(y[new], model.predict_proba(X[new])) < np.log(2) + 0.01


def test_a_fifth_of_the_rows_waits_for_the_second_pass() -> None:
    """With 500 rows and more, where there is a second pass and rows are shuffled; all are learned in every later one."""
    stream = dense_stream(n=501, d=6, dtype=np.float64)

    def seen(n: int = 500, weights: Any = None, **params: Any) -> int:
        model = onlinear.AROWClassifier(early_stopping=False, random_state=0, **params)
        return model.fit(stream.X[:n], stream.y[:n], sample_weight=weights).n_seen_

    assert seen(passes=2) == 2 * 500 - 100
    assert seen(passes=5) == 5 * 500 - 100
    assert seen(passes=1) == 500
    assert seen(passes=2, n=499) == 2 * 499
    assert seen(passes=2, shuffle=False) == 2 * 500
    assert seen(n=501, passes=2, shuffle=False, weights=np.arange(501)) == 2 * 500


@pytest.mark.parametrize("setting", LATE, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_without_shuffling_passes_are_those_of_as_many_calls(setting: Any, n_classes: int) -> None:
    """The order is the caller's: no row waits, and the weights are those of `fit` after `fit`, a pass each."""
    stream = dense_stream(n=600, d=6, n_classes=n_classes, dtype=np.float64)
    common = {"shuffle": False, "early_stopping": False}
    fitted = clone(setting).set_params(passes=3, **common).fit(stream.X, stream.y)
    called = clone(setting).set_params(passes=1, warm_start=True, **common)
    for _ in range(3):
        called.fit(stream.X, stream.y)

    np.testing.assert_array_equal(fitted.coef_, called.coef_)
    assert fitted.n_seen_ == called.n_seen_


@pytest.mark.parametrize("n_classes", [2, 4])
def test_after_the_rows_that_waited_the_scale_stays(n_classes: int) -> None:
    """Nothing is new any more, so nothing says more of how sure scores are; the offset of two classes may move."""
    stream = dense_stream(n=600, d=6, n_classes=n_classes, dtype=np.float64)
    maps = [
        map_of(
            onlinear.AROWClassifier(passes=passes, early_stopping=False, random_state=0).fit(
                stream.X, stream.y
            )
        )
        for passes in (1, 2, 7)
    ]
    stays = [0, 2, 3, 4] if n_classes == 2 else [0, 1, 2, 3, 4]
    assert [maps[0][i] for i in stays] != [maps[1][i] for i in stays]
    assert [maps[1][i] for i in stays] == [maps[2][i] for i in stays]
    assert maps[1][6] != maps[2][6]


@pytest.mark.parametrize("weighted", [False, True])
def test_the_offset_goes_where_known_rows_have_the_least_loss(weighted: bool) -> None:
    """Their logistic loss, and the curvature of what the map was fitted to as a prior; SciPy finds the same."""
    stream = dense_stream(n=400, d=5, dtype=np.float64)
    weights = np.random.default_rng(0).exponential(size=400) if weighted else None
    for shape in (np.asarray, sp.csr_array):
        model = onlinear.AROWClassifier().partial_fit(shape(stream.X), stream.y, classes=[0, 1])
        moved = (model.decision_function(stream.X) > 0.8).astype(
            np.int32
        )  # fewer of the second class than it says
        before = map_of(model)
        z = before[0] * (model.decision_function(stream.X) - before[7]) / np.sqrt(before[6]) + before[1]

        def loss(offset: float, z: Any = z, moved: Any = moved, before: Any = before) -> float:
            shifted = z + offset - before[1]
            prior = before[4] * (offset - before[1]) ** 2 / 2
            each = np.logaddexp(0, shifted) - moved * shifted
            return float(prior + (each.sum() if weights is None else each @ weights))

        least = minimize_scalar(loss, bounds=(-50, 50), method="bounded", options={"xatol": 1e-10}).x
        model.model_.learner.shift_map(to_rows(shape(stream.X)), moved, weights)
        after = map_of(model)
        assert least < before[1] - 0.1
        assert after[1] == pytest.approx(least, abs=1e-6)
        assert after[:1] + after[2:] == before[:1] + before[2:]


def test_as_many_known_rows_as_waited_say_how_many_there_are_of_each_class(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """At the end of `fit`, with the weights of rows and of classes; rows that waited and rows without weight say nothing."""
    stream = dense_stream(n=4000, d=6, dtype=np.float64)
    weights = np.random.default_rng(0).integers(0, 3, 4000).astype(float)
    said: list[Any] = []
    monkeypatch.setattr(
        Native, "shift_map", lambda self, rows, labels, mine: said.append((rows.x, labels, mine))
    )
    model = onlinear.AROWClassifier(class_weight={0: 2.0, 1: 0.5}, random_state=0)
    model.fit(stream.X, stream.y, sample_weight=weights)

    [(rows, labels, mine)] = said
    waited = np.count_nonzero(weights) // 5
    assert len(rows) == waited > 500
    places = {row.tobytes(): place for place, row in enumerate(stream.X)}
    found = np.array([places[row.tobytes()] for row in rows])
    assert len(set(found.tolist())) == waited
    np.testing.assert_array_equal(labels, stream.y[found])
    np.testing.assert_array_equal(mine, weights[found] * np.where(stream.y[found] == 1, 0.5, 2.0))
    assert (mine > 0).all()


@pytest.mark.parametrize("setting", LATE, ids=str)
def test_rows_of_no_weight_neither_wait_nor_count(setting: Any) -> None:
    """`fit` with weight 0 for some rows is `fit` without them, also with rows that wait."""
    stream = dense_stream(n=800, d=6, dtype=np.float64)
    weights = np.ones(800)
    weights[::3] = 0
    kept = weights > 0
    weighed = clone(setting).set_params(random_state=0).fit(stream.X, stream.y, sample_weight=weights)
    without = clone(setting).set_params(random_state=0)
    without.fit(stream.X[kept], stream.y[kept], sample_weight=weights[kept])

    assert weighed.digest() == without.digest()


@pytest.mark.parametrize("setting", LATE, ids=str)
def test_same_seed_same_bits_where_rows_wait(setting: Any) -> None:
    """Which rows wait follows from the seed."""
    stream = dense_stream(n=600, d=6, dtype=np.float64)
    digests = [
        clone(setting).set_params(random_state=seed).fit(stream.X, stream.y).digest() for seed in (0, 0, 1)
    ]
    assert digests[0] == digests[1]
    assert digests[0] != digests[2]


def test_a_class_that_only_waits_is_learned() -> None:
    """A class whose one row is not in the first pass is learned in later ones, whichever row it is."""
    stream = dense_stream(n=600, d=6, dtype=np.float64)
    for row in range(0, 600, 60):
        X, y = np.hstack([stream.X, np.zeros((600, 1))]), stream.y.copy()
        X[row], y[row] = [0, 0, 0, 0, 0, 0, 5], 2
        model = onlinear.PassiveAggressiveClassifier(random_state=0).fit(X, y)
        assert model.predict(X[[row]]).tolist() == [2]


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
