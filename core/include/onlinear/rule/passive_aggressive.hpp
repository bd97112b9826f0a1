#pragma once
#include <algorithm>

#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

inline constexpr std::array<const char*, 3> kPassiveAggressiveVariants{"pa", "pa1", "pa2"};

/// Passive-Aggressive: PA, PA-I and PA-II.
///
/// Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006. The nearest mean that
/// meets the required margin, with no slack, linear slack (price C) or squared slack.
/// Written on the variance of the belief's metric, which is |delta|^2 for a mean.
struct PassiveAggressive {
    enum Variant : int { kPa, kPa1, kPa2 };
    int variant = kPa1;
    double C = 1.0;

    static constexpr const char* name = "PassiveAggressive";
    static constexpr const char* doc = "Passive-Aggressive: PA, PA-I and PA-II.";
    static constexpr Metric metric = Metric::mean;
    static constexpr bool own_loop = true;
    static constexpr bool finds_centre = true;
    static const char* refuses_regression(double) noexcept { return nullptr; }
    static constexpr auto parameters() {
        return std::tuple{
            choice("variant", &PassiveAggressive::variant, kPassiveAggressiveVariants,
                   "no slack, linear slack or squared slack"),
            positive("C", &PassiveAggressive::C, "price of missing the margin; small for noisy labels")};
    }

    /// Whether nothing is learned at this margin, whatever its variance.
    static bool satisfied(double margin, double required) noexcept { return margin >= required; }

    [[gnu::always_inline]] Step step(const Evidence& e, const Clock&) const noexcept {
        const double loss = e.required - e.margin;
        if (loss <= 0 || !(e.variance > 0)) return {};
        const double price = C * e.weight;
        switch (variant) {
            case kPa:
                return {.mean = loss / e.variance};
            case kPa1:
                return {.mean = std::min(price, loss / e.variance)};
            default:
                return {.mean = loss / (e.variance + 1 / (2 * price))};
        }
    }
};

}  // namespace onlinear::rule
