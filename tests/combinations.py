"""Every rule on every belief it is defined on, as the product spells it and as the reference does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from onlinear import Learner, belief, rule, task
from tests.closed_lists import defined_on
from tests.reference.beliefs import Diagonal, DiagonalInformation, DualAveraging, Full, FullInformation, Mean
from tests.reference.learners import AdagradRda, ArowQP, JointUpdate, Linear, Narow, SecondOrderPerceptron
from tests.reference.rules import SAMPLES, Array, Sample
from tests.reference.tasks import Binary, Top1
from tests.strategies import Stream

Oracle = Any


@dataclass(frozen=True)
class Combination:
    """One algorithm: how to build the product's learner, and the reference's."""

    name: str
    rule: Any
    belief: Any
    oracle: Callable[[Any, int, int | None], Oracle]  # of the task, the length of the mean, the labels
    task: Any = None  # the product's own, where it is not the plain one
    only: frozenset[int] = field(default=frozenset())  # numbers of classes it is for; empty: any

    def __str__(self) -> str:
        return self.name

    def averaged(self) -> Combination:
        """Give the same algorithm with its means averaged."""
        return replace(self, belief=type(self.belief)(**{**self.belief.parameters(), "average": True}))

    def learner(self, stream: Stream, dtype: str = "float64", start: Array | None = None) -> Learner:
        """Build the product's learner for a stream."""
        plain = task.Binary() if stream.classes == 2 and self.task is None else task.Multiclass()
        return Learner(
            task=self.task if self.task is not None else plain,
            rule=self.rule,
            belief=self.belief,
            dtype=dtype,
            n_features=stream.features,
            n_classes=stream.classes,
            initial_mean=start,
        )

    def reference(self, stream: Stream, start: Array | None = None) -> Oracle:
        """Build the reference's learner for a stream."""
        binary = stream.classes == 2 and self.task is None
        K = 1 if binary else stream.classes
        oracle = self.oracle(Binary() if binary else Top1(K), K * stream.features, K)
        if start is not None:
            begin_at(oracle, start)
        return oracle


def begin_at(oracle: Oracle, start: Array) -> None:
    """Give a reference learner a starting mean."""
    if isinstance(oracle, JointUpdate):
        oracle.W = start.copy()
    else:
        oracle.belief.mu = start.ravel().copy()


def _linear(name: str, params: dict[str, Any], kind: type[Mean], **options: Any) -> Callable[..., Oracle]:
    return lambda t, n, K: Linear(t, name, params, kind(n, **options))


def _regularized() -> list[Combination]:
    """PA for targets that move; the balls are small enough to bind."""
    made = rule.RegularizedPassiveAggressive
    return [
        Combination(f"rpa-{name}", made(penalty=penalty, **options), known, _linear(f"rpa-{name}", p, Mean))
        for name, penalty, options, known, p in (
            ("objective", "objective", {"alpha": 0.2}, belief.Mean(), {"alpha": 0.2, "trigger": "margin"}),
            ("l2", "l2_ball", {"radius": 1.3}, belief.Mean(), {"beta": 1.3, "trigger": "margin"}),
            ("l1", "l1_ball", {"radius": 1.6}, belief.L1Ball(), {"beta": 1.6, "trigger": "margin"}),
        )
    ]


#: The beliefs with a reference, by their names in `closed_lists.BELIEFS`: the product's, the reference's, what a
#: combination is called.
_BELIEFS: dict[str, tuple[Any, type[Mean], dict[str, Any], str]] = {
    "mean": (belief.Mean(), Mean, {}, "mean"),
    **{
        each: (
            belief.Diagonal(projection=each, initial_variance=0.8),
            Diagonal,
            {"a": 0.8, "diag": each},
            f"diagonal-{each}",
        )
        for each in ("kl", "drop", "exact")
    },
    "full": (belief.Full(initial_variance=0.8), Full, {"a": 0.8}, "full"),
}


def _made(sample: Sample) -> Any:
    """The product's rule of a sample."""
    return getattr(rule, sample.product)(**sample.given)


def _single() -> list[Combination]:
    """Every rule with a reference on every belief it is defined on that has one."""
    return [
        Combination(
            f"{sample.called}-{called}", made, known, _linear(sample.rule, sample.params, kind, **options)
        )
        for sample in SAMPLES
        for made in (_made(sample),)
        for name, (known, kind, options, called) in _BELIEFS.items()
        if name in defined_on(made)
    ]


#: The rules with a covariance, each with its parameters as the reference spells them and its projections.
GAUSSIAN_RULES: dict[str, tuple[Any, dict[str, Any], tuple[str, ...]]] = {
    sample.rule: (
        made,
        sample.params,
        tuple(each for each in ("kl", "drop", "exact") if each in defined_on(made)),
    )
    for sample in SAMPLES
    for made in (_made(sample),)
    if "full" in defined_on(made)
}


