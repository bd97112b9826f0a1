#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace onlinear {

/// Where answers are cut, learned from the scores before each round, which are honest: for sets of labels the
/// probability from which a label is predicted, for one class the distance up to which a row is one of its
/// own.
///
/// Labels: F1 = 2 hits / (said + relevant) is largest where labels are predicted from half of that F1 on
/// (Busa-Fekete, Szorenyi, Dembczynski, Hullermeier. Online F-measure optimization. NIPS 2015), so the cut is
/// the running hits / (said + relevant), whose memory lengthens with time as the calibration's does: early
/// answers come from a model that knew little.
///
/// Distances: a quantile of the last ones. They are kept, since a quantile of a stream whose scale is unknown
/// has no shorter state that is as exact.
class Cut {
public:
    /// How many distances are kept: the share of rows outside is then within a percent of what was asked.
    static constexpr std::size_t kKept = 1024;

    // ------------------------------------------------------------------ labels

    /// The probability from which labels are predicted; nothing before any label was relevant or predicted.
    std::optional<double> probability() const noexcept {
        if (!(total_ > 0)) return std::nullopt;
        return hits_ / total_;
    }
    /// How many relevant labels were predicted, and how many were predicted or relevant, one row's.
    void observe_labels(double hits, double total, double weight) noexcept {
        ++rounds_;
        const double keep = 1 - 3 / (static_cast<double>(std::min<std::uint64_t>(rounds_, 100000)) + 30);
        weight = std::min(weight, 1e100);
        hits_ = keep * hits_ + weight * hits;
        total_ = keep * total_ + weight * total;
    }

    // ------------------------------------------------------------------ distances

    /// The distance that a share of the last rows lay beyond; nothing before there is one.
    std::optional<double> distance(double share) const noexcept {
        if (sorted_.empty()) return std::nullopt;
        const double within = std::ceil((1 - share) * static_cast<double>(sorted_.size()) * (1 - 1e-12));
        const auto place = static_cast<std::size_t>(std::max(within, 1.0));
        return sorted_[std::min(place, sorted_.size()) - 1];
    }
    /// The first row is not one to go by: there was no centre yet.
    void observe_distance(double distance) {
        if (++rounds_ == 1) return;
        sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), distance), distance);
        if (recent_.size() < kKept) {
            recent_.push_back(distance);
            return;
        }
        sorted_.erase(std::lower_bound(sorted_.begin(), sorted_.end(), recent_[oldest_]));
        recent_[oldest_] = distance;
        oldest_ = (oldest_ + 1) % kKept;
    }

    // ------------------------------------------------------------------ state

    /// Empty where nothing was learned; distances from the oldest on.
    std::vector<double> numbers() const {
        if (rounds_ == 0) return {};
        std::vector<double> out{static_cast<double>(rounds_), hits_, total_};
        for (std::size_t i = 0; i < recent_.size(); ++i)
            out.push_back(recent_[(oldest_ + i) % recent_.size()]);
        return out;
    }
    /// Throws std::invalid_argument for numbers that no learning makes.
    static Cut from(std::span<const double> numbers) {
        Cut cut;
        if (numbers.empty()) return cut;
        bool good = numbers.size() >= 3 && numbers.size() <= 3 + kKept;
        for (const double v : numbers) good = good && std::isfinite(v) && v >= 0;
        if (!good || numbers[0] > 9e15 || numbers[1] > numbers[2])
            throw std::invalid_argument("state holds a cut that no learning makes");
        cut.rounds_ = static_cast<std::uint64_t>(numbers[0]);
        cut.hits_ = numbers[1];
        cut.total_ = numbers[2];
        cut.recent_.assign(numbers.begin() + 3, numbers.end());
        cut.sorted_ = cut.recent_;
        std::sort(cut.sorted_.begin(), cut.sorted_.end());
        return cut;
    }

private:
    std::uint64_t rounds_ = 0;
    double hits_ = 0, total_ = 0;
    std::vector<double> recent_, sorted_;
    std::size_t oldest_ = 0;
};

}  // namespace onlinear
