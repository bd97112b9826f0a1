"""Ctrl-C as a request: finish the step at hand, then stop."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any, Self

from ._signals import SIGNALS, put_off

__all__ = ["Interrupt"]


class Interrupt:
    """Turns the first Ctrl-C (or SIGTERM) into a flag.

    While waiting for data (`waiting`) it interrupts at once. A second Ctrl-C always does.
    """

    def __init__(self) -> None:
        self.asked: int | None = None
        self._waiting = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        for number in SIGNALS:
            try:
                self._before[number] = signal.signal(number, self._take)
            except ValueError:  # not the main thread: whoever runs us deals with signals
                break
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:
        again = self.asked is not None
        self.asked = number
        if (self._waiting or again) and not put_off(number, frame):
            raise KeyboardInterrupt

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Within this, a Ctrl-C does not wait for its turn."""
        self._waiting = True
        try:
            yield
        finally:
            self._waiting = False

    @property
    def code(self) -> int:
        """The exit code shells give a process ended so."""
        return 128 + (self.asked or signal.SIGINT)
