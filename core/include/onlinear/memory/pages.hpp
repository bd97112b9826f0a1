#pragma once
#include <cstddef>

/// Memory for large arrays: mapped from the system, on huge pages where there are any.
///
/// Random access to a model larger than the TLB's reach costs a page walk per feature on pages of 4 KB: huge
/// pages are worth a tenth of an AROW pass over sparse text, and of training 20 classes from a file
/// (`python -m benchmarks --only 'sparse-text|command-multiclass'`).
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
/// Gives the first bytes back to the system, whole huge pages of them; they are not to be read again.
void forget(void* memory, std::size_t bytes) noexcept;

}  // namespace onlinear::memory
