"""What is common to the parameters of all estimators: checks, advice, documentation."""

from __future__ import annotations

import inspect
import re
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from types import FunctionType
from typing import Any, Literal, Self, TypeVar, dataclass_transform, get_args, get_origin

from .._lean import is_lean
from ..exceptions import ParameterError

__all__ = ["check_choice", "check_declared", "check_flag", "check_number", "estimator"]

T = TypeVar("T")

ADVICE = {
    "r": "Try r=1.0; larger values resist label noise.",
    "C": "Try C=1.0; smaller values resist label noise.",
    "phi": "Leave phi=None and set confidence, or give a number such as 1.28.",
    "confidence": "Try confidence=0.9; it is the probability with which an example should be right.",
    "b": "Try the default.",
    "passes": "Try passes=1 for one look at each example.",
    "initial_variance": "Try initial_variance=1.0.",
}

SHARED_PARAMETERS = """\
fit_intercept : bool, default=True
    Whether to add a feature that is always 1; it takes part in margin and variance like any other.
passes : int, default=10
    Passes `fit` makes over the data. `partial_fit`, `learn_one` and streams always make one.
shuffle : bool, default=True
    Whether `fit` visits the examples in a new random order on every pass.
early_stopping : bool, default=True
    Whether `fit` stops when the progressive error of a pass is no longer better than the best one by `tol`.
tol : float, default=1e-3
    What counts as better.
n_iter_no_change : int, default=2
    Passes without improvement before `fit` stops. More than `passes` asks for that many passes on top,
    unless `passes` is 1.
class_weight : dict, "balanced" or None, default=None
    Weights of the classes; "balanced" also works while streaming, with the counts so far.
cost_matrix : array of shape (n_classes, n_classes) or dict of dicts, default=None
    Cost of answering ``classes_[j]`` where ``classes_[i]`` is right; zero on the diagonal. A dict
    ``{right class: {answer: cost}}`` names the classes and suits streams; what it leaves out costs nothing.
cost_update : {"prediction", "max_loss"}, default="prediction"
    With a `cost_matrix`: learn against the prediction, or against the class whose loss with its cost is largest.
average : bool, default=False
    Whether to predict with the mean of the weights over all rounds.
warm_start : bool, default=False
    Whether `fit` goes on from where the last `fit` stopped.
initial_mean : array of shape (n_classes, n_features) or (n_features,), default=None
    Where the weights start.
dtype : {None, "float32", "float64"}, default=None
    Type of the weights; None takes float64 if the first array is float64, else float32.
bits : int, default=20
    String keys of dicts are hashed to ``2**bits`` columns when the model knows no feature names.
max_features : int, default=2**28
    A feature index at or past this is refused. Room is made for every index up to the highest: a single one of 2**28
    takes 1 GiB for each number that is kept of a weight in float32 (two with variances), and with more than two classes
    as much for each.
grow_features : bool, default=False
    Whether later arrays may have more columns than the first. Dicts always may.
n_jobs : int or None, default=None
    Threads for prediction; -1 uses all processors. Learning is sequential by nature.
random_state : int, RandomState instance or None, default=None
    Seed of the shuffling."""

SHARED_ATTRIBUTES = """\
classes_ : ndarray of shape (n_classes,)
    The class labels, sorted.
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    The weights.
intercept_ : ndarray of shape (1,) or (n_classes,)
    The intercepts.
coef_std_ : ndarray shaped as `coef_`
    Standard deviation of every weight, for learners that keep a covariance.
n_seen_, n_updates_, n_mistakes_ : int
    Rounds, rounds that changed the model, and rounds predicted wrongly before learning.
total_cost_ : float
    Cost of all predictions made before learning, with a `cost_matrix`.
n_passes_ : int
    Passes made by `fit`.
n_features_in_ : int
    Features known.
feature_names_in_ : ndarray of str
    Their names, when `fit` saw any."""


