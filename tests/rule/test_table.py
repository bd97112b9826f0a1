"""Single steps agree with a table computed in eighty digits."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from numpy.testing import assert_allclose

from onlinear import rule

TABLE = json.loads((Path(__file__).parents[1] / "vectors" / "_rules.json").read_text(encoding="ascii"))
VARIANTS = {"PA": "pa", "PA-I": "pa1", "PA-II": "pa2"}


def made(row: dict[str, Any]) -> Any:
    """Build the rule a row is about."""
    p, phi = row["params"], row.get("phi")
    if row["rule"] in VARIANTS:
        return rule.PassiveAggressive(variant=VARIANTS[row["rule"]], C=p["C"])
    return {
        "CW-var": lambda: rule.ConfidenceWeighted(constraint="variance", phi=phi),
        "CW-stdev": lambda: rule.ConfidenceWeighted(constraint="stdev", phi=phi),
        "SCW-I": lambda: rule.SoftConfidenceWeighted(penalty="linear", C=p["C"], phi=phi),
        "SCW-II": lambda: rule.SoftConfidenceWeighted(penalty="squared", C=p["C"], phi=phi),
        "AROW": lambda: rule.Arow(r=p["r"]),
        "AROW-H": lambda: rule.Arow(r=p["r"], loss="hinge"),
        "NHERD": lambda: rule.Nherd(C=p["C"]),
        "NAROW": lambda: rule.Narow(b=p["b"]),
        "NAROW-coupled": lambda: rule.Narow(b=p["b"], form="coupled"),
        "SOP-like": lambda: rule.SecondOrderPerceptron(),
    }[row["rule"]]()


def name(row: dict[str, Any]) -> str:
    """Give a row a readable name."""
    return f"{row['rule']} at {row.get('m', row.get('loss'))}, {row.get('v', row.get('n2'))}"


@pytest.mark.parametrize("row", [r for r in TABLE if "alpha" in r], ids=name)
def test_a_gaussian_step_has_twelve_digits(row: dict[str, Any]) -> None:
    """Margins up to 1e6 and variances from 0 to 1e8 give alpha, gain and beta to 1e-12."""
    step = made(row).step(row["m"], row["v"])
    got = [step.mean, step.precision, step.precision / (1 + step.precision * row["v"])]

    assert_allclose(got, [row["alpha"], row["precision"], row["beta"]], rtol=1e-12)


@pytest.mark.parametrize("row", [r for r in TABLE if "tau" in r], ids=name)
def test_a_passive_aggressive_step_has_twelve_digits(row: dict[str, Any]) -> None:
    """Losses and squared norms of any size give tau to 1e-12."""
    step = made(row).step(-row["loss"], row["n2"], required=0.0)

    assert_allclose(step.mean, row["tau"], rtol=1e-12)
