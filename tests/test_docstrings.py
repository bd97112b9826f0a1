"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

import onlinear

MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(onlinear.__path__, "onlinear.")
    if not info.name.rpartition(".")[2].startswith("__main__") and info.name != "onlinear._core"
)


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name: str) -> None:
    """The examples of one module."""
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)

    assert result.failed == 0


@pytest.mark.parametrize("name", sorted({*onlinear.__all__} - {*onlinear._MODULES}))
def test_every_public_name_has_an_example(name: str) -> None:
    """A public class or function shows how it is used."""
    assert ">>>" in (getattr(onlinear, name).__doc__ or "")


@pytest.mark.parametrize("name", sorted({*onlinear.__all__} - {*onlinear._MODULES}))
def test_every_parameter_is_documented(name: str) -> None:
    """Each parameter of a public class stands in its docstring, and no other does."""
    cls: Any = getattr(onlinear, name)
    if not hasattr(cls, "get_params"):
        return
    assert inspect.getdoc(cls).count("Parameters\n----------\n") == 1
    section = inspect.getdoc(cls).partition("Parameters\n----------\n")[2].partition("\n\n")[0]
    documented = {
        line.split(" :")[0] for line in section.splitlines() if " : " in line and not line.startswith(" ")
    }

    assert documented == set(cls().get_params())


PAGES = [
    "README.md",
    "docs/guide.md",
    "docs/migration.md",
    "docs/changing_environments.md",
    "docs/kernels.md",
]


@pytest.mark.parametrize("page", PAGES)
def test_the_examples_of_a_page_run(page: str) -> None:
    """What the documentation shows is what happens."""
    path = Path(__file__).parent.parent / page

    result = doctest.testfile(str(path), module_relative=False, encoding="utf-8")

    assert result.failed == 0
    assert result.attempted > 0


def test_the_examples_of_every_task_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What docs/tasks.md shows is what happens, in Python and then in the shell, with the files it has written."""
    from onlinear.cli import main

    docs = Path(__file__).parent.parent / "docs"
    shutil.copytree(docs / "samples", tmp_path / "samples")
    monkeypatch.chdir(tmp_path)

    assert doctest.testfile(str(docs / "tasks.md"), module_relative=False, encoding="utf-8").failed == 0
    blocks = re.findall(r"```console\n(.*?)```", (docs / "tasks.md").read_text(encoding="utf-8"), re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    assert len(commands) >= 15
    for command in commands:
        start, name, *arguments = shlex.split(command)
        assert (start, name) == ("$", "onlinear")
        assert main(arguments) == 0, command
