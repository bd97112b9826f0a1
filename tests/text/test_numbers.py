"""Numbers are read to the last bit as C's strtof and strtod read them."""

from __future__ import annotations

import ctypes
import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onlinear import _core

text = _core.text

libc = ctypes.CDLL(None)
libc.strtof.restype = ctypes.c_float
libc.strtof.argtypes = [ctypes.c_char_p, ctypes.c_void_p]


def strtof(number: str) -> float:
    """Return the nearest float32 as the C library has it."""
    return float(libc.strtof(number.encode(), None))


def same_bits(a: float, b: float) -> bool:
    """Tell -0.0 from 0.0, which == does not."""
    return struct.pack("d", a) == struct.pack("d", b)


decimals = st.from_regex(r"\A[+-]?([0-9]{1,25}(\.[0-9]{0,25})?|\.[0-9]{1,25})([eE][+-]?[0-9]{1,3})?\Z")


@given(decimals)
def test_a_decimal_becomes_the_nearest_double(number: str) -> None:
    """Python's float is correctly rounded, so it is the oracle."""
    expected = float(number)
    parsed = text.parse_double(number.encode())

    if math.isinf(expected):
        assert parsed is None
    else:
        assert same_bits(parsed, expected)


@given(decimals)
def test_a_decimal_becomes_the_nearest_float_without_double_rounding(number: str) -> None:
    """The C library rounds once; rounding the double again would differ near midpoints."""
    expected = strtof(number)
    parsed = text.parse_float(number.encode())

    if math.isinf(expected):
        assert parsed is None
    else:
        assert same_bits(parsed, expected)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_repr_of_a_double_reads_back(value: float) -> None:
    """Seventeen digits name a double."""
    assert same_bits(text.parse_double(repr(value).encode()), value)


@given(st.integers(0, 2**31 - 1), st.integers(20, 60))
def test_midpoints_of_floats_go_to_the_even_neighbour(bits: int, digits: int) -> None:
    """Numbers half way between two floats, and just beside, are where a fast path would err."""
    low = np.uint32(bits).view(np.float32)
    high = np.nextafter(low, np.float32(np.inf))
    if not (np.isfinite(low) and np.isfinite(high)):
        return
    middle = (float(low) + float(high)) / 2
    for number in (f"{middle:.{digits}e}", f"{middle:.{digits}e}".replace("e", "1e"), repr(middle)):
        assert same_bits(text.parse_float(number.encode()), strtof(number))


@pytest.mark.parametrize(
    "number",
    ["", "-", "+", ".", "e5", "1e", "1e+", "--1", "1 ", " 1", "0x10", "1,5", "nan", "inf", "1_0", "١"],
)
def test_what_is_no_decimal_is_refused(number: str) -> None:
    """No hexadecimal, no locale, no blanks, no words."""
    assert text.parse_double(number.encode()) is None
    assert text.parse_float(number.encode()) is None


def test_overflow_is_refused_and_underflow_is_zero() -> None:
    """1e400 is no number we can keep; 1e-400 is as good as zero, with its sign."""
    assert text.parse_double(b"1e400") is None
    assert text.parse_float(b"1e39") is None
    assert text.parse_double(b"1e39") == 1e39
    assert same_bits(text.parse_double(b"-1e-400"), -0.0)
    assert same_bits(text.parse_float(b"1e-60"), 0.0)
    assert text.parse_double(b"1e-99999999999999999999") == 0.0
    assert text.parse_double(b"1e99999999999999999999") is None
    assert text.parse_double(b"0e99999999999999999999") == 0.0
