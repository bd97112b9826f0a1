/// Sums and steps over numbers that lie side by side.
#include "pairs.hpp"
#include "tables.hpp"

namespace onlinear {
namespace {

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

}  // namespace

namespace ONLINEAR_LEVEL {
template <class T>
DenseLoops<T> dense_loops() {
    return {dot<T>,
            add<T>,
            pair_look<T>,
            pair_step<T, Drop>,
            pair_step<T, Kl>,
            apart_look<T>,
            apart_step<T, DropApart>,
            apart_step<T, KlApart>,
            axpy<T>,
            scale<T>,
            count_below,
            dot_any<T>};
}
template DenseLoops<float> dense_loops();
template DenseLoops<double> dense_loops();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
