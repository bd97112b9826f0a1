#pragma once
#include <cstddef>

/// Memory for large arrays: mapped from the system, on huge pages where there are any.
///
/// Random access to a model larger than the TLB's reach costs a page walk per feature on pages of 4 KB.
namespace onlinear::memory {

/// Whether an array of so many bytes is mapped; smaller ones, and all of them where the system has no huge
/// pages to ask for, come from operator new.
constexpr bool is_mapped([[maybe_unused]] std::size_t bytes) noexcept {
#if defined(__linux__)
    return bytes >= (std::size_t{2} << 20);
#else
    return false;
#endif
}

/// Zeroed memory aligned to a huge page; throws std::bad_alloc.
void* map(std::size_t bytes);
void unmap(void* memory, std::size_t bytes) noexcept;
/// Brings the pages of memory that will all be written now together, not one fault at a time.
void populate(void* memory, std::size_t bytes) noexcept;
/// Gives the first bytes back to the system, whole huge pages of them; they are not to be read again.
void forget(void* memory, std::size_t bytes) noexcept;
/// Moves memory in use to huge pages now, where the system can do that; else it does so later, on its own.
void move_to_huge_pages(void* memory, std::size_t bytes) noexcept;

/// Whether memory is put on huge pages when it is mapped (the start), or only by `move_to_huge_pages`. A huge
/// page must be found, and cleared as a whole, which on a virtual machine whose host takes free ones back can
/// cost a short process more than all it learns: a program that may be short puts them off.
void put_off_huge_pages(bool yes) noexcept;
bool huge_pages_put_off() noexcept;

}  // namespace onlinear::memory
