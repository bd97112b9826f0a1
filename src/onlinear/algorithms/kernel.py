"""Any rule in the space of a kernel."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal

from .. import belief, rule, task
from ..exceptions import ParameterError
from ..model.parameters import check_choice, check_number
from ..model.recipe import Classification, Linear, Regression, recipe
from ..model.types import Axis
from .table import recipe_of

__all__ = ["KernelClassification", "KernelRegression", "KernelSpace"]

#: Parameters that shape the belief a classifier would have on its own.
_SHAPE = ("covariance", "projection", "initial_variance", "min_variance", "average", "truncation")

#: The parameters every recipe of this module has, for their documentation.
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


@dataclass(kw_only=True, init=False, eq=False, repr=False)
class KernelSpace(Linear):
    """What models share that keep examples instead of weights."""

    rule: Any = "arow"
    kernel: Literal["linear", "poly", "rbf"] | Callable[[Any, Any], Any] = "rbf"
    gamma: float = 1.0
    degree: float = 3.0
    coef0: float = 1.0
    initial_variance: float = 1.0
    budget: int | None = None
    removal: Literal["smallest", "forgetron"] = "smallest"
    average: bool | Literal["late"] | None = False
    scale: Literal["auto", "typical", "max"] | None = None

    shared_parameters: ClassVar[str] = KERNEL_PARAMETERS
    with_variances = "a rule that keeps a covariance, such as 'arow' or 'scw1'"

    def chosen(self) -> Classification:
        """The recipe `rule` means, once nothing it says would go unheard."""
        given = recipe_of(self.rule, self.owner)
        if isinstance(given, KernelSpace):
            raise ParameterError(
                f"{self.owner}: rule must be an algorithm's name or one of our classifiers, got {self.rule!r}"
            )
        self._check_heard(given)
        return given

    def _check_heard(self, given: Classification) -> None:
        """Refuse parameters of the rule's recipe that have no effect here: all but those of its rule."""
        own = {field.name for field in fields(self)}
        fresh = type(given)()
        for name in (field.name for field in fields(given)):
            value, default = getattr(given, name), getattr(fresh, name)
            if (name not in own and name not in _SHAPE) or value is default or value == default:
                continue
            remedy = (
                f"Give it to {self.owner} instead."
                if name in own and name not in _SHAPE
                else "A kernel belief is exact and has its own initial_variance."
            )
            raise ParameterError(
                f"{self.owner}: the rule's {name} must be left at {default!r}, got {value!r}. {remedy}"
            )

    def make_rule(self) -> Axis:
        """The rule that was chosen."""
        return self.chosen().axes()[0]

    def make_belief(self) -> Axis:
        """The kept examples."""
        owner = self.owner
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


@recipe
class KernelClassification(KernelSpace, Classification):
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

    estimator = "KernelClassifier"

    @property
    def always_joint(self) -> bool:  # type: ignore[override]
        """As the rule's recipe says."""
        return self.chosen().always_joint

    @property
    def one_rival(self) -> str:  # type: ignore[override]
        """As the rule's recipe says."""
        return self.chosen().one_rival

    def make_joint(self) -> Axis | None:
        """The task of several constraints the rule's recipe asks for, or None."""
        joint = self.chosen().make_joint()
        if joint is not None and joint.parameters()["method"] == "arow":
            raise ParameterError(
                f"{self.owner}: AROW under several constraints at once asks for the covariance between them, which a "
                "kernel belief does not keep. Use constraints=1."
            )
        return joint


@recipe
class KernelRegression(KernelSpace, Regression):
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

    estimator = "KernelRegressor"

    epsilon: float = 0.1

    def make_rule(self) -> Axis:
        """The rule that was chosen, for targets."""
        chosen = super().make_rule()
        if self.chosen().make_joint() is not None:
            raise ParameterError(
                f"{self.owner}: several constraints at once are of several classes; a target has one. "
                f"{self.chosen().one_rival.capitalize()}."
            )
        if not isinstance(chosen, rule.Arow):
            return chosen
        if chosen.loss != "squared_hinge":
            raise ParameterError(f"{self.owner}: AROW's regression is for the squared loss. Use rule='arow'.")
        return rule.LeastSquares(r=chosen.r)

    def make_task(self) -> Axis | None:
        """Targets; the squared loss knows no tube."""
        check_number(self.owner, "epsilon", self.epsilon, 0.0)
        squared = isinstance(self.make_rule(), rule.LeastSquares)
        return task.Regression(epsilon=0.0 if squared else self.epsilon)
