#pragma once
#include <type_traits>
#include <utility>

#include "onlinear/rule/rule.hpp"

/// What code that takes any rule needs to know of rules, without the rules themselves: a file that includes
/// this alone is not compiled anew when a rule changes. The closed list is in rule/all.hpp.
namespace onlinear::rule {

struct AnyRule;

/// Calls `f` with a rule that is known already; rule/all.hpp has the same for any rule. `Fits<R>::value` says
/// which rules there may be.
template <template <class> class Fits, class R, class F>
    requires(!std::is_same_v<R, AnyRule>)
[[gnu::always_inline]] inline decltype(auto) dispatch_among(const R& rule, F&& f) {
    return f(rule);
}

/// What a rule, with its parameters, uses of a step and of the evidence; most move along the demand alone.
template <class R>
constexpr Parts uses(const R& rule) {
    if constexpr (UsesParts<R>) return rule.uses();
    return {};
}

/// A demand without variance cannot be answered: alpha = gain = 0, checked once for every rule.
template <class R>
    requires(!std::is_same_v<R, AnyRule>)
[[gnu::always_inline]] inline Step decide(const R& rule, const Evidence& e, const Clock& clock) noexcept {
    if constexpr (!MovesWithoutVariance<R>) {
        if (!(e.variance > 0)) return {};
    }
    return rule.step(e, clock);
}

/// Whether a rule may meet a belief with these options, whatever the parameters of both. Loops hold the rules
/// that may, and no others; compatible.hpp refuses the rest, and some of these by their parameters.
template <class R, class Options>
constexpr bool may_meet() {
    if constexpr (requires { Options::needs; }) {
        if (Options::needs.l1_ball && !GivesRadius<R>) return false;
    }
    return meet(R::metric, Options::metric);
}
template <class Belief>
struct On {
    template <class R>
    using Fits = std::bool_constant<may_meet<R, typename Belief::Options>()>;
};

}  // namespace onlinear::rule
