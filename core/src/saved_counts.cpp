#include "onlinear/saved_counts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace onlinear {

std::vector<double> numbers_of(const Calibration& c) {
    return {c.scale, c.offset, c.h_ss, c.h_so, c.h_oo, static_cast<double>(c.rounds), c.square, c.centre};
}

Calibration calibration_from(std::span<const double> numbers) {
    if (numbers.size() != 7 && numbers.size() != 8)
        throw std::invalid_argument("state lacks its counters or its calibration");
    check_finite(numbers);
    Calibration c;
    c.scale = numbers[0];
    c.offset = numbers[1];
    c.h_ss = numbers[2];
    c.h_so = numbers[3];
    c.h_oo = numbers[4];
    c.rounds = static_cast<std::uint64_t>(std::clamp(numbers[5], 0.0, 9e15));
    c.square = numbers[6];
    c.centre = numbers.size() == 8 ? numbers[7] : 0.0;
    if (!c.possible()) throw std::invalid_argument("state holds a calibration that no learning makes");
    return c;
}

void check_finite(std::span<const double> numbers) {
    for (const double v : numbers)
        if (!std::isfinite(v)) throw std::invalid_argument("state holds a number that is not finite");
}

void check_counts(std::span<const double> counts, std::size_t size) {
    if (counts.size() != size) throw std::invalid_argument("state lacks its counters or its calibration");
    check_finite(counts);
    for (const double v : counts)
        if (v < 0) throw std::invalid_argument("state holds a negative count");
}

}  // namespace onlinear
