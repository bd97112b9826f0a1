"""The drift plots draw what they are given."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot
import numpy as np

from onlinear import PassiveAggressiveClassifier, RegularizedPassiveAggressiveClassifier, drift

matplotlib.use("Agg")

from onlinear.plotting import ErrorOverTimeDisplay, FeaturesKeptDisplay, WeightImagesDisplay


def test_error_over_time_shades_every_other_phase() -> None:
    """One line a model, and the second and fourth of four phases shaded."""
    stream = drift.abrupt(80, n_concepts=4, random_state=0)
    models = {
        "PA": PassiveAggressiveClassifier(),
        "ball": RegularizedPassiveAggressiveClassifier(penalty="l2_ball"),
    }
    results = {name: drift.prequential(model, stream) for name, model in models.items()}
    for measure in ("cumulative", "sliding", "faded"):
        shown = ErrorOverTimeDisplay.from_results(results, measure=measure)
        assert len(shown.ax_.lines) == 2
        assert len(shown.ax_.patches) == 2
        matplotlib.pyplot.close(shown.figure_)


def test_weights_are_images() -> None:
    """Every model is an image of the given shape, with a bar that shows what its colours mean."""
    X, y = np.eye(6), [0, 1, 0, 1, 0, 1]
    shown = WeightImagesDisplay.from_estimators(
        {"PA": PassiveAggressiveClassifier(fit_intercept=False).fit(X, y)}, (2, 3)
    )
    image = shown.axes_[0].images[0]
    assert image.get_array().shape == (2, 3)
    assert len(shown.figure_.axes) == 2
    assert image.colorbar.ax.get_ylim() == image.get_clim()
    matplotlib.pyplot.close(shown.figure_)


def test_features_kept_has_a_bar_a_setting() -> None:
    """Error against features, sorted by their number."""
    kept, errors = np.array([[30.0, 32.0], [10.0, 12.0]]), np.array([[0.1, 0.2], [0.3, 0.3]])
    shown = FeaturesKeptDisplay({"L1": kept}, {"L1": errors}).plot()
    assert shown.ax_.lines[0].get_xdata().tolist() == [11.0, 31.0]
    matplotlib.pyplot.close(shown.figure_)
