"""The paper's feature selectors against their definitions."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix
from sklearn.utils.estimator_checks import parametrize_with_checks

from onlinear.exceptions import ParameterError
from onlinear.feature_selection import (
    GameTheoreticSelector,
    InformationGainSelector,
    _play,
    information_gain,
    pair_gains,
)

SELECTORS = (InformationGainSelector, GameTheoreticSelector)


def words(seed: int = 0) -> tuple[Any, Any]:
    """Words of which the first ones depend on the class."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, 200)
    chance = np.full((200, 8), 0.3)
    chance[:, 0] = 0.2 + 0.3 * y
    chance[:, 1] = np.where(y == 1, 0.9, 0.2)
    return (rng.random((200, 8)) < chance) * rng.random((200, 8)), y


def bits(*columns: Any) -> float:
    """Entropy of what stands side by side in the columns, in bits."""
    counts = np.unique(np.stack(columns, axis=1), axis=0, return_counts=True)[1]
    share = counts / counts.sum()
    return float(-(share * np.log2(share)).sum())


def test_information_gain_is_the_mutual_information() -> None:
    """I(Y; X) = H(Y) + H(X) - H(X, Y) for every feature, dense and sparse."""
    X, y = words()
    want = [bits(y) + bits(x > 0) - bits(x > 0, y) for x in X.T]
    assert_allclose(information_gain(X, y), want, atol=1e-12)
    assert_allclose(information_gain(csr_matrix(X), y), want, atol=1e-12)


def test_pair_gains_are_those_of_both_features_together() -> None:
    """M_ij = I(Y; X_i, X_j), a feature beside itself included."""
    X, y = words(1)
    M = pair_gains(csr_matrix(X > 0, dtype=float), y)
    for i, j in product(range(8), range(8)):
        a, b = X[:, i] > 0, X[:, j] > 0
        assert_allclose(M[i, j], bits(y) + bits(a, b) - bits(a, b, y), atol=1e-12)


def test_the_selectors_find_the_words_that_matter() -> None:
    """Both keep the two features that depend on the class."""
    X, y = words(2)
    for selector in (InformationGainSelector(k=2), GameTheoreticSelector(k=2)):
        assert selector.fit(X, y).get_support(indices=True).tolist() == [0, 1]
        assert selector.transform(X).shape == (200, 2)


def test_the_game_is_solved() -> None:
    """Both players have k units: what u is worth is its k least gains, and no other spread of units is worth more."""
    X, y = words(3)
    game = GameTheoreticSelector(k=3).fit(X, y)
    M = pair_gains(csr_matrix(X > 0, dtype=float), y)

    def worth(u: Any) -> float:
        return float(np.sort(u @ M)[:3].sum())

    assert_allclose(worth(game.scores_), game.value_, atol=1e-9)
    assert_allclose(game.scores_.sum(), 3.0, atol=1e-9)
    assert np.all((game.scores_ >= 0) & (game.scores_ <= 1))
    rng = np.random.default_rng(0)
    for _ in range(500):
        u = rng.random(8) ** 4
        u = np.minimum(1.0, 3 * u / u.sum())
        assert worth(u) <= game.value_ + 1e-9


def test_one_useless_feature_does_not_decide_the_game() -> None:
    """The second player names k features, so beside one that tells nothing there is company to be judged by."""
    gain = np.array(
        [0.5, 0.5, 0.4, 0.4, 0.0]
    )  # two that say the same, two that say different things, and nothing
    M = np.full((5, 5), 0.9)
    M[:2, :2] = 0.5
    M[4], M[:, 4] = gain, gain
    M[2, 2] = M[3, 3] = 0.4
    u, value = _play(M, 2)

    assert value >= 0.9 + 1.3  # of the first and the third
    assert set(np.argsort(-u, kind="stable")[:2]) != {0, 1}  # as for the worst single answer


def test_useless_features_that_fill_the_answer_leave_the_information_gain() -> None:
    """Beside k features that tell nothing a pair tells what one of it tells alone."""
    X, y = words(5)
    X = np.hstack([X, np.zeros((200, 2))])
    chosen = [cls(k=2).fit(X, y).get_support(indices=True).tolist() for cls in SELECTORS]
    assert chosen[0] == chosen[1]


def test_few_candidates_play() -> None:
    """Features outside the candidates score nothing."""
    X, y = words(4)
    game = GameTheoreticSelector(k=2, candidates=3).fit(X, y)
    assert np.count_nonzero(game.scores_) <= 3
    with pytest.raises(ParameterError, match="k must be"):
        GameTheoreticSelector(k=0).fit(X, y)


@parametrize_with_checks([InformationGainSelector(k=2), GameTheoreticSelector(k=2)])
def test_scikit_learn_contract(estimator: Any, check: Any) -> None:
    """The selectors keep scikit-learn's contract."""
    check(estimator)
