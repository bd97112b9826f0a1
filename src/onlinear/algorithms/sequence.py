"""Sequence labelling: a label for every token, by any rule."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from .. import belief as beliefs
from ..exceptions import ParameterError
from ..model.parameters import check_choice, check_class_weight, check_number
from ..model.recipe import Recipe, recipe
from ..model.types import Axis, Label
from .table import ALGORITHMS, axes_of, truncation_of

__all__ = ["SequenceLabeling"]

_COSTS = ("hamming", "mean_hamming", "zero_one")


@recipe
class SequenceLabeling(Recipe):
    r"""A label for every token of a sequence: structured prediction with any rule of this library.

    The score of labels y for tokens x is

    .. math:: \sum_i E_{y_i} · x_i + \sum_{i ≥ 2} T_{y_{i-1}, y_i}

    and the best labels q are found by Viterbi's algorithm. Where they differ from the right ones, the rule is
    asked for a step along δ = Φ(x, y) - Φ(x, q) with the required margin √cost(y, q).

    Parameters
    ----------
    rule : str, classifier or rule object, default="pa1"
        The algorithm: a name of the command line's ("pa1", "scw1", "arow", ...; ``onlinear algorithms`` lists them), one of
        our classifiers carrying its parameters, or an object from `onlinear.rule`.
    belief : object from `onlinear.belief`, default=None
        What is known: `Mean`, `L1Ball`, `Diagonal` or `Full`. By default the algorithm's own.
    average : bool, default=True
        Whether to predict with the mean of the weights over all rounds.
    passes : int, default=10
        Passes of `fit` and `fit_file`.
    shuffle : bool, default=True
        Whether every pass visits the sequences in a new random order.
    cost : {"hamming", "mean_hamming", "zero_one"} or callable, default="hamming"
        What it costs to answer q where y is right: the number of wrong labels, their share, 1; or
        ``cost(y, q)`` of two lists of labels, a finite number that is not negative.
    class_weight : dict, "balanced" or None, default=None
        Weights of the labels. A sequence is learned as a whole, so its weight is multiplied by the mean of its
        labels' weights, token by token. "balanced" weighs a label by n / (labels * its count): `fit` counts all
        tokens it is given, a stream those so far, the sequence at hand included.
    templates : list of str, default=None
        How files become features. A template is one to three parts joined by ``|``; a part is a column at an
        offset, ``w[-1]``, or a trait of it, ``w[0].suffix3``. Traits are lower, shape, brief, digits, prefixN
        and suffixN; ``__BOS__``, ``__EOS__`` and ``bias`` stand alone. By default those of
        `default_templates`: windows of the words and tags, how words look, and their affixes.
    columns : list of str, default=None
        Names of the columns of a file, without the last, which is the label. By default w, pos, c2, c3 and so
        on.
    dtype : {None, "float32", "float64"}, default=None
        Type of the weights; None takes float64 if the first sequence is a float64 array, else float32.
    max_features : int, default=2**28
        More features than this are refused.
    max_tokens : int, default=2**16
        A sequence of a file with more tokens than this is refused: a file without blank lines is one sequence,
        whose features would fill the memory.
    random_state : int, RandomState instance or None, default=None
        Seed of the shuffling.

    Attributes
    ----------
    classes_ : ndarray
        The labels, in the order of the weights; ties are broken in favour of the first. `fit` sorts them,
        `partial_fit` takes them as they come.
    emissions_ : ndarray of shape (n_classes, n_features)
        The weights E.
    transitions_ : ndarray of shape (n_classes, n_classes)
        The weights T, from label to label.
    n_seen_, n_updates_, n_mistakes_ : int
        Sequences, those that changed the model, and those labelled wrongly before learning.
    n_tokens_, n_wrong_tokens_ : int
        Tokens, and those labelled wrongly before learning.

    References
    ----------
    .. [1] Collins. EMNLP 2002.
    .. [2] Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006. Section 9.

    Examples
    --------
    >>> from onlinear import SequenceLabeler
    >>> X = [[["w=the"], ["w=cat"]], [["w=cats"], ["w=sleep"]]]
    >>> y = [["B", "I"], ["B", "O"]]
    >>> SequenceLabeler(rule="pa1", random_state=0).fit(X, y).predict([[["w=the"], ["w=cat"]]])
    [['B', 'I']]
    """

    estimator = "SequenceLabeler"
    kind = "sequence"

    rule: Any = "pa1"
    belief: Any = None
    average: bool = True
    early_stopping: bool = False
    cost: (
        Literal["hamming", "mean_hamming", "zero_one"] | Callable[[list[Label], list[Label]], float] | None
    ) = "hamming"
    class_weight: Mapping[Label, float] | Literal["balanced"] | None = None
    templates: Sequence[str] | None = None
    columns: Sequence[str] | None = None
    max_tokens: int = 1 << 16

    def check(self) -> None:
        """Refuse parameters that are none."""
        super().check()
        owner = self.owner
        check_number(owner, "max_tokens", self.max_tokens, 1, 1 << 40, whole=True)
        if self.dtype is not None:
            check_choice(owner, "dtype", self.dtype, ("float32", "float64"))
        if self.cost is not None and not callable(self.cost):
            check_choice(owner, "cost", self.cost, _COSTS)
        check_class_weight(owner, self.class_weight)
        for name in ("templates", "columns"):
            given = getattr(self, name)
            words = given is None or (
                isinstance(given, Iterable)
                and not isinstance(given, str | bytes)
                and all(isinstance(word, str) for word in given)
            )
            if not words:
                raise ParameterError(f"{owner}: {name} must be None or a list of words, got {given!r}.")
        if self.belief is not None and not hasattr(self.belief, "parameters"):
            raise ParameterError(
                f"{owner}: belief must be None or an object from onlinear.belief, got {self.belief!r}."
            )

    def axes(self) -> tuple[Axis, Axis]:
        """The rule and the belief these parameters mean."""
        rule, own = _axes_of(self.rule, self.owner)
        chosen = self.belief if self.belief is not None else own
        if chosen is None:
            chosen = _usual_belief(rule)
        parameters = chosen.parameters()
        if "average" in parameters and self.belief is None:
            chosen = type(chosen)(**{**parameters, "average": self.average})
        return rule, chosen

    def truncated_by(self) -> float | None:
        """As the rule's recipe says."""
        return truncation_of(self.rule)


def _axes_of(rule: Any, owner: str) -> tuple[Axis, Axis | None]:
    """The rule and the belief that ``rule=`` means; no belief for a rule object."""
    if hasattr(rule, "metric"):
        return rule, None
    if isinstance(rule, str) and rule not in ALGORITHMS:
        rule = rule.replace("_", "-")
    made, own = axes_of(rule, owner)
    # A mean that is derived on read is not there for Viterbi to read; the rule's own form is.
    if isinstance(own, beliefs.Information):
        own = beliefs.Diagonal(projection="kl", initial_variance=own.initial_variance)
    elif isinstance(own, beliefs.Full) and own.inclusive:
        own = beliefs.Full(initial_variance=own.initial_variance)
    return made, own


def _usual_belief(rule: Any) -> Axis:
    """The belief a rule object learns on where none is given."""
    if rule.metric != "mean":
        return beliefs.Diagonal(projection="drop")
    return beliefs.L1Ball() if rule.parameters().get("penalty") == "l1_ball" else beliefs.Mean()
