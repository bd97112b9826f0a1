#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "onlinear/memory/pages.hpp"

/// An aligned array for weights.
namespace onlinear {

/// A zeroed array aligned to the cache line; a large one is mapped (see memory/pages.hpp).
template <class T>
class BigArray {
public:
    BigArray() = default;
    explicit BigArray(std::size_t size) : size_(size), data_(allocate(size)) {}
    BigArray(BigArray&& other) noexcept { swap(other); }
    BigArray& operator=(BigArray&& other) noexcept {
        swap(other);
        return *this;
    }
    BigArray(const BigArray& other) : BigArray(other.size_) {
        if (size_) std::memcpy(data_, other.data_, size_ * sizeof(T));
    }
    BigArray& operator=(const BigArray& other) {
        BigArray copy(other);
        swap(copy);
        return *this;
    }
    ~BigArray() { release(); }

    T* data() noexcept { return data_; }
    const T* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T& operator[](std::size_t i) noexcept { return data_[i]; }
    const T& operator[](std::size_t i) const noexcept { return data_[i]; }
    T* begin() noexcept { return data_; }
    T* end() noexcept { return data_ + size_; }
    const T* begin() const noexcept { return data_; }
    const T* end() const noexcept { return data_ + size_; }

    void swap(BigArray& other) noexcept {
        std::swap(size_, other.size_);
        std::swap(data_, other.data_);
    }

    /// Gives the memory of the first `count` elements back; they are not to be read again.
    void forget_first(std::size_t count) noexcept {
        if (memory::is_mapped(bytes(size_))) memory::forget(data_, count * sizeof(T));
    }

private:
    static std::size_t bytes(std::size_t size) noexcept {
        return std::max<std::size_t>(size * sizeof(T), 64);
    }

    static T* allocate(std::size_t size) {
        if (size > SIZE_MAX / sizeof(T) / 4) throw std::bad_alloc();
        const std::size_t need = bytes(size);
        if (memory::is_mapped(need)) return static_cast<T*>(memory::map(need));
        void* memory = ::operator new(need, std::align_val_t{64});
        std::memset(memory, 0, need);
        return static_cast<T*>(memory);
    }

    void release() noexcept {
        if (!data_) return;
        if (memory::is_mapped(bytes(size_)))
            memory::unmap(data_, bytes(size_));
        else
            ::operator delete(data_, std::align_val_t{64});
        data_ = nullptr;
    }

    std::size_t size_ = 0;
    T* data_ = nullptr;
};

}  // namespace onlinear
