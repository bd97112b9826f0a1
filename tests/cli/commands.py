"""Running the command: in this process where that is enough, as a real process where it is not."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from onlinear.cli import _train, main

from ..waiting import DEADLINE

ENVIRONMENT = {**os.environ, "COLUMNS": "100", "PYTHONWARNINGS": "error"}


@dataclass
class Done:
    """What a process left behind."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Standard output, read as one object."""
        return json.loads(self.out)


def onlinear(*arguments: object, stdin: bytes = b"", cwd: Path | None = None) -> Done:
    """Run ``onlinear`` as a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "onlinear", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        env=ENVIRONMENT,
        cwd=cwd,
        check=False,
        timeout=DEADLINE,
    )
    out, err = done.stdout.decode(), done.stderr.decode()
    assert "Traceback" not in err, err
    return Done(done.returncode, out, err)


def start(*arguments: object) -> subprocess.Popen[bytes]:
    """Start ``onlinear`` and do not wait for it."""
    return subprocess.Popen(
        [sys.executable, "-m", "onlinear", *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=ENVIRONMENT,
    )


def stop(process: subprocess.Popen[bytes], number: int = signal.SIGKILL) -> Done:
    """Send a signal and wait for the end."""
    process.send_signal(number)
    out, err = process.communicate(timeout=DEADLINE)
    assert b"Traceback" not in err, err.decode()
    return Done(process.returncode, out.decode(), err.decode())


def write_svmlight(path: Path, rows: int, *, features: int = 50, classes: int = 2, seed: int = 0) -> Path:
    """A file of separable but noisy rows; the labels are 1 to `classes`, or -1 and +1."""
    rng = np.random.default_rng(seed)
    truth = rng.standard_normal((classes, features))
    lines = []
    for _ in range(rows):
        columns = np.sort(rng.choice(features, 8, replace=False))
        values = rng.standard_normal(8).round(3)
        best = int(np.argmax(truth[:, columns] @ values + 0.3 * rng.standard_normal(classes)))
        label = ("-1", "+1")[best] if classes == 2 else str(best + 1)
        lines.append(f"{label} " + " ".join(f"{c + 1}:{v}" for c, v in zip(columns, values, strict=True)))
    path.write_text("\n".join(lines) + "\n")
    return path


class EnoughError(Exception):
    """A run that is to be resumed."""


def stopped(arguments: list[str], after: int) -> None:
    """Run the command until it has written so many checkpoints."""
    save, left = _train.Checkpoint.save, [after]

    def save_and_stop(self: Any, model: Any, progress: Any) -> None:
        save(self, model, progress)
        left[0] -= 1
        if left[0] == 0:
            raise EnoughError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_train.Checkpoint, "save", save_and_stop)
        assert main(arguments) == 1
