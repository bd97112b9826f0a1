"""The command ``onlinear``.

Little is imported here, so that the process starts at once and its signals are looked after before anything
large is imported; what a command needs is imported when it runs. The process of the command never imports
scikit-learn and scipy.
"""

from __future__ import annotations

import os
import sys

from ._exit_codes import BROKEN_PIPE, INTERRUPTED
from ._signals import Stopped, stop_on_signals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

__all__ = ["as_process", "entry", "main"]


def entry() -> None:
    """Run the command line and end the process: what the installed command calls."""
    as_process(lambda: _run(sys.argv[1:], alone=True))


def as_process(run: Callable[[], int]) -> NoReturn:
    """Run something as all that this process does, and end it with the exit code.

    It ends at once, without taking the interpreter down object by object: that costs a tenth of a short run, and a
    Ctrl-C in the middle of it would show a traceback. All files are closed by then.
    """
    code = guarded(run, _prepare)
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


def _prepare() -> None:
    """Look after the signals of this process, and give it its streams."""
    stop_on_signals()
    from ._streams import prepare  # by now signals are looked after

    prepare()


def main(arguments: list[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : list of str, optional
        By default those of the process.

    Returns
    -------
    int
        The exit code: 0, 1 for data, 2 for usage.
    """
    return guarded(lambda: _run(sys.argv[1:] if arguments is None else arguments))


def _run(arguments: list[str], *, alone: bool = False) -> int:
    """Run a command; `alone` in its process, which can be set up for it."""
    # By now signals are looked after, and `guarded` tells what goes wrong, in an import too.
    from ._running import run

    return run(arguments, alone=alone)


def guarded(run: Callable[[], int], prepare: Callable[[], None] | None = None) -> int:
    """Run something and write out what it said; what goes wrong is told in a line, and by the exit code."""
    try:
        if prepare is not None:
            prepare()
        _take_any_text()
        code = run()
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, Stopped) as error:
        if sys.stderr is not None:
            sys.stderr.write("onlinear: interrupted\n")
        return error.code if isinstance(error, Stopped) else INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return BROKEN_PIPE
    except Exception as error:
        from ._errors import explain, printable  # most runs go well, and need none of it

        message, code = explain(error)
        sys.stderr.write(f"onlinear: {printable(message)}\n")
        return code


def _take_any_text() -> None:
    """A process without outputs has nobody to tell; an output that lacks a letter shows its escape."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  for as long as the process lives
        elif getattr(stream, "errors", None) == "strict":
            stream.reconfigure(errors="backslashreplace")


def _let_go_of_stdout() -> None:
    """The reader of our output has gone; flushing at exit must not complain again."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        setattr(sys, "stdout", None)  # noqa: B010  typeshed says it is never None