def _on_own_states() -> list[Combination]:
    sop, narow = rule.SecondOrderPerceptron(), rule.Narow(b=1.2)
    binary_only = frozenset({2})
    return [
        Combination(
            "sop-own-diagonal",
            sop,
            belief.Information(initial_variance=0.8, inclusive=True),
            lambda t, n, K: SecondOrderPerceptron(DiagonalInformation(n, 1 / 0.8)),
            only=binary_only,
        ),
        Combination(
            "sop-own-full",
            sop,
            belief.Full(initial_variance=0.8, inclusive=True),
            lambda t, n, K: SecondOrderPerceptron(FullInformation(n, 1 / 0.8)),
            only=binary_only,
        ),
        Combination(
            "narow-own-diagonal",
            narow,
            belief.Information(initial_variance=0.8),
            lambda t, n, K: Narow(t, 1.2, DiagonalInformation(n, 1 / 0.8)),
        ),
        Combination(
            "adagrad-rda",
            rule.AdagradRda(),
            belief.DualAveraging(eta=0.8, delta0=0.05, lam=0.01),
            lambda t, n, K: AdagradRda(t, DualAveraging(n, eta=0.8, delta=0.05, lam=0.01)),
        ),
    ]


def _joint() -> list[Combination]:
    def on_mean(name: str, product_task: Any, method: str, params: dict[str, Any]) -> Combination:
        def oracle(t: Any, n: int, K: int) -> JointUpdate:
            return JointUpdate(method, params, K, n // K)

        return Combination(name, None, belief.Mean(), oracle, product_task)

    J = task.MulticlassJoint
    found = [
        on_mean("joint-uniform", J(method="uniform", rate=0.7), "uniform", {"rate": 0.7}),
        on_mean("joint-mira", J(method="mira", beta=0.05), "mira", {"beta": 0.05}),
        on_mean("joint-pa", J(method="pa", variant="pa"), "pa", {"variant": "PA"}),
        on_mean("joint-pa1", J(method="pa", variant="pa1", C=0.3), "pa", {"variant": "PA-I", "C": 0.3}),
        on_mean("joint-pa2", J(method="pa", variant="pa2", C=0.4), "pa", {"variant": "PA-II", "C": 0.4}),
    ]
    beliefs = {
        "mean": (belief.Mean(), lambda n: Mean(n)),
        "kl": (
            belief.Diagonal(projection="kl", initial_variance=0.8),
            lambda n: Diagonal(n, a=0.8, diag="kl"),
        ),
        "drop": (belief.Diagonal(projection="drop", initial_variance=0.8), lambda n: Diagonal(n, a=0.8)),
        "full": (belief.Full(initial_variance=0.8), lambda n: Full(n, a=0.8)),
    }
    for kind, (product_belief, made) in beliefs.items():
        for k, cov_update in ((1, "sum"), (1, "delta"), (2, "sum"), (None, "sum"), (None, "delta")):
            product_task = J(method="arow", r=0.6, k=k, cov_update=cov_update)
            params = {"r": 0.6, "k": k, "cov_update": cov_update}

            def oracle(t: Any, n: int, K: int, params: Any = params, made: Any = made) -> ArowQP:
                return ArowQP(params, K, made(n))

            name = f"joint-arow-{k or 'all'}-{cov_update}-{kind}"
            found.append(Combination(name, None, product_belief, oracle, product_task))
    return found


SINGLE: list[Combination] = [*_single(), *_on_own_states()]
REGULARIZED: list[Combination] = _regularized()
JOINT: list[Combination] = _joint()


def learn(combination: Combination, stream: Stream, **options: Any) -> Learner:
    """Let the product learn a stream in one call."""
    learner = combination.learner(stream, **options)
    learner.learn(stream.X, stream.y, sample_weight=stream.weights)
    return learner


def taught(
    combination: Combination, stream: Stream, start: Array | None = None
) -> Iterator[tuple[Oracle, Any, Any]]:
    """Let the reference learn a stream; give it before each example, with the example as it wants it."""
    oracle = combination.reference(stream, start)
    binary = stream.classes == 2 and combination.task is None
    for x, y, weight in zip(stream.X, stream.y, stream.weights, strict=True):
        answer = (1.0 if y else -1.0) if binary else int(y)
        yield oracle, x, answer
        oracle.learn(x, answer, float(weight))


def replay(combination: Combination, stream: Stream, start: Array | None = None) -> Oracle:
    """Let the reference learn a stream."""
    last = combination.reference(stream, start)
    for oracle, _, _ in taught(combination, stream, start):
        last = oracle
    return last


def oracle_state(oracle: Oracle) -> dict[str, Array]:
    """Give the reference's state under the names of the product's attributes, all flat."""
    state = oracle.state()
    named = {"mean": state["mu"]}
    if "sigma" in state:
        named["variance"] = state["sigma"]
    if "A" in state:
        named["variance"] = 1 / state["A"]
    for key in ("Sigma", "Ainv"):
        if key in state:
            named["covariance"] = state[key]
    return {key: np.ravel(value) for key, value in named.items()}


def distance(got: Array, want: Array) -> float:
    """Give the largest deviation, on the scale of what is wanted."""
    got, want = np.ravel(np.asarray(got, dtype=np.float64)), np.ravel(want)
    assert got.shape == want.shape, (got.shape, want.shape)
    return float(np.max(np.abs(got - want)) / (1 + np.max(np.abs(want)))) if want.size else 0.0
