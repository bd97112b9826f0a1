# Written by tools/stubs.py.
"""Beliefs: what a learner knows."""

from collections.abc import Callable
from typing import Any

import onlinear._core

class Mean:
    """A mean alone: first order."""

    def __init__(
        self,
        *,
        average: bool = False,
        late: bool = False,
        scale: str = "none",
        intercept_rate: float | None = None,
        center: bool = False,
    ) -> None: ...
    @property
    def average(self, /) -> bool:
        """whether predictions use the average of all means"""

    @property
    def late(self, /) -> bool:
        """whether late rounds count more in the average"""

    @property
    def scale(self, /) -> str:
        """what features are divided by as they come"""

    @property
    def intercept_rate(self, /) -> float | None:
        """
        how far the intercept moves with a step, of which it is no part; none: as any feature
        """

    @property
    def center(self, /) -> bool:
        """whether features lose their means as they come"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class Diagonal:
    """A Gaussian with a diagonal covariance."""

    def __init__(
        self,
        *,
        projection: str = "kl",
        initial_variance: float = 1.0,
        min_variance: float = 0.0,
        average: bool = False,
        late: bool = False,
        scale: str = "none",
        center: bool = False,
    ) -> None: ...
    @property
    def projection(self, /) -> str:
        """how the full update becomes a diagonal again"""

    @property
    def initial_variance(self, /) -> float:
        """variance of a weight of which nothing is learned yet"""

    @property
    def min_variance(self, /) -> float:
        """least variance of a weight"""

    @property
    def average(self, /) -> bool:
        """whether predictions use the average of all means"""

    @property
    def late(self, /) -> bool:
        """whether late rounds count more in the average"""

    @property
    def scale(self, /) -> str:
        """what features are divided by as they come"""

    @property
    def center(self, /) -> bool:
        """whether features lose their means as they come"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class Full:
    """A Gaussian with a full covariance."""

    def __init__(
        self,
        *,
        initial_variance: float = 1.0,
        min_variance: float = 0.0,
        inclusive: bool = False,
        average: bool = False,
        late: bool = False,
    ) -> None: ...
    @property
    def initial_variance(self, /) -> float:
        """variance of a weight of which nothing is learned yet"""

    @property
    def min_variance(self, /) -> float:
        """least variance of a weight"""

    @property
    def inclusive(self, /) -> bool:
        """whether a score counts the instance it is for"""

    @property
    def average(self, /) -> bool:
        """whether predictions use the average of all means"""

    @property
    def late(self, /) -> bool:
        """whether late rounds count more in the average"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class Information:
    """A diagonal Gaussian in natural parameters."""

    def __init__(self, *, initial_variance: float = 1.0, inclusive: bool = False) -> None: ...
    @property
    def initial_variance(self, /) -> float:
        """variance of a weight of which nothing is learned yet"""

    @property
    def inclusive(self, /) -> bool:
        """whether a score counts the instance it is for"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class DualAveraging:
    """Sums of gradients; the mean is derived on read."""

    def __init__(self, *, eta: float = 1.0, delta0: float = 0.01, lam: float = 0.0001) -> None: ...
    @property
    def eta(self, /) -> float:
        """learning rate"""

    @property
    def delta0(self, /) -> float:
        """added to the root of the summed squares"""

    @property
    def lam(self, /) -> float:
        """L1 penalty per round"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class L1Ball:
    """A mean kept inside the L1 ball whose radius the rule brings."""

    def __init__(self, *, average: bool = False) -> None: ...
    @property
    def average(self, /) -> bool:
        """whether predictions use the average of all means"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class Kernel:
    """A belief in the space of a kernel, held by the examples that made it."""

    def __init__(
        self,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        gamma: float = 1.0,
        degree: float = 3.0,
        coef0: float = 1.0,
        initial_variance: float = 1.0,
        budget: int | None = None,
        removal: str = "smallest",
    ) -> None: ...
    @property
    def kernel(self, /) -> str | Callable[..., Any]:
        """a name, or a function of two matrices"""

    @property
    def gamma(self, /) -> float:
        """scale of 'poly' and 'rbf'"""

    @property
    def degree(self, /) -> float:
        """degree of 'poly'"""

    @property
    def coef0(self, /) -> float:
        """constant of 'poly'"""

    @property
    def initial_variance(self, /) -> float:
        """variance of a weight of which nothing is learned yet"""

    @property
    def budget(self, /) -> int | None:
        """most examples held; None for all"""

    @property
    def removal(self, /) -> str:
        """which example goes when the budget is full"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

def declared() -> dict[str, onlinear._core.Declaration]:
    """
    All beliefs by name, with their parameters, ranges, defaults and words.
    """
