"""Every kind of model file, damaged at random and on purpose: refused, or harmless.

The tests of `test_model_files` take one model apart by hand. These take a model of every kind, among them those
that keep examples instead of weights, and those of sequences, and change whatever they hold.
"""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear.exceptions import ModelFileError

from .crafting import edited, put, raw
from .spoiling import KINDS, Bomb, Kind, classifier, spoil_description, spoil_tensor, survives

FLIPS = 1000
EDITS = 300


@pytest.fixture(params=KINDS, ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    """One kind of model after the other."""
    chosen: Kind = request.param
    return chosen


@pytest.fixture
def path(kind: Kind, tmp_path: Path) -> Path:
    """A file of a model of that kind."""
    return kind.write(tmp_path / "m.safetensors")


def test_a_sound_file_survives(kind: Kind, path: Path) -> None:
    """What is refused below is refused for what was changed."""
    assert survives(path)


def test_every_truncation_of_every_kind_is_refused(kind: Kind, path: Path) -> None:
    """From no bytes to all but one."""
    whole = path.read_bytes()
    for length in reversed(range(len(whole))):
        os.truncate(path, length)
        assert not survives(path), length
    print(f"truncations, {kind}: {len(whole)}, all refused")


def test_flipped_bits_of_every_kind_are_refused_or_harmless(kind: Kind, path: Path) -> None:
    """A thousand of them."""
    whole = path.read_bytes()
    rng = random.Random(1)
    harmless = 0
    for _ in range(FLIPS):
        place = rng.randrange(len(whole) * 8)
        damaged = bytearray(whole)
        damaged[place // 8] ^= 1 << place % 8
        put(path, damaged)
        harmless += survives(path)
    print(f"bit flips, {kind}: {FLIPS}, {harmless} harmless")
    assert harmless < FLIPS // 50


@pytest.mark.parametrize("part", ["tensors", "description"])
def test_random_edits_of_every_kind_are_refused_or_harmless(part: str, kind: Kind, path: Path) -> None:
    """Three hundred of tensors and of descriptions each, with a checksum that fits."""
    whole = path.read_bytes()
    rng = random.Random(part)
    refused = 0
    for _ in range(EDITS):
        put(path, whole)
        edited(path, lambda c, t: spoil_tensor(t, rng) if part == "tensors" else spoil_description(c, rng))
        refused += not survives(path)
    print(f"edits of {part}, {kind}: {EDITS}, {refused} refused")
    assert refused > EDITS // 4


def test_labels_that_are_there_twice_are_refused(kind: Kind, path: Path) -> None:
    """Nobody could tell which of them is meant."""
    twice = [False]

    def repeat(content: dict[str, Any], tensors: dict[str, Any]) -> None:
        if len(content["classes"]) > 1:
            content["classes"][1] = content["classes"][0]
            twice[0] = True

    edited(path, repeat)
    assert survives(path) == (not twice[0])


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), float("-inf")])
def test_no_tensor_may_hold_what_is_not_a_number(odd: float, kind: Kind, path: Path) -> None:
    """Each tensor of numbers in turn, each place in turn."""
    from onlinear.persistence import read_file

    whole = path.read_bytes()
    _, tensors = read_file(path)
    tried = 0
    for name, tensor in tensors.items():
        if tensor.dtype.kind != "f":
            continue
        for place in range(0, tensor.size, 1 + tensor.size // 20):
            put(path, whole)

            def spoil(
                content: dict[str, Any], tensors: dict[str, Any], name: str = name, place: int = place
            ) -> None:
                tensors[name] = tensors[name].copy()
                tensors[name].reshape(-1)[place] = odd

            edited(path, spoil)
            assert not survives(path), (name, place)
            tried += 1
    assert tried > 0


def test_a_kernel_model_cannot_ask_for_more_than_it_brings(tmp_path: Path) -> None:
    """A small file that says it has very many examples of very many features is refused before memory is taken."""
    path = tmp_path / "m.safetensors"
    classifier("KernelClassifier")().save(path)
    points = 300_000

    def inflate(content: dict[str, Any], tensors: dict[str, Any]) -> None:
        content["n_features"] = 4000
        content["parameters"]["max_features"] = 1 << 20
        tensors["shape"] = np.array([[1.0, 4001.0]])
        tensors["born"] = np.zeros((points, 1))
        tensors["nu"] = np.zeros((points, 1))

    edited(path, inflate)
    with pytest.raises(ModelFileError, match=r"m\.safetensors: .*examples"):
        onlinear.load(path)


def test_pickle_bytes_inside_of_a_file_are_only_bytes(kind: Kind, path: Path, tmp_path: Path) -> None:
    """A pickle in place of the tensors, of the description, and of the whole file."""
    import pickle

    bomb = pickle.dumps(Bomb())
    whole = path.read_bytes()
    size = int.from_bytes(whole[:8], "little")
    body = bytearray(whole[8 + size :])
    body[: len(bomb)] = bomb[: len(body)]
    for header, rest in ((whole[8 : 8 + size], bytes(body)), (bomb, b""), (whole[8 : 8 + size], bomb)):
        raw(path, header, rest)
        assert not survives(path)
    path.write_bytes(bomb)
    with pytest.raises(ModelFileError, match="pickle"):
        onlinear.load(path)
