"""The shell that every estimator is: scikit-learn's manners around a model.

A shell holds parameters, as scikit-learn wants them, and a `Model`. Everything that has been learned is the model's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import validate_data

from ..exceptions import DataError, ParameterError
from ..model.arrays import check_sparse, quick_rows, to_rows, type_of_values
from ..model.model import Model, RowModel
from ..model.native import Native, Report
from ..model.parameters import check_number
from ..model.recipe import Recipe, state_type
from ..model.rows import Rows, refuse_masked
from ..model.weights import weights_of
from ..persistence.loading import load_model
from ..persistence.saving import save
from .making import as_estimator, estimator_of, refuse_theirs
from .passes import Passes
from .random import seeded
from .raw import RawRows, filled, raw_rows
from .streams import LearnsStreams

if TYPE_CHECKING:
    import numpy.typing as npt
    from sklearn.utils import Tags

    from ..model.types import Array, Axis, MatrixLike, PathLike, Seed
    from ..text import HashedColumns
    from .passes import Late

__all__ = ["LinearShell", "RowShell", "Shell"]

M = TypeVar("M", bound=Model)
R = TypeVar("R", bound=RowModel)


class _Seen(BaseEstimator):  # type: ignore[misc]
    """What scikit-learn's validation looks at and writes on: features and names are the model's, not the shell's."""

    def __init__(self, shell: RowShell[Any]) -> None:
        self._shell = shell
        self.__class__ = _seen_class(type(shell).__name__)
        if shell._model is not None:
            self.n_features_in_ = shell.n_features_in_
            if shell._model.schema.names is not None:
                self.feature_names_in_ = shell.feature_names_in_

    def __sklearn_tags__(self) -> Tags:
        return self._shell.__sklearn_tags__()


@cache
def _seen_class(name: str) -> type[_Seen]:
    """`_Seen` under the name of an estimator, which scikit-learn's messages tell."""
    return type(name, (_Seen,), {})


