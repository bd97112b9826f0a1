"""Draw the reliability and progress pictures of the documentation: python docs/images/reliability.py."""

from __future__ import annotations

from pathlib import Path

import matplotlib
import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.svm import LinearSVC

from onlinear import AROWClassifier, PassiveAggressiveClassifier, Perceptron, SoftConfidenceWeightedClassifier
from onlinear.plotting import ProgressDisplay, ReliabilityDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
HALVINGS = 10


def reliability() -> None:
    """Odd against even digits, and all ten, beside a calibrated SVM: what they say of the other half, over ten halvings."""
    X, y = load_digits(return_X_y=True)
    models = {
        "SoftConfidenceWeightedClassifier": SoftConfidenceWeightedClassifier(random_state=0),
        "AROWClassifier": AROWClassifier(random_state=0),
        "calibrated LinearSVC": CalibratedClassifierCV(LinearSVC(C=0.1)),
    }
    figure, axes = plt.subplots(1, 2, figsize=(9, 4.6), layout="constrained")
    for ax, target, title in zip(axes, (y % 2, y), ("odd or even", "ten digits"), strict=True):
        halves = [
            train_test_split(X / 16, target, test_size=0.5, random_state=seed, stratify=target)
            for seed in range(HALVINGS)
        ]
        truth = np.concatenate([y_test for *_, y_test in halves])
        for name, model in models.items():
            said = [
                model.fit(X_train, y_train).predict_proba(X_test) for X_train, X_test, y_train, _ in halves
            ]
            style = {} if name.endswith("Classifier") else {"color": "0.4"}
            ReliabilityDisplay.from_predictions(truth, np.concatenate(said), name=name, ax=ax, **style)
        ax.set_title(title)
    figure.savefig(HERE / "reliability.png", dpi=110)
    plt.close(figure)


def progress() -> None:
    """Progressive error on the digits in random order."""
    X, y = load_digits(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    figure, ax = plt.subplots(figsize=(6, 4), layout="constrained")
    for model in (
        Perceptron(),
        PassiveAggressiveClassifier(),
        AROWClassifier(),
        SoftConfidenceWeightedClassifier(),
    ):
        ProgressDisplay.from_estimator(model, X[order] / 16, y[order], ax=ax)
    ax.set_title("ten digits, one pass")
    figure.savefig(HERE / "progress.png", dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    reliability()
    progress()
