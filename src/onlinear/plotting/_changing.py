"""Pictures of targets that move, in scikit-learn's Display manner."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from scipy.special import stdtrit

from ._matplotlib import axes, percent, pyplot

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..drift import Prequential
    from ..model.types import Array

__all__ = ["ErrorOverTimeDisplay", "FeaturesKeptDisplay", "WeightImagesDisplay"]


@dataclass
class ErrorOverTimeDisplay:
    """Error over time, one line for each model, the phases of the stream shaded.

    Parameters
    ----------
    curves : dict of str to array
        Error rates by name.
    starts : sequence of int, default=(0,)
        Where the phases begin.
    alarms : dict of str to sequence of int, optional
        Where each model noticed drift.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by `plot`.

    Examples
    --------
    >>> from onlinear import AROWClassifier
    >>> from onlinear.drift import abrupt, prequential
    >>> from onlinear.plotting import ErrorOverTimeDisplay
    >>> result = prequential(AROWClassifier(), abrupt(200, random_state=0))
    >>> ErrorOverTimeDisplay({"AROW": result.sliding}, result.starts()).starts
    [0, 100]
    """

    curves: Mapping[str, Array]
    starts: Sequence[int] = (0,)
    alarms: Mapping[str, Sequence[int]] = field(default_factory=dict)

    @classmethod
    def from_results(
        cls,
        results: Mapping[str, Prequential],
        *,
        measure: Literal["cumulative", "sliding", "faded"] = "cumulative",
        ax: Axes | None = None,
    ) -> Self:
        """Draw the results of `prequential`.

        Parameters
        ----------
        results : dict of str to Prequential
            By name.
        measure : {"cumulative", "sliding", "faded"}, default="cumulative"
            Which error rate.
        ax : matplotlib axes, optional
            Where to.
        """
        first = next(iter(results.values()))
        alarms = {name: result.alarms for name, result in results.items()}
        curves = {name: getattr(result, measure) for name, result in results.items()}
        return cls(curves, first.starts(), alarms).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw; a triangle stands where a model noticed drift.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to.
        """
        ax = axes(ax)
        length = max(len(curve) for curve in self.curves.values())
        self._shade(ax, length)
        for name, curve in self.curves.items():
            label = f"{name} ({curve[-1]:.1%})"
            (line,) = ax.plot(np.arange(1, len(curve) + 1), curve, label=label, linewidth=1.6)
            noticed = np.asarray(self.alarms.get(name, ()), dtype=int)
            if len(noticed):
                ax.plot(
                    noticed, curve[noticed - 1], "v", color=line.get_color(), markersize=7, label="_alarms"
                )
        ax.set(xlabel="Examples", ylabel="Error rate", xlim=(0, length), ylim=(0, None))
        percent(ax.yaxis)
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self

    def _shade(self, ax: Axes, length: int) -> None:
        for number, (start, end) in enumerate(zip(self.starts, [*self.starts[1:], length], strict=True)):
            if number % 2:
                ax.axvspan(start, end, color="0.93", linewidth=0, zorder=0)


@dataclass
class WeightImagesDisplay:
    """Weights as images, for data whose features are pixels.

    Parameters
    ----------
    weights : dict of str to array
        One weight for each pixel, by name.
    shape : tuple of int
        Rows and columns of the image.

    Attributes
    ----------
    axes_, figure_ : matplotlib objects
        Set by `plot`.
    """

    weights: Mapping[str, Array]
    shape: tuple[int, int]

    @classmethod
    def from_estimators(
        cls, models: Mapping[str, Any], shape: tuple[int, int], *, signed: bool = False
    ) -> Self:
        """Draw the weights of two-class models.

        Parameters
        ----------
        models : dict of str to classifier
            By name.
        shape : tuple of int
            Rows and columns of the image.
        signed : bool, default=False
            Whether to tell weights for and against apart; else their size alone is drawn.
        """
        weights = {name: model.coef_[0] for name, model in models.items()}
        return cls({name: w if signed else np.abs(w) for name, w in weights.items()}, shape).plot()

    def plot(self) -> Self:
        """Draw one image beside the other, each on its own scale, which a bar shows; weights below zero in blue."""
        many = len(self.weights)
        figsize = (2.6 * many, 2.1 * self.shape[0] / self.shape[1] + 0.4)
        self.figure_, grid = pyplot().subplots(1, many, figsize=figsize, squeeze=False, layout="constrained")
        self.axes_ = grid[0]
        signed = any(np.min(weights) < 0 for weights in self.weights.values())
        for ax, (name, weights) in zip(self.axes_, self.weights.items(), strict=True):
            top = float(np.abs(weights).max()) or 1.0
            image = ax.imshow(
                np.asarray(weights).reshape(self.shape),
                cmap="RdBu_r" if signed else "gray_r",
                vmin=-top if signed else 0.0,
                vmax=top,
                interpolation="nearest",
            )
            ax.set(title=name, xticks=[], yticks=[])
            ax.spines[:].set_color("0.8")
            self.figure_.colorbar(image, ax=ax, shrink=0.8, pad=0.03).ax.tick_params(labelsize="x-small")
        return self


@dataclass
class FeaturesKeptDisplay:
    """Error against the number of features kept, with 95 % confidence intervals over trials.

    Parameters
    ----------
    kept, errors : dict of str to array of shape (n_settings, n_trials)
        Features kept and error rates, by name.

    Attributes
    ----------
    ax_, figure_ : matplotlib objects
        Set by `plot`.
    """

    kept: Mapping[str, Array]
    errors: Mapping[str, Array]

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to.
        """
        ax = axes(ax)
        for name, error in self.errors.items():
            trials = np.atleast_2d(error)
            counts = np.atleast_2d(self.kept[name]).mean(axis=1)
            order = np.argsort(counts)
            middle, half = trials.mean(axis=1)[order], _half_interval(trials)[order]
            (line,) = ax.plot(counts[order], middle, marker="o", markersize=3.5, linewidth=1.6, label=name)
            ax.fill_between(
                counts[order], middle - half, middle + half, color=line.get_color(), alpha=0.15, linewidth=0
            )
        ax.set(xlabel="Features kept", ylabel="Error rate", ylim=(0, None))
        percent(ax.yaxis)
        ax.legend(frameon=False)
        ax.spines[["top", "right"]].set_visible(False)
        self.ax_, self.figure_ = ax, ax.figure
        return self


def _half_interval(trials: Array) -> Array:
    """Half a 95 % interval of each row's mean, by Student's t; nothing for a single trial."""
    n = trials.shape[1]
    if n < 2:
        return np.zeros(len(trials))
    half: Array = stdtrit(n - 1, 0.975) * trials.std(axis=1, ddof=1) / np.sqrt(n)
    return half
