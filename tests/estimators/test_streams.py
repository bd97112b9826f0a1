"""`fit_stream`: batches and examples in passes that can be watched, broken off and taken up again."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from onlinear import (
    AROWClassifier,
    AROWRegressor,
    MultilabelRanker,
    PassiveAggressiveClassifier,
    PassiveAggressiveOneClass,
    read,
)
from onlinear.cli import main
from onlinear.exceptions import DataError, ModelFileError, ParameterError
from tests.estimators.streams import dense_stream, sparse_stream

CUTS = np.array([3, 10, 11, 40, 55])


def svmlight(stream: Any) -> bytes:
    """The stream as a file."""
    lines = []
    for x, y in stream.dicts():
        lines.append(f"{y} " + " ".join(f"{j + 1}:{v!r}" for j, v in sorted(x.items())))
    return ("\n".join(lines) + "\n").encode()


def forms(stream: Any) -> dict[str, Any]:
    """The same stream through every door, each to be opened as often as one likes."""
    text = svmlight(stream)
    return {
        "pairs": lambda: stream.batches(CUTS),
        "list": list(stream.batches(CUTS)),
        "batches": lambda: read(io.BytesIO(text), "svmlight", batch_size=9),
        "dicts": [(x, int(y)) for x, y in stream.dicts()],
    }


@pytest.mark.parametrize("form", ["pairs", "list", "batches", "dicts"])
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("maker", [dense_stream, sparse_stream], ids=["dense", "sparse"])
def test_every_form_of_a_stream_is_the_same_stream(maker: Any, passes: int, form: str) -> None:
    """Arrays, readers and dicts, in any number of passes, end with the bits of one another."""
    stream = maker(n_classes=3, seed=4)
    known = AROWClassifier().fit_stream(forms(stream)["list"], passes=passes)

    model = AROWClassifier().fit_stream(forms(stream)[form], passes=passes)

    assert model.n_passes_ == passes
    assert model.n_seen_ == passes * len(stream)
    assert_array_equal(model.coef_, known.coef_[:, : model.n_features_in_])
    assert_array_equal(model.predict_proba(stream.X), known.predict_proba(stream.X))


def test_passes_are_those_of_the_command_line(tmp_path: Path) -> None:
    """Three passes over a file leave the bits that `onlinear train --passes 3` leaves, probabilities included."""
    (tmp_path / "data.svm").write_bytes(svmlight(dense_stream(n_classes=3, seed=4)))
    path = tmp_path / "model.safetensors"
    train = ["train", str(tmp_path / "data.svm"), "-q", "-a", "arow", "--passes", "3", "--save", str(path)]
    assert main(train) == 0

    model = AROWClassifier().fit_stream(lambda: read(tmp_path / "data.svm"), passes=3)

    assert model.digest() == AROWClassifier.load(path).digest()


class Stopped(Exception):
    """Somebody has broken a run off."""


def broken_off(batches: Any, after: int) -> Any:
    """The stream as far as it comes."""
    for place, batch in enumerate(batches() if callable(batches) else batches):
        if place == after:
            raise Stopped
        yield batch


@pytest.mark.parametrize("form", ["pairs", "batches", "dicts"])
@pytest.mark.parametrize("after", [1, 4])
@pytest.mark.parametrize("broken_pass", [0, 1])
def test_a_run_that_was_broken_off_ends_with_the_same_bits(
    form: str, after: int, broken_pass: int, tmp_path: Path
) -> None:
    """Whatever the form, in the first pass or a later one, from a checkpoint within a batch of the next process."""
    stream = dense_stream(n_classes=3, seed=4)
    batches = forms(stream)[form]
    whole = AROWClassifier().fit_stream(batches, passes=2)
    path = tmp_path / "checkpoint.safetensors"
    opened = [0]

    def fragile() -> Any:
        opened[0] += 1
        given = batches() if callable(batches) else batches
        return broken_off(given, after) if opened[0] == broken_pass + 1 else given

    with pytest.raises(Stopped):
        AROWClassifier().fit_stream(fragile, passes=2, checkpoint=path, every=5)
    learned: list[int] = []
    model = AROWClassifier()
    if path.exists():
        kept = AROWClassifier.load(path).n_seen_
        assert kept > 0
        model.fit_stream(
            batches, passes=2, checkpoint=path, resume=True, callback=lambda p: learned.append(p.position)
        )
        assert learned == [] or min(learned) > kept
    else:
        assert broken_pass == 0  # so early that nothing had been written
        model.fit_stream(batches, passes=2)

    assert model.digest() == whole.digest()
    assert not path.exists() or AROWClassifier.load(path).digest() == whole.digest()


def test_a_checkpoint_that_is_not_the_runs_is_refused(tmp_path: Path) -> None:
    """Another model, other passes, a run that would be lost, a model that is no checkpoint, a shorter stream."""
    stream = dense_stream(n=60, seed=1)
    batches = list(stream.batches(CUTS))
    path = tmp_path / "checkpoint.safetensors"
    AROWClassifier().fit_stream(batches, checkpoint=path, callback=lambda p: p.position > 20)

    def again(model: Any = None, **options: Any) -> Any:
        given = {"passes": 1, "resume": True, "checkpoint": path, "batches": batches, **options}
        return (model or AROWClassifier()).fit_stream(given.pop("batches"), **given)

    with pytest.raises(
        ModelFileError, match=r"checkpoint\.safetensors: a run that has not ended.*resume=True"
    ):
        again(resume=False)
    with pytest.raises(ModelFileError, match=r"parameters\.r"):
        again(AROWClassifier(r=3.0))
    with pytest.raises(ModelFileError, match="estimator"):
        again(PassiveAggressiveClassifier())
    with pytest.raises(ModelFileError, match="passes=1, and this one has 2"):
        again(passes=2)
    with pytest.raises(DataError, match="not the same stream"):
        again(batches=batches[:1])
    with pytest.raises(ParameterError, match="say where it is"):
        again(checkpoint=None)
    plain = tmp_path / "model.safetensors"
    AROWClassifier().partial_fit(stream.X, stream.y).save(plain)
    with pytest.raises(ModelFileError, match="a model, but not a checkpoint"):
        again(checkpoint=plain)

    assert again().digest() == AROWClassifier().fit_stream(batches).digest()
    assert again(resume=False).n_seen_ == 60  # one that has ended may be written over


def test_a_stream_is_watched_and_ended_from_outside(capfd: Any) -> None:
    """The callback sees every batch and ends the stream; progress goes to standard error."""
    stream = dense_stream(n=70, seed=1)
    seen: list[tuple[int, int, int, int]] = []

    def look(progress: Any) -> bool:
        seen.append((progress.passes, progress.rows, progress.position, progress.n_mistakes))
        return progress.position >= 110

    model = AROWClassifier().fit_stream(
        list(stream.batches(np.array([20, 40]))), passes=3, callback=look, progress=True
    )

    assert [row[:3] for row in seen] == [(0, 20, 20), (0, 40, 40), (0, 70, 70), (1, 20, 90), (1, 40, 110)]
    assert seen[-1][3] == model.n_mistakes_
    assert model.n_seen_ == 110
    out, err = capfd.readouterr()
    assert out == ""
    assert [line.split()[0] for line in err.splitlines()] == ["20", "40", "70"]


def test_answers_of_every_kind_come_with_dicts() -> None:
    """Targets, label sets, weights, and none at all; a dict alone is refused where an answer is needed."""
    rows = [({"a": 1.0, "b": 2.0}, 3.0), ({"b": 1.0}, 1.0, 0.5)]
    single = AROWRegressor().learn_one(*rows[0]).learn_one(*rows[1])
    assert AROWRegressor().fit_stream(rows).digest() == single.digest()

    sets = [({"goal": 1}, ["sport"]), ({"paint": 1}, ["art", "news"])]
    ranker = MultilabelRanker().learn_one(*sets[0]).learn_one(*sets[1])
    assert MultilabelRanker().fit_stream(sets).digest() == ranker.digest()

    alone = [{"warm": 1.0}, {"warm": 2.0}]
    ball = PassiveAggressiveOneClass(radius=1.0).learn_one(alone[0]).learn_one(alone[1])
    assert PassiveAggressiveOneClass(radius=1.0).fit_stream(alone).digest() == ball.digest()
    with pytest.raises(DataError, match=r"a dict with its answer \(x, y\)"):
        AROWClassifier().fit_stream(alone)


def test_what_is_no_stream_is_refused() -> None:
    """What can be gone through once makes no two passes, and a record needs more than dicts."""
    stream = dense_stream()
    with pytest.raises(DataError, match="once only, not in 2 passes.*lambda"):
        AROWClassifier().fit_stream(stream.batches(CUTS), passes=2)
    with pytest.raises(DataError, match="must be an iterable"):
        AROWClassifier().fit_stream("data.svm")
    with pytest.raises(DataError, match="dicts have no record"):
        AROWClassifier().fit_stream([({"a": 1.0}, 0)], record="loss")
    with pytest.raises(ParameterError, match="passes must be"):
        AROWClassifier().fit_stream([], passes=0)


def test_a_checkpoint_says_how_far_it_came(tmp_path: Path) -> None:
    """It is an ordinary model file; what it adds is plain numbers."""
    path = tmp_path / "checkpoint.safetensors"
    stream = dense_stream(n=60, seed=1)
    AROWClassifier().fit_stream(list(stream.batches(CUTS)), passes=2, checkpoint=path)
    size = int.from_bytes(path.read_bytes()[:8], "little")
    header = json.loads(path.read_bytes()[8 : 8 + size])
    told = json.loads(next(iter(v for v in header["__metadata__"].values() if "stream" in v)))["stream"]

    assert (told["passes"], told["progress"]["position"], told["progress"]["finished"]) == (2, 120, True)
