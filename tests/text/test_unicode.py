"""Characters are what Python says they are."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onlinear import _core

text = _core.text

CHARACTERS = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
SAME_UNICODE = unicodedata.unidata_version == text.UNICODE_VERSION


def known_to_both(characters: list[str]) -> list[str]:
    """Leave out characters that only this Python's newer tables know."""
    if SAME_UNICODE:
        return characters
    return [c for c in characters if text.is_word_character(ord(c)) or not re.match(r"\w", c)]


def test_word_characters_are_those_of_re() -> None:
    r"""All 1,112,064 characters against ``\w``."""
    words = re.compile(r"\w")
    wrong = [c for c in known_to_both(CHARACTERS) if bool(words.match(c)) != text.is_word_character(ord(c))]

    assert wrong == []


def test_spaces_are_those_of_re() -> None:
    r"""All characters against ``\s``."""
    space = re.compile(r"\s")
    wrong = [c for c in CHARACTERS if bool(space.match(c)) != text.is_space_character(ord(c))]

    assert wrong == []


def test_lower_case_is_str_lower() -> None:
    """Every character alone, among them the one that becomes two."""
    wrong = [c for c in known_to_both(CHARACTERS) if c.lower() != text.lower(c)]

    assert wrong == []
    assert text.lower("İ") == "i\u0307"


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
