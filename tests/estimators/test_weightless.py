"""Weight 0 is an exact no-op: a stream with examples of no weight is the stream without them, however it is cut."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import onlinear
from onlinear import (
    AROWClassifier,
    AROWRegressor,
    KernelClassifier,
    Learner,
    MultilabelRanker,
    PassiveAggressiveClassifier,
    PassiveAggressiveOneClass,
    PassiveAggressiveRegressor,
    SequenceLabeler,
    belief,
    rule,
    task,
)
from onlinear.exceptions import DataError, NumericError
from tests.cli.commands import Done
from tests.cli.commands import onlinear as command

ROWS = 24
RNG = np.random.default_rng(3)
X = RNG.standard_normal((ROWS, 4))
NUMBERS = RNG.integers(0, 3, ROWS)
WEIGHTS = np.where(np.isin(np.arange(ROWS), [0, 1, 2, 3, 4, 9, 10, 23]), 0.0, 1.5)
HEAVY = WEIGHTS > 0

ANSWERS: dict[str, Any] = {
    "whole numbers": NUMBERS,
    "truth": NUMBERS > 0,
    "floats": NUMBERS.astype(float),
    "words": np.array(["no", "yes", "perhaps"])[NUMBERS],
    "objects": np.array(["no", "yes", "perhaps"], dtype=object)[NUMBERS],
    "targets": RNG.standard_normal(ROWS),
    "sets": (RNG.random((ROWS, 3)) < 0.5).astype(int),
    "nothing": np.zeros(ROWS),
}
KINDS = ["whole numbers", "truth", "floats", "words", "objects"]

MODELS: list[tuple[Any, str]] = [
    *((AROWClassifier(), kind) for kind in KINDS),
    (AROWClassifier(covariance="full", average=True), "words"),
    (AROWClassifier(constraints="all"), "whole numbers"),
    (PassiveAggressiveClassifier(class_weight="balanced"), "whole numbers"),
    (KernelClassifier(rule="pa1"), "words"),
    (AROWRegressor(), "targets"),
    (PassiveAggressiveRegressor(average=True), "targets"),
    (PassiveAggressiveOneClass(), "nothing"),
    (PassiveAggressiveOneClass(max_radius=3.0, contamination=0.2), "nothing"),
    (MultilabelRanker(), "words"),
    (MultilabelRanker(rule="arow"), "sets"),
]
IDS = [f"{model}-{kind}" for model, kind in MODELS]


def facts(model: Any) -> tuple[Any, ...]:
    """All that a model shows of what it has learned."""
    classes = model.classes_.tolist() if hasattr(model, "classes_") else None
    return model.digest(), classes, model.n_features_in_, model.n_seen_, getattr(model, "offset_", None)


@pytest.mark.parametrize(("model", "kind"), MODELS, ids=IDS)
@pytest.mark.parametrize("announced", [False, True])
def test_batches_with_weightless_rows_are_batches_without_them(
    model: Any, kind: str, announced: bool
) -> None:
    """Cut anywhere: before the first weight, within, behind the last; with the classes announced, too."""
    y = ANSWERS[kind]
    classes = np.arange(3) if kind == "sets" else np.unique(y)
    options = {"classes": classes} if announced and hasattr(type(model), "classes_") else {}
    expected = facts(clone(model).partial_fit(X[HEAVY], y[HEAVY], sample_weight=WEIGHTS[HEAVY], **options))

    for size in (1, 3, 5, 8, ROWS):
        twin = clone(model)
        for first in range(0, ROWS, size):
            rows = slice(first, first + size)
            twin.partial_fit(X[rows], y[rows], sample_weight=WEIGHTS[rows], **options)
        assert facts(twin) == expected, f"batches of {size}"


@pytest.mark.parametrize(("model", "kind"), MODELS, ids=IDS)
def test_a_batch_without_weight_changes_nothing(model: Any, kind: str) -> None:
    """Neither a new model, however wide the rows are and of whatever type, nor one that has learned."""
    y, nothing = ANSWERS[kind], np.zeros(ROWS)
    twin = clone(model).set_params(grow_features=True)
    wide = np.hstack([X, X]).astype(np.float32)

    twin.partial_fit(wide, y, sample_weight=nothing)
    with pytest.raises(NotFittedError):
        twin.predict(X)
    assert not hasattr(twin, "n_features_in_")

    twin.partial_fit(X, y)
    before = facts(twin)
    twin.partial_fit(wide, y, sample_weight=nothing)
    twin.partial_fit(X, y, sample_weight=nothing)
    assert facts(twin) == before


@pytest.mark.parametrize(("model", "kind"), MODELS, ids=IDS)
@pytest.mark.parametrize("shuffle", [False, True])
def test_fit_with_weightless_rows_is_fit_without_them(model: Any, kind: str, shuffle: bool) -> None:
    """The same passes in the same order, the same classes, the same balance between them."""
    y = ANSWERS[kind]
    stray = y.copy()
    if kind not in ("sets", "truth"):
        stray[0] = 77 if stray.dtype.kind not in "UO" else "a"  # a label that only a row of no weight has
    twins = [clone(model).set_params(shuffle=shuffle, random_state=5) for _ in range(2)]

    twins[0].fit(X, stray, sample_weight=WEIGHTS)
    twins[1].fit(X[HEAVY], y[HEAVY], sample_weight=WEIGHTS[HEAVY])

    assert facts(twins[0]) == facts(twins[1])
    assert twins[0].n_passes_ == twins[1].n_passes_


@pytest.mark.parametrize(("model", "kind"), MODELS, ids=IDS)
def test_rows_of_no_weight_must_be_sound_too(model: Any, kind: str) -> None:
    """In the first batch as in any other, and in fit; a refusal leaves nothing behind."""
    y, bad = ANSWERS[kind], X.copy()
    bad[0, 2] = np.nan
    for weights in (WEIGHTS, np.zeros(ROWS)):
        twin = clone(model)
        for _ in range(2):
            with pytest.raises(DataError, match="NaN at row 0, column 2"):
                twin.partial_fit(bad, y, sample_weight=weights)
        assert not twin.__sklearn_is_fitted__()
    with pytest.raises(DataError, match="NaN at row 0, column 2"):
        twin.fit(bad, y, sample_weight=WEIGHTS)
    assert not twin.__sklearn_is_fitted__()


@pytest.mark.parametrize(("model", "kind"), MODELS[:5] + MODELS[9:12], ids=IDS[:5] + IDS[9:12])
def test_dicts_of_no_weight_bring_nothing(model: Any, kind: str) -> None:
    """A stream of dicts is the stream without them."""
    twins = [clone(model), clone(model)]
    for row, answer, weight in zip(X, ANSWERS[kind].tolist(), WEIGHTS.tolist(), strict=True):
        example = {f"column {i}": value for i, value in enumerate(row.tolist())}
        twins[0].learn_one(example, answer, weight)
        if weight:
            twins[1].learn_one(example, answer, w=weight)
    assert facts(twins[0]) == facts(twins[1])


def test_pairs_of_a_stream_without_weight_bring_nothing() -> None:
    """fit_stream learns batches as partial_fit does."""
    y = ANSWERS["words"]
    parts = [(X[i : i + 5], y[i : i + 5], WEIGHTS[i : i + 5]) for i in range(0, ROWS, 5)]
    assert facts(AROWClassifier().fit_stream(parts)) == facts(
        AROWClassifier().fit_stream([(X[HEAVY], y[HEAVY], WEIGHTS[HEAVY])])
    )


@pytest.mark.parametrize("task", ["classification", "regression", "one-class", "multilabel"])
def test_lines_of_no_weight_bring_nothing(tmp_path: Path, task: str) -> None:
    """The command line learns a file as if its lines of no weight were not there; without any other there is no model."""
    lines = [f"{i % 3} {0.0 if i < 4 else 1.0} | a:{i + 1} b:{i % 2}\n" for i in range(12)]
    for name, part in (("all", lines), ("heavy", lines[4:]), ("light", lines[:4])):
        (tmp_path / f"{name}.vw").write_text("".join(part))

    def learn(name: str) -> Done:
        saved = tmp_path / f"{name}.safetensors"
        return command("train", tmp_path / f"{name}.vw", "--task", task, "-q", "--save", saved)

    assert [learn(name).code for name in ("all", "heavy")] == [0, 0]
    models = [onlinear.load(tmp_path / f"{name}.safetensors") for name in ("all", "heavy")]
    assert models[0].digest() == models[1].digest()
    assert learn("light").code == 1
    assert not (tmp_path / "light.safetensors").exists()


def sentences() -> tuple[list[Any], list[Any], np.ndarray]:
    """Sequences of words, the first and the last of them without weight and with names of their own."""
    words = [["the", "cat"], ["cats", "sleep"], ["the", "cats"], ["dogs", "run"], ["unheard"]]
    tokens = [[[f"w={word}"] for word in sentence] for sentence in words]
    labels = [["X", "Y"], ["N", "V"], ["D", "N"], ["N", "V"], ["Z"]]
    return tokens, labels, np.array([0.0, 1.0, 2.0, 1.0, 0.0])


def test_sequences_of_no_weight_bring_nothing() -> None:
    """Neither labels nor features nor a place in the order, in batches or in fit."""
    tokens, labels, weights = sentences()
    heavy = slice(1, 4)
    expected = SequenceLabeler().partial_fit(tokens[heavy], labels[heavy], sample_weight=weights[heavy])
    for size in (1, 2, 5):
        model = SequenceLabeler()
        for first in range(0, 5, size):
            part = slice(first, first + size)
            model.partial_fit(tokens[part], labels[part], sample_weight=weights[part])
        assert model.digest() == expected.digest()
        assert model.classes_.tolist() == expected.classes_.tolist()

    fitted = SequenceLabeler(random_state=0).fit(tokens, labels, sample_weight=weights)
    without = SequenceLabeler(random_state=0).fit(tokens[heavy], labels[heavy], sample_weight=weights[heavy])
    assert fitted.digest() == without.digest()
    assert fitted.feature_names_ == without.feature_names_
    with pytest.raises(DataError, match="zero for every sequence"):
        SequenceLabeler().fit(tokens, labels, sample_weight=np.zeros(5))


@pytest.mark.parametrize("size", [1, 5, ROWS])
@pytest.mark.parametrize(
    "axes", [(rule.Perceptron(), belief.Mean(average=True)), (rule.Arow(), belief.Full())], ids=str
)
def test_arrays_of_no_weight_leave_the_layout_of_weights_as_it_is(axes: tuple[Any, Any], size: int) -> None:
    """Labels and columns take their places in the order in which sequences with a weight bring them."""
    tokens, labels = [x[None] for x in X], [[str(number)] for number in NUMBERS]
    whole, parts = (SequenceLabeler(rule=axes[0], belief=axes[1]) for _ in range(2))
    whole.partial_fit([tokens[i] for i in np.flatnonzero(HEAVY)], [labels[i] for i in np.flatnonzero(HEAVY)])
    for start in range(0, ROWS, size):
        stop = start + size
        parts.partial_fit(tokens[start:stop], labels[start:stop], sample_weight=1.0 * HEAVY[start:stop])

    assert parts.digest() == whole.digest()


@pytest.mark.parametrize("verb", ["fit", "partial_fit"])
def test_a_sequence_that_overflows_is_named_though_others_have_no_weight(verb: str) -> None:
    """The number is that of the caller's list."""
    tokens = [np.array([[1.0]]), np.array([[2.0]]), np.array([[1e200]]), np.array([[-1e200]])]
    options = {"shuffle": False} if verb == "fit" else {}
    model = SequenceLabeler(rule=rule.Perceptron(), dtype="float64", **options)
    with pytest.raises(NumericError, match="row 3") as refused:
        getattr(model, verb)(tokens, [["a"], ["b"], ["a"], ["b"]], sample_weight=[1.0, 0.0, 1.0, 1.0])

    assert refused.value.row == 3


