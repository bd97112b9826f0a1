/// Rows on their way into the learner: copied, checked, sorted.
#include "indices.hpp"
#include "tables.hpp"

namespace onlinear {
namespace {

typedef std::int16_t Keys __attribute__((vector_size(32), aligned(2), may_alias));
constexpr std::uint32_t kKeys = 16, kFewKeys = 10 * kKeys;

#define ONLINEAR_ALL_KEYS _Pragma("GCC unroll 10")

/// Counts how many of `size` keys are smaller than each of the first kVectors vectors of them. All counts
/// stay in registers, so a key is spread over a vector once for all.
template <std::uint32_t kVectors>
void count_below(const std::int16_t* keys, std::int16_t* below, std::uint32_t size) {
    Keys own[kVectors], count[kVectors];
    ONLINEAR_ALL_KEYS
    for (std::uint32_t v = 0; v < kVectors; ++v) {
        own[v] = *reinterpret_cast<const Keys*>(keys + v * kKeys);
        count[v] = Keys{};
    }
    for (std::uint32_t j = 0; j < size; ++j) {
        const Keys other = Keys{} + keys[j];
        ONLINEAR_ALL_KEYS
        for (std::uint32_t v = 0; v < kVectors; ++v) count[v] -= own[v] > other;
    }
    ONLINEAR_ALL_KEYS
    for (std::uint32_t v = 0; v < kVectors; ++v) *reinterpret_cast<Keys*>(below + v * kKeys) = count[v];
}

/// Counts how many keys are smaller than each: its place once they are sorted. Comparing all with all has no
/// branch to mispredict, and for the few words of a text it is quicker than any sort.
template <class T>
bool sort_few(std::uint32_t* at, T* value, std::uint32_t size) {
    if (size == 0 || size > kFewKeys) return size == 0;
    std::uint32_t all = 1;
    for (std::uint32_t j = 0; j < size; ++j) all |= at[j];
    const int leading = 32 - __builtin_clz(all), shift = leading > 16 ? leading - 16 : 0;
    constexpr std::uint32_t kMiddle = 1u << 15;  // makes signed numbers of unsigned ones, in the same order
    std::uint32_t old_at[kFewKeys];
    T old_value[kFewKeys];
    std::int16_t keys[kFewKeys], places[kFewKeys];
    const std::uint32_t vectors = (size + kKeys - 1) / kKeys;
    *reinterpret_cast<Keys*>(keys + (vectors - 1) * kKeys) = Keys{};  // behind the last
    for (std::uint32_t j = 0; j < size; ++j) keys[j] = static_cast<std::int16_t>((at[j] >> shift) ^ kMiddle);
    for (std::uint32_t j = 0; j < size; ++j) old_at[j] = at[j];
    for (std::uint32_t j = 0; j < size; ++j) old_value[j] = value[j];
    using Count = void (*)(const std::int16_t*, std::int16_t*, std::uint32_t);
    static constexpr Count kCounts[] = {count_below<1>, count_below<2>, count_below<3>, count_below<4>,
                                        count_below<5>, count_below<6>, count_below<7>, count_below<8>,
                                        count_below<9>, count_below<10>};
    kCounts[vectors - 1](keys, places, size);
    std::uint32_t total = 0;
    for (std::uint32_t j = 0; j < size; ++j) total += static_cast<std::uint32_t>(places[j]);
    if (total != size * (size - 1) / 2) return false;  // two keys are equal
    for (std::uint32_t j = 0; j < size; ++j) {
        at[places[j]] = old_at[j];
        value[places[j]] = old_value[j];
    }
    return true;
}

#undef ONLINEAR_ALL_KEYS

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

template <class T>
bool exceeds(const T* x, const T* s, std::size_t n) {
    constexpr std::size_t size = VectorOf<T>::size;
    typename VectorOf<T>::integers more{};
    std::size_t j = 0;
    for (; j + size <= n; j += size) {
        const Vector<T> v = load_any(x + j), limit = load_any(s + j);
        more |= (v > limit) | (-v > limit);
    }
    bool any = false;
    for (; j < n; ++j) any |= x[j] > s[j] || -x[j] > s[j];
    for (std::size_t i = 0; i < size; ++i) any |= more[i] != 0;
    return any;
}

template <class T>
double divide(const T* x, const T* s, T* out, std::size_t n) {
    constexpr std::size_t size = VectorOf<T>::size;
    typedef Vector<T> Anywhere __attribute__((aligned(sizeof(T)), may_alias));
    const Vector<T> one = broadcast(T{1});
    double norm2 = 0;
    for (std::size_t start = 0; start < n; start += kFold) {
        const std::size_t stop = start + kFold < n ? start + kFold : n;
        Vector<T> sum{};
        std::size_t j = start;
        for (; j + size <= stop; j += size) {
            const Vector<T> divisor = load_any(s + j);
            const Vector<T> v = load_any(x + j) / (divisor > 0 ? divisor : one);
            *reinterpret_cast<Anywhere*>(out + j) = v;
            sum += v * v;
        }
        double rest = 0;
        for (; j < stop; ++j) {
            const T v = x[j] / (s[j] > 0 ? s[j] : T{1});
            out[j] = v;
            rest += static_cast<double>(v * v);
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

}  // namespace

namespace ONLINEAR_LEVEL {
template <class T>
StagingLoops<T> staging_loops() {
    return {sort_few<T>,  norm2<T>,      copy<T, float>, copy<T, double>, slots_32,  slots<std::int64_t>,
            stage_i32<T>, all_within<T>, exceeds<T>,     divide<T>,       inside_i32};
}
template StagingLoops<float> staging_loops();
template StagingLoops<double> staging_loops();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
