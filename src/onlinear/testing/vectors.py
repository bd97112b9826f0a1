"""Runs a folder of golden vectors through the public surface.

``python -m onlinear.testing.vectors DIR`` prints a line per file and closes with ``N passed, M failed``.

A vector is one algorithm run over one short stream: parameters, examples, the scores before each round, the state at
checkpoints, and the scores of fresh probes at the end. Files whose algorithm is not known count as failed.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .. import SequenceLabeler, belief, rule, task
from ..learner import Expansion, Learner
from ..model.types import Axis, Values

__all__ = ["check", "main"]

Array = npt.NDArray[Any]

_COSTS: Values = {"hamming": "hamming", "mean": "mean_hamming", "zero-one": "zero_one"}
_VARIANTS = {"PA": "pa", "PA-I": "pa1", "PA-II": "pa2"}


class Unknown(Exception):
    """The vector is of an algorithm this library does not have."""


class Mismatch(Exception):
    """The library's answer is not the vector's."""


# ---------------------------------------------------------------------- from the vectors' names to the axes


def make_rule(name: str, p: Values) -> Any:
    """The rule a vector names, with its parameters."""
    phi = p["phi"] if "phi" in p else rule.quantile(p["eta"]) if name.startswith(("cw", "scw")) else 0.0

    def regularized(penalty: str, **parameter: float) -> Axis:
        return rule.RegularizedPassiveAggressive(
            penalty=penalty, trigger=p.get("trigger", "mistake"), **parameter
        )

    makers: dict[str, Callable[[], Axis]] = {
        "perceptron": lambda: rule.Perceptron(rate=p.get("rate", 1.0)),
        "pa": lambda: rule.PassiveAggressive(variant=_VARIANTS[p["variant"]], C=p.get("C", 1.0)),
        "romma": lambda: rule.Romma(aggressive=p.get("aggressive", False)),
        "norma": lambda: rule.Norma(
            eta=p.get("eta", 0.1),
            lam=p.get("lam", 0.01),
            rho=p.get("rho", 1.0),
            nu=p.get("nu"),
            decay=p.get("decay", False),
        ),
        "rpa-objective": lambda: regularized("objective", alpha=p.get("alpha", 0.01)),
        "rpa-l2": lambda: regularized("l2_ball", radius=p.get("beta", 10.0)),
        "rpa-l1": lambda: regularized("l1_ball", radius=p.get("beta", 10.0)),
        "cw-var": lambda: rule.ConfidenceWeighted(constraint="variance", phi=phi),
        "cw-stdev": lambda: rule.ConfidenceWeighted(constraint="stdev", phi=phi),
        "scw-i": lambda: rule.SoftConfidenceWeighted(penalty="linear", C=p.get("C", 1.0), phi=phi),
        "scw-ii": lambda: rule.SoftConfidenceWeighted(penalty="squared", C=p.get("C", 1.0), phi=phi),
        "arow": lambda: rule.Arow(r=p.get("r", 1.0)),
        "arow-h": lambda: rule.Arow(r=p.get("r", 1.0), loss="hinge"),
        "nherd": lambda: rule.Nherd(C=p.get("C", 1.0)),
        "narow": lambda: rule.Narow(b=p.get("b", 1.0)),
        "narow-rule": lambda: rule.Narow(b=p.get("b", 1.0)),
        "narow-coupled": lambda: rule.Narow(b=p.get("b", 1.0), form="coupled"),
        "sop": rule.SecondOrderPerceptron,
        "sop-like": rule.SecondOrderPerceptron,
        "least-squares": lambda: rule.LeastSquares(r=p.get("r", 1.0)),
        "iellip": lambda: rule.Iellip(c=p.get("c", 0.5), b=p.get("b", 0.3)),
        "adagrad-rda": rule.AdagradRda,
    }
    if name not in makers:
        raise Unknown(name)
    return makers[name]()


def make_belief(name: str, shape: str, p: Values, average: bool = False) -> Axis:
    """The belief a vector means: its shape is "", "diag" or "full"."""
    a = p.get("a", 1.0)
    if name == "adagrad-rda":
        return belief.DualAveraging(
            eta=p.get("eta", 1.0), delta0=p.get("delta", 1e-2), lam=p.get("lam", 1e-4)
        )
    if name == "rpa-l1":
        return belief.L1Ball()
    if shape == "":
        return belief.Mean(average=average)
    if shape == "full":
        # SOP's own `a` is a ridge: A = a I, so Sigma = I / a; its score counts the current instance.
        return belief.Full(initial_variance=1 / a if name == "sop" else a, inclusive=name == "sop")
    if name in ("sop", "narow") and "diag" not in p:
        return belief.Information(initial_variance=1 / a if name == "sop" else a, inclusive=name == "sop")
    return belief.Diagonal(projection=p.get("diag", "drop"), initial_variance=a)


def regression(name: str, p: Values) -> tuple[Axis, str]:
    """The regression task of a vector, and the name of its rule."""
    return task.Regression(epsilon=p.get("epsilon", 0.0)), name.removesuffix("-regression").replace(
        "arow", "least-squares"
    )


def one_class(name: str, p: Values) -> tuple[Axis, str]:
    """The one-class task of a vector: a fixed radius, or a bound on a learned one."""
    return task.OneClass(radius=p.get("epsilon", 1.0), max_radius=p.get("B")), "pa"


def ranking(name: str, p: Values) -> tuple[Axis, str]:
    """The ranking task of a vector."""
    if name.startswith("x-multilabel-"):
        return task.Ranking(), name.removeprefix("x-multilabel-")
    return task.Ranking(prototypes="single" if name.endswith("-single") else "multi"), "pa"


_TASKS: dict[str, Callable[[str, Values], tuple[Axis, str]]] = {
    "regression": regression,
    "uniclass": one_class,
    "multilabel": ranking,
    "multilabel-single": ranking,
}


def split_id(algorithm: str) -> tuple[str, str]:
    """A vector's algorithm as its name and the shape of its covariance: "arow/diag" is ("arow", "diag")."""
    name, _, shape = algorithm.partition("/")
    return name, shape


