"""What `import` costs: whole processes that import and end."""

from __future__ import annotations

import sys

from benchmarks.command import best_process
from benchmarks.protocol import Arena, Contestant, Measurement, Scenario, Team, Turn, within


def importing(name: str, team: Team, code: str, needs: tuple[str, ...] = ()) -> Contestant:
    """Return a Python process that runs `code`."""

    def start(arena: Arena) -> Turn:
        def turn() -> Measurement:
            return best_process(arena.passes, [sys.executable, "-c", code])

        return turn

    return Contestant(name, team, start, needs)


SCENARIOS = (
    Scenario(
        name="import",
        title="import, as a whole process",
        rate="none",
        contestants=(
            importing("python alone", "limit", "pass"),
            importing("import numpy", "peer", "import numpy", ("numpy",)),
            importing("import onlinear", "us", "import onlinear", ("onlinear",)),
            importing("import AROWClassifier", "us", "from onlinear import AROWClassifier", ("onlinear",)),
            importing("import sklearn.linear_model", "peer", "import sklearn.linear_model", ("sklearn",)),
        ),
        targets=(within("import onlinear", "import numpy", 1.5),),
    ),
)
