#pragma once
#include <cmath>
#include <limits>

namespace onlinear::numeric {

inline double normal_density(double z) noexcept {
    constexpr double kInverseRootTwoPi = 0.39894228040143267794;
    return kInverseRootTwoPi * std::exp(-z * z / 2);
}

/// Phi(z), accurate in both tails.
inline double normal_cdf(double z) noexcept { return 0.5 * std::erfc(-z * 0.70710678118654752440); }

/// Phi^-1(p): a rational start in the tail variable, then Halley steps on Phi to full accuracy.
inline double normal_quantile(double p) noexcept {
    if (!(p > 0 && p < 1)) {
        if (p == 0) return -std::numeric_limits<double>::infinity();
        if (p == 1) return std::numeric_limits<double>::infinity();
        return std::nan("");
    }
    if (p == 0.5) return 0.0;
    const bool upper = p > 0.5;
    const double tail = upper ? 1 - p : p;
    // Abramowitz and Stegun 26.2.23, good to 4.5e-4; the steps below square and cube the error away.
    const double t = std::sqrt(-2 * std::log(tail));
    double z = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                         (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int iteration = 0; iteration < 4; ++iteration) {
        const double u = (normal_cdf(z) - tail) / normal_density(z);
        z -= u / (1 + z * u / 2);
    }
    return upper ? -z : z;
}

}  // namespace onlinear::numeric
