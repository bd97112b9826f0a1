"""The three synthetic sets: made once, from a fixed seed, and kept in every form a contestant wants.

========  ==========================================================================================
`text`    two classes, 200,000 + 20,000 rows, 2^20 features drawn from a Zipf law and scattered as by
          hashing, about 78 non-zeros a row (log counts, L2-normalised), planted separator, 5 % of the
          labels wrong
`dense`   two classes, 200,000 + 20,000 rows of 64 Gaussian features, 5 % of the labels wrong
`multi`   20 classes, 50,000 + 10,000 rows, 2^18 features, about 80 non-zeros a row, 5 % of the labels
          drawn at random
========  ==========================================================================================

Each part lies in the data folder as `NAME.PART.npz` (CSR), `.svm` (svmlight, 1-based), `.vw` (Vowpal
Wabbit text) and, when a bare loop asks for it, `.csr` (the raw dump that `limit/common.hpp` reads).

The folder is `.bench` in the project root, or `ONLINEAR_BENCH_DATA`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

ROOT = Path(__file__).resolve().parents[1]
PARTS = ("train", "test")
SETS = ("text", "dense", "multi")

SEED = 20240607
ZIPF = 1.1
MEAN_LENGTH = 105
WRONG_LABELS = 0.05
OWN_VOCABULARY = 0.15  # share of a multiclass row's tokens that come from its class's own words


@contextmanager
def made_aside(path: Path) -> Iterator[Path]:
    """Yield where to write a file: contestants start at the same time, and nobody may see half of it."""
    aside = path.with_name(f"{path.name}.{os.getpid()}")
    yield aside
    aside.rename(path)


@dataclass(frozen=True)
class Rows:
    """Rows in compressed form with their labels."""

    values: NDArray[np.float32]
    indices: NDArray[np.int32]
    indptr: NDArray[np.int64]
    labels: NDArray[np.int32]
    features: int

    @property
    def binary(self) -> bool:
        return int(self.labels.min()) < 0


class Sets:
    """The data folder, filled when something in it is first asked for."""

    def __init__(self, folder: Path, scale: float = 1.0) -> None:
        self.folder = folder
        self.scale = scale

    @classmethod
    def default(cls, scale: float = 1.0) -> Sets:
        """Return the user's folder if named, else `.bench`; smaller sets have a folder of their own."""
        named = os.environ.get("ONLINEAR_BENCH_DATA")
        if named:
            return cls(Path(named), scale)
        name = "data" if scale == 1.0 else f"data-{scale:g}"
        return cls(ROOT / ".bench" / name, scale)

    def ensure(self, name: str) -> None:
        """Make the set unless it is there."""
        if all(self._path(name, part, form).exists() for part in PARTS for form in ("npz", "svm", "vw")):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        for part, rows in generate(name, self.scale):
            write(self.folder / f"{name}.{part}", rows)

    def rows(self, name: str, part: str) -> Rows:
        """Read a part as it was generated."""
        with np.load(self._path(name, part, "npz")) as z:
            return Rows(z["data"], z["indices"], z["indptr"].astype(np.int64), z["y"], int(z["d"]))

    def csr(self, name: str, part: str) -> tuple[csr_matrix, NDArray[np.int32]]:
        """Read a part as scipy's CSR with 32-bit indices, the form every Python peer takes."""
        from scipy.sparse import csr_matrix

        rows = self.rows(name, part)
        arrays = (rows.values, rows.indices, rows.indptr.astype(np.int32))
        return csr_matrix(arrays, shape=(len(rows.labels), rows.features)), rows.labels

    def dense(self, name: str, part: str) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Read a part whose rows are full as a C-ordered matrix."""
        rows = self.rows(name, part)
        return rows.values.reshape(len(rows.labels), rows.features), rows.labels

    def text(self, name: str, part: str, form: str) -> Path:
        """Return the path of the part as `svm` or `vw` text."""
        return self._path(name, part, form)

    def first_lines(self, name: str, part: str, form: str, count: int) -> Path:
        """Return the path of the part's first lines, written when first asked for."""
        path = self.folder / f"{name}.{part}.first{count}.{form}"
        if not path.exists():
            with self.text(name, part, form).open() as lines, made_aside(path) as aside:
                aside.write_text("".join(line for line, _ in zip(lines, range(count), strict=False)))
        return path

    def raw(self, name: str, part: str) -> Path:
        """Return the path of the raw dump for the bare loops, written when first asked for."""
        path = self._path(name, part, "csr")
        if not path.exists():
            rows = self.rows(name, part)
            with made_aside(path) as aside, aside.open("wb") as out:
                np.array([len(rows.labels), len(rows.values), rows.features], np.int64).tofile(out)
                for array in (rows.indptr, rows.indices, rows.values, rows.labels):
                    array.tofile(out)
        return path

    def _path(self, name: str, part: str, form: str) -> Path:
        return self.folder / f"{name}.{part}.{form}"


