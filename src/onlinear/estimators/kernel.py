"""Estimators in the space of a kernel: they keep examples instead of weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Generic

from ..algorithms.kernel import KernelSpace
from ..exceptions import NotAvailableError
from ..learner import expansion_of
from ..model.classifier import ClassifierModel
from ..model.recipe import Recipe
from ..model.regressor import RegressorModel
from .base import LinearShell, R
from .classifier import OnlineClassifier
from .making import shell
from .regressor import OnlineRegressor

if TYPE_CHECKING:
    from ..model.types import Array, PathLike, Seed

__all__ = ["OnlineKernelClassifier", "OnlineKernelRegressor"]


class KernelShell(LinearShell[R], Generic[R]):
    """What estimators share that keep examples instead of weights."""

    if TYPE_CHECKING:
        kernel: Any

    def save(self, path: PathLike) -> None:
        """Write the model to a safetensors file; not possible with a kernel written in Python.

        Parameters
        ----------
        path : str or path-like
            Where to; the file is written aside and moved into place.
        """
        if callable(self.kernel):
            raise NotAvailableError(
                f"{type(self).__name__}: a model file holds no code, so it cannot hold this kernel. Use a named one."
            )
        super().save(path)

    @property
    def support_vectors_(self) -> Any:
        """The kept examples; a CSR matrix when they have many features."""
        return self._expansion().support

    @property
    def dual_coef_(self) -> Array:
        """Coefficients of the kept examples, shape (n_kept,) or (n_kept, n_classes), classes in order of arrival."""
        coefficients: Array = self._expansion().nu
        return coefficients

    def _expansion(self) -> Any:
        if self._model is None:
            raise AttributeError(f"{type(self).__name__!r} object has no kept examples before it has learned")
        return expansion_of(self._model.learner)

    def _weights(self, name: str) -> tuple[Array, Array]:
        self._need_weights()
        return super()._weights(name)

    def _need_weights(self) -> None:
        self._ready()
        if self.kernel != "linear":
            raise NotAvailableError(
                f"{type(self).__name__} keeps examples, not weights; see support_vectors_"
            )


@shell
class OnlineKernelClassifier(KernelShell[ClassifierModel], OnlineClassifier):
    """A classifier in the space of a kernel."""

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe."""
        return recipe.kind == "classification" and issubclass(recipe, KernelSpace)

    def sample(self, n: int, random_state: Seed = None) -> tuple[Array, Array]:
        """Not possible here: there are no weights to draw.

        Parameters
        ----------
        n : int
            Number of draws.
        random_state : int, RandomState instance or None, default=None
            Seed.
        """
        self._ready()
        raise NotAvailableError(
            f"{type(self).__name__} keeps examples, not weights to draw; see support_vectors_"
        )

    def explain(self, x: Any, *, top: int | None = 10) -> Any:
        """Why examples are predicted as they are; with the linear kernel alone, where features have weights.

        Parameters
        ----------
        x : dict, row, list of dicts, array, data frame or sparse matrix
            The example, or several.
        top : int or None, default=10
            How many features to list, the largest contributions first; None lists all.

        Returns
        -------
        Explanation or Explanations
        """
        self._need_weights()
        return super().explain(x, top=top)


@shell
class OnlineKernelRegressor(KernelShell[RegressorModel], OnlineRegressor):
    """A regressor in the space of a kernel."""

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe."""
        return recipe.kind == "regression" and issubclass(recipe, KernelSpace)
