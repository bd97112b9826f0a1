"""From measurements to figures, and from figures to tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from benchmarks.protocol import Measurement, Scenario, Target

UNITS = {
    "cpu": "CPU",
    "wall": "wall time",
    "rss_mb": "memory",
    "held_out": "held-out error",
    "microseconds": "µs",
}


def summarise(
    scenario: Scenario, runs: dict[str, list[Measurement]], skipped: dict[str, str]
) -> dict[str, Any]:
    """Return a scenario's medians, ratios and absentees as plain data."""
    teams = {c.name: c.team for c in scenario.contestants}
    contestants = [{"name": name, "team": teams[name], **_median(of)} for name, of in runs.items()]
    return {
        "name": scenario.name,
        "title": scenario.title,
        "rate": scenario.rate,
        "contestants": contestants,
        "targets": [_judge(target, runs) for target in scenario.targets],
        "skipped": skipped,
    }


def _median(of: list[Measurement]) -> dict[str, Any]:
    last = of[-1]
    return {
        "cpu": median(m.cpu for m in of),
        "wall": median(m.wall for m in of),
        "rss_mb": max(m.rss_mb for m in of),
        "microseconds": median(m.microseconds for m in of),
        "examples": last.examples,
        "nonzeros": last.nonzeros,
        "progressive": last.progressive,
        "held_out": last.held_out,
        "note": last.note,
        "curve": sorted(of, key=lambda m: m.cpu)[len(of) // 2].curve,
        "cpu_of_each_round": [m.cpu for m in of],
    }


def _judge(target: Target, runs: dict[str, list[Measurement]]) -> dict[str, Any]:
    """Return the target with the ratio found, or with None when somebody is missing."""
    ours = _values(target.who, target.quantity, runs)
    theirs = _values(target.against, target.quantity, runs) if target.against else ours
    ratios = _paired(ours, theirs, target)
    ratio = median(ratios) if ratios else None
    return {
        "who": target.who,
        "against": target.against,
        "kind": target.kind,
        "quantity": target.quantity,
        "bound": target.bound,
        "ratio": ratio,
        "spread": [min(ratios), max(ratios)] if ratios else None,
        "met": None if ratio is None else target.met(ratio),
    }


def _values(name: str, quantity: str, runs: dict[str, list[Measurement]]) -> list[float]:
    found = [getattr(m, quantity) for m in runs.get(name, [])]
    return [value for value in found if value is not None]


def _paired(ours: list[float], theirs: list[float], target: Target) -> list[float]:
    """Return the ratio of each round; who ran once is compared with every round of the other."""
    rounds = max(len(ours), len(theirs))
    if not ours or not theirs:
        return []
    ours = ours if len(ours) == rounds else [median(ours)] * rounds
    theirs = theirs if len(theirs) == rounds else [median(theirs)] * rounds
    return [target.ratio(a, b) for a, b in zip(ours, theirs, strict=True)]


def print_machine(results: dict[str, Any]) -> None:
    """Print what the figures stand on."""
    about = results["machine"]
    packages = ", ".join(f"{name} {version or '(absent)'}" for name, version in about["packages"].items())
    print(f"{about['processor']}, {about['cores']} cores, {about['system']}, Python {about['python']}")
    print(packages)
    if results["scale"] != 1:
        print(f"with {results['scale']:g} of the rows that the titles name: no ratio here means much")
    print(f"median of {results['repeat']} rounds in turn; best of {results['passes']} passes a turn")


def print_scenario(summary: dict[str, Any]) -> None:
    """Print one scenario: its figures, its ratios, its absentees."""
    columns = COLUMNS[summary["rate"]]
    rows = [[show(c) for _, show in columns] for c in summary["contestants"]]
    print_table(f"{summary['name']}: {summary['title']}", [head for head, _ in columns], rows)
    for target in summary["targets"]:
        print(f"  {verdict(target)} {sentence(target)}")
    for name, reason in summary["skipped"].items():
        print(f"  - {name}: skipped, {reason}")


def print_targets(results: dict[str, Any]) -> None:
    """Print how many targets are met, and the others by name."""
    targets = [(s["name"], t) for s in results["scenarios"] for t in s["targets"]]
    measured = [t for _, t in targets if t["met"] is not None]
    met = sum(t["met"] for t in measured)
    print(f"\n{met} of {len(measured)} targets met, {len(targets) - len(measured)} not measured")
    for name, target in targets:
        if not target["met"]:
            print(f"  {verdict(target)} {name}: {sentence(target)}")


def all_met(results: dict[str, Any]) -> bool:
    """Tell whether every target is met; one that could not be measured is not."""
    return all(target["met"] for scenario in results["scenarios"] for target in scenario["targets"])


def verdict(target: dict[str, Any]) -> str:
    """Return the mark of a target."""
    return {True: "✓", False: "✗", None: "?"}[target["met"]]


def sentence(target: dict[str, Any]) -> str:
    """Return a target and what was found as one sentence."""
    quantity = UNITS[target["quantity"]]
    found = "not measured" if target["ratio"] is None else f"{target['ratio']:.2f}"
    if target["spread"] and target["quantity"] != "held_out":
        found += f" ({target['spread'][0]:.2f} to {target['spread'][1]:.2f})"
    if target["against"] is None:
        return f"{target['who']}: {quantity} {found}, at most {target['bound']:g}"
    if target["kind"] == "faster":
        return f"{target['who']} / {target['against']}: {found} times as fast, at least {target['bound']:g}"
    return f"{target['who']} / {target['against']}: {found} of its {quantity}, at most {target['bound']:g}"


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table, with rich where it is installed."""
    print()
    try:
        from rich.console import Console
        from rich.table import Table
    except ImportError:
        widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
        print(title)
        for row in [header, *rows]:
            who, *figures = [cell.rjust(width) for cell, width in zip(row, widths, strict=True)]
            print("  " + "  ".join([who.strip().ljust(widths[0]), *figures]))
        return
    table = Table(title=title, title_justify="left")
    for i, head in enumerate(header):
        table.add_column(head, justify="right" if i else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console = Console()
    # A pipe or a log has no width of its own; rich would fold every table to 80 columns.
    console = console if console.is_terminal else Console(width=120)
    console.print(table)


Show = Callable[[dict[str, Any]], str]


def _seconds(key: str) -> Show:
    return lambda c: f"{c[key] * 1e3:.2f} ms" if c[key] < 1 else f"{c[key]:.2f} s"


def _percent(key: str) -> Show:
    return lambda c: "" if c[key] is None else f"{c[key]:.2%}"


def _rate(c: dict[str, Any]) -> str:
    return "" if not c["nonzeros"] else f"{c['nonzeros'] / c['cpu'] / 1e6:.0f}"


_WHO: tuple[str, Show] = ("", lambda c: c["name"] + (f" ({c['note']})" if c["note"] else ""))
_CPU = ("CPU", _seconds("cpu"))
_WALL = ("wall", _seconds("wall"))
_RSS: tuple[str, Show] = ("peak MB", lambda c: f"{c['rss_mb']:.0f}")

COLUMNS: dict[str, list[tuple[str, Show]]] = {
    "nonzeros": [
        _WHO,
        _CPU,
        _WALL,
        _RSS,
        ("M nnz/s", _rate),
        ("progressive", _percent("progressive")),
        ("held-out", _percent("held_out")),
    ],
    "targets": [
        _WHO,
        _CPU,
        _WALL,
        _RSS,
        ("M nnz/s", _rate),
        ("mean |error|", lambda c: "" if c["held_out"] is None else f"{c['held_out']:.4f}"),
    ],
    "microseconds": [_WHO, ("µs a call", lambda c: f"{c['microseconds']:.2f}"), _CPU, _WALL, _RSS],
    "none": [_WHO, _CPU, _WALL, _RSS],
}
