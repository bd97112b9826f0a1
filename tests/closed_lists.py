"""The closed lists of rules and beliefs, for tests that hold every one of them to something.

They are read from what the core declares, so a rule that joins the list joins the tables of these tests.
"""

from __future__ import annotations

from itertools import product
from typing import Any

from onlinear import belief, rule


def variations(kind: Any, declaration: Any) -> list[Any]:
    """Objects of a class with every combination of its words and flags; its numbers as they are."""
    values = [
        [(each.name, value) for value in (each.choices if each.kind == "choice" else (False, True))]
        for each in declaration.parameters
        if each.kind in ("choice", "flag")
    ]
    return [kind(**dict(chosen)) for chosen in product(*values)]


#: Every rule in every variation, by its repr.
RULES: dict[str, Any] = {
    repr(made): made
    for name, known in rule.declared().items()
    for made in variations(getattr(rule, name), known)
}

#: A belief of each kind, a diagonal one for each projection.
BELIEFS: dict[str, Any] = {
    "mean": belief.Mean(),
    "L1 ball": belief.L1Ball(),
    "drop": belief.Diagonal(projection="drop"),
    "kl": belief.Diagonal(projection="kl"),
    "exact": belief.Diagonal(projection="exact"),
    "full": belief.Full(),
    "information": belief.Information(),
    "kernel": belief.Kernel(kernel="rbf", gamma=0.5, initial_variance=2.0),
    "dual averaging": belief.DualAveraging(),
}

_GAUSSIAN = {"drop", "kl", "exact", "full", "information", "kernel"}
_METRICS = {
    "mean": {"mean", "kernel"},
    "gaussian": _GAUSSIAN,
    "either": {"mean"} | _GAUSSIAN,
    "dual": {"dual averaging"},
}


def defined_on(made: Any) -> set[str]:
    """The beliefs a rule is defined on, by its metric and by the parts of a step that it uses."""
    if getattr(made, "penalty", None) == "l1_ball":
        return {"L1 ball"}
    known, uses = belief.declared(), set(rule.declared()[type(made).__name__].parts)
    found = {name for name in _METRICS[made.metric] if uses <= set(known[type(BELIEFS[name]).__name__].parts)}
    if made.drop_only:
        found -= {"kl", "exact"}
    if not made.has_exact:
        found -= {"exact"}
    return found
