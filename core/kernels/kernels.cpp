/// The wide kernels; compiled once per instruction set with ONLINEAR_LEVEL naming the namespace.
///
/// Everything here has internal linkage or lives in that namespace and uses no library templates, so that
/// no function compiled for a wide machine can be picked by the linker for a narrow one.
#include "onlinear/kernels.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace onlinear {
namespace {

// Half a cache line: what every supported machine either has or can build from two registers.
template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
    typedef float type __attribute__((vector_size(32), aligned(32), may_alias));
    typedef int integer;
    typedef int integers __attribute__((vector_size(32), aligned(32), may_alias));
    static constexpr std::size_t size = 8;
};
template <>
struct VectorOf<double> {
    typedef double type __attribute__((vector_size(32), aligned(32), may_alias));
    typedef long long integer;
    typedef long long integers __attribute__((vector_size(32), aligned(32), may_alias));
    static constexpr std::size_t size = 4;
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
inline Vector<T> load(const T* p) {
    return *reinterpret_cast<const Vector<T>*>(p);
}
/// The same from anywhere.
template <class T>
inline Vector<T> load_any(const T* p) {
    typedef Vector<T> Anywhere __attribute__((aligned(sizeof(T)), may_alias));
    return *reinterpret_cast<const Anywhere*>(p);
}
template <class T>
inline void store(T* p, Vector<T> v) {
    *reinterpret_cast<Vector<T>*>(p) = v;
}
template <class T>
inline Vector<T> broadcast(T a) {
    return Vector<T>{} + a;
}
/// The lanes of a vector summed in float64, as a tree: a chain of eight additions would be felt on short
/// rows.
inline double fold(Vector<float> v) {
    typedef float Half __attribute__((vector_size(16)));
    typedef double Wide __attribute__((vector_size(32)));
    const Half low{v[0], v[1], v[2], v[3]}, high{v[4], v[5], v[6], v[7]};
    const Wide sum = __builtin_convertvector(low, Wide) + __builtin_convertvector(high, Wide);
    return (sum[0] + sum[2]) + (sum[1] + sum[3]);
}
inline double fold(Vector<double> v) { return (v[0] + v[2]) + (v[1] + v[3]); }

template <class T>
inline Vector<T> larger(Vector<T> a, Vector<T> b) {
    return a > b ? a : b;
}

// Loops over the vectors of a strip are unrolled by force: left to itself GCC 12 turns the loops inside out
// and walks the rows once per vector.
#define ONLINEAR_UNROLL _Pragma("GCC unroll 8")

// Gathered sums keep their order, and GCC's vectors only take them apart again: 1.6 times slower. Products
// and sums are rounded one by one, as in the beliefs: a row's score must not depend on the way it came.
#if defined(__clang__)
#define ONLINEAR_IN_ORDER
#define ONLINEAR_ONE_BY_ONE _Pragma("clang fp contract(off)")
#else
#define ONLINEAR_IN_ORDER __attribute__((optimize("no-tree-vectorize", "fp-contract=off")))
#define ONLINEAR_ONE_BY_ONE
#endif

// Long rows are folded into float64 now and then, so that float32 lanes do not lose what they sum.
constexpr std::size_t kFold = 1024;

template <class T>
double dot(const T* w, const T* x, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    double sum = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> a{}, b{};
        std::size_t i = start;
        for (; i + 2 * s <= stop; i += 2 * s) {
            a += load(w + i) * load(x + i);
            b += load(w + i + s) * load(x + i + s);
        }
        if (i < stop) a += load(w + i) * load(x + i);
        sum += fold(a + b);
    }
    return sum;
}

template <class T>
void add(T* w, const T* x, T a, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    const Vector<T> va = broadcast(a);
    for (std::size_t i = 0; i < n; i += s) store(w + i, load(w + i) + va * load(x + i));
}

// Pairs (mean, variance), adjacent. A vector holds as many pairs as half its numbers: the low and the high
// half of as many values, each value twice, go with two vectors of pairs.
inline Vector<float> low_twice(Vector<float> x) {
    return __builtin_shufflevector(x, x, 0, 0, 1, 1, 2, 2, 3, 3);
}
inline Vector<float> high_twice(Vector<float> x) {
    return __builtin_shufflevector(x, x, 4, 4, 5, 5, 6, 6, 7, 7);
}
inline Vector<double> low_twice(Vector<double> x) { return __builtin_shufflevector(x, x, 0, 0, 1, 1); }
inline Vector<double> high_twice(Vector<double> x) { return __builtin_shufflevector(x, x, 2, 2, 3, 3); }
/// The variance of each pair in the places of both.
inline Vector<float> variances(Vector<float> w) {
    return __builtin_shufflevector(w, w, 1, 1, 3, 3, 5, 5, 7, 7);
}
inline Vector<double> variances(Vector<double> w) { return __builtin_shufflevector(w, w, 1, 1, 3, 3); }
/// Even places of a, odd places of b.
inline Vector<float> weave(Vector<float> a, Vector<float> b) {
    return __builtin_shufflevector(a, b, 0, 9, 2, 11, 4, 13, 6, 15);
}
inline Vector<double> weave(Vector<double> a, Vector<double> b) {
    return __builtin_shufflevector(a, b, 0, 5, 2, 7);
}
/// Sums over the means' places and over the variances', in float64.
inline Sums fold_pairs(Vector<float> v) {
    typedef float Half __attribute__((vector_size(16)));
    const Half sum = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    return {static_cast<double>(sum[0]) + static_cast<double>(sum[2]),
            static_cast<double>(sum[1]) + static_cast<double>(sum[3])};
}
inline Sums fold_pairs(Vector<double> v) { return {v[0] + v[2], v[1] + v[3]}; }

