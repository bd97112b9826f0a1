"""The model: what every estimator, the command line and a model file hold.

A model is a recipe (parameters and the axes they mean), a schema (how rows become columns), labels, the native learner
with its calibration and counters, and a way back from what is refused. It imports neither scikit-learn nor NumPy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, ClassVar

from .. import _core, belief
from ..exceptions import DataError, NotAvailableError, ParameterError
from ..io._settings import TextSettings
from .labels import Labels
from .native import Native
from .parameters import not_with_learned, with_advice
from .recipe import OfRows, Recipe, state_type
from .rows import Rows, SparseRows, refuse, refuse_dict
from .schema import OLDER, Schema
from .undo import Undo
from .weights import need_weight

if TYPE_CHECKING:
    from .stream import RowStream
    from .types import Array, Axis, Features, Label, Numbers, Values


__all__ = ["Model", "RowModel"]


class Model(ABC):
    """What all models share, of rows and of sequences.

    Parameters
    ----------
    recipe : Recipe
        The algorithm and its parameters, which who makes a model has checked.
    """

    #: Whether there are classes.
    has_classes: ClassVar[bool] = False

    def __init__(self, recipe: Recipe) -> None:
        self.recipe: Any = recipe
        #: The learner; None before anything is learned.
        self.native: Any = None
        self.n_passes: int | None = None

    @abstractmethod
    def follow(self, recipe: Any) -> None:
        """Go on with other parameters: a new learner takes over the state.

        Raises
        ------
        ParameterError
            If they do not go with what has been learned; everything is as before.
        """

    @property
    @abstractmethod
    def n_seen(self) -> int:
        """Rounds so far: examples of positive weight."""

    @property
    @abstractmethod
    def n_updates(self) -> int:
        """Rounds that changed the model."""

    @property
    @abstractmethod
    def n_mistakes(self) -> int:
        """Rounds predicted wrongly before learning."""

    @abstractmethod
    def digest(self) -> str:
        """A hash of everything learned; equal digests mean equal models, bit for bit."""

    def parts(self) -> tuple[Values, Values] | None:
        """What a file holds, description and tensors; None where the learner's state is written piece by piece."""
        return None

    def take_parts(self, content: Values, tensors: Values) -> None:
        """Take over what `parts` gave; everything in it is checked before it is used."""
        raise TypeError(f"{type(self).__name__} is not written in parts")


