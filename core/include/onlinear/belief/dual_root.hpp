#pragma once
#include <algorithm>
#include <cmath>
#include <vector>

#include "onlinear/simd/simd.hpp"

namespace onlinear::belief {

/// The triangular root of H, H = U'U, in Sigma = a I - a^2 D H^-1 D'.
///
/// D holds the elements of a kernel's covariance, and H = a D'D + N with N = diag(1 / precision gained along
/// each). Learning makes H longer, never a sum smaller: a variance is read from one subtraction whose error
/// is a rounding of the prior's a <delta, delta>. (Kept as the matrix a^2 H^-1 itself, and every step
/// subtracted from it, the error grows with the square of that, and a polynomial kernel of ordinary numbers
/// is soon left with variances below zero.)
///
/// The mean D nu goes with it as eta = U nu. Its margin is y'eta / a, with the very y of the variance: the
/// two agree to the bit about what a step does, so that rounding is not learned from. nu itself is read off.
///
/// U is upper triangular, a row for each element, zero before the row's own element and past the last one;
/// so every sweep goes along rows. What is done to rows is done to eta too.
class DualRoot {
public:
    std::size_t size() const noexcept { return size_; }
    /// Length of the vectors to work on: whole panels, zero past the last element.
    std::size_t padded() const noexcept { return (size_ + kPanel - 1) / kPanel * kPanel; }
    std::size_t bytes() const noexcept { return upper_.size() * sizeof(double); }
    const std::vector<double>& eta() const noexcept { return eta_; }
    double& eta(std::size_t i) noexcept { return eta_[i]; }
    double at(std::size_t i, std::size_t j) const noexcept { return upper_[i * stride_ + j]; }
    double& at(std::size_t i, std::size_t j) noexcept { return upper_[i * stride_ + j]; }

    void clear() noexcept {
        size_ = stride_ = 0;
        upper_.clear();
        eta_.clear();
    }
    /// Room for one more element; its column is still zero.
    void extend() {
        ++size_;
        eta_.resize(padded(), 0.0);
        if (size_ <= stride_) return;
        const std::size_t stride = std::max(2 * stride_, 4 * kPanel), n = size_ - 1;
        std::vector<double> larger(stride * stride, 0.0);
        for (std::size_t i = 0; i < n; ++i)
            std::copy_n(upper_.data() + i * stride_, n, larger.data() + i * stride);
        upper_ = std::move(larger);
        stride_ = stride;
    }

    /// y <- U'^-1 y, from element `first` on, before which y is zero.
    void solve(double* y, std::size_t first = 0) const {
        gram_loops().solve(upper_.data(), stride_, first / kSolveRows * kSolveRows, padded(), y);
    }
    /// y <- U^-1 y.
    void solve_back(double* y) const { gram_loops().solve_back(upper_.data(), stride_, padded(), y); }

    /// nu = U^-1 eta.
    std::vector<double> nu() const {
        std::vector<double> out = eta_;
        solve_back(out.data());
        return out;
    }
    /// Adds factor y to eta.
    void move(const double* y, double factor) noexcept {
        for (std::size_t j = 0; j < size_; ++j) eta_[j] += factor * y[j];
    }

    /// A new element: y is U'^-1 of its row of H, `pivot` the root of what y leaves of its own place in H.
    ///
    /// The mean moves by `step` (own element - t): of eta only the new place, for U t = y.
    void append(const double* y, double sign, double pivot, double step) {
        const std::size_t n = size_;
        extend();
        for (std::size_t j = 0; j < n; ++j) at(j, n) = sign * y[j];
        at(n, n) = pivot;
        eta_[n] = sign * pivot * step;
    }

    /// H <- U' (I + gain f f')^-1 U.
    ///
    /// The triangular root of (I + gain f f')^-1 follows from sums of gain f_j^2 alone: nothing is
    /// subtracted.
    void shrink(const double* f, double gain) {
        std::vector<double> along(padded(), 0.0);  // sum of f_j U_j over the rows below
        double sum = 1, along_eta = 0;
        for (std::size_t j = size_; j-- > 0;) {
            if (f[j] == 0) continue;
            const double next = sum + gain * f[j] * f[j];
            const RowMix by{std::sqrt(sum / next), -gain * f[j] / std::sqrt(sum * next), f[j], 1.0};
            gram_loops().mix(row(j), along.data(), j, padded(), by);
            by(eta_[j], along_eta);
            sum = next;
        }
    }

    /// H without the row and the column of element e: what stands below takes the row up.
    void remove(std::size_t e) {
        const std::size_t n = size_, width = padded();
        std::vector<double> left(row(e), row(e) + width);
        left[e] = 0;
        double left_eta = eta_[e];
        for (std::size_t j = e + 1; j < n; ++j) {
            const double own = at(j, j), both = std::hypot(own, left[j]);
            if (left[j] != 0 && both > 0) {
                const double c = own / both, s = left[j] / both;
                const RowMix by{c, s, -s, c};
                gram_loops().mix(row(j), left.data(), j, width, by);
                by(eta_[j], left_eta);
                at(j, j) = both;
                left[j] = 0;
            }
        }
        for (std::size_t j = 0; j < n; ++j) {
            if (j == e) continue;
            double* to = row(j < e ? j : j - 1);
            const std::size_t first = std::max(e + 1, j);
            std::copy(row(j) + first, row(j) + n, to + first - 1);
            to[n - 1] = 0;
        }
        std::fill_n(row(n - 1), n, 0.0);
        eta_.erase(eta_.begin() + static_cast<std::ptrdiff_t>(e));
        --size_;
        eta_.resize(padded(), 0.0);
    }

    /// The same nu, and `factor`^2 H.
    void scale(double factor) noexcept {
        for (double& u : upper_) u *= factor;
        scale_mean(factor);
    }
    void scale_mean(double factor) noexcept {
        for (double& each : eta_) each *= factor;
    }
    /// Two copies that know nothing of each other, with -nu/2 and nu/2.
    void twice() {
        DualRoot two;
        for (std::size_t i = 0; i < 2 * size_; ++i) two.extend();
        for (std::size_t b = 0; b < 2; ++b)
            for (std::size_t i = 0; i < size_; ++i) {
                std::copy_n(row(i), size_, two.row(b * size_ + i) + b * size_);
                two.eta_[b * size_ + i] = (b == 0 ? -0.5 : 0.5) * eta_[i];
            }
        *this = std::move(two);
    }

    /// The square, row by row; the inverse of `restore`.
    std::vector<double> square() const {
        std::vector<double> out;
        out.reserve(size_ * size_);
        for (std::size_t i = 0; i < size_; ++i) out.insert(out.end(), row(i), row(i) + size_);
        return out;
    }
    /// False where the numbers are no triangular root.
    bool restore(const std::vector<double>& square, std::size_t n) {
        clear();
        if (square.size() != n * n) return false;
        for (std::size_t i = 0; i < n; ++i) extend();
        for (std::size_t i = 0; i < n; ++i) {
            std::copy_n(square.data() + i * n, n, row(i));
            if (!(at(i, i) > 0)) return false;
            for (std::size_t j = 0; j < i; ++j)
                if (at(i, j) != 0) return false;
        }
        return true;
    }

private:
    double* row(std::size_t i) noexcept { return upper_.data() + i * stride_; }
    const double* row(std::size_t i) const noexcept { return upper_.data() + i * stride_; }

    std::vector<double> upper_, eta_;
    std::size_t stride_ = 0, size_ = 0;
};

}  // namespace onlinear::belief