#: Of methods: what their arguments mean where they do not say otherwise.
SHARED_ARGUMENTS = """\
X : array, data frame or sparse matrix of shape (n_samples, n_features)
    The examples.
sample_weight : array of shape (n_samples,), optional
    Example weights; 0 is an exact no-op.
x : dict
    Feature names (or column numbers) and their values. String values are categories.
w : float, default=1.0
    Its weight."""


@dataclass_transform(kw_only_default=True)
def estimator(cls: type[T]) -> type[T]:
    """Make a keyword-only dataclass of an estimator and join the shared documentation to its own."""
    made = dataclass(kw_only=True, eq=False, repr=False)(cls)
    if is_lean():  # a command that nobody asks for documentation
        return made
    for name, method in vars(cls).items():
        if isinstance(method, FunctionType) and method.__doc__ and not name.startswith("_"):
            _document(method)
    document = inspect.cleandoc(made.__doc__ or "")
    fields: dict[str, Any] = made.__dataclass_fields__  # type: ignore[attr-defined]
    for heading, shared, known in (
        ("Parameters", getattr(made, "_shared_parameters", "") + SHARED_PARAMETERS, set(fields)),
        ("Attributes", SHARED_ATTRIBUTES, {*dir(made), *_SET_BY_FIT}),
    ):
        wanted = [
            entry for name, entry in _entries(shared) if name in known and f"\n{name} : " not in document
        ]
        document = _join(document, heading, "\n".join(wanted))
    made.__doc__ = document
    return made


def _document(method: FunctionType) -> None:
    """Join what methods share to the documentation of one: arguments in their order, and that it returns self."""
    title = "Parameters\n----------\n"
    head, *sections = re.split(r"\n\n(?=[A-Z]\w+\n-+\n)", inspect.cleandoc(method.__doc__ or ""))
    own = sections.pop(0).removeprefix(title) if sections and sections[0].startswith(title) else ""
    code = method.__code__
    arguments = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    entries = dict(_entries(SHARED_ARGUMENTS)) | (dict(_entries(own)) if own else {})
    listed = "\n".join(entries[name] for name in arguments if name in entries)
    if listed:
        sections.insert(0, title + listed)
    if _returned(method) in ("Self", Self) and "Returns\n-------\nself" not in sections:
        sections.append("Returns\n-------\nself")
    method.__doc__ = "\n\n".join([head, *sections])


