"""The native core. Its handle is used through `Learner`; what crosses the border is arrays and numbers."""

from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

from . import belief as belief
from . import rule as rule
from . import task as task
from . import text as text

class Fault(Enum):
    none = 0
    nan = 1
    infinite = 2
    too_large = 3
    index_range = 4
    indptr_order = 5
    bad_label = 6
    bad_target = 7
    bad_weight = 8
    margin_overflow = 9
    step_overflow = 10
    variance_overflow = 11
    row_length = 12
    bad_cost = 13

class Parameter:
    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def default(self) -> Any: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def low_open(self) -> bool: ...
    @property
    def high_open(self) -> bool: ...
    @property
    def choices(self) -> tuple[str, ...]: ...
    @property
    def expected(self) -> str: ...

class Declaration:
    @property
    def name(self) -> str: ...
    @property
    def doc(self) -> str: ...
    @property
    def parameters(self) -> tuple[Parameter, ...]: ...
    @property
    def parts(self) -> tuple[str, ...]: ...

class Learner:
    def __init__(self, *arguments: Any, **named: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...

def kernel_level() -> str: ...
def put_off_huge_pages() -> None: ...
def learn_one_fast(
    learner: Learner | None, classes: dict[Any, int], features: object, label: object, weight: object
) -> bool: ...
def best_columns(scores: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]: ...
def number_labels(
    labels: npt.NDArray[np.integer[Any]],
    classes: npt.NDArray[np.int64],
    numbers: npt.NDArray[np.int32],
) -> npt.NDArray[np.int32] | None: ...
def __getattr__(name: str) -> Any: ...
