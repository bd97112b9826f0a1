"""The native learner with its three axes: sizes, growth, rows in, numbers out, state by name."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from .. import _core, task
from ..exceptions import DataError, ParameterError
from .parameters import check_flag
from .rows import Rows, SparseRows, narrowed, refuse

if TYPE_CHECKING:
    import numpy.typing as npt

    from .types import Array, Axis, Numbers, Values


__all__ = ["MEANS", "SCALES", "Native", "Report", "check_scaled", "need_size", "need_whole"]

#: The entries of a state that have one number for each feature, whatever the classes.
SCALES = ("feature_scale", "feature_size", "feature_count")

#: The entry of a state with a row for each feature that has a mean, its column and the mean, in float64.
MEANS = "feature_mean"


def check_scaled(belief: Axis, task: Axis | None, state: Values) -> None:
    """Refuse a state of scaled or centred features for a belief without, and one of scaled targets for such a task.

    Raises
    ------
    DataError
        If it is one.
    """
    scale = getattr(belief, "scale", "none")
    if "feature_size" in state and scale != "typical":
        raise DataError(f"state 'feature_size' belongs to a belief with scale='typical', not to {belief}")
    if "feature_scale" in state and scale == "none":
        raise DataError(f"state 'feature_scale' belongs to a belief with a scale, not to {belief}")
    if (MEANS in state) != (centred := getattr(belief, "center", False)):
        raise DataError(
            f"state {MEANS!r} is missing, where {belief} is from"
            if centred
            else f"state {MEANS!r} belongs to a belief with center=True, not to {belief}"
        )
    measured = getattr(task, "scale", "none") != "none"
    if "targets" in state and not measured:
        raise DataError(f"state 'targets' belongs to a task with scale='typical', not to {task}")
    if measured and "targets" not in state and _has_learned(state):
        raise DataError(f"state 'targets' is missing, where {task} is from")


def _has_learned(state: Values) -> bool:
    """Whether a state is of rows; counters of another kind are refused where they are taken."""
    try:
        return bool(state["counters"][0] > 0)
    except (LookupError, TypeError, ValueError):
        return False


class Report(NamedTuple):
    """What learning some rows did."""

    n_learned: int
    n_mistakes: int
    n_updates: int
    cost: float = 0.0

    def __repr__(self) -> str:
        return f"Report(n_learned={self.n_learned}, n_mistakes={self.n_mistakes}, n_updates={self.n_updates})"


class Native:
    """Task × Rule × Belief as the core learns them; rows come prepared, answers as numbers.

    The parameters are those of `onlinear.Learner`.
    """

    #: Whether rows have been met before, as in a later pass: they do not fit the map to probabilities.
    again = False

    def __init__(
        self,
        *,
        task: Axis | None,
        rule: Axis | None = None,
        belief: Axis,
        dtype: str = "float64",
        n_features: int | None = None,
        n_classes: int | None = None,
        fit_intercept: bool = False,
        initial_mean: npt.ArrayLike | None = None,
        truncation: float | None = None,
        bits: int = 20,
        hash: str = "murmur",
        max_features: int = 1 << 28,
    ) -> None:
        need_whole("bits", bits, 1, 30)
        need_whole("max_features", max_features, 1, 1 << 30)
        if n_features is not None:
            need_whole("n_features", n_features, 0, 1 << 30)
        if n_classes is not None:
            need_whole("n_classes", n_classes, 1, 1 << 30)
        if truncation is not None:
            need_size("truncation", truncation)
        _need_axis("task", task)
        _need_axis("belief", belief)
        if rule is not None or not isinstance(task, _core.task.MulticlassJoint):
            _need_axis("rule", rule)
        dtype = _dtype_of(dtype)
        self.task = task
        self.rule = rule
        self.belief = belief
        self.dtype = dtype
        check_flag("Learner", "fit_intercept", fit_intercept)
        self.fit_intercept = bool(fit_intercept)
        self.truncation = truncation
        self.bits = int(bits)
        self.hash = hash
        self.max_features = int(max_features)
        self._n_classes = None if n_classes is None else int(n_classes)
        self._initial_mean = None if initial_mean is None else _mean_of(initial_mean)
        #: The core's learner once it is made.
        self.core: _core.Learner | None = None
        #: Names of the columns, which the string keys of dicts are matched to; None hashes them.
        self.feature_names: list[str] | None = None
        #: What the keys of dicts mean, and how texts are cut; None where nothing is known of them.
        self.columns: tuple[list[tuple[str, str]], Values] | None = None
        self._check_range()
        # Wrong combinations are refused here, before there is any data.
        if n_features is not None and (n_classes is not None or self._is_single):
            self._start(int(n_features))
        else:
            self._make(1, 2)

    # ------------------------------------------------------------------ the core's learner

    @property
    def _is_single(self) -> bool:
        if isinstance(self.task, task.Ranking):
            return bool(self.task.prototypes == "single")
        return isinstance(self.task, task.Binary | task.Regression | task.OneClass)

    def _check_range(self) -> None:
        """Refuse parameters that the type of the state cannot hold."""
        largest, root = (1e30, 1e14) if self.dtype == "float32" else (1e290, 1e144)
        # The square of delta0 is part of the state when a third class comes.
        for name, low, high in (
            ("initial_variance", 1 / largest, largest),
            ("eta", 1 / largest, largest),
            ("delta0", 0, root),
        ):
            value = getattr(self.belief, name, 1.0)
            if not low <= value <= high:
                raise ParameterError(f"{name} must be in [{low:g}, {high:g}] for {self.dtype}, got {value!r}")

    def _make(self, n_features: int, n_classes: int) -> _core.Learner:
        try:
            handle = _core.Learner(
                self.task,
                self.rule,
                self.belief,
                self.dtype == "float32",
                n_features,
                n_classes,
                self.fit_intercept,
            )
        except ValueError as error:
            raise ParameterError(str(error)) from None
        except MemoryError:
            raise MemoryError(self._room(n_features, n_classes)) from None
        if self.truncation and not handle.set_truncation(self.truncation):
            raise ParameterError(f"{self.belief} has no weights of its own to truncate; leave truncation out")
        return handle

    def grow(self, n_features: int, n_classes: int, expected: int = 0) -> None:
        """Make room for so many features and classes; room for `expected` ones was asked for before."""
        try:
            self.handle.grow(n_features, n_classes)
        except MemoryError:
            raise MemoryError(self._room(n_features, max(n_classes, expected))) from None

    def to_multiclass(self, several: Axis, expected: int = 0) -> None:
        """Go on with a task of several classes, a block of weights for each, where two shared one."""
        before, self.task = self.task, several
        try:
            self.handle.to_multiclass(several)
        except MemoryError:
            message = self._room(self.n_features, max(3, expected))
            self.task = before
            raise MemoryError(message) from None
        if isinstance(several, task.MulticlassJoint):
            self.rule = None

    def _room(self, n_features: int, n_classes: int) -> str:
        """What to say when there is no room for a learner of this size."""
        each = 4 if self.dtype == "float32" else 8
        weights = (n_features + 1) * (1 if self._is_single else n_classes)
        if isinstance(self.belief, _core.belief.Full):
            need = each * weights * weights / 2**30
            return f"a full covariance of {weights} weights needs {need:.1f} GiB; use a diagonal belief"
        numbers = 2 if hasattr(self.belief, "initial_variance") else 1
        return (
            f"{weights} weights ({n_features} features, {n_classes} classes, {each * numbers} bytes each) need at least "
            f"{each * numbers * weights / 2**30:.1f} GiB; use fewer features (hash them to fewer bits) or fewer classes"
            + (", or dtype='float32'" if each == 8 else "")
        )

    def _new_handle(self, n_features: int, n_classes: int | None = None) -> _core.Learner:
        """A native learner of the given size that has learned nothing."""
        if n_features > self.max_features:
            raise DataError(
                f"{n_features} features are more than max_features={self.max_features}; hash them, or raise max_features"
            )
        handle = self._make(n_features, n_classes or self._n_classes or 2)
        handle.use_hashing(self.bits, self.hash)
        if self.columns is not None:
            handle.use_columns(self.columns[0], **self.columns[1])
        handle.set_max_features(self.max_features)
        if self.feature_names is not None:
            handle.name_columns([str(name) for name in self.feature_names])
        return handle

    def _start(self, n_features: int, n_classes: int | None = None) -> _core.Learner:
        """Make the native learner once the sizes are known."""
        handle = self._new_handle(n_features, n_classes)
        if self._initial_mean is not None:
            import numpy as np

            mean = np.atleast_2d(self._initial_mean)
            if mean.shape != (handle.n_blocks, n_features):
                raise ParameterError(
                    f"initial_mean must have shape {(handle.n_blocks, n_features)}, got {self._initial_mean.shape}"
                )
            handle.set_mean(np.ascontiguousarray(mean), np.zeros(handle.n_blocks))
        self.core = handle
        return handle

    @property
    def handle(self) -> _core.Learner:
        """The native learner; made on first use."""
        return self.core if self.core is not None else self._start(0)

    def hash_names(
        self, hash: str, bits: int, columns: tuple[list[tuple[str, str]], Values] | None = None
    ) -> None:
        """Hash the string keys of dicts to ``2**bits`` columns; `columns` say what keys mean, where that is known."""
        self.hash, self.bits, self.columns = hash, bits, columns
        if self.core is not None:
            self.core.use_hashing(bits, hash)
            if columns is not None:
                self.core.use_columns(columns[0], **columns[1])

    def only_predicts(self, handle: Any) -> None:
        """Go on with a handle that refuses to learn, as a model of a compact file does."""
        self.core = handle

    # ------------------------------------------------------------------ learning and reading

    def learn_rows(
        self,
        rows: Rows,
        labels: Array | None,
        sample_weight: Array | None = None,
        *,
        class_weight: Array | None = None,
        balanced: bool = False,
        order: Array | None = None,
        calibrate: bool = True,
        checked: bool = False,
        scores: Array | None = None,
        label_lists: Array | None = None,
        first_row: int = 0,
        late: bool = False,
        record: Array | None = None,
        ranking: Sequence[int] = (),
        asks: bool = False,
    ) -> Report:
        """Learn prepared rows; what `learn` and the estimators stand on.

        `labels` holds int32 class numbers, float64 targets, or None; with `label_lists` it holds the relevant labels of
        all examples, those of example i from ``label_lists[i]`` to ``label_lists[i + 1]``. A refusal counts rows from
        `first_row`. With `late`, rows that the model meets late fit the map to probabilities: these, with `calibrate`;
        without it the map stays as it is. `record`, `ranking` and `asks` come from `Rounds.part`.
        """
        handle = self.handle
        learn = handle.learn_csr if isinstance(rows, SparseRows) else handle.learn_dense
        learned, mistakes, updates, cost, fault, row, column = learn(
            *rows.arguments(),
            labels,
            sample_weight,
            class_weight,
            balanced,
            order,
            calibrate and not self.again,
            checked,
            scores,
            label_lists,
            late,
            record,
            ranking,
            asks,
        )
        if fault:
            raise refuse(fault, first_row + row, column, single_precision=handle.single_precision)
        return Report(learned, mistakes, updates, cost)

    def measure_scores(self, rows: Rows) -> None:
        """Tell the map to probabilities what centre and size the scores of some rows have, as the model is now.

        What was fitted in units of the size these rows had before is then a map for the model as it has become.
        """
        handle = self.handle
        measure = handle.measure_csr if isinstance(rows, SparseRows) else handle.measure_dense
        measure(*rows.arguments())

    def shift_map(self, rows: Rows, labels: Array, weights: Array | None) -> None:
        """Move the offset of the map of two classes to where known rows are in sum what it says of them."""
        handle = self.handle
        shift = handle.shift_map_csr if isinstance(rows, SparseRows) else handle.shift_map_dense
        shift(*rows.arguments(), labels, weights)

    def read_rows(self, rows: Rows, *, variances: bool = False, n_threads: int = 1) -> Array:
        """Scores or variances of prepared rows, shape (n, n_blocks)."""
        rows = self.known_part(rows)
        read = self.handle.read_csr if isinstance(rows, SparseRows) else self.handle.read_dense
        scores: Array = self._read_out(read(*rows.arguments(), variances, n_threads))
        return scores

    def chosen(self, rows: Rows, order: list[int], *, n_threads: int = 1) -> Numbers:
        """The place in `order`, a list of classes, of the one each row is predicted as.

        The class with the highest score, the first of equals in `order`; of two, the second.

        Returns
        -------
        memoryview of int64
        """
        rows = self.known_part(rows)
        best = self.handle.best_csr if isinstance(rows, SparseRows) else self.handle.best_dense
        return self._read_out(best(*rows.arguments(), order, n_threads))

    def known_part(self, rows: Rows) -> Rows:
        """Leave out the columns that nothing has been learned about."""
        handle = self.handle
        if rows.n_columns <= handle.n_features:
            return rows
        return narrowed(rows, handle.n_features, handle.single_precision)

    def _read_out(self, out: Numbers) -> Numbers:
        if isinstance(out, tuple):
            raise refuse(*out, single_precision=self.handle.single_precision, learning=False)
        return out

    @property
    def n_blocks(self) -> int:
        """Blocks of weights: 1 for two classes, else one per class."""
        return int(self.handle.n_blocks)

    @property
    def n_features(self) -> int:
        """Features known so far."""
        return int(self.handle.n_features)

    @property
    def n_seen(self) -> int:
        """Rounds so far: examples of positive weight."""
        return int(self.handle.n_seen)

    @property
    def n_updates(self) -> int:
        """Rounds that moved the mean or the covariance."""
        return int(self.handle.n_updates)

    @property
    def n_mistakes(self) -> int:
        """Rounds whose prediction was wrong before learning."""
        return int(self.handle.n_mistakes)

    @property
    def total_cost(self) -> float:
        """Cost of all predictions made before learning, for tasks that measure one.

        The sum of the cost matrix's entries, of absolute errors (regression), of distances outside the ball (one class).
        """
        return float(self.handle.total_cost)

    def truncate(self, sigma: float) -> None:
        """Zero the smallest weights: in rising order of size, as long as their squares sum to less than `sigma`."""
        need_size("sigma", sigma)
        if not self.handle.truncate(sigma):
            raise ParameterError(f"{self.belief} has no weights of its own to truncate")

    def feature_means(self) -> Array:
        """What is taken from every feature before it is learned or read: 0 where nothing is."""
        import numpy as np

        means = np.zeros(self.n_features)
        if getattr(self.belief, "center", False):
            table = np.asarray(self.handle.state_part(MEANS, (0, self.n_features), (0, 2)))
            means[table[:, 0].astype(np.intp)] = table[:, 1]
        return means

    # ------------------------------------------------------------------ state

    def state(self) -> Values:
        """The whole state, by name: arrays and numbers, enough to go on bit for bit."""
        state: Values = self.handle.state()
        return state

    def load_state(
        self, state: Values, *, n_features: int | None = None, n_classes: int | None = None
    ) -> None:
        """Take over a state made by `state` of a learner with the same axes."""
        import numpy as np

        if n_features is not None:
            need_whole("n_features", n_features, 0, 1 << 30)
        if n_classes is not None:
            need_whole("n_classes", n_classes, 1, 1 << 30)
        try:
            if "shape" in state:  # a kernel belief holds examples, not weights, and says its sizes
                blocks, slots = (int(size) for size in np.ravel(state["shape"]))
            else:
                blocks, slots = next(
                    value.shape
                    for name, value in state.items()
                    if isinstance(value, np.ndarray) and value.ndim == 2 and name not in (*SCALES, MEANS)
                )
        except (AttributeError, StopIteration, TypeError, ValueError):
            raise DataError(f"state must be what Learner.state() gives, got {_shortly(state)}") from None
        check_scaled(self.belief, self.task, state)
        handle = self._new_handle(n_features if n_features is not None else slots - 1, n_classes or blocks)
        try:
            handle.load_state({key: contiguous(value) for key, value in state.items()})
        except ValueError as error:
            raise DataError(str(error)) from None
        except RuntimeError as error:
            if "bad_cast" not in str(error):
                raise
            raise DataError(
                "state must hold arrays and numbers by name, as Learner.state() gives them"
            ) from None
        self.core = handle

    def digest(self) -> str:
        """A hash of the whole state; equal digests mean equal bits."""
        import hashlib

        import numpy as np

        digest = hashlib.sha256()
        for name, value in sorted(self.state().items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(value).tobytes())
        return digest.hexdigest()

    def __getstate__(self) -> Values:
        fields = {key: value for key, value in vars(self).items() if key != "core"}
        fields["_saved"] = None if self.core is None else (self.core.state(), self.core.words())
        return fields

    def name_columns(self, names: list[str]) -> None:
        """Match the string keys of dicts to these columns instead of hashing them."""
        try:
            self.handle.name_columns(names)
        except TypeError:
            raise DataError(f"names must be a list of strings of valid Unicode, got {names!a}") from None
        self.feature_names = names

    def __setstate__(self, fields: Values) -> None:
        saved = fields.pop("_saved")
        vars(self).update(fields)
        self.core = None
        if saved is not None:
            state, words = saved
            self.load_state(state)
            self.handle.remember_words(words)

    def copy(self) -> Self:
        """An independent copy."""
        twin = object.__new__(type(self))
        vars(twin).update(vars(self))
        twin.core = None if self.core is None else self.core.copy()
        return twin

    def __repr__(self) -> str:
        return f"{type(self).__name__}(task={self.task}, rule={self.rule}, belief={self.belief}, dtype={self.dtype!r})"


def need_whole(name: str, value: Any, low: int, high: int) -> None:
    """Raise unless `value` is a whole number in range."""
    if type(value) is int and low <= value <= high:
        return
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    good = isinstance(value, int) and not isinstance(value, bool)
    good = good or (kind in ("i", "u") and getattr(value, "ndim", 1) == 0)
    if not good or not low <= value <= high:
        raise ParameterError(f"{name} must be a whole number in [{low}, {high}], got {value!r}")


def need_size(name: str, value: float) -> None:
    """Raise unless `value` is finite and not negative."""
    try:
        good = not isinstance(value, bool) and bool(0 <= value <= sys.float_info.max)
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ParameterError(f"{name} must be at least 0 and finite, got {value!r}")


def _need_axis(name: str, value: object) -> None:
    """Raise unless `value` is an object of one of the three axes."""
    if not isinstance(value, _axis(name)):
        example = {"task": "Binary", "rule": "Arow", "belief": "Diagonal"}[name]
        raise ParameterError(
            f"{name} must be an object from onlinear.{name}, such as {name}.{example}(), got {value!r}"
        )


@cache
def _axis(name: str) -> tuple[type, ...]:
    return tuple(kind for kind in vars(getattr(_core, name)).values() if hasattr(kind, "parameters"))


def _dtype_of(given: npt.DTypeLike) -> str:
    if given in ("float32", "float64"):
        return str(given)
    import numpy as np

    try:
        dtype = str(np.dtype(given))
    except (TypeError, ValueError, OverflowError):
        dtype = ""
    if dtype not in ("float32", "float64"):
        raise ParameterError(f"dtype must be 'float32' or 'float64', got {given!r}")
    return dtype


def _mean_of(given: npt.ArrayLike) -> Array:
    import numpy as np

    try:
        mean = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        mean = np.asarray(np.nan)
    if not np.all(np.isfinite(mean)):
        raise ParameterError(f"initial_mean must be an array of finite numbers, got {given!r}")
    return mean


def _shortly(value: object) -> str:
    return f"a dict of {', '.join(map(repr, value))}" if isinstance(value, dict) and value else repr(value)


def contiguous(value: Numbers) -> Numbers:
    """Arrays laid out as the core reads them; other values as they are."""
    import numpy as np

    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else value
