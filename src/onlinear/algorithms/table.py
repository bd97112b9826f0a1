"""The algorithms by name, as the command line and ``rule=`` know them.

One table: from a name to the recipe, the parameters the name fixes, the paper, and advice. Nothing is
imported until a model is made, so that listing names costs nothing.
"""

# No annotations as strings here: a named tuple compiles each of them, which a short run would feel.
from collections.abc import Mapping
from dataclasses import fields
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

from ..exceptions import ParameterError
from ..model.recipe import Classification, Recipe
from .index import RECIPES

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "axes_of",
    "find",
    "make",
    "names",
    "recipe_named",
    "recipe_of",
    "truncation_of",
]


class Algorithm(NamedTuple):
    """One name of the command line.

    Attributes
    ----------
    name : str
        As on the command line.
    module, recipe : str
        Where its recipe is.
    preset : mapping
        The parameters that make the class this algorithm; they cannot be given again.
    parameters : tuple of str
        The ones worth tuning.
    paper : str
        Where it was published.
    advice : str
        When to use it, in one line.
    """

    name: str
    module: str
    recipe: str
    preset: Mapping[str, Any] = MappingProxyType({})
    parameters: tuple[str, ...] = ()
    paper: str = ""
    advice: str = ""

    @property
    def estimator(self) -> str:
        """The class that users know it by."""
        return self.load().estimator

    def load(self) -> type[Recipe]:
        """The class of its recipe."""
        found: type[Recipe] = getattr(import_module(f".{self.module}", __package__), self.recipe)
        return found

    def make(self, **parameters: Any) -> Recipe:
        """A recipe with this algorithm's preset and the given parameters.

        Raises
        ------
        ParameterError
            If a parameter is unknown or fixed by the name.
        """
        cls = self.load()
        known = [item.name for item in fields(cls)]
        for name, value in parameters.items():
            if name not in known:
                free = sorted(set(known) - set(self.preset))
                listed = ", ".join(self.parameters) or "none of its own"
                raise ParameterError(
                    f"{self.name} has no parameter {name!r}.{nearest(name, free)} Its own: {listed}."
                )
            if name in self.preset and value != self.preset[name]:
                raise ParameterError(
                    f"{self.name} means {name}={self.preset[name]!r}, so {name}={value!r} cannot be given. "
                    f"Leave it out, or use another algorithm."
                )
        return cls(**{**self.preset, **parameters})


def nearest(word: str, choices: list[str] | tuple[str, ...]) -> str:
    """' Did you mean ...?' or nothing, for messages."""
    import difflib

    folded = {choice.lower(): choice for choice in choices}
    # Whoever writes "cw" means the beginning of a name rather than "scw1".
    near = [choice for choice in folded if len(word) > 1 and choice.startswith(word.lower())]
    near = near or difflib.get_close_matches(word.lower(), list(folded), 1, 0.5)
    return f" Did you mean {folded[near[0]]!r}?" if near else ""


_PA = "Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006."
_CW = "Dredze, Crammer, Pereira. ICML 2008; Crammer, Dredze, Pereira. NIPS 2008."
_AROW = "Crammer, Kulesza, Dredze. Machine Learning 91, 2013."
_SCW = "Wang, Zhao, Hoi. ICML 2012; ACM TIST 8, 2016."
_ROMMA = "Li, Long. Machine Learning 46, 2002."
_RPA = "Shen, Dietterich. A family of large margin linear classifiers and its application in dynamic environments. SDM 2009."
_GAUSSIAN = ("covariance", "projection", "initial_variance")

