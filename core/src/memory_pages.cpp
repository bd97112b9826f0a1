#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "onlinear/memory/pages.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace onlinear::memory {

namespace {
std::atomic<bool> put_off{false};
}

void put_off_huge_pages(bool yes) noexcept { put_off.store(yes, std::memory_order_relaxed); }
bool huge_pages_put_off() noexcept { return put_off.load(std::memory_order_relaxed); }

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

void ask_for_huge_pages(void* memory, std::size_t bytes) noexcept { madvise(memory, bytes, MADV_HUGEPAGE); }

/// The mapping that was given back last, for the next who wants one of its size: models are made one after
/// the other (another pass, another parameter), and memory from the system costs twice what clearing it does.
/// What lies here the system may take when it runs short. Nobody waits for the lock: in a process
/// that was forked while another thread held it, it is never released.
class SpareMapping {
public:
    /// Memory of so many bytes with anything in it, or nothing.
    static void* take(std::size_t bytes) noexcept {
        const std::unique_lock lock(turn_, std::try_to_lock);
        if (!lock) return nullptr;
        return bytes == bytes_ ? (bytes_ = 0, std::exchange(memory_, nullptr)) : nullptr;
    }
    /// Gives memory back; what lay here before goes to the system.
    static void keep(void* memory, std::size_t bytes) noexcept {
        if (bytes <= kMost) {
            madvise(memory, bytes, MADV_FREE);
            if (const std::unique_lock lock(turn_, std::try_to_lock); lock) {
                std::swap(memory, memory_);
                std::swap(bytes, bytes_);
            }
        }
        if (memory != nullptr) munmap(memory, bytes);
    }

private:
    static constexpr std::size_t kMost = std::size_t{64} << 20;
    static inline std::mutex turn_;
    static inline void* memory_ = nullptr;
    static inline std::size_t bytes_ = 0;
};

}  // namespace

void* map(std::size_t bytes) {
    const std::size_t size = rounded(bytes);
    if (void* const spare = SpareMapping::take(size)) {
        std::memset(spare, 0, bytes);
        return spare;
    }
    // Mapped with a huge page to spare, so that the start can be aligned to one; fresh pages are zero.
    void* mapped =
        mmap(nullptr, size + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) throw std::bad_alloc();
    const auto start = reinterpret_cast<std::uintptr_t>(mapped);
    const std::uintptr_t aligned = (start + kHugePage - 1) / kHugePage * kHugePage;
    if (aligned > start) munmap(mapped, aligned - start);
    const std::uintptr_t end = aligned + size, mapped_end = start + size + kHugePage;
    if (mapped_end > end) munmap(reinterpret_cast<void*>(end), mapped_end - end);
    if (!huge_pages_put_off()) ask_for_huge_pages(reinterpret_cast<void*>(aligned), size);
    return reinterpret_cast<void*>(aligned);
}

void unmap(void* memory, std::size_t bytes) noexcept { SpareMapping::keep(memory, rounded(bytes)); }

void forget(void* memory, std::size_t bytes) noexcept {
    madvise(memory, bytes / kHugePage * kHugePage, MADV_DONTNEED);
}

void move_to_huge_pages(void* memory, std::size_t bytes) noexcept {
    constexpr int kCollapse = 25;  // MADV_COLLAPSE, since Linux 6.1
    ask_for_huge_pages(memory, rounded(bytes));
    madvise(memory, rounded(bytes), kCollapse);
}

/// On huge pages for as long as those come quickly: after the first that did not, this process asks for no
/// more this way.
void populate(void* memory, std::size_t bytes) noexcept {
    if (!huge_pages_put_off()) return;
    using Clock = std::chrono::steady_clock;
    static std::atomic<bool> slow{false};
    constexpr int kPopulate = 23;  // MADV_POPULATE_WRITE, since Linux 5.14
    // Clearing a page takes 0.2 ms, as many small ones 0.7; a page that the host has to find took 8.5.
    constexpr auto kQuick = std::chrono::milliseconds(1);
    const std::size_t size = rounded(bytes);
    char* const start = static_cast<char*>(memory);
    std::size_t done = 0;
    for (; !slow.load(std::memory_order_relaxed) && size - done >= kHugePage; done += kHugePage) {
        const auto before = Clock::now();
        ask_for_huge_pages(start + done, kHugePage);
        madvise(start + done, kHugePage, kPopulate);
        if (Clock::now() - before >= kQuick) slow.store(true, std::memory_order_relaxed);
    }
    if (done < size) madvise(start + done, size - done, kPopulate);
}

#else

void* map(std::size_t) { throw std::bad_alloc(); }
void unmap(void*, std::size_t) noexcept {}
void populate(void*, std::size_t) noexcept {}
void forget(void*, std::size_t) noexcept {}
void move_to_huge_pages(void*, std::size_t) noexcept {}

#endif

}  // namespace onlinear::memory
