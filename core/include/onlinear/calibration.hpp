#pragma once
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace onlinear {

/// A map from scores to probabilities, fitted while learning.
///
/// Every example is scored before it is learned, so progressive scores are honest held-out scores. The map is
/// logistic: p = 1 / (1 + exp(-(scale z + offset))), z = (s - centre) / size, for two classes, softmax(scale
/// s / size) for more. Centre and size are the running mean and deviation of scores: some rules grow their
/// weights for ever, and later passes move and stretch the scores of unbalanced classes; probabilities should
/// follow neither. It is fitted by online Newton steps on the log loss whose memory lengthens with time: at
/// round t the last half of the stream carries seven eighths of the weight, because early scores come from a
/// model that knew little.
///
/// Further passes teach the model more, and what it says of rows it has learned says nothing of others. Rows
/// that meet it late, after a pass over the rest, show what it is worth by then: while there are `LateRows`
/// the map is fitted anew, each of them counting the same. Centre and size do not run along; whoever shows
/// rows late measures them then, and again on the same rows when the passes are over.
class Calibration {
public:
    double scale = 1.0, offset = 0.0;
    double h_ss = 1.0, h_so = 0.0,
           h_oo = 10.0;  // the weighted Hessian, with a prior towards scale 1 and no offset
    std::uint64_t rounds = 0;
    double centre = 0.0;  // running mean of scores; two classes only
    double square = 0.0;  // running mean of squared distances from it

    /// Centre and size as they are over some rows, `blocks` scores each, one for two classes; not where they
    /// would be no numbers, or nothing.
    void measure(const double* scores, std::size_t rows, std::size_t blocks) noexcept {
        const auto n = static_cast<double>(rows);
        double middle = 0, spread = 0;
        if (blocks == 1) {
            for (std::size_t i = 0; i < rows; ++i) middle += clamped(scores[i]) / n;
            for (std::size_t i = 0; i < rows; ++i) {
                const double away = clamped(scores[i]) - middle;
                spread += away * away / n;
            }
        } else {
            for (std::size_t i = 0; i < rows; ++i) spread += spread_of(scores + i * blocks, blocks) / n;
        }
        if (!(spread > 0) || !std::isfinite(spread)) return;
        centre = middle;
        square = spread;
    }

    /// From here on rows come late. What earlier scores said counts as three of them at most.
    void begin_late() noexcept {
        const double share = std::min(kEarlier * (1 - memory()), 1.0);
        h_ss = std::max(share * h_ss, kLeastCurvature);
        h_so *= share;
        h_oo = std::max(share * h_oo, kLeastCurvature);
        late_ = true;
        between_ = 0;
    }
    void end_late() noexcept {
        late_ = false;
        between_ = stride() - 1;
    }

    [[gnu::always_inline]] void observe_binary(double score, bool positive, double weight) noexcept {
        if (follow_binary(score) && square != 0) [[unlikely]]
            fit_binary(score, positive, weight);
    }

    /// A round whose example has been seen before: only centre and size of scores are followed.
    /// Returns whether the round is one to look at. What is no number says nothing.
    [[gnu::always_inline]] bool follow_binary(double score) noexcept {
        if (!due() || std::isnan(score)) return false;
        if (late_) return true;
        const double s = clamped(score), keep = rounds == 1 ? 0.0 : memory(), away = s - centre;
        centre += (1 - keep) * away;
        square = keep * (square + (1 - keep) * away * away);
        return true;
    }

    [[gnu::noinline]] void fit_binary(double score, bool positive, double weight) noexcept {
        const double s = (clamped(score) - centre) / std::sqrt(square);
        const double p = sigmoid(scale * s + offset);
        weight = std::min(weight, kLargest);
        const double error = weight * (p - (positive ? 1.0 : 0.0));
        const double curvature = weight * std::max(p * (1 - p), kLeastCurvature);
        const double keep = kept();
        h_ss = keep * h_ss + curvature * s * s;
        h_so = keep * h_so + curvature * s;
        h_oo = keep * h_oo + curvature;
        const double determinant = h_ss * h_oo - h_so * h_so;
        if (!(determinant > 1e-12 * h_ss * h_oo)) return;
        const double step = error / determinant;
        turn_scale((h_oo * s - h_so) * step);
        offset = std::clamp(offset - (h_ss - h_so * s) * step, -50.0, 50.0);
    }

    /// `scratch` has room for `n` numbers.
    void observe_multiclass(const double* scores, std::size_t n, std::size_t label, double weight,
                            double* scratch) noexcept {
        if (!follow_multiclass(scores, n) || square == 0) return;
        const double size = std::sqrt(square), top = clamped(*std::max_element(scores, scores + n));
        // Infinite scores are clamped before they are subtracted: their difference is no number.
        const auto below = [&](std::size_t k) { return clamped((clamped(scores[k]) - top) / size); };
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) total += scratch[k] = std::exp(scale * below(k));
        double mean = 0, second = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double p = scratch[k] / total, s = below(k);
            mean += p * s;
            second += p * s * s;
        }
        weight = std::min(weight, kLargest);
        const double error = weight * (mean - below(label));
        h_ss = kept() * h_ss + weight * std::max(second - mean * mean, kLeastCurvature);
        turn_scale(error / h_ss);
    }

    bool follow_multiclass(const double* scores, std::size_t n) noexcept {
        if (!due()) return false;
        for (std::size_t k = 0; k < n; ++k)
            if (std::isnan(scores[k])) return false;
        if (late_) return true;
        const double keep = memory(), spread = spread_of(scores, n);
        square = square == 0 ? spread : keep * square + (1 - keep) * spread;
        return true;
    }

    /// Probability of the second of two classes.
    double probability(double score) const noexcept {
        return sigmoid(scale * (score - centre) / size() + offset);
    }

    void probabilities(const double* scores, std::size_t n, double* out) const noexcept {
        const double top = *std::max_element(scores, scores + n);
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) total += out[k] = std::exp(scale * (scores[k] - top) / size());
        for (std::size_t k = 0; k < n; ++k) out[k] /= total;
    }

    /// Whether learning could have led here; a file may say anything.
    bool possible() const noexcept {
        constexpr double kMostScale = 1e16;  // it grows by one a look at most
        return scale > 0 && scale <= kMostScale && std::abs(offset) <= 50.0 && h_ss > 0 && h_oo > 0 &&
               square >= 0 && std::abs(centre) <= kLargest;
    }

    static double sigmoid(double z) noexcept {
        const double e = std::exp(-std::abs(z));
        return z >= 0 ? 1 / (1 + e) : e / (1 + e);
    }

