#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "onlinear/rows/matrix.hpp"

/// Which class a row is predicted as.
namespace onlinear {

class RowLearner;

/// The place of the largest of n scores, the first of equals.
template <class Score>
std::size_t first_largest(std::size_t n, Score&& score) {
    std::size_t top = 0;
    double highest = score(0);
    for (std::size_t i = 1; i < n; ++i) {
        const double next = score(i);
        top = next > highest ? i : top;
        highest = next > highest ? next : highest;
    }
    return top;
}

/// The same of scores that are at hand, `blocks` a row; `order` has classes that are there alone.
void choose(const double* scores, std::size_t rows, std::size_t blocks, std::span<const std::size_t> order,
            std::int64_t* out);

/// Writes to `out` the place in `order`, a list of classes, of the one each row is predicted as: the best
/// score, the first of equals, but the second of two.
///
/// Classes that are not there (yet, or any more) are never the best.
Refusal best_classes(const RowLearner& learner, const Matrix& matrix, std::span<const std::size_t> order,
                     std::size_t threads, std::int64_t* out);

}  // namespace onlinear
