"""Model files: what is saved comes back, bit for bit, and other tools can read it."""

from __future__ import annotations

import json
import os
import stat
import zlib
from array import array
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file

import onlinear
from onlinear import persistence
from onlinear.algorithms import table
from onlinear.estimators import make
from onlinear.exceptions import ModelFileError, NotAvailableError
from onlinear.persistence import FORMAT, read_file
from onlinear.persistence import tensors as tensors_module
from onlinear.persistence.tensors import crc32_joiner
from tests.estimators.roster import plain

SAMPLES = Path(__file__).parent / "samples"


def _fitted(
    name: str, classes: int = 3, dtype: str = "float32", **parameters: object
) -> onlinear.AROWClassifier:
    rng = np.random.default_rng(3)
    X = rng.standard_normal((80, 6))
    y = np.argmax(X[:, :classes], axis=1)
    return make(name, dtype=dtype, **parameters).partial_fit(X, y)


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_checksums_of_parts_make_that_of_the_whole(parts: list[bytes]) -> None:
    """Rows of an array are summed side by side and joined."""
    total = 0
    for part in parts:
        total = crc32_joiner(len(part))(total, zlib.crc32(part))
    assert total == zlib.crc32(b"".join(parts))


def test_a_class_that_no_file_can_name_is_not_saved(tmp_path: Path) -> None:
    """It could not be loaded again."""

    class Derived(onlinear.AROWClassifier):
        pass

    model = Derived().fit([[0.0], [1.0]], [0, 1])
    for save in (persistence.save, persistence.save_compact):
        with pytest.raises(NotAvailableError, match="Derived is no class of this library"):
            save(model, tmp_path / "m.safetensors")
    assert not list(tmp_path.iterdir())


