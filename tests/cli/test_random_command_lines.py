"""A thousand random command lines: an exit code of the three, never a traceback; and both parsers agree."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from onlinear.cli import main
from onlinear.cli._commands import COMMANDS, Command, Option
from onlinear.cli._quick import read_arguments

from .commands import write_svmlight

COUNT = 1000


def _value(rng: random.Random, option: Option, places: list[str]) -> str:
    if rng.random() < 0.15:
        return rng.choice(["", "-1", "nan", "1e400", "?", "ünï", "0x10", "--", "9" * 30, "a=b", "1_0"])
    if option.kind == "whole":
        return str(rng.choice([0, 1, 2, 3, 10, 31, 100]))
    if option.kind == "number":
        return rng.choice(["0", "0.1", "0.5", "1", "2"])
    if option.kind == "path":
        return rng.choice(places)
    return rng.choice(
        [
            *[
                "arow",
                "scw1",
                "pa",
                "C=1",
                "r=0.5",
                "confidence=2",
                "svmlight",
                "vw",
                "csv",
                "auto",
                "skip",
                "stop",
            ],
            *places,
            *["float64", "float32", "label", "word", "1-2", "x"],
        ]
    )


def _command_line(rng: random.Random, command: Command, places: list[str]) -> list[str]:
    words = [command.name]
    for argument in command.arguments:
        if rng.random() < 0.9:
            words.append(rng.choice(places))
        if argument.kind == "texts" and rng.random() < 0.2:
            words.append(rng.choice(places))
    for option in rng.sample(command.options, min(len(command.options), rng.randrange(5))):
        spelling = rng.choice(option.spellings)
        if option.kind in ("flag", "switch"):
            words.append(spelling)
        elif rng.random() < 0.3:
            words.append(f"{spelling}={_value(rng, option, places)}")
        else:
            words += [spelling, _value(rng, option, places)]
    if rng.random() < 0.05:
        words.insert(rng.randrange(len(words) + 1), rng.choice(["--bogus", "-z", "--", "-", "--help", ""]))
    return words


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A folder with good data, bad data, a model, and names of nothing; standard input is empty."""
    monkeypatch.chdir(tmp_path)
    write_svmlight(tmp_path / "good.svm", 20)
    (tmp_path / "bad.svm").write_bytes(b"1 1:1\n\xff\xfe\x00garbage\n")
    (tmp_path / "text.jsonl").write_text('{"label": "a", "text": "b c"}\n{"label": "b", "text": "d"}\n')
    (tmp_path / "folder").mkdir()
    assert main(["train", "good.svm", "-q", "--save", "model.safetensors"]) == 0
    return [
        "good.svm",
        "good.svm",
        "bad.svm",
        "text.jsonl",
        "model.safetensors",
        "model.safetensors",
        "out.safetensors",
        "out.svm",
        "folder",
        "nothing.svm",
        "no/such/place",
        "folder/c",
    ]


def test_a_thousand_random_command_lines(
    places: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Exit code 0, 1 or 2, and whoever fails says why on standard error."""
    import io
    import os
    import sys

    empty = os.open(os.devnull, os.O_RDONLY)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.FileIO(empty, "rb", closefd=False)))
    rng = random.Random(20)
    commands = [command for command in COMMANDS if command.name != "demo"]
    codes = {0: 0, 1: 0, 2: 0}
    for _ in range(COUNT):
        words = _command_line(rng, rng.choice(commands), places)
        code = main(words)
        _, err = capfd.readouterr()
        assert code in codes, (words, code, err)
        assert "Traceback" not in err, (words, err)
        assert "Please report" not in err, (words, err)
        assert code == 0 or err.startswith("onlinear: ") or "\nonlinear: " in err, (words, err)
        codes[code] += 1
    os.close(empty)
    print(f"random command lines: {COUNT}, exit codes {codes}")
    assert min(codes.values()) > 50


def test_the_quick_parser_and_typer_read_alike(places: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    """Whatever the quick parser reads, typer reads as the same command with the same values."""
    from onlinear.cli._typer import application

    app = application()
    rng = random.Random(7)
    compared = 0
    while compared < 300:
        words = _command_line(rng, rng.choice(COMMANDS), places)
        quick = read_arguments(words)
        if quick is None:
            continue
        assert _normal(app(words, prog_name="onlinear", standalone_mode=False)) == _normal(quick), words
        compared += 1


def _normal(read: tuple[str, dict[str, Any]]) -> tuple[str, dict[str, Any]]:
    """Lists compare as lists, and an empty one is none."""
    name, given = read
    return name, {
        key: list(value) or None if isinstance(value, list | tuple) else value for key, value in given.items()
    }
