#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "onlinear/learner.hpp"
#include "onlinear/numeric/within_range.hpp"

namespace onlinear {

/// A belief as a whole: made, copied, and its numbers read and given, by name or weight by weight. That takes
/// neither task nor rule, so it is compiled once for each belief, in src/learner_contents.cpp, and not anew
/// when a rule changes.
template <class Belief>
struct Contents {
    using T = typename Belief::Scalar;
    using Options = typename Belief::Options;
    using Weights = AnyLearner::Weights;

    static Belief made(const Options& options, std::size_t slots, std::size_t blocks, bool apart = false);
    static Belief copied(const Belief& belief);
    static std::size_t bytes(const Belief& belief) noexcept;

    static std::vector<StateEntry> state(const Belief& belief, const StatePart* part);
    static std::optional<Touched> touched(const Belief& belief);
    static void load(Belief& belief, const GivenState& given);

    /// In the units of the features. A unit may be so large or small that only float64's range holds it.
    static double weight(const Belief& belief, Weights which, std::uint32_t slot, std::size_t block) noexcept;
    /// What `which` says of every weight, block-major, the intercept apart.
    static void weights(const Belief& belief, Weights which, double* coefficients, double* intercepts);
    static void set_mean(Belief& belief, const double* coefficients, const double* intercepts);
    /// Zeroes small weights now; false where the belief cannot.
    static bool truncate(Belief& belief, double sigma);
    /// Takes back a growth whose features have not been learned from.
    static void shrink(Belief& belief, std::size_t slots);
};

}  // namespace onlinear
