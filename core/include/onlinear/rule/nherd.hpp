#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// Normal Herd.
///
/// Crammer, Lee. NIPS 2010. The mean solves AROW's problem with r = 1/C; the covariance is
/// carried by the linear map that herds the distribution: gain 2C + C^2 v.
/// On a diagonal belief, "drop", "kl" (the paper's "project") and "exact" (the map itself diagonal).
struct Nherd {
    double C = 1.0;

    static constexpr const char* name = "Nherd";
    static constexpr const char* doc = "Normal Herd.";
    static constexpr Metric metric = Metric::gaussian;
    static constexpr auto parameters() {
        return std::tuple{positive("C", &Nherd::C, "price of missing the margin; small for noisy labels")};
    }

    Step step(const Evidence& e, const Clock&) const noexcept {
        const double missing = e.required - e.margin;
        if (missing <= 0) return {};
        const double price = C * e.weight;
        return {.mean = missing / (e.variance + 1 / price), .precision = price * (2 + price * e.variance)};
    }

    Step exact_step(const Evidence& e, std::span<const double>) const noexcept {
        Step step = this->step(e, Clock{});
        if (step.updates()) {
            step.precision = C * e.weight;  // sigma / (1 + C q)^2
            step.power = 2;
        }
        return step;
    }
};

}  // namespace onlinear::rule
