"""Targets that move: streams, honest evaluation, and models that notice.

Streams are drawn once and kept, so that they are reproducible and every model sees the same one:

- `four_phases`, the class-mixture process of Shen and Dietterich over any labelled data;
- `abrupt`, `gradual` and `recurring`, linear concepts that replace one another.

`prequential` asks every example before it teaches it. `Watched` puts a drift detector beside a model: when its error
rises, the covariance goes back to its start, wholly or in part, so that the model listens again.
"""

from ._prequential import Prequential, prequential
from ._streams import DriftStream, abrupt, four_phases, gradual, recurring
from ._watched import Watched

__all__ = [
    "DriftStream",
    "Prequential",
    "Watched",
    "abrupt",
    "four_phases",
    "gradual",
    "prequential",
    "recurring",
]
