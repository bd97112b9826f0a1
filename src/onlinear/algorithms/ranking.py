"""Label ranking: several labels may be right, and those that are should come first."""

from collections.abc import Callable
from typing import Any

from .. import task
from ..exceptions import ParameterError
from ..model.parameters import check_number
from ..model.recipe import Linear, recipe
from ..model.types import Axis, Label, MatrixLike
from .table import axes_of, truncation_of

__all__ = ["Ranking"]


@recipe
class Ranking(Linear):
    """Label ranking by any rule: every relevant label above every irrelevant one.

    On each example the lowest-scoring relevant label r is set against the highest-scoring irrelevant label s,
    with δ = Φ(x, r) - Φ(x, s) and required margin 1. An example with no relevant label, or with all of them,
    teaches nothing. With one label to an example this is multiclass classification.

    Label sets are predicted with a cut of calibrated probabilities: one logistic map of the scores for all
    labels, fitted while learning to the scores before each round. The cut is learned there, too: micro-F1 is
    largest where labels are predicted from half of that F1 on [2]_, and the F1 of the rounds so far is known.

    Parameters
    ----------
    rule : str or classifier, default="pa1"
        The algorithm: a name of the command line's ("pa1", "scw1", "arow", ...; ``onlinear algorithms`` lists them), or one
        of our classifiers, whose parameters then count.
    phi : callable, default=None
        ``phi(X, label)`` gives the rows of Φ(x, label) for every example, and one vector of weights serves
        all labels (single prototype). None keeps one vector for each label (multi-prototype).
    threshold : float, default=None
        Labels whose probability reaches this are predicted, in [0, 1]; None takes the cut learned so far, 0.5
        before there is one.
    average : bool, default=True
        Predict with the mean of the weights over all rounds. Scores that are set apart by a cut must be steady;
        those of the last weights alone are not. A rule that truncates its weights is not averaged.

    Attributes
    ----------
    classes_ : ndarray of shape (n_labels,)
        The labels, sorted.
    coef_ : ndarray of shape (n_labels, n_features), or (1, n_features) with `phi`
        The weights.
    intercept_ : ndarray of shape (n_labels,) or (1,)
        The intercepts.

    References
    ----------
    .. [1] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 7.
    .. [2] Busa-Fekete, Szörényi, Dembczyński, Hüllermeier. Online F-measure optimization. NIPS 2015.

    Examples
    --------
    >>> from onlinear import MultilabelRanker
    >>> X = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]]
    >>> y = [["art"], ["sport"], ["money"], ["art", "sport"]]
    >>> model = MultilabelRanker(rule="arow", random_state=0).fit(X, y)
    >>> print(model.rank([[0.0, 1.0, 0.2]])[0][0])
    sport
    """

    estimator = "MultilabelRanker"
    kind = "multilabel"

    rule: Any = "pa1"
    phi: Callable[[MatrixLike, Label], MatrixLike] | None = None
    threshold: float | None = None
    average: bool = True

    def make_axes(self) -> tuple[Axis, Axis]:
        """The rule and the belief that checked parameters mean."""
        rule, known = axes_of(self.rule, self.owner)
        parameters = known.parameters()
        # What a rule's own recipe averages stays so; means of weights that are truncated are none of them zero.
        if self.average and "average" in parameters and not self.truncated_by():
            known = type(known)(**{**parameters, "average": True})
        return rule, self.scaled(known)

    def make_task(self) -> Axis | None:
        """A block of weights for each label, or one for all."""
        return task.Ranking(prototypes="multi" if self.phi is None else "single")

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        if self.threshold is not None:
            check_number(self.owner, "threshold", self.threshold, 0.0, 1.0)
        if self.phi is not None and not callable(self.phi):
            raise ParameterError(f"{self.owner}: phi must be callable or None, got {self.phi!r}")

    def truncated_by(self) -> float | None:
        """As the rule's recipe says."""
        return truncation_of(self.rule)

    def has_intercept(self) -> bool:
        """With a block for each label; it cancels out of a difference of rows."""
        return self.fit_intercept and self.phi is None
