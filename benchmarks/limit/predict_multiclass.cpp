// Bulk prediction of 20 classes over sparse rows from float32 means.
//   predict_multiclass TRAIN TEST PASSES

#include "multiclass.hpp"

using namespace limit;

namespace {

void fit_class_means(const Csr& rows, Means* features) {
    for (std::size_t i = 0; i < rows.rows; ++i)
        for (std::size_t j = 0; j < rows[i].size; ++j)
            features[rows[i].indices[j]].mean[rows.labels[i] - 1] += rows[i].values[j];
}

}  // namespace

int main(int, char** argv) {
    const Csr train = read_csr(argv[1]), test = read_csr(argv[2]);
    HugeArray<Means> features(train.features);
    features.fill({});
    fit_class_means(test, features.data());
    std::vector<std::int64_t> labels(train.rows);
    Stopwatch watch(argv[3]);
    watch.run([] {}, [&] { return predict(train, features.data(), labels.data()); });
    watch.report(train.rows, train.nonzeros);
}
