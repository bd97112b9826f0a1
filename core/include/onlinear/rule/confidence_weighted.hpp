#pragma once
#include <algorithm>

#include "onlinear/numeric/root.hpp"
#include "onlinear/rule/rule.hpp"

namespace onlinear::rule {

inline constexpr std::array<const char*, 2> kConfidenceConstraints{"variance", "stdev"};

/// The steps shared by Confidence-Weighted and Soft Confidence-Weighted learning.
namespace confidence {

/// Standard deviation of the margin after the step, eq. (28): the root of
/// s^2 + alpha v phi s - v, in the form that does not cancel.
inline double deviation_after(double alpha, double v, double phi) noexcept {
    const double a = alpha * v * phi;
    return 2 * v / (a + std::sqrt(a * a + 4 * v));
}

/// Eq. (31): alpha of min KL s.t. m >= phi sqrt(v), for m < phi sqrt(v).
inline double alpha_stdev(double m, double v, double phi) noexcept {
    const double phi2 = phi * phi, p1 = 1 + phi2 / 2, p2 = 1 + phi2;
    const double root = std::sqrt(m * m * phi2 * phi2 / 4 + v * phi2 * p2);
    if (m > 0) return (v * phi2 - m * m) / (v * (m * p1 + root));
    return (-m * p1 + root) / (v * p2);
}

/// The step of a given alpha under the standard-deviation constraint: gain = alpha phi / sqrt(v+).
inline Step step_stdev(double alpha, double v, double phi) noexcept {
    if (!(alpha > 0)) return {};
    return {.mean = alpha, .precision = alpha * phi / deviation_after(alpha, v, phi)};
}

}  // namespace confidence

/// Confidence-Weighted learning.
///
/// Crammer, Dredze, Pereira. JMLR 13, 2012. The nearest Gaussian (KL) that is right with
/// confidence Phi(phi): mean margin at least phi times its variance ("variance", section 5.1) or
/// phi times its standard deviation ("stdev", section 5.2, eqs. 27, 28 and 31).
/// Departs from the paper: stable forms of both roots, and the brackets of the exact diagonal
/// search (section 6.2), which are printed too low.
struct ConfidenceWeighted {
    enum Constraint : int { kVariance, kStdev };
    int constraint = kVariance;
    double phi = 1.2815515655446004;  // Phi^-1(0.9)

    static constexpr const char* name = "ConfidenceWeighted";
    static constexpr const char* doc =
        "Confidence-Weighted learning, variance or standard-deviation constraint.";
    static constexpr Metric metric = Metric::gaussian;
    static constexpr auto parameters() {
        return std::tuple{choice("constraint", &ConfidenceWeighted::constraint, kConfidenceConstraints,
                                 "what phi multiplies: the margin's variance or its standard deviation"),
                          nonnegative("phi", &ConfidenceWeighted::phi,
                                      "quantile of the confidence asked for; 1.28 is that of 0.9")};
    }

    Step step(const Evidence& e, const Clock&) const noexcept {
        const double m = e.margin, v = e.variance;
        if (!(v > 0)) return {};
        if (constraint == kStdev) {
            if (m >= phi * std::sqrt(v)) return {};
            return confidence::step_stdev(confidence::alpha_stdev(m, v, phi), v, phi);
        }
        if (m >= phi * v) return {};
        const double B = 1 + 2 * phi * m;
        const double less = 1 - 2 * phi * m;
        const double root = std::sqrt(less * less + 8 * phi * phi * v);
        const double alpha = B > 0 ? 2 * (phi * v - m) / (v * (B + root)) : (root - B) / (4 * phi * v);
        return {.mean = alpha, .precision = 2 * alpha * phi};
    }

    /// The optimum over diagonal covariances; `profile` is q_p = sigma_p delta_p^2, all positive.
    Step exact_step(const Evidence& e, std::span<const double> profile) const noexcept {
        const double m = e.margin, v = e.variance;
        if (constraint == kStdev) {
            const double sd = std::sqrt(v);
            if (m >= phi * sd) return {};
            const double phi2 = phi * phi;
            // g has a pole where the new margin m + a v vanishes, so search on the margin itself.
            const double margin = numeric::increasing_root(
                0.0, phi * sd,
                [&](double s) {
                    const double a = (s - m) / v;
                    double value = s, slope = 1;
                    for (const double q : profile) {
                        const double denominator = s + a * phi2 * q;
                        value -= phi2 * q / denominator;
                        slope += phi2 * q * (1 + phi2 * q / v) / (denominator * denominator);
                    }
                    return std::pair{value, slope};
                },
                std::max(0.0, m));
            const double alpha = (margin - m) / v;
            if (!(alpha > 0) || !(margin > 0)) return {.mean = std::max(0.0, alpha)};
            return {.mean = alpha, .precision = alpha * phi2 / margin};
        }
        if (m >= phi * v) return {};
        const double alpha =
            numeric::increasing_root(std::max(0.0, -m / v), (phi * v - m) / v, [&](double a) {
                double value = m + a * v, slope = v;
                for (const double q : profile) {
                    const double shrink = 1 / (1 + 2 * a * phi * q);
                    value -= phi * q * shrink;
                    slope += 2 * phi * q * phi * q * shrink * shrink;
                }
                return std::pair{value, slope};
            });
        return {.mean = alpha, .precision = 2 * alpha * phi};
    }
};

}  // namespace onlinear::rule