def build(vector: Values, *, average: bool = False) -> Learner:
    """The learner a vector describes."""
    algorithm, p = vector["algorithm"], vector["params"]
    name, shape = split_id(algorithm)
    d, k = vector["d"], vector["K"]
    options: Values = {
        "n_features": d,
        "n_classes": k,
        "dtype": "float64",
        "truncation": p.get("sigma"),
    }
    if name.startswith("kernel-"):
        return build_kernel(vector, options)
    if vector["task"] in _TASKS:
        made, rule_name = _TASKS[vector["task"]](name, p)
        return Learner(
            task=made, rule=make_rule(rule_name, p), belief=make_belief(rule_name, shape, p), **options
        )
    if vector["task"] == "binary":
        return Learner(
            task=task.Binary(),
            rule=make_rule(name, p),
            belief=make_belief(name, shape, p, average),
            **options,
        )
    if vector["task"] != "multiclass":
        raise Unknown(f"task {vector['task']}")
    if name.startswith(("pa-cost", "x-cost-")):
        costs = task.CostSensitive(cost=p["rho"], update={"PB": "prediction", "ML": "max_loss"}[p["kind"]])
        rule_name = "pa" if name == "pa-cost" else name.removeprefix("x-cost-")
        return Learner(
            task=costs, rule=make_rule(rule_name, p), belief=make_belief(rule_name, shape, p), **options
        )
    if name == "mc-perceptron" and p["update"] == "uniform":
        joint = task.MulticlassJoint(method="uniform", rate=p.get("rate", 1.0))
        return Learner(task=joint, belief=belief.Mean(average=average), **options)
    if name == "mira":
        if "init_scale" in p:
            start = np.zeros((k, d))
            start[np.arange(k), np.arange(k) % d] = p["init_scale"]
            options["initial_mean"] = start
        return Learner(
            task=task.MulticlassJoint(method="mira", beta=p["beta"]), belief=belief.Mean(), **options
        )
    if name == "mc-all":
        joint = task.MulticlassJoint(method="pa", variant=_VARIANTS[p["variant"]], C=p.get("C", 1.0))
        return Learner(task=joint, belief=belief.Mean(), **options)
    if name == "mc-arow-qp":
        joint = task.MulticlassJoint(method="arow", r=p["r"], k=p["k"], cov_update=p.get("cov_update", "sum"))
        return Learner(task=joint, belief=make_belief("arow", shape, p), **options)
    for prefix in ("mc-top1-", "x-top1-", "mc-"):
        if name.startswith(prefix):
            name = name.removeprefix(prefix)
            return Learner(
                task=task.Multiclass(),
                rule=make_rule(name, p),
                belief=make_belief(name, shape, p, average),
                **options,
            )
    raise Unknown(algorithm)


