#pragma once
#include <algorithm>

#include "onlinear/rule/confidence_weighted.hpp"

namespace onlinear::rule {

inline constexpr std::array<const char*, 2> kSoftPenalties{"linear", "squared"};

/// Soft Confidence-Weighted learning: SCW-I (linear penalty) and SCW-II (squared).
///
/// Wang, Zhao, Hoi. ICML 2012. Propositions 1 and 2: CW with the standard-deviation
/// constraint made soft at price C, so that one wrong label cannot throw the mean away.
struct SoftConfidenceWeighted {
    enum Penalty : int { kLinear, kSquared };
    int penalty = kLinear;
    double C = 1.0;
    double phi = 1.2815515655446004;  // Phi^-1(0.9)

    static constexpr const char* name = "SoftConfidenceWeighted";
    static constexpr const char* doc = "Soft Confidence-Weighted learning: SCW-I (linear), SCW-II (squared).";
    static constexpr Metric metric = Metric::gaussian;
    static constexpr bool own_loop = true;
    static constexpr auto parameters() {
        return std::tuple{
            choice("penalty", &SoftConfidenceWeighted::penalty, kSoftPenalties,
                   "on what is missing: SCW-I or SCW-II"),
            positive("C", &SoftConfidenceWeighted::C, "price of missing the margin; small for noisy labels"),
            nonnegative("phi", &SoftConfidenceWeighted::phi,
                        "quantile of the confidence asked for; 1.28 is that of 0.9")};
    }

    [[gnu::always_inline]] Step step(const Evidence& e, const Clock&) const noexcept {
        const double m = e.margin, v = e.variance, price = C * e.weight;
        if (!(v > 0) || m >= phi * std::sqrt(v)) return {};
        if (penalty == kLinear)
            return confidence::step_stdev(std::min(price, confidence::alpha_stdev(m, v, phi)), v, phi);
        const double phi2 = phi * phi, n = v + 1 / (2 * price);
        const double gamma = phi * std::sqrt(phi2 * m * m * v * v + 4 * n * v * (n + v * phi2));
        const double alpha = m > 0 ? 2 * (phi2 * v - m * m) / (m * (2 * n + phi2 * v) + gamma)
                                   : (-m * (2 * n + phi2 * v) + gamma) / (2 * n * (n + v * phi2));
        return confidence::step_stdev(alpha, v, phi);
    }
};

}  // namespace onlinear::rule
