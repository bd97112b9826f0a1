#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// MurmurHash3, the 32-bit variant for x86, and the column and sign a feature name gets from it.
///
/// A. Appleby, MurmurHash3, 2011. Blocks are read as little-endian words whatever the machine, so a
/// name has the same column everywhere. scikit-learn's HashingVectorizer and FeatureHasher use the
/// same function with seed 0; `hashed_column` and `hash_sign` follow them digit for digit, so that a
/// model can be moved over and they serve as an oracle.
namespace onlinear::text {

namespace detail {

inline std::uint32_t load_le32(const char* p) noexcept {
    std::uint32_t word;
    std::memcpy(&word, p, sizeof word);
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap32(word);
    return word;
}

constexpr std::uint32_t murmur3_scramble(std::uint32_t k) noexcept {
    return std::rotl(k * 0xcc9e2d51u, 15) * 0x1b873593u;
}

constexpr std::uint32_t murmur3_mix(std::uint32_t h, std::uint32_t k) noexcept {
    return std::rotl(h ^ murmur3_scramble(k), 13) * 5u + 0xe6546b64u;
}

constexpr std::uint32_t murmur3_finish(std::uint32_t h, std::size_t size) noexcept {
    h ^= static_cast<std::uint32_t>(size);
    h = (h ^ (h >> 16)) * 0x85ebca6bu;
    h = (h ^ (h >> 13)) * 0xc2b2ae35u;
    return h ^ (h >> 16);
}

/// The end of a hash of 4 bytes or more, from that of its blocks and where it ends. The bytes past the last
/// block are the top of the last four; without any, the shift leaves nothing.
inline std::uint32_t murmur3_close(std::uint32_t h, const char* end, std::size_t size) noexcept {
    const std::uint64_t last = load_le32(end - 4);
    const auto tail = static_cast<std::uint32_t>(last >> (8 * (4 - (size & 3))));
    return murmur3_finish(h ^ murmur3_scramble(tail), size);
}

}  // namespace detail

/// The hash of `size` bytes. Reads nothing outside them.
inline std::uint32_t murmur3_32(const char* data, std::size_t size, std::uint32_t seed) noexcept {
    // Words come in all lengths, so a branch for each would be guessed wrong: one of 4 to 11 bytes is two
    // blocks, the second left out where it is not there.
    if (size - 4 < 8) [[likely]] {
        const std::uint32_t one = detail::murmur3_mix(seed, detail::load_le32(data));
        const std::uint32_t two = detail::murmur3_mix(one, detail::load_le32(data + (size & 8) / 2));
        return detail::murmur3_close(size & 8 ? two : one, data + size, size);
    }
    std::uint32_t h = seed;
    const char* const blocks_end = data + (size & ~std::size_t{3});
    for (; data != blocks_end; data += 4) h = detail::murmur3_mix(h, detail::load_le32(data));
    if (size >= 4) return detail::murmur3_close(h, data + (size & 3), size);
    std::uint32_t tail = 0;
    for (std::size_t i = size; i-- > 0;) tail = tail << 8 | static_cast<unsigned char>(data[i]);
    h ^= detail::murmur3_scramble(tail);
    return detail::murmur3_finish(h, size);
}

/// The column of a hash among 2^bits, for 1 <= bits <= 31.
///
/// scikit-learn reads the hash as a signed number h and takes |h| mod 2^bits, with |-2^31| mod 2^bits
/// special-cased to (2^31 - 1 - (2^bits - 1)) mod 2^bits, which is 0 as well.
inline std::uint32_t hashed_column(std::uint32_t hash, unsigned bits) noexcept {
    const std::uint32_t magnitude = (hash >> 31) ? 0u - hash : hash;
    return magnitude & ((1u << bits) - 1u);
}

/// The column of a numbered feature among 2^bits: the number itself when it fits, so that a file whose
/// indices all fit is read as without hashing, else the hash of its eight bytes, lowest first.
inline std::uint32_t hashed_index(std::uint64_t index, unsigned bits) noexcept {
    if (index >> bits == 0) return static_cast<std::uint32_t>(index);
    char bytes[8];
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(index >> (8 * i));
    return hashed_column(murmur3_32(bytes, sizeof bytes, 0), bits);
}

/// +1 or -1, from the hash's own sign bit: collisions then cancel on average.
inline float hash_sign(std::uint32_t hash) noexcept { return (hash >> 31) ? -1.0f : 1.0f; }

}  // namespace onlinear::text
