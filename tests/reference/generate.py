"""Make the golden vectors in ``tests/vectors`` from the reference.

Run ``python -m tests.reference.generate``. Inputs are short decimals, so that the files stay small; a
stream on which a rounding of the inputs changes a decision is thrown away and drawn again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from . import merge, precise
from .regularized import truncate
from .replay import Run, final_scores, run
from .rules import Array, quantile

ROUNDS, KERNEL_ROUNDS, PROBES = 25, 14, 3
RTOL = 1e-9
PROJECTIONS: list[tuple[str, str, dict[str, Any]]] = [
    ("full", "full", {}),
    ("diag-drop", "diag", {"diag": "drop"}),
    ("diag-kl", "diag", {"diag": "kl"}),
]
FOLDER = Path(__file__).parents[1] / "vectors"

COSTS = {
    3: [[0, 2, 0.5], [1, 0, 3], [0.25, 1, 0]],
    4: [[0, 2, 1, 0.25], [0.5, 0, 1, 3], [1, 4, 0, 0.16], [2, 1, 0.5, 0]],
}


@dataclass
class Case:
    """One file: an algorithm with its parameters, and the shape of the stream."""

    name: str
    algorithm: str
    task: str
    params: dict[str, Any] = field(default_factory=dict)
    K: int | None = None
    d: int = 5
    rounds: int = ROUNDS


# ---- streams ----


def inputs(rng: np.random.Generator, rounds: int, shape: tuple[int, ...]) -> list[Array]:
    """Draw inputs, among them a zero one, a huge one, a tiny one, a sparse one and a near-repeat."""
    xs = [rng.normal(size=shape).round(3) for _ in range(rounds)]
    zero, huge, tiny, sparse, twin = rng.permutation(np.arange(3, rounds))[:5]
    xs[zero] = np.zeros(shape)
    xs[huge] = (8 * xs[huge]).round(3)
    xs[tiny] = (xs[tiny] / 1000).round(6)
    xs[sparse] = np.where(rng.permuted(np.arange(xs[sparse].size)).reshape(shape) < 2, xs[sparse], 0.0)
    xs[twin] = (xs[twin - 1] * 1.01 + rng.normal(scale=0.01, size=shape)).round(3)
    return xs


def answers(rng: np.random.Generator, case: Case, xs: list[Array]) -> list[Any]:
    """Label inputs by a hidden linear model, every tenth at random."""
    noisy = [rng.random() < 0.1 for _ in xs]
    hidden = rng.normal(size=(case.K or 1, case.d))
    labels = {
        "regression": lambda x, lie: round(float(hidden[0] @ x + rng.normal(scale=2.0 if lie else 0.2)), 3),
        "uniclass": lambda x, lie: None,
        "multiclass": lambda x, lie: int(rng.integers(case.K) if lie else np.argmax(hidden @ x)),
        "multilabel": lambda x, lie: _relevant(rng, hidden @ x, lie),
        "multilabel-single": lambda x, lie: _relevant(rng, x @ hidden[0], lie),
        "sequence": lambda x, lie: [int(k) for k in _noisy(rng, x @ hidden.T, lie).argmax(axis=1)],
        "binary": lambda x, lie: 1 if (hidden[0] @ x >= 0) != lie else -1,
    }
    label = labels[case.task.removesuffix("-kernel")]
    return [label(x, lie) for x, lie in zip(xs, noisy, strict=True)]


def _relevant(rng: np.random.Generator, scores: Array, lie: bool) -> list[int]:
    return [int(k) for k in np.flatnonzero(scores > 0.3 if not lie else rng.random(len(scores)) < 0.5)]


def _noisy(rng: np.random.Generator, scores: Array, lie: bool) -> Array:
    return scores + rng.normal(scale=3.0 if lie else 0.3, size=scores.shape)


def stream(rng: np.random.Generator, case: Case) -> list[dict[str, Any]]:
    """Draw a stream."""
    if case.task == "sequence":
        lengths = rng.integers(2, 5, size=case.rounds)
        xs = [x[:n] for x, n in zip(inputs(rng, case.rounds, (5, case.d)), lengths, strict=True)]
    else:
        shape = (case.K, case.d) if case.task == "multilabel-single" else (case.d,)
        xs = inputs(rng, case.rounds, shape)
    return [{"x": x.tolist(), "y": y} for x, y in zip(xs, answers(rng, case, xs), strict=True)]


# ---- runs ----


def perturbed(examples: list[dict[str, Any]], rng: np.random.Generator, size: float) -> list[dict[str, Any]]:
    """Move every input by a relative error."""
    moved = []
    for example in examples:
        x = np.asarray(example["x"])
        moved.append({**example, "x": x * (1 + size * rng.uniform(-1, 1, size=x.shape))})
    return moved


def distance(run_a: Run, run_b: Run) -> float:
    """Give how far apart two runs end, on the scale of the first."""
    last_a, last_b = run_a.states[-1], run_b.states[-1]
    gaps = [0.0]
    for key, value in last_a.items():
        a, b = np.asarray(value, dtype=float), np.asarray(last_b[key], dtype=float)
        if a.size:
            gaps.append(float(np.max(np.abs(a - b)) / (1 + np.max(np.abs(a)))))
    return max(gaps)


def decisions(case: Case, result: Run) -> tuple[Any, ...]:
    """Give everything discrete about a run: it must not hang on a rounding."""
    sparsity = tuple(tuple(np.ravel(s["mu"]) == 0) for s in result.states if "mu" in s)
    paths = tuple(map(tuple, result.scores_before)) if case.task == "sequence" else ()
    return tuple(result.changed), paths, sparsity


def stable_run(case: Case, seed: int) -> tuple[list[dict[str, Any]], Run, float]:
    """Draw streams until one is found whose decisions survive a perturbation; give its float32 drift too."""
    for attempt in range(1000):
        rng = np.random.default_rng([seed, attempt])
        examples = stream(rng, case)
        result = replay(case, examples)
        shaken = [replay(case, perturbed(examples, rng, 1e-5)) for _ in range(4)]
        if any(decisions(case, other) != decisions(case, result) for other in shaken):
            continue
        silent = not any(result.changed[5:]) and case.params.get("eta") != 0.5
        if silent or max(distance(result, other) for other in shaken) > 1e-3:
            continue
        rounded = [replay(case, perturbed(examples, rng, 2.0**-24)) for _ in range(6)]
        return examples, result, max(2.0**-26, *(distance(result, other) for other in rounded))
    raise RuntimeError(f"no stable stream for {case.name}")


def replay(case: Case, examples: list[dict[str, Any]]) -> Run:
    """Run a case's algorithm."""
    return run(case.algorithm, case.params, case.d, case.K, examples)


