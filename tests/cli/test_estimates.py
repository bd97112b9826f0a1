"""Estimates that do not flatter: what a constant answer gets wrong, orders that make an error told on the way worthless."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onlinear
from onlinear import _core
from onlinear.cli import main
from onlinear.cli._checkpoint import Checkpoint
from onlinear.cli._estimates import HeldOut, chosen, forgotten, in_long_runs
from onlinear.cli._tasks import task_of
from onlinear.io._shuffle import Shuffled
from onlinear.model.stream import Counts

from .commands import Done, write_svmlight
from .commands import onlinear as run

#: What a run tells of its errors.
TOLD = (
    "error",
    "baseline_error",
    "holdout_error",
    "holdout_baseline_error",
    "holdout_final_error",
    "holdout_final_baseline_error",
    "holdout_final_examples",
    "warnings",
)


def trained(*arguments: object) -> dict[str, object]:
    """What ``train --json`` says."""
    done = run("train", *arguments, "-q", "--json")
    assert done.code == 0, done.err
    told: dict[str, object] = done.json
    return told


def sorted_by_class(path: Path, rows: int = 400) -> Path:
    """The rows of one class, and then those of the other."""
    write_svmlight(path, rows)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(sorted(lines, key=lambda line: line.split()[0])))
    return path


def majority_errors(labels: list[int], weights: list[bool], apart: list[bool]) -> tuple[int, int]:
    """Always the most frequent class so far, of equals the one that was there first, row by row."""
    counts: Counter[int] = Counter()
    answer, wrong = None, [0, 0]
    for label, heavy, aside in zip(labels, weights, apart, strict=True):
        if not heavy:
            continue
        wrong[aside] += label != answer
        if not aside:
            counts[label] += 1
            if answer is None or counts[label] > counts[answer]:
                answer = label
    return wrong[0], wrong[1]


# ---------------------------------------------------------------------- constant answers

ROWS = st.lists(st.tuples(st.integers(0, 3), st.booleans(), st.booleans()), max_size=40)


@given(ROWS, st.integers(0, 40))
def test_the_majority_is_that_of_the_rows_before(rows: list[tuple[int, bool, bool]], cut: int) -> None:
    """Rows of no weight do not count, held-out rows are answered and not counted; batches end anywhere."""
    labels, heavy, apart = (list(column) for column in zip(*rows, strict=True)) if rows else ([], [], [])
    numbers, weighty, aside = np.array(labels, np.int32), np.array(heavy, bool), np.array(apart, bool)
    majority, wrong = _core.MajorityClass(), np.zeros(2, int)
    for part in (slice(0, cut), slice(cut, None)):
        wrong += majority.watch(numbers[part], weighty[part], aside[part])
        majority = _core.MajorityClass(**json.loads(json.dumps(majority.state())))
    assert tuple(wrong) == majority_errors(labels, heavy, apart)
    seen = numbers[weighty]
    assert majority.changes == np.count_nonzero(np.diff(seen))


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6))
def test_changes_expected_are_the_mean_over_all_orders(labels: list[int]) -> None:
    """Counted over every order of a few rows."""
    from itertools import permutations

    majority = _core.MajorityClass()
    majority.watch(np.array(labels, np.int32), None, None)
    changes = [np.count_nonzero(np.diff(order)) for order in permutations(labels)]
    assert majority.expected_changes == pytest.approx(np.mean(changes))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6), st.integers(0, 6))
def test_the_mean_is_that_of_the_targets_before(targets: list[float], cut: int) -> None:
    """0 before the first; squared steps are compared with their mean over all orders."""
    from itertools import permutations

    y, mean, error = np.array(targets), _core.MeanTarget(), 0.0
    for part in (slice(0, cut), slice(cut, None)):
        error += mean.watch(y[part], None, None)[0]
        mean = _core.MeanTarget(**json.loads(json.dumps(mean.state())))
    before = [0.0, *(y[:n].mean() for n in range(1, len(y)))]
    scale = 1e-9 * (1 + np.abs(y).max())
    assert error == pytest.approx(np.abs(y - before).sum(), rel=1e-9, abs=scale)
    steps = [(np.diff(order) ** 2).sum() for order in permutations(targets)]
    assert mean.expected_changes == pytest.approx(np.mean(steps), rel=1e-6, abs=scale**2)
    assert mean.changes == pytest.approx((np.diff(y) ** 2).sum(), rel=1e-9)


@pytest.mark.parametrize("size", [1e155, 1.7e308])
def test_sums_over_enormous_targets_stay_numbers(size: float) -> None:
    """They end at the largest number there is, and are believed when a run goes on from them."""
    mean = _core.MeanTarget()
    told = 0.0
    for targets in ([size, -size, size, 0.0], [-size, size, -size]):
        told = mean.watch(np.array(targets), None, None)[0]
        state = mean.state()
        assert np.isfinite([told, mean.changes, mean.expected_changes, *state.values()]).all()
        assert abs(state["mean"]) <= size
        assert abs(state["centre"]) <= size
        mean = _core.MeanTarget(**state)
    assert mean.changes == np.finfo(float).max
    assert in_long_runs(mean) is None


def test_the_majority_stands_beside_the_error(tmp_path: Path) -> None:
    """In the table, in the summary, and in JSON, of held-out rows as well."""
    data = write_svmlight(tmp_path / "d.svm", 300, classes=3)
    labels = [int(line.split()[0]) for line in data.read_text().splitlines()]
    aside = chosen(np.arange(300), 0, 0.2).tolist()
    wrong, wrong_aside = majority_errors(labels, [True] * 300, aside)

    told = trained(data, "--holdout", 0.2)
    assert told["baseline"] == "majority"
    assert told["baseline_error"] == wrong / (300 - sum(aside))
    assert told["holdout_baseline_error"] == wrong_aside / sum(aside)

    done = run("train", data, "--holdout", 0.2)
    assert f"always the majority {wrong / (300 - sum(aside)):.4f}\n" in done.out
    assert f"always the majority {wrong_aside / sum(aside):.4f}\n" in done.out
    heads, *lines = [line.split() for line in done.err.splitlines() if "last" not in line]
    column = heads.index("majority")
    position = heads.index("example")
    for line in lines:
        rows = int(line[position])
        wrong, _ = majority_errors(labels[:rows], [True] * rows, aside[:rows])
        assert float(line[column]) == pytest.approx(wrong / max(rows - sum(aside[:rows]), 1), abs=1e-6)


def test_regressors_are_compared_with_the_mean(tmp_path: Path) -> None:
    """Of the targets so far, by absolute error."""
    rng = np.random.default_rng(0)
    y = rng.standard_normal(200).round(3)
    (tmp_path / "d.svm").write_text("".join(f"{target} 1:{target + 1}\n" for target in y))
    told = trained(tmp_path / "d.svm", "--task", "regression")
    before = np.concatenate([[0.0], np.cumsum(y)[:-1] / np.arange(1, 200)])
    assert told["baseline"] == "mean"
    assert told["baseline_error"] == pytest.approx(np.abs(y - before).mean())
    assert "always the mean" in run("train", tmp_path / "d.svm", "--task", "regression").out


def test_labelers_are_compared_with_the_most_frequent_label(tmp_path: Path) -> None:
    """None of a sequence's labels is known before all of it is answered."""
    (tmp_path / "d.conll").write_text("a X\nb X\nc Y\n\na X\nb Y\n\nc Y\nb Y\na Y\n\n")
    told = trained(tmp_path / "d.conll", "--task", "sequence")
    assert told["baseline"] == "majority"
    assert told["baseline_error"] == pytest.approx((3 + 1 + 3) / 8)
    assert "always the majority 0.1250" in run("train", tmp_path / "d.conll", "--task", "sequence").out


