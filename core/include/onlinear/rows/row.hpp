#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace onlinear {

/// One example, staged: copied, checked and converted to the state's type, in index order.
///
/// Working on a copy means that neither a caller's other thread nor a strange dtype can reach the weights.
template <class T>
struct Row {
    std::uint32_t size = 0;             // entries, the intercept included
    const std::uint32_t* at = nullptr;  // Planes::address of each entry
    const T* value = nullptr;           // aligned; zero up to a whole vector past the end
    double norm2 = 0.0;                 // sum of squared values
    bool dense = false;                 // entry j is slot j
    bool flat = false;                  // `at` holds whole offsets, block included: an accumulated difference
    const std::uint32_t* next = nullptr;  // addresses that will be read before long: those of the row to come
    std::uint32_t n_next = 0;
};

/// delta = sum over terms of coefficient * (x in that block); a flat row is its own delta, with the one term
/// {0, 1}.
struct Term {
    std::uint32_t block;
    double coefficient;
};
using Terms = std::span<const Term>;

inline double squared(Terms terms) noexcept {
    double sum = 0;
    for (const Term& term : terms) sum += term.coefficient * term.coefficient;
    return sum;
}

}  // namespace onlinear
