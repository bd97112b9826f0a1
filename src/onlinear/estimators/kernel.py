"""Any rule in the space of a kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from .. import belief, rule, task
from ..algorithms.table import find
from ..exceptions import NotAvailableError, ParameterError
from ..model.parameters import check_choice, check_number, estimator
from .base import Array, LinearEstimator
from .classifier import OnlineClassifier
from .regressor import OnlineRegressor

__all__ = ["KernelClassifier", "KernelRegressor"]

#: Parameters that shape the belief a classifier would have on its own.
_SHAPE = ("covariance", "projection", "initial_variance", "min_variance", "average", "truncation")


#: The parameters every estimator of this module has, for their documentation.
KERNEL_PARAMETERS = """\
rule : str or classifier, default="arow"
    An algorithm's name ("pa1", "arow", "scw1", ...) or one of our classifiers carrying its parameters; those that
    shape a covariance must be left at their defaults, because here it is exact.
kernel : {"linear", "poly", "rbf"} or callable, default="rbf"
    x·z, (coef0 + x·z)^degree, exp(-gamma \\|x - z\\|²), or a function of two arrays of rows that gives K of every
    pair.
gamma : float, default=1.0
    Of "rbf", in (0, inf). A stream may bring new features, so this does not follow their number; 1 / n_features is a
    good start for features of size one.
degree : float, default=3.0
    Of "poly".
coef0 : float, default=1.0
    Of "poly".
initial_variance : float, default=1.0
    Variance of every direction before any learning, for rules with a covariance.
budget : int or None, default=None
    The most examples to keep; None keeps all that caused an update.
removal : {"smallest", "forgetron"}, default="smallest"
    What goes when the budget is full: the example that adds least to the mean, or the oldest after a shrink of all
    that keeps the damage within the mistakes made (the Forgetron; its bound is for rule="perceptron").