def test_a_model_of_many_parts_comes_back(tmp_path: Path) -> None:
    """Larger than what is copied out at a time, in either direction."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60, 30_011)).astype(np.float32)
    wide = onlinear.AROWClassifier(shuffle=False, passes=1).fit(X, np.arange(60) % 7)
    square = onlinear.AROWClassifier(covariance="full").fit(X[:, :500], np.arange(60) % 2)
    for model in (wide, square):
        model.save(tmp_path / "m.safetensors")
        assert onlinear.load(tmp_path / "m.safetensors").digest() == model.digest()


def _few_of_many(name: str, classes: int, dtype: str) -> onlinear.AROWClassifier:
    """A model that has seen few of its features, in few of its classes."""
    rng = np.random.default_rng(5)
    X = scipy.sparse.random_array((40, 999), density=0.01, rng=rng, dtype=dtype).tocsr()
    return make(name, dtype=dtype).partial_fit(
        X, rng.integers(0, min(classes, 4), 40), classes=np.arange(classes)
    )


@pytest.mark.parametrize("name", table.names())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("classes", [2, 7, 70])
def test_the_weights_touched_are_all_that_is_written(
    name: str, dtype: str, classes: int, tmp_path: Path
) -> None:
    """Most weights of a wide model are as they began; the file is small, and comes back and goes on to the bit."""
    model = _few_of_many(name, classes, dtype)
    path = tmp_path / "m.safetensors"
    model.save(path)
    state = model.model_.learner.state()
    whole = {"feature_scale"} & state.keys()  # a number for each feature, whatever was touched of its weights
    planes = {
        key: value for key, value in state.items() if getattr(value, "ndim", 0) == 2 and key not in whole
    }
    content, tensors = read_file(path)
    for key in whole:
        np.testing.assert_array_equal(tensors[key], state[key])
    touched = np.unpackbits(tensors["touched"], bitorder="little")
    blocks = content["touched"]["blocks"]
    written = touched[: blocks * 1000].reshape(1000, blocks).T.astype(bool)
    assert not touched[blocks * 1000 :].any()
    assert 0 < written.sum() < written.size / 2
    assert planes.keys() == content["touched"]["start"].keys()
    changed = np.zeros_like(written)
    for key, plane in planes.items():
        start = np.asarray(content["touched"]["start"][key], dtype)
        changed |= plane.view(f"u{plane.itemsize}") != start.view(f"u{plane.itemsize}")
        np.testing.assert_array_equal(tensors[key][0], plane.T[written.T])
    np.testing.assert_array_equal(written, changed)
    scales = sum(state[key].nbytes for key in whole)
    assert path.stat().st_size < sum(plane.nbytes for plane in planes.values()) / 2 + scales + 4096
    twin = onlinear.load(path)
    assert twin.digest() == model.digest()
    # A class and a feature nobody has seen: what begins now begins as it would have.
    row, new = np.ones((1, 999)), [classes]
    assert twin.partial_fit(row, new).digest() == model.partial_fit(row, new).digest()


@pytest.mark.parametrize(("dtype", "tiny"), [("float32", 1e-30), ("float64", 1e-200)])
@pytest.mark.parametrize("columns", [30, 300])
def test_zeros_keep_their_signs(dtype: str, tiny: float, columns: int, tmp_path: Path) -> None:
    """Most weights are -0.0, as what is too small and negative becomes; 0.0 is another number beside them."""
    X = np.full((2, columns), -tiny)
    X[:, ::9] = tiny
    model = onlinear.Perceptron(dtype=dtype, rate=tiny).partial_fit(X, [0, 1])
    model.save(tmp_path / "m.safetensors")
    content, _ = read_file(tmp_path / "m.safetensors")
    assert str(content["touched"]["start"]["mean"]) == "-0.0"
    assert onlinear.load(tmp_path / "m.safetensors").digest() == model.digest()


@pytest.mark.parametrize(
    ("made", "parameter", "value", "plain_value"),
    [
        (onlinear.AROWClassifier, "r", Decimal("0.5"), 0.5),
        (onlinear.AROWRegressor, "r", Fraction(1, 2), 0.5),
        (onlinear.PassiveAggressiveClassifier, "C", np.float32(0.5), 0.5),
        (onlinear.NORMAClassifier, "nu", Fraction(1, 2), 0.5),
        (onlinear.AROWClassifier, "dtype", np.float32, "float32"),
        (onlinear.AROWClassifier, "dtype", np.dtype("float64"), "float64"),
        (onlinear.AROWClassifier, "bits", np.uint8(9), 9),
        (onlinear.AROWClassifier, "max_features", np.int32(9), 9),
        (onlinear.AROWClassifier, "class_weight", {np.int64(1): np.float32(2)}, {1: 2.0}),
    ],
)
def test_parameters_of_every_kind_come_back(
    made: Any, parameter: str, value: Any, plain_value: Any, tmp_path: Path
) -> None:
    """A number is one whatever its type, and a type has a name."""
    model = made(**{parameter: value}).partial_fit([[1.0], [2.0]], [0, 1])
    model.save(tmp_path / "m.safetensors")
    twin = onlinear.load(tmp_path / "m.safetensors")
    assert twin.get_params()[parameter] == plain_value
    assert twin.digest() == model.digest()
    assert twin.partial_fit([[3.0]], [1]).digest() == model.partial_fit([[3.0]], [1]).digest()


COSTS = [[0.0, 2.0, 3.0], [1.0, 0.0, 5.0], [1.0, 0.5, 0.0]]


@pytest.mark.parametrize(
    "as_given",
    [
        list,
        np.array,
        lambda rows: memoryview(np.array(rows)),
        scipy.sparse.csr_array,
        lambda rows: np.array(rows, dtype=np.longdouble),
        lambda rows: [array("d", row) for row in rows],
    ],
    ids=["lists", "array", "memoryview", "sparse array", "long double", "buffers"],
)
@pytest.mark.parametrize("parameter", ["cost_matrix", "initial_mean"])
def test_arrays_of_every_kind_come_back(parameter: str, as_given: Any, tmp_path: Path) -> None:
    """What is learned after loading, and by a fit that starts anew, follows them as before."""
    if parameter == "initial_mean" and as_given is scipy.sparse.csr_array:
        return  # a mean is dense
    X, y = np.random.default_rng(0).normal(size=(40, 3)), np.arange(40) % 3
    start = onlinear.AROWClassifier(scale=None, random_state=0, **{parameter: as_given(COSTS)})
    model = start.partial_fit(X, y, classes=[0, 1, 2])
    model.save(tmp_path / "m.safetensors")
    twin = onlinear.load(tmp_path / "m.safetensors")

    assert np.array_equal(twin.get_params()[parameter], COSTS)
    assert twin.partial_fit(X, y).digest() == model.partial_fit(X, y).digest()
    assert twin.fit(X, y).digest() == model.fit(X, y).digest()
    plain = onlinear.AROWClassifier(scale=None, random_state=0).fit(X, y)
    assert plain.digest() != model.digest()


@pytest.mark.parametrize("letter", ["a", "é", "語", "😀"])
def test_a_name_may_be_as_long_as_the_disk_allows(letter: str, tmp_path: Path) -> None:
    """255 bytes; the file that is written aside has no longer one."""
    path = tmp_path / (letter * (255 // len(letter.encode())))
    left = tmp_path / f".{os.fsdecode(os.fsencode(path.name)[:100])}.0a1b2c3d.{2**22 + 1}.part"
    left.touch()
    model = onlinear.AROWClassifier().fit([[0.0], [1.0]], [0, 1])
    model.save(path)
    model.save(path)
    assert onlinear.load(path).digest() == model.digest()
    assert [item.name for item in tmp_path.iterdir()] == [path.name]


def test_a_model_most_of_whose_weights_were_touched_is_written_whole(tmp_path: Path) -> None:
    """Naming them would take more room than it saves."""
    _fitted("arow").save(tmp_path / "m.safetensors")
    content, tensors = read_file(tmp_path / "m.safetensors")
    assert content["touched"] is None
    assert tensors["mean"].shape == (3, 7)


def test_a_large_model_is_read_piece_by_piece_and_checked_alike(tmp_path: Path) -> None:
    """Small files are read at once, large ones are not; both come back, and damage is told in both."""
    path = tmp_path / "m.safetensors"
    row = np.random.default_rng(0).random((1, 2**21), np.float32)
    model = plain(onlinear.AROWClassifier, dtype="float32").partial_fit(row, ["x"], classes=["x", "y"])
    model.save(path)
    assert path.stat().st_size > 1 << 24
    assert onlinear.load(path).digest() == model.digest()
    with path.open("r+b") as file:
        file.seek(-100, os.SEEK_END)
        file.write(b"?")
    with pytest.raises(ModelFileError, match=r"m\.safetensors: damaged: its checksum does not fit"):
        onlinear.load(path)
    os.truncate(path, path.stat().st_size - 1)
    with pytest.raises(ModelFileError, match=r"m\.safetensors: not a safetensors file, or damaged"):
        onlinear.load(path)


def test_a_file_cut_off_while_it_is_read_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when somebody copies another model over it; a process that had mapped it was killed."""
    path = tmp_path / "m.safetensors"
    row = np.random.default_rng(0).random((1, 2**21), np.float32)
    plain(onlinear.AROWClassifier, dtype="float32").partial_fit(row, ["x"], classes=["x", "y"]).save(path)
    piece = tensors_module._piece

    def piece_then_cut(file: Any, size: int) -> memoryview:
        read = piece(file, size)
        os.truncate(path, 1 << 20)
        return read

    monkeypatch.setattr(tensors_module, "_piece", piece_then_cut)
    with pytest.raises(ModelFileError, match=r"m\.safetensors: .*it became shorter while it was read"):
        onlinear.load(path)


