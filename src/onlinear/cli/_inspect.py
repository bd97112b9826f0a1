"""``onlinear inspect``: what a model has learned, as a table, JSON, or a page with pictures."""

from __future__ import annotations

import html
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..persistence import plain, written_aside
from ._errors import UsageError
from ._reading import load_model, named_label

__all__ = ["describe", "page", "render"]

Array = npt.NDArray[Any]

_BINS = 31


def describe(path: Path, *, top: int, label: str | None) -> dict[str, Any]:
    """Everything worth knowing about a model file.

    Parameters
    ----------
    path : Path
        The file.
    top : int
        How many weights to list for each class.
    label : str, optional
        List the weights of this class alone.
    """
    if top < 0:
        raise UsageError(f"--top must be at least 0, got {top}")
    model, kind = load_model(path)
    if kind == "sequence":
        from ._sequence import describe_sequences

        return describe_sequences(model, path, top=top, label=label)
    learner = model._learner
    names, towards, coefficients, deviation, intercept = _rows_of(model, kind)
    if label is not None and label not in names:
        from .._algorithms import nearest

        known = f"The model has {', '.join(names[:20])}" if names else f"A {type(model).__name__} has none"
        raise UsageError(f"no class {label!r}.{nearest(label, names)} {known}")
    weights = {}
    for i, name in enumerate(towards):
        if label is None or label == name or len(towards) == 1:
            weights[name] = _strongest(
                model, coefficients[i], None if deviation is None else deviation[i], top
            )
    used = coefficients != 0
    return {
        "model": str(path),
        "bytes": path.stat().st_size,
        "estimator": type(model).__name__,
        "compact": deviation is None and type(learner.handle).__name__ == "ServingHandle",
        "parameters": {name: plain(value) for name, value in model.get_params(deep=False).items()},
        "classes": names,
        "features": learner.n_features,
        "dtype": learner.dtype,
        "seen": learner.n_seen,
        "updates": learner.n_updates,
        "mistakes": learner.n_mistakes,
        "nonzero": int(used.sum()),
        "sparsity": 1 - float(used.mean()) if used.size else 1.0,
        "l2_norm": float(np.sqrt((coefficients**2).sum())),
        "intercept": {name: float(value) for name, value in zip(towards, intercept, strict=False)},
        "weights": weights,
        "histogram": _histogram(coefficients[used]),
        "std_histogram": None if deviation is None else _histogram(deviation[used]),
        "input": model.__dict__.get("input_"),
        **({"radius": model.radius_} if hasattr(model, "radius_") else {}),
    }


def _rows_of(model: Any, kind: str) -> tuple[list[str], list[str], Array, Array | None, Array]:
    """Classes, what each row of weights speaks for, the weights, their deviations, the intercepts."""
    handle = model._learner.handle
    if hasattr(model, "radius_"):
        return [], ["the centre"], model.center_[None, :], None, np.empty(0)
    names = [named_label(name) for name in model.classes_.tolist()] if hasattr(model, "classes_") else []
    deviation = None
    if not names:
        deviation = model.coef_std_[None, :] if handle.has_variance else None
        return [], ["the target"], model.coef_[None, :], deviation, np.array([model.intercept_])
    if kind == "classifier":
        towards = names[1:] or names if len(names) <= 2 else names
        deviation = model.coef_std_ if handle.has_variance else None
        return names, towards, model.coef_, deviation, model.intercept_
    if handle.has_variance:
        deviation = np.sqrt(model._by_class(handle.variance()[0]))
    return names, names, model.coef_, deviation, model.intercept_


def _strongest(model: Any, weights: Array, deviation: Array | None, top: int) -> list[dict[str, Any]]:
    """The weights farthest from zero, the farthest first."""
    size = np.abs(weights)
    top = min(top, int((size > 0).sum()))
    if top == 0:
        return []
    best = np.argpartition(-size, top - 1)[:top]
    best = best[np.lexsort((best, -size[best]))]
    words: dict[int, str] = model._learner.handle.words()
    named = model.__dict__.get("feature_names_in_")
    return [
        {
            "column": int(column),
            "feature": str(named[column]) if named is not None else words.get(int(column), f"x{column}"),
            "weight": float(weights[column]),
            "std": None if deviation is None else float(deviation[column]),
        }
        for column in best
    ]


