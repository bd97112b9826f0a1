#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Eight bytes at a time: the word tricks every parser here is built from.
///
/// Words are little-endian whatever the machine, so the first character is the lowest byte.
namespace onlinear::text {

/// Bytes that must be readable (not meaningful) on both sides of any text given to a parser.
inline constexpr std::size_t kPadding = 64;

inline std::uint64_t load_word(const char* p) noexcept {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    return word;
}

/// Eight characters, each a digit's value when it is a digit and above 9 when it is not.
inline std::uint64_t load_digits(const char* p) noexcept { return load_word(p) ^ 0x3030303030303030u; }

/// Nonzero when a byte is above 9; its lowest set bit is bit 7 of the first such byte.
inline std::uint64_t not_digits(std::uint64_t digits) noexcept {
    // A byte past 0x89 carries into its neighbour above, which is never below the first bad byte.
    return ((digits + 0x7676767676767676u) | digits) & 0x8080808080808080u;
}

/// The number whose eight digits, most significant first, are the bytes of the word.
inline std::uint32_t join_digits(std::uint64_t digits) noexcept {
    digits = digits * 10 + (digits >> 8);
    const std::uint64_t even = (digits & 0x000000ff000000ffu) * 0x000f424000000064u;
    const std::uint64_t odd = ((digits >> 16) & 0x000000ff000000ffu) * 0x0000271000000001u;
    return static_cast<std::uint32_t>((even + odd) >> 32);
}

/// The first `count` digits of a word with zeros put before them, for 1 <= count <= 8.
inline std::uint64_t keep_digits(std::uint64_t digits, std::uint32_t count) noexcept {
    return digits << ((64 - 8 * count) & 63);
}

inline constexpr std::uint64_t kPowersOfTen[] = {1,
                                                 10,
                                                 100,
                                                 1'000,
                                                 10'000,
                                                 100'000,
                                                 1'000'000,
                                                 10'000'000,
                                                 100'000'000,
                                                 1'000'000'000,
                                                 10'000'000'000,
                                                 100'000'000'000,
                                                 1'000'000'000'000,
                                                 10'000'000'000'000,
                                                 100'000'000'000'000,
                                                 1'000'000'000'000'000,
                                                 10'000'000'000'000'000,
                                                 100'000'000'000'000'000,
                                                 1'000'000'000'000'000'000,
                                                 10'000'000'000'000'000'000u};

/// Appends the digits at `p` to `value` and returns where they end. `value` wraps past 2^64.
inline const char* take_digits(const char* p, std::uint64_t& value) noexcept {
    for (;;) {
        const std::uint64_t digits = load_digits(p);
        const std::uint64_t bad = not_digits(digits);
        if (bad != 0) {
            const auto count = static_cast<std::uint32_t>(std::countr_zero(bad)) >> 3;
            if (count == 0) return p;
            value = value * kPowersOfTen[count] + join_digits(keep_digits(digits, count));
            return p + count;
        }
        value = value * kPowersOfTen[8] + join_digits(digits);
        p += 8;
    }
}

inline bool is_digit(char c) noexcept { return static_cast<unsigned char>(c - '0') < 10; }
inline bool is_blank(char c) noexcept { return c == ' ' || c == '\t' || c == '\r'; }

}  // namespace onlinear::text
