// AROW on a diagonal Gaussian over dense rows of 64 float32, projection "drop".
//   dense_arow TRAIN TEST PASSES float64|float32
// float64: sums carried in double, as a careful library does; float32: sums in float lanes, the floor.

#include <cstring>
#include <string_view>

#include "common.hpp"

using namespace limit;

namespace {

constexpr std::size_t kFeatures = 64, kLanes = 16;
constexpr float kR = 0.1f;

using Floats = float __attribute__((vector_size(kLanes * sizeof(float)), aligned(4)));
using Doubles = double __attribute__((vector_size(kLanes * sizeof(double)), aligned(8)));

struct Model {
    alignas(64) float mean[kFeatures];
    alignas(64) float variance[kFeatures];

    void reset() {
        std::fill_n(mean, kFeatures, 0.0f);
        std::fill_n(variance, kFeatures, 1.0f);
    }
};

Floats load(const float* from) { return *reinterpret_cast<const Floats*>(from); }
void store(float* to, const Floats& lanes) { *reinterpret_cast<Floats*>(to) = lanes; }

// Halves added onto halves: four additions deep instead of fifteen, and a row waits for them.
template <class Lanes>
auto total(Lanes lanes) {
    lanes += __builtin_shufflevector(lanes, lanes, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    lanes += __builtin_shufflevector(lanes, lanes, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

template <class Lanes>
std::size_t learn(const Csr& train, Model& model) {
    using Real = std::remove_cvref_t<decltype(Lanes{}[0])>;
    std::size_t mistakes = 0;
    for (std::size_t i = 0; i < train.rows; ++i) {
        const float* x = train.values + i * kFeatures;
        Lanes margins{}, variances{};
        for (std::size_t k = 0; k < kFeatures; k += kLanes) {
            const auto lanes = __builtin_convertvector(load(x + k), Lanes);
            margins += __builtin_convertvector(load(model.mean + k), Lanes) * lanes;
            variances += __builtin_convertvector(load(model.variance + k), Lanes) * lanes * lanes;
        }
        const Real sign = train.sign(i), margin = sign * total(margins);
        mistakes += margin <= 0;
        if (margin >= 1) continue;
        const Real beta = 1 / (total(variances) + static_cast<Real>(kR));
        const auto alpha = static_cast<float>((1 - margin) * beta * sign), shrink = static_cast<float>(beta);
        for (std::size_t k = 0; k < kFeatures; k += kLanes) {
            const Floats variance = load(model.variance + k), z = variance * load(x + k);
            store(model.mean + k, load(model.mean + k) + alpha * z);
            store(model.variance + k, variance - shrink * z * z);
        }
    }
    return mistakes;
}

}  // namespace

int main(int, char** argv) {
    const Csr train = read_csr(argv[1]), test = read_csr(argv[2]);
    const bool wide = std::string_view(argv[4]) == "float64";
    Model model;
    Stopwatch watch(argv[3]);
    watch.run([&] { model.reset(); },
              [&] { return wide ? learn<Doubles>(train, model) : learn<Floats>(train, model); });
    const auto score = [&](const Csr::Row& row) {
        float sum = 0;
        for (std::size_t k = 0; k < kFeatures; ++k) sum += model.mean[k] * row.values[k];
        return sum;
    };
    watch.report(train.rows, train.nonzeros, held_out_error(test, score));
}
