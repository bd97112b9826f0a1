"""Multilabel ranking: forms of answers, rules, prototypes, streams, measures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone

import onlinear
from onlinear import AROWClassifier, MultilabelRanker, PassiveAggressiveClassifier
from onlinear.algorithms.table import ALGORITHMS
from onlinear.estimators.ranking import SAME_F1, best_cut
from onlinear.exceptions import DataError, ModelFileError, ParameterError

NAMES = np.array(["art", "money", "science", "sport"])


def problem(seed: int = 0, n: int = 300, d: int = 8) -> tuple[Any, Any]:
    """Draw examples whose labels are those with a positive planted score."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, (X @ rng.normal(size=(d, 4)) > 0.5).astype(int)


X, Y = problem()
LISTS = [NAMES[row == 1].tolist() for row in Y]


def test_indicator_arrays_sparse_ones_and_lists_teach_the_same() -> None:
    """Only the names of the labels differ."""
    models = [MultilabelRanker(random_state=0).fit(X, y) for y in (Y, csr_matrix(Y), Y.tolist(), LISTS)]

    for model in models:
        np.testing.assert_array_equal(model.coef_, models[0].coef_)
        np.testing.assert_array_equal(model.predict(X), models[0].predict(X))
    assert models[0].classes_.tolist() == [0, 1, 2, 3]
    assert models[3].classes_.tolist() == NAMES.tolist()


@pytest.mark.parametrize("name", sorted(set(ALGORITHMS) - {"mira", "adagrad-rda"}))
def test_every_algorithm_ranks(name: str) -> None:
    """By its name; and better than chance."""
    model = MultilabelRanker(rule=name, random_state=0).fit(X, LISTS)

    assert model.evaluate(X, LISTS).ranking_loss < 0.25


def test_a_classifier_brings_its_parameters() -> None:
    """A rule is a name or a classifier that carries it."""
    by_name = MultilabelRanker(rule="pa1", random_state=0).fit(X, Y)
    same = MultilabelRanker(rule=PassiveAggressiveClassifier(), random_state=0).fit(X, Y)
    other = MultilabelRanker(rule=PassiveAggressiveClassifier(C=0.001), random_state=0).fit(X, Y)

    np.testing.assert_array_equal(by_name.coef_, same.coef_)
    assert not np.array_equal(by_name.coef_, other.coef_)


def test_one_label_each_is_multiclass_classification() -> None:
    """The top-1 reduction is the special case of one relevant label."""
    y = NAMES[np.argmax(X @ np.random.default_rng(1).normal(size=(8, 4)), axis=1)]
    # In the given order no row waits for the second pass, as rows of a classifier do to fit its probabilities.
    options: dict[str, Any] = {"shuffle": False, "early_stopping": False, "passes": 2, "average": False}
    ranker = MultilabelRanker(rule=AROWClassifier(min_variance=0.0), **options).fit(X, y)
    classifier = AROWClassifier(min_variance=0.0, **options).fit(X, y)

    np.testing.assert_allclose(ranker.coef_, classifier.coef_, rtol=1e-12)
    np.testing.assert_array_equal(ranker.predict(X), classifier.predict(X))


