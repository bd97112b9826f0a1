"""The classes of `onlinear.linear_model` end with the weights that scikit-learn's end with.

Scikit-learn's are asked as long as it has them; from 1.10 on its SGD estimators have the same steps under other names.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from sklearn import linear_model as theirs
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

import onlinear
from onlinear import linear_model as ours
from onlinear.exceptions import DataError, ParameterError
from onlinear.linear_model._taught import permutation

CLOSE = {"rtol": 1e-7, "atol": 1e-12}
LOSSES = {
    "PassiveAggressiveClassifier": ("hinge", "squared_hinge"),
    "PassiveAggressiveRegressor": ("epsilon_insensitive", "squared_epsilon_insensitive"),
}
CASES = [(name, loss) for name, losses in LOSSES.items() for loss in losses]


@contextmanager
def quiet() -> Iterator[None]:
    """Theirs says that it goes, both say that passes were not enough."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def their(name: str, **parameters: Any) -> Any:
    """Theirs, while there is one; else what scikit-learn says to use instead."""
    if hasattr(theirs, name):
        with quiet():
            return getattr(theirs, name)(**parameters)
    made = theirs.SGDClassifier if "Classifier" in name else theirs.SGDRegressor
    loss, price = parameters.pop("loss", LOSSES[name][0]), parameters.pop("C", 1.0)
    rate = "pa2" if loss.startswith("squared") else "pa1"
    return made(loss=LOSSES[name][0], penalty=None, learning_rate=rate, eta0=price, **parameters)


def pair(name: str, **parameters: Any) -> tuple[Any, Any]:
    """Ours and theirs."""
    return getattr(ours, name)(**parameters), their(name, **parameters)


def problem(name: str, seed: int = 0, n: int = 120, classes: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Rows in units that differ, and labels or targets that follow them with noise."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6)) * [1.0, 3.0, 0.2, 1.0, 0.01, 1.0] + [0, 1, 0, 0, 0, -0.5]
    scores = (
        X @ rng.standard_normal((6, max(classes, 2))) + 0.7 * rng.standard_normal((n, max(classes, 2))) + 0.4
    )
    if name == "PassiveAggressiveRegressor":
        return X, scores[:, 0]
    return X, scores.argmax(axis=1)


def assert_same(one: Any, other: Any) -> None:
    """The same weights, intercepts and passes."""
    assert one.coef_.shape == other.coef_.shape
    assert one.intercept_.shape == np.shape(other.intercept_)
    assert_allclose(one.coef_, other.coef_, **CLOSE)
    assert_allclose(one.intercept_, other.intercept_, **CLOSE)
    assert (one.n_iter_, one.t_) == (other.n_iter_, other.t_)


def both_fitted(name: str, X: Any, y: Any, **parameters: Any) -> tuple[Any, Any]:
    """Ours and theirs, fitted, once they are found to be the same."""
    pairs = pair(name, **parameters)
    with quiet():
        for model in pairs:
            model.fit(X, y)
    assert_same(*pairs)
    return pairs


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_the_same_rows_in_the_same_order_give_the_same_weights(
    name: str, loss: str, C: float, fit_intercept: bool
) -> None:
    """By every loss and price, with an intercept and without, until `tol` ends it."""
    X, y = problem(name)

    one, other = both_fitted(name, X, y, loss=loss, C=C, fit_intercept=fit_intercept, shuffle=False)

    assert_allclose(one.predict(X), other.predict(X), **CLOSE)


@pytest.mark.parametrize("seed", [0, 1, 12345])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_a_seed_gives_scikit_learns_orders(name: str, loss: str, seed: int) -> None:
    """The orders of the rows are theirs for the same seed."""
    both_fitted(name, *problem(name), loss=loss, random_state=seed)


@pytest.mark.parametrize("n", [1, 2, 3, 50])
def test_an_order_is_a_permutation(n: int) -> None:
    """Every row comes once."""
    assert sorted(permutation(n, 7)) == list(range(n))


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("average", [False, True, 7])
@pytest.mark.parametrize("loss", LOSSES["PassiveAggressiveClassifier"])
def test_several_classes_are_learned_one_against_the_rest(
    loss: str, average: bool | int, shuffle: bool
) -> None:
    """Each with its own order and its own end; scores and answers are the same."""
    X, y = problem("PassiveAggressiveClassifier", classes=4)
    names = np.array(["d", "b", "a", "c"])[y]

    one, other = both_fitted(
        "PassiveAggressiveClassifier", X, names, loss=loss, average=average, shuffle=shuffle, random_state=3
    )

    assert_allclose(one.decision_function(X), other.decision_function(X), rtol=1e-7, atol=1e-9)
    assert (one.predict(X) == other.predict(X)).all()
    assert [each.classes_.tolist() for each in one.estimators_] == [[False, True]] * 4


@pytest.mark.parametrize("n_jobs", [2, -1])
def test_threads_change_nothing(n_jobs: int) -> None:
    """Classes may be learned at the same time."""
    X, y = problem("PassiveAggressiveClassifier", classes=4)
    with quiet():
        alone = ours.PassiveAggressiveClassifier(random_state=1).fit(X, y)
        together = ours.PassiveAggressiveClassifier(random_state=1, n_jobs=n_jobs).fit(X, y)

    assert (alone.coef_ == together.coef_).all()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("loss", LOSSES["PassiveAggressiveClassifier"])
@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.2, 1: 3.0, 2: 1.0}, {0: 0.0, 1: 1.0, 2: 0.5}])
def test_the_weight_of_a_class_multiplies_the_step(
    class_weight: Any, loss: str, average: bool, classes: int
) -> None:
    """Not the price; a class of no weight moves nothing and counts as a round of the average."""
    X, y = problem("PassiveAggressiveClassifier", classes=classes)
    if isinstance(class_weight, dict):
        class_weight = {label: class_weight[label] for label in range(classes)}

    both_fitted(
        "PassiveAggressiveClassifier",
        X,
        y,
        loss=loss,
        average=average,
        class_weight=class_weight,
        shuffle=False,
    )


