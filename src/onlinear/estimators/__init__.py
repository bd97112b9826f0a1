"""scikit-learn's estimators, one class for each recipe.

What an algorithm is, its recipe says (`onlinear.algorithms`); what an estimator does, its shell, one module here for a
task. `estimator_of` joins the two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..algorithms.table import find
from ..model.model import Model
from ..persistence.loading import load_model
from .classifier import OnlineClassifier
from .kernel import OnlineKernelClassifier, OnlineKernelRegressor
from .labeler import OnlineLabeler
from .making import as_estimator, estimator_of
from .one_class import OnlineOneClass
from .ranking import OnlineRanker
from .regressor import OnlineRegressor

if TYPE_CHECKING:
    from ..model.types import PathLike

__all__ = [
    "OnlineClassifier",
    "OnlineKernelClassifier",
    "OnlineKernelRegressor",
    "OnlineLabeler",
    "OnlineOneClass",
    "OnlineRanker",
    "OnlineRegressor",
    "as_estimator",
    "estimator_of",
    "load",
    "make",
    "shell_of",
]


def make(name: str, **parameters: Any) -> Any:
    """An estimator by its algorithm's name.

    Parameters
    ----------
    name : str
        As on the command line: "arow", "scw1", "pa1", ...
    **parameters
        Those of the estimator.

    Returns
    -------
    estimator

    Examples
    --------
    >>> from onlinear.estimators import make
    >>> make("pa2", C=0.5)
    PassiveAggressiveClassifier(C=0.5, variant='pa2')
    """
    return as_estimator(find(name).make(**parameters))


def load(path: PathLike) -> Any:
    """Read a model written by `save`; safe with files of unknown origin.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator
        Ready to predict and to go on learning, bit for bit.

    Examples
    --------
    >>> import onlinear, tempfile, os
    >>> model = onlinear.AROWClassifier().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> path = os.path.join(tempfile.mkdtemp(), "model.safetensors")
    >>> model.save(path)
    >>> onlinear.load(path).digest() == model.digest()
    True
    """
    return shell_of(load_model(path))


def shell_of(model: Model) -> Any:
    """The estimator around a model.

    Parameters
    ----------
    model : Model
        What has been learned.
    """
    recipe: Any = type(model.recipe)
    return estimator_of(recipe).of(model)
