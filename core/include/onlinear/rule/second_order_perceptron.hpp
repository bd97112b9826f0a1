#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// Second-order Perceptron.
///
/// Cesa-Bianchi, Conconi, Gentile. SIAM Journal on Computing 34, 2005. On a mistake A += delta delta'
/// and theta += delta; in mean and covariance this is AROW with r = 1 on mistakes only. The paper's score
/// counts the current instance: use it with `inclusive` beliefs.
struct SecondOrderPerceptron {
    static constexpr const char* name = "SecondOrderPerceptron";
    static constexpr const char* doc = "The second-order Perceptron.";
    static constexpr Metric metric = Metric::gaussian;
    static constexpr auto parameters() { return std::tuple{}; }

    Step step(const Evidence& e, const Clock&) const noexcept {
        if (e.margin > 0) return {};
        return {.mean = (1 - e.margin) / (1 + e.variance), .precision = 1};
    }
};

}  // namespace onlinear::rule
