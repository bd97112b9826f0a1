"""What CONTRIBUTING.md shows of a new algorithm is compiled, learned with and compared, as its reader would."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import onlinear
from onlinear import rule
from onlinear.algorithms import gathering
from onlinear.estimators import estimator_of
from tests.reference import rules
from tests.reference.beliefs import Diagonal, Mean
from tests.reference.learners import Linear
from tests.reference.tasks import Binary

ROOT = Path(__file__).parents[1]
CORE = ROOT / "core"
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")

#: The two examples: the name of the rule, and one of ours on the same beliefs.
EXAMPLES = {"Timid": rule.PassiveAggressive, "Doubtful": rule.Arow}


def shown() -> dict[str, list[str]]:
    """The code of the page by the file it is for, which is named before it."""
    found: dict[str, list[str]] = {}
    for block in re.finditer(r"^ *```(?:cpp|python)\n(.*?)^ *```$", PAGE, re.DOTALL | re.MULTILINE):
        path = re.findall(r"`([\w/]+\.(?:hpp|py))`", PAGE[: block.start()])[-1]
        found.setdefault(path, []).append(textwrap.dedent(block[1]))
    return found


SHOWN = shown()


def listed(text: str) -> str:
    """The closed list with both rules at its end, and their headers included."""
    includes = "".join(f'#include "onlinear/rule/{name.lower()}.hpp"\n' for name in EXAMPLES)
    text = text.replace("namespace onlinear::rule {", f"{includes}\nnamespace onlinear::rule {{", 1)
    closed = re.search(r"using Rules = std::variant<[^;]*(?=>;)", text)
    assert closed, "the closed list is no longer `using Rules = std::variant<...>`"
    return text[: closed.end()] + "".join(f", {name}" for name in EXAMPLES) + text[closed.end() :]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """A program with the core's headers and the page's: what it says to some words and a stream."""
    folder = tmp_path_factory.mktemp("contributing")
    headers = folder / "onlinear" / "rule"
    headers.mkdir(parents=True)
    for name in EXAMPLES:
        (text,) = SHOWN[f"core/include/onlinear/rule/{name.lower()}.hpp"]
        (headers / f"{name.lower()}.hpp").write_text(text)
    (headers / "all.hpp").write_text(listed((CORE / "include/onlinear/rule/all.hpp").read_text()))
    parts = [
        "best",
        "simd",
        "simd_level",
        "memory_pages",
        "learner_contents",
        "learner_reading",
        "learner_staging",
    ]
    sources = [*sorted((CORE / "simd").glob("*.cpp")), *(CORE / "src" / f"{part}.cpp" for part in parts)]
    command = [os.environ.get("CXX", "c++"), "-std=c++20", "-O0", "-Wall", "-Wextra", "-Werror", "-Wno-psabi"]
    command += ["-pthread", "-DONLINEAR_LEVEL=base", f"-I{folder}", f"-I{CORE / 'include'}"]
    command += [str(ROOT / "tests" / "contributing.cpp"), *map(str, sources), "-o", str(folder / "run")]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr

    def run(*words: str, stream: str = "") -> str:
        done = subprocess.run(
            [folder / "run", *words], input=stream, capture_output=True, text=True, check=True
        )
        return done.stdout

    return run


@pytest.fixture
def known(program: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both rules in `onlinear.rule`.

    What they declare, and their steps, come from the program. A learner of this process has never heard of them: in its
    loop each is one of ours.
    """
    declarations = rule.declared()
    for name, ours in EXAMPLES.items():
        lines = [line.split("|") for line in program(name, "declare").splitlines()]
        parameters = tuple(
            SimpleNamespace(
                name=word, kind=kind, default=float(default), expected=expected, doc=doc, choices=()
            )
            for word, kind, default, expected, doc in lines
        )
        declarations[name] = SimpleNamespace(name=name, parameters=parameters)
        monkeypatch.setattr(rule, name, stand_in(name, ours, parameters, program), raising=False)
    monkeypatch.setattr(rule, "declared", lambda: declarations)
    before = dict(rules.RULES), dict(rules.PRICES), list(rules.SAMPLES)
    yield
    for table, was in zip((rules.RULES, rules.PRICES), before[:2], strict=True):
        table.clear()
        table.update(was)
    rules.SAMPLES[:] = before[2]


def stand_in(name: str, ours: Any, declared: tuple[Any, ...], program: Callable[..., str]) -> Any:
    """A class in `onlinear.rule` for a rule that is in the program alone."""

    def start(self: Any, **given: float) -> None:
        ours.__init__(self)
        assert set(given) <= {each.name for each in declared}
        self.given = {each.name: given.get(each.name, each.default) for each in declared}

    def step(self: Any, margin: float, variance: float) -> Any:
        words = [f"{key}={value!r}" for key, value in self.given.items()]
        numbers = program(name, *words, "step", repr(margin), repr(variance)).split()
        return SimpleNamespace(mean=float(numbers[0]), precision=float(numbers[1]))

    members = {"__init__": start, "step": step, "parameters": lambda self: dict(self.given)}
    return type(name, (ours,), members)