class Shell(BaseEstimator, Generic[M]):  # type: ignore[misc]
    """What all estimators share; the parameters are those of the recipe."""

    #: The recipe whose parameters these are.
    recipe: ClassVar[type[Recipe]]

    #: What learns.
    model_class: type[M]

    #: What has been learned; None before.
    _model: M | None = None

    #: Whether `set_params` has changed something since.
    _changed = False

    #: Whether a model begun now will see its rows several times.
    _repeats = False

    if TYPE_CHECKING:  # parameters of every recipe that are used here, and what every shell has
        passes: int
        shuffle: bool
        early_stopping: bool
        tol: float
        n_iter_no_change: int
        warm_start: bool
        dtype: Any
        random_state: Seed

    def __new__(cls, *_: Any, **given: Any) -> Self:
        """Tell who gives a parameter of scikit-learn's where it is understood."""
        refuse_theirs(cls, given)
        made: Self = super().__new__(cls)
        return made

    # ------------------------------------------------------------------ what a shell says

    @classmethod
    def suits(cls, recipe: type[Recipe]) -> bool:
        """Whether this is the shell for a recipe.

        Parameters
        ----------
        recipe : subclass of Recipe
        """
        return False

    # ------------------------------------------------------------------ parameters

    def _recipe(self) -> Any:
        """The recipe with these parameters."""
        values, given = vars(self), {}
        for field in fields(self.recipe):
            # A class derived from ours may set but some of them; the others are what they are on the class.
            value = values[field.name] if field.name in values else getattr(self, field.name)
            given[field.name] = value._recipe() if isinstance(value, Shell) else value
        recipe = self.recipe(**given)
        recipe.owner = type(self).__name__
        return recipe

    @classmethod
    def of(cls, model: M) -> Self:
        """The shell of a model that is already there.

        Parameters
        ----------
        model : Model
            Whose recipe is this class's.
        """
        shell = cls(**{name: as_estimator(value) for name, value in model.recipe.parameters().items()})
        shell._model = model
        return shell

    def axes(self) -> tuple[Axis, Axis]:
        """The rule and the belief these parameters mean.

        Returns
        -------
        rule, belief : objects from `onlinear.rule` and `onlinear.belief`
        """
        rule, belief = self._recipe().axes()
        return rule, belief

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name.

        Those of a model that has learned hold for what it learns from then on, and are checked there: a rate may
        change, the form of what is known (``covariance``, ``average``) only with a `fit` that starts anew.

        Parameters
        ----------
        **params : dict
            Parameters; ``part__name`` reaches into an estimator that is one.

        Returns
        -------
        self
        """
        super().set_params(**params)
        if params and self._model is not None:
            self._changed = True
        return self

    def _so_far(self) -> M | None:
        """The model, with what `set_params` has changed since; None before any learning."""
        if self._changed and self._model is not None:
            self._model.follow(self._recipe())
            self._changed = False
        return self._model

    def _begun(self) -> M:
        """The model, or one that has learned nothing yet."""
        model = self._so_far()
        if model is not None:
            return model
        recipe = self._recipe()
        recipe.check()
        recipe.repeats = self._repeats
        return self.model_class(recipe)

    def _keep(self, model: M) -> None:
        """Keep a model that has learned something."""
        if model.native is not None:
            self._model = model
            self._changed = False

    def _ready(self) -> M:
        """The model, once there is one."""
        if self._model is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. "
                "Call 'fit', 'partial_fit' or 'learn_one' first."
            )
        return self._model

    # ------------------------------------------------------------------ learning

    def _make_passes(
        self,
        model: M,
        rows: Array | int,
        learn: Callable[[Array | None, bool], Report],
        late: Late | None = None,
    ) -> None:
        """Make the passes of `fit` over some rows, or so many; see `Passes` for `learn` and `late`."""
        rng = seeded(type(self).__name__, self.random_state)
        n = rows if isinstance(rows, int) else len(rows)
        best, patience = np.inf, 0
        # Where `n_iter_no_change` exceeds `passes` it could never be reached, so that many passes are added; passes=1 stays one.
        patient = self.early_stopping and 1 < self.passes < self.n_iter_no_change
        extra = self.n_iter_no_change if patient else 0
        passes = Passes(learn, late if self.shuffle and self.passes > 1 else None)
        for _ in range(self.passes + extra):
            order = rng.permutation(n).astype(np.int64) if self.shuffle else None
            if not isinstance(rows, int):
                order = rows if order is None else rows[order]
            report, order = passes.make(order)
            model.n_passes = (model.n_passes or 0) + 1
            if not self.early_stopping:
                continue
            if report.n_updates == 0 and not passes.unfinished:
                break
            error = self._error(report, max(n if order is None else len(order), 1))
            patience = 0 if error < best - self._slack(best) else patience + 1
            best = min(best, error)
            if patience >= self.n_iter_no_change:
                break
        passes.end()

    def _error(self, report: Report, n: int) -> float:
        """The progressive error of a pass."""
        return report.n_mistakes / n

    def _slack(self, best: float) -> float:
        """By how much a pass must better the best one."""
        return self.tol

    # ------------------------------------------------------------------ fitted state

    @property
    def model_(self) -> M:
        """The model: what has been learned, and what files hold."""
        self._so_far()
        return self._ready()

    @property
    def n_passes_(self) -> int:
        """Passes made by `fit`."""
        passes = None if self._model is None else self._model.n_passes
        if passes is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'n_passes_' before `fit`")
        return passes

    @property
    def n_iter_(self) -> int:
        """The same, as scikit-learn calls it."""
        return self.n_passes_

    @property
    def n_seen_(self) -> int:
        """Rounds so far: examples of positive weight."""
        return self._ready().n_seen

    @property
    def n_updates_(self) -> int:
        """Rounds that changed the model."""
        return self._ready().n_updates

    @property
    def n_mistakes_(self) -> int:
        """Rounds predicted wrongly before learning."""
        return self._ready().n_mistakes

    def digest(self) -> str:
        """A hash of everything learned; equal digests mean equal models, bit for bit."""
        return self._ready().digest()

    def save(self, path: PathLike) -> None:
        """Write the model to a safetensors file.

        Parameters
        ----------
        path : str or path-like
            Where to; the file is written aside and moved into place.
        """
        save(self.model_, path)

    @classmethod
    def load(cls, path: PathLike) -> Self:
        """Read a model written by `save`; never runs code from the file.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        model: Any = load_model(path)
        recipe: Any = type(model.recipe)
        if cls is not estimator_of(recipe):
            raise ParameterError(f"{path} holds a model of {model.recipe.estimator}, not of {cls.__name__}")
        return cls.of(model)

    # ------------------------------------------------------------------ scikit-learn

    def __sklearn_is_fitted__(self) -> bool:
        return self._model is not None


