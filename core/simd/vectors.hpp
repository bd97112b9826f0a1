#pragma once
#include <cstddef>
#include <cstdint>

#include "onlinear/simd/simd.hpp"

/// Half-line vectors and what all loops do with them. The sources of this folder are compiled once per
/// instruction set, with ONLINEAR_LEVEL naming the namespace of each.
///
/// Everything here has internal linkage or lives in that namespace and uses no library templates, so that
/// no function compiled for a wide machine can be picked by the linker for a narrow one.
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
/// The bits of `a` in every lane: less zero, for 0 + -0 is 0.
template <class T>
inline Vector<T> broadcast(T a) {
    return a - Vector<T>{};
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

}  // namespace
}  // namespace onlinear
