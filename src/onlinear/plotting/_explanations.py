"""Why examples are predicted as they are, in scikit-learn's Display manner."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

from ._matplotlib import pyplot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from ..estimators.explanation import Explanation

__all__ = ["ExplanationDisplay"]

#: For the predicted class, and against it.
FOR, AGAINST = "#2b6cb0", "#c05621"


@dataclass
class ExplanationDisplay:
    """What features add to a margin: bars, the largest on top, with their standard deviations.

    Parameters
    ----------
    features : list of str
        The largest first.
    contributions : list of float
        What each adds.
    stds : list of float or None
        Their standard deviations, where there are any.
    title : str, default=""
        What is explained.
    label : str, default="Contribution to the margin"
        What the bars measure.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by `plot`.

    Examples
    --------
    >>> from onlinear import AROWClassifier
    >>> from onlinear.plotting import ExplanationDisplay
    >>> model = AROWClassifier().learn_one({"free": 1, "money": 2}, "spam").learn_one({"noon": 1}, "ham")
    >>> ExplanationDisplay.from_explanations([model.explain({"money": 1})]).features
    ['money']
    """

    features: list[str]
    contributions: list[float]
    stds: list[float] | None = None
    title: str = ""
    label: str = "Contribution to the margin"

    @classmethod
    def from_explanations(cls, explanations: Sequence[Explanation], *, top: int = 10) -> Self:
        """Of one explanation its contributions; of several the mean over the examples of what features add.

        A feature counts as nothing in the examples that do not list it; explain with ``top=None`` for all.

        Parameters
        ----------
        explanations : sequence of Explanation
            What `explain` gives.
        top : int, default=10
            How many features.
        """
        if len(explanations) == 1:
            (one,) = explanations
            items = one.contributions[:top]
            spread = [item.std for item in items if item.std is not None]
            return cls(
                [item.feature for item in items],
                [item.contribution for item in items],
                spread if len(spread) == len(items) else None,
                f"{one.predicted} against {one.rival}: {one.margin:+.2f}",
            )
        sums: defaultdict[str, float] = defaultdict(float)
        for each in explanations:
            for item in each.contributions:
                sums[item.feature] += item.contribution / len(explanations)
        features = sorted(sums, key=lambda name: -abs(sums[name]))[:top]
        return cls(
            features,
            [sums[name] for name in features],
            title=f"{len(explanations)} examples",
            label="Mean contribution to the margin",
        )

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; what speaks for the predicted class in blue, what speaks against it in orange.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to.
        """
        if ax is None:
            size = (6.4, 1.1 + 0.3 * max(len(self.features), 1))
            _, ax = pyplot().subplots(figsize=size, layout="constrained")
        place = np.arange(len(self.features))
        ax.barh(
            place,
            self.contributions,
            xerr=self.stds,
            color=[FOR if value >= 0 else AGAINST for value in self.contributions],
            error_kw={"ecolor": "0.4", "elinewidth": 1, "capsize": 2},
        )
        ax.set_yticks(place, labels=self.features)
        ax.invert_yaxis()
        ax.axvline(0, color="0.3", linewidth=0.8)
        ax.set(xlabel=self.label, title=self.title)
        ax.spines[["top", "right", "left"]].set_visible(False)
        ax.tick_params(axis="y", length=0)
        self.ax_, self.figure_ = ax, ax.figure
        return self
