"""Descriptions and checkpoints that somebody made up, with a checksum that fits: every field is checked."""

from __future__ import annotations

import contextlib
import copy
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import onlinear
from onlinear.cli import _train, main
from onlinear.exceptions import DataError, ModelFileError, ParameterError

from ..cli.commands import stopped, write_svmlight
from .crafting import edited

STRANGE: list[Any] = [
    float("nan"),
    float("inf"),
    1e300,
    -1,
    0.5,
    2**60,
    10**30,
    True,
    None,
    "",
    "seven",
    [],
    [3],
    {},
    {"a": 1},
]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every field of a description, objects and lists included."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The same with another value at a place."""
    out = copy.deepcopy(value)
    place = out
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = new
    return out


@pytest.fixture(scope="module")
def unfinished(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[str], Path, bytes]:
    """The words of a run, its checkpoint amid the second of three passes, and the model it ends with."""
    folder = tmp_path_factory.mktemp("run")
    data = write_svmlight(folder / "a.svm", 60, features=9)
    words = ["train", str(data), "-q", "-a", "arow", "--passes", "3", "--every", "7", "--holdout", "0.2"]
    assert main([*words, "--save", str(folder / "whole.safetensors")]) == 0
    stopped([*words, "--checkpoint", str(folder)], 12)
    return words, folder / "checkpoint.safetensors", (folder / "whole.safetensors").read_bytes()


def resumed(words: list[str], checkpoint: Path, folder: Path, edit: Any) -> tuple[int, bytes]:
    """Resume from a copy of a checkpoint that was edited; the exit code, and the model where there is one."""
    shutil.copy(checkpoint, folder / "checkpoint.safetensors")
    edited(folder / "checkpoint.safetensors", edit)
    saved = folder / "m.safetensors"
    saved.unlink(missing_ok=True)
    code = main([*words, "--checkpoint", str(folder), "--resume", "--save", str(saved)])
    return code, saved.read_bytes() if saved.exists() else b""


