"""A labeler that is interrupted between the names it reads and the weights it learns is a whole model all the same."""

from __future__ import annotations

import copy
import pickle
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear import SequenceLabeler
from onlinear.cli import _conll, _sequence
from onlinear.sequence import model as sequence_model
from onlinear.sequence import reading
from onlinear.sequence.model import SequenceModel

from ..cli.commands import onlinear as run
from ..cli.commands import start, stop
from .test_killed_processes import wait_for_files

RULES = ["pa1", "arow", "perceptron"]


def sentences(first: int, count: int) -> tuple[list[Any], list[Any]]:
    """Sentences whose words and labels nobody has met before `first`."""
    X = [[[f"w={10 * i + j}"] for j in range(3)] for i in range(first, first + count)]
    y = [[f"L{(i + j) % 4 + first}" for j in range(3)] for i in range(first, first + count)]
    return X, y


def assert_whole(model: SequenceLabeler, path: Path) -> None:
    """It saves, loads, copies and answers, everywhere the same."""
    model.save(path)
    loaded = onlinear.load(path)
    assert loaded.digest() == model.digest()
    assert copy.deepcopy(model).digest() == model.digest()
    assert pickle.loads(pickle.dumps(model)).digest() == model.digest()
    labels, features = len(model.classes_), len(model.feature_names_)
    assert model.emissions_.shape == (labels, features)
    assert model.transitions_.shape == (labels, labels)
    X = sentences(0, 5)[0]
    assert loaded.predict(X) == model.predict(X)


class Interrupted(Iterator[Any]):
    """Tokens that are interrupted when they come to a place."""

    def __init__(self, tokens: list[Any], place: int) -> None:
        self._tokens, self._place = iter(enumerate(tokens)), place

    def __next__(self) -> Any:
        number, token = next(self._tokens)
        if number == self._place:
            raise KeyboardInterrupt
        return token


def interrupt_after(method: str, monkeypatch: pytest.MonkeyPatch, owner: Any = SequenceModel) -> None:
    """Let Ctrl-C come as soon as a method has done its work."""
    original = getattr(owner, method)

    def interrupted(*arguments: Any, **named: Any) -> Any:
        original(*arguments, **named)
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, method, interrupted)


def interrupt_before(method: str, monkeypatch: pytest.MonkeyPatch, owner: Any = SequenceModel) -> None:
    """Let Ctrl-C come where a method would begin."""

    def interrupted(*arguments: Any, **named: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(owner, method, interrupted)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("place", range(3))
def test_ctrl_c_amid_the_features_of_a_token(rule: str, place: int, tmp_path: Path) -> None:
    """The features are any iterable, so Python runs while they are read; nothing of the batch is kept."""
    model = SequenceLabeler(rule=rule).partial_fit(*sentences(0, 20))
    before = model.digest()
    X, y = sentences(100, 5)
    X[3] = [X[3][0], Interrupted(["a", "b", "c"], place), X[3][2]]
    with pytest.raises(KeyboardInterrupt):
        model.partial_fit(X, y)

    assert model.digest() == before
    assert_whole(model, tmp_path / "m.safetensors")


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    ("inject", "method", "owner"),
    [
        (interrupt_after, "read_sequences", sequence_model),
        (interrupt_before, "take", SequenceModel),
        (interrupt_after, "take", SequenceModel),
        (interrupt_before, "learn", SequenceModel),
    ],
    ids=["read", "before taking", "taken", "before learning"],
)
def test_ctrl_c_between_names_and_weights(
    inject: Callable[..., None], method: str, owner: Any, rule: str, tmp_path: Path
) -> None:
    """Wherever it comes, the model is what it was; afterwards it learns as one that was never interrupted."""
    model = SequenceLabeler(rule=rule).partial_fit(*sentences(0, 20))
    before = model.digest()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        inject(method, patch, owner)
        model.partial_fit(*sentences(100, 5))
    assert model.digest() == before
    assert_whole(model, tmp_path / "m.safetensors")

    whole = SequenceLabeler(rule=rule).partial_fit(*sentences(0, 20)).partial_fit(*sentences(100, 5))
    assert model.partial_fit(*sentences(100, 5)).digest() == whole.digest()


@pytest.mark.parametrize("method", ["take", "learn"])
def test_ctrl_c_in_the_first_batch_leaves_no_model(method: str) -> None:
    """Nothing was learned, so there is nothing to predict with."""
    model = SequenceLabeler()
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt_before(method, patch)
        model.partial_fit(*sentences(0, 5))
    with pytest.raises(ValueError, match="has learned nothing yet"):
        model.predict([])


def test_ctrl_c_after_learning_keeps_what_was_learned(tmp_path: Path) -> None:
    """The batch is in the model then, names and weights."""
    model = SequenceLabeler().partial_fit(*sentences(0, 20))
    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        interrupt_after("learn", patch)
        model.partial_fit(*sentences(100, 5))
    assert model.n_seen_ == 25
    assert "w=1000" in model.feature_names_
    assert_whole(model, tmp_path / "m.safetensors")


