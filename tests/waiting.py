"""Waiting for something to become true, instead of for some time."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Far more than any condition takes on a slow machine: only a test that fails waits so long.
DEADLINE = 120.0


def wait_for(condition: Callable[[], bool]) -> None:
    """Look again and again until it holds; a condition that never does fails the test."""
    end = time.monotonic() + DEADLINE
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.001)
