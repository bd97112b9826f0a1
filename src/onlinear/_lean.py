"""Whether this process does without scikit-learn.

Importing scikit-learn takes several times as long as learning a small file, so the command line does without
it: it says so here before it imports an estimator. In a module of its own, because importing `_sklearn`
settles the matter.
"""

from __future__ import annotations

import sys

from ._later import Later

__all__ = ["go_lean", "is_lean"]

_FLAG = "_onlinear_lean"

# What modules of the standard library import and seldom use: dataclasses asks `inspect` to describe a class that says
# nothing of itself (on 3.13 every class), urllib asks `ipaddress` about hosts in brackets. An eighth of the time a short
# run takes.
_SELDOM = ("inspect", "ipaddress")


def go_lean() -> None:
    """Do without scikit-learn in this process; must be called before any estimator is imported."""
    setattr(sys, _FLAG, True)
    for name in _SELDOM:
        if name not in sys.modules:
            sys.modules[name] = Later(name)


def is_lean() -> bool:
    """Whether this process does without scikit-learn."""
    return bool(getattr(sys, _FLAG, False)) and "sklearn" not in sys.modules
