#pragma once
#include <array>

#include "onlinear/learn/reading.hpp"
#include "onlinear/learner.hpp"
#include "onlinear/rows/stage.hpp"

namespace onlinear {

/// The rows of a lesson on their way through the loop: each is staged, and its weights are prefetched, some
/// rounds before its own. A row that is refused is where the lesson ends.
template <class Task, class Belief>
class Pipeline {
public:
    using T = typename Belief::Scalar;
    static constexpr std::size_t kStages = 4, kRowsAhead = 2;
    using Stages = std::array<Stage<T>, kStages>;

    [[gnu::always_inline]] Pipeline(const Stager<T>& stager, const Lesson& lesson, Belief& belief,
                                    Stages& stages)
        : stager_(stager), lesson_(lesson), belief_(belief), stages_(stages), end_(lesson.count) {
        for (std::size_t i = 0; i < kRowsAhead; ++i) advance();
    }

    [[gnu::always_inline]] bool has(std::size_t round) const noexcept { return round < end_; }
    [[gnu::always_inline]] std::size_t index(std::size_t round) const noexcept {
        return lesson_.order ? static_cast<std::size_t>(lesson_.order[round]) : round;
    }
    /// The row of a round. The sums over it prefetch the weights of the next one.
    [[gnu::always_inline]] const Row<T>& operator[](std::size_t round) noexcept {
        if constexpr (kReadDirectly<Task, Belief>) {
            if (prefetches_ && round + 1 < staged_)
                stages_[round % kStages].prefetch_along(stages_[(round + 1) % kStages]);
        }
        return stages_[round % kStages].row;
    }
    /// Divides the row of a round by the scales of its features, and takes their means from it first, where
    /// the belief has such; they follow it before, where it is learned.
    [[gnu::always_inline]] Fault scale(std::size_t round, bool learned) {
        if constexpr (belief::HasScales<Belief>) {
            if (!scales_) return Fault::none;
            Stage<T>& stage = stages_[round % kStages];
            belief_.scales.keep();
            if (centres_) [[unlikely]] {
                if (!learned)
                    belief_.scales.change(stage, belief_.planes());
                else if (!belief_.scales.learn_centred(belief_, stage))
                    return Fault::too_many_means;
                return Fault::none;
            }
            if (learned) belief_.scales.raise(belief_, stage);
            belief_.scales.divide(stage, belief_.planes());
        }
        return Fault::none;
    }
    /// Stages one more row.
    [[gnu::always_inline]] void advance() {
        if (staged_ == end_) return;
        Stage<T>& next = stages_[staged_ % kStages];
        if (staged_ < kStages || !restage(index(staged_), next)) {
            refusal_ = stager_(index(staged_), next);
            if (refusal_) {
                end_ = staged_;
                return;
            }
            if constexpr (!kReadDirectly<Task, Belief>) stager_.prefetch(next);
        }
        ++staged_;
    }
    /// Shows a belief that computes with blocks of rows those to come. False where the view ended before this
    /// row: one that was refused then and is good now was changed in between.
    [[gnu::always_inline]] bool show(std::size_t round) {
        if constexpr (belief::LooksAhead<Belief>) {
            if (round % Belief::kAhead == 0) show_block(round);
            if (round % Belief::kAhead >= belief_.ahead().size()) return false;
            belief_.turn(round % Belief::kAhead);
        }
        return true;
    }
    /// What is wrong with a row that was not looked at when it was staged. One that is divided by scales was,
    /// and what is left of it may be infinite where every value was finite.
    Refusal late_fault(std::size_t round) noexcept {
        if constexpr (kShowsFaults) {
            if (stager_.plain() && !scales_) return stager_.fault_of(index(round), stages_[round % kStages]);
        }
        return {};
    }
    const Refusal& refusal() const noexcept { return refusal_; }

private:
    /// Rows need not be looked at when they are staged: what is not finite shows in their variance.
    static constexpr bool kShowsFaults = task::ReadsVariance<Task> && belief::VarianceShowsFaults<Belief>;

    static bool scales(const Belief& belief) noexcept {
        if constexpr (belief::HasScales<Belief>) return belief.scales.on();
        return false;
    }
    static bool centres(const Belief& belief) noexcept {
        if constexpr (belief::HasScales<Belief>) return belief.scales.centred();
        return false;
    }

    [[gnu::always_inline]] bool restage(std::size_t row, Stage<T>& to) const {
        if (centres_) return false;  // it has other entries by now
        if constexpr (kShowsFaults) {
            if (!scales_) return stager_.again_unseen(row, to);
        }
        return stager_.again(row, to);
    }

    void show_block(std::size_t round) {
        Stage<T> scratch;
        belief_.ahead().clear();
        for (std::size_t i = round; i < std::min(lesson_.count, round + Belief::kAhead); ++i) {
            if (stager_(index(i), scratch)) break;
            belief_.ahead().add(scratch.row);
        }
        belief_.foresee();
    }

    const Stager<T>& stager_;
    const Lesson& lesson_;
    Belief& belief_;
    Stages& stages_;
    std::size_t end_, staged_ = 0;
    const bool prefetches_ = !stager_.plain(), scales_ = scales(belief_), centres_ = centres(belief_);
    Refusal refusal_;
};

}  // namespace onlinear
