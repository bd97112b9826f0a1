"""One prediction, taken apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import hypot, sqrt
from typing import TYPE_CHECKING

import numpy as np

from .._core import Fault
from ..belief import Diagonal, Information
from ..model.labels import Classes
from ..model.native import Native
from ..model.rows import SparseRows, refuse

if TYPE_CHECKING:
    from ..model.types import Array, Label

__all__ = ["Explanation"]


@dataclass(frozen=True, slots=True)
class Contribution:
    """What one feature adds to the margin."""

    feature: str
    value: float
    weight: float
    contribution: float
    std: float | None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why one example is predicted as it is.

    Attributes
    ----------
    predicted, rival : label
        The predicted class and the one it is measured against.
    margin : float
        Score of the predicted class minus the rival's: the sum of all contributions and the intercept.
    std : float or None
        The margin's standard deviation under the belief.
    intercept : float
        The intercept's part.
    contributions : list of Contribution
        The largest first.
    n_features : int
        How many features the example has.
    """

    predicted: Label
    rival: Label
    margin: float
    std: float | None
    intercept: float
    contributions: list[Contribution] = field(default_factory=list)
    n_features: int = 0

    def __str__(self) -> str:
        spread = "" if self.std is None else f" ± {self.std:.3f}"
        lines = [f"{self.predicted!r} against {self.rival!r}: margin {self.margin:+.3f}{spread}"]
        width = max([len(item.feature) for item in self.contributions] + [len("(intercept)")])
        for item in self.contributions:
            spread = "" if item.std is None else f" ± {item.std:.3f}"
            lines.append(
                f"  {item.feature:<{width}}  {item.contribution:+8.3f}{spread}   value {item.value:g}"
            )
        lines.append(f"  {'(intercept)':<{width}}  {self.intercept:+8.3f}")
        hidden = self.n_features - len(self.contributions)
        if hidden > 0:
            lines.append(f"  and {hidden} smaller")
        return "\n".join(lines)


def explain_margin(
    learner: Native,
    columns: Array,
    values: Array,
    classes: Classes,
    name_of: Callable[[int], str],
    top: int | None,
) -> Explanation:
    """Split the margin between the predicted class and its best rival into its features."""
    handle = learner.handle
    mean, offset = handle.average()
    classes = classes.among(len(mean))
    names, order = classes.ranked, classes.order
    known = columns < mean.shape[1]
    columns, values = columns[known], values[known]
    with np.errstate(over="ignore", invalid="ignore"):
        scores = mean[:, columns] @ values + offset[:, 0]
    if not np.isfinite(scores).all():
        raise refuse(
            int(Fault.margin_overflow.value), 0, -1, single_precision=handle.single_precision, learning=False
        )
    row = SparseRows(values, columns, np.array([0, len(columns)]), 1, mean.shape[1])
    if getattr(learner.belief, "inclusive", False):
        # The score is the mean's times a number that depends on the row, and so is every part of it.
        shown = learner.read_rows(row)[0][: len(mean)]
        factor = np.divide(shown, scores, out=np.ones_like(scores), where=scores != 0)
        mean, offset, scores = mean * factor[:, None], offset * factor[:, None], shown
    if len(mean) == 1:
        first, second = (1, 0) if (scores[0] if order[-1] == 1 else -scores[0]) >= 0 else (0, 1)
        sign = 1.0 if order[first if len(order) > 1 else 0] == 1 else -1.0
        weight, intercept = sign * mean[0, columns], sign * offset[0, 0]
    else:
        ranked = np.argsort(-scores[order], kind="stable")
        first, second = int(ranked[0]), int(ranked[1])
        a, b = order[first], order[second]
        weight, intercept = mean[a, columns] - mean[b, columns], offset[a, 0] - offset[b, 0]
    with np.errstate(over="ignore"):
        contributions = weight * values
        margin = float(contributions.sum() + intercept)
    std = spread = None
    if handle.has_variance:
        variance, base = handle.variance()
        blocks = [0] if len(mean) == 1 else [order[first], order[second]]
        spread = np.sqrt(variance[blocks][:, columns].sum(axis=0)) * np.abs(values)
        if isinstance(learner.belief, Diagonal | Information):
            intercept_variance = float(base[blocks].sum()) if learner.fit_intercept else 0.0
            std = hypot(sqrt(intercept_variance), *spread.tolist())  # whose squares may be too large
        else:  # features vary together: the whole is not the sum of its parts
            whole = handle.margin_variance_csr(*row.arguments(), 1)
            if isinstance(whole, tuple):
                raise refuse(*whole, single_precision=handle.single_precision, learning=False)
            std = float(np.sqrt(whole[0, 0]))
    ranking = np.argsort(-np.abs(contributions), kind="stable")[:top]
    items = [
        Contribution(
            name_of(int(columns[i])),
            float(values[i]),
            float(weight[i]),
            float(contributions[i]),
            None if spread is None else float(spread[i]),
        )
        for i in ranking
    ]
    return Explanation(
        predicted=names[first] if len(names) > 1 else names[0],
        rival=names[second] if len(names) > 1 else None,
        margin=margin,
        std=std,
        intercept=float(intercept),
        contributions=items,
        n_features=len(columns),
    )
