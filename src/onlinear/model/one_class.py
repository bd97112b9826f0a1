"""A model of one class: a ball that should hold every example."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..exceptions import ModelFileError
from .labels import Labels
from .model import RowModel
from .undo import all_or_nothing

if TYPE_CHECKING:
    from ..algorithms.one_class import OneClass
    from .stream import RowStream

__all__ = ["OneClassModel"]


class OneClassModel(RowModel):
    """One block of weights, the centre; the score is the distance from it."""

    recipe: OneClass

    counted = ("n_passes", "cut")

    def __init__(self, recipe: OneClass) -> None:
        super().__init__(recipe)
        #: The distance past which an example is an outlier, where the recipe asks for a share of them.
        self.cut: float | None = None

    def start(self, n_features: int, classes: Any, dtype: str, *, anew: bool = True) -> None:
        """Make the learner."""
        super().start(n_features, classes, dtype, anew=anew)
        self.cut = None

    def learn_one(self, x: Mapping[Any, Any], y: Any = None, w: float = 1.0) -> None:
        """Learn one example from a dict of features."""
        if self.native is not None:
            self.learn_dict(x, w)
            return
        self.recipe.check()
        if not self.is_weightless(x, w, self.dict_dtype()):
            with all_or_nothing(self, single=True):
                self.labels = Labels()
                self.start(0, [], self.dict_dtype())
                self.learn_dict(x, w)

    def stream(self, **options: Any) -> RowStream:
        """The model at the end of a stream of rows."""
        from .task_streams import OneClassStream

        return OneClassStream(self, **options)

    @property
    def radius(self) -> float:
        """The radius of the ball."""
        largest = self.recipe.max_radius
        if largest is None:
            return float(self.recipe.radius)
        # The paper's reduction: one more coordinate starts at the bound; what it has lost is the radius.
        omega = min(max(float(self.learner.state()["threshold"]), 0.0), largest)
        return math.sqrt((largest - omega) * (largest + omega))

    def extras(self) -> dict[str, Any]:
        """The cut."""
        return {"cut": self.cut}

    def take_extras(self, extras: dict[str, Any]) -> None:
        """Take over the cut."""
        cut = extras["cut"]
        if cut is not None and not math.isfinite(cut):
            raise ModelFileError("the cut of the scores is not finite")
        self.cut = None if cut is None else float(cut)
