"""Predicted classes are those of the highest scores, without the scores being kept."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import onlinear
from onlinear.exceptions import DataError
from tests.estimators.streams import Stream, dense_stream, sparse_stream


def expected(model: Any, X: Any) -> list[Any]:
    """The first of the highest scores, by NumPy; of two classes the second, where the score is not below zero."""
    scores = model.decision_function(X)
    places = scores.argmax(axis=1) if scores.ndim == 2 else (scores >= 0).astype(int)
    return model.classes_[places].tolist()


def fitted(stream: Stream, estimator: Any = onlinear.AROWClassifier, **parameters: Any) -> Any:
    """A model that met its classes in another order than theirs."""
    names = np.array([f"class {(7 * k) % 101}" for k in range(int(stream.y.max()) + 1)])
    return estimator(**parameters).partial_fit(stream.X, names[stream.y])


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 8, 9, 20, 33, 49, 70])
@pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("maker", [dense_stream, sparse_stream], ids=["dense", "sparse"])
@pytest.mark.parametrize("jobs", [None, 2])
def test_the_highest_score_wins(n_classes: int, dtype: Any, maker: Any, jobs: int | None) -> None:
    """For any number of classes, on any kind of rows, on several threads."""
    stream = maker(n=300, n_classes=n_classes, seed=n_classes, dtype=dtype)
    model = fitted(stream, dtype=np.dtype(dtype).name, n_jobs=jobs)

    assert model.predict(stream.X).tolist() == expected(model, stream.X)


@pytest.mark.parametrize(
    ("estimator", "parameters"),
    [
        (onlinear.PassiveAggressiveClassifier, {}),
        (onlinear.PassiveAggressiveClassifier, {"average": True}),
        (onlinear.RegularizedPassiveAggressiveClassifier, {}),
        (onlinear.AROWClassifier, {"covariance": "full"}),
        (onlinear.AdaGradRDAClassifier, {}),
        (onlinear.MIRAClassifier, {}),
    ],
    ids=str,
)
@pytest.mark.parametrize("n_classes", [2, 6])
def test_whatever_is_believed(estimator: Any, parameters: Any, n_classes: int) -> None:
    """Scaled and averaged means, covariances, dual averages, a block for each of two classes."""
    stream = sparse_stream(n=200, n_classes=n_classes, seed=1)
    model = fitted(stream, estimator, **parameters)

    assert model.predict(stream.X).tolist() == expected(model, stream.X)


def test_the_first_of_equals_in_the_order_of_the_classes() -> None:
    """A row without features scores what the intercepts say: nothing, for all of them."""
    stream = sparse_stream(n=200, n_classes=5, seed=4)
    model = fitted(stream, fit_intercept=False)

    assert (
        model.predict(sp.csr_array((3, stream.X.shape[1]), dtype=np.float32)).tolist()
        == [model.classes_[0]] * 3
    )


@pytest.mark.parametrize("estimator", [onlinear.AROWClassifier, onlinear.MIRAClassifier])
@pytest.mark.parametrize("labels", [["a", "b"], ["b", "a"]])
def test_of_two_classes_the_second_wins_a_tie(estimator: Any, labels: list[str]) -> None:
    """Whichever came first, and whether they share a block of weights or not."""
    model = estimator(fit_intercept=False).partial_fit(np.eye(2), labels)

    assert model.predict(np.zeros((2, 2))).tolist() == ["b", "b"]
    assert model.predict_one({}) == "b"


def test_a_single_class_is_always_predicted() -> None:
    """There is nothing else to say yet."""
    model = onlinear.AROWClassifier().partial_fit(np.eye(2), [7, 7])

    assert model.predict(-np.eye(2)).tolist() == [7, 7]


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_rows_need_not_be_tidy(index: Any) -> None:
    """Unsorted and repeated columns, indices of either size, more rows than are read at a time."""
    stream = sparse_stream(n=2500, n_classes=5, seed=4)
    model = fitted(stream)
    X = sp.csr_array(stream.X)
    untidy = sp.csr_array(
        (
            np.repeat(X.data / 2, 2)[::-1].copy(),
            np.repeat(X.indices, 2)[::-1].astype(index),
            2 * X.indptr.astype(index),
        ),
        shape=X.shape,
    )
    turned = X[::-1]  # the values were turned round as a whole, and the rows with them
    untidy.indptr = np.concatenate([[0], np.cumsum(2 * np.diff(X.indptr)[::-1])]).astype(index)

    assert model.predict(untidy).tolist() == expected(model, turned)


@pytest.mark.parametrize("row", [0, 1023, 1024, 2499])
def test_a_bad_row_is_named(row: int) -> None:
    """By its place in what was given."""
    stream = sparse_stream(n=2500, n_classes=5, seed=4)
    model = fitted(stream)
    X = sp.csr_array(stream.X).copy()
    X.data[X.indptr[row]] = np.inf

    with pytest.raises(DataError, match=f"row {row}\\b"):
        model.predict(X)


@pytest.mark.parametrize("poison", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("average", [False, True])
def test_a_value_that_is_not_finite_is_answered_by_nobody(
    n_classes: int, dtype: str, poison: float, average: bool
) -> None:
    """Scores are read where the values lie; one that is no number shows in its score and is named."""
    stream = dense_stream(n=40, d=6, n_classes=n_classes, dtype=np.dtype(dtype))
    model = onlinear.AROWClassifier(dtype=dtype, average=average).partial_fit(stream.X, stream.y)
    X = stream.X.copy()
    X[2, 3] = poison

    for rows in (X, sp.csr_array(X)):
        for ask in (model.predict, model.decision_function, model.predict_proba):
            with pytest.raises(DataError, match=r"row 2, column 3"):
                ask(rows)
