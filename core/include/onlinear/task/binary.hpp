#pragma once
#include "onlinear/task/task.hpp"

namespace onlinear::task {

/// Two classes: delta = y x with y = -1 for class 0 and +1 for class 1, required margin 1.
struct Binary {
    static constexpr const char* name = "Binary";
    static constexpr auto parameters() { return std::tuple{}; }

    std::size_t blocks() const noexcept { return 1; }
    bool valid(const Example& example) const noexcept { return example.label == 0 || example.label == 1; }

    template <class Belief, class Rule, class T, class Meanwhile>
    [[gnu::always_inline]] Round round(Belief& belief, const Rule& rule, const Row<T>& row,
                                       const Example& example, double* scores, const Clock& clock,
                                       Meanwhile&& meanwhile) {
        const double y = static_cast<double>(2 * example.label - 1);  // no branch: labels cannot be foreseen
        const Term term{0, y};
        const Terms terms(&term, 1);
        Sums seen;
        if constexpr (Belief::kFused) {
            seen = belief.look(row);
        } else {
            belief.scores(row, &seen.margin);
            seen.variance = belief.variance(row, terms);
        }
        meanwhile();
        scores[0] = seen.margin;
        Round round =
            answer(belief, rule, row, terms,
                   {.margin = y * seen.margin, .variance = seen.variance, .weight = example.weight}, clock);
        round.mistake = !(y * seen.margin > 0);
        return round;
    }

    [[gnu::always_inline]] void calibrate(Calibration& calibration, const double* scores,
                                          const Example& example, bool fresh) const noexcept {
        if (fresh)
            calibration.observe_binary(scores[0], example.label == 1, example.weight);
        else
            calibration.follow_binary(scores[0]);
    }
};

}  // namespace onlinear::task