def test_no_field_of_a_checkpoint_is_believed(
    unfinished: tuple[list[str], Path, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever stands in one: it is refused by its name, or the run ends, with the very model it would have ended with."""
    words, checkpoint, whole = unfinished
    from onlinear.persistence import read_file

    progress = read_file(checkpoint)[0]["run"]["progress"]
    assert progress["passes"] == 1
    assert progress["rows"] > 0
    refused = 0
    for path in places(progress):
        value = progress
        for key in path:
            value = value[key]
        near = (
            [value + 1, value - 1] if isinstance(value, int) and not isinstance(value, bool) else [not value]
        )
        for new in [*(STRANGE if len(path) == 1 else STRANGE[::4]), *near]:

            def edit(content: Any, tensors: Any, path: Any = path, new: Any = new) -> None:
                content["run"]["progress"] = changed(content["run"]["progress"], path, new)

            code, model = resumed(words, checkpoint, tmp_path, edit)
            told = capsys.readouterr().err
            assert "unexpected" not in told, (path, new, told)
            if code == 0:
                assert model == whole, (path, new)
            else:
                assert code == 1, (path, new, told)
                assert "field 'run" in told, (path, new, told)
                refused += 1
    assert refused > 100


@pytest.mark.parametrize("name", ["passes", "rows", "position", "finished", "total", "by_pass"])
@pytest.mark.parametrize("value", STRANGE, ids=repr)
def test_what_a_run_goes_on_by_is_refused_by_its_name(
    name: str,
    value: Any,
    unfinished: tuple[list[str], Path, bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A number of passes that is none made a run that never ended."""
    words, checkpoint, _ = unfinished
    code, _ = resumed(
        words, checkpoint, tmp_path, lambda content, tensors: content["run"]["progress"].update({name: value})
    )
    assert code == 1
    assert f"field 'run.progress.{name}" in capsys.readouterr().err


@pytest.mark.parametrize("value", [None, 5, [], "x", {"plan": 3}, {"plan": {}, "progress": {}}], ids=repr)
def test_a_run_of_another_kind_is_refused(
    value: Any,
    unfinished: tuple[list[str], Path, bytes],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The whole entry, or its parts."""
    words, checkpoint, _ = unfinished
    code, _ = resumed(words, checkpoint, tmp_path, lambda content, tensors: content.update(run=value))
    assert code == 1
    assert "field 'run" in capsys.readouterr().err


def test_a_checkpoint_with_other_parameters_is_refused(
    unfinished: tuple[list[str], Path, bytes], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The plan says which; the model would go on with its own."""
    words, checkpoint, _ = unfinished
    code, _ = resumed(
        words, checkpoint, tmp_path, lambda content, tensors: content["parameters"].update(r=5.0)
    )
    assert code == 1
    assert "field 'parameters.r' is 5.0, and the run has 1" in capsys.readouterr().err


TASKS = {
    "weights": ["--weight", "weight", "--label", "label"],
    "held out": ["--weight", "weight", "--label", "label", "--holdout", "0.3"],
    "regression": ["--task", "regression", "--weight", "weight", "--label", "label"],
    "one class": ["--task", "one-class", "--weight", "weight", "--label", "label"],
    "skipped": ["--on-error", "skip", "--label", "label"],
    "early stop": ["--early-stop", "--label", "label", "--weight", "weight"],
}


@pytest.mark.parametrize("name", TASKS)
def test_every_honest_checkpoint_is_believed(name: str, tmp_path: Path) -> None:
    """Rows without weight, held-out, refused; at each checkpoint of a run."""
    data = tmp_path / "a.csv"
    rows = [
        f"{i % 2},{i % 3},{i * 7 % 5}{'x' if name == 'skipped' and i % 9 == 0 else ''},{i}" for i in range(40)
    ]
    data.write_text("label,weight,a,b\n" + "\n".join(rows) + "\n")
    words = ["train", str(data), "-q", "--passes", "3", "--every", "8", *TASKS[name]]
    whole, saved, folder = tmp_path / "whole", tmp_path / "m", tmp_path / "run"
    assert main([*words, "--save", str(whole)]) == 0
    for after in (1, 2, 3, 5, 7):
        try:
            stopped([*words, "--checkpoint", str(folder)], after)
        except AssertionError:  # it ended before
            assert after > 3
        assert main([*words, "--checkpoint", str(folder), "--resume", "--save", str(saved)]) == 0
        assert saved.read_bytes() == whole.read_bytes()
        assert main([*words, "--checkpoint", str(folder), "--resume", "--save", str(saved)]) == 0
        assert saved.read_bytes() == whole.read_bytes()
        shutil.rmtree(folder)


# ---------------------------------------------------------------------- models


@pytest.fixture(scope="module")
def text_model(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Lines of text, and a model whose file says how they were read."""
    folder = tmp_path_factory.mktemp("text")
    data, saved = folder / "a.jsonl", folder / "m.safetensors"
    line = (
        json.dumps({"label": "spam", "text": "cheap pills"})
        + "\n"
        + json.dumps({"label": "ham", "text": "you"})
    )
    data.write_text(f"{line}\n" * 5)
    words = ["--bits", "10", "--ngrams", "1-2", "--analyzer", "char", "--text", "text", "--names", "9"]
    assert main(["train", str(data), "-q", *words, "--save", str(saved)]) == 0
    return data, saved


KEYS = [
    *_train.REMEMBERED,
    "negative",
    *(
        "source",
        "labelled",
        "multilabel",
        "on_error",
        "skip_rows",
        "ahead",
        "max_names",
        "norm",
        "weight",
        "x",
    ),
]


@pytest.mark.parametrize("key", KEYS)
def test_what_a_file_says_of_its_input_is_checked(
    key: str, text_model: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is handed to the reader: nothing but what `train` remembers, and of the right kind."""
    data, saved = text_model
    crafted = tmp_path / "m.safetensors"
    values = [*STRANGE, [1, "two"], [0, 5], [1, 2, 3], ["\ud800"], "\ud800", "svmlight", "csv", 99, ["a", 5]]
    for value in values:
        shutil.copy(saved, crafted)
        edited(crafted, lambda content, tensors, value=value: content["input"].update({key: value}))
        code = main(["predict", str(crafted), str(data)])
        told = capsys.readouterr().err
        assert "unexpected" not in told, (value, told)
        assert code in (0, 1, 2), value
        if key not in (*_train.REMEMBERED, "negative"):
            assert code == 1
            assert "field 'input'" in told
    for whole in STRANGE:
        shutil.copy(saved, crafted)
        edited(crafted, lambda content, tensors, whole=whole: content.update(input=whole))
        assert main(["predict", str(crafted), str(data)]) in (0, 1, 2), whole
        assert "unexpected" not in capsys.readouterr().err


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("value", [1e300, 2.0**60, float("nan"), -1.0, 0.5, "3", None, True, [1]], ids=repr)
def test_counters_count(place: int, value: Any, text_model: tuple[Path, Path], tmp_path: Path) -> None:
    """A number of examples seen that no integer holds became a negative one."""
    crafted = tmp_path / "m.safetensors"
    shutil.copy(text_model[1], crafted)
    edited(crafted, lambda content, tensors: content["vectors"]["counters"].__setitem__(place, value))
    if place == 3 and value in (1e300, 2.0**60, 0.5) and value is not True:  # the cost, which is any sum
        assert onlinear.load(crafted).n_seen_ == 10
    else:
        with pytest.raises(ModelFileError, match=rf"field 'vectors.counters\[{place}\]'"):
            onlinear.load(crafted)


@pytest.mark.parametrize(
    ("classes", "dtype"),
    [
        ([0.2, 0.7], "<i8"),
        ([300, 1], "|i1"),
        ([2, 0], "|b1"),
        ([0.1, 1.0], "<f2"),
        ([-1, 1], "<u4"),
        ([1e300, 1], "<f4"),
    ],
)
def test_classes_are_of_the_type_their_file_says(classes: list[Any], dtype: str, tmp_path: Path) -> None:
    """Two that become one in their type are not two classes."""
    path = tmp_path / "m.safetensors"
    onlinear.AROWClassifier().fit([[0.0], [1.0]], [0, 1]).save(path)
    edited(path, lambda content, tensors: content.update(classes=classes, classes_dtype=dtype))
    with pytest.raises(ModelFileError, match="classes"):
        onlinear.load(path)


# ---------------------------------------------------------------------- models of sequences


@pytest.fixture(scope="module")
def labeler(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Tokens, and a model that learned them from their file."""
    folder = tmp_path_factory.mktemp("tokens")
    data, saved = folder / "a.conll", folder / "m.safetensors"
    data.write_text("the DT B\ncat NN I\n\nit PRP B\nsleeps VBZ O\n\n" * 5)
    onlinear.SequenceLabeler(rule="arow").fit_file(data).save(saved)
    return data, saved


def test_no_field_of_a_labeler_is_believed(labeler: tuple[Path, Path], tmp_path: Path) -> None:
    """Whatever stands in one: the file is refused, or the model labels, or says why not, and is saved again."""
    from onlinear.persistence import read_file

    data, saved = labeler
    crafted, again = tmp_path / "m.safetensors", tmp_path / "again.safetensors"
    description = read_file(saved)[0]
    refused = 0
    for path in places(description):
        for new in STRANGE:

            def edit(content: Any, tensors: Any, path: Any = path, new: Any = new) -> None:
                content.update(changed(content, path, new))

            shutil.copy(saved, crafted)
            edited(crafted, edit)
            try:
                model = onlinear.load(crafted)
            except ModelFileError as error:
                assert "m.safetensors: " in str(error), (path, new)
                refused += 1
            else:
                with contextlib.suppress(ParameterError, DataError):  # columns the templates do not have, say
                    assert len(model.predict_file(data)) == 10, (path, new)
                model.save(again)
                assert onlinear.load(again).digest() == model.digest(), (path, new)
    assert refused > 300


@pytest.mark.parametrize("field", ["parameters", "classes", "single_precision", "columns", "scalars"])
@pytest.mark.parametrize("value", [0.5, "the", float("nan"), 5], ids=repr)
def test_a_field_of_a_labeler_is_refused_by_its_name(
    field: str, value: Any, labeler: tuple[Path, Path], tmp_path: Path
) -> None:
    """A word is no list of columns, though its letters are words too."""
    crafted = tmp_path / "m.safetensors"
    shutil.copy(labeler[1], crafted)
    edited(crafted, lambda content, tensors: content.update({field: value}))
    with pytest.raises(ModelFileError, match=f"field '{field}"):
        onlinear.load(crafted)


@pytest.mark.parametrize("place", range(5))
@pytest.mark.parametrize("value", [1e300, float("nan"), -1.0, 0.5])
def test_counters_of_a_labeler_count(
    place: int, value: float, labeler: tuple[Path, Path], tmp_path: Path
) -> None:
    """As those of rows do."""
    crafted = tmp_path / "m.safetensors"
    shutil.copy(labeler[1], crafted)
    edited(crafted, lambda content, tensors: tensors["counters"].__setitem__(place, value))
    with pytest.raises(ModelFileError, match="counters"):
        onlinear.load(crafted)
