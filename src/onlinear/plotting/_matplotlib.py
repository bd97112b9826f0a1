"""Where pictures are drawn; matplotlib is an extra and imported here alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

__all__ = ["axes", "percent", "pyplot"]


def pyplot() -> Any:
    """Matplotlib's pyplot, or how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError("onlinear.plotting needs matplotlib. Try: pip install 'onlinear[plot]'") from error
    return plt


def axes(ax: Axes | None) -> Axes:
    """The axes to draw on; new ones where none are given."""
    plt = pyplot()
    return plt.subplots(layout="constrained")[1] if ax is None else ax


def percent(axis: Axis) -> None:
    """Write an axis of shares in percent."""
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0, decimals=None))
