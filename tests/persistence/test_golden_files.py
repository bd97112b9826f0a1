"""Model files of every kind and every version keep loading, and mean what they meant.

What a file must answer is not asked of the library that wrote it: `golden.scores` works it out from the numbers in the
file. `golden.make` makes files of a new version.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import onlinear
from onlinear.cli import main
from onlinear.exceptions import NotAvailableError

from .golden import make
from .golden.scores import File

FILES = sorted((Path(__file__).parent / "golden").glob("*/*.safetensors"))


def _known(path: Path) -> dict[str, Any]:
    known: dict[str, Any] = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    return known


def _close(path: Path, given: Any, expected: Any) -> None:
    single = File(path).content.get("dtype", "float32") == "float32" or path.stem.startswith("compact")
    tolerance = 2e-5 if single else 1e-9
    np.testing.assert_allclose(given, expected, rtol=tolerance, atol=tolerance)


def _matrix(path: Path, rows: list[Any]) -> Any:
    file = File(path)
    X, names = file.matrix(rows)[:, 1:], file.content["feature_names"]
    return X if names is None else pd.DataFrame(X, columns=names)


@pytest.fixture(params=FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def path(request: pytest.FixtureRequest) -> Path:
    """One file after the other."""
    chosen: Path = request.param
    return chosen


def test_every_kind_of_model_has_a_file() -> None:
    """A new estimator needs a new file."""
    public = (getattr(onlinear, name) for name in onlinear._ESTIMATORS)
    estimators = {cls.__name__ for cls in public if isinstance(cls, type) and hasattr(cls, "save")}
    assert {File(path).content["estimator"] for path in FILES} == estimators
    assert {path.stem for path in FILES} >= {*make.KINDS, *make.COMPACT}


def test_a_file_of_any_version_answers_what_its_numbers_say(path: Path) -> None:
    """Scores, probabilities and predictions are those of the numbers in it."""
    known = _known(path)
    model, rows = onlinear.load(path), known["rows"]
    if path.stem.startswith("sequence"):
        assert model.predict(rows) == known["predicted"]
        return
    X = _matrix(path, rows)
    if isinstance(model, onlinear.PassiveAggressiveOneClass):
        _close(path, -model.score_samples(X), known["scores"])
    elif "classes" not in known:
        _close(path, model.predict(X), known["scores"])
    else:
        assert model.classes_.tolist() == known["classes"]
        _close(path, model.decision_function(X), known["scores"])
        if "predicted" in known:
            _close(path, model.predict_proba(X), known["probabilities"])
            assert model.predict(X).tolist() == known["predicted"]
        for row, predicted in zip(rows, known.get("predicted", rows), strict=True):
            if isinstance(row, dict):
                assert model.predict_one(row) == predicted


def test_what_is_known_of_a_file_follows_from_its_numbers(path: Path) -> None:
    """The expectations beside a file were worked out, not copied from an answer."""
    known = _known(path)
    file, rows = File(path), known.pop("rows")
    if path.stem.startswith("sequence"):
        assert file.labels(rows) == known["predicted"]
        return
    worked_out = file.answers(rows)
    assert worked_out.keys() == known.keys()
    for name, expected in known.items():
        if name in ("predicted", "classes"):
            assert worked_out[name] == expected
        else:
            np.testing.assert_allclose(worked_out[name], expected, rtol=1e-9, atol=1e-9)


def test_a_file_of_any_version_keeps_its_counts_and_learns_on(path: Path, tmp_path: Path) -> None:
    """It is saved as it was loaded, bit for bit, and learns the next example."""
    model, file = onlinear.load(path), File(path)
    sequence = path.stem.startswith("sequence")
    counters = file.tensors["counters"] if sequence else file.content["vectors"]["counters"]
    assert [model.n_seen_, model.n_mistakes_, model.n_updates_] == list(counters)[:3]
    if path.stem.startswith("compact"):
        with pytest.raises(NotAvailableError):
            model.partial_fit(_matrix(path, _known(path)["rows"])[:1], model.classes_[:1])
        return
    model.save(tmp_path / "again.safetensors")
    assert onlinear.load(tmp_path / "again.safetensors").digest() == model.digest()
    if sequence:
        X, y = make.sequences()
        model.partial_fit(X[:1], y[:1])
    else:
        X = _matrix(path, _known(path)["rows"])[:1]
        match model:
            case onlinear.PassiveAggressiveOneClass():
                model.partial_fit(X)
            case onlinear.MultilabelRanker():
                model.partial_fit(X, [[1, 0, 1]])
            case (
                onlinear.AROWRegressor() | onlinear.PassiveAggressiveRegressor() | onlinear.KernelRegressor()
            ):
                model.partial_fit(X, [1.0])
            case _:
                model.partial_fit(X, model.classes_[:1])
    assert model.n_seen_ == counters[0] + 1


@pytest.mark.parametrize("folder", sorted({path.parent for path in FILES}), ids=lambda folder: folder.name)
def test_a_run_of_any_version_is_resumed(folder: Path, tmp_path: Path) -> None:
    """From its checkpoint, in the middle of the second pass: the model is that of a run nobody ended.

    Its parameters are those it began with, defaults of that version among them.
    """
    (tmp_path / "run").mkdir()
    shutil.copy(folder / "run.checkpoint", tmp_path / "run" / "checkpoint.safetensors")
    train = ["train", str(folder / "rows.svm"), *make.RUN, "--save"]
    resumed, whole = tmp_path / "resumed.safetensors", tmp_path / "whole.safetensors"
    assert main([*train, str(resumed), "--checkpoint", str(tmp_path / "run"), "--resume"]) == 0
    began = onlinear.load(folder / "run.checkpoint").get_params()
    given = {name: began[name] for name in ("average", "confidence", "min_variance")}
    asked = [part for name, value in given.items() for part in ("-p", f"{name}={value}")]
    assert main([*train, str(whole), *asked, "--scale", "none"]) == 0
    model, expected = onlinear.load(resumed), onlinear.load(whole)
    rows = len((folder / "rows.svm").read_text().splitlines())
    assert onlinear.load(tmp_path / "run" / "checkpoint.safetensors").n_seen_ == model.n_seen_ == 2 * rows
    assert model.n_mistakes_ == expected.n_mistakes_
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-5, atol=1e-7)
