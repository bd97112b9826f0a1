"""Real sets for judging defaults: loaded, cut to size, split once, raw or standardised.

A folder holds them as NAME.svm.zst (svmlight, compressed by Zstandard) or, raw text, as NAME.jsonl.zst with the fields
`text` and `label`; NAME.train and NAME.test where the set comes with a split. Sets that are missing are left out.
"""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.preprocessing import StandardScaler

__all__ = ["DENSE", "FORMS", "LARGEST", "TEXT", "Split", "found", "load"]

LARGEST = 20_000  # rows of a set that are used, of each file where it comes with a split
TEST_SHARE = 0.25  # of the rows of a set that comes without a split

TEXT = [
    "20news-comp",
    "20news-sci",
    "20news-bydate",
    "amazon-books",
    "amazon-dvd",
    "amazon-electronics",
    "debian-sections",
    "enron1-spam",
    "news20.multiclass",
    "rcv1-ccat-1k",
    "sector",
    "sentence-polarity",
    "sms-spam",
    "trec-qc",
]
DENSE = [
    "a1a",
    "a9a",
    "codrna",
    "covtype.binary",
    "covtype.multiclass-100k",
    "elec2",
    "letter",
    "mitface",
    "mnist",
    "mushrooms",
    "pendigits",
    "sea",
    "splice",
    "svmguide3",
    "usps",
    "vowel",
    "w7a",
    "w8a",
]
#: Kinds of data the tables average over, and the sets in each.
FORMS = {"text": TEXT, "raw": DENSE, "standardised": DENSE}


@dataclass(frozen=True)
class Split:
    """Rows to learn and rows to be judged on; labels are 0, 1, ..."""

    X: Any
    y: np.ndarray
    X_test: Any
    y_test: np.ndarray

    @property
    def n_classes(self) -> int:
        """Classes to learn."""
        return int(self.y.max()) + 1

    @property
    def majority_error(self) -> float:
        """Error of whoever always says the class that is most frequent among the rows to learn."""
        return float(np.mean(self.y_test != np.bincount(self.y).argmax()))


def found(folder: Path, name: str) -> bool:
    """Whether a set is there."""
    return any(folder.glob(f"{name}.svm.zst")) or any(folder.glob(f"{name}.train.*.zst"))


def load(folder: Path, name: str, form: str) -> Split:
    """A set, split, in one of the `FORMS`; in that of "targets" labels stay the numbers they are."""
    rng = np.random.default_rng(0)
    if (folder / f"{name}.train.jsonl.zst").exists():
        X, labels, X_test, test_labels = _texts(folder, name, rng)
    else:
        trained = (folder / f"{name}.train.svm.zst").exists()
        X, labels = _rows(folder / f"{name}.{'train.' if trained else ''}svm.zst", None, rng)
        if trained:
            X_test, test_labels = _rows(folder / f"{name}.test.svm.zst", X.shape[1], rng)
        else:
            cut = round(X.shape[0] * TEST_SHARE)
            X, X_test, labels, test_labels = X[cut:], X[:cut], labels[cut:], labels[:cut]
    if form == "targets":
        return Split(X.toarray(), labels, X_test.toarray(), test_labels)
    classes = np.unique(labels)
    known = np.isin(test_labels, classes)
    X_test, test_labels = X_test[known], test_labels[known]
    if form != "text":
        X, X_test = X.toarray(), X_test.toarray()
    if form == "standardised":
        scaler = StandardScaler().fit(X)
        X, X_test = scaler.transform(X), scaler.transform(X_test)
    return Split(X, np.searchsorted(classes, labels), X_test, np.searchsorted(classes, test_labels))


def _bytes(path: Path) -> bytes:
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return bytes(zstd.decompress(path.read_bytes()))


def _some(count: int, rng: np.random.Generator) -> np.ndarray:
    """Numbers of the rows that are used, in an order of their own: files are often sorted by class."""
    return rng.permutation(count)[:LARGEST]


def _rows(path: Path, width: int | None, rng: np.random.Generator) -> tuple[Any, np.ndarray]:
    X, y = load_svmlight_file(io.BytesIO(_bytes(path)))
    if width is not None and X.shape[1] != width:  # what was never seen in training says nothing
        X.resize(X.shape[0], width)
    rows = _some(len(y), rng)
    return X[rows], y[rows]


def _texts(folder: Path, name: str, rng: np.random.Generator) -> tuple[Any, np.ndarray, Any, np.ndarray]:
    texts, labels = [], []
    for part in ("train", "test"):
        lines = [json.loads(line) for line in _bytes(folder / f"{name}.{part}.jsonl.zst").splitlines()]
        rows = _some(len(lines), rng)
        texts.append([lines[i]["text"] for i in rows])
        labels.append(np.array([lines[i]["label"] for i in rows]))
    vectors = TfidfVectorizer()
    return vectors.fit_transform(texts[0]), labels[0], vectors.transform(texts[1]), labels[1]
