#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// Improved Ellipsoid method.
///
/// Yang, Jin, Ye. ICML 2009. On a mistake the margin becomes 1 and the covariance shrinks along delta
/// by c_t and grows by 1/(1 - c_t) elsewhere, c_t = c b^(t-1); t counts all rounds.
struct Iellip {
    double c = 0.5;
    double b = 0.3;

    static constexpr const char* name = "Iellip";
    static constexpr const char* doc = "The improved ellipsoid method.";
    static constexpr Metric metric = Metric::gaussian;
    static constexpr Parts uses() noexcept { return {.spread = true}; }
    static constexpr bool drop_only = true;  // Sigma may grow, so no KL projection is defined
    static constexpr auto parameters() {
        return std::tuple{
            within("c", &Iellip::c, Range{.low = 0.0, .high = 1.0, .low_open = false},
                   "share of the variance a first mistake takes away"),
            within("b", &Iellip::b, Range{.low = 0.0, .high = 1.0}, "decay of that share with every round")};
    }
    double rate(const Clock& clock) const noexcept {
        return c * std::pow(b, static_cast<double>(clock.round - 1));
    }

    Step step(const Evidence& e, const Clock& clock) const noexcept {
        if (e.margin > 0 || !(e.variance > 0)) return {};
        const double ct = rate(clock);
        return {.mean = (1 - e.margin) / e.variance,
                .precision = ct / e.variance / (1 - ct),
                .spread = 1 / (1 - ct)};
    }
};

}  // namespace onlinear::rule
