"""``onlinear inspect``: what a model has learned, as a table, JSON, or a page with pictures."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...algorithms.table import nearest
from ...model.answers import deviations, oriented_weights
from ...persistence.values import plain
from ...persistence.writing import written_aside
from .._arguments import say, say_json
from .._describing import histogram, telling
from .._errors import UsageError, printable
from .._reading import load_model, named_label, spare

if TYPE_CHECKING:
    from ...model.model import RowModel
    from ...model.types import Array, Values

__all__ = ["describe", "page", "render", "run"]


def run(model: Path, top: int, label: str | None, html: Path | None, as_json: bool) -> None:
    """Say what a model has learned."""
    spare(html, "--html", [str(model)])
    about = describe(model, top=top, label=label)
    if html is not None:
        page(about, html)
    if as_json:
        say_json(about)
    elif html is None:
        say(render(about))
    else:
        say(f"{printable(str(html))}: {html.stat().st_size:,} bytes")


def describe(path: Path, *, top: int, label: str | None) -> Values:
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
        from .._sequence_results import describe_sequences  # and all of sequences, which others do without

        return describe_sequences(model, path, top=top, label=label)
    learner, recipe = model.learner, model.recipe
    names, towards, coefficients, deviation, intercept = _rows_of(model, kind)
    coefficients = _of_words(model, coefficients)
    if label is not None and label not in names:
        known = f"The model has {', '.join(names[:20])}" if names else f"A {recipe.owner} has none"
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
        "estimator": recipe.estimator,
        "compact": deviation is None and getattr(learner.handle, "compact", False),
        "parameters": {name: plain(value) for name, value in recipe.parameters().items()},
        "telling": list(telling(recipe)),
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
        "histogram": histogram(coefficients[used]),
        "std_histogram": None if deviation is None else histogram(deviation[used]),
        "input": {name: value for name, value in (model.schema.input or {}).items() if name != "negative"},
        "schema": model.schema.described(),
        **({"radius": model.radius} if recipe.kind == "one-class" else {}),
    }


def _rows_of(model: RowModel, kind: str) -> tuple[list[str], list[str], Array, Array | None, Array]:
    """Classes, what each row of weights speaks for, the weights, their deviations, the intercepts."""
    handle = model.learner.handle
    if model.recipe.kind == "one-class":
        return [], ["the centre"], handle.mean()[0], None, np.empty(0)
    weights, intercepts = handle.average()
    variance = handle.variance()[0] if handle.has_variance else None
    if not model.has_classes:
        deviation = None if variance is None else np.sqrt(variance)
        return [], ["the target"], weights, deviation, intercepts[:, 0]
    classes = model.labels.classes
    names = [named_label(name) for name in classes.ranked]
    if kind == "classifier":
        towards = names[1:] or names if len(names) <= 2 else names
        deviation = None if variance is None else deviations(variance, classes)
        intercept = oriented_weights(intercepts, classes)[:, 0]
        return names, towards, oriented_weights(weights, classes), deviation, intercept
    deviation = None if variance is None else np.sqrt(variance[classes.order])
    return names, names, weights[classes.order], deviation, intercepts[classes.order][:, 0]


def _of_words(model: RowModel, weights: Array) -> Array:
    """The weights of words, where columns may hold them with the other sign."""
    negative = sorted(model.schema.negative(model.learner.handle.words()))
    if negative:
        weights = np.array(weights)
        weights[:, negative] *= -1
    return weights


def _strongest(model: RowModel, weights: Array, deviation: Array | None, top: int) -> list[Values]:
    """The weights farthest from zero, the farthest first."""
    size = np.abs(weights)
    top = min(top, int((size > 0).sum()))
    if top == 0:
        return []
    best = np.argpartition(-size, top - 1)[:top]
    best = best[np.lexsort((best, -size[best]))]
    words: dict[int, str] = model.learner.handle.words()
    named = model.schema.names
    return [
        {
            "column": int(column),
            "feature": str(named[column]) if named is not None else words.get(int(column), f"x{column}"),
            "weight": float(weights[column]),
            "std": None if deviation is None else float(deviation[column]),
        }
        for column in best
    ]


# ---------------------------------------------------------------------- as text


def render(about: Values) -> str:
    """The description as text."""
    shown = ", ".join(f"{name}={about['parameters'][name]}" for name in about["telling"])
    lines = [
        f"{about['model']}: {about['estimator']}({shown}), {about['bytes']:,} bytes, {about['dtype']}",
        *([f"{len(about['classes'])} classes: {_some(about['classes'], 20)}"] if about["classes"] else []),
        *([f"a ball of radius {about['radius']:.6g}"] if "radius" in about else []),
        f"{about['features']:,} features, {about['nonzero']:,} not zero, sparsity {about['sparsity']:.4f}",
        f"{about['seen']:,} examples seen, {about['updates']:,} updates, {about['mistakes']:,} mistakes",
    ]
    for name, items in about["weights"].items():
        width = max([7, *(len(printable(item["feature"])) for item in items)])
        lines += ["", f"towards {name}", f"{'feature':<{width}}    weight       std"]
        for item in items:
            std = "" if item["std"] is None else f"{item['std']:10.4f}"
            lines.append(f"{printable(item['feature']):<{width}}  {item['weight']:+8.4f}{std}")
    if about.get("transitions"):
        lines += ["", "strongest transitions"]
        lines += [f"{t['from']} -> {t['to']}  {t['weight']:+8.4f}" for t in about["transitions"]]
    lines += ["", "weights", *_bars(about["histogram"])]
    return "\n".join(map(printable, lines))


def _some(names: list[str], most: int) -> str:
    return ", ".join(names[:most]) + (" ..." if len(names) > most else "")


def _bars(histogram: Values) -> list[str]:
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


def page(about: Values, path: Path) -> None:
    """Write a page that needs nothing but itself."""
    sections = [_facts(about)]
    sections += [_weights_section(name, items) for name, items in about["weights"].items()]
    sections.append(f"<h2>Weights</h2>{_histogram_svg(about['histogram'], 'weight')}")
    if about["std_histogram"] is not None:
        sections.append(f"<h2>Their standard deviations</h2>{_histogram_svg(about['std_histogram'], 'std')}")
    title = _escaped(Path(about["model"]).name)
    text = _PAGE.replace("{title}", title).replace("{body}", "\n".join(sections))
    with written_aside(path) as aside:
        aside.write_text(text, encoding="utf-8", errors="backslashreplace")


_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { --ink: #1f2328; --soft: #59636e; --paper: #fff; --tile: #f6f8fa; --line: #d1d9e0;
        --up: #2a6fb0; --down: #c2553a; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --soft: #9aa4af; --paper: #15181c; --tile: #1e2329; --line: #3a424b;
          --up: #5b9bd5; --down: #e07a5f; }
}
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
       max-width: 56rem; margin: 2.5rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.6rem; margin: 0; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p { color: var(--soft); margin: .3rem 0; }
dl.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .7rem; margin: 1.4rem 0; }
dl.tiles div { background: var(--tile); border-radius: 8px; padding: .6rem .9rem; }
dl.tiles dt { color: var(--soft); font-size: .82rem; }
dl.tiles dd { margin: 0; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
code { background: var(--tile); border-radius: 4px; padding: .1rem .35rem; white-space: nowrap; }
figure { background: var(--tile); border-radius: 8px; padding: .8rem; margin: 0; }
svg { display: block; width: 100%; height: auto; }
text { font: 12px system-ui, sans-serif; fill: var(--ink); font-variant-numeric: tabular-nums; }
text.soft { fill: var(--soft); }
.up, .bar { fill: var(--up); } .down { fill: var(--down); }
.spread { stroke: var(--ink); stroke-width: 1.2; opacity: .65; } .axis { stroke: var(--line); }
</style></head><body>
{body}
</body></html>
"""


