"""What a model of sequences answers: files labelled, compared with, and the model itself described."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from ..algorithms.table import nearest
from ..exceptions import DataError
from ..io._source import ByteStream, expand
from ..model.recipe import Recipe
from ..persistence.values import plain
from ..sequence.files import LONGEST_LINE
from ..sequence.model import SequenceModel
from ._conll import ConllFiles, Sentences
from ._describing import histogram, telling
from ._errors import UsageError
from ._tally import Tally

if TYPE_CHECKING:
    from ..model.types import Array, Values

__all__ = ["describe_sequences", "evaluate_sequences", "predict_sequences"]


def predict_sequences(
    model: SequenceModel,
    files: list[str],
    reading: Values,
    out: BinaryIO,
    *,
    scores: bool,
    proba: bool,
    std: bool,
) -> tuple[int, int]:
    """Write files with one more column, the found label, and with `proba` another: how sure it is.

    Returns how many sequences were labelled and how many left out because a line could not be read.
    """
    if scores or std:
        raise UsageError("sequences have neither --scores nor --std; --proba adds how sure each label is")
    rows = refused = 0
    for file in expand(files):
        with _CopiedFiles(model, [str(file)], reading, learning=False) as reader:
            for batch in reader:
                numbers, sure = model.native.tag(batch.native, proba)
                found = _columns([str(model.classes[k]) for k in numbers.tolist()], sure)
                reader.write(out, batch, found)
                out.flush()  # somebody may wait for the answers of a live pipe
                rows += batch.n_rows
            reader.write_rest(out)
            out.flush()
            refused += reader.n_refused
    return rows, refused


def _columns(labels: list[str], sure: Array | None) -> list[tuple[bytes, ...]]:
    if sure is None:
        return [(label.encode(),) for label in labels]
    return [(label.encode(), b"%.6f" % p) for label, p in zip(labels, sure.tolist(), strict=True)]


class _CopiedFiles(ConllFiles):
    """Keeps the lines of a file until the labels of their sequence are known."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._rest = b""
        self._lines: deque[tuple[int, bytes]] = deque()
        self._count = self._tokens = 0

    def blocks(self, stream: ByteStream) -> Iterator[bytes]:
        """The plain bytes of a file; their lines are remembered."""
        for block in super().blocks(stream):
            *lines, self._rest = (self._rest + block).split(b"\n")
            self._remember(lines)
            if len(self._rest) > self._limits.get("max_line_bytes", LONGEST_LINE):
                self._rest = b"-"  # the reader passes over it; that it is not blank is all that matters
            yield block
        if self._rest:
            self._remember([self._rest])

    def _remember(self, lines: list[bytes]) -> None:
        for line in lines:
            self._count += 1
            text = line.rstrip()
            self._tokens = self._tokens + 1 if text else 0
            # A longer sequence is left out, and its lines are not kept. One more: a byte order mark is no token.
            if self._tokens <= self._limits["max_tokens"] + 1:
                self._lines.append((self._count, text))

    def write(self, out: BinaryIO, batch: Sentences, found: list[tuple[bytes, ...]]) -> None:
        """Write sequences with their labels, and what stands between them."""
        for row, (first, last) in enumerate(pairwise(batch.starts.tolist())):
            self._write_until(out, int(batch.lines[row]))
            for more in found[first:last]:
                line = self._lines.popleft()[1]
                out.write((b"\t" if b"\t" in line else b" ").join([line, *more]) + b"\n")
        while self._lines and not self._lines[0][1]:  # that a sequence has ended is not kept back
            self._lines.popleft()
            out.write(b"\n")

    def _write_until(self, out: BinaryIO, number: int) -> None:
        """Write blank lines; a line that is none is of a sequence that was left out."""
        while self._lines and self._lines[0][0] < number:
            if not self._lines.popleft()[1].strip():
                out.write(b"\n")

    def write_rest(self, out: BinaryIO) -> None:
        """Write the blank lines at the end of a file."""
        self._write_until(out, self._count + 1)


