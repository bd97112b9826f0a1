"""What a run shows while it runs, on standard error: the progressive table, and a bar on a terminal."""

from __future__ import annotations

import sys
from typing import Any

from ._errors import printable
from ._summary import shown

__all__ = ["Display", "Silent", "display"]

_HEADER = (
    " average     since  {1} example          current          current   current\n"
    "{0:>8}      last  {2} counter            label          predict  features\n"
)


class Silent:
    """Shows nothing."""

    #: The next example to show, which is none.
    next_point = 0

    def row(
        self,
        label: str,
        guess: str,
        features: int,
        position: int,
        examples: float,
        mistakes: float,
        constant: float | None,
    ) -> None:
        """One line of the table; `mistakes` may be any sum that is measured, `constant` that of a constant answer."""

    def advance(self, done: int, total: int | None, position: int) -> None:
        """How many bytes are read."""

    def note(self, text: str) -> None:
        """A remark."""

    def close(self) -> None:
        """Leave the terminal as it was."""


class Display(Silent):
    """A progressive validation table in the manner of Vowpal Wabbit: at examples 1, 2, 4, 8, ..."""

    def __init__(self, position: int = 0, measure: str = "error", baseline: str | None = None) -> None:
        self.next_point = 1
        while self.next_point <= position:
            self.next_point *= 2
        self._measure, self._baseline = measure.split()[-1], baseline
        self._last = (0.0, 0.0)
        self._started = False

    def row(
        self,
        label: str,
        guess: str,
        features: int,
        position: int,
        examples: float,
        mistakes: float,
        constant: float | None,
    ) -> None:
        """One line of the table."""
        if not self._started:
            heads = ("", "") if constant is None else (f"{self._baseline:>8}  ", f"{'always':>8}  ")
            self._write(_HEADER.format(self._measure, *heads))
            self._started = True
        before, wrong = self._last
        since = (mistakes - wrong) / max(examples - before, 1)
        self._last = (examples, mistakes)
        average = mistakes / max(examples, 1)
        always = "" if constant is None else f"{shown(constant / max(examples, 1), 6):>8}  "
        self._write(
            f"{shown(average, 6):>8}  {shown(since, 6):>8}  {always}{position:8d} "
            f"{_cut(label):>16} {_cut(guess):>16}  {features:8d}\n"
        )
        self.next_point *= 2

    def note(self, text: str) -> None:
        """A remark."""
        self._write(f"{text}\n")

    def _write(self, text: str) -> None:
        sys.stderr.write(text)
        sys.stderr.flush()


class Bar(Display):
    """The same with a bar below: share of the bytes, rate, time left."""

    def __init__(self, position: int = 0, measure: str = "error", baseline: str | None = None) -> None:
        super().__init__(position, measure, baseline)
        from rich.console import Console
        from rich.progress import (
            BarColumn,
            Progress,
            SpinnerColumn,
            TaskProgressColumn,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
            TransferSpeedColumn,
        )

        self._progress = Progress(
            SpinnerColumn(),
            BarColumn(),
            TaskProgressColumn(),
            TransferSpeedColumn(),
            TextColumn("{task.fields[examples]:,} examples, {task.fields[rate]:,.0f}/s"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task: Any = None
        self._begun = position

    def advance(self, done: int, total: int | None, position: int) -> None:
        """Move the bar."""
        if self._task is None:
            self._progress.start()
            self._task = self._progress.add_task("", total=total, examples=0, rate=0.0)
        elapsed = self._progress.tasks[0].elapsed or 0.0
        rate = (position - self._begun) / elapsed if elapsed > 0 else 0.0
        self._progress.update(self._task, completed=done, total=total, examples=position, rate=rate)

    def _write(self, text: str) -> None:
        if self._task is None:
            super()._write(text)
        else:
            self._progress.console.print(text.rstrip("\n"), markup=False, highlight=False)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._task is not None:
            self._progress.stop()


def display(quiet: bool, position: int = 0, measure: str = "error", baseline: str | None = None) -> Silent:
    """What suits the terminal."""
    if quiet:
        return Silent()
    return (Bar if sys.stderr.isatty() else Display)(position, measure, baseline)


def _cut(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 16 else f"{text[:15]}…"
