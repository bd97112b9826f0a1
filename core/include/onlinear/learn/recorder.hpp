#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "onlinear/best.hpp"
#include "onlinear/learner.hpp"
#include "onlinear/rows/stage.hpp"
#include "onlinear/simd/simd.hpp"

namespace onlinear {

/// Writes the record of the rounds of one lesson.
class Recorder {
public:
    Recorder(const RowLearner& learner, const Matrix& matrix, const Lesson& lesson)
        : learner_(learner), matrix_(matrix), to_(lesson.record), scores_(learner.blocks()) {}

    /// Asks for the score of a row as a prediction would, to the bit; called before anything is learned of
    /// it. A row that cannot be scored will be refused, or has no score.
    void ask(std::size_t index) {
        if (!to_.asks) return;
        std::int64_t ends[2];
        Matrix one = matrix_.part(index, 1);
        const bool read = alone(one, ends) && !learner_.read(one, Reading::scores, scores_.data(), 1);
        if (!read) std::fill(scores_.begin(), scores_.end(), kNone);
    }

    template <class T>
    void write(std::size_t i, const Row<T>& row, const task::Example& example, const Witness& witness,
               const Round& round) const {
        double* const to = to_.rows + i * kRoundFields;
        const Evidence& e = witness.seen;
        const double missing = e.required - e.margin;
        to[kScore] = to_.asks ? oriented(static_cast<std::size_t>(example.label)) : kNone;
        to[kPredicted] = to_.asks ? predicted() : -1.0;
        to[kMargin] = e.margin;
        to[kRequired] = e.required;
        to[kLoss] = example.weight == 0 ? kNone : missing > 0 ? missing : 0.0;
        to[kVariance] = e.variance;
        to[kStep] = witness.step.mean;
        to[kGain] = witness.step.precision;
        to[kNorm] = std::sqrt(simd<T>().norm2(row.value, row.size));
        to[kWeight] = example.weight;
        to[kCost] = round.cost;
        // Of two classes the second may not have come yet.
        const bool there = witness.rival < static_cast<std::int64_t>(to_.ranking.size());
        to[kRival] = there ? witness.rival : -1;
        to[kMistake] = round.mistake;
        to[kUpdated] = round.updated;
    }

private:
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

    /// Leaves of a sparse matrix what its one row has: what is read depends on how much there is to read.
    static bool alone(Matrix& one, std::int64_t* ends) noexcept {
        if (!one.sparse()) return true;
        std::uint64_t first = 0, last = 0;
        if (!(one.indptr_type == IndexType::i32 ? staging::row_bounds<std::int32_t>(one, 0, first, last)
                                                : staging::row_bounds<std::int64_t>(one, 0, first, last)))
            return false;
        const auto at = [first](const void* from, std::size_t size) -> const void* {
            return static_cast<const char*>(from) + first * size;
        };
        one.values = at(one.values, one.value_type == ValueType::f32 ? 4 : 8);
        one.indices = at(one.indices, one.index_type == IndexType::i32 ? 4 : 8);
        one.entries = last - first;
        ends[0] = 0;
        ends[1] = static_cast<std::int64_t>(one.entries);
        one.indptr = ends;
        one.indptr_type = IndexType::i64;
        return true;
    }

    /// Towards the second of two classes; of more, that of the right one.
    double oriented(std::size_t label) const noexcept {
        const auto& ranking = to_.ranking;
        if (scores_.size() == 1) return ranking.size() == 2 && ranking[1] == 0 ? -scores_[0] : scores_[0];
        if (ranking.size() < 2) return scores_[1] - scores_[0];
        if (ranking.size() == 2) return scores_[ranking[1]] - scores_[ranking[0]];
        return scores_[label];
    }

    double predicted() const {
        if (to_.ranking.empty() || std::isnan(scores_[0])) return -1.0;
        std::int64_t place;
        choose(scores_.data(), 1, scores_.size(), to_.ranking, &place);
        return static_cast<double>(to_.ranking[static_cast<std::size_t>(place)]);
    }

    const RowLearner& learner_;
    const Matrix& matrix_;
    const RecordTo to_;
    std::vector<double> scores_;
};

}  // namespace onlinear
