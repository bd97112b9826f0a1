"""What another thread or process writes into while it is read, and values that run code of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from onlinear import AROWClassifier, MultilabelRanker
from onlinear.exceptions import DataError
from onlinear.model.labels import Labels


@pytest.mark.parametrize("weighted", [False, True])
def test_labels_that_change_while_they_are_read_are_refused(
    monkeypatch: pytest.MonkeyPatch, weighted: bool
) -> None:
    """Between the look for new classes and the numbering of all: said as it is, and nothing is learned."""
    y = np.array([0, 1, 2, 1, 0])
    weights = np.array([1.0, 1.0, 0.0, 1.0, 1.0]) if weighted else None
    model = AROWClassifier().partial_fit(np.eye(5), [0, 1, 0, 1, 0])
    before = model.digest()
    look = Labels.arrivals

    def looked_at(self: Labels, labels: Any) -> Any:
        found = look(self, labels)
        labels[-1] = 99
        return found

    monkeypatch.setattr(Labels, "arrivals", looked_at)
    y[0] = 3  # a class not met, so that all are numbered anew
    if weighted:
        encode = Labels.encode
        monkeypatch.setattr(
            Labels, "encode", lambda self, labels: None if 3 in labels else encode(self, labels)
        )
    with pytest.raises(DataError, match=r"y changed while it was read.*y\.copy\(\)"):
        model.partial_fit(np.eye(5), y, sample_weight=weights)
    monkeypatch.undo()
    assert model.digest() == before
    assert model.classes_.tolist() == [0, 1]


class Broken:
    """A value that cannot say which number it is."""

    def __float__(self) -> float:
        raise OSError("the sensor does not answer")


@pytest.mark.parametrize("model", [AROWClassifier(), MultilabelRanker()], ids=str)
@pytest.mark.parametrize("started", [False, True])
def test_why_a_value_is_no_number_is_not_swallowed(model: Any, started: bool) -> None:
    """What its own code raised is the cause of the refusal."""
    y: Any = 0 if isinstance(model, AROWClassifier) else [0]
    if started:
        model.learn_one({"a": 1.0}, y)
    for call in (lambda: model.learn_one({"a": Broken()}, y), lambda: model.predict_one({"a": Broken()})):
        if call.__code__.co_names[0] == "predict_one" and not started:
            continue
        with pytest.raises(
            TypeError, match="feature 'a' must be a number, a string or a list of strings, got <.*Broken"
        ) as error:
            call()
        assert isinstance(error.value.__cause__, OSError)
        assert "sensor" in str(error.value.__cause__)
