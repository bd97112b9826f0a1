"""Rows in another order: every row once, with all that belongs to it, in an order that follows from the seed alone."""

from __future__ import annotations

import io
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import onlinear
from onlinear.exceptions import DataError, ParameterError, ReadError
from onlinear.io import Batch
from onlinear.io._batch import joined
from onlinear.io._shuffle import USUAL_ROWS, Shuffled, rows_to_mix

#: A row as it can be compared: labels, weight, line, columns, values.
Plain = tuple[object, ...]


def plain(batch: Batch) -> list[Plain]:
    """The rows of a batch."""
    rows = []
    ends, labels = batch.indptr, batch.y if isinstance(batch.y, list) else batch.y.tolist()
    for i in range(batch.n_rows):
        part = slice(ends[i], ends[i + 1])
        weight = 1.0 if batch.weight is None else float(batch.weight[i])
        rows.append(
            (
                labels[i],
                weight,
                int(batch.lines[i]),
                tuple(batch.indices[part].tolist()),
                tuple(batch.values[part].tolist()),
            )
        )
    return rows


def all_rows(batches: object) -> list[Plain]:
    """The rows of some batches, in order."""
    return [row for batch in batches for row in plain(batch)]  # type: ignore[attr-defined]


def svmlight(n: int) -> bytes:
    """Rows that are told apart by their labels, of different lengths."""
    return b"".join(
        b"%d %s\n" % (i, b" ".join(b"%d:%d" % (k + 1, i + k + 1) for k in range(i % 4))) for i in range(n)
    )


FILES = {
    "numbers": (svmlight(50), {"format": "svmlight"}),
    "words": (
        b"".join(b'{"label": "c%d", "text": "word%d and", "w": %d}\n' % (i % 7, i, i) for i in range(50)),
        {"format": "jsonl", "weight": "w"},
    ),
    "sets": (
        b"".join(b"%s %d:1\n" % (b",".join(b"%d" % k for k in range(i % 3)), i + 1) for i in range(50)),
        {"format": "svmlight", "multilabel": True},
    ),
}


@pytest.mark.parametrize("name", FILES)
@given(batch_size=st.integers(1, 60), rows=st.integers(1, 70), seed=st.integers(0, 1 << 32))
def test_every_row_comes_once_with_all_that_belongs_to_it(
    name: str, batch_size: int, rows: int, seed: int
) -> None:
    """In the same order however the rows were batched."""
    content, settings = FILES[name]

    def read(size: int) -> onlinear.io.Reader:
        return onlinear.read(io.BytesIO(content), batch_size=size, ahead=0, **settings)

    straight = all_rows(read(17))
    mixed = all_rows(Shuffled(read(batch_size), rows, seed))
    assert Counter(mixed) == Counter(straight)
    assert mixed == all_rows(Shuffled(read(7), rows, seed))
    if rows == 1:
        assert mixed == straight


@given(rows=st.integers(1, 40), seed=st.integers(0, 1 << 32))
def test_the_buffer_is_what_it_says(rows: int, seed: int) -> None:
    """No row comes out before so many have come in behind the first; places say where each stood."""
    shuffled = Shuffled(
        onlinear.read(io.BytesIO(svmlight(60)), "svmlight", batch_size=1, ahead=0), rows, seed
    )
    out = [
        (int(place), int(label))
        for batch in shuffled
        for place, label in zip(batch.origin.places, batch.y, strict=True)
    ]
    assert all(place == label for place, label in out)
    assert all(place <= position + rows for position, (place, _) in enumerate(out))


def test_every_order_is_as_likely_where_all_rows_fit_in() -> None:
    """Six orders of three rows, each in a sixth of 6,000 seeds."""
    content = b"1 1:1\n2 1:1\n3 1:1\n"
    orders = Counter(
        tuple(
            row[0]
            for row in all_rows(Shuffled(onlinear.read(io.BytesIO(content), "svmlight", ahead=0), 5, seed))
        )
        for seed in range(6000)
    )
    assert len(orders) == 6
    assert all(abs(count - 1000) < 5 * 1000**0.5 for count in orders.values()), orders


