"""The commands and their options. What they do is in the module of the same name, imported when it is called."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from . import USAGE, _options
from ._errors import UsageError

__all__ = ["run"]

app = typer.Typer(
    name="onlinear",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    help="Linear models that learn one example at a time, at the speed of the disk, and know how sure they are.",
)

Files = Annotated[list[str] | None, typer.Argument(metavar="FILE...", help=_options.FILES, show_default=False)]
Model = Annotated[Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)]


def run(arguments: list[str]) -> int:
    """Parse and run; usage errors become one line and exit code 2."""
    try:
        result = app(arguments, prog_name="onlinear", standalone_mode=False)
    except Exception as error:
        code = getattr(error, "exit_code", None)
        if code is None or not hasattr(error, "format_message"):
            raise
        return _usage(error)
    sys.stdout.flush()
    return result if isinstance(result, int) else 0


def _usage(error: Any) -> int:
    """What the parser did not understand, and where to look."""
    message = error.format_message()
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "onlinear"
    if not message or type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{context.get_help() if context is not None else 'onlinear: nothing to do'}\n")
        return USAGE
    sys.stderr.write(f"onlinear: {message}\nSee: {path} --help\n")
    return USAGE


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


def _needed(files: list[str] | None) -> list[str]:
    """The files given; none and a terminal behind standard input means that something was forgotten."""
    if files:
        return files
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("no files given. Name some, or pipe data in and say -")
    return ["-"]


@app.command(
    epilog="Examples:\n\nonlinear train news.svm.gz --save news.safetensors\n\n"
    "onlinear train 'part-*.jsonl.zst' --algorithm scw1 -p C=1 -p confidence=0.9 --passes 2 --test test.jsonl\n\n"
    "zcat log.vw.gz | onlinear train - --format vw --bits 22 --save model.safetensors\n\n"
    "onlinear train big.svm --checkpoint run/ --every 100000 --resume --save model.safetensors"
)
def train(
    files: Files = None,
    algorithm: Annotated[
        str, typer.Option("--algorithm", "-a", help="Which one; 'onlinear algorithms' lists them.")
    ] = "arow",
    parameter: Annotated[
        list[str] | None, typer.Option("--parameter", "-p", metavar="NAME=VALUE", help="A parameter of the algorithm.")
    ] = None,
    passes: Annotated[int, typer.Option("--passes", help="Times to go over the data.")] = 1,
    save: Annotated[Path | None, typer.Option("--save", "-o", help="Where to write the model (.safetensors).")] = None,
    test: Annotated[list[str] | None, typer.Option("--test", help="Labelled data to test the model on.")] = None,
    holdout: Annotated[
        float, typer.Option("--holdout", help="Share of the examples to predict and never learn.")
    ] = 0.0,
    early_stop: Annotated[
        bool, typer.Option("--early-stop", help="End when a pass brings no better error (held-out, else progressive).")
    ] = False,
    patience: Annotated[int, typer.Option("--patience", help="Passes without gain before --early-stop ends.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Chooses the held-out examples.")] = 0,
    bits: _options.Bits = None,
    dtype: Annotated[str, typer.Option("--dtype", help="Type of the weights: float32 or float64.")] = "float32",
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", metavar="DIR", help="Keep a checkpoint of the run here.")
    ] = None,
    every: Annotated[int, typer.Option("--every", metavar="N", help="Examples between checkpoints.")] = 100_000,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint, if there is one.")] = False,
    names: Annotated[
        int | None, typer.Option("--names", help="How many names of hashed features to keep in the model.")
    ] = None,
    format: _options.Format = "auto",
    zero_based: _options.ZeroBased = False,
    max_features: _options.MaxFeatures = None,
    on_error: _options.OnError = "stop",
    max_errors: _options.MaxErrors = None,
    label: _options.Label = None,
    weight: _options.Weight = None,
    text: _options.Text = None,
    categorical: _options.Categorical = None,
    ignore: _options.Ignore = None,
    analyzer: _options.Analyzer = None,
    ngrams: _options.Ngrams = None,
    quiet: _options.Quiet = False,
    as_json: _options.Json = False,
) -> int:
    """Learn a model from files, one pass in the given order unless asked otherwise.

    Shows the progressive error: every example is predicted before it is learned, so it is an honest estimate.
    """
    from .._algorithms import find
    from ._train import Plan
    from ._train import train as learn

    find(algorithm)
    reading = _options.reader_options(
        format=format,
        zero_based=zero_based,
        max_features=max_features,
        bits=bits,
        on_error=on_error,
        max_errors=max_errors,
        label=label,
        weight=weight,
        text=text,
        categorical=categorical,
        ignore=ignore,
        analyzer=analyzer,
        ngrams=ngrams,
    )
    plan = Plan(
        files=_needed(files),
        algorithm=algorithm,
        parameters=_options.values_of(parameter or []),
        reading=reading,
        passes=passes,
        save=save,
        checkpoint=checkpoint,
        every=every,
        resume=resume,
        holdout=holdout,
        test=test or [],
        early_stop=early_stop,
        patience=patience,
        seed=seed,
        dtype=dtype,
        names=_options.DEFAULT_NAMES if names is None else names,
        quiet=quiet,
    )
    report, code = learn(plan)
    if as_json:
        _say(json.dumps(report))
    elif not quiet:
        from ._summary import summary

        _say(summary(report))
    return code


@app.command(
    epilog="Examples:\n\nonlinear predict model.safetensors new.svm > labels.txt\n\n"
    "zcat new.svm.gz | onlinear predict model.safetensors --proba --std"
)
def predict(
    model: Model,
    files: Files = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write here, not to standard output.")] = None,
    scores: Annotated[bool, typer.Option("--scores", help="Add the linear score (one per class for several).")] = False,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of every class.")] = False,
    std: Annotated[bool, typer.Option("--std", help="Add the standard deviation of the margin.")] = False,
    header: Annotated[bool, typer.Option("--header", help="Write the names of the columns first.")] = False,
    format: _options.Format = "auto",
    zero_based: _options.ZeroBased = False,
    max_features: _options.MaxFeatures = None,
    bits: _options.Bits = None,
    on_error: _options.OnError = "stop",
    max_errors: _options.MaxErrors = None,
    label: _options.Label = None,
    text: _options.Text = None,
    categorical: _options.Categorical = None,
    ignore: _options.Ignore = None,
    quiet: _options.Quiet = False,
) -> None:
    """Predict: one label per line, with tab-separated columns when asked. Reads standard input when no file is named."""
    from ._predict import predict as apply

    reading = _options.reader_options(
        format=format,
        zero_based=zero_based,
        max_features=max_features,
        bits=bits,
        on_error=on_error,
        max_errors=max_errors,
        label=label,
        text=text,
        categorical=categorical,
        ignore=ignore,
    )
    _, refused = apply(
        model, _needed(files), reading, output=output, scores=scores, proba=proba, std=std, header=header
    )
    if refused and not quiet:
        sys.stderr.write(f"onlinear: {refused:,} lines were refused and have no prediction\n")


@app.command(
    epilog="Examples:\n\nonlinear evaluate model.safetensors test.svm\n\n"
    "onlinear evaluate model.safetensors test.jsonl.zst --plots curves.png --json"
)
def evaluate(
    model: Model,
    files: Files = None,
    plots: Annotated[
        Path | None, typer.Option("--plots", help="Draw ROC, precision-recall and calibration (.png, .svg, .pdf).")
    ] = None,
    format: _options.Format = "auto",
    zero_based: _options.ZeroBased = False,
    max_features: _options.MaxFeatures = None,
    bits: _options.Bits = None,
    on_error: _options.OnError = "stop",
    max_errors: _options.MaxErrors = None,
    label: _options.Label = None,
    text: _options.Text = None,
    categorical: _options.Categorical = None,
    ignore: _options.Ignore = None,
    as_json: _options.Json = False,
) -> None:
    """Test a model on labelled data: error, confusion matrix, F1 by class, calibration, areas under the curves."""
    from ._evaluate import evaluate as judge
    from ._evaluate import render

    reading = _options.reader_options(
        format=format,
        zero_based=zero_based,
        max_features=max_features,
        bits=bits,
        on_error=on_error,
        max_errors=max_errors,
        label=label,
        text=text,
        categorical=categorical,
        ignore=ignore,
    )
    result = judge(model, _needed(files), reading, plots)
    _say(json.dumps(result.figures()) if as_json else render(result))


@app.command(
    epilog="Examples:\n\nonlinear inspect model.safetensors --top 30\n\n"
    "onlinear inspect model.safetensors --class sport --html report.html"
)
def inspect(
    model: Model,
    top: Annotated[int, typer.Option("--top", help="Weights to list for each class.")] = 20,
    label: Annotated[str | None, typer.Option("--class", help="List the weights of this class alone.")] = None,
    html: Annotated[Path | None, typer.Option("--html", help="Write a page with pictures here.")] = None,
    as_json: _options.Json = False,
) -> None:
    """Look into a model: strongest weights with their standard deviation, sparsity, histogram."""
    from ._inspect import describe, page, render

    about = describe(model, top=top, label=label)
    if html is not None:
        page(about, html)
    if as_json:
        _say(json.dumps(about))
    elif html is None:
        _say(render(about))


@app.command(
    epilog="Examples:\n\nonlinear convert model.safetensors small.safetensors --compact\n\n"
    "onlinear convert data.jsonl.zst data.svm.gz --bits 20"
)
def convert(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A model file, or data.", show_default=False)],
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="What to write.", show_default=False)],
    compact: Annotated[
        bool, typer.Option("--compact", help="Keep only what predicting needs: small weights, no variances.")
    ] = False,
    dtype: Annotated[
        str | None, typer.Option("--dtype", help="Type of a model's weights: float16 (compact), float32 or float64.")
    ] = None,
    sparse: Annotated[
        bool | None, typer.Option("--sparse/--dense", help="Keep only weights that are not zero; by default if smaller.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Format of the data to write: svmlight or vw.")] = None,
    format: _options.Format = "auto",
    zero_based: _options.ZeroBased = False,
    max_features: _options.MaxFeatures = None,
    bits: _options.Bits = None,
    on_error: _options.OnError = "stop",
    max_errors: _options.MaxErrors = None,
    label: _options.Label = None,
    text: _options.Text = None,
    categorical: _options.Categorical = None,
    ignore: _options.Ignore = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Convert a model to another type or a compact one for serving, or data to svmlight or Vowpal Wabbit's format."""
    from ._convert import convert_data, convert_model, is_model

    if is_model(Path(source)):
        done = convert_model(Path(source), target, dtype=dtype, compact=compact, sparse=sparse)
        told = f"{done['target']}: {done['target_bytes']:,} bytes, {done['source_bytes']:,} before"
    else:
        reading = _options.reader_options(
            format=format,
            zero_based=zero_based,
            max_features=max_features,
            bits=bits,
            on_error=on_error,
            max_errors=max_errors,
            label=label,
            text=text,
            categorical=categorical,
            ignore=ignore,
        )
        done = convert_data([source], target, reading, to=to, zero_based=zero_based)
        told = f"{done['target']}: {done['examples']:,} examples, {done['refused']:,} lines refused"
    if as_json:
        _say(json.dumps(done))
    elif not quiet:
        _say(told)


@app.command()
def algorithms(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Tell about this one.", show_default=False)] = None,
    as_json: _options.Json = False,
) -> None:
    """List the algorithms with paper, parameters and advice."""
    from ._algorithms_table import listed, show

    items = listed(name)
    if as_json:
        _say(json.dumps(items))
    else:
        show(items)


@app.command()
def demo() -> None:
    """Show what this library does, on data made on the spot."""
    from ..demo import main

    main()


def _version(asked: bool) -> None:
    if asked:
        from .. import __version__

        _say(f"onlinear {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Linear models that learn one example at a time, at the speed of the disk, and know how sure they are."""
