"""Names for what crosses borders: what users hand over, and what the core takes. Declared once, for annotations."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    #: An array of whatever type the lines around it say.
    Array: TypeAlias = npt.NDArray[Any]

    #: What scikit-learn takes as a seed.
    Seed: TypeAlias = int | np.random.RandomState | np.random.Generator | None

__all__ = [
    "Answers",
    "Array",
    "Axis",
    "Costs",
    "Features",
    "Label",
    "LabelsLike",
    "MatrixLike",
    "Numbers",
    "PathLike",
    "Seed",
    "SequencesLike",
    "Values",
]

#: Rows as users hold them: an array, a data frame, a sparse matrix, or lists of numbers.
MatrixLike: TypeAlias = Any

#: Answers as users hold them: labels or targets, in an array, a series or a list.
LabelsLike: TypeAlias = Any

#: Sequences as users hold them: each a list of tokens, or an array with a row for each.
SequencesLike: TypeAlias = Iterable[Any]

#: The answers of a batch as its stream numbers them: classes, targets, or lists of labels.
Answers: TypeAlias = Any

#: Numbers as anything with the buffer protocol: an array, or a view of the core's memory.
Numbers: TypeAlias = Any

#: A class: a word, a number or a truth value, of Python's or NumPy's.
Label: TypeAlias = Any

#: One example as a dict: from names or columns to numbers or categories.
Features: TypeAlias = Mapping[Any, Any]

#: Values by name: parameters, options, figures, the fields of a file.
Values: TypeAlias = dict[str, Any]

#: What it costs to take a class for another: by the true class, then by the predicted one.
Costs: TypeAlias = dict[Label, dict[Label, float]]

#: Where a file is.
PathLike: TypeAlias = str | os.PathLike[str]


class Axis(Protocol):
    """An object of `onlinear.rule`, `onlinear.belief` or `onlinear.task`."""

    def parameters(self) -> Values:
        """Its parameters by name."""
