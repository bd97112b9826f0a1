"""Contestants that are whole processes: command lines, cold starts, and the bare loops."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.data import ROOT
from benchmarks.protocol import Arena, Contestant, Measurement, Turn

LIMITS = Path(__file__).parent / "limit"
LAUNCHER = Path(__file__).parent / "launch.py"

# The loop vectoriser is off because without -ffast-math GCC keeps the order of a gathered sum by
# unpacking every vector again, which makes the sparse loops up to 1.6 times slower. Where vectors pay,
# the loops name them.
COMPILE = (
    "g++",
    "-std=c++20",
    "-O3",
    "-march=native",
    "-fno-tree-loop-vectorize",
    "-fno-math-errno",
    "-Wno-psabi",
)


def run_process(argv: Sequence[str]) -> tuple[Measurement, str]:
    """Run a command to its end; CPU, wall and peak memory are the kernel's own figures for it."""
    reading, writing = os.pipe()
    try:
        launch = [sys.executable, "-I", "-S", str(LAUNCHER), str(writing), *argv]
        done = subprocess.run(
            launch, stdin=subprocess.DEVNULL, capture_output=True, text=True, pass_fds=[writing], check=False
        )
    finally:
        os.close(writing)
    with os.fdopen(reading) as figures:
        if done.returncode:
            raise RuntimeError(f"{argv[0]} ended with {done.returncode}: {done.stderr[-400:].strip()}")
        return Measurement(**json.load(figures)), done.stdout


def best_process(passes: int, argv: Sequence[str]) -> Measurement:
    """Run a command several times and return the figures of the best."""
    return min((run_process(argv)[0] for _ in range(passes)), key=lambda m: m.cpu)


def compile_limit(program: str) -> Path:
    """Compile `limit/PROGRAM.cpp`, or return the binary of an earlier run of the very same source."""
    sources = [LIMITS / f"{program}.cpp", *sorted(LIMITS.glob("*.hpp"))]
    stamp = hashlib.sha256(b"\0".join([*(s.read_bytes() for s in sources), " ".join(COMPILE).encode()]))
    binary = ROOT / ".bench" / "limit" / f"{program}-{stamp.hexdigest()[:12]}"
    if not binary.exists():
        binary.parent.mkdir(parents=True, exist_ok=True)
        aside = binary.with_suffix(f".{os.getpid()}")
        subprocess.run([*COMPILE, str(sources[0]), "-o", str(aside)], check=True)
        aside.rename(binary)
    return binary


def limit(name: str, program: str, arguments: Callable[[Arena], Sequence[str | Path]]) -> Contestant:
    """Return a bare loop as a contestant; `arguments` are those of its command line."""

    def start(arena: Arena) -> Turn:
        argv = [str(compile_limit(program)), *map(str, arguments(arena))]

        def turn() -> Measurement:
            process, printed = run_process(argv)
            return Measurement(rss_mb=process.rss_mb, **json.loads(printed))

        return turn

    return Contestant(name, "limit", start, needs=("command:g++",))


def limit_on(name: str, program: str, data: str, *more: str) -> Contestant:
    """Return a bare loop that reads the raw dump of a set, as most do."""
    return limit(
        name,
        program,
        lambda arena: [arena.data.raw(data, "train"), arena.data.raw(data, "test"), str(arena.passes), *more],
    )
