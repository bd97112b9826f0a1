#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// Relaxed Online Maximum Margin Algorithm, plain and aggressive.
///
/// Li, Long. Machine Learning 46, 2002. The shortest mean with w.delta >= 1 and
/// w.mu >= |mu|^2; plain ROMMA moves on mistakes, aggressive ROMMA below margin 1.
/// Departs from public code: the first mean is delta/|delta|^2, which solves the problem,
/// and a mean already implied by the new constraint is dropped (m >= |delta|^2 |mu|^2).
struct Romma {
    bool aggressive = false;

    static constexpr const char* name = "Romma";
    static constexpr const char* doc = "Relaxed Online Maximum Margin Algorithm.";
    static constexpr Metric metric = Metric::mean;
    static constexpr Parts uses() noexcept { return {.keep = true, .mean_norm = true}; }
    static constexpr auto parameters() {
        return std::tuple{
            flag("aggressive", &Romma::aggressive, "whether it moves below margin 1, not on mistakes alone")};
    }

    Step step(const Evidence& e, const Clock&) const noexcept {
        const double m = e.margin, n2 = e.variance, W = e.mean_norm;
        if ((aggressive ? m >= 1 : m > 0) || !(n2 > 0)) return {};
        const double product = n2 * W;
        const double D = product - m * m;
        // delta parallel to mu, or the old constraint implied by the new one: start again.
        if (W == 0 || m >= product || D <= e.resolution * product) return {.mean = 1 / n2, .keep = 0};
        return {.mean = W * (1 - m) / D, .keep = (product - m) / D};
    }
};

}  // namespace onlinear::rule
