// AROW for 20 classes over sparse rows: the true class against its best rival, float32, projection "drop".
//   multiclass_arow TRAIN TEST PASSES

#include "multiclass.hpp"

using namespace limit;

namespace {

constexpr float kR = 0.1f;

float variance_between(const Csr::Row& row, const Gaussians* features, std::size_t own, std::size_t rival) {
    float of_own = 0, of_rival = 0;
    for (std::size_t j = 0; j < row.size; ++j) {
        const float* variance = features[row.indices[j]].variance;
        const float square = row.values[j] * row.values[j];
        of_own += variance[own] * square;
        of_rival += variance[rival] * square;
    }
    return of_own + of_rival;
}

void move(const Csr::Row& row, Gaussians* features, std::size_t label, float alpha, float beta) {
    for (std::size_t j = 0; j < row.size; ++j) {
        Gaussians& feature = features[row.indices[j]];
        const float z = feature.variance[label] * row.values[j];
        feature.mean[label] += alpha * z;
        feature.variance[label] -= beta * z * z;
    }
}

std::size_t learn(const Csr& train, Gaussians* features) {
    std::size_t mistakes = 0;
    for (std::size_t i = 0; i < train.rows; ++i) {
        prefetch_means(train[i + 1], features);
        const Csr::Row row = train[i];
        const Scores scores = score(row, features);
        const auto own = static_cast<std::size_t>(train.labels[i] - 1), rival = scores.best_but(own);
        const float margin = scores.of[own] - scores.of[rival];
        mistakes += margin <= 0;
        if (margin >= 1) continue;
        const float beta = 1 / (variance_between(row, features, own, rival) + kR);
        const float alpha = (1 - margin) * beta;
        move(row, features, own, alpha, beta);
        move(row, features, rival, -alpha, beta);
    }
    return mistakes;
}

}  // namespace

int main(int, char** argv) {
    const Csr train = read_csr(argv[1]), test = read_csr(argv[2]);
    HugeArray<Gaussians> features(train.features);
    Gaussians fresh{};
    std::fill_n(fresh.variance, kClasses, 1.0f);
    Stopwatch watch(argv[3]);
    watch.run([&] { features.fill(fresh); }, [&] { return learn(train, features.data()); });
    std::vector<std::int64_t> labels(test.rows);
    const std::size_t wrong = predict(test, features.data(), labels.data());
    watch.report(train.rows, train.nonzeros, Stopwatch::share(wrong, test.rows));
}
