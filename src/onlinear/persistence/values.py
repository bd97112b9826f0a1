"""Parameters, labels and estimators as the plain JSON values of a model file, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .. import _HOMES
from .._numpy import np
from ..exceptions import ModelFileError

__all__ = ["estimator_class", "label", "made", "plain", "restored"]


def plain(value: Any) -> Any:
    """A parameter or label as JSON; random generators, which are not part of a model, become null."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Mapping):
        return {"pairs": [[plain(key), plain(item)] for key, item in value.items()]}
    if isinstance(value, np.ndarray | list | tuple):
        return {"array": np.asarray(value).tolist()}
    if type(value).__name__ in _HOMES and hasattr(value, "get_params"):
        parameters = value.get_params(deep=False)
        return {
            "estimator": type(value).__name__,
            "parameters": {name: plain(item) for name, item in parameters.items()},
        }
    return None


def restored(value: Any) -> Any:
    """The inverse of `plain`."""
    if isinstance(value, dict):
        if set(value) == {"pairs"}:
            return {restored(key): restored(item) for key, item in value["pairs"]}
        if set(value) == {"array"}:
            return np.asarray(value["array"])
        if set(value) == {"estimator", "parameters"}:
            return made(value["estimator"], value["parameters"])
        raise ModelFileError("a parameter is neither a number, a string, pairs nor an array")
    return value


def label(value: Any) -> Any:
    """A class label that JSON can hold exactly."""
    if not isinstance(value, bool | int | float | str):
        raise ModelFileError(
            f"a class label of type {type(value).__name__} cannot be saved; use strings or numbers"
        )
    return value


def made(name: Any, parameters: dict[str, Any]) -> Any:
    """One of our estimators, by name, from plain parameters."""
    return estimator_class(name)(**{key: restored(value) for key, value in parameters.items()})


def estimator_class(name: Any) -> Any:
    """One of our estimators' classes, by name."""
    import onlinear

    if not isinstance(name, str) or name not in _HOMES:
        raise ModelFileError(f"unknown estimator {name!r}")
    cls = getattr(onlinear, name)
    if not hasattr(cls, "__dataclass_fields__"):
        raise ModelFileError(f"unknown estimator {name!r}")
    return cls
