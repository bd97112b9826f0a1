"""Every algorithm by its name on the command line: learned, tested, applied, looked into, and listed."""

from __future__ import annotations

import json
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import onlinear
from onlinear import rule
from onlinear.algorithms import index, table
from onlinear.algorithms.gathering import gathered
from onlinear.cli import main

from .commands import onlinear as run
from .commands import write_svmlight

#: The names the documentation promises.
PROMISED = (
    "perceptron averaged-perceptron pa pa1 pa2 sop romma aromma norma iellip cw-var cw-stdev arow arow-h scw1 scw2 "
    "nherd narow adagrad-rda mira rpa-objective rpa-l2-ball rpa-l1-ball"
).split()

#: A shape of command line that suits a parameter of each kind.
VALUES = {
    "C": 0.5,
    "r": 0.5,
    "confidence": 0.8,
    "eta": 0.2,
    "rate": 0.5,
    "b": 0.5,
    "radius": 20.0,
    "alpha": 0.002,
}


def answer(capsys: pytest.CaptureFixture[str], *words: object) -> Any:
    """Run a command in this process and read its JSON."""
    capsys.readouterr()
    code = main([str(word) for word in words])
    out, err = capsys.readouterr()
    assert code == 0, err
    return json.loads(out)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> dict[int, tuple[Path, Path]]:
    """Train and test files for two and for three classes; the test file goes on where the other ended."""
    folder = tmp_path_factory.mktemp("algorithms")
    files = {}
    for classes in (2, 3):
        whole = write_svmlight(folder / f"{classes}.svm", 1200, classes=classes).read_text().splitlines(True)
        train, test = folder / f"{classes}.train.svm", folder / f"{classes}.test.svm"
        train.write_text("".join(whole[:1000]))
        test.write_text("".join(whole[1000:]))
        files[classes] = train, test
    return files


def test_all_promised_names_are_there() -> None:
    """A name that was given stays; new ones may come."""
    assert set(PROMISED) <= set(table.names())


def test_every_rule_has_a_name() -> None:
    """A rule that joins the closed list has a recipe with a name; least squares are a regressor's."""
    named = {type(table.find(name).make().axes()[0]).__name__ for name in table.names()} | {"LeastSquares"}
    missing = sorted(set(rule.declared()) - named)
    assert not missing, (
        f"{', '.join(missing)}: write a recipe in src/onlinear/algorithms with `rule_class = rule.{missing[0]}` and "
        "`names = (Name(...),)`, then run `make stubs`"
    )


def test_the_index_says_what_the_recipes_say() -> None:
    """It is gathered from them, so that listing names imports none; a name keeps its place."""
    recipes, names = gathered()
    remedy = "run `make stubs`, which writes src/onlinear/algorithms/index.py"
    assert recipes == index.RECIPES, remedy
    assert {kind: sorted(rows) for kind, rows in names.items()} == {
        kind: sorted(rows) for kind, rows in index.NAMES.items()
    }, remedy


