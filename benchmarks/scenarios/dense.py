"""One pass in memory over dense rows."""

from benchmarks import batch, learners
from benchmarks.batch import learn_pass
from benchmarks.command import limit_on
from benchmarks.protocol import Scenario, faster, within

DENSE = batch.dense("dense")

SCENARIOS = (
    Scenario(
        name="dense",
        title="One pass over dense rows in memory: 200,000 x 64",
        sets=("dense",),
        contestants=(
            learn_pass("scikit-learn PA-I", "peer", learners.sklearn_pa1, DENSE, learners.SKLEARN),
            learn_pass("onlinear AROW", "us", learners.arow, DENSE, learners.ONLINEAR),
            learn_pass(
                "onlinear AROW as it comes", "us", learners.arow_as_it_comes, DENSE, learners.ONLINEAR
            ),
            limit_on("bare AROW, float64 sums", "dense_arow", "dense", "float64"),
            limit_on("bare AROW, float32 lanes", "dense_arow", "dense", "float32"),
        ),
        targets=(
            faster("onlinear AROW", "scikit-learn PA-I", 4.0),
            within("onlinear AROW", "bare AROW, float64 sums", 1.25),
        ),
    ),
)
