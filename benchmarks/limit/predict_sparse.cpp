// Bulk prediction of two classes over sparse rows from float32 weights.
//   predict_sparse TRAIN TEST PASSES
// The weights are a class-mean difference: prediction costs the same whatever they are.

#include "common.hpp"

using namespace limit;

namespace {

constexpr std::size_t kAhead = 32;

// No row waits for another, so the prefetch runs at a fixed distance ahead and does not stop at the end
// of a row. Two sums: one would make every addition wait for the last.
float score(const Csr::Row& row, const float* weights, const std::int32_t* last) {
    float even = 0, odd = 0;
    std::size_t j = 0;
    for (; j + 1 < row.size; j += 2) {
        prefetch(weights + *std::min(row.indices + j + kAhead, last));
        prefetch(weights + *std::min(row.indices + j + kAhead + 1, last));
        even += weights[row.indices[j]] * row.values[j];
        odd += weights[row.indices[j + 1]] * row.values[j + 1];
    }
    if (j < row.size) even += weights[row.indices[j]] * row.values[j];
    return even + odd;
}

void fit_mean_difference(const Csr& rows, float* weights) {
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < rows[i].size; ++j)
            weights[rows[i].indices[j]] += rows.sign(i) * rows[i].values[j];
}

std::size_t predict(const Csr& rows, const float* weights, std::int64_t* labels) {
    const std::int32_t* last = rows.indices + rows.nonzeros - 1;
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
        labels[i] = score(rows[i], weights, last) > 0 ? 1 : -1;
        wrong += labels[i] != rows.labels[i];
    }
    return wrong;
}

}  // namespace

int main(int, char** argv) {
    const Csr train = read_csr(argv[1]), test = read_csr(argv[2]);
    HugeArray<float> weights(train.features);
    weights.fill(0);
    fit_mean_difference(test, weights.data());
    std::vector<std::int64_t> labels(train.rows);
    Stopwatch watch(argv[3]);
    watch.run([] {}, [&] { return predict(train, weights.data(), labels.data()); });
    watch.report(train.rows, train.nonzeros);
}
