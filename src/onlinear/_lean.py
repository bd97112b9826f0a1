"""Whether this process does without scikit-learn.

Importing scikit-learn takes several times as long as learning a small file, so the command line does without
it: it says so here before it imports an estimator. In a module of its own, because importing `_sklearn`
settles the matter.
"""

from __future__ import annotations

import sys

__all__ = ["go_lean", "is_lean"]

_FLAG = "_onlinear_lean"


def go_lean() -> None:
    """Do without scikit-learn in this process; must be called before any estimator is imported."""
    setattr(sys, _FLAG, True)


def is_lean() -> bool:
    """Whether this process does without scikit-learn."""
    return bool(getattr(sys, _FLAG, False)) and "sklearn" not in sys.modules
