"""Plain command lines, read without typer.

Only what is beyond doubt is read here: known options, spelled out, each with a value that is one. Everything
else, help and mistakes included, is left to typer.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._commands import COMMANDS, Argument, Command, Option

if TYPE_CHECKING:
    from ..model.types import Values

__all__ = ["read_arguments"]


class _DoubtError(Exception):
    """Typer should have a look."""


def read_arguments(arguments: list[str]) -> tuple[str, Values] | None:
    """The command and its arguments by name, or None where there is any doubt."""
    command = next((entry for entry in COMMANDS if arguments and entry.name == arguments[0]), None)
    if command is None:
        return None
    try:
        return command.name, _read(command, arguments[1:])
    except _DoubtError:
        return None


def _read(command: Command, words: list[str]) -> Values:
    known = {spelling: option for option in command.options for spelling in option.spellings}
    found: Values = {option.name: option.default for option in command.options}
    loose: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word == "-" or not word.startswith("-"):
            loose.append(word)
            continue
        spelling, equals, value = word.partition("=")
        option = known.get(spelling)
        if option is None or (equals and not spelling.startswith("--")):
            raise _DoubtError
        if option.kind in ("flag", "switch"):
            if equals:
                raise _DoubtError
            found[option.name] = spelling == option.spellings[0] or option.kind == "flag"
            continue
        if not equals:
            value = next(waiting, "-?")
            if value.startswith("-") and value != "-":
                raise _DoubtError
        _put(found, option, value)
    _place(found, command.arguments, loose)
    return found


def _put(found: Values, option: Option, value: str) -> None:
    if option.kind == "texts":
        found[option.name] = [*(found[option.name] or []), value]
    else:
        found[option.name] = _converted(option.kind, value)


def _converted(kind: str, value: str) -> Any:
    if kind == "whole":
        if not (value.isascii() and value.isdigit()) or len(value) > 18:
            raise _DoubtError
        return int(value)
    if kind == "number":
        if not value.isascii() or not set(value) <= set("0123456789.e+-"):
            raise _DoubtError
        try:
            return float(value)
        except ValueError:
            raise _DoubtError from None
    return Path(value) if kind == "path" else value


def _place(found: Values, arguments: tuple[Argument, ...], loose: list[str]) -> None:
    """Give the positional words to their arguments; the last may take any number."""
    for argument in arguments:
        if argument.kind == "texts":
            found[argument.name], loose = loose, []
            continue
        if not loose:
            if argument.required:
                raise _DoubtError
            found[argument.name] = None
            continue
        found[argument.name] = _converted(argument.kind, loose.pop(0))
    if loose:
        raise _DoubtError
