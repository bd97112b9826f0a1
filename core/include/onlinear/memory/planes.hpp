#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "onlinear/memory/array.hpp"

/// The layout of weights in an array.
namespace onlinear {

/// Several numbers per weight (mean, variance, ...), the planes, in one array.
///
/// [feature][plane][block]: a feature's numbers are neighbours, so that a sparse row pays for one cache line
/// a feature, reads a mean with its variance in one load and writes them back in one store. Blocks (classes)
/// are padded to quarter cache lines only: whole vectors would make models and their traffic a fifth larger.
/// Where one plane is read for every example and the others only when something is learned (sequences),
/// planes lie apart, [plane][feature][block], the blocks padded to whole vectors.
///
/// Slot 0 is the intercept; column c of the input is slot c + 1.
template <class T>
class Planes {
public:
    /// Numbers in half a cache line, the vector of the loops in core/simd.
    static constexpr std::size_t kVector = 32 / sizeof(T);

    Planes() = default;
    Planes(std::size_t planes, std::size_t slots, std::size_t blocks, bool apart = false)
        : planes_(planes), apart_(apart) {
        shape(slots, blocks);
    }

    /// Empty planes of another shape, with room for what this one expects.
    Planes reshaped(std::size_t slots, std::size_t blocks, std::size_t least_capacity = 0) const {
        Planes out;
        out.planes_ = planes_;
        out.apart_ = apart_;
        out.expected_ = expected_;
        out.shape(slots, blocks, least_capacity);
        return out;
    }

    /// Says that so many blocks are to come: room for them is made at the next growth, and made once.
    void expect(std::size_t blocks) noexcept { expected_ = std::max(expected_, blocks); }

    /// The geometry alone, for a belief that keeps its weights elsewhere.
    static Planes shape_of(std::size_t slots, std::size_t blocks) {
        Planes out;
        out.measure(slots, blocks);
        return out;
    }

    std::size_t planes() const noexcept { return planes_; }
    std::size_t slots() const noexcept { return slots_; }
    std::size_t blocks() const noexcept { return blocks_; }
    bool single() const noexcept { return blocks_ == 1 && !apart_; }
    /// Distance between the planes of one weight.
    std::size_t stride() const noexcept { return stride_; }
    /// Elements from one slot to the next when there are several blocks; 1 when offsets are staged whole.
    std::size_t width() const noexcept { return single() ? 1 : apart_ ? pitch_ : planes_ * pitch_; }
    /// Blocks, rounded up to whole vectors: what the loops that read all blocks of a slot write.
    std::size_t lanes() const noexcept { return (blocks_ + kVector - 1) / kVector * kVector; }
    std::size_t capacity() const noexcept { return capacity_; }

    /// What a staged row holds for a slot: the offset itself, or the slot when there are several blocks.
    std::uint32_t address(std::uint32_t slot) const noexcept { return slot * address_factor(); }
    std::uint32_t address_factor() const noexcept {
        return single() ? static_cast<std::uint32_t>(planes_) : 1;
    }
    /// Elements from one slot's weight to the next one's.
    std::size_t slot_step() const noexcept { return address_factor() * width(); }
    /// The slot an address stands for.
    std::uint32_t slot_of(std::uint32_t at) const noexcept { return at / address_factor(); }
    std::size_t offset(std::uint32_t slot, std::size_t plane, std::size_t block) const noexcept {
        return address(slot) * width() + plane * stride_ + block;
    }

    T* data() noexcept { return array_.data(); }
    const T* data() const noexcept { return array_.data(); }
    std::size_t size() const noexcept { return array_.size(); }
    T& at(std::uint32_t slot, std::size_t plane, std::size_t block) noexcept {
        return array_[offset(slot, plane, block)];
    }
    T at(std::uint32_t slot, std::size_t plane, std::size_t block) const noexcept {
        return array_[offset(slot, plane, block)];
    }