def test_names_without_weights_are_written_with_weights(tmp_path: Path) -> None:
    """Even where nobody takes them back, as when a second Ctrl-C comes: what is saved can be loaded."""
    model = SequenceLabeler(rule="arow").partial_fit(*sentences(0, 20))
    X, y = sentences(100, 5)
    index = {label: number for number, label in enumerate(model.classes_.tolist())}
    reading.read_sequences(model.model_.native, X, y, index, learning=True, new_labels=True)

    assert_whole(model, tmp_path / "m.safetensors")
    assert onlinear.load(tmp_path / "m.safetensors").classes_.tolist() == list(index)
    assert np.all(model.emissions_[:, model.feature_names_.index("w=1000")] == 0)


def write_conll(path: Path, blocks: int) -> Path:
    """A file of several blocks, each with words and labels of its own."""
    lines = []
    for i in range(blocks * 4000):
        lines += [f"word{i} T{i % 7} B-{i // 4000}", f"other{i} T{i % 5} I-{i // 4000}", ""]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize("place", [1, 2, 3])
@pytest.mark.parametrize("method", ["feed", "take", "take_lines", "labels"])
def test_ctrl_c_while_a_file_is_read(method: str, place: int, tmp_path: Path) -> None:
    """Before or behind each call of the native reader, in `partial_fit_file`: the blocks learned stay learned."""
    data = write_conll(tmp_path / "s.conll", 2)
    native, calls = sequence_model._core.ConllReader, [0]

    class Reader:
        """The native reader, with a Ctrl-C behind one of its calls."""

        def __init__(self, *arguments: Any) -> None:
            self._inner = native(*arguments)

        def __getattr__(self, name: str) -> Any:
            found = getattr(self._inner, name)
            if name != method:
                return found
            calls[0] += 1
            if not callable(found):
                if calls[0] == place:
                    raise KeyboardInterrupt
                return found

            def call(*given: Any) -> Any:
                done = found(*given)
                if calls[0] == place:
                    raise KeyboardInterrupt
                return done

            return call

    model = SequenceLabeler().partial_fit(*[[[["w[0]=a", "bias"]]], [["O"]]])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sequence_model._core, "ConllReader", Reader)
        try:
            model.partial_fit_file(data)
        except KeyboardInterrupt:
            assert calls[0] == place
    assert_whole(model, tmp_path / "m.safetensors")


def test_a_run_interrupted_at_any_point_of_reading_saves_a_whole_model(tmp_path: Path) -> None:
    """The command's reader, interrupted after each of its steps, at each of its blocks; and then resumed."""
    data, whole = write_conll(tmp_path / "s.conll", 3), tmp_path / "whole.safetensors"
    from onlinear.cli import main

    options = ["train", str(data), "--task", "sequence", "-q"]
    assert main([*options, "--save", str(whole)]) == 0
    points = [
        ("_count_refused", _conll.ConllFiles),
        ("take", SequenceModel),
        ("numbers", _sequence.SequenceStream),
    ]
    for number, (method, owner) in enumerate(points):
        for place in (1, 2, 4):
            folder = tmp_path / f"{number}-{place}"
            saved = folder / "m.safetensors"
            folder.mkdir()
            calls, original = [0], getattr(owner, method)

            def raised(
                *given: Any, original: Any = original, calls: list[int] = calls, place: int = place
            ) -> Any:
                done = original(*given)
                calls[0] += 1
                if calls[0] == place:
                    signal.raise_signal(signal.SIGINT)
                return done

            again = [
                *options,
                "--checkpoint",
                str(folder),
                "--every",
                "1000",
                "--resume",
                "--save",
                str(saved),
            ]
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(owner, method, raised)
                assert main(again) == 130
            assert calls[0] == place
            if saved.exists():
                assert_whole(onlinear.load(saved), tmp_path / "again.safetensors")
            assert main(again) == 0
            assert saved.read_bytes() == whole.read_bytes()


def test_real_signals_at_every_stage_of_a_run(tmp_path: Path) -> None:
    """Ctrl-C and SIGTERM, each run a little further on, until the model is the one of a run left alone."""
    data, whole, saved = (
        write_conll(tmp_path / "s.conll", 4),
        tmp_path / "w.safetensors",
        tmp_path / "m.safetensors",
    )
    options: list[object] = ["train", data, "--task", "sequence", "--every", 900, "--passes", 3, "-q"]
    assert run(*options, "--save", whole).code == 0
    checkpoint = tmp_path / "run" / "checkpoint.safetensors"
    sent = 0
    for number in [signal.SIGINT, signal.SIGTERM] * 4:
        process = start(*options, "--checkpoint", tmp_path / "run", "--resume", "--save", saved)
        wait_for_files(checkpoint, 1, process)  # a checkpoint of its own
        sent += stop(process, number).code == 128 + number
        onlinear.load(checkpoint)
    assert sent > 0
    assert run(*options, "--checkpoint", tmp_path / "run", "--resume", "--save", saved).code == 0
    assert saved.read_bytes() == whole.read_bytes()
