"""Truncation: the smallest weights go, whatever a belief's lazy bookkeeping."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from numpy.typing import NDArray
from sklearn.base import clone

import onlinear
from onlinear import (
    Learner,
    MultilabelRanker,
    RegularizedPassiveAggressiveClassifier,
    SequenceLabeler,
    belief,
    rule,
    task,
)
from onlinear.exceptions import ParameterError
from tests.reference.regularized import truncate

Array = NDArray[np.float64]

PAIRS = [
    (rule.PassiveAggressive(), belief.Mean()),
    (rule.PassiveAggressive(), belief.Mean(average=True)),
    (rule.RegularizedPassiveAggressive(alpha=0.2), belief.Mean()),
    (rule.RegularizedPassiveAggressive(penalty="l2_ball", radius=1.0), belief.Mean()),
    (rule.Arow(), belief.Diagonal(projection="drop")),
    (rule.SoftConfidenceWeighted(), belief.Full()),
    (rule.Narow(), belief.Information()),
]


def learner(answer: Any, known: Any, classes: int, **options: Any) -> Learner:
    """A learner of eight features."""
    asked = task.Binary() if classes == 2 else task.Multiclass()
    return Learner(task=asked, rule=answer, belief=known, n_features=8, n_classes=classes, **options)


@given(
    w=arrays(np.float64, 12, elements=st.sampled_from([-2.0, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 1.0])),
    sigma=st.sampled_from([0.0, 0.0625, 0.1, 0.25, 0.5, 1.0, 2.5, 100.0]),
)
def test_the_longest_run_strictly_below_sigma_goes(w: Array, sigma: float) -> None:
    """Ties go in the order of the features, and a sum equal to sigma is too much."""
    model = Learner(
        task=task.Binary(), rule=rule.PassiveAggressive(), belief=belief.Mean(), n_features=12, initial_mean=w
    )
    model.truncate(sigma)
    assert_array_equal(model.mean, truncate(w, sigma))


@given(
    w=arrays(np.float64, (3, 4), elements=st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0])),
    sigma=st.sampled_from([0.3, 0.6, 1.0, 1.3, 2.5, 4.0]),
)
def test_ties_between_classes_go_class_by_class(w: Array, sigma: float) -> None:
    """Of equal weights those of the first class go first, in the order of its features; then the next class's."""
    model = Learner(
        task=task.Multiclass(),
        rule=rule.PassiveAggressive(),
        belief=belief.Mean(),
        n_features=4,
        n_classes=3,
        initial_mean=w,
    )
    model.truncate(sigma)
    assert_array_equal(model.mean, truncate(w.ravel(), sigma).reshape(w.shape))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(("answer", "known"), PAIRS, ids=str)
def test_truncating_after_every_update_is_truncating_by_hand(answer: Any, known: Any, classes: int) -> None:
    """The heap that follows the updates removes what sorting all weights after each of them removes."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 8)) * (rng.random((80, 8)) < 0.5)
    y = rng.integers(0, classes, 80)
    kept, by_hand = learner(answer, known, classes, truncation=0.01), learner(answer, known, classes)
    for x, label in zip(X, y, strict=True):
        kept.learn(x[None], [label])
        before = by_hand.mean.copy()
        by_hand.learn(x[None], [label])
        if not np.array_equal(by_hand.mean, before):
            by_hand.truncate(0.01)
        assert_array_equal(kept.mean, by_hand.mean)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize(
    ("answer", "known"),
    [
        (rule.PassiveAggressive(), belief.Mean(average=True)),
        (rule.RegularizedPassiveAggressive(alpha=0.2), belief.Mean(average=True)),
        (rule.Arow(), belief.Diagonal(projection="drop", average=True)),
        (rule.Arow(), belief.Diagonal(projection="kl", average=True)),
        (rule.SoftConfidenceWeighted(), belief.Full(average=True)),
    ],
    ids=str,
)
def test_the_average_is_of_the_truncated_weights(answer: Any, known: Any, classes: int) -> None:
    """What truncation takes from a weight is missing from the average from that round on, and not before."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(80, 8)) * (rng.random((80, 8)) < 0.5)
    y = rng.integers(0, classes, 80)
    model, total, truncated = learner(answer, known, classes, truncation=0.01), 0.0, 0
    for x, label in zip(X, y, strict=True):
        before = np.count_nonzero(model.mean)
        model.learn(x[None], [label])
        truncated += np.count_nonzero(model.mean) < before
        total = total + model.mean
    assert truncated > 5
    np.testing.assert_allclose(model.average, total / len(X), rtol=1e-10, atol=1e-12)


