"""Damaged and hostile model files: refused with a clear error, or harmless. Never a crash, never code run."""

from __future__ import annotations

import json
import os
import pickle
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear.exceptions import ModelFileError

from .crafting import Edit, edited, put, raw
from .spoiling import Bomb


@pytest.fixture(scope="module", params=[2, 4], ids=["whole", "touched"])
def model(request: pytest.FixtureRequest) -> Any:
    """Three classes, words, one of everything a file can hold; of all weights, or of those that were touched."""
    model = onlinear.AROWClassifier(dtype="float32", bits=request.param)
    for features, label in [({"a": 1, "b": 2}, "x"), ({"c": 1}, "y"), ({"d": 1, "a": -1}, "z")] * 3:
        model.learn_one(features, label)
    return model


@pytest.fixture
def path(model: Any, tmp_path: Path) -> Path:
    """A file of it."""
    model.save(tmp_path / "m.safetensors")
    return tmp_path / "m.safetensors"


def _survives(path: Path) -> bool:
    """Whether a file loads; if it does, the model must predict finite numbers."""
    try:
        model = onlinear.load(path)
    except ModelFileError as error:
        if path.name not in str(error):
            pytest.fail(f"the message does not name the file: {error}")
        return False
    scores = model.decision_function(np.ones((2, model.n_features_in_)))
    assert np.isfinite(scores).all()
    return True


def test_every_truncation_is_refused(path: Path) -> None:
    """From no bytes to all but one."""
    whole = path.read_bytes()
    for length in reversed(range(len(whole))):
        os.truncate(path, length)
        assert not _survives(path), length
    print(f"truncations: {len(whole)}, all refused")


def test_every_flipped_bit_is_refused_or_harmless(path: Path) -> None:
    """Two thousand of them: the checksum finds what the structure does not."""
    whole = path.read_bytes()
    rng = random.Random(0)
    harmless = 0
    for _ in range(2000):
        place = rng.randrange(len(whole) * 8)
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        put(path, damaged)
        harmless += _survives(path)
    print(f"bit flips: 2000, {harmless} harmless")
    assert harmless < 20


def test_bytes_added_at_the_end_are_refused(path: Path) -> None:
    """A file that goes on after its tensors is not ours."""
    path.write_bytes(path.read_bytes() + b"\0")
    assert not _survives(path)


def _all(tensors: dict[str, Any], value: float) -> dict[str, Any]:
    return {name: np.full_like(tensor, value) for name, tensor in tensors.items() if tensor.dtype.kind == "f"}


