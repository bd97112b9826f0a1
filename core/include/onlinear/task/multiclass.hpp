#pragma once
#include "onlinear/task/task.hpp"

namespace onlinear::task {

/// Several classes by the top-1 reduction: the right class against its best rival.
///
/// Crammer, Kulesza, Dredze. Machine Learning 91, 2013, figure 3. delta = f(x, y) - f(x, s), s the best wrong
/// class.
struct Multiclass {
    static constexpr const char* name = "Multiclass";
    static constexpr bool kPlain = true;
    static constexpr const char* doc = "Several classes: the right one against its best rival.";
    static constexpr auto parameters() { return std::tuple{}; }
    std::size_t classes;

    explicit Multiclass(std::size_t n = 2) : classes(n) {}

    void set_classes(std::size_t n) noexcept { classes = std::max<std::size_t>(n, 2); }
    std::size_t blocks() const noexcept { return classes; }
    bool valid(const Example& example) const noexcept {
        return example.label >= 0 && static_cast<std::size_t>(example.label) < classes;
    }

    struct Seen {
        std::uint32_t rival;
        double margin;
        bool satisfied;  // a margin that no rule would mend: the variance need not be read
    };

    template <class Belief, class Rule, class T>
    Seen look(Belief& belief, const Rule& rule, const Row<T>& row, const Example& example,
              double* scores) const {
        belief.scores(row, scores);
        const auto label = static_cast<std::uint32_t>(example.label);
        Seen seen{.rival = best_rival(scores, classes, label), .margin = 0, .satisfied = false};
        seen.margin = scores[label] - scores[seen.rival];
        if constexpr (rule::KnowsSatisfied<Rule>)
            seen.satisfied = rule.satisfied(seen.margin, 1.0) && std::isfinite(seen.margin);
        if constexpr (belief::PrefetchesVariances<Belief>) {
            if (!seen.satisfied) belief.prefetch_variances(row, label, seen.rival);
        }
        return seen;
    }

    template <class Belief, class Rule, class T>
    Round round(Belief& belief, const Rule& rule, const Row<T>& row, const Example& example, const double*,
                const Moment& now, const Seen& seen) {
        now.compare(seen.rival);
        if (seen.satisfied && !now.witness) return {};
        const Term terms[2] = {{static_cast<std::uint32_t>(example.label), 1.0}, {seen.rival, -1.0}};
        const Evidence e{.margin = seen.margin,
                         .variance = belief.variance(row, Terms(terms, 2)),
                         .weight = example.weight};
        if (seen.satisfied) {
            now.see(e, {});
            return {};
        }
        Round round = answer(belief, rule, row, Terms(terms, 2), e, now);
        round.mistake = !(seen.margin > 0);
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
