# Written by tools/stubs.py.
"""Tasks: what is asked of it."""

import onlinear._core

class Binary:
    """Two classes."""

    def __init__(self) -> None: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class Multiclass:
    """Several classes: the right one against its best rival."""

    def __init__(self) -> None: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class MulticlassJoint:
    """Several classes with several constraints at once."""

    def __init__(
        self,
        *,
        method: str = "uniform",
        rate: float = 1.0,
        beta: float = 0.01,
        variant: str = "pa1",
        C: float = 1.0,
        r: float = 1.0,
        k: int | None = None,
        cov_update: str = "sum",
    ) -> None: ...
    @property
    def method(self, /) -> str:
        """the update"""

    @property
    def rate(self, /) -> float:
        """length of a step of 'uniform'"""

    @property
    def beta(self, /) -> float:
        """margin offset of 'mira'"""

    @property
    def variant(self, /) -> str:
        """slack of 'pa'"""

    @property
    def C(self, /) -> float:
        """price of missing the margin, of 'pa'"""

    @property
    def r(self, /) -> float:
        """trust in what is already known, of 'arow'"""

    @property
    def k(self, /) -> int | None:
        """most wrong classes at once, of 'arow'; None for all"""

    @property
    def cov_update(self, /) -> str:
        """what confidence grows along, of 'arow'"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class Regression:
    """Real targets, errors up to epsilon free."""

    def __init__(self, *, epsilon: float = 0.0, scale: str = "none") -> None: ...
    @property
    def epsilon(self, /) -> float:
        """error that costs nothing"""

    @property
    def scale(self, /) -> str:
        """what targets are measured in as they come"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class OneClass:
    """One class: a ball around the mean that should hold every example."""

    def __init__(
        self, *, radius: float = 1.0, max_radius: float | None = None, nu: float | None = None
    ) -> None: ...
    @property
    def radius(self, /) -> float:
        """radius of the ball"""

    @property
    def max_radius(self, /) -> float | None:
        """largest radius, where the radius is learned"""

    @property
    def nu(self, /) -> float | None:
        """share of the rows that should lie outside, instead of a radius"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class Ranking:
    """Label ranking: every relevant label above every irrelevant one."""

    def __init__(self, *, prototypes: str = "multi") -> None: ...
    @property
    def prototypes(self, /) -> str:
        """one vector of weights for each label, or one for all"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

class CostSensitive:
    """Several classes where some mistakes cost more than others."""

    def __init__(self, *, cost: list[list[float]] = [], update: str = "prediction") -> None: ...
    @property
    def cost(self, /) -> list[list[float]]:
        """price of each answer, a row for each right class"""

    @property
    def update(self, /) -> str:
        """the competitor: the prediction, or the one of largest loss"""

    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...

def declared() -> dict[str, onlinear._core.Declaration]:
    """All tasks by name, with their parameters, ranges, defaults and words."""