def vector(case: Case, seed: int) -> dict[str, Any]:
    """Make the contents of one file."""
    examples, result, drift = stable_run(case, seed)
    rng = np.random.default_rng([seed, 7])
    probes = [example["x"] for example in stream(rng, replace(case, rounds=9))][:PROBES]
    marks = [1, case.rounds // 2, case.rounds]
    made = {
        "name": case.name,
        "algorithm": case.algorithm,
        "section": case.algorithm.partition("/")[0],
        "task": case.task,
        "params": case.params,
        "d": case.d,
        "K": case.K,
        "stream": examples,
        "scores_before": result.scores_before,
        "changed": result.changed,
        "checkpoints": [{"t": t, "state": result.states[t - 1]} for t in marks],
        "probes": probes,
        "final_scores": final_scores(result.learner, probes),
        "tolerance": {"rtol": RTOL, "float32_drift": drift},
    }
    if case.algorithm.startswith("kernel-") and result.learner.pi is not None:
        made["final_variances"] = [result.learner.variance(np.asarray(x)) for x in probes]
    return made


# ---- the catalogue ----

VARIANTS: dict[str, dict[str, Any]] = {
    "PA": {"variant": "PA"},
    "PA-I": {"variant": "PA-I", "C": 0.2},
    "PA-II": {"variant": "PA-II", "C": 0.4},
}
GAUSSIAN: dict[str, dict[str, Any]] = {
    "cw-var": {"eta": 0.85},
    "cw-stdev": {"eta": 0.75},
    "scw-i": {"eta": 0.85, "C": 0.4},
    "scw-ii": {"eta": 0.85, "C": 0.7},
    "arow": {"r": 0.6},
    "arow-h": {"r": 0.8},
    "nherd": {"C": 0.7},
}
KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "coef0": 0.5, "degree": 3},
    "rbf": {"kernel": "rbf", "gamma": 0.4},
}


