"""The stubs say what the compiled module has."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path
from typing import Any

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


def arguments(function: ast.FunctionDef) -> list[tuple[str, str | None]]:
    """The arguments a function takes, each with its kind and its default as it is written."""
    given = function.args
    places = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(places) - len(given.defaults)) + [ast.unparse(each) for each in given.defaults]
    found = [(each.arg, default) for each, default in zip(places, defaults, strict=True)]
    found += [
        (f"*{each.arg}", None if default is None else ast.unparse(default))
        for each, default in zip(given.kwonlyargs, given.kw_defaults, strict=True)
    ]
    return [(name, default) for name, default in found if name != "self"]


def native_signature(function: Any) -> list[tuple[str, str | None]] | None:
    """The same of a native function, by what it says of itself; None where it says nothing."""
    said = getattr(function, "__nb_signature__", None)
    if not said:
        return None
    text, _, defaults = said[0]
    for number, default in enumerate(defaults or ()):  # written as \\0, \\1, ...
        text = text.replace(f"\\{number}", repr(default))
    (parsed,) = ast.parse(f"{text}: ...").body
    assert isinstance(parsed, ast.FunctionDef)
    return arguments(parsed)


@pytest.mark.parametrize("name", ["rule", "belief", "task"])
def test_every_native_method_is_typed_with_its_arguments(name: str) -> None:
    """The stub's names, order and defaults of arguments are the module's own."""
    module = importlib.import_module(f"onlinear._core.{name}")
    compared = 0
    for node in ast.parse((STUBS / f"{name}.pyi").read_text()).body:
        if not isinstance(node, ast.ClassDef):
            continue
        for method in node.body:
            if not isinstance(method, ast.FunctionDef) or method.decorator_list:
                continue
            native = native_signature(getattr(getattr(module, node.name), method.name))
            if native is not None:
                assert arguments(method) == native, f"{node.name}.{method.name}"
                compared += 1
    assert compared > len(declared(STUBS / f"{name}.pyi"))


@pytest.mark.parametrize("name", ["rule", "belief", "task"])
def test_every_native_name_is_public(name: str) -> None:
    """`onlinear.rule`, `onlinear.belief` and `onlinear.task` hand on all there is."""
    native = importlib.import_module(f"onlinear._core.{name}")
    public = importlib.import_module(f"onlinear.{name}")

    assert {item for item in vars(native) if not item.startswith("_")} == set(public.__all__)
