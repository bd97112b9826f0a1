"""The tasks on the command line, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ..algorithms import table
from ..algorithms.table import nearest
from ..exceptions import DataError
from ..model.kinds import model_of
from ..model.stream import Counts
from ..persistence.values import plain
from ._errors import UsageError
from ._task import Figure, Task, share

if TYPE_CHECKING:
    from ..model.model import Model, RowModel
    from ..model.types import Label, Values
    from ._train import Plan

__all__ = ["NAMES", "task_of"]


class Regression(Task):
    """Real targets."""

    name = "regression"
    algorithm = "arow"
    measure = "mean absolute error"
    baseline: ClassVar[str | None] = "mean"
    proportion = False

    def find(self, algorithm: str) -> table.Algorithm:
        """The algorithm of a name; few are defined for this task."""
        return among(table.of_kind(self.name), algorithm, self.name)

    def make(self, algorithm: str, parameters: Values, settings: Values) -> Model:
        """A new model."""
        recipe = self.find(algorithm).make(**parameters, **settings)
        recipe.axes()
        recipe.make_task()
        return model_of(recipe)

    def progress(self, counts: Counts) -> tuple[float, float]:
        """Mean absolute error."""
        return counts.sums.get("absolute", 0.0), counts.examples

    def held_out(self, counts: Counts) -> tuple[float, float]:
        """Mean absolute error."""
        return counts.held_out_sums.get("absolute", 0.0), counts.held_out

    def figures(self, model: Model, counts: Counts) -> dict[str, Figure]:
        """Mean absolute and squared errors."""
        return {
            "mean_absolute_error": share(*self.progress(counts)),
            "mean_squared_error": share(counts.sums.get("squared", 0.0), counts.examples),
        }

    def class_names(self, model: Model) -> list[Label]:
        """There are none."""
        return []

    def test(self, model: Any, files: list[str], reading: Values) -> dict[str, Figure]:
        """Figures on files with targets."""
        figures = _measured(model, files, reading)
        return {"error": figures["mean_absolute_error"], **figures}


class OneClass(Regression):
    """One class, and what does not belong to it."""

    name = "one-class"
    algorithm = "pa1"
    measure = "rejection rate"
    baseline = None
    proportion = True
    reading: ClassVar[Values] = {"labelled": None}
    refused = ("contamination",)

    def progress(self, counts: Counts) -> tuple[float, float]:
        """Share of examples outside the ball before they were learned."""
        return Task.progress(self, counts)

    def held_out(self, counts: Counts) -> tuple[float, float]:
        """The same of held-out rows."""
        return Task.held_out(self, counts)

    def figures(self, model: Any, counts: Counts) -> dict[str, Figure]:
        """How many were rejected, by how much, and the ball's radius."""
        return {
            "rejection_rate": share(*self.progress(counts)),
            "mean_loss": share(counts.sums.get("cost", 0.0), counts.examples),
            "radius": None if model.native is None else model.radius,
        }

    def test(self, model: Any, files: list[str], reading: Values) -> dict[str, Figure]:
        """Figures on files."""
        figures = _measured(model, files, reading)
        return {"error": figures["rejection_rate"], **figures}


class Multilabel(Task):
    """Any number of labels to a row."""

    name = "multilabel"
    algorithm = "pa1"
    measure = "ranking loss"
    baseline = None
    reading: ClassVar[Values] = {"labelled": True, "multilabel": True}
    refused = ("class_weight", "cost_update")

    #: What is the ranker's own and not its rule's.
    _OWN = ("threshold", "fit_intercept", "average", "scale", "center")

    def make(self, algorithm: str, parameters: Values, settings: Values) -> Model:
        """A new ranker by the given rule."""
        own = {name: value for name, value in parameters.items() if name in self._OWN}
        rest = {name: value for name, value in parameters.items() if name not in self._OWN}
        entry = self.find(algorithm)
        rule = entry.make(**rest)
        own.setdefault("average", entry.preset.get("average", True))
        ranking: Any = table.recipe_named("MultilabelRanker")
        recipe = ranking(rule=rule, **own, **settings)
        recipe.check()
        trial: Any = model_of(recipe)  # what does not go together is told before there is any data
        trial.start(0, [], settings["dtype"])
        return model_of(recipe)

    def told(self, model: Model, plan: Plan) -> Values:
        """The parameters of rule and ranker."""
        entry, recipe = self.find(plan.algorithm), model.recipe
        names = dict.fromkeys([*entry.preset, *entry.parameters, *plan.parameters, "average"])
        owner = {name: recipe if name in self._OWN else recipe.rule for name in names}
        return {name: plain(getattr(owner[name], name)) for name in names}

    def check_end(self, model: Any, files: list[str]) -> None:
        """A model without labels could say nothing."""
        if not len(model.labels):
            raise DataError(f"{', '.join(files)}: no example has a label")

    def progress(self, counts: Counts) -> tuple[float, float]:
        """Mean ranking loss."""
        return counts.sums.get("ranking_loss", 0.0), counts.examples

    def held_out(self, counts: Counts) -> tuple[float, float]:
        """Mean ranking loss."""
        return counts.held_out_sums.get("ranking_loss", 0.0), counts.held_out

    def figures(self, model: Model, counts: Counts) -> dict[str, Figure]:
        """How well labels were ranked before they were learned."""
        return {
            "ranking_loss": share(*self.progress(counts)),
            "one_error": share(counts.sums.get("one_error", 0.0), counts.sums.get("ranked", 0.0)),
            "average_precision": share(counts.sums.get("average_precision", 0.0), counts.examples),
        }

    def test(self, model: Any, files: list[str], reading: Values) -> dict[str, Figure]:
        """Figures on labelled files."""
        figures = _measured(model, files, reading)
        return {"error": figures["ranking_loss"], **figures}


def among(known: dict[str, table.Algorithm], algorithm: str, task: str) -> table.Algorithm:
    """The algorithm of a name in a task that not every algorithm is defined for."""
    found = known.get(algorithm)
    if found is None:
        table.find(algorithm)  # an unknown name is answered with the nearest
        listed = ", ".join(known)
        raise UsageError(f"{algorithm} is not defined for --task {task}; choose among {listed}")
    return found


def _measured(model: RowModel, files: list[str], reading: Values) -> Values:
    """Figures of a model that is no classifier."""
    from ._task_results import evaluate_rows  # which needs NumPy

    return evaluate_rows(model, files, reading)


NAMES = ("classification", "regression", "one-class", "multilabel", "sequence")


def task_of(name: str) -> Task:
    """The task of a name; an unknown one is answered with the nearest."""
    if name == "sequence":
        from ._sequence import Sequences  # which needs NumPy

        return Sequences()
    for kind in (Task, Regression, OneClass, Multilabel):
        if kind.name == name:
            return kind()
    raise UsageError(f"Unknown task {name!r}.{nearest(name, NAMES)} There are {', '.join(NAMES)}.")