def test_a_single_prototype_with_blocks_is_several_prototypes() -> None:
    """Phi(x, label) = x in the label's block makes one vector of weights as good as one for each label."""

    def phi(rows: Any, label: str) -> Any:
        out = np.zeros((len(rows), 4, rows.shape[1]))
        out[:, NAMES.tolist().index(label)] = rows
        return out.reshape(len(rows), -1)

    options: dict[str, Any] = {"fit_intercept": False, "random_state": 0}
    several = MultilabelRanker(**options).fit(X, LISTS)
    for form in (phi, lambda rows, label: csr_matrix(phi(rows, label))):
        single = MultilabelRanker(phi=form, **options).fit(X, LISTS)
        np.testing.assert_allclose(single.coef_.reshape(4, -1), several.coef_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(
            single.decision_function(X), several.decision_function(X), rtol=1e-9, atol=1e-12
        )


def test_ranks_follow_scores_and_sets_follow_the_threshold() -> None:
    """The best label first; a lower threshold predicts more labels."""
    model = MultilabelRanker(rule="arow", random_state=0).fit(X, LISTS)
    scores = model.decision_function(X)

    np.testing.assert_array_equal(model.rank(X)[:, 0], NAMES[np.argmax(scores, axis=1)])
    assert np.mean(model.predict(X) == Y) > 0.75
    sizes = [model.set_params(threshold=t).predict(X).sum() for t in (0.2, 0.5, 0.8)]
    assert sizes[0] > sizes[1] > sizes[2] > 0
    model.set_params(threshold=0.5)
    for labels, row in zip(model.predict_labels(X), model.predict(X), strict=True):
        assert sorted(labels) == NAMES[row == 1].tolist()


def test_measures_are_what_their_names_say() -> None:
    """Against plain counting."""
    model = MultilabelRanker(random_state=0).fit(X, Y)
    report = model.evaluate(X, Y)
    scores, first, wrong = model.decision_function(X), [], []
    for s, y in zip(scores, Y == 1, strict=True):
        pairs = s[y][:, None] <= s[~y][None, :]
        wrong.append(pairs.mean() if pairs.size else 0.0)
        if y.any():
            first.append(not y[np.argmax(s)])

    assert report.ranking_loss == pytest.approx(np.mean(wrong))
    assert report.one_error == pytest.approx(np.mean(first))
    assert 0.9 < report.average_precision <= 1
    assert report.subset_accuracy == pytest.approx((model.predict(X) == Y).all(axis=1).mean())


@pytest.mark.parametrize("labels", [[], NAMES.tolist()], ids=["empty", "full"])
def test_an_empty_or_full_set_of_labels_is_passive(labels: list[str]) -> None:
    """It is seen, and nothing is learned from it."""
    model = MultilabelRanker(rule="scw1", average=False).partial_fit(X, LISTS)
    coef, seen = model.coef_, model.n_seen_
    model.partial_fit(X[:1], [labels]).learn_one(dict(enumerate(X[0].tolist())), labels)

    np.testing.assert_array_equal(model.coef_, coef)
    assert model.n_seen_ == seen + 2


def test_streams_of_dicts_accept_new_labels() -> None:
    """River's verbs, labels as a set or as a dict from label to bool."""
    model = MultilabelRanker(rule="arow")
    assert model.predict_one({"goal": 1}) == {}
    for _ in range(20):
        model.learn_one({"goal": 1}, {"sport"}).learn_one({"bank": 1}, {"money": True, "sport": False})
    model.learn_one({"paint": 1}, ["art"])

    assert model.classes_.tolist() == ["art", "money", "sport"]
    shares = model.predict_proba_one({"goal": 1})
    assert max(shares, key=lambda label: shares[label]) == "sport"
    assert model.predict_one({"goal": 1})["sport"]


def test_a_saved_model_goes_on_bit_for_bit(tmp_path: Path) -> None:
    """Also when its rule is a classifier with parameters."""
    model = MultilabelRanker(rule=AROWClassifier(r=0.3), random_state=0).partial_fit(X[:100], LISTS[:100])
    model.save(tmp_path / "model.safetensors")
    loaded = onlinear.load(tmp_path / "model.safetensors")

    assert loaded.rule.r == 0.3
    for ranker in (model, loaded):
        ranker.partial_fit(X[100:], LISTS[100:])
    assert loaded.digest() == model.digest()
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))


def test_a_model_with_code_in_it_is_not_saved(tmp_path: Path) -> None:
    """A file holds no code."""
    model = MultilabelRanker(phi=lambda rows, label: rows * (label == "art")).fit(X, LISTS)

    with pytest.raises(ModelFileError, match="phi"):
        model.save(tmp_path / "model.safetensors")


REFUSED = [
    pytest.param(np.where(Y == 1, 2, 0), "only 0 and 1", id="not-an-indicator"),
    pytest.param(LISTS[:-1], "examples", id="too-few"),
    pytest.param([*LISTS[:-1], "art"], "row 299", id="not-a-list"),
    pytest.param([*LISTS[:-1], ["art", 3]], "mixes", id="mixed-labels"),
    pytest.param(None, "requires y", id="none"),
    pytest.param(NAMES[Y.argmax(axis=1)], "the form it had", id="other-form"),
]


