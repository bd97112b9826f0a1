# Written by tools/stubs.py.
"""Rules: the algorithms."""

import onlinear._core

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
    def rate(self, /) -> float:
        """length of a step; only the scale of the mean depends on it"""

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

    metric: str = "mean"

    drop_only: bool = False

    has_exact: bool = False

class PassiveAggressive:
    """Passive-Aggressive: PA, PA-I and PA-II."""

    def __init__(self, *, variant: str = "pa1", C: float = 1.0, weighed: str = "price") -> None: ...
    @property
    def variant(self, /) -> str:
        """no slack, linear slack or squared slack"""

    @property
    def C(self, /) -> float:
        """price of missing the margin; small for noisy labels"""

    @property
    def weighed(self, /) -> str:
        """what the weight of an example multiplies"""

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

    metric: str = "mean"

    drop_only: bool = False

    has_exact: bool = False

class Romma:
    """Relaxed Online Maximum Margin Algorithm."""

    def __init__(self, *, aggressive: bool = False) -> None: ...
    @property
    def aggressive(self, /) -> bool:
        """whether it moves below margin 1, not on mistakes alone"""

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

    metric: str = "mean"

    drop_only: bool = False

    has_exact: bool = False

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
    def eta(self, /) -> float:
        """learning rate"""

    @property
    def lam(self, /) -> float:
        """regularisation: how fast old weights shrink"""

    @property
    def rho(self, /) -> float:
        """the margin, or where it starts when nu is given"""

    @property
    def nu(self, /) -> float | None:
        """share of examples allowed below the margin; None keeps rho"""

    @property
    def decay(self, /) -> bool:
        """whether the rate is eta / sqrt(t)"""

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

    metric: str = "mean"

    drop_only: bool = False

    has_exact: bool = False

class ConfidenceWeighted:
    """
    Confidence-Weighted learning, variance or standard-deviation constraint.
    """

    def __init__(self, *, constraint: str = "variance", phi: float = 1.2815515655446004) -> None: ...
    @property
    def constraint(self, /) -> str:
        """what phi multiplies: the margin's variance or its standard deviation"""

    @property
    def phi(self, /) -> float:
        """quantile of the confidence asked for; 1.28 is that of 0.9"""

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

    metric: str = "gaussian"

    drop_only: bool = False

    has_exact: bool = True

class SoftConfidenceWeighted:
    """Soft Confidence-Weighted learning: SCW-I (linear), SCW-II (squared)."""

    def __init__(
        self, *, penalty: str = "linear", C: float = 1.0, phi: float = 1.2815515655446004
    ) -> None: ...
    @property
    def penalty(self, /) -> str:
        """on what is missing: SCW-I or SCW-II"""

    @property
    def C(self, /) -> float:
        """price of missing the margin; small for noisy labels"""

    @property
    def phi(self, /) -> float:
        """quantile of the confidence asked for; 1.28 is that of 0.9"""

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

    metric: str = "gaussian"

    drop_only: bool = False

    has_exact: bool = False

class Arow:
    """Adaptive Regularization of Weight Vectors."""

    def __init__(self, *, r: float = 1.0, loss: str = "squared_hinge") -> None: ...
    @property
    def r(self, /) -> float:
        """trust in what is already known, against one example"""

    @property
    def loss(self, /) -> str:
        """squared hinge, or hinge (AROW-H)"""

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

    metric: str = "either"

    drop_only: bool = False

    has_exact: bool = True

class LeastSquares:
    """AROW with the squared loss: recursive least squares."""

    def __init__(self, *, r: float = 1.0) -> None: ...
    @property
    def r(self, /) -> float:
        """trust in what is already known, against one example"""

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

    metric: str = "gaussian"

    drop_only: bool = False

    has_exact: bool = False

class Nherd:
    """Normal Herd."""

    def __init__(self, *, C: float = 1.0) -> None: ...
    @property
    def C(self, /) -> float:
        """price of missing the margin; small for noisy labels"""

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

    metric: str = "gaussian"

    drop_only: bool = False

    has_exact: bool = True

class Narow:
    """NAROW: AROW with an adaptive trust."""

    def __init__(self, *, b: float = 1.0, form: str = "theta") -> None: ...
    @property
    def b(self, /) -> float:
        """most precision that one example may bring"""

    @property
    def form(self, /) -> str:
        """the paper's step on theta, or AROW's with the same gain"""

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

    metric: str = "gaussian"

    drop_only: bool = False

    has_exact: bool = False

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

    metric: str = "gaussian"

    drop_only: bool = False

    has_exact: bool = False

class Iellip:
    """The improved ellipsoid method."""

    def __init__(self, *, c: float = 0.5, b: float = 0.3) -> None: ...
    @property
    def c(self, /) -> float:
        """share of the variance a first mistake takes away"""

    @property
    def b(self, /) -> float:
        """decay of that share with every round"""

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

    metric: str = "gaussian"

    drop_only: bool = True

    has_exact: bool = False

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

    metric: str = "dual"

    drop_only: bool = False

    has_exact: bool = False

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
    def penalty(self, /) -> str:
        """what keeps the mean short"""

    @property
    def alpha(self, /) -> float:
        """shrinkage of 'objective'"""

    @property
    def radius(self, /) -> float:
        """radius of the balls"""

    @property
    def trigger(self, /) -> str:
        """which examples are learned"""

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

    metric: str = "mean"

    drop_only: bool = False

    has_exact: bool = False

def declared() -> dict[str, onlinear._core.Declaration]:
    """All rules by name, with their parameters, ranges, defaults and words."""

def quantile(confidence: float) -> float:
    """The normal quantile of a confidence."""

def cdf(z: float) -> float:
    """The normal distribution function."""