class RowShell(LearnsStreams, Shell[R], Generic[R]):
    """An estimator whose examples are rows."""

    #: Who knows the words of columns that a model has learned; they are read when they are asked for.
    _named: tuple[HashedColumns, R] | None = None

    if TYPE_CHECKING:
        _model: R | None
        grow_features: bool
        n_jobs: int | None

        def partial_fit(self, *args: Any, **kwargs: Any) -> Self:
            """Learn from one batch."""

    # ------------------------------------------------------------------ learning

    def _fit_weights(self, sample_weight: npt.ArrayLike | None, n: int) -> Array | None:
        weights = weights_of(sample_weight, n)
        if weights is not None and not weights.any():
            raise DataError(
                f"{type(self).__name__}: sample_weight is zero for every example; there is nothing to learn"
            )
        return weights

    def _keep(self, model: R, X: Any = None) -> None:
        """Keep a model that has learned something, and note what the columns of the rows mean where these say so."""
        super()._keep(model)
        if model.native is not None:
            model.keep_words()
        self._take_words(X)

    def _take_words(self, X: Any) -> None:
        """Note what the columns of hashed texts mean, where they say so (`onlinear.text`)."""
        named = getattr(X, "columns_named", None)
        if named is not None and self._model is not None:
            self._model.take_words({}, named.hash, named.bits)
            self._named = named, self._model

    @property
    def model_(self) -> R:
        """The model: what has been learned, and what files hold."""
        model: R = super().model_
        if self._named is not None:
            (named, of), self._named = self._named, None
            if of is model:
                model.take_words(named.hasher.names_, named.hash, named.bits)
        return model

    # ------------------------------------------------------------------ getting ready

    def _state_dtype(self, X: MatrixLike, rows: Rows | None = None) -> str:
        if self.dtype is not None:
            return state_type(self.dtype) or ""
        if isinstance(rows, RawRows):
            return "float32"  # as for files and dicts
        return type_of_values(X)

    def _checked_rows(self, X: MatrixLike, model: R) -> Rows:
        """scikit-learn's manners; NaN and infinity are found by the core, which names the row.

        A model that has learned nothing takes the names of the columns; one that may grow takes those of a wider X.
        """
        reset = model.native is None
        plain = self._plain(X, reset=reset)
        if plain is not None:
            if reset:
                model.schema.names = None
            return plain
        raw = raw_rows(X, model, learning=True)
        if raw is not None:
            return raw
        check_sparse(X)
        refuse_masked(X, "X")
        given = X
        wide = self.grow_features and not reset and _columns(X) > model.learner.n_features
        seen = _Seen(self)
        X = validate_data(
            seen,
            X,
            reset=reset or wide,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            accept_large_sparse=True,
        )
        if reset or wide:
            names = getattr(seen, "feature_names_in_", None)
            model.schema.names = None if names is None else [str(name) for name in names]
        X = filled(given, X)
        quick = quick_rows(X)
        return quick if quick is not None else to_rows(X)

    def _quick(self, X: MatrixLike) -> Rows | None:
        """Rows that need no validation beyond the core's; None sends them the long way round."""
        model = self._model
        if model is None or model.native is None or model.schema.names is not None:
            return None
        rows = quick_rows(X)
        if rows is None or rows.n_columns != model.native.n_features or rows.n_rows == 0:
            return None
        return rows

    def _plain(self, X: MatrixLike, *, reset: bool) -> Rows | None:
        """The same for rows that may be the first: an array of numbers has no names to remember."""
        if not reset:
            return self._quick(X)
        rows = quick_rows(X)
        return None if rows is None or rows.n_columns == 0 or rows.n_rows == 0 else rows

    # ------------------------------------------------------------------ reading

    def _rows_to_read(self, X: MatrixLike) -> Rows:
        rows = self._quick(X)
        if rows is None:
            rows = raw_rows(X, self._ready(), learning=False)
        if rows is not None:
            return rows
        check_sparse(X)
        refuse_masked(X, "X")
        checked = validate_data(
            _Seen(self),
            X,
            reset=False,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
        )
        return to_rows(filled(X, checked))

    def _threads(self) -> int:
        if self.n_jobs is None:
            return 1
        if self.n_jobs < 0:
            return max(1, (os.cpu_count() or 1) + 1 + self.n_jobs)
        return max(1, self.n_jobs)

    def _blocks(self, X: MatrixLike, *, variances: bool = False) -> Array:
        """Scores or variances, a column per block, blocks in the core's order."""
        learner = self._ready().learner
        return learner.read_rows(self._rows_to_read(X), variances=variances, n_threads=self._threads())

    # ------------------------------------------------------------------ fitted state

    def _learned(self, name: str) -> Native:
        """The learner; without one there is no attribute of such a name."""
        if self._model is None or self._model.native is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute {name!r} before it has learned"
            )
        return self._model.native

    def _weights(self, name: str) -> tuple[Array, Array]:
        coef, intercept = getattr(self._learned("coef_").handle, name)()
        return coef, intercept

    @property
    def n_features_in_(self) -> int:
        """Features known."""
        return self._learned("n_features_in_").n_features

    @property
    def feature_names_in_(self) -> Array:
        """Their names, when `fit` saw any."""
        names = None if self._model is None else self._model.schema.names
        if names is None:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'feature_names_in_'")
        return np.array(names, dtype=object)

    # ------------------------------------------------------------------ scikit-learn

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class LinearShell(RowShell[R], Generic[R]):
    """An estimator that predicts with linear scores."""

    def truncate(self, sigma: float) -> Self:
        """Remove the smallest weights: in rising order of size, as long as their squares sum to less than `sigma`.

        An average keeps what it has of the rounds so far, so few of its weights become zero; where zeros are wanted, learn
        with ``average=False``. With scales, sizes are those of the scaled features.

        Parameters
        ----------
        sigma : float
            How much of the squared norm may go, in [0, inf).

        Returns
        -------
        self
        """
        self._ready().learner.truncate(sigma)
        return self

    def inflate(self, share: float = 1.0) -> Self:
        """Let the covariance grow back towards its start, so that a model sure of itself listens again.

        The covariance becomes (1 - share) Σ + share a I, with a the variance of a weight nothing is known about. No
        variance ever exceeds that; the mean stays.

        Parameters
        ----------
        share : float, default=1.0
            How far to go back, in (0, 1]; 1 resets the covariance.

        Returns
        -------
        self
        """
        check_number(type(self).__name__, "share", share, 0.0, 1.0, open_low=True)
        self._ready().with_variance().handle.inflate(float(share))
        return self


def _columns(X: MatrixLike) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[1]) if shape is not None and len(shape) == 2 else 0
