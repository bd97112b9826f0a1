"""The list of faults, and how one is written into a source file."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

__all__ = [
    "HERE",
    "ROOT",
    "Fault",
    "ListError",
    "chosen",
    "faulty_core",
    "faulty_python",
    "read_list",
    "source_of",
]

HERE = Path(__file__).parent
ROOT = HERE.parent
LISTS = ("core.toml", "python.toml")
OPEN, CLOSE = "«", "»"


class ListError(Exception):
    """The list does not fit the code any more, or never did."""


@dataclass(frozen=True)
class Fault:
    """One thing that goes wrong: `was` becomes `wrong` in the only place of `file` where it stands."""

    number: int
    area: str
    file: str
    says: str
    before: str
    was: str
    after: str
    wrong: str
    tests: tuple[str, ...]
    equivalent: str = ""
    place: int = field(default=0, compare=False)

    @property
    def in_core(self) -> bool:
        """Whether it is compiled in and chosen at run time."""
        return self.file.startswith("core/")

    def located(self, text: str) -> int:
        """Where `was` begins in a file's text."""
        whole = self.before + self.was + self.after
        if (count := text.count(whole)) != 1:
            raise ListError(
                f"fault {self.number}: its text occurs {count} times in {self.file}, not once; "
                f"write it as it stands there now:\n{whole}"
            )
        return text.index(whole) + len(self.before)


def read_list() -> list[Fault]:
    """All faults, each known to fit its file."""
    faults: list[Fault] = []
    for name in LISTS:
        for entry in tomllib.loads((HERE / name).read_text(encoding="utf-8"))["fault"]:
            faults.append(_fault(entry))
    numbers = [fault.number for fault in faults]
    if twice := {number for number in numbers if numbers.count(number) > 1}:
        raise ListError(f"these numbers stand twice: {sorted(twice)}")
    wrong: list[str] = []
    for fault in faults:
        try:
            fault.located((ROOT / fault.file).read_text(encoding="utf-8"))
        except (ListError, FileNotFoundError) as error:
            wrong.append(str(error))
        wrong += [
            f"fault {fault.number}: there is no {test}"
            for test in fault.tests
            if not source_of(test).exists()
        ]
    if wrong:
        raise ListError("\n".join(wrong))
    return sorted(faults, key=lambda fault: fault.number)


def source_of(test: str) -> Path:
    """The file, or folder, of a test as the list names it."""
    kind, _, topic = test.partition(":")
    return ROOT / (f"core/tests/{topic}.cpp" if kind == "core" else test.partition("::")[0])


def _fault(entry: dict[str, object]) -> Fault:
    right = str(entry["right"]).strip("\n")
    if right.count(OPEN) != right.count(CLOSE) or right.count(OPEN) > 1:
        raise ListError(f"fault {entry['n']}: mark one part between {OPEN} and {CLOSE}, or nothing")
    before, was, after = "", right, ""
    if OPEN in right:
        before, _, rest = right.partition(OPEN)
        was, _, after = rest.partition(CLOSE)
    tests = entry.get("tests", [])
    assert isinstance(tests, list)
    return Fault(
        number=int(str(entry["n"])),
        area=str(entry["area"]),
        file=str(entry["file"]),
        says=str(entry["says"]),
        before=before,
        was=was,
        after=after,
        wrong=str(entry["wrong"]).strip("\n"),
        tests=tuple(str(test) for test in tests),
        equivalent=str(entry.get("equivalent", "")),
    )


def chosen(faults: list[Fault], only: str) -> list[Fault]:
    """Those whose numbers, or areas, are named: ``17,20-30,text``."""
    if not only:
        return faults
    kept: list[Fault] = []
    for word in only.split(","):
        first, dash, last = word.strip().partition("-")
        if first.isdigit():
            low, high = int(first), int(last if dash else first)
            found = [fault for fault in faults if low <= fault.number <= high]
        else:
            found = [fault for fault in faults if fault.area == word.strip()]
        if not found:
            raise ListError(f"no fault is called {word!r}")
        kept += [fault for fault in found if fault not in kept]
    return kept


def faulty_core(text: str, faults: Iterable[Fault]) -> str:
    """A C++ file with all its faults in it, each behind its number."""
    places = sorted((fault.located(text), fault) for fault in faults)
    for (start, one), (following, other) in zip(places, places[1:], strict=False):
        if start + len(one.was) > following:
            raise ListError(f"faults {one.number} and {other.number} are about the same text")
    for start, fault in reversed(places):
        text = text[:start] + _either(fault) + text[start + len(fault.was) :]
    return text


def _either(fault: Fault) -> str:
    """C++ that does the one or the other: a statement where the text ends like one, else an expression."""
    asked = f"onlinear_fault({fault.number})"
    if fault.was.rstrip().endswith((";", "}")):
        return f"if ({asked}) {{ {fault.wrong} }} else {{ {fault.was} }}"
    return f"({asked} ? ({fault.wrong}) : ({fault.was}))"


def faulty_python(text: str, fault: Fault) -> str:
    """A Python file with one fault in it."""
    start = fault.located(text)
    return text[:start] + fault.wrong + text[start + len(fault.was) :]
