"""The kernel belief: equal to the primal learner where there is one, bounded by its budget, exact in its state."""

from __future__ import annotations

import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.datasets import load_digits

from onlinear import Learner, belief, rule, task
from onlinear.exceptions import ParameterError
from tests.reference.learners import JointUpdate

Array = NDArray[np.float64]

RULES = [
    rule.Perceptron(),
    rule.PassiveAggressive(variant="pa"),
    rule.PassiveAggressive(variant="pa1", C=0.3),
    rule.PassiveAggressive(variant="pa2", C=0.3),
    rule.Romma(),
    rule.Romma(aggressive=True),
    rule.Norma(),
    rule.Norma(nu=0.3, rho=0.0),
    rule.RegularizedPassiveAggressive(alpha=0.1),
    rule.RegularizedPassiveAggressive(penalty="l2_ball", radius=2.0),
    rule.ConfidenceWeighted(),
    rule.ConfidenceWeighted(constraint="stdev"),
    rule.SoftConfidenceWeighted(),
    rule.SoftConfidenceWeighted(penalty="squared"),
    rule.Arow(),
    rule.Arow(loss="hinge"),
    rule.Nherd(),
    rule.Narow(),
    rule.Narow(form="coupled"),
    rule.SecondOrderPerceptron(),
]


