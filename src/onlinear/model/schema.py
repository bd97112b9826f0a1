"""How rows become columns: the settings that decide which number of a row is which column."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from .._core import text as _text
from ..exceptions import DataError
from ..io._settings import TextSettings

if TYPE_CHECKING:
    from .types import Values

__all__ = ["FEATURES", "OLDER", "Schema"]

#: What a column may be whose cells become features.
FEATURES = ("numeric", "categorical", "text")

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
    columns : dict of str to str
        The named columns it has learned from, and what each was taken for: "numeric", "categorical", "text", "label",
        "weight", "tag", "ignored", or "undecided" where it had no value.
    open : bool
        Whether features may have other names, as those of dicts and JSON Lines do.
    text : dict, optional
        How texts were cut into words; None as long as none has been.
    told : set of str
        Columns a user has heard of not to be the model's.
    """

    bits: int = 20
    max_features: int = 1 << 28
    hash: str | None = None
    names: list[str] | None = None
    input: Values | None = field(default=None)
    columns: dict[str, str] = field(default_factory=dict)
    open: bool = True
    text: Values | None = None
    told: set[str] = field(default_factory=set)

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
        if self.hash == OLDER:
            return None
        told = {"hash": self.hash, "bits": self.bits}
        return (
            {**told, "columns": self.columns, "open": self.open, "text": self.text} if self.columns else told
        )

    def state(self) -> tuple[Any, ...]:
        """What `restore` puts back; what is in it is never changed in place."""
        return self.hash, self.bits, self.columns, self.open, self.text

    def restore(self, state: tuple[Any, ...]) -> None:
        """Go back to what there was when `state` was asked for."""
        self.hash, self.bits, self.columns, self.open, self.text = state

    def known(self) -> dict[str, str]:
        """The columns, and what each holds; of models without a schema what was said of them."""
        if self.hash != OLDER:
            return self.columns
        given, said = (
            self.input or {},
            (("text", "text"), ("categorical", "categorical"), ("ignore", "ignored")),
        )
        columns = {name: role for option, role in said for name in given.get(option) or ()}
        return {**columns, given["label"]: "label"} if "label" in given else columns

    def columns_of(self) -> Literal["", "numbers", "named", "names"]:
        """How the model knows its columns: by number, by the names of a frame's, by hashed names; "" where that is not told."""
        if self.names is not None:
            return "named"
        if self.hash == OLDER:
            return ""
        return "numbers" if self.hash is None else "names"

    def features(self) -> dict[str, str]:
        """The columns whose cells are features."""
        return {name: role for name, role in self.columns.items() if role in FEATURES}

    def of_dicts(self) -> tuple[list[tuple[str, str]], Values]:
        """What the keys of a dict mean, and how texts are cut, as the core takes them."""
        columns = dict(self.columns)
        if self.open and "text" not in columns and "text" not in columns.values():
            columns["text"] = "text"  # as in JSON Lines
        settings = {**TextSettings(**(self.text or {})).native(), "of_texts": self.text is not None}
        del settings["hash"]
        return list(columns.items()), settings

    def reading(self) -> Values:
        """What `onlinear.read` must be told so that names become the model's columns."""
        if self.hash is None:
            return {}
        hash = self._hash_of_files()
        told: Values = {"hash": "murmur", "alternate_sign": True} if hash == OLDER else {"hash": hash}
        of_numbers = (self.input or {}).get("format") == "svmlight"
        if not of_numbers:
            told["bits"] = self.bits
        return {**told, **(self.text or {})}

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
        self.need_alike(given)
        if given["hash"] == OLDER:
            news = self.hash is None
            self.hash, self.bits = OLDER, int(given["bits"])
            return news
        columns = {**self.columns, **_decided(given.get("columns") or {}, self.columns)}
        open = bool(given.get("open", True)) or (self.hash is not None and self.open)
        text = self.text or (given.get("text") if "text" in columns.values() else None)
        before = self.state()
        self.restore((str(given["hash"]), int(given["bits"]), columns, open, text))
        return self.state() != before

    def need_alike(self, given: Values) -> None:
        """Refuse rows that were read in another way than those the model has learned from."""
        if self.hash is None:
            return
        hash, bits = str(given["hash"]), int(given["bits"])
        for name, mine, other in (("hash", self._hash_of_files(), hash), ("bits", self.bits, bits)):
            if mine != other:
                raise DataError(
                    f"the model was learned from names with {name}={mine!r}, and these rows were read with "
                    f"{name}={other!r}: the same names are other columns there. Read them as the model does: "
                    f"read(..., {self._told(without=self.text)}), or read(..., like=model)"
                )
        for name, other in (given.get("columns") or {}).items():
            mine = self.columns.get(name)
            if mine != other and mine in FEATURES and other in FEATURES:
                raise DataError(
                    f'column "{name}" was taken for {mine} when the model learned from it, and is taken for {other} '
                    f'here, where its features have other names. Say {mine}=["{name}"], or read(..., like=model)'
                )
        if self.text is not None and "text" in (given.get("columns") or {}).values():
            text = given.get("text") or {}
            ways = [f"{name}={value!r}" for name, value in self.text.items() if text.get(name) != value]
            if ways:
                raise DataError(
                    f"the model was learned from texts that were read with {', '.join(ways)}, and these were not: "
                    f"their words are other features. Read them as the model does: read(..., {', '.join(ways)}), "
                    "or read(..., like=model)"
                )

    def _told(self, without: Values | None) -> str:
        """The arguments of `reading` as they are written, but for some."""
        told = {name: value for name, value in self.reading().items() if name not in (without or {})}
        return ", ".join(f"{name}={value!r}" for name, value in told.items())


def _decided(given: dict[str, str], known: dict[str, str]) -> dict[str, str]:
    """The columns that bring news: a column without a value does not undo what is known."""
    return {name: role for name, role in given.items() if role != "undecided" or name not in known}
