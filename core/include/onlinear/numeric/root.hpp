#pragma once
#include <cmath>
#include <utility>

namespace onlinear::numeric {

/// Root of an increasing function on [low, high], by Newton steps kept inside a shrinking bracket.
///
/// `f` returns value and slope. Where a Newton step would leave the bracket, or does not
/// halve it, the interval is bisected, so convergence is certain and usually quadratic. `start`
/// is a first guess; by default the upper end.
template <class F>
double increasing_root(double low, double high, F&& f, double start = std::nan("")) {
    double x = start > low && start < high ? start : high;
    for (int iteration = 0; iteration < 200; ++iteration) {
        const auto [value, slope] = f(x);
        if (value == 0) return x;
        (value > 0 ? high : low) = x;
        double next = x - value / slope;
        if (!(next > low && next < high)) next = low + (high - low) / 2;
        if (next == x || std::abs(next - x) <= 1e-16 * std::abs(x)) return next;
        if (next == low || next == high) return next;
        x = next;
    }
    return x;
}

}  // namespace onlinear::numeric
