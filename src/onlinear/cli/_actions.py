"""What each command does with its arguments; the work is in a module each, imported when it is needed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from ._errors import UsageError

__all__ = ["act", "reader_options", "values_of"]


def act(command: str, given: dict[str, Any]) -> int:
    """Run a command; returns the exit code."""
    return _ACTIONS[command](**given) or 0


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _say_json(value: Any) -> None:
    import json

    _say(json.dumps(value))


def _needed(files: list[str] | None) -> list[str]:
    """The files given; none and a terminal behind standard input means that something was forgotten."""
    if files:
        return list(files)
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("no files given. Name some, or pipe data in")
    return ["-"]


def _train(
    files: list[str] | None,
    task: str,
    algorithm: str | None,
    cost_matrix: Path | None,
    template: list[str] | None,
    parameter: list[str] | None,
    passes: int,
    save: Path | None,
    test: list[str] | None,
    holdout: float,
    early_stop: bool,
    patience: int,
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
    from ._tasks import read_costs, task_of
    from ._train import Plan, train

    chosen = task_of(task)
    algorithm = algorithm if algorithm is not None else chosen.algorithm
    chosen.find(algorithm)
    plan = Plan(
        task=chosen,
        costs=None if cost_matrix is None else read_costs(cost_matrix),
        templates=template,
        files=_needed(files),
        algorithm=algorithm,
        parameters=values_of(parameter or []),
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
        seed=seed,
        dtype=dtype,
        names=names,
        quiet=quiet,
    )
    report, code = train(plan)
    if as_json:
        _say_json(report)
    elif not quiet:
        from ._summary import summary

        _say(summary(report))
    return code


def _predict(
    model: Path,
    files: list[str] | None,
    output: Path | None,
    scores: bool,
    proba: bool,
    std: bool,
    header: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    from ._predict import predict
    from ._reading import spare

    options, files = reader_options(**reading), _needed(files)
    spare(output, "--output", [str(model), *files])
    _, refused = predict(
        model, files, options, output=output, scores=scores, proba=proba, std=std, header=header
    )
    if refused and not quiet:
        sys.stderr.write(f"onlinear: {refused:,} lines were refused and have no prediction\n")


def _evaluate(
    model: Path, files: list[str] | None, plots: Path | None, as_json: bool, **reading: Any
) -> None:
    from ._evaluate import evaluate, render
    from ._reading import spare

    files = _needed(files)
    spare(plots, "--plots", [str(model), *files])
    result = evaluate(model, files, reader_options(**reading), plots)
    if isinstance(result, dict):
        from ._task_results import render_figures

        _say_json(result) if as_json else _say(render_figures(result))
    elif as_json:
        _say_json(result.figures())
    else:
        _say(render(result))


def _inspect(model: Path, top: int, label: str | None, html: Path | None, as_json: bool) -> None:
    from ._inspect import describe, page, render
    from ._reading import spare

    spare(html, "--html", [str(model)])
    about = describe(model, top=top, label=label)
    if html is not None:
        page(about, html)
    if as_json:
        _say_json(about)
    elif html is None:
        _say(render(about))


def _convert(
    source: str,
    target: Path,
    compact: bool,
    dtype: str | None,
    sparse: bool | None,
    to: str | None,
    as_json: bool,
    quiet: bool,
    **reading: Any,
) -> None:
    from ._convert import convert_data, convert_model, is_model
    from ._reading import spare

    spare(target, "the target", [source])
    model = is_model(Path(source))
    if str(target) == "-":
        if as_json or model:
            raise UsageError("convert needs a file to write a model to, or to speak of with --json")
        quiet = True
    if model:
        done = convert_model(Path(source), target, dtype=dtype, compact=compact, sparse=sparse)
        told = f"{done['target']}: {done['target_bytes']:,} bytes, {done['source_bytes']:,} before"
    else:
        done = convert_data(
            [source], target, reader_options(**reading), to=to, zero_based=reading["zero_based"]
        )
        told = f"{done['target']}: {done['examples']:,} examples, {done['refused']:,} lines refused"
    if as_json:
        _say_json(done)
    elif not quiet:
        _say(told)


def _algorithms(name: str | None, as_json: bool) -> None:
    from ._algorithms_table import listed, show

    items = listed(name)
    if as_json:
        _say_json(items)
    else:
        show(items)


def _demo(output: Path | None, limit: int | None) -> int:
    # In a process of its own: it uses scikit-learn, which this one does without.
    import subprocess

    from ._signals import Stopped

    given = {"--output": output, "--limit": limit}
    words = [str(word) for pair in given.items() if pair[1] is not None for word in pair]
    sys.stdout.flush()
    with subprocess.Popen([sys.executable, "-m", "onlinear.demo", *words]) as process:
        try:
            return process.wait()
        except (KeyboardInterrupt, Stopped):  # a terminal tells both; who tells this process alone means both
            try:
                return process.wait(timeout=1)
            except subprocess.TimeoutExpired:
                process.terminate()
                return process.wait()


_ACTIONS: dict[str, Any] = {
    "train": _train,
    "predict": _predict,
    "evaluate": _evaluate,
    "inspect": _inspect,
    "convert": _convert,
    "algorithms": _algorithms,
    "demo": _demo,
}

# ---------------------------------------------------------------------- from words to values


def reader_options(*, format: str, ngrams: str | None, on_error: str, **plain: Any) -> dict[str, Any]:
    """The arguments of `onlinear.read` that the given options mean; those left out are left out."""
    given: dict[str, Any] = {
        "format": None if format == "auto" else format,
        "ngram_range": None if ngrams is None else _range(ngrams),
        "on_error": on_error,
        **plain,
    }
    return {
        name: value
        for name, value in given.items()
        if value is not None and value is not False and value != []
    }


def _range(text: str) -> tuple[int, int]:
    low, dash, high = text.partition("-")
    try:
        return int(low), int(high if dash else low)
    except ValueError:
        raise UsageError(f"--ngrams takes a number or a range, as 2 or 1-3, got {text!r}") from None


def values_of(pairs: list[str]) -> dict[str, Any]:
    """Parameters from ``name=value``; numbers, true, false and none are what they look like.

    Raises
    ------
    UsageError
        If one has no ``=``.
    """
    found: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UsageError(f"-p takes name=value, got {pair!r}. For example: -p C=1")
        if name in found:
            raise UsageError(f"-p {name} is given twice")
        found[name] = _value(value.strip())
    return found


def _value(text: str) -> Any:
    for convert in (int, float):
        try:
            return convert(text)
        except ValueError:
            pass
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)
