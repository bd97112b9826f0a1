"""The displays: what they compute, and that they draw it."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

from onlinear import AROWClassifier, SoftConfidenceWeightedClassifier
from onlinear.plotting import ProgressDisplay, ReliabilityDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def _closed_figures() -> Any:
    """Leave no figure open."""
    yield
    plt.close("all")


def test_a_perfect_forecast_lies_on_the_diagonal() -> None:
    """Labels drawn with the given probabilities leave an error that shrinks with their number."""
    rng = np.random.default_rng(0)
    p = rng.random(100_000)
    display = ReliabilityDisplay.from_counts(p, rng.random(100_000) < p)

    assert display.expected_calibration_error < 0.01
    np.testing.assert_allclose(display.frequency, display.probability, atol=0.02)
    assert display.count.sum() == 100_000


@pytest.mark.parametrize("bend", [0.2, 0.5, 1.0, 2.0, 5.0])
def test_the_legend_lies_where_no_curve_does(bend: float) -> None:
    """Too sure, not sure enough, or right, of two models."""
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    for _ in range(2):
        display = ReliabilityDisplay.from_predictions(
            rng.random(len(p)) < p**bend, p, name="SoftConfidenceWeightedClassifier", ax=plt.gca()
        )
    display.figure_.canvas.draw()

    legend = display.ax_.get_legend().get_window_extent()
    for line in display.ax_.get_lines():
        if line.get_gid() != "diagonal":
            assert not line.get_path().transformed(line.get_transform()).intersects_bbox(legend, filled=False)


def test_an_overconfident_forecast_does_not() -> None:
    """Saying 0.9 about a fair coin is wrong by 0.4."""
    display = ReliabilityDisplay.from_counts(np.full(1000, 0.9), np.arange(1000) % 2 == 0)

    assert display.expected_calibration_error == pytest.approx(0.4)


@pytest.mark.parametrize("binary", [True, False])
def test_reliability_of_estimators_ours_and_others(binary: bool, tmp_path: Path) -> None:
    """Two models on the same axes, one diagonal, a legend that names both; the file is a picture."""
    X, y = load_digits(return_X_y=True)
    X, y = X / 16, (y % 2 if binary else y)
    ours = SoftConfidenceWeightedClassifier(random_state=0).fit(X[:1000], y[:1000])
    theirs = LogisticRegression(max_iter=1000).fit(X[:1000], y[:1000])
    first = ReliabilityDisplay.from_estimator(ours, X[1000:], y[1000:])
    second = ReliabilityDisplay.from_estimator(theirs, X[1000:], y[1000:], ax=first.ax_, name="logistic")
    first.figure_.savefig(tmp_path / "reliability.png")

    told = [entry.get_text() for entry in first.ax_.get_legend().get_texts()]
    assert second.ax_ is first.ax_
    assert len(first.ax_.get_lines()) == 3
    assert told[0] == "perfect"
    assert told[1].startswith("SoftConfidenceWeightedClassifier: 0.")
    assert told[2].startswith("logistic")
    assert (tmp_path / "reliability.png").stat().st_size > 1000


def test_reliability_takes_one_column_or_all() -> None:
    """Probabilities of the second class alone, or of both, are the same picture; wrong widths are refused."""
    y, p = np.array(["no", "yes", "yes"]), np.array([0.2, 0.6, 0.9])
    one = ReliabilityDisplay.from_predictions(y, p)
    two = ReliabilityDisplay.from_predictions(y, np.column_stack([1 - p, p]))

    np.testing.assert_array_equal(one.frequency, two.frequency)
    with pytest.raises(ValueError, match="3 columns for 2 classes"):
        ReliabilityDisplay.from_predictions(y, np.ones((3, 3)) / 3)
    with pytest.raises(ValueError, match="of one length"):
        ReliabilityDisplay.from_counts([0.5], [1, 0])


def test_progress_counts_mistakes_made_before_learning() -> None:
    """The curve of an estimator ends at its own count of mistakes; the estimator is not changed."""
    X, y = load_digits(return_X_y=True)
    pattern = AROWClassifier()
    display = ProgressDisplay.from_estimator(pattern, X, y, steps=50)
    taught = AROWClassifier().partial_fit(X, y)

    assert not pattern.__sklearn_is_fitted__()
    assert display.examples[-1] == len(y)
    assert display.error[-1] == taught.n_mistakes_ / len(y)
    assert len(display.examples) == 50
    assert display.ax_.get_legend().get_texts()[0].get_text().startswith("AROWClassifier (")


def test_progress_of_predictions() -> None:
    """The error after each example."""
    display = ProgressDisplay.from_predictions(["a", "b", "a", "a"], ["a", "a", "a", "a"], name="constant")

    np.testing.assert_allclose(display.error, [0, 1 / 2, 1 / 3, 1 / 4])


def test_without_matplotlib_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The library matplotlib is an extra: numbers come without it, pictures say how to get it."""
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name.startswith("matplotlib"):
            raise ModuleNotFoundError("No module named 'matplotlib'")
        return real(name, *rest, **more)

    display = ProgressDisplay.from_mistakes([1, 0])
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"pip install 'onlinear\[plot\]'"):
        display.plot()