class RowModel(Model):
    """A model whose examples are rows; one subclass for each task says how it starts and what its answers are."""

    #: What the task counts beside the learner; goes back when a call is refused, and into the file.
    counted: ClassVar[tuple[str, ...]] = ("n_passes",)

    def __init__(self, recipe: OfRows) -> None:
        super().__init__(recipe)
        self.schema = Schema(recipe.bits, recipe.max_features)
        self.labels = Labels()
        self.native: Native | None = None
        #: Words of hashed columns that a batch brings, which are kept once it is learned.
        self.new_words: dict[int, str] = {}

    # ------------------------------------------------------------------ what a task says

    def start(self, n_features: int, classes: Array | list[Label], dtype: str, *, anew: bool = True) -> None:
        """Make the learner; `classes` are those known at the start, none where the task has none.

        It is not `anew` when a state is about to be loaded into it.
        """
        rule, known = self.recipe.make_axes()
        self.native = self._made(self.recipe.make_task(), rule, known, n_features, None, dtype, anew=anew)

    def stream(self, **options: Any) -> RowStream:
        """The model at the end of a stream of rows; `options` are those of `RowStream`."""
        raise TypeError(f"{self.recipe.owner} does not say how it learns a stream")

    def extras(self) -> Values:
        """What a model file must hold beside parameters and the learner's state, as plain JSON values."""
        return {}

    def take_extras(self, extras: Values) -> None:
        """Take over what `extras` gave."""

    # ------------------------------------------------------------------ getting ready

    @property
    def learner(self) -> Native:
        """The learner, once there is one."""
        if self.native is None:
            raise RuntimeError(f"{self.recipe.owner} has learned nothing yet")
        return self.native

    def _made(
        self,
        asked: Axis | None,
        rule: Axis | None,
        known: Axis,
        n_features: int,
        n_classes: int | None,
        dtype: str,
        *,
        anew: bool = True,
    ) -> Native:
        """Put the axes together; what does not go together is refused in the owner's name."""
        recipe = self.recipe
        try:
            native = Native(
                task=asked,
                rule=rule,
                belief=known,
                dtype=dtype,
                n_features=n_features,
                n_classes=n_classes,
                fit_intercept=recipe.has_intercept(),
                initial_mean=recipe.initial_mean if anew else None,
                truncation=recipe.truncated_by(),
                bits=self.schema.bits,
                hash=self.schema.hash_of_names,
                max_features=recipe.max_features,
            )
        except ParameterError as error:
            raise ParameterError(with_advice(recipe.owner, str(error))) from None
        self.schema.max_features, self.schema.bits = native.max_features, native.bits
        native.hash_names(self.schema.hash_of_names, self.schema.bits, self.schema.of_dicts())
        if self.schema.names is not None:
            native.name_columns(self.schema.names)
        return native

    def follow(self, recipe: Any) -> None:
        """Go on with other parameters: a new learner takes over the state.

        Raises
        ------
        ParameterError
            If they do not go with what has been learned; everything is as before.
        """
        recipe.repeats = self.recipe.repeats
        if self.native is None:
            self.schema.bits = recipe.bits
            self.recipe = recipe
            return
        undo, before, labels, learner = Undo.of_names(self), self.recipe, self.labels, self.native
        if recipe.bits != before.bits:
            self.schema.bits = recipe.bits
        self.recipe, self.labels = recipe, Labels()
        try:
            recipe.check()
            self.start(learner.n_features, list(labels.names), learner.dtype, anew=False)
            self.learner.load_state(learner.state())
            self.learner.handle.remember_words(learner.handle.words())
        except (ParameterError, DataError) as error:
            undo.back()
            self.recipe = before
            raise not_with_learned(recipe.owner, error) from None
        self.labels = labels

    def dict_dtype(self) -> str:
        """The type of the state when dicts are learned."""
        return (
            self.native.dtype if self.native is not None else state_type(self.recipe.dtype or "float32") or ""
        )

    def inspect(self, rows: Rows, dtype: str) -> None:
        """Refuse bad rows before anything is changed for their sake."""
        look = _core.inspect_csr if isinstance(rows, SparseRows) else _core.inspect_dense
        fault, row, column = look(*rows.arguments(), dtype == "float32")
        if fault:
            raise refuse(fault, row, column, single_precision=dtype == "float32")

    def are_weightless(self, rows: Rows, weights: Array | None, dtype: str) -> bool:
        """Whether rows that may bring something new have no weight: then they are checked and bring nothing."""
        if weights is None or weights.any():
            return False
        self.inspect(rows, dtype if self.native is None else self.native.dtype)
        return True

    def make_room(self, rows: Rows, dtype: str, *, anew: bool) -> None:
        """Make the learner of a task without classes, or room in it for rows that can be learned.

        A new learner needs no look at the rows: what was there before is put back when they are refused.
        """
        if anew:
            self.labels = Labels()
            self.start(rows.n_columns, [], dtype)
            self.n_passes = 0
            return
        learner = self.learner
        self.inspect(rows, learner.dtype)
        if rows.n_columns > learner.n_features:
            learner.grow(rows.n_columns, 1)

    # ------------------------------------------------------------------ dicts

    def learn_dict(
        self,
        x: Features,
        w: float,
        *,
        label: int = 0,
        target: float = 0.0,
        relevant: Sequence[int] | None = None,
        factor: float | None = None,
        balanced: bool = False,
    ) -> None:
        """Learn one example from a dict; `factor` is the weight of its class."""
        learner = self.learner
        handle = learner.handle
        before = handle.n_features
        try:
            fault, row, column = handle.learn_dict(
                x, label, target, w, factor, balanced, relevant, not learner.again
            )
        except TypeError:
            need_weight(w)
            raise
        except ValueError as error:
            raise DataError(str(error), 0) from error
        except MemoryError:
            full = isinstance(learner.belief, belief.Full)
            remedy = ", or use covariance='diagonal'" if full else ""
            raise MemoryError(
                f"{self.recipe.owner}: no room for the features of this dict; lower bits (now {learner.bits}){remedy}"
            ) from None
        if fault:
            raise refuse_dict(x, fault, row, column, single_precision=handle.single_precision, w=w)
        if self.schema.names is not None and handle.n_features != before:
            self.schema.names += handle.fresh_names

    def is_weightless(self, x: Features, w: object, dtype: str) -> bool:
        """Whether an example that would bring something new has no weight: then it is checked and brings nothing."""
        need_weight(w)
        if w == 0:
            single = dtype == "float32"
            try:
                fault, row, column = _core.check_dict(x, single, self.recipe.max_features)
            except ValueError as error:
                raise DataError(str(error), 0) from error
            if fault:
                raise refuse_dict(x, fault, row, column, single_precision=single)
        return bool(w == 0)

    def read_dict(self, x: Features, *, variances: bool = False) -> Numbers:
        """Scores or variances of one dict, a number for each block."""
        learner = self.learner
        try:
            out = learner.handle.read_dict(x, variances)
        except ValueError as error:
            raise DataError(str(error), 0) from error
        if isinstance(out, tuple):
            raise refuse_dict(x, *out, single_precision=learner.dtype == "float32")
        return out

    # ------------------------------------------------------------------ what it knows

    def with_variance(self) -> Native:
        """The learner, where it keeps variances."""
        learner = self.learner
        if getattr(learner.handle, "compact", False):
            raise NotAvailableError(
                "this is a compact export, which keeps the means alone and no variances; predict with the whole "
                "model it was made from"
            )
        if not learner.handle.has_variance:
            recipe = self.recipe
            raise NotAvailableError(f"{recipe.owner} keeps no variances; use {recipe.with_variances}")
        return learner

    def take_schema(self, given: Values | None) -> None:
        """Take over how the rows of a file became columns, or check that the model knows them so.

        Raises
        ------
        DataError
            If the same names are other columns to the model.
        """
        self.settle_schema()
        if given is not None and self.schema.take(given):
            self.tell_names()

    def tell_names(self) -> None:
        """Tell the learner how names become columns, and what the keys of dicts mean."""
        if self.native is not None:
            schema = self.schema
            self.native.hash_names(schema.hash_of_names, schema.bits, schema.of_dicts())

    def settle_schema(self) -> None:
        """Dicts that were learned have decided how names are hashed, and which keys are texts."""
        if self.native is None:
            return
        schema, handle = self.schema, self.native.handle
        if schema.hash is None and handle.any_hashed:
            schema.hash = self.native.hash
        if schema.hash not in (None, OLDER) and schema.text is None and handle.any_cut:
            schema.columns = {**schema.columns, "text": "text"}
            schema.text = TextSettings().described()

    def keep_words(self) -> None:
        """Keep the words of what has been learned."""
        if self.new_words and self.native is not None:
            self.native.handle.remember_words(self.new_words, True)
        self.new_words = {}

    def take_words(self, words: Mapping[int, str], hash: str, bits: int) -> None:
        """Remember the words behind columns that were hashed elsewhere; nothing where names are other columns here."""
        if self.native is None or self.schema.names is not None:
            return
        try:
            self.take_schema({"hash": hash, "bits": bits})
        except DataError:
            return
        known = self.native.n_features
        self.native.handle.remember_words({column: words[column] for column in words if column < known})

    def feature_names(self) -> Callable[[int], str]:
        """What the columns are called, as of now: a name, or the number of one that has none."""
        names, words = self.schema.names or [], self.learner.handle.words()
        return lambda column: names[column] if column < len(names) else words.get(column, f"x{column}")

    def feature_name(self, column: int) -> str:
        """The name of a column; its number where it has none."""
        return self.feature_names()(column)

    # ------------------------------------------------------------------ counts

    @property
    def n_seen(self) -> int:
        """Rounds so far: examples of positive weight."""
        return self.learner.n_seen

    @property
    def n_updates(self) -> int:
        """Rounds that changed the model."""
        return self.learner.n_updates

    @property
    def n_mistakes(self) -> int:
        """Rounds predicted wrongly before learning."""
        return self.learner.n_mistakes

    def digest(self) -> str:
        """A hash of everything learned; equal digests mean equal models, bit for bit."""
        return self.learner.digest()

    def copy(self) -> RowModel:
        """An independent copy."""
        twin = copy(self)
        twin.schema = copy(self.schema)
        twin.schema.names = None if self.schema.names is None else list(self.schema.names)
        twin.labels = self.labels.copy()
        twin.native = None if self.native is None else self.native.copy()
        return twin
