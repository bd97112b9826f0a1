"""The documentation of estimators: what a recipe says of itself, and what all share."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import fields
from types import FunctionType
from typing import TYPE_CHECKING, Any, Self, TypeVar

from .. import rule

if TYPE_CHECKING:
    from ..model.recipe import Recipe

__all__ = ["documented", "joined_documentation"]

T = TypeVar("T")

SHARED_PARAMETERS = """\
covariance : {"diagonal", "full"}, default="diagonal"
    Full keeps correlations, at quadratic memory.
initial_variance : float, default=1.0
    Variance of every weight at the start.
min_variance : float or None, default=None
    A floor under every variance; with covariance="full", under the variance of the score that an example has
    just updated, per unit of its squared length. None is a hundredth of
    `initial_variance` with a diagonal covariance, and 0 with a full one.
fit_intercept : bool, default=True
    Whether to add a feature that is always 1; it takes part in margin and variance like any other.
passes : int, default=10
    Passes `fit` makes over the data. `partial_fit`, `learn_one` and streams always make one.
shuffle : bool, default=True
    Whether `fit` visits the examples in a new random order on every pass.
early_stopping : bool, default=True
    Whether `fit` stops when the progressive error of a pass is no longer better than the best one by `tol`.
tol : float, default=0.001
    What counts as better.
n_iter_no_change : int, default=2
    Passes without improvement before `fit` stops. More than `passes` asks for that many passes on top,
    unless `passes` is 1.
class_weight : dict, "balanced" or None, default=None
    Weights of the classes; "balanced" also works while streaming, with the counts so far.
cost_matrix : array of shape (n_classes, n_classes) or dict of dicts, default=None
    Cost of answering ``classes_[j]`` where ``classes_[i]`` is right; zero on the diagonal. A dict
    ``{right class: {answer: cost}}`` names the classes and suits streams; what it leaves out costs nothing.
cost_update : {"prediction", "max_loss"}, default="prediction"
    With a `cost_matrix`: learn against the prediction, or against the class whose loss with its cost is largest.
average : {None, False, True, "late"}, default=None
    Whether to predict with the mean of the weights over all rounds. "late" lets round t count t (t + 1) / 2, so that
    early rounds, which knew little, are soon outweighed. None is "late" for a model that starts with several passes,
    as with `fit`, and False for one that starts with a stream.
scale : {"auto", "typical", "max", None}, default="auto"
    "max" divides every feature by the largest absolute value it has come with so far, so that its unit does not
    matter. Zeros stay zeros. Rows of unit length, as text has them, are left as they are. Weights are shown in the
    features' own units. "typical" divides by the mean of absolute values where they are not zero, and a value counts as
    at most 5 of these sizes: for columns with strange values, one of which decides "max". "auto" is "max" for means and
    diagonal covariances without an `initial_mean`, else None.
center : bool, default=False
    Whether to learn x - m, with m the mean of every feature over all rows so far, the row that comes included; `scale`
    then measures distances from the mean. For dense columns far from zero. An entry that is missing is a zero, and a
    centred row has none: that costs time for every feature, of which there may be 65,536. `coef_` and `intercept_` are
    those of features as they come. For means and diagonal covariances.
warm_start : bool, default=False
    Whether `fit` goes on from where the last `fit` stopped.
initial_mean : array of shape (n_classes, n_features) or (n_features,), default=None
    Where the weights start.
dtype : {None, "float32", "float64"}, default=None
    Type of the weights; None takes float64 if the first array is float64, else float32.
bits : int, default=20
    String keys of dicts are hashed to ``2**bits`` columns when the model knows no feature names.
max_features : int, default=268435456
    A feature index at or past this is refused. Room is made for every index up to the highest: a single one of 2**28
    takes 1 GiB for each number that is kept of a weight in float32 (two with variances), and with more than two classes
    as much for each.
grow_features : bool, default=False
    Whether later arrays may have more columns than the first. Dicts always may.
n_jobs : int or None, default=None
    Threads for prediction; -1 uses all processors. Learning is sequential by nature.
random_state : int, RandomState instance or None, default=None
    Seed of the shuffling."""

SHARED_ATTRIBUTES = """\
classes_ : ndarray of shape (n_classes,)
    The class labels, sorted.
coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
    The weights.
intercept_ : ndarray of shape (1,) or (n_classes,)
    The intercepts.
coef_std_ : ndarray shaped as `coef_`
    Standard deviation of every weight, for learners that keep a covariance.
n_seen_, n_updates_, n_mistakes_ : int
    Rounds, rounds that changed the model, and rounds predicted wrongly before learning.
total_cost_ : float
    Cost of all predictions made before learning, with a `cost_matrix`.
n_passes_, n_iter_ : int
    Passes made by `fit`.
n_features_in_ : int
    Features known.
feature_names_in_ : ndarray of str
    Their names, when `fit` saw any."""


#: Of methods: what their arguments mean where they do not say otherwise.
SHARED_ARGUMENTS = """\
X : array, data frame or sparse matrix of shape (n_samples, n_features)
    The examples.
