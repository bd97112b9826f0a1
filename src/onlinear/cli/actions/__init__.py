"""What each command does: a module each, whose `run` takes the command's arguments by name."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module

__all__ = ["act"]


def act(command: str, given: dict[str, object]) -> int:
    """Run a command; returns the exit code.

    Its module is imported here, and no other: half of them need NumPy, which takes longer than a short command.
    """
    run: Callable[..., int | None] = import_module(f".{command}", __name__).run
    return run(**given) or 0