def generate(name: str, scale: float = 1.0) -> list[tuple[str, Rows]]:
    """Generate both parts of a set."""
    rng = np.random.default_rng(SEED)
    if name == "dense":
        return _dense(rng, 64, {"train": int(200_000 * scale), "test": int(20_000 * scale)})
    if name == "multi":
        sizes = {"train": int(50_000 * scale), "test": int(10_000 * scale)}
        return [(part, _multiclass_rows(rng, n, 1 << 18, 20)) for part, n in sizes.items()]
    if name == "text":
        features = 1 << 20
        separator = np.zeros(features)
        planted = rng.choice(features, features // 4, replace=False)
        separator[planted] = rng.standard_normal(features // 4)
        sizes = {"train": int(200_000 * scale), "test": int(20_000 * scale)}
        return [(part, _binary_rows(rng, n, separator)) for part, n in sizes.items()]
    raise ValueError(f"Unknown set {name!r}. There are {', '.join(SETS)}.")


def _zipf_ranks(rng: np.random.Generator, count: int, limit: int) -> NDArray[np.int64]:
    """Draw ranks below `limit` by inverting the Zipf law's continuous distribution function."""
    u = rng.random(count)
    x = (1 - u * (1 - float(limit + 1) ** (1 - ZIPF))) ** (1 / (1 - ZIPF)) - 1
    return np.minimum(x.astype(np.int64), limit - 1)


def _scatter(ranks: NDArray[np.int64], features: int, multiplier: int, offset: int) -> NDArray[np.int64]:
    """Spread ranks over a power of two of ids, so that frequent features are no neighbours in memory."""
    ids: NDArray[np.int64] = (ranks * multiplier + offset) % features
    return ids


def _lengths(rng: np.random.Generator, count: int) -> NDArray[np.int64]:
    drawn = rng.lognormal(np.log(MEAN_LENGTH) - 0.125, 0.5, count)
    return np.maximum(drawn.astype(np.int64), 5)


def _log_counts(
    tokens: NDArray[np.int64], row: NDArray[np.int64], count: int, features: int
) -> tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
    """Turn tokens into sorted rows of L2-normalised log(1 + count), to five decimals."""
    keys, counts = np.unique(row * features + tokens, return_counts=True)
    values = np.log1p(counts).astype(np.float32)
    indptr = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(keys // features, minlength=count), out=indptr[1:])
    norms = np.sqrt(np.add.reduceat(values.astype(np.float64) ** 2, indptr[:-1]))
    values = (values / np.repeat(norms, np.diff(indptr))).astype(np.float32)
    return np.round(values, 5), (keys % features).astype(np.int32), indptr


def _binary_rows(rng: np.random.Generator, count: int, separator: NDArray[np.float64]) -> Rows:
    features = len(separator)
    lengths = _lengths(rng, count)
    tokens = _scatter(_zipf_ranks(rng, int(lengths.sum()), features), features, 0x9E3779B1, 12345)
    values, indices, indptr = _log_counts(tokens, np.repeat(np.arange(count), lengths), count, features)
    scores = np.add.reduceat(separator[indices] * values, indptr[:-1])
    labels = np.where(scores > np.median(scores), 1, -1)
    labels = np.where(rng.random(count) < WRONG_LABELS, -labels, labels)
    return Rows(values, indices, indptr, labels.astype(np.int32), features)


def _multiclass_rows(rng: np.random.Generator, count: int, features: int, classes: int) -> Rows:
    lengths = _lengths(rng, count)
    total = int(lengths.sum())
    tokens = _scatter(_zipf_ranks(rng, total, features), features, 0x9E3779B1, 12345)
    row = np.repeat(np.arange(count), lengths)
    labels = rng.integers(0, classes, count)
    own = rng.random(total) < OWN_VOCABULARY
    own_ranks = _zipf_ranks(rng, int(own.sum()), features // classes) * classes + labels[row[own]]
    tokens[own] = _scatter(own_ranks, features, 0x85EBCA6B, 777)
    values, indices, indptr = _log_counts(tokens, row, count, features)
    wrong = rng.random(count) < WRONG_LABELS
    labels = np.where(wrong, rng.integers(0, classes, count), labels) + 1
    return Rows(values, indices, indptr, labels.astype(np.int32), features)


def _dense(rng: np.random.Generator, features: int, sizes: dict[str, int]) -> list[tuple[str, Rows]]:
    separator = rng.standard_normal(features)
    parts = []
    for part, count in sizes.items():
        matrix = np.round(rng.standard_normal((count, features)), 4).astype(np.float32)
        labels = np.where(matrix @ separator > 0, 1, -1)
        labels = np.where(rng.random(count) < WRONG_LABELS, -labels, labels).astype(np.int32)
        indices = np.tile(np.arange(features, dtype=np.int32), count)
        indptr = np.arange(count + 1, dtype=np.int64) * features
        parts.append((part, Rows(matrix.ravel(), indices, indptr, labels, features)))
    return parts


def write(base: Path, rows: Rows) -> None:
    """Write the rows as `.npz`, `.svm` and `.vw`."""
    arrays: dict[str, Any] = {"data": rows.values, "indices": rows.indices, "indptr": rows.indptr}
    np.savez(f"{base}.npz", **arrays, y=rows.labels, d=rows.features)
    # There are few distinct values: formatting each once is exact, and a hundred times quicker.
    distinct, which = np.unique(rows.values, return_inverse=True)
    written = np.array([f"{value:.5g}" for value in distinct], dtype=object)
    tokens = ((rows.indices.astype(np.int64) + 1).astype(str).astype(object) + ":" + written[which]).tolist()
    svm_labels, vw_labels = _label_texts(rows)
    indptr = rows.indptr.tolist()
    with open(f"{base}.svm", "w") as svm, open(f"{base}.vw", "w") as vw:
        for i, (begin, end) in enumerate(pairwise(indptr)):
            text = " ".join(tokens[begin:end])
            svm.write(f"{svm_labels[i]} {text}\n")
            vw.write(f"{vw_labels[i]} | {text}\n")


def _label_texts(rows: Rows) -> tuple[list[str], list[str]]:
    """Return the labels as svmlight writes them (+1, -1) and as Vowpal Wabbit does (1, -1)."""
    plain = [str(label) for label in rows.labels.tolist()]
    return [f"{label:+d}" for label in rows.labels.tolist()] if rows.binary else plain, plain
