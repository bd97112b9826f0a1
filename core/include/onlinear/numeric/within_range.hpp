#pragma once
#include <algorithm>
#include <limits>

namespace onlinear {

/// What lies past the largest number is taken for it: units may be so large that weights in them are, and
/// sums of costs and errors; no file holds an infinity.
inline double within_range(double value) noexcept {
    constexpr double kMost = std::numeric_limits<double>::max();
    return std::clamp(value, -kMost, kMost);
}

}  // namespace onlinear