@pytest.mark.parametrize("average", [True, 1, 2, 50, 119, 120, 121, 300, 10**6])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_the_average_begins_at_the_round_that_is_asked_for(name: str, loss: str, average: bool | int) -> None:
    """In the midst of a pass, between two, and never."""
    both_fitted(name, *problem(name), loss=loss, average=average, max_iter=4, tol=None, shuffle=False)


@pytest.mark.parametrize("tol", [None, 0.0, 1e-4, 1e-2, 0.5])
@pytest.mark.parametrize("patience", [1, 3])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_passes_end_by_the_mean_loss(name: str, loss: str, patience: int, tol: float | None) -> None:
    """After as many passes without improvement."""
    X, y = problem(name)

    both_fitted(name, X, y, loss=loss, C=0.05, tol=tol, n_iter_no_change=patience, max_iter=40, shuffle=False)


@pytest.mark.parametrize("random_state", [0, 4])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("fraction", [0.1, 0.35])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_early_stopping_holds_out_the_same_rows(
    name: str, loss: str, fraction: float, classes: int, random_state: int
) -> None:
    """And ends by what is right on them."""
    X, y = problem(name, classes=classes)

    both_fitted(
        name,
        X,
        y,
        loss=loss,
        C=0.05,
        early_stopping=True,
        validation_fraction=fraction,
        random_state=random_state,
    )


def test_a_generator_of_random_numbers_is_used_as_theirs_is() -> None:
    """Two fits in a row draw what theirs draw."""
    X, y = problem("PassiveAggressiveClassifier", classes=3)
    for early in (False, True):
        one, other = pair("PassiveAggressiveClassifier", early_stopping=early, C=0.1)
        one.random_state, other.random_state = np.random.RandomState(5), np.random.RandomState(5)
        for _ in range(2):
            with quiet():
                one.fit(X, y)
                other.fit(X, y)
            assert_same(one, other)


@pytest.mark.parametrize("average", [False, True])
@pytest.mark.parametrize("form", [sparse.csr_matrix, sparse.csc_array])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_on_sparse_rows_the_intercept_moves_by_a_hundredth(
    name: str, loss: str, form: Any, average: bool
) -> None:
    """As theirs does; rows of zeros, which such matrices have, are treated alike, too."""
    X, y = problem(name)
    X[np.abs(X) < 0.5] = 0
    X[[3, 40, 41]] = 0

    for given in (form(X), X):
        both_fitted(name, given, y, loss=loss, average=average, shuffle=False)


@pytest.mark.parametrize(("name", "loss"), CASES)
def test_small_rows_lose_no_digits_beside_the_intercept(name: str, loss: str) -> None:
    """Squares far below 1 count in the norm as they are."""
    X, y = problem(name)
    few = np.concatenate([np.flatnonzero(y > 0)[:2], np.flatnonzero(y <= 0)[:2]])

    both_fitted(name, 1e-6 * X[few], y[few], loss=loss, C=1e9, max_iter=1, tol=None, shuffle=False)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_weights_have_the_type_of_the_rows(name: str, loss: str, dtype: Any) -> None:
    """To the digits that type has."""
    X, y = problem(name)
    one, other = pair(name, loss=loss, C=0.1, max_iter=3, tol=None, shuffle=False)
    with quiet():
        one.fit(X.astype(dtype), y)
        other.fit(X.astype(dtype), y)

    assert one.coef_.dtype == other.coef_.dtype == dtype
    assert_allclose(one.coef_, other.coef_, rtol=2e-4 if dtype is np.float32 else 1e-7, atol=1e-5)