def build_kernel(vector: Values, options: Values) -> Learner:
    """The learner of a vector in a kernel's space."""
    p = vector["params"]
    known = {key: p[key] for key in ("kernel", "gamma", "coef0", "degree") if key in p}
    space = belief.Kernel(initial_variance=p.get("a", 1.0), **known)
    name = vector["algorithm"].removeprefix("kernel-")
    if vector["task"] == "regression":
        name = name.removesuffix("-regression")
        asked = task.Regression(epsilon=p.get("epsilon", 0.0))
        answer = rule.LeastSquares(r=p["r"]) if name == "arow" else make_rule(name, p)
        return Learner(task=asked, rule=answer, belief=space, **options)
    return Learner(task=task.Binary(), rule=make_rule(name, p), belief=space, **options)


# ---------------------------------------------------------------------- comparing


def read_state(learner: Learner, name: str, wanted: Iterable[str], vector: Values) -> Values:
    """What the library holds under the vectors' names."""
    raw = learner.state()

    def plane(key: str) -> Array:
        values: Array = raw[key][:, 1:]
        return values[0] if learner.n_blocks == 1 else values

    def theta() -> Array:
        if "theta" in raw:
            return plane("theta")
        covariance = learner.covariance
        assert covariance is not None
        return np.linalg.solve(covariance, learner.mean)

    bound = vector["params"].get("B", 0.0)
    omega = raw.get("threshold", 0.0)  # the extra coordinate of a learned radius

    def expansion() -> Expansion:
        held = learner.expansion
        if held is None:
            raise Unknown(f"{name} holds no examples")
        return held

    readers: dict[str, Callable[[], Any]] = {
        "mu": lambda: np.append(learner.mean, omega) if bound else learner.mean,
        "radius": lambda: np.sqrt((bound - omega) * (bound + omega)),
        "support": lambda: expansion().support,
        "nu": lambda: expansion().nu,
        "pi": lambda: expansion().pi,
        "sigma": lambda: learner.variance,
        "Sigma": lambda: learner.covariance,
        "Ainv": lambda: learner.covariance,
        "average": lambda: learner.average,
        "rho": lambda: raw["threshold"],
        "u": lambda: plane("gradient"),
        "G": lambda: plane("squares"),
        "t": lambda: learner.n_seen,
        "theta": theta,
        "A": lambda: plane("precision"),
        "c": lambda: vector["params"]["c"] * vector["params"]["b"] ** learner.n_seen,
    }
    unknown = set(wanted) - set(readers)
    if unknown:
        raise Unknown(f"state {sorted(unknown)} of {name}")
    return {key: readers[key]() for key in wanted}


def compare(what: str, got: Any, want: Any, rtol: float) -> None:
    """Raise `Mismatch` unless |got - want| <= rtol (1 + max |want|)."""
    expected = np.asarray(want, dtype=np.float64)
    actual = np.asarray(got, dtype=np.float64)
    if actual.size != expected.size:
        raise Mismatch(f"{what}: {actual.size} numbers, expected {expected.size}")
    actual = actual.reshape(expected.shape)
    limit = rtol * (1 + np.abs(expected).max(initial=0.0))
    off = np.abs(actual - expected).max(initial=0.0)
    if not off <= limit:
        raise Mismatch(f"{what}: off by {off:.3g}, allowed {limit:.3g}")


def answer_of(vector: Values, y: Any) -> Any:
    """An answer as `Learner.learn` takes it; two classes come as -1 and +1."""
    match vector["task"]:
        case "binary" | "binary-kernel":
            return [int(y > 0)]
        case "uniclass":
            return None
        case _:
            return [y]


