// Bulk prediction of two classes over dense rows of 64 float32.
//   predict_dense TRAIN TEST PASSES

#include "common.hpp"

using namespace limit;

namespace {

constexpr std::size_t kFeatures = 64, kLanes = 16;

using Lanes = float __attribute__((vector_size(kLanes * sizeof(float)), aligned(4)));

float score(const float* x, const float* weights) {
    Lanes sums{};
    for (std::size_t k = 0; k < kFeatures; k += kLanes)
        sums += *reinterpret_cast<const Lanes*>(weights + k) * *reinterpret_cast<const Lanes*>(x + k);
    sums += __builtin_shufflevector(sums, sums, 8, 9, 10, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7);
    sums += __builtin_shufflevector(sums, sums, 4, 5, 6, 7, 0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3);
    return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

void fit_mean_difference(const Csr& rows, float* weights) {
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t k = 0; k < kFeatures; ++k) weights[k] += rows.sign(i) * rows[i].values[k];
}

std::size_t predict(const Csr& rows, const float* weights, std::int64_t* labels) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
        labels[i] = score(rows.values + i * kFeatures, weights) > 0 ? 1 : -1;
        wrong += labels[i] != rows.labels[i];
    }
    return wrong;
}

}  // namespace

int main(int, char** argv) {
    const Csr train = read_csr(argv[1]), test = read_csr(argv[2]);
    alignas(64) float weights[kFeatures] = {};
    fit_mean_difference(test, weights);
    std::vector<std::int64_t> labels(train.rows);
    Stopwatch watch(argv[3]);
    watch.run([] {}, [&] { return predict(train, weights, labels.data()); });
    watch.report(train.rows, train.nonzeros);
}
