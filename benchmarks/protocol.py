"""The words of a benchmark: a scenario is contestants on equal data, and what we promise about them.

A contestant lives in a process of its own. `start` does all that is not measured (imports, loading,
parsing) and returns the *turn*; the harness then calls the turns round robin, so that whatever a
neighbour on the machine does, it does to everybody::

    peer, us, limit, peer, us, limit, ...

A turn makes several passes, each on a fresh model, and reports the best: the others were disturbed.
The figures of a scenario are medians over the rounds; its ratios are medians of the ratios within a
round.
"""

from __future__ import annotations

import importlib.util
import resource
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from benchmarks.data import Sets

Team = Literal["us", "peer", "limit"]
Quantity = Literal["cpu", "wall", "rss_mb", "held_out", "microseconds"]


@dataclass
class Measurement:
    """What one turn brought. Times in seconds; `cpu` is user and system time of all threads."""

    cpu: float
    wall: float
    rss_mb: float = 0.0
    examples: int | None = None
    nonzeros: int | None = None
    progressive: float | None = None
    held_out: float | None = None
    note: str = ""
    curve: list[tuple[float, float]] = field(default_factory=list)

    @property
    def microseconds(self) -> float:
        """CPU time an example."""
        return self.cpu / max(self.examples or 1, 1) * 1e6


Turn = Callable[[], Measurement]


@dataclass(frozen=True)
class Arena:
    """What a contestant is given."""

    data: Sets
    scratch: Path
    passes: int


@dataclass(frozen=True)
class Contestant:
    """Somebody who can do the scenario's work.

    `needs` names Python modules, and commands as "command:g++"; who lacks one is named as skipped.
    `once` is for those who run for seconds on end: one round is enough to know their error.
    """

    name: str
    team: Team
    start: Callable[[Arena], Turn]
    needs: tuple[str, ...] = ()
    once: bool = False

    def missing(self) -> list[str]:
        """Return what this contestant needs and the machine has not."""
        return [need for need in self.needs if not _present(need)]


def _present(need: str) -> bool:
    kind, _, name = need.rpartition(":")
    if kind == "command":
        return find_command(name) is not None
    return importlib.util.find_spec(name) is not None


def find_command(name: str) -> str | None:
    """Return the command's path; first beside this Python, whose environment need not be active."""
    return shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)


@dataclass(frozen=True)
class Target:
    """A promise about two contestants, or about one and a number.

    The ratio is `who` over `against` ("within": at most `bound`), or `against` over `who` ("faster": at
    least `bound`). Without `against` the quantity itself is at most `bound`.
    """

    who: str
    against: str | None
    bound: float
    kind: Literal["faster", "within"]
    quantity: Quantity = "cpu"

    def ratio(self, ours: float, theirs: float) -> float:
        """Return the figure that the bound is about."""
        if self.against is None:
            return ours
        return theirs / ours if self.kind == "faster" else ours / theirs

    def met(self, ratio: float) -> bool:
        """Tell whether the promise holds."""
        return ratio >= self.bound if self.kind == "faster" else ratio <= self.bound


def faster(who: str, against: str, times: float, quantity: Quantity = "cpu") -> Target:
    """`who` is at least `times` times as fast as `against`."""
    return Target(who, against, times, "faster", quantity)


def within(who: str, against: str, times: float, quantity: Quantity = "cpu") -> Target:
    """`who` needs at most `times` times as much as `against`."""
    return Target(who, against, times, "within", quantity)


def under(who: str, bound: float, quantity: Quantity) -> Target:
    """`who` needs at most `bound`."""
    return Target(who, None, bound, "within", quantity)


@dataclass(frozen=True)
class Scenario:
    """Equal work for all contestants."""

    name: str
    title: str
    contestants: tuple[Contestant, ...]
    targets: tuple[Target, ...] = ()
    sets: tuple[str, ...] = ()
    rate: Literal["nonzeros", "targets", "microseconds", "none"] = "nonzeros"

    def contestant(self, name: str) -> Contestant:
        """Return the contestant of that name."""
        return next(c for c in self.contestants if c.name == name)


class Clock:
    """CPU and wall seconds of a `with` block in this process."""

    cpu = wall = 0.0

    def __enter__(self) -> Clock:
        self._cpu, self._wall = time.process_time(), time.perf_counter()
        return self

    def __exit__(self, *_: object) -> None:
        self.cpu = time.process_time() - self._cpu
        self.wall = time.perf_counter() - self._wall


def best_pass(passes: int, fresh: Callable[[], Any], work: Callable[[Any], object]) -> tuple[Clock, Any]:
    """Time `work` on something `fresh` several times; return the clock of the best and the last model."""
    clocks, model = [], None
    for _ in range(passes):
        model = fresh()
        with Clock() as clock:
            work(model)
        clocks.append(clock)
    return min(clocks, key=lambda c: c.cpu), model


def own_peak_mb() -> float:
    """Return the most memory this process ever held; `getrusage` would count its parent's too."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.split("VmHWM:")[1].split()[0]) / 1024
