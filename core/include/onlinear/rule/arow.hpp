#pragma once
#include <algorithm>

#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

inline constexpr std::array<const char*, 2> kArowLosses{"squared_hinge", "hinge"};

/// Adaptive Regularization of Weight Vectors, with the squared hinge and (AROW-H) the hinge.
///
/// Crammer, Kulesza, Dredze. Machine Learning 91, 2013, doi:10.1007/s10994-013-5327-x.
/// Minimises eq. (3): mean by eq. (12), confidence by eq. (14).
/// Departs from the paper: the required margin is the task's, not always 1.
struct Arow {
    enum Loss : int { kSquaredHinge, kHinge };
    double r = 1.0;
    int loss = kSquaredHinge;

    static constexpr const char* name = "Arow";
    static constexpr const char* doc = "Adaptive Regularization of Weight Vectors.";
    static constexpr Metric metric = Metric::either;
    static constexpr bool own_loop = true;
    static constexpr bool exact_already = true;  // its step is the optimum among diagonals
    const char* refuses_regression(double) const noexcept {
        return loss == kSquaredHinge ? nullptr : "rule.Arow learns regression with loss='squared_hinge'";
    }
    static constexpr auto parameters() {
        return std::tuple{positive("r", &Arow::r, "trust in what is already known, against one example"),
                          choice("loss", &Arow::loss, kArowLosses, "squared hinge, or hinge (AROW-H)")};
    }

    /// Whether nothing is learned at this margin, whatever its variance.
    static bool satisfied(double margin, double required) noexcept { return margin >= required; }

    [[gnu::always_inline]] Step step(const Evidence& e, const Clock&) const noexcept {
        const double missing = e.required - e.margin;
        if (missing <= 0) return {};  // eq. (8): confidence moves only when the mean does
        const double trust = e.weight == 1 ? r : r / e.weight;  // a division would be waited for
        if (loss == kSquaredHinge) return {.mean = missing / (e.variance + trust), .precision = 1 / trust};
        const double reach = e.variance > 0 ? missing / e.variance : 1 / trust;
        return {.mean = std::min(1 / (2 * trust), reach), .precision = 1 / trust};
    }
};

}  // namespace onlinear::rule
