"""Prequential evaluation by the record of rounds is asking and teaching row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from scipy.sparse import csr_matrix

from onlinear import (
    AROWClassifier,
    KernelClassifier,
    PassiveAggressiveClassifier,
    Perceptron,
    SecondOrderPerceptron,
    SoftConfidenceWeightedClassifier,
    drift,
)

MODELS = [
    AROWClassifier(),
    AROWClassifier(covariance="full"),
    KernelClassifier(rule="pa1"),
    PassiveAggressiveClassifier(constraints="all"),
    Perceptron(average=True),
    SecondOrderPerceptron(),
    SoftConfidenceWeightedClassifier(average="late"),
]


def row_by_row(model: Any, pairs: Any) -> list[bool]:
    """The definition: ask, then teach."""
    wrong = []
    for x, y in pairs:
        row = x if hasattr(x, "tocsr") else np.asarray(x)[None, :]
        wrong.append(not model.__sklearn_is_fitted__() or bool(model.predict(row)[0] != y))
        model.partial_fit(row, [y])
    return wrong


@settings(max_examples=80, deadline=None)
@given(
    model=st.sampled_from(MODELS),
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 30),
    form=st.sampled_from(["float64", "float32", "int64", "sparse", "mixed"]),
    names=st.sampled_from([["no", "yes"], [3, 1, 2], [False, True], [5.0, 0.0, 2.0, 7.0]]),
)
def test_answers_and_models_are_those_of_asking_row_by_row(
    model: Any, seed: int, n: int, form: str, names: Any
) -> None:
    """To the bit, for rows of every form, where scores are often equal and classes come on the way."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, 2, size=(n, 3)).astype("float64" if form in ("sparse", "mixed") else form)
    y = np.array(names)[rng.integers(len(names), size=n)]
    rows: Any = list(X)
    if form == "sparse":
        rows = [csr_matrix(x[None, :]) for x in X]
    if form == "mixed":
        rows = [x.astype(np.float32) if i % 3 else x for i, x in enumerate(X)]
    params = model.get_params(deep=False)
    together, apart = type(model)(**params), type(model)(**params)

    result = drift.prequential(together, zip(rows, y, strict=True))

    assert result.mistakes.tolist() == row_by_row(apart, zip(rows, y, strict=True))
    if n:
        assert together.digest() == apart.digest()


def test_more_rows_than_are_taught_at_once_are_one_stream() -> None:
    """Beyond the first few thousand rows, and for a model that has learned before."""
    stream = drift.abrupt(5000, n_features=4, random_state=0)
    known = AROWClassifier().partial_fit(stream.X[:100], stream.y[:100])
    other = AROWClassifier().partial_fit(stream.X[:100], stream.y[:100])

    result = drift.prequential(known, zip(stream.X, stream.y, strict=True))

    assert result.mistakes.tolist() == row_by_row(other, zip(stream.X, stream.y, strict=True))
    assert_array_equal(drift.prequential(other, stream).mistakes, drift.prequential(known, stream).mistakes)
    assert known.digest() == other.digest()


@pytest.mark.parametrize("spoil", ["value", "pair", "stream"])
def test_what_comes_before_a_row_that_is_refused_is_learned(spoil: str) -> None:
    """The error is that of the row alone, and the rows before it are not lost."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 3)), rng.integers(2, size=60)
    if spoil == "value":
        X[41] = np.nan

    def pairs() -> Any:
        for i, pair in enumerate(zip(X, y, strict=True)):
            if i == 41 and spoil == "stream":
                raise OSError("the line is dead")
            yield "nothing" if i == 41 and spoil == "pair" else pair

    model, other = AROWClassifier(), AROWClassifier().partial_fit(X[:41], y[:41])
    message = {"value": "NaN", "pair": "at example 41", "stream": "the line is dead"}[spoil]
    with pytest.raises((ValueError, OSError), match=message):
        drift.prequential(model, pairs())

    assert model.digest() == other.digest()
