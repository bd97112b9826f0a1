"""Why examples are predicted as they are: one or many, as text, as a frame and as a picture."""

from __future__ import annotations

from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib import pyplot
from scipy import sparse

from onlinear import AROWClassifier, PassiveAggressiveClassifier, SoftConfidenceWeightedClassifier
from onlinear.exceptions import ParameterError
from onlinear.plotting import ExplanationDisplay

matplotlib.use("Agg")

LABELS = ["ham", "spam", "news"]


def rows(seed: int = 0, n: int = 90) -> tuple[np.ndarray, np.ndarray]:
    """Rows with many zeros, and labels that follow them."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 6)).astype(float)
    return X, np.array(LABELS)[(X @ rng.standard_normal((6, 3))).argmax(axis=1)]


@pytest.mark.parametrize(
    "make", [AROWClassifier, PassiveAggressiveClassifier, SoftConfidenceWeightedClassifier]
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_matrix, list])
def test_several_examples_are_explained_as_each_alone(make: Any, form: Any) -> None:
    """In the same order, with the same numbers."""
    X, y = rows()
    model = make(random_state=0).fit(X, y)

    told = model.explain(form(X[:5]), top=None)

    assert told == [model.explain(row, top=None) for row in X[:5]]
    assert [each.predicted for each in told] == model.predict(X[:5]).tolist()
    assert [each.margin for each in told] == pytest.approx(model.margin(X[:5]))


def test_frames_and_dicts_are_explained_in_their_own_words() -> None:
    """By the names of columns, and of features."""
    X, y = rows()
    names = ["free", "money", "noon", "lunch", "goal", "match"]
    frame = pd.DataFrame(X, columns=names)
    model = AROWClassifier(random_state=0).fit(frame, y)

    for given in (frame.head(3), frame.head(3).to_dict("records")):
        told = model.explain(given, top=None)
        assert len(told) == 3
        assert {item.feature for each in told for item in each.contributions} <= set(names)
    assert [each.margin for each in model.explain(frame.head(3))] == pytest.approx(
        [each.margin for each in model.explain(frame.head(3).to_dict("records"))]
    )
    streamed = AROWClassifier().learn_one({"free": 1, "money": 2}, "spam").learn_one({"noon": 1}, "ham")
    (one, other) = streamed.explain([{"free": 1.0}, {"noon": 1.0, "never": 1.0, "colour": "red"}])
    assert (one.predicted, other.predicted) == ("spam", "ham")
    assert next(item.feature for item in other.contributions) == "noon"
    assert {item.feature for item in other.contributions} == {"noon", "never", "colour=red"}


def test_one_dict_or_row_has_one_explanation_and_a_list_a_list() -> None:
    """A list of one dict is a list."""
    X, y = rows()
    model = AROWClassifier(random_state=0).fit(X, y)

    assert model.explain({0: 1.0}) == model.explain([{0: 1.0}])[0]
    assert model.explain(X[0]) == model.explain(X[:1]) == model.explain(X[:2])[0]
    assert str(model.explain(X[:2])) == f"{model.explain(X[0])}\n\n{model.explain(X[1])}"


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_explanations_are_frames(library: Any) -> None:
    """A row for each feature of each example; what it adds up to is the margin without the intercept."""
    X, y = rows()
    model = AROWClassifier(random_state=0).fit(X, y)
    told = model.explain(X[:4], top=None)

    frame = told.to_frame(library)
    one = told[2].to_frame(library)

    assert isinstance(frame, pd.DataFrame if library == "pandas" else pl.DataFrame)
    columns = ["feature", "value", "weight", "contribution", "std"]
    assert list(frame.columns) == ["row", "predicted", "rival", "margin", *columns]
    assert list(one.columns) == columns
    frame = frame if library == "pandas" else frame.to_pandas()
    for number, part in frame.groupby("row"):
        each = told[int(str(number))]
        assert part["contribution"].sum() + each.intercept == pytest.approx(each.margin)
        assert set(part["margin"]) == {each.margin}
    with pytest.raises(ParameterError, match="library must be 'pandas' or 'polars', got 'spark'"):
        told.to_frame("spark")


def test_one_explanation_is_drawn_with_its_deviations() -> None:
    """A bar for each feature, the largest on top, what speaks against it in another colour."""
    X, y = rows()
    told = AROWClassifier(random_state=0).fit(X, y).explain(X[1])

    display = told.plot()

    assert isinstance(display, ExplanationDisplay)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == display.features
    bars = [patch.get_width() for patch in display.ax_.patches]
    assert bars == pytest.approx([item.contribution for item in told.contributions])
    assert display.stds == [item.std for item in told.contributions]
    assert display.ax_.get_title() == f"{told.predicted} against {told.rival}: {told.margin:+.2f}"
    colours = {patch.get_facecolor() for patch in display.ax_.patches}
    assert len(colours) == len({width >= 0 for width in bars})
    assert display.ax_.yaxis_inverted()
    pyplot.close("all")


def test_several_explanations_are_drawn_by_their_mean() -> None:
    """What a feature adds, in the mean over all that were explained; on axes of one's own."""
    X, y = rows()
    model = PassiveAggressiveClassifier(random_state=0).fit(X, y)
    told = model.explain(X[:7], top=None)
    _, ax = pyplot.subplots()

    display = told.plot(top=2, ax=ax)

    sums = told.to_frame().groupby("feature")["contribution"].sum() / 7
    expected = sums[sums.abs().sort_values(ascending=False).index[:2]]
    assert display.ax_ is ax
    assert display.features == expected.index.tolist()
    assert display.contributions == pytest.approx(expected.tolist())
    assert display.stds is None
    assert ax.get_title() == "7 examples"
    pyplot.close("all")
