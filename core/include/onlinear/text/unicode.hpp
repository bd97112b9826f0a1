#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

#include "onlinear/text/unicode_tables.hpp"

/// What Python's `re` and `str` say of a character: word, space, lower case.
///
/// By tables of one version of Unicode, for a model must read the same words on every machine: Python's own
/// change with its version (3.11 has Unicode 14.0, 3.13 has 15.1), the C library's with the locale, and the
/// core knows neither.
namespace onlinear::text {

/// Whether \w matches it: letters, digits and numbers of every script, and the underscore.
inline bool is_word_character(std::uint32_t c) noexcept {
    const std::size_t block = c >> 8;
    if (block >= std::size(tables::kWordBlocks)) return false;
    return tables::kWordBitmaps[tables::kWordBlocks[block]][c >> 6 & 3] >> (c & 63) & 1;
}

namespace detail {

template <std::size_t N>
bool in_ranges(const tables::CharacterRange (&ranges)[N], std::uint32_t c) noexcept {
    const auto* after = std::upper_bound(
        std::begin(ranges), std::end(ranges), c,
        [](std::uint32_t value, const tables::CharacterRange& range) { return value < range.first; });
    return after != std::begin(ranges) && c <= after[-1].last;
}

}  // namespace detail

/// Whether \s matches it.
inline bool is_space_character(std::uint32_t c) noexcept {
    return detail::in_ranges(tables::kSpaceRanges, c);
}

/// Whether it has case and a capital sigma does not see through it.
inline bool is_cased(std::uint32_t c) noexcept { return detail::in_ranges(tables::kCasedRanges, c); }

/// Whether the rule for a capital sigma at the end of a word looks past it.
inline bool is_case_ignorable(std::uint32_t c) noexcept {
    return detail::in_ranges(tables::kCaseIgnorableRanges, c);
}

/// Its lower case, for the characters whose lower case is one character whatever stands around them:
/// all but U+0130 and U+03A3.
inline std::uint32_t lower_character(std::uint32_t c) noexcept {
    const auto* after = std::upper_bound(
        std::begin(tables::kLowerRules), std::end(tables::kLowerRules), c,
        [](std::uint32_t value, const tables::LowerRule& rule) { return value < rule.first; });
    if (after == std::begin(tables::kLowerRules)) return c;
    const tables::LowerRule& rule = after[-1];
    if (c > rule.last || (c - rule.first) % rule.step != 0) return c;
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(c) + rule.difference);
}

}  // namespace onlinear::text