// Pairs from anywhere, a quarter of a cache line at a time: two of float32, one of float64. Loads and stores
// are of whole pairs, so that the next row finds in the store buffer what this one wrote.
template <class T>
struct PairsOf;
template <>
struct PairsOf<float> {
    typedef float type __attribute__((vector_size(16)));
    static constexpr std::size_t count = 2;
};
template <>
struct PairsOf<double> {
    typedef double type __attribute__((vector_size(16)));
    static constexpr std::size_t count = 1;
};
template <class T>
using Pairs = typename PairsOf<T>::type;
typedef double Bits __attribute__((may_alias, aligned(4)));  // two floats, wherever they lie
typedef double TwoBits __attribute__((vector_size(16)));

inline Pairs<float> gather_pairs(const float* w, const std::uint32_t* at) {
    const TwoBits bits{*reinterpret_cast<const Bits*>(w + at[0]), *reinterpret_cast<const Bits*>(w + at[1])};
    return reinterpret_cast<Pairs<float>>(bits);
}
inline void scatter_pairs(float* w, const std::uint32_t* at, Pairs<float> v) {
    const TwoBits bits = reinterpret_cast<TwoBits>(v);
    *reinterpret_cast<Bits*>(w + at[0]) = bits[0];
    *reinterpret_cast<Bits*>(w + at[1]) = bits[1];
}
inline Pairs<double> gather_pairs(const double* w, const std::uint32_t* at) {
    return Pairs<double>{w[at[0]], w[at[0] + 1]};
}
inline void scatter_pairs(double* w, const std::uint32_t* at, Pairs<double> v) {
    w[at[0]] = v[0];
    w[at[0] + 1] = v[1];
}
/// As many pairs from anywhere as half a cache line holds.
inline Vector<float> gather_more(const float* w, const std::uint32_t* at) {
    const Pairs<float> low = gather_pairs(w, at), high = gather_pairs(w, at + 2);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}
inline void scatter_more(float* w, const std::uint32_t* at, Vector<float> v) {
    scatter_pairs(w, at, __builtin_shufflevector(v, v, 0, 1, 2, 3));
    scatter_pairs(w, at + 2, __builtin_shufflevector(v, v, 4, 5, 6, 7));
}
inline Vector<double> gather_more(const double* w, const std::uint32_t* at) {
    const Pairs<double> low = gather_pairs(w, at), high = gather_pairs(w, at + 1);
    return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}
inline void scatter_more(double* w, const std::uint32_t* at, Vector<double> v) {
    scatter_pairs(w, at, __builtin_shufflevector(v, v, 0, 1));
    scatter_pairs(w, at + 1, __builtin_shufflevector(v, v, 2, 3));
}
inline Vector<float> more_twice(const float* x) {
    typedef float Half __attribute__((vector_size(16), aligned(4), may_alias));
    const Half half = *reinterpret_cast<const Half*>(x);
    return __builtin_shufflevector(half, half, 0, 0, 1, 1, 2, 2, 3, 3);
}
inline Vector<double> more_twice(const double* x) { return Vector<double>{x[0], x[0], x[1], x[1]}; }
inline Pairs<float> twice(const float* x) { return Pairs<float>{x[0], x[0], x[1], x[1]}; }
inline Pairs<double> twice(const double* x) { return Pairs<double>{x[0], x[0]}; }
inline Pairs<float> variances(Pairs<float> w) { return __builtin_shufflevector(w, w, 1, 1, 3, 3); }
inline Pairs<double> variances(Pairs<double> w) { return __builtin_shufflevector(w, w, 1, 1); }
inline Pairs<float> weave(Pairs<float> a, Pairs<float> b) {
    return __builtin_shufflevector(a, b, 0, 5, 2, 7);
}
inline Pairs<double> weave(Pairs<double> a, Pairs<double> b) { return __builtin_shufflevector(a, b, 0, 3); }
[[maybe_unused]] inline Sums fold_pairs(Pairs<float> v) {
    return {static_cast<double>(v[0]) + static_cast<double>(v[2]),
            static_cast<double>(v[1]) + static_cast<double>(v[3])};
}
[[maybe_unused]] inline Sums fold_pairs(Pairs<double> v) { return {v[0], v[1]}; }

/// (x, x^2) for a value that stands twice.
template <class V>
inline V powers(V twice) {
    return twice * weave(V{} + 1, twice);
}

/// Four chains of additions: a short row waits for them.
template <class T>
inline Sums pair_part(const T* w, const T* x, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    Vector<T> a{}, b{}, c{}, d{};
    std::size_t i = 0;
    for (; i + 2 * s <= n; i += 2 * s) {
        const Vector<T> x0 = load(x + i), x1 = load(x + i + s);
        const T* g = w + 2 * i;
        a += load(g) * powers(low_twice(x0));
        b += load(g + s) * powers(high_twice(x0));
        c += load(g + 2 * s) * powers(low_twice(x1));
        d += load(g + 3 * s) * powers(high_twice(x1));
    }
    if (i < n) {
        const Vector<T> x0 = load(x + i);
        a += load(w + 2 * i) * powers(low_twice(x0));
        b += load(w + 2 * i + s) * powers(high_twice(x0));
    }
    return fold_pairs((a + c) + (b + d));
}

/// What an update does to a vector of pairs, `Of` saying how wide; `x` holds each value twice.
template <class Of>
struct Drop {
    using V = typename Of::type;
    V a, b, low;
    V operator()(V w, V x) const {
        const V z = variances(w) * x;
        const V moved = w + weave(a, -b * z) * z;
        return moved > low ? moved : low;
    }
};
template <class Of>
struct Kl {
    using V = typename Of::type;
    V a, gain, low;
    V operator()(V w, V x) const {
        const V z = variances(w) * x;
        const V moved = weave(w + a * z, w / (gain * z * x + 1));
        return moved > low ? moved : low;
    }
};

