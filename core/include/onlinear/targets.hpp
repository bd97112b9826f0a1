#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace onlinear {

/// Where targets lie and how far they scatter: a running centre, and the mean distance from it.
///
/// A learner of targets y learns (y - centre) / size, numbers of size one around zero whatever y counts, and
/// answers centre + size * score: prices, steps and errors that cost nothing are in sizes. One target is
/// taken to lie no more than kMost sizes away, so none decides them alone, and none is learned from further
/// away; early ones are forgotten as the cube of time.
class Targets {
public:
    /// Far beyond what scatters, and near enough for targets that are seldom anything but zero.
    static constexpr double kMost = 30;
    /// How many targets are remembered, at most: centre and size follow a stream that changes.
    static constexpr double kMemory = 100000;

    void observe(double target) noexcept {
        const double gap = within(target) - centre_;
        count_ = std::min(count_ + 1, kMemory);
        if (count_ == 1) {
            centre_ = within(target);
        } else if (!(size_ > 0)) {
            size_ = std::abs(gap);
        } else {
            const double share = 3 / (count_ + 2), sizes = std::clamp(gap / size_, -kMost, kMost);
            centre_ += share * sizes * size_;
            size_ += share * (std::abs(sizes) - 1) * size_;
        }
    }

    /// A target in sizes from the centre.
    double standard(double target) const noexcept {
        return std::clamp((within(target) - centre_) / unit(), -kMost, kMost);
    }
    /// The target that a score means.
    double answer(double score) const noexcept { return centre_ + unit() * score; }

    double centre() const noexcept { return centre_; }
    /// The size; 1 before two targets have differed.
    double unit() const noexcept { return size_ > 0 ? size_ : 1.0; }

    /// Empty where nothing was learned.
    std::vector<double> numbers() const {
        if (count_ == 0) return {};
        return {count_, centre_, size_};
    }
    /// Throws std::invalid_argument for numbers that no learning makes.
    static Targets from(std::span<const double> numbers) {
        Targets targets;
        if (numbers.empty()) return targets;
        bool good = numbers.size() == 3;
        for (const double v : numbers) good = good && std::isfinite(v);
        if (!good || !(numbers[0] >= 1 && numbers[0] <= kMemory) || std::abs(numbers[1]) > 2 * kLargest ||
            !(numbers[2] >= 0 && numbers[2] <= 4 * kLargest))
            throw std::invalid_argument("state holds a centre and a size of targets that no learning makes");
        targets.count_ = numbers[0];
        targets.centre_ = numbers[1];
        targets.size_ = numbers[2];
        return targets;
    }

private:
    /// Targets past it are taken for it: their distances must be numbers.
    static constexpr double kLargest = 1e300;
    static double within(double target) noexcept { return std::clamp(target, -kLargest, kLargest); }

    double count_ = 0, centre_ = 0, size_ = 0;
};

}  // namespace onlinear
