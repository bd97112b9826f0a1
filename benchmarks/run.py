"""`python -m benchmarks`: all contestants side by side, in turns, in one process tree."""

from __future__ import annotations

import argparse
import compileall
import importlib.util
import json
import os
import platform
import re
import selectors
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.data import ROOT, Sets
from benchmarks.protocol import Contestant, Measurement, Scenario
from benchmarks.scenarios import all_scenarios

ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
PACKAGES = ("onlinear", "numpy", "scipy", "scikit-learn", "vowpalwabbit", "river", "liblinear-official")
PATIENCE = 900.0  # seconds a turn may take before its contestant is given up


class ContestantError(RuntimeError):
    """A contestant died, did not answer, or could not start."""


class Seat:
    """A contestant's process, and the conversation with it."""

    def __init__(self, scenario: Scenario, contestant: Contestant, sets: Sets, passes: int) -> None:
        self.contestant = contestant
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 - lives as long as the process
        argv = [sys.executable, "-m", "benchmarks.worker", scenario.name, contestant.name]
        self._process = subprocess.Popen(
            [*argv, str(sets.folder), str(sets.scale), str(passes)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            bufsize=1,
        )
        self._answer()

    def turn(self) -> Measurement:
        """Ask for one turn."""
        assert self._process.stdin is not None
        print(file=self._process.stdin, flush=True)
        return Measurement(**json.loads(self._answer()))

    def leave(self) -> None:
        """End the process."""
        self._process.communicate()
        self._errors.close()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            line = self._process.stdout.readline() if selector.select(PATIENCE) else ""
        if not line:
            self._process.kill()
            self._process.wait()
            self._errors.seek(0)
            last = self._errors.read().strip().splitlines()[-1:]
            raise ContestantError(last[0] if last else f"no answer in {PATIENCE:g} s")
        return line


def run_scenario(scenario: Scenario, sets: Sets, repeat: int, passes: int) -> dict[str, Any]:
    """Let the contestants take turns; return what each brought, and who was missing."""
    for name in scenario.sets:
        sets.ensure(name)
    runs: dict[str, list[Measurement]] = {}
    skipped: dict[str, str] = {}
    seats: list[Seat] = []
    for contestant in scenario.contestants:
        missing = contestant.missing()
        if missing:
            skipped[contestant.name] = "not installed: " + ", ".join(missing)
            continue
        try:
            seats.append(Seat(scenario, contestant, sets, passes))
            runs[contestant.name] = []
        except ContestantError as reason:
            skipped[contestant.name] = str(reason)
    for i in range(repeat):
        for seat in [s for s in seats if i == 0 or not s.contestant.once]:
            try:
                runs[seat.contestant.name].append(seat.turn())
            except ContestantError as reason:
                skipped[seat.contestant.name] = str(reason)
                runs.pop(seat.contestant.name)
                seats.remove(seat)
    for seat in seats:
        seat.leave()
    return report.summarise(scenario, runs, skipped)


def machine() -> dict[str, Any]:
    """Return what the figures were measured on."""
    versions: dict[str, str | None] = {}
    for package in PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = None
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": versions,
    }


def _processor() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return found.group(1) if found else platform.processor()


def parse(argv: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", metavar="REGEX", default="", help="only scenarios whose name matches")
    parser.add_argument("--repeat", metavar="N", type=int, help="rounds (5)")
    parser.add_argument("--passes", metavar="N", type=int, help="passes a turn, of which the best counts (7)")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures there")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="draw the learning curves there")
    parser.add_argument(
        "--quick", action="store_true", help="a tenth of the data, one round: does it all run?"
    )
    parser.add_argument("--strict", action="store_true", help="fail unless every target is met")
    parser.add_argument("--list", action="store_true", help="name the scenarios and stop")
    return parser.parse_args(argv)


def compile_our_modules() -> None:
    """Compile the library's Python modules, as an installer does, also where an environment keeps no bytecode."""
    found = importlib.util.find_spec("onlinear")
    if found is not None and found.origin is not None:
        compileall.compile_dir(Path(found.origin).parent, quiet=2)


def main(argv: list[str] | None = None) -> None:
    """Run what is asked for, print it, and keep it."""
    options = parse(argv)
    scenarios = [s for s in all_scenarios() if re.search(options.only, s.name)]
    if options.list:
        for scenario in scenarios:
            print(f"{scenario.name:20} {scenario.title}")
        return
    for name in ONE_THREAD:
        os.environ[name] = "1"
    compile_our_modules()
    sets = Sets.default(0.1 if options.quick else 1.0)
    repeat = options.repeat or (1 if options.quick else 5)
    passes = options.passes or (3 if options.quick else 7)
    results: dict[str, Any] = {"machine": machine(), "repeat": repeat, "passes": passes, "scale": sets.scale}
    results["scenarios"] = []
    report.print_machine(results)
    for scenario in scenarios:
        summary = run_scenario(scenario, sets, repeat, passes)
        results["scenarios"].append(summary)
        report.print_scenario(summary)
        if options.json:
            options.json.write_text(json.dumps(results, indent=1) + "\n")
    report.print_targets(results)
    if options.plot:
        from benchmarks.plot import draw

        draw(results, options.plot)
    if options.strict and not report.all_met(results):
        sys.exit(1)
