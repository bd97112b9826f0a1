"""``onlinear predict``: a model and rows in, one line per row out."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ... import _core
from ...persistence.writing import written
from .._arguments import needed, reader_options
from .._errors import UsageError
from .._reading import cell, decide, load_model, open_like, read_blocks, spare

if TYPE_CHECKING:
    from ...model.types import Values
    from .._scoring import Scored
    from .._task_results import Columns

__all__ = ["predict", "run"]


def run(
    model: Path,
    files: list[str] | None,
    output: Path | None,
    scores: bool,
    proba: bool,
    std: bool,
    header: bool,
    top: int | None,
    quiet: bool,
    **reading: Any,
) -> None:
    """Write predictions where they are asked for."""
    options, files = reader_options(**reading), needed(files)
    spare(output, "--output", [str(model), *files])
    _, refused = predict(
        model,
        files,
        options,
        output=output,
        scores=scores,
        proba=proba,
        std=std,
        header=header,
        top=top,
        quiet=quiet,
    )
    if refused and not quiet:
        sys.stderr.write(f"onlinear: {refused:,} lines were refused and have no prediction\n")


def predict(
    path: Path,
    files: list[str],
    reading: Values,
    *,
    output: Path | None,
    scores: bool,
    proba: bool,
    std: bool,
    header: bool,
    top: int | None = None,
    quiet: bool = False,
) -> tuple[int, int]:
    """Write predictions; returns how many rows were predicted and how many lines refused."""
    if top is not None and top < 1:
        raise UsageError(f"--top must be at least 1, got {top}")
    model, kind = load_model(path)
    if top is not None and kind != "rows":
        raise UsageError(f"--top: a {model.recipe.owner} does not rank labels")
    if kind == "sequence":
        from .._sequence_results import predict_sequences  # which needs NumPy

        with opened(output) as out:
            return predict_sequences(model, files, reading, out, scores=scores, proba=proba, std=std)
    if kind == "rows":
        from .._task_results import Columns  # which needs NumPy

        columns = Columns(model, scores=scores, proba=proba, std=std, top=top)
        return _predict_rows(columns, files, reading, output, header, quiet)
    if std:
        model.with_variance()
    names = [cell(name) for name in model.labels.classes.ranked]
    with open_like(model, files, reading, labelled=None, quiet=quiet) as reader, opened(output) as out:
        if header:
            out.write("\t".join(_columns(names, scores, proba, std)).encode() + b"\n")
        if scores or proba or std:
            from .._scoring import score  # which needs NumPy

            for scored in score(model, reader):
                out.write(_table(scored, names, scores, proba, std))
                out.flush()  # somebody may wait for the answers of a live pipe
        else:
            lines = [name.encode() + b"\n" for name in names]
            for decided in decide(model, reader):
                out.write(_core.joined(decided, lines))
                out.flush()
        return reader.n_rows, reader.n_refused


def _predict_rows(
    columns: Columns, files: list[str], reading: Values, output: Path | None, header: bool, quiet: bool
) -> tuple[int, int]:
    """Write the columns of a model that is no classifier."""
    model, rows = columns.model, 0
    options = columns.reading(reading)
    with open_like(model, files, options, labelled=None, quiet=quiet) as reader, opened(output) as out:
        if header:
            out.write("\t".join(columns.names()).encode() + b"\n")
        for batch, blocks in read_blocks(model, reader):
            out.write(columns.lines(batch, blocks))
            out.flush()
            rows += batch.n_rows
        return rows, reader.n_refused


def _columns(names: list[str], scores: bool, proba: bool, std: bool) -> list[str]:
    columns = ["label"]
    if scores:
        columns += ["score"] if len(names) <= 2 else [f"score:{name}" for name in names]
    if proba:
        columns += [f"proba:{name}" for name in names]
    if std:
        columns.append("std")
    return columns


def _table(scored: Scored, names: list[str], scores: bool, proba: bool, std: bool) -> bytes:
    """Rows of tab-separated columns."""
    columns: list[list[str]] = [[names[i] for i in scored.decided.tolist()]]
    if scores:
        matrix = scored.scores.reshape(len(scored.scores), -1)
        columns += [[f"{value:.9g}" for value in column] for column in matrix.T.tolist()]
    if proba:
        columns += [[f"{value:.6f}" for value in column] for column in scored.probabilities.T.tolist()]
    if std:
        columns.append([f"{value:.6g}" for value in scored.std().tolist()])
    return "".join(["\t".join(row) + "\n" for row in zip(*columns, strict=True)]).encode()


@contextmanager
def opened(output: Path | None) -> Iterator[BinaryIO]:
    """Standard output, or a file that appears when all rows are in it."""
    if output is None or str(output) == "-":
        yield sys.stdout.buffer
        return
    with written(output) as path, path.open("wb") as file:
        yield file
