"""The README's picture, from the figures of a run: `python -m benchmarks.plot FIGURES.json SPEED.png`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

INK = "#1f2933"
FAINT = "#9aa5b1"
OURS = {"onlinear AROW": "#d9480f", "onlinear SCW-I": "#f08c00", "onlinear PA-I": "#fab005"}
PEERS = {
    "scikit-learn PA-I": "#1c7ed6",
    "scikit-learn SGD": "#74c0fc",
    "Vowpal Wabbit": "#2b8a3e",
    "river PA-I": "#9c36b5",
    "LIBLINEAR": INK,
}


def draw(results: dict[str, Any], path: Path) -> None:
    """Draw held-out error against CPU seconds, one line a learner."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot
    from matplotlib.ticker import FuncFormatter, PercentFormatter

    curves = _curves(results)
    figure, axes = pyplot.subplots(figsize=(11, 5.6), dpi=160)
    for name, curve in curves.items():
        _line(axes, name, curve)
    axes.set_xscale("log")
    axes.set_xlim(0.002, 20)
    axes.set_ylim(0.2, 0.45)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:g} s" if x >= 1 else f"{x * 1e3:g} ms"))
    axes.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    axes.set_xlabel("CPU time spent learning (one core)", color=INK)
    axes.set_ylabel("held-out error", color=INK)
    axes.grid(True, which="major", color="#e4e7eb", linewidth=0.8)
    axes.tick_params(colors=INK, which="both", length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    _headline(figure)
    _table(figure, curves)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, facecolor="white")
    pyplot.close(figure)


def _curves(results: dict[str, Any]) -> dict[str, list[tuple[float, float]]]:
    scenario = next(s for s in results["scenarios"] if s["name"] == "learning-curve")
    return {c["name"]: [(x, y) for x, y in c["curve"]] for c in scenario["contestants"]}


def _line(axes: Any, name: str, curve: list[tuple[float, float]]) -> None:
    ours = name in OURS
    colour = OURS.get(name) or PEERS.get(name, FAINT)
    x, y = zip(*curve, strict=True)
    width, order = (3.0, 3) if ours else (1.6, 2)
    axes.plot(x, y, color=colour, linewidth=width, zorder=order, solid_capstyle="round")
    axes.plot(x[-1], y[-1], "o", color=colour, markersize=9 if ours else 7, zorder=order + 2)


def _table(figure: Any, curves: dict[str, list[tuple[float, float]]]) -> None:
    """List the ends of the lines at the right, best first: who, how good, for how much."""
    ends = sorted((curve[-1][1], curve[-1][0], name) for name, curve in curves.items())
    for row, (error, seconds, name) in enumerate(ends):
        height = 0.765 - 0.074 * row
        colour = OURS.get(name) or PEERS.get(name, FAINT)
        weight = "bold" if name in OURS else "normal"
        for at, text, side in (
            (0.74, name, "left"),
            (0.91, f"{error:.1%}", "right"),
            (0.985, _time(seconds), "right"),
        ):
            figure.text(at, height, text, ha=side, fontsize=11, color=colour, weight=weight)
    for at, text in ((0.91, "error"), (0.985, "CPU")):
        figure.text(at, 0.825, text, ha="right", fontsize=9.5, color="#616e7c")


def _time(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * 1e3:.0f} ms"


def _headline(figure: Any) -> None:
    figure.subplots_adjust(left=0.075, right=0.72, top=0.84, bottom=0.11)
    figure.text(0.02, 0.945, "How far a CPU second goes", fontsize=17, weight="bold", color=INK)
    about = "200,000 rows of sparse text, 2²⁰ features, 5 % wrong labels; one pass, tested on 20,000 others"
    figure.text(0.02, 0.895, about, fontsize=10.5, color="#616e7c")


def main() -> None:
    """Draw from a file of figures."""
    figures, picture = sys.argv[1:]
    draw(json.loads(Path(figures).read_text()), Path(picture))


if __name__ == "__main__":
    main()