def test_a_row_spreads_over_about_the_buffer() -> None:
    """The first of many rows comes out after a wait that is geometric: its mean is the size of the buffer."""
    waits = []
    for seed in range(300):
        reader = onlinear.read(io.BytesIO(b"0 1:1\n" + b"1 1:1\n" * 999), "svmlight", ahead=0)
        labels = [row[0] for row in all_rows(Shuffled(reader, 50, seed))]
        waits.append(labels.index(0.0) + 1)
    assert np.mean(waits) == pytest.approx(50, abs=5 * 50 / 300**0.5)


def test_a_refused_row_is_named_by_its_own_file(tmp_path: Path) -> None:
    """Rows of several files are mixed in one batch."""
    (tmp_path / "a.svm").write_text("1 1:1\n-1 2:1\n" * 20)
    (tmp_path / "b.svm").write_text("1 1:1\n-1 2:1\n" * 20 + "1 3:3e38\n" + "1 1:1\n-1 2:1\n" * 20)
    model = onlinear.AROWClassifier(scale=None, random_state=0)
    with pytest.raises(ReadError, match=r"b\.svm:41: "):
        model.fit_stream(onlinear.read([tmp_path / "a.svm", tmp_path / "b.svm"]), shuffle=64)


# ---------------------------------------------------------------------- fit_stream


def test_fit_stream_learns_the_mixed_rows() -> None:
    """The model is that of the rows in their new order; random_state chooses it."""
    content = svmlight(60).replace(b"\n", b" 9:1\n")

    def model(seed: object) -> onlinear.PassiveAggressiveRegressor:
        return onlinear.PassiveAggressiveRegressor(random_state=seed)

    def read() -> onlinear.io.Reader:
        return onlinear.read(io.BytesIO(content), "svmlight")

    mixed = model(3).fit_stream(read(), shuffle=20)
    assert mixed.digest() == model(3).fit_stream(Shuffled(read(), 20, 3)).digest()
    assert mixed.digest() != model(4).fit_stream(read(), shuffle=20).digest()
    assert mixed.digest() != model(3).fit_stream(read()).digest()
    drawn = [model(np.random.RandomState(0)).fit_stream(read(), shuffle=True) for _ in range(2)]
    assert drawn[0].digest() == drawn[1].digest()


@pytest.mark.parametrize("bad", [0, -3, 1.5, "yes", None])
def test_a_buffer_that_is_none_is_refused(bad: object) -> None:
    """By name, with what was given."""
    with pytest.raises(ParameterError, match="shuffle"):
        onlinear.AROWClassifier().fit_stream(onlinear.read(io.BytesIO(b"1 1:1\n"), "svmlight"), shuffle=bad)  # type: ignore[arg-type]


def test_what_cannot_be_mixed_is_refused_with_the_remedy() -> None:
    """Arrays, which have an order of their own, and rows whose labels are numbered by another reader."""
    with pytest.raises(DataError, match="Permute"):
        onlinear.AROWClassifier().fit_stream([([[1.0]], [1])], shuffle=True)
    readers = [onlinear.read(io.BytesIO(b"spam\tx\n"), "text") for _ in range(2)]
    with pytest.raises(DataError, match="one reader"):
        onlinear.AROWClassifier().fit_stream((batch for reader in readers for batch in reader), shuffle=True)


def test_the_usual_buffer_is_that_of_the_command() -> None:
    """``shuffle=True`` and ``--shuffle`` mean the same."""
    from onlinear.cli._commands import COMMANDS

    (train,) = (command for command in COMMANDS if command.name == "train")
    (buffer,) = (option for option in train.options if option.name == "buffer")
    assert buffer.default == USUAL_ROWS == rows_to_mix(True)
    assert rows_to_mix(False) == 0


# ---------------------------------------------------------------------- parts of batches


@pytest.mark.parametrize("name", FILES)
@given(data=st.data())
def test_rows_are_copied_and_joined_as_they_are(name: str, data: st.DataObject) -> None:
    """Any rows of any batches, one behind the other."""
    content, settings = FILES[name]
    batches = list(onlinear.read(io.BytesIO(content), batch_size=20, ahead=0, **settings))
    some = [
        np.array(sorted(data.draw(st.sets(st.integers(0, b.n_rows - 1)))), dtype=np.intp) for b in batches
    ]
    expected = [plain(b)[row] for b, rows in zip(batches, some, strict=True) for row in rows.tolist()]
    assert plain(joined([b.rows_at(rows) for b, rows in zip(batches, some, strict=True)])) == expected