def _returned(method: FunctionType) -> Any:
    """What a method says it returns; from 3.14 on as text, because its types may be there for checkers alone."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(method, format=annotationlib.Format.STRING).get("return")
    return method.__annotations__.get("return")


#: Attributes of instances, which the class itself does not show.
_SET_BY_FIT = ("n_passes_", "n_features_in_", "feature_names_in_")


def _entries(text: str) -> list[tuple[str, str]]:
    """The entries of a numpydoc section, each with the first name it documents."""
    entries = re.split(r"\n(?=\S)", text)
    return [(re.split(r"[ ,]", entry, maxsplit=1)[0], entry) for entry in entries]


def _join(document: str, heading: str, text: str) -> str:
    """Put `text` at the end of a numpydoc section, which is made where it is missing."""
    title = f"{heading}\n{'-' * len(heading)}\n"
    order = ["Parameters", "Attributes", "See Also", "Notes", "References", "Examples"]
    later = [f"{name}\n{'-' * len(name)}\n" for name in order[order.index(heading) + 1 :]]
    ends = [position for position in (document.find(name) for name in later) if position >= 0]
    end = min(ends, default=len(document))
    section = "" if title in document else title
    return f"{document[:end].rstrip()}\n{'' if not section else chr(10)}{section}{text}\n\n{document[end:]}"


def not_with_learned(owner: str, error: Exception) -> ParameterError:
    """What to say of parameters that were changed and do not fit what has been learned."""
    return ParameterError(
        f"{owner}: what set_params changed does not go with what has been learned: {error}. "
        "Set it back, or let fit start anew."
    )


def check_number(
    owner: str,
    name: str,
    value: Any,
    low: float,
    high: float = float("inf"),
    *,
    whole: bool = False,
    open_low: bool = False,
) -> None:
    """Raise `ParameterError` unless `value` is a number in range."""
    kind = "a whole number" if whole else "a number"
    good = isinstance(value, int | float) and not isinstance(value, bool) if not whole else _is_whole(value)
    if not good and not whole:
        good = hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0 and value.dtype.kind in "fiu"
    if good and not whole and isinstance(value, int):
        good = abs(value) <= sys.float_info.max
    if not good or not (value > low if open_low else value >= low) or not value <= high:
        bound = f"{'greater than' if open_low else 'at least'} {low:g}" + (
            "" if high == float("inf") else f" and at most {high:g}"
        )
        advice = ADVICE.get(name, "")
        raise ParameterError(f"{owner}: {name} must be {kind}, {bound}, got {value!r}. {advice}".rstrip())


def check_flag(owner: str, name: str, value: Any) -> None:
    """Raise `ParameterError` unless `value` is True or False."""
    if type(value).__name__ not in ("bool", "bool_"):  # Python's and NumPy's, without importing NumPy
        raise ParameterError(f"{owner}: {name} must be True or False, got {value!r}.")


@cache
def declared_choices(cls: type) -> dict[str, tuple[Any, ...] | None]:
    """The parameters of `cls` declared as flags (None) or as one of several words (the words)."""
    declared: dict[str, tuple[Any, ...] | None] = {}
    # The dataclass has kept every annotation, as text or not: where classes keep theirs depends on the version of
    # Python (PEP 649).
    for name, field in cls.__dataclass_fields__.items():  # type: ignore[attr-defined]
        hint = field.type
        if hint in ("bool", bool):
            declared[name] = None
        elif get_origin(hint) is Literal:
            declared[name] = get_args(hint)
        elif isinstance(hint, str) and hint.startswith("Literal["):
            # By hand: typing.get_type_hints would look up every type, and import NumPy for some of them.
            with suppress(NameError, TypeError):  # words, or something else as well
                declared[name] = eval(hint, {"Literal": _Words})
    return declared


class _Words:
    """Stands for Literal: what is in its brackets, as a tuple."""

    def __class_getitem__(cls, words: Any) -> tuple[Any, ...]:
        return words if isinstance(words, tuple) else (words,)


def check_declared(model: Any) -> None:
    """Check flags and words against their declarations."""
    owner = type(model).__name__
    for name, choices in declared_choices(_class_of(model)).items():
        if choices is None:
            check_flag(owner, name, getattr(model, name))
        else:
            check_choice(owner, name, getattr(model, name), choices)


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (
        hasattr(value, "dtype") and value.dtype.kind in "iu" and value.ndim == 0
    )


def check_choice(owner: str, name: str, value: Any, choices: tuple[Any, ...]) -> None:
    """Raise `ParameterError` unless `value` is one of `choices`."""
    if not any(value is choice or (type(value) is type(choice) and value == choice) for choice in choices):
        import difflib

        listed = ", ".join(repr(choice) for choice in choices)
        near = difflib.get_close_matches(str(value), [str(c) for c in choices], 1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(f"{owner}: {name} must be one of {listed}, got {value!r}.{hint}")


def check_numbers(owner: str, name: str, value: Any) -> None:
    """Raise `ParameterError` unless `value` is an array of finite numbers."""
    import numpy as np

    try:
        good = bool(np.all(np.isfinite(np.asarray(value, dtype=np.float64))))
    except (TypeError, ValueError, OverflowError):
        good = False
    if not good:
        raise ParameterError(f"{owner}: {name} must be an array of finite numbers, got {value!r}.")


def with_advice(owner: str, message: str) -> str:
    """The core's message about a parameter, with its owner and what to try."""
    return f"{owner}: {message}. {ADVICE.get(message.split(' ', 1)[0], '')}".rstrip()


def _class_of(model: Any) -> Any:
    return type(model)
