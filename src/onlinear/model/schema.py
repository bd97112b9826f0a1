"""How rows become columns: the settings that decide which number of a row is which column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from .._core import text as _text
from ..exceptions import DataError

if TYPE_CHECKING:
    from .types import Values

__all__ = ["OLDER", "Schema"]

#: The hash of models made before they had a schema: signs for the words of a text, none for names.
OLDER = "older"


@dataclass(slots=True, eq=False)
class Schema:
    """What a model knows of its columns.

    Attributes
    ----------
    bits : int
        Names are hashed to ``2**bits`` columns where columns have no names of their own.
    max_features : int
        A feature index at or past this is refused.
    hash : {"murmur", "murmur-signed", "vw", "older"}, optional
        How they are hashed; None as long as nothing has been. See `onlinear.read`.
    names : list of str, optional
        Names of the columns, which the string keys of dicts are matched to.
    input : dict, optional
        How the files were read that the model has learned from.
    """

    bits: int = 20
    max_features: int = 1 << 28
    hash: str | None = None
    names: list[str] | None = None
    input: Values | None = field(default=None)

    @property
    def hash_of_names(self) -> str:
        """How the names of dicts are hashed."""
        return self.hash or "murmur"

    def negative(self, words: Mapping[int, str]) -> set[int]:
        """The columns among those of `words` in which the word counts with a minus, so that its weight has the other sign."""
        if self.hash == OLDER:
            return set((self.input or {}).get("negative") or ()) & words.keys()
        if self.hash != "murmur-signed":
            return set()
        return {column for column, word in words.items() if _text.place_of(self.hash, self.bits, word)[1] < 0}

    def described(self) -> Values | None:
        """What a file says of it; None for models made before there was a schema."""
        return None if self.hash == OLDER else {"hash": self.hash, "bits": self.bits}

    def reading(self) -> Values:
        """What `onlinear.read` must be told so that names become the model's columns."""
        if self.hash is None:
            return {}
        hash = self._hash_of_files()
        told: Values = {"hash": "murmur", "alternate_sign": True} if hash == OLDER else {"hash": hash}
        of_numbers = (self.input or {}).get("format") == "svmlight"
        return told if of_numbers else {**told, "bits": self.bits}

    def _hash_of_files(self) -> str | None:
        """How the names of files are hashed; older models knew Vowpal Wabbit's files from dicts."""
        of_vw = self.hash == OLDER and (self.input or {}).get("format") == "vw"
        return "vw" if of_vw else self.hash

    def take(self, given: Values) -> bool:
        """Take over how the rows of a file became columns; returns whether that is news.

        Raises
        ------
        DataError
            If the model knows another way: the same names would be other columns.
        """
        hash, bits = str(given["hash"]), int(given["bits"])
        if self.hash is None:
            self.hash, self.bits = hash, bits
            return True
        for name, mine, other in (("hash", self._hash_of_files(), hash), ("bits", self.bits, bits)):
            if mine != other:
                raise DataError(
                    f"the model was learned from names with {name}={mine!r}, and these rows were read with "
                    f"{name}={other!r}: the same names are other columns there. Read them as the model does: "
                    f"read(..., {', '.join(f'{name}={value!r}' for name, value in self.reading().items())})"
                )
        return False
