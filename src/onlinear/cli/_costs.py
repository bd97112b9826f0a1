"""Cost matrices in files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..exceptions import DataError
from ..model.stream import label_value

if TYPE_CHECKING:
    from ..model.types import Costs, Label

__all__ = ["read_costs"]


def read_costs(path: Path) -> Costs:
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


def _costs_of_json(path: Path, found: Any) -> Costs:
    out: Costs = {}
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


def _costs_of_table(path: Path, text: str) -> Costs:
    lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
    if len(lines) < 2:
        raise DataError(f"{path}: expected a table of costs, found {len(lines)} lines")
    mark = next((mark for mark in "\t,;" if mark in lines[0][1]), None)
    answers = [_class_name(cell) for cell in _cells(lines[0][1], mark)]
    width = len(_cells(lines[1][1], mark)) - 1
    if len(answers) == width + 1:  # the corner above the right classes
        answers = answers[1:]
    out: Costs = {}
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


def _class_name(text: str) -> Label:
    """A class as a stream would call it: numbers are numbers."""
    try:
        number = float(text)
    except ValueError:
        return text
    return label_value(number) if number == number and abs(number) != float("inf") else text
