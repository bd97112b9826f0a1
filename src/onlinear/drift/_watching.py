"""A drift detector beside a model that learns a stream of batches, as the command line does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..model.class_stream import ClassStream
from ..model.stream import Counts
from ._watched import detector_of

if TYPE_CHECKING:
    from ..io import Batch
    from ..model.classifier import ClassifierModel
    from ..model.types import Answers, Array

__all__ = ["WatchedStream"]


class WatchedStream(ClassStream):
    """A classifier at the end of a stream, asked every row before it learns it, as `Watched` is.

    When the detector sees the error rise, the covariance goes back to its start.

    Parameters
    ----------
    model : ClassifierModel
        It learns what comes; it needs a covariance.
    detector : str
        The name of a detector.
    **options
        Those of `ClassStream`.
    """

    def __init__(self, model: ClassifierModel, detector: str, **options: Any) -> None:
        super().__init__(model, **options)
        self._detector = detector_of(detector)
        #: After how many examples drift was noticed, each time.
        self.alarms: list[int] = []

    def learn(
        self,
        batch: Batch,
        answers: Answers,
        start: int = 0,
        stop: int | None = None,
        *,
        calibrate: bool = True,
        held_out: Array | None = None,
    ) -> Counts:
        """Learn the rows from `start` to `stop`, each after it was asked; see `RowStream.learn`."""
        done = Counts()
        for row in range(start, batch.n_rows if stop is None else stop):
            counts = (batch.weight is None or batch.weight[row] > 0) and not (
                held_out is not None and held_out[row]
            )
            if counts and self.started:
                self._tell(self._is_wrong(batch, answers, row))
            done.add(super().learn(batch, answers, row, row + 1, calibrate=calibrate, held_out=held_out))
        return done

    def _is_wrong(self, batch: Batch, answers: Answers, row: int) -> bool:
        self.labels.first_unknown(batch, answers, row, row + 1)  # which completes its number, if it has one
        return bool(self.guess(self.scores(batch, row, row + 1))[0] != answers[row])

    def _tell(self, wrong: bool) -> None:
        learner = self.model.with_variance()  # which a model without variances refuses at its second row
        self._detector.update(float(wrong))
        if self._detector.drift_detected:
            self.alarms.append(self.model.n_seen)
            learner.handle.inflate(1.0)
