"""Rules: the algorithms."""

from typing import Any

from typing import Final

class Step:
    """
    What a rule answers: mu <- keep mu + mean Sigma delta, Sigma^-1 gains precision delta delta'.
    """

    @property
    def mean(self) -> float: ...
    @property
    def precision(self) -> float: ...
    @property
    def keep(self) -> float: ...
    @property
    def spread(self) -> float: ...
    @property
    def threshold(self) -> float: ...
    def __bool__(self) -> bool: ...
    def __repr__(self) -> str: ...

class Perceptron:
    """The Perceptron: on a mistake, mu += rate delta."""

    def __init__(self, *, rate: float = 1.0) -> None: ...
    @property
    def rate(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class PassiveAggressive:
    """Passive-Aggressive: PA, PA-I and PA-II."""

    def __init__(self, *, variant: str = "pa1", C: float = 1.0) -> None: ...
    @property
    def variant(self) -> Any: ...
    @property
    def C(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class Romma:
    """Relaxed Online Maximum Margin Algorithm."""

    def __init__(self, *, aggressive: bool = False) -> None: ...
    @property
    def aggressive(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class Norma:
    """Gradient steps on a regularised hinge with an optional learned margin."""

    def __init__(
        self,
        *,
        eta: float = 0.1,
        lam: float = 0.01,
        rho: float = 1.0,
        nu: float | None = None,
        decay: bool = False,
    ) -> None: ...
    @property
    def eta(self) -> Any: ...
    @property
    def lam(self) -> Any: ...
    @property
    def rho(self) -> Any: ...
    @property
    def nu(self) -> Any: ...
    @property
    def decay(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class ConfidenceWeighted:
    """
    Confidence-Weighted learning, variance or standard-deviation constraint.
    """

    def __init__(self, *, constraint: str = "variance", phi: float = 1.2815515655446004) -> None: ...
    @property
    def constraint(self) -> Any: ...
    @property
    def phi(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class SoftConfidenceWeighted:
    """Soft Confidence-Weighted learning: SCW-I (linear), SCW-II (squared)."""

    def __init__(
        self, *, penalty: str = "linear", C: float = 1.0, phi: float = 1.2815515655446004
    ) -> None: ...
    @property
    def penalty(self) -> Any: ...
    @property
    def C(self) -> Any: ...
    @property
    def phi(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class Arow:
    """Adaptive Regularization of Weight Vectors."""

    def __init__(self, *, r: float = 1.0, loss: str = "squared_hinge") -> None: ...
    @property
    def r(self) -> Any: ...
    @property
    def loss(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class LeastSquares:
    """AROW with the squared loss: recursive least squares."""

    def __init__(self, *, r: float = 1.0) -> None: ...
    @property
    def r(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class Nherd:
    """Normal Herd."""

    def __init__(self, *, C: float = 1.0) -> None: ...
    @property
    def C(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class Narow:
    """NAROW: AROW with an adaptive trust."""

    def __init__(self, *, b: float = 1.0, form: str = "theta") -> None: ...
    @property
    def b(self) -> Any: ...
    @property
    def form(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class SecondOrderPerceptron:
    """The second-order Perceptron."""

    def __init__(self) -> None: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class Iellip:
    """The improved ellipsoid method."""

    def __init__(self, *, c: float = 0.5, b: float = 0.3) -> None: ...
    @property
    def c(self) -> Any: ...
    @property
    def b(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class RegularizedPassiveAggressive:
    """Passive-Aggressive that forgets: shrinkage, or a ball."""

    def __init__(
        self,
        *,
        penalty: str = "objective",
        alpha: float = 0.01,
        radius: float = 10.0,
        trigger: str = "margin",
    ) -> None: ...
    @property
    def penalty(self) -> Any: ...
    @property
    def alpha(self) -> Any: ...
    @property
    def radius(self) -> Any: ...
    @property
    def trigger(self) -> Any: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

class AdagradRda:
    """The hinge's gradient, for dual averaging."""

    def __init__(self) -> None: ...
    def parameters(self) -> dict[str, float | int | bool | str | list[list[float]] | None]:
        """All parameters by name."""

    def __repr__(self) -> str: ...
    def __eq__(self, other: object, /) -> bool: ...
    def __hash__(self) -> int: ...
    def __reduce__(self) -> tuple[object, ...]: ...
    def step(
        self,
        margin: float,
        variance: float,
        *,
        required: float = 1.0,
        weight: float = 1.0,
        mean_norm: float = 0.0,
        threshold: float = 0.0,
        t: int = 1,
    ) -> Step:
        """The step this rule takes on a demand, from its margin and variance."""

    metric: Final[str] = ...
    """The beliefs it is written for: 'mean', 'gaussian', 'either' or 'dual'."""

    drop_only: Final[bool] = ...
    """Whether a diagonal belief must use the 'drop' projection."""

    has_exact: Final[bool] = ...
    """Whether it knows the exact diagonal update."""

def quantile(confidence: float) -> float:
    """The normal quantile of a confidence."""

def cdf(z: float) -> float:
    """The normal distribution function."""
