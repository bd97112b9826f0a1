#pragma once
#include <cstddef>
#include <cstdint>

#include "onlinear/simd/gram.hpp"
#include "onlinear/simd/triangle.hpp"

/// Loops over contiguous numbers, compiled once per instruction set and chosen when the library is loaded.
/// Functions called kernels (of points) are under belief/.
namespace onlinear {

struct Sums {
    double margin;
    double variance;
};

struct Slots {
    bool inside;
    bool rising;
};

/// What copying a row's values showed.
struct Copied {
    double norm2;
    bool finite;  // all of them, in the state's type
};

/// What staging a sparse row showed.
struct Staged {
    double norm2;
    bool finite, inside, rising;
};

/// How many of some numbers there are, and the sum of what belongs to them.
struct Counted {
    std::int64_t count;
    std::int64_t sum;
};

/// Over weights that lie side by side (dense.cpp).
template <class T>
struct DenseLoops {
    /// sum w x, over n numbers, n a multiple of half a cache line.
    double (*dot)(const T* w, const T* x, std::size_t n);
    /// w += a x.
    void (*add)(T* w, const T* x, T a, std::size_t n);
    /// Pairs (mean, variance): sum mean x and sum variance x^2.
    Sums (*pair_look)(const T* w, const T* x, std::size_t n);
    /// mean += a variance x; variance = max(variance - b (variance x)^2, floor).
    void (*pair_drop)(T* w, const T* x, T a, T b, T floor, std::size_t n);
    /// mean += a variance x; variance = max(variance / (1 + g variance x^2), floor).
    void (*pair_kl)(T* w, const T* x, T a, T g, T floor, std::size_t n);
    /// The same three, to the bit, over means and variances that lie apart.
    Sums (*apart_look)(const T* mean, const T* variance, const T* x, std::size_t n);
    void (*apart_drop)(T* mean, T* variance, const T* x, T a, T b, T floor, std::size_t n);
    void (*apart_kl)(T* mean, T* variance, const T* x, T a, T g, T floor, std::size_t n);
    /// w += a x over any n numbers, aligned or not.
    void (*axpy)(T* w, const T* x, T a, std::size_t n);
    /// w = a w over n numbers, n a multiple of 16; those that would fall below the smallest normal number
    /// become zero.
    void (*scale)(T* w, T a, std::size_t n);
    /// Counts the n numbers of `x` that are at most `limit`, and adds up the `share` of each.
    Counted (*count_below)(const double* x, const std::int64_t* share, std::size_t n, double limit);
    /// sum w x over any n numbers, aligned or not.
    double (*dot_any)(const T* w, const T* x, std::size_t n);
};

/// Over weights gathered by the addresses of a row (sparse.cpp).
template <class T>
struct SparseLoops {
    /// sum w[at[j]] x[j]; prefetches the weights at `next` meanwhile.
    double (*sparse_dot)(const T* w, const std::uint32_t* at, const T* x, std::size_t n,
                         const std::uint32_t* next, std::size_t n_next);
    /// `pair_look`, `pair_drop` and `pair_kl` over the pairs at w + at[j]; the first prefetches those at
    /// `next`.
    Sums (*sparse_look)(const T* w, const std::uint32_t* at, const T* x, std::size_t n,
                        const std::uint32_t* next, std::size_t n_next);
    void (*sparse_drop)(T* w, const std::uint32_t* at, const T* x, T a, T b, T floor, std::size_t n);
    void (*sparse_kl)(T* w, const std::uint32_t* at, const T* x, T a, T g, T floor, std::size_t n);
    /// sum w[index * step] x, step 1 or 2, over each of some rows that begin where `indptr` says; returns the
    /// first that it could not do, as it leaves the arrays, has an index from `columns` on or does not rise.
    /// `mask` is a power of two less one up to which there are weights to read, or 0.
    std::size_t (*score_rows_i32)(const T* w, std::size_t step, std::uint32_t mask, const std::int32_t* index,
                                  const T* x, const std::int32_t* indptr, std::size_t rows,
                                  std::size_t entries, std::size_t columns, double* sums);
    std::size_t (*score_rows_i64)(const T* w, std::size_t step, std::uint32_t mask, const std::int32_t* index,
                                  const T* x, const std::int64_t* indptr, std::size_t rows,
                                  std::size_t entries, std::size_t columns, double* sums);
};

/// Over the weights of all blocks of a feature (lanes.cpp).
template <class T>
struct LaneLoops {
    /// out[lane] = sum over rows of w[row * width + lane] * x; `lanes` a multiple of a half cache line.
    /// Prefetches the rows in `next` meanwhile.
    void (*lanes)(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
                  std::size_t lanes, double* out, const std::uint32_t* next, std::size_t n_next);
    /// The same with x squared.
    void (*lanes_squared)(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
                          std::size_t lanes, double* out);
    /// The same of one row for many weights an index: out[lane] = sum w[index * width + lane] x, as `lanes`
    /// adds them up; `left` entries from here on may be read, to prefetch the weights of rows to come.
    Slots (*score_lanes)(const T* w, std::size_t width, std::size_t lanes, const std::int32_t* index,
                         const T* x, std::size_t n, std::size_t left, std::size_t columns, double* out);
};

/// Over the labels of a sequence (viterbi.cpp).
template <class T>
struct ViterbiLoops {
    /// out[lane] = sum over rows of w[row * width + lane] * x in the state's own type; without x every x
    /// is 1.
    void (*token)(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
                  std::size_t lanes, T* out);
    /// A step of Viterbi's recursion: back[to] = argmax over from of previous[from] + transitions[from *
    /// lanes + to], the smallest on ties, and score[to] = that maximum + emission[to].
    void (*viterbi)(const T* previous, const T* transitions, std::size_t labels, std::size_t lanes,
                    const T* emission, T* score, std::int32_t* back);
};

/// Over a row on its way into the learner (staging.cpp).
template <class T>
struct StagingLoops {
    /// Sorts the entries of a short row by address, each put straight into its place; false, with nothing
    /// done, where there are many or two are equal in the leading 16 bits of what all of them need.
    bool (*sort_few)(std::uint32_t* at, T* value, std::uint32_t size);
    /// sum x^2 over any n numbers.
    double (*norm2)(const T* x, std::size_t n);
    /// Copies values into the state's type; adds up their squares as `norm2` does.
    Copied (*copy_f32)(const float* x, T* out, std::size_t n);
    Copied (*copy_f64)(const double* x, T* out, std::size_t n);
    /// Turns indices into addresses, (index + 1) * factor (see Planes::address); says whether all lie below
    /// `columns` and whether they rise.
    Slots (*slots_i32)(const std::int32_t* index, std::uint32_t* out, std::size_t n, std::size_t columns,
                       std::uint32_t factor);
    Slots (*slots_i64)(const std::int64_t* index, std::uint32_t* out, std::size_t n, std::size_t columns,
                       std::uint32_t factor);
    /// Both at once, for values of the state's own type.
    Staged (*stage_i32)(const std::int32_t* index, const T* x, std::uint32_t* at, T* value, std::size_t n,
                        std::size_t columns, std::uint32_t factor);
    /// Whether every number lies in [-top, top].
    bool (*all_within)(const T* x, std::size_t n, T top);
    /// Whether any of n numbers is larger than its number in `s`.
    bool (*exceeds)(const T* x, const T* s, std::size_t n);
    /// out = x / s, and x where s is 0; returns the sum of squares. `out` may be `x`.
    double (*divide)(const T* x, const T* s, T* out, std::size_t n);
    /// Whether every index lies in [0, columns).
    bool (*inside_i32)(const std::int32_t* index, std::size_t n, std::size_t columns);
};

/// Over weights that may differ from their start (marks.cpp).
template <class T>
struct MarkLoops {
    /// Sets bit slot * lanes + lane of `bits` where w[slot * step + lane] is not, to the bit, `start`.
    /// With several lanes a vector may be read from any of them.
    void (*mark)(const T* w, std::size_t step, std::size_t lanes, std::size_t slots, T start,
                 std::uint64_t* bits);
    /// Copies w[slot * step + lane] where bit slot * lanes + lane of `bits` is set, one behind the other; up
    /// to 16 numbers behind them may be written. Bits are counted from `first` on.
    void (*pick)(const T* w, std::size_t step, std::size_t lanes, std::size_t slots,
                 const std::uint64_t* bits, std::size_t first, T* out);
};

/// All loops over numbers of one type.
template <class T>
struct Simd : DenseLoops<T>,
              SparseLoops<T>,
              LaneLoops<T>,
              ViterbiLoops<T>,
              StagingLoops<T>,
              MarkLoops<T>,
              TriangleLoops<T> {};

/// All loops of one instruction set.
struct SimdTable {
    Simd<float> f32;
    Simd<double> f64;
    GramLoops gram;
};

namespace detail {
extern SimdTable simd_table;
/// Sets the level alone: for programs that link the parsers without the loops.
void set_simd_level(const char* wanted) noexcept;
}  // namespace detail

/// The loops of the instruction set in use.
template <class T>
const Simd<T>& simd() noexcept {
    if constexpr (sizeof(T) == 4)
        return detail::simd_table.f32;
    else
        return detail::simd_table.f64;
}
inline const GramLoops& gram_loops() noexcept { return detail::simd_table.gram; }

/// The name of the instruction set in use: "base", "avx2" or "avx512"; the widest of this machine unless
/// another was chosen.
const char* simd_level() noexcept;
/// Chooses the instruction set by name, "base" where the machine lacks it; null: the widest. To be called
/// before the first learner or reader is made.
void use_simd_level(const char* wanted) noexcept;

}  // namespace onlinear