def test_small_and_large_files_are_read_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What safetensors' own reader refuses, the reader of large files refuses; what it takes, it reads the same."""
    path = tmp_path / "m.safetensors"
    onlinear.AROWClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1]).save(path)
    good = path.read_bytes()
    header = 8 + int.from_bytes(good[:8], "little")
    rng = np.random.default_rng(0)
    spoiled = [good, good[:-1], good + b"0", good[: header - 3], b"", good[:8], b"\xff" * 16]
    for _ in range(400):
        text = bytearray(good)
        at = int(rng.integers(0, header))
        if rng.random() < 0.5:
            text[at] = int(rng.integers(32, 127))
        else:
            del text[at : at + int(rng.integers(1, 4))]
            text[:8] = (header - 8 - (len(good) - len(text))).to_bytes(8, "little")
        spoiled.append(bytes(text))
    agreed = {"read": 0, "refused": 0}
    for content in spoiled:
        path.write_bytes(content)
        answers = []
        for small in (1 << 24, -1):
            monkeypatch.setattr(tensors_module, "_SMALL", small)
            try:
                metadata, tensors = tensors_module.read_tensors(path)
                answers.append((metadata, {n: (t.type, t.shape, bytes(t.data)) for n, t in tensors.items()}))
            except ModelFileError:
                answers.append(None)
        small_file, large_file = answers
        assert large_file is None or large_file == small_file, content[:header]
        if small_file is not None:
            assert large_file == small_file, content[:header]
        agreed["refused" if small_file is None else "read"] += 1
    assert min(agreed.values()) > 20


