"""Options crossed with one another: every two of them meet, and the model is the plain NumPy reference's."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.utils import murmurhash3_32

import onlinear
from onlinear import (
    AROWClassifier,
    NHERDClassifier,
    PassiveAggressiveClassifier,
    Perceptron,
    RegularizedPassiveAggressiveClassifier,
    SoftConfidenceWeightedClassifier,
)
from tests.combinations import distance
from tests.estimators.roster import plain
from tests.pairwise import Row, all_pairs
from tests.reference.beliefs import Diagonal, Full, Mean, split
from tests.reference.learners import ArowQP, JointUpdate, Linear
from tests.reference.rules import Array
from tests.reference.tasks import Binary, CostSensitive, Top1

PHI = 0.9
N, D, BITS, ARRIVAL = 90, 6, 12, 40

#: How an algorithm is called here, and there: the class, its parameters, the reference's rule and parameters.
ALGORITHMS: dict[str, tuple[Any, dict[str, Any], str, dict[str, Any]]] = {
    "arow": (AROWClassifier, {"r": 0.6}, "arow", {"r": 0.6}),
    "arow-hinge": (AROWClassifier, {"r": 0.6, "loss": "hinge"}, "arow-h", {"r": 0.6}),
    "scw1": (SoftConfidenceWeightedClassifier, {"C": 0.5, "phi": PHI}, "scw-i", {"C": 0.5, "phi": PHI}),
    "scw2": (
        SoftConfidenceWeightedClassifier,
        {"C": 0.7, "phi": PHI, "penalty": "squared"},
        "scw-ii",
        {"C": 0.7, "phi": PHI},
    ),
    "nherd": (NHERDClassifier, {"C": 0.8}, "nherd", {"C": 0.8}),
    "pa1": (PassiveAggressiveClassifier, {"C": 0.3}, "pa", {"variant": "PA-I", "C": 0.3}),
    "pa2": (
        PassiveAggressiveClassifier,
        {"C": 0.4, "variant": "pa2"},
        "pa",
        {"variant": "PA-II", "C": 0.4},
    ),
    "perceptron": (Perceptron, {"rate": 0.7}, "perceptron", {"rate": 0.7}),
    "shrinking": (
        RegularizedPassiveAggressiveClassifier,
        {"alpha": 0.05},
        "rpa-objective",
        {"alpha": 0.05, "trigger": "margin"},
    ),
    "ball": (
        RegularizedPassiveAggressiveClassifier,
        {"penalty": "l2_ball", "radius": 1.5},
        "rpa-l2",
        {"beta": 1.5, "trigger": "margin"},
    ),
}
GAUSSIAN = {"arow", "arow-hinge", "scw1", "scw2", "nherd"}
JOINT = {"arow", "pa1", "pa2"}
TRUNCATING = {"shrinking", "ball"}

OPTIONS: dict[str, list[Any]] = {
    "algorithm": list(ALGORITHMS),
    "covariance": [None, "kl", "drop", "full"],
    "min_variance": [0.0, 0.3],
    "constraints": [1, 2, "all"],
    "cost_update": [None, "prediction", "max_loss"],
    "truncation": [None, 0.02],
    "classes": ["two", "three", "late"],
    "input": ["dense", "csr", "dict", "words"],
    "batch": [N, 7, 1],
    "average": [False, True],
    "dtype": ["float64", "float32"],
    "fit_intercept": [True, False],
    "class_weight": [None, "given", "balanced"],
    "sample_weight": [False, True],
}


def valid(row: Row) -> bool:
    """Whether there is nothing in a row, complete or not, that the estimators do not offer."""
    algorithm, covariance = row.get("algorithm"), row.get("covariance", ...)
    if algorithm and covariance is not ... and (covariance is None) == (algorithm in GAUSSIAN):
        return False
    if row.get("min_variance") and covariance in (None, "full"):
        return False
    if row.get("min_variance") and algorithm and algorithm not in GAUSSIAN:
        return False
    if row.get("constraints", 1) != 1 and (algorithm and algorithm not in JOINT):
        return False
    if row.get("constraints") == 2 and algorithm and algorithm != "arow":  # PA has one or all
        return False
    if row.get("constraints", 1) != 1 and (row.get("cost_update") or row.get("classes") == "two"):
        return False
    if row.get("truncation") and (
        covariance not in (None, ...) or (algorithm and algorithm not in TRUNCATING)
    ):
        return False
    by_dict = row.get("input") in ("dict", "words")
    if by_dict and row.get("batch", 1) != 1:
        return False
    # Dicts cannot announce classes: three of them from the start come by their costs.
    if by_dict and row.get("classes") == "three" and row.get("cost_update", "some") is None:
        return False
    if row.get("classes") == "late" and row.get("cost_update"):
        return False
    return not (row.get("input") == "words" and covariance == "full")


ROWS = all_pairs(OPTIONS, valid)
COSTS = np.array([[0.0, 2.0, 0.5], [1.0, 0.0, 3.0], [0.7, 1.5, 0.0]])
CLASS_WEIGHT = {0: 0.5, 1: 2.0, 2: 1.5}


class Stream:
    """Rows, answers and weights, the same for every setting with as many classes."""

    def __init__(self, row: Row) -> None:
        rng = np.random.default_rng(7)
        self.X = rng.normal(size=(N, D)).astype(np.float32).astype(np.float64)
        if row["input"] != "dense":
            self.X[rng.random((N, D)) < 0.4] = 0.0
        self.K = 2 if row["classes"] == "two" else 3
        self.y = np.argmax(self.X @ rng.normal(size=(D, self.K)) + 0.5 * rng.normal(size=(N, self.K)), axis=1)
        # Classes that were announced come with a gap: the last one before the one in between.
        self.y[:4] = [0, 2, 0, 1] if row["classes"] == "three" else [0, 1, 0, 1]
        if row["classes"] == "late":
            early = np.arange(N) < ARRIVAL
            self.y[early & (self.y == 2)] = 0
            self.y[ARRIVAL] = 2
        self.weights = np.ones(N)
        if row["sample_weight"]:
            self.weights = rng.choice([0.0, 0.25, 1.0, 2.0], N)
            self.weights[:4] = self.weights[ARRIVAL] = 1.0


def estimator(row: Row, stream: Stream) -> Any:
    """The product's model for a setting."""
    kind, parameters, _, _ = ALGORITHMS[row["algorithm"]]
    parameters = {name: row[name] for name in ("average", "dtype", "fit_intercept")} | parameters
    if row["covariance"] == "full":
        parameters |= {"covariance": "full", "initial_variance": 0.8}
    elif row["covariance"]:
        parameters |= {"projection": row["covariance"], "initial_variance": 0.8}
    if row["min_variance"]:
        parameters["min_variance"] = row["min_variance"]
    if row["constraints"] != 1:
        parameters["constraints"] = row["constraints"]
    if row["truncation"]:
        parameters["truncation"] = row["truncation"]
    if row["cost_update"]:
        named = {k: {q: COSTS[k, q] for q in range(stream.K)} for k in range(stream.K)}
        parameters |= {"cost_matrix": named, "cost_update": row["cost_update"]}
    weights = {"given": {k: CLASS_WEIGHT[k] for k in range(stream.K)}, "balanced": "balanced", None: None}
    return plain(kind, **parameters, class_weight=weights[row["class_weight"]], bits=BITS)


