"""Replay a stream through an algorithm known by its id, as the golden vectors name it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .beliefs import BELIEFS, DiagonalInformation, DualAveraging, FullInformation, Mean
from .kernels import Expansion
from .learners import (
    AdagradRda,
    ArowQP,
    JointUpdate,
    LearnedRadius,
    Linear,
    Narow,
    SecondOrderPerceptron,
)
from .rules import Params
from .tasks import Binary, CostSensitive, Ranking, Regression, SinglePrototypeRanking, Top1, Uniclass
from .tasks import Sequence as SequenceTask

FIRST_ORDER = ("perceptron", "pa", "romma", "norma", "rpa-objective", "rpa-l2", "rpa-l1")


def make(algorithm: str, params: Params, d: int, K: int | None) -> Any:
    """Build the learner that an algorithm's id names."""
    name, _, kind = algorithm.partition("/")
    if name.startswith("x-"):
        return _crossed(name, kind, params, d, K)
    if name.startswith("kernel-"):
        return _kernel(name.removeprefix("kernel-"), params)
    if name.startswith(("mc-", "mira")):
        return _multiclass(name, kind, params, d, K)
    return _plain(name, kind, params, d, K)


def _belief(rule: str, kind: str, n: int, params: Params) -> Mean:
    if rule in FIRST_ORDER:
        return Mean(n)
    diag = {"diag": "drop"} | {key: params[key] for key in ("a", "diag") if key in params}
    return BELIEFS[kind](n, **diag)


def _crossed(name: str, kind: str, params: Params, d: int, K: int) -> Linear:
    task_name, _, rule = name.removeprefix("x-").partition("-")
    task, n = {
        "top1": lambda: (Top1(K), K * d),
        "multilabel": lambda: (Ranking(K), K * d),
        "cost": lambda: (CostSensitive(K, params["rho"], params["kind"]), K * d),
        "sequence": lambda: (SequenceTask(K, d, params["cost"]), K * d + K * K),
    }[task_name]()
    return Linear(task, rule, params, _belief(rule, kind, n, params))


def _kernel(name: str, params: Params) -> Expansion:
    rule = name.removesuffix("-regression")
    regression = name.endswith("-regression")
    if rule == "arow" and regression:
        rule = "arow-regression"
    return Expansion(rule, params, second_order=rule != "pa", regression=regression)


def _multiclass(name: str, kind: str, params: Params, d: int, K: int) -> Any:
    if name == "mira":
        learner = JointUpdate("mira", params, K, d)
        for k in range(K):
            learner.W[k, k % d] = params.get("init_scale", 0.0)
        return learner
    if name == "mc-all":
        return JointUpdate("pa", params, K, d)
    if name == "mc-perceptron":
        if params["update"] == "uniform":
            return JointUpdate("uniform", params, K, d)
        return Linear(Top1(K), "perceptron", params, Mean(K * d))
    if name == "mc-adagrad-rda":
        return AdagradRda(Top1(K), DualAveraging(K * d, **params))
    if name == "mc-arow-qp":
        return ArowQP(params, K, _belief("arow", kind, K * d, params))
    rule = name.removeprefix("mc-top1-")
    return Linear(Top1(K), rule, params, _belief(rule, kind, K * d, params))


def _plain(name: str, kind: str, params: Params, d: int, K: int | None) -> Any:
    if name.startswith("pa-"):
        return _passive_aggressive(name, params, d, K)
    if name == "adagrad-rda":
        return AdagradRda(Binary(), DualAveraging(d, **params))
    if name in ("sop", "narow"):
        information = (FullInformation if kind == "full" else DiagonalInformation)(d, params.get("a", 1.0))
        if name == "sop":
            return SecondOrderPerceptron(information)
        return Narow(Binary(), params["b"], information)
    if name == "arow-regression":
        return Linear(Regression(), name, params, _belief(name, kind, d, params))
    rule = {"sop-like": "sop", "narow-rule": "narow"}.get(name, name)
    return Linear(Binary(), rule, params, _belief(rule, kind, d, params))


def _passive_aggressive(name: str, params: Params, d: int, K: int | None) -> Any:
    if name == "pa-uniclass-radius":
        return LearnedRadius(params, d)
    task, n = {
        "pa-regression": lambda: (Regression(params["epsilon"]), d),
        "pa-uniclass": lambda: (Uniclass(params["epsilon"]), d),
        "pa-multilabel": lambda: (Ranking(K), K * d),
        "pa-multilabel-single": lambda: (SinglePrototypeRanking(K), d),
        "pa-cost": lambda: (CostSensitive(K, params["rho"], params["kind"]), K * d),
        "pa-sequence": lambda: (SequenceTask(K, d, params["cost"]), K * d + K * K),
    }[name]()
    return Linear(task, "pa", params, Mean(n))


def shaped(algorithm: str, state: dict[str, Any], d: int, K: int | None) -> dict[str, Any]:
    """Give a state the shape that the golden vectors keep it in."""
    if algorithm == "pa-sequence":
        mu = state["mu"]
        return {"E": mu[: K * d].reshape(K, d), "T": mu[K * d :].reshape(K, K)}
    if K is None or algorithm.startswith(("x-", "pa-multilabel-single")):
        return state
    rows = ("mu", "sigma", "average", "u", "G")
    return {key: np.reshape(value, (K, d)) if key in rows else value for key, value in state.items()}


@dataclass
class Run:
    """What came of a stream: per round the prediction before, whether anything moved, and the state after."""

    scores_before: list[Any]
    changed: list[bool]
    states: list[dict[str, Any]]
    learner: Any


def final_scores(learner: Any, probes: Sequence[Any]) -> list[Any]:
    """Score fresh inputs; SOP in its own form does so with its mean, for there is nothing to count."""
    if isinstance(learner, SecondOrderPerceptron):
        return [float(learner.belief.mu @ np.asarray(x)) for x in probes]
    return [learner.scores(np.asarray(x, dtype=np.float64)) for x in probes]


def moved(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Tell whether the mean or the covariance differ; clocks do not count."""
    clocks = ("t", "c", "average", "rho", "radius")
    keys = [key for key in after if key not in clocks]
    return not all(np.array_equal(before[key], after[key]) for key in keys)


def run(algorithm: str, params: Params, d: int, K: int | None, stream: Sequence[dict[str, Any]]) -> Run:
    """Replay a stream; an example may carry a `weight`."""
    learner = make(algorithm, params, d, K)
    result = Run([], [], [], learner)
    before = shaped(algorithm, learner.state(), d, K)
    for example in stream:
        x = np.asarray(example["x"], dtype=np.float64)
        result.scores_before.append(learner.scores(x))
        learner.learn(x, example["y"], example.get("weight", 1.0))
        after = shaped(algorithm, learner.state(), d, K)
        result.changed.append(moved(before, after))
        result.states.append(after)
        before = after
    return result
