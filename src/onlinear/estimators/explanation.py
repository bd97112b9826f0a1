"""Predictions, taken apart."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from math import hypot, sqrt
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from .._core import Fault
from ..belief import Diagonal, Information
from ..exceptions import DataError, ParameterError
from ..model.arrays import is_sparse
from ..model.labels import Classes
from ..model.model import RowModel
from ..model.native import Native
from ..model.rows import Rows, SparseRows, refuse, refuse_dict
from ..plotting import ExplanationDisplay
from .raw import row_of_series

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..model.types import Array, Label

__all__ = ["Explainer", "Explanation", "Explanations", "examples_of"]


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

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """The contributions as a data frame, a row for each feature.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            Whose data frame.

        Returns
        -------
        DataFrame
            With the columns feature, value, weight, contribution and std.
        """
        return _frame(_columns([self]), library)

    def plot(self, *, ax: Axes | None = None) -> ExplanationDisplay:
        """Draw the contributions as bars, with their standard deviations.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to.

        Returns
        -------
        ExplanationDisplay
        """
        return Explanations([self]).plot(top=len(self.contributions), ax=ax)


class Explanations(list[Explanation]):
    """Why several examples are predicted as they are: a list of `Explanation`."""

    def __str__(self) -> str:
        return "\n\n".join(map(str, self))

    def to_frame(self, library: Literal["pandas", "polars"] = "pandas") -> Any:
        """The contributions as a data frame, a row for each feature of each example.

        Parameters
        ----------
        library : {"pandas", "polars"}, default="pandas"
            Whose data frame.

        Returns
        -------
        DataFrame
            With the columns row, predicted, rival, margin, feature, value, weight, contribution and std.
        """
        which = [i for i, each in enumerate(self) for _ in each.contributions]
        said: dict[str, list[Any]] = {
            "row": which,
            **{name: [getattr(self[i], name) for i in which] for name in ("predicted", "rival", "margin")},
        }
        return _frame({**said, **_columns(self)}, library)

    def plot(self, *, top: int = 10, ax: Axes | None = None) -> ExplanationDisplay:
        """Draw what features add to margins in the mean over the examples that were explained; of one, with deviations.

        Parameters
        ----------
        top : int, default=10
            How many features, the largest first.
        ax : matplotlib axes, optional
            Where to.

        Returns
        -------
        ExplanationDisplay
        """
        return ExplanationDisplay.from_explanations(self, top=top).plot(ax=ax)


def _columns(explanations: list[Explanation]) -> dict[str, list[Any]]:
    names = ("feature", "value", "weight", "contribution", "std")
    return {
        name: [getattr(item, name) for each in explanations for item in each.contributions] for name in names
    }


def _frame(columns: Mapping[str, list[Any]], library: str) -> Any:
    if library not in ("pandas", "polars"):
        raise ParameterError(f"library must be 'pandas' or 'polars', got {library!r}")
    try:
        module = import_module(library)
    except ImportError as error:
        raise ImportError(
            f"to_frame needs {library}, which is not installed. Try: pip install {library}"
        ) from error
    return module.DataFrame(columns)


@dataclass(frozen=True, slots=True)
class Example:
    """An example as columns and values, and the words it has itself for columns that may be nameless."""

    columns: Array
    values: Array
    words: Mapping[int, str] = field(default_factory=dict)


def examples_of(x: Any, model: RowModel, read: Callable[[Any], Rows]) -> tuple[list[Example], bool]:
    """Examples taken apart, and whether it is a single one.

    Parameters
    ----------
    x : dict, text, row, list of dicts or texts, array, data frame or sparse matrix
        The examples.
    model : RowModel
        Whose columns they become.
    read : callable
        Makes rows of what is no dict.
    """
    x = row_of_series(x, model)
    if isinstance(x, Mapping | str):
        return [_of_dict(x, model)], True
    if isinstance(x, list | tuple) and len(x) and all(isinstance(each, Mapping | str) for each in x):
        return [_of_dict(each, model) for each in x], False
    if not is_sparse(x) and np.ndim(x) == 1:
        x = np.asarray(x).reshape(1, -1)
    rows = read(x)
    model.inspect(rows, "float64")
    return _of_rows(rows), rows.n_rows == 1


def _of_dict(x: Mapping[Any, Any] | str, model: RowModel) -> Example:
    columns_of = model.learner.handle.columns_of
    try:
        columns, values = columns_of(x)
    except ValueError as error:
        raise DataError(str(error), 0) from error
    bad = np.flatnonzero(~np.isfinite(values))
    if len(bad):
        fault = Fault.nan if np.isnan(values[bad[0]]) else Fault.infinite
        raise refuse_dict(x, int(fault.value), 0, columns[bad[0]])
    words: dict[int, str] = {}
    texts = {name for name, role in model.schema.of_dicts()[0] if role == "text"}
    for key, value in [] if isinstance(x, str) else x.items():
        if isinstance(value, str) and key in texts:
            continue  # whose words the model knows
        if isinstance(key, str) and not isinstance(value, list | tuple):
            word = f"{key}={value}" if isinstance(value, str) else key
            words |= {int(column): word for column in columns_of({key: value})[0]}
    return Example(np.asarray(columns, dtype=np.int64), np.asarray(values, dtype=np.float64), words)


def _of_rows(rows: Rows) -> list[Example]:
    """Each of some rows, where it is not zero."""
    if isinstance(rows, SparseRows):
        ends = np.asarray(rows.indptr, dtype=np.int64)
        return [
            Example(np.asarray(rows.indices[a:b], np.int64), np.asarray(rows.data[a:b], np.float64))
            for a, b in zip(ends[:-1], ends[1:], strict=True)
        ]
    present = [np.flatnonzero(row) for row in rows.x]
    return [
        Example(columns, np.asarray(row[columns], np.float64))
        for columns, row in zip(present, rows.x, strict=True)
    ]


class Explainer:
    """Splits margins between the predicted class and its best rival into their features.

    Parameters
    ----------
    learner : Native
        What has been learned; its weights are read once.
    classes : Classes
        The classes.
    name_of : callable
        The name of a column.
    top : int or None
        How many features to list.
    """

    def __init__(
        self, learner: Native, classes: Classes, name_of: Callable[[int], str], top: int | None
    ) -> None:
        self._learner, self._name_of, self._top = learner, name_of, top
        self._mean, self._offset = learner.handle.average()
        self._classes = classes.among(len(self._mean))
        self._variance = learner.handle.variance() if learner.handle.has_variance else None

    def explain(self, example: Example) -> Explanation:
        """Take one example apart."""
        columns, values = example.columns, example.values
        learner, handle = self._learner, self._learner.handle
        mean, offset = self._mean, self._offset
        names, order = self._classes.ranked, self._classes.order
        known = columns < mean.shape[1]
        columns, values = columns[known], values[known]
        with np.errstate(over="ignore", invalid="ignore"):
            scores = mean[:, columns] @ values + offset[:, 0]
        if not np.isfinite(scores).all():
            raise refuse(
                int(Fault.margin_overflow.value),
                0,
                -1,
                single_precision=handle.single_precision,
                learning=False,
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
        if self._variance is not None:
            variance, base = self._variance
            blocks = [0] if len(mean) == 1 else [order[first], order[second]]
            spread = np.sqrt(variance[blocks][:, columns].sum(axis=0)) * np.abs(values)
            centred = getattr(learner.belief, "center", False)
            if isinstance(learner.belief, Diagonal | Information) and not centred:
                intercept_variance = float(base[blocks].sum()) if learner.fit_intercept else 0.0
                std = hypot(sqrt(intercept_variance), *spread.tolist())  # whose squares may be too large
            else:  # features vary together, or with the intercept: the whole is not the sum of its parts
                whole = handle.margin_variance_csr(*row.arguments(), 1)
                if isinstance(whole, tuple):
                    raise refuse(*whole, single_precision=handle.single_precision, learning=False)
                std = float(np.sqrt(whole[0, 0]))
        ranking = np.argsort(-np.abs(contributions), kind="stable")[: self._top]
        items = [
            Contribution(
                self._called(int(columns[i]), example.words),
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

    def _called(self, column: int, words: Mapping[int, str]) -> str:
        name = self._name_of(column)
        return words.get(column, name) if name == f"x{column}" else name
