"""What ``onlinear train`` says at the end."""

from __future__ import annotations

from typing import Any

__all__ = ["summary"]

_MOST_CLASSES = 20


def summary(report: dict[str, Any]) -> str:
    """The report for people."""
    parameters = ", ".join(
        f"{name}={value}" for name, value in report["parameters"].items() if value is not None
    )
    passes = "" if report["passes"] <= 1 else f" in {report['passes']} passes"
    lines = [
        f"{report['algorithm']} ({parameters})",
        f"examples     {report['examples']:,}{passes}, {report['features']:,} features",
        f"error        {_rate(report['error'])} progressive",
    ]
    if report["passes"] > 1:
        lines.append(f"by pass      {'  '.join(_rate(error) for error in report['pass_errors'])}")
    if report["holdout_error"] is not None:
        lines.append(f"held out     {_rate(report['holdout_error'])}")
    if report["test_error"] is not None:
        lines.append(f"test         {_rate(report['test_error'])}")
    lines.append(f"mistakes     {report['mistakes']:,}, updates {report['updates']:,}")
    if report["refused"]:
        lines.append(f"refused      {report['refused']:,}")
    classes = [f"{name} {count:,}" for name, count in report["classes"].items()]
    more = f" and {len(classes) - _MOST_CLASSES} more" if len(classes) > _MOST_CLASSES else ""
    lines.append(f"classes      {', '.join(classes[:_MOST_CLASSES])}{more}")
    lines.append(
        f"time         {report['seconds']:.2f} s, {report['examples_per_second']:,.0f} examples a second, "
        f"{report['peak_rss_mb']:.0f} MB"
    )
    if report["model"] is not None:
        lines.append(f"saved        {report['model']}")
    if report["interrupted"]:
        lines.append("interrupted; this is how far it came")
    elif len(classes) == 1:
        lines.append("only one class was seen; the model will predict nothing else")
    return "\n".join(lines)


def _rate(error: float | None) -> str:
    return "-" if error is None else f"{error:.4f}"