@pytest.mark.parametrize("task", ["one-class", "multilabel"])
def test_other_tasks_have_no_constant_answer(task: str, tmp_path: Path) -> None:
    """Whose error would mean something; none is told."""
    data = write_svmlight(tmp_path / "d.svm", 50)
    told = trained(data, "--task", task)
    assert (told["baseline"], told["baseline_error"]) == (None, None)
    done = run("train", data, "--task", task)
    assert "always" not in done.out + done.err


@pytest.mark.parametrize(
    "options",
    [
        ["--holdout", "0.1"],
        ["--holdout", "0.1", "--shuffle", "--buffer", "60"],
        ["--shuffle", "--buffer", "60"],
    ],
    ids=["held out", "held out and mixed", "mixed"],
)
@pytest.mark.parametrize("stopped_after", [1, 4])
def test_a_resumed_run_tells_what_one_run_tells(
    options: list[str],
    stopped_after: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """And ends with its model, when it was stopped in the first pass or in the second; rows are mixed as they were."""
    data = sorted_by_class(tmp_path / "d.svm", 400)
    one, two = tmp_path / "one.safetensors", tmp_path / "two.safetensors"
    common = ["train", str(data), "--passes", "2", "-q", "--json", *options]
    checkpointed = [*common, "--checkpoint", str(tmp_path / "run"), "--every", "130", "--save", str(two)]
    assert main([*common, "--save", str(one)]) == 0
    whole = json.loads(capsys.readouterr().out)
    saves = []

    def save_and_stop(self: Checkpoint, *arguments: Any) -> None:
        save(self, *arguments)
        saves.append(arguments)
        if len(saves) == stopped_after:
            raise OSError("stopped")

    save = Checkpoint.save
    with monkeypatch.context() as patched:
        patched.setattr(Checkpoint, "save", save_and_stop)
        assert main(checkpointed) == 1
    capsys.readouterr()
    assert main([*checkpointed, "--resume"]) == 0
    resumed = json.loads(capsys.readouterr().out)
    for name in TOLD:
        assert resumed[name] == whole[name], name
    assert one.read_bytes() == two.read_bytes()
    assert main([*checkpointed, "--resume"]) == 0, "a finished run tells it again"
    again = json.loads(capsys.readouterr().out)
    assert [again[name] for name in TOLD] == [whole[name] for name in TOLD]


@pytest.mark.parametrize(
    "state",
    [{"counts": [1, 2], "answer": 2}, {"seen": [3], "last": 1}, {"answer": 0}],
)
def test_a_majority_that_was_never_met_is_refused(state: dict[str, object]) -> None:
    """As a checkpoint changed by hand may have it."""
    with pytest.raises(ValueError, match="never met"):
        _core.MajorityClass(**state)  # type: ignore[arg-type]


# ---------------------------------------------------------------------- long runs


def warned(done: Done) -> bool:
    """Whether a summary warns."""
    return "\nwarning " in done.out


def test_a_file_sorted_by_class_is_told(tmp_path: Path) -> None:
    """Its progressive error is near zero, and so is the majority's; the warning says why, and what to do."""
    data = sorted_by_class(tmp_path / "d.svm")
    done = run("train", data)
    assert warned(done)
    assert "1 changes from row to row" in done.out
    assert "--test" in done.out
    told = trained(data)
    assert len(told["warnings"]) == 1  # type: ignore[arg-type]
    assert told["warnings"][0] in done.out  # type: ignore[index]


def test_targets_that_rise_are_told(tmp_path: Path) -> None:
    """Neighbours are alike in a file sorted by its target."""
    y = np.sort(np.random.default_rng(0).standard_normal(200))
    for name, targets in (("sorted", y), ("mixed", np.random.default_rng(1).permutation(y))):
        (tmp_path / name).write_text("".join(f"{target:.4f} 1:{target + 1:.4f}\n" for target in targets))
        done = run("train", tmp_path / name, "--format", "svmlight", "--task", "regression")
        assert warned(done) == (name == "sorted")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("shares", [(0.5, 0.5), (0.99, 0.01), (0.4, 0.3, 0.3)])
def test_rows_in_random_order_are_not_warned_of(seed: int, shares: tuple[float, ...]) -> None:
    """Whatever the shares of the classes."""
    labels = np.random.default_rng(seed).choice(len(shares), 3000, p=shares).astype(np.int32)
    majority = _core.MajorityClass()
    majority.watch(labels, None, None)
    assert in_long_runs(majority) is None
    runs = _core.MajorityClass()
    runs.watch(np.sort(labels), None, None)
    assert in_long_runs(runs) is not None


def test_a_handful_of_rows_tells_nothing() -> None:
    """Three rows of one class and three of another are no long runs."""
    few = _core.MajorityClass()
    few.watch(np.array([0, 0, 0, 1, 1, 1], np.int32), None, None)
    assert in_long_runs(few) is None
    one = _core.MajorityClass()
    one.watch(np.zeros(1000, np.int32), None, None)
    assert in_long_runs(one) is None
    assert in_long_runs(None) is None


# ---------------------------------------------------------------------- held-out rows and the final model


def split(data: Path, share: float, seed: int = 0) -> tuple[Path, Path]:
    """The rows that are learned and those that are held out, as files."""
    lines = data.read_text().splitlines(keepends=True)
    aside = chosen(np.arange(len(lines)), seed, share).tolist()
    learned, held = data.with_suffix(".learned.svm"), data.with_suffix(".held.svm")
    learned.write_text("".join(line for line, out in zip(lines, aside, strict=True) if not out))
    held.write_text("".join(line for line, out in zip(lines, aside, strict=True) if out))
    return learned, held


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["-a", "averaged-perceptron", "--passes", 3],
        ["--shuffle", "--buffer", 50, "--passes", 2],
        ["--task", "regression"],
        ["--task", "one-class"],
        ["--task", "multilabel"],
    ],
    ids=str,
)
def test_the_final_model_answers_the_held_out_rows(options: list[object], tmp_path: Path) -> None:
    """As it answers them in a file of their own, whatever has been learned since they were passed."""
    data = sorted_by_class(tmp_path / "d.svm")
    _, held = split(data, 0.2)
    told = trained(data, "--holdout", 0.2, "--test", held, *options)
    assert told["holdout_final_error"] == pytest.approx(told["test_error"], rel=1e-12)
    assert told["holdout_final_examples"] == len(held.read_text().splitlines())


