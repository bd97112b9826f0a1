#pragma once
#include <algorithm>

#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

inline constexpr std::array<const char*, 3> kPassiveAggressiveVariants{"pa", "pa1", "pa2"};
inline constexpr std::array<const char*, 2> kWeighed{"price", "step"};

/// Passive-Aggressive: PA, PA-I and PA-II.
///
/// Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006. The nearest mean that
/// meets the required margin, with no slack, linear slack (price C) or squared slack.
/// Written on the variance of the belief's metric, which is |delta|^2 for a mean. Weights of examples may
/// multiply the step instead of the price, and PA-II may move an intercept that has no part in the variance
/// on a row of zeros: both as scikit-learn has it.
struct PassiveAggressive {
    enum Variant : int { kPa, kPa1, kPa2 };
    enum Weighed : int { kPrice, kStep };
    int variant = kPa1;
    double C = 1.0;
    int weighed = kPrice;

    static constexpr const char* name = "PassiveAggressive";
    static constexpr const char* doc = "Passive-Aggressive: PA, PA-I and PA-II.";
    static constexpr Metric metric = Metric::mean;
    static constexpr bool own_loop = true;
    static constexpr bool finds_centre = true;
    static constexpr bool moves_without_variance = true;
    static const char* refuses_regression(double) noexcept { return nullptr; }
    static constexpr auto parameters() {
        return std::tuple{
            choice("variant", &PassiveAggressive::variant, kPassiveAggressiveVariants,
                   "no slack, linear slack or squared slack"),
            positive("C", &PassiveAggressive::C, "price of missing the margin; small for noisy labels"),
            choice("weighed", &PassiveAggressive::weighed, kWeighed,
                   "what the weight of an example multiplies")};
    }

    /// Whether nothing is learned at this margin, whatever its variance.
    static bool satisfied(double margin, double required) noexcept { return margin >= required; }

    [[gnu::always_inline]] Step step(const Evidence& e, const Clock&) const noexcept {
        const double loss = e.required - e.margin;
        if (loss <= 0 || !(e.variance > 0 || (e.apart && variant == kPa2))) return {};
        const bool by_price = weighed == kPrice;
        const double price = by_price ? C * e.weight : C, times = by_price ? 1.0 : e.weight;
        switch (variant) {
            case kPa:
                return {.mean = times * (loss / e.variance)};
            case kPa1:
                return {.mean = times * std::min(price, loss / e.variance)};
            default:
                return {.mean = times * (loss / (e.variance + 1 / (2 * price)))};
        }
    }
};

}  // namespace onlinear::rule
