"""The experiments and pictures of docs/changing_environments.md: python docs/images/changing.py [USPS.svm ...].

Without arguments the digits are scikit-learn's; the documentation's pictures are of USPS (svmlight files, labels 1 to
10). The process, the protocol and the figures are those of Shen and Dietterich: 3 and 7 against 8 and 9, the first two
of four phases to choose a parameter, the last two to measure.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse import random as random_matrix
from sklearn.base import clone
from sklearn.datasets import load_digits

import onlinear
from onlinear import (
    AROWClassifier,
    NORMAClassifier,
    PassiveAggressiveClassifier,
    RegularizedPassiveAggressiveClassifier,
    SoftConfidenceWeightedClassifier,
    drift,
)
from onlinear.feature_selection import GameTheoreticSelector, InformationGainSelector
from onlinear.plotting import ErrorOverTimeDisplay, FeaturesKeptDisplay, WeightImagesDisplay

matplotlib.use("Agg")
import matplotlib.pyplot as plt

HERE = Path(__file__).parent
PER_PHASE = 500
Maker = Callable[[float], Any]


def shrinking(penalty: str, name: str) -> Maker:
    """A regularised Passive-Aggressive by its one parameter."""
    return lambda value: RegularizedPassiveAggressiveClassifier(penalty=penalty, scale=None, **{name: value})


#: Learners by name: how to make one, and the parameters to choose from on the first half.
LEARNERS: dict[str, tuple[Maker, Sequence[float]]] = {
    "PA": (lambda _: PassiveAggressiveClassifier(variant="pa"), [0.0]),
    "NORMA": (lambda lam: NORMAClassifier(eta=0.01, lam=lam), [0.01, 0.03, 0.1, 0.3, 1.0]),
    "shrinkage": (shrinking("objective", "alpha"), [1e-4, 3e-4, 1e-3, 3e-3, 1e-2]),
    "L2 ball": (shrinking("l2_ball", "radius"), [0.3, 0.5, 0.7, 1.0, 1.5, 2.0]),
    "L1 ball": (shrinking("l1_ball", "radius"), [3.0, 5.0, 7.0, 10.0, 20.0]),
}


def digits(files: Sequence[str]) -> tuple[Any, Any, tuple[int, int]]:
    """Images in [0, 1], their digits, and the shape of an image."""
    if not files:
        X, y = load_digits(return_X_y=True)
        return X / 16, y, (8, 8)
    parts = [batch for file in files for batch in onlinear.read(file)]
    width = 256
    X = np.zeros((sum(part.X.shape[0] for part in parts), width))
    row = 0
    for part in parts:
        block = part.X.toarray()
        X[row : row + len(block), : block.shape[1] - 1] = block[:, 1 : width + 1]
        row += len(block)
    y = np.concatenate([np.asarray(part.y, dtype=int) for part in parts])
    return (X + 1) / 2, y - 1, (16, 16)


def streams(X: Any, y: Any, trials: int) -> list[drift.DriftStream]:
    """The four phases, drawn anew for every trial."""
    pair = {"positive": [3, 7], "negative": [8, 9]}
    return [drift.four_phases(X, y, **pair, per_phase=PER_PHASE, random_state=seed) for seed in range(trials)]


def error(model: Any, stream: drift.DriftStream, start: int, end: int) -> float:
    """Progressive error between two examples, everything before learned too; leaves the model trained."""
    model.partial_fit(stream.X[:1], stream.y[:1], classes=[0, 1])
    if start > 1:
        model.partial_fit(stream.X[1:start], stream.y[1:start])
    before = model.n_mistakes_
    model.partial_fit(stream.X[max(start, 1) : end], stream.y[max(start, 1) : end])
    return (model.n_mistakes_ - before) / (end - start)


def chosen(name: str, trials: list[drift.DriftStream]) -> tuple[Any, float]:
    """The learner with the parameter that is best on the first halves."""
    make, values = LEARNERS[name]
    first_half = [
        np.mean([error(make(value), stream, 0, 2 * PER_PHASE) for stream in trials]) for value in values
    ]
    best = values[int(np.argmin(first_half))]
    return make(best), best


def four_phases(trials: list[drift.DriftStream]) -> None:
    """The second half's error as a table."""
    print("\nFour phases: error on the second half, parameter chosen on the first")
    for name in LEARNERS:
        model, parameter = chosen(name, trials)
        halves = [error(clone(model), stream, 2 * PER_PHASE, 4 * PER_PHASE) for stream in trials]
        spread = 1.96 * np.std(halves, ddof=1) / np.sqrt(len(halves))
        print(f"{name:10} {np.mean(halves):.2%} ± {spread:.2%}  (parameter {parameter:g})")


