"""What the module makes is gone when the interpreter ends; nanobind counts, where it is asked to."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from ..waiting import DEADLINE

USES = {
    "rows": """
from onlinear import AROWClassifier, KernelClassifier
X = np.random.default_rng(0).normal(size=(20, 3))
for model in (AROWClassifier(), AROWClassifier(covariance="full"), KernelClassifier()):
    model.fit(X, X[:, 0] > 0).predict_proba(X)
    del model
""",
    "files": """
import tempfile, pathlib, onlinear
from onlinear import SequenceLabeler
with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder) / "m.safetensors"
    SequenceLabeler().fit([[["a"], ["b"]]], [["x", "y"]]).save(path)
    onlinear.load(path).predict([[["a"]]])
    (pathlib.Path(folder) / "a.svm").write_text("1 1:1\\n-1 2:1\\n")
    for batch in onlinear.read(pathlib.Path(folder) / "a.svm"):
        pass
    del batch
""",
    "errors": """
from onlinear import AROWClassifier
try:
    AROWClassifier().fit([[1.0], [float("inf")]], [0, 1])
except ValueError:
    pass
""",
}


def _ended(program: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", "import numpy as np\n" + program],
        env={**os.environ, "ONLINEAR_LEAKS": "1"},
        capture_output=True,
        text=True,
        check=True,
        timeout=DEADLINE,
    )
    return done.stderr


@pytest.mark.parametrize("use", USES)
def test_nothing_of_ours_outlives_the_interpreter(use: str) -> None:
    """Models, batches and readers are freed."""
    assert "leaked" not in _ended(USES[use])


def test_a_leak_would_be_told() -> None:
    """Somebody keeps an object of the module for ever, from outside of what is collected."""
    keeping = "import ctypes\nfrom onlinear import rule\nkept = rule.PassiveAggressive()\n"
    keeping += "ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))\n"
    assert "leaked" in _ended(keeping)
