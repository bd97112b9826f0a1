#pragma once
#include <cstddef>

/// The wide loops of a full covariance held by its triangular root R, compiled per instruction set like those
/// of simd.hpp. R is lower triangular, row by row, `side` numbers a row.
namespace onlinear {

inline constexpr std::size_t kTrianglePadding = 16;

template <class T>
struct TriangleLoops {
    /// f += coefficient R delta, for a delta of `size` numbers x that begins at weight `first`;
    /// kTrianglePadding zeros follow x.
    ///
    /// The order of every sum depends on x and the place of the row after `first` alone, not on `side`.
    void (*add_product)(const T* root, std::size_t side, std::size_t first, const T* x, std::size_t size,
                        T coefficient, T* f);
    /// Carlson's factors for f = R delta: with a_0 = 1 and a_j = a_{j-1} + gain f_j^2, row j is to be kept by
    /// sqrt(a_{j-1} / a_j) and turned by gain f_j / sqrt(a_{j-1} a_j). `sums` is scratch.
    void (*factors)(const T* f, std::size_t side, double gain, double* sums, T* keep, T* turn);
    /// R_j <- keep_j R_j - turn_j z and z += f_j R_j (as it was), row after row; z ends as R' f. What stands
    /// on the diagonal never falls below `floor`.
    void (*turn_rows)(T* root, std::size_t side, const T* f, const T* keep, const T* turn, T floor, T* z);
};

}  // namespace onlinear
