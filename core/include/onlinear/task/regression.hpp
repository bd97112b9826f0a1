#pragma once
#include <array>
#include <cmath>

#include "onlinear/task/task.hpp"

namespace onlinear::task {

inline constexpr std::array<const char*, 2> kTargetScales{"none", "typical"};

/// Real targets: |y - mu.x| should not exceed epsilon.
///
/// Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 5. With e = y - mu.x and s its sign,
/// delta = s x and the required margin is s y - epsilon, so that what is missing is |e| - epsilon. With
/// epsilon = 0 and the squared loss of `rule::LeastSquares` every round is learned: recursive least squares
/// (Crammer, Kulesza, Dredze. Machine Learning 91, 2013).
///
/// With scale "typical" what comes here are targets in sizes from their centre (targets.hpp), and epsilon and
/// a rule's price are in sizes, too.
struct Regression {
    static constexpr const char* name = "Regression";
    static constexpr const char* doc = "Real targets, errors up to epsilon free.";
    static constexpr Answer kAnswer = Answer::targets;
    static constexpr Parts needs{.targets = true};

    enum Scale : int { kNone, kTypical };
    double epsilon = 0.0;
    int scale = kNone;

    static constexpr auto parameters() {
        return std::tuple{rule::nonnegative("epsilon", &Regression::epsilon, "error that costs nothing"),
                          rule::choice("scale", &Regression::scale, kTargetScales,
                                       "what targets are measured in as they come")};
    }

    std::size_t blocks() const noexcept { return 1; }
    bool scaled() const noexcept { return scale != kNone; }
    bool valid(const Example& example) const noexcept { return std::isfinite(example.target); }

    template <class Belief, class Rule, class T>
    Sums look(Belief& belief, const Rule&, const Row<T>& row, const Example&, double* scores) const {
        return see(belief, row, scores);
    }

    template <class Belief, class T>
    Round round(Belief& belief, const rule::AnyRule& rule, const Row<T>& row, const Example& example,
                const double*, const Moment& now, const Sums& seen) {
        const double error = example.target - seen.margin;
        const double sign = error < 0 ? -1.0 : 1.0;
        const Term term{0, sign};
        const Terms terms(&term, 1);
        Round round = answer(belief, rule, row, terms,
                             {.margin = sign * seen.margin,
                              .required = sign * example.target - epsilon,
                              .variance = variance_seen(belief, row, terms, seen),
                              .weight = example.weight},
                             now);
        round.cost = std::abs(error);
        round.mistake = round.cost > epsilon;
        return round;
    }

    void calibrate(Calibration&, const double*, const Example&, bool) const noexcept {}
};

}  // namespace onlinear::task
