"""What each ``--task`` means: which model learns, how files are read, and what is measured on the way."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from ..algorithms import table
from ..algorithms.table import nearest
from ..exceptions import DataError
from ..io import read
from ..model.kinds import model_of
from ..model.stream import Counts, RowStream, label_value
from ..persistence.values import plain
from ._errors import UsageError
from ._reading import check_rows

if TYPE_CHECKING:
    from ._train import Plan

__all__ = ["NAMES", "Task", "read_costs", "task_of"]

#: Shares of nothing are nothing.
Figure = float | None


def share(part: float, whole: float) -> Figure:
    """A mean, or None of nothing."""
    return part / whole if whole else None


class Task:
    """Classification, and what the other tasks do otherwise."""

    name: ClassVar[str] = "classification"
    #: The algorithm where none is named.
    algorithm: ClassVar[str] = "arow"
    #: What the first column of the table and ``error`` are.
    measure: ClassVar[str] = "error"
    #: How files are read.
    reading: ClassVar[dict[str, Any]] = {"labelled": True}
    #: Estimator parameters that are set elsewhere or mean nothing in a stream, beside the common ones.
    refused: ClassVar[tuple[str, ...]] = ()

    # ------------------------------------------------------------------ the model

    def find(self, algorithm: str) -> table.Algorithm:
        """The algorithm of a name."""
        return table.find(algorithm)

    def make(self, algorithm: str, parameters: dict[str, Any], settings: dict[str, Any]) -> Any:
        """A new model; bad parameters are refused before there is any data."""
        recipe: Any = self.find(algorithm).make(**parameters, **settings)
        recipe.axes()
        recipe.joint()
        return model_of(recipe)

    def stream(self, model: Any, plan: Plan) -> RowStream:
        """The model at the end of a stream."""
        stream: RowStream = model.stream(dtype=plan.dtype, skip=self.skips(plan), measure=True)
        return stream

    def skips(self, plan: Plan) -> bool:
        """Whether rows that cannot be learned are passed over."""
        return bool(plan.reading.get("on_error") == "skip")

    def read(self, stream: RowStream, files: list[str], plan: Plan, skip_rows: int) -> Any:
        """A reader of the files."""
        settings = {**plan.reading, **self.reading, "max_names": plan.names}
        return read(files, skip_rows=skip_rows, **settings)

    def check_reading(self, plan: Plan) -> None:
        """Refuse options of reading that make no sense for the task."""
        check_rows(plan.reading)

    def check_end(self, model: Any, files: list[str]) -> None:
        """Refuse a model that has learned nothing it could say."""

    def told(self, model: Any, plan: Plan) -> dict[str, Any]:
        """The parameters that matter: those of the algorithm, and those that were given."""
        entry = self.find(plan.algorithm)
        names = [*entry.preset, *entry.parameters, *plan.parameters]
        return {name: plain(getattr(model.recipe, name)) for name in dict.fromkeys(names)}

    # ------------------------------------------------------------------ what is measured

    def progress(self, counts: Counts) -> tuple[float, float]:
        """The sum and the count whose share is the progressive ``error``."""
        return counts.mistakes, counts.examples

    def held_out(self, counts: Counts) -> tuple[float, float]:
        """The same of held-out rows."""
        return counts.held_out_mistakes, counts.held_out

    def figures(self, model: Any, counts: Counts) -> dict[str, Figure]:
        """What else there is to say about the run."""
        if "cost" not in counts.sums and model.recipe.cost_matrix is None:
            return {}
        total = counts.sums.get("cost", 0.0)
        return {"total_cost": total, "mean_cost": share(total, counts.examples)}

    def n_features(self, model: Any) -> int:
        """Features known."""
        return int(model.learner.n_features)

    def dtype(self, model: Any) -> str:
        """Type of the weights."""
        return str(model.learner.dtype)

    def class_names(self, model: Any) -> list[Any]:
        """The classes in the order of their numbers."""
        names: list[Any] = model.labels.names
        return names

    def remember(self, model: Any, kept: dict[str, Any], names: dict[int, str]) -> None:
        """Put into the model how its files were read, and the words of hashed columns."""
        model.schema.input = kept
        if names:
            model.learner.handle.remember_words(names)

    def test(self, model: Any, files: list[str], reading: dict[str, Any]) -> dict[str, Figure]:
        """Figures on labelled files; ``error`` is among them."""
        from ._evaluate import error_of

        return {"error": error_of(model, files, reading)}


class Regression(Task):
    """Real targets."""

    name = "regression"
    measure = "mean absolute error"

    _TABLE: ClassVar[dict[str, table.Algorithm]] = {
        **{
            variant: table.Algorithm(
                variant,
                "passive_aggressive",
                "PassiveAggressiveRegression",
                {"variant": variant},
                ("epsilon",) if variant == "pa" else ("C", "epsilon"),
            )
            for variant in ("pa", "pa1", "pa2")
        },
        "arow": table.Algorithm(
            "arow",
            "arow",
            "AROWRegression",
            {},
            ("r", "covariance", "projection", "initial_variance"),
        ),
    }

    def find(self, algorithm: str) -> table.Algorithm:
        """The algorithm of a name; few are defined for this task."""
        return among(self._TABLE, algorithm, self.name)

    def make(self, algorithm: str, parameters: dict[str, Any], settings: dict[str, Any]) -> Any:
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

    def figures(self, model: Any, counts: Counts) -> dict[str, Figure]:
        """Mean absolute and squared errors."""
        return {
            "mean_absolute_error": share(*self.progress(counts)),
            "mean_squared_error": share(counts.sums.get("squared", 0.0), counts.examples),
        }

    def class_names(self, model: Any) -> list[Any]:
        """There are none."""
        return []

    def test(self, model: Any, files: list[str], reading: dict[str, Any]) -> dict[str, Figure]:
        """Figures on files with targets."""
        from ._task_results import evaluate_rows

        figures = evaluate_rows(model, files, reading)
        return {"error": figures["mean_absolute_error"], **figures}


class OneClass(Regression):
    """One class, and what does not belong to it."""

    name = "one-class"
    algorithm = "pa1"
    measure = "rejection rate"
    reading: ClassVar[dict[str, Any]] = {"labelled": None}
    refused = ("contamination",)

    _TABLE: ClassVar[dict[str, table.Algorithm]] = {
        variant: table.Algorithm(
            variant,
            "one_class",
            "OneClass",
            {"variant": variant},
            ("radius", "max_radius") if variant == "pa" else ("C", "radius", "max_radius"),
        )
        for variant in ("pa", "pa1", "pa2")
    }

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

    def test(self, model: Any, files: list[str], reading: dict[str, Any]) -> dict[str, Figure]:
        """Figures on files."""
        from ._task_results import evaluate_rows

        figures = evaluate_rows(model, files, reading)
        return {"error": figures["rejection_rate"], **figures}


class Multilabel(Task):
    """Any number of labels to a row."""

    name = "multilabel"
    algorithm = "pa1"
    measure = "ranking loss"
    reading: ClassVar[dict[str, Any]] = {"labelled": True, "multilabel": True}
    refused = ("class_weight", "cost_update")

    #: What is the ranker's own and not its rule's.
    _OWN = ("threshold", "fit_intercept")

    def make(self, algorithm: str, parameters: dict[str, Any], settings: dict[str, Any]) -> Any:
        """A new ranker by the given rule."""
        own = {name: value for name, value in parameters.items() if name in self._OWN}
        rest = {name: value for name, value in parameters.items() if name not in self._OWN}
        rule = self.find(algorithm).make(**rest)

        ranking: Any = table.recipe_named("MultilabelRanker")
        recipe = ranking(rule=rule, **own, **settings)
        trial: Any = model_of(recipe)  # what does not go together is told before there is any data
        trial.start(0, [], settings["dtype"])
        return model_of(recipe)

    def told(self, model: Any, plan: Plan) -> dict[str, Any]:
        """The parameters of rule and ranker."""
        entry, recipe = self.find(plan.algorithm), model.recipe
        names = dict.fromkeys([*entry.preset, *entry.parameters, *plan.parameters])
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

    def figures(self, model: Any, counts: Counts) -> dict[str, Figure]:
        """How well labels were ranked before they were learned."""
        return {
            "ranking_loss": share(*self.progress(counts)),
            "one_error": share(counts.sums.get("one_error", 0.0), counts.sums.get("ranked", 0.0)),
            "average_precision": share(counts.sums.get("average_precision", 0.0), counts.examples),
        }

    def test(self, model: Any, files: list[str], reading: dict[str, Any]) -> dict[str, Figure]:
        """Figures on labelled files."""
        from ._task_results import evaluate_rows

        figures = evaluate_rows(model, files, reading)
        return {"error": figures["ranking_loss"], **figures}


def among(known: dict[str, table.Algorithm], algorithm: str, task: str) -> table.Algorithm:
    """The algorithm of a name in a task that not every algorithm is defined for."""
    found = known.get(algorithm)
    if found is None:
        table.find(algorithm)  # an unknown name is answered with the nearest
        listed = ", ".join(known)
        raise UsageError(f"{algorithm} is not defined for --task {task}; choose among {listed}")
    return found


NAMES = ("classification", "regression", "one-class", "multilabel", "sequence")


def task_of(name: str) -> Task:
    """The task of a name; an unknown one is answered with the nearest."""
    if name == "sequence":
        from ._sequence import Sequences

        return Sequences()
    for kind in (Task, Regression, OneClass, Multilabel):
        if kind.name == name:
            return kind()
    raise UsageError(f"Unknown task {name!r}.{nearest(name, NAMES)} There are {', '.join(NAMES)}.")


# ---------------------------------------------------------------------- costs


def read_costs(path: Path) -> dict[Any, dict[Any, float]]:
    """A cost matrix from a file.

    Parameters
    ----------
    path : Path
        JSON, ``{"right": {"answer": cost}}``, or a table (commas, semicolons, tabs or blanks between cells): the
        first line names the answers, each other line a right class and its costs.

    Returns
    -------
    dict
        From right class to answer to cost.
    """
    import json

    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8; a cost matrix is JSON or a table") from None
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except json.JSONDecodeError as error:
            raise DataError(
                f"{path}:{error.lineno}:{error.colno}: expected JSON, found {error.msg}"
            ) from None
        costs = _costs_of_json(path, found)
    else:
        costs = _costs_of_table(path, text)
    return costs


def _costs_of_json(path: Path, found: Any) -> dict[Any, dict[Any, float]]:
    out: dict[Any, dict[Any, float]] = {}
    for right, row in found.items():
        if not isinstance(row, dict):
            raise DataError(f"{path}: the costs of {right!r} must be an object of answers, found {row!r}")
        for answer, cost in row.items():
            if not isinstance(cost, int | float) or isinstance(cost, bool):
                raise DataError(
                    f"{path}: the cost of {answer!r} for {right!r} must be a number, found {cost!r}"
                )
        out[_class_name(right)] = {_class_name(answer): float(cost) for answer, cost in row.items()}
    return out


def _costs_of_table(path: Path, text: str) -> dict[Any, dict[Any, float]]:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) < 2:
        raise DataError(f"{path}: expected a table of costs, found {len(lines)} lines")
    mark = next((mark for mark in "\t,;" if mark in lines[0][1]), None)
    answers = [_class_name(cell) for cell in _cells(lines[0][1], mark)]
    width = len(_cells(lines[1][1], mark)) - 1
    if len(answers) == width + 1:  # the corner above the right classes
        answers = answers[1:]
    out: dict[Any, dict[Any, float]] = {}
    for number, line in lines[1:]:
        right, *cells = _cells(line, mark)
        if len(cells) != len(answers):
            raise DataError(
                f"{path}:{number}:1: expected {len(answers)} costs after the class, found {len(cells)}"
            )
        row = {}
        for answer, cell in zip(answers, cells, strict=True):
            try:
                row[answer] = float(cell)
            except ValueError:
                column = line.find(cell, len(right)) + 1
                raise DataError(f'{path}:{number}:{column}: expected a number, found "{cell}"') from None
        out[_class_name(right)] = row
    return out


def _cells(line: str, mark: str | None) -> list[str]:
    return [cell.strip().strip('"') for cell in line.split(mark)] if mark else line.split()


def _class_name(text: str) -> Any:
    """A class as a stream would call it: numbers are numbers."""
    try:
        number = float(text)
    except ValueError:
        return text
    return label_value(number) if number == number and abs(number) != float("inf") else text