@pytest.mark.parametrize(("y", "message"), REFUSED)
def test_bad_answers_leave_the_model_as_it_was(y: Any, message: str) -> None:
    """And the message says what was wrong."""
    model = MultilabelRanker().partial_fit(X, LISTS)
    before, labels = model.digest(), model.classes_.tolist()

    with pytest.raises(ValueError, match=message):
        model.partial_fit(X, y)
    assert (model.digest(), model.classes_.tolist()) == (before, labels)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"rule": "arrow"}, "Did you mean 'arow'"),
        ({"rule": 3}, "name or one of our classifiers"),
        ({"threshold": 1.5}, "threshold"),
        ({"phi": "blocks"}, "callable"),
    ],
)
def test_parameters_out_of_range_are_named(parameters: dict[str, Any], message: str) -> None:
    """With what was given."""
    with pytest.raises(ParameterError, match=message):
        MultilabelRanker(**parameters).fit(X, Y)


def test_unknown_labels_are_refused_when_evaluating() -> None:
    """A label never learned has no rank."""
    model = clone(MultilabelRanker()).fit(X, LISTS)
    with pytest.raises(DataError, match="'opera'"):
        model.evaluate(X[:1], [["opera"]])


# ---------------------------------------------------------------------- the cut


def facts(n: int, labels: int, seed: int) -> tuple[Any, Any]:
    """Rows with noisy sets of labels, some of them rare."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(n, 12))
    rare = np.linspace(0.0, 3.0, labels)
    return rows, (rows @ rng.normal(size=(12, labels)) + rng.normal(size=(n, labels)) > rare).astype(int)


def micro_f1(right: Any, said: Any) -> float:
    """2 hits / (said + right), over all labels of all rows."""
    return float(2 * (right & said).sum() / (right.sum() + said.sum()))


def best_f1(right: Any, probability: Any) -> float:
    """The micro-F1 of the best cut in hindsight."""
    return max(micro_f1(right, (probability >= cut).astype(int)) for cut in np.unique(probability.ravel()))


def test_the_cut_is_half_the_f1_of_the_rounds_so_far() -> None:
    """Online F-measure optimization, spelt out: hits over what was said or right, with a memory that lengthens."""
    rows, right = facts(200, 5, seed=3)
    model = MultilabelRanker(rule="arow", scale=None)  # a scale that a row raises is in its own score
    hits = total = 0.0
    for t in range(len(rows)):
        # Before anything is known every label's probability is one half.
        probability = model.predict_proba(rows[t : t + 1])[0] if t else np.full(5, 0.5)
        said = probability >= (hits / total if total else 0.5)
        keep = 1 - 3 / (t + 1 + 30)
        hits = keep * hits + float((said & (right[t] > 0)).sum())
        total = keep * total + float(said.sum() + right[t].sum())
        model.partial_fit(rows[t : t + 1], right[t : t + 1])
        assert model.threshold_ == pytest.approx(hits / total, rel=1e-9)


@pytest.mark.parametrize("rule", ["pa1", "arow", "scw1"])
@pytest.mark.parametrize("labels", [3, 20])
def test_the_learned_cut_is_nearly_the_best_in_hindsight(rule: str, labels: int) -> None:
    """On rows never seen, after one pass and after several, micro-F1 is within 0.02 of the best fixed cut's."""
    rows, right = facts(4000, labels, seed=5)
    for model in (
        MultilabelRanker(rule=rule).partial_fit(rows[:2000], right[:2000]),
        MultilabelRanker(rule=rule, random_state=0).fit(rows[:2000], right[:2000]),
    ):
        said = model.predict(rows[2000:])
        assert micro_f1(right[2000:], said) > best_f1(right[2000:], model.predict_proba(rows[2000:])) - 0.02