"""


@dataclass(kw_only=True, eq=False, repr=False)
class KernelSpace(LinearEstimator):
    """What estimators share that keep examples instead of weights."""

    rule: Any = "arow"
    kernel: Literal["linear", "poly", "rbf"] | Callable[[Array, Array], Array] = "rbf"
    gamma: float = 1.0
    degree: float = 3.0
    coef0: float = 1.0
    initial_variance: float = 1.0
    budget: int | None = None
    removal: Literal["smallest", "forgetron"] = "smallest"

    _shared_parameters: ClassVar[str] = KERNEL_PARAMETERS
    _with_variances: ClassVar[str] = "a rule that keeps a covariance, such as 'arow' or 'scw1'"

    def _chosen(self) -> OnlineClassifier:
        """The classifier `rule` means, once nothing it says would go unheard."""
        owner = type(self).__name__
        given = self.rule
        if isinstance(given, str):
            try:
                given = find(given).make()
            except ParameterError as error:
                raise ParameterError(f"{owner}: rule: {error}") from None
        if not isinstance(given, OnlineClassifier) or isinstance(given, KernelSpace):
            raise ParameterError(
                f"{owner}: rule must be an algorithm's name or one of our classifiers, got {self.rule!r}"
            )
        self._check_heard(given)
        if given._joint() is not None:
            raise ParameterError(
                f"{owner}: {given!r} satisfies several constraints at once, which has no kernel form. Use one that "
                "learns against one rival at a time, such as 'pa1' or 'arow'."
            )
        return given

    def _check_heard(self, given: OnlineClassifier) -> None:
        """Refuse parameters of the classifier that have no effect here: all but those of its rule."""
        own = {field.name for field in fields(self)}
        fresh = type(given)()
        for name in (field.name for field in fields(given)):
            value, default = getattr(given, name), getattr(fresh, name)
            if (name not in own and name not in _SHAPE) or value is default or value == default:
                continue
            remedy = (
                f"Give it to {type(self).__name__} instead."
                if name in own and name not in _SHAPE
                else "A kernel belief is exact and has its own initial_variance."
            )
            raise ParameterError(
                f"{type(self).__name__}: the rule's {name} must be left at {default!r}, got {value!r}. {remedy}"
            )

    def _rule(self) -> Any:
        return self._chosen().axes()[0]

    def _belief(self) -> Any:
        owner = type(self).__name__
        if self.average:
            raise ParameterError(f"{owner}: average does not go with a kernel. Use average=False.")
        if not callable(self.kernel):
            check_choice(owner, "kernel", self.kernel, ("linear", "poly", "rbf"))
        check_choice(owner, "removal", self.removal, ("smallest", "forgetron"))
        check_number(owner, "degree", self.degree, 0.0, open_low=True)
        check_number(owner, "coef0", self.coef0, 0.0)
        check_number(owner, "initial_variance", self.initial_variance, 0.0, open_low=True)
        check_number(owner, "gamma", self.gamma, 0.0, open_low=True)
        if self.budget is not None:
            check_number(owner, "budget", self.budget, 1, whole=True)
        return belief.Kernel(
            kernel=self.kernel,
            gamma=self.gamma,
            degree=self.degree,
            coef0=self.coef0,
            initial_variance=self.initial_variance,
            budget=self.budget,
            removal=self.removal,
        )

    def save(self, path: Any) -> None:
        """Write the model to a safetensors file; not possible with a kernel written in Python.

        Parameters
        ----------
        path : str or path-like
            Where to; the file is written aside and moved into place.
        """
        if callable(self.kernel):
            raise NotAvailableError(
                f"{type(self).__name__}: a model file holds no code, so it cannot hold this kernel. Use a named one."
            )
        super().save(path)

    @property
    def support_vectors_(self) -> Any:
        """The kept examples; a CSR matrix when they have many features."""
        return self._expansion().support

    @property
    def dual_coef_(self) -> Array:
        """Coefficients of the kept examples, shape (n_kept,) or (n_kept, n_classes), classes in order of arrival."""
        coefficients: Array = self._expansion().nu
        return coefficients

    def _expansion(self) -> Any:
        if self.__dict__.get("_learner") is None:
            raise AttributeError(f"{type(self).__name__!r} object has no kept examples before it has learned")
        return self._learner.expansion

    def _weights(self, name: str) -> tuple[Array, Array]:
        self._need_weights()
        return super()._weights(name)

    def _need_weights(self) -> None:
        self._ready()
        if self.kernel != "linear":
            raise NotAvailableError(
                f"{type(self).__name__} keeps examples, not weights; see support_vectors_"
            )


@estimator
class KernelClassifier(KernelSpace, OnlineClassifier):
    r"""Any rule of this library in the space of a kernel.

    Keeps the examples that caused an update: coefficients for first-order rules, and a matrix between them for rules
    with a covariance. Kernels are evaluated a block of rows at a time.

    .. math:: μ = \sum_p ν_p φ(x_p), \qquad Σ = a I + \sum_{pq} π_{pq} φ(x_p) φ(x_q)^T

    With c = π k, k_p = K(x_p, x), an update adds α y c to ν and takes β c cᵀ from π; the intercept is one more direction
    of the kernel's space, K(x, z) + 1.

    Notes
    -----
    Time grows with the number of kept examples, and with its square for rules with a covariance; set a `budget`, or
    take scikit-learn's `RBFSampler` before any linear learner of this library, which costs the same for every example:
    ``make_pipeline(RBFSampler(gamma=0.1, n_components=1000), AROWClassifier())``.

    References
    ----------
    .. [1] Crammer, Kulesza, Dredze. Machine Learning 91, 2013, section 4.
    .. [2] Dekel, Shalev-Shwartz, Singer. The Forgetron. SIAM Journal on Computing 37, 2008.

    Examples
    --------
    >>> from onlinear import KernelClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> KernelClassifier(rule="arow", gamma=2.0, random_state=0).fit(X, y).predict(X)
    array([0, 1, 1, 0])
    """

    def sample(self, n: int, random_state: Any = None) -> tuple[Array, Array]:
        """Not possible here: there are no weights to draw.

        Parameters
        ----------
        n : int
            Number of draws.
        random_state : int, RandomState instance or None, default=None
            Seed.
        """
        self._ready()
        raise NotAvailableError(
            f"{type(self).__name__} keeps examples, not weights to draw; see support_vectors_"
        )

    def explain(self, x: Any, *, top: int | None = 10) -> Any:
        """Why one example is predicted as it is; with the linear kernel alone, where features have weights.

        Parameters
        ----------
        x : dict, row or array of shape (1, n_features)
            The example.
        top : int or None, default=10
            How many features to list, the largest contributions first; None lists all.

        Returns
        -------
        Explanation
        """
        self._need_weights()
        return super().explain(x, top=top)


@estimator
class KernelRegressor(KernelSpace, OnlineRegressor):
    """Regression in the space of a kernel: Passive-Aggressive, or AROW with the squared loss.

    With ``rule="arow"`` this is recursive least squares in the kernel's space: the mean is kernel ridge regression's.

    Parameters
    ----------
    epsilon : float, default=0.1
        Errors up to this are free, for Passive-Aggressive rules.

    References
    ----------
    .. [1] Crammer, Kulesza, Dredze. Machine Learning 91, 2013, section 4.

    Examples
    --------
    >>> from onlinear import KernelRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 0.0, 1.0]
    >>> model = KernelRegressor(gamma=4.0, random_state=0).fit(X, y)
    >>> bool(model.predict([[1.0]])[0] > model.predict([[2.0]])[0])
    True
    """

    epsilon: float = 0.1

    def _rule(self) -> Any:
        chosen = super()._rule()
        if not isinstance(chosen, rule.Arow):
            return chosen
        if chosen.loss != "squared_hinge":
            raise ParameterError(
                f"{type(self).__name__}: AROW's regression is for the squared loss. Use rule='arow'."
            )
        return rule.LeastSquares(r=chosen.r)

    def _task(self) -> Any:
        check_number(type(self).__name__, "epsilon", self.epsilon, 0.0)
        squared = isinstance(self._rule(), rule.LeastSquares)
        return task.Regression(epsilon=0.0 if squared else self.epsilon)
