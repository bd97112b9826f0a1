"""Tasks: from an example to the demand a rule must answer.

Examples
--------
>>> from onlinear import task
>>> task.MulticlassJoint(method="arow", k=5).method
'arow'
"""

from ._core import task as _native
from ._core.task import *  # noqa: F403

__all__ = sorted(name for name in vars(_native) if not name.startswith("_"))
