#include <cstdint>
#include <new>

#include "onlinear/memory/pages.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace onlinear::memory {

#if defined(__linux__)

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;

/// Bytes to map: whole huge pages, but where little of the last one would be used, small pages there. A huge
/// page is cleared as a whole.
std::size_t rounded(std::size_t bytes) noexcept {
    constexpr std::size_t kPage = std::size_t{64} << 10;  // a whole number of pages on every machine
    const std::size_t unit = bytes % kHugePage > kHugePage / 2 ? kHugePage : kPage;
    return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void* map(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    // Mapped with a huge page to spare, so that the start can be aligned to one; fresh pages are zero.
    void* mapped =
        mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    const auto start = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t aligned = (start + kHugePage - 1) / kHugePage * kHugePage;
    if (aligned > start) munmap(mapped, aligned - start);
    const std::uintptr_t end = aligned + size, mapped_end = start + size + kHugePage;
    if (mapped_end > end) munmap(reinterpret_cast<void*>(end), mapped_end - end);
    madvise(reinterpret_cast<void*>(aligned), size, MADV_HUGEPAGE);
    return reinterpret_cast<void*>(aligned);
}

void unmap(void* memory, std::size_t bytes) noexcept { munmap(memory, rounded(bytes)); }

void forget(void* memory, std::size_t bytes) noexcept {
    madvise(memory, bytes / kHugePage * kHugePage, MADV_DONTNEED);
}

#else

void* map(std::size_t) { throw std::bad_alloc(); }
void unmap(void*, std::size_t) noexcept {}
void forget(void*, std::size_t) noexcept {}

#endif

}  // namespace onlinear::memory
