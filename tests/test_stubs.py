"""The stubs say what the compiled module has."""

from __future__ import annotations

import ast
import importlib
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import onlinear

STUBS = Path(onlinear.__file__).parent / "_core"
MODULES = ["rule", "belief", "task"]

#: The classes and functions of a stub or a module, each with the signatures and types of what is in it.
Contents = dict[str, dict[str, str]]


def plain(node: ast.AST | None) -> str:
    """Code without the modules its names come from, which a stub imports."""
    return re.sub(r"\b(?:\w+\.)+(?=[A-Z])", "", ast.unparse(node)) if node else "None"


def signature(function: ast.FunctionDef) -> str:
    """The arguments with their types and defaults, and what is returned."""
    return f"({plain(function.args)}) -> {plain(function.returns)}"


def written(name: str) -> Contents:
    """What a stub says."""
    found: Contents = {}
    for node in ast.parse((STUBS / f"{name}.pyi").read_text()).body:
        if isinstance(node, ast.FunctionDef):
            found[node.name] = {"": signature(node)}
        elif isinstance(node, ast.ClassDef):
            members = found[node.name] = {}
            for member in node.body:
                if isinstance(member, ast.FunctionDef):
                    is_property = bool(member.decorator_list)
                    members[member.name] = plain(member.returns) if is_property else signature(member)
                elif isinstance(member, ast.AnnAssign):
                    members[ast.unparse(member.target)] = plain(member.annotation)
    return found


def native_signature(function: Any) -> ast.FunctionDef:
    """A native function as it describes itself."""
    ((text, _, defaults),) = function.__nb_signature__
    for number, default in enumerate(defaults or ()):  # written as \\0, \\1, ...
        text = text.replace(f"\\{number}", repr(default))
    (parsed,) = ast.parse(f"{text}: ...".replace("def (", "def getter(")).body
    assert isinstance(parsed, ast.FunctionDef)
    return parsed


def compiled(name: str) -> Contents:
    """What a module has."""
    found: Contents = {}
    for item, value in vars(importlib.import_module(f"onlinear._core.{name}")).items():
        if item.startswith("_"):
            continue
        if not isinstance(value, type):
            found[item] = {"": signature(native_signature(value))}
            continue
        members = found[item] = {}
        for member, what in vars(value).items():
            if isinstance(what, property):
                members[member] = plain(native_signature(what.fget).returns)
            elif hasattr(what, "__nb_signature__"):
                members[member] = signature(native_signature(what))
            elif not member.startswith("_"):
                members[member] = type(what).__name__
    return found


@pytest.mark.parametrize("name", MODULES)
def test_the_stub_has_the_names_types_and_defaults_of_the_module(name: str) -> None:
    """Whatever is added to the bindings, goes or changes, does so in the stub: `make stubs` writes it."""
    stub, module = written(name), compiled(name)

    assert sorted(stub) == sorted(module)
    assert len(module) > 5
    for item, members in module.items():
        assert stub[item] == members, item


@pytest.mark.parametrize("name", MODULES)
def test_every_native_name_is_public(name: str) -> None:
    """`onlinear.rule`, `onlinear.belief` and `onlinear.task` hand on all there is."""
    native = importlib.import_module(f"onlinear._core.{name}")
    public = importlib.import_module(f"onlinear.{name}")

    assert {item for item in vars(native) if not item.startswith("_")} == set(public.__all__)
    assert all(getattr(public, item) is getattr(native, item) for item in public.__all__)


@pytest.mark.parametrize("name", MODULES)
def test_every_class_declares_itself_in_words(name: str) -> None:
    """Each class and each parameter says what it is, and a default is a value that it takes."""
    module = importlib.import_module(f"onlinear.{name}")
    for item, declaration in module.declared().items():
        kind = getattr(module, item)
        assert kind.__doc__ == declaration.doc
        assert len(declaration.doc) > 10
        defaults = {each.name: each.default for each in declaration.parameters}
        assert kind().parameters() == defaults
        for each in declaration.parameters:
            assert each.doc, f"{item}.{each.name}"
            assert getattr(kind, each.name).__doc__ == each.doc
            if each.kind != "square":  # an empty matrix stands for one that must be given
                assert kind(**{each.name: each.default}).parameters() == defaults


@pytest.mark.parametrize("name", MODULES)
def test_a_number_outside_its_declared_range_is_refused_in_the_declared_words(name: str) -> None:
    """Bounds that are open are refused themselves, closed ones are taken."""
    module = importlib.import_module(f"onlinear.{name}")
    tried = 0
    for item, declaration in module.declared().items():
        for each in declaration.parameters:
            if not each.kind.startswith("number"):
                continue
            for bound, is_open in ((each.low, each.low_open), (each.high, each.high_open)):
                if is_open:
                    with pytest.raises(
                        ValueError, match=re.escape(f"{each.name} must be {each.expected}, got")
                    ):
                        getattr(module, item)(**{each.name: bound})
                else:
                    assert getattr(getattr(module, item)(**{each.name: bound}), each.name) == bound
                tried += 1
    assert tried > 0


def test_the_stub_of_the_package_has_every_estimator_with_its_parameters() -> None:
    """`make stubs` writes it from the recipes."""
    stub = ast.parse((Path(onlinear.__file__).parent / "__init__.pyi").read_text())
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    assert list(classes) == list(onlinear._ESTIMATORS)
    for name, node in classes.items():
        made = next(item for item in node.body if isinstance(item, ast.FunctionDef))
        said = {
            argument.arg: ast.literal_eval(default)
            for argument, default in zip(made.args.kwonlyargs, made.args.kw_defaults, strict=True)
            if default is not None
        }
        assert said == {field.name: field.default for field in fields(getattr(onlinear, name))}
