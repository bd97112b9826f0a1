"""Text as features: `TextHasher`, a scikit-learn transformer.

Words and characters are hashed to columns, so there is no vocabulary to learn or to keep, however long the
stream. The columns, signs and values are those of scikit-learn's ``HashingVectorizer``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from ._core import text as _text
from .exceptions import NotAvailableError, ParameterError
from .io._settings import Analyzer, TextSettings, Weighting, flag, whole

if TYPE_CHECKING:
    from sklearn.utils import Tags

    from .model.types import Array, Values

__all__ = ["TextHasher"]


class HashedColumns(NamedTuple):
    """What the columns of hashed texts mean: who keeps their words, and how others are hashed."""

    hasher: TextHasher
    hash: str
    bits: int


class TextHasher(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    r"""Turn documents into hashed features.

    Ten times as fast as scikit-learn's ``HashingVectorizer`` and with the same result, bit for bit, for the
    same parameters: ``TextHasher(bits=20, dtype=np.float64)`` is ``HashingVectorizer(n_features=2**20)``. What is
    a letter, and which is its lower case, is that of Unicode 14.0, Python 3.11's, on every version of Python, so that
    a model finds its words again; ``HashingVectorizer`` on a newer one knows a few rare letters more.

    Parameters
    ----------
    bits : int, default=20
        The number of columns is ``2**bits``, in [1, 31].
    analyzer : {"word", "char", "char_wb"}, default="word"
        Words of two or more letters, digits and underscores, or characters, or characters inside of words
        with a blank on both sides.
    ngram_range : (int, int), default=(1, 1)
        The shortest and the longest n-gram.
    lowercase : bool, default=True
        Whether to lower the case first, as `str.lower` of Python 3.11 does.
    alternate_sign : bool, default=True
        Whether the hash also gives a sign, so that collisions cancel on average.
    weighting : {"count", "binary", "log"}, default="count"
        The value of a column: how often its words come, 1, or the logarithm of one plus the count.
    norm : {"l2", None}, default="l2"
        Whether to divide rows by their length.
    dtype : {numpy.float32, numpy.float64}, default=numpy.float32
        Type of the values.
    max_names : int, default=0
        How many words `fit` and `partial_fit` keep in `names_`, so that a model can be explained in words: one that comes
        after it in a pipeline takes them over.

    Attributes
    ----------
    names_ : dict of int to str
        The first word or n-gram seen of each column, after `fit` with `max_names`.

    Examples
    --------
    >>> from onlinear.text import TextHasher
    >>> X = TextHasher(bits=10, norm=None).transform(["the cat sat", "the cat and the hat"])
    >>> X.shape, X.nnz
    ((2, 1024), 7)

    Behind it in a pipeline a model learns the words, too:

    >>> from onlinear import AROWClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> texts, kinds = ["free money", "money now", "lunch at noon"], ["spam", "spam", "ham"]
    >>> model = make_pipeline(TextHasher(max_names=1000), AROWClassifier(random_state=0)).fit(texts, kinds)
    >>> model[-1].explain(model[:-1].transform(["free lunch"])).contributions[0].feature
    'lunch'
    """

    def __init__(
        self,
        *,
        bits: int = 20,
        analyzer: Analyzer = "word",
        ngram_range: tuple[int, int] = (1, 1),
        lowercase: bool = True,
        alternate_sign: bool = True,
        weighting: Weighting = "count",
        norm: Literal["l2"] | None = "l2",
        dtype: Any = np.float32,
        max_names: int = 0,
    ) -> None:
        self.bits = bits
        self.analyzer = analyzer
        self.ngram_range = ngram_range
        self.lowercase = lowercase
        self.alternate_sign = alternate_sign
        self.weighting = weighting
        self.norm = norm
        self.dtype = dtype
        self.max_names = max_names

    def fit(self, X: Iterable[str | bytes], y: object = None) -> TextHasher:
        """Check the parameters and, with `max_names`, note the words anew.

        Parameters
        ----------
        X : iterable of str or bytes
            Documents.
        y : ignored
            Present for pipelines.
        """
        self._hasher = self._make_hasher(self.max_names)
        self._names: dict[int, str] = {}
        return self.partial_fit(X, y)

    def partial_fit(self, X: Iterable[str | bytes], y: object = None) -> TextHasher:
        """Check the parameters and, with `max_names`, note more words.

        Parameters
        ----------
        X : iterable of str or bytes
            Documents.
        y : ignored
            Present for pipelines.
        """
        if not hasattr(self, "_hasher"):
            self._hasher = self._make_hasher(self.max_names)
            self._names = getattr(self, "_names", {})
        documents = _documents(X)
        if self.max_names:
            with _named_document(documents):
                self._hasher.collect(documents)
        self._fitted = self._fresh = True
        return self

    def transform(self, X: Iterable[str | bytes]) -> csr_matrix:
        """Return the features of documents.

        Parameters
        ----------
        X : iterable of str or bytes
            Documents; bytes are read as UTF-8.

        Returns
        -------
        csr_matrix of shape (n_documents, 2**bits)
            Rows with rising indices.
        """
        documents = _documents(X)
        hasher = self._make_hasher(0)
        single = np.dtype(self.dtype) == np.float32
        with _named_document(documents):
            data, indices, indptr = (hasher.transform32 if single else hasher.transform64)(documents)
        if indptr[-1] <= np.iinfo(np.int32).max:
            indptr = indptr.astype(np.int32)
        out = csr_matrix((data, indices, indptr), shape=(len(documents), 1 << self.bits), copy=False)
        out.has_sorted_indices = True
        if self.max_names and hasattr(self, "_fitted"):
            # On its way through a pipeline: whoever learns from it may ask what its columns mean.
            out.columns_named = HashedColumns(self, self._hash(), int(self.bits))
        return out

    @property
    def names_(self) -> dict[int, str]:
        """The first word or n-gram seen of each column, after `fit` with `max_names`."""
        if not self.max_names or not hasattr(self, "_fitted"):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'names_'")
        if self._fresh:
            self._names.update((column, name) for column, name, *_ in self._hasher.names())
            self._fresh = False
        return self._names

    def get_feature_names_out(self, input_features: object = None) -> Array:
        """Return what each column is called: the word kept of it with `max_names`, else x and its number.

        Parameters
        ----------
        input_features : ignored
            Present for pipelines.

        Returns
        -------
        ndarray of str
            Of ``2**bits`` names, which take 60 bytes and more each.
        """
        check_is_fitted(self, "_fitted")
        if not self.max_names:
            raise NotAvailableError(
                "TextHasher keeps the names of columns only with max_names; set it and fit again"
            )
        names = np.array([f"x{column}" for column in range(1 << int(self.bits))], dtype=object)
        for column, name in self.names_.items():
            names[column] = name
        return names

    def _hash(self) -> Literal["murmur", "murmur-signed"]:
        return "murmur-signed" if self.alternate_sign else "murmur"

    def _make_hasher(self, max_names: int) -> _text.Hasher:
        settings = TextSettings(
            self.bits,
            self.analyzer,
            self.ngram_range,
            self.lowercase,
            self._hash(),
            self.weighting,
            self.norm,
        )
        settings.check("TextHasher")
        flag("TextHasher", "alternate_sign", self.alternate_sign)
        whole("TextHasher", "max_names", self.max_names, 0, 1 << 26)
        try:
            good = np.dtype(self.dtype) in (np.dtype(np.float32), np.dtype(np.float64))
        except (TypeError, ValueError):
            good = False
        if not good:
            raise ParameterError(f"TextHasher: dtype must be float32 or float64, got {self.dtype!a}.")
        return _text.Hasher(bits=int(self.bits), max_names=int(max_names), **settings.native())

    def __getstate__(self) -> Values:
        if self.max_names and hasattr(self, "_fitted"):
            _ = self.names_  # which has what the native hasher learned
        state: Values = dict(super().__getstate__())
        state.pop("_hasher", None)
        return state

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = False
        return tags


def _documents(X: Iterable[str | bytes]) -> list[str]:
    """Return documents as a list of str."""
    if isinstance(X, (str, bytes)):
        raise ParameterError(
            "TextHasher: expected an iterable of documents, got a single one. Use [document]."
        )
    try:
        given = list(X)
    except TypeError:
        raise ParameterError(f"TextHasher: expected an iterable of documents, got {X!r}.") from None
    for number, document in enumerate(given):
        if isinstance(document, bytes):
            try:
                given[number] = document.decode("utf-8")
            except UnicodeDecodeError as error:
                raise ParameterError(
                    f"TextHasher: document {number} is no UTF-8 at byte {error.start}. Decode it first, as in "
                    "document.decode('latin-1')."
                ) from None
        elif not isinstance(document, str):
            raise ParameterError(
                f"TextHasher: document {number} must be str or bytes, got {type(document).__name__}."
            )
    return given  # type: ignore[return-value]


@contextmanager
def _named_document(documents: list[str]) -> Iterator[None]:
    """Name the document that UTF-8 cannot hold."""
    try:
        yield
    except UnicodeEncodeError as error:
        number = next(i for i, document in enumerate(documents) if document is error.object)
        raise ParameterError(
            f"TextHasher: document {number} holds half a surrogate pair at character {error.start}, which is no text. "
            "Repair it where it was decoded, as in document.encode('utf-8', 'replace').decode()."
        ) from None
