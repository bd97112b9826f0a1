#include <charconv>
#include <limits>
#include <string_view>
#include <system_error>

#include "onlinear/text/number.hpp"

#if !defined(__cpp_lib_to_chars)
#include <clocale>
#include <cstdlib>
#include <string>
#if defined(__APPLE__)
#include <xlocale.h>  // strtof_l and strtod_l are here, not in <stdlib.h>
#endif
#endif

namespace onlinear::text {

namespace detail {

// clang-format off
const double kFloatPowers[84] = {
    1e-45, 1e-44, 1e-43, 1e-42, 1e-41, 1e-40, 1e-39, 1e-38, 1e-37, 1e-36, 1e-35, 1e-34, 1e-33, 1e-32, 1e-31,
    1e-30, 1e-29, 1e-28, 1e-27, 1e-26, 1e-25, 1e-24, 1e-23, 1e-22, 1e-21, 1e-20, 1e-19, 1e-18, 1e-17, 1e-16,
    1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9,  1e-8,  1e-7,  1e-6,  1e-5,  1e-4,  1e-3,  1e-2,  1e-1,
    1e0,   1e1,   1e2,   1e3,   1e4,   1e5,   1e6,   1e7,   1e8,   1e9,   1e10,  1e11,  1e12,  1e13,  1e14,
    1e15,  1e16,  1e17,  1e18,  1e19,  1e20,  1e21,  1e22,  1e23,  1e24,  1e25,  1e26,  1e27,  1e28,  1e29,
    1e30,  1e31,  1e32,  1e33,  1e34,  1e35,  1e36,  1e37,  1e38};
// clang-format on

bool mantissa_overflows(const char* first, const char* last) noexcept {
    while (first != last && (*first == '0' || *first == '.')) ++first;
    std::ptrdiff_t digits = 0;
    for (; first != last; ++first) digits += *first != '.';
    return digits > 19;
}

namespace {

#if defined(__cpp_lib_to_chars)
/// The power of ten just above the number: its sign tells overflow from underflow.
std::int64_t decimal_magnitude(const char* first, const char* last) noexcept {
    std::int64_t magnitude = 0;
    bool fraction = false;
    bool significant = false;
    for (const char* p = first; p != last; ++p) {
        if (*p == '.') {
            fraction = true;
        } else if (is_digit(*p)) {
            significant = significant || *p != '0';
            if (significant && !fraction) ++magnitude;
            if (!significant && fraction) --magnitude;
        } else {
            std::int32_t exponent = 0;
            take_exponent(p, exponent);
            return magnitude + exponent;
        }
    }
    return magnitude;
}

template <class Real>
Real convert(const char* first, const char* last) noexcept {
    Real value = 0;
    const auto [end, error] = std::from_chars(first, last, value, std::chars_format::general);
    if (error == std::errc::result_out_of_range) {
        return decimal_magnitude(first, last) > 0 ? std::numeric_limits<Real>::infinity() : Real{0};
    }
    return value;
}
#else
template <class Real>
Real convert(const char* first, const char* last) noexcept {
    const std::string copy(first, last);
    static const locale_t plain = newlocale(LC_ALL_MASK, "C", nullptr);
    if constexpr (sizeof(Real) == sizeof(float)) {
        return strtof_l(copy.c_str(), nullptr, plain);
    } else {
        return strtod_l(copy.c_str(), nullptr, plain);
    }
}
#endif

template <class Real>
Real signed_convert(const char* first, const Decimal& number) noexcept {
    if (*first == '-' || *first == '+') ++first;  // std::from_chars takes no plus sign
    const Real value = convert<Real>(first, number.end);
    return number.negative ? -value : value;
}

}  // namespace

float round_float(const char* first, const Decimal& number) noexcept {
    return signed_convert<float>(first, number);
}

double round_double(const char* first, const Decimal& number) noexcept {
    return signed_convert<double>(first, number);
}

}  // namespace detail

bool is_special_number(const char* first, const char* last) noexcept {
    if (first != last && (*first == '-' || *first == '+')) ++first;
    const auto size = static_cast<std::size_t>(last - first);
    if (size != 3 && size != 8) return false;
    char lower[8];
    for (std::size_t i = 0; i < size; ++i) lower[i] = static_cast<char>(first[i] | 0x20);
    const std::string_view word(lower, size);
    return word == "nan" || word == "inf" || word == "infinity";
}

namespace {

template <class Real, class Convert>
NumberKind parse_whole(const char* first, const char* last, Real& value, Convert convert) noexcept {
    const Decimal number = scan_decimal(first);
    if (number.end != last || first == last) {
        return is_special_number(first, last) ? NumberKind::special : NumberKind::word;
    }
    value = convert(first, number);
    return std::isinf(value) ? NumberKind::overflow : NumberKind::finite;
}

}  // namespace

NumberKind parse_double(const char* first, const char* last, double& value) noexcept {
    return parse_whole(first, last, value, to_double);
}

NumberKind parse_float(const char* first, const char* last, float& value) noexcept {
    return parse_whole(first, last, value, to_float);
}

}  // namespace onlinear::text