def test_the_final_model_answers_held_out_sequences(tmp_path: Path) -> None:
    """And the most frequent label of all is what it is compared with."""
    rng = np.random.default_rng(0)
    sentences = ["".join(f"w{k} {'XY'[k % 2]}\n" for k in rng.integers(0, 9, 4)) + "\n" for _ in range(60)]
    aside = chosen(np.arange(60), 0, 0.3).tolist()
    (tmp_path / "d.conll").write_text("".join(sentences))
    (tmp_path / "held.conll").write_text("".join(s for s, out in zip(sentences, aside, strict=True) if out))
    told = trained(
        tmp_path / "d.conll", "--task", "sequence", "--holdout", 0.3, "--test", tmp_path / "held.conll"
    )
    assert told["holdout_final_error"] == pytest.approx(told["test_error"], abs=1e-12)
    assert told["holdout_final_examples"] == sum(aside)
    assert told["holdout_final_baseline_error"] is not None


@pytest.mark.parametrize("options", [[], ["-a", "averaged-perceptron"], ["--task", "one-class"]], ids=str)
def test_judging_leaves_the_model_as_it_is(
    options: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same bytes as where nobody is judged."""
    data = write_svmlight(tmp_path / "d.svm", 300, classes=3)
    command = ["train", str(data), "--holdout", "0.2", "-q", *options, "--save"]
    assert main([*command, str(tmp_path / "judged")]) == 0
    monkeypatch.setattr(HeldOut, "judged", lambda self, learner: (Counts(), Counts()))
    assert main([*command, str(tmp_path / "not")]) == 0
    assert (tmp_path / "judged").read_bytes() == (tmp_path / "not").read_bytes()


def test_what_was_told_on_the_way_is_taken_back(tmp_path: Path) -> None:
    """The first rows, which were answered rightly then, are answered wrongly by the final model."""
    data = sorted_by_class(tmp_path / "d.svm", 3000)
    told = trained(data, "--holdout", 0.3)
    assert told["holdout_error"] < 0.02  # type: ignore[operator]
    assert told["holdout_final_error"] > 0.3  # type: ignore[operator]
    assert "forgotten" in str(told["warnings"])
    mixed = trained(data, "--holdout", 0.3, "--shuffle")
    assert mixed["warnings"] == []
    done = run("train", data, "--holdout", 0.3)
    assert "on the way" in done.out
    assert "by the final model, always the majority" in done.out


def test_targets_that_were_forgotten_are_told(tmp_path: Path) -> None:
    """Regression has no shares: half as much again is too much."""
    rng = np.random.default_rng(0)
    y = np.concatenate([rng.normal(-50, 1, 600), rng.normal(50, 1, 600)])
    (tmp_path / "d.svm").write_text("".join(f"{target:.3f} 1:1\n" for target in y))
    told = trained(tmp_path / "d.svm", "--task", "regression", "--holdout", 0.5)
    assert "forgotten" in str(told["warnings"])


def counted(wrong: int, rows: int) -> Counts:
    """Held-out rows, of which some were wrong."""
    return Counts(held_out=rows, held_out_mistakes=wrong)


def test_chance_is_not_taken_for_forgetting() -> None:
    """A difference within three standard errors, of few rows, or for the better says nothing."""
    task = task_of("classification")
    assert forgotten(task, counted(0, 500), counted(100, 500)) is not None
    assert forgotten(task, counted(50, 500), counted(60, 500)) is None
    assert forgotten(task, counted(100, 500), counted(0, 500)) is None
    assert forgotten(task, counted(0, 20), counted(20, 20)) is None
    assert forgotten(task, None, counted(20, 500)) is None
    assert forgotten(task, counted(20, 500), None) is None


def test_of_many_held_out_rows_a_sample_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the batches; the first rows are kept all."""
    data = write_svmlight(tmp_path / "d.svm", 2000)
    model = onlinear.AROWClassifier().fit_stream(onlinear.read(data))
    stream = model._model.stream()
    everything = HeldOut(0, 0)
    for batch in onlinear.read(data):
        everything.add(batch, np.arange(batch.n_rows), np.ones(batch.n_rows, bool))
    assert everything.judged(stream)[0].held_out == 2000

    monkeypatch.setattr(HeldOut, "_MOST_ENTRIES", 1000)
    monkeypatch.setattr(HeldOut, "_MOST_PIECES", 10)
    found = []
    for size in (3, 700):
        few, first = HeldOut(0, 20), 0
        for batch in onlinear.read(data, batch_size=size):
            few.add(batch, np.arange(first, first + batch.n_rows), np.ones(batch.n_rows, bool))
            first += batch.n_rows
        found.append(few.judged(stream))
    assert found[0][1].held_out == 20
    assert 30 <= found[0][0].held_out <= 125
    assert [c.held_out_mistakes for c in found[0]] == [c.held_out_mistakes for c in found[1]]
    assert [c.held_out for c in found[0]] == [c.held_out for c in found[1]]


# ---------------------------------------------------------------------- mixed rows


def test_mixed_rows_are_those_of_python(tmp_path: Path) -> None:
    """``--shuffle`` and ``shuffle=`` learn in one order."""
    data = sorted_by_class(tmp_path / "d.svm")
    done = run(
        "train", data, "-a", "arow", "--shuffle", "--buffer", 50, "--seed", 7, "-q", "--save", tmp_path / "m"
    )
    assert done.code == 0, done.err
    model = onlinear.AROWClassifier(random_state=7).fit_stream(onlinear.read(data, batch_size=9), shuffle=50)
    assert onlinear.load(tmp_path / "m").digest() == model.digest()


def test_every_pass_has_an_order_of_its_own(tmp_path: Path) -> None:
    """Chosen by the seed and the number of the pass."""
    data, saved = write_svmlight(tmp_path / "d.svm", 200), tmp_path / "m"
    command = ("train", data, "-a", "perceptron", "--shuffle", "--buffer", 50, "--passes", 2, "--seed", 7)
    assert run(*command, "-q", "--save", saved).code == 0
    model = onlinear.Perceptron()
    for number in range(2):
        model.fit_stream(Shuffled(onlinear.read(data), 50, 7 + (number << 32)))
    assert np.array_equal(onlinear.load(saved).coef_, model.coef_)


def test_a_sorted_file_that_is_mixed_is_no_longer_warned_of(tmp_path: Path) -> None:
    """Where the buffer holds it; where it does not, the warning stays."""
    data = sorted_by_class(tmp_path / "d.svm", 1000)
    plain, mixed = trained(data), trained(data, "--shuffle")
    assert (len(plain["warnings"]), mixed["warnings"]) == (1, [])  # type: ignore[arg-type]
    assert mixed["error"] > plain["error"]  # type: ignore[operator]
    assert len(trained(data, "--shuffle", "--buffer", 10)["warnings"]) == 1  # type: ignore[arg-type]


def test_the_same_rows_are_held_out_in_whatever_order(tmp_path: Path) -> None:
    """So that none is learned in another pass."""
    data = write_svmlight(tmp_path / "d.svm", 300)
    plain = trained(data, "--holdout", 0.2, "--passes", 2)
    mixed = trained(data, "--holdout", 0.2, "--passes", 2, "--shuffle", "--buffer", 40)
    assert plain["examples"] == mixed["examples"]
    assert plain["holdout_final_examples"] == mixed["holdout_final_examples"]
    assert plain["classes"] == mixed["classes"]


@pytest.mark.parametrize("option", [["--buffer", "0"], ["--shuffle", "--buffer", str(1 << 40)]])
def test_a_buffer_out_of_range_is_refused(option: list[str], tmp_path: Path) -> None:
    """By name."""
    done = run("train", write_svmlight(tmp_path / "d.svm", 10), *option)
    assert done.code == 2
    assert "--buffer" in done.err


def test_sequences_are_not_mixed(tmp_path: Path) -> None:
    """Which is said."""
    (tmp_path / "d.conll").write_text("a X\n\n")
    done = run("train", tmp_path / "d.conll", "--task", "sequence", "--shuffle")
    assert done.code == 2
    assert "--shuffle is for rows" in done.err