def first_order() -> Iterator[Case]:
    """List the binary rules on a mean."""
    yield Case("perceptron", "perceptron", "binary")
    yield Case("perceptron-rate", "perceptron", "binary", {"rate": 0.3})
    for name, p in VARIANTS.items():
        yield Case(f"pa-binary-{name}", "pa", "binary", p)
    yield Case("romma", "romma", "binary", {"aggressive": False})
    yield Case("romma-aggressive", "romma", "binary", {"aggressive": True})
    yield Case("norma-fixed-rho", "norma", "binary", {"eta": 0.2, "lam": 0.03, "rho": 0.8})
    yield Case("norma-nu", "norma", "binary", {"eta": 0.15, "lam": 0.02, "rho": 0.0, "nu": 0.4})
    yield Case("norma-decay", "norma", "binary", {"eta": 0.6, "lam": 0.02, "rho": 1.0, "decay": True})
    yield Case("adagrad-rda", "adagrad-rda", "binary", {"eta": 0.8, "delta": 0.05, "lam": 0.03})
    yield Case("adagrad-rda-nol1", "adagrad-rda", "binary", {"eta": 1.2, "delta": 0.0, "lam": 0.0})
    for kind, p in (("objective", {"alpha": 0.15}), ("l2", {"beta": 1.2}), ("l1", {"beta": 1.6})):
        yield Case(f"rpa-{kind}-mistake", f"rpa-{kind}", "binary", {**p, "trigger": "mistake"})
        yield Case(f"rpa-{kind}-margin", f"rpa-{kind}", "binary", {**p, "trigger": "margin"})
        yield Case(f"rpa-{kind}-truncate", f"rpa-{kind}", "binary", {**p, "trigger": "margin", "sigma": 0.03})


def other_tasks() -> Iterator[Case]:
    """List PA on the tasks that are not binary, and AROW's regression."""
    for name, p in VARIANTS.items():
        yield Case(f"pa-regression-{name}", "pa-regression", "regression", {**p, "epsilon": 0.15})
        yield Case(f"pa-uniclass-{name}", "pa-uniclass", "uniclass", {**p, "epsilon": 0.8})
        yield Case(f"pa-uniclass-radius-{name}", "pa-uniclass-radius", "uniclass", {**p, "B": 5.0})
        yield Case(f"pa-multilabel-{name}", "pa-multilabel", "multilabel", p, K=4)
        yield Case(f"pa-multilabel-single-{name}", "pa-multilabel-single", "multilabel-single", p, K=3, d=4)
        for kind in ("PB", "ML"):
            cost = {**p, "kind": kind, "rho": COSTS[4]}
            yield Case(f"pa-cost-{kind}-{name}", "pa-cost", "multiclass", cost, K=4, d=4)
        cost = "mean" if name == "PA-II" else "hamming"
        yield Case(f"pa-sequence-{name}", "pa-sequence", "sequence", {**p, "cost": cost}, K=3, d=3)
    for suffix, kind, p in PROJECTIONS:
        yield Case(f"arow-regression-{suffix}", f"arow-regression/{kind}", "regression", {"r": 0.7, **p})