_TABLE = (
    Algorithm(
        "perceptron",
        "perceptron",
        "PerceptronRecipe",
        {"average": False},
        ("rate", "update"),
        "Rosenblatt. Psychological Review 65, 1958.",
        "The baseline: moves on mistakes only.",
    ),
    Algorithm(
        "averaged-perceptron",
        "perceptron",
        "PerceptronRecipe",
        {"average": True},
        ("rate", "update"),
        "Freund, Schapire. Machine Learning 37, 1999.",
        "Steady and nearly free of parameters.",
    ),
    Algorithm(
        "pa",
        "passive_aggressive",
        "PassiveAggressive",
        {"variant": "pa"},
        ("constraints",),
        _PA,
        "For labels without noise: always reaches the margin.",
    ),
    Algorithm(
        "pa1",
        "passive_aggressive",
        "PassiveAggressive",
        {"variant": "pa1"},
        ("C", "constraints"),
        _PA,
        "A good first-order default; lower C when labels are noisy.",
    ),
    Algorithm(
        "pa2",
        "passive_aggressive",
        "PassiveAggressive",
        {"variant": "pa2"},
        ("C", "constraints"),
        _PA,
        "As pa1, with steps that grow with the loss.",
    ),
    Algorithm(
        "sop",
        "second_order_perceptron",
        "SecondOrder",
        {},
        ("ridge", "form", *_GAUSSIAN),
        "Cesa-Bianchi, Conconi, Gentile. SIAM Journal on Computing 34, 2005.",
        "The first second-order learner; moves on mistakes only.",
    ),
    Algorithm(
        "romma",
        "romma",
        "ROMMA",
        {"aggressive": False},
        (),
        _ROMMA,
        "Maximum margin without parameters; for separable data.",
    ),
    Algorithm(
        "aromma",
        "romma",
        "ROMMA",
        {"aggressive": True},
        (),
        _ROMMA,
        "As romma, and moves whenever the margin is missed.",
    ),
    Algorithm(
        "norma",
        "norma",
        "NORMA",
        {},
        ("eta", "lam", "rho", "nu", "decay"),
        "Kivinen, Smola, Williamson. IEEE Transactions on Signal Processing 52, 2004.",
        "Forgets: for concepts that drift.",
    ),
    Algorithm(
        "rpa-objective",
        "regularized_passive_aggressive",
        "RegularizedPassiveAggressive",
        {"penalty": "objective"},
        ("alpha", "trigger", "truncation"),
        _RPA,
        "PA that shrinks old weights: for concepts that drift.",
    ),
    Algorithm(
        "rpa-l2-ball",
        "regularized_passive_aggressive",
        "RegularizedPassiveAggressive",
        {"penalty": "l2_ball"},
        ("radius", "trigger", "truncation"),
        _RPA,
        "PA in a ball: for concepts that drift.",
    ),
    Algorithm(
        "rpa-l1-ball",
        "regularized_passive_aggressive",
        "RegularizedPassiveAggressive",
        {"penalty": "l1_ball"},
        ("radius", "trigger", "truncation"),
        _RPA,
        "PA in an L1 ball: few weights, and those follow a drift.",
    ),
    Algorithm(
        "iellip",
        "iellip",
        "IELLIP",
        {},
        ("c", "b", *_GAUSSIAN),
        "Yang, Jin, Ye. ICML 2009.",
        "The ellipsoid method; a baseline of the papers.",
    ),
    Algorithm(
        "cw-var",
        "confidence_weighted",
        "ConfidenceWeighted",
        {"constraint": "variance"},
        ("confidence", "phi", *_GAUSSIAN),
        _CW,
        "Very fast on clean text; wrong labels hurt it.",
    ),
    Algorithm(
        "cw-stdev",
        "confidence_weighted",
        "ConfidenceWeighted",
        {"constraint": "stdev"},
        ("confidence", "phi", *_GAUSSIAN),
        _CW,
        "As cw-var, with the convex constraint.",
    ),
    Algorithm(
        "arow",
        "arow",
        "AROW",
        {"loss": "squared_hinge"},
        ("r", "constraints", "cov_update", *_GAUSSIAN),
        _AROW,
        "The safe choice: fast, and calm about wrong labels; raise r when they are many.",
    ),
    Algorithm(
        "arow-h",
        "arow",
        "AROW",
        {"loss": "hinge"},
        ("r", *_GAUSSIAN),
        _AROW,
        "As arow, with bounded steps.",
    ),
    Algorithm(
        "scw1",
        "soft_confidence_weighted",
        "SoftConfidenceWeighted",
        {"penalty": "linear"},
        ("C", "confidence", "phi", *_GAUSSIAN),
        _SCW,
        "The first choice for text: large margins, and noise is no disaster; tune C.",
    ),
    Algorithm(
        "scw2",
        "soft_confidence_weighted",
        "SoftConfidenceWeighted",
        {"penalty": "squared"},
        ("C", "confidence", "phi", *_GAUSSIAN),
        _SCW,
        "As scw1, with steps that grow with the loss.",
    ),
    Algorithm(
        "nherd",
        "nherd",
        "NHERD",
        {},
        ("C", *_GAUSSIAN),
        "Crammer, Lee. NIPS 2010.",
        "A sibling of arow that is surer of itself.",
    ),
    Algorithm(
        "narow",
        "narow",
        "NAROW",
        {},
        ("b", "form", *_GAUSSIAN),
        "Orabona, Crammer. NIPS 2010.",
        "As arow, with a trust that adapts to the variance.",
    ),
    Algorithm(
        "adagrad-rda",
        "adagrad_rda",
        "AdaGradRDA",
        {},
        ("eta", "delta0", "lam"),
        "Duchi, Hazan, Singer. JMLR 12, 2011.",
        "Sparse weights: raise lam for fewer of them.",
    ),
    Algorithm(
        "mira",
        "mira",
        "MIRA",
        {},
        ("beta",),
        "Crammer, Singer. JMLR 3, 2003.",
        "For several classes: changes all prototypes at once, as little as it must.",
    ),
)


