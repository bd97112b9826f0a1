"""NumPy, imported when something of it is first used.

Learning a file needs no array in Python, and importing NumPy takes as long as a short run does. What is on the
way from the command line to a model therefore takes `np` from here; everything else just imports it.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["Array", "np"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
else:
    Array = Any

    class _Later(ModuleType):
        """A module that fills itself with NumPy's names, and is a plain module from then on."""

        def __getattr__(self, name):
            import numpy

            self.__dict__.update(vars(numpy))
            self.__class__ = ModuleType
            return getattr(numpy, name)

    np = _Later("numpy")
