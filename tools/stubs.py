"""Writes the stubs that follow from declarations: `make stubs`.

Those of `onlinear._core.rule`, `.belief` and `.task` from the compiled module, that of the package, whose estimators are
made from their recipes, and the index of recipes and names. Needs the module, nanobind and ruff. A new rule or recipe needs
no other step than this one.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from dataclasses import fields
from pathlib import Path
from types import UnionType
from typing import Any, Union, get_args, get_origin

from nanobind.stubgen import StubGen

#: In a process of its own: the package has read the index when it was imported.
STUB = "import stubs; print(stubs.package_stub(), end='')"
ROOT = Path(__file__).resolve().parent.parent
MODULES = ("rule", "belief", "task")


def stub_of(name: str) -> str:
    """The stub of a submodule, formatted."""
    module = importlib.import_module("onlinear._core").__dict__[name]
    generator = StubGen(module, max_expr_length=200)
    generator.put(module)
    return formatted(f"{name}.pyi", generator.get())


def formatted(name: str, text: str) -> str:
    """A stub in the project's style."""
    done = subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", name, "-"],
        input=f"# Written by tools/stubs.py.\n{text}",
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    )
    return done.stdout


def index() -> str:
    """The index of recipes and names; a name keeps its place, and a new one comes last."""
    gathering: Any = importlib.import_module("onlinear.algorithms.gathering")
    known: Any = importlib.import_module("onlinear.algorithms.index")
    recipes, names = gathering.gathered()
    for kind, rows in names.items():
        places = {row[0]: place for place, row in enumerate(known.NAMES.get(kind, ()))}
        rows.sort(key=lambda row, places=places: places.get(row[0], len(places)))
    text = f"""\
\"\"\"Where the recipe of each estimator is, and what each name of the command line means: written by `make stubs`.

Nothing is imported here, so that listing estimators and names costs nothing.
\"\"\"

from __future__ import annotations

# Not from typing: the package imports this first of all.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["NAMES", "RECIPES"]

#: The module in this package, and the name there, of each estimator's recipe.
RECIPES = {recipes!r}

#: For each kind of task its names in the order of the documentation, each with the fields of `table.Algorithm`.
NAMES: dict[str, tuple[tuple[Any, ...], ...]] = { {kind: tuple(rows) for kind, rows in names.items()}!r}
"""
    return formatted("index.py", text)


def package_stub() -> str:
    """The stub of the package: its modules, and a class for every recipe."""
    onlinear: Any = importlib.import_module("onlinear")
    lines = [
        "from collections.abc import Callable, Mapping, Sequence",
        "from typing import Any, Literal",
        "",
        *(f"from . import {name} as {name}" for name in onlinear._MODULES),
        *sorted(f"from .{home} import {name} as {name}" for name, home in onlinear._HOMES.items()),
    ]
    bases, classes = set(), []
    for name in onlinear._ESTIMATORS:
        cls = getattr(onlinear, name)
        base = cls.__mro__[1]
        bases.add((base.__module__.removeprefix("onlinear"), base.__name__))
        parameters = [(item.name, written(item.type), item.default) for item in fields(cls)]
        classes.append(f"\nclass {name}({base.__name__}):")
        classes += [f"    {key}: {kind}" for key, kind, _ in parameters if key != "confidence"]
        given = ", ".join(f"{key}: {kind} = {default!r}" for key, kind, default in parameters)
        classes.append(f"    def __init__(self, *, {given}) -> None: ...")
    for module in sorted({module for module, _ in bases}):
        names = ", ".join(sorted(name for home, name in bases if home == module))
        lines.append(f"from {module} import {names}")
    lines += [
        "",
        "__version__: str",
        "__all__: list[str]",
        "_ESTIMATORS: tuple[str, ...]",
        "_MODULES: tuple[str, ...]",
    ]
    lines += ["_HOMES: dict[str, str]", *classes]
    return formatted("__init__.pyi", "\n".join(lines) + "\n")


def written(kind: Any) -> str:
    """A type as it is written in a stub."""
    if kind is type(None):
        return "None"
    if get_origin(kind) in (Union, UnionType):
        return " | ".join(map(written, get_args(kind)))
    text = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)
    return text.replace("typing.", "").replace("collections.abc.", "")


def main() -> None:
    """Write the stubs into the source tree."""
    for name in MODULES:
        path = ROOT / "src" / "onlinear" / "_core" / f"{name}.pyi"
        path.write_text(stub_of(name))
        print(path.relative_to(ROOT))
    package = ROOT / "src" / "onlinear"
    path = package / "algorithms" / "index.py"
    path.write_text(index())
    print(path.relative_to(ROOT))
    done = subprocess.run(
        [sys.executable, "-c", STUB], check=True, capture_output=True, text=True, cwd=ROOT / "tools"
    )
    path = package / "__init__.pyi"
    path.write_text(done.stdout)
    print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
