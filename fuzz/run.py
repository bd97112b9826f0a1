"""Build the fuzz targets and run each for a number of inputs, under ASan and UBSan.

    python fuzz/run.py [--runs 200000] [--jobs 2] [--seed 1] [--compiler g++] [target ...]

Uses clang and libFuzzer where both are installed, else any compiler and the mutating driver in driver.cpp.
The corpus in fuzz/corpus is read, never written. A failing input is left in build/fuzz-*/failures.
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
# The most bytes of an input; the reference of CoNLL columns writes a dozen features a word out as text.
LONGEST = {"fuzz_conll": 120}


def links_libfuzzer(compiler: str) -> bool:
    """Whether a compiler brings libFuzzer and the sanitizers; clang without its runtime does not."""
    code = 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }'
    with tempfile.TemporaryDirectory() as scratch:
        command = [compiler, "-x", "c++", "-", "-fsanitize=fuzzer,address,undefined", "-o", f"{scratch}/a"]
        return subprocess.run(command, input=code.encode(), capture_output=True, check=False).returncode == 0


def chosen_compiler() -> str:
    """Clang when it can link libFuzzer, else the system's compiler."""
    clang = shutil.which("clang++")
    if clang is not None and links_libfuzzer(clang):
        return clang
    return shutil.which("g++") or shutil.which("c++") or "c++"


def build(compiler: str) -> Path:
    """Configure and compile; returns where."""
    folder = ROOT / "build" / f"fuzz-{Path(compiler).name}"
    options = ["-DONLINEAR_FUZZ=ON", "-DONLINEAR_PYTHON=OFF", f"-DCMAKE_CXX_COMPILER={compiler}"]
    if shutil.which("ccache"):
        options.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, *options], check=True, stdout=subprocess.DEVNULL)
    jobs = str(min(os.cpu_count() or 1, 4))
    subprocess.run(
        ["cmake", "--build", folder, "--target", "fuzz_targets", "-j", jobs],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return folder


def run(folder: Path, target: str, runs: int, seed: int) -> tuple[str, int, float, str]:
    """Run one target; return its name, the inputs it saw, the seconds, and what it said if it failed."""
    failures = folder / "failures"
    failures.mkdir(exist_ok=True)
    corpus = HERE / "corpus" / target.removeprefix("fuzz_")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        command = [
            str(folder / "fuzz" / target),
            f"-runs={runs}",
            f"-seed={seed}",
            f"-max_len={LONGEST.get(target, 300)}",
            f"-artifact_prefix={failures}/{target}-",
            scratch,
            str(corpus),
        ]
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            cwd=failures,
            # The plain driver keeps the input when it is told of an end by a signal.
            env={**os.environ, "ASAN_OPTIONS": "abort_on_error=1", "UBSAN_OPTIONS": "abort_on_error=1"},
            check=False,
        )
    output = done.stdout + done.stderr
    match = re.search(r"Done (\d+) runs", output)
    count = int(match.group(1)) if match and done.returncode == 0 else 0
    return target, count, time.monotonic() - started, "" if count >= runs else output[-4000:]


def main() -> int:
    """Run the chosen targets and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("targets", nargs="*", help="names such as fuzz_svmlight; all by default")
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=min(os.cpu_count() or 1, 2))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--compiler", help="by default clang++ where it brings libFuzzer, else g++ or c++")
    options = parser.parse_args()

    started = time.monotonic()
    compiler = options.compiler or chosen_compiler()
    folder = build(compiler)
    print(f"built with {compiler} in {time.monotonic() - started:.0f} s", flush=True)
    targets = options.targets or sorted(path.stem for path in HERE.glob("fuzz_*.cpp"))
    failed = total = 0
    with ThreadPoolExecutor(options.jobs) as pool:
        for target, count, seconds, complaint in pool.map(
            lambda target: run(folder, target, options.runs, options.seed), targets
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
