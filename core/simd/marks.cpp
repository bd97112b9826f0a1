/// Weights that differ from their start: a bit for each, and the weights whose bits are set.
#if defined(__AVX512F__)
#include <immintrin.h>
#endif

#include "tables.hpp"
#include "vectors.hpp"

namespace onlinear {
namespace {

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

}  // namespace

namespace ONLINEAR_LEVEL {
template <class T>
MarkLoops<T> mark_loops() {
    return {mark<T>, pick<T>};
}
template MarkLoops<float> mark_loops();
template MarkLoops<double> mark_loops();
}  // namespace ONLINEAR_LEVEL

}  // namespace onlinear
