"""Characters are what Python 3.11 says they are, on every version of Python.

A newer Python knows more characters than the tables of the core; on these the two need not agree.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onlinear import _core

from .characters import CHARACTERS, known_to_both

text = _core.text


def test_word_characters_are_those_of_re() -> None:
    r"""All 1,112,064 characters against ``\w``."""
    words = re.compile(r"\w")
    known = filter(known_to_both, CHARACTERS)
    wrong = [c for c in known if bool(words.match(c)) != text.is_word_character(ord(c))]

    assert wrong == []


def test_spaces_are_those_of_re() -> None:
    r"""All characters against ``\s``."""
    space = re.compile(r"\s")
    wrong = [c for c in CHARACTERS if bool(space.match(c)) != text.is_space_character(ord(c))]

    assert wrong == []


def test_lower_case_is_str_lower() -> None:
    """Every character alone, among them the one that becomes two."""
    wrong = [c for c in filter(known_to_both, CHARACTERS) if c.lower() != text.lower(c)]

    assert wrong == []
    assert text.lower("İ") == "i\u0307"


def test_the_tables_do_not_depend_on_the_version_of_python() -> None:
    """A word has the same column on every Python: letters of Unicode 16 are no letters yet, whoever knows them."""
    assert text.UNICODE_VERSION == "14.0.0"
    for newer in "\u1c89\ua7cb\ua7da":
        assert text.lower(newer) == newer
        assert not text.is_word_character(ord(newer))


@given(st.text(alphabet=st.sampled_from("ΣσAaΒ .'­\u0301ʰ:·İ漢"), max_size=12))
def test_a_capital_sigma_at_the_end_of_a_word_is_final(words: str) -> None:
    """Which it is depends on the letters around it, past marks and apostrophes."""
    assert text.lower(words) == words.lower()


@pytest.mark.parametrize(
    ("upper", "lower"), [("ΟΔΟΣ", "οδος"), ("ΣΑΣ", "σας"), ("Σ", "σ"), ("ΑΣ'Α", "ας'α".replace("ς", "σ"))]
)
def test_greek_words_are_lowered_as_greeks_write_them(upper: str, lower: str) -> None:
    """Known words."""
    assert text.lower(upper) == lower
