/// Sums and steps over weights gathered by the addresses of a row.
#include "indices.hpp"
#include "pairs.hpp"
#include "tables.hpp"

namespace onlinear {
namespace {

/// Four chains, as a belief's own sums. With kPrefetch the weights at `next`, four or more, are
/// prefetched meanwhile.
template <class T, bool kPrefetch>
ONLINEAR_IN_ORDER double sparse_sum(const T* w, const std::uint32_t* at, const T* x, std::size_t n,
                                    const std::uint32_t* next, std::size_t n_next) {
    ONLINEAR_ONE_BY_ONE
    double total = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        T a = 0, b = 0, c = 0, d = 0;
        std::size_t j = start;
        for (; j + 4 <= stop; j += 4) {
            if constexpr (kPrefetch) {
                const std::uint32_t* to = next + (j + 4 <= n_next ? j : 0);
                __builtin_prefetch(w + to[0], 1);
                __builtin_prefetch(w + to[1], 1);
                __builtin_prefetch(w + to[2], 1);
                __builtin_prefetch(w + to[3], 1);
            }
            a += w[at[j]] * x[j];
            b += w[at[j + 1]] * x[j + 1];
            c += w[at[j + 2]] * x[j + 2];
            d += w[at[j + 3]] * x[j + 3];
        }
        for (; j < stop; ++j) a += w[at[j]] * x[j];
        total += static_cast<double>(a + b) + static_cast<double>(c + d);
    }
    if constexpr (kPrefetch)
        for (std::size_t j = n / 4 * 4; j < n_next; ++j) __builtin_prefetch(w + next[j], 1);
    return total;
}

template <class T>
double sparse_dot(const T* w, const std::uint32_t* at, const T* x, std::size_t n, const std::uint32_t* next,
                  std::size_t n_next) {
    if (n_next >= 4) return sparse_sum<T, true>(w, at, x, n, next, n_next);
    return sparse_sum<T, false>(w, at, x, n, nullptr, 0);
}

/// With kPrefetch the pairs at `next`, eight or more, are prefetched meanwhile.
template <class T, bool kPrefetch>
inline Sums sparse_sums(const T* w, const std::uint32_t* at, const T* x, std::size_t n,
                        const std::uint32_t* next, std::size_t n_next) {
    constexpr std::size_t p = 2 * PairsOf<T>::count;
    const auto part = [=](std::size_t start, std::size_t size) {
        const std::size_t stop = start + size;
        Vector<T> a{}, b{};
        std::size_t j = start;
        for (; j + 2 * p <= stop; j += 2 * p) {
            if constexpr (kPrefetch) {
                const std::uint32_t* to = next + (j + 2 * p <= n_next ? j : 0);
                ONLINEAR_UNROLL
                for (std::size_t k = 0; k < 2 * p; ++k) __builtin_prefetch(w + to[k], 1);
            }
            a += gather_more(w, at + j) * powers(more_twice(x + j));
            b += gather_more(w, at + j + p) * powers(more_twice(x + j + p));
        }
        if (j + p <= stop) {
            a += gather_more(w, at + j) * powers(more_twice(x + j));
            j += p;
        }
        Sums sums = fold_pairs(a + b);
        for (; j < stop; ++j) {
            sums.margin += static_cast<double>(w[at[j]] * x[j]);
            sums.variance += static_cast<double>(w[at[j] + 1] * (x[j] * x[j]));
        }
        return sums;
    };
    const Sums sums = in_stretches(n, part);
    if constexpr (kPrefetch)
        for (std::size_t j = n / (2 * p) * (2 * p); j < n_next; ++j) __builtin_prefetch(w + next[j], 1);
    return sums;
}

template <class T>
Sums sparse_look(const T* w, const std::uint32_t* at, const T* x, std::size_t n, const std::uint32_t* next,
                 std::size_t n_next) {
    if (n_next >= 8) return sparse_sums<T, true>(w, at, x, n, next, n_next);
    return sparse_sums<T, false>(w, at, x, n, nullptr, 0);
}

template <class T, template <class> class Rule>
void sparse_step(T* w, const std::uint32_t* at, const T* x, T a, T b, T floor, std::size_t n) {
    constexpr std::size_t p = PairsOf<T>::count;
    const Rule<VectorOf<T>> update{broadcast(a), broadcast(b),
                                   weave(broadcast(kNoFloor<T>), broadcast(floor))};
    std::size_t j = 0;
    for (; j + 2 * p <= n; j += 2 * p)
        scatter_more(w, at + j, update(gather_more(w, at + j), more_twice(x + j)));
    if (j == n) return;
    const Rule<PairsOf<T>> rest{Pairs<T>{} + a, Pairs<T>{} + b,
                                weave(Pairs<T>{} + kNoFloor<T>, Pairs<T>{} + floor)};
    for (; j + p <= n; j += p) scatter_pairs(w, at + j, rest(gather_pairs(w, at + j), twice(x + j)));
    if (j == n) return;
    // One pair is left of two: the other place takes no part.
    const Pairs<T> last = rest(Pairs<T>{w[at[j]], w[at[j] + 1]}, Pairs<T>{x[j], x[j]});
    w[at[j]] = last[0];
    w[at[j] + 1] = last[1];
}

/// A weight every kStep numbers. Whatever another thread writes meanwhile, only what lies inside is read:
/// places up to `limit` by its bits, or those below it one by one.
template <std::size_t kStep, bool kMasked, class T>
ONLINEAR_IN_ORDER inline double score_row(const T* w, const std::int32_t* index, const T* x, std::size_t n,
                                          std::size_t left, std::uint32_t limit) {
    ONLINEAR_ONE_BY_ONE
    // Far enough for memory to answer; weights are prefetched across the ends of rows.
    constexpr std::size_t kAhead = 32;
    const auto term = [=](std::size_t j) {
        const auto i = static_cast<std::uint32_t>(index[j]);
        return w[std::size_t{kMasked ? i & limit : i < limit ? i : 0} * kStep] * x[j];
    };
    double total = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        T a = 0, b = 0, c = 0, d = 0;
        std::size_t j = start;
        for (; j + 4 <= stop; j += 4) {
            // Written out: GCC drops a function or loop that does nothing but prefetch.
            const std::int32_t* next = index + (j + kAhead + 4 <= left ? j + kAhead : 0);
            __builtin_prefetch(w + static_cast<std::uint32_t>(next[0]) * kStep);
            __builtin_prefetch(w + static_cast<std::uint32_t>(next[1]) * kStep);
            __builtin_prefetch(w + static_cast<std::uint32_t>(next[2]) * kStep);
            __builtin_prefetch(w + static_cast<std::uint32_t>(next[3]) * kStep);
            a += term(j);
            b += term(j + 1);
            c += term(j + 2);
            d += term(j + 3);
        }
        for (; j < stop; ++j) a += term(j);
        total += static_cast<double>(a + b) + static_cast<double>(c + d);
    }
    return total;
}