def test_the_best_cut_of_known_rows_is_the_best_there_is() -> None:
    """Nothing that a cut could be has a larger micro-F1, and the one there was stays where it is as good."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        n, k = rng.integers(1, 9), rng.integers(1, 5)
        p = rng.integers(1, 8, (n, k)) / 8  # many are equal
        relevant, weights = rng.random((n, k)) < p, rng.integers(1, 4, n).astype(float)
        before = float(rng.random())

        def f1(cut: float, p: Any = p, relevant: Any = relevant, weights: Any = weights) -> float:
            said = p >= cut
            total = ((said.sum(axis=1) + relevant.sum(axis=1)) * weights).sum()
            return float(2 * ((said & relevant).sum(axis=1) * weights).sum() / total) if total else 0.0

        cut = best_cut(p, relevant, weights, before)
        best = max(f1(each) for each in np.arange(1, 9) / 8)
        if relevant.any():
            assert f1(cut) >= best - SAME_F1
        if not relevant.any() or f1(before) >= best - SAME_F1:
            assert cut == before


@pytest.mark.parametrize("rule", ["arow", "pa1", "scw1"])
def test_after_several_passes_the_cut_is_that_of_the_model_as_it_has_become(rule: str) -> None:
    """Whatever rows came first, micro-F1 on new rows is within a point of the best fixed cut's: the map may have moved."""
    rows, right = facts(3000, 6, seed=5)
    for seed in range(5):
        model = MultilabelRanker(rule=rule, random_state=seed).fit(rows[:600], right[:600])
        known = model.predict_proba(rows[:600])
        assert micro_f1(right[:600], model.predict(rows[:600])) > best_f1(right[:600], known) - 2 * SAME_F1
        new = model.predict_proba(rows[600:])
        assert micro_f1(right[600:], model.predict(rows[600:])) > best_f1(right[600:], new) - 0.01


def test_the_cut_of_known_rows_goes_on_with_the_stream() -> None:
    """It is the running share from there on, so later rows move it little."""
    rows, right = facts(900, 4, seed=6)
    model = MultilabelRanker(random_state=0).fit(rows[:800], right[:800])
    settled = model.threshold_
    assert abs(model.partial_fit(rows[800:801], right[800:801]).threshold_ - settled) < 0.01
    assert model.model_.learner.handle.label_cut == model.threshold_


def test_the_cut_is_learned_the_same_however_rows_are_handed_over(tmp_path: Path) -> None:
    """One call, many, dicts, saved and loaded in between: the same bits of the cut and of all else."""
    rows, right = facts(120, 4, seed=7)
    lists = [np.flatnonzero(row).tolist() for row in right]
    whole = MultilabelRanker(dtype="float64").partial_fit(rows, lists, classes=range(4))
    parts = MultilabelRanker(dtype="float64").partial_fit(rows[:50], lists[:50], classes=range(4))
    parts.save(tmp_path / "half.safetensors")
    parts = onlinear.persistence.load(tmp_path / "half.safetensors")
    for start in range(50, 120, 7):
        parts.partial_fit(rows[start : start + 7], lists[start : start + 7])
    single = MultilabelRanker(dtype="float64").partial_fit(rows[:1], lists[:1], classes=range(4))
    for row, labels in zip(rows[1:], lists[1:], strict=True):
        single.learn_one(dict(enumerate(row)), labels)

    assert 0 < whole.threshold_ < 1
    assert whole.threshold_ == parts.threshold_ == single.threshold_
    assert whole.digest() == parts.digest() == single.digest()


def test_a_threshold_that_is_given_is_kept() -> None:
    """And every answer goes by it."""
    rows, right = facts(300, 4, seed=9)
    model = MultilabelRanker(threshold=0.3).partial_fit(rows, right)

    assert model.threshold_ == 0.3
    np.testing.assert_array_equal(model.predict(rows), model.predict_proba(rows) >= 0.3)
    assert model.predict_one(dict(enumerate(rows[0]))) == {
        label: p >= 0.3 for label, p in model.predict_proba_one(dict(enumerate(rows[0]))).items()
    }


@pytest.mark.parametrize("k", [0, 1, 2, 4, 9])
def test_the_best_k_labels(k: int) -> None:
    """As many as asked for, or all there are; those that `rank` puts first."""
    model = MultilabelRanker(random_state=0).fit(X, LISTS)
    ranked = model.rank(X)[:, :k].tolist()

    assert model.predict_labels(X, top_k=k) == ranked
    assert [set(model.classes_[row > 0]) for row in model.predict(X, top_k=k)] == list(map(set, ranked))
    for wrong in (-1, 1.5, True, "2"):
        with pytest.raises(ParameterError, match="top_k must be a whole number"):
            model.predict(X, top_k=wrong)