@pytest.mark.parametrize(("name", "loss"), CASES)
def test_batches_are_learned_as_they_come(name: str, loss: str) -> None:
    """One pass each, also when rows are sparse now and dense then."""
    X, y = problem(name)
    one, other = pair(name, loss=loss, random_state=2)
    first = {"classes": [0, 1]} if "Classifier" in name else {}
    for part in np.split(np.arange(len(y)), 4):
        rows = sparse.csr_matrix(X[part]) if part[0] else X[part]
        with quiet():
            one.partial_fit(rows, y[part], **first)
            other.partial_fit(rows, y[part], **first)
        assert_same(one, other)


def test_the_averages_of_a_regressor_go_on_over_batches() -> None:
    """As theirs do."""
    X, y = problem("PassiveAggressiveRegressor")
    one, other = pair("PassiveAggressiveRegressor", average=40, shuffle=False)
    for part in np.split(np.arange(len(y)), 4):
        with quiet():
            one.partial_fit(X[part], y[part])
            other.partial_fit(X[part], y[part])
        assert_same(one, other)


def test_the_average_of_a_classifier_over_batches_is_that_over_all_rows() -> None:
    """Theirs forgets the intercept between batches; here batches change nothing."""
    X, y = problem("PassiveAggressiveClassifier", classes=3)
    whole, parts = (ours.PassiveAggressiveClassifier(average=True, shuffle=False) for _ in range(2))
    whole.partial_fit(X, y, classes=[0, 1, 2])
    for part in np.split(np.arange(len(y)), 4):
        parts.partial_fit(X[part], y[part], classes=[0, 1, 2])

    assert (whole.coef_ == parts.coef_).all()
    assert (whole.intercept_ == parts.intercept_).all()
    with quiet():
        other = their("PassiveAggressiveClassifier", average=True, shuffle=False)
        other.partial_fit(X, y, classes=[0, 1, 2])
    assert_same(whole, other)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("name", "loss"), CASES)
def test_fit_begins_from_the_weights_it_is_given(name: str, loss: str, classes: int) -> None:
    """By `coef_init`, or by `warm_start` from those of the last fit."""
    X, y = problem(name, classes=classes)
    one, other = pair(name, loss=loss, C=0.1, max_iter=2, tol=None, shuffle=False, warm_start=True)
    rng = np.random.default_rng(1)
    shape = (6,) if "Regressor" in name else (1 if classes == 2 else classes, 6)
    start = {
        "coef_init": rng.standard_normal(shape),
        "intercept_init": rng.standard_normal(shape[:-1] or (1,)),
    }
    for given in (start, {}, {}):
        with quiet():
            one.fit(X, y, **given)
            other.fit(X, y, **given)
        assert_same(one, other)


@pytest.mark.parametrize("early", [False, True])
@pytest.mark.parametrize("name", LOSSES)
def test_verbose_tells_of_every_pass(name: str, early: bool, capsys: pytest.CaptureFixture[str]) -> None:
    """The passes, and when they ended."""
    model = getattr(ours, name)(verbose=1, random_state=0, early_stopping=early).fit(*problem(name))

    told = capsys.readouterr().out
    assert told.count("-- Epoch") == told.count("Avg. loss:") == model.n_iter_
    assert told.count("Validation score:") == (model.n_iter_ if early else 0)
    assert f"Convergence after {model.n_iter_} epochs" in told


@pytest.mark.parametrize("name", LOSSES)
def test_who_makes_all_passes_is_warned(name: str) -> None:
    """Unless nothing else was asked for."""
    X, y = problem(name)
    with pytest.warns(ConvergenceWarning, match="Consider increasing max_iter"):
        getattr(ours, name)(max_iter=2).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert getattr(ours, name)(max_iter=2, tol=None).fit(X, y).n_iter_ == 2


@pytest.mark.parametrize("name", LOSSES)
def test_the_models_that_learned_are_ours(name: str, tmp_path: Any) -> None:
    """They predict the same, go on learning, and are saved."""
    X, y = problem(name)
    with quiet():
        model = getattr(ours, name)(random_state=0).fit(X, y)
    (own,) = model.estimators_

    assert type(own) is getattr(onlinear, name)
    assert_allclose(own.predict(X), model.predict(X), rtol=1e-9, atol=1e-9)
    own.save(tmp_path / "model.safetensors")
    again = onlinear.load(tmp_path / "model.safetensors")
    assert again.get_params() == own.get_params()
    assert again.partial_fit(X, y).digest() == own.partial_fit(X, y).digest()


