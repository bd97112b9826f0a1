"""From words on the command line to the action they ask for."""

from __future__ import annotations

import gc
import os

from ._quick import read_arguments
from .actions import act

__all__ = ["run"]


def run(arguments: list[str], *, alone: bool = False) -> int:
    """Run a command; returns the exit code. `alone` in its process, which can be set up for it."""
    if alone:
        # Modules make objects by the thousand and hardly any rubbish: looking for it takes a twentieth of a short run.
        gc.set_threshold(100_000, 50, 100)
        # numpy's BLAS would start a thread for every processor, and nothing here multiplies matrices.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    plain = read_arguments(arguments)
    if plain is not None:
        return act(*plain)
    from ._typer import run as run_typer  # typer takes longer to import than a short command to run

    return run_typer(arguments, act)
