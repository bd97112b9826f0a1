#pragma once
#include <variant>

#include "onlinear/rule/adagrad_rda.hpp"
#include "onlinear/rule/arow.hpp"
#include "onlinear/rule/confidence_weighted.hpp"
#include "onlinear/rule/iellip.hpp"
#include "onlinear/rule/least_squares.hpp"
#include "onlinear/rule/narow.hpp"
#include "onlinear/rule/nherd.hpp"
#include "onlinear/rule/norma.hpp"
#include "onlinear/rule/passive_aggressive.hpp"
#include "onlinear/rule/perceptron.hpp"
#include "onlinear/rule/regularized_passive_aggressive.hpp"
#include "onlinear/rule/romma.hpp"
#include "onlinear/rule/second_order_perceptron.hpp"
#include "onlinear/rule/soft_confidence_weighted.hpp"

namespace onlinear::rule {

/// The closed list: a rule exists when it stands here.
using AnyRule = std::variant<Perceptron, PassiveAggressive, Romma, Norma, ConfidenceWeighted,
                             SoftConfidenceWeighted, Arow, LeastSquares, Nherd, Narow, SecondOrderPerceptron,
                             Iellip, AdagradRda, RegularizedPassiveAggressive>;

/// Calls `f` with the rule inside: an inlined chain over the index.
///
/// `std::visit` goes through a table of function pointers and costs about 10 ns a call; this is free.
template <class F, std::size_t I = 0>
inline decltype(auto) dispatch(const AnyRule& rule, F&& f) {
    if constexpr (I + 1 == std::variant_size_v<AnyRule>) {
        return f(*std::get_if<I>(&rule));
    } else {
        if (rule.index() == I) return f(*std::get_if<I>(&rule));
        return dispatch<F, I + 1>(rule, std::forward<F>(f));
    }
}

/// The same for code that already knows the rule.
template <class R, class F>
    requires(!std::is_same_v<R, AnyRule>)
[[gnu::always_inline]] inline decltype(auto) dispatch(const R& rule, F&& f) {
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
[[gnu::always_inline]] inline Step decide(const R& rule, const Evidence& e, const Clock& clock) noexcept {
    if constexpr (!MovesWithoutVariance<R>) {
        if (!(e.variance > 0)) return {};
    }
    return rule.step(e, clock);
}

inline Step decide(const AnyRule& rule, const Evidence& e, const Clock& clock) noexcept {
    return dispatch(rule, [&](const auto& r) { return decide(r, e, clock); });
}

}  // namespace onlinear::rule