@pytest.mark.parametrize("size", [1, (1 << 24) // 2])
def test_types_no_model_has_are_refused(size: int, tmp_path: Path) -> None:
    """Whichever way a file is read."""
    path = tmp_path / "m.safetensors"
    save_file({"mean": np.zeros(size, dtype=np.int16)}, path, {"onlinear": "{}"})
    with pytest.raises(ModelFileError, match=r"m\.safetensors: a tensor of type (int16|I16)"):
        onlinear.load(path)


@pytest.mark.parametrize("name", table.names())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_loaded_model_goes_on_bit_for_bit(name: str, dtype: str, classes: int, tmp_path: Path) -> None:
    """Save, load, learn more: the same bits as without the detour."""
    model = _fitted(name, classes, dtype)
    model.save(tmp_path / "m.safetensors")
    twin = onlinear.load(tmp_path / "m.safetensors")
    assert twin.digest() == model.digest()
    assert twin.get_params() == model.get_params()
    rng = np.random.default_rng(4)
    X, y = rng.standard_normal((50, 6)), rng.integers(0, classes, 50)
    assert twin.partial_fit(X, y).digest() == model.partial_fit(X, y).digest()
    np.testing.assert_array_equal(twin.predict_proba(X), model.predict_proba(X))


def test_saving_twice_gives_equal_files(tmp_path: Path) -> None:
    """Nothing in a file depends on the moment or the process."""
    model = _fitted("arow")
    model.save(tmp_path / "a.safetensors")
    onlinear.load(tmp_path / "a.safetensors").save(tmp_path / "b.safetensors")
    assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


def test_the_file_is_plain_safetensors(tmp_path: Path) -> None:
    """Its own reader finds the tensors and a JSON description with everything promised."""
    _fitted("scw1").save(tmp_path / "m.safetensors")
    with safe_open(tmp_path / "m.safetensors", framework="np") as file:
        assert set(file.keys()) == {"mean", "variance", "feature_scale"}
        content = json.loads(file.metadata()["onlinear"])
    assert content["format"] == FORMAT
    assert content["library"] == onlinear.__version__
    assert content["estimator"] == "SoftConfidenceWeightedClassifier"
    assert content.keys() >= {
        "parameters",
        "classes",
        "classes_dtype",
        "vectors",
        "n_features",
        "dtype",
        "input",
    }


@pytest.mark.parametrize(
    "y", [["spam", "ham"], [1.0, 2.0], [True, False], ["é", "日本"], [10**15, -(10**15)]]
)
def test_labels_of_every_kind_come_back(y: list[object], tmp_path: Path) -> None:
    """Strings, numbers and truth values keep their type."""
    model = onlinear.AROWClassifier().fit(np.eye(2), y)
    model.save(tmp_path / "m.safetensors")
    twin = onlinear.load(tmp_path / "m.safetensors")
    assert twin.classes_.tolist() == model.classes_.tolist()
    assert twin.classes_.dtype == model.classes_.dtype
    assert twin.predict(np.eye(2)).tolist() == model.predict(np.eye(2)).tolist()


def test_words_and_names_come_back(tmp_path: Path) -> None:
    """Dicts are hashed to the same columns and still explained in words."""
    model = onlinear.AROWClassifier()
    model.learn_one({"free": 1, "money": 2}, "spam").learn_one({"lunch": 1}, "ham")
    model.save(tmp_path / "m.safetensors")
    twin = onlinear.load(tmp_path / "m.safetensors")
    assert str(twin.explain({"money": 1})) == str(model.explain({"money": 1}))
    assert twin.learn_one({"new": 1}, "ham").digest() == model.learn_one({"new": 1}, "ham").digest()


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("format-*.safetensors")), ids=lambda path: path.name)
def test_files_of_every_format_ever_written_stay_readable(path: Path) -> None:
    """The samples were written when their format was new; their predictions stand beside them."""
    model = onlinear.load(path)
    kept = json.loads(path.with_suffix(".json").read_text())
    assert model.classes_.tolist() == kept["classes"]
    np.testing.assert_allclose(model.decision_function(np.array(kept["X"])), kept["scores"], rtol=1e-6)
    assert model.n_seen_ == kept["seen"]


