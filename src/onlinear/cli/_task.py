"""What a ``--task`` means: which model learns, how files are read, and what is measured on the way."""

from __future__ import annotations

from math import inf
from sys import float_info
from typing import TYPE_CHECKING, Any, ClassVar

from .. import _core
from ..algorithms import table
from ..io import read
from ..model.kinds import model_of
from ..model.stream import Baseline, Counts, RowStream
from ..persistence.values import plain
from ._reading import check_rows

if TYPE_CHECKING:
    from ..model.model import Model
    from ..model.types import Label, Values
    from ._train import Plan

__all__ = ["Figure", "Task", "share"]

#: Shares of nothing are nothing.
Figure = float | None


def share(part: float, whole: float) -> Figure:
    """A mean, or None of nothing; infinite where the sum has reached the largest number."""
    if part == float_info.max:
        return inf
    return part / whole if whole else None


class Task:
    """Classification, and what the other tasks do otherwise."""

    name: ClassVar[str] = "classification"
    #: The algorithm where none is named.
    algorithm: ClassVar[str] = "scw1"
    #: What the first column of the table and ``error`` are.
    measure: ClassVar[str] = "error"
    #: Who always gives the same answer, for comparison; None where no such answer makes sense.
    baseline: ClassVar[str | None] = "majority"
    #: Whether the error is a share of something.
    proportion: ClassVar[bool] = True
    #: How files are read.
    reading: ClassVar[Values] = {"labelled": True}
    #: Estimator parameters that are set elsewhere or mean nothing in a stream, beside the common ones.
    refused: ClassVar[tuple[str, ...]] = ()

    # ------------------------------------------------------------------ the model

    def find(self, algorithm: str) -> table.Algorithm:
        """The algorithm of a name."""
        return table.find(algorithm)

    def make(self, algorithm: str, parameters: Values, settings: Values) -> Model:
        """A new model; bad parameters are refused before there is any data."""
        recipe: Any = self.find(algorithm).make(**parameters, **settings)
        recipe.axes()
        recipe.joint()
        return model_of(recipe)

    def stream(self, model: Any, plan: Plan) -> RowStream:
        """The model at the end of a stream."""
        if plan.watch is not None:
            from ..drift._watching import WatchedStream  # which needs scikit-learn, and its detectors river

            return WatchedStream(model, plan.watch, dtype=plan.dtype, skip=self.skips(plan))
        stream: RowStream = model.stream(dtype=plan.dtype, skip=self.skips(plan), measure=True)
        return stream

    def skips(self, plan: Plan) -> bool:
        """Whether rows that cannot be learned are passed over."""
        return bool(plan.reading.get("on_error") == "skip")

    def read(self, stream: RowStream, files: list[str], plan: Plan, skip_rows: int) -> Any:
        """A reader of the files."""
        known = stream.model.schema.reading()  # that of a run that goes on
        settings = {**known, **plan.reading, **self.reading, "max_names": plan.names}
        return read(files, skip_rows=skip_rows, **settings)

    def check_reading(self, plan: Plan) -> None:
        """Refuse options of reading that make no sense for the task."""
        check_rows(plan.reading)

    def check_end(self, model: Model, files: list[str]) -> None:
        """Refuse a model that has learned nothing it could say."""

    def told(self, model: Model, plan: Plan) -> Values:
        """The parameters that matter: those of the algorithm, and those that were given."""
        entry = self.find(plan.algorithm)
        names = [*entry.preset, *entry.parameters, *plan.parameters]
        return {name: plain(getattr(model.recipe, name)) for name in dict.fromkeys(names)}

    # ------------------------------------------------------------------ what is measured

    def constant(self, state: Values | None = None) -> Baseline | None:
        """Who always gives the same answer, going on from a state."""
        kinds: dict[str | None, Any] = {"majority": _core.MajorityClass, "mean": _core.MeanTarget}
        kind = kinds.get(self.baseline)
        return None if kind is None else kind(**(state or {}))

    def baseline_progress(self, counts: Counts) -> tuple[float, float]:
        """The sum and the count whose share is the error of always giving the same answer."""
        return counts.sums.get("baseline", 0.0), self.progress(counts)[1]

    def baseline_held_out(self, counts: Counts) -> tuple[float, float]:
        """The same of held-out rows."""
        return counts.held_out_sums.get("baseline", 0.0), self.held_out(counts)[1]

    def progress(self, counts: Counts) -> tuple[float, float]:
        """The sum and the count whose share is the progressive ``error``."""
        return counts.mistakes, counts.examples

    def held_out(self, counts: Counts) -> tuple[float, float]:
        """The same of held-out rows."""
        return counts.held_out_mistakes, counts.held_out

    def figures(self, model: Model, counts: Counts) -> dict[str, Figure]:
        """What else there is to say about the run."""
        if "cost" not in counts.sums and model.recipe.cost_matrix is None:
            return {}
        total = counts.sums.get("cost", 0.0)
        return {"total_cost": share(total, 1), "mean_cost": share(total, counts.examples)}

    def n_features(self, model: Any) -> int:
        """Features known."""
        return int(model.learner.n_features)

    def dtype(self, model: Any) -> str:
        """Type of the weights."""
        return str(model.learner.dtype)

    def class_names(self, model: Any) -> list[Label]:
        """The classes in the order of their numbers."""
        names: list[Label] = model.labels.names
        return names

    def remember(self, model: Any, kept: Values, names: dict[int, str]) -> None:
        """Put into the model how its files were read, and the words of hashed columns."""
        before = model.schema.input or {}
        if "negative" in before:  # a run that goes on from before models had a schema
            kept["negative"] = before["negative"]
        model.schema.input = kept
        if names:
            model.learner.handle.remember_words(names)

    def test(self, model: Any, files: list[str], reading: Values) -> dict[str, Figure]:
        """Figures on labelled files; ``error`` is among them."""
        from ._class_results import error_of  # which needs NumPy

        return {"error": error_of(model, files, reading)}
