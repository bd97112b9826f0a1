"""Options that several commands share, and how they become calls."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ._errors import UsageError

__all__ = ["reader_options", "values_of"]

FILES = "Files to read: paths, globs, or - for standard input; plain, .gz, .zst, .bz2 or .xz."

Format = Annotated[
    str,
    typer.Option(
        "--format", help="svmlight, vw, csv, tsv, jsonl, text, parquet or arrow; by default told by name or first line."
    ),
]
ZeroBased = Annotated[
    bool, typer.Option("--zero-based", help="svmlight indices start at 0 (column = index) and not at 1.")
]
MaxFeatures = Annotated[
    int | None, typer.Option("--max-features", help="Refuse an index past this; 2^28 unless said otherwise.")
]
Bits = Annotated[int | None, typer.Option("--bits", "-b", help="Hash features to 2^BITS columns.")]
OnError = Annotated[
    str, typer.Option("--on-error", help="A line that cannot be read: stop, or skip and count it.")
]
MaxErrors = Annotated[
    int | None, typer.Option("--max-errors", help="With --on-error skip: how many lines may be skipped.")
]
Label = Annotated[str | None, typer.Option("--label", help="Column (CSV, Parquet) or key (JSON) with the label.")]
Weight = Annotated[str | None, typer.Option("--weight", help="Column or key with the example's weight.")]
Text = Annotated[list[str] | None, typer.Option("--text", help="Column or key that holds text; may be repeated.")]
Categorical = Annotated[
    list[str] | None, typer.Option("--categorical", help="Column or key to take as a category; may be repeated.")
]
Ignore = Annotated[list[str] | None, typer.Option("--ignore", help="Column or key to leave out; may be repeated.")]
Analyzer = Annotated[
    str | None, typer.Option("--analyzer", help="How text is cut: word, char or char_wb (characters inside words).")
]
Ngrams = Annotated[str | None, typer.Option("--ngrams", help="N-grams of the pieces, as 2 or 1-3.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object at the end.")]

#: Names of hashed features a model keeps, so that it can be explained in words.
DEFAULT_NAMES = 1 << 17

#: What a model file remembers of the way its data was read, so that predicting reads alike.
REMEMBERED = (
    "format",
    "bits",
    "zero_based",
    "label",
    "text",
    "categorical",
    "ignore",
    "analyzer",
    "ngram_range",
)


def reader_options(
    *,
    format: str = "auto",
    zero_based: bool = False,
    max_features: int | None = None,
    bits: int | None = None,
    on_error: str = "stop",
    max_errors: int | None = None,
    label: str | None = None,
    weight: str | None = None,
    text: list[str] | None = None,
    categorical: list[str] | None = None,
    ignore: list[str] | None = None,
    analyzer: str | None = None,
    ngrams: str | None = None,
) -> dict[str, Any]:
    """The arguments of `onlinear.read` that the given options mean; those left out are left out."""
    given: dict[str, Any] = {
        "format": None if format == "auto" else format,
        "zero_based": zero_based or None,
        "max_features": max_features,
        "bits": bits,
        "on_error": on_error,
        "max_errors": max_errors,
        "label": label,
        "weight": weight,
        "text": text or None,
        "categorical": categorical or None,
        "ignore": ignore or None,
        "analyzer": analyzer,
        "ngram_range": None if ngrams is None else _range(ngrams),
    }
    return {name: value for name, value in given.items() if value is not None}


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
