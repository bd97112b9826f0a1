"""``onlinear algorithms``: what there is, from which paper, and when to use it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from ...algorithms.table import ALGORITHMS, Algorithm, find
from ...persistence.values import plain
from .._arguments import say_json

if TYPE_CHECKING:
    from ...model.types import Values

__all__ = ["listed", "run", "show"]


def run(name: str | None, as_json: bool) -> None:
    """List the algorithms, or one."""
    items = listed(name)
    if as_json:
        say_json(items)
    else:
        show(items)


def listed(name: str | None) -> list[Values]:
    """The algorithms as JSON."""
    chosen = [find(name)] if name is not None else list(ALGORITHMS.values())
    return [
        {
            "name": entry.name,
            "estimator": entry.estimator,
            "preset": dict(entry.preset),
            "parameters": _defaults(entry),
            "paper": entry.paper,
            "advice": entry.advice,
        }
        for entry in chosen
    ]


def _defaults(entry: Algorithm) -> Values:
    model = entry.make()
    return {name: plain(getattr(model, name)) for name in entry.parameters}


def show(items: list[Values]) -> None:
    """Print them: a table on a terminal, plain lines elsewhere."""
    if not sys.stdout.isatty():
        for item in items:
            parameters = " ".join(f"{name}={value}" for name, value in item["parameters"].items())
            sys.stdout.write(
                f"{item['name']}\n    {item['advice']}\n    -p {parameters or 'none'}\n    {item['paper']}\n"
            )
        return
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("name", "advice", "parameters", "paper"):
        table.add_column(column, no_wrap=column == "name")
    for item in items:
        parameters = " ".join(f"{name}={value}" for name, value in item["parameters"].items())
        table.add_row(item["name"], item["advice"], parameters, item["paper"])
    Console().print(table)
