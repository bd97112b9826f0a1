#pragma once
#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "onlinear/evidence.hpp"
#include "onlinear/memory/planes.hpp"
#include "onlinear/rows/row.hpp"
#include "onlinear/simd/simd.hpp"

/// What every belief file needs.
///
/// A belief answers
///   look(row)                 score and variance of a single-block row, in one sweep
///   scores(row, out)          the score of every block
///   variance(row, terms)      delta' Sigma delta in its own metric
///   admits(step, evidence)    whether the step keeps every number finite
///   apply(row, terms, step, evidence)
///   tick()                    a round has passed
///   mean_scale()              mean = mean_scale() * plane 0, where plane 0 is the mean up to a factor
///   blend()                   the weights it predicts with, as a sum of two planes
/// and, reading only, predict(row, out) and variances(row, out); it grows, and shows its whole state to a
/// visitor.
namespace onlinear::belief {

/// Walks a belief's state by name; used to save, load, hash and inspect it.
template <class T>
struct StateVisitor {
    virtual void scalar(const char* name, double& value) = 0;
    virtual void plane(const char* name, Planes<T>& planes, std::size_t plane) = 0;
    /// A number for each slot, whatever the blocks.
    virtual void column(const char* name, Planes<T>& planes) = 0;
    virtual void matrix(const char* name, BigArray<T>& array, std::size_t rows, std::size_t columns) = 0;
    /// Rows of float64 numbers, as many as there are; when loading, as many as were saved. 0 columns: any
    /// number.
    virtual void table(const char* name, std::vector<double>& values, std::size_t columns) = 0;
    virtual bool loading() const noexcept = 0;

protected:
    ~StateVisitor() = default;
};

// What the options of a belief may declare beyond `name`, `metric`, `takes`, `Belief<T>` and `parameters()`.

/// What it takes depends on its parameters.
template <class O>
concept TakesByParameters = requires(const O options) {
    { options.takes_now() } -> std::same_as<Parts>;
};
/// What a rule must use to be learned on it.
template <class O>
concept NeedsParts = requires { O::needs; };
/// It can predict with the average of the means.
template <class O>
concept Averages = requires(const O options) { options.average; };
/// It can learn in units that follow the features' (belief/scales.hpp).
template <class O>
concept ScalesFeatures = requires(const O options) { options.scale; };
/// It can take their means from features as they come (belief/centre.hpp).
template <class O>
concept CentresFeatures = requires(const O options) { options.center; };
/// It projects covariances on diagonals, in a way that can be chosen.
template <class O>
concept Projects = requires(const O options) { options.projection; };

// What a belief may have beyond what every belief has (above).

template <class B>
using RowOf = Row<typename B::Scalar>;

/// Scores are sums of mean_scale() * plane 0 * value, so they can be read from the caller's own arrays.
template <class B>
concept DirectScores = B::kDirectScores;
/// Every variance is positive, so a value that is not finite shows in the variance of its row's score.
template <class B>
concept VarianceShowsFaults = B::kVarianceShowsFaults;
/// It learns from demands without variance.
template <class B>
concept WithoutVariance = B::kWithoutVariance;
/// Whether it has a variance depends on the rule it learns with.
template <class B>
concept ChoosesCovariance = requires(B b) {
    b.learn_covariance(true);
    { b.has_variance() } -> std::same_as<bool>;
};
/// It keeps the mean inside an L1 ball.
template <class B>
concept Confines = requires(B b, double radius) { b.confine(radius); };
/// It shows its whole covariance.
template <class B>
concept ShowsCovariance = requires(const B b) { b.sigma(); };
/// It forgets some of what its covariance has learned.
template <class B>
concept Inflates = requires(B b, double share) { b.inflate(share); };
/// It divides rows by running scales of their features (belief/scales.hpp).
template <class B>
concept HasScales = requires(B b) { b.scales; };
/// It may hold an intercept that moves with every step and has no part in the variance.
template <class B>
concept MovesApart = requires(const B b) { b.apart(); };
/// It zeroes small weights (constraint/truncate.hpp).
template <class B>
concept Truncates = requires(B b) { b.truncation; };
/// It knows which of its weights are not zero.
template <class B>
concept KnowsNonzero = requires(B b) { b.weights(); };
/// Some of its readings call a function of the user's, so one thread reads.
template <class B>
concept MaybeSerial = requires(const B b) { b.serial(); };
/// It counts its bytes itself.
template <class B>
concept CountsBytes = requires(const B b) { b.bytes(); };
/// It holds a triangular root beside its planes.
template <class B>
concept HoldsRoot = requires(const B b) { b.root(); };
/// Taking back a growth of slots is more than shrinking its planes.
template <class B>
concept ShrinksItself = requires(B b, std::size_t slots) { b.shrink(slots); };
/// For dense rows its means and variances can be put into arrays of their own, and back.
template <class B>
concept ComesApart = requires(B b) {
    b.part();
    b.together();
};
/// It computes with blocks of rows to come, `kAhead` at a time.
template <class B>
concept LooksAhead = requires(B b) {
    B::kAhead;
    b.ahead();
    b.foresee();
    b.block();
};
/// It may predict with other scores than those it learns from (averages, inclusive scores).
template <class B>
concept PredictsOtherwise = requires(const B b) { b.predicts_otherwise(); };
/// The weights it learns with are a blend of planes, not mean_scale() * plane 0.
template <class B>
concept HoldsBlend = requires(const B b) { b.held(); };
/// It says whether it is a variance that a step would make infinite.
template <class B>
concept HoldsVariances =
    requires(const B b, const Step step, const Evidence e) { b.holds_variances(step, e); };
/// It can take steps whose own numbers are too large, where the weights they lead to are not.
template <class B>
concept StepsFar = requires(B b, const RowOf<B> row, Terms terms, const Step step, const Evidence e) {
    b.apply_far(row, terms, step, e);
};
/// It prepares for a step before it says whether it admits it.
template <class B>
concept Prepares = requires(B b, const RowOf<B> row, Terms terms) { b.expect(row, terms); };
/// It can look for the optimum among diagonals.
template <class B>
concept Profiled = requires(B b, const RowOf<B> row, Terms terms) {
    b.profile(row, terms);
    b.exact();
};
/// It measures a margin more exactly when its terms are known.
template <class B>
concept Refines = requires(const B b, double margin, Terms terms) { b.refined(margin, terms); };
/// It measures delta' Sigma delta' of two demands.
template <class B>
concept MeasuresCovariance =
    requires(B b, const RowOf<B> row, Terms terms) { b.covariance(row, terms, terms); };
/// Its next step goes along the demand it measured last, or along the one `aim` sets.
template <class B>
concept Aims = requires(B b, const RowOf<B> row, Terms terms) { b.aim(row, terms); };
/// It prefetches the variances of two blocks.
template <class B>
concept PrefetchesVariances =
    requires(B b, const RowOf<B> row, std::uint32_t block) { b.prefetch_variances(row, block, block); };

/// Largest magnitude a weight may reach: far enough below overflow that one more step and one more sum stay
/// finite.
template <class T>
constexpr double kReach = sizeof(T) == 4 ? 1e30 : 1e290;

/// The widest a rule's `spread` may make a variance: 1/epsilon of what it starts from.
///
/// A covariance spread again and again grows without end wherever no example comes, first of all for features
/// yet to come, and would leave the numbers of its type. Past this width nothing is lost by holding it: the
/// first example takes the variance to about the inverse of the precision it brings, and how wide it was is
/// below the rounding of that. Forgetting by any factor so goes on for ever.
template <class T>
double widest_variance(double initial) noexcept {
    constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());
    return std::max(initial, std::min(initial / epsilon, 1e-10 * kReach<T>));
}
/// How much of `spread` is kept as one factor beside the variances before it is written into them.
inline constexpr double kMostSpread = 1e3;