    /// Gives every weight of a plane a value; the room behind the last slot is left untouched.
    void fill(std::size_t plane, T value) {
        if (apart_) {
            std::fill_n(array_.data() + plane * stride_, slots_ * pitch_, value);
            return;
        }
        T* w = array_.data() + plane * stride_;
        const std::size_t period = planes_ * stride_;
        if (stride_ == 1) {
            for (std::size_t s = 0; s < slots_; ++s) w[s * period] = value;
            return;
        }
        for (std::size_t s = 0; s < slots_; ++s) std::fill_n(w + s * period, stride_, value);
    }

    /// Gives the first two blocks of a weight their values, and those that may come a start.
    void put_two(std::uint32_t slot, std::size_t plane, T first, T second, T start) noexcept {
        T* const w = &at(slot, plane, 0);
        w[0] = first;
        w[1] = second;
        std::fill_n(w + 2, pitch_ - 2, start);
    }
    /// Says that `put_two` has given this start to all weights of the plane that has one.
    void set_start(T start) noexcept { padding_ = start; }

    /// Makes room for more slots or blocks; new weights are zero in every plane but `plane`, which starts at
    /// `value`.
    void grow(std::size_t slots, std::size_t blocks, std::size_t plane, T value) {
        slots = std::max(slots, slots_);
        blocks = std::max(blocks, blocks_);
        if (slots == slots_ && blocks == blocks_) return;
        const std::size_t old_slots = slots_, old_blocks = blocks_;
        const bool fits = slots <= capacity_ && (blocks == blocks_ || (blocks_ > 1 && blocks <= pitch_));
        if (fits) {
            slots_ = slots;
            blocks_ = blocks;
        } else {
            // Doubling keeps the cost of growing one feature at a time constant per feature. Classes that
            // come one at a time take an eighth more: they are few, and all of their room is written to.
            const std::size_t room =
                slots > capacity_ && capacity_ > 0 ? std::max(slots, 2 * capacity_) : slots;
            if (blocks_ > 1 && blocks > pitch_) expect(blocks + blocks / 8);
            Planes larger = reshaped(room, blocks, capacity_);
            larger.slots_ = slots;
            // What is copied is given back on the way, so that a large model is not in memory twice.
            constexpr std::uint32_t kStretch = 1 << 14;
            for (std::uint32_t s = 0; s < old_slots; ++s) {
                if (s % kStretch == 0) array_.forget_first(offset(s, 0, 0));
                for (std::size_t p = 0; p < planes_; ++p)
                    std::copy_n(&at(s, p, 0), old_blocks, &larger.at(s, p, 0));
            }
            *this = std::move(larger);
        }
        if (plane < planes_) fill_from(plane, value, old_slots, old_blocks);
    }

    /// Takes back a growth; the slots and blocks given up must be as `grow` left them, and more than one
    /// block stay.
    void shrink(std::size_t slots, std::size_t blocks = std::numeric_limits<std::size_t>::max()) noexcept {
        slots_ = std::min(slots, slots_);
        blocks_ = std::min(blocks, blocks_);
    }

    /// A plane as a plain array, block-major: out[block * slots + slot].
    template <class Out>
    void read(std::size_t plane, Out* out) const {
        read(plane, out, 0, blocks_, 0, slots_);
    }
    /// The same of the blocks and slots in some ranges.
    template <class Out>
    void read(std::size_t plane, Out* out, std::size_t first_block, std::size_t last_block,
              std::size_t first_slot, std::size_t last_slot) const {
        by_tiles(first_block, last_block, first_slot, last_slot,
                 [&](std::size_t s, std::size_t n, std::size_t b) {
                     const T* from = array_.data() + offset(static_cast<std::uint32_t>(s), plane, b);
                     Out* to = out + (b - first_block) * (last_slot - first_slot) + (s - first_slot);
                     for (std::size_t i = 0, step = slot_step(); i < n; ++i)
                         to[i] = static_cast<Out>(from[i * step]);
                 });
    }
    template <class In>
    void write(std::size_t plane, const In* in) {
        by_tiles(0, blocks_, 0, slots_, [&](std::size_t s, std::size_t n, std::size_t b) {
            T* to = array_.data() + offset(static_cast<std::uint32_t>(s), plane, b);
            const In* from = in + b * slots_ + s;
            for (std::size_t i = 0, step = slot_step(); i < n; ++i) to[i * step] = static_cast<T>(from[i]);
        });
    }