EDITS: dict[str, Edit] = {
    "NaN weights": lambda c, t: t.update(mean=np.full_like(t["mean"], np.nan)),
    "infinite weights": lambda c, t: t.update(mean=np.full_like(t["mean"], np.inf)),
    "NaN variances": lambda c, t: t.update(variance=np.full_like(t["variance"], np.nan)),
    "negative variances": lambda c, t: t.update(variance=-t["variance"]),
    "zero variances": lambda c, t: t.update(variance=0 * t["variance"]),
    "one negative variance": lambda c, t: t["variance"].__setitem__((0, 3), -1e-9),
    "missing variances": lambda c, t: t.pop("variance"),
    "missing weights": lambda c, t: t.pop("mean"),
    "no tensors": lambda c, t: t.clear(),
    "wrong dtype": lambda c, t: t.update(mean=t["mean"].astype(np.float64)),
    "whole numbers": lambda c, t: t.update(mean=t["mean"].astype(np.int32)),
    "one dimension": lambda c, t: t.update(mean=t["mean"].ravel()),
    "three dimensions": lambda c, t: t.update(mean=t["mean"][None]),
    "fewer features": lambda c, t: t.update(mean=t["mean"][:, :-1]),
    "fewer classes": lambda c, t: t.update(mean=t["mean"][:-1], variance=t["variance"][:-1]),
    "no classes": lambda c, t: c.update(classes=[]),
    "duplicate labels": lambda c, t: c.update(classes=["x", "x", "z"]),
    "equal numbers as labels": lambda c, t: c.update(classes=[1, 1.0, 2], classes_dtype="<f8"),
    "one label too many": lambda c, t: c.update(classes=["x", "y", "z", "w"]),
    "one label too few": lambda c, t: c.update(classes=["x", "y"]),
    "a list as label": lambda c, t: c.update(classes=["x", ["y"], "z"]),
    "labels that are no list": lambda c, t: c.update(classes="xyz"),
    "a huge label type": lambda c, t: c.update(classes_dtype="V1000000000"),
    "a record as label type": lambda c, t: c.update(classes_dtype="i4,i4"),
    "a comma as label type": lambda c, t: c.update(classes_dtype=",i8"),
    "nonsense as label type": lambda c, t: c.update(classes_dtype="foo"),
    "numbers said to be words": lambda c, t: c.update(classes=[1, 2, 3]),
    "words said to be numbers": lambda c, t: c.update(classes_dtype="<i8"),
    "huge feature count": lambda c, t: c.update(n_features=2**31 - 1),
    "overflowing feature count": lambda c, t: c.update(n_features=2**63),
    "negative feature count": lambda c, t: c.update(n_features=-1),
    "text as feature count": lambda c, t: c.update(n_features="12"),
    "truth as feature count": lambda c, t: c.update(n_features=True),
    "unknown estimator": lambda c, t: c.update(estimator="os.system"),
    "a function as estimator": lambda c, t: c.update(estimator="load"),
    "the learner as estimator": lambda c, t: c.update(estimator="Learner"),
    "a number as estimator": lambda c, t: c.update(estimator=5),
    "a list as estimator": lambda c, t: c.update(estimator=["AROWClassifier"]),
    "another estimator": lambda c, t: c.update(estimator="Perceptron", parameters={}),
    "unknown parameter": lambda c, t: c["parameters"].update(__class__="x"),
    "bad parameter": lambda c, t: c["parameters"].update(r=-1),
    "text as parameter": lambda c, t: c["parameters"].update(r="1"),
    "a list as parameter": lambda c, t: c["parameters"].update(r=[1]),
    "an object as parameter": lambda c, t: c["parameters"].update(r={"x": 1}),
    "parameters that are no object": lambda c, t: c.update(parameters=[1]),
    "a full covariance that is not there": lambda c, t: c["parameters"].update(covariance="full"),
    "absurd bits": lambda c, t: c["parameters"].update(bits=10**9),
    "infinite counts": lambda c, t: c["vectors"].update(counters=[float("inf"), 0, 0]),
    "negative counts": lambda c, t: c["vectors"].update(counters=[-1, 0, 0]),
    "missing counts": lambda c, t: c["vectors"].update(counters=[]),
    "missing vectors": lambda c, t: c.pop("vectors"),
    "a calibration turned round": lambda c, t: c["vectors"]["calibration"].__setitem__(0, -1e308),
    "a calibration of no size": lambda c, t: c["vectors"]["calibration"].__setitem__(6, -1.0),
    "a calibration far off": lambda c, t: c["vectors"]["calibration"].__setitem__(1, 1e300),
    "NaN in calibration": lambda c, t: c["vectors"].update(calibration=[float("nan")] * 7),
    "text in calibration": lambda c, t: c["vectors"].update(calibration=["a"] * 7),
    "a scalar that is no number": lambda c, t: c["scalars"].update(spread="wide"),
    "a variance too large for the type": lambda c, t: c["scalars"].update(fresh_variance=1e300),
    "a variance too small for the type": lambda c, t: c["scalars"].update(fresh_variance=1e-300),
    "an infinite scalar": lambda c, t: c["scalars"].update(spread=float("inf")),
    "missing scalars": lambda c, t: c.update(scalars={}),
    "words past the columns": lambda c, t: t.update({"words.column": t["words.column"] + 10**6}),
    "words before the columns": lambda c, t: t.update({"words.column": -1 - t["words.column"]}),
    "words that fall": lambda c, t: t.update({"words.end": t["words.end"][::-1].copy()}),
    "words without bytes": lambda c, t: t.update({"words.bytes": t["words.bytes"][:1]}),
    "words that are not UTF-8": lambda c, t: t.update({"words.bytes": np.full_like(t["words.bytes"], 0xFF)}),
    "words of another type": lambda c, t: t.update({"words.end": t["words.end"].astype(np.float64)}),
    "half a table of words": lambda c, t: t.pop("words.end"),
    "too few feature names": lambda c, t: c.update(feature_names=["a"]),
    "feature names that are no list": lambda c, t: c.update(feature_names=5),
    "no format": lambda c, t: c.pop("format"),
    "format zero": lambda c, t: c.update(format=0),
    "text as format": lambda c, t: c.update(format="1"),
    "unknown weights type": lambda c, t: c.update(dtype="float128"),
    "an input that is no object": lambda c, t: c.update(input=5),
    "passes that are no number": lambda c, t: c.update(n_passes="many"),
    "compact without weights": lambda c, t: c.update(compact={"scale": 1.0, "sparse": False}),
    "compact that is no object": lambda c, t: c.update(compact=7),
    "70 tensors": lambda c, t: t.update({f"t{i}": np.zeros((1, 1), np.float32) for i in range(70)}),
    "unknown tensors": lambda c, t: t.update(extra=np.zeros((3, 17), np.float64)),
}  # fmt: skip


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS.keys())
def test_hostile_content_is_refused(edit: Edit, path: Path) -> None:
    """Each with a checksum that fits, so that only the checks stand in its way."""
    edited(path, edit)
    assert not _survives(path)