def _histogram(values: Array) -> dict[str, Any]:
    if len(values) == 0:
        return {"edges": [], "counts": []}
    counts, edges = np.histogram(values, bins=_BINS)
    return {"edges": [float(edge) for edge in edges], "counts": [int(count) for count in counts]}


# ---------------------------------------------------------------------- as text


def render(about: dict[str, Any]) -> str:
    """The description as text."""
    changed = {name: value for name, value in about["parameters"].items() if value is not None}
    shown = ", ".join(f"{name}={value}" for name, value in changed.items() if name in _INTERESTING)
    lines = [
        f"{about['model']}: {about['estimator']}({shown}), {about['bytes']:,} bytes, {about['dtype']}",
        *([f"{len(about['classes'])} classes: {_some(about['classes'], 20)}"] if about["classes"] else []),
        *([f"a ball of radius {about['radius']:.6g}"] if "radius" in about else []),
        f"{about['features']:,} features, {about['nonzero']:,} not zero, sparsity {about['sparsity']:.4f}",
        f"{about['seen']:,} examples seen, {about['updates']:,} updates, {about['mistakes']:,} mistakes",
    ]
    for name, items in about["weights"].items():
        width = max([7, *(len(item["feature"]) for item in items)])
        lines += ["", f"towards {name}", f"{'feature':<{width}}    weight       std"]
        for item in items:
            std = "" if item["std"] is None else f"{item['std']:10.4f}"
            lines.append(f"{item['feature']:<{width}}  {item['weight']:+8.4f}{std}")
    if about.get("transitions"):
        lines += ["", "strongest transitions"]
        lines += [f"{t['from']} -> {t['to']}  {t['weight']:+8.4f}" for t in about["transitions"]]
    lines += ["", "weights", *_bars(about["histogram"])]
    return "\n".join(lines)


def _some(names: list[str], most: int) -> str:
    return ", ".join(names[:most]) + (" ..." if len(names) > most else "")


_INTERESTING = frozenset(
    [
        "C",
        "r",
        "b",
        "c",
        "eta",
        "lam",
        "rho",
        "nu",
        "beta",
        "rate",
        "ridge",
        "confidence",
        "phi",
        "variant",
        "penalty",
        "constraint",
        "loss",
        "form",
        "aggressive",
        "covariance",
        "projection",
        "average",
        "fit_intercept",
    ]
)


def _bars(histogram: dict[str, Any]) -> list[str]:
    counts, edges = histogram["counts"], histogram["edges"]
    if not counts:
        return ["none"]
    most = max(counts)
    return [
        f"{edges[i]:+9.3f}  {'█' * round(40 * count / most) or ('▏' if count else '')} {count:,}"
        for i, count in enumerate(counts)
        if count
    ]


# ---------------------------------------------------------------------- as a page


