"""The demonstration."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

from ..waiting import process_of_test
from .commands import onlinear


def test_the_demonstration_runs(tmp_path: Path) -> None:
    """As a command, on what every user has."""
    done = onlinear("demo", "--limit", 300, "--output", tmp_path / "shown")

    assert done.code == 0, done.err
    assert {path.name for path in (tmp_path / "shown").iterdir()} == {
        "docstrings.safetensors",
        "progress.png",
    }


@pytest.mark.parametrize(("asked", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_who_ends_it_is_told_by_what(asked: Any, code: int, tmp_path: Path) -> None:
    """Also where the signal comes to the command alone, which passes it on in its own way."""
    command = [sys.executable, "-m", "onlinear", "demo", "--output", str(tmp_path / "shown")]
    with process_of_test(command, stdout=PIPE, stderr=PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.send_signal(asked)
        _, said = process.communicate()
    assert process.returncode == code, said
    assert said.count(b"interrupted") <= 1