def second_order() -> Iterator[Case]:
    """List the binary rules on a Gaussian."""
    for rule, p in GAUSSIAN.items():
        yield Case(f"{rule}-full", f"{rule}/full", "binary", p)
        yield Case(f"{rule}-diag-drop", f"{rule}/diag", "binary", {**p, "diag": "drop"})
        kl = "project" if rule == "nherd" else "kl"
        yield Case(f"{rule}-diag-{kl}", f"{rule}/diag", "binary", {**p, "diag": "kl"})
        if rule in ("cw-var", "cw-stdev", "nherd"):
            yield Case(f"{rule}-diag-exact", f"{rule}/diag", "binary", {**p, "diag": "exact"})
    yield Case("cw-stdev-full-prior", "cw-stdev/full", "binary", {"eta": 0.65, "a": 0.3})
    yield Case("scw-i-full-eta-half", "scw-i/full", "binary", {"eta": 0.5, "C": 1.0})
    for form in ("narow-rule", "narow-coupled"):
        yield Case(f"{form}-full", f"{form}/full", "binary", {"b": 1.4})
        yield Case(f"{form}-diag-drop", f"{form}/diag", "binary", {"b": 1.4, "diag": "drop"})
        yield Case(f"{form}-diag-kl", f"{form}/diag", "binary", {"b": 1.4, "diag": "kl"})
    yield Case("narow-full", "narow/full", "binary", {"b": 0.8})
    yield Case("narow-diag", "narow/diag", "binary", {"b": 0.8})
    yield Case("sop-full", "sop/full", "binary", {"a": 0.5})
    yield Case("sop-diag", "sop/diag", "binary", {"a": 2.0})
    yield Case("sop-rule-full", "sop-like/full", "binary", {"a": 0.7})
    yield Case("sop-rule-diag-drop", "sop-like/diag", "binary", {"diag": "drop"})
    yield Case("sop-rule-diag-kl", "sop-like/diag", "binary", {"diag": "kl"})
    yield Case("iellip-full", "iellip/full", "binary", {"c": 0.6, "b": 0.7})
    yield Case("iellip-diag", "iellip/diag", "binary", {"c": 0.4, "b": 0.8})


def multiclass() -> Iterator[Case]:
    """List the multiclass updates."""

    def case(name: str, algorithm: str, params: dict[str, Any]) -> Case:
        small = algorithm.endswith("/full")
        return Case(name, algorithm, "multiclass", params, K=3 if small else 4, d=3 if small else 4)

    for update in ("max", "uniform"):
        yield case(f"mc-perceptron-{update}", "mc-perceptron", {"update": update})
    yield case("mira", "mira", {"beta": 0.0, "init_scale": 0.2})
    yield case("mira-margin", "mira", {"beta": 0.05})
    yield case("mc-adagrad-rda", "mc-adagrad-rda", {"eta": 0.9, "delta": 0.05, "lam": 0.02})
    for name, p in VARIANTS.items():
        yield case(f"mc-all-{name}", "mc-all", p)
    for count, k in (("top1", 1), ("top2", 2), ("all", None)):
        for suffix, kind, p in PROJECTIONS:
            yield case(f"mc-arow-{count}-{suffix}", f"mc-arow-qp/{kind}", {"r": 0.8, "k": k, **p})
    for rule, p in GAUSSIAN.items():
        yield case(f"mc-top1-{rule}-full", f"mc-top1-{rule}/full", p)
        for diag in ("drop", "kl") + (("exact",) if rule.startswith("cw") else ()):
            yield case(f"mc-top1-{rule}-diag-{diag}", f"mc-top1-{rule}/diag", {**p, "diag": diag})
    yield case("x-top1-narow-full", "x-top1-narow/full", {"b": 1.3})
    yield case("x-top1-narow-diag-kl", "x-top1-narow/diag", {"b": 1.3, "diag": "kl"})
    yield case("x-top1-norma", "x-top1-norma", {"eta": 0.2, "lam": 0.04, "rho": 0.9})
    yield case("x-top1-romma", "x-top1-romma", {"aggressive": False})
    yield case("x-top1-romma-aggressive", "x-top1-romma", {"aggressive": True})
    yield case("x-top1-rpa-objective", "x-top1-rpa-objective", {"alpha": 0.2, "trigger": "margin"})
    yield case("x-top1-rpa-l2", "x-top1-rpa-l2", {"beta": 1.7, "trigger": "margin"})
    yield case("x-top1-rpa-l1", "x-top1-rpa-l1", {"beta": 2.2, "trigger": "mistake"})


