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
/// of blocks it needs. Where they differ from the usual it also says which beliefs it `serves`, which rules
/// it `refuses` and why, how a belief must `start`, and what a model `predict`s.
namespace onlinear::task {

/// The answer that comes with a row.
struct Example {
    std::int32_t label = 0;                    // class, numbered from 0
    double target = 0.0;                       // regression
    std::span<const std::int32_t> relevant{};  // ranking: the labels that should come first
    std::size_t candidates = 0;                // ranking, single prototype: rows of this example
    double weight = 1.0;
};

template <class Task, class Belief>
constexpr bool serves() {
    if constexpr (requires { Task::template serves<Belief>; }) return Task::template serves<Belief>;
    return true;
}

/// The best-scoring block other than `label`; ties go to the smallest index.
inline std::uint32_t best_rival(const double* scores, std::size_t blocks, std::size_t label) noexcept {
    std::size_t best = label == 0 ? 1 : 0;
    for (std::size_t k = best + 1; k < blocks; ++k)
        if (k != label && scores[k] > scores[best]) best = k;
    return static_cast<std::uint32_t>(best);
}

}  // namespace onlinear::task
