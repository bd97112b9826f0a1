"""Hostile files of models that keep examples, and of models in an L1 ball: refused, or harmless."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import onlinear
from onlinear.exceptions import ModelFileError, OnlinearError

from .crafting import Edit, edited


def data() -> tuple[Any, Any]:
    """Three classes of four features."""
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 4)), rng.integers(0, 3, 60)


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """The file of a kernel model with a covariance."""
    path = tmp_path / "kernel.safetensors"
    onlinear.KernelClassifier(rule="arow", budget=20).partial_fit(*data()).save(path)
    return path


@pytest.fixture
def ball(tmp_path: Path) -> Path:
    """The file of a model in an L1 ball."""
    path = tmp_path / "ball.safetensors"
    model = onlinear.RegularizedPassiveAggressiveClassifier(penalty="l1_ball", radius=2.0, truncation=1e-4)
    model.partial_fit(*data()).save(path)
    return path


def survives(path: Path) -> bool:
    """Whether a file loads; if it does, the model predicts finite numbers and can learn on, or says why not."""
    try:
        model = onlinear.load(path)
    except ModelFileError as error:
        assert path.name in str(error)
        return False
    X, y = data()
    try:
        model.partial_fit(X, model.classes_[y % len(model.classes_)])
        assert np.isfinite(model.decision_function(X)).all()
    except OnlinearError:
        pass
    return True


KERNEL_EDITS: dict[str, Edit] = {
    "NaN coefficients": lambda c, t: t["nu"].__setitem__((0, 0), np.nan),
    "elements of three numbers": lambda c, t: t.update(elements=t["elements"][:, :3].copy()),
    "elements that count from -1": lambda c, t: t["elements"].__setitem__((slice(None), 0), -1.0),
    "infinite coefficients": lambda c, t: t["nu"].__setitem__((0, 0), np.inf),
    "one example fewer": lambda c, t: t.update(born=t["born"][:-1].copy()),
    "no examples but coefficients": lambda c, t: t.pop("support"),
    "coefficients missing": lambda c, t: t.pop("nu"),
    "a NaN in an example": lambda c, t: t["support"].__setitem__((0, 2), np.nan),
    "an example number past the end": lambda c, t: t["support"].__setitem__((0, 0), 1e9),
    "a negative example number": lambda c, t: t["support"].__setitem__((0, 0), -1),
    "an example number that is none": lambda c, t: t["support"].__setitem__((0, 0), np.nan),
    "a feature past the end": lambda c, t: t["support"].__setitem__((0, 1), 2.0**40),
    "features out of order": lambda c, t: t.update(support=t["support"][::-1].copy()),
    "two columns of entries": lambda c, t: t.update(support=t["support"][:, :2].copy()),
    "a covariance of another size": lambda c, t: t.update(root=t["root"][:-1].copy()),
    "NaN in the covariance": lambda c, t: t["root"].__setitem__((0, 0), np.nan),
    "a covariance without an inverse": lambda c, t: t["root"].__setitem__((1, 1), 0.0),
    "a covariance that is no triangle": lambda c, t: t["root"].__setitem__((1, 0), 1.0),
    "a mean out of reach": lambda c, t: t["elements"].__setitem__((0, 6), 1e308),
    "a negative precision": lambda c, t: t["elements"].__setitem__((0, 4), -1.0),
    "an element past the examples": lambda c, t: t["elements"].__setitem__((0, 1), 1e6),
    "elements out of order": lambda c, t: t["elements"].__setitem__((0, 0), 7),
    "a class past the end": lambda c, t: t["elements"].__setitem__((0, 2), 99),
    "elements missing": lambda c, t: t.pop("elements"),
    "another shape": lambda c, t: t.update(shape=np.array([[3.0, 2.0**40]])),
    "a shape of one number": lambda c, t: t.update(shape=np.array([[3.0]])),
    "a scale of zero": lambda c, t: c["scalars"].update(scale=0.0),
    "a NaN scale": lambda c, t: c["scalars"].update(scale=float("nan")),
    "a negative prior": lambda c, t: c["scalars"].update(prior=-1.0),
    "gamma of zero": lambda c, t: c["scalars"].update(gamma=0.0),
    "gamma missing": lambda c, t: c["scalars"].pop("gamma"),
    "a kernel of one's own": lambda c, t: c["parameters"].update(kernel="os.system"),
    "a negative budget": lambda c, t: c["parameters"].update(budget=-1),
    "weights instead": lambda c, t: [t.clear(), t.update(mean=np.zeros((3, 5), np.float64))],
}  # fmt: skip


@pytest.mark.parametrize("edit", KERNEL_EDITS.values(), ids=KERNEL_EDITS.keys())
def test_hostile_examples_are_refused(edit: Edit, kernel: Path) -> None:
    """Each with a checksum that fits, so that only the checks stand in its way."""
    edited(kernel, edit)
    assert not survives(kernel)


BALL_EDITS: dict[str, Edit] = {
    "NaN weights": lambda c, t: t.update(mean=np.full_like(t["mean"], np.nan)),
    "a NaN shift": lambda c, t: c["scalars"].update(shift=float("nan")),
    "an infinite norm": lambda c, t: c["scalars"].update(norm=float("inf")),
    "a missing shift": lambda c, t: c["scalars"].pop("shift"),
    "a negative shift": lambda c, t: c["scalars"].update(shift=-1.0),
    "a negative radius": lambda c, t: c["parameters"].update(radius=-2.0),
    "a truncation that is no number": lambda c, t: c["parameters"].update(truncation="much"),
}  # fmt: skip


@pytest.mark.parametrize("edit", BALL_EDITS.values(), ids=BALL_EDITS.keys())
def test_hostile_balls_are_refused(edit: Edit, ball: Path) -> None:
    """The lazy numbers of an L1 ball are checked as its weights are."""
    edited(ball, edit)
    assert not survives(ball)


@pytest.mark.parametrize("kind", ["kernel", "ball"])
def test_random_numbers_in_random_places_are_refused_or_harmless(
    kind: str, request: pytest.FixtureRequest
) -> None:
    """Two hundred edits of tensors and scalars: an error or a working model, never a crash."""
    path: Path = request.getfixturevalue(kind)
    whole = path.read_bytes()
    rng = random.Random(3)
    values = [
        0.0,
        -0.0,
        -1.0,
        1.0,
        0.5,
        3.0,
        2.0**31,
        2.0**53,
        1e300,
        -1e300,
        1e-300,
        float("nan"),
        float("inf"),
    ]

    def edit(content: dict[str, Any], tensors: dict[str, Any]) -> None:
        names = [*(name for name, value in tensors.items() if value.size), *content["scalars"]]
        name = rng.choice(names)
        if name in tensors:
            tensors[name].flat[rng.randrange(tensors[name].size)] = rng.choice(values)
        else:
            content["scalars"][name] = rng.choice(values)

    for _ in range(200):
        path.write_bytes(whole)
        edited(path, edit)
        survives(path)


@pytest.mark.parametrize("name", ["born", "nu", "support", "elements"])
def test_a_table_of_another_shape_is_refused(name: str) -> None:
    """As many numbers in other rows and columns would be read as other examples."""
    learner = onlinear.KernelClassifier(rule="arow", budget=20).partial_fit(*data()).model_.learner
    state = learner.state()
    state[name] = np.ascontiguousarray(np.reshape(state[name], (1, -1)))
    with pytest.raises(ValueError, match=f"state '{name}' has the wrong shape"):
        learner.copy().handle.load_state(state)
