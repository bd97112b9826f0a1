#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// The Perceptron.
///
/// Rosenblatt. Psychological Review 65, 1958. On a mistake mu += rate delta.
/// A score of zero is a mistake, so that learning starts from a mean of zero.
struct Perceptron {
    double rate = 1.0;  // only the scale of the mean depends on it

    static constexpr const char* name = "Perceptron";
    static constexpr Metric metric = Metric::mean;
    static constexpr auto parameters() { return std::tuple{positive("rate", &Perceptron::rate)}; }

    [[gnu::always_inline]] Step step(const Evidence& e, const Clock&) const noexcept {
        if (e.margin > 0) return {};
        return {.mean = e.weight * rate};
    }
};

}  // namespace onlinear::rule
