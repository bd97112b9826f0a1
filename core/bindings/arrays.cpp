#include "arrays.hpp"

#include "bindings.hpp"
#include "onlinear/learner.hpp"

namespace onlinear::bindings {

namespace {

ValueType value_type(const Array& a, const char* name) {
    if (a.dtype() == nb::dtype<float>()) return ValueType::f32;
    if (a.dtype() == nb::dtype<double>()) return ValueType::f64;
    throw std::invalid_argument(std::string(name) + " must hold float32 or float64 numbers");
}

IndexType index_type(const Array& a, const char* name) {
    if (a.dtype() == nb::dtype<std::int32_t>()) return IndexType::i32;
    if (a.dtype() == nb::dtype<std::int64_t>()) return IndexType::i64;
    throw std::invalid_argument(std::string(name) + " must hold int32 or int64 numbers");
}

/// Rows without the columns from `limit` on, as (data, indices, indptr); None when there are none of those.
template <class Value, class Index, class Pointer>
nb::object narrowed(const Matrix& m, std::size_t limit) {
    const auto* values = static_cast<const Value*>(m.values);
    const auto* indices = static_cast<const Index*>(m.indices);
    const auto* indptr = static_cast<const Pointer*>(m.indptr);
    const auto known = [&](std::size_t j) { return static_cast<std::uint64_t>(indices[j]) < limit; };
    bool all = true;
    for (std::size_t j = 0; j < m.entries; ++j) all &= known(j);
    if (all) return nb::none();
    std::vector<Value> kept_values;
    std::vector<Index> kept_indices;
    std::int64_t* ends;
    const auto kept_indptr = new_array<nb::memview>(ends, m.rows + 1);
    ends[0] = 0;
    for (std::size_t row = 0; row < m.rows; ++row) {
        // Another thread may be writing: what is read here is checked here.
        const auto first = static_cast<std::size_t>(indptr[row]),
                   last = static_cast<std::size_t>(indptr[row + 1]);
        if (first > last || last > m.entries) throw std::invalid_argument("indptr leaves the arrays");
        for (std::size_t j = first; j < last; ++j) {
            const Index index = indices[j];
            if (static_cast<std::uint64_t>(index) >= limit) continue;
            kept_indices.push_back(index);
            kept_values.push_back(values[j]);
        }
        ends[row + 1] = static_cast<std::int64_t>(kept_indices.size());
    }
    Value* out_values;
    Index* out_indices;
    const auto new_values = new_array<nb::memview>(out_values, kept_values.size());
    const auto new_indices = new_array<nb::memview>(out_indices, kept_indices.size());
    std::copy(kept_values.begin(), kept_values.end(), out_values);
    std::copy(kept_indices.begin(), kept_indices.end(), out_indices);
    return nb::make_tuple(new_values, new_indices, kept_indptr);
}

nb::object narrowed(const Matrix& m, std::size_t limit) {
    const auto with_value = [&]<class Value>() {
        const auto with_index = [&]<class Index>() {
            return m.indptr_type == IndexType::i32 ? narrowed<Value, Index, std::int32_t>(m, limit)
                                                   : narrowed<Value, Index, std::int64_t>(m, limit);
        };
        return m.index_type == IndexType::i32 ? with_index.template operator()<std::int32_t>()
                                              : with_index.template operator()<std::int64_t>();
    };
    return m.value_type == ValueType::f32 ? with_value.template operator()<float>()
                                          : with_value.template operator()<double>();
}

}  // namespace

void need_flat(const Array& a, const char* name) {
    if (a.ndim() != 1 || (a.shape(0) > 1 && a.stride(0) != 1))
        throw std::invalid_argument(std::string(name) + " must be one-dimensional and contiguous");
}

Matrix csr(const Array& data, const Array& indices, const Array& indptr, std::size_t columns) {
    need_flat(data, "data");
    need_flat(indices, "indices");
    need_flat(indptr, "indptr");
    if (indptr.shape(0) < 1)
        throw std::invalid_argument("indptr must have one entry more than there are rows");
    return {.values = data.data(),
            .value_type = value_type(data, "data"),
            .indices = indices.data(),
            .index_type = index_type(indices, "indices"),
            .indptr = indptr.data(),
            .indptr_type = index_type(indptr, "indptr"),
            .rows = indptr.shape(0) - 1,
            .columns = columns,
            .entries = std::min(data.shape(0), indices.shape(0))};
}

Matrix dense(const Array& x) {
    if (x.ndim() != 2) throw std::invalid_argument("X must have two dimensions");
    return {.values = x.data(),
            .value_type = value_type(x, "X"),
            .rows = x.shape(0),
            .columns = x.shape(1),
            .row_stride = x.stride(0),
            .column_stride = x.stride(1)};
}

nb::tuple refused(const Refusal& refusal) {
    return nb::make_tuple(static_cast<int>(refusal.fault), refusal.row, refusal.column);
}

void bind_arrays(nb::module_& m) {
    m.def(
        "inspect_csr",
        [](const Array& data, const Array& indices, const Array& indptr, std::size_t columns,
           bool single_precision) {
            const Matrix matrix = csr(data, indices, indptr, columns);
            nb::gil_scoped_release release;
            const Refusal refusal = inspect(matrix, single_precision);
            nb::gil_scoped_acquire acquire;
            return refused(refusal);
        },
        nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("columns"),
        nb::arg("single_precision"), "Look for a row that would be refused.");
    m.def(
        "narrow_csr",
        [](const Array& data, const Array& indices, const Array& indptr, std::size_t limit) {
            return narrowed(csr(data, indices, indptr, limit), limit);
        },
        nb::arg("data"), nb::arg("indices"), nb::arg("indptr"), nb::arg("limit"),
        nb::sig("def narrow_csr(data: typing.Any, indices: typing.Any, indptr: typing.Any, limit: int) -> "
                "tuple[memoryview, memoryview, memoryview] | None"),
        "Rows without the columns from `limit` on; None when there are none of those.");
    m.def(
        "inspect_dense",
        [](const Array& x, bool single_precision) {
            const Matrix matrix = dense(x);
            nb::gil_scoped_release release;
            const Refusal refusal = inspect(matrix, single_precision);
            nb::gil_scoped_acquire acquire;
            return refused(refusal);
        },
        nb::arg("x"), nb::arg("single_precision"), "Look for a row that would be refused.");
}

}  // namespace onlinear::bindings