sample_weight : array of shape (n_samples,), optional
    Example weights; 0 is an exact no-op.
x : dict
    Feature names (or column numbers) and their values. String values are categories.
w : float, default=1.0
    Its weight."""


def documented(cls: type[T]) -> type[T]:
    """Join what methods share to the documentation of those of a class."""
    for name, method in vars(cls).items():
        if isinstance(method, FunctionType) and method.__doc__ and not name.startswith("_"):
            _document(method)
    return cls


def joined_documentation(recipe: type[Recipe], made: type) -> str:
    """The documentation of an estimator: its recipe's, then the parameters and attributes that all have."""
    document = inspect.cleandoc(recipe.__doc__ or "")
    defaults = {field.name: field.default for field in fields(recipe)}
    for heading, shared, known in (
        (
            "Parameters",
            "\n".join([*_declared(recipe), getattr(recipe, "shared_parameters", "") + SHARED_PARAMETERS]),
            {field.name for field in fields(recipe)},
        ),
        ("Attributes", SHARED_ATTRIBUTES, {*dir(made), "n_passes_"}),
    ):
        wanted = {
            name: _with_default(entry, defaults[name]) if name in defaults else entry
            for name, entry in reversed(_entries(shared))  # of several the first counts
            if name in known and f"\n{name} : " not in document
        }
        document = _join(document, heading, "\n".join(reversed(wanted.values())))
    return document


def _declared(recipe: Any) -> list[str]:
    """The parameters of a recipe's rule, in the words of the rule's declaration, and how a covariance is projected."""
    defaults = {field.name: field.default for field in fields(recipe)}
    entries = []
    if recipe.rule_class is not None:
        for each in rule.declared()[recipe.rule_class.__name__].parameters:
            kinds = {"number": "float", "number_or_none": "float or None", "flag": "bool"}
            kind = kinds.get(each.kind) or _listed(each.choices)
            within = f", {each.expected}" if each.kind.startswith("number") else ""
            words = each.doc[:1].upper() + each.doc[1:]
            entries.append(
                f"{each.name} : {kind}, default={_said(defaults.get(each.name))}\n    {words}{within}."
            )
    if "projection" in defaults:
        ways = {
            "drop": "its diagonal",
            "kl": "the diagonal of its inverse",
            "exact": "the optimum among diagonals",
        }
        meant = " or ".join(ways[each] for each in recipe.projections)
        entries.append(
            f"projection : {_listed(recipe.projections)}, default={_said(defaults['projection'])}\n"
            f"    How a diagonal covariance follows the full update: {meant}."
        )
    return entries


def _with_default(entry: str, default: Any) -> str:
    """What all share of a parameter, with the default that a recipe gives it."""
    head, *rest = entry.split("\n")
    kind, _, told = head.partition(", default=")
    return "\n".join([f"{kind}, default={_said(default)}" if told else head, *rest])


def _listed(words: Any) -> str:
    return "{" + ", ".join(map(_said, words)) + "}"


def _said(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _document(method: FunctionType) -> None:
    """Join what methods share to the documentation of one: arguments in their order, and that it returns self."""
    title = "Parameters\n----------\n"
    head, *sections = re.split(r"\n\n(?=[A-Z]\w+\n-+\n)", inspect.cleandoc(method.__doc__ or ""))
    own = sections.pop(0).removeprefix(title) if sections and sections[0].startswith(title) else ""
    code = method.__code__
    arguments = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]
    entries = dict(_entries(SHARED_ARGUMENTS)) | (dict(_entries(own)) if own else {})
    listed = "\n".join(entries[name] for name in arguments if name in entries)
    if listed:
        sections.insert(0, title + listed)
    if _returned(method) in ("Self", Self) and "Returns\n-------\nself" not in sections:
        sections.append("Returns\n-------\nself")
    method.__doc__ = "\n\n".join([head, *sections])


def _returned(method: FunctionType) -> Any:
    """What a method says it returns; from 3.14 on as text, because its types may be there for checkers alone."""
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(method, format=annotationlib.Format.STRING).get("return")
    return method.__annotations__.get("return")


def _entries(text: str) -> list[tuple[str, str]]:
    """The entries of a numpydoc section, each with the first name it documents."""
    entries = re.split(r"\n(?=\S)", text)
    return [(re.split(r"[ ,]", entry, maxsplit=1)[0], entry) for entry in entries]


def _join(document: str, heading: str, text: str) -> str:
    """Put `text` at the end of a numpydoc section, which is made where it is missing."""
    title = f"{heading}\n{'-' * len(heading)}\n"
    order = ["Parameters", "Attributes", "See Also", "Notes", "References", "Examples"]
    later = [f"{name}\n{'-' * len(name)}\n" for name in order[order.index(heading) + 1 :]]
    ends = [position for position in (document.find(name) for name in later) if position >= 0]
    end = min(ends, default=len(document))
    section = "" if title in document else title
    return f"{document[:end].rstrip()}\n{'' if not section else chr(10)}{section}{text}\n\n{document[end:]}"
