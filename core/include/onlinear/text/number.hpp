#pragma once
#include <cmath>
#include <cstdint>
#include <cstring>

#include "onlinear/text/bytes.hpp"

/// Decimal numbers, correctly rounded: the same bits as strtof and strtod in the C locale.
///
/// Sources: W. D. Clinger, How to read floating point numbers accurately, PLDI 1990 (the exact fast
/// path); the rounding argument of `to_float` is written beside it. What the fast paths cannot decide
/// goes to std::from_chars.
///
/// Grammar: [+-] digits [. digits] [e [+-] digits], with a digit on at least one side of the point.
/// No hexadecimal, no "nan", no "inf", no locale, no leading blanks.
namespace onlinear::text {

/// mantissa * 10^exponent, as written.
struct Decimal {
    std::uint64_t mantissa = 0;
    std::int32_t exponent = 0;
    bool negative = false;
    bool whole = true;          ///< false: more than 19 significant digits, the mantissa is incomplete
    const char* end = nullptr;  ///< just after the number; null when there is none
};

namespace detail {

/// More digits than 64 bits hold: leading zeros do not count.
bool mantissa_overflows(const char* first, const char* last) noexcept;
float round_float(const char* first, const Decimal& number) noexcept;
double round_double(const char* first, const Decimal& number) noexcept;

/// 10^-45 to 10^38, each the nearest double: the range of a float.
extern const double kFloatPowers[84];
inline constexpr int kLowestFloatPower = -45;
inline constexpr int kHighestFloatPower = 38;

inline constexpr double kExactPowers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                          1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                          1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

inline const char* take_exponent(const char* p, std::int32_t& exponent) noexcept {
    const char* q = p + 1;  // p stands on the 'e'
    const bool negative = *q == '-';
    if (*q == '-' || *q == '+') ++q;
    if (!is_digit(*q)) return p;
    std::int32_t magnitude = 0;
    for (; is_digit(*q); ++q) {
        if (magnitude < 100'000) magnitude = magnitude * 10 + (*q - '0');
    }
    exponent += negative ? -magnitude : magnitude;
    return q;
}

}  // namespace detail

/// Reads the number at `p`, which must be followed by some byte that ends it and by `kPadding` more.
inline Decimal scan_decimal(const char* p) noexcept {
    Decimal number;
    number.negative = *p == '-';
    if (*p == '-' || *p == '+') ++p;
    const char* const first = p;
    p = take_digits(p, number.mantissa);
    std::ptrdiff_t digits = p - first;
    std::ptrdiff_t fraction = 0;
    if (*p == '.') {
        const char* const point = ++p;
        p = take_digits(p, number.mantissa);
        fraction = p - point;
        digits += fraction;
    }
    if (digits == 0) return number;
    if (digits > 19) {
        number.whole = !detail::mantissa_overflows(first, p);
        // Past any float: the sign of the sum with the exponent stays right.
        if (fraction > 1'000'000'000) fraction = 1'000'000'000;
    }
    number.exponent = -static_cast<std::int32_t>(fraction);
    if ((*p | 0x20) == 'e') p = detail::take_exponent(p, number.exponent);
    number.end = p;
    return number;
}

/// The nearest float; infinite when the number is past the largest. `first` is where it was read.
inline float to_float(const char* first, const Decimal& number) noexcept {
    if (!number.whole) return detail::round_float(first, number);
    const float sign = number.negative ? -1.0f : 1.0f;
    if (number.mantissa == 0) return std::copysign(0.0f, sign);
    const std::int32_t e = number.exponent;
    if (e >= detail::kLowestFloatPower && e <= detail::kHighestFloatPower) {
        // Three roundings (mantissa, power, product), each within 2^-53: the product is within 3 ulp
        // of the truth. Rounding it to float gives the truth's float unless a float's midpoint, which
        // ends in bit 28, lies within that distance; 8 ulp leave room.
        const double product = static_cast<double>(number.mantissa) * detail::kFloatPowers[e + 45];
        std::uint64_t bits;
        std::memcpy(&bits, &product, sizeof bits);
        const std::uint64_t from_midpoint = ((bits + 8) & 0x1fffffffu) - 0x10000000u;
        if (from_midpoint > 16 && product >= 1.2e-38 && product < 3.4e38) {
            return sign * static_cast<float>(product);
        }
    }
    return detail::round_float(first, number);
}

/// The nearest double; infinite when the number is past the largest. `first` is where it was read.
inline double to_double(const char* first, const Decimal& number) noexcept {
    if (number.whole && number.mantissa <= (std::uint64_t{1} << 53) && number.exponent >= -22 &&
        number.exponent <= 22) {
        const double mantissa = static_cast<double>(number.mantissa);  // Clinger: both operands are exact
        const double value = number.exponent < 0 ? mantissa / detail::kExactPowers[-number.exponent]
                                                 : mantissa * detail::kExactPowers[number.exponent];
        return number.negative ? -value : value;
    }
    return detail::round_double(first, number);
}

enum class NumberKind {
    finite,
    overflow,  ///< a number past the largest of its type
    special,   ///< a spelling of "nan" or "inf"
    word,      ///< anything else
};

/// Reads [first, last) whole, as a double. `*last` must end the number and be followed by `kPadding`.
NumberKind parse_double(const char* first, const char* last, double& value) noexcept;

/// Reads [first, last) whole, as a float. `*last` must end the number and be followed by `kPadding`.
NumberKind parse_float(const char* first, const char* last, float& value) noexcept;

/// Whether the text is "nan", "inf" or "infinity", in any case, with or without a sign.
bool is_special_number(const char* first, const char* last) noexcept;

}  // namespace onlinear::text