def opposite(seed: int, n: int = 3000, words: int = 2000) -> drift.DriftStream:
    """Rows of thirty of many words, whose meaning turns into its opposite half-way: most weights are stale then."""
    rng = np.random.default_rng(seed)
    X = random_matrix(2 * n, words, density=30 / words, format="csr", random_state=rng, data_rvs=np.ones)
    phase = np.repeat([0, 1], n)
    answers = X @ rng.standard_normal(words) > 0
    return drift.DriftStream(csr_matrix(X), (answers ^ (phase == 1)).astype(int), phase, phase)


def over_time(trials: int) -> None:
    """Figure 1: cumulative error with the phases shaded."""
    models = {
        "PA": PassiveAggressiveClassifier(variant="pa"),
        "shrinkage 0.001": RegularizedPassiveAggressiveClassifier(alpha=1e-3, scale=None),
        "L2 ball of 3": RegularizedPassiveAggressiveClassifier(penalty="l2_ball", radius=3.0),
        "L1 ball of 80": RegularizedPassiveAggressiveClassifier(penalty="l1_ball", radius=80.0),
    }
    drawn = [opposite(seed) for seed in range(trials)]
    results = {
        name: drift.Prequential.mean_of([drift.prequential(clone(model), stream) for stream in drawn])
        for name, model in models.items()
    }
    print("\nThe opposite half-way: error before and after")
    for name, result in results.items():
        halves = result.mistakes.reshape(2, -1).mean(axis=1)
        print(f"{name:16} {halves[0]:.1%} {halves[1]:.1%}")
    figure, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    ErrorOverTimeDisplay.from_results(results, ax=ax)
    ax.set(title="Half-way every word means the opposite", ylim=(0.25, 0.5))
    figure.savefig(HERE / "changing_error.png", dpi=110)


def weights(stream: drift.DriftStream, shape: tuple[int, int]) -> None:
    """Figure 3: sizes of the final weights."""
    models = {
        "PA": PassiveAggressiveClassifier(variant="pa"),
        "L2 ball": RegularizedPassiveAggressiveClassifier(penalty="l2_ball", radius=0.5),
        "L1 ball": RegularizedPassiveAggressiveClassifier(penalty="l1_ball", radius=5.0),
    }
    drawn = {"information gain": InformationGainSelector(threshold=0.5).fit(stream.X, stream.y).scores_}
    drawn |= {name: np.abs(model.partial_fit(stream.X, stream.y).coef_[0]) for name, model in models.items()}
    display = WeightImagesDisplay(drawn, shape).plot()
    display.figure_.savefig(HERE / "changing_weights.png", dpi=110)