@pytest.mark.parametrize("compact", [False, True], ids=["whole", "compact"])
def test_a_class_that_is_named_twice_is_refused_by_that_reason(
    compact: bool, model: Any, tmp_path: Path
) -> None:
    """Not by what happens to go wrong after it."""
    from onlinear.persistence import save, save_compact

    path = tmp_path / "m.safetensors"
    (save_compact if compact else save)(model, path)
    edited(path, EDITS["duplicate labels"])
    with pytest.raises(ModelFileError, match="the classes are not distinct"):
        onlinear.load(path)


@pytest.mark.parametrize("model", [2], ids=["whole"], indirect=True)
@pytest.mark.parametrize("edit", ["fewer features", "another number of features"])
def test_weights_of_another_width_are_refused_by_that_reason(edit: str, path: Path) -> None:
    """The width is that of the features and the intercept, for every tensor."""
    edited(path, lambda c, t: t.pop("feature_scale", None))
    edited(path, {**EDITS, "another number of features": lambda c, t: c.update(n_features=3)}[edit])
    with pytest.raises(ModelFileError, match="the number of features does not fit the weights"):
        onlinear.load(path)


TOUCHED_EDITS: dict[str, Edit] = {
    "missing bits": lambda c, t: t.pop("touched"),
    "bits nobody speaks of": lambda c, t: c.update(touched=None),
    "bits without what they say": lambda c, t: c.pop("touched"),
    "a number for what they say": lambda c, t: c.update(touched=7),
    "bits too short": lambda c, t: t.update(touched=t["touched"][:-8].copy()),
    "bits too long": lambda c, t: t.update(touched=np.append(t["touched"], np.zeros(8, np.uint8))),
    "bits of another type": lambda c, t: t.update(touched=t["touched"].view(np.int32)),
    "bits in two dimensions": lambda c, t: t.update(touched=t["touched"][None]),
    "a bit more": lambda c, t: t["touched"].__setitem__(4, t["touched"][4] ^ 255),
    "bits past the end": lambda c, t: t["touched"].__setitem__(-1, 128),
    "all bits": lambda c, t: t["touched"].fill(255),
    "no bits": lambda c, t: t["touched"].fill(0),
    "a number too few": lambda c, t: t.update(mean=t["mean"][:, 1:].copy()),
    "no blocks": lambda c, t: c["touched"].update(blocks=0),
    "negative blocks": lambda c, t: c["touched"].update(blocks=-3),
    "other blocks": lambda c, t: c["touched"].update(blocks=2),
    "huge blocks": lambda c, t: c["touched"].update(blocks=2**62),
    "text as blocks": lambda c, t: c["touched"].update(blocks="3"),
    "missing blocks": lambda c, t: c["touched"].pop("blocks"),
    "missing start": lambda c, t: c["touched"].pop("start"),
    "a start too few": lambda c, t: c["touched"]["start"].pop("variance"),
    "text as start": lambda c, t: c["touched"]["start"].update(mean="none"),
    "a start that is not finite": lambda c, t: c["touched"]["start"].update(mean=float("inf")),
    "a start too large for the type": lambda c, t: c["touched"]["start"].update(mean=1e300),
    "a variance that starts at zero": lambda c, t: c["touched"]["start"].update(variance=0.0),
    "a variance that rounds to zero": lambda c, t: c["touched"]["start"].update(variance=1e-60),
    "far more features": lambda c, t: c.update(n_features=2**31 - 1),
}  # fmt: skip


