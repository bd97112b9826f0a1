#pragma once
#include "onlinear/task/task.hpp"

namespace onlinear::task {

inline constexpr std::array<const char*, 2> kCostUpdates{"prediction", "max_loss"};

/// Several classes where some mistakes cost more than others.
///
/// Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 8. cost(y, q) is the price of
/// answering q where y is right. delta = f(x, y) - f(x, q) with required margin sqrt(cost(y, q)), so that the
/// squared loss bounds the cost.
///   prediction  q is the prediction; a right prediction is passive
///   max_loss    q is the class whose loss, score_q - score_y + sqrt(cost(y, q)), is largest
struct CostSensitive {
    enum Update : int { kPrediction, kMaxLoss };
    static constexpr const char* name = "CostSensitive";
    static constexpr const char* doc = "Several classes where some mistakes cost more than others.";
    static constexpr Parts needs{.pairs = true};

    std::vector<double> cost;  // row-major, one row per right class
    int update = kPrediction;

    static constexpr auto parameters() {
        return std::tuple{
            rule::square("cost", &CostSensitive::cost, "price of each answer, a row for each right class"),
            rule::choice("update", &CostSensitive::update, kCostUpdates,
                         "the competitor: the prediction, or the one of largest loss")};
    }

    void set_classes(std::size_t n) const {
        if (cost.empty()) throw std::invalid_argument("task.CostSensitive needs cost, a square matrix");
        if (n > blocks())
            throw std::invalid_argument("cost is for " + std::to_string(blocks()) + " classes, there are " +
                                        std::to_string(n));
    }
    std::size_t blocks() const noexcept { return rule::side(cost); }
    bool valid(const Example& example) const noexcept {
        return example.label >= 0 && static_cast<std::size_t>(example.label) < blocks();
    }

    template <class Belief, class T>
    Round round(Belief& belief, const rule::AnyRule& rule, const Row<T>& row, const Example& example,
                double* scores, const Moment& now) {
        belief.scores(row, scores);
        const auto label = static_cast<std::uint32_t>(example.label);
        const std::size_t classes = blocks();
        const double* price = cost.data() + label * classes;
        std::uint32_t prediction = 0;
        for (std::uint32_t k = 1; k < classes; ++k)
            if (scores[k] > scores[prediction]) prediction = k;
        const std::uint32_t rival = update == kPrediction ? prediction : dearest(scores, price, classes);
        Round round;
        if (rival != label) {
            const Term terms[2] = {{label, 1.0}, {rival, -1.0}};
            round = answer(belief, rule, row, Terms(terms, 2),
                           {.margin = scores[label] - scores[rival],
                            .required = std::sqrt(price[rival]),
                            .variance = belief.variance(row, Terms(terms, 2)),
                            .weight = example.weight},
                           now);
            now.compare(rival);
        } else if (now.witness) {  // nothing is asked
            const std::uint32_t second = best_rival(scores, classes, label);
            now.see({.margin = scores[label] - scores[second], .required = 0.0, .variance = Witness::kNone},
                    {});
            now.compare(second);
        }
        round.cost = price[prediction];
        round.mistake = prediction != label;
        return round;
    }

    void calibrate(Calibration& calibration, const double* scores, const Example& example, bool fresh) {
        if (!fresh) {
            calibration.follow_multiclass(scores, blocks());
            return;
        }
        scratch_.resize(blocks());
        calibration.observe_multiclass(scores, blocks(), static_cast<std::size_t>(example.label),
                                       example.weight, scratch_.data());
    }

private:
    static std::uint32_t dearest(const double* scores, const double* price, std::size_t classes) noexcept {
        std::uint32_t best = 0;
        for (std::uint32_t k = 1; k < classes; ++k)
            if (scores[k] + std::sqrt(price[k]) > scores[best] + std::sqrt(price[best])) best = k;
        return best;
    }

    std::vector<double> scratch_;
};

}  // namespace onlinear::task