def test_a_learner_is_not_started_by_rows_of_no_weight() -> None:
    """Nor by a first row that is refused: what comes next may have another width."""
    learner = Learner(
        task=task.Multiclass(), rule=rule.Arow(r=1.0), belief=belief.Diagonal(), dtype="float32"
    )
    assert learner.learn(X, NUMBERS, sample_weight=np.zeros(ROWS)).n_updates == 0
    with pytest.raises(NumericError):
        learner.learn(np.full((1, 9), 3e38), [1])
    assert learner.learn(X[:, :2], NUMBERS).n_learned == ROWS
    assert learner.n_features == 2


@pytest.mark.parametrize("n_classes", [1, 2, 3])
def test_a_model_that_has_learned_nothing_prefers_no_class(n_classes: int) -> None:
    """The classes were announced and no row had a weight: each has the same share, to the last bit."""
    model = AROWClassifier().partial_fit(X[:1], [0], classes=range(n_classes), sample_weight=[0.0])

    assert model.n_seen_ == 0
    assert model.predict_proba(X[:2]).tolist() == [[1 / n_classes] * n_classes] * 2


@pytest.mark.parametrize("kind", ["array", "sparse"])
def test_a_labeler_told_its_labels_alone_answers_with_the_first_of_them(kind: str) -> None:
    """Nothing is known of any column: every score is zero, and the first label wins the tie."""
    x = np.ones((3, 4)) if kind == "array" else csr_array(np.ones((3, 4)))
    model = SequenceLabeler(rule="arow").partial_fit([x], [[1, 0, 1]], classes=[0, 1], sample_weight=[0.0])
    assert model.predict([x]) == [[0, 0, 0]]
    with pytest.raises(DataError, match="NaN|nan"):
        model.predict([np.full((1, 4), np.nan)])
