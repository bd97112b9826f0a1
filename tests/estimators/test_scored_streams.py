"""`score` of what `onlinear.read` gives: the labels come with the rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import onlinear
from onlinear import AROWClassifier, AROWRegressor
from onlinear.exceptions import DataError, ReadError

ROWS = 5_000


def write(path: Path, labels: list[str], X: np.ndarray, weights: np.ndarray | None = None) -> Path:
    """Write rows as Vowpal Wabbit has them, which have weights."""
    weights = np.ones(len(X)) if weights is None else weights
    path.write_text(
        "".join(
            f"{label} {weight:.17g} | " + " ".join(f"{j}:{value:.9g}" for j, value in enumerate(row)) + "\n"
            for label, weight, row in zip(labels, weights, X, strict=True)
        )
    )
    return path


@pytest.fixture
def X() -> np.ndarray:
    """Rows."""
    return np.random.default_rng(3).normal(size=(ROWS, 5)).astype(np.float32)


@pytest.mark.parametrize("batch_rows", [7, 4096])
def test_a_reader_is_scored_as_its_rows_are(tmp_path: Path, X: np.ndarray, batch_rows: int) -> None:
    """With the weights of the file, whatever its batches."""
    rng = np.random.default_rng(4)
    weights = rng.integers(0, 4, ROWS).astype(float)
    labels = np.where(X[:, 0] + rng.normal(size=ROWS) > 0, "3", "5")
    path = write(tmp_path / "rows.vw", labels.tolist(), X, weights)
    model = AROWClassifier().fit_stream(onlinear.read(path))
    batches = list(onlinear.read(path))
    predicted = np.concatenate([model.predict(batch.X) for batch in batches])
    expected = np.average(predicted == labels.astype(float), weights=weights)
    assert model.score(onlinear.read(path, batch_size=batch_rows)) == expected
    assert 0.6 < expected < 1


def test_words_are_labels_too(tmp_path: Path, X: np.ndarray) -> None:
    """And labels the model has never met are wrong answers."""
    path = tmp_path / "rows.csv"
    path.write_text("label,a\n" + "".join(f"{'up' if x > 0 else 'down'},{x:.9g}\n" for x in X[:, 0]))
    model = AROWClassifier().fit_stream(onlinear.read(path))
    assert model.score(onlinear.read(path)) > 0.95
    path.write_text("label,a\nup,1\nup,2\nsideways,3\n7,4\n")
    assert model.score(onlinear.read(path)) == 0.5


def test_a_regressor_tells_how_much_it_explains(tmp_path: Path, X: np.ndarray) -> None:
    """R², with the weights of the file."""
    rng = np.random.default_rng(5)
    targets = X @ np.arange(5.0) + rng.normal(size=ROWS)
    weights = rng.integers(1, 4, ROWS).astype(float)
    path = write(tmp_path / "rows.vw", [f"{target:.17g}" for target in targets], X, weights)
    model = AROWRegressor().fit_stream(onlinear.read(path))
    predicted = np.concatenate([model.predict(batch.X) for batch in onlinear.read(path)])
    left = np.sum(weights * (targets - predicted) ** 2)
    whole = np.sum(weights * (targets - np.average(targets, weights=weights)) ** 2)
    assert model.score(onlinear.read(path)) == pytest.approx(1 - left / whole, rel=1e-12)


def test_a_batch_is_predicted_where_its_columns_are_the_models(tmp_path: Path) -> None:
    """What was read in another way would be answered with nonsense, and a reader is more than one batch."""
    path = tmp_path / "rows.jsonl"
    path.write_text('{"label": 1, "text": "good film"}\n{"label": 0, "text": "dull film"}\n')
    model = AROWClassifier().fit_stream(onlinear.read(path))
    (batch,) = onlinear.read(path)
    np.testing.assert_array_equal(model.predict(batch), model.predict(["good film", "dull film"]))
    np.testing.assert_array_equal(model.predict(batch), [1, 0])
    (other,) = onlinear.read(path, bits=12)
    with pytest.raises(DataError, match="bits=20, and these rows were read with bits=12"):
        model.predict(other)
    with pytest.raises(DataError, match="one after the other"):
        model.predict(onlinear.read(path))


def test_what_cannot_be_compared_is_refused_by_its_line(tmp_path: Path) -> None:
    """Rows without labels, labels given twice, no rows."""
    path = tmp_path / "rows.svm"
    path.write_text("1 1:1\n0 2:1\n")
    model = AROWClassifier().fit_stream(onlinear.read(path))
    with pytest.raises(DataError, match="leave y and sample_weight out"):
        model.score(onlinear.read(path), [1, 0])
    path.write_text("1:1\n")
    with pytest.raises(ReadError, match="rows.svm:1: the row has no label to compare with"):
        model.score(onlinear.read(path, labelled=False))
    path.write_text("")
    with pytest.raises(DataError, match="no row of any weight"):
        model.score(onlinear.read(path))
    words = tmp_path / "words.csv"
    words.write_text("label,a\n1,1\n2,2\n")
    regressor = AROWRegressor().fit_stream(onlinear.read(words))
    words.write_text("label,a\n1,1\nmany,2\n")
    with pytest.raises(ReadError, match="words.csv:3: the row has no number to compare with"):
        regressor.score(onlinear.read(words))
