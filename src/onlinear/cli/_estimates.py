"""What an error that was told on the way is worth: beside that of a constant answer, and in which order rows came."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model.stream import Baseline

__all__ = ["in_long_runs"]

#: Fewer changes than this from row to row are expected of a file too short, or of too few kinds, to tell anything.
_LEAST_EXPECTED = 20.0
#: How many times fewer changes than in random order are long runs; days and sessions make runs a few times longer.
_TOO_FEW = 5.0
#: The same of targets, whose squared steps are compared; that of a slow curve is hundreds of times smaller.
_TOO_SMALL = 20.0


def in_long_runs(baseline: Baseline | None) -> str | None:
    """What there is to say where neighbours are so alike that an error told on the way says little; None elsewhere."""
    from .. import _core

    remedy = (
        "The progressive error tells how the next row of such an order is answered, not any row. "
        "Mix the rows, or judge by other data (--test)."
    )
    if isinstance(baseline, _core.MajorityClass):
        changes, expected = baseline.changes, baseline.expected_changes
        if expected >= _LEAST_EXPECTED and changes * _TOO_FEW <= expected:
            return (
                f"labels come in long runs, as in a file sorted by class: {changes:,} changes from row to row, where "
                f"random order has {expected:,.0f}. {remedy}"
            )
    if isinstance(baseline, _core.MeanTarget):
        steps, expected = baseline.changes, baseline.expected_changes
        if baseline.seen > _LEAST_EXPECTED and expected > 0 and steps * _TOO_SMALL <= expected:
            return (
                "targets rise or fall slowly, as in a sorted file: the squared steps from row to row are "
                f"{steps / expected:.2g} of those in random order. {remedy}"
            )
    return None
