#pragma once
#include "onlinear/task/task.hpp"

namespace onlinear::task {

/// Several classes by the top-1 reduction: the right class against its best rival.
///
/// Crammer, Kulesza, Dredze. Machine Learning 91, 2013, figure 3. delta = f(x, y) - f(x, s), s the best wrong
/// class.
struct Multiclass {
    static constexpr const char* name = "Multiclass";
    static constexpr auto parameters() { return std::tuple{}; }
    std::size_t classes;

    explicit Multiclass(std::size_t n = 2) : classes(n) {}

    std::size_t blocks() const noexcept { return classes; }
    bool valid(const Example& example) const noexcept {
        return example.label >= 0 && static_cast<std::size_t>(example.label) < classes;
    }

    struct Seen {};  // the scores say it all

    template <class Belief, class T>
    Seen look(Belief& belief, const Row<T>& row, double* scores) const {
        belief.scores(row, scores);
        return {};
    }

    template <class Belief, class Rule, class T>
    Round round(Belief& belief, const Rule& rule, const Row<T>& row, const Example& example,
                const double* scores, const Clock& clock, Seen) {
        const auto label = static_cast<std::uint32_t>(example.label);
        const std::uint32_t rival = best_rival(scores, classes, label);
        const Term terms[2] = {{label, 1.0}, {rival, -1.0}};
        const double margin = scores[label] - scores[rival];
        // The variance takes another way through memory: not for a margin that no rule would mend.
        if constexpr (requires { rule.satisfied(margin, 1.0); }) {
            if (rule.satisfied(margin, 1.0) && std::isfinite(margin)) return {};
        }
        Round round = answer(
            belief, rule, row, Terms(terms, 2),
            {.margin = margin, .variance = belief.variance(row, Terms(terms, 2)), .weight = example.weight},
            clock);
        round.mistake = !(margin > 0);
        return round;
    }

    void calibrate(Calibration& calibration, const double* scores, const Example& example, bool fresh) {
        if (!fresh) {
            calibration.follow_multiclass(scores, classes);
            return;
        }
        scratch_.resize(classes);
        calibration.observe_multiclass(scores, classes, static_cast<std::size_t>(example.label),
                                       example.weight, scratch_.data());
    }

private:
    std::vector<double> scratch_;
};

}  // namespace onlinear::task
