#pragma once
#include "onlinear/task/task.hpp"

namespace onlinear::task {

/// Two classes: delta = y x with y = -1 for class 0 and +1 for class 1, required margin 1.
struct Binary {
    static constexpr const char* name = "Binary";
    static constexpr bool kPlain = true;
    static constexpr bool kTwoClasses = true;
    static constexpr bool kReadsVariance = true;
    static constexpr const char* doc = "Two classes.";
    static constexpr auto parameters() { return std::tuple{}; }

    std::size_t blocks() const noexcept { return 1; }
    bool valid(const Example& example) const noexcept { return example.label == 0 || example.label == 1; }

    template <class Belief, class Rule, class T>
    [[gnu::always_inline]] Sums look(Belief& belief, const Rule&, const Row<T>& row, const Example&,
                                     double* scores) const {
        return see(belief, row, scores);
    }

    template <class Belief, class Rule, class T>
    [[gnu::always_inline]] Round round(Belief& belief, const Rule& rule, const Row<T>& row,
                                       const Example& example, const double*, const Moment& now,
                                       const Sums& seen) {
        const double y = static_cast<double>(2 * example.label - 1);  // no branch: labels cannot be predicted
        const Term term{0, y};
        const Terms terms(&term, 1);
        Round round = answer(belief, rule, row, terms,
                             {.margin = y * seen.margin,
                              .variance = variance_seen(belief, row, terms, seen),
                              .weight = example.weight},
                             now);
        now.compare(static_cast<std::uint32_t>(1 - example.label));
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
