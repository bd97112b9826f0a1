"""Build the fuzz targets and run each for a number of inputs, under ASan and UBSan.

    python fuzz/run.py [--runs 200000] [--jobs 2] [--seed 1] [target ...]

Uses clang and libFuzzer where clang is installed, else any compiler and the mutating driver in driver.cpp.
The corpus in fuzz/corpus is read, never written. A failing input is left in build/fuzz/failures.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
BUILD = ROOT / "build" / "fuzz"


def build() -> None:
    """Configure and compile, with clang when it is there."""
    compiler = shutil.which("clang++") or shutil.which("c++") or "c++"
    options = ["-DONLINEAR_FUZZ=ON", "-DONLINEAR_PYTHON=OFF", f"-DCMAKE_CXX_COMPILER={compiler}"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(["cmake", "-S", ROOT, "-B", BUILD, *options], check=True, stdout=subprocess.DEVNULL)
    jobs = str(min(os.cpu_count() or 1, 4))
    subprocess.run(
        ["cmake", "--build", BUILD, "--target", "fuzz_targets", "-j", jobs],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    print(f"built with {compiler}", flush=True)


def run(target: str, runs: int, seed: int) -> tuple[str, int, float, str]:
    """Run one target; return its name, the inputs it saw, the seconds, and what it said if it failed."""
    failures = BUILD / "failures"
    failures.mkdir(exist_ok=True)
    corpus = HERE / "corpus" / target.removeprefix("fuzz_")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            str(BUILD / "fuzz" / target),
            f"-runs={runs}",
            f"-seed={seed}",
            "-max_len=300",
            f"-artifact_prefix={failures}/{target}-",
            scratch,
            str(corpus),
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", cwd=failures, check=False
        )
    output = done.stdout + done.stderr
    match = re.search(r"Done (\d+) runs", output)
    count = int(match.group(1)) if match and done.returncode == 0 else 0
    return target, count, time.monotonic() - started, "" if count else output[-4000:]


def main() -> int:
    """Run the chosen targets and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", help="names such as fuzz_svmlight; all by default")
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 2))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()

    started = time.monotonic()
    build()
    targets = options.targets or sorted(path.stem for path in HERE.glob("fuzz_*.cpp"))
    failed = total = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for target, count, seconds, complaint in pool.map(
            lambda target: run(target, options.runs, options.seed), targets
        ):
            total += count
            if complaint:
                failed += 1
                print(f"{target}: FAILED\n{complaint}", flush=True)
            else:
                print(f"{target}: {count} inputs in {seconds:.0f} s", flush=True)
    print(f"{total} inputs, {failed} of {len(targets)} targets failed, {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
