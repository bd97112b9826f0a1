"""One example at a time, from a dict of 78 string features."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from benchmarks import learners
from benchmarks.data import Sets
from benchmarks.protocol import (
    Arena,
    Contestant,
    Measurement,
    Scenario,
    Team,
    Turn,
    best_pass,
    faster,
    own_peak_mb,
)

COUNT = 5000

Example = tuple[dict[str, float], bool]


def dicts(data: Sets, count: int) -> list[Example]:
    """Return the first rows as river takes them: feature name to value, and a truth."""
    rows = data.rows("text", "train")
    indptr = rows.indptr[: count + 1].tolist()
    names = [f"f{index}" for index in rows.indices[: indptr[-1]].tolist()]
    values = rows.values[: indptr[-1]].tolist()
    bounds = zip(indptr[:-1], indptr[1:], rows.labels.tolist(), strict=False)
    return [(dict(zip(names[a:b], values[a:b], strict=True)), label > 0) for a, b, label in bounds]


def lines(data: Sets, count: int) -> list[str]:
    """Return the first rows as Vowpal Wabbit takes them: a line of text."""
    with data.text("text", "train", "vw").open() as file:
        return [line.rstrip("\n") for _, line in zip(range(count), file, strict=False)]


def learn_dicts(model: Any, examples: Iterable[Example]) -> None:
    """Learn one by one."""
    for x, y in examples:
        model.learn_one(x, y)


def learn_lines(model: Any, examples: Iterable[str]) -> None:
    """Learn one by one."""
    for line in examples:
        model.learn(line)


def one_by_one(
    name: str,
    team: Team,
    make: Callable[[], Any],
    examples: Callable[[Sets, int], Any],
    learn: Callable[[Any, Any], None],
    needs: tuple[str, ...],
) -> Contestant:
    """Return who learns `COUNT` examples, one call each."""

    def start(arena: Arena) -> Turn:
        stream = examples(arena.data, COUNT)

        def turn() -> Measurement:
            clock, _ = best_pass(arena.passes, make, lambda model: learn(model, stream))
            return Measurement(clock.cpu, clock.wall, own_peak_mb(), examples=len(stream))

        return turn

    return Contestant(name, team, start, needs)


SCENARIOS = (
    Scenario(
        name="one-example",
        title="One call an example, 78 string features",
        sets=("text",),
        rate="microseconds",
        contestants=(
            one_by_one("river PA-I", "peer", learners.river_pa1, dicts, learn_dicts, learners.RIVER),
            one_by_one("onlinear AROW", "us", learners.arow, dicts, learn_dicts, learners.ONLINEAR),
            one_by_one(
                "Vowpal Wabbit, text line",
                "peer",
                learners.vowpal_wabbit,
                lines,
                learn_lines,
                learners.VOWPAL_WABBIT,
            ),
            one_by_one("onlinear PA-I", "us", learners.pa1, dicts, learn_dicts, learners.ONLINEAR),
        ),
        targets=(
            faster("onlinear AROW", "river PA-I", 8.0),
            faster("onlinear AROW", "Vowpal Wabbit, text line", 4.0),
        ),
    ),
)