def _escaped(text: str) -> str:
    """Text of a page: no markup, and nothing that would move a terminal's cursor when the page is shown there."""
    return html.escape(printable(text))


def _facts(about: Values) -> str:
    """The name, what it is, the counts as tiles and the parameters in a line."""
    tiles = [
        *([("classes", f"{len(about['classes']):,}")] if about["classes"] else []),
        *([("radius", f"{about['radius']:.6g}")] if "radius" in about else []),
        ("features", f"{about['features']:,}"),
        ("weights not zero", f"{about['nonzero']:,}"),
        ("sparsity", f"{about['sparsity']:.4f}"),
        ("examples seen", f"{about['seen']:,}"),
        ("updates", f"{about['updates']:,}"),
        ("mistakes", f"{about['mistakes']:,}"),
        ("file size", _size(about["bytes"])),
    ]
    cells = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in tiles)
    told = [f"{name}={about['parameters'][name]}" for name in about["telling"]]
    parameters = " ".join(f"<code>{_escaped(words)}</code>" for words in told)
    kind = _escaped(f"{about['estimator']}, {about['dtype']}" + (", compact" if about["compact"] else ""))
    classes = f"<p>Classes: {_escaped(_some(about['classes'], 50))}</p>" if about["classes"] else ""
    return (
        f"<h1>{_escaped(Path(about['model']).name)}</h1><p>{kind}</p><dl class='tiles'>{cells}</dl>"
        f"<p>{parameters}</p>{classes}"
    )


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if count < 1000:
            return f"{count:,.0f} {unit}" if unit == "bytes" else f"{count:.1f} {unit}"
        count /= 1000
    return f"{count:.1f} GB"


