"""What every estimator shares, whatever its task: parameters, validation, passes, reading, state."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

from .. import _core, belief
from .._numpy import Array, np
from .._sklearn import BaseEstimator, is_lean, seeded
from ..exceptions import DataError, NotAvailableError, NumericError, ParameterError
from ..model.labels import Labels
from ..model.learner import Learner, Report, need_weight, weights_of
from ..model.parameters import (
    check_choice,
    check_declared,
    check_number,
    check_numbers,
    not_with_learned,
    with_advice,
)
from ..model.rows import (
    Rows,
    SparseRows,
    check_sparse,
    is_sparse,
    quick_rows,
    refuse,
    refuse_dict,
    refuse_masked,
    to_rows,
)

if TYPE_CHECKING:
    import numpy.typing as npt

    from ..model.stream import RowStream

__all__ = ["Array", "GaussianBelief", "LinearEstimator", "OnlineEstimator"]


class NamesRoom:
    """Room behind an array of names, so that a new name costs no copy of those before it.

    What it gives are the first so many of a larger array; an array it gave before never changes.
    """

    def __init__(self) -> None:
        self._room = np.empty(0, dtype=object)
        self._used = 0

    def longer(self, names: Array, more: list[str]) -> Array:
        """The names and some more behind them."""
        n, size = len(names), len(names) + len(more)
        if names.base is not self._room or n != self._used or size > len(self._room):
            self._room = np.empty(2 * size, dtype=object)
            self._room[:n] = names
        self._room[n:size] = more
        self._used = size
        return self._room[:size]

    def __reduce__(self) -> tuple[type[NamesRoom], tuple[()]]:
        return NamesRoom, ()  # a copy of the model makes its own


if is_lean():  # one run of a command: what it learns from may not be worth the making of huge pages
    _core.put_off_huge_pages()


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class OnlineEstimator(BaseEstimator):
    """What all estimators share; see `_parameters.SHARED_PARAMETERS` for the parameters.

    A subclass says which rule, belief and task its parameters mean, how answers are checked, and has
    `_start`, which makes the learner.
    """

    passes: int = 10
    shuffle: bool = True
    early_stopping: bool = True
    tol: float = 1e-3
    n_iter_no_change: int = 2
    warm_start: bool = False
    initial_mean: npt.ArrayLike | None = None
    dtype: Literal["float32", "float64"] | None = None
    bits: int = 20
    max_features: int = 1 << 28
    grow_features: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    if TYPE_CHECKING:  # what learning sets, and what every subclass has
        _learner: Learner = field(init=False)
        _labels: Labels = field(init=False)
        _names: NamesRoom = field(init=False)
        n_features_in_: int = field(init=False)
        feature_names_in_: Array = field(init=False)
        n_passes_: int = field(init=False)

        def partial_fit(self, *args: Any, **kwargs: Any) -> Self:
            """Learn from one batch."""

    #: What to use instead of an estimator that keeps no variances.
    _with_variances: ClassVar[str] = "a Gaussian one"

    # ------------------------------------------------------------------ what a subclass says

    def _rule(self) -> Any:
        """The rule these parameters mean."""
        raise TypeError(f"{type(self).__name__} does not say which rule it is")

    def _belief(self) -> Any:
        """The belief these parameters mean."""
        return belief.Mean()

    def _has_intercept(self) -> bool:
        """Whether a feature that is always 1 is added."""
        return False

    def _truncation(self) -> float | None:
        """What the smallest weights' squares may sum to before they are removed after an update; None keeps them."""
        return None

    def axes(self) -> tuple[Any, Any]:
        """The rule and the belief these parameters mean.

        Returns
        -------
        rule, belief : objects from `onlinear.rule` and `onlinear.belief`
        """
        self._check_parameters()
        try:
            return self._rule(), self._belief()
        except ParameterError:
            raise
        except ValueError as error:
            raise ParameterError(with_advice(type(self).__name__, str(error))) from None

    def _make_learner(
        self,
        asked: Any,
        rule: Any,
        known: Any,
        n_features: int,
        n_classes: int | None,
        dtype: str,
        *,
        anew: bool = True,
    ) -> Learner:
        """Put the axes together; what does not go together is refused in the estimator's name.

        It is not `anew` when a state is about to be loaded.
        """
        try:
            learner = Learner(
                task=asked,
                rule=rule,
                belief=known,
                dtype=dtype,
                n_features=n_features,
                n_classes=n_classes,
                fit_intercept=self._has_intercept(),
                initial_mean=self.initial_mean if anew else None,
                truncation=self._truncation(),
                bits=self.bits,
                max_features=self.max_features,
            )
        except ParameterError as error:
            raise ParameterError(with_advice(type(self).__name__, str(error))) from None
        if "feature_names_in_" in self.__dict__:
            learner.name_columns([str(name) for name in self.feature_names_in_])
        self.__dict__.pop("_changed", None)
        return learner

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
        if params and self.__dict__.get("_learner") is not None:
            self._changed = True
        return self

    def _so_far(self) -> Learner | None:
        """The learner, with what `set_params` has changed since; None before any learning."""
        if "_changed" in self.__dict__:
            self._follow_parameters()
        return self.__dict__.get("_learner")

    def _follow_parameters(self) -> None:
        """Go on with other parameters: a new learner takes over the state."""
        before, learner, labels = dict(self.__dict__), self._learner, self._labels
        try:
            self._labels = Labels()
            self._start(learner.n_features, list(labels.names), learner.dtype, anew=False)
            self._learner.load_state(learner.state())
            self._learner.handle.remember_words(learner.handle.words())
        except (ParameterError, DataError) as error:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise not_with_learned(type(self).__name__, error) from None
        self._labels = labels

    def _start(self, n_features: int, classes: Array | list[Any], dtype: str, *, anew: bool = True) -> None:
        """Make the learner; `classes` are those known at the start, none where the task has none.

        It is not `anew` when a state is about to be loaded into it.
        """
        raise TypeError(f"{type(self).__name__} does not say how it starts")

    # ------------------------------------------------------------------ learning

    def _fit_weights(self, sample_weight: npt.ArrayLike | None, n: int) -> Array | None:
        weights = weights_of(sample_weight, n)
        if weights is not None and not weights.any():
            raise DataError(
                f"{type(self).__name__}: sample_weight is zero for every example; there is nothing to learn"
            )
        return weights

    def _make_passes(self, rows: Array | int, learn: Callable[[Array | None, bool], Report]) -> None:
        """Make the passes of `fit` over some rows, or so many; ``learn(order, first)`` makes one."""
        rng = self._generator()
        n = rows if isinstance(rows, int) else len(rows)
        best, patience = np.inf, 0
        # A patience longer than several passes could never run out; it asks for more of them. One pass is one pass.
        patient = self.early_stopping and 1 < self.passes < self.n_iter_no_change
        extra = self.n_iter_no_change if patient else 0
        for number in range(self.passes + extra):
            order = rng.permutation(n).astype(np.int64) if self.shuffle else None
            if not isinstance(rows, int):
                order = rows if order is None else rows[order]
            report = learn(order, number == 0)
            self.n_passes_ += 1
            if not self.early_stopping:
                continue
            if report.n_updates == 0:
                break
            error = self._error(report, max(n, 1))
            patience = 0 if error < best - self._slack(best) else patience + 1
            best = min(best, error)
            if patience >= self.n_iter_no_change:
                break

    def _generator(self) -> np.random.RandomState:
        return seeded(type(self).__name__, self.random_state)

    def _error(self, report: Report, n: int) -> float:
        """The progressive error of a pass."""
        return report.n_mistakes / n

    def _slack(self, best: float) -> float:
        """By how much a pass must better the best one."""
        return self.tol

    def fit_stream(self, batches: Iterable[Any]) -> Self:
        """Learn from batches as they come, one pass.

        Parameters
        ----------
        batches : iterable
            The stream: pairs (X, y), triples with weights, or what `onlinear.read` gives.

        Returns
        -------
        self
        """
        if not isinstance(batches, Iterable) or isinstance(batches, str | bytes):
            raise DataError(
                f"batches must be an iterable of (X, y), or what onlinear.read gives, got {batches!a}"
            )
        stream = None
        for batch in batches:
            if not isinstance(batch, tuple) and not hasattr(batch, "buffers"):
                raise DataError(
                    f"a batch must be (X, y), (X, y, weights), or what onlinear.read gives, got {batch!a}"
                )
            if isinstance(batch, tuple):
                X, y, *rest = batch
                self.partial_fit(X, y, sample_weight=rest[0] if rest else None)
                stream = None
            else:  # as the command line learns them, bit for bit
                stream = stream or self._stream()
                stream.learn(batch, stream.numbers(batch))
        return self

    def _learn_stream(self, X: Any) -> bool:
        """Learn what `onlinear.read` gives, where X is that, and has the answers with it."""
        reading = sys.modules.get("onlinear.io")  # which has been imported where there is anything from it
        if reading is None or not isinstance(X, reading.Batch | reading.Reader):
            return False
        self.fit_stream([X] if isinstance(X, reading.Batch) else X)
        return True

    def _stream(self, **options: Any) -> RowStream:
        """The model at the end of a stream of rows; `options` are those of `RowStream`."""
        raise TypeError(f"{type(self).__name__} does not say how it learns a stream")

    def _learn_dict(
        self,
        x: Mapping[Any, Any],
        w: float,
        *,
        label: int = 0,
        target: float = 0.0,
        relevant: Sequence[int] | None = None,
        factor: float | None = None,
        balanced: bool = False,
    ) -> None:
        """Learn one example from a dict; `factor` is the weight of its class."""
        handle = self._learner.handle
        try:
            fault, row, column = handle.learn_dict(x, label, target, w, factor, balanced, relevant)
        except TypeError:
            need_weight(w)
            raise
        except ValueError as error:
            raise DataError(str(error), 0) from error
        except MemoryError:
            full = isinstance(self._learner.belief, belief.Full)
            remedy = ", or use covariance='diagonal'" if full else ""
            raise MemoryError(
                f"{type(self).__name__}: no room for the features of this dict; lower bits (now {self.bits}){remedy}"
            ) from None
        if fault:
            raise refuse_dict(x, fault, row, column, single_precision=handle.single_precision, w=w)
        if handle.n_features != self.n_features_in_:
            self._grown(handle)

    def _grown(self, handle: Any) -> None:
        """Dicts brought new features."""
        self.n_features_in_ = handle.n_features
        if "feature_names_in_" in self.__dict__:
            room = self.__dict__.setdefault("_names", NamesRoom())
            self.feature_names_in_ = room.longer(self.feature_names_in_, handle.fresh_names)
            self._learner.feature_names = self.feature_names_in_

    def _is_weightless(self, x: Mapping[Any, Any], w: Any, dtype: str) -> bool:
        """Whether an example that would bring something new has no weight: then it is checked and brings nothing."""
        need_weight(w)
        if w == 0:
            single = dtype == "float32"
            try:
                fault, row, column = _core.check_dict(x, single, self.max_features)
            except ValueError as error:
                raise DataError(str(error), 0) from error
            if fault:
                raise refuse_dict(x, fault, row, column, single_precision=single)
        return bool(w == 0)

    # ------------------------------------------------------------------ getting ready

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_number(owner, "passes", self.passes, 1, whole=True)
        check_number(owner, "n_iter_no_change", self.n_iter_no_change, 1, whole=True)
        check_number(owner, "tol", self.tol, -1.0)
        check_number(owner, "bits", self.bits, 1, 30, whole=True)
        check_number(owner, "max_features", self.max_features, 1, 1 << 30, whole=True)
        check_declared(self)
        if self.initial_mean is not None:
            check_numbers(owner, "initial_mean", self.initial_mean)
        if self.dtype is not None and not _is_float(self.dtype):
            raise ParameterError(f"{owner}: dtype must be None, 'float32' or 'float64', got {self.dtype!r}")
        if self.n_jobs is not None:
            check_number(owner, "n_jobs", self.n_jobs, -sys.maxsize, sys.maxsize, whole=True)

    def _state_dtype(self, X: Any) -> str:
        if self.dtype is not None:
            return str(np.dtype(self.dtype))
        given = getattr(X, "dtype", None)
        if given is None and not hasattr(X, "dtypes"):
            return "float64"  # lists of Python numbers
        if given is None:  # data frames: float64 as soon as one column is
            return "float64" if any(map(_is_wide, _column_types(X))) else "float32"
        return "float64" if _is_wide(given) else "float32"

    def _dict_dtype(self) -> str:
        """The type of the state when dicts are learned."""
        if self.__dict__.get("_learner") is not None:
            return self._learner.dtype
        return str(np.dtype(self.dtype or np.float32))

    def _checked_rows(self, X: Any, *, reset: bool) -> Rows:
        """scikit-learn's manners; NaN and infinity are found by the core, which names the row."""
        if is_lean():
            rows = to_rows(X)
            self.n_features_in_ = rows.n_columns if reset else max(self.n_features_in_, rows.n_columns)
            return rows
        plain = self._plain(X, reset=reset)
        if plain is not None:
            return plain
        from sklearn.utils.validation import validate_data

        check_sparse(X)
        refuse_masked(X, "X")
        wide = self.grow_features and not reset and _columns(X) > self.n_features_in_
        X = validate_data(
            self,
            X,
            reset=reset or wide,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            ensure_all_finite=False,
            accept_large_sparse=True,
        )
        quick = quick_rows(X)
        return quick if quick is not None else to_rows(X)

    def _quick(self, X: Any) -> Rows | None:
        """Rows that need no validation beyond the core's; None sends them the long way round."""
        if "feature_names_in_" in self.__dict__:
            return None
        rows = quick_rows(X)
        if rows is None or rows.n_columns != self.n_features_in_ or rows.n_rows == 0:
            return None
        return rows

    def _plain(self, X: Any, *, reset: bool) -> Rows | None:
        """The same for rows that may be the first: an array of numbers has no names to remember."""
        if not reset:
            return self._quick(X)
        rows = quick_rows(X)
        if rows is None or rows.n_columns == 0 or rows.n_rows == 0:
            return None
        self.n_features_in_ = rows.n_columns
        self.__dict__.pop("feature_names_in_", None)
        return rows

    def _inspect(self, rows: Rows, dtype: str) -> None:
        """Refuse bad rows before anything is changed for their sake."""
        look = _core.inspect_csr if isinstance(rows, SparseRows) else _core.inspect_dense
        fault, row, column = look(*rows.arguments(), dtype == "float32")
        if fault:
            raise refuse(fault, row, column, single_precision=dtype == "float32")

    @contextmanager
    def _all_or_nothing(
        self, *, deep: bool = False, grows: bool = False, single: bool = False
    ) -> Iterator[Callable[[], None]]:
        """Put back what was there before when a call is refused; yields what does so.

        The rows before a step that would overflow stay learned; a `single` example has none before it, and a new
        learner that has learned nothing goes with the call that made it. `deep` where
        the native learner is changed in place before all is known to be well, `grows` where it grows for one example.
        """
        before = self.__dict__.get("_learner")
        restore = self._before_growth() if grows else self._checkpoint(deep=deep)
        try:
            yield restore
        except BaseException as error:
            learner = self.__dict__.get("_learner")
            nothing = learner is not before and (learner is None or learner.n_seen == 0)
            if single or nothing or not isinstance(error, NumericError):
                restore()
            raise

    def _checkpoint(self, *, deep: bool = False) -> Callable[[], None]:
        """A way back to the present state; `deep` where the native learner is about to be changed in place."""
        before = dict(self.__dict__)
        labels: Labels | None = before.get("_labels")
        mark = None if labels is None else labels.mark()
        if deep:
            before["_learner"] = self._learner.copy()

        def restore() -> None:
            self.__dict__.update(before)  # never empty: another thread may be reading
            for name in self.__dict__.keys() - before.keys():
                del self.__dict__[name]
            if labels is not None and mark is not None:
                labels.rewind(mark)

        return restore

    def _before_growth(self) -> Callable[[], None]:
        """A way back from classes and features that nothing has been learned of yet; does nothing once something was.

        Where a learner can give back what it grew by, it is not copied: a stream of many classes would copy the
        model for each.
        """
        handle = self._learner.handle
        features, blocks, seen = handle.n_features, handle.n_blocks, handle.n_seen
        if blocks < 2 or not handle.shrink(features, blocks):
            return self._checkpoint(deep=True)
        restore = self._checkpoint()

        def take_back() -> None:
            if handle.n_seen == seen:
                handle.shrink(features, blocks)
                restore()

        return take_back

    def _are_weightless(self, rows: Rows, weights: Array | None, dtype: str) -> bool:
        """Whether rows that may bring something new have no weight: then they are checked and bring nothing."""
        if weights is None or weights.any():
            return False
        learner = self.__dict__.get("_learner")
        self._inspect(rows, dtype if learner is None else learner.dtype)
        return True

    def _make_room(self, rows: Rows, dtype: str, *, anew: bool) -> None:
        """Make the learner of a task without classes, or room in it for rows that can be learned.

        A new learner needs no look at the rows: `_all_or_nothing` puts back what was there before.
        """
        if anew:
            self._labels = Labels()
            self._start(rows.n_columns, np.empty(0), dtype)
            self.n_passes_ = 0
            return
        self._inspect(rows, self._learner.dtype)
        if rows.n_columns > self._learner.n_features:
            self._learner.grow(rows.n_columns, 1)
            self.n_features_in_ = rows.n_columns

    # ------------------------------------------------------------------ reading

    def _ready(self) -> Learner:
        learner: Learner | None = self.__dict__.get("_learner")
        if learner is None:
            from sklearn.exceptions import NotFittedError

            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. "
                "Call 'fit', 'partial_fit' or 'learn_one' first."
            )
        return learner

    def _rows_to_read(self, X: Any) -> Rows:
        rows = self._quick(X)
        if rows is not None:
            return rows
        if is_lean():
            return to_rows(X)
        from sklearn.utils.validation import validate_data

        check_sparse(X)
        refuse_masked(X, "X")
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], ensure_all_finite=False
        )
        return to_rows(X)

    def _threads(self) -> int:
        if self.n_jobs is None:
            return 1
        if self.n_jobs < 0:
            return max(1, (os.cpu_count() or 1) + 1 + self.n_jobs)
        return max(1, self.n_jobs)

    def _blocks(self, X: Any, *, variances: bool = False) -> Array:
        """Scores or variances, a column per block, blocks in the core's order."""
        learner = self._ready()
        return learner.read_rows(self._rows_to_read(X), variances=variances, n_threads=self._threads())

    def _dict_blocks(self, x: Mapping[Any, Any], *, variances: bool = False) -> Array:
        try:
            out = self._learner.handle.read_dict(x, variances)
        except ValueError as error:
            raise DataError(str(error), 0) from error
        if isinstance(out, tuple):
            raise refuse_dict(x, *out, single_precision=self._learner.dtype == "float32")
        return np.array([out])

    def _need_variance(self) -> Learner:
        learner = self._ready()
        if getattr(learner.handle, "compact", False):
            raise NotAvailableError(
                "this is a compact export, which keeps the means alone and no variances; predict with the whole "
                "model it was made from"
            )
        if not learner.handle.has_variance:
            raise NotAvailableError(f"{type(self).__name__} keeps no variances; use {self._with_variances}")
        return learner

    def _entries(self, x: Any) -> tuple[Array, Array]:
        """One example as columns and values."""
        if isinstance(x, Mapping):
            try:
                columns, values = self._learner.handle.columns_of(x)
            except ValueError as error:
                raise DataError(str(error), 0) from error
            bad = np.flatnonzero(~np.isfinite(values))
            if len(bad):
                raise refuse_dict(x, _fault_of(values[bad[0]]), 0, columns[bad[0]])
            return np.asarray(columns, dtype=np.int64), np.asarray(values, dtype=np.float64)
        if not is_sparse(x) and np.ndim(x) == 1:
            x = np.asarray(x).reshape(1, -1)
        rows = self._rows_to_read(x)
        if rows.n_rows != 1:
            raise DataError(f"explain takes one example, got {rows.n_rows}")
        self._inspect(rows, "float64")
        if isinstance(rows, SparseRows):
            return np.asarray(rows.indices, dtype=np.int64), np.asarray(rows.data, dtype=np.float64)
        present = np.flatnonzero(rows.x[0])
        return present, np.asarray(rows.x[0][present], dtype=np.float64)

    def _feature_name(self, column: int) -> str:
        names = self.__dict__.get("feature_names_in_")
        if names is not None and column < len(names):
            return str(names[column])
        words: dict[int, str] = self._learner.handle.words()
        return words.get(column, f"x{column}")

    # ------------------------------------------------------------------ fitted state

    def _weights(self, name: str) -> tuple[Array, Array]:
        if self.__dict__.get("_learner") is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'coef_' before it has learned"
            )
        coef, intercept = getattr(self._learner.handle, name)()
        return coef, intercept

    @property
    def n_seen_(self) -> int:
        """Rounds so far: examples of positive weight."""
        return self._counted("n_seen")

    @property
    def n_updates_(self) -> int:
        """Rounds that changed the model."""
        return self._counted("n_updates")

    @property
    def n_mistakes_(self) -> int:
        """Rounds predicted wrongly before learning."""
        return self._counted("n_mistakes")

    def _counted(self, name: str) -> int:
        if self.__dict__.get("_learner") is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute '{name}_' before it has learned"
            )
        return int(getattr(self._learner, name))

    def digest(self) -> str:
        """A hash of everything learned; equal digests mean equal models, bit for bit."""
        return self._ready().digest()

    def save(self, path: Any) -> None:
        """Write the model to a safetensors file.

        Parameters
        ----------
        path : str or path-like
            Where to; the file is written aside and moved into place.
        """
        from ..persistence.saving import save

        save(self, path)

    @classmethod
    def load(cls, path: Any) -> Self:
        """Read a model written by `save`; never runs code from the file.

        Parameters
        ----------
        path : str or path-like
            The file.
        """
        from ..persistence.loading import load

        model = load(path)
        if not isinstance(model, cls):
            raise ParameterError(f"{path} holds a {type(model).__name__}, not a {cls.__name__}")
        return model

    def _extras(self) -> dict[str, Any]:
        """What a model file must hold beside parameters and the learner's state, as plain JSON values."""
        return {}

    def _take_extras(self, extras: dict[str, Any]) -> None:
        """Take over what `_extras` gave."""

    # ------------------------------------------------------------------ scikit-learn

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return self.__dict__.get("_learner") is not None


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class LinearEstimator(OnlineEstimator):
    """An estimator that predicts with linear scores."""

    fit_intercept: bool = True
    average: bool = False

    def truncate(self, sigma: float) -> Self:
        """Remove the smallest weights: in rising order of size, as long as their squares sum to less than `sigma`.

        Parameters
        ----------
        sigma : float
            How much of the squared norm may go, in [0, inf).

        Returns
        -------
        self
        """
        self._ready().truncate(sigma)
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
        self._need_variance().handle.inflate(float(share))
        return self

    def _belief(self) -> Any:
        return belief.Mean(average=self.average)

    def _has_intercept(self) -> bool:
        return self.fit_intercept


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class GaussianBelief(LinearEstimator):
    """An estimator whose belief is a Gaussian."""

    covariance: Literal["diagonal", "full"] = "diagonal"
    projection: Literal["kl", "drop", "exact"] = "kl"
    initial_variance: float = 1.0
    min_variance: float = 0.0

    #: The projections the mathematics allows for this rule.
    _projections: ClassVar[tuple[str, ...]] = ("kl", "drop")

    def _check_parameters(self) -> None:
        super()._check_parameters()
        owner = type(self).__name__
        check_number(owner, "initial_variance", self.initial_variance, 0.0, sys.float_info.max, open_low=True)
        check_number(owner, "min_variance", self.min_variance, 0.0, self.initial_variance)

    def _belief(self) -> Any:
        owner = type(self).__name__
        check_choice(owner, "covariance", self.covariance, ("diagonal", "full"))
        check_choice(owner, "projection", self.projection, self._projections)
        if self.covariance == "full":
            return belief.Full(
                initial_variance=self.initial_variance, min_variance=self.min_variance, average=self.average
            )
        return belief.Diagonal(
            projection=self.projection,
            initial_variance=self.initial_variance,
            min_variance=self.min_variance,
            average=self.average,
        )


def _fault_of(value: float) -> int:
    return int((_core.Fault.nan if value != value else _core.Fault.infinite).value)


def _is_float(dtype: Any) -> bool:
    if isinstance(dtype, str) and dtype in ("float32", "float64"):
        return True
    try:
        return str(np.dtype(dtype)) in ("float32", "float64")
    except TypeError:
        return False


def _columns(X: Any) -> int:
    shape = getattr(X, "shape", None)
    return int(shape[1]) if shape is not None and len(shape) == 2 else 0


def _is_wide(kind: Any) -> bool:
    """Whether numbers of a type, of NumPy's or of a data frame's, would lose digits as float32."""
    try:
        dtype = np.dtype(kind)
    except TypeError:
        return any(name in str(kind).lower() for name in ("float64", "double"))
    return bool(dtype.kind == "O" or (dtype.kind == "f" and dtype.itemsize >= 8))


def _column_types(X: Any) -> list[Any]:
    kinds = X.dtypes
    return list(kinds.values) if hasattr(kinds, "values") and not isinstance(kinds, dict) else list(kinds)
