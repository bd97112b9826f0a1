"""docs/architecture.md tells the ways that calls really take."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pytest

import onlinear
from onlinear import AROWClassifier, SequenceLabeler, _core
from onlinear.cli import main

HOME = Path(onlinear.__file__).parent
PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")


class Place(NamedTuple):
    """A function that was called: its file without the ending, and its name in it."""

    file: str
    name: str


def told() -> dict[str, list[str]]:
    """The hops of each journey of the page, in their order, by the call it begins with."""
    section = PAGE.partition("## Four journeys\n")[2].partition("\n## ")[0]
    found: dict[str, list[str]] = {}
    for title, steps in re.findall(
        r"^[^\n\d`]*`([^`\n]+)`:\n\n((?:(?:\d\.| ) [^\n]+\n)+)", section, re.MULTILINE
    ):
        found[title] = re.findall(r"`([\w/.]+)`", steps)
    return found


def walked(call: Callable[[], Any]) -> list[Place]:
    """The functions of the package that a call goes through."""
    places: list[Place] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        is_function = frame.f_code.co_flags & inspect.CO_OPTIMIZED  # and no module or class being defined
        if event == "call" and is_function and frame.f_code.co_filename.startswith(str(HOME)):
            file = Path(frame.f_code.co_filename).relative_to(HOME).with_suffix("").as_posix()
            places.append(Place(file, frame.f_code.co_qualname))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return places


def is_at(place: Place, hop: str) -> bool:
    """Whether a function is the one that a hop names, or in the file or the class that it names."""
    folder, slash, rest = hop.rpartition("/")
    stem, _, name = rest.partition(".")
    if slash:
        parts = place.name.split(".")
        return place.file == f"{folder}/{stem}" and (not name or name in (parts[0], parts[-1]))
    return hop == (place.name if name else place.name.rpartition(".")[2])


def is_native(hop: str) -> bool:
    """Whether a hop is a function of the core's."""
    return any(hasattr(owner, hop) for owner in (_core, _core.Learner, _core.SequenceLearner))


def train(folder: Path) -> Callable[[], Any]:
    """The command, on a file with a third class in its last line."""
    file = folder / "mail.svm"
    file.write_text("1 1:1 2:1\n-1 2:1 3:1\n3 3:1\n")
    return lambda: main(["train", str(file), "-q", "--save", str(folder / "mail.safetensors")])


def partial_fit(folder: Path) -> Callable[[], Any]:
    """A first batch."""
    return lambda: AROWClassifier().partial_fit(np.eye(3), ["a", "b", "c"])


def learn_one(folder: Path) -> Callable[[], Any]:
    """An example that brings nothing new, and one that brings a class."""
    model = AROWClassifier().learn_one({"free": 1.0}, "spam")
    return lambda: model.learn_one({"free": 1.0}, "spam").learn_one({"meeting": 1.0}, "ham")


def sentence(folder: Path) -> Callable[[], Any]:
    """Two tokens."""
    return lambda: SequenceLabeler().partial_fit([[["the"], ["cat"]]], [["D", "N"]])


#: By the call that a journey begins with: what makes ready for it, and gives it.
JOURNEYS: dict[str, Callable[[Path], Callable[[], Any]]] = {
    "onlinear train mail.svm --save mail.safetensors": train,
    "partial_fit(X, y)": partial_fit,
    "learn_one(x, y)": learn_one,
    "SequenceLabeler().partial_fit(X, y)": sentence,
}


def test_the_page_tells_four_journeys() -> None:
    """Each with its hops."""
    assert set(told()) == set(JOURNEYS)
    assert all(len(hops) > 2 for hops in told().values())


@pytest.mark.parametrize("title", JOURNEYS)
def test_a_journey_goes_where_the_page_says(title: str, tmp_path: Path) -> None:
    """Every hop is one, and comes after those before it."""
    places = walked(JOURNEYS[title](tmp_path))
    at = 0
    for hop in told()[title]:
        if is_native(hop):
            continue
        assert any(is_at(place, hop) for place in places), f"{hop} is on no way"
        later = [i for i, place in enumerate(places[at:], start=at) if is_at(place, hop)]
        assert later, f"{hop} comes before what the page tells before it"
        at = later[0]


def test_what_the_page_names_is_there() -> None:
    """Every folder and every file; and every folder of the package and of the core's headers is named."""
    root = Path(__file__).parents[1]
    headers = root / "core" / "include" / "onlinear"
    named = set(
        re.findall(r"[\w/]*\w/(?![\w./])|[\w/]+\.(?:py|hpp)\b", PAGE.partition("## Four journeys")[0])
    )
    places = (root, root / "core", headers, HOME, HOME / "estimators", HOME / "cli")
    missing = [name for name in named if not any((place / name).exists() for place in places)]
    folders = {
        path.name
        for home in (HOME, headers)
        for path in home.iterdir()
        if path.is_dir() and path.name[0] != "_"
    }

    assert not missing
    assert folders <= {name.strip("/").rpartition("/")[2] for name in named}
