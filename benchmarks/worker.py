"""The process a contestant lives in: `python -m benchmarks.worker SCENARIO CONTESTANT FOLDER SCALE PASSES`.

Every line on standard input asks for one turn; the answer is one line of JSON. What a library prints on
its own goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.data import Sets
from benchmarks.protocol import Arena
from benchmarks.scenarios import find


def main() -> None:
    """Answer until standard input ends."""
    scenario, contestant, folder, scale, passes = sys.argv[1:]
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    with tempfile.TemporaryDirectory() as scratch:
        arena = Arena(Sets(Path(folder), float(scale)), Path(scratch), int(passes))
        turn = find(scenario).contestant(contestant).start(arena)
        print("ready", file=answers)
        for _ in sys.stdin:
            print(json.dumps(asdict(turn())), file=answers)


if __name__ == "__main__":
    main()