def test_sums_of_gradients_have_nothing_to_truncate() -> None:
    """Dual averaging derives its weights on read, so the setting is refused with a reason."""
    with pytest.raises(ParameterError, match="no weights of its own to truncate"):
        Learner(task=task.Binary(), rule=rule.AdagradRda(), belief=belief.DualAveraging(), truncation=0.1)
    with pytest.raises(ParameterError, match="truncation must be at least 0"):
        learner(rule.Arow(), belief.Diagonal(), 2, truncation=-1.0)


PENALTIES = [("objective", {"alpha": 0.05}), ("l2_ball", {"radius": 3.0}), ("l1_ball", {"radius": 10.0})]


def regularized(penalty: str, parameters: dict[str, float], truncation: float | None) -> Any:
    """A regularised classifier that truncates, or not."""
    return RegularizedPassiveAggressiveClassifier(penalty=penalty, truncation=truncation, **parameters)


def kept(weights: Any) -> int:
    """How many weights are not zero."""
    return int(np.count_nonzero(weights))


@pytest.mark.parametrize(("penalty", "parameters"), PENALTIES)
def test_truncation_serves_every_task_of_the_regularised_learners(
    penalty: str, parameters: dict[str, float]
) -> None:
    """Two classes, several, costs and label ranking: fewer weights, and the largest of them stay."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 30))
    planted = np.zeros((30, 4))
    planted[:5] = rng.normal(size=(5, 4))
    y = np.argmax(X @ planted, axis=1)
    costs = np.where(np.eye(4) > 0, 0.0, 2.0)
    whole, cut = (regularized(penalty, parameters, sigma) for sigma in (None, 0.002))

    def weights(pattern: Any, task: str) -> Any:
        if task == "ranking":
            return MultilabelRanker(rule=pattern, random_state=0).fit(X, [[k, (k + 1) % 4] for k in y]).coef_
        model = clone(pattern).set_params(random_state=0)
        if task == "costs":
            model.set_params(cost_matrix=costs)
        return model.fit(X, y > 1 if task == "binary" else y).coef_

    for task_name in ("binary", "multiclass", "costs", "ranking"):
        assert 0 < kept(weights(cut, task_name)) < kept(weights(whole, task_name)), task_name


@pytest.mark.parametrize(("penalty", "parameters"), PENALTIES[:2])
def test_truncation_serves_sequences(penalty: str, parameters: dict[str, float], tmp_path: Path) -> None:
    """Sequence weights are truncated too, and a saved labeler goes on truncating, bit for bit."""
    rng = np.random.default_rng(1)
    sentences = [[{f"w{k}": 1.0 for k in rng.integers(0, 40, 3)} for _ in range(6)] for _ in range(60)]
    labels = [
        ["odd" if any(int(name[1:]) % 2 for name in token) else "even" for token in each]
        for each in sentences
    ]

    def labeler(sigma: float | None) -> SequenceLabeler:
        pattern = regularized(penalty, parameters, sigma)
        return SequenceLabeler(rule=pattern, average=False, passes=1, random_state=0)

    whole, cut = (labeler(sigma).partial_fit(sentences[:30], labels[:30]) for sigma in (None, 0.002))
    assert 0 < kept(cut.state()["mean"]) < kept(whole.state()["mean"])
    cut.save(tmp_path / "labeler.safetensors")
    again = onlinear.load(tmp_path / "labeler.safetensors")
    for model in (cut, again):
        model.partial_fit(sentences[30:], labels[30:])
    assert again.digest() == cut.digest()
