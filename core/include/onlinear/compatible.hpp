#pragma once
#include <string>

#include "onlinear/learner.hpp"

/// Which parts of a step a rule uses that a belief cannot take.
namespace onlinear {

/// A part of `Parts`, and the words for it.
struct Part {
    bool Parts::* member;
    const char* words;
};
inline constexpr Part kParts[] = {
    {&Parts::keep, "shrinks the whole mean"},
    {&Parts::spread, "spreads the whole covariance"},
    {&Parts::threshold, "moves a threshold"},
    {&Parts::mean_norm, "asks for the norm of the mean"},
};

/// The first part that is used and not taken; null where there is none.
constexpr const Part* untaken(const Parts& uses, const Parts& takes) noexcept {
    for (const Part& part : kParts)
        if (uses.*part.member && !(takes.*part.member)) return &part;
    return nullptr;
}

/// The beliefs that take a part, as in "belief.Diagonal or belief.Full".
template <std::size_t I = 0>
std::string takers(const Part& part) {
    if constexpr (I == std::variant_size_v<BeliefSpec>) {
        return {};
    } else {
        using Options = std::variant_alternative_t<I, BeliefSpec>;
        const std::string rest = takers<I + 1>(part);
        if (!(Options::takes.*part.member)) return rest;
        const char* between = rest.empty() ? "" : rest.find(" or ") == std::string::npos ? " or " : ", ";
        return std::string("belief.") + Options::name + between + rest;
    }
}

/// Throws std::invalid_argument where a belief would leave out a part of the rule's steps.
template <class Rule, class Options>
void check_parts(const Rule& rule, const Options&) {
    if (const Part* part = untaken(rule::uses(rule), Options::takes))
        throw std::invalid_argument(std::string("rule.") + Rule::name + " is not defined on belief." +
                                    Options::name + ", which cannot take its steps whole: the rule " +
                                    part->words + ". Use " + takers(*part));
}

}  // namespace onlinear
