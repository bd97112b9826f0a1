"""Signals that end the command's process: one line and an exit code, whatever it was doing.

This is the first module of the process; it imports nothing that takes time.
"""

from __future__ import annotations

import _thread
import os
import signal
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType

__all__ = ["SIGNALS", "Stopped", "put_off", "stop_on_signals"]

SIGNALS = (signal.SIGINT, signal.SIGTERM)

#: Seconds between two looks whether an import is over.
_AGAIN = 0.01


class Stopped(BaseException):
    """The process was asked to end, by Ctrl-C or SIGTERM."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        #: The exit code shells give a process ended so.
        self.code = 128 + number


def stop_on_signals() -> None:
    """Let Ctrl-C and SIGTERM raise `Stopped` in the main thread, from here on."""
    for number in SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:  # as shells set it for what runs in the background
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    if put_off(number, frame):
        return
    for each in SIGNALS:
        signal.signal(each, _end)
    raise Stopped(number)


def _end(number: int, frame: FrameType | None) -> None:
    """Asked again while what was asked for is under way: end without tidying up."""
    os._exit(128 + number)


def put_off(number: int, frame: FrameType | None) -> bool:
    """Whether a signal comes amid an import, which must not be broken off; it is then sent again a little later.

    A module whose import was broken off cannot be imported again where it is written in C, as NumPy is, and some
    modules turn what interrupts them into errors of their own.
    """
    while frame is not None and not frame.f_code.co_filename.startswith("<frozen importlib"):
        frame = frame.f_back
    if frame is None:
        return False
    here = _thread.get_ident()

    def send() -> None:
        time.sleep(_AGAIN)
        signal.pthread_kill(here, number)

    _thread.start_new_thread(send, ())
    return True