def features(trials: list[drift.DriftStream]) -> None:
    """Figure 2: error on the second half against the features kept."""
    kept: dict[str, list[list[float]]] = {}
    errors: dict[str, list[list[float]]] = {}
    balls = {"L2 ball": ("l2_ball", 1.5), "L1 ball": ("l1_ball", 20.0)}
    for name, (penalty, radius) in balls.items():
        for sigma in (0.0, 1e-4, 3e-4, 1e-3, 2e-3, 5e-3, 1e-2, 1.5e-2, 2e-2):
            model = RegularizedPassiveAggressiveClassifier(penalty=penalty, radius=radius, truncation=sigma)
            runs = [(m := clone(model), error(m, stream, 2 * PER_PHASE, 4 * PER_PHASE)) for stream in trials]
            kept.setdefault(name, []).append([np.count_nonzero(m.coef_) for m, _ in runs])
            errors.setdefault(name, []).append([found for _, found in runs])
    everything = trials[0].X.shape[1]
    for k in [k for k in (10, 20, 40, 80, 120, 160, 256) if k <= everything]:
        selectors = {
            "information gain": InformationGainSelector(k=k, threshold=0.5),
            # Pixels that tell nothing make every other as good as it is alone, so only informative ones play.
            "game-theoretic": GameTheoreticSelector(k=k, threshold=0.5, candidates=2 * k),
        }
        for name, selector in selectors.items():
            kept.setdefault(name, []).append([k] * len(trials))
            errors.setdefault(name, []).append([with_selection(selector, stream) for stream in trials])
    figure, ax = plt.subplots(figsize=(6.5, 4.2), layout="constrained")
    FeaturesKeptDisplay(
        {name: np.array(each) for name, each in kept.items()},
        {name: np.array(each) for name, each in errors.items()},
    ).plot(ax=ax)
    ax.set_title("Weights truncated while learning, or features selected before")
    figure.savefig(HERE / "changing_features.png", dpi=110)


def with_selection(selector: Any, stream: drift.DriftStream) -> float:
    """Error of PA on the features selected on the first half."""
    half = 2 * PER_PHASE
    seen = selector.fit(stream.X[:half], stream.y[:half]).transform(stream.X)
    narrowed = drift.DriftStream(seen, stream.y, stream.phase, stream.concept)
    return error(PassiveAggressiveClassifier(variant="pa"), narrowed, half, 2 * half)


def watched() -> None:
    """A detector beside AROW and SCW, on streams whose target jumps, glides and comes back."""
    makers = {
        "abrupt": lambda seed: drift.abrupt(4000, n_concepts=4, random_state=seed),
        "gradual": lambda seed: drift.gradual(4000, random_state=seed),
        "recurring": lambda seed: drift.recurring(4000, period=1000, random_state=seed),
    }
    models = {"AROW": AROWClassifier(), "SCW-I": SoftConfidenceWeightedClassifier()}
    actions = ["none", "reset", "inflate", "restart"]
    print("\nError over the whole stream, ten streams each, ADWIN beside the model")
    print(f"{'':18}" + "".join(f"{action:>10}" for action in actions))
    for kind, make in makers.items():
        for name, model in models.items():
            row = []
            for action in actions:
                runs = [drift.prequential(beside(model, action), make(seed)) for seed in range(10)]
                row.append(float(np.mean([run.mistakes.mean() for run in runs])))
            print(f"{kind:10} {name:7}" + "".join(f"{value:10.1%}" for value in row))
    stream = makers["abrupt"](1)
    results = {
        name + suffix: drift.prequential(beside(model, action), stream, window=300)
        for name, model in models.items()
        for suffix, action in (("", "none"), (", watched", "reset"))
    }
    figure, ax = plt.subplots(figsize=(7.5, 4.2), layout="constrained")
    ErrorOverTimeDisplay.from_results(results, measure="sliding", ax=ax)
    ax.set_title("A new concept every thousand examples; error of the last 300")
    figure.savefig(HERE / "changing_watched.png", dpi=110)


def beside(model: Any, action: str) -> Any:
    """The model alone, or with ADWIN beside it."""
    return clone(model) if action == "none" else drift.Watched(model, detector="adwin", action=action)


def main(files: Sequence[str]) -> None:
    """Run all experiments."""
    X, y, shape = digits(files)
    trials = streams(X, y, 40)
    four_phases(trials)
    over_time(5)
    weights(trials[0], shape)
    features(trials[:10])
    watched()


if __name__ == "__main__":
    main(sys.argv[1:])
