#pragma once
// 20 classes: all that is known of one feature lies together, first the means of every class, then the
// variances. Not padded: with 24 or 32 places a class block the model outgrows the cache sooner.

#include "common.hpp"

namespace limit {

constexpr std::size_t kClasses = 20, kWide = 16, kRest = kClasses - kWide;

using Wide = float __attribute__((vector_size(kWide * sizeof(float)), aligned(4)));
using Rest = float __attribute__((vector_size(kRest * sizeof(float)), aligned(4)));

struct Means {
    float mean[kClasses];
};

struct Gaussians {
    float mean[kClasses], variance[kClasses];
};

struct Scores {
    float of[kClasses];

    std::size_t best() const { return static_cast<std::size_t>(std::max_element(of, of + kClasses) - of); }

    std::size_t best_but(std::size_t own) const {
        Scores others = *this;
        others.of[own] = -3e38f;
        return others.best();
    }
};

template <class Feature>
[[gnu::always_inline]] inline void prefetch_means(const Csr::Row& row, const Feature* features) {
    for (std::size_t j = 0; j < row.size; ++j) {
        const float* means = features[row.indices[j]].mean;
        prefetch(means);
        prefetch(means + kWide);
    }
}

template <class Feature>
inline Scores score(const Csr::Row& row, const Feature* features) {
    Wide wide{};
    Rest rest{};
    for (std::size_t j = 0; j < row.size; ++j) {
        const float* means = features[row.indices[j]].mean;
        wide += row.values[j] * *reinterpret_cast<const Wide*>(means);
        rest += row.values[j] * *reinterpret_cast<const Rest*>(means + kWide);
    }
    Scores scores;
    for (std::size_t k = 0; k < kWide; ++k) scores.of[k] = wide[k];
    for (std::size_t k = 0; k < kRest; ++k) scores.of[kWide + k] = rest[k];
    return scores;
}

/// Writes the labels and counts the wrong ones.
template <class Feature>
std::size_t predict(const Csr& rows, const Feature* features, std::int64_t* labels) {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < rows.rows; ++i) {
        prefetch_means(rows[i + 1], features);
        labels[i] = static_cast<std::int64_t>(score(rows[i], features).best() + 1);
        wrong += labels[i] != rows.labels[i];
    }
    return wrong;
}

}  // namespace limit
