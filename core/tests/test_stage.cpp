#include "onlinear/rows/stage.hpp"
#include "rows.hpp"
#include "testing.hpp"

/// From a caller's arrays to a staged row: where a row ends, what order its entries have, what is refused.
namespace {

using namespace onlinear;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class V, class I, class P>
struct Csr {
    std::vector<V> values;
    std::vector<I> indices;
    std::vector<P> indptr;
    std::size_t columns = 6;
    std::size_t entries = values.size();

    Matrix matrix() const {
        return {.values = values.data(),
                .value_type = sizeof(V) == 4 ? ValueType::f32 : ValueType::f64,
                .indices = indices.data(),
                .index_type = sizeof(I) == 4 ? IndexType::i32 : IndexType::i64,
                .indptr = indptr.data(),
                .indptr_type = sizeof(P) == 4 ? IndexType::i32 : IndexType::i64,
                .rows = indptr.size() - 1,
                .columns = columns,
                .entries = entries};
    }
};

/// Slots and values of a staged row.
template <class T>
std::vector<std::pair<std::uint32_t, double>> entries(const Stage<T>& stage, const Planes<T>& planes) {
    std::vector<std::pair<std::uint32_t, double>> out;
    for (std::uint32_t j = 0; j < stage.row.size; ++j)
        out.emplace_back(planes.slot_of(stage.row.at[j]), static_cast<double>(stage.row.value[j]));
    return out;
}

using Entries = std::vector<std::pair<std::uint32_t, double>>;

/// Calls f with a CSR of every combination of types, in which 3 entries of 4 belong to the caller.
template <class T, class F>
void for_each_type(F&& f) {
    const auto types = [&]<class V, class I, class P>(V, I, P) {
        f(Csr<V, I, P>{.values = {1, 2, 3, 4}, .indices = {1, 3, 2, 4}, .indptr = {0, 2, 3}, .entries = 3});
    };
    const auto pointers = [&](auto value, auto index) {
        types(value, index, std::int32_t{});
        types(value, index, std::int64_t{});
    };
    for (int wide = 0; wide < 2; ++wide) {
        wide ? pointers(T{}, std::int64_t{}) : pointers(T{}, std::int32_t{});
        wide ? pointers(1.0f, std::int64_t{}) : pointers(1.0, std::int32_t{});
    }
}

TEST("a row ends at the last entry the caller has, whatever the types") {
    for_each_type<double>([]<class C>(C rows) {
        const Planes<double> planes(1, rows.columns + 1, 1);
        Stage<double> stage;
        const Matrix good = rows.matrix();
        CHECK(!Stager<double>(good, false, planes)(1, stage));
        rows.indptr[2] = 4;  // there is a fourth number behind the third, and it is not the caller's
        const Matrix long_row = rows.matrix();
        const Refusal refusal = Stager<double>(long_row, false, planes)(1, stage);
        CHECK(refusal.fault == Fault::indptr_order && refusal.row == 1);
        rows.indptr = {0, 2, 1};
        const Matrix falling = rows.matrix();
        CHECK(Stager<double>(falling, false, planes)(1, stage).fault == Fault::indptr_order);
        rows.indptr = {-1, 2, 3};
        const Matrix negative = rows.matrix();
        CHECK(Stager<double>(negative, false, planes)(0, stage).fault == Fault::indptr_order);
    });
}

TEST("rows read without staging end there too") {
    const Csr<double, std::int32_t, std::int32_t> rows{
        .values = {1, 2, 3, 4}, .indices = {1, 3, 2, 4}, .indptr = {0, 2, 4}, .entries = 3};
    const Matrix matrix = rows.matrix();
    const Planes<double> one(1, 7, 1), several(1, 7, 3);
    std::vector<double> sums(16, kNan);
    const Stager<double> single(matrix, false, one), lanes(matrix, false, several);
    CHECK(single.score(0, 2, one.data() + 1, 1, 0, nullptr, sums.data()) == 1);
    CHECK(lanes.score(0, several.data() + several.width(), several.lanes(), sums.data()));
    CHECK(!lanes.score(1, several.data() + several.width(), several.lanes(), sums.data()));
    Stage<double> stage;
    CHECK(single.light(0, stage));
    CHECK(!single.light(1, stage));
}

TEST("entries lie in the order of their columns behind the intercept, repeated ones added up") {
    const Csr<double, std::int32_t, std::int64_t> rows{
        .values = {1, 2, 4, 8, 16}, .indices = {5, 0, 5, 2, 0}, .indptr = {0, 5}};
    const Matrix matrix = rows.matrix();
    for (const std::size_t blocks : {1u, 3u}) {
        const Planes<double> planes(2, rows.columns + 1, blocks);
        Stage<double> stage;
        CHECK(!Stager<double>(matrix, true, planes)(0, stage));
        CHECK(entries(stage, planes) == Entries{{0, 1.0}, {1, 18.0}, {3, 8.0}, {6, 5.0}});
        CHECK(stage.row.norm2 == 1.0 + 18.0 * 18.0 + 64.0 + 25.0);
        CHECK(!Stager<double>(matrix, false, planes)(0, stage));
        CHECK(entries(stage, planes) == Entries{{1, 18.0}, {3, 8.0}, {6, 5.0}});
        CHECK(stage.row.norm2 == 18.0 * 18.0 + 64.0 + 25.0);
    }
}

TEST("the numbers behind a staged row are zero up to a whole vector") {
    const Planes<float> planes(2, 41, 1);
    Stage<float> stage;
    const std::vector<float> long_row(40, 7.0f), short_row(3, 2.0f);
    for (const auto* values : {&long_row, &short_row}) {
        const Matrix matrix{.values = values->data(),
                            .value_type = ValueType::f32,
                            .rows = 1,
                            .columns = values->size(),
                            .row_stride = static_cast<std::ptrdiff_t>(values->size())};
        CHECK(!Stager<float>(matrix, true, planes)(0, stage));
        for (std::uint32_t j = 0; j < 16; ++j) CHECK(stage.row.value[stage.row.size + j] == 0);
    }
}

TEST("columns 0 to n - 1 without a gap make a dense row, however they came") {
    const Planes<double> planes(2, 7, 1);
    const Csr<double, std::int32_t, std::int32_t> whole{
        .values = {1, 2, 3, 1, 3}, .indices = {0, 1, 2, 0, 2}, .indptr = {0, 3, 5}};
    const Matrix matrix = whole.matrix();
    Stage<double> stage;
    CHECK(!Stager<double>(matrix, true, planes)(0, stage));
    CHECK(stage.row.dense);
    CHECK(!Stager<double>(matrix, true, planes)(1, stage));
    CHECK(!stage.row.dense);
}

TEST("a bad value or index is named by the caller's own column") {
    const Planes<float> planes(1, 7, 1);
    Stage<float> stage;
    const auto refusal = [&](std::vector<double> values, std::vector<std::int64_t> indices) {
        const std::int32_t n = static_cast<std::int32_t>(values.size());
        const Csr<double, std::int64_t, std::int32_t> rows{
            .values = std::move(values), .indices = std::move(indices), .indptr = {0, n}};
        const Matrix matrix = rows.matrix();
        return Stager<float>(matrix, true, planes)(0, stage);
    };
    const auto is = [](const Refusal& got, Fault fault, std::int64_t column) {
        return got.fault == fault && got.column == column;
    };
    CHECK(is(refusal({1, kNan}, {5, 3}), Fault::nan, 3));
    CHECK(is(refusal({1, 1 / 0.0}, {5, 3}), Fault::infinite, 3));
    CHECK(is(refusal({1e39, 1}, {4, 0}), Fault::too_large, 4));
    CHECK(is(refusal({3e38, 3e38}, {2, 2}), Fault::too_large, 2));
    CHECK(is(refusal({1, 1}, {5, 6}), Fault::index_range, 6));
    CHECK(is(refusal({1, 1}, {-1, 2}), Fault::index_range, -1));
    CHECK(!refusal({1, 1}, {0, 5}));
}

TEST("the difference of two rows has every column of either, once") {
    const Planes<double> planes(1, 7, 1);
    const Csr<double, std::int32_t, std::int32_t> rows{
        .values = {1, 2, 3, 5, 7}, .indices = {0, 2, 4, 2, 5}, .indptr = {0, 3, 5}};
    const Matrix matrix = rows.matrix();
    const Stager<double> stager(matrix, false, planes);
    Stage<double> a, b, difference;
    CHECK(!stager(0, a) && !stager(1, b));
    difference.subtract(a.row, b.row);
    difference.measure_norm();
    CHECK(entries(difference, planes) == Entries{{1, 1.0}, {3, -3.0}, {5, 3.0}, {6, -7.0}});
    CHECK(difference.row.norm2 == 1.0 + 9.0 + 9.0 + 49.0);
}

}  // namespace
