/// The scores of the labels of a token, and the best way through them.
#include "tables.hpp"
#include "vectors.hpp"

namespace onlinear {
namespace {

template <class T>
inline Vector<T> larger(Vector<T> a, Vector<T> b) {
    return a > b ? a : b;
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

}  // namespace

namespace ONLINEAR_LEVEL {
template <class T>
ViterbiLoops<T> viterbi_loops() {
    return {token<T>, viterbi<T>};
}
template ViterbiLoops<float> viterbi_loops();
template ViterbiLoops<double> viterbi_loops();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
