"""A model of one class: a ball that should hold every example."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ..exceptions import ModelFileError
from .labels import Labels
from .model import RowModel
from .undo import all_or_nothing

if TYPE_CHECKING:
    from ..algorithms.one_class import OneClass
    from .stream import RowStream
    from .types import Array, Features, Label, LabelsLike, Values

__all__ = ["OneClassModel"]

#: As many distances as the core keeps (core/include/onlinear/cut.hpp).
_KEPT = 1024


class OneClassModel(RowModel):
    """One block of weights, the centre; the score is the distance from it."""

    recipe: OneClass

    counted = ("n_passes", "cut")

    def __init__(self, recipe: OneClass) -> None:
        super().__init__(recipe)
        #: The distance past which an example is an outlier, where the recipe asks for a share of them.
        self.cut: float | None = None

    def start(self, n_features: int, classes: Array | list[Label], dtype: str, *, anew: bool = True) -> None:
        """Make the learner."""
        super().start(n_features, classes, dtype, anew=anew)
        self.cut = None

    def learn_one(self, x: Features, y: LabelsLike = None, w: float = 1.0) -> None:
        """Learn one example from a dict of features."""
        if self.native is not None:
            self.learn_dict(x, w)
            return
        if not self.is_weightless(x, w, self.dict_dtype()):
            with all_or_nothing(self, single=True):
                self.labels = Labels()
                self.start(0, [], self.dict_dtype())
                self.learn_dict(x, w)

    def stream(self, **options: Any) -> RowStream:
        """The model at the end of a stream of rows."""
        from .task_streams import OneClassStream  # which needs NumPy

        return OneClassStream(self, **options)

    @property
    def radius(self) -> float:
        """The radius of the ball."""
        largest = self.recipe.max_radius
        if self.recipe.by_share:
            learned: float | None = self.learner.handle.distance_cut(self.recipe.nu)
            return 0.0 if learned is None else learned
        if largest is None:
            return float(self.recipe.radius or 0.0)
        # The paper's reduction: one more coordinate starts at the bound; what it has lost is the radius.
        omega = min(max(float(self.learner.state()["threshold"]), 0.0), largest)
        return math.sqrt((largest - omega) * (largest + omega))

    def know_distances(self, distances: Array) -> None:
        """Take the distances of rows from the centre as it is now for those of the last rows.

        Of many, as many as the learner keeps, evenly from the nearest to the farthest.
        """
        import numpy as np

        kept = min(len(distances), _KEPT)
        places = (np.arange(1, kept + 1) * len(distances)) // kept - 1
        state = self.learner.state()
        rounds = state["cut"][0] if "cut" in state else float(len(distances))
        self.learner.handle.load_state(
            {**state, "cut": [rounds, 0.0, 0.0, *np.sort(distances)[places].tolist()]}
        )

    def extras(self) -> Values:
        """The cut."""
        return {"cut": self.cut}

    def take_extras(self, extras: Values) -> None:
        """Take over the cut."""
        cut = extras["cut"]
        if cut is not None and not math.isfinite(cut):
            raise ModelFileError("the cut of the scores is not finite")
        self.cut = None if cut is None else float(cut)
