"""Checks of parameters, and advice where one fails."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any, Literal, get_args, get_origin

from ..exceptions import ParameterError

__all__ = [
    "check_choice",
    "check_class_weight",
    "check_declared",
    "check_flag",
    "check_number",
    "check_numbers",
    "declared_choices",
]

#: A whole number of more bits may have more than the 4,300 digits that Python reads out of a file.
MOST_BITS = 14_000

ADVICE = {
    "r": "Try r=1.0; larger values resist label noise.",
    "C": "Try C=1.0; smaller values resist label noise.",
    "phi": "Leave phi=None and set confidence, or give a number such as 1.28.",
    "confidence": "Try confidence=0.9; it is the probability with which an example should be right.",
    "b": "Try the default.",
    "passes": "Try passes=1 for one look at each example.",
    "initial_variance": "Try initial_variance=1.0.",
}


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
    high = min(high, sys.maxsize) if whole else high
    good = isinstance(value, int | float) and not isinstance(value, bool) if not whole else _is_whole(value)
    if not good and not whole:
        good = hasattr(value, "dtype") and getattr(value, "ndim", 1) == 0 and value.dtype.kind in "fiu"
    if good and not whole and isinstance(value, int):
        good = abs(value) <= sys.float_info.max
    # A narrow type of NumPy's does not hold the bounds, and warns of it.
    size = float(value) if good and not isinstance(value, int | float) and not whole else value
    if not good or not (size > low if open_low else size >= low) or not size <= high:
        bound = f"{'greater than' if open_low else 'at least'} {low:g}" + (
            "" if high in (float("inf"), sys.maxsize) else f" and at most {high:g}"
        )
        advice = ADVICE.get(name, "")
        raise ParameterError(f"{owner}: {name} must be {kind}, {bound}, got {told(value)}. {advice}".rstrip())


def told(value: object) -> str:
    """A value as messages show it; Python does not write all whole numbers."""
    if isinstance(value, int) and value.bit_length() > MOST_BITS:
        return f"a number of {value.bit_length()} bits"
    return repr(value)


def check_flag(owner: str, name: str, value: object) -> None:
    """Raise `ParameterError` unless `value` is True or False."""
    if type(value).__name__ not in ("bool", "bool_"):  # Python's and NumPy's, without importing NumPy
        raise ParameterError(f"{owner}: {name} must be True or False, got {value!r}.")


@cache
def declared_choices(cls: Any) -> dict[str, tuple[object, ...] | None]:
    """The parameters of a recipe declared as flags (None) or as one of several words (the words)."""
    declared: dict[str, tuple[object, ...] | None] = {}
    for field in fields(cls):
        if field.type is bool:
            declared[field.name] = None
        elif get_origin(field.type) is Literal:
            declared[field.name] = get_args(field.type)
    return declared


def check_declared(recipe: Any, owner: str) -> None:
    """Check flags and words against their declarations."""
    cls: Any = type(recipe)
    for name, choices in declared_choices(cls).items():
        if choices is None:
            check_flag(owner, name, getattr(recipe, name))
        else:
            check_choice(owner, name, getattr(recipe, name), choices)


def _is_whole(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (
        hasattr(value, "dtype") and value.dtype.kind in "iu" and value.ndim == 0
    )


def check_choice(owner: str, name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise `ParameterError` unless `value` is one of `choices`."""
    for choice in choices:
        if value is choice or (type(value) is type(choice) and value == choice):
            return
    import difflib

    listed = ", ".join(repr(choice) for choice in choices)
    near = difflib.get_close_matches(str(value), [str(c) for c in choices], 1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    raise ParameterError(f"{owner}: {name} must be one of {listed}, got {value!r}.{hint}")


def check_class_weight(owner: str, value: object) -> None:
    """Raise `ParameterError` unless `value` can be the weights of classes."""
    if isinstance(value, Mapping):
        for label, weight in value.items():
            if not isinstance(label, str | int | float) and not hasattr(label, "item"):  # as NumPy's have
                raise ParameterError(f"{owner}: class_weight must have classes for keys, got {label!r}.")
            if isinstance(label, int) and label.bit_length() > MOST_BITS:
                raise ParameterError(f"{owner}: class_weight has {told(label)} for a key, which is no class.")
            check_number(owner, f"class_weight[{label!r}]", weight, 0.0, sys.float_info.max)
    else:
        check_choice(owner, "class_weight", value, ("balanced", None))


def check_numbers(owner: str, name: str, value: object) -> None:
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
