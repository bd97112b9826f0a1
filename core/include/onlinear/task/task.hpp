#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "onlinear/answer.hpp"
#include "onlinear/calibration.hpp"
#include "onlinear/cut.hpp"
#include "onlinear/rows/stage.hpp"

/// What every task file needs.
///
/// A task has `round(belief, rule, row, example, scores, clock)`: it fills `scores` with what the belief says
/// before the round, poses its demand and lets the rule answer; `valid(example)`; `calibrate`; and the number
/// of blocks it needs. For speed the first half may be a function of its own: `look(belief, rule, row,
/// example, scores)` fills the scores, and what it returns is handed to `round` last. Where they differ from
/// the usual it also says what it `needs` of a belief and what it `uses()` with its parameters, how a belief
/// must `start`, and what a model `predict`s.
namespace onlinear::task {

/// The answer that comes with a row.
struct Example {
    std::int32_t label = 0;                    // class, numbered from 0
    double target = 0.0;                       // regression
    std::span<const std::int32_t> relevant{};  // ranking: the labels that should come first
    std::size_t candidates = 0;                // ranking, single prototype: rows of this example
    double weight = 1.0;
    double reach = -1.0;  // one class: the distance learned so far, where there is one
};

/// What comes with a row to learn from.
enum class Answer { labels, targets, lists, nothing };

// What a task may declare beyond `name`, `parameters()`, `blocks()`, `valid`, `round` and `calibrate`.

/// Its rows come with something other than labels.
template <class Task>
concept OtherAnswer = requires { Task::kAnswer; };
/// It needs this of a belief, whatever its parameters.
template <class Task>
concept NeedsParts = requires { Task::needs; };
/// It needs this of a belief with its parameters.
template <class Task>
concept UsesParts = requires(const Task task) {
    { task.uses() } -> std::same_as<Parts>;
};
/// It decides its steps itself, without a rule, in this metric.
template <class Task>
concept OwnRule = requires(const Task task) {
    { task.metric() } -> std::same_as<rule::Metric>;
};
/// Its model is the mean itself: it has no average and no intercept.
template <class Task>
concept Centre = Task::kCentre;
/// Its weights w become blocks -w/2 and +w/2 when a third class comes.
template <class Task>
concept TwoClasses = Task::kTwoClasses;
/// It reads the variance of every row's score before it learns from it.
template <class Task>
concept ReadsVariance = Task::kReadsVariance;
/// It predicts with the belief's scores, and its `round` is compiled for one rule as well as for any.
template <class Task>
concept Plain = Task::kPlain;
/// It has as many classes as it is told.
template <class Task>
concept SetsClasses = requires(Task task, std::size_t n) { task.set_classes(n); };
template <class Task>
concept GrowsClasses = requires(Task task, std::size_t n) { task.classes = n; };
/// An example may be several rows, one for each label.
template <class Task>
concept MaybeSingle = requires(const Task task) { task.single(); };
/// A belief starts in its own way.
template <class Task, class Belief>
concept Starts = requires(const Task task, Belief belief) { task.start(belief); };
/// A model says of a row something other than the belief's scores.
template <class Task, class Belief>
concept Predicts = requires(const Task task, const Belief belief, const Row<typename Belief::Scalar> row,
                            double* out) { task.predict(belief, row, out); };
/// It learns where its answers are cut from the scores before each round.
template <class Task>
concept LearnsCut =
    requires(Task task, Cut& cut, const Calibration calibration, const double* scores,
             const Example example) { task.learn_cut(cut, calibration, scores, example, true); };
/// Its rounds depend on the distance learned so far.
template <class Task>
concept KnowsReach = requires(const Task task, const Cut cut) {
    { task.reach(cut) } -> std::same_as<double>;
};
/// It may learn targets in sizes from their centre (targets.hpp).
template <class Task>
concept ScalesTargets = requires(const Task task) {
    { task.scaled() } -> std::same_as<bool>;
};
/// The first half of a round, the sums over the row, stands apart, so that the next row is staged meanwhile.
template <class Task, class Belief, class Rule>
concept LooksFirst =
    requires(const Task task, Belief belief, const Rule rule, const Row<typename Belief::Scalar> row,
             const Example example, double* scores) { task.look(belief, rule, row, example, scores); };

template <class Task>
constexpr Answer kind_of_answer() {
    if constexpr (OtherAnswer<Task>) return Task::kAnswer;
    return Answer::labels;
}
template <class Task>
constexpr Parts needs() {
    if constexpr (NeedsParts<Task>) return Task::needs;
    return {};
}
template <class Task>
constexpr Parts uses(const Task& task) {
    if constexpr (UsesParts<Task>) return task.uses();
    return {};
}

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
