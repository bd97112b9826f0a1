#pragma once
#include "onlinear/belief/belief.hpp"
#include "onlinear/rows/matrix.hpp"
#include "onlinear/rule/any.hpp"

namespace onlinear {

/// What became of one example.
struct Round {
    Fault fault = Fault::none;
    bool mistake = false;
    bool updated = false;
    double cost = 0.0;  // of the prediction, by the task's own measure where it has one
};

/// Whether the factors of a step are numbers of the state's type: tiny features and huge weights make huge
/// factors.
template <class T>
[[gnu::always_inline]] inline bool representable(Terms terms, const Step& step, const Evidence& e) noexcept {
    // One question instead of many: each is answered yes, and the row waits for the asking.
    bool good = step.finite() & std::isfinite(step.precision * e.variance);
    for (const Term& term : terms) {
        const double c = std::abs(term.coefficient);
        good &= (std::abs(step.mean) * c < belief::kReach<T>)&(step.precision * c * c < belief::kReach<T>);
    }
    return good;
}

/// Why a step cannot be taken: what it would make infinite.
template <class Belief>
[[gnu::noinline, gnu::cold]] Fault overflow_of(const Belief& belief, const Step& step, const Evidence& e) {
    if constexpr (belief::HoldsVariances<Belief>) {
        if (!belief.holds_variances(step, e)) return Fault::variance_overflow;
    }
    return Fault::step_overflow;
}

/// The same for a step whose own numbers are too large, though the weights it leads to may not be: where
/// variances have all but vanished, steps become as large as those are small.
template <class Belief, class T>
[[gnu::noinline, gnu::cold]] Round take_far(Belief& belief, const Row<T>& row, Terms terms, const Step& step,
                                            const Evidence& e) {
    if (!belief.apply_far(row, terms, step, e)) return {.fault = overflow_of(belief, step, e)};
    if (belief.truncation.on()) belief.truncation.after(belief, row, terms);
    return {.updated = step.updates()};
}

/// Takes a step that something has decided, unless it would make a weight infinite.
template <class Belief, class T>
[[gnu::always_inline]] inline Round take(Belief& belief, const Row<T>& row, Terms terms, const Step& step,
                                         const Evidence& e) {
    if constexpr (belief::StepsFar<Belief>) {
        if (!representable<T>(terms, step, e) || !belief.admits(step, e)) [[unlikely]]
            return take_far(belief, row, terms, step, e);
    } else {
        if (!representable<T>(terms, step, e)) return {.fault = Fault::step_overflow};
        if constexpr (belief::Prepares<Belief>) belief.expect(row, terms);
        if (!belief.admits(step, e)) return {.fault = overflow_of(belief, step, e)};
    }
    belief.apply(row, terms, step, e);
    if constexpr (belief::Truncates<Belief>) {
        if (belief.truncation.on()) belief.truncation.after(belief, row, terms);
    }
    return {.updated = step.updates()};
}

/// The heart of every task with one demand: measure, decide, apply. `Rule` is one rule, or any.
///
/// Inlined by force: what passes through here decides when the next row can be scored, and handed over in
/// memory it costs a third of a short row's time.
template <class Belief, class Rule, class T>
[[gnu::always_inline]] inline Round answer(Belief& belief, const Rule& rule, const Row<T>& row, Terms terms,
                                           Evidence e, const Moment& now) {
    if (!(std::isfinite(e.margin) & std::isfinite(e.variance))) return {.fault = Fault::margin_overflow};
    if constexpr (belief::Refines<Belief>) {
        e.margin = belief.refined(e.margin, terms);
        if (!std::isfinite(e.margin)) return {.fault = Fault::margin_overflow};
    }
    e.mean_norm = belief.mean_norm();
    e.threshold = belief.threshold();
    if constexpr (sizeof(T) == 4) e.resolution = 1e-5;
    if constexpr (belief::MovesApart<Belief>) e.apart = belief.apart();
    using rule::dispatch_among;  // that for any rule is known where this is compiled for one
    const Step step = dispatch_among<rule::On<Belief>::template Fits>(rule, [&](const auto& r) {
        // Two questions: the first does not depend on the rule, and clang reads the branch unless it fails
        // alone.
        using R = std::remove_cvref_t<decltype(r)>;
        if constexpr (belief::Profiled<Belief>) {
            if constexpr (rule::HasExactStep<R>) {
                if (belief.exact())
                    return e.variance > 0 ? r.exact_step(e, belief.profile(row, terms)) : Step{};
            }
        }
        if constexpr (belief::WithoutVariance<Belief> && !rule::RestsWithoutVariance<R>)
            return r.step(e, now);
        return rule::decide(r, e, now);
    });
    now.see(e, step);
    if (!step) return {};
    return take(belief, row, terms, step, e);
}

}  // namespace onlinear
