#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>

namespace onlinear {

enum class ValueType : std::uint8_t { f32, f64 };
enum class IndexType : std::uint8_t { i32, i64 };

/// A caller's rows as they lie in memory: CSR or strided dense. Nothing in it is trusted.
struct Matrix {
    const void* values = nullptr;
    ValueType value_type = ValueType::f64;
    const void* indices = nullptr;  // null: dense
    IndexType index_type = IndexType::i32;
    const void* indptr = nullptr;
    IndexType indptr_type = IndexType::i32;
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t entries = 0;        // length of `values` and `indices` when sparse
    std::ptrdiff_t row_stride = 0;  // in elements, when dense
    std::ptrdiff_t column_stride = 1;

    bool sparse() const noexcept { return indptr != nullptr; }

    /// The `count` rows from `first` on.
    Matrix part(std::size_t first, std::size_t count) const noexcept {
        Matrix out = *this;
        out.rows = count;
        if (sparse()) {
            const std::size_t size = indptr_type == IndexType::i32 ? 4 : 8;
            out.indptr = static_cast<const char*>(indptr) + first * size;
        } else {
            const std::ptrdiff_t size = value_type == ValueType::f32 ? 4 : 8;
            out.values =
                static_cast<const char*>(values) + static_cast<std::ptrdiff_t>(first) * row_stride * size;
        }
        return out;
    }
};

/// Why a row was refused, and where.
enum class Fault : int {
    none,
    nan,
    infinite,
    too_large,     // finite, but not in the state's type
    index_range,   // an index outside [0, columns)
    indptr_order,  // indptr falls or leaves the arrays
    bad_label,
    bad_target,  // not finite
    bad_weight,
    margin_overflow,    // the score or its variance is not finite
    step_overflow,      // the step would make a weight infinite
    variance_overflow,  // the step would make a variance infinite
    row_length,
    bad_cost,        // a cost that is negative or not finite
    too_many_means,  // features that would have to be centred
};

struct Refusal {
    Fault fault = Fault::none;
    std::size_t row = 0;
    std::int64_t column = -1;  // the offending index or column, where there is one
    explicit operator bool() const noexcept { return fault != Fault::none; }
};

}  // namespace onlinear