def crossed() -> Iterator[Case]:
    """List Gaussian rules on the tasks that pose a demand through (delta, E)."""
    rules = {**GAUSSIAN, "narow": {"b": 1.2}}
    full = {"cost-PB": ("arow", "scw-i"), "sequence": ("arow", "scw-i"), "multilabel": tuple(rules)}
    drop = {"cost-ML": ("arow", "scw-i"), "sequence": ("arow", "scw-i")}
    for task in ("cost-PB", "cost-ML", "multilabel", "sequence"):
        for rule, p in rules.items():
            yield _cross(task, rule, "diag", {**p, "diag": "kl"}, "-diag-kl")
            if rule in full.get(task, ()):
                yield _cross(task, rule, "full", p, "-full")
            if rule in drop.get(task, ()):
                yield _cross(task, rule, "diag", {**p, "diag": "drop"}, "-diag-drop")


def _cross(task: str, rule: str, belief: str, params: dict[str, Any], suffix: str) -> Case:
    family, _, kind = task.partition("-")
    K, d = (3, 3) if belief == "full" or family == "sequence" else (4, 4)
    extra = {"cost": {"kind": kind, "rho": COSTS[K]}, "sequence": {"cost": "hamming"}}.get(family, {})
    label = {"cost": "multiclass"}.get(family, family)
    return Case(
        f"x-{task}-{rule}{suffix}", f"x-{family}-{rule}/{belief}", label, {**params, **extra}, K=K, d=d
    )


def kernels() -> Iterator[Case]:
    """List the representer forms."""

    def case(name: str, algorithm: str, task: str, params: dict[str, Any]) -> Case:
        return Case(name, algorithm, task, params, d=4, rounds=KERNEL_ROUNDS)

    for name, p in VARIANTS.items():
        for kernel, k in KERNELS.items():
            yield case(f"kernel-{name}-{kernel}", "kernel-pa", "binary-kernel", {**p, **k})
        regression = {**p, "epsilon": 0.2, **KERNELS["rbf"]}
        yield case(f"kernel-regression-{name}-rbf", "kernel-pa-regression", "regression", regression)
    for rule, p in GAUSSIAN.items():
        for kernel in ("linear", "rbf") + (("poly",) if rule in ("arow", "scw-i") else ()):
            params = {**p, **KERNELS[kernel], "a": 0.8}
            yield case(f"kernel-{rule}-{kernel}", f"kernel-{rule}", "binary-kernel", params)
    for kernel in ("linear", "rbf"):
        params = {"r": 0.9, **KERNELS[kernel]}
        yield case(f"kernel-regression-arow-{kernel}", "kernel-arow-regression", "regression", params)


def catalogue() -> list[Case]:
    """List every file."""
    return [*first_order(), *other_tasks(), *second_order(), *multiclass(), *crossed(), *kernels()]


# ---- tables ----


