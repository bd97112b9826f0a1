# Written by tools/stubs.py.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from . import belief as belief
from . import drift as drift
from . import exceptions as exceptions
from . import feature_selection as feature_selection
from . import io as io
from . import linear_model as linear_model
from . import plotting as plotting
from . import rule as rule
from . import sequence as sequence
from . import task as task
from . import text as text
from .estimators import load as load
from .io import read as read
from .learner import Learner as Learner
from .estimators.classifier import ConfidentClassifier, OnlineClassifier
from .estimators.kernel import OnlineKernelClassifier, OnlineKernelRegressor
from .estimators.labeler import OnlineLabeler
from .estimators.one_class import OnlineOneClass
from .estimators.ranking import OnlineRanker
from .estimators.regressor import OnlineRegressor

__version__: str
__all__: list[str]
_ESTIMATORS: tuple[str, ...]
_MODULES: tuple[str, ...]
_HOMES: dict[str, str]

class AROWClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    covariance: Literal["diagonal", "full"]
    projection: Literal["kl", "drop", "exact"]
    initial_variance: float
    min_variance: float | None
    r: float
    loss: Literal["squared_hinge", "hinge"]
    constraints: int | Literal["all"]
    cov_update: Literal["sum", "delta"]
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = None,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        covariance: Literal["diagonal", "full"] = "diagonal",
        projection: Literal["kl", "drop", "exact"] = "drop",
        initial_variance: float = 1.0,
        min_variance: float | None = None,
        r: float = 1.0,
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        constraints: int | Literal["all"] = 1,
        cov_update: Literal["sum", "delta"] = "sum",
    ) -> None: ...

class AROWRegressor(OnlineRegressor):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    covariance: Literal["diagonal", "full"]
    projection: Literal["kl", "drop", "exact"]
    initial_variance: float
    min_variance: float | None
    r: float
    def __init__(
        self,
        *,
        passes: int = 1,
        shuffle: bool = True,
        early_stopping: bool = False,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = None,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        covariance: Literal["diagonal", "full"] = "diagonal",
        projection: Literal["kl", "drop", "exact"] = "drop",
        initial_variance: float = 1.0,
        min_variance: float | None = None,
        r: float = 1.0,
    ) -> None: ...

class AdaGradRDAClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    eta: float
    delta0: float
    lam: float
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        eta: float = 1.0,
        delta0: float = 0.01,
        lam: float = 0.0001,
    ) -> None: ...

class ConfidenceWeightedClassifier(ConfidentClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    covariance: Literal["diagonal", "full"]
    projection: Literal["kl", "drop", "exact"]
    initial_variance: float
    min_variance: float | None
    constraint: Literal["variance", "stdev"]
    phi: float | None
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = False,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = None,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        covariance: Literal["diagonal", "full"] = "diagonal",
        projection: Literal["kl", "drop", "exact"] = "drop",
        initial_variance: float = 1.0,
        min_variance: float | None = None,
        constraint: Literal["variance", "stdev"] = "variance",
        confidence: float = 0.9,
        phi: float | None = None,
    ) -> None: ...

class IELLIPClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    covariance: Literal["diagonal", "full"]
    projection: Literal["kl", "drop", "exact"]
    initial_variance: float
    min_variance: float | None
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    c: float
    b: float
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        covariance: Literal["diagonal", "full"] = "diagonal",
        projection: Literal["kl", "drop", "exact"] = "drop",
        initial_variance: float = 1.0,
        min_variance: float | None = 0.0,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        c: float = 0.5,
        b: float = 0.3,
    ) -> None: ...

class KernelClassifier(OnlineKernelClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    rule: Any
    kernel: Literal["linear", "poly", "rbf"] | Callable[[Any, Any], Any]
    gamma: float
    degree: float
    coef0: float
    initial_variance: float
    budget: int | None
    removal: Literal["smallest", "forgetron"]
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        rule: Any = "arow",
        kernel: Literal["linear", "poly", "rbf"] | Callable[[Any, Any], Any] = "rbf",
        gamma: float = 1.0,
        degree: float = 3.0,
        coef0: float = 1.0,
        initial_variance: float = 1.0,
        budget: int | None = None,
        removal: Literal["smallest", "forgetron"] = "smallest",
    ) -> None: ...

