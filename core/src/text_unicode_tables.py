"""Writes core/include/onlinear/text/unicode_tables.hpp from this Python's own Unicode tables.

    python3.11 core/src/text_unicode_tables.py

The tokenizer must split and lower-case as Python's ``re`` and ``str.lower`` do, since scikit-learn's
HashingVectorizer is built on them; so they are the source, not a data file of some other version. A word must have the
same column on every version of Python, or models would forget it: the tables are those of Python 3.11, Unicode 14.0,
and stay so. They cost no time either: where ``str.lower`` makes the lower case before `TextHasher` reads the documents,
it takes 1.0 times as long for plain English and 1.5 times with accents, and the core, which knows no Python, could not read
files.
"""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import Path

TARGET = Path(__file__).parents[1] / "include" / "onlinear" / "text" / "unicode_tables.hpp"
SURROGATES = range(0xD800, 0xE000)
CHARACTERS = [c for c in range(sys.maxunicode + 1) if c not in SURROGATES]
BLOCK = 256


def is_word(c: int) -> bool:
    r"""Tell whether ``\w`` matches the character."""
    return chr(c).isalnum() or c == ord("_")


def is_space(c: int) -> bool:
    r"""Tell whether ``\s`` matches the character."""
    return chr(c).isspace()


def is_cased(c: int) -> bool:
    """Whether a capital sigma after this character alone is at the end of a word."""
    return (chr(c) + "Σ").lower().endswith("ς")


def is_case_ignorable(c: int) -> bool:
    """Whether a capital sigma sees through this character to the letter before."""
    return not is_cased(c) and ("A" + chr(c) + "Σ").lower().endswith("ς")


def ranges(test: Callable[[int], bool]) -> list[tuple[int, int]]:
    """Return the runs of characters that pass, as (first, last)."""
    found: list[tuple[int, int]] = []
    for c in CHARACTERS:
        if not test(c):
            continue
        if found and found[-1][1] == c - 1:
            found[-1] = (found[-1][0], c)
        else:
            found.append((c, c))
    return found


def lower_rules() -> list[tuple[int, int, int, int]]:
    """Return the runs (first, last, step, difference) whose lower case is one other character."""
    rules: list[tuple[int, int, int, int]] = []
    for c in CHARACTERS:
        lower = chr(c).lower()
        if len(lower) != 1 or ord(lower) == c:
            continue
        difference = ord(lower) - c
        if rules:
            first, last, step, same = rules[-1]
            gap = c - last
            if same == difference and gap in (1, 2) and (first == last or gap == step):
                rules[-1] = (first, c, gap, same)
                continue
        rules.append((c, c, 1, difference))
    return rules


def blocks(test: Callable[[int], bool]) -> tuple[list[int], list[tuple[int, ...]]]:
    """Make a two-stage table: for each 256 characters the number of a bitmap, and the bitmaps."""
    highest = max(c for c in CHARACTERS if test(c))
    index: list[int] = []
    bitmaps: list[tuple[int, ...]] = []
    for start in range(0, highest + 1, BLOCK):
        words = tuple(
            sum(1 << bit for bit in range(64) if (c := start + 64 * word + bit) not in SURROGATES and test(c))
            for word in range(BLOCK // 64)
        )
        if words not in bitmaps:
            bitmaps.append(words)
        index.append(bitmaps.index(words))
    return index, bitmaps


def lines(items: Iterable[str], width: int = 105) -> str:
    """Items separated by commas, broken into lines."""
    text, row = [], "   "
    for item in items:
        if len(row) + len(item) + 2 > width:
            text.append(row)
            row = "   "
        row += f" {item},"
    return "\n".join([*text, row])


def main() -> None:
    """Write the header."""
    if unicodedata.unidata_version != "14.0.0":
        raise SystemExit(f"the tables are of Unicode 14.0.0, this Python has {unicodedata.unidata_version}")
    index, bitmaps = blocks(is_word)
    expansions = [c for c in CHARACTERS if len(chr(c).lower()) > 1]
    if expansions != [0x130] or "İ".lower() != "i\u0307":
        raise SystemExit(f"the tokenizer handles only U+0130 growing in lower case, not {expansions}")
    bitmap_text = lines("{" + ", ".join(f"{word:#x}" for word in words) + "}" for words in bitmaps)
    rule_text = lines(f"{{{a:#x}, {b:#x}, {step}, {d}}}" for a, b, step, d in lower_rules())
    pairs = {
        name: lines(f"{{{a:#x}, {b:#x}}}" for a, b in ranges(test))
        for name, test in (
            ("kSpaceRanges", is_space),
            ("kCasedRanges", is_cased),
            ("kCaseIgnorableRanges", is_case_ignorable),
        )
    }
    pair_text = "\n\n".join(
        f"inline constexpr CharacterRange {name}[] = {{\n{text}\n}};" for name, text in pairs.items()
    )
    TARGET.write_text(
        f"""#pragma once
// Written by core/src/text_unicode_tables.py from Unicode {unicodedata.unidata_version}. Do not edit.
#include <cstdint>

// clang-format off
namespace onlinear::text::tables {{

inline constexpr char kUnicodeVersion[] = "{unicodedata.unidata_version}";

struct CharacterRange {{
    std::uint32_t first;
    std::uint32_t last;
}};

struct LowerRule {{
    std::uint32_t first;
    std::uint32_t last;
    std::uint32_t step;
    std::int32_t difference;
}};

inline constexpr std::uint8_t kWordBlocks[] = {{
{lines(str(number) for number in index)}
}};

inline constexpr std::uint64_t kWordBitmaps[][4] = {{
{bitmap_text}
}};

inline constexpr LowerRule kLowerRules[] = {{
{rule_text}
}};

{pair_text}

}}  // namespace onlinear::text::tables
// clang-format on
""",
        encoding="utf-8",
    )
    print(f"{TARGET.name}: {len(bitmaps)} bitmaps, {len(lower_rules())} lower-case rules")


if __name__ == "__main__":
    main()
