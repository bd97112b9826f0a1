"""Writes the stubs of `onlinear._core.rule`, `.belief` and `.task` from the compiled module: `make stubs`.

Needs the module, nanobind and ruff. The classes derive from what the core declares, so a new rule needs no other
step than this one.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from pathlib import Path

from nanobind.stubgen import StubGen

ROOT = Path(__file__).resolve().parent.parent
MODULES = ("rule", "belief", "task")


def stub_of(name: str) -> str:
    """The stub of a submodule, formatted."""
    module = importlib.import_module("onlinear._core").__dict__[name]
    generator = StubGen(module, max_expr_length=200)
    generator.put(module)
    formatted = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", f"{name}.pyi", "-"],
        input=f"# Written by tools/stubs.py.\n{generator.get()}",
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return formatted.stdout


def main() -> None:
    """Write the stubs into the source tree."""
    for name in MODULES:
        path = ROOT / "src" / "onlinear" / "_core" / f"{name}.pyi"
        path.write_text(stub_of(name))
        print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
