"""``onlinear evaluate``: how good a model is on files that have the answers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from .._arguments import needed, reader_options, say, say_json
from .._class_results import Evaluation, check_plots, draw, evaluate_classes, render
from .._errors import UsageError, printable
from .._reading import load_model, spare
from .._summary import render_figures

if TYPE_CHECKING:
    from ...model.types import Values

__all__ = ["evaluate", "picture_title", "run"]


def run(model: Path, files: list[str] | None, plots: Path | None, as_json: bool, **reading: Any) -> None:
    """Say how good a model is."""
    files = needed(files)
    spare(plots, "--plots", [str(model), *files])
    result = evaluate(model, files, reader_options(**reading), plots)
    if isinstance(result, dict):
        say_json(result) if as_json else say(render_figures(result))
    elif as_json:
        say_json(result.figures())
    else:
        say(render(result))


def picture_title(path: Path, files: list[str], result: Evaluation) -> str:
    """What a picture shows, for those who find it without the command."""
    named = "standard input" if files == ["-"] else Path(files[0]).name
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    kept = result.curves_from
    sample = f", curves of {kept:,} of them" if kept < result.rows else ""
    return printable(
        f"{path.name} on {named}{more}: {result.rows:,} examples, error {result.error:.4f}{sample}"
    )


def evaluate(path: Path, files: list[str], reading: Values, plots: Path | None) -> Evaluation | Values:
    """Evaluate a model file on labelled files; figures alone where it is no classifier."""
    if plots is not None:
        check_plots(plots)
    model, kind = load_model(path)
    if kind != "classifier":
        if plots is not None:
            raise UsageError(f"--plots draws curves of classifiers, not of a {type(model).__name__}")
        # Modules that classifiers have no use for; they would be a tenth of the command's start.
        if kind == "sequence":
            from .._sequence_results import evaluate_sequences

            return evaluate_sequences(model, files, reading)
        from .._task_results import evaluate_rows

        return evaluate_rows(model, files, reading)
    result = evaluate_classes(model, files, reading)
    if plots is not None:
        draw(result, plots, picture_title(path, files, result))
    return result
