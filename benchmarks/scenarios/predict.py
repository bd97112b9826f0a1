"""Bulk prediction in memory: sparse rows, dense rows, twenty classes."""

from benchmarks import learners
from benchmarks.batch import Load, dense, predict_pass, sparse
from benchmarks.command import limit_on
from benchmarks.protocol import Scenario, Target, faster, within


def _prediction(
    name: str, title: str, data: str, load: Load, loop: str, times: float | None = None
) -> Scenario:
    promises: tuple[Target, ...] = ()
    if times is not None:
        promises = (
            faster("onlinear AROW", "scikit-learn", times),
            within("onlinear AROW", "bare loop", 1.25),
        )
    return Scenario(
        name=name,
        title=title,
        sets=(data,),
        contestants=(
            predict_pass("scikit-learn", "peer", learners.sklearn_pa1, load, learners.SKLEARN),
            predict_pass("onlinear AROW", "us", learners.arow, load, learners.ONLINEAR),
            limit_on("bare loop", loop, data),
        ),
        targets=promises,
    )


SCENARIOS = (
    _prediction(
        "predict-sparse",
        "Predict 200,000 sparse rows, two classes",
        "text",
        sparse("text"),
        "predict_sparse",
        1.0,
    ),
    _prediction(
        "predict-dense", "Predict 200,000 x 64, two classes", "dense", dense("dense"), "predict_dense"
    ),
    _prediction(
        "predict-multiclass",
        "Predict 50,000 sparse rows, 20 classes",
        "multi",
        sparse("multi"),
        "predict_multiclass",
        2.0,
    ),
)
