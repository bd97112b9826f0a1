// Passive-Aggressive I over sparse rows, float32: margin and squared norm in one gather, one scatter.
//   sparse_pa1 TRAIN TEST PASSES

#include "common.hpp"

using namespace limit;

namespace {

constexpr float kC = 0.1f;

struct Measured {
    float margin, norm;
};

// Two sums a quantity: one would make every addition wait for the last.
Measured measure(const Csr::Row& row, const float* weights) {
    float margin[2] = {}, norm[2] = {};
    std::size_t j = 0;
    for (; j + 1 < row.size; j += 2)
        for (int lane = 0; lane < 2; ++lane) {
            const float x = row.values[j + lane];
            margin[lane] += weights[row.indices[j + lane]] * x;
            norm[lane] += x * x;
        }
    if (j < row.size) {
        margin[0] += weights[row.indices[j]] * row.values[j];
        norm[0] += row.values[j] * row.values[j];
    }
    return {margin[0] + margin[1], norm[0] + norm[1]};
}

std::size_t learn(const Csr& train, float* weights) {
    std::size_t mistakes = 0;
    for (std::size_t i = 0; i < train.rows; ++i) {
        prefetch_features(train[i + 1], weights);
        const Csr::Row row = train[i];
        const Measured seen = measure(row, weights);
        const float sign = train.sign(i), margin = sign * seen.margin;
        mistakes += margin <= 0;
        if (margin >= 1) continue;
        const float step = std::min(kC, (1 - margin) / seen.norm) * sign;
        for (std::size_t j = 0; j < row.size; ++j) weights[row.indices[j]] += step * row.values[j];
    }
    return mistakes;
}

}  // namespace

int main(int, char** argv) {
    const Csr train = read_csr(argv[1]), test = read_csr(argv[2]);
    HugeArray<float> weights(train.features);
    Stopwatch watch(argv[3]);
    watch.run([&] { weights.fill(0); }, [&] { return learn(train, weights.data()); });
    const auto score = [&](const Csr::Row& row) { return measure(row, weights.data()).margin; };
    watch.report(train.rows, train.nonzeros, held_out_error(test, score));
}