def _weights_section(name: str, items: list[Values]) -> str:
    """A bar for each weight, with one standard deviation to either side."""
    title = f"<h2>Towards {_escaped(name)}</h2>"
    if not items:
        return f"{title}<p>No weights.</p>"
    reach = max(abs(item["weight"]) + (item["std"] or 0.0) for item in items)
    middle, half, height = 430, 230, 22
    bottom = len(items) * height + 4
    parts = [f'<line class="axis" x1="{middle}" x2="{middle}" y1="0" y2="{bottom}"/>']
    for i, item in enumerate(items):
        y = i * height
        end = middle + half * item["weight"] / reach
        kind = "up" if item["weight"] > 0 else "down"
        feature = _escaped(_short(item["feature"]))
        parts.append(f'<text x="185" y="{y + 15}" text-anchor="end">{feature}</text>')
        parts.append(
            f'<rect class="{kind}" rx="2" x="{min(end, middle):.1f}" y="{y + 4}" '
            f'width="{max(abs(end - middle), 0.5):.1f}" height="{height - 8}"/>'
        )
        told = f"{item['weight']:+.4f}"
        if item["std"] is not None:
            spread, line = half * item["std"] / reach, y + height / 2
            told += f" ± {item['std']:.4f}"
            parts.append(
                f'<line class="spread" x1="{end - spread:.1f}" x2="{end + spread:.1f}" '
                f'y1="{line}" y2="{line}"/>'
            )
        parts.append(f'<text class="soft" x="800" y="{y + 15}" text-anchor="end">{told}</text>')
    picture = f'<svg viewBox="0 0 810 {bottom}" role="img">{"".join(parts)}</svg>'
    legend = "<p>Right: speaks for it; left: against it. The thin lines are one standard deviation.</p>"
    return f"{title}<figure>{picture}</figure>{legend}"


def _short(text: str) -> str:
    return text if len(text) <= 26 else f"{text[:25]}…"


def _histogram_svg(histogram: Values, what: str) -> str:
    counts, edges = histogram["counts"], histogram["edges"]
    if not counts:
        return "<p>None.</p>"
    width, height, most = 810 / len(counts), 150, np.log1p(max(counts))
    bars = [f'<line class="axis" x1="0" x2="810" y1="{height}" y2="{height}"/>']
    for i, count in enumerate(counts):
        tall = height * float(np.log1p(count) / most)
        hint = f"<title>{edges[i]:.4g} to {edges[i + 1]:.4g}: {count:,}</title>"
        bars.append(
            f'<rect class="bar" rx="1" x="{i * width:.1f}" y="{height - tall:.1f}" '
            f'width="{width - 1.5:.1f}" height="{tall:.1f}">{hint}</rect>'
        )
    labels = (
        f'<text class="soft" x="0" y="{height + 17}">{edges[0]:.4g}</text>'
        f'<text class="soft" x="810" y="{height + 17}" text-anchor="end">{edges[-1]:.4g}</text>'
        f'<text class="soft" x="405" y="{height + 17}" text-anchor="middle">'
        f"{what} (bars: logarithms of counts)</text>"
    )
    picture = f'<svg viewBox="0 0 810 {height + 22}" role="img">{"".join(bars)}{labels}</svg>'
    return f"<figure>{picture}</figure>"
