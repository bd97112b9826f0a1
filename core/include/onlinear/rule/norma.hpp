#pragma once
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

/// Naive Online R_reg Minimisation, linear.
///
/// Kivinen, Smola, Williamson. IEEE Transactions on Signal Processing 52, 2004. One gradient
/// step on max(0, rho - m) - nu rho + (lam/2)|mu|^2; rho is learned when nu is given.
struct Norma {
    double eta = 0.1;
    double lam = 0.01;
    double rho = 1.0;
    std::optional<double> nu;
    bool decay = false;

    static constexpr const char* name = "Norma";
    static constexpr const char* doc =
        "Gradient steps on a regularised hinge with an optional learned margin.";
    static constexpr Metric metric = Metric::mean;
    static constexpr bool moves_without_variance = true;
    static constexpr Parts uses() noexcept { return {.keep = true, .threshold = true}; }
    static constexpr auto parameters() {
        return std::tuple{positive("eta", &Norma::eta, "learning rate"),
                          nonnegative("lam", &Norma::lam, "regularisation: how fast old weights shrink"),
                          nonnegative("rho", &Norma::rho, "the margin, or where it starts when nu is given"),
                          optional_within("nu", &Norma::nu, Range{.low = 0.0, .high = 1.0},
                                          "share of examples allowed below the margin; None keeps rho"),
                          flag("decay", &Norma::decay, "whether the rate is eta / sqrt(t)")};
    }
    double initial_threshold() const noexcept { return rho; }

    Step step(const Evidence& e, const Clock& clock) const noexcept {
        const double rate = e.weight * (decay ? eta / std::sqrt(static_cast<double>(clock.round)) : eta);
        const double s = e.margin <= e.threshold ? 1.0 : 0.0;
        // A zero vector has no direction to move in; the shrink and rho move all the same.
        return {.mean = e.variance > 0 ? rate * s : 0.0,
                .keep = 1 - std::min(rate * lam, 1.0),
                .threshold = nu ? rate * (*nu - s) : 0.0};
    }
};

}  // namespace onlinear::rule
