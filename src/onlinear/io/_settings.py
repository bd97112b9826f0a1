"""What a caller may say about a file, checked once and turned into what the native reader takes."""

# No annotations as strings here: a named tuple compiles each of them, which a short run would feel.
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypeAlias

from ..exceptions import ParameterError, ReadError

__all__ = [
    "DEFAULT_BITS",
    "HASHES",
    "LEAST_LINE_BYTES",
    "Analyzer",
    "Hash",
    "OnError",
    "Settings",
    "TextSettings",
    "Weighting",
    "hashes_of",
]

Analyzer: TypeAlias = Literal["word", "char", "char_wb"]
Weighting: TypeAlias = Literal["count", "binary", "log"]
Norm: TypeAlias = Literal["l2"] | None
OnError: TypeAlias = Literal["stop", "skip"]
Hash: TypeAlias = Literal["murmur", "murmur-signed", "vw"]

#: How names become columns; see `onlinear.read`.
HASHES = ("murmur", "murmur-signed", "vw")

DEFAULT_BITS = 20
LEAST_LINE_BYTES = 1 << 16

# A batch of this many entries fits the second-level cache of one core, with its text.
_BATCH_ENTRIES = 1 << 17
_BATCH_ROWS = 1 << 14
_NO_LIMIT = 1 << 62


def one_of(owner: str, name: str, value: object, choices: Iterable[object]) -> None:
    """Refuse a value that is none of the choices."""
    choices = list(choices)
    if value not in choices:
        listed = ", ".join(repr(choice) for choice in choices)
        raise ParameterError(f"{owner}: {name} must be one of {listed}, got {value!r}.")


def whole(owner: str, name: str, value: object, low: int, high: int) -> None:
    """Refuse what is no whole number from `low` to `high`."""
    if isinstance(value, bool) or not hasattr(value, "__index__") or not low <= value.__index__() <= high:
        raise ParameterError(f"{owner}: {name} must be a whole number in [{low}, {high}], got {value!r}.")


def flag(owner: str, name: str, value: object) -> None:
    """Refuse what is neither True nor False."""
    if type(value).__name__ not in ("bool", "bool_"):  # Python's and NumPy's
        raise ParameterError(f"{owner}: {name} must be True or False, got {value!r}.")


def words(owner: str, name: str, value: Any) -> None:
    """Refuse what are no strings, or strings that are no text."""
    for word in value:
        if not isinstance(word, str) or not _is_text(word):
            raise ParameterError(
                f"{owner}: {name} must be a string, or several, of valid Unicode, got {word!a}."
            )


def _is_text(word: str) -> bool:
    try:
        word.encode()
    except UnicodeEncodeError:
        return False
    return True


class TextSettings(NamedTuple):
    """How text becomes features; see `onlinear.text.TextHasher`."""

    bits: int = DEFAULT_BITS
    analyzer: Analyzer = "word"
    ngram_range: tuple[int, int] = (1, 1)
    lowercase: bool = True
    hash: Hash = "murmur"
    weighting: Weighting = "count"
    norm: Norm = "l2"

    def check(self, owner: str) -> None:
        """Refuse values out of range."""
        whole(owner, "bits", self.bits, 1, 31)
        one_of(owner, "analyzer", self.analyzer, ("word", "char", "char_wb"))
        one_of(owner, "weighting", self.weighting, ("count", "binary", "log"))
        one_of(owner, "norm", self.norm, ("l2", None))
        flag(owner, "lowercase", self.lowercase)
        one_of(owner, "hash", self.hash, HASHES)
        try:
            low, high = self.ngram_range
        except (TypeError, ValueError):
            low = high = None  # type: ignore[assignment]
        whole(owner, "ngram_range", low, 1, 1000)
        whole(owner, "ngram_range", high, low, 1000)

    def described(self) -> dict[str, Any]:
        """Return what a model keeps of it: how texts are cut, but not how words are hashed."""
        return {
            "analyzer": self.analyzer,
            "ngram_range": [int(n) for n in self.ngram_range],
            "lowercase": bool(self.lowercase),
            "weighting": self.weighting,
            "norm": self.norm,
        }

    def native(self) -> dict[str, Any]:
        """Return the arguments of the native hasher, without the bits."""
        return {
            "analyzer": self.analyzer,
            "ngram_min": int(self.ngram_range[0]),
            "ngram_max": int(self.ngram_range[1]),
            "lowercase": bool(self.lowercase),
            "hash": self.hash,
            "weighting": self.weighting,
            "l2": self.norm == "l2",
        }