@pytest.mark.parametrize("name", LOSSES)
def test_copies_and_clones_are_made_as_of_any_estimator(name: str) -> None:
    """A pickle goes on where it was; a clone knows nothing."""
    import pickle

    X, y = problem(name)
    first = {"classes": [0, 1]} if "Classifier" in name else {}
    model = getattr(ours, name)(random_state=0).partial_fit(X, y, **first)
    twin = pickle.loads(pickle.dumps(model))

    assert (twin.partial_fit(X, y).coef_ == model.partial_fit(X, y).coef_).all()
    with pytest.raises(NotFittedError):
        clone(model).predict(X)


@pytest.mark.parametrize("name", LOSSES)
def test_weights_may_be_held_sparse(name: str) -> None:
    """And dense again."""
    X, y = problem(name)
    with quiet():
        model = getattr(ours, name)(random_state=0).fit(X, y)
    said = model.predict(X)

    assert sparse.issparse(model.sparsify().coef_)
    assert_allclose(model.predict(X), said)
    assert not sparse.issparse(model.densify().coef_)


@pytest.mark.parametrize("method", ["predict_proba", "predict_log_proba", "transform"])
def test_what_theirs_does_not_have_these_do_not_have(method: str) -> None:
    """Probabilities have the classes of `onlinear`."""
    assert not hasattr(ours.PassiveAggressiveClassifier(), method)
    assert hasattr(onlinear.PassiveAggressiveClassifier(), "predict_proba")


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"C": 0}, "C must be a number, greater than 0"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"loss": "log"}, "loss must be one of 'hinge', 'squared_hinge'"),
        ({"tol": -1.0}, "tol must be a number, at least 0"),
        ({"average": 0.5}, "average must be a whole number"),
        ({"validation_fraction": 1.0}, "validation_fraction must be less than 1"),
        ({"n_iter_no_change": 0}, "n_iter_no_change must be a whole number"),
        ({"shuffle": "yes"}, "shuffle must be True or False"),
    ],
)
def test_wrong_parameters_are_refused(wrong: dict[str, Any], word: str) -> None:
    """By name, before anything is learned."""
    X, y = problem("PassiveAggressiveClassifier")
    with pytest.raises(ParameterError, match=word):
        ours.PassiveAggressiveClassifier(**wrong).fit(X, y)


def test_what_a_stream_cannot_do_is_refused_as_theirs_refuses_it() -> None:
    """Balanced weights, held-out rows and classes nobody spoke of."""
    X, y = problem("PassiveAggressiveClassifier")
    with pytest.raises(ParameterError, match="'balanced' is not supported for partial_fit"):
        ours.PassiveAggressiveClassifier(class_weight="balanced").partial_fit(X, y, classes=[0, 1])
    with pytest.raises(ParameterError, match="early_stopping should be False with partial_fit"):
        ours.PassiveAggressiveClassifier(early_stopping=True).partial_fit(X, y, classes=[0, 1])
    with pytest.raises(DataError, match="classes must be passed on the first call"):
        ours.PassiveAggressiveClassifier().partial_fit(X, y)
    model = ours.PassiveAggressiveClassifier().partial_fit(X, y, classes=[0, 1])
    with pytest.raises(DataError, match="not the same as on last call"):
        model.partial_fit(X, y, classes=[0, 2])
    with pytest.raises(DataError, match="y contains 7, which is none of the classes"):
        model.partial_fit(X[:1], [7])
    with pytest.raises(DataError, match="coef_init must hold 6 numbers"):
        ours.PassiveAggressiveClassifier().fit(X, y, coef_init=np.zeros((1, 5)))


def test_who_gives_ours_their_parameters_is_told_where_they_are_understood() -> None:
    """The classes of `onlinear` have their own names; `n_iter_` counts the passes of all of them."""
    with pytest.raises(TypeError, match=r"max_iter is called passes here.*onlinear\.linear_model"):
        onlinear.PassiveAggressiveClassifier(max_iter=5)
    with pytest.raises(TypeError, match="loss is called variant here"):
        onlinear.PassiveAggressiveRegressor(loss="epsilon_insensitive")
    X, y = problem("PassiveAggressiveClassifier")
    model = onlinear.AROWClassifier(passes=3, early_stopping=False).fit(X, y)
    assert model.n_iter_ == model.n_passes_ == 3


@parametrize_with_checks([ours.PassiveAggressiveClassifier(), ours.PassiveAggressiveRegressor()])
def test_they_keep_scikit_learns_contract(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn ships for estimators."""
    with quiet():
        check(estimator)
