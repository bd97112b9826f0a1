#pragma once
#include "onlinear/task/task.hpp"

namespace onlinear::task {

inline constexpr std::array<const char*, 2> kPrototypes{"multi", "single"};

/// Label ranking: every relevant label above every irrelevant one.
///
/// Crammer, Dekel, Keshet, Shalev-Shwartz, Singer. JMLR 7, 2006, section 7. delta = Phi(x, r) - Phi(x, s)
/// with r the lowest-scoring relevant and s the highest-scoring irrelevant label, required margin 1. Where no
/// label or every label is relevant there is nothing to rank, and the round is passive.
///   multi   one block of weights per label; an example is a row
///   single  one block for all; an example is a row Phi(x, label) for each label
struct Ranking {
    enum Prototypes : int { kMulti, kSingle };
    static constexpr const char* name = "Ranking";
    static constexpr const char* doc = "Label ranking: every relevant label above every irrelevant one.";
    static constexpr Parts needs{.pairs = true};
    static constexpr Answer kAnswer = Answer::lists;

    std::size_t classes = 2;
    int prototypes = kMulti;

    static constexpr auto parameters() {
        return std::tuple{rule::choice("prototypes", &Ranking::prototypes, kPrototypes,
                                       "one vector of weights for each label, or one for all")};
    }

    /// A single prototype learns from the difference of two rows.
    Parts uses() const noexcept { return {.differences = single()}; }

    void set_classes(std::size_t n) noexcept { classes = std::max<std::size_t>(n, 1); }
    bool single() const noexcept { return prototypes == kSingle; }
    std::size_t blocks() const noexcept { return single() ? 1 : classes; }
    bool valid(const Example& example) const noexcept {
        const std::size_t labels = single() ? example.candidates : classes;
        for (const std::int32_t label : example.relevant)
            if (label < 0 || static_cast<std::size_t>(label) >= labels) return false;
        return true;
    }

    template <class Belief, class T>
    Round round(Belief& belief, const rule::AnyRule& rule, const Row<T>& row, const Example& example,
                double* scores, const Moment& now) {
        belief.scores(row, scores);
        const Pair pair = closest(scores, classes, example.relevant);
        if (!pair.exists) return {};
        const Term terms[2] = {{pair.relevant, 1.0}, {pair.irrelevant, -1.0}};
        return posed(belief, rule, row, Terms(terms, 2), scores[pair.relevant] - scores[pair.irrelevant],
                     example, now);
    }

    /// The same with a row for each label; the difference of two is staged in `room`.
    template <class Belief, class T>
    Round round(Belief& belief, const rule::AnyRule& rule, std::span<const Stage<T>> candidates,
                Stage<T>& room, const Example& example, double* scores, const Moment& now) {
        for (std::size_t k = 0; k < candidates.size(); ++k) belief.scores(candidates[k].row, scores + k);
        const Pair pair = closest(scores, candidates.size(), example.relevant);
        if (!pair.exists) return {};
        room.subtract(candidates[pair.relevant].row, candidates[pair.irrelevant].row);
        room.measure_norm();
        const Term term{0, 1.0};
        return posed(belief, rule, room.row, Terms(&term, 1), scores[pair.relevant] - scores[pair.irrelevant],
                     example, now);
    }

    /// One logistic map for all labels: where it says one half, it parts the relevant from the others.
    void calibrate(Calibration& calibration, const double* scores, const Example& example,
                   bool fresh) noexcept {
        for (std::size_t k = 0; k < marks_.size(); ++k) {
            if (fresh)
                calibration.observe_binary(scores[k], marks_[k], example.weight);
            else
                calibration.follow_binary(scores[k]);
        }
    }

    /// The cut between labels that are predicted and those that are not; of rows never seen before alone.
    void learn_cut(Cut& cut, const Calibration& calibration, const double* scores, const Example& example,
                   bool fresh) const noexcept {
        if (!fresh) return;
        const double from = cut.probability().value_or(0.5);
        double hits = 0, total = 0;
        for (std::size_t k = 0; k < marks_.size(); ++k) {
            const bool said = calibration.probability(scores[k]) >= from;
            hits += said && marks_[k];
            total += static_cast<double>(said) + static_cast<double>(marks_[k]);
        }
        cut.observe_labels(hits, total, example.weight);
    }

private:
    struct Pair {
        std::uint32_t relevant = 0, irrelevant = 0;
        bool exists = false;
    };

    /// Ties go to the smallest index.
    Pair closest(const double* scores, std::size_t labels, std::span<const std::int32_t> relevant) {
        marks_.assign(labels, false);
        for (const std::int32_t label : relevant) marks_[static_cast<std::size_t>(label)] = true;
        Pair pair;
        bool some[2] = {false, false};
        for (std::uint32_t k = 0; k < labels; ++k) {
            std::uint32_t& best = marks_[k] ? pair.relevant : pair.irrelevant;
            bool& seen = some[marks_[k]];
            if (!seen || (marks_[k] ? scores[k] < scores[best] : scores[k] > scores[best])) best = k;
            seen = true;
        }
        pair.exists = some[0] && some[1];
        return pair;
    }

    template <class Belief, class T>
    static Round posed(Belief& belief, const rule::AnyRule& rule, const Row<T>& row, Terms terms,
                       double margin, const Example& example, const Moment& now) {
        Round round = answer(
            belief, rule, row, terms,
            {.margin = margin, .variance = belief.variance(row, terms), .weight = example.weight}, now);
        round.mistake = !(margin > 0);
        return round;
    }

    std::vector<bool> marks_;
};

}  // namespace onlinear::task