/// A floor for variances that lets every mean pass.
template <class T>
constexpr T kNoFloor = sizeof(T) == 4 ? T(-3.4028234663852886e38) : T(-1.7976931348623157e308);

template <class T, class Update>
void pair_update(T* w, const T* x, std::size_t n, Update update) {
    constexpr std::size_t s = VectorOf<T>::size;
    for (std::size_t i = 0; i < n; i += s) {
        T* g = w + 2 * i;
        const Vector<T> xi = load(x + i);
        store(g, update(load(g), low_twice(xi)));
        store(g + s, update(load(g + s), high_twice(xi)));
    }
}

template <class T, template <class> class Rule>
void pair_step(T* w, const T* x, T a, T b, T floor, std::size_t n) {
    const Vector<T> low = weave(broadcast(kNoFloor<T>), broadcast(floor));
    pair_update(w, x, n, Rule<VectorOf<T>>{broadcast(a), broadcast(b), low});
}

// Means and variances in arrays of their own. Sums and steps are those over pairs, operation by operation, so
// that no bit tells how the numbers lay.
template <class T>
struct WideOf {
    typedef T type __attribute__((vector_size(64), aligned(32), may_alias));
};
template <class T>
using Wide = typename WideOf<T>::type;

template <class T>
inline Wide<T> load_wide(const T* p) {
    return *reinterpret_cast<const Wide<T>*>(p);
}
inline Vector<float> low_half(Wide<float> v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7); }
inline Vector<float> high_half(Wide<float> v) {
    return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
}
inline Vector<double> low_half(Wide<double> v) { return __builtin_shufflevector(v, v, 0, 1, 2, 3); }
inline Vector<double> high_half(Wide<double> v) { return __builtin_shufflevector(v, v, 4, 5, 6, 7); }
inline double fold_apart(Vector<float> v) {
    typedef float Half __attribute__((vector_size(16)));
    const Half sum = __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
    return static_cast<double>(sum[0] + sum[2]) + static_cast<double>(sum[1] + sum[3]);
}
inline double fold_apart(Vector<double> v) { return (v[0] + v[2]) + (v[1] + v[3]); }

template <class T>
inline Sums apart_part(const T* mean, const T* variance, const T* x, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    Wide<T> margins{}, spreads{};
    std::size_t i = 0;
    for (; i + 2 * s <= n; i += 2 * s) {
        const Wide<T> xi = load_wide(x + i);
        margins += load_wide(mean + i) * xi;
        spreads += load_wide(variance + i) * (xi * xi);
    }
    Vector<T> margin = low_half(margins), spread = low_half(spreads);
    if (i < n) {
        const Vector<T> xi = load(x + i);
        margin += load(mean + i) * xi;
        spread += load(variance + i) * (xi * xi);
    }
    return {fold_apart(margin + high_half(margins)), fold_apart(spread + high_half(spreads))};
}

/// Calls look(start, size) on stretches that float32 lanes may sum, and adds up what it returns.
template <class Look>
inline Sums in_stretches(std::size_t n, Look look) {
    if (n <= kFold) return look(0, n);
    Sums sums{0, 0};
    for (std::size_t start = 0; start < n; start += kFold) {
        const Sums part = look(start, start + kFold < n ? kFold : n - start);
        sums.margin += part.margin;
        sums.variance += part.variance;
    }
    return sums;
}

template <class T>
Sums pair_look(const T* w, const T* x, std::size_t n) {
    return in_stretches(
        n, [=](std::size_t at, std::size_t size) { return pair_part(w + 2 * at, x + at, size); });
}

template <class T>
Sums apart_look(const T* mean, const T* variance, const T* x, std::size_t n) {
    return in_stretches(n, [=](std::size_t at, std::size_t size) {
        return apart_part(mean + at, variance + at, x + at, size);
    });
}

/// The steps of `Drop` and `Kl`.
template <class Of>
struct DropApart {
    using V = typename Of::type;
    V a, b, floor;
    void operator()(V& mean, V& variance, V x) const {
        const V z = variance * x;
        mean = mean + a * z;
        const V shrunk = variance + (-b * z) * z;
        variance = shrunk > floor ? shrunk : floor;
    }
};
template <class Of>
struct KlApart {
    using V = typename Of::type;
    V a, gain, floor;
    void operator()(V& mean, V& variance, V x) const {
        const V z = variance * x;
        mean = mean + a * z;
        const V shrunk = variance / (gain * z * x + 1);
        variance = shrunk > floor ? shrunk : floor;
    }
};

template <class T, template <class> class Rule>
void apart_step(T* mean, T* variance, const T* x, T a, T b, T floor, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    const Wide<T> zero{};
    const Rule<WideOf<T>> update{zero + a, zero + b, zero + floor};
    std::size_t i = 0;
    for (; i + 2 * s <= n; i += 2 * s)
        update(*reinterpret_cast<Wide<T>*>(mean + i), *reinterpret_cast<Wide<T>*>(variance + i),
               load_wide(x + i));
    if (i < n) {
        const Rule<VectorOf<T>> rest{broadcast(a), broadcast(b), broadcast(floor)};
        rest(*reinterpret_cast<Vector<T>*>(mean + i), *reinterpret_cast<Vector<T>*>(variance + i),
             load(x + i));
    }
}

