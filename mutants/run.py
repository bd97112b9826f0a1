"""Tests against one fault at a time: which of them notice."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from .build import CORE_TESTS, WORK, package_for
from .faults import ROOT, Fault, ListError, source_of

__all__ = ["Outcome", "check_without_faults", "try_all"]

RESULTS = WORK / "results.json"
MEMORY = 8 << 30  # bytes: a fault may ask for any amount


@dataclass
class Outcome:
    """What became of a fault: the test that noticed it, or nothing."""

    number: int
    killed: bool
    by: str
    seconds: float
    key: str


def check_without_faults(faults: list[Fault]) -> None:
    """The tests that are to notice must pass when nothing is wrong."""
    tests = sorted({test for fault in faults for test in fault.tests})
    code, said = _run(tests, None, limit=3600, workers=2)
    if code != 0:
        raise ListError(f"tests fail without any fault:\n{said[-3000:]}")


def try_all(faults: list[Fault], *, wide: bool, fresh: bool, jobs: int) -> list[Outcome]:
    """Try each fault; those that the tests it names do not notice are tried on the whole suite where asked."""
    known = _read_results()
    outcomes: dict[int, Outcome] = {}
    left: list[Fault] = []
    for fault in faults:
        earlier = known.get(fault.number)
        if not fresh and earlier and earlier.killed and earlier.key == _key(fault):
            outcomes[fault.number] = earlier
        else:
            left.append(fault)
    if outcomes:
        print(f"{len(outcomes)} were killed before and neither they nor their tests have changed")
    survivors = _round(left, outcomes, known, jobs, whole=False)
    if wide and survivors:
        print(f"{len(survivors)} survive the tests they name; now the whole suite")
        _round(survivors, outcomes, known, jobs, whole=True)
    return [outcomes[fault.number] for fault in faults]


def _round(
    faults: list[Fault],
    outcomes: dict[int, Outcome],
    known: dict[int, Outcome],
    jobs: int,
    *,
    whole: bool,
) -> list[Fault]:
    by_number = {fault.number: fault for fault in faults}
    with ThreadPoolExecutor(jobs) as pool:
        waiting = [pool.submit(_attempt, fault, whole) for fault in faults]
        for done, future in enumerate(as_completed(waiting), 1):
            outcome = future.result()
            outcomes[outcome.number] = known[outcome.number] = outcome
            _write_results(known)
            fate = "killed" if outcome.killed else "SURVIVED"
            area = by_number[outcome.number].area
            print(
                f"[{done:3}/{len(faults)}] {outcome.number:4} {area:12} {fate:8} {outcome.seconds:6.1f} s  {outcome.by}",
                flush=True,
            )
    return [fault for fault in faults if not outcomes[fault.number].killed]


def _attempt(fault: Fault, whole: bool) -> Outcome:
    start = time.monotonic()
    tests = ["tests"] if whole else list(fault.tests)
    code, said = _run(tests, fault, limit=3600 if whole else 600)
    by = _noticed_by(code, said)
    if code != 0 and not by:
        raise ListError(f"fault {fault.number}: {tests} could not be run:\n{said[-3000:]}")
    return Outcome(fault.number, code != 0, by, time.monotonic() - start, _key(fault))


def _noticed_by(code: int, said: str) -> str:
    """The test that failed; nothing where none did."""
    if code == _TIMED_OUT:
        return "out of time"
    if code < 0:
        return f"signal {-code}"
    # A file that cannot be collected has no "::" in its error, and has noticed nothing.
    failed = re.search(r"^(?:FAILED  ?|ERROR (?=.*::))(.*)$", said, re.MULTILINE)
    return failed[1].partition(" - ")[0][:110] if failed else ""


_TIMED_OUT = 1000


def _run(tests: list[str], fault: Fault | None, *, limit: float, workers: int = 0) -> tuple[int, str]:
    """The exit code and the words of the first test that fails; C++ tests first, they take no time."""
    package = package_for(fault)
    scratch = WORK / "tmp" / str(fault.number if fault else 0)
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    environment = {
        **os.environ,
        "ONLINEAR_FAULT": str(fault.number if fault and fault.in_core else 0),
        "PYTHONPATH": str(package),
        "HYPOTHESIS_PROFILE": "unshrunk",
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    paths = [test for test in tests if not test.startswith("core:")]
    code, said = 0, ""
    if fault is None or fault.in_core:  # the core's own tests take less than a second, so all of them are run
        code, said = _call(_run_core_tests, (), environment, scratch, limit)
    if code == 0 and paths:
        options = ["-q", "-p", "no:cacheprovider", "--tb=no", "-n", str(workers)]
        options += ["-W", "ignore::pytest.PytestAssertRewriteWarning"]  # of plugins that are imported already
        options += [f"--basetemp={scratch / 'pytest'}", *([] if fault is None else ["-x"])]
        code, said = _call(_run_pytest, (str(package), [*options, *paths]), environment, scratch, limit)
    shutil.rmtree(scratch, ignore_errors=True)
    if fault is not None and not fault.in_core:
        shutil.rmtree(package, ignore_errors=True)
    return code, said


# ---------------------------------------------------------------------- in a process of its own

# Processes come from one that has imported what all tests import, and nothing of ours: that takes longer than most
# tests that notice.
_PROCESSES = multiprocessing.get_context("forkserver")
_PROCESSES.set_forkserver_preload(
    [
        "pytest",  # not xdist, which hands the path of its own import on to its workers
        "hypothesis.extra.numpy",
        "scipy.sparse",
        "sklearn.utils.estimator_checks",
        "sklearn.metrics",
    ]
)


def _call(
    run: Callable[..., None],
    arguments: tuple[Any, ...],
    environment: dict[str, str],
    scratch: Path,
    limit: float,
) -> tuple[int, str]:
    """Run a function in a process; its exit code, and what it said."""
    output = scratch / "output"
    process = _PROCESSES.Process(target=_alone, args=(run, arguments, environment, output))
    process.start()
    process.join(limit)
    code = process.exitcode
    if code is None:
        code = _TIMED_OUT
        os.killpg(process.pid or 0, signal.SIGKILL)
        process.join()
    return code, output.read_text(errors="replace") if output.exists() else ""


def _alone(
    run: Callable[..., None], arguments: tuple[Any, ...], environment: dict[str, str], output: Path
) -> None:
    """What the process does: a group of its own, so that all it starts ends with it."""
    os.setsid()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    os.chdir(ROOT)
    os.environ.update(environment)
    said = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(said, stream)
    run(*arguments)


def _run_core_tests() -> None:
    os.execv(CORE_TESTS, [str(CORE_TESTS)])


def _run_pytest(package: str, arguments: list[str]) -> None:
    import pytest

    sys.path[:0] = [package, str(ROOT)]
    code = int(pytest.main(arguments))
    sys.stdout.flush()
    os._exit(code)


def _key(fault: Fault) -> str:
    """Changes with the fault, the file it is in, and the tests it names."""
    digest = hashlib.sha256(repr(fault).encode())
    for path in [ROOT / fault.file, *map(source_of, fault.tests)]:
        for each in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            digest.update(each.read_bytes())
    return digest.hexdigest()[:16]


def _read_results() -> dict[int, Outcome]:
    if not RESULTS.exists():
        return {}
    return {entry["number"]: Outcome(**entry) for entry in json.loads(RESULTS.read_text())}


def _write_results(known: dict[int, Outcome]) -> None:
    aside = RESULTS.with_suffix(".part")
    aside.write_text(json.dumps([asdict(known[number]) for number in sorted(known)], indent=1))
    aside.replace(RESULTS)