@pytest.mark.parametrize("edit", TOUCHED_EDITS.values(), ids=TOUCHED_EDITS.keys())
@pytest.mark.parametrize("model", [4], ids=["touched"], indirect=True)
def test_hostile_touched_weights_are_refused(edit: Edit, path: Path) -> None:
    """Which weights a file speaks of is believed as little as what it says of them."""
    edited(path, edit)
    assert not _survives(path)


COMPACT_EDITS: dict[str, Edit] = {
    "NaN": lambda c, t: t.update({"weights.value": np.full_like(t["weights.value"], np.nan)}),
    "infinity": lambda c, t: t.update({"weights.intercept": np.full_like(t["weights.intercept"], np.inf)}),
    "scale zero": lambda c, t: c["compact"].update(scale=0.0),
    "scale NaN": lambda c, t: c["compact"].update(scale=float("nan")),
    "scale tiny": lambda c, t: c["compact"].update(scale=5e-324),
    "columns out of order": lambda c, t: t.update({"weights.column": t["weights.column"][::-1].copy()}),
    "columns past the end": lambda c, t: t.update({"weights.column": t["weights.column"] + 1000}),
    "columns of another type": lambda c, t: t.update({"weights.column": np.arange(4, dtype=np.int64)}),
    "columns missing": lambda c, t: t.pop("weights.column"),
    "features past max_features": lambda c, t: c.update(n_features=2**30),
    "too many weights": lambda c, t: [c.update(n_features=2**29), c["parameters"].update(max_features=2**30)],
    "one class too few": lambda c, t: c.update(classes=["x", "y"]),
    "weights of another type": lambda c, t: t.update({"weights.value": t["weights.value"].astype("f8")}),
    "no intercept": lambda c, t: t.pop("weights.intercept"),
}  # fmt: skip


@pytest.mark.parametrize("edit", COMPACT_EDITS.values(), ids=COMPACT_EDITS.keys())
def test_hostile_compact_content_is_refused(edit: Edit, model: Any, tmp_path: Path) -> None:
    """Compact files are read as carefully."""
    from onlinear.persistence import save_compact

    save_compact(model, tmp_path / "c.safetensors", sparse=True)
    edited(tmp_path / "c.safetensors", edit)
    assert not _survives(tmp_path / "c.safetensors")


def _tensor(dtype: str, shape: list[int], offsets: list[int]) -> dict[str, Any]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


HEADERS: dict[str, Any] = {
    "overflowing shape": {"mean": _tensor("F32", [2**40, 2**40], [0, 4])},
    "shape past the data": {"mean": _tensor("F32", [1000, 1000], [0, 4])},
    "negative shape": {"mean": _tensor("F32", [-1, 4], [0, 4])},
    "offsets past the end": {"mean": _tensor("F32", [1, 1], [0, 2**62])},
    "offsets that cross": {"mean": _tensor("F32", [1, 1], [4, 0])},
    "overlapping tensors": {
        "mean": _tensor("F32", [1, 1], [0, 4]),
        "variance": _tensor("F32", [1, 1], [0, 4]),
    },
    "unknown type": {"mean": _tensor("F128", [1, 1], [0, 4])},
    "a type numpy lacks": {"mean": _tensor("BF16", [1, 2], [0, 4])},
    "8-bit floats": {"mean": _tensor("F8_E4M3", [1, 4], [0, 4])},
    "a list": [],
    "a number": 5,
    "metadata that is no object": {"__metadata__": 5},
    "metadata that is no text": {"__metadata__": {"onlinear": {"format": 1}}},
    "not our file": {"__metadata__": {"a": "b"}, "mean": _tensor("F32", [1, 1], [0, 4])},
    "a description that is no JSON": {
        "__metadata__": {"onlinear": "{"},
        "mean": _tensor("F32", [1, 1], [0, 4]),
    },
    "a description that is a number": {
        "__metadata__": {"onlinear": "5"},
        "mean": _tensor("F32", [1, 1], [0, 4]),
    },
    "a number of 10,000 digits": {
        "__metadata__": {"onlinear": "1" * 10_000},
        "mean": _tensor("F32", [1, 1], [0, 4]),
    },
    "deep nesting": {"__metadata__": {"onlinear": "[" * 100_000}, "mean": _tensor("F32", [1, 1], [0, 4])},
}


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS.keys())
def test_hostile_headers_are_refused(header: Any, tmp_path: Path) -> None:
    """Shapes that overflow, offsets that lie, types that do not exist."""
    assert not _survives(raw(tmp_path / "h.safetensors", header, b"\0\0\0\0"))


