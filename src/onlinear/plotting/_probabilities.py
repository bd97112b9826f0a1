"""How well probabilities fit what happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from ._matplotlib import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..model.types import Array, MatrixLike

__all__ = ["ReliabilityDisplay"]


class ReliabilityDisplay:
    """How often predictions are right, beside how sure the model was of them.

    With two classes it shows the share of the second class against its probability, with more the accuracy
    against the probability of the predicted class. A calibrated model stays on the diagonal.

    Parameters
    ----------
    probability : ndarray of shape (n_bins,)
        Mean probability in each bin that holds anything.
    frequency : ndarray of shape (n_bins,)
        How often the event happened in it.
    count : ndarray of shape (n_bins,)
        How many predictions fell into it.
    name : str, optional
        The model's name, for the legend.

    Attributes
    ----------
    expected_calibration_error : float
        Mean distance from the diagonal, weighted by the number of predictions.
    ax_, figure_, line_ : matplotlib objects
        Set by `plot`.

    Examples
    --------
    >>> import numpy as np
    >>> from onlinear.plotting import ReliabilityDisplay
    >>> display = ReliabilityDisplay.from_counts([0.1, 0.1, 0.9, 0.9], [0, 0, 1, 1], n_bins=2)
    >>> round(display.expected_calibration_error, 3)
    0.1
    """

    def __init__(
        self, *, probability: Array, frequency: Array, count: Array, name: str | None = None
    ) -> None:
        self.probability = probability
        self.frequency = frequency
        self.count = count
        self.name = name

    @property
    def expected_calibration_error(self) -> float:
        """Mean distance from the diagonal."""
        return float(np.average(np.abs(self.probability - self.frequency), weights=self.count))

    @classmethod
    def from_counts(
        cls, probability: npt.ArrayLike, happened: npt.ArrayLike, *, n_bins: int = 10, name: str | None = None
    ) -> Self:
        """Bin probabilities of an event and whether it happened, without drawing.

        Parameters
        ----------
        probability : array of shape (n_samples,)
            Probability of the event.
        happened : array of shape (n_samples,)
            Whether it happened.
        n_bins : int, default=10
            Number of bins of equal width.
        name : str, optional
            For the legend.
        """
        p, event = np.asarray(probability, dtype=np.float64), np.asarray(happened, dtype=np.float64)
        if p.shape != event.shape or p.ndim != 1:
            raise ValueError(
                f"probability and happened must be of one length, got {p.shape} and {event.shape}"
            )
        place = np.clip((p * n_bins).astype(int), 0, n_bins - 1)
        count = np.bincount(place, minlength=n_bins)
        filled = count > 0
        mean = np.bincount(place, weights=p, minlength=n_bins)[filled] / count[filled]
        share = np.bincount(place, weights=event, minlength=n_bins)[filled] / count[filled]
        return cls(probability=mean, frequency=share, count=count[filled], name=name)

    @classmethod
    def from_predictions(
        cls,
        y_true: npt.ArrayLike,
        y_prob: npt.ArrayLike,
        *,
        classes: npt.ArrayLike | None = None,
        n_bins: int = 10,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw from probabilities that are there already.

        Parameters
        ----------
        y_true : array of shape (n_samples,)
            The true labels.
        y_prob : array of shape (n_samples,) or (n_samples, n_classes)
            Probability of the second class, or of every class.
        classes : array of shape (n_classes,), optional
            The classes in the order of the columns; by default the sorted labels.
        n_bins : int, default=10
            Number of bins of equal width.
        name : str, optional
            For the legend.
        ax : matplotlib axes, optional
            Where to draw.
        **kwargs
            For matplotlib's `plot`.
        """
        y, p = np.asarray(y_true), np.asarray(y_prob, dtype=np.float64)
        labels = np.unique(y) if classes is None else np.asarray(classes)
        if p.ndim == 2 and p.shape[1] != len(labels):
            raise ValueError(f"y_prob has {p.shape[1]} columns for {len(labels)} classes; give classes=")
        if p.ndim == 2 and p.shape[1] > 2:
            shown, happened = p.max(axis=1), labels[p.argmax(axis=1)] == y
        else:
            shown, happened = (p[:, 1] if p.ndim == 2 else p), y == labels[-1]
        return cls.from_counts(shown, happened, n_bins=n_bins, name=name).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: npt.ArrayLike,
        *,
        n_bins: int = 10,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw what a fitted classifier says about data it has not seen.

        Parameters
        ----------
        estimator : fitted classifier
            Anything with `predict_proba`.
        X : array of shape (n_samples, n_features)
            Examples.
        y : array of shape (n_samples,)
            Their classes.
        n_bins : int, default=10
            Number of bins of equal width.
        name : str, optional
            For the legend; the estimator's class by default.
        ax : matplotlib axes, optional
            Where to draw.
        **kwargs
            For matplotlib's `plot`.
        """
        return cls.from_predictions(
            y,
            estimator.predict_proba(X),
            classes=estimator.classes_,
            n_bins=n_bins,
            name=type(estimator).__name__ if name is None else name,
            ax=ax,
            **kwargs,
        )

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the curve beside the diagonal.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw.
        **kwargs
            For matplotlib's `plot`.
        """
        self.ax_ = axes(ax)
        self.figure_ = self.ax_.figure
        if not any(line.get_gid() == "diagonal" for line in self.ax_.get_lines()):
            self.ax_.plot([0, 1], [0, 1], color="0.7", linewidth=1, zorder=0, gid="diagonal", label="perfect")
        label = f"{self.name or 'model'}: {self.expected_calibration_error:.3f}"
        style = {"marker": "o", "markersize": 4, "label": label, **kwargs}
        (self.line_,) = self.ax_.plot(self.probability, self.frequency, **style)
        self.ax_.set(
            xlabel="Probability given", ylabel="How often it was so", xlim=(-0.02, 1.02), ylim=(-0.02, 1.02)
        )
        self.ax_.set_aspect("equal")
        self.ax_.legend(
            loc="best",  # where the curves are not
            fontsize="x-small",
            frameon=False,
            title="calibration error",
            title_fontsize="x-small",
        )
        return self
