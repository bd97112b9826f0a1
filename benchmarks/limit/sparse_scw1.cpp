// Soft Confidence-Weighted I on a diagonal Gaussian over sparse rows, float32, projection "kl".
//   sparse_scw1 TRAIN TEST PASSES

#include <cmath>

#include "sparse_gaussian.hpp"

using namespace limit;

namespace {

struct ScwOne {
    float C, phi;

    struct Step {
        float mean, gain;
    };

    bool triggers(const Measured& seen) const { return seen.margin < phi * std::sqrt(seen.variance); }

    Step step(const Measured& seen) const {
        const float m = seen.margin, v = seen.variance, phi2 = phi * phi;
        const float root = std::sqrt(m * m * phi2 * phi2 / 4 + v * phi2 * (1 + phi2));
        const float alpha = std::min(C, (root - m * (1 + phi2 / 2)) / (v * (1 + phi2)));
        const float spread = alpha * v * phi;
        const float deviation = 2 * v / (spread + std::sqrt(spread * spread + 4 * v));
        return {alpha, alpha * phi / deviation};
    }

    float shrink(float variance, float x, float z, const Step& step) const {
        return variance / (1 + step.gain * z * x);
    }
};

}  // namespace

int main(int, char** argv) { return run_sparse_gaussian(argv, ScwOne{.C = 0.1f, .phi = 1.2815516f}); }