def test_there_is_a_sample_of_every_format() -> None:
    """A new format needs a new sample, for a full and for a compact file."""
    for number in range(1, FORMAT + 1):
        assert (SAMPLES / f"format-{number}.safetensors").exists()
        assert (SAMPLES / f"format-{number}-compact.safetensors").exists()


def test_a_file_from_the_future_says_so(tmp_path: Path) -> None:
    """The message names both formats."""
    from ..hostile.crafting import edited

    _fitted("arow").save(tmp_path / "m.safetensors")
    edited(tmp_path / "m.safetensors", lambda content, tensors: content.update(format=FORMAT + 1))
    with pytest.raises(ModelFileError, match=f"format {FORMAT + 1}, this onlinear reads up to {FORMAT}"):
        onlinear.load(tmp_path / "m.safetensors")


def test_a_failed_save_leaves_the_old_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk while writing: the file that was there is still there, and nothing else."""
    path = tmp_path / "m.safetensors"
    model = _fitted("arow")
    model.save(path)
    before = path.read_bytes()
    model.partial_fit(np.ones((1, 6)), [1])

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.pwrite", full)
    with pytest.raises(OSError, match="No space left"):
        model.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_permissions_follow_the_umask_and_links_are_followed(tmp_path: Path) -> None:
    """A model is as readable as any new file, and a link stays a link."""
    mask = os.umask(0o027)
    try:
        _fitted("arow").save(tmp_path / "real.safetensors")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((tmp_path / "real.safetensors").stat().st_mode) == 0o640
    (tmp_path / "link.safetensors").symlink_to(tmp_path / "real.safetensors")
    _fitted("pa1").save(tmp_path / "link.safetensors")
    assert (tmp_path / "link.safetensors").is_symlink()
    assert type(onlinear.load(tmp_path / "real.safetensors")).__name__ == "PassiveAggressiveClassifier"


@pytest.mark.parametrize("covariance", ["diagonal", "full"])
def test_what_predicts_with_its_variances_has_no_compact_file(covariance: str, tmp_path: Path) -> None:
    """The second-order perceptron's own form does; its form as a rule does not."""
    X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    own = onlinear.SecondOrderPerceptron(covariance=covariance).fit(X, y)
    with pytest.raises(NotAvailableError, match="form='rule'"):
        persistence.save_compact(own, tmp_path / "c.safetensors")
    as_rule = onlinear.SecondOrderPerceptron(covariance=covariance, form="rule").fit(X, y)
    persistence.save_compact(as_rule, tmp_path / "c.safetensors", dtype="float32")
    assert (onlinear.load(tmp_path / "c.safetensors").predict(X) == as_rule.predict(X)).all()


