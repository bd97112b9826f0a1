"""Rebuilding native objects from their parameters."""

from typing import Any, TypeVar

T = TypeVar("T")


def rebuild(cls: type[T], parameters: dict[str, Any]) -> T:
    """Call `cls` with `parameters`; pickles of rules, beliefs and tasks name this function."""
    return cls(**parameters)
