"""One module a scenario, each with a `SCENARIO`. A new file here is a new scenario; nothing else to do."""

from __future__ import annotations

import importlib
import pkgutil

from benchmarks.protocol import Scenario


def all_scenarios() -> list[Scenario]:
    """Import every module of this folder and return their scenarios in order of the file names."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__))
    return [scenario for name in names for scenario in _of(name)]


def find(name: str) -> Scenario:
    """Return the scenario of that name."""
    return next(scenario for scenario in all_scenarios() if scenario.name == name)


def _of(module: str) -> tuple[Scenario, ...]:
    found = importlib.import_module(f"{__name__}.{module}").SCENARIOS
    return tuple(found)
