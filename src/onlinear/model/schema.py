"""How rows become columns: the settings that decide which number of a row is which column."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Values

__all__ = ["Schema"]


@dataclass(slots=True, eq=False)
class Schema:
    """What a model knows of its columns.

    Attributes
    ----------
    bits : int
        String keys of dicts are hashed to ``2**bits`` columns where columns have no names.
    max_features : int
        A feature index at or past this is refused.
    names : list of str, optional
        Names of the columns, which the string keys of dicts are matched to.
    input : dict, optional
        How the files were read that the model has learned from.
    """

    bits: int = 20
    max_features: int = 1 << 28
    names: list[str] | None = None
    input: Values | None = field(default=None)
