#pragma once
#include "vectors.hpp"

/// Column numbers of a row, eight at a time.
namespace onlinear {
namespace {

// Indices from anywhere, eight at a time. What a loop over whole vectors leaves is done by one that ends with
// the last index, though it overlaps: one by one the rest would take as long as the others together.
typedef std::int32_t Indices __attribute__((vector_size(32), aligned(4), may_alias));
constexpr std::size_t kIndices = 8;

inline Indices load_indices(const std::int32_t* p) { return *reinterpret_cast<const Indices*>(p); }
inline bool any(Indices set) {
    typedef long long Halves __attribute__((vector_size(32)));
    const auto bits = reinterpret_cast<Halves>(set);
    return ((bits[0] | bits[1]) | (bits[2] | bits[3])) != 0;
}
/// Calls f(first) until `n` places from 0 on, eight or more, are done by eights.
template <class F>
inline void by_eights(std::size_t n, F f) {
    std::size_t j = 0;
    for (; j + kIndices <= n; j += kIndices) f(j);
    if (j < n) f(n - kIndices);
}

inline bool rises(const std::int32_t* index, std::size_t n) {
    if (n <= kIndices) {
        for (std::size_t j = 1; j < n; ++j)
            if (index[j] <= index[j - 1]) return false;
        return true;
    }
    Indices falls{};
    by_eights(n - 1, [&](std::size_t j) { falls |= load_indices(index + j + 1) <= load_indices(index + j); });
    return !any(falls);
}

}  // namespace
}  // namespace onlinear
