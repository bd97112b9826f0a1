/// The wide kernels; compiled once per instruction set with ONLINEAR_LEVEL naming the namespace.
///
/// Everything here has internal linkage or lives in that namespace and uses no library templates, so that
/// no function compiled for a wide machine can be picked by the linker for a narrow one.
#include "onlinear/kernels.hpp"

namespace onlinear {
namespace {

// Half a cache line: what every supported machine either has or can build from two registers.
template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
    typedef float type __attribute__((vector_size(32), aligned(32), may_alias));
    typedef int integers __attribute__((vector_size(32), aligned(32), may_alias));
    static constexpr std::size_t size = 8;
};
template <>
struct VectorOf<double> {
    typedef double type __attribute__((vector_size(32), aligned(32), may_alias));
    typedef long long integers __attribute__((vector_size(32), aligned(32), may_alias));
    static constexpr std::size_t size = 4;
};
template <class T>
using Vector = typename VectorOf<T>::type;

template <class T>
inline Vector<T> load(const T* p) {
    return *reinterpret_cast<const Vector<T>*>(p);
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
#define ONLINEAR_UNROLL _Pragma("GCC unroll 6")

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

template <class T>
Sums pair_look(const T* w, const T* x, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    double margin = 0, variance = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> m0{}, m1{}, v0{}, v1{};
        std::size_t i = start;
        for (; i + 2 * s <= stop; i += 2 * s) {
            const T* g = w + 2 * i;
            const Vector<T> x0 = load(x + i), x1 = load(x + i + s);
            m0 += load(g) * x0;
            v0 += load(g + s) * x0 * x0;
            m1 += load(g + 2 * s) * x1;
            v1 += load(g + 3 * s) * x1 * x1;
        }
        if (i < stop) {
            const Vector<T> x0 = load(x + i);
            m0 += load(w + 2 * i) * x0;
            v0 += load(w + 2 * i + s) * x0 * x0;
        }
        margin += fold(m0 + m1);
        variance += fold(v0 + v1);
    }
    return {margin, variance};
}

template <class T>
void pair_drop(T* w, const T* x, T a, T b, T floor, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    const Vector<T> va = broadcast(a), vb = broadcast(b), low = broadcast(floor);
    for (std::size_t i = 0; i < n; i += s) {
        T* g = w + 2 * i;
        const Vector<T> sigma = load(g + s), z = sigma * load(x + i);
        store(g, load(g) + va * z);
        store(g + s, larger<T>(sigma - vb * z * z, low));
    }
}

template <class T>
void pair_kl(T* w, const T* x, T a, T gain, T floor, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    const Vector<T> va = broadcast(a), vg = broadcast(gain), low = broadcast(floor), one = broadcast(T{1});
    for (std::size_t i = 0; i < n; i += s) {
        T* g = w + 2 * i;
        const Vector<T> sigma = load(g + s), xi = load(x + i), z = sigma * xi;
        store(g, load(g) + va * z);
        store(g + s, larger<T>(sigma / (one + vg * z * xi), low));
    }
}

/// A strip of `N` vectors held in registers over all rows.
template <class T, int N, bool kSquared>
inline void strip(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
                  double* out) {
    constexpr std::size_t s = VectorOf<T>::size;
    for (std::size_t i = 0; i < N * s; ++i) out[i] = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> sum[N] = {};
        for (std::size_t j = start; j < stop; ++j) {
            const T* row = w + static_cast<std::size_t>(rows[j]) * width;
            const Vector<T> xi = broadcast(kSquared ? x[j] * x[j] : x[j]);
            ONLINEAR_UNROLL
            for (int k = 0; k < N; ++k) sum[k] += xi * load(row + k * s);
        }
        ONLINEAR_UNROLL
        for (int k = 0; k < N; ++k)
            for (std::size_t i = 0; i < s; ++i) out[k * s + i] += static_cast<double>(sum[k][i]);
    }
}

