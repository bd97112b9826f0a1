#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#if defined(__linux__)
#include <sys/mman.h>
#endif

/// Where weights live: an aligned array on huge pages, and the layout of planes in it.
namespace onlinear {

/// A zeroed, growable array aligned to the cache line; large ones ask for huge pages.
///
/// Random access to a model larger than the TLB's reach costs a page walk per feature on 4 KB pages.
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

private:
    static constexpr std::size_t kHuge = std::size_t{2} << 20;

    static std::size_t bytes(std::size_t size) noexcept { return std::max<std::size_t>(size * sizeof(T), 64); }

    static T* allocate(std::size_t size) {
        if (size > SIZE_MAX / sizeof(T) / 2) throw std::bad_alloc();
        const std::size_t need = bytes(size);
        const bool huge = need >= kHuge;
        const std::size_t alignment = huge ? kHuge : 64;
        const std::size_t rounded = (need + alignment - 1) / alignment * alignment;
        void* memory = ::operator new(rounded, std::align_val_t{alignment});
#if defined(__linux__)
        if (huge) madvise(memory, rounded, MADV_HUGEPAGE);
#endif
        std::memset(memory, 0, rounded);
        return static_cast<T*>(memory);
    }

    void release() noexcept {
        if (data_) ::operator delete(data_, std::align_val_t{bytes(size_) >= kHuge ? kHuge : 64});
        data_ = nullptr;
        size_ = 0;
    }

    std::size_t size_ = 0;
    T* data_ = nullptr;
};

/// Several numbers per weight (mean, variance, ...), the planes, in one array.
///
/// One block of weights (binary, regression): features in groups of one half cache line, each group
/// [plane][feature], so that with two planes a feature's numbers share one cache line and a dense
/// row still reads whole vectors. Several blocks (classes): [feature][plane][block], the blocks
/// padded to whole vectors, so that one feature's weights for all classes are contiguous.
///
/// Slot 0 is the intercept; column c of the input is slot c + 1.
template <class T>
class Planes {
public:
    static constexpr std::size_t kGroup = 32 / sizeof(T);

    Planes() = default;
    Planes(std::size_t planes, std::size_t slots, std::size_t blocks) : planes_(planes) { shape(slots, blocks); }

    std::size_t planes() const noexcept { return planes_; }
    std::size_t slots() const noexcept { return slots_; }
    std::size_t blocks() const noexcept { return blocks_; }
    bool single() const noexcept { return blocks_ == 1; }
    /// Distance between the planes of one weight.
    std::size_t stride() const noexcept { return stride_; }
    /// Elements from one slot to the next when there are several blocks; 1 when offsets are staged whole.
    std::size_t width() const noexcept { return single() ? 1 : planes_ * stride_; }
    std::size_t capacity() const noexcept { return capacity_; }

    /// What a staged row holds for a slot: the offset itself, or the slot when there are several blocks.
    std::uint32_t address(std::uint32_t slot) const noexcept {
        if (!single() || planes_ == 1) return slot;
        constexpr std::uint32_t g = kGroup;
        return static_cast<std::uint32_t>(slot / g * (planes_ * g) + slot % g);
    }
    std::size_t offset(std::uint32_t slot, std::size_t plane, std::size_t block) const noexcept {
        return address(slot) * width() + plane * stride_ + block;
    }

    T* data() noexcept { return array_.data(); }
    const T* data() const noexcept { return array_.data(); }
    std::size_t size() const noexcept { return array_.size(); }
    T& at(std::uint32_t slot, std::size_t plane, std::size_t block) noexcept { return array_[offset(slot, plane, block)]; }
    T at(std::uint32_t slot, std::size_t plane, std::size_t block) const noexcept {
        return array_[offset(slot, plane, block)];
    }

    void fill(std::size_t plane, T value) {
        fill_from(plane, value, 0, 0);
    }

    /// Makes room for more slots or blocks; new weights are zero in every plane but `plane`, which starts at `value`.
    void grow(std::size_t slots, std::size_t blocks, std::size_t plane, T value) {
        slots = std::max(slots, slots_);
        blocks = std::max(blocks, blocks_);
        if (slots == slots_ && blocks == blocks_) return;
        const std::size_t old_slots = slots_, old_blocks = blocks_;
        const bool fits = slots <= capacity_ && (blocks == blocks_ || (blocks_ > 1 && blocks <= stride_));
        if (fits) {
            slots_ = slots;
            blocks_ = blocks;
        } else {
            Planes larger;
            larger.planes_ = planes_;
            // Doubling keeps the cost of growing one feature at a time constant per feature.
            const std::size_t room = slots > capacity_ && capacity_ > 0 ? std::max(slots, 2 * capacity_) : slots;
            larger.shape(std::max(room, capacity_), blocks);
            larger.slots_ = slots;
            for (std::uint32_t s = 0; s < old_slots; ++s)
                for (std::size_t p = 0; p < planes_; ++p)
                    for (std::size_t b = 0; b < old_blocks; ++b) larger.at(s, p, b) = at(s, p, b);
            *this = std::move(larger);
        }
        if (plane < planes_) fill_from(plane, value, old_slots, old_blocks);
    }

    /// Takes back a growth; the slots given up must be as `grow` left them.
    void shrink(std::size_t slots) noexcept { slots_ = std::min(slots, slots_); }

    /// A plane as a plain array, block-major: out[block * slots + slot].
    template <class Out>
    void read(std::size_t plane, Out* out) const {
        for (std::size_t b = 0; b < blocks_; ++b)
            for (std::uint32_t s = 0; s < slots_; ++s) *out++ = static_cast<Out>(at(s, plane, b));
    }
    template <class In>
    void write(std::size_t plane, const In* in) {
        for (std::size_t b = 0; b < blocks_; ++b)
            for (std::uint32_t s = 0; s < slots_; ++s) at(s, plane, b) = static_cast<T>(*in++);
    }

    /// Calls f(value&) for every weight of a plane.
    template <class F>
    void each(std::size_t plane, F&& f) {
        for (std::uint32_t s = 0; s < slots_; ++s)
            for (std::size_t b = 0; b < blocks_; ++b) f(at(s, plane, b));
    }
    template <class F>
    void each(std::size_t plane, F&& f) const {
        for (std::uint32_t s = 0; s < slots_; ++s)
            for (std::size_t b = 0; b < blocks_; ++b) f(at(s, plane, b));
    }

private:
    void shape(std::size_t slots, std::size_t blocks) {
        slots_ = slots;
        blocks_ = blocks;
        capacity_ = (std::max<std::size_t>(slots, 1) + 15) / 16 * 16;  // whole vectors for dense rows
        stride_ = blocks == 1 ? kGroup : (blocks + kGroup - 1) / kGroup * kGroup;
        array_ = BigArray<T>(blocks == 1 ? capacity_ * planes_ : capacity_ * planes_ * stride_);
    }

    void fill_from(std::size_t plane, T value, std::size_t old_slots, std::size_t old_blocks) {
        for (std::uint32_t s = 0; s < slots_; ++s)
            for (std::size_t b = s < old_slots ? old_blocks : 0; b < blocks_; ++b) at(s, plane, b) = value;
    }

    std::size_t planes_ = 1, slots_ = 0, blocks_ = 1, capacity_ = 0, stride_ = kGroup;
    BigArray<T> array_;
};

}  // namespace onlinear
