"""The typer application made from the table of commands: help, and all that `_quick` left in doubt."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from ._commands import COMMANDS, SUMMARY, Argument, Command, Option
from ._exit_codes import USAGE

if TYPE_CHECKING:
    from ..model.types import Values

__all__ = ["application", "run"]

_TYPES: Values = {
    "flag": bool,
    "switch": bool | None,
    "text": str,
    "whole": int,
    "number": float,
    "path": Path,
    "texts": list[str],
}


def application() -> typer.Typer:
    """The application: a parser, whose commands answer with their name and arguments."""
    app = typer.Typer(
        name="onlinear",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
        help=SUMMARY,
    )
    for command in COMMANDS:
        # Two line ends: the help is flowing text, and an example is a line of its own.
        epilog = "Examples:\n\n" + "\n\n".join(command.examples) if command.examples else None
        app.command(command.name, help=command.help, epilog=epilog)(_function(command))

    app.callback(help=SUMMARY)(_root)
    return app


def _tell_version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"onlinear {__version__}\n")
        raise typer.Exit


def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_tell_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Do nothing before the command."""


def _function(command: Command) -> Callable[..., tuple[str, Values]]:
    """A function with the signature typer reads."""

    def call(**given: Any) -> tuple[str, Values]:
        return command.name, given

    parameters = [*map(_argument, command.arguments), *map(_option, command.options)]
    call.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    call.__name__ = command.name
    return call


def _argument(argument: Argument) -> inspect.Parameter:
    kind = _TYPES[argument.kind]
    info = typer.Argument(metavar=argument.metavar, help=argument.help, show_default=False)
    default = inspect.Parameter.empty if argument.required else None
    return _parameter(argument.name, kind if argument.required else kind | None, info, default)


def _option(option: Option) -> inspect.Parameter:
    spellings = ["/".join(option.spellings)] if option.kind == "switch" else list(option.spellings)
    info = typer.Option(
        *spellings, help=option.help, metavar=option.metavar, show_default=option.default not in (None, False)
    )
    kind = _TYPES[option.kind]
    return _parameter(option.name, kind if option.default is not None else kind | None, info, option.default)


def _parameter(name: str, kind: Any, info: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, info]
    )


def run(arguments: list[str], act: Callable[[str, Values], int]) -> int:
    """Parse, and call `act` with a command's name and arguments; usage errors become one line and exit code 2."""
    try:
        result = application()(arguments, prog_name="onlinear", standalone_mode=False)
    except SystemExit:  # what typer makes of a closed pipe, and of nothing else here
        raise BrokenPipeError from None
    except Exception as error:
        if not hasattr(error, "exit_code") or not hasattr(error, "format_message"):
            raise
        return _usage(error)
    # Outside of typer, which has its own ideas of what errors and interruptions mean.
    return act(*result) if isinstance(result, tuple) else result if isinstance(result, int) else 0


def _usage(error: Any) -> int:
    """What the parser did not understand, and where to look."""
    message = error.format_message()
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":
        if message:  # elsewhere the help has been printed by now
            sys.stderr.write(f"{message}\n")
        return USAGE
    path = context.command_path if context is not None else "onlinear"
    sys.stderr.write(f"onlinear: {message}\nSee: {path} --help\n")
    return USAGE
