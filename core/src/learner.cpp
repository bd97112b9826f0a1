#include "onlinear/learner.hpp"

#include "make.hpp"
#include "onlinear/compatible.hpp"
#include "onlinear/rows/stage.hpp"
#include "onlinear/simd/simd.hpp"

namespace onlinear {

namespace {

template <class V>
bool all_usable(const V* x, std::size_t n, double limit) noexcept {
    // The largest double is infinite as a float, and infinity must not pass.
    const V top = static_cast<V>(std::min(limit, static_cast<double>(std::numeric_limits<V>::max())));
    return simd<V>().all_within(x, n, top);
}

template <class I>
bool all_inside(const I* index, std::size_t n, std::size_t columns) noexcept {
    if constexpr (sizeof(I) == 4) return simd<float>().inside_i32(index, n, columns);
    using U = std::make_unsigned_t<I>;
    U largest = 0;
    for (std::size_t i = 0; i < n; ++i) largest = std::max(largest, static_cast<U>(index[i]));
    return n == 0 || largest < columns;
}

template <class P>
Refusal rising(const Matrix& m) noexcept {
    std::uint64_t first, last;
    for (std::size_t row = 0; row < m.rows; ++row)
        if (!staging::row_bounds<P>(m, row, first, last)) return {Fault::indptr_order, row, -1};
    return {};
}

template <class T>
Refusal slow_look(const Matrix& m) {
    const Planes<T> nowhere(1, 1, 1);
    const Stager<T> stage(m, false, nowhere);
    Stage<T> buffer;
    for (std::size_t row = 0; row < m.rows; ++row)
        if (const Refusal refusal = stage(row, buffer)) return refusal;
    return {};
}

}  // namespace

Refusal inspect(const Matrix& m, bool single_precision) {
    const double limit =
        single_precision ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
    bool good = true;
    if (m.sparse()) {
        const Refusal order =
            m.indptr_type == IndexType::i32 ? rising<std::int32_t>(m) : rising<std::int64_t>(m);
        if (order) return order;
        // Repeated entries add up: below this no sum of any of them leaves the type.
        const double safe = limit / static_cast<double>(std::max<std::size_t>(m.entries, 1));
        good = m.value_type == ValueType::f32
                   ? all_usable(static_cast<const float*>(m.values), m.entries, safe)
                   : all_usable(static_cast<const double*>(m.values), m.entries, safe);
        good &= m.index_type == IndexType::i32
                    ? all_inside(static_cast<const std::int32_t*>(m.indices), m.entries, m.columns)
                    : all_inside(static_cast<const std::int64_t*>(m.indices), m.entries, m.columns);
    } else if (m.column_stride == 1) {
        for (std::size_t row = 0; row < m.rows && good; ++row) {
            const std::ptrdiff_t start = static_cast<std::ptrdiff_t>(row) * m.row_stride;
            good = m.value_type == ValueType::f32
                       ? all_usable(static_cast<const float*>(m.values) + start, m.columns, limit)
                       : all_usable(static_cast<const double*>(m.values) + start, m.columns, limit);
        }
    } else {
        good = false;  // strided: row by row
    }
    // Only now, with something wrong somewhere, is it worth knowing where. Values outside every row do not
    // count.
    if (good) return {};
    return single_precision ? slow_look<float>(m) : slow_look<double>(m);
}

std::unique_ptr<RowLearner> make_learner(const TaskSpec& task, const rule::AnyRule* rule,
                                         const BeliefSpec& belief, bool single_precision,
                                         std::size_t features, bool intercept) {
    check_task(task, rule, belief, intercept);
    auto learner = std::visit(
        [&](const auto& options) { return make(task, options, single_precision, features); }, belief);
    if (rule) learner->set_rule(*rule);
    learner->intercept = intercept;
    learner->prepare();
    return learner;
}

}  // namespace onlinear
