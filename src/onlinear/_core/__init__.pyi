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
    too_many_means = 14

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

class MajorityClass:
    def __init__(
        self,
        counts: list[int] = ...,
        answer: int = -1,
        seen: list[int] = ...,
        last: int = -1,
        changes: int = 0,
    ) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def watch(self, numbers: Any, heavy: Any, apart: Any) -> tuple[int, int]: ...
    def watch_tokens(self, numbers: Any, starts: Any, learn: bool) -> int: ...
    @property
    def answer(self) -> int: ...
    @property
    def changes(self) -> int: ...
    @property
    def expected_changes(self) -> float: ...

class MeanTarget:
    def __init__(
        self,
        learned: int = 0,
        mean: float = 0.0,
        seen: int = 0,
        centre: float = 0.0,
        spread: float = 0.0,
        steps: float = 0.0,
        last: float = 0.0,
    ) -> None: ...
    def state(self) -> dict[str, Any]: ...
    def watch(self, targets: Any, heavy: Any, apart: Any) -> tuple[float, float]: ...
    @property
    def answer(self) -> float: ...
    @property
    def seen(self) -> int: ...
    @property
    def changes(self) -> float: ...
    @property
    def expected_changes(self) -> float: ...

class SequenceBatch:
    labels: npt.NDArray[np.int32]
    starts: npt.NDArray[np.int64]
    def __len__(self) -> int: ...
    def relabel(self, numbers: list[int]) -> None: ...

class SequenceLearner:
    classes: list[Any]
    has_variance: bool
    single_precision: bool
    n_labels: int
    n_columns: int
    counters: tuple[float, ...]
    def __init__(self, rule: object, belief: object, single_precision: bool, max_features: int) -> None: ...
    def read(
        self, X: list[Any], y: list[Any] | None, index: dict[Any, int], learning: bool, new_labels: bool
    ) -> SequenceBatch: ...
    def learn(
        self,
        batch: SequenceBatch,
        order: npt.NDArray[np.int64] | None,
        weight: npt.NDArray[np.float64] | None,
        cost: object,
        classes: list[Any],
        known: int,
        label_weight: npt.NDArray[np.float64] | None = None,
        balanced: bool = False,
    ) -> tuple[int, int, int, int, int, int, int]: ...
    def tag(
        self, batch: SequenceBatch, confidence: bool, first: int = 0, last: int | None = None
    ) -> tuple[npt.NDArray[np.int32], Any]: ...
    def __getattr__(self, name: str) -> Any: ...

class ConllReader:
    labels: list[str]
    labelled: bool
    n_sequences: int
    def __init__(self, *arguments: Any, **named: Any) -> None: ...
    def feed(self, block: bytes) -> None: ...
    def finish(self) -> None: ...
    def take(self) -> SequenceBatch: ...
    def take_lines(self) -> npt.NDArray[np.int64]: ...
    def take_problems(self) -> list[tuple[int, int, str, str]]: ...

round_fields: tuple[str, ...]

def simd_level() -> str: ...
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
