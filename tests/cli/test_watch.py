"""``onlinear train --watch``: a drift detector beside the model that learns a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import onlinear
from onlinear import AROWClassifier, drift
from onlinear.cli import main
from onlinear.drift import Watched


@pytest.fixture
def drifting(tmp_path: Path) -> Path:
    """A file whose target jumps in the middle."""
    stream = drift.abrupt(3000, n_features=5, random_state=2)
    path = tmp_path / "drifting.svm"
    path.write_text(
        "".join(
            f"{y} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x.tolist())) + "\n"
            for x, y in zip(stream.X.astype(np.float32), stream.y, strict=True)
        )
    )
    return path


def test_a_file_is_learned_as_a_watched_model_learns_it(
    drifting: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The alarms and the bits are those of `Watched` over the same rows, and the error is smaller than alone."""
    save = tmp_path / "model.safetensors"
    told = {}
    for name, options in (("alone", []), ("watched", ["--watch", "adwin"])):
        assert (
            main(["train", str(drifting), "-a", "arow", "--json", "-q", "--save", str(save), *options]) == 0
        )
        told[name] = json.loads(capsys.readouterr().out)

    watched = Watched(AROWClassifier(), "adwin").fit_stream(onlinear.read(drifting, n_features=5))

    assert told["alone"]["alarms"] is None
    assert told["watched"]["alarms"] == watched.alarms_ != []
    assert told["watched"]["error"] < 0.8 * told["alone"]["error"]
    assert AROWClassifier.load(save).digest() == watched.model_.digest()


def test_people_are_told_of_the_alarms(drifting: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line of the summary."""
    assert main(["train", str(drifting), "-a", "arow", "--watch", "page_hinkley"]) == 0
    assert "alarms       " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--watch", "adwinn"], "Did you mean 'adwin'"),
        (["--watch", "adwin", "--passes", "2"], "one pass"),
        (["--watch", "adwin", "--checkpoint", "run"], "does not go with --checkpoint"),
        (["--watch", "adwin", "--task", "regression"], "for classification, not for --task regression"),
        (["--watch", "adwin", "-a", "pa"], "keeps no variances"),
    ],
)
def test_what_cannot_be_watched_is_refused(
    drifting: Path,
    options: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Other detectors, passes, checkpoints and tasks, and models without a covariance."""
    monkeypatch.chdir(tmp_path)
    assert main(["train", str(drifting), "-q", *options]) == 2
    assert message in capsys.readouterr().err
