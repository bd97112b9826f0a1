"""The error while learning."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from ._matplotlib import axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..model.types import Array, MatrixLike

__all__ = ["ProgressDisplay"]


class ProgressDisplay:
    """The progressive error: every example is predicted before it is learned.

    Parameters
    ----------
    examples : ndarray
        Numbers of examples at which the error is known.
    error : ndarray
        Share of mistakes up to each of them.
    name : str, optional
        The model's name, for the legend.

    Attributes
    ----------
    ax_, figure_, line_ : matplotlib objects
        Set by `plot`.

    Examples
    --------
    >>> from onlinear.plotting import ProgressDisplay
    >>> ProgressDisplay.from_mistakes([1, 1, 0, 0]).error.tolist()
    [1.0, 1.0, 0.6666666666666666, 0.5]
    """

    def __init__(self, *, examples: Array, error: Array, name: str | None = None) -> None:
        self.examples = examples
        self.error = error
        self.name = name

    @classmethod
    def from_mistakes(cls, mistakes: npt.ArrayLike, *, name: str | None = None) -> Self:
        """Sum up mistakes in the order of the stream, without drawing.

        Parameters
        ----------
        mistakes : array of shape (n_samples,)
            Whether each prediction was wrong.
        name : str, optional
            For the legend.
        """
        wrong = np.asarray(mistakes, dtype=np.float64)
        examples = np.arange(1, len(wrong) + 1)
        return cls(examples=examples, error=np.cumsum(wrong) / examples, name=name)

    @classmethod
    def from_predictions(
        cls,
        y_true: npt.ArrayLike,
        y_pred: npt.ArrayLike,
        *,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Draw from predictions made before learning, in the order of the stream.

        Parameters
        ----------
        y_true, y_pred : arrays of shape (n_samples,)
            What was, and what was predicted.
        name : str, optional
            For the legend.
        ax : matplotlib axes, optional
            Where to draw.
        **kwargs
            For matplotlib's `plot`.
        """
        return cls.from_mistakes(np.asarray(y_true) != np.asarray(y_pred), name=name).plot(ax=ax, **kwargs)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: MatrixLike,
        y: npt.ArrayLike,
        *,
        steps: int = 200,
        name: str | None = None,
        ax: Axes | None = None,
        **kwargs: Any,
    ) -> Self:
        """Let a fresh copy of the estimator learn the rows in order, and draw its progressive error.

        Parameters
        ----------
        estimator : classifier of this library
            Its parameters; it is not changed.
        X : array of shape (n_samples, n_features)
            Examples.
        y : array of shape (n_samples,)
            Their classes.
        steps : int, default=200
            Points of the curve. The error at each is exact: it is that of all rounds so far.
        name : str, optional
            For the legend; the estimator's class by default.
        ax : matplotlib axes, optional
            Where to draw.
        **kwargs
            For matplotlib's `plot`.
        """
        model, labels = clone(estimator), np.asarray(y)
        mistakes = model.partial_fit(X, labels, record="mistake").rounds_["mistake"]
        examples = np.unique(np.linspace(0, len(labels), min(steps, len(labels)) + 1).astype(int))[1:]
        error = np.cumsum(mistakes)[examples - 1] / examples
        shown = type(estimator).__name__ if name is None else name
        return cls(examples=examples, error=error, name=shown).plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the curve.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw.
        **kwargs
            For matplotlib's `plot`.
        """
        self.ax_ = axes(ax)
        self.figure_ = self.ax_.figure
        style = {"label": f"{self.name or 'model'} ({self.error[-1]:.1%})", **kwargs}
        (self.line_,) = self.ax_.plot(self.examples, self.error, **style)
        self.ax_.set(xlabel="Examples", ylabel="Progressive error")
        self.ax_.set_ylim(bottom=0)
        self.ax_.legend(loc="upper right", fontsize="small", frameon=False)
        return self
