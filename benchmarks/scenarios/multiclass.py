"""One pass in memory with twenty classes."""

from benchmarks import learners
from benchmarks.batch import learn_pass, sparse
from benchmarks.command import limit_on
from benchmarks.protocol import Scenario, faster, within

MULTI = sparse("multi")

SCENARIOS = (
    Scenario(
        name="multiclass",
        title="One pass over sparse text in memory: 50,000 rows, 20 classes, 2^18 features",
        sets=("multi",),
        contestants=(
            learn_pass("scikit-learn PA-I", "peer", learners.sklearn_pa1, MULTI, learners.SKLEARN),
            learn_pass("onlinear AROW", "us", learners.arow, MULTI, learners.ONLINEAR),
            limit_on("bare AROW", "multiclass_arow", "multi"),
        ),
        targets=(
            faster("onlinear AROW", "scikit-learn PA-I", 3.0),
            within("onlinear AROW", "bare AROW", 1.25),
        ),
    ),
)