/// Refuses a variance for weights yet to come, or its inverse, that their type cannot hold; files may say
/// anything.
template <class T>
void need_fresh(T variance) {
    if (!(variance > 0 && std::isfinite(variance)))
        throw std::invalid_argument("state 'fresh_variance' holds a value that is not possible");
}

// Rows longer than this are folded into float64 piece by piece.
inline constexpr std::uint32_t kFold = 1024;

/// sum over the row of f(weights of the entry, value), four chains folded into float64.
///
/// Four independent sums hide the latency of addition, and fix the order whatever the batch.
template <class T, class F>
inline double gather(const Row<T>& row, F&& f) noexcept {
    double total = 0;
    for (std::uint32_t start = 0; start < row.size; start += kFold) {
        const std::uint32_t stop = std::min(row.size, start + kFold);
        T a = 0, b = 0, c = 0, d = 0;
        std::uint32_t j = start;
        for (; j + 4 <= stop; j += 4) {
            a += f(row.at[j], row.value[j]);
            b += f(row.at[j + 1], row.value[j + 1]);
            c += f(row.at[j + 2], row.value[j + 2]);
            d += f(row.at[j + 3], row.value[j + 3]);
        }
        for (; j < stop; ++j) a += f(row.at[j], row.value[j]);
        total += static_cast<double>(a + b) + static_cast<double>(c + d);
    }
    return total;
}

