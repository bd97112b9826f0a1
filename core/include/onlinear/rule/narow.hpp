#pragma once
#include <algorithm>

#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

inline constexpr std::array<const char*, 2> kNarowForms{"theta", "coupled"};

/// NAROW: AROW with a trust that adapts to the variance.
///
/// Orabona, Crammer. NIPS 2010. theta += delta, and Sigma^-1 gains (b - 1/v) delta delta' when b v > 1.
/// "coupled" is another reading found in public code: AROW's step with r = v/(b v - 1), nothing
/// otherwise. On a full belief "theta" is the paper's; on `belief.Information` it is its diagonal form.
struct Narow {
    enum Form : int { kTheta, kCoupled };
    double b = 1.0;
    int form = kTheta;

    static constexpr const char* name = "Narow";
    static constexpr const char* doc = "NAROW: AROW with an adaptive trust.";
    static constexpr Metric metric = Metric::gaussian;
    static constexpr auto parameters() {
        return std::tuple{positive("b", &Narow::b, "most precision that one example may bring"),
                          choice("form", &Narow::form, kNarowForms,
                                 "the paper's step on theta, or AROW's with the same gain")};
    }

    Step step(const Evidence& e, const Clock&) const noexcept {
        const double missing = e.required - e.margin;
        if (missing <= 0 || !(e.variance > 0)) return {};
        const double gain = std::max(0.0, b - 1 / e.variance);
        if (form == kCoupled) {
            if (gain == 0) return {};
            return {.mean = gain * missing / (1 + gain * e.variance), .precision = gain};
        }
        // theta gains delta whole: the required margin decides whether to learn, not how much.
        return {.mean = (1 - gain * e.margin) / (1 + gain * e.variance), .precision = gain};
    }
};

}  // namespace onlinear::rule
