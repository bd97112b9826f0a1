/// Sums over the weights of all blocks of a feature, which lie side by side.
#include "indices.hpp"
#include "tables.hpp"

namespace onlinear {
namespace {

/// Prefetches what a strip of `N` vectors will read. Inlined by force: GCC drops a call that only prefetches.
template <class T, int N>
[[gnu::always_inline]] inline void prefetch_strip(const T* row) {
    __builtin_prefetch(row);
    if constexpr (N > 2) __builtin_prefetch(row + 2 * VectorOf<T>::size);
    if constexpr (N > 4) __builtin_prefetch(row + 4 * VectorOf<T>::size);
}

/// A strip of `N` vectors held in registers over all rows; with kPrefetch the rows in `next` are
/// prefetched meanwhile.
template <class T, int N, bool kSquared, bool kPrefetch>
inline void strip(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
                  double* out, const std::uint32_t* next, std::size_t n_next) {
    constexpr std::size_t s = VectorOf<T>::size;
    for (std::size_t i = 0; i < N * s; ++i) out[i] = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> sum[N] = {};
        for (std::size_t j = start; j < stop; ++j) {
            if constexpr (kPrefetch)
                prefetch_strip<T, N>(w + static_cast<std::size_t>(next[j < n_next ? j : 0]) * width);
            const T* row = w + static_cast<std::size_t>(rows[j]) * width;
            const Vector<T> xi = broadcast(kSquared ? x[j] * x[j] : x[j]);
            ONLINEAR_UNROLL
            for (int k = 0; k < N; ++k) sum[k] += xi * load_any(row + k * s);
        }
        ONLINEAR_UNROLL
        for (int k = 0; k < N; ++k)
            for (std::size_t i = 0; i < s; ++i) out[k * s + i] += static_cast<double>(sum[k][i]);
    }
    if constexpr (kPrefetch)
        for (std::size_t j = n; j < n_next; ++j)
            prefetch_strip<T, N>(w + static_cast<std::size_t>(next[j]) * width);
}

template <class T>
void lanes(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
           std::size_t lanes, double* out, const std::uint32_t* next, std::size_t n_next) {
    in_strips<T>(lanes, [=]<int N>(std::size_t at) {
        if (n_next > 0)
            strip<T, N, false, true>(w + at, rows, x, n, width, out + at, next, n_next);
        else
            strip<T, N, false, false>(w + at, rows, x, n, width, out + at, nullptr, 0);
    });
}

template <class T>
void lanes_squared(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
                   std::size_t lanes, double* out) {
    in_strips<T>(lanes, [=]<int N>(std::size_t at) {
        strip<T, N, true, false>(w + at, rows, x, n, width, out + at, nullptr, 0);
    });
}

/// A strip of `N` vectors over a row as it lies; returns whether every index was below `columns`.
template <class T, int N>
inline bool score_strip(const T* w, std::size_t width, const std::int32_t* index, const T* x, std::size_t n,
                        std::size_t left, std::size_t columns, double* out) {
    constexpr std::size_t s = VectorOf<T>::size;
    // An entry takes 2 ns, memory 100 and more: over 42 MB of 20 classes half the time of 32 entries ahead.
    constexpr std::size_t kAhead = 128;
    std::uint32_t outside = 0;
    for (std::size_t i = 0; i < N * s; ++i) out[i] = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> sum[N] = {};
        for (std::size_t j = start; j < stop; ++j) {
            prefetch_strip<T, N>(w + static_cast<std::uint32_t>(index[j + kAhead < left ? j + kAhead : j]) *
                                         width);
            const auto i = static_cast<std::uint32_t>(index[j]);
            const bool in = i < columns;
            outside |= !in;
            const T* row = w + (in ? i : 0) * width;
            const Vector<T> xi = broadcast(x[j]);
            ONLINEAR_UNROLL
            for (int k = 0; k < N; ++k) sum[k] += xi * load_any(row + k * s);
        }
        ONLINEAR_UNROLL
        for (int k = 0; k < N; ++k)
            for (std::size_t i = 0; i < s; ++i) out[k * s + i] += static_cast<double>(sum[k][i]);
    }
    return outside == 0;
}

template <class T>
Slots score_lanes(const T* w, std::size_t width, std::size_t lanes, const std::int32_t* index, const T* x,
                  std::size_t n, std::size_t left, std::size_t columns, double* out) {
    bool inside = true;
    in_strips<T>(lanes, [&]<int N>(std::size_t at) {
        inside &= score_strip<T, N>(w + at, width, index, x, n, left, columns, out + at);
    });
    return {inside, rises(index, n)};
}

}  // namespace

namespace ONLINEAR_LEVEL {
template <class T>
LaneLoops<T> lane_loops() {
    return {lanes<T>, lanes_squared<T>, score_lanes<T>};
}
template LaneLoops<float> lane_loops();
template LaneLoops<double> lane_loops();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
