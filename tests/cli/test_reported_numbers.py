"""Numbers that a run reports, counted again by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import onlinear
from onlinear.cli import main
from onlinear.cli._estimates import chosen

from .commands import stopped, write_svmlight


def report(capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, object]:
    """What ``train --json`` prints."""
    capsys.readouterr()
    assert main(["train", *map(str, words), "-q", "--json"]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_rows_without_weight_are_in_no_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Neither among the examples nor among the mistakes: the run is that over the other rows."""
    rng = np.random.default_rng(0)
    rows = [(int(rng.integers(2)), int(rng.integers(3)), rng.standard_normal()) for _ in range(300)]
    header, weighted, kept = "label,weight,x\n", tmp_path / "weighted.csv", tmp_path / "kept.csv"
    weighted.write_text(header + "".join(f"{y},{w},{x:.3f}\n" for y, w, x in rows))
    kept.write_text(header + "".join(f"{y},{w},{x:.3f}\n" for y, w, x in rows if w))
    options = ["--weight", "weight", "--label", "label", "--passes", 2]
    all_rows, those = report(capsys, weighted, *options), report(capsys, kept, *options)

    assert all_rows["examples"] == 2 * sum(w > 0 for _, w, _ in rows)
    for name in ("examples", "mistakes", "updates", "error", "pass_errors"):
        assert all_rows[name] == those[name], name
    apart = chosen(np.arange(len(rows)), 0, 0.3)
    held_out = report(capsys, weighted, *options, "--holdout", 0.3)
    assert held_out["examples"] == 2 * sum(
        w > 0 and not out for (_, w, _), out in zip(rows, apart, strict=True)
    )
    targets = [*options, "--task", "regression"]
    all_rows, those = report(capsys, weighted, *targets), report(capsys, kept, *targets)
    for name in ("examples", "mean_squared_error"):
        assert all_rows[name] == those[name], name


def test_held_out_mistakes_of_all_batches_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Over several files: each held-out row is predicted by what was learned of the rows before it."""
    files = [write_svmlight(tmp_path / f"{seed}.svm", 90, features=12, seed=seed) for seed in range(3)]
    # A seed that learns the first rows, so that both labels are known when the first row is held out.
    seed = next(seed for seed in range(1000) if not chosen(np.arange(10), seed, 0.3).any())
    found = report(capsys, *files, "--holdout", 0.3, "--seed", seed, "-a", "perceptron")

    model = onlinear.Perceptron(average=False, dtype="float32")
    held_out = wrong = learned = 0
    for file in files:
        for batch in onlinear.read(file, n_features=12, batch_size=1):
            place = held_out + learned
            if chosen(np.array([place]), seed, 0.3)[0]:
                held_out += 1
                wrong += int(model.predict(batch.X)[0] != batch.y[0])
            else:
                model.partial_fit(batch.X, batch.y)
                learned += 1
    assert (found["examples"], found["holdout_error"]) == (learned, wrong / held_out)


@pytest.mark.parametrize("patience", [1, 2, 3])
def test_early_stop_waits_exactly_as_long_as_asked(
    patience: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On labels that contradict each other every pass has the same error: the first is the best there is."""
    data = tmp_path / "a.svm"
    data.write_text("1 1:1\n-1 1:1\n" * 20)
    # A rate of 2^-1 keeps sums exact, so that every pass begins where the one before it began.
    options = ["-a", "perceptron", "-p", "rate=0.5", "--passes", 20, "--early-stop", "--patience", patience]
    found = report(capsys, data, *options)
    errors = found["pass_errors"]
    assert isinstance(errors, list)
    best = errors.index(min(errors))

    assert len(set(errors[best:])) == 1
    assert found["passes"] == best + 1 + patience


@pytest.mark.parametrize("size", [1e160, 1e308])
def test_errors_too_large_to_be_added_stop_nothing(
    size: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The run ends, goes on from any checkpoint, and its model loads; a sum past all numbers is told as infinite."""
    rng = np.random.default_rng(0)
    data, saved, folder = tmp_path / "a.svm", tmp_path / "m.safetensors", tmp_path / "run"
    lines = [f"{size * rng.uniform(-1.7, 1.7)!r} 1:{rng.random()} 2:{rng.random()}\n" for _ in range(60)]
    data.write_text("".join(lines))
    words = [data, "--task", "regression", "--passes", 2, "--holdout", 0.3]
    run = ["--checkpoint", folder, "--every", 7, "--resume", "--save", saved]
    whole = report(capsys, *words, "--save", saved)
    before = saved.read_bytes()
    stopped(["train", *map(str, [*words, *run]), "-q"], 9)
    found = report(capsys, *words, *run)

    assert found["examples"] == whole["examples"]
    assert found["mean_squared_error"] is None  # JSON has no infinity
    assert (found["mean_absolute_error"] is None) == (size > 1e300)
    assert saved.read_bytes() == before
    assert main(["train", *map(str, words)]) == 0
    assert "mean error^2 inf" in capsys.readouterr().out
    assert main(["evaluate", str(saved), str(data), "--json"]) == 0
    figures = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert figures["mean_squared_error"] is figures["r2"] is None
    assert main(["evaluate", str(saved), str(data)]) == 0
    assert all(len(line) < 40 for line in capsys.readouterr().out.splitlines())


def test_a_pass_that_changes_nothing_is_the_last(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """On separable data the second brings no update, so the third is not made, whatever the patience."""
    data = tmp_path / "a.svm"
    data.write_text("1 1:1\n-1 2:1\n" * 50)
    found = report(capsys, data, "-a", "perceptron", "--passes", 20, "--early-stop", "--patience", 5)
    assert found["passes"] == 2
