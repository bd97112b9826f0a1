"""Waiting for something to become true, instead of for some time; and processes that never outlive their test."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

#: Far more than any condition takes on a slow machine: only a test that fails waits so long.
DEADLINE = 300.0


def wait_for(condition: Callable[[], bool]) -> None:
    """Look again and again until it holds; a condition that never does fails the test."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.001)


@contextmanager
def process_of_test(command: list[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:
    """A process that is gone when it is left, with all it has started: a test that fails must not wait for it."""
    with subprocess.Popen(command, start_new_session=True, **options) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
