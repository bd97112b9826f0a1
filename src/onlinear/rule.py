"""Rules: the algorithms, from a demand's margin and variance to a step.

Each rule has parameters and no memory. ``rule.step(margin, variance)`` shows what it would do, and
``rule.declared()`` tells every rule's parameters with their defaults and ranges.

Examples
--------
>>> from onlinear import rule
>>> rule.Arow(r=1.0).step(margin=0.5, variance=1.0).mean
0.25
>>> [(each.name, each.default, each.expected) for each in rule.declared()["Arow"].parameters]
[('r', 1.0, 'greater than 0'), ('loss', 'squared_hinge', "'squared_hinge' or 'hinge'")]
"""

from ._core import rule as _native
from ._core.rule import *  # noqa: F403

__all__ = sorted(name for name in vars(_native) if not name.startswith("_"))
