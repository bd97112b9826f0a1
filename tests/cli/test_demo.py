"""The demonstration."""

from __future__ import annotations

from pathlib import Path

from .commands import onlinear


def test_the_demonstration_runs(tmp_path: Path) -> None:
    """As a command, on what every user has."""
    done = onlinear("demo", "--limit", 300, "--output", tmp_path / "shown")

    assert done.code == 0, done.err
    assert {path.name for path in (tmp_path / "shown").iterdir()} == {
        "docstrings.safetensors",
        "progress.png",
    }