def name_of(column: int, row: Row) -> Any:
    """What a dict calls a column."""
    return f"word {column}" if row["input"] == "words" else column


def teach(model: Any, row: Row, stream: Stream, batch: int, first: int = 0) -> Any:
    """Let the product learn the stream, so many rows at a time."""
    weights = stream.weights if row["sample_weight"] else None
    if row["input"] in ("dict", "words"):
        for i in range(first, N):
            x = {name_of(j, row): float(v) for j, v in enumerate(stream.X[i]) if v != 0}
            model.learn_one(x, int(stream.y[i]), float(stream.weights[i]))
        return model
    X = csr_array(stream.X) if row["input"] == "csr" else stream.X
    announced = np.arange(3) if row["classes"] == "three" else None
    for start in range(first, N, batch):
        part = slice(start, min(start + batch, N))
        given = {} if weights is None else {"sample_weight": weights[part]}
        model.partial_fit(X[part], stream.y[part], **given, **({"classes": announced} if start == 0 else {}))
    return model


def expected(row: Row, stream: Stream) -> Any:
    """The reference after the same stream, with the weights of classes spelled out."""
    X = np.column_stack([np.ones(N), stream.X]) if row["fit_intercept"] else stream.X
    oracle = reference(row, X.shape[1], several=row["classes"] == "three" or row["cost_update"] is not None)
    counts = np.zeros(3)
    several = not (isinstance(oracle, Linear) and isinstance(oracle.task, Binary))
    for x, label, weight in zip(X, stream.y, stream.weights, strict=True):
        if weight == 0:
            continue
        if label == 2 and not several:
            oracle, several = of_three(oracle, row, X.shape[1]), True
        if row["class_weight"] == "given":
            weight = weight * CLASS_WEIGHT[int(label)]
        elif row["class_weight"] == "balanced":
            counts[label] += 1
            weight = weight * counts.sum() / (np.count_nonzero(counts) * counts[label])
        oracle.learn(x, int(label) if several else 2.0 * label - 1, float(weight))
    return oracle