/// Steps of `at` from one entry to the next weight: an accumulated difference holds offsets already.
template <class T>
inline std::size_t width_for(const Row<T>& row, const Planes<T>& planes) noexcept {
    return row.flat ? 1 : planes.width();
}

/// |mu|^2 as a belief keeps it, and how wrong it may be.
struct Norm {
    double value = 0.0;
    double error = 0.0;
};

/// The weights a belief predicts with: first * plane 0 + second * plane `other`, plane 0 without its numbers'
/// `shift` where there is one.
struct Blend {
    double first = 1.0;
    double second = 0.0;
    std::size_t other = 0;
    double shift = 0.0;
};

/// u - sign(u) shift.
template <class T>
[[gnu::always_inline]] inline T without_shift(T u, T shift) noexcept {
    return u - (u > 0 ? shift : u < 0 ? -shift : T{0});
}

/// The mean of the means after each round, kept lazily for a mean written scale * u.
///
/// Round t counts c_t: 1, or t (t + 1) / 2 where late rounds count more. Early means come from a learner that
/// knew little, and in an average of equals they are felt for long; so weighted, the last fifth of the rounds
/// carries half of the weight at any time. Polynomial-decay averaging with eta = 2: Shamir, Zhang. Stochastic
/// Gradient Descent for Non-smooth Optimization. ICML 2013, section 4.
///
/// With M_t the sum of c_t times the mean after each round, M_t = B u_t + a where B is the sum of c_t times
/// the scale: a step du changes a by -B du, and a passive round changes nothing but B.
///
/// Sums grow with the third power of t. They are held in a unit that `rounds` alone decides: a power of two,
/// 2^-12 of what it was whenever the sixteenfold of 2^10 rounds has come. Then the belief divides its a, too.
struct Averaging {
    bool on;
    bool late;
    double scales = 0.0;  // B
    double rounds = 0.0;

    Averaging(bool on, bool late) noexcept : on(on), late(late) {}

    /// Counts a round; whether what is summed up must be divided by `kFold`.
    [[nodiscard, gnu::always_inline]] bool tick(double scale) noexcept {
        rounds += 1;
        if (!late) {
            scales += scale;
            return false;
        }
        if (rounds == turn_) [[unlikely]] {
            scales /= kFold;
            unit_ /= kFold;
            turn_ *= 16;
            scales += scale * weight();
            return true;
        }
        scales += scale * weight();
        return false;
    }
    /// To be called when `rounds` has been loaded; throws where learning cannot have led there.
    void count() {
        if (!(rounds >= 0) || (late && !(rounds < kMost)))
            throw std::invalid_argument("state 'average_rounds' holds a value that is not possible");
        unit_ = 1;
        for (turn_ = kFirst; late && rounds >= turn_; turn_ *= 16) unit_ /= kFold;
    }

    /// The sum of c_t over the rounds so far; 0 before the first.
    double total() const noexcept { return late ? unit_ * rounds * (rounds + 1) * (rounds + 2) / 6 : rounds; }

    /// Blends u with the plane that holds a; before the first round, or without averaging, the mean itself.
    Blend blend(double scale, std::size_t plane) const noexcept {
        if (!on || rounds == 0) return {scale, 0.0, 0};
        return {scales / total(), 1 / total(), plane};
    }

    static constexpr double kFold = 4096;

private:
    static constexpr double kFirst = 1 << 14;
    static constexpr double kMost = 1e18;

    double weight() const noexcept { return unit_ * rounds * (rounds + 1) / 2; }

    double unit_ = 1.0;
    double turn_ = kFirst;  // the round at which the unit changes next
};

}  // namespace onlinear::belief
