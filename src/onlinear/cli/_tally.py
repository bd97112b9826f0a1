"""Tokens and spans that were right."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

from ..sequence import spans

if TYPE_CHECKING:
    from ..model.types import Values

__all__ = ["Tally"]


class Tally:
    """Tokens and spans that were right."""

    def __init__(self) -> None:
        self.tokens = self.right = self.sequences = self.whole = 0
        self.both: Counter[str] = Counter()
        self.true: Counter[str] = Counter()
        self.found: Counter[str] = Counter()

    def add(self, truth: list[str], found: list[str], ends: list[int]) -> None:
        """Compare the labels of sequences whose tokens lie one after the other."""
        for first, last in pairwise(ends):
            right, got = truth[first:last], found[first:last]
            hits = sum(map(str.__eq__, right, got))
            self.tokens += last - first
            self.right += hits
            self.sequences += 1
            self.whole += hits == last - first
            there, said = set(spans(right)), set(spans(got))
            self.true.update(kind for _, _, kind in there)
            self.found.update(kind for _, _, kind in said)
            self.both.update(kind for _, _, kind in there & said)

    def figures(self) -> Values:
        """Token accuracy, and precision, recall and F1 of spans, together and for each kind."""
        return {
            "tokens": self.tokens,
            "token_accuracy": self.right / max(self.tokens, 1),
            "sequence_accuracy": self.whole / max(self.sequences, 1),
            **_rates(self.both.total(), self.found.total(), self.true.total()),
            "by_kind": {
                kind or "-": {
                    **_rates(self.both[kind], self.found[kind], self.true[kind]),
                    "spans": self.true[kind],
                }
                for kind in sorted({*self.true, *self.found})
            },
        }


def _rates(both: int, found: int, true: int) -> dict[str, float]:
    return {
        "precision": both / max(found, 1),
        "recall": both / max(true, 1),
        "f1": 2 * both / max(found + true, 1),
    }
