#pragma once
#include <array>
#include <cmath>
#include <concepts>
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

// What a rule may declare beyond `name`, `metric`, `parameters()` and `step(evidence, clock)`.

/// It uses more of a step or of the evidence than a move along the demand; see `Parts`.
template <class R>
concept UsesParts = requires(const R rule) {
    { rule.uses() } -> std::same_as<Parts>;
};
/// The belief's threshold starts at this.
template <class R>
concept StartsThreshold = requires(const R rule) {
    { rule.initial_threshold() } -> std::same_as<double>;
};
/// The mean stays inside an L1 ball of this radius; such a rule uses `Parts::l1_ball`.
template <class R>
concept GivesRadius = requires(const R rule) {
    { rule.l1_radius() } -> std::same_as<double>;
};
/// On a diagonal it is defined for projection='drop' alone.
template <class R>
concept DropOnly = R::drop_only;
/// It has a step that is optimal among diagonals; `profile` holds each feature's part of the variance.
template <class R>
concept HasExactStep = requires(const R rule, const Evidence e, std::span<const double> profile) {
    { rule.exact_step(e, profile) } -> std::same_as<Step>;
};
/// Its plain step is optimal among diagonals already.
template <class R>
concept ExactAlready = R::exact_already;
/// Its steps are also right for real targets; it says why not where its parameters, or a band of this
/// half-width, forbid it (null: they do not).
template <class R>
concept LearnsRegression = requires(const R rule, double epsilon) {
    { rule.refuses_regression(epsilon) } -> std::same_as<const char*>;
};
/// Its steps also lead to the centre of one class.
template <class R>
concept FindsCentre = R::finds_centre;
template <class R>
using FitsCentre = std::bool_constant<FindsCentre<R>>;
/// It learns nothing at some margins whatever the variance, which then need not be read.
template <class R>
concept KnowsSatisfied = requires(double margin, double required) {
    { R::satisfied(margin, required) } -> std::same_as<bool>;
};
/// It takes steps on demands without variance on every belief (NORMA shrinks the mean and moves rho).
template <class R>
concept MovesWithoutVariance = R::moves_without_variance;
/// It takes none on any belief, also on those that keep points without length.
template <class R>
concept RestsWithoutVariance = R::rests_without_variance;

/// It is used so often that loops over short rows are compiled for it alone.
template <class R>
concept OwnLoop = R::own_loop;

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
