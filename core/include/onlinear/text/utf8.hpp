#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "onlinear/text/bytes.hpp"

/// UTF-8, strictly: no overlong forms, no surrogates, nothing past U+10FFFF.
namespace onlinear::text {

inline constexpr std::uint32_t kNoCharacter = 0xffffffff;

/// Reads the character at `p` and moves past it. For bytes that are no UTF-8 the answer is
/// `kNoCharacter` and `p` moves by one byte.
inline std::uint32_t next_character(const char*& p, const char* last) noexcept {
    const auto byte = [&](std::ptrdiff_t i) { return static_cast<unsigned char>(p[i]); };
    const std::uint32_t lead = byte(0);
    if (lead < 0x80) {
        ++p;
        return lead;
    }
    const std::ptrdiff_t left = last - p;
    const auto continues = [&](std::ptrdiff_t i) { return i < left && (byte(i) & 0xc0) == 0x80; };
    if (lead >= 0xc2 && lead <= 0xdf && continues(1)) {
        const std::uint32_t c = (lead & 0x1f) << 6 | (byte(1) & 0x3fu);
        p += 2;
        return c;
    }
    if (lead >= 0xe0 && lead <= 0xef && continues(1) && continues(2)) {
        const std::uint32_t c = (lead & 0x0f) << 12 | (byte(1) & 0x3fu) << 6 | (byte(2) & 0x3fu);
        if (c >= 0x800 && (c < 0xd800 || c > 0xdfff)) {
            p += 3;
            return c;
        }
    }
    if (lead >= 0xf0 && lead <= 0xf4 && continues(1) && continues(2) && continues(3)) {
        const std::uint32_t c =
            (lead & 0x07) << 18 | (byte(1) & 0x3fu) << 12 | (byte(2) & 0x3fu) << 6 | (byte(3) & 0x3fu);
        if (c >= 0x10000 && c <= 0x10ffff) {
            p += 4;
            return c;
        }
    }
    ++p;
    return kNoCharacter;
}

/// Writes a character at `out`, which has room for four bytes, and returns the end.
inline char* put_character(char* out, std::uint32_t c) noexcept {
    if (c < 0x80) {
        *out++ = static_cast<char>(c);
    } else if (c < 0x800) {
        *out++ = static_cast<char>(0xc0 | c >> 6);
        *out++ = static_cast<char>(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        *out++ = static_cast<char>(0xe0 | c >> 12);
        *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3f));
        *out++ = static_cast<char>(0x80 | (c & 0x3f));
    } else {
        *out++ = static_cast<char>(0xf0 | c >> 18);
        *out++ = static_cast<char>(0x80 | (c >> 12 & 0x3f));
        *out++ = static_cast<char>(0x80 | (c >> 6 & 0x3f));
        *out++ = static_cast<char>(0x80 | (c & 0x3f));
    }
    return out;
}

inline void append_character(std::string& out, std::uint32_t c) {
    char bytes[4];
    out.append(bytes, static_cast<std::size_t>(put_character(bytes, c) - bytes));
}

/// The first byte that is no UTF-8, or `last` when all of it is.
inline const char* find_invalid_utf8(const char* p, const char* last) noexcept {
    while (p != last) {
        if (last - p >= 8 && (load_word(p) & 0x8080808080808080u) == 0) {
            p += 8;
            continue;
        }
        const char* const at = p;
        if (next_character(p, last) == kNoCharacter) return at;
    }
    return last;
}

}  // namespace onlinear::text
