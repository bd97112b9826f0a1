"""The oracle stands on its own, and the shipped vectors are what it makes."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from math import isclose
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tests.reference import precise, run
from tests.reference.replay import final_scores
from tests.reference.rules import RULES
from tests.reference.tasks import Sequence

TESTS = Path(__file__).parents[1]
FILES = sorted((TESTS / "vectors").glob("[!_]*.json"))
NAMES = {"SOP-like": "sop"}


def test_the_oracle_never_imports_the_product() -> None:
    """Importing every module of the reference leaves `onlinear` unimported."""
    modules = "bounds, generate, kernels, merge, precise, replay"
    code = f"import sys; from tests.reference import {modules}; sys.exit('onlinear' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], cwd=TESTS.parent, check=False).returncode == 0


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_shipped_vector_is_what_the_oracle_makes(path: Path) -> None:
    """Scores, decisions and states of every file replay."""
    case: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
    result = run(case["algorithm"], case["params"], case["d"], case["K"], case["stream"])

    assert result.changed == case["changed"]
    for got, want in zip(result.scores_before, case["scores_before"], strict=True):
        assert_allclose(got, want, rtol=1e-9, atol=1e-9)
    for mark in case["checkpoints"]:
        for key, want in mark["state"].items():
            assert_allclose(result.states[mark["t"] - 1][key], want, rtol=1e-9, atol=1e-9)
    for got, want in zip(final_scores(result.learner, case["probes"]), case["final_scores"], strict=True):
        assert_allclose(got, want, rtol=1e-9, atol=1e-9)


def test_the_oracles_stable_forms_agree_with_eighty_digits() -> None:
    """float64 and the printed forms in high precision say the same, away from the constraints' edges."""
    rng = np.random.default_rng(30)
    for rule in precise.GAUSSIAN:
        for _ in range(100):
            m, v = float(rng.normal() * 10 ** rng.uniform(-3, 4)), float(10 ** rng.uniform(-9, 6))
            prices = {key: float(10 ** rng.uniform(-2, 2)) for key in ("C", "r", "b")}
            p = {**prices, "phi": float(rng.uniform(0, 3))}
            alpha, gain, _ = precise.gaussian(rule, m, v, p)
            step = RULES[NAMES.get(rule, rule.lower())](m, v, 1.0, p)
            assert isclose(step.alpha, alpha, rel_tol=1e-9), (rule, m, v, p)
            assert isclose(step.gain, gain, rel_tol=1e-9), (rule, m, v, p)


def test_viterbi_finds_the_best_of_all_sequences() -> None:
    """Dynamic programming agrees with trying every sequence."""
    rng = np.random.default_rng(31)
    task = Sequence(K=3, d=2)
    for _ in range(20):
        mu, x = rng.normal(size=15), rng.normal(size=(4, 2))
        best = max(product(range(3), repeat=4), key=lambda y: task.features(x, list(y)) @ mu)
        assert task.scores(mu, x) == list(best)