def recipe_named(estimator: str) -> type[Recipe]:
    """The recipe of an estimator of ours."""
    module, name = RECIPES[estimator]
    found: type[Recipe] = getattr(import_module(f".{module}", __package__), name)
    return found


#: Every algorithm by its name, in the order of the documentation.
ALGORITHMS: Mapping[str, Algorithm] = MappingProxyType({entry.name: entry for entry in _TABLE})


def names() -> list[str]:
    """The names, in the order of the documentation."""
    return list(ALGORITHMS)


def find(name: str) -> Algorithm:
    """The algorithm of a name; an unknown one is answered with the nearest.

    Raises
    ------
    ParameterError
        If there is none.
    """
    found = ALGORITHMS.get(name)
    if found is None:
        raise ParameterError(
            f"Unknown algorithm {name!r}.{nearest(name, names())} 'onlinear algorithms' lists all of them."
        )
    return found


def make(name: str, **parameters: Any) -> Recipe:
    """A recipe by its algorithm's name.

    Parameters
    ----------
    name : str
        As on the command line: "arow", "scw1", "pa1", ...
    **parameters
        Its parameters.

    Returns
    -------
    Recipe

    Examples
    --------
    >>> from onlinear.algorithms.table import make
    >>> make("pa2", C=0.5).variant
    'pa2'
    """
    return find(name).make(**parameters)


def recipe_of(rule: Any, owner: str, **parameters: Any) -> Classification:
    """The recipe a ``rule=`` parameter means: a name, or the recipe of one of our classifiers.

    Parameters
    ----------
    rule : str or Classification
        A key of `ALGORITHMS`, or a recipe, whose own parameters count.
    owner : str
        Who asks, for the error message.
    **parameters
        Parameters of the recipe a name means; what the name fixes stays.
    """
    if isinstance(rule, str):
        try:
            entry = find(rule)
        except ParameterError as error:
            raise ParameterError(f"{owner}: rule: {error}") from None
        rule = entry.make(**{**parameters, **entry.preset})
    if not isinstance(rule, Classification):
        raise ParameterError(
            f"{owner}: rule must be an algorithm's name or one of our classifiers, got {rule!r}"
        )
    return rule


def axes_of(rule: Any, owner: str, **parameters: Any) -> tuple[Any, Any]:
    """The rule and the belief a ``rule=`` parameter means, for tasks that answer one demand at a time.

    Parameters
    ----------
    rule : str or Classification
        As for `recipe_of`.
    owner : str
        Who asks, for the error message.
    **parameters
        Parameters of the recipe a name means; what the name fixes stays.
    """
    meant = recipe_of(rule, owner, **parameters)
    if meant.always_joint or meant.joint() is not None:
        raise ParameterError(
            f"{owner}: {meant.owner} as given answers several classes at once, which is defined for "
            "multiclass classification alone; choose another rule, or constraints=1"
        )
    return meant.axes()


def truncation_of(rule: Any) -> float | None:
    """What a ``rule=`` parameter says of truncation; a name says nothing.

    Parameters
    ----------
    rule : str or Classification
        As for `recipe_of`.
    """
    return rule.truncated_by() if isinstance(rule, Classification) else None
