"""A model that ranks labels: those that are right above those that are not."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError, ModelFileError, NotAvailableError, NumericError
from .labels import Labels, flat_labels
from .model import RowModel
from .rows import Rows
from .undo import Undo, all_or_nothing

if TYPE_CHECKING:
    from ..algorithms.ranking import Ranking
    from .label_sets import LabelSets
    from .stream import RowStream
    from .types import Array, Features, Label, LabelsLike, Values

__all__ = ["RankerModel"]


class RankerModel(RowModel):
    """A block of weights for each label, or one for all where the recipe has a `phi`."""

    recipe: Ranking

    counted = ("n_passes", "one_each")
    has_classes = True

    def __init__(self, recipe: Ranking) -> None:
        super().__init__(recipe)
        #: Whether every example has one label, so that labels exclude one another.
        self.one_each = False

    # ------------------------------------------------------------------ getting ready

    def start(self, n_features: int, classes: Array | list[Label], dtype: str, *, anew: bool = True) -> None:
        """Make the learner for the labels known at the start."""
        rule, known = self.recipe.make_axes()
        self.labels.add(classes)
        # An example may have no label at all; the first label to come takes the first block.
        n_labels = max(len(self.labels), 1)
        self.native = self._made(self.recipe.make_task(), rule, known, n_features, n_labels, dtype, anew=anew)

    def meet(self, new: Array | list[Label], n_features: int, dtype: str) -> None:
        """Make room for labels and features that were not there before; the first of them start the learner."""
        if self.native is None:
            self.labels = Labels()
            self.start(n_features, new, dtype)
            return
        self.labels.add(new)
        if len(new) or n_features > self.native.n_features:
            self.native.grow(max(n_features, self.native.n_features), len(self.labels))

    # ------------------------------------------------------------------ learning

    def learn_part(
        self,
        rows: Rows,
        given: LabelSets,
        weights: Array | None,
        start: int,
        stop: int,
        new: Array,
        dtype: str,
    ) -> None:
        """Learn some examples, from `start` to `stop`, after meeting the labels that the first of them brings."""
        first = self.native is None
        grows = not first and (len(new) > 0 or rows.n_columns > self.learner.n_features)
        undo = Undo.of_growth(self) if grows else Undo.of_names(self)
        try:
            self.meet(new, rows.n_columns, dtype)
            if first:
                self.one_each, self.n_passes = given.one_each, 0
            numbers, lists = given.between(start, stop, self.labels)
            self.learner.learn_rows(
                rows,
                numbers,
                None if weights is None else weights[start:stop],
                checked=True,
                label_lists=lists,
                first_row=start,
            )
        except BaseException as error:
            if not (isinstance(error, NumericError) and error.row is not None and error.row > start):
                undo.back()  # nothing was learned since
            raise

    def learn_one(self, x: Features, y: LabelsLike, w: float = 1.0) -> None:
        """Learn one example from a dict of features; `y` is a collection of labels, or a dict from label to bool."""
        if self.recipe.phi is not None:
            raise NotAvailableError(f"{self.recipe.owner} with phi learns from fit and partial_fit")
        if not isinstance(y, Collection) or isinstance(y, str | bytes):
            raise DataError(f"y must be a collection of labels, or a dict from label to bool, got {y!r}")
        relevant = [label for label in y if not isinstance(y, Mapping) or y[label]]
        first = self.native is None
        known = Labels() if first else self.labels
        new = known.unknown(flat_labels(list(y)))
        if (first or len(new)) and self.is_weightless(x, w, self.dict_dtype()):
            return
        with all_or_nothing(self, Undo.of_growth(self) if not first and len(new) else None, single=True):
            if first or len(new):
                self.meet(new, 0, self.dict_dtype())
            if first:
                self.one_each = False
            self.learn_dict(x, w, relevant=[self.labels.index[label] for label in relevant])

    def stream(self, **options: Any) -> RowStream:
        """The model at the end of a stream of rows."""
        from .task_streams import RankingStream  # which needs NumPy

        return RankingStream(self, **options)

    # ------------------------------------------------------------------ answers

    def probabilities(self, scores: Array) -> Array:
        """Probabilities of labels: they sum to one where every example has one label."""
        handle = self.learner.handle
        out: Array = handle.probabilities(scores) if self.one_each else handle.label_probabilities(scores)
        return out

    @property
    def cut(self) -> float:
        """The probability from which labels are predicted: as the recipe says, or as learned."""
        return self.cut_for(self.recipe.threshold)

    def cut_for(self, threshold: float | None) -> float:
        """The same for a threshold, or for none."""
        if threshold is not None:
            return float(threshold)
        learned: float | None = self.learner.handle.label_cut
        return 0.5 if learned is None else learned

    # ------------------------------------------------------------------ in a file

    def extras(self) -> Values:
        """Whether every example has one label."""
        if self.recipe.phi is not None:
            raise ModelFileError("a model with phi cannot be saved: a file holds no code. Pickle it instead.")
        return {"one_each": self.one_each}

    def take_extras(self, extras: Values) -> None:
        """Take over whether every example has one label."""
        self.one_each = bool(extras["one_each"])
