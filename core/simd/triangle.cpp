/// Products and turns of a triangular root; compiled once per instruction set.
#include <cmath>
#include <cstring>

#include "tables.hpp"

namespace onlinear {
namespace {

#if defined(__AVX512F__)
constexpr std::size_t kBytes = 64;
#elif defined(__AVX2__)
constexpr std::size_t kBytes = 32;
#else
constexpr std::size_t kBytes = 16;
#endif

template <class T, std::size_t Bytes = kBytes>
struct WideOf {
    typedef T type __attribute__((vector_size(Bytes), aligned(sizeof(T)), may_alias));
};
template <class T, std::size_t Bytes = kBytes>
using Wide = typename WideOf<T, Bytes>::type;
template <class T>
constexpr std::size_t kLanes = kBytes / sizeof(T);

template <class T>
inline Wide<T> load(const T* p) {
    return *reinterpret_cast<const Wide<T>*>(p);
}

/// The lanes of a vector summed by halves, which stay in registers.
template <class T, std::size_t Bytes = kBytes>
inline T fold(Wide<T, Bytes> v) {
    if constexpr (Bytes > 16) {
        Wide<T, Bytes / 2> halves[2];
        std::memcpy(halves, &v, sizeof v);
        return fold<T, Bytes / 2>(halves[0] + halves[1]);
    } else if constexpr (sizeof(T) == 8) {
        return v[0] + v[1];
    } else {
        return (v[0] + v[2]) + (v[1] + v[3]);
    }
}

/// f[r] += coefficient w_r . x for `Rows` neighbouring rows: independent sums hide the latency of addition.
template <std::size_t Rows, class T>
inline void add_dots(const T* w, std::size_t side, const T* x, std::size_t n, T coefficient, T* f) {
    Wide<T> sums[Rows] = {};
    for (std::size_t i = 0; i < n; i += kLanes<T>) {
        const Wide<T> given = load(x + i);
        for (std::size_t r = 0; r < Rows; ++r) sums[r] += load(w + r * side + i) * given;
    }
    for (std::size_t r = 0; r < Rows; ++r) f[r] += coefficient * fold<T>(sums[r]);
}

/// The same for a row near the end of the array, of which no whole vector may be read.
template <class T>
inline void add_last_dot(const T* w, const T* x, std::size_t n, T coefficient, T* f) {
    Wide<T> sum{};
    for (std::size_t i = 0; i < n; i += kLanes<T>) {
        T some[kLanes<T>] = {};
        for (std::size_t k = 0; k < kLanes<T> && i + k < n; ++k) some[k] = w[i + k];
        sum += load(some) * load(x + i);
    }
    f[0] += coefficient * fold<T>(sum);
}

template <class T>
void add_product(const T* root, std::size_t side, std::size_t first, const T* x, std::size_t size,
                 T coefficient, T* f) {
    constexpr std::size_t kRows = 4;
    std::size_t j = first;
    // Past its own weight a row holds zeros, and past its end x does.
    const auto length = [=](std::size_t row) { return row - first + 1 < size ? row - first + 1 : size; };
    const auto inside = [=](std::size_t row) {
        return row * side + first + length(row) + kLanes<T> <= side * side;
    };
    for (; j + kRows <= side && inside(j + kRows - 1); j += kRows)
        add_dots<kRows>(root + j * side + first, side, x, length(j + kRows - 1), coefficient, f + j);
    for (; j < side && inside(j); ++j)
        add_dots<1>(root + j * side + first, side, x, length(j), coefficient, f + j);
    for (; j < side; ++j) add_last_dot(root + j * side + first, x, length(j), coefficient, f + j);
}

/// The factors of every row: a_j are sums of squares, so neither root nor quotient can fail.
template <class T>
void factors(const T* f, std::size_t side, double gain, double* sums, T* keep, T* turn) {
    const double root_gain = std::sqrt(gain);
    double sum = 1;
    for (std::size_t j = 0; j < side; ++j) {
        const double part = root_gain * static_cast<double>(f[j]);
        sums[j] = sum;
        sum += part * part;
    }
    for (std::size_t j = 0; j < side; ++j) {
        const double part = root_gain * static_cast<double>(f[j]);
        const double before = std::sqrt(sums[j]), after = std::sqrt(sums[j] + part * part);
        keep[j] = static_cast<T>(before / after);
        turn[j] = static_cast<T>(root_gain * (part / before) / after);
    }
}

template <class T>
inline void turn_row(T* __restrict w, T* __restrict z, T f, T keep, T turn, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) {
        const T old = w[i];
        w[i] = keep * old - turn * z[i];
        z[i] += f * old;
    }
}

template <class T>
void turn_rows(T* root, std::size_t side, const T* f, const T* keep, const T* turn, T floor, T* z) {
    for (std::size_t j = 0; j < side; ++j) {
        if (f[j] == 0) continue;
        turn_row(root + j * side, z, f[j], keep[j], turn[j], j + 1);
        T& own = root[j * side + j];
        if (!(own > floor)) own = floor;
    }
}

}  // namespace

namespace ONLINEAR_LEVEL {
template <class T>
TriangleLoops<T> triangle_loops() {
    return {add_product<T>, factors<T>, turn_rows<T>};
}
template TriangleLoops<float> triangle_loops();
template TriangleLoops<double> triangle_loops();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
