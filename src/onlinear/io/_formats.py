"""Which format a file has: by its name, else by its first lines."""

from __future__ import annotations

import os
from typing import Literal, TypeAlias

from ..exceptions import ParameterError
from ._compression import COMPRESSIONS

__all__ = ["ENDINGS", "FORMATS", "USUAL_LABELS", "Format", "detect_format", "format_of_name"]

#: What the column with the labels is called, unless somebody says otherwise.
USUAL_LABELS = ("label", "target", "class", "y")

Format: TypeAlias = Literal["auto", "svmlight", "vw", "csv", "tsv", "jsonl", "text", "parquet", "arrow"]

FORMATS = ("svmlight", "vw", "csv", "tsv", "jsonl", "text", "parquet", "arrow")

#: The format that the ending of a file's name means.
ENDINGS = {
    ".svm": "svmlight",
    ".svmlight": "svmlight",
    ".libsvm": "svmlight",
    ".vw": "vw",
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".arrows": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}


def format_of_name(name: str) -> str | None:
    """The format a file's name tells, with or without a compression's ending; None when it tells none."""
    stem, ending = os.path.splitext(name.lower())
    return ENDINGS.get(os.path.splitext(stem)[1] if ending in COMPRESSIONS else ending)


def detect_format(name: str, head: bytes) -> str:
    """Tell the format of a file.

    Parameters
    ----------
    name : str
        Its name, with or without a compression's ending.
    head : bytes
        Its first plain bytes.

    Raises
    ------
    ParameterError
        When neither tells.
    """
    named = format_of_name(name)
    if named is not None:
        return named
    stem, ending = os.path.splitext(name.lower())
    if ending in COMPRESSIONS:
        ending = os.path.splitext(stem)[1]
    sniffed = _sniff(head)
    if ending in (".txt", ".text") and (sniffed is None or (sniffed == "tsv" and not _names_a_label(head))):
        return "text"
    if sniffed is None:
        raise ParameterError(
            f"{name}: its format cannot be told from its name or first line. "
            f"Say format= (--format), one of {', '.join(FORMATS)}."
        )
    return sniffed


def _sniff(head: bytes) -> str | None:
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    whole = head[: head.rfind(b"\n") + 1] or head  # the last line may be cut
    text = whole.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace")
    lines = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    if not lines:
        return "svmlight"  # nothing to read: every format gives no rows
    line = lines[0]
    if line.lstrip().startswith("{"):
        return "jsonl"
    if line.startswith("__label__"):
        return "text"
    if _is_svmlight(line):
        return "svmlight"
    if _is_vw(line):
        return "vw"
    for delimiter, name in (("\t", "tsv"), (",", "csv")):
        count = line.count(delimiter)
        if count and all(other.count(delimiter) >= count for other in lines[1:3]):
            return name
    return None


def _names_a_label(head: bytes) -> bool:
    """Whether the first line is the header of a table rather than a label and its text."""
    names = head.split(b"\n", 1)[0].decode("utf-8", "replace").strip().lower().split("\t")
    return any(name.strip('"') in USUAL_LABELS for name in names)


def _is_svmlight(line: str) -> bool:
    """Whether what follows the first token is index:value throughout."""
    tokens = line.split("#")[0].split()[1:]
    pairs = [token.partition(":") for token in tokens]
    return (
        bool(pairs)
        and all(key.isdigit() or key == "qid" for key, _, value in pairs if value)
        and all(value for _, _, value in pairs)
    )


def _is_vw(line: str) -> bool:
    """Whether at most label, weight and tag stand before a bar, and the label is a number."""
    before, bar, after = line.partition("|")
    tokens = before.split()
    if not bar or len(tokens) > 3 or "," in before:
        return False
    if not tokens:
        return True
    try:
        float(tokens[0])
    except ValueError:
        return tokens[0].startswith("'")
    return not after or after[0] == " " or " " in after