def rows_of(x: Any) -> Array:
    """An example's rows: one, or one for each label."""
    return np.atleast_2d(np.asarray(x, dtype=np.float64))


def build_sequence(vector: Values) -> SequenceLabeler:
    """The labeler a vector of sequences describes."""
    name, shape = split_id(vector["algorithm"])
    p = vector["params"]
    name = name.removeprefix("x-sequence-").removesuffix("-sequence")
    return SequenceLabeler(
        rule=make_rule(name, p),
        belief=make_belief(name, shape, p),
        cost=_COSTS[p.get("cost", "hamming")],
        dtype="float64",
    )


def read_sequence_state(labeler: SequenceLabeler, wanted: Iterable[str]) -> Values:
    """What a labeler holds under the vectors' names: emissions row by row, then transitions."""
    native = labeler.model_.native
    emissions, transitions = labeler.model_.weights("mean")
    readers: dict[str, Callable[[], Any]] = {
        "E": lambda: emissions,
        "T": lambda: transitions,
        "mu": lambda: native.weights("mean"),
        "sigma": lambda: native.weights("variance"),
        "Sigma": native.covariance,
    }
    unknown = set(wanted) - set(readers)
    if unknown:
        raise Unknown(f"state {sorted(unknown)} of a sequence")
    return {key: readers[key]() for key in wanted}


def replay_sequence(vector: Values) -> None:
    """Run a vector of sequences and compare everything it records."""
    labeler = build_sequence(vector)
    rtol = vector["tolerance"]["rtol"]
    checkpoints = {c["t"]: c["state"] for c in vector["checkpoints"]}
    classes = range(vector["K"])
    # An empty lesson that announces the labels makes a model that can label.
    labeler.partial_fit([np.zeros((1, vector["d"]))], [[0]], classes=classes, sample_weight=[0.0])
    for t, example in enumerate(vector["stream"], start=1):
        x = np.asarray(example["x"], dtype=np.float64)
        found, want = labeler.predict([x])[0], vector["scores_before"][t - 1]
        if found != want:
            raise Mismatch(f"round {t}: labels {found}, expected {want}")
        keys = vector["checkpoints"][0]["state"].keys()
        before = [np.array(v).tobytes() for v in read_sequence_state(labeler, keys).values()]
        labeler.partial_fit([x], [example["y"]])
        after = [np.array(v).tobytes() for v in read_sequence_state(labeler, keys).values()]
        # The first round makes room for the columns, which by itself is no change.
        changed = labeler.n_updates_ > 0 if t == 1 else after != before
        if changed != vector["changed"][t - 1]:
            raise Mismatch(f"round {t}: changed should be {vector['changed'][t - 1]}")
        if t in checkpoints:
            for key, got in read_sequence_state(labeler, checkpoints[t]).items():
                compare(f"round {t}: {key}", got, checkpoints[t][key], rtol)
    for probe, want in zip(vector["probes"], vector["final_scores"], strict=True):
        found = labeler.predict([np.asarray(probe, dtype=np.float64)])[0]
        if found != want:
            raise Mismatch(f"probe: labels {found}, expected {want}")


def replay(vector: Values) -> None:
    """Run one vector's stream and compare everything it records."""
    learner = build(vector)
    # Vectors score with the current mean, so an average is watched on a twin that predicts with it.
    averaging = build(vector, average=True) if "average" in vector["checkpoints"][0]["state"] else learner
    name, _ = split_id(vector["algorithm"])
    rtol = vector["tolerance"]["rtol"]
    checkpoints = {c["t"]: c["state"] for c in vector["checkpoints"]}
    for t, example in enumerate(vector["stream"], start=1):
        x = rows_of(example["x"])
        compare(f"round {t}: score", learner.scores(x), vector["scores_before"][t - 1], rtol)
        before = weights_digest(learner)
        for pupil in {id(p): p for p in (learner, averaging)}.values():
            pupil.learn(x, answer_of(vector, example["y"]))
        if (weights_digest(learner) != before) != vector["changed"][t - 1]:
            raise Mismatch(f"round {t}: changed should be {vector['changed'][t - 1]}")
        if t in checkpoints:
            for key, got in read_state(averaging, name, checkpoints[t], vector).items():
                compare(f"round {t}: {key}", got, checkpoints[t][key], rtol)
    probes = np.asarray(vector["probes"], dtype=np.float64).reshape(-1, vector["d"])
    # The second-order perceptron's own score counts the instance it scores; probes are scored with the mean alone.
    final = probes @ learner.mean.T if name == "sop" else learner.scores(probes)
    compare("probes", final, vector["final_scores"], rtol)
    if "final_variances" in vector:
        compare("probes: variance", learner.margin_variance(probes), vector["final_variances"], rtol)


