"""Batches with a classifier's scores, and what follows from them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..model.answers import decided, margin_deviations, oriented, probabilities
from ..model.stream import rows_of
from ._reading import read_blocks

if TYPE_CHECKING:
    from ..io import Batch, Reader
    from ..model.classifier import ClassifierModel
    from ..model.types import Array

__all__ = ["Scored", "score"]


class Scored:
    """A batch with its scores, one column per block of the model, and what follows from them."""

    __slots__ = ("_model", "batch", "blocks", "classes", "scores")

    def __init__(self, model: ClassifierModel, batch: Batch, blocks: Array) -> None:
        self._model = model
        self.batch = batch
        self.blocks = blocks
        self.classes = model.labels.classes.among(blocks.shape[1])
        self.scores: Array = oriented(blocks, self.classes)

    @property
    def decided(self) -> Array:
        """Positions in ``classes_``."""
        return decided(self.scores, self.classes)

    @property
    def probabilities(self) -> Array:
        """One column per class, sorted."""
        return probabilities(self._model, self.blocks, self.classes)

    def std(self) -> Array:
        """The standard deviation of each margin."""
        return margin_deviations(self._model, rows_of(self.batch))


def score(model: ClassifierModel, reader: Reader) -> Iterator[Scored]:
    """The batches of a reader with their scores."""
    for batch, blocks in read_blocks(model, reader):
        yield Scored(model, batch, blocks)
