"""The command ``onlinear``.

Little is imported here, so that the process starts at once and its signals are looked after before anything
large is imported; what a command needs is imported when it runs. The process of the command never imports
scikit-learn and scipy.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import NoReturn

__all__ = ["as_process", "entry", "main"]

#: Exit codes beside 0: bad data or files, a wrong command line, Ctrl-C, nobody reads our output any more.
DATA, USAGE, INTERRUPTED, BROKEN_PIPE = 1, 2, 130, 141


def entry() -> None:
    """Run the command line and end the process: what the installed command calls."""
    as_process(_command)


def _command() -> int:
    import gc
    import os

    from .. import _core

    # Modules make objects by the thousand and hardly any rubbish: looking for it takes a twentieth of a short run.
    gc.set_threshold(100_000, 50, 100)
    # numpy's BLAS would start a thread for every processor, and nothing here multiplies matrices.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # For this process alone: what one run of a command learns from may not be worth the making of huge pages.
    _core.put_off_huge_pages()
    return _run(sys.argv[1:])


def as_process(run: Callable[[], int]) -> NoReturn:
    """Run something as all that this process does, and end it with the exit code.

    It ends at once, without taking the interpreter down object by object: that costs a tenth of a short run, and a
    Ctrl-C in the middle of it would show a traceback. All files are closed by then.
    """
    import os

    from ._signals import stop_on_signals

    stop_on_signals()
    from ._streams import prepare

    prepare()
    code = guarded(run)
    if sys.stderr is not None:
        sys.stderr.flush()
    os._exit(code)


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


def guarded(run: Callable[[], int]) -> int:
    """Run something and write out what it said; what goes wrong is told in a line, and by the exit code."""
    from ._signals import Stopped

    try:
        _take_any_text()
        code = run()
        sys.stdout.flush()
        return code
    except (KeyboardInterrupt, Stopped) as error:
        sys.stderr.write("onlinear: interrupted\n")
        return error.code if isinstance(error, Stopped) else INTERRUPTED
    except BrokenPipeError:
        _let_go_of_stdout()
        return BROKEN_PIPE
    except Exception as error:
        from ._errors import explain, printable

        message, code = explain(error)
        sys.stderr.write(f"onlinear: {printable(message)}\n")
        return code


def _take_any_text() -> None:
    """A process without outputs has nobody to tell; an output that lacks a letter shows its escape."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            import os

            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115  for as long as the process lives
        elif getattr(stream, "errors", None) == "strict":
            stream.reconfigure(errors="backslashreplace")


def _run(arguments: list[str]) -> int:
    from ._actions import act
    from ._quick import read_arguments

    plain = read_arguments(arguments)
    if plain is not None:
        return act(*plain)
    from ._typer import run

    return run(arguments, act)


def _let_go_of_stdout() -> None:
    """The reader of our output has gone; flushing at exit must not complain again."""
    import os

    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        setattr(sys, "stdout", None)  # noqa: B010  typeshed says it is never None
