#pragma once
#include <span>
#include <vector>

#include "onlinear/calibration.hpp"

/// What a saved state holds besides the belief's: the calibration and the counts, as plain numbers.
namespace onlinear {

std::vector<double> numbers_of(const Calibration& calibration);

/// Throws std::invalid_argument for numbers that no learning makes. Files from before scores were centred
/// hold one number less.
Calibration calibration_from(std::span<const double> numbers);

/// Throws std::invalid_argument for a number that is not finite.
void check_finite(std::span<const double> numbers);

/// Throws std::invalid_argument unless there are `size` counts, finite and not negative.
void check_counts(std::span<const double> counts, std::size_t size);

}  // namespace onlinear
