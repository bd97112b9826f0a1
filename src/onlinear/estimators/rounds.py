"""Where the record of rounds is kept, and what its fields mean."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sklearn.base import BaseEstimator

if TYPE_CHECKING:
    from ..model.types import Array, Values

__all__ = ["KeepsRounds"]


class KeepsRounds(BaseEstimator):  # type: ignore[misc]
    """An estimator that can be asked for a record of its rounds."""

    _rounds: Any = None

    @property
    def rounds_(self) -> Array:
        r"""The record of the rounds of the last `partial_fit` or `fit_stream` that was asked for one.

        A structured array with a row for every example of the call, in order, and the fields that were asked for. In
        every round the task poses a demand, a difference vector δ and the margin E it should reach, and the rule answers
        with a step of the mean μ and the precision:

        .. math:: m = μ^T δ, \quad v = δ^T Σ δ, \quad ℓ = \max(0, E - m), \quad
                  μ ← μ + α Σ δ, \quad Σ^{-1} ← Σ^{-1} + γ δ δ^T

        For two classes δ = y x with y = ±1 and E = 1. For several δ = f(x, y) - f(x, s), s the best wrong class, and
        E = 1; with a cost matrix E is the root of the cost, 0 where the prediction is right. For targets
        δ = sign(y - μᵀx) x and E = sign(y - μᵀx) y - ε, so that ℓ = max(0, abs(y - μᵀx) - ε). First-order rules have
        Σ = I, so that v is the squared norm of δ. All is as it was before the step, in the learner's own terms: x with its
        1 for the intercept, divided by the scales of its features where there are any, which it has raised itself.

        ``score``
            What `decision_function` said of the row before (`predict`, of a regressor); of more than two classes, for the
            right one (NaN where the weight is 0). Of a row that brings a class: once there is room for it.
        ``predicted``
            What `predict` said of the row before; None before there is a class.
        ``margin``, ``required``, ``loss``, ``variance``
            m, E, ℓ and v; an average plays no part in them. NaN where nothing was demanded.
        ``step``, ``gain``
            α and γ; 0 where the rule was content. Of updates of several classes at once: the sum of their multipliers.
        ``norm``
            The norm of x.
        ``weight``
            The example's weight, that of its class included. 0 is no round: nothing was demanded.
        ``cost``
            What the prediction cost, as `total_cost_` adds it up; the absolute error of a regressor.
        ``rival``
            The class the right one was compared with; of two, the other one.
        ``mistake``, ``updated``
            As `n_mistakes_` and `n_updates_` count them: m ≤ 0 (of a regressor, an error above ε), and whether the model
            has changed. A score of 0 is a mistake whatever `predicted` says.

        `learn_one` and `fit` keep no record. It is not part of a saved, pickled or copied model.

        Examples
        --------
        >>> from onlinear import PassiveAggressiveClassifier
        >>> model = PassiveAggressiveClassifier(fit_intercept=False, scale=None)
        >>> rows, labels = [[1.0, 0.0], [0.0, 2.0], [3.0, 0.0]], [0, 1, 0]
        >>> rounds = model.partial_fit(rows, labels, record=("margin", "loss", "step", "updated")).rounds_
        >>> rounds["loss"].tolist(), rounds["step"].tolist(), int(rounds["updated"].sum())
        ([1.0, 1.0, 0.0], [1.0, 0.25, 0.0], 2)
        """
        if self._rounds is None:
            raise AttributeError(
                f"{type(self).__name__!r} object has no attribute 'rounds_' before a call with record=(...)"
            )
        found: Array = self._rounds
        return found

    def __getstate__(self) -> Values:
        state: Values = dict(super().__getstate__())
        state.pop("_rounds", None)
        return state
