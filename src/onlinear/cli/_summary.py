"""Reports and figures as text: what ``train`` says at the end, and ``evaluate`` of models that are no classifiers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ._errors import printable

if TYPE_CHECKING:
    from ..model.types import Values

__all__ = ["render_figures", "shown", "summary"]

_MOST_CLASSES, _MOST_ALARMS = 20, 10
_LARGE = 1e15  # beyond, not every digit is known

#: Figures of tasks and how they are called here; those of a run are progressive.
_MEASURED = {
    "mean_absolute_error": "mean |error|",
    "mean_squared_error": "mean error^2",
    "root_mean_squared_error": "root of it",
    "r2": "R2",
    "rejection_rate": "rejected",
    "mean_loss": "mean loss",
    "radius": "radius",
    "ranking_loss": "ranking loss",
    "one_error": "one-error",
    "average_precision": "avg. precision",
    "subset_accuracy": "exact sets",
    "micro_f1": "micro F1",
    "total_cost": "total cost",
    "mean_cost": "mean cost",
    "token_accuracy": "tokens right",
    "sequence_accuracy": "all right",
    "precision": "precision",
    "recall": "recall",
    "f1": "span F1",
}


def summary(report: Values) -> str:
    """The report for people."""
    parameters = ", ".join(
        f"{name}={value}" for name, value in report["parameters"].items() if value is not None
    )
    passes = "" if report["passes"] <= 1 else f" in {report['passes']} passes"
    lines = [
        f"{report['algorithm']} ({parameters})",
        f"examples     {report['examples']:,}{passes}, {report['features']:,} features",
        f"error        {_rate(report['error'])} progressive{_beside(report, report['baseline_error'])}",
    ]
    measured = [(name, report[name]) for name in _MEASURED if report.get(name) is not None]
    if measured:  # the task has figures of its own
        if report["task"] != "classification":
            del lines[-1]
        lines += [f"{_label(name)} {_rate(value)}{_beside_figure(report, name)}" for name, value in measured]
    if report["passes"] > 1:
        lines.append(f"by pass      {'  '.join(_rate(error) for error in report['pass_errors'])}")
    if report["holdout_error"] is not None:
        beside = _beside(report, report["holdout_baseline_error"])
        lines.append(f"held out     {_rate(report['holdout_error'])} on the way{beside}")
    if report["holdout_final_error"] is not None:
        beside = _beside(report, report["holdout_final_baseline_error"])
        lines.append(f"             {_rate(report['holdout_final_error'])} by the final model{beside}")
    if "test" in report:
        shown = [f"{_MEASURED[k]} {_rate(v)}" for k, v in report["test"].items() if k in _MEASURED]
        lines.append(f"test         {', '.join(shown)}")
    elif report["test_error"] is not None:
        lines.append(f"test         {_rate(report['test_error'])}")
    lines.append(f"mistakes     {report['mistakes']:,}, updates {report['updates']:,}")
    if report["refused"]:
        lines.append(f"refused      {report['refused']:,}")
    if report["alarms"] is not None:
        last = ", ".join(f"{alarm:,}" for alarm in report["alarms"][-_MOST_ALARMS:])
        lines.append(f"alarms       {len(report['alarms']):,}" + (f", the last after {last}" if last else ""))
    classes = [f"{name} {count:,}" for name, count in report["classes"].items()]
    more = f" and {len(classes) - _MOST_CLASSES} more" if len(classes) > _MOST_CLASSES else ""
    if classes:
        lines.append(f"classes      {', '.join(classes[:_MOST_CLASSES])}{more}")
    lines.append(
        f"time         {report['seconds']:.2f} s, {report['examples_per_second']:,.0f} examples a second, "
        f"{report['peak_rss_mb']:.0f} MB"
    )
    if report["model"] is not None:
        lines.append(f"saved        {report['model']}")
    if report["interrupted"]:
        lines.append("interrupted; this is how far it came")
    elif len(classes) == 1 and report["task"] == "classification":
        lines.append("only one class was seen; the model will predict nothing else")
    lines += [f"warning      {said}" for said in report["warnings"]]
    return "\n".join(map(printable, lines))


def _beside(report: Values, error: float | None) -> str:
    """The error of always giving the same answer."""
    return "" if error is None else f", always the {report['baseline']} {_rate(error)}"


def _beside_figure(report: Values, name: str) -> str:
    """The same beside what a task has instead of an error."""
    error = report["baseline_error"]
    if name == "token_accuracy" and error is not None:
        return _beside(report, 1 - error)
    return _beside(report, error) if name == "mean_absolute_error" else ""


def _label(name: str) -> str:
    """A figure's name in the width of the first column."""
    return f"{_MEASURED[name]:<12}"


def _figures_as_text(figures: Values) -> str:
    """The figures of a task, a line each."""
    known = [(name, value) for name, value in figures.items() if name in _MEASURED]
    return "\n".join(f"{_MEASURED[name]:<18} {_rate(value)}" for name, value in known)


def shown(value: float, digits: int) -> str:
    """A number with so many digits behind the point, or in powers of ten where it is very large."""
    return f"{value:.{digits}f}" if abs(value) < _LARGE else f"{value:.6g}"


def _rate(error: float | None) -> str:
    return "-" if error is None else shown(error, 4)


def render_figures(figures: Values) -> str:
    """The figures as text."""
    lines = [f"{'examples':<18} {figures['examples']:,}", _figures_as_text(figures)]
    if figures["refused"]:
        lines.append(f"{'refused':<18} {figures['refused']:,}")
    if figures.get("unknown_labels"):
        lines.append(f"{'unknown labels':<18} {figures['unknown_labels']:,}, which the model has never met")
    for kind in ("by_label", "by_kind"):
        if figures.get(kind):
            lines += ["", *_table(figures[kind])]
    return "\n".join(lines)


def _table(items: dict[str, Values]) -> list[str]:
    """A line for each label."""
    width = max(5, *(len(label) for label in items))
    heads = list(next(iter(items.values())))
    lines = ["  ".join([f"{'label':<{width}}", *(f"{head:>14}" for head in heads)])]
    for label, row in items.items():
        cells = [f"{v:>14.4f}" if isinstance(v, float) else f"{v:>14,}" for v in row.values()]
        lines.append("  ".join([f"{label:<{width}}", *cells]))
    return lines