def page(about: dict[str, Any], path: Path) -> None:
    """Write a page that needs nothing but itself."""
    sections = [_facts(about)]
    sections += [_weights_section(name, items) for name, items in about["weights"].items()]
    sections.append(f"<h2>Weights</h2>{_histogram_svg(about['histogram'], 'weight')}")
    if about["std_histogram"] is not None:
        sections.append(f"<h2>Their standard deviations</h2>{_histogram_svg(about['std_histogram'], 'std')}")
    title = html.escape(Path(about["model"]).name)
    text = _PAGE.replace("{title}", title).replace("{body}", "\n".join(sections))
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8")


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 15px/1.5 system-ui, sans-serif; color: #222; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { padding: .15rem .8rem .15rem 0; text-align: left; }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
svg { max-width: 100%; height: auto; } text { font: 11px system-ui, sans-serif; fill: #444; }
.up, .bar { fill: #2a6fb0; } .down { fill: #c2553a; } .spread { stroke: #222; stroke-width: 1; opacity: .6; }
@media (prefers-color-scheme: dark) {
  body { background: #16181c; color: #ddd; } text { fill: #bbb; } .spread { stroke: #ddd; }
}
</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""


def _facts(about: dict[str, Any]) -> str:
    rows = [
        ("estimator", about["estimator"]),
        *([("classes", _some(about["classes"], 50))] if about["classes"] else []),
        *([("radius", f"{about['radius']:.6g}")] if "radius" in about else []),
        ("features", f"{about['features']:,}"),
        ("weights not zero", f"{about['nonzero']:,} (sparsity {about['sparsity']:.4f})"),
        ("examples seen", f"{about['seen']:,}"),
        ("updates", f"{about['updates']:,}"),
        ("mistakes", f"{about['mistakes']:,}"),
        ("type", about["dtype"]),
        ("file", f"{about['bytes']:,} bytes"),
        *(
            (name, value)
            for name, value in about["parameters"].items()
            if name in _INTERESTING and value is not None
        ),
    ]
    cells = "".join(f"<tr><th>{html.escape(str(a))}</th><td>{html.escape(str(b))}</td></tr>" for a, b in rows)
    return f"<table>{cells}</table>"


def _weights_section(name: str, items: list[dict[str, Any]]) -> str:
    """A bar for each weight, with one standard deviation to either side."""
    if not items:
        return f"<h2>Towards {html.escape(name)}</h2><p>No weights.</p>"
    reach = max(abs(item["weight"]) + (item["std"] or 0.0) for item in items)
    middle, half, height = 470, 220, 20
    parts = []
    for i, item in enumerate(items):
        y = i * height
        length = half * abs(item["weight"]) / reach
        x = middle if item["weight"] > 0 else middle - length
        kind = "up" if item["weight"] > 0 else "down"
        parts.append(
            f'<text x="225" y="{y + 14}" text-anchor="end">{html.escape(_short(item["feature"]))}</text>'
        )
        parts.append(
            f'<rect class="{kind}" x="{x:.1f}" y="{y + 3}" '
            f'width="{max(length, 0.5):.1f}" height="{height - 6}"/>'
        )
        if item["std"] is not None:
            end = middle + half * item["weight"] / reach
            spread = half * item["std"] / reach
            line = y + height / 2
            parts.append(
                f'<line class="spread" x1="{end - spread:.1f}" x2="{end + spread:.1f}" '
                f'y1="{line}" y2="{line}"/>'
            )
        told = f"{item['weight']:+.4f}" + ("" if item["std"] is None else f" ± {item['std']:.4f}")
        parts.append(f'<text x="715" y="{y + 14}">{told}</text>')
    picture = (
        f'<svg viewBox="0 0 860 {len(items) * height + 4}" width="860" role="img">{"".join(parts)}</svg>'
    )
    return f"<h2>Towards {html.escape(name)}</h2>{picture}"


def _short(text: str) -> str:
    return text if len(text) <= 34 else f"{text[:33]}…"


def _histogram_svg(histogram: dict[str, Any], what: str) -> str:
    counts, edges = histogram["counts"], histogram["edges"]
    if not counts:
        return "<p>None.</p>"
    width, height, most = 860 / len(counts), 160, np.log1p(max(counts))
    bars = []
    for i, count in enumerate(counts):
        tall = height * float(np.log1p(count) / most)
        hint = f"<title>{edges[i]:.4g} to {edges[i + 1]:.4g}: {count:,}</title>"
        bars.append(
            f'<rect class="bar" x="{i * width:.1f}" y="{height - tall:.1f}" '
            f'width="{width - 1:.1f}" height="{tall:.1f}">{hint}</rect>'
        )
    labels = (
        f'<text x="0" y="{height + 15}">{edges[0]:.4g}</text>'
        f'<text x="860" y="{height + 15}" text-anchor="end">{edges[-1]:.4g}</text>'
        f'<text x="430" y="{height + 15}" text-anchor="middle">{what} (heights: logarithms of counts)</text>'
    )
    return f'<svg viewBox="0 0 860 {height + 20}" width="860" role="img">{"".join(bars)}{labels}</svg>'
