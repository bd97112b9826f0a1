"""Watched models are kept, streamed, and handed to river like any other."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from river import metrics, preprocessing
from river.datasets import synth
from river.evaluate import progressive_val_score

import onlinear
from onlinear import AROWClassifier, drift
from onlinear.drift import Watched
from onlinear.exceptions import DataError, ModelFileError, ParameterError
from onlinear.integrations.river import as_river


@pytest.mark.parametrize("action", ["reset", "inflate", "restart"])
@pytest.mark.parametrize("detector", ["adwin", None])
def test_a_watched_model_is_saved_with_how_it_is_watched(tmp_path: Path, detector: Any, action: Any) -> None:
    """What comes back answers as before, remembers its alarms and goes on from there with a detector begun anew."""
    stream = drift.abrupt(1500, n_features=4, random_state=2)
    model = Watched(AROWClassifier(r=0.5), detector, action=action, share=0.3)
    model.partial_fit(stream.X, stream.y, classes=[0, 1])
    path = tmp_path / "watched.safetensors"
    model.save(path)

    found = Watched.load(path)

    assert found.get_params(deep=False).keys() == model.get_params(deep=False).keys()
    assert (found.model.r, found.detector, found.action, found.share) == (0.5, detector, action, 0.3)
    assert (found.alarms_, found.n_seen_) == (model.alarms_, 1500)
    assert found.model_.digest() == model.model_.digest() == onlinear.load(path).digest()
    assert_array_equal(found.predict(stream.X), model.predict(stream.X))
    assert not found.model.__sklearn_is_fitted__()

    more = drift.abrupt(1500, n_features=4, random_state=3)
    anew = Watched(model.model_, detector, action=action, share=0.3)
    anew.partial_fit(more.X, more.y, classes=[0, 1])
    found.partial_fit(more.X, more.y)
    assert [alarm - 1500 for alarm in found.alarms_[len(model.alarms_) :]] == anew.alarms_
    if action != "restart":
        assert found.model_.digest() == anew.model_.digest()


class Quiet:
    """A detector of one's own."""

    drift_detected = False

    def update(self, wrong: float) -> None:
        """Nothing is ever noticed."""


def test_files_that_do_not_say_how_a_model_is_watched_are_refused(tmp_path: Path) -> None:
    """An object has no name to write; a plain model was not watched; what was changed by hand is told by its field."""
    X, y = np.eye(2), [0, 1]
    path = tmp_path / "model.safetensors"
    with pytest.raises(ParameterError, match="by its name.*not an object such as Quiet"):
        Watched(AROWClassifier(), Quiet()).partial_fit(X, y).save(path)
    AROWClassifier().partial_fit(X, y).save(path)
    with pytest.raises(ModelFileError, match="was not watched; read it with onlinear.load"):
        Watched.load(path)


@pytest.mark.parametrize("form", ["pairs", "dicts", "reader"])
def test_a_stream_is_watched_row_by_row(form: str) -> None:
    """Batches, dicts and readers bring the alarms and the model of one call on arrays."""
    stream = drift.abrupt(1500, n_features=5, random_state=2)
    X = stream.X.astype(np.float32)
    text = "".join(
        f"{y} " + " ".join(f"{j + 1}:{v!r}" for j, v in enumerate(x.tolist())) + "\n"
        for x, y in zip(X, stream.y, strict=True)
    ).encode()
    streams = {
        "pairs": [(X[:400], stream.y[:400]), (X[400:], stream.y[400:])],
        "dicts": [(dict(enumerate(x.tolist())), int(y)) for x, y in zip(X, stream.y, strict=True)],
        "reader": onlinear.read(io.BytesIO(text), "svmlight", n_features=5, batch_size=100),
    }
    whole = Watched(AROWClassifier(), "adwin").partial_fit(X, stream.y)

    model = Watched(AROWClassifier(), "adwin").fit_stream(streams[form])

    assert model.alarms_ == whole.alarms_ != []
    assert model.n_seen_ == 1500
    assert_array_equal(model.predict(X), whole.predict(X))
    with pytest.raises(DataError, match="a batch must be"):
        model.fit_stream([X])


def test_river_evaluates_a_watched_model() -> None:
    """In river's own loop over a stream that drifts, with the alarms to be seen afterwards."""
    stream = synth.ConceptDriftStream(
        stream=synth.SEA(seed=1, variant=0),
        drift_stream=synth.SEA(seed=1, variant=3),
        position=1500,
        width=50,
        seed=1,
    )
    model = as_river(Watched(AROWClassifier(), "adwin", share=0.5))

    metric = progressive_val_score(
        stream.take(3000), preprocessing.StandardScaler() | model, metrics.Accuracy()
    )

    assert metric.get() > 0.8
    assert model.model.n_seen_ == 3000
    assert not hasattr(model.clone().model, "model_")
    assert set(model.predict_proba_one({0: 1.0, 1: 2.0, 2: 3.0})) == {False, True}
