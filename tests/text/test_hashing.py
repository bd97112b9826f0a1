"""Names get the columns and signs that scikit-learn gives them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction import FeatureHasher
from sklearn.utils import murmurhash3_32

from onlinear import _core

text = _core.text


@given(st.binary(max_size=40), st.integers(0, 2**32 - 1))
def test_murmurhash3_is_scikit_learns(data: bytes, seed: int) -> None:
    """Every tail length and every seed."""
    assert text.murmurhash3_32(data, seed) == murmurhash3_32(data, seed, positive=True)


@given(st.text(min_size=1, max_size=12), st.integers(1, 31))
def test_a_name_has_feature_hashers_column(name: str, bits: int) -> None:
    """Also for hashes that are negative when read as signed numbers."""
    row = FeatureHasher(n_features=2**bits if bits < 31 else 2**31 - 1, input_type="string")
    if bits == 31:  # FeatureHasher stops one short of it
        return
    expected = row.transform([[name]])

    assert (
        text.hashed_column(text.murmurhash3_32(name.encode("utf-8", "surrogatepass")), bits)
        == expected.indices[0]
    )


def test_the_hash_whose_magnitude_overflows_goes_to_column_zero() -> None:
    """-2**31 has no positive counterpart; scikit-learn special-cases it to the same column."""
    for bits in (1, 10, 20, 31):
        assert text.hashed_column(2**31, bits) == 0


@given(st.integers(0, 2**64 - 1), st.integers(1, 31))
def test_an_index_that_fits_keeps_its_column(index: int, bits: int) -> None:
    """So that hashing a file whose indices are small changes nothing."""
    column = text.hashed_index(index, bits)

    if index < 2**bits:
        assert column == index
    else:
        hashed = murmurhash3_32(index.to_bytes(8, "little"), 0)
        assert column == abs(int(np.int64(hashed))) % 2**bits
