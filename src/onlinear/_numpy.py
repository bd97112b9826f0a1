"""NumPy, imported when something of it is first used.

Learning a file needs no array in Python, and importing NumPy takes as long as a short run does. What is on the
way from the command line to a model therefore takes `np` from here; everything else just imports it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__all__ = ["Array", "np"]

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Array = npt.NDArray[Any]
else:
    from ._later import Later

    Array = Any
    np = Later("numpy")
