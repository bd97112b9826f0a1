"""``onlinear train``: what the options ask for, and what is said at the end."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .._arguments import needed, reader_options, say, say_json, values_of
from .._costs import read_costs
from .._errors import UsageError
from .._summary import summary
from .._tasks import task_of
from .._train import Plan, train

__all__ = ["run"]


def run(
    files: list[str] | None,
    task: str,
    algorithm: str | None,
    cost_matrix: Path | None,
    template: list[str] | None,
    parameter: list[str] | None,
    scale: str | None,
    center: bool,
    passes: int,
    save: Path | None,
    test: list[str] | None,
    holdout: float,
    early_stop: bool,
    patience: int,
    shuffle: bool,
    buffer: int,
    watch: str | None,
    seed: int,
    dtype: str,
    checkpoint: Path | None,
    every: int,
    resume: bool,
    names: int | None,
    quiet: bool,
    as_json: bool,
    **reading: Any,
) -> int:
    """Learn files, and say how it went."""
    chosen = task_of(task)
    algorithm = algorithm if algorithm is not None else chosen.algorithm
    chosen.find(algorithm)
    if buffer < 1:
        raise UsageError(f"--buffer must be at least 1, got {buffer}")
    plan = Plan(
        shuffle=buffer if shuffle else 0,
        task=chosen,
        costs=None if cost_matrix is None else read_costs(cost_matrix),
        templates=template,
        files=needed(files),
        algorithm=algorithm,
        parameters=_with_units(values_of(parameter or []), scale, center),
        reading=reader_options(**reading),
        passes=passes,
        save=save,
        checkpoint=checkpoint,
        every=every,
        resume=resume,
        holdout=holdout,
        test=list(test or []),
        early_stop=early_stop,
        patience=patience,
        watch=watch,
        seed=seed,
        dtype=dtype,
        names=names,
        quiet=quiet,
    )
    report, code = train(plan)
    if as_json:
        say_json(report)
    elif not quiet:
        say(summary(report))
    return code


def _with_units(parameters: dict[str, Any], scale: str | None, center: bool) -> dict[str, Any]:
    """The parameters with those that --scale and --center mean, where they are given."""
    meant: dict[str, Any] = {} if scale is None else {"scale": None if scale == "none" else scale}
    if center:
        meant["center"] = True
    for name in meant:
        if name in parameters:
            raise UsageError(f"-p {name} and --{name} mean the same; give one of them")
    return {**parameters, **meant}
