"""Every set of instructions the core is compiled for reads and learns alike.

A machine uses the widest it has, so the others would be tried nowhere; `ONLINEAR_SIMD` names one.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from onlinear import _core

LEVELS = ["base", "avx2", "avx512"]

READ = """
import hashlib, sys
import onlinear
from onlinear import _core
digest = hashlib.sha256()
for batch in onlinear.read(sys.argv[1], "svmlight", max_features=1 << 24):
    X, y = batch.X, batch.y
    for array in (X.indptr, X.indices, X.data, y):
        digest.update(array.tobytes())
print(_core.simd_level(), X.shape[1], digest.hexdigest())
"""

LEARN = """
import numpy as np
from scipy.sparse import random as random_rows
from onlinear import AROWClassifier, PassiveAggressiveClassifier, _core
rows = random_rows(300, 500, 0.1, "csr", random_state=0, dtype=np.float64)
dense = np.random.default_rng(0).normal(size=(300, 37))
y = np.random.default_rng(1).integers(0, 2, 300)
many = np.random.default_rng(2).integers(0, 7, 300)
for Model in (AROWClassifier, PassiveAggressiveClassifier):
    for X in (rows, dense):
        for labels in (y, many):
            for dtype in ("float32", "float64"):
                model = Model(dtype=dtype, shuffle=False).fit(X, labels)
                print(_core.simd_level(), *model.decision_function(X).ravel()[:500].tolist())
"""


def run(program: str, level: str, *arguments: object) -> list[list[str]]:
    """The words of each line a program prints in a process of that level."""
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        env={**os.environ, "ONLINEAR_SIMD": level},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line.split() for line in done.stdout.splitlines()]


def available() -> list[str]:
    """The levels this machine has."""
    return LEVELS[: LEVELS.index(_core.simd_level()) + 1]


def numbers(rng: np.random.Generator, count: int) -> list[str]:
    """Values as people write them: short and long, signed, whole, without a whole part, with an exponent."""
    plain = [
        f"{value:.{digits}f}"
        for value, digits in zip(rng.normal(size=count), rng.integers(1, 7, count), strict=True)
    ]
    odd = [
        "1",
        "-3",
        "0.5",
        "-0.0",
        ".5",
        "5.",
        "+2.5",
        "1e-3",
        "-1.5E2",
        "12345678.5",
        "0.123456789",
        "16777217.0",
    ]
    return [str(rng.choice(odd)) if rng.random() < 0.02 else text for text in plain]


def lines(rng: np.random.Generator, rows: int) -> str:
    """Lines of all lengths; some indices are long, some out of order or twice there, some blanks doubled."""
    out = []
    for _ in range(rows):
        size = int(rng.integers(0, 60))
        indices = np.sort(rng.choice(1 << int(rng.integers(7, 24)), size, replace=False)) + 1
        if rng.random() < 0.05:
            rng.shuffle(indices)
        entries = [f"{index}:{value}" for index, value in zip(indices, numbers(rng, size), strict=True)]
        if size > 1 and rng.random() < 0.05:
            entries.append(entries[0])
        blank = "  " if rng.random() < 0.02 else "\t" if rng.random() < 0.02 else " "
        ending = " \n" if rng.random() < 0.02 else "\r\n" if rng.random() < 0.02 else "\n"
        out.append(blank.join([str(rng.integers(-1, 3)), *entries]) + ending)
    return "".join(out)


@pytest.mark.parametrize("level", LEVELS)
def test_a_file_is_read_alike(level: str, tmp_path: Path) -> None:
    """Values to the last bit, eight entries at a time or one by one."""
    if level not in available():
        pytest.skip("this machine does not have these instructions")
    path = tmp_path / "rows.svm"
    path.write_text(lines(np.random.default_rng(5), 6000), newline="")
    used, *found = run(READ, level, path)[0]
    expected = run(READ, "base", path)[0][1:]

    assert used == level
    assert found == expected


@pytest.mark.parametrize("level", LEVELS)
def test_rows_are_learned_alike(level: str) -> None:
    """Up to the order in which sums are made."""
    if level not in available():
        pytest.skip("this machine does not have these instructions")
    for (used, *found), (_, *expected) in zip(run(LEARN, level), run(LEARN, "base"), strict=True):
        assert used == level
        np.testing.assert_allclose(np.array(found, float), np.array(expected, float), rtol=1e-3, atol=1e-4)
