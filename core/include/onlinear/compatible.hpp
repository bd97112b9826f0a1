#pragma once
#include "onlinear/belief/all.hpp"
#include "onlinear/rule/any.hpp"
#include "onlinear/task/all.hpp"

/// Which rules, beliefs and tasks go together.
///
/// Rules and tasks declare what they use, beliefs what they take, and here the declarations are compared;
/// nothing is decided by type. What does not fit is refused with std::invalid_argument, which names what is
/// missing and what would do.
namespace onlinear {

/// A part of `Parts`, and the words for whoever uses it.
struct Part {
    bool Parts::* member;
    const char* words;
};
inline constexpr Part kParts[] = {
    {&Parts::keep, "shrinks the whole mean"},
    {&Parts::spread, "spreads the whole covariance"},
    {&Parts::threshold, "moves a threshold"},
    {&Parts::mean_norm, "asks for the norm of the mean"},
    {&Parts::l1_ball, "keeps the mean inside an L1 ball"},
    {&Parts::targets, "has real targets"},
    {&Parts::pairs, "poses demands other than between the right class and one rival at margin 1"},
    {&Parts::distance, "measures distances from the mean"},
    {&Parts::several, "moves several classes in one step"},
    {&Parts::joint, "asks for the covariance between several demands of a row"},
    {&Parts::differences, "learns from differences of rows"},
    {&Parts::sentences, "learns from sums over the tokens of a sentence, scored by a linear mean"},
};

/// The first part that is used and not taken; null where there is none.
constexpr const Part* untaken(const Parts& uses, const Parts& takes) noexcept {
    for (const Part& part : kParts)
        if (uses.*part.member && !(takes.*part.member)) return &part;
    return nullptr;
}

/// Whether a task can be learned on a belief at all, whatever the parameters of both.
template <class Task, class Options>
constexpr bool serves() {
    // Not by `untaken`: under UBSan GCC does not take a comparison of its address for a constant.
    for (const Part& part : kParts)
        if (task::needs<Task>().*part.member && !(Options::takes.*part.member)) return false;
    return true;
}

/// Throws unless the rule is defined on the belief.
void check_pair(const rule::AnyRule& rule, const BeliefSpec& belief);

/// Throws unless the task is defined with the rule (null for a task that is its own), on the belief, with or
/// without an intercept; the rule and the belief are compared, too.
void check_task(const TaskSpec& task, const rule::AnyRule* rule, const BeliefSpec& belief, bool intercept);

/// Throws unless sequences can be learned with the rule on the belief.
void check_sequences(const rule::AnyRule& rule, const BeliefSpec& belief);

}  // namespace onlinear
