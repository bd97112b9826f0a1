#pragma once
// The loop shared by the second-order rules on a diagonal Gaussian: measure margin and variance in one
// gather, ask the rule, apply mean and variance in one scatter. The rule is a template argument and
// vanishes in the loop.

#include "common.hpp"

namespace limit {

struct Measured {
    float margin, variance;
};

// Two sums a quantity: one would make every addition wait for the last.
inline Measured measure(const Csr::Row& row, const Gaussian* weights) {
    float margin[2] = {}, variance[2] = {};
    std::size_t j = 0;
    for (; j + 1 < row.size; j += 2)
        for (int lane = 0; lane < 2; ++lane) {
            const Gaussian weight = weights[row.indices[j + lane]];
            const float x = row.values[j + lane];
            margin[lane] += weight.mean * x;
            variance[lane] += weight.variance * x * x;
        }
    if (j < row.size) {
        const Gaussian weight = weights[row.indices[j]];
        margin[0] += weight.mean * row.values[j];
        variance[0] += weight.variance * row.values[j] * row.values[j];
    }
    return {margin[0] + margin[1], variance[0] + variance[1]};
}

/// A rule gives `triggers(seen)` on the signed margin, `step(seen)`, and `shrink(weight, x, step)`.
template <class Rule>
std::size_t learn(const Csr& train, Gaussian* weights, const Rule& rule) {
    std::size_t mistakes = 0;
    for (std::size_t i = 0; i < train.rows; ++i) {
        prefetch_features(train[i + 1], weights);
        const Csr::Row row = train[i];
        const float sign = train.sign(i);
        Measured seen = measure(row, weights);
        seen.margin *= sign;
        mistakes += seen.margin <= 0;
        if (!rule.triggers(seen)) continue;
        const auto step = rule.step(seen);
        const float alpha = step.mean * sign;
        for (std::size_t j = 0; j < row.size; ++j) {
            Gaussian& weight = weights[row.indices[j]];
            const float z = weight.variance * row.values[j];
            weight.mean += alpha * z;
            weight.variance = rule.shrink(weight.variance, row.values[j], z, step);
        }
    }
    return mistakes;
}

template <class Rule>
int run_sparse_gaussian(char** argv, const Rule& rule) {
    const Csr train = read_csr(argv[1]), test = read_csr(argv[2]);
    HugeArray<Gaussian> weights(train.features);
    Stopwatch watch(argv[3]);
    watch.run([&] { weights.fill({0, 1}); }, [&] { return learn(train, weights.data(), rule); });
    const auto score = [&](const Csr::Row& row) { return measure(row, weights.data()).margin; };
    watch.report(train.rows, train.nonzeros, held_out_error(test, score));
    return 0;
}

}  // namespace limit
