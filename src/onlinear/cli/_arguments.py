"""From the words of a command line to values, and from results to lines."""

from __future__ import annotations

import json
import sys
from math import isfinite
from typing import TYPE_CHECKING, Any

from ._errors import UsageError, printable

if TYPE_CHECKING:
    from ..model.types import Values

__all__ = ["complain", "needed", "reader_options", "say", "say_json", "values_of"]


def say(text: str) -> None:
    """Write a line."""
    sys.stdout.write(f"{text}\n")


def complain(text: str) -> None:
    """Tell of something that may be wrong, beside what is asked for."""
    sys.stderr.write(f"onlinear: {printable(text)}\n")


def say_json(value: object) -> None:
    """Write a line of JSON, which has no word for what is no number or infinite: null."""
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        text = json.dumps(_finite(value))
    say(text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _finite(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def needed(files: list[str] | None) -> list[str]:
    """The files given; none and a terminal behind standard input means that something was forgotten."""
    if files:
        return list(files)
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("no files given. Name some, or pipe data in")
    return ["-"]


def reader_options(*, format: str, ngrams: str | None, on_error: str, **plain: Any) -> Values:
    """The arguments of `onlinear.read` that the given options mean; those left out are left out."""
    given: Values = {
        "format": None if format == "auto" else format,
        "ngram_range": None if ngrams is None else _range(ngrams),
        "on_error": on_error,
        **plain,
    }
    return {
        name: value
        for name, value in given.items()
        if value is not None and value is not False and value != []
    }


def _range(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    try:
        return int(low), int(high if dash else low)
    except ValueError:
        raise UsageError(f"--ngrams takes a number or a range, as 2 or 1-3, got {text!r}") from None


def values_of(pairs: list[str]) -> Values:
    """Parameters from ``name=value``; numbers, true, false and none are what they look like.

    Raises
    ------
    UsageError
        If one has no ``=``.
    """
    found: Values = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"-p takes name=value, got {pair!r}. For example: -p C=1")
        if name in found:
            raise UsageError(f"-p {name} is given twice")
        found[name] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)
