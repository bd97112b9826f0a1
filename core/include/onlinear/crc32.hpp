#pragma once
#include <cstddef>
#include <cstdint>

namespace onlinear {

/// CRC-32 as zlib, gzip and PNG have it, going on from that of the bytes before; 0 to begin with.
std::uint32_t crc32(std::uint32_t before, const void* bytes, std::size_t size) noexcept;

}  // namespace onlinear
