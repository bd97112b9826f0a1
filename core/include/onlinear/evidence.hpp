#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

/// The only words the three axes share.
///
/// A task poses a demand, a belief measures it, a rule answers with a step, and
/// the belief takes the step.
namespace onlinear {

/// What a rule may know about a demand.
struct Evidence {
    double margin = 0.0;        // mu . delta; positive when right
    double required = 1.0;      // the margin the task asks for
    double variance = 0.0;      // delta' Sigma delta, in the belief's own metric
    double weight = 1.0;        // of the example; scales a rule's price where it has one
    double mean_norm = 0.0;     // |mu|^2, kept only for rules that ask for it
    double threshold = 0.0;     // a scalar the belief carries between rounds (NORMA's rho)
    double resolution = 1e-14;  // relative accuracy of margin and variance, from the state's type
    bool apart = false;         // the step also moves an intercept, which has no part in the variance
};

/// What a rule answers.
///
/// mu <- keep mu + mean Sigma delta, then Sigma^-1 gains `precision` delta delta',
/// then Sigma <- spread Sigma.
struct Step {
    double mean = 0.0;
    double precision = 0.0;
    double keep = 1.0;
    double spread = 1.0;
    double threshold = 0.0;  // added to the belief's threshold
    int power = 1;           // exact diagonals only: sigma / (1 + precision q)^power

    /// Whether the step moves the mean or the covariance along the demand.
    [[gnu::always_inline]] bool updates() const noexcept { return mean != 0.0 || precision != 0.0; }
    [[gnu::always_inline]] explicit operator bool() const noexcept {
        return updates() || keep != 1.0 || spread != 1.0 || threshold != 0.0;
    }
    [[gnu::always_inline]] bool finite() const noexcept {
        return std::isfinite(mean) & std::isfinite(precision) & std::isfinite(keep) & std::isfinite(spread) &
               std::isfinite(threshold);
    }
};

/// What some rules and tasks use and some beliefs can take, beyond a move along the demand and the precision
/// gained there (which `Metric` is about). A rule and a task declare what they use, a belief's options what
/// it takes; compatible.hpp compares them and has the words for each.
struct Parts {
    bool keep = false;         // Step::keep: the whole mean is multiplied
    bool spread = false;       // Step::spread: the whole covariance is multiplied
    bool threshold = false;    // Step::threshold and Evidence::threshold
    bool mean_norm = false;    // Evidence::mean_norm
    bool l1_ball = false;      // the mean stays inside an L1 ball whose radius the rule gives
    bool targets = false;      // demands come from real targets (regression)
    bool pairs = false;        // demands are between any two blocks and may ask for any margin
    bool distance = false;     // |x - mean| is measured
    bool several = false;      // one step moves several blocks by different amounts
    bool joint = false;        // one step is found from the covariance between several demands
    bool differences = false;  // a demand is a difference of two rows
    bool sentences = false;    // a demand is summed over the tokens of a sentence, and scores are linear
};

/// Time comes to a rule from outside, so a rule has no memory.
struct Clock {
    std::uint64_t round = 1;    // the current round; every example of positive weight is one
    std::uint64_t updates = 0;  // rounds before this one that moved the mean or the covariance along a demand
};

/// What a round's demand was and how it was answered, for those who keep a record; NaN where nothing was
/// demanded.
struct Witness {
    static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    Evidence seen{.margin = kNone, .required = kNone, .variance = kNone};
    Step step;
    std::int32_t rival = -1;  // the class the right one was compared with
};

/// What a task is handed of the world outside its round: the time, and who looks on, if anybody does. A rule
/// is told the time alone.
struct Moment : Clock {
    Witness* witness = nullptr;

    [[gnu::always_inline]] void see(const Evidence& e, const Step& step) const noexcept {
        if (!witness) return;
        witness->seen = e;
        witness->step = step;
    }
    [[gnu::always_inline]] void compare(std::uint32_t rival) const noexcept {
        if (witness) witness->rival = static_cast<std::int32_t>(rival);
    }
};

}  // namespace onlinear
