"""Linear models that learn one example at a time and know how sure they are.

The public names are imported when they are first used, so that ``import onlinear`` costs next to nothing and
the command line starts without scikit-learn.
"""

from __future__ import annotations

from importlib import import_module

from .algorithms.index import RECIPES

# Not from typing, whose import takes longer than this package's: a signal may come before the command looks after it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__version__ = "0.1.0"

#: The public names, and the modules they are imported from when they are first used.
_HOMES = {
    "Learner": "learner",
    "load": "estimators",
    "read": "io",
}
_ESTIMATORS = tuple(RECIPES)
_MODULES = (
    "belief",
    "drift",
    "exceptions",
    "feature_selection",
    "io",
    "linear_model",
    "plotting",
    "rule",
    "sequence",
    "task",
    "text",
)

# Not `io`: a star would put it in the place of the standard library's.
__all__ = [*sorted([*_HOMES, *_ESTIMATORS]), *(name for name in _MODULES if name != "io")]


def __getattr__(name: str) -> Any:
    if name in _ESTIMATORS:
        recipe = import_module(".algorithms.table", __name__).recipe_named(name)
        value = import_module(".estimators", __name__).estimator_of(recipe)
    elif name in _HOMES:
        value = getattr(import_module(f".{_HOMES[name]}", __name__), name)
    elif name in _MODULES:
        value = import_module(f".{name}", __name__)
    else:
        raise AttributeError(f"module 'onlinear' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_MODULES})
