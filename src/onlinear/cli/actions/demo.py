"""``onlinear demo``: the demonstration, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from .._exit_codes import INTERRUPTED
from .._signals import Stopped

__all__ = ["run"]


def run(output: Path | None, limit: int | None) -> int:
    """Run the demonstration; it uses scikit-learn, which this process does without."""
    given = {"--output": output, "--limit": limit}
    words = [str(word) for pair in given.items() if pair[1] is not None for word in pair]
    sys.stdout.flush()
    with subprocess.Popen([sys.executable, "-m", "onlinear.demo", *words]) as process:
        try:
            return process.wait()
        except (
            KeyboardInterrupt,
            Stopped,
        ) as asked:  # a terminal tells both; who tells this process alone means both
            try:
                return process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                process.terminate()
                process.wait()  # it has said that it was interrupted
                return asked.code if isinstance(asked, Stopped) else INTERRUPTED
