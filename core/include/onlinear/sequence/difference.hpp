#pragma once
#include <bit>
#include <vector>

#include "onlinear/memory/planes.hpp"
#include "onlinear/rows/row.hpp"
#include "onlinear/sequence/batch.hpp"

namespace onlinear::sequence {

/// delta = Phi(x, y) - Phi(x, q), added up: each weight once, in the order in which the sentence touches
/// them.
///
/// A small table with stamps finds a weight met before; nothing has to be cleared between sentences.
template <class T>
class Difference {
public:
    void reserve(std::size_t entries) {
        if (entries <= at_.size()) return;
        at_ = BigArray<std::uint32_t>(entries);
        value_ = BigArray<T>(entries);
        table_.assign(std::bit_ceil(2 * entries), {});
        stamp_ = 0;
    }

    /// Starts anew; `entries` bounds what will be added. A small sentence uses a small part of the table.
    void clear(std::size_t entries) noexcept {
        size_ = 0;
        shift_ = 32 - static_cast<int>(std::bit_width(std::bit_ceil(2 * entries) - 1));
        mask_ = std::bit_ceil(2 * entries) - 1;
        if (++stamp_ == 0) {
            std::fill(table_.begin(), table_.end(), Place{});
            stamp_ = 1;
        }
    }

    void add(std::uint32_t offset, T value) noexcept {
        std::size_t i = (offset * 0x9E3779B1u >> shift_) & mask_;
        while (table_[i].stamp == stamp_) {
            if (at_[table_[i].entry] == offset) {
                value_[table_[i].entry] += value;
                return;
            }
            i = (i + 1) & mask_;
        }
        table_[i] = {size_, stamp_};
        at_[size_] = offset;
        value_[size_++] = value;
    }

    Row<T> row() const noexcept {
        double norm2 = 0;
        for (std::uint32_t j = 0; j < size_; ++j)
            norm2 += static_cast<double>(value_[j]) * static_cast<double>(value_[j]);
        return {.size = size_,
                .at = at_.data(),
                .value = value_.data(),
                .norm2 = norm2,
                .dense = false,
                .flat = true};
    }

private:
    struct Place {
        std::uint32_t entry = 0;
        std::uint32_t stamp = 0;
    };

    BigArray<std::uint32_t> at_;
    BigArray<T> value_;
    std::vector<Place> table_;
    std::uint32_t size_ = 0, stamp_ = 0;
    std::size_t mask_ = 0;
    int shift_ = 0;
};

}  // namespace onlinear::sequence