template <class T, bool kSquared>
void lanes(const T* w, const std::uint32_t* rows, const T* x, std::size_t n, std::size_t width,
           std::size_t lanes_, double* out) {
    constexpr std::size_t s = VectorOf<T>::size;
    while (lanes_ > 0) {
        const std::size_t vectors = lanes_ / s;
        std::size_t done;
        switch (vectors) {
            case 1:
                strip<T, 1, kSquared>(w, rows, x, n, width, out);
                done = 1;
                break;
            case 2:
                strip<T, 2, kSquared>(w, rows, x, n, width, out);
                done = 2;
                break;
            case 3:
                strip<T, 3, kSquared>(w, rows, x, n, width, out);
                done = 3;
                break;
            case 4:
                strip<T, 4, kSquared>(w, rows, x, n, width, out);
                done = 4;
                break;
            case 5:
                strip<T, 5, kSquared>(w, rows, x, n, width, out);
                done = 5;
                break;
            case 6:
                strip<T, 6, kSquared>(w, rows, x, n, width, out);
                done = 6;
                break;
            default:
                strip<T, 6, kSquared>(w, rows, x, n, width, out);
                done = 6;
                break;
        }
        w += done * s;
        out += done * s;
        lanes_ -= done * s;
    }
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
void rank_one(T* w, const T* t, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        // t_i t_j commutes, so a symmetric matrix stays symmetric to the bit.
        const T ti = t[i];
        if (ti == 0) continue;
        T* row = w + i * n;
        for (std::size_t j = 0; j < n; ++j) row[j] -= ti * t[j];
    }
}

template <class T>
void axpy(T* w, const T* x, T a, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) w[i] += a * x[i];
}

template <class T>
double norm2(const T* x, std::size_t n) {
    double sum = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        T part[8] = {};
        std::size_t j = start;
        for (; j + 8 <= stop; j += 8)
            for (std::size_t k = 0; k < 8; ++k) part[k] += x[j + k] * x[j + k];
        for (; j < stop; ++j) part[0] += x[j] * x[j];
        for (std::size_t k = 0; k < 8; ++k) sum += static_cast<double>(part[k]);
    }
    return sum;
}

/// x - x is 0 exactly when x is finite, and unlike a classification of x it vectorises.
template <class T, class V>
bool copy(const V* x, T* out, std::size_t n) {
    int bad = 0;
    for (std::size_t j = 0; j < n; ++j) {
        const T v = static_cast<T>(x[j]);
        out[j] = v;
        bad |= v - v != 0;
    }
    return bad == 0;
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
Slots slots(const I* index, std::uint32_t* out, std::size_t n, std::size_t columns, std::uint32_t mask,
            std::uint32_t factor) {
    if (n == 0) return {true, true};
    // A negative index is huge when read as unsigned, so one comparison with the largest does for both ends.
    typename Unsigned<I>::type largest = 0;
    std::uint32_t falls = 0;
    const auto put = [&](std::size_t j) {
        const auto i = static_cast<typename Unsigned<I>::type>(index[j]);
        largest = i > largest ? i : largest;
        const std::uint32_t slot = static_cast<std::uint32_t>(i) + 1;
        out[j] = slot + (slot & mask) * factor;
    };
    put(0);
    for (std::size_t j = 1; j < n; ++j) {
        put(j);
        falls |= index[j] <= index[j - 1];
    }
    return {largest < columns, falls == 0};
}

template <class T>
void scale(T* w, T a, std::size_t n) {
    constexpr std::size_t s = VectorOf<T>::size;
    constexpr T smallest = sizeof(T) == 4 ? static_cast<T>(1.17549435e-38) : static_cast<T>(2.2250738585072014e-308);
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
    return {
        dot<T>,         add<T>,         pair_look<T>,    pair_drop<T>,        pair_kl<T>, lanes<T, false>,
        lanes<T, true>, token<T>,       viterbi<T>,      rank_one<T>,         axpy<T>,    scale<T>,
        norm2<T>,       copy<T, float>, copy<T, double>, slots<std::int32_t>, slots<std::int64_t>};
}

}  // namespace

namespace ONLINEAR_LEVEL {
extern const Kernels<float> float_kernels;
extern const Kernels<double> double_kernels;
const Kernels<float> float_kernels = table<float>();
const Kernels<double> double_kernels = table<double>();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
