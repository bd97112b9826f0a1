#pragma once
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "onlinear/evidence.hpp"

/// What every rule file needs: the declaration of parameters, and the beliefs a rule can use.
///
/// `parameters()` of a rule is the single declaration: the Python class, its checks,
/// its `repr` and the tables in the documentation follow from it.
namespace onlinear::rule {

/// The metric a rule is written in, and the one a belief keeps.
enum class Metric {
    mean,      // a first-order belief: Sigma frozen at I
    gaussian,  // a belief whose covariance learns
    either,    // both (AROW, which on a mean is Passive-Aggressive; belief.Kernel)
    dual,      // a belief whose mean is derived from sums of gradients
};
/// Whether a rule of one metric can be learned on a belief of the other.
constexpr bool meet(Metric a, Metric b) noexcept {
    return a == b || (a == Metric::either && b != Metric::dual) || (b == Metric::either && a != Metric::dual);
}

struct Range {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    bool low_open = true;
    bool high_open = true;

    bool contains(double value) const noexcept {
        if (std::isnan(value)) return false;
        if (low_open ? value <= low : value < low) return false;
        return !(high_open ? value >= high : value > high);
    }
};

template <class Rule, class Value>
struct Parameter {
    const char* name;
    Value Rule::* member;
    Range range{};
    std::span<const char* const> choices{};  // for enumerations stored as int
    const char* doc = "";
};

template <class R>
constexpr auto positive(const char* name, double R::* member, const char* doc = "") {
    return Parameter<R, double>{name, member, Range{.low = 0.0}, {}, doc};
}
template <class R>
constexpr auto nonnegative(const char* name, double R::* member, const char* doc = "") {
    return Parameter<R, double>{name, member, Range{.low = 0.0, .low_open = false}, {}, doc};
}
template <class R>
constexpr auto within(const char* name, double R::* member, Range range, const char* doc = "") {
    return Parameter<R, double>{name, member, range, {}, doc};
}
template <class R>
constexpr auto optional_within(const char* name, std::optional<double> R::* member, Range range,
                               const char* doc = "") {
    return Parameter<R, std::optional<double>>{name, member, range, {}, doc};
}
template <class R>
constexpr auto flag(const char* name, bool R::* member, const char* doc = "") {
    return Parameter<R, bool>{name, member, Range{}, {}, doc};
}
template <class R>
constexpr auto choice(const char* name, int R::* member, std::span<const char* const> choices,
                      const char* doc = "") {
    return Parameter<R, int>{name, member, Range{}, choices, doc};
}

/// A positive whole number, or None (stored as 0) for "all".
template <class R>
constexpr auto count_or_none(const char* name, std::size_t R::* member, const char* doc = "") {
    return Parameter<R, std::size_t>{name, member, Range{}, {}, doc};
}

/// A square matrix of prices, row-major: not negative, nothing on the diagonal.
template <class R>
constexpr auto square(const char* name, std::vector<double> R::* member, const char* doc = "") {
    return Parameter<R, std::vector<double>>{name, member, Range{}, {}, doc};
}

inline std::size_t side(const std::vector<double>& matrix) noexcept {
    return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(matrix.size()))));
}

/// "greater than 0", "in [0.5, 1)": the words of an error message.
inline std::string describe(const Range& range) {
    char text[96];
    const bool bounded_above = std::isfinite(range.high);
    if (!bounded_above && range.low_open) {
        std::snprintf(text, sizeof text, "greater than %g", range.low);
    } else if (!bounded_above) {
        std::snprintf(text, sizeof text, "at least %g", range.low);
    } else {
        std::snprintf(text, sizeof text, "in %c%g, %g%c", range.low_open ? '(' : '[', range.low, range.high,
                      range.high_open ? ')' : ']');
    }
    return text;
}

/// Checks every declared parameter; throws `std::invalid_argument` naming the first that is wrong.
template <class R>
void validate(const R& rule) {
    const auto check = [&](const auto& parameter) {
        using Value = std::remove_cvref_t<decltype(rule.*(parameter.member))>;
        double value = 0.0;
        if constexpr (std::is_same_v<Value, double>) {
            value = rule.*(parameter.member);
        } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
            if (!(rule.*(parameter.member))) return;
            value = *(rule.*(parameter.member));
        } else {
            return;
        }
        // An infinite price is the limit PA = PA-I(inf); everything else must be finite.
        if (!parameter.range.contains(value)) {
            char got[64];
            std::snprintf(got, sizeof got, ", got %.17g", value);
            throw std::invalid_argument(std::string(parameter.name) + " must be " +
                                        describe(parameter.range) + got);
        }
    };
    std::apply([&](const auto&... parameter) { (check(parameter), ...); }, R::parameters());
}

}  // namespace onlinear::rule
