"""Plots for targets that move, in scikit-learn's Display manner; matplotlib is an extra."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from .drift import Prequential

__all__ = ["ErrorOverTimeDisplay", "FeaturesKeptDisplay", "WeightImagesDisplay"]

Array = npt.NDArray[Any]


def _axes(ax: Any) -> Any:
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots()[1]


@dataclass
class ErrorOverTimeDisplay:
    """Error over time, one line for each model, the phases of the stream shaded.

    Parameters
    ----------
    curves : dict of str to array
        Error rates by name.
    starts : sequence of int
        Where the phases begin.
    alarms : sequence of int, optional
        Where drift was noticed.
    """

    curves: Mapping[str, Array]
    starts: Sequence[int] = (0,)
    alarms: Sequence[int] = ()

    @classmethod
    def from_results(cls, results: Mapping[str, Prequential], *, measure: str = "cumulative", ax: Any = None) -> Self:
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
        starts = [0] if first.phase is None else [0, *(np.flatnonzero(np.diff(first.phase)) + 1).tolist()]
        alarms = [place for result in results.values() for place in result.alarms]
        curves = {name: getattr(result, measure) for name, result in results.items()}
        return cls(curves, starts, alarms).plot(ax=ax)

    def plot(self, *, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to.
        """
        ax = _axes(ax)
        length = max(len(curve) for curve in self.curves.values())
        for number, (start, end) in enumerate(zip(self.starts, [*self.starts[1:], length], strict=True)):
            if number % 2:
                ax.axvspan(start, end, color="0.92", zorder=0)
        for name, curve in self.curves.items():
            ax.plot(np.arange(1, len(curve) + 1), curve, label=name)
        for alarm in self.alarms:
            ax.axvline(alarm, color="0.4", linestyle=":", linewidth=1)
        ax.set(xlabel="examples", ylabel="error rate", xlim=(0, length))
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self


@dataclass
class WeightImagesDisplay:
    """Weights as images, for data whose features are pixels.

    Parameters
    ----------
    weights : dict of str to array
        One weight for each pixel, by name.
    shape : tuple of int
        Rows and columns of the image.
    """

    weights: Mapping[str, Array]
    shape: tuple[int, int]

    @classmethod
    def from_estimators(cls, models: Mapping[str, Any], shape: tuple[int, int]) -> Self:
        """Draw the absolute weights of two-class models.

        Parameters
        ----------
        models : dict of str to classifier
            By name.
        shape : tuple of int
            Rows and columns of the image.
        """
        return cls({name: np.abs(model.coef_[0]) for name, model in models.items()}, shape).plot()

    def plot(self) -> Self:
        """Draw one image beside the other, each on its own scale."""
        import matplotlib.pyplot as plt

        self.figure_, axes = plt.subplots(1, len(self.weights), figsize=(2.2 * len(self.weights), 2.6), squeeze=False)
        self.axes_ = axes[0]
        for ax, (name, weights) in zip(self.axes_, self.weights.items(), strict=True):
            ax.imshow(np.asarray(weights).reshape(self.shape), cmap="gray_r", interpolation="nearest")
            ax.set(title=name, xticks=[], yticks=[])
        return self


@dataclass
class FeaturesKeptDisplay:
    """Error against the number of features kept, with 95 % confidence intervals over trials.

    Parameters
    ----------
    kept, errors : dict of str to array of shape (n_settings, n_trials)
        Features kept and error rates, by name.
    """

    kept: Mapping[str, Array]
    errors: Mapping[str, Array]

    def plot(self, *, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to.
        """
        ax = _axes(ax)
        for name, error in self.errors.items():
            trials = np.atleast_2d(error)
            counts = np.atleast_2d(self.kept[name]).mean(axis=1)
            order = np.argsort(counts)
            half = 1.96 * trials.std(axis=1, ddof=1) / np.sqrt(trials.shape[1]) if trials.shape[1] > 1 else 0.0
            half = np.broadcast_to(half, counts.shape)
            ax.errorbar(counts[order], trials.mean(axis=1)[order], yerr=half[order], label=name, capsize=2)
        ax.set(xlabel="features kept", ylabel="error rate")
        ax.legend()
        self.ax_, self.figure_ = ax, ax.figure
        return self