def weights_digest(learner: Learner) -> tuple[bytes, ...]:
    """Mean and covariance to the bit: what a passive round leaves alone."""
    held = learner.expansion
    if held is not None:
        return (held.support.tobytes(), held.nu.tobytes(), b"" if held.pi is None else held.pi.tobytes())
    covariance = learner.covariance
    spread = learner.variance if covariance is None else covariance
    raw = learner.state()
    extra = [raw[key].tobytes() for key in ("theta", "precision", "gradient", "squares") if key in raw]
    extra += [np.float64(raw["threshold"]).tobytes()] if isinstance(learner.task, task.OneClass) else []
    return (learner.mean.tobytes(), spread.tobytes(), *extra)


def check_rules(rows: list[Values]) -> None:
    """The table of scalar rules: margin and variance in, step out."""
    names = {
        "CW-var": "cw-var",
        "CW-stdev": "cw-stdev",
        "SCW-I": "scw-i",
        "SCW-II": "scw-ii",
        "AROW": "arow",
        "AROW-H": "arow-h",
        "NHERD": "nherd",
        "NAROW": "narow",
        "NAROW-coupled": "narow-coupled",
        "SOP-like": "sop-like",
    }
    for number, row in enumerate(rows):
        if row["rule"] in _VARIANTS:
            made = make_rule("pa", {"variant": row["rule"], **row["params"]})
            step = made.step(margin=-row["loss"], variance=row["n2"], required=0.0)
            wanted = {"tau": row["tau"]}
            got = {"tau": step.mean}
        elif row["rule"] in names:
            step = make_rule(names[row["rule"]], row["params"]).step(margin=row["m"], variance=row["v"])
            gain = step.precision
            wanted = {key: row[key] for key in ("alpha", "precision", "beta")}
            got = {"alpha": step.mean, "precision": gain, "beta": gain / (1 + gain * row["v"])}
        else:
            raise Unknown(row["rule"])
        for key, want in wanted.items():
            if not abs(got[key] - want) <= 1e-12 * abs(want):
                raise Mismatch(f"row {number} ({row['rule']}): {key} {got[key]!r}, expected {want!r}")


def check_truncation(rows: list[Values]) -> None:
    """Weights and a limit in, weights without the smallest out."""
    for number, row in enumerate(rows):
        learner = Learner(
            task=task.Binary(),
            rule=rule.PassiveAggressive(),
            belief=belief.Mean(),
            n_features=len(row["w"]),
            initial_mean=row["w"],
        )
        learner.truncate(row["sigma"])
        compare(f"row {number}", learner.mean, row["out"], 0.0)


def check(path: Path) -> None:
    """Check one file; raises `Unknown` or `Mismatch`."""
    content = json.loads(path.read_text())
    if path.name == "_rules.json":
        check_rules(content)
    elif path.name == "_truncate.json":
        check_truncation(content)
    elif path.name.startswith("_"):
        raise Unknown(path.name)
    elif content["task"] == "sequence":
        replay_sequence(content)
    else:
        replay(content)


def main(arguments: list[str] | None = None) -> int:
    """Run a folder; the exit code is 0 when everything passed."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print("usage: python -m onlinear.testing.vectors DIR", file=sys.stderr)
        return 2
    passed = failed = 0
    for path in sorted(Path(arguments[0]).glob("*.json")):
        if path.name == "_index.json":
            continue
        try:
            check(path)
        except Unknown as reason:
            failed += 1
            print(f"FAILED {path.stem}: not built ({reason})")
        except Exception as reason:
            failed += 1
            print(f"FAILED {path.stem}: {reason}")
        else:
            passed += 1
            print(f"passed {path.stem}")
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