template <std::size_t kStep, bool kMasked, class P, class T>
ONLINEAR_IN_ORDER std::size_t score_run(const T* w, const std::int32_t* index, const T* x, const P* indptr,
                                        std::size_t rows, std::size_t entries, std::size_t columns,
                                        std::uint32_t limit, double* sums) {
    for (std::size_t row = 0; row < rows; ++row) {
        // One that is negative is huge.
        const auto first = static_cast<std::uint64_t>(indptr[row]),
                   last = static_cast<std::uint64_t>(indptr[row + 1]);
        if (first > last || last > entries) return row;
        sums[row] =
            score_row<kStep, kMasked>(w, index + first, x + first, last - first, entries - first, limit);
        // What rises lies inside when its ends do.
        if (!rises(index + first, last - first)) return row;
        if (first < last && (index[first] < 0 || static_cast<std::uint32_t>(index[last - 1]) >= columns))
            return row;
    }
    return rows;
}

template <class T, class P>
std::size_t score_rows(const T* w, std::size_t step, std::uint32_t mask, const std::int32_t* index,
                       const T* x, const P* indptr, std::size_t rows, std::size_t entries,
                       std::size_t columns, double* sums) {
    if (step == 1 && mask != 0)
        return score_run<1, true>(w, index, x, indptr, rows, entries, columns, mask, sums);
    const auto limit = static_cast<std::uint32_t>(columns);
    return step == 1 ? score_run<1, false>(w, index, x, indptr, rows, entries, columns, limit, sums)
                     : score_run<2, false>(w, index, x, indptr, rows, entries, columns, limit, sums);
}

}  // namespace

namespace ONLINEAR_LEVEL {
template <class T>
SparseLoops<T> sparse_loops() {
    return {sparse_dot<T>,
            sparse_look<T>,
            sparse_step<T, Drop>,
            sparse_step<T, Kl>,
            score_rows<T, std::int32_t>,
            score_rows<T, std::int64_t>};
}
template SparseLoops<float> sparse_loops();
template SparseLoops<double> sparse_loops();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
