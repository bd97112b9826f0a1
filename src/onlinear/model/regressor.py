"""A model of real targets."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError
from .labels import Labels
from .model import RowModel
from .undo import all_or_nothing

if TYPE_CHECKING:
    from .stream import RowStream
    from .types import Features, LabelsLike

__all__ = ["RegressorModel"]


class RegressorModel(RowModel):
    """One block of weights, whose score is the prediction."""

    def learn_one(self, x: Features, y: LabelsLike, w: float = 1.0) -> None:
        """Learn one example from a dict of features."""
        try:
            target = float(y)
        except (TypeError, ValueError):
            raise DataError(f"y must be a number, got {y!r}") from None
        if self.native is not None:
            self.learn_dict(x, w, target=target)
            return
        if not isfinite(target):
            raise DataError(f"y must be finite, got {y!r}")
        if not self.is_weightless(x, w, self.dict_dtype()):
            with all_or_nothing(self, single=True):
                self.labels = Labels()
                self.start(0, [], self.dict_dtype())
                self.learn_dict(x, w, target=target)

    def stream(self, **options: Any) -> RowStream:
        """The model at the end of a stream of rows."""
        from .task_streams import TargetStream  # which needs NumPy

        return TargetStream(self, **options)