def test_a_parameter_of_a_rule_has_its_default_unless_the_recipe_says_otherwise() -> None:
    """Parameters and defaults come from the rule's declaration; these recipes have reasons for others."""
    other = {}
    for estimator in index.RECIPES:
        recipe: Any = table.recipe_named(estimator)
        declared = rule.declared()[recipe.rule_class.__name__].parameters if recipe.rule_class else ()
        defaults = {item.name: item.default for item in fields(recipe)}
        other |= {
            (estimator, each.name): defaults[each.name]
            for each in declared
            if defaults[each.name] != each.default
        }
    assert other == {
        ("ConfidenceWeightedClassifier", "phi"): None,  # from the confidence
        ("NORMAClassifier", "lam"): 1e-4,
        ("PassiveAggressiveOneClass", "C"): None,  # from what decides the radius
        ("ROMMAClassifier", "aggressive"): True,
        ("RegularizedPassiveAggressiveClassifier", "alpha"): 0.001,
        ("SoftConfidenceWeightedClassifier", "phi"): None,
    }


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", table.names())
def test_an_algorithm_goes_all_the_way(
    name: str,
    classes: int,
    data: dict[int, tuple[Path, Path]],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Train with a parameter and --test, predict, evaluate, inspect: all agree, and all beat guessing."""
    train, test = data[classes]
    path = tmp_path / "m.safetensors"
    entry = table.find(name)
    tuned = next(([f"{key}={VALUES[key]}"] for key in entry.parameters if key in VALUES), [])
    options = [word for pair in tuned for word in ("-p", pair)]
    told = answer(
        capsys, "train", train, "-a", name, *options, "--test", test, "--save", path, "-q", "--json"
    )
    assert told["algorithm"] == name
    assert told["examples"] == 1000
    assert told["refused"] == 0
    assert told["test_error"] < 0.75 * (1 - 1 / classes)
    assert set(entry.parameters) | set(entry.preset) <= set(told["parameters"])
    assert set(map(str, told["parameters"].values())) >= {pair.partition("=")[2] for pair in tuned}

    tested = answer(capsys, "evaluate", path, test, "--json")
    assert tested["error"] == pytest.approx(told["test_error"])
    assert main(["predict", str(path), str(test)]) == 0
    guessed = capsys.readouterr().out.split()
    truth = [str(float(line.split()[0])) for line in test.read_text().splitlines()]
    wrong = sum(str(float(guess)) != label for guess, label in zip(guessed, truth, strict=True))
    assert wrong / 200 == pytest.approx(told["test_error"])

    seen = answer(capsys, "inspect", path, "--json", "--top", 3)
    assert seen["estimator"] == entry.estimator
    assert seen["seen"] == 1000
    assert all(0 < len(items) <= 3 for items in seen["weights"].values())
    assert seen["updates"] == told["updates"]


@pytest.mark.parametrize("name", table.names())
def test_a_listed_algorithm_tells_paper_parameters_and_advice(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """In JSON with the defaults the estimator really has, and for people."""
    (item,) = answer(capsys, "algorithms", name, "--json")
    model = getattr(onlinear, item["estimator"])(**item["preset"])
    assert re.match(r"[A-Z]\w+(-[A-Z]\w+)?[,.] .+\.$", item["paper"])
    assert len(item["advice"]) > 20
    for parameter, default in item["parameters"].items():
        assert getattr(model, parameter) == default
    assert main(["algorithms", name]) == 0
    out = capsys.readouterr().out
    assert item["paper"] in out
    assert item["advice"] in out
    assert all(parameter in out for parameter in item["parameters"])


@pytest.mark.parametrize(
    ("wrong", "meant"),
    [
        ("scw", "scw1' or 'scw2"),
        ("AROW", "arow"),
        ("averaged_perceptron", "averaged-perceptron"),
        ("rpa_l1_ball", "rpa-l1-ball"),
        ("cw", "cw-var' or 'cw-stdev"),
        ("rpa", "rpa-objective' or 'rpa-l2-ball' or 'rpa-l1-ball"),
        ("srw1", "scw1"),
        ("nerd", "nherd"),
        ("adagrad", "adagrad-rda"),
    ],
)
def test_an_unknown_name_is_answered_with_the_nearest(wrong: str, meant: str) -> None:
    """On both commands that take one; where it begins several, with all of them."""
    for words in (["train", "-a", wrong, "-"], ["algorithms", wrong]):
        done = run(*words)
        assert done.code == 2
        assert f"Unknown algorithm '{wrong}'" in done.err
        assert f"Did you mean '{meant}'?" in done.err


def test_a_parameter_of_another_algorithm_is_answered_with_the_nearest() -> None:
    """And with those there are."""
    done = run("train", "-a", "scw1", "-p", "confidance=0.9", "-")
    assert done.code == 2
    assert "Did you mean 'confidence'?" in done.err
    assert "C, confidence, phi" in done.err
