"""Tasks: from an example to the demand a rule must answer.

Examples
--------
>>> from onlinear import task
>>> task.MulticlassJoint(method="arow", k=5).method
'arow'
"""

from ._core.task import Binary, CostSensitive, Multiclass, MulticlassJoint, OneClass, Ranking, Regression

__all__ = ["Binary", "CostSensitive", "Multiclass", "MulticlassJoint", "OneClass", "Ranking", "Regression"]
