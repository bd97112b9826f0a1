"""Rows of any length are looked at to their last index: by eights, and what is left of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import onlinear
from onlinear import _core
from onlinear.exceptions import DataError

COLUMNS = 1000
LENGTHS = [1, 2, 7, 8, 9, 15, 16, 17, 23, 24, 25, 40, 79]
STRAY = {
    np.int32: [-1, COLUMNS, -(2**31), 2**31 - 1],
    np.int64: [-1, COLUMNS, -(2**63), 2**63 - 1, 2**32, 2**31],
}

every_length = pytest.mark.parametrize("length", LENGTHS)
every_index = pytest.mark.parametrize("kind", [np.int32, np.int64])


def row_of(columns: Any, values: Any, kind: Any) -> Any:
    """A row as it is, unchecked by SciPy."""
    row = sp.csr_array((1, COLUMNS), dtype=np.float32)
    row.data, row.indices = np.asarray(values, np.float32), np.asarray(columns, kind)
    row.indptr = np.array([0, len(row.data)], kind)
    return row


def columns_and_values(length: int) -> tuple[Any, Any]:
    """Distinct columns in order, the last one there is among them."""
    rng = np.random.default_rng(length)
    columns = np.sort(rng.choice(COLUMNS - 1, length - 1, replace=False)) if length > 1 else np.empty(0, int)
    return np.append(columns, COLUMNS - 1), rng.standard_normal(length).astype(np.float32)


def model() -> Any:
    """A model that knows as many columns."""
    first = row_of([0, COLUMNS - 1], [1.0, -1.0], np.int32)
    return onlinear.AROWClassifier(dtype="float32").partial_fit(first, [0], classes=[0, 1])


@every_length
@every_index
def test_a_stray_index_is_found_wherever_it_stands(length: int, kind: Any) -> None:
    """Learning and predicting; the model stays as it was."""
    columns, values = columns_and_values(length)
    learner = model()
    before = learner.digest()
    for place in range(length):
        for stray in STRAY[kind]:
            spoiled = columns.astype(kind)
            spoiled[place] = stray
            row = row_of(spoiled, values, kind)
            with pytest.raises(DataError, match="index"):
                learner.partial_fit(row, [1])
            with pytest.raises(DataError, match="index"):
                learner.decision_function(row)
    assert learner.digest() == before


@every_length
@every_index
def test_a_row_out_of_order_is_put_in_order_wherever_it_falls(length: int, kind: Any) -> None:
    """Two neighbours changed over are learned as if they had not been."""
    columns, values = columns_and_values(length)
    expected = model().partial_fit(row_of(columns, values, kind), [1])
    score = expected.decision_function(row_of(columns, values, kind))
    for place in range(1, length):
        order = np.arange(length)
        order[[place - 1, place]] = order[[place, place - 1]]
        row = row_of(columns[order], values[order], kind)

        assert model().partial_fit(row, [1]).digest() == expected.digest()
        assert expected.decision_function(row) == pytest.approx(score, rel=1e-5)


@every_length
def test_an_index_that_comes_twice_counts_twice(length: int) -> None:
    """Wherever it is repeated."""
    columns, values = columns_and_values(length)
    for place in range(length):
        twice = row_of(
            np.insert(columns, place, columns[place]), np.insert(values, place, values[place]), np.int32
        )
        once = values.copy()
        once[place] *= 2

        learned = model().partial_fit(twice, [1])
        assert learned.digest() == model().partial_fit(row_of(columns, once, np.int32), [1]).digest()


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("pointer", [np.int32, np.int64])
@pytest.mark.parametrize("value", [np.float32, np.float64])
@pytest.mark.parametrize("limit", [0, 1, 17, 900, COLUMNS])
def test_columns_never_met_are_left_out(kind: Any, pointer: Any, value: Any, limit: int) -> None:
    """What is left is what SciPy keeps of the columns below."""
    rows = sp.random_array(
        (40, COLUMNS), density=0.02, format="csr", rng=np.random.default_rng(1), dtype=value
    )
    kept = _core.narrow_csr(rows.data, rows.indices.astype(kind), rows.indptr.astype(pointer), limit)
    if limit == COLUMNS:
        assert kept is None
        return
    data, indices, indptr = (np.asarray(part) for part in kept)
    expected = rows[:, :limit]
    assert (data.dtype, indices.dtype) == (value, kind)
    np.testing.assert_array_equal(data, expected.data)
    np.testing.assert_array_equal(indices, expected.indices)
    np.testing.assert_array_equal(indptr, expected.indptr)


def test_rows_that_leave_the_arrays_are_not_narrowed() -> None:
    """Nothing is read past the end, whoever has changed the arrays meanwhile."""
    for indptr in ([0, 9], [2, 1], [-1, 1]):
        with pytest.raises(ValueError, match="indptr leaves the arrays"):
            _core.narrow_csr(np.ones(3), np.array([0, 5, 9]), np.array(indptr), 4)
