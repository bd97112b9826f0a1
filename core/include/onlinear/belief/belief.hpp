#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "onlinear/evidence.hpp"
#include "onlinear/memory/planes.hpp"
#include "onlinear/row.hpp"
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
    virtual void matrix(const char* name, BigArray<T>& array, std::size_t rows, std::size_t columns) = 0;
    /// Rows of float64 numbers, as many as there are; when loading, as many as were saved. 0 columns: any
    /// number.
    virtual void table(const char* name, std::vector<double>& values, std::size_t columns) = 0;
    virtual bool loading() const noexcept = 0;

protected:
    ~StateVisitor() = default;
};

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

/// The mean over all rounds, kept lazily for a mean written scale * u.
///
/// With M_t the sum of the means after each round, M_t = B u_t + a where B is the sum of the scales so far:
/// a step du changes a by -B du, and a passive round changes nothing but B.
struct Averaging {
    bool on = false;
    double scales = 0.0;  // B
    double rounds = 0.0;

    void tick(double scale) noexcept {
        scales += scale;
        rounds += 1;
    }

    /// Blends u with the plane that holds a; before the first round, or without averaging, the mean itself.
    Blend blend(double scale, std::size_t plane) const noexcept {
        if (!on || rounds == 0) return {scale, 0.0, 0};
        return {scales / rounds, 1 / rounds, plane};
    }
};

}  // namespace onlinear::belief
