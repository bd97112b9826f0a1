#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// AROW with the squared loss: recursive least squares.
///
/// Crammer, Kulesza, Dredze. Machine Learning 91, 2013, section 2. The mean moves by the whole
/// error and confidence grows on every round, so with a full covariance the mean is ridge regression's.
struct LeastSquares {
    double r = 1.0;

    static constexpr const char* name = "LeastSquares";
    static constexpr const char* doc = "AROW with the squared loss: recursive least squares.";
    static constexpr Metric metric = Metric::gaussian;
    static constexpr bool rests_without_variance = true;
    static const char* refuses_regression(double epsilon) noexcept {
        return epsilon > 0 ? "rule.LeastSquares has no band in which errors are free; use epsilon=0"
                           : nullptr;
    }
    static constexpr auto parameters() {
        return std::tuple{
            positive("r", &LeastSquares::r, "trust in what is already known, against one example")};
    }

    Step step(const Evidence& e, const Clock&) const noexcept {
        const double trust = r / e.weight;
        return {.mean = (e.required - e.margin) / (e.variance + trust), .precision = 1 / trust};
    }
};

}  // namespace onlinear::rule
