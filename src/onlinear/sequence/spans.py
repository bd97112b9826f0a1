"""How good a labelling is: the spans that tags mark, and scores of tokens and spans."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ..exceptions import DataError

if TYPE_CHECKING:
    from ..model.types import Label

__all__ = ["Span", "evaluation", "span_scores", "spans", "token_accuracy"]

Span: TypeAlias = tuple[int, int, str]


def _parted(tag: str) -> tuple[str, str]:
    prefix, _, kind = str(tag).partition("-")
    return prefix, kind


def spans(tags: Iterable[str]) -> list[Span]:
    """The spans that tags mark, by the rules of the CoNLL tasks.

    Parameters
    ----------
    tags : iterable of str
        ``B-X``, ``I-X``, ``O``; also ``E-X`` and ``S-X``. A span begins at B or S, or at I or E where none of
        its kind is open, and ends before anything else, or with E or S.

    Returns
    -------
    list of (first, end, kind)
        Positions from `first` up to but without `end`.

    Examples
    --------
    >>> from onlinear.sequence import spans
    >>> spans(["B-NP", "I-NP", "O", "I-VP"])
    [(0, 2, 'NP'), (3, 4, 'VP')]
    """
    out: list[Span] = []
    start, kind, n = -1, "", 0
    for n, tag in enumerate(tags, start=1):
        prefix, here = _parted(tag)
        inside = prefix in ("I", "E")
        if start >= 0 and not (inside and here == kind):
            out.append((start, n - 1, kind))
            start = -1
        if start < 0 and (inside or prefix in ("B", "S")):
            start, kind = n - 1, here
        if start >= 0 and prefix in ("E", "S"):
            out.append((start, n, kind))
            start = -1
    if start >= 0:
        out.append((start, n, kind))
    return out


def _check_pairs(truth: Sequence[Label], found: Sequence[Label]) -> None:
    if len(truth) != len(found):
        raise DataError(
            f"{len(truth)} sequences are right and {len(found)} were found; they must agree in number"
        )
    for number, (a, b) in enumerate(zip(truth, found, strict=True)):
        if len(a) != len(b):
            raise DataError(f"sequence {number} has {len(a)} right labels and {len(b)} found ones", number)


def token_accuracy(y_true: Sequence[Sequence[Label]], y_pred: Sequence[Sequence[Label]]) -> float:
    """Share of tokens with the right label.

    Parameters
    ----------
    y_true, y_pred : list of lists
        Labels of each sequence.
    """
    _check_pairs(y_true, y_pred)
    right = sum(int(p == q) for a, b in zip(y_true, y_pred, strict=True) for p, q in zip(a, b, strict=True))
    return right / max(sum(map(len, y_true)), 1)


def span_scores(y_true: Sequence[Sequence[str]], y_pred: Sequence[Sequence[str]]) -> dict[str, float]:
    """Precision, recall and F1 of whole spans, by the rules of the CoNLL tasks.

    Parameters
    ----------
    y_true, y_pred : list of lists of str
        Tags of each sequence; see `spans`.

    Returns
    -------
    dict
        ``precision``, ``recall`` and ``f1``; 0 where there is nothing to count.
    """
    _check_pairs(y_true, y_pred)
    both = truth = found = 0
    for a, b in zip(y_true, y_pred, strict=True):
        right, got = set(spans(a)), set(spans(b))
        both, truth, found = both + len(right & got), truth + len(right), found + len(got)
    return {
        "precision": both / max(found, 1),
        "recall": both / max(truth, 1),
        "f1": 2 * both / max(truth + found, 1),
    }


def evaluation(truth: list[list[Label]], found: list[list[Label]]) -> dict[str, float]:
    """Token accuracy, and precision, recall and F1 of spans."""
    return {"accuracy": token_accuracy(truth, found), **span_scores(truth, found)}