def reference(row: Row, d: int, *, several: bool) -> Any:
    """The reference's learner: of two classes, or of all there will be."""
    _, _, name, params = ALGORITHMS[row["algorithm"]]
    if row["truncation"]:
        params = params | {"sigma": row["truncation"]}
    K = (2 if row["classes"] == "two" else 3) if several else 1
    if row["constraints"] != 1 and several:
        if name == "pa":
            return JointUpdate("pa", params, K, d)
        k = None if row["constraints"] == "all" else row["constraints"]
        return ArowQP({**params, "k": k, "cov_update": "sum"}, K, belief(row, K * d))
    if row["cost_update"]:
        kind = "PB" if row["cost_update"] == "prediction" else "ML"
        return Linear(CostSensitive(K, COSTS[:K, :K], kind), name, params, belief(row, K * d))
    return Linear(Top1(K) if several else Binary(), name, params, belief(row, K * d))


def belief(row: Row, n: int) -> Mean:
    """The reference's belief."""
    if row["covariance"] is None:
        return Mean(n)
    if row["covariance"] == "full":
        return Full(n, a=0.8)
    return Diagonal(n, a=0.8, diag=row["covariance"], floor=row["min_variance"] or 1e-38)


def of_three(two: Linear, row: Row, d: int) -> Any:
    """The reference's learner when a third class has come."""
    three = reference(row, d, several=True)
    two.belief.split()
    if isinstance(three, JointUpdate):
        three.W = two.belief.mu.reshape(3, d)
    else:
        three.belief = two.belief
    three.t, three.total = two.t, split(two.total).reshape(np.shape(three.total))
    return three


def columns_of(row: Row) -> Array:
    """Where the features lie in the product's arrays."""
    if row["input"] != "words":
        return np.arange(D)
    hashed = [murmurhash3_32(name_of(j, row).encode()) for j in range(D)]
    return np.array([abs(h) % 2**BITS for h in hashed])


def weights_of(pair: tuple[Array, Array], row: Row) -> Array:
    """Weights as the reference lays them out: block after block, the intercept first."""
    coefficients, intercepts = pair
    picked = coefficients[:, columns_of(row)]
    return np.ravel(np.column_stack([intercepts[:, 0], picked]) if row["fit_intercept"] else picked)


def called(row: Row) -> str:
    """A setting in a few words: what is not the usual."""
    usual = {name: values[0] for name, values in OPTIONS.items()}
    return "-".join(
        [row["algorithm"], *(f"{k}={v}" for k, v in row.items() if v != usual[k] and k != "algorithm")]
    )


every_row = pytest.mark.parametrize("row", ROWS, ids=called)


def test_every_two_options_meet() -> None:
    """The table is small, and nothing that can be asked of two options is left out of it."""
    met = {(a, b) for row in ROWS for a in row for b in row if row[a] != OPTIONS[a][0] != row[b]}
    assert len(ROWS) < 80
    assert all(valid(row) and row.keys() == OPTIONS.keys() for row in ROWS)
    for name, other in (
        ("min_variance", "input"),
        ("truncation", "average"),
        ("cost_update", "class_weight"),
    ):
        values = {(row[name], row[other]) for row in ROWS}
        assert values == {(x, y) for x in OPTIONS[name] for y in OPTIONS[other]}, (name, other)
    assert met


