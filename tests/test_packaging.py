"""What a registry is told of the package: its page, the versions of Python and the systems it is for."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import metadata
from pathlib import Path

import pytest

import onlinear

ROOT = Path(__file__).parent.parent
TOLD = metadata("onlinear")
LINK = re.compile(r"!?\[(?P<text>[^\]]*)\]\((?P<target>[^)]*)\)")


def classifiers(beginning: str) -> list[str]:
    """The ends of those that begin so."""
    return [
        text.removeprefix(beginning) for text in TOLD.get_all("Classifier", []) if text.startswith(beginning)
    ]


def test_the_page_of_a_registry_points_to_nothing_that_is_not_there() -> None:
    """No file of the repository lies beside it: links to files have become their texts, and pictures are left out."""
    page = str(TOLD.get_payload())
    own = (ROOT / "README.md").read_text(encoding="utf-8")

    assert all(match["target"].startswith("https:") for match in LINK.finditer(page))
    assert "![" not in page
    assert "<img" not in page
    links = [match for match in LINK.finditer(own) if not match[0].startswith("!")]
    assert links
    for link in links:
        assert link["target"].startswith("https:") or (ROOT / link["target"]).exists()
        assert link["text"] in page


def test_the_page_of_a_registry_says_all_that_the_readme_says() -> None:
    """But for the picture and the links, it is the README."""
    page = str(TOLD.get_payload())
    own = (ROOT / "README.md").read_text(encoding="utf-8")

    assert TOLD["Description-Content-Type"] == "text/markdown"
    assert re.findall("^#+ .*$", page, re.MULTILINE) == re.findall("^#+ .*$", own, re.MULTILINE)
    assert re.findall("```.*?```", page, re.DOTALL) == re.findall("```.*?```", own, re.DOTALL)


def test_versions_of_python_are_named_from_the_oldest_that_is_accepted_on() -> None:
    """And those that wheels are built for are among them."""
    versions = [text for text in classifiers("Programming Language :: Python :: ") if text.startswith("3.")]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["cibuildwheel"][
        "build"
    ]

    assert TOLD["Requires-Python"] == f">={versions[0]}"
    assert versions == [f"3.{minor}" for minor in range(11, 11 + len(versions))]
    assert {f"3.{minor}" for minor in re.findall(r"cp3(\d+)", build)} <= set(versions)


@pytest.mark.parametrize("system", ["MacOS", "POSIX :: Linux"])
def test_the_systems_are_those_of_the_readme(system: str) -> None:
    """Windows is not among them."""
    assert system in classifiers("Operating System :: ")
    assert len(classifiers("Operating System :: ")) == 2


def test_a_star_hides_nothing_of_the_standard_library() -> None:
    """Public names are imported by it, but not in the place of a module that everybody has."""
    names: dict[str, object] = {}
    exec("import io\nfrom onlinear import *", names)

    assert names["io"] is sys.modules["io"]
    assert {"AROWClassifier", "load", "linear_model", "text"} <= names.keys()
    hidden = sys.stdlib_module_names & set(onlinear.__all__)
    assert not hidden
    assert "io" in dir(onlinear)
