#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "onlinear/answer.hpp"
#include "onlinear/calibration.hpp"
#include "onlinear/stage.hpp"

/// What every task file needs.
///
/// A task has `round(belief, rule, row, example, scores, clock)`: it fills `scores` with what the belief says
/// before the round, poses its demand and lets the rule answer; `valid(example)`; `calibrate`; and the number
/// of blocks it needs. Where speed asks for it the first half stands apart: `look(belief, rule, row, example,
/// scores)` fills the scores, and what it returns is handed to `round` last. Where they differ from the usual
/// it also says what it `needs` of a belief and what it `uses()` with its parameters, how a belief must
/// `start`, and what a model `predict`s.
namespace onlinear::task {

/// The answer that comes with a row.
struct Example {
    std::int32_t label = 0;                    // class, numbered from 0
    double target = 0.0;                       // regression
    std::span<const std::int32_t> relevant{};  // ranking: the labels that should come first
    std::size_t candidates = 0;                // ranking, single prototype: rows of this example
    double weight = 1.0;
};

/// What comes with a row to learn from.
enum class Answer { labels, targets, lists, nothing };
template <class Task>
constexpr Answer kind_of_answer() {
    if constexpr (requires { Task::kAnswer; }) return Task::kAnswer;
    return Answer::labels;
}

/// What a task of any parameters needs of a belief.
template <class Task>
constexpr Parts needs() {
    if constexpr (requires { Task::needs; }) return Task::needs;
    return {};
}
/// What a task with its parameters needs besides.
template <class Task>
constexpr Parts uses(const Task& task) {
    if constexpr (requires { task.uses(); }) return task.uses();
    return {};
}

/// A task that decides its steps itself, without a rule.
template <class Task>
concept OwnRule = requires { Task::kOwnRule; };

/// A task whose model is the mean itself: it has no average and no intercept.
template <class Task>
concept Centre = requires { Task::kCentre; };

/// What one block says of a row before its answer is known: the score, and where it comes with it, the
/// variance.
template <class Belief, class T>
[[gnu::always_inline]] inline Sums see(Belief& belief, const Row<T>& row, double* scores) {
    Sums seen{};
    if constexpr (Belief::kFused)
        seen = belief.look(row);
    else
        belief.scores(row, &seen.margin);
    scores[0] = seen.margin;
    return seen;
}

template <class Belief, class T>
[[gnu::always_inline]] inline double variance_seen(Belief& belief, const Row<T>& row, Terms terms,
                                                   const Sums& seen) {
    if constexpr (Belief::kFused)
        return seen.variance;
    else
        return belief.variance(row, terms);
}

/// The best-scoring block other than `label`; ties go to the smallest index.
inline std::uint32_t best_rival(const double* scores, std::size_t blocks, std::size_t label) noexcept {
    std::size_t best = label == 0 ? 1 : 0;
    for (std::size_t k = best + 1; k < blocks; ++k)
        if (k != label && scores[k] > scores[best]) best = k;
    return static_cast<std::uint32_t>(best);
}

}  // namespace onlinear::task
