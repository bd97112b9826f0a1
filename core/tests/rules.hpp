#pragma once
#include "onlinear/learner.hpp"
#include "onlinear/rule/all.hpp"

namespace onlinear {

/// A learner of a rule that is written where it is asked for; none for a task that is its own.
inline std::unique_ptr<RowLearner> make_learner(const TaskSpec& task,
                                                const std::optional<rule::AnyRule>& rule,
                                                const BeliefSpec& belief, bool single_precision,
                                                std::size_t features, bool intercept) {
    return make_learner(task, rule ? &*rule : nullptr, belief, single_precision, features, intercept);
}

}  // namespace onlinear

/// The closed list of rules, for tests that hold every rule to something.
namespace rules {

using namespace onlinear;

/// A rule with every combination of its words and flags.
template <class R>
std::vector<R> variations() {
    std::vector<R> all{R{}};
    const auto vary = [&](const auto& parameter) {
        using Value = std::remove_cvref_t<decltype(all[0].*(parameter.member))>;
        std::vector<R> wider;
        for (const R& rule : all) {
            const auto with = [&](const Value& value) {
                wider.push_back(rule);
                wider.back().*(parameter.member) = value;
            };
            if constexpr (std::is_same_v<Value, int>) {
                for (std::size_t i = 0; i < parameter.choices.size(); ++i) with(static_cast<int>(i));
            } else if constexpr (std::is_same_v<Value, bool>) {
                with(false);
                with(true);
            } else if constexpr (std::is_same_v<Value, std::optional<double>>) {
                with(std::nullopt);
                with(0.4);
            } else {
                wider.push_back(rule);
            }
        }
        all = std::move(wider);
    };
    std::apply([&](const auto&... parameter) { (vary(parameter), ...); }, R::parameters());
    return all;
}

/// Calls f for every rule of the closed list, in every variation.
template <std::size_t I = 0, class F>
void every_rule(F&& f) {
    if constexpr (I < std::variant_size_v<rule::Rules>) {
        for (const auto& rule : variations<std::variant_alternative_t<I, rule::Rules>>()) f(rule);
        every_rule<I + 1>(f);
    }
}

}  // namespace rules
