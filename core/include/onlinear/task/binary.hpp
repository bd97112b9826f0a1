#pragma once
#include "onlinear/task/task.hpp"

namespace onlinear::task {

/// Two classes: delta = y x with y = -1 for class 0 and +1 for class 1, required margin 1.
struct Binary {
    static constexpr const char* name = "Binary";
    static constexpr auto parameters() { return std::tuple{}; }

    std::size_t blocks() const noexcept { return 1; }
    bool valid(const Example& example) const noexcept { return example.label == 0 || example.label == 1; }

    template <class Belief, class T>
    Round round(Belief& belief, const rule::AnyRule& rule, const Row<T>& row, const Example& example,
                double* scores, const Clock& clock) {
        const double y = example.label == 1 ? 1.0 : -1.0;
        const Term term{0, y};
        const Terms terms(&term, 1);
        Sums seen;
        if constexpr (Belief::kFused) {
            seen = belief.look(row);
        } else {
            belief.scores(row, &seen.margin);
            seen.variance = belief.variance(row, terms);
        }
        scores[0] = seen.margin;
        Round round =
            answer(belief, rule, row, terms,
                   {.margin = y * seen.margin, .variance = seen.variance, .weight = example.weight}, clock);
        round.mistake = !(y * seen.margin > 0);
        return round;
    }

    void calibrate(Calibration& calibration, const double* scores, const Example& example,
                   bool fresh) const noexcept {
        if (fresh)
            calibration.observe_binary(scores[0], example.label == 1, example.weight);
        else
            calibration.follow_binary(scores[0]);
    }
};

}  // namespace onlinear::task