def rule_table(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Make the scalar table: ordinary, extreme and passive rows."""
    edges = [(0.0, 0.37), (-1e6, 1e-10), (1.0, 1.0), (1e-12, 1e8), (1e6, 1e-12), (-3.0, 1e-12), (-1e6, 1e8)]
    rows = []
    for rule in precise.GAUSSIAN:
        at_zero = 2.5 if rule == "NAROW" else -1.75
        for m, v in [(at_zero, 0.0), *edges, *(_ordinary(rng) for _ in range(15))]:
            rows.append(_gaussian_row(rng, rule, m, v))
    for variant in VARIANTS:
        for loss, square in [(0.0, 0.0), (0.0, 1.7), *(_ordinary(rng, positive=True) for _ in range(8))]:
            C = _power(rng, -2, 2)
            tau = precise.passive_aggressive(variant, loss, square, C)
            rows.append({"rule": variant, "loss": loss, "n2": square, "params": {"C": C}, "tau": tau})
    return rows


def _gaussian_row(rng: np.random.Generator, rule: str, m: float, v: float) -> dict[str, Any]:
    while True:
        eta = float(rng.choice([0.5, 0.6, 0.8, 0.95, 0.999]))
        prices = {"C": _power(rng, -2, 2), "r": _power(rng, -2, 2), "b": _power(rng, -1, 1)}
        p = {"eta": eta, **prices, "phi": quantile({"eta": eta})}
        near = [m - p["phi"] * v, m - p["phi"] * np.sqrt(v), m - 1, p["b"] * v - 1]
        if all(gap == 0 or abs(gap) > 1e-6 for gap in near) or v < 1e-6:
            break
        m, v = _ordinary(rng)
    phi = p.pop("phi")
    alpha, gain, beta = precise.gaussian(rule, m, v, {**p, "phi": phi})
    answer = {"alpha": alpha, "precision": gain, "beta": beta}
    return {"rule": rule, "m": m, "v": v, "params": p, "phi": phi, **answer}


def _power(rng: np.random.Generator, low: float, high: float) -> float:
    return float(f"{10 ** rng.uniform(low, high):.4g}")


def _ordinary(rng: np.random.Generator, positive: bool = False) -> tuple[float, float]:
    sign = 1 if positive or rng.random() < 0.4 else -1
    return sign * _power(rng, -3, 3), _power(rng, -6, 4)


def truncation_table(rng: np.random.Generator) -> list[dict[str, Any]]:
    """Make the table of removed weights, ties and a sum that just reaches sigma among them."""
    rows = [(np.array([0.5, -0.5, 0.5, 2.0]), 0.5), (np.array([0.0, 0.0, 1.0]), 1.0)]
    rows += [(rng.normal(size=8).round(4), sigma) for sigma in (0.0, 0.01, 0.4, 1.5, 3.0, 100.0)]
    return [{"w": w, "sigma": sigma, "out": truncate(w, sigma)} for w, sigma in rows]


def merge_table(rng: np.random.Generator) -> dict[str, Any]:
    """Make the table of merged Gaussians."""
    C, d = 3, 4
    mus = rng.normal(size=(C, d)).round(4)
    sigmas = rng.uniform(0.1, 2, size=(C, d)).round(4)
    factors = rng.normal(size=(C, d, d))
    Sigmas = (np.einsum("cij,ckj->cik", factors, factors) / d + 0.2 * np.eye(d)).round(4)
    table = {"mus": mus, "sigma": sigmas, "Sigma": Sigmas}
    table |= {"uniform_mean": merge.uniform(mus), "uniform_sigma": merge.uniform(sigmas)}
    for rule in ("mean", "sum"):
        mu, sigma = merge.kl_diagonal(mus, sigmas, rule)
        table[f"kl_diag_{rule}"] = {"mu": mu, "sigma": sigma}
        mu, Sigma = merge.kl_full(mus, Sigmas, rule)
        table[f"kl_full_{rule}"] = {"mu": mu, "Sigma": Sigma}
    return table


# ---- files ----


def plain(value: Any) -> Any:
    """Turn arrays into lists and NumPy's numbers into Python's."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    return value + 0.0 if isinstance(value, float) else value


def write(name: str, contents: Any) -> None:
    """Write one file, compactly."""
    text = json.dumps(plain(contents), separators=(",", ":"), allow_nan=False)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="ascii")


def main() -> None:
    """Write every file."""
    FOLDER.mkdir(exist_ok=True)
    index = []
    for seed, case in enumerate(catalogue(), start=2100):
        made = vector(case, seed)
        write(case.name, made)
        index.append(
            {"file": f"{case.name}.json", "algorithm": case.algorithm, "task": case.task, "T": case.rounds}
            | {"d": case.d, "K": case.K, **made["tolerance"]}
        )
    write("_index", index)
    rng = np.random.default_rng(5150)
    write("_rules", rule_table(rng))
    write("_truncate", truncation_table(rng))
    write("_merge", merge_table(rng))


if __name__ == "__main__":
    main()