/// Four chains, as a belief's own sums. With kAsk the weights in `next`, four or more, are asked for
/// meanwhile.
template <class T, bool kAsk>
ONLINEAR_IN_ORDER double sparse_sum(const T* w, const std::uint32_t* at, const T* x, std::size_t n,
                                    const std::uint32_t* next, std::size_t n_next) {
    ONLINEAR_ONE_BY_ONE
    double total = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        T a = 0, b = 0, c = 0, d = 0;
        std::size_t j = start;
        for (; j + 4 <= stop; j += 4) {
            if constexpr (kAsk) {
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
    if constexpr (kAsk)
        for (std::size_t j = n / 4 * 4; j < n_next; ++j) __builtin_prefetch(w + next[j], 1);
    return total;
}

template <class T>
double sparse_dot(const T* w, const std::uint32_t* at, const T* x, std::size_t n, const std::uint32_t* next,
                  std::size_t n_next) {
    if (n_next >= 4) return sparse_sum<T, true>(w, at, x, n, next, n_next);
    return sparse_sum<T, false>(w, at, x, n, nullptr, 0);
}

/// With kAsk the pairs in `next`, eight or more, are asked for meanwhile.
template <class T, bool kAsk>
inline Sums sparse_sums(const T* w, const std::uint32_t* at, const T* x, std::size_t n,
                        const std::uint32_t* next, std::size_t n_next) {
    constexpr std::size_t p = 2 * PairsOf<T>::count;
    const auto part = [=](std::size_t start, std::size_t size) {
        const std::size_t stop = start + size;
        Vector<T> a{}, b{};
        std::size_t j = start;
        for (; j + 2 * p <= stop; j += 2 * p) {
            if constexpr (kAsk) {
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
    if constexpr (kAsk)
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

/// Asks for what a strip of `N` vectors will read. Inlined by force: GCC drops a call that only prefetches.
template <class T, int N>
[[gnu::always_inline]] inline void ask_for_strip(const T* row) {
    __builtin_prefetch(row);
    if constexpr (N > 2) __builtin_prefetch(row + 2 * VectorOf<T>::size);
    if constexpr (N > 4) __builtin_prefetch(row + 4 * VectorOf<T>::size);
}

/// A strip of `N` vectors held in registers over all rows; with kAsk the rows in `next` are asked for
/// meanwhile.
template <class T, int N, bool kSquared, bool kAsk>
inline void strip(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
                  double* out, const std::uint32_t* next, std::size_t n_next) {
    constexpr std::size_t s = VectorOf<T>::size;
    for (std::size_t i = 0; i < N * s; ++i) out[i] = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> sum[N] = {};
        for (std::size_t j = start; j < stop; ++j) {
            if constexpr (kAsk)
                ask_for_strip<T, N>(w + static_cast<std::size_t>(next[j < n_next ? j : 0]) * width);
            const T* row = w + static_cast<std::size_t>(rows[j]) * width;
            const Vector<T> xi = broadcast(kSquared ? x[j] * x[j] : x[j]);
            ONLINEAR_UNROLL
            for (int k = 0; k < N; ++k) sum[k] += xi * load_any(row + k * s);
        }
        ONLINEAR_UNROLL
        for (int k = 0; k < N; ++k)
            for (std::size_t i = 0; i < s; ++i) out[k * s + i] += static_cast<double>(sum[k][i]);
    }
    if constexpr (kAsk)
        for (std::size_t j = n; j < n_next; ++j)
            ask_for_strip<T, N>(w + static_cast<std::size_t>(next[j]) * width);
}

/// Calls f(strip of N vectors, offset) until all lanes are done.
template <class T, class F>
inline void in_strips(std::size_t lanes, F f) {
    constexpr std::size_t s = VectorOf<T>::size;
    for (std::size_t at = 0; at < lanes;) {
        switch ((lanes - at) / s) {
            case 1:
                f.template operator()<1>(at);
                at += 1 * s;
                break;
            case 2:
                f.template operator()<2>(at);
                at += 2 * s;
                break;
            case 3:
                f.template operator()<3>(at);
                at += 3 * s;
                break;
            case 4:
                f.template operator()<4>(at);
                at += 4 * s;
                break;
            case 5:
                f.template operator()<5>(at);
                at += 5 * s;
                break;
            default:
                f.template operator()<6>(at);
                at += 6 * s;
                break;
        }
    }
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

template <class T, int N>
inline void token_strip(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
                        T* out) {
    constexpr std::size_t s = VectorOf<T>::size;
    Vector<T> sum[N] = {};
    if (x) {
        for (std::size_t j = 0; j < n; ++j) {
            const T* row = w + static_cast<std::size_t>(rows[j]) * width;
            const Vector<T> xi = broadcast(x[j]);
            ONLINEAR_UNROLL
            for (int k = 0; k < N; ++k) sum[k] += xi * load(row + k * s);
        }
    } else {
        for (std::size_t j = 0; j < n; ++j) {
            const T* row = w + static_cast<std::size_t>(rows[j]) * width;
            ONLINEAR_UNROLL
            for (int k = 0; k < N; ++k) sum[k] += load(row + k * s);
        }
    }
    ONLINEAR_UNROLL
    for (int k = 0; k < N; ++k) store(out + k * s, sum[k]);
}

template <class T, int N>
inline void viterbi_strip(const T* previous, const T* transitions, std::size_t labels, std::size_t lanes,
                          const T* emission, T* score, std::int32_t* back) {
    constexpr std::size_t s = VectorOf<T>::size;
    using Integers = typename VectorOf<T>::integers;
    Vector<T> best[N];
    Integers from[N] = {};
    ONLINEAR_UNROLL
    for (int k = 0; k < N; ++k) best[k] = broadcast(previous[0]) + load(transitions + k * s);
    for (std::size_t label = 1; label < labels; ++label) {
        const Vector<T> before = broadcast(previous[label]);
        const T* row = transitions + label * lanes;
        const Integers here = Integers{} + static_cast<int>(label);
        ONLINEAR_UNROLL
        for (int k = 0; k < N; ++k) {
            const Vector<T> reached = before + load(row + k * s);
            from[k] = reached > best[k] ? here : from[k];
            best[k] = larger<T>(reached, best[k]);
        }
    }
    ONLINEAR_UNROLL
    for (int k = 0; k < N; ++k) {
        store(score + k * s, best[k] + load(emission + k * s));
        for (std::size_t i = 0; i < s; ++i) back[k * s + i] = static_cast<std::int32_t>(from[k][i]);
    }
}

template <class T>
void token(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
           std::size_t lanes, T* out) {
    in_strips<T>(lanes,
                 [=]<int N>(std::size_t at) { token_strip<T, N>(w + at, rows, x, n, width, out + at); });
}

template <class T>
void viterbi(const T* previous, const T* transitions, std::size_t labels, std::size_t lanes,
             const T* emission, T* score, std::int32_t* back) {
    in_strips<T>(lanes, [=]<int N>(std::size_t at) {
        viterbi_strip<T, N>(previous, transitions + at, labels, lanes, emission + at, score + at, back + at);
    });
}

template <class T>
void axpy(T* w, const T* x, T a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w[i] += a * x[i];
}

Counted count_below(const double* x, const std::int64_t* share, std::size_t n, double limit) {
    typedef long long Shares __attribute__((vector_size(32), aligned(8), may_alias));
    constexpr std::size_t s = VectorOf<double>::size;
    const Vector<double> top = broadcast(limit);
    Shares count{}, sum{};
    std::size_t i = 0;
    for (; i + s <= n; i += s) {
        const auto below = reinterpret_cast<Shares>(load_any(x + i) <= top);  // all bits set, or none
        count -= below;
        sum += below & *reinterpret_cast<const Shares*>(share + i);
    }
    Counted out{0, 0};
    for (std::size_t k = 0; k < s; ++k) {
        out.count += count[k];
        out.sum += sum[k];
    }
    for (; i < n; ++i) {
        out.count += x[i] <= limit;
        out.sum += x[i] <= limit ? share[i] : 0;
    }
    return out;
}

/// Counts how many keys are smaller than each: its place once they are sorted. Comparing all with all has no
/// branch to foresee, and for as few as a text has words it is done before a sort has found its feet.
template <class T>
bool sort_few(std::uint32_t* at, T* value, std::uint32_t size) {
    typedef std::int16_t Keys __attribute__((vector_size(32), aligned(2), may_alias));
    constexpr std::uint32_t s = 16, kFew = 10 * s;  // two vectors at a time
    if (size == 0 || size > kFew) return size == 0;
    std::uint32_t all = 1;
    for (std::uint32_t j = 0; j < size; ++j) all |= at[j];
    const int leading = 32 - __builtin_clz(all), shift = leading > 16 ? leading - 16 : 0;
    constexpr std::uint32_t kMiddle = 1u << 15;  // makes signed numbers of unsigned ones, in the same order
    std::uint32_t old_at[kFew];
    T old_value[kFew];
    std::int16_t keys[kFew], places[kFew];
    for (std::uint32_t j = 0; j < size; ++j) keys[j] = static_cast<std::int16_t>((at[j] >> shift) ^ kMiddle);
    for (std::uint32_t j = size; j % (2 * s) != 0; ++j) keys[j] = 0;
    for (std::uint32_t j = 0; j < size; ++j) old_at[j] = at[j];
    for (std::uint32_t j = 0; j < size; ++j) old_value[j] = value[j];
    for (std::uint32_t i = 0; i < size; i += 2 * s) {
        const Keys low = *reinterpret_cast<const Keys*>(keys + i),
                   high = *reinterpret_cast<const Keys*>(keys + i + s);
        Keys below_low{}, below_high{};
        for (std::uint32_t j = 0; j < size; ++j) {
            const Keys other = Keys{} + keys[j];
            below_low -= low > other;
            below_high -= high > other;
        }
        *reinterpret_cast<Keys*>(places + i) = below_low;
        *reinterpret_cast<Keys*>(places + i + s) = below_high;
    }
    std::uint32_t total = 0;
    for (std::uint32_t j = 0; j < size; ++j) total += static_cast<std::uint32_t>(places[j]);
    if (total != size * (size - 1) / 2) return false;  // two keys are equal
    for (std::uint32_t j = 0; j < size; ++j) {
        at[places[j]] = old_at[j];
        value[places[j]] = old_value[j];
    }
    return true;
}

/// A bit for each lane that is set, lowest first.
template <class T>
inline std::uint64_t lane_bits(typename VectorOf<T>::integers set) {
#if defined(__AVX2__)
    if constexpr (sizeof(T) == 4)
        return static_cast<unsigned>(__builtin_ia32_movmskps256(reinterpret_cast<Vector<T>>(set)));
    else
        return static_cast<unsigned>(__builtin_ia32_movmskpd256(reinterpret_cast<Vector<T>>(set)));
#else
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < VectorOf<T>::size; ++i) bits |= static_cast<std::uint64_t>(set[i] & 1) << i;
    return bits;
#endif
}

/// The first of every `step` numbers, step 1 or 2, for as many as a vector holds.
template <class T>
inline Vector<T> load_every(const T* w, std::size_t step) {
    const Vector<T> low = load_any(w);
    if (step == 1) return low;
    const Vector<T> high = load_any(w + VectorOf<T>::size);
    if constexpr (sizeof(T) == 4)
        return __builtin_shufflevector(low, high, 0, 2, 4, 6, 8, 10, 12, 14);
    else
        return __builtin_shufflevector(low, high, 0, 2, 4, 6);
}

template <class T>
void mark(const T* w, std::size_t step, std::size_t lanes, std::size_t slots, T start, std::uint64_t* bits) {
    using Integers = typename VectorOf<T>::integers;
    constexpr std::size_t s = VectorOf<T>::size;
    const auto same = reinterpret_cast<Integers>(broadcast<T>(start));
    const auto differing = [same](Vector<T> given) {
        return lane_bits<T>(reinterpret_cast<Integers>(reinterpret_cast<Integers>(given) != same));
    };
    std::uint64_t word = 0;
    std::size_t slot = 0, filled = 0;
    if (lanes == 1 && step <= 2) {
        // Not the last word: of two planes side by side a vector reaches past its last slot.
        for (; slot + 64 < slots; slot += 64, w += 64 * step) {
            for (std::size_t i = 0; i < 64; i += s) word |= differing(load_every(w + i * step, step)) << i;
            *bits++ |= word;
            word = 0;
        }
    }
    const auto put = [&](std::uint64_t found, std::size_t n) {
        word |= found << filled;
        filled += n;
        if (filled < 64) return;
        *bits++ |= word;
        filled -= 64;
        word = filled == 0 ? 0 : found >> (n - filled);
    };
    for (; slot < slots; ++slot, w += step) {
        if (lanes == 1) {
            typename VectorOf<T>::integer one;
            __builtin_memcpy(&one, w, sizeof one);
            put(one != same[0], 1);
            continue;
        }
        for (std::size_t lane = 0; lane < lanes; lane += s) {
            const std::size_t n = lanes - lane < s ? lanes - lane : s;
            put(differing(load_any(w + lane)) & ((1u << n) - 1), n);
        }
    }
    if (filled != 0) *bits |= word;
}

/// The n bits from `at` on, 1 <= n <= 32.
inline std::uint32_t bits_at(const std::uint64_t* bits, std::size_t at, std::size_t n) {
    const std::size_t shift = at % 64;
    std::uint64_t word = bits[at / 64] >> shift;
    if (shift + n > 64) word |= bits[at / 64 + 1] << (64 - shift);
    return static_cast<std::uint32_t>(word & ((std::uint64_t{1} << n) - 1));
}

/// Those of up to 64 bytes of weights whose bits are set, one after the other.
template <class T>
inline T* pick_set(const T* w, std::uint32_t set, T* out) {
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4)
        _mm512_storeu_ps(out,
                         _mm512_maskz_compress_ps(static_cast<__mmask16>(set),
                                                  _mm512_maskz_loadu_ps(static_cast<__mmask16>(set), w)));
    else
        _mm512_storeu_pd(out, _mm512_maskz_compress_pd(static_cast<__mmask8>(set),
                                                       _mm512_maskz_loadu_pd(static_cast<__mmask8>(set), w)));
    return out + __builtin_popcount(set);
#else
    for (; set != 0; set &= set - 1) *out++ = w[__builtin_ctz(set)];
    return out;
#endif
}

template <class T>
void pick(const T* w, std::size_t step, std::size_t lanes, std::size_t slots, const std::uint64_t* bits,
          std::size_t first, T* out) {
    constexpr std::size_t s = 64 / sizeof(T), kBits = 32;
    if (lanes == 1) {
        for (std::size_t slot = 0; slot < slots; slot += kBits) {
            std::uint32_t set = bits_at(bits, first + slot, slots - slot < kBits ? slots - slot : kBits);
            for (; set != 0; set &= set - 1)
                *out++ = w[(slot + static_cast<std::size_t>(__builtin_ctz(set))) * step];
        }
        return;
    }
    for (std::size_t slot = 0; slot < slots; ++slot, w += step, first += lanes)
        for (std::size_t lane = 0; lane < lanes; lane += kBits) {
            // Most slots have nothing to pick.
            std::uint32_t set = bits_at(bits, first + lane, lanes - lane < kBits ? lanes - lane : kBits);
            for (std::size_t at = lane; set != 0; at += s, set >>= s)
                out = pick_set(w + at, set & ((1u << s) - 1), out);
        }
}

/// The last n lanes of a vector, zeros in the others.
template <class T>
inline Vector<T> last_lanes(std::size_t n, Vector<T> v) {
    using Integers = typename VectorOf<T>::integers;
    constexpr std::size_t s = VectorOf<T>::size;
    typedef Integers Anywhere __attribute__((aligned(sizeof(T)), may_alias));
    struct Table {
        typename VectorOf<T>::integer set[2 * s];
    };
    static constexpr Table kTable = [] {
        Table table{};
        for (std::size_t i = s; i < 2 * s; ++i) table.set[i] = -1;
        return table;
    }();
    const Integers kept = *reinterpret_cast<const Anywhere*>(kTable.set + n);
    return reinterpret_cast<Vector<T>>(reinterpret_cast<Integers>(v) & kept);
}

/// The squares of values converted to T, added up lane by lane whatever their alignment; with kStore the
/// values are kept.
template <class T, bool kStore, class V>
inline double pass_over(const V* x, T* out, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    typedef V Given __attribute__((vector_size(s * sizeof(V)), aligned(sizeof(V)), may_alias));
    typedef Vector<T> Kept __attribute__((aligned(sizeof(T)), may_alias));
    double norm2 = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> sum{};
        std::size_t j = start;
        for (; j + s <= stop; j += s) {
            const Vector<T> v = __builtin_convertvector(*reinterpret_cast<const Given*>(x + j), Vector<T>);
            if constexpr (kStore) *reinterpret_cast<Kept*>(out + j) = v;
            sum += v * v;
        }
        double rest = 0;
        if (j < stop && stop >= s) {  // the last ones as a whole vector, without what it has of those before
            const Vector<T> v =
                __builtin_convertvector(*reinterpret_cast<const Given*>(x + stop - s), Vector<T>);
            if constexpr (kStore) *reinterpret_cast<Kept*>(out + stop - s) = v;
            sum += last_lanes<T>(stop - j, v * v);
        } else {
            for (; j < stop; ++j) {
                const T v = static_cast<T>(x[j]);
                if constexpr (kStore) out[j] = v;
                rest += static_cast<double>(v * v);
            }
        }
        norm2 += fold(sum) + rest;
    }
    return norm2;
}

template <class V>
inline bool is_finite(V x) {
    return x - x == 0;
}

template <class T>
double norm2(const T* x, std::size_t n) {
    return pass_over<T, false>(x, static_cast<T*>(nullptr), n);
}

template <class T, class V>
Copied copy(const V* x, T* out, std::size_t n) {
    const double norm2 = pass_over<T, true>(x, out, n);
    if (is_finite(norm2)) return {norm2, true};
    // Some value is not finite, or its square is not.
    bool finite = true;
    for (std::size_t j = 0; j < n; ++j) finite &= is_finite(out[j]);
    return {norm2, finite};
}

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

template <class T>
double dot_any(const T* w, const T* x, std::size_t n) {
    typedef Wide<T> Anywhere __attribute__((aligned(sizeof(T)), may_alias));
    constexpr std::size_t s = 2 * VectorOf<T>::size;
    const auto product = [=](std::size_t i) {
        return *reinterpret_cast<const Anywhere*>(w + i) * *reinterpret_cast<const Anywhere*>(x + i);
    };
    double total = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Wide<T> a{}, b{};
        std::size_t i = start;
        for (; i + 2 * s <= stop; i += 2 * s) {
            a += product(i);
            b += product(i + s);
        }
        if (i + s <= stop) {
            a += product(i);
            i += s;
        }
        a += b;
        double rest = 0;
        for (; i < stop; ++i) rest += static_cast<double>(w[i] * x[i]);
        total += fold_apart(low_half(a) + high_half(a)) + rest;
    }
    return total;
}

/// A weight every kStep numbers. Whatever another thread writes meanwhile, only what lies inside is read:
/// places up to `limit` by its bits, or those below it one by one.
template <std::size_t kStep, bool kMasked, class T>
ONLINEAR_IN_ORDER inline double score_row(const T* w, const std::int32_t* index, const T* x, std::size_t n,
                                          std::size_t left, std::uint32_t limit) {
    ONLINEAR_ONE_BY_ONE
    // Far enough for memory to answer; weights are asked for across the ends of rows.
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

/// A strip of `N` vectors over a row as it lies; returns whether every index was below `columns`.
template <class T, int N>
inline bool score_strip(const T* w, std::size_t width, const std::int32_t* index, const T* x, std::size_t n,
                        std::size_t left, std::size_t columns, double* out) {
    constexpr std::size_t s = VectorOf<T>::size, kAhead = 32;
    std::uint32_t outside = 0;
    for (std::size_t i = 0; i < N * s; ++i) out[i] = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> sum[N] = {};
        for (std::size_t j = start; j < stop; ++j) {
            ask_for_strip<T, N>(w + static_cast<std::uint32_t>(index[j + kAhead < left ? j + kAhead : j]) *
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

template <class I>
struct Unsigned;
template <>
struct Unsigned<std::int32_t> {
    using type = std::uint32_t;
};
template <>
struct Unsigned<std::int64_t> {
    using type = std::uint64_t;
};

template <class I>
Slots slots(const I* index, std::uint32_t* out, std::size_t n, std::size_t columns, std::uint32_t factor) {
    if (n == 0) return {true, true};
    // A negative index is huge when read as unsigned, so one comparison with the largest does for both ends.
    typename Unsigned<I>::type largest = 0;
    std::uint32_t falls = 0;
    const auto put = [&](std::size_t j) {
        const auto i = static_cast<typename Unsigned<I>::type>(index[j]);
        largest = i > largest ? i : largest;
        out[j] = (static_cast<std::uint32_t>(i) + 1) * factor;
    };
    put(0);
    for (std::size_t j = 1; j < n; ++j) {
        put(j);
        falls |= index[j] <= index[j - 1];
    }
    return {largest < columns, falls == 0};
}

/// The top bit of a place is set where an index is negative, or larger than the last; both below 2^31.
typedef std::uint32_t Bits32 __attribute__((vector_size(32), aligned(4), may_alias));
inline Bits32 outside(Bits32 index, Bits32 last) { return index | (last - index); }
inline bool any_sign(Bits32 bits) { return any(reinterpret_cast<Indices>(bits >> 31)); }

bool inside_i32(const std::int32_t* index, std::size_t n, std::size_t columns) {
    if (n < kIndices || columns == 0 || columns > 0x7fffffff) {
        for (std::size_t j = 0; j < n; ++j)
            if (static_cast<std::uint32_t>(index[j]) >= columns) return false;
        return true;
    }
    const Bits32 last = Bits32{} + static_cast<std::uint32_t>(columns - 1);
    Bits32 signs{};
    by_eights(
        n, [&](std::size_t j) { signs |= outside(reinterpret_cast<Bits32>(load_indices(index + j)), last); });
    return !any_sign(signs);
}

template <class T>
bool all_within(const T* x, std::size_t n, T top) {
    constexpr std::size_t s = VectorOf<T>::size;
    using Integers = typename VectorOf<T>::integers;
    const Vector<T> high = broadcast(top), low = broadcast(-top);
    Integers good = Integers{} - 1;
    std::size_t i = 0;
    for (; i + s <= n; i += s) {
        const Vector<T> v = load_any(x + i);
        good &=
            reinterpret_cast<Integers>(v <= high) & reinterpret_cast<Integers>(v >= low);  // NaN is neither
    }
    bool all = true;
    for (std::size_t k = 0; k < s; ++k) all &= good[k] != 0;
    for (; i < n; ++i) all &= (x[i] <= top) & (x[i] >= -top);
    return all;
}

/// The same of the indices most rows have, by eights.
Slots slots_32(const std::int32_t* index, std::uint32_t* out, std::size_t n, std::size_t columns,
               std::uint32_t factor) {
    if (n <= kIndices || columns == 0 || columns > 0x7fffffff) return slots(index, out, n, columns, factor);
    const Bits32 last = Bits32{} + static_cast<std::uint32_t>(columns - 1);
    Bits32 signs{};
    Indices falls{};
    const auto put = [&](std::size_t j) {
        // Read once: whatever another thread writes meanwhile, what was looked at is what is used.
        const auto i = reinterpret_cast<Bits32>(load_indices(index + j));
        signs |= outside(i, last);
        *reinterpret_cast<Bits32*>(out + j) = (i + 1) * factor;
    };
    // In one loop with the order of neighbours: its length is another for every row and guessed wrong each
    // time.
    std::size_t j = 0;
    for (; j + kIndices < n; j += kIndices) {
        put(j);
        falls |= load_indices(index + j + 1) <= load_indices(index + j);
    }
    put(n - kIndices);
    falls |= load_indices(index + n - kIndices) <= load_indices(index + n - kIndices - 1);
    return {!any_sign(signs), !any(falls)};
}

/// Both at once in one loop: of two, each would have its end guessed wrong.
template <class T>
Staged stage_i32(const std::int32_t* index, const T* x, std::uint32_t* at, T* value, std::size_t n,
                 std::size_t columns, std::uint32_t factor) {
    constexpr std::size_t s = VectorOf<T>::size;
    if (s != kIndices || n <= s || n > kFold || columns == 0 || columns > 0x7fffffff) {
        const Slots seen = slots_32(index, at, n, columns, factor);
        const Copied copied = copy<T, T>(x, value, n);
        return {copied.norm2, copied.finite, seen.inside, seen.rising};
    }
    typedef Vector<T> Kept __attribute__((aligned(sizeof(T)), may_alias));
    const Bits32 last = Bits32{} + static_cast<std::uint32_t>(columns - 1);
    Bits32 signs{};
    Indices falls{};
    Vector<T> sum{};
    const auto put = [&](std::size_t j) {
        const auto i = reinterpret_cast<Bits32>(load_indices(index + j));
        signs |= outside(i, last);
        *reinterpret_cast<Bits32*>(at + j) = (i + 1) * factor;
        const Vector<T> v = load_any(x + j);
        *reinterpret_cast<Kept*>(value + j) = v;
        return v;
    };
    std::size_t j = 0;
    for (; j + s < n; j += s) {
        const Vector<T> v = put(j);
        falls |= load_indices(index + j + 1) <= load_indices(index + j);
        sum += v * v;
    }
    const Vector<T> v = put(n - s);
    falls |= load_indices(index + n - s) <= load_indices(index + n - s - 1);
    sum += last_lanes<T>(n - j, v * v);
    const double norm2 = fold(sum);
    const bool finite = is_finite(norm2) || copy<T, T>(x, value, n).finite;
    return {norm2, finite, !any_sign(signs), !any(falls)};
}

template <class T>
void scale(T* w, T a, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    constexpr T smallest =
        sizeof(T) == 4 ? static_cast<T>(1.17549435e-38) : static_cast<T>(2.2250738585072014e-308);
    const T least = smallest / (a < 0 ? -a : a);
    const Vector<T> va = broadcast(a), high = broadcast(least), low = broadcast(-least), zero{};
    for (std::size_t i = 0; i < n; i += s) {
        // Numbers below the smallest normal one are slow to compute with, so they are never made.
        const Vector<T> v = load(w + i);
        const Vector<T> up = v >= high ? v : zero, down = v <= low ? v : zero;
        store(w + i, (up + down) * va);
    }
}

template <class T>
constexpr Kernels<T> table() {
    return {dot<T>,
            add<T>,
            pair_look<T>,
            pair_step<T, Drop>,
            pair_step<T, Kl>,
            apart_look<T>,
            apart_step<T, DropApart>,
            apart_step<T, KlApart>,
            sparse_dot<T>,
            sparse_look<T>,
            sparse_step<T, Drop>,
            sparse_step<T, Kl>,
            lanes<T>,
            lanes_squared<T>,
            token<T>,
            viterbi<T>,
            axpy<T>,
            scale<T>,
            count_below,
            sort_few<T>,
            norm2<T>,
            dot_any<T>,
            score_rows<T, std::int32_t>,
            score_rows<T, std::int64_t>,
            score_lanes<T>,
            copy<T, float>,
            copy<T, double>,
            slots_32,
            slots<std::int64_t>,
            stage_i32<T>,
            mark<T>,
            pick<T>,
            all_within<T>,
            inside_i32};
}

}  // namespace

namespace ONLINEAR_LEVEL {
extern const Kernels<float> float_kernels;
extern const Kernels<double> double_kernels;
const Kernels<float> float_kernels = table<float>();
const Kernels<double> double_kernels = table<double>();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
