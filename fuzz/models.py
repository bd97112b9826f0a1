"""Load many spoiled model files of every kind: each is refused with a clear error, or harmless.

    python -m fuzz.models [--runs 200000] [--jobs 2] [--seed 1]

Needs the package and its tests beside it. The kinds of models and the ways to spoil a file are those of
tests/hostile/spoiling.py; files of older formats are taken from tests/persistence/samples. What loads must answer
with finite numbers, be saved and loaded bit for bit, and learn on. A file that fails is left in build/fuzz-models.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

from tests.hostile.spoiling import KINDS, Sample, check_goes_on, loaded

ROOT = Path(__file__).parent.parent
FAILURES = ROOT / "build" / "fuzz-models"
# In memory where there is such a folder. Those of processes bear their names, and stay if they die.
MEMORY = Path("/dev/shm")
SCRATCH = MEMORY if MEMORY.is_dir() else Path(tempfile.gettempdir())
SHARE = 1000  # Inputs of one seed: the same files whatever the number of processes.


def samples(scratch: Path) -> list[Sample]:
    """A sound file of every kind, and those that older versions wrote."""
    found = [Sample(kind, kind.write(scratch / "sound.safetensors")) for kind in KINDS]
    named = {kind.name: kind for kind in KINDS}
    for path in sorted((ROOT / "tests" / "persistence" / "samples").glob("*.safetensors")):
        found.append(Sample(named["compact" if "compact" in path.name else "diagonal"], path))
    return found


def share(seed: int, runs: int) -> tuple[Counter[str], str]:
    """Try some spoiled files; returns how many of each way were refused or came through, and a complaint."""
    warnings.simplefilter("ignore")  # numbers that are possible alone may overflow together
    outcomes: Counter[str] = Counter()
    folder = SCRATCH / f"onlinear-fuzz-{os.getppid()}-{os.getpid()}"
    folder.mkdir(exist_ok=True)
    path, again = folder / "spoiled.safetensors", folder / "again.safetensors"
    sound = samples(folder)
    rng = random.Random(seed)
    complaint = ""
    for run in range(runs):
        sample = sound[run % len(sound)]
        how = sample.spoil(path, sound, rng)
        try:
            model = loaded(path)
            outcomes[f"{how}, {'refused' if model is None else 'harmless'}"] += 1
            if model is not None:
                check_goes_on(model, again)
        except Exception:
            kept = keep(path, f"{seed}-{run}")
            complaint = f"{kept} ({sample.kind}, {how}):\n{traceback.format_exc()}"
            break
    shutil.rmtree(folder)
    return outcomes, complaint


def keep(path: Path, name: str) -> Path:
    """Put a file that failed where it can be looked at."""
    FAILURES.mkdir(parents=True, exist_ok=True)
    return Path(shutil.copyfile(path, FAILURES / f"{name}.safetensors"))


def main() -> int:
    """Try all of them and print the counts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started = time.monotonic()
    shares = -(-options.runs // SHARE)
    outcomes: Counter[str] = Counter()
    failed = 0
    first = options.seed * 1_000_000
    try:
        with ProcessPoolExecutor(options.jobs) as pool:
            for counts, complaint in pool.map(share, range(first, first + shares), [SHARE] * shares):
                outcomes.update(counts)
                if complaint:
                    failed += 1
                    print(complaint, flush=True)
    except BrokenProcessPool:
        failed += 1
        left = list(SCRATCH.glob(f"onlinear-fuzz-{os.getpid()}-*"))
        kept = [keep(folder / "spoiled.safetensors", folder.name) for folder in left]
        print(f"a process died while it read one of {', '.join(map(str, kept))}", flush=True)
        for folder in left:
            shutil.rmtree(folder)
    for outcome, count in sorted(outcomes.items()):
        print(f"{outcome}: {count}")
    print(f"model files: {outcomes.total()} inputs, {failed} failed, {time.monotonic() - started:.0f} s")
    return 1 if failed or outcomes.total() < options.runs else 0


if __name__ == "__main__":
    sys.exit(main())
