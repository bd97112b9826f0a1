#pragma once
#include <variant>

#include "onlinear/rule/adagrad_rda.hpp"
#include "onlinear/rule/any.hpp"
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
using Rules = std::variant<Perceptron, PassiveAggressive, Romma, Norma, ConfidenceWeighted,
                           SoftConfidenceWeighted, Arow, LeastSquares, Nherd, Narow, SecondOrderPerceptron,
                           Iellip, AdagradRda, RegularizedPassiveAggressive>;

/// One of them. A class, so that code which only hands it on need not know the list (rule/any.hpp).
struct AnyRule : Rules {
    using Rules::Rules;
};

/// The place of the next rule that fits, from `I` on; past the end where there is none.
template <template <class> class Fits, std::size_t I>
constexpr std::size_t next_fit() {
    if constexpr (I < std::variant_size_v<Rules>) {
        if constexpr (Fits<std::variant_alternative_t<I, Rules>>::value)
            return I;
        else
            return next_fit<Fits, I + 1>();
    } else {
        return I;
    }
}

/// Calls `f` with the rule inside, which must be one of those that fit: an inlined chain over the index.
///
/// `std::visit` goes through a table of function pointers and costs about 10 ns a call; this is free.
template <template <class> class Fits, std::size_t I = 0, class F>
inline decltype(auto) dispatch_among(const AnyRule& rule, F&& f) {
    constexpr std::size_t first = next_fit<Fits, I>(), second = next_fit<Fits, first + 1>();
    static_assert(first < std::variant_size_v<Rules>, "no rule fits");
    if constexpr (second >= std::variant_size_v<Rules>) {
        return f(*std::get_if<first>(&rule));
    } else {
        if (rule.index() == first) return f(*std::get_if<first>(&rule));
        return dispatch_among<Fits, second>(rule, std::forward<F>(f));
    }
}

template <class>
using AnyFits = std::true_type;

/// The same for all of the list.
template <class F>
inline decltype(auto) dispatch(const AnyRule& rule, F&& f) {
    return dispatch_among<AnyFits>(rule, std::forward<F>(f));
}

inline Step decide(const AnyRule& rule, const Evidence& e, const Clock& clock) noexcept {
    return dispatch(rule, [&](const auto& r) { return decide(r, e, clock); });
}

}  // namespace onlinear::rule
