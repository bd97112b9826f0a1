"""One pass in memory over sparse text: second order at the price of first order."""

from benchmarks import learners
from benchmarks.batch import learn_pass, sparse
from benchmarks.command import limit_on
from benchmarks.protocol import Scenario, faster, within

TEXT = sparse("text")

SCENARIOS = (
    Scenario(
        name="sparse-text",
        title="One pass over sparse text in memory: 200,000 rows, 2^20 features, 78 non-zeros a row",
        sets=("text",),
        contestants=(
            learn_pass("scikit-learn PA-I", "peer", learners.sklearn_pa1, TEXT, learners.SKLEARN),
            learn_pass("onlinear PA-I", "us", learners.pa1, TEXT, learners.ONLINEAR),
            limit_on("bare PA-I", "sparse_pa1", "text"),
            learn_pass("onlinear AROW", "us", learners.arow, TEXT, learners.ONLINEAR),
            learn_pass("onlinear AROW as it comes", "us", learners.arow_as_it_comes, TEXT, learners.ONLINEAR),
            limit_on("bare AROW", "sparse_arow", "text"),
            learn_pass("onlinear SCW-I", "us", learners.scw1, TEXT, learners.ONLINEAR),
            limit_on("bare SCW-I", "sparse_scw1", "text"),
        ),
        targets=(
            faster("onlinear PA-I", "scikit-learn PA-I", 1.4),
            faster("onlinear AROW", "scikit-learn PA-I", 1.0),
            faster("onlinear SCW-I", "scikit-learn PA-I", 1.0),
            within("onlinear AROW", "scikit-learn PA-I", 1.0, "held_out"),
            within("onlinear SCW-I", "scikit-learn PA-I", 1.0, "held_out"),
            within("onlinear PA-I", "bare PA-I", 1.25),
            within("onlinear AROW", "bare AROW", 1.25),
            within("onlinear SCW-I", "bare SCW-I", 1.25),
        ),
    ),
)