def executed(code: str, name: str, namespace: dict[str, Any] | None = None) -> dict[str, Any]:
    """The names a piece of the page defines."""
    module = ModuleType(name)
    module.__package__ = name.rpartition(".")[0]
    module.__dict__.update(namespace or {})
    sys.modules[name] = module
    try:
        exec(compile(code, f"CONTRIBUTING.md: {name}", "exec"), module.__dict__)
    finally:
        del sys.modules[name]
    return module.__dict__


def reference_of(name: str) -> rules.Sample:
    """The sample that the page's reference of a rule registers."""
    for code in SHOWN["tests/reference/rules.py"]:
        executed(code, "tests.reference.shown", vars(rules))
    (sample,) = (each for each in rules.SAMPLES if each.product == name)
    return sample


def test_the_page_shows_all_that_it_asks_for() -> None:
    """A header, a recipe and a reference for both, and a test."""
    for name in EXAMPLES:
        assert len(SHOWN[f"core/include/onlinear/rule/{name.lower()}.hpp"]) == 1
        assert len(SHOWN[f"src/onlinear/algorithms/{name.lower()}.py"]) == 1
    assert len(SHOWN["tests/reference/rules.py"]) == len(EXAMPLES)
    assert len(SHOWN["tests/rule/test_timid.py"]) == 1


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_header_of_the_page_learns_as_its_reference(
    name: str, program: Callable[..., str], known: None
) -> None:
    """Through the loop, from the closed list: mean and variance to 1e-9, with weights."""
    rng = np.random.default_rng(1)
    X, y, weights = rng.normal(size=(80, 5)), rng.integers(0, 2, 80), rng.choice([0.0, 0.5, 1.0, 2.0], 80)
    sample = reference_of(name)
    gaussian = name == "Doubtful"
    oracle = Linear(
        Binary(), sample.rule, sample.params, Diagonal(5, a=1.0, diag="kl") if gaussian else Mean(5)
    )
    for x, label, weight in zip(X, y, weights, strict=True):
        oracle.learn(x, 1.0 if label else -1.0, float(weight))
    lines = [
        "80 5",
        *(
            " ".join(map(repr, (int(t), float(w), *x.tolist())))
            for x, t, w in zip(X, y, weights, strict=True)
        ),
    ]
    said = program(
        name, *(f"{key}={value}" for key, value in sample.given.items()), "learn", stream="\n".join(lines)
    )
    counts, *weights_learned = [list(map(float, line.split())) for line in said.splitlines()]
    state = np.array(weights_learned)

    assert counts == [80, oracle.updates]
    assert oracle.updates > 10
    assert_allclose(state[:, 0], oracle.belief.mu, rtol=1e-9, atol=1e-12)
    if gaussian:
        assert_allclose(state[:, 1], oracle.belief.state()["sigma"], rtol=1e-9)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_recipe_of_the_page_makes_an_estimator(
    name: str, known: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the rule's parameters and defaults, its documentation, a name for the command line, and an example that runs."""
    (code,) = SHOWN[f"src/onlinear/algorithms/{name.lower()}.py"]
    made = executed(code, f"onlinear.algorithms.{name.lower()}")[name]
    cls = estimator_of(made)
    monkeypatch.setattr(onlinear, cls.__name__, cls, raising=False)
    declared = rule.declared()[name].parameters
    row = gathering._row(made, name.lower(), made.names[0])

    assert {each.name: getattr(cls(), each.name) for each in declared} == {
        each.name: each.default for each in declared
    }
    assert all(f"\n{each.name} : float, default={each.default!r}\n" in cls.__doc__ for each in declared)
    assert row[:3] == (name.lower(), name.lower(), name)
    assert set(row[4]) >= {each.name for each in declared}
    assert row[5] == "Author. Journal, year."
    assert row[6] == made.names[0].advice
    example = doctest.DocTestParser().get_doctest(made.__doc__, {}, name, "CONTRIBUTING.md", 0)
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0


def test_the_test_of_the_page_passes(known: None) -> None:
    """For each of its margins, with the steps of the header that is shown."""
    (code,) = SHOWN["tests/rule/test_timid.py"]
    tests = [each for key, each in executed(code, "tests.rule.shown").items() if key.startswith("test_")]
    assert len(tests) == 1
    (mark,) = tests[0].pytestmark
    for value in mark.args[1]:
        tests[0](value)