def evaluate_sequences(model: SequenceModel, files: list[str], reading: Values) -> Values:
    """Token accuracy and span F1 of a model on labelled files."""
    native, tally = model.native, Tally()
    names = [str(label) for label in model.classes]
    with ConllFiles(model, [str(file) for file in expand(files)], reading, learning=False) as reader:
        for batch in reader:
            if not reader.labelled:
                raise DataError(f"{batch.source}: the file has no column of labels to compare with")
            numbers = native.tag(batch.native, False)[0].tolist()
            truth = [reader.labels[k] for k in batch.labels.tolist()]
            tally.add(truth, [names[k] for k in numbers], batch.starts.tolist())
        refused = reader.n_refused
    if tally.sequences == 0:
        raise DataError(f"{', '.join(files)}: no sequences")
    return {"examples": tally.sequences, "refused": refused, **tally.figures()}


def describe_sequences(model: SequenceModel, path: Path, *, top: int, label: str | None) -> Values:
    """Everything worth knowing about a model of sequences, as `actions.inspect.describe` says it of others."""
    names = [str(name) for name in model.classes]
    if label is not None and label not in names:
        raise UsageError(f"no class {label!r}.{nearest(label, names)} The model has {', '.join(names[:20])}")
    native, recipe = model.native, model.recipe
    emissions, transitions = model.weights("average")
    deviation = np.sqrt(model.weights("variance")[0]) if native.has_variance else None
    features = native.names() or [f"x{k}" for k in range(native.n_columns)]
    used = emissions != 0
    # What a classifier given as rule says of learning; the rest of it is the labeler's own business.
    of_rule = telling(recipe.rule) if isinstance(recipe.rule, Recipe) else {}
    of_rule = {name: value for name, value in of_rule.items() if name not in recipe.parameters()}
    return {
        "model": str(path),
        "bytes": path.stat().st_size,
        "estimator": recipe.estimator,
        "compact": False,
        "parameters": {
            **{name: plain(value) for name, value in recipe.parameters().items() if name != "rule"},
            "rule": _rule_name(recipe.rule),
            **of_rule,
        },
        "telling": [*telling(recipe), *of_rule],
        "classes": names,
        "features": native.n_columns,
        "dtype": "float32" if native.single_precision else "float64",
        "seen": model.n_seen,
        "updates": model.n_updates,
        "mistakes": model.n_mistakes,
        "tokens": model.n_tokens,
        "wrong_tokens": model.n_wrong_tokens,
        "nonzero": int(used.sum()),
        "sparsity": 1 - float(used.mean()) if used.size else 1.0,
        "l2_norm": float(np.sqrt((emissions**2).sum())),
        "intercept": {},
        "weights": {
            name: _strongest(features, emissions[k], None if deviation is None else deviation[k], top)
            for k, name in enumerate(names)
            if label in (None, name)
        },
        "transitions": _strongest_transitions(names, transitions, top),
        "templates": native_templates(model),
        "histogram": histogram(emissions[used]),
        "std_histogram": None if deviation is None else histogram(deviation[used]),
        "input": {"format": "conll", "columns": model.columns},
    }


def native_templates(model: SequenceModel) -> list[str]:
    """The templates that make features of files for a model."""
    return model.templates_for(model.columns) if model.columns else list(model.recipe.templates or [])


def _strongest(features: list[str], weights: Array, deviation: Array | None, top: int) -> list[Values]:
    size = np.abs(weights)
    best = np.argsort(-size, kind="stable")[: min(top, int((size > 0).sum()))]
    return [
        {
            "column": int(column),
            "feature": features[column],
            "weight": float(weights[column]),
            "std": None if deviation is None else float(deviation[column]),
        }
        for column in best
    ]


def _strongest_transitions(names: list[str], transitions: Array, top: int) -> list[Values]:
    flat = transitions.ravel()
    best = np.argsort(-np.abs(flat), kind="stable")[: min(top, int((flat != 0).sum()))]
    return [
        {"from": names[k // len(names)], "to": names[k % len(names)], "weight": float(flat[k])}
        for k in best.tolist()
    ]


def _rule_name(rule: Any) -> str:
    if isinstance(rule, str):
        return rule
    return rule.estimator if isinstance(rule, Recipe) else type(rule).__name__