@pytest.mark.parametrize("size", [1e-7, 1.0, 1e7])
def test_half_precision_keeps_three_digits_of_weights_of_any_size(size: float, tmp_path: Path) -> None:
    """float16 ends at 65,504 and loses digits below 6e-5; weights are scaled into its range before they are cut."""
    X, y = np.random.default_rng(0).normal(size=(200, 5)) / size, np.arange(200) % 2
    X[:, 0] += (2 * y - 1) / size
    model = onlinear.PassiveAggressiveClassifier(variant="pa", fit_intercept=False, dtype="float64")
    model.fit(X, y)
    persistence.save_compact(model, tmp_path / "small.safetensors", dtype="float16")
    small = onlinear.load(tmp_path / "small.safetensors")

    assert 0.01 < np.abs(model.coef_).max() / size < 100
    np.testing.assert_allclose(small.coef_, model.coef_, rtol=1e-3)


def test_a_model_is_on_the_disk_before_it_takes_the_place_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file is flushed while the old one still stands, and the folder after the new one took its place."""
    path = tmp_path / "m.safetensors"
    path.write_bytes(b"old")
    flushed = []

    def note(file: int) -> None:
        what = Path(f"/dev/fd/{file}").stat()
        flushed.append((stat.S_ISDIR(what.st_mode), what.st_size > 100, path.read_bytes() == b"old"))

    monkeypatch.setattr(os, "fsync", note)
    onlinear.AROWClassifier().fit([[0.0], [1.0]], [0, 1]).save(path)

    assert [(folder, old) for folder, _, old in flushed] == [(False, True), (True, False)]
    assert flushed[0][1]  # all of it


def test_saving_sweeps_what_the_dead_left_and_spares_the_living(tmp_path: Path) -> None:
    """Two processes may save to one path at once; the file a killed one left behind belongs to nobody."""
    import subprocess
    import sys

    path = tmp_path / "m.safetensors"
    dead = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    names = {
        "ours": f".m.safetensors.0a1b2c3d.{os.getpid()}.part",
        "parent's": f".m.safetensors.0a1b2c3d.{os.getppid()}.part",
        "init's": ".m.safetensors.0a1b2c3d.1.part",
        "dead": f".m.safetensors.0a1b2c3d.{int(dead.stdout)}.part",
        "another file's": f".n.safetensors.0a1b2c3d.{int(dead.stdout)}.part",
        "nobody's": ".m.safetensors.notes.part",
    }
    for name in names.values():
        (tmp_path / name).write_text("half a model")
    onlinear.AROWClassifier().fit([[0.0], [1.0]], [0, 1]).save(path)

    left = {item.name for item in tmp_path.iterdir()}
    assert left == {path.name, *(name for who, name in names.items() if who != "dead")}


def test_a_model_remembers_its_passes(tmp_path: Path) -> None:
    """How many `fit` has made."""
    X, y = np.random.default_rng(0).normal(size=(50, 3)), np.arange(50) % 2
    onlinear.AROWClassifier(passes=4, early_stopping=False).fit(X, y).save(tmp_path / "m.safetensors")
    assert onlinear.load(tmp_path / "m.safetensors").n_passes_ == 4
