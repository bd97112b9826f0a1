#pragma once
#include "vectors.hpp"

/// Pairs (mean, variance) that lie side by side, and the steps of a diagonal Gaussian on them.
namespace onlinear {
namespace {

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

/// (x, x^2) for a value that stands twice.
template <class V>
inline V powers(V twice) {
    return twice * weave(V{} + 1, twice);
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

}  // namespace
}  // namespace onlinear