private:
    static constexpr double kLargest = 1e100;
    static constexpr double kLeastCurvature = 1e-3;
    static constexpr std::uint64_t kHorizon = 100000;
    static constexpr double kEarlier = 3;  // late rows that the map they start from counts as

    std::uint64_t between_ = 0;  // the last stride, less one
    bool late_ = false;

    /// Rounds that one look stands for, a power of two. A map of two numbers is settled by few examples, and
    /// on short rows looking at each would cost a fifth of the time; what is remembered at any time is at
    /// least 340 looks once there were so many. Late rows are few, and all are looked at.
    std::uint64_t stride() const noexcept {
        return std::bit_floor(std::clamp<std::uint64_t>(rounds >> 10, 1, 64));
    }
    [[gnu::always_inline]] bool due() noexcept {
        if ((++rounds & between_) != 0) return false;
        if (late_) return true;
        between_ = stride() - 1;  // strides are powers of two that only grow: a round skipped under the old
                                  // stride is skipped under the new one
        return (rounds & between_) == 0;
    }

    /// Mean squared distance of the scores of a row from their mean.
    static double spread_of(const double* scores, std::size_t n) noexcept {
        double mean = 0, spread = 0;
        for (std::size_t k = 0; k < n; ++k) mean += clamped(scores[k]) / static_cast<double>(n);
        for (std::size_t k = 0; k < n; ++k) {
            const double s = clamped(scores[k]) - mean;
            spread += s * s / static_cast<double>(n);
        }
        return spread;
    }
    static double clamped(double score) noexcept { return std::clamp(score, -kLargest, kLargest); }
    double size() const noexcept { return square > 0 ? std::sqrt(square) : 1.0; }
    double memory() const noexcept {
        return 1 - 3 * static_cast<double>(stride()) / static_cast<double>(std::min(rounds, kHorizon) + 30);
    }
    /// How much of the Hessian a look leaves.
    double kept() const noexcept { return late_ ? 1.0 : memory(); }
    /// The map stays monotone, and one strange example cannot turn it over.
    void turn_scale(double change) noexcept {
        scale = std::max(scale - std::clamp(change, -1.0, scale / 2), 1e-6);
    }
};

/// Tells a map that rows come late, for as long as they do.
class LateRows {
public:
    LateRows(Calibration& map, bool late) noexcept : map_(late ? &map : nullptr) {
        if (map_) map_->begin_late();
    }
    ~LateRows() {
        if (map_) map_->end_late();
    }
    LateRows(const LateRows&) = delete;
    LateRows& operator=(const LateRows&) = delete;

private:
    Calibration* map_;
};

}  // namespace onlinear
