"""Features of tokens from the columns of a file, by templates."""

from __future__ import annotations

from collections.abc import Sequence

from .. import _core
from ..exceptions import ParameterError

__all__ = ["column_names", "default_templates", "template_features", "templates_of_0_1_0"]


_WINDOW = [*(f"w[{k}]" for k in range(-2, 3)), "w[-1]|w[0]", "w[0]|w[1]"]
_TAGS = [
    *(f"pos[{k}]" for k in range(-2, 3)),
    *(f"pos[{k}]|pos[{k + 1}]" for k in range(-2, 2)),
    *(f"pos[{k}]|pos[{k + 1}]|pos[{k + 2}]" for k in range(-2, 1)),
]


def default_templates(n_columns: int) -> list[str]:
    """Templates for files with so many columns before the label.

    Parameters
    ----------
    n_columns : int
        Columns before the label: words alone, or words and part-of-speech tags (further ones are not used).

    Returns
    -------
    list of str
        Windows of words, how they look (lower case, shape, digits) and their affixes; with tags, windows of
        those as usual in chunking.
    """
    traits = [f"w[{k}].{trait}" for k in (-1, 0, 1) for trait in ("lower", "brief")]
    affixes = [f"w[0].{side}{n}" for side in ("prefix", "suffix") for n in (1, 2, 3, 4)]
    tags = _TAGS if n_columns > 1 else []
    return [*_WINDOW, *tags, *traits, "w[0].digits", *affixes, "bias", "__BOS__", "__EOS__"]


def templates_of_0_1_0(n_columns: int) -> list[str]:
    """What version 0.1.0 took by default, and did not write into its model files."""
    return default_templates(1) if n_columns < 2 else [*_WINDOW, *_TAGS, "__BOS__", "__EOS__"]


def column_names(n_columns: int) -> list[str]:
    """The names of so many columns."""
    return [*("w", "pos")[:n_columns], *(f"c{k}" for k in range(2, n_columns))]


def template_features(
    tokens: Sequence[Sequence[str]],
    templates: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
) -> list[list[str]]:
    """The features of one sequence, as the templates make them from a file.

    Parameters
    ----------
    tokens : list of lists of str
        The columns of every token, without the label.
    templates : list of str, optional
        See `SequenceLabeler`.
    columns : list of str, optional
        Names of the columns; by default w, pos, c2, c3 and so on.

    Returns
    -------
    list of lists of str
        What `SequenceLabeler.fit` takes.

    Examples
    --------
    >>> from onlinear.sequence import template_features
    >>> template_features([["The", "DT"], ["cat", "NN"]], ["w[0]", "pos[-1]|pos[0]", "w[0].suffix2"])
    [['w[0]=The', 'w[0].suffix2=he'], ['w[0]=cat', 'pos[-1]|pos[0]=DT|NN', 'w[0].suffix2=at']]
    """
    width = min((len(token) for token in tokens), default=1)
    names = list(columns) if columns is not None else column_names(width)
    chosen = list(templates) if templates is not None else default_templates(len(names))
    try:
        out: list[list[str]] = _core.template_features([list(token) for token in tokens], chosen, names)
    except ValueError as error:
        raise ParameterError(str(error)) from None
    return out