class KernelRegressor(OnlineKernelRegressor):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    rule: Any
    kernel: Literal["linear", "poly", "rbf"] | Callable[[Any, Any], Any]
    gamma: float
    degree: float
    coef0: float
    initial_variance: float
    budget: int | None
    removal: Literal["smallest", "forgetron"]
    epsilon: float
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        rule: Any = "arow",
        kernel: Literal["linear", "poly", "rbf"] | Callable[[Any, Any], Any] = "rbf",
        gamma: float = 1.0,
        degree: float = 3.0,
        coef0: float = 1.0,
        initial_variance: float = 1.0,
        budget: int | None = None,
        removal: Literal["smallest", "forgetron"] = "smallest",
        epsilon: float = 0.1,
    ) -> None: ...

class MIRAClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    beta: float
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        beta: float = 1.0,
    ) -> None: ...

class MultilabelRanker(OnlineRanker):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    rule: Any
    phi: Callable[[Any, Any], Any] | None
    threshold: float | None
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool = True,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        rule: Any = "pa1",
        phi: Callable[[Any, Any], Any] | None = None,
        threshold: float | None = None,
    ) -> None: ...

class NAROWClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    covariance: Literal["diagonal", "full"]
    projection: Literal["kl", "drop", "exact"]
    initial_variance: float
    min_variance: float | None
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    b: float
    form: Literal["theta", "rule", "coupled"]
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        covariance: Literal["diagonal", "full"] = "diagonal",
        projection: Literal["kl", "drop", "exact"] = "kl",
        initial_variance: float = 1.0,
        min_variance: float | None = 0.0,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        b: float = 1.0,
        form: Literal["theta", "rule", "coupled"] = "theta",
    ) -> None: ...

class NHERDClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    covariance: Literal["diagonal", "full"]
    projection: Literal["kl", "drop", "exact"]
    initial_variance: float
    min_variance: float | None
    C: float
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = None,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        covariance: Literal["diagonal", "full"] = "diagonal",
        projection: Literal["kl", "drop", "exact"] = "drop",
        initial_variance: float = 1.0,
        min_variance: float | None = None,
        C: float = 1.0,
    ) -> None: ...

class NORMAClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    eta: float
    lam: float
    rho: float
    nu: float | None
    decay: bool
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        eta: float = 0.1,
        lam: float = 0.0001,
        rho: float = 1.0,
        nu: float | None = None,
        decay: bool = False,
    ) -> None: ...

class PassiveAggressiveClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    variant: Literal["pa", "pa1", "pa2"]
    C: float
    weighed: Literal["price", "step"]
    constraints: Literal[1, "all"]
    intercept_rate: float | None
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = None,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        C: float = 1.0,
        weighed: Literal["price", "step"] = "price",
        constraints: Literal[1, "all"] = 1,
        intercept_rate: float | None = None,
    ) -> None: ...

class PassiveAggressiveOneClass(OnlineOneClass):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    variant: Literal["pa", "pa1", "pa2"]
    weighed: Literal["price", "step"]
    C: float | None
    nu: float
    radius: float | None
    max_radius: float | None
    contamination: float | None
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        weighed: Literal["price", "step"] = "price",
        C: float | None = None,
        nu: float = 0.1,
        radius: float | None = None,
        max_radius: float | None = None,
        contamination: float | None = None,
    ) -> None: ...

class PassiveAggressiveRegressor(OnlineRegressor):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    variant: Literal["pa", "pa1", "pa2"]
    C: float
    weighed: Literal["price", "step"]
    epsilon: float
    intercept_rate: float | None
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = None,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        variant: Literal["pa", "pa1", "pa2"] = "pa1",
        C: float = 1.0,
        weighed: Literal["price", "step"] = "price",
        epsilon: float = 0.1,
        intercept_rate: float | None = None,
    ) -> None: ...

class Perceptron(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    rate: float
    update: Literal["max", "uniform"]
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        rate: float = 1.0,
        update: Literal["max", "uniform"] = "max",
    ) -> None: ...

class ROMMAClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    aggressive: bool
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        aggressive: bool = True,
    ) -> None: ...

class RegularizedPassiveAggressiveClassifier(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    penalty: Literal["objective", "l2_ball", "l1_ball"]
    alpha: float
    radius: float
    trigger: Literal["margin", "mistake", "always"]
    truncation: float | None
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = None,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        penalty: Literal["objective", "l2_ball", "l1_ball"] = "objective",
        alpha: float = 0.001,
        radius: float = 10.0,
        trigger: Literal["margin", "mistake", "always"] = "margin",
        truncation: float | None = None,
    ) -> None: ...

class SecondOrderPerceptron(OnlineClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    covariance: Literal["diagonal", "full"]
    projection: Literal["kl", "drop", "exact"]
    initial_variance: float
    min_variance: float | None
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    form: Literal["own", "rule"]
    ridge: float
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = False,
        scale: Literal["auto", "typical", "max"] | None = None,
        center: bool = False,
        covariance: Literal["diagonal", "full"] = "diagonal",
        projection: Literal["kl", "drop", "exact"] = "kl",
        initial_variance: float = 1.0,
        min_variance: float | None = 0.0,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        form: Literal["own", "rule"] = "own",
        ridge: float = 1.0,
    ) -> None: ...

class SequenceLabeler(OnlineLabeler):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    rule: Any
    belief: Any
    average: bool
    cost: Literal["hamming", "mean_hamming", "zero_one"] | Callable[[list[Any], list[Any]], float] | None
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    templates: Sequence[str] | None
    columns: Sequence[str] | None
    max_tokens: int
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = False,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        rule: Any = "pa1",
        belief: Any = None,
        average: bool = True,
        cost: Literal["hamming", "mean_hamming", "zero_one"]
        | Callable[[list[Any], list[Any]], float]
        | None = "hamming",
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        templates: Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        max_tokens: int = 65536,
    ) -> None: ...

class SoftConfidenceWeightedClassifier(ConfidentClassifier):
    passes: int
    shuffle: bool
    early_stopping: bool
    tol: float
    n_iter_no_change: int
    warm_start: bool
    dtype: Literal["float32", "float64"] | None
    max_features: int
    random_state: Any
    initial_mean: Any
    bits: int
    grow_features: bool
    n_jobs: int | None
    fit_intercept: bool
    average: bool | Literal["late"] | None
    scale: Literal["auto", "typical", "max"] | None
    center: bool
    class_weight: Mapping[Any, float] | Literal["balanced"] | None
    cost_matrix: Any
    cost_update: Literal["prediction", "max_loss"]
    covariance: Literal["diagonal", "full"]
    projection: Literal["kl", "drop", "exact"]
    initial_variance: float
    min_variance: float | None
    penalty: Literal["linear", "squared"]
    C: float
    phi: float | None
    def __init__(
        self,
        *,
        passes: int = 10,
        shuffle: bool = True,
        early_stopping: bool = True,
        tol: float = 0.001,
        n_iter_no_change: int = 2,
        warm_start: bool = False,
        dtype: Literal["float32", "float64"] | None = None,
        max_features: int = 268435456,
        random_state: Any = None,
        initial_mean: Any = None,
        bits: int = 20,
        grow_features: bool = False,
        n_jobs: int | None = None,
        fit_intercept: bool = True,
        average: bool | Literal["late"] | None = None,
        scale: Literal["auto", "typical", "max"] | None = "auto",
        center: bool = False,
        class_weight: Mapping[Any, float] | Literal["balanced"] | None = None,
        cost_matrix: Any = None,
        cost_update: Literal["prediction", "max_loss"] = "prediction",
        covariance: Literal["diagonal", "full"] = "diagonal",
        projection: Literal["kl", "drop", "exact"] = "kl",
        initial_variance: float = 1.0,
        min_variance: float | None = None,
        penalty: Literal["linear", "squared"] = "linear",
        C: float = 1.0,
        confidence: float = 0.75,
        phi: float | None = None,
    ) -> None: ...
