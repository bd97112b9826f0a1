#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "onlinear/text/batch.hpp"

namespace onlinear::text {

namespace {

// An entry as one word, its index above its value's bits: one move carries both.
std::uint64_t pack(std::int32_t index, float value) noexcept {
    return std::uint64_t{static_cast<std::uint32_t>(index)} << 32 | std::bit_cast<std::uint32_t>(value);
}

float packed_value(std::uint64_t entry) noexcept {
    return std::bit_cast<float>(static_cast<std::uint32_t>(entry));
}

/// Both sorts are stable, so that equal indices are added in the order of the file.
void insertion_sort(std::uint64_t* entries, std::size_t count) noexcept {
    for (std::size_t i = 1; i < count; ++i) {
        const std::uint64_t entry = entries[i];
        std::size_t j = i;
        for (; j > 0 && entries[j - 1] >> 32 > entry >> 32; --j) entries[j] = entries[j - 1];
        entries[j] = entry;
    }
}

/// Sorts by the index's bytes, lowest first. `other` has room for as many; answers where they end up.
std::uint64_t* radix_sort(std::uint64_t* entries, std::uint64_t* other, std::size_t count) noexcept {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < count; ++i) all |= entries[i] >> 32;
    for (unsigned shift = 32; all != 0; shift += 8, all >>= 8) {
        std::array<std::uint32_t, 256> place{};
        for (std::size_t i = 0; i < count; ++i) ++place[entries[i] >> shift & 255];
        std::uint32_t before = 0;
        for (std::uint32_t& slot : place) before += std::exchange(slot, before);
        for (std::size_t i = 0; i < count; ++i) other[place[entries[i] >> shift & 255]++] = entries[i];
        std::swap(entries, other);
    }
    return entries;
}

constexpr std::size_t kInsertionSort = 24;  // measured: below this the radix sort's tables cost more

}  // namespace

bool ParsedRows::add_repeated(std::size_t begin) {
    const std::size_t count = indices.size() - begin;
    scratch_.resize(2 * count);
    std::uint64_t* entries = scratch_.data();
    for (std::size_t i = 0; i < count; ++i) entries[i] = pack(indices[begin + i], values[begin + i]);
    if (count <= kInsertionSort) {
        insertion_sort(entries, count);
    } else {
        entries = radix_sort(entries, entries + count, count);
    }

    std::size_t out = begin;
    bool finite = true;
    for (std::size_t i = 0; i < count;) {
        const std::uint64_t index = entries[i] >> 32;
        float sum = packed_value(entries[i]);
        for (++i; i < count && entries[i] >> 32 == index; ++i) sum += packed_value(entries[i]);
        indices[out] = static_cast<std::int32_t>(index);
        values[out] = sum;
        finite = finite && std::isfinite(sum);
        ++out;
    }
    indices.resize(out);
    values.resize(out);
    return finite;
}

}  // namespace onlinear::text
