#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>

namespace onlinear {

/// A map from scores to probabilities, fitted while learning.
///
/// Every example is scored before it is learned, so progressive scores are honest held-out scores. The map is logistic:
/// p = 1 / (1 + exp(-(scale s + offset))) for two classes, softmax(scale s) for more. It follows the stream by online
/// Newton steps on the log loss whose memory lengthens with time: at round t the last half of the stream carries
/// seven eighths of the weight, because early scores come from a model that knew little.
class Calibration {
public:
    double scale = 1.0, offset = 0.0;
    double h_ss = 0.0, h_so = 0.0, h_oo = 0.0;  // the weighted Hessian
    double rounds = 0.0;

    void observe_binary(double score, bool positive, double weight) noexcept {
        const double s = std::clamp(score, -kLargest, kLargest);
        rounds += 1;
        if (h_ss == 0) {
            if (s == 0) return;
            scale = 1 / std::abs(s);
            h_ss = s * s;
            h_oo = 1;
        }
        const double p = sigmoid(scale * s + offset);
        const double error = weight * (p - (positive ? 1.0 : 0.0));
        const double curvature = weight * std::max(p * (1 - p), kLeastCurvature);
        const double keep = 1 - 3 / (std::min(rounds, kHorizon) + 30);
        h_ss = keep * h_ss + curvature * s * s;
        h_so = keep * h_so + curvature * s;
        h_oo = keep * h_oo + curvature;
        const double determinant = h_ss * h_oo - h_so * h_so;
        if (!(determinant > 1e-12 * h_ss * h_oo)) return;
        const double ds = (h_oo * error * s - h_so * error) / determinant;
        const double dy = (h_ss * error - h_so * error * s) / determinant;
        scale = std::max(scale - std::clamp(ds, -scale, scale / 2), scale * 1e-3);
        offset = std::clamp(offset - dy, -50.0, 50.0);
    }

    /// `scratch` has room for `n` numbers.
    void observe_multiclass(const double* scores, std::size_t n, std::size_t label, double weight, double* scratch) noexcept {
        rounds += 1;
        // A temperature is settled by few examples; after the first thousand every fourth is enough.
        if (rounds > 1000 && static_cast<long long>(rounds) % 4 != 0) return;
        double top = scores[0], bottom = scores[0];
        for (std::size_t k = 1; k < n; ++k) {
            top = std::max(top, scores[k]);
            bottom = std::min(bottom, scores[k]);
        }
        const double range = std::min(top - bottom, kLargest);
        if (h_ss == 0) {
            if (!(range > 0)) return;
            scale = 1 / range;
            h_ss = range * range;
        }
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) total += scratch[k] = std::exp(scale * std::max(scores[k] - top, -kLargest));
        double mean = 0, square = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const double p = scratch[k] / total, s = std::max(scores[k] - top, -kLargest);
            mean += p * s;
            square += p * s * s;
        }
        const double error = weight * (mean - std::max(scores[label] - top, -kLargest));
        const double curvature = weight * std::max(square - mean * mean, kLeastCurvature * range * range);
        const double keep = 1 - 3 / (std::min(rounds, kHorizon) + 30);
        h_ss = keep * h_ss + curvature;
        if (!(h_ss > 0)) return;
        scale = std::max(scale - std::clamp(error / h_ss, -scale, scale / 2), scale * 1e-3);
    }

    double probability(double score) const noexcept { return sigmoid(scale * score + offset); }

    void probabilities(const double* scores, std::size_t n, double* out) const noexcept {
        double top = scores[0];
        for (std::size_t k = 1; k < n; ++k) top = std::max(top, scores[k]);
        double total = 0;
        for (std::size_t k = 0; k < n; ++k) total += out[k] = std::exp(scale * (scores[k] - top));
        for (std::size_t k = 0; k < n; ++k) out[k] /= total;
    }

    static double sigmoid(double z) noexcept {
        const double e = std::exp(-std::abs(z));
        return z >= 0 ? 1 / (1 + e) : e / (1 + e);
    }

private:
    static constexpr double kLargest = 1e100;
    static constexpr double kLeastCurvature = 1e-3;
    static constexpr double kHorizon = 100000;
};

}  // namespace onlinear
