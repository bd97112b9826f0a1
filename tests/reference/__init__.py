"""Every algorithm in plain NumPy float64, written from the papers: the oracle of the tests.

Nothing here imports the product. Speed is of no concern; each formula stands as it is written in its paper,
or in the form that keeps its digits where the printed form loses them.
"""

from .replay import Run, make, run

__all__ = ["Run", "make", "run"]
