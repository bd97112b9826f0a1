"""A model that tells classes apart: classes as they come, costs, class weights, and what it answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .. import _core, task
from ..exceptions import DataError, ParameterError
from .class_stream import ClassStream
from .labels import Labels, label_array
from .model import RowModel
from .recipe import Classification
from .undo import Undo, all_or_nothing
from .weights import class_weights

if TYPE_CHECKING:
    from .native import Native
    from .stream import RowStream
    from .types import Array, Axis, Features, Label, LabelsLike


__all__ = ["ClassifierModel"]


class ClassifierModel(RowModel):
    """Classes are numbered as they come; two share one block of weights, more have one each."""

    recipe: Classification

    has_classes = True

    # ------------------------------------------------------------------ getting ready

    def start(self, n_features: int, classes: Array | list[Label], dtype: str, *, anew: bool = True) -> None:
        """Make the learner for the classes known at the start."""
        recipe = self.recipe
        rule, known = recipe.make_axes()
        asked: Axis
        if recipe.cost_matrix is not None:
            asked, classes = self.costly(classes)
        self.labels.add(classes)
        n_classes = max(len(self.labels.names), 2)
        if recipe.cost_matrix is None:
            several = n_classes > 2 or recipe.always_joint
            joint = recipe.joint()
            asked = (joint or task.Multiclass()) if several else task.Binary()
        own_rule = isinstance(asked, task.MulticlassJoint)
        try:
            self.native = self._made(
                asked, None if own_rule else rule, known, n_features, n_classes, dtype, anew=anew
            )
        except ParameterError:
            self.labels = Labels()
            raise

    def costly(self, classes: Array | list[Label]) -> tuple[task.CostSensitive, Array]:
        """The cost-sensitive task, and all its classes: the matrix says which there are."""
        import numpy as np

        recipe, owner, classes = self.recipe, self.recipe.owner, np.asarray(classes)
        if recipe.joint() is not None or recipe.always_joint:
            raise ParameterError(
                f"{owner}: cost_matrix does not go with an update of several classes at once; {recipe.one_rival}"
            )
        costs, named = recipe.cost_matrix, isinstance(recipe.cost_matrix, Mapping)
        if isinstance(costs, Mapping):
            if not all(isinstance(row, Mapping) for row in costs.values()):
                raise ParameterError(
                    f"{owner}: cost_matrix must be {{right class: {{answer: cost}}}}, got {costs!r}"
                )
            names = Labels()
            names.add(np.asarray([*costs, *(answer for row in costs.values() for answer in row)]))
            stray = names.unknown(classes)
            if len(stray):
                raise DataError(f"{owner}: y contains {stray.tolist()[0]!r}, which cost_matrix does not name")
            classes = names.sorted
            costs = [[costs.get(y, {}).get(q, 0.0) for q in classes.tolist()] for y in classes.tolist()]
        try:
            given: Any = costs
            asked = task.CostSensitive(cost=given, update=recipe.cost_update)
        except ValueError as error:
            message = str(error)
            name = "cost_update" if message.startswith("update") else "cost_matrix"
            raise ParameterError(f"{owner}: {name}{message[message.index(' ') :]}") from None
        if not named and len(asked.cost) != len(classes):
            raise ParameterError(
                f"{owner}: cost_matrix is for {len(asked.cost)} classes, there are {len(classes)}. Name them with "
                "partial_fit(X, y, classes=...), or give costs as {right class: {answer: cost}}."
            )
        return asked, classes

    def grows(self, new: Array | list[Label], n_features: int) -> bool:
        """Whether these classes or this many features ask a learner for room; a second class takes none."""
        if self.native is None:
            return False
        more = len(new) > 0 and len(self.labels.names) + len(new) > 2
        return more or n_features > self.native.handle.n_features

    def meet(
        self, new: Array | list[Label], n_features: int, dtype: str = "float64", *, expected: int = 0
    ) -> Native:
        """Make room for classes and features that were not there before; the first of them start the learner.

        Room is made for `expected` classes at once, where so many are known to come. Returns the learner.
        """
        if self.native is None:
            self.labels = Labels()
            self.start(n_features, new, dtype)
            learner = self.learner
            learner.handle.expect_classes(expected)
            return learner
        learner, handle = self.native, self.native.handle
        handle.expect_classes(expected)
        if self.recipe.cost_matrix is not None and len(new):
            raise self.unknown_class(next(iter(new)))
        self.labels.add(new)
        n_classes = max(len(self.labels.names), 2)
        if n_classes > 2 and handle.n_blocks == 1:
            learner.to_multiclass(self.recipe.joint() or task.Multiclass(), expected)
        if n_features > handle.n_features or n_classes > max(handle.n_blocks, 2):
            learner.grow(max(n_features, handle.n_features), n_classes, expected)
        return learner

    def unknown_class(self, label: Label) -> DataError:
        """What is wrong with a class that the costs do not tell of."""
        label = label.item() if hasattr(label, "item") else label
        return DataError(f"{self.recipe.owner}: y contains {label!r}, which cost_matrix does not know")

    def class_weights(self) -> tuple[Array | None, bool]:
        """The weight of each class, in the order of their numbers, and whether counts so far balance them."""
        if self.recipe.class_weight is None:
            return None, False
        return class_weights(self.recipe.class_weight, self.labels.names, 2)

    def stream(self, **options: Any) -> RowStream:
        """The model at the end of a stream of rows."""
        return ClassStream(self, **options)

    # ------------------------------------------------------------------ one example

    def learn_known(self, x: Features, y: LabelsLike, w: float) -> bool:
        """Learn a dict that brings nothing new, all of it in the core; False, and nothing has changed, where it does."""
        native = self.native
        return (
            native is not None
            and not native.again
            and self.recipe.class_weight is None
            and _core.learn_one_fast(native.core, self.labels.index, x, y, w)
        )

    def learn_one(self, x: Features, y: LabelsLike, w: float = 1.0) -> None:
        """Learn one example from a dict of features."""
        number = self._number_of(y)
        if number is None or self.native is None:
            self._learn_new(x, y, w)
        else:
            self._learn_labelled(x, number, w)

    def _number_of(self, y: LabelsLike) -> int | None:
        try:
            return self.labels.index.get(y)
        except TypeError:  # no label at all
            return None

    def _learn_labelled(self, x: Features, number: int, w: float) -> None:
        if self.recipe.class_weight is None:
            self.learn_dict(x, w, label=number)
            return
        class_weight, balanced = self.class_weights()
        factor = None if class_weight is None else float(class_weight[number])
        self.learn_dict(x, w, label=number, factor=factor, balanced=balanced)

    def _learn_new(self, x: Features, y: LabelsLike, w: float) -> None:
        """Learn a dict that brings a class, or is the first of all."""
        label = _one_label(y)
        dtype = self.dict_dtype()
        if self.is_weightless(x, w, dtype):
            return
        # A second class takes no room; a third makes blocks of what there is.
        grows = self.native is not None and (len(self.labels) > 1 or self.native.handle.n_blocks > 1)
        with all_or_nothing(self, Undo.of_growth(self) if grows else None, single=True):
            self.meet(label, 0 if self.native is None else self.native.n_features, dtype)
            self._learn_labelled(x, self.labels.index[label.tolist()[0]], w)


def _one_label(y: LabelsLike) -> Array:
    """One class label as an array."""
    import numpy as np

    if y is None or isinstance(y, Mapping | set):
        raise DataError(f"y must be a class label, got {y!r}")
    label = label_array([y])
    if label.ndim != 1 or (label.dtype.kind == "f" and not np.isfinite(label[0])):
        raise DataError(f"y must be one class label, got {y!r}")
    return label
