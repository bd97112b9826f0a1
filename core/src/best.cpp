#include "onlinear/best.hpp"

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "onlinear/learner.hpp"

namespace onlinear {

void choose(const double* scores, std::size_t rows, std::size_t blocks, std::span<const std::size_t> order,
            std::int64_t* out) {
    if (order.size() == 1) {
        std::fill_n(out, rows, 0);
    } else if (order.size() == 2 && blocks == 1) {  // the score of class 1 against class 0
        const double sign = order[1] == 1 ? 1.0 : -1.0;
        for (std::size_t i = 0; i < rows; ++i) out[i] = sign * scores[i] >= 0;
    } else if (order.size() == 2) {
        const double *one = scores + order[0], *other = scores + order[1];
        for (std::size_t i = 0; i < rows; ++i) out[i] = other[i * blocks] >= one[i * blocks];
    } else {
        for (std::size_t i = 0; i < rows; ++i) {
            const double* row = scores + i * blocks;
            out[i] = static_cast<std::int64_t>(
                first_largest(order.size(), [&](std::size_t c) { return row[order[c]]; }));
        }
    }
}

Refusal best_classes(const RowLearner& learner, const Matrix& matrix, std::span<const std::size_t> order,
                     std::size_t threads, std::int64_t* out) {
    const std::size_t n = matrix.rows, k = learner.blocks();
    std::vector<std::size_t> known;
    std::vector<std::int64_t> places;
    for (std::size_t place = 0; place < order.size(); ++place) {
        if (order[place] >= std::max<std::size_t>(k, 2)) continue;
        known.push_back(order[place]);
        places.push_back(static_cast<std::int64_t>(place));
    }
    if (known.empty() || (k == 1 && known.size() > 2))
        throw std::invalid_argument("order must name classes, each once");
    // The scores of several classes are read piece by piece, so that they stay in the cache; those of all
    // rows would be written and read again. A single block is read at once: what a belief lays out for the
    // sake of many rows is laid out once.
    const std::size_t piece =
        k == 1 ? std::max<std::size_t>(n, 1) : std::size_t{1} << (threads > 1 ? 16 : 10);
    const auto scores = std::make_unique_for_overwrite<double[]>(std::min(piece, n) * k);
    for (std::size_t first = 0; first < n; first += piece) {
        const std::size_t rows = std::min(piece, n - first);
        Refusal refusal = learner.read(matrix.part(first, rows), Reading::scores, scores.get(), threads);
        if (refusal) {
            refusal.row += first;
            return refusal;
        }
        choose(scores.get(), rows, k, known, out + first);
    }
    if (known.size() < order.size())
        for (std::size_t i = 0; i < n; ++i) out[i] = places[static_cast<std::size_t>(out[i])];
    return {};
}

}  // namespace onlinear