    /// Calls f(value&) for every weight of a plane.
    template <class F>
    void each(std::size_t plane, F&& f) {
        each_of(array_.data(), plane, f);
    }
    template <class F>
    void each(std::size_t plane, F&& f) const {
        each_of(array_.data(), plane, f);
    }

private:
    template <class Data, class F>
    void each_of(Data* w, std::size_t plane, F& f) const {
        if (planes_ == 1 && single()) {  // contiguous, so the compiler makes vectors of it
            for (std::size_t s = 0; s < slots_; ++s) f(w[s]);
            return;
        }
        w += offset(0, plane, 0);
        for (std::size_t s = 0, step = slot_step(); s < slots_; ++s, w += step)
            for (std::size_t b = 0; b < blocks_; ++b) f(w[b]);
    }

    /// Calls f(first slot, slots, block) over all weights, a few slots at a time: one layout is by slots and
    /// the other by blocks, and both stay in the cache.
    template <class F>
    void by_tiles(std::size_t first_block, std::size_t last_block, std::size_t first_slot,
                  std::size_t last_slot, F&& f) const {
        constexpr std::size_t kTile = 128;
        for (std::size_t first = first_slot; first < last_slot; first += kTile)
            for (std::size_t b = first_block; b < last_block; ++b)
                f(first, std::min(kTile, last_slot - first), b);
    }

    void shape(std::size_t slots, std::size_t blocks, std::size_t least_capacity = 0) {
        measure(slots, blocks, least_capacity);
        // Vectors over the blocks of the last slot may reach past them.
        array_ = BigArray<T>(capacity_ * planes_ * pitch_ + (single() ? 0 : kVector));
    }

    void measure(std::size_t slots, std::size_t blocks, std::size_t least_capacity = 0) noexcept {
        slots_ = slots;
        blocks_ = blocks;
        // Whole vectors for dense rows, and a little room: the highest feature of a stream is rarely in its
        // first rows, and pages that are never touched cost nothing.
        capacity_ = std::max((std::max<std::size_t>(slots, 1) + slots / 32 + 15) / 16 * 16, least_capacity);
        const std::size_t part = apart_ ? kVector : kVector / 2;
        pitch_ = single() ? 1 : (std::max(blocks, expected_) + part - 1) / part * part;
        stride_ = apart_ ? capacity_ * pitch_ : pitch_;
    }

    /// Gives new weights of a plane their value, and the padding behind them too: a stream brings its classes
    /// one by one, and going over all features for each costs more than learning from them.
    void fill_from(std::size_t plane, T value, std::size_t old_slots, std::size_t old_blocks) {
        const std::size_t room = pitch_;
        const bool ready = old_blocks == blocks_ || value == padding_;
        if (single()) {  // a number a slot: plainly, for a million of them
            T* w = array_.data() + offset(static_cast<std::uint32_t>(old_slots), plane, 0);
            for (std::size_t i = 0, n = slots_ - old_slots, step = slot_step(); i < n; ++i)
                w[i * step] = value;
            return;
        }
        for (auto s = static_cast<std::uint32_t>(ready ? old_slots : 0); s < slots_; ++s) {
            const std::size_t first = s < old_slots ? old_blocks : 0;
            std::fill_n(array_.data() + offset(s, plane, first), room - first, value);
        }
        if (!ready || old_slots == 0)
            padding_ = value;
        else if (value != padding_)
            padding_ = kNoPadding;  // the padding of old and new slots differs
    }

    std::size_t planes_ = 1, slots_ = 0, blocks_ = 1, capacity_ = 0, stride_ = 1, pitch_ = 1, expected_ = 0;
    bool apart_ = false;
    /// The padding of planes that were moved or reshaped has not been written: NaN equals no value.
    static constexpr T kNoPadding = std::numeric_limits<T>::quiet_NaN();
    T padding_ = kNoPadding;  // written behind the blocks of the plane that does not start at zero
    BigArray<T> array_;
};

}  // namespace onlinear
