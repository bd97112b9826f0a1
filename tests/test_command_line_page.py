"""The page about the command line: every example says what it really prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from .waiting import DEADLINE

PAGE = Path(__file__).parent.parent / "docs" / "command_line.md"


def examples() -> list[tuple[str, str]]:
    """All commands of the page with their output, in order."""
    found = []
    for block in re.findall(r"```console\n(.*?)```", PAGE.read_text(), flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, output = part.partition("\n")
            found.append((command, output))
    return found


def steady(text: str) -> str:
    """Output without what differs between runs and machines: time, sizes in bytes, the last digits of numbers."""
    text = re.sub(r"^time .*$", "time", text, flags=re.MULTILINE)
    text = re.sub(r"[\d,]+ (bytes|before)", r"# \1", text)
    return re.sub(r"\d+\.\d+", lambda number: f"{float(number[0]):.3f}", text).strip()


def test_every_example_prints_what_the_page_says(tmp_path: Path) -> None:
    """In the order of the page, in an empty folder."""
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "onlinear").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m onlinear "$@"\n')
    (bin / "onlinear").chmod(0o755)
    folder = tmp_path / "empty"
    folder.mkdir()
    environment = {**os.environ, "PATH": f"{bin}:{os.environ['PATH']}", "COLUMNS": "100"}
    tried = 0
    for command, output in examples():
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
            timeout=DEADLINE,
        )
        assert steady(done.stdout) == steady(output), command
        tried += 1
    assert tried > 10


@pytest.mark.parametrize("name", ["train", "predict", "evaluate", "inspect", "convert", "algorithms", "demo"])
def test_the_page_names_every_command(name: str) -> None:
    """None is left out."""
    assert f"| `{name}` |" in PAGE.read_text()


def test_the_page_names_no_option_that_is_not_there() -> None:
    """Every option on the page is in the table of commands."""
    from onlinear.cli._commands import COMMANDS

    known = {spelling for command in COMMANDS for option in command.options for spelling in option.spellings}
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE.read_text())) - {"--help"}
    assert named <= known