@every_row
def test_the_model_is_the_references(row: Row) -> None:
    """Mean, average and variances agree to 1e-9; in float32 to what its rounding explains."""
    stream = Stream(row)
    oracle = expected(row, stream)
    model = teach(estimator(row, stream), row, stream, row["batch"])
    handle = model.model_.learner.handle
    tolerance = 1e-9 if row["dtype"] == "float64" else 2e-4
    mean = oracle.W if isinstance(oracle, JointUpdate) else oracle.belief.mu

    assert distance(weights_of(handle.mean(), row), np.ravel(mean)) <= tolerance
    if row["average"]:
        assert distance(weights_of(handle.average(), row), np.ravel(oracle.average)) <= tolerance
    if row["covariance"]:
        variance = np.diag(oracle.belief.Sigma) if row["covariance"] == "full" else oracle.belief.sigma
        assert distance(weights_of(handle.variance(), row), variance) <= tolerance


@every_row
def test_scores_are_those_of_the_references_weights(row: Row) -> None:
    """Predictions are made with the average where there is one, whether rows are dense, sparse or dicts."""
    stream = Stream(row)
    oracle = expected(row, stream)
    model = teach(estimator(row, stream), row, stream, row["batch"])
    mean = oracle.W if isinstance(oracle, JointUpdate) else oracle.belief.mu
    X = np.column_stack([np.ones(N), stream.X]) if row["fit_intercept"] else stream.X
    blocks = X @ np.reshape(oracle.average if row["average"] else mean, (-1, X.shape[1])).T
    wanted = blocks if blocks.shape[1] == 3 else blocks[:, -1] - (blocks[:, 0] if blocks.shape[1] == 2 else 0)
    tolerance = 1e-9 if row["dtype"] == "float64" else 5e-4

    if row["input"] != "words":
        for rows in (stream.X, csr_array(stream.X)):
            assert distance(model.decision_function(rows), np.ravel(wanted)) <= tolerance
    ranked = (
        np.sort(wanted, axis=1) if wanted.ndim == 2 else np.column_stack([-np.abs(wanted), np.abs(wanted)])
    )
    answers = np.argmax(wanted, axis=1) if wanted.ndim == 2 else (wanted >= 0).astype(int)
    for i in np.flatnonzero(ranked[:, -1] - ranked[:, -2] > 0.01).tolist():
        x = {name_of(j, row): float(value) for j, value in enumerate(stream.X[i]) if value != 0}
        assert model.predict_one(x) == answers[i]


@every_row
def test_batches_do_not_matter_and_a_saved_model_goes_on(row: Row, tmp_path: Path) -> None:
    """Rows one by one, in batches, and by a model that was saved on the way leave the same bits."""
    stream = Stream(row)
    model = teach(estimator(row, stream), row, stream, row["batch"])
    single = teach(estimator(row, stream), row, stream, 1)
    assert single.digest() == model.digest()

    model.save(tmp_path / "model.safetensors")
    loaded = onlinear.load(tmp_path / "model.safetensors")
    assert loaded.digest() == model.digest()
    for each in (model, loaded):
        teach(each, row, stream, 7, first=60)
    assert loaded.digest() == model.digest()
    assert (loaded.n_seen_, loaded.n_mistakes_) == (model.n_seen_, model.n_mistakes_)


@every_row
def test_what_is_known_stays_sound(row: Row) -> None:
    """Every number is finite, no variance lies below its floor, probabilities sum to 1."""
    stream = Stream(row)
    model = teach(estimator(row, stream), row, stream, row["batch"])
    for name, value in model.model_.learner.state().items():
        assert np.all(np.isfinite(value)), name
    if row["covariance"]:
        rounding = 1e-6 if row["dtype"] == "float32" else 1e-12
        assert np.min(model.model_.learner.handle.variance()[0]) >= row["min_variance"] * (1 - rounding)
    if row["input"] == "words":
        x = {name_of(j, row): 1.0 for j in range(D)}
        assert sum(model.predict_proba_one(x).values()) == pytest.approx(1.0)
    else:
        np.testing.assert_allclose(model.predict_proba(stream.X).sum(axis=1), 1.0)
