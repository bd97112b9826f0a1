#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// AdaGrad with regularised dual averaging and an L1 penalty.
///
/// Duchi, Hazan, Singer. JMLR 12, 2011. The rule is the hinge's gradient; the sums of gradients and of
/// their squares, and the mean derived from them, are `belief.DualAveraging`.
struct AdagradRda {
    static constexpr const char* name = "AdagradRda";
    static constexpr const char* doc = "The hinge's gradient, for dual averaging.";
    static constexpr Metric metric = Metric::dual;
    static constexpr auto parameters() { return std::tuple{}; }

    Step step(const Evidence& e, const Clock&) const noexcept {
        if (e.margin >= e.required) return {};
        return {.mean = e.weight};
    }
};

}  // namespace onlinear::rule
