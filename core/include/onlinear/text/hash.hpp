#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "onlinear/text/bytes.hpp"
#include "onlinear/text/murmur3.hpp"

/// From the name of a feature to its column, one way for every door a row may come through.
namespace onlinear::text {

/// How names become columns; a model has one for words and names alike.
enum class Hash : std::uint8_t {
    murmur,         ///< scikit-learn's FeatureHasher with alternate_sign=False
    murmur_signed,  ///< scikit-learn's HashingVectorizer: half of all names count with a minus
    vw,             ///< Vowpal Wabbit's: "namespace^name", and names of digits are numbers
};

/// Where a name belongs among 2^bits columns, and with which sign.
struct Place {
    std::uint32_t hash;
    std::int32_t column;
    float sign;
};

/// Vowpal Wabbit's hash of a name: its number and the seed when it has digits alone, also when it is empty.
inline std::uint32_t vw_hash(const char* first, const char* last, std::uint32_t seed) noexcept {
    std::uint64_t number = 0;
    const char* p = first;
    while (p != last && is_digit(*p)) number = number * 10 + static_cast<std::uint64_t>(*p++ - '0');
    if (p == last) return static_cast<std::uint32_t>(number) + seed;
    return murmur3_32(first, static_cast<std::size_t>(last - first), seed);
}

/// The same of "namespace^name"; a name without a namespace is in the one without a name.
inline std::uint32_t vw_hash(std::string_view name) noexcept {
    const char* const first = name.data();
    const char* const last = first + name.size();
    const std::size_t hat = name.find('^');
    if (hat == std::string_view::npos) return vw_hash(first, last, 0);
    return vw_hash(first + hat + 1, last, vw_hash(first, first + hat, 0));
}

inline Place place_of(Hash hash, unsigned bits, std::string_view name) noexcept {
    if (hash == Hash::vw) {
        const std::uint32_t value = vw_hash(name);
        return {value, static_cast<std::int32_t>(value & ((1u << bits) - 1u)), 1.0f};
    }
    const std::uint32_t value = murmur3_32(name.data(), name.size(), 0);
    const float sign = hash == Hash::murmur_signed ? hash_sign(value) : 1.0f;
    return {value, static_cast<std::int32_t>(hashed_column(value, bits)), sign};
}

}  // namespace onlinear::text
