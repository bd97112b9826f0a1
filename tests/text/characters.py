"""Characters, and those of them that the tables of the core and of this Python both know."""

from __future__ import annotations

import re
import sys
import unicodedata

from onlinear import _core

CHARACTERS = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
SAME_UNICODE = unicodedata.unidata_version == _core.text.UNICODE_VERSION


def known_to_both(character: str) -> bool:
    """Whether a character is not one that only the newer tables of this Python know."""
    return SAME_UNICODE or _core.text.is_word_character(ord(character)) or re.match(r"\w", character) is None