def hashes_of(owner: str, hash: Hash | None, alternate_sign: bool | None, format: str) -> tuple[Hash, Hash]:
    """The hash of names and that of words.

    They are the same, Vowpal Wabbit's for its own files, but where a caller says that words have signs and that names
    are hashed in another way: so it was before a model had a schema.
    """
    if hash is not None:
        one_of(owner, "hash", hash, HASHES)
    if alternate_sign is not None:
        flag(owner, "alternate_sign", alternate_sign)
    if alternate_sign and hash is not None:
        return hash, "murmur-signed"
    if alternate_sign is False and hash == "murmur-signed":
        raise ParameterError(f"{owner}: hash='murmur-signed' means alternate_sign=True; give one of them.")
    one: Hash = hash or ("murmur-signed" if alternate_sign else "vw" if format == "vw" else "murmur")
    return one, one


class Settings(NamedTuple):
    """Everything `read` was told, but where the bytes are."""

    batch_size: int | None = None
    labelled: bool | None = None
    multilabel: bool = False
    label: str | None = None
    weight: str | None = None
    tag: str | None = None
    text: tuple[str, ...] = ()
    numeric: tuple[str, ...] = ()
    categorical: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    delimiter: str | None = None
    bits: int | None = None
    hash: Hash | None = None
    alternate_sign: bool | None = None
    zero_based: bool = False
    max_features: int = 1 << 28
    n_features: int | None = None
    text_settings: TextSettings = TextSettings()
    on_error: OnError = "stop"
    max_errors: int | None = None
    max_line_bytes: int = 1 << 24
    max_names: int = 0
    known: tuple[tuple[str, str], ...] = ()
    open: bool = True
    allow_missing: bool = False
    columns_of: Literal["", "numbers", "named", "names"] = (
        ""  # how a model knows its columns, where one is asked
    )

    def check(self) -> None:
        """Refuse values out of range."""
        if self.batch_size is not None:
            whole("read", "batch_size", self.batch_size, 1, _NO_LIMIT)
        one_of("read", "labelled", self.labelled, (None, True, False))
        flag("read", "multilabel", self.multilabel)
        flag("read", "zero_based", self.zero_based)
        flag("read", "allow_missing", self.allow_missing)
        for name in ("label", "weight", "tag"):
            if (value := getattr(self, name)) is not None:
                words("read", name, [value])
        for name in ("text", "numeric", "categorical", "ignore", "missing"):
            words("read", name, getattr(self, name))
        one_of("read", "on_error", self.on_error, ("stop", "skip"))
        if self.max_errors is not None:
            whole("read", "max_errors", self.max_errors, 1, _NO_LIMIT)
        if self.bits is not None:
            whole("read", "bits", self.bits, 1, 31)
        whole("read", "max_features", self.max_features, 1, 1 << 31)
        if self.n_features is not None:
            whole("read", "n_features", self.n_features, 1, 1 << 31)
        whole("read", "max_line_bytes", self.max_line_bytes, LEAST_LINE_BYTES, 1 << 31)
        whole("read", "max_names", self.max_names, 0, 1 << 26)
        if self.delimiter is not None:
            one_of("read", "delimiter", self.delimiter, (",", ";", "\t", "|", ":"))
        hashes_of("read", self.hash, self.alternate_sign, "auto")
        self.text_settings.check("read")

    def check_format(self, source: str, format: str) -> None:
        """Refuse a format whose columns mean something else to the model that is asked, or that lacks some of them."""
        by_number = format == "svmlight"
        if self.columns_of == "numbers" and not by_number:
            raise ParameterError(
                f"{source} is {format}, where columns are hashed names, and the model knows its columns by number. Give "
                "it svmlight files, or arrays of those columns."
            )
        if self.columns_of == "named" and not by_number:
            raise ParameterError(
                f"{source} is {format}, where columns are hashed names, and the model was fitted on a data frame of "
                "numbers. Give it data frames or dicts, or svmlight files, columns in that order."
            )
        if self.columns_of == "names" and by_number:
            raise ParameterError(
                f"{source} is svmlight, where columns are numbers, and the model knows features by their names. Give it "
                "another format, data frames or dicts."
            )
        lacking = [name for name, role in self.known if role in ("numeric", "categorical")]
        if format == "text" and lacking and not self.open and not self.allow_missing:
            raise ReadError(
                f"{source}: lines of text lack the columns {', '.join(lacking)}, which the model has learned from. Give "
                "a format that has columns, or say allow_missing=True (--allow-missing) to go without.",
                source,
            )

    def columns(self, format: str) -> int | None:
        """Return the number of columns when it is known before reading."""
        if format == "svmlight" and self.bits is None:
            return self.n_features
        return 1 << (self.bits or DEFAULT_BITS)

    def hashes(self, format: str) -> tuple[Hash, Hash]:
        """Return the hash of names and that of words."""
        return hashes_of("read", self.hash, self.alternate_sign, format)

    def schema(self, format: str) -> dict[str, Any] | None:
        """Return what a model keeps of how rows become columns; None where columns are numbers.

        A reader adds "columns", what each was taken for, and "open", whether other names may be features.

        The hash "older" is that of versions before 0.2, which gave signs to the words of a text alone, and whose other
        ways are meant with it.
        """
        if format == "svmlight":
            return None
        names, words = self.hashes(format)
        if names != words:
            return {"hash": "older", "bits": self.bits or DEFAULT_BITS}
        return {"hash": names, "bits": self.bits or DEFAULT_BITS, "text": self.text_settings.described()}

    def batch_limits(self) -> tuple[int, int]:
        """Return after how many rows and entries a batch is full."""
        if self.batch_size is None:
            return _BATCH_ROWS, _BATCH_ENTRIES
        return int(self.batch_size), _NO_LIMIT

    def native(self, format: str) -> dict[str, Any]:
        """Return the arguments of the native reader."""
        rows, entries = self.batch_limits()
        bits = self.bits if format == "svmlight" else self.bits or DEFAULT_BITS
        names, words = self.hashes(format)
        text = self.text_settings._replace(hash=words).native()
        text["text_hash"] = text.pop("hash")
        return {
            "format": "csv" if format == "tsv" else format,
            "max_features": int(self.n_features or self.max_features),
            "bits": int(bits or 0),
            "hash": names,
            "older": names != words,
            "zero_based": bool(self.zero_based),
            "multilabel": bool(self.multilabel),
            "labelled": {True: "always", False: "never", None: "as found"}[self.labelled],
            "label": self.label or "",
            "weight": self.weight or "",
            "tag": self.tag or "",
            "text_fields": list(self.text),
            "numeric": list(self.numeric),
            "categorical": list(self.categorical),
            "ignored": list(self.ignore),
            "missing": list(self.missing),
            "delimiter": self.delimiter or ("\t" if format == "tsv" else ","),
            **text,
            "known": list(self.known),
            "open": bool(self.open),
            "may_lack": bool(self.allow_missing),
            "batch_rows": rows,
            "batch_entries": entries,
            "max_line": int(self.max_line_bytes),
            "skip": self.on_error == "skip",
            "max_errors": int(self.max_errors or 0),
            "max_names": int(self.max_names),
        }
