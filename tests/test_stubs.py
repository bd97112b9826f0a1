"""The stubs say what the compiled module has."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

import onlinear

STUBS = Path(onlinear.__file__).parent / "_core"


def declared(stub: Path) -> set[str]:
    """Public names a stub defines at its top level."""
    names: set[str] = set()
    for node in ast.parse(stub.read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if not name.startswith("_")}


@pytest.mark.parametrize("name", ["rule", "belief", "task"])
def test_every_native_name_is_typed(name: str) -> None:
    """A name that is added to the bindings is added to the stub, and one that goes, goes there too."""
    module = importlib.import_module(f"onlinear._core.{name}")

    assert declared(STUBS / f"{name}.pyi") == {item for item in vars(module) if not item.startswith("_")}


@pytest.mark.parametrize("name", ["rule", "belief", "task"])
def test_every_native_name_is_public(name: str) -> None:
    """`onlinear.rule`, `onlinear.belief` and `onlinear.task` hand on all there is."""
    native = importlib.import_module(f"onlinear._core.{name}")
    public = importlib.import_module(f"onlinear.{name}")

    assert {item for item in vars(native) if not item.startswith("_")} == set(public.__all__)