@pytest.mark.parametrize("size", [0, 1, 2**31, 2**62, 2**64 - 1])
def test_lying_header_lengths_are_refused(size: int, tmp_path: Path) -> None:
    """The first eight bytes say how long the header is."""
    assert not _survives(raw(tmp_path / "h.safetensors", b"{}", size=size))


def test_a_hundred_thousand_tensors_are_refused_at_once(tmp_path: Path) -> None:
    """No time is spent on looking at them."""
    header = {f"t{i}": _tensor("F32", [1], [4 * i, 4 * i + 4]) for i in range(100_000)}
    header["__metadata__"] = {"onlinear": json.dumps({"format": 1})}
    path = raw(tmp_path / "h.safetensors", header, bytes(400_000))
    with pytest.raises(ModelFileError, match="100000 tensors"):
        onlinear.load(path)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickles_are_never_loaded(protocol: int, tmp_path: Path) -> None:
    """Refused before anything looks inside."""
    path = tmp_path / "p.safetensors"
    path.write_bytes(pickle.dumps(Bomb(), protocol=protocol))
    assert not _survives(path)


@pytest.mark.parametrize(
    "content", [b"", b"\x80", b"{}", b"PK\x03\x04", bytes(1000), b"\xff" * 1000, b"a,b\n1,2\n"]
)
def test_files_of_another_kind_are_refused(content: bytes, tmp_path: Path) -> None:
    """Archives, tables, zeros."""
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    assert not _survives(path)


def test_random_edits_of_the_description_are_refused_or_harmless(path: Path) -> None:
    """Three hundred random values in random places, each with a checksum that fits."""
    whole = path.read_bytes()
    rng = random.Random(5)
    values = [
        None,
        True,
        -1,
        0,
        1,
        2**40,
        1e308,
        float("nan"),
        float("inf"),
        "",
        "x",
        "float64",
        [],
        {},
        [[]],
        [None],
    ]
    refused = 0

    def edit(content: dict[str, Any], tensors: dict[str, Any]) -> None:
        place: Any = content
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = rng.choice(keys)
            if isinstance(place[key], dict | list) and place[key] and rng.random() < 0.7:
                place = place[key]
                continue
            place[key] = rng.choice(values)
            return

    for _ in range(300):
        put(path, whole)
        edited(path, edit)
        refused += not _survives(path)
    print(f"random edits: 300, {refused} refused")


def test_folders_pipes_and_nothing_are_told_apart(tmp_path: Path) -> None:
    """Nobody waits for a pipe."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ModelFileError, match="pipe"):
        onlinear.load(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        onlinear.load(tmp_path)
    with pytest.raises(FileNotFoundError):
        onlinear.load(tmp_path / "nothing")


def test_the_command_says_it_in_one_line(path: Path) -> None:
    """Exit code 1 and the file's name."""
    from ..cli.commands import onlinear as run

    path.write_bytes(path.read_bytes()[:-1])
    for command in (
        ["predict", path, "-"],
        ["evaluate", path, "-"],
        ["inspect", path],
        ["convert", path, path.with_name("other.safetensors")],
    ):
        done = run(*command)
        assert done.code == 1
        assert path.name in done.err
        assert len(done.err.splitlines()) == 1
