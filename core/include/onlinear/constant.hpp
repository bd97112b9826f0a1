#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "onlinear/numeric/within_range.hpp"

/// What somebody gets wrong who never looks at a row: who always answers the class met most often so far, or
/// the mean of the targets so far. A learner that is no better has learned nothing, whatever its error is
/// called.
///
/// Beside it: whether rows come in an order in which an error told on the way flatters.
namespace onlinear {

/// What a `MajorityClass` goes on from.
struct MajorityState {
    std::vector<std::int64_t> counts;  ///< of rows learned
    std::int32_t answer = -1;
    std::vector<std::int64_t> seen;  ///< of all rows
    std::int32_t last = -1;          ///< the class of the last row
    std::int64_t changes = 0;
};

/// Always the most frequent class so far; of equals the one that was there first.
class MajorityClass {
public:
    /// -1 where no class was met.
    std::int32_t answer() const noexcept { return answer_; }
    bool wrong(std::int32_t number) const noexcept { return number != answer_; }

    /// A row that is learned.
    void learn(std::int32_t number) {
        const std::int64_t met = ++at(counts_, number);
        if (answer_ < 0 || met > at(counts_, answer_)) answer_ = number;
    }

    /// A row in the order of the stream, learned or not.
    void pass(std::int32_t number) {
        ++at(seen_, number);
        changes_ += last_ >= 0 && number != last_;
        last_ = number;
    }

    /// How often a row had another class than the one before it.
    std::int64_t changes() const noexcept { return changes_; }

    /// How often it would have in random order: N - Σ n² / N for N rows, n of each class.
    double expected_changes() const noexcept {
        double rows = 0, squares = 0;
        for (const std::int64_t n : seen_) {
            rows += static_cast<double>(n);
            squares += static_cast<double>(n) * static_cast<double>(n);
        }
        return rows > 0 ? rows - squares / rows : 0;
    }

    MajorityState state() const { return {counts_, answer_, seen_, last_, changes_}; }
    explicit MajorityClass(MajorityState state = {})
        : counts_(std::move(state.counts)),
          seen_(std::move(state.seen)),
          answer_(state.answer),
          last_(state.last),
          changes_(state.changes) {
        const auto known = [](std::int32_t number, const std::vector<std::int64_t>& counts) {
            return number < 0 || static_cast<std::size_t>(number) < counts.size();
        };
        if (!known(answer_, counts_) || !known(last_, seen_))
            throw std::invalid_argument("a class that was never met");
    }

private:
    static std::int64_t& at(std::vector<std::int64_t>& counts, std::int32_t number) {
        const auto place = static_cast<std::size_t>(number);
        if (place >= counts.size()) counts.resize(place + 1);
        return counts[place];
    }

    std::vector<std::int64_t> counts_, seen_;
    std::int32_t answer_ = -1, last_ = -1;
    std::int64_t changes_ = 0;
};

/// What a `MeanTarget` goes on from: the mean of rows learned; of all rows their number, mean and squares
/// around it, the squared steps from row to row, and the last target.
struct MeanState {
    std::int64_t learned = 0;
    double mean = 0;
    std::int64_t seen = 0;
    double centre = 0, spread = 0, steps = 0, last = 0;
};

/// Always the mean of the targets so far, and 0 before the first.
class MeanTarget {
public:
    explicit MeanTarget(MeanState state = {}) : s_(state) {}
    const MeanState& state() const noexcept { return s_; }

    double error(double target) const noexcept { return std::abs(within_range(target - s_.mean)); }

    /// A row that is learned.
    void learn(double target) noexcept {
        ++s_.learned;
        s_.mean += within_range(target - s_.mean) / static_cast<double>(s_.learned);
    }

    /// A row in the order of the stream, learned or not.
    void pass(double target) noexcept {
        const double step = within_range(target - s_.last);
        if (s_.seen > 0) s_.steps = within_range(s_.steps + step * step);
        ++s_.seen;
        const double before = within_range(target - s_.centre);
        s_.centre += before / static_cast<double>(s_.seen);
        s_.spread = within_range(s_.spread + before * within_range(target - s_.centre));
        s_.last = target;
    }

    /// The squared steps from row to row, and what they would add up to in random order: twice the squares
    /// around the mean (von Neumann. Annals of Mathematical Statistics 12, 1941).
    double steps() const noexcept { return s_.steps; }
    double expected_steps() const noexcept { return within_range(2 * s_.spread); }

private:
    MeanState s_;
};

}  // namespace onlinear
