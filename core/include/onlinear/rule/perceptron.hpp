#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// The Perceptron.
///
/// Rosenblatt. Psychological Review 65, 1958. On a mistake mu += rate delta.
/// A score of zero is a mistake, so that learning starts from a mean of zero.
struct Perceptron {
    double rate = 1.0;

    static constexpr const char* name = "Perceptron";
    static constexpr const char* doc = "The Perceptron: on a mistake, mu += rate delta.";
    static constexpr Metric metric = Metric::mean;
    static constexpr auto parameters() {
        return std::tuple{positive("rate", &Perceptron::rate,
                                   "length of a step; only the scale of the mean depends on it")};
    }

    [[gnu::always_inline]] Step step(const Evidence& e, const Clock&) const noexcept {
        if (e.margin > 0) return {};
        return {.mean = e.weight * rate};
    }
};

}  // namespace onlinear::rule
