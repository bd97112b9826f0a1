#include "onlinear/rows/stage.hpp"

namespace onlinear::staging {

namespace {

/// Prefetches as much input as this row has, some rows ahead: the hardware prefetcher stops at each page.
template <class V>
[[gnu::always_inline]] inline void prefetch_input(const V* from, std::size_t n) noexcept {
    constexpr std::size_t kBytesAhead = 1024;
    for (std::size_t byte = 0; byte < n * sizeof(V); byte += 64)
        __builtin_prefetch(reinterpret_cast<const char*>(from) + kBytesAhead + byte);
}

template <class T, class V, class I, class P>
Refusal stage_sparse(const Matrix& m, std::size_t row, bool intercept, const Planes<T>& planes,
                     Stage<T>& stage) {
    std::uint64_t first, last;
    if (!row_bounds<P>(m, row, first, last)) return {Fault::indptr_order, row, -1};
    const std::uint64_t n = last - first;
    if (n > std::numeric_limits<std::uint32_t>::max() / 4) return {Fault::row_length, row, -1};
    stage.reserve(n + 1);
    std::uint32_t* at = stage.at();
    T* value = stage.value();
    const I* index = static_cast<const I*>(m.indices) + first;
    const V* x = static_cast<const V*>(m.values) + first;
    const std::uint64_t columns = m.columns;
    prefetch_input(index, n);
    prefetch_input(x, n);
    const Simd<T>& wide = simd<T>();
    Staged staged;
    if constexpr (sizeof(I) == 4 && std::is_same_v<V, T>) {
        staged = wide.stage_i32(index, x, at, value, n, columns, planes.address_factor());
    } else {
        Slots seen;
        if constexpr (sizeof(I) == 4)
            seen = wide.slots_i32(index, at, n, columns, planes.address_factor());
        else
            seen = wide.slots_i64(index, at, n, columns, planes.address_factor());
        const Copied copied = copy_values<T>(x, value, n);
        staged = {copied.norm2, copied.finite, seen.inside, seen.rising};
    }
    double norm2 = staged.norm2;
    auto size = static_cast<std::uint32_t>(n);
    if (!staged.inside) [[unlikely]] {
        for (std::uint64_t j = 0; j < n; ++j)
            if (static_cast<std::uint64_t>(static_cast<std::int64_t>(index[j])) >= columns)
                return {Fault::index_range, row, static_cast<std::int64_t>(index[j])};
        return {Fault::index_range, row, -1};
    }
    if (!staged.finite) [[unlikely]] {
        Refusal refusal = find_fault<T>(x, n, 1, row);
        if (!refusal) return {Fault::nan, row, -1};  // changed while we looked
        refusal.column = static_cast<std::int64_t>(index[refusal.column]);
        return refusal;
    }
    if (!staged.rising) [[unlikely]] {
        const std::uint32_t before = size;
        size = canonical(at, value, size);
        for (std::uint32_t j = 0; size < before && j < size; ++j)
            if (!usable(value[j]))
                return {Fault::too_large, row, static_cast<std::int64_t>(planes.slot_of(at[j])) - 1};
        norm2 = wide.norm2(value, size);
    }
    stage.close(size, intercept, planes);
    stage.set_norm(norm2);
    return {};
}

template <class T, class V>
Refusal stage_dense(const Matrix& m, std::size_t row, bool intercept, const Planes<T>& planes,
                    Stage<T>& stage) {
    const std::size_t n = m.columns;
    stage.reserve(n + 1);
    T* value = stage.value();
    const V* x = static_cast<const V*>(m.values) + static_cast<std::ptrdiff_t>(row) * m.row_stride;
    Copied copied{0, true};
    if (m.column_stride == 1) {
        copied = copy_values<T>(x, value, n);
    } else {
        for (std::size_t j = 0; j < n; ++j) {
            value[j] = static_cast<T>(x[static_cast<std::ptrdiff_t>(j) * m.column_stride]);
            copied.finite &= usable(value[j]);
        }
        copied.norm2 = simd<T>().norm2(value, n);
    }
    if (!copied.finite) [[unlikely]] {
        const Refusal refusal = find_fault<T>(x, n, m.column_stride, row);
        return refusal ? refusal : Refusal{Fault::nan, row, -1};
    }
    stage.close_dense(static_cast<std::uint32_t>(n), intercept, planes);
    stage.set_norm(copied.norm2);
    return {};
}

template <class T, class V, class I>
Function<T> pick_indptr(const Matrix& m) {
    if (m.indptr_type == IndexType::i32) return stage_sparse<T, V, I, std::int32_t>;
    return stage_sparse<T, V, I, std::int64_t>;
}
template <class T, class V>
Function<T> pick_index(const Matrix& m) {
    if (!m.sparse()) return stage_dense<T, V>;
    return m.index_type == IndexType::i32 ? pick_indptr<T, V, std::int32_t>(m)
                                          : pick_indptr<T, V, std::int64_t>(m);
}
template <class T>
Function<T> pick_value(const Matrix& m) {
    return m.value_type == ValueType::f32 ? pick_index<T, float>(m) : pick_index<T, double>(m);
}

}  // namespace

template <>
Function<float> pick(const Matrix& matrix) {
    return pick_value<float>(matrix);
}
template <>
Function<double> pick(const Matrix& matrix) {
    return pick_value<double>(matrix);
}

}  // namespace onlinear::staging