def data(seed: int = 0, rounds: int = 120, classes: int = 2) -> tuple[Array, NDArray[np.int64]]:
    """Examples a linear model can nearly tell apart."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rounds, 6))
    scores = X @ rng.normal(size=(6, classes)) + 0.2 * rng.normal(size=(rounds, classes))
    return X, np.argmax(scores, axis=1)


def learner(answer: Any, known: Any, classes: int = 2, **options: Any) -> Learner:
    """A learner of two or several classes."""
    asked = task.Binary() if classes == 2 else task.Multiclass()
    return Learner(task=asked, rule=answer, belief=known, n_features=6, n_classes=classes, **options)


@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("answer", RULES, ids=str)
def test_the_linear_kernel_is_the_primal_learner(answer: Any, classes: int, intercept: bool) -> None:
    """With the linear kernel a belief held by examples is the one held by weights, full covariance included."""
    X, y = data(classes=classes)
    a = 0.7 if answer.metric != "mean" else 1.0
    known = belief.Mean() if answer.metric == "mean" else belief.Full(initial_variance=a)
    primal = learner(answer, known, classes, fit_intercept=intercept)
    dual = learner(
        answer, belief.Kernel(kernel="linear", initial_variance=a), classes, fit_intercept=intercept
    )
    for model in (primal, dual):
        model.learn(X, y)
    scale = 1 + float(np.abs(primal.mean).max())
    assert_allclose(dual.mean, primal.mean, atol=1e-8 * scale)
    assert_allclose(dual.scores(X), primal.scores(X), atol=1e-8 * scale)
    assert_allclose(dual.margin_variance(X), primal.margin_variance(X), atol=1e-8)
    assert (dual.n_updates, dual.n_mistakes) == (primal.n_updates, primal.n_mistakes)


JOINT = {
    "uniform": (task.MulticlassJoint(method="uniform", rate=0.7), {"rate": 0.7}),
    "mira": (task.MulticlassJoint(method="mira", beta=0.05), {"beta": 0.05}),
    "pa": (task.MulticlassJoint(method="pa", variant="pa1", C=0.3), {"variant": "PA-I", "C": 0.3}),
}


@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
@pytest.mark.parametrize("method", JOINT)
def test_the_linear_kernel_learns_several_classes_at_once_as_weights_do(method: str, intercept: bool) -> None:
    """MIRA, the uniform Perceptron and PA under all constraints know of x no more than scores and |x|²."""
    X, y = data(classes=4)
    asked = JOINT[method][0]
    primal, dual = (
        Learner(task=asked, belief=known, n_features=6, n_classes=4, fit_intercept=intercept)
        for known in (belief.Mean(), belief.Kernel(kernel="linear"))
    )
    for model in (primal, dual):
        model.learn(X, y, sample_weight=np.tile([1.0, 0.5, 2.0, 0.0], 30))
    assert dual.n_updates == primal.n_updates > 10
    assert_allclose(dual.mean, primal.mean, atol=1e-9)
    assert_allclose(dual.scores(X), primal.scores(X), atol=1e-9)


@pytest.mark.parametrize("method", JOINT)
def test_several_classes_at_once_are_learned_in_the_space_of_the_kernel(method: str) -> None:
    """Rows of the root of the Gram matrix have the kernel for an inner product: NumPy learns them with weights."""
    X, y = data(classes=4)
    asked, parameters = JOINT[method]
    gram = np.exp(-0.2 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    root = np.linalg.cholesky(gram)
    oracle = JointUpdate(method, parameters, 4, len(X))
    dual = Learner(task=asked, belief=belief.Kernel(gamma=0.2), n_features=6, n_classes=4)
    for row in range(len(X)):
        assert_allclose(dual.scores(X[row : row + 1])[0], oracle.scores(root[row]), atol=1e-9)
        dual.learn(X[row : row + 1], y[row : row + 1])
        oracle.learn(root[row], int(y[row]))
    assert_allclose(dual.scores(X), root @ oracle.W.T, atol=1e-9)


def test_constraints_that_ask_for_a_covariance_between_demands_have_no_kernel_form_here() -> None:
    """AROW under several constraints is refused by name, and told where it is defined."""
    with pytest.raises(
        ParameterError, match=r"method='arow'\) is not defined on belief\.Kernel.*belief\.Mean"
    ):
        Learner(task=task.MulticlassJoint(method="arow"), belief=belief.Kernel(), n_features=2, n_classes=3)


@pytest.mark.parametrize("variant", ["pa", "pa1", "pa2", "arow"])
def test_linear_kernel_regression_is_the_primal_one(variant: str) -> None:
    """The same for numbers: Passive-Aggressive, and AROW with the squared loss."""
    X, _ = data(13)
    y = X @ np.arange(6.0) + 0.1 * np.sin(7 * X[:, 0])
    answer = rule.LeastSquares(r=0.5) if variant == "arow" else rule.PassiveAggressive(variant=variant, C=0.3)
    known = belief.Full() if variant == "arow" else belief.Mean()
    asked = task.Regression(epsilon=0.0 if variant == "arow" else 0.1)
    primal, dual = (
        Learner(task=asked, rule=answer, belief=each, n_features=6, fit_intercept=True)
        for each in (known, belief.Kernel(kernel="linear"))
    )
    for model in (primal, dual):
        model.learn(X, y)
    assert_allclose(dual.scores(X), primal.scores(X), atol=1e-8)
    assert_allclose(dual.margin_variance(X), primal.margin_variance(X), atol=1e-8)


@pytest.mark.parametrize("r", [0.5, 2.0])
def test_regression_is_kernel_ridge_regression(r: float) -> None:
    """AROW with the squared loss in a kernel's space gives (K + r I)^-1 y."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.normal(size=40)
    space = belief.Kernel(kernel="rbf", gamma=0.5)
    model = Learner(task=task.Regression(), rule=rule.LeastSquares(r=r), belief=space, n_features=3)
    model.learn(X, y)
    K = np.exp(-0.5 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    assert_allclose(model.scores(X), K @ np.linalg.solve(K + r * np.eye(40), y), atol=1e-9)
    left = np.linalg.solve(K + r * np.eye(40), K)
    assert_allclose(model.margin_variance(X), np.diag(K - K @ left), atol=1e-9)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("answer", [rule.PassiveAggressive(), rule.Arow()], ids=str)
def test_batches_sparse_rows_and_saving_do_not_show(answer: Any, kernel: str) -> None:
    """One call, many calls, CSR rows and a reload half-way give the same bits."""
    X, y = data(2, 300)
    X *= np.random.default_rng(3).random(X.shape) < 0.6
    space = belief.Kernel(kernel=kernel, gamma=0.3)
    whole = learner(answer, space)
    whole.learn(X, y)
    pieces = learner(answer, space)
    for i in range(0, 300, 41):
        pieces.learn(csr_matrix(X[i : i + 41]), y[i : i + 41])
        again = learner(answer, space)
        again.load_state(pieces.state())
        pieces = again
    assert pieces.digest() == whole.digest()


def test_a_function_is_a_kernel() -> None:
    """A Python function of two matrices learns what the named kernel learns."""
    X, y = data(4)
    named = learner(rule.Arow(), belief.Kernel(kernel="poly", degree=2.0, coef0=1.0))
    own = learner(rule.Arow(), belief.Kernel(kernel=square))
    for model in (named, own):
        model.learn(X, y)
    assert_allclose(own.scores(X), named.scores(X), rtol=1e-9)
    assert_allclose(own.margin_variance(X), named.margin_variance(X), rtol=1e-7)
    twin = pickle.loads(pickle.dumps(own))
    assert twin.digest() == own.digest()
    assert belief.Kernel(kernel=square) == belief.Kernel(kernel=square)


def square(a: Array, b: Array) -> Array:
    """(1 + a.b)^2 of every pair."""
    return np.asarray((1 + a @ b.T) ** 2)


def test_a_kernel_that_fails_changes_nothing() -> None:
    """An exception, a wrong shape or a NaN of the user's kernel is passed on, and nothing is learned."""
    X, y = data(5, 20)
    for broken, error in ((fails, ZeroDivisionError), (short, ValueError), (nan, ValueError)):
        model = learner(rule.Arow(), belief.Kernel(kernel=broken))
        with pytest.raises(error):
            model.learn(X, y)
        assert model.n_seen == 0


def fails(a: Array, b: Array) -> Array:
    """No kernel at all."""
    raise ZeroDivisionError


def short(a: Array, b: Array) -> Array:
    """Too few numbers."""
    return np.zeros(1) if len(a) * len(b) > 1 else np.zeros(2)


def nan(a: Array, b: Array) -> Array:
    """Not a number."""
    return np.full((len(a), len(b)), np.nan)


def test_equal_examples_are_kept_once() -> None:
    """A second pass adds to the coefficients of what is kept already."""
    X, y = data(6, 60)
    for answer in (rule.PassiveAggressive(), rule.Arow()):
        model = learner(answer, belief.Kernel(kernel="rbf", gamma=0.2))
        for _ in range(4):
            model.learn(X, y)
        held = model.expansion
        assert held is not None
        assert len(held.nu) <= 60 < model.n_updates or len(held.nu) == len(np.unique(held.support, axis=0))


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("removal", ["smallest", "forgetron"])
@pytest.mark.parametrize(
    "answer", [rule.Perceptron(), rule.PassiveAggressive(), rule.Arow(), rule.Romma()], ids=str
)
def test_a_budget_bounds_what_is_kept(answer: Any, removal: str, classes: int) -> None:
    """Never more examples than the budget, scores stay finite, and variances stay between 0 and the prior's."""
    X, y = data(7, 400, classes)
    model = learner(answer, belief.Kernel(gamma=0.3, budget=15, removal=removal), classes)
    for i in range(0, 400, 50):
        model.learn(X[i : i + 50], y[i : i + 50])
        held = model.expansion
        assert held is not None
        assert len(held.nu) <= 15
    assert np.all(np.isfinite(model.scores(X)))
    variance = model.margin_variance(X)
    assert np.all((variance >= 0) & (variance <= 1 + 1e-9))
    assert len(model.state()["support"]) <= 15 * 6


def test_forgetting_an_example_is_never_having_seen_it() -> None:
    """With AROW's squared loss, the oldest example removed leaves the belief of the others."""
    X, y = data(8, 6)
    space = {"kernel": "rbf", "gamma": 0.4}
    asked = task.Regression()
    full = Learner(task=asked, rule=rule.LeastSquares(), belief=belief.Kernel(**space), n_features=6)
    full.learn(X[1:], y[1:].astype(float))
    window = Learner(
        task=asked,
        rule=rule.LeastSquares(),
        belief=belief.Kernel(**space, budget=5, removal="forgetron"),
        n_features=6,
    )
    window.learn(X, y.astype(float))
    assert_allclose(window.margin_variance(X), full.margin_variance(X), atol=1e-9)


def test_the_forgetron_shrinks_before_it_forgets() -> None:
    """Its damage stays within 15/32 of the mistakes, the invariant of its proof."""
    rng = np.random.default_rng(9)
    X, y = rng.normal(size=(500, 6)), rng.integers(0, 2, 500)
    model = learner(rule.Perceptron(), belief.Kernel(gamma=0.3, budget=20, removal="forgetron"))
    for i in range(0, 500, 10):
        model.learn(X[i : i + 10], y[i : i + 10])
        state = model.state()
        assert state["damage"] <= 15 / 32 * state["updates"] + 1e-9


def test_a_third_class_keeps_scores_and_variance() -> None:
    """Two classes become two blocks of half the covariance; the margin between them is the one before."""
    X, y = data(10)
    model = learner(rule.Arow(), belief.Kernel(gamma=0.3))
    model.learn(X, y)
    scores, variance = model.scores(X), model.margin_variance(X)
    model.handle.to_multiclass(task.Multiclass())
    blocks = model.scores(X)
    assert_allclose(blocks[:, 1] - blocks[:, 0], scores, atol=1e-12)
    assert_allclose(model.margin_variance(X).sum(axis=1), variance, atol=1e-12)


def test_many_features_are_kept_sparse() -> None:
    """Past a few thousand features examples are kept by what is not zero, with the same answers."""
    X, y = data(11)
    wide = csr_matrix((120, 100_000)).tolil()
    wide[:, 500:506] = X
    wide = wide.tocsr()
    narrow = learner(rule.Arow(), belief.Kernel(gamma=0.3))
    model = Learner(task=task.Binary(), rule=rule.Arow(), belief=belief.Kernel(gamma=0.3), n_features=100_000)
    narrow.learn(X, y)
    model.learn(wide, y)
    assert_allclose(model.scores(wide), narrow.scores(X), atol=1e-10)


def test_what_has_no_kernel_form_is_refused() -> None:
    """IELLIP, dual averaging and the L1 ball say that they are not defined here."""
    for answer in (rule.Iellip(), rule.AdagradRda(), rule.RegularizedPassiveAggressive(penalty="l1_ball")):
        with pytest.raises(ParameterError, match=r"not defined on belief\.Kernel"):
            learner(answer, belief.Kernel())


def test_a_difference_of_two_rows_has_no_kernel_form() -> None:
    """Single-prototype ranking compares rows of one example, and is refused."""
    with pytest.raises(ParameterError, match="not defined on belief.Kernel"):
        Learner(task=task.Ranking(prototypes="single"), rule=rule.Arow(), belief=belief.Kernel())


def pixels() -> tuple[Array, NDArray[np.int64]]:
    """Handwritten digits as they come, 0 to 16: a cubic kernel makes 1e11 of them."""
    X, y = load_digits(return_X_y=True)
    return X, y


@pytest.mark.parametrize("answer", [answer for answer in RULES if answer.metric != "mean"], ids=str)
def test_a_cubic_kernel_of_ordinary_numbers_keeps_its_covariance(answer: Any) -> None:
    """Kernels eleven orders above the precision a step adds: two passes learn, and no variance is below zero."""
    X, y = pixels()
    model = Learner(
        task=task.Multiclass(), rule=answer, belief=belief.Kernel(kernel="poly"), n_features=64, n_classes=10
    )
    for _ in range(2):
        report = model.learn(X[:400], y[:400])
    assert report.n_mistakes < 0.15 * 400
    assert np.mean(np.argmax(model.scores(X[400:]), axis=1) == y[400:]) > 0.8
    variance = model.margin_variance(X[400:500])
    prior = (1 + np.square(X[400:500]).sum(axis=1)) ** 3
    assert np.all((variance > 0) & (variance <= prior[:, None]))


def exact_variance(K: Array, r: float) -> Array:
    """K - K (K + r I)^-1 K of the last point given all others, in exact fractions."""
    n = len(K) - 1
    rows = [[Fraction(float(x)) for x in row] for row in K]
    for i in range(n):
        rows[i][i] += Fraction(r)
    for i in range(n):  # Gauss: what is left in the corner is the complement
        for j in range(i + 1, n + 1):
            share = rows[j][i] / rows[i][i]
            for k in range(i, n + 1):
                rows[j][k] -= share * rows[i][k]
    return np.array(float(rows[n][n]))


@pytest.mark.parametrize("shift", [0.0, 10.0, 100.0])
def test_a_variance_is_right_to_a_rounding_of_the_prior(shift: float) -> None:
    """Against exact fractions: kernels up to 1e14 leave an error of 1e-12 of the prior's variance, not of its square."""
    rng = np.random.default_rng(0)
    X = np.round(shift + rng.normal(size=(25, 3)), 3)
    model = Learner(
        task=task.Regression(), rule=rule.LeastSquares(), belief=belief.Kernel(kernel="poly"), n_features=3
    )
    model.learn(X[:-1], np.zeros(24))
    K = (1 + X @ X.T) ** 3
    assert_allclose(model.margin_variance(X[-1:]), exact_variance(K, 1.0), atol=1e-12 * K[-1, -1], rtol=1e-9)


@pytest.mark.parametrize("answer", [answer for answer in RULES if answer.metric != "mean"], ids=str)
def test_kernels_past_all_resolution_stay_finite(answer: Any) -> None:
    """Kernels of 1e14 that span 84 directions and labels by chance: nothing can be told apart, and nothing runs away."""
    rng = np.random.default_rng(0)
    X, y = 100 + rng.normal(size=(300, 6)), rng.integers(0, 2, 300)
    model = learner(answer, belief.Kernel(kernel="poly", degree=3.0))
    for _ in range(4):
        model.learn(X, y)
    held = model.expansion
    assert held is not None
    assert np.abs(held.nu).max() < 1e3


def late(primal: bool, answer: Any, a: float) -> Learner:
    """Two classes and three features; then more of both."""
    first_order = answer.metric == "mean"
    known: Any = belief.Kernel(kernel="linear", initial_variance=a)
    if primal:
        known = belief.Mean() if first_order else belief.Full(initial_variance=a)
    model = Learner(
        task=task.Binary(), rule=answer, belief=known, n_features=3, n_classes=2, fit_intercept=True
    )
    X, y = data(14, 160, classes=4)
    model.learn(X[:40, :3], y[:40] % 2)
    model.handle.to_multiclass(task.Multiclass())
    model.handle.grow(3, 3)
    model.learn(X[40:80, :3], y[40:80] % 3)
    model.handle.grow(5, 3)
    model.learn(X[80:120, :5], y[80:120] % 3)
    model.handle.grow(6, 4)
    model.learn(X[120:], y[120:])
    return model


@pytest.mark.parametrize("answer", RULES, ids=str)
def test_the_linear_kernel_is_the_primal_learner_when_classes_and_features_come_late(answer: Any) -> None:
    """A third class, new features and a fourth class, each in the middle of the stream."""
    a = 0.7 if answer.metric != "mean" else 1.0
    primal, dual = late(True, answer, a), late(False, answer, a)
    X, _ = data(15, 50)
    scale = 1 + float(np.abs(primal.mean).max())
    assert primal.mean.shape == dual.mean.shape == (4, 6)
    assert_allclose(dual.mean, primal.mean, atol=1e-8 * scale)
    assert_allclose(dual.variance, primal.variance, atol=1e-8)
    assert_allclose(dual.scores(X), primal.scores(X), atol=1e-8 * scale)
    assert_allclose(dual.margin_variance(X), primal.margin_variance(X), atol=1e-8 * scale)
    assert (dual.n_updates, dual.n_mistakes) == (primal.n_updates, primal.n_mistakes)


@pytest.mark.parametrize("share", [0.3, 1.0])
@pytest.mark.parametrize("answer", [answer for answer in RULES if answer.metric != "mean"], ids=str)
def test_the_linear_kernel_is_inflated_as_the_primal_learner_is(answer: Any, share: float) -> None:
    """Half-way back to the prior, and on over the same examples, whose precision is mixed by then."""
    X, y = data(16, 80)
    primal = learner(answer, belief.Full(initial_variance=0.7))
    dual = learner(answer, belief.Kernel(kernel="linear", initial_variance=0.7))
    for model in (primal, dual):
        model.learn(X, y)
        model.handle.inflate(share)
        model.learn(X[::-1], 1 - y[::-1])
    scale = 1 + float(np.abs(primal.mean).max())
    assert_allclose(dual.mean, primal.mean, atol=1e-8 * scale)
    assert_allclose(dual.variance, primal.variance, atol=1e-8)


def test_a_damaged_state_is_refused() -> None:
    """A state whose tables do not hold together is refused, and the learner stays as it was."""
    X, y = data(12)
    model = learner(rule.Arow(), belief.Kernel(gamma=0.3))
    model.learn(X, y)
    for name, value in (
        ("nu", np.zeros((3, 1))),
        ("root", np.zeros((2, 2))),
        ("root", np.ones_like(model.state()["root"])),
        ("plain", np.zeros((1, 1))),
        ("support", np.full((1, 3), 1e9)),
    ):
        state = {**model.state(), name: value}
        with pytest.raises(ValueError, match="does not hold together"):
            learner(rule.Arow(), belief.Kernel(gamma=0.3)).load_state(state)
